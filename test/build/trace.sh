#!/bin/bash
# --mca osc_ucp_trace FILE: a file that is JSON, has all that the program did, in an order that can be, and nothing else
# is left. Without it there is no file.
#
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck source=test/build/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

command -v python3 >/dev/null || skip "there is no python3"
quietly "$mpicc" -O -o "$scratch/traced" "$top/test/build/trace.c"
folder=$scratch/traces
mkdir "$folder"

# run PROCESSES CASE [OPTION...]: test/build/trace.c by "below", and "around" it. The output is in $scratch/out.
run()
{
    ${keep:-false} || rm -f "$folder"/*
    run_ranks "$scratch/out" 60 "${below[@]}" env OMPI_MCA_mca_base_component_path="$path" "$mpirun" \
        -np "$1" --oversubscribe --mca mpi_yield_when_idle 1 --mca osc ucp "${@:3}" "$scratch/traced" "$2"
}

# The trace must be as trace.py wants it, with its matrix, and must have left nothing else.
traced()
{
    [ "$status" -eq 0 ] || fail "status $status: $(cat "$scratch/out")"
    quietly python3 "$top/test/build/trace.py" "$folder/trace.json" "$@"
    [ "$(cd "$folder" && echo *)" = "trace.json trace.json.csv trace.json.svg" ] || fail "left: $(ls "$folder")"
    [ -z "$(find "$folder" -type f ! -perm 0600)" ] || fail "others may read: $(ls -l "$folder")"
}

# Nothing of ours; Open MPI of Debian 13 has lines about networks that it does not need.
silent()
{
    [ "$(lines 'osc/ucp')" -eq 0 ] || fail "printed: $(cat "$scratch/out")"
}

below=() path=$components:SYSTEM_DEFAULT:USER_DEFAULT
trace=(--mca osc_ucp_trace "$folder/trace.json")
operations=(--mca osc_ucp_trace_operations 1)
for processes in 2 4; do
    run $processes free "${trace[@]}"
    silent
    traced $processes free
    run $processes free "${trace[@]}" "${operations[@]}" --mca osc_ucp_node 0
    silent
    traced $processes operations
done
run 2 free "${trace[@]}" "${operations[@]}" --mca osc_ucp_direct 0
traced 2 operations
run 2 open "${trace[@]}"
silent
traced 2 open

case $(made_with OMPI_VERSION) in
4.*) goes_on=(--enable-recovery) ;;
*) goes_on=(--with-ft ulfm) ;;
esac
run 2 free "${trace[@]}" --mca osc_ucp_report 1 --mca osc_ucp_watchdog 30
traced 2 free
[ "$(lines '^osc/ucp: MPI_Win_allocate ')" -eq 1 ] || fail "no report: $(cat "$scratch/out")"
run 2 free "${trace[@]}" "${operations[@]}" "${goes_on[@]}" --mca osc_ucp_survive 1
traced 2 operations

run 3 free "${trace[@]}" --mca osc_ucp_trace_records 5
traced 3 dropped
[ "$(lines "osc/ucp: the trace '.*' lacks events, [1-9][0-9]* of rank [0-2], ")" -eq 1 ] || fail "$(cat "$scratch/out")"

# Locks of processes of another job are epochs of their own. Open MPI 5.0 does not connect spawned processes.
if [[ $(made_with OMPI_VERSION) != 5.0.* ]]; then
    run 1 spawn "${trace[@]}"
    [ "$status" -eq 0 ] || fail "spawn: status $status: $(cat "$scratch/out")"
    quietly python3 -c 'import json, sys
events = [e for e in json.load(open(sys.argv[1]))["traceEvents"] if e["ph"] in "be"]
found = [(e["ph"], e["name"], e["id2"]["local"][-2:]) for e in sorted(events, key=lambda e: e["ts"])]
one, other = ("shared lock of member 1", "-3"), ("shared lock of member 2", "-4")
sys.exit(f"{found}" if found != [("b", *one), ("b", *other), ("e", *one), ("e", *other)] else 0)
' "$folder/trace.json"
fi

# What cannot be written is told once, and the program runs.
run 2 free --mca osc_ucp_trace "$folder/none/trace.json"
[ "$status" -eq 0 ] && [ "$(lines '')" -eq 1 ] &&
    [ "$(lines "osc/ucp: the trace '.*/none/trace.json' cannot be written: No such file or directory; ")" -eq 1 ] ||
    fail "a folder that does not exist: $(cat "$scratch/out")"
run 2 free --mca osc_ucp_trace /dev/null
[ "$status" -eq 0 ] && [ "$(lines "'/dev/null' cannot be written: ")" -eq 1 ] && [ -c /dev/null ] ||
    fail "a device: $(cat "$scratch/out")"

# Another user's file, who could read it, gets nothing.
if [ "$(id -u)" -eq 0 ]; then
    rm -f "$folder"/*
    install -o 65534 -m 0666 /dev/null "$folder/trace.json.csv"
    keep=true run 2 free "${trace[@]}"
    [ "$status" -eq 0 ] && [ "$(lines "has no matrix beside it: Operation not permitted; ")" -eq 1 ] &&
        [ ! -s "$folder/trace.json.csv" ] || fail "another user's file: $(cat "$scratch/out")"
fi

# What a killed job has written is an array that lacks its end.
run 2 killed "${trace[@]}"
[ "$status" -ne 0 ] || fail "nobody was killed"
for rank in 0 1; do
    (cat "$folder/trace.json.$rank" && echo "]") >"$scratch/part"
    quietly python3 -c 'import json, sys
sys.exit(not [e for e in json.load(open(sys.argv[1])) if e["name"] == "MPI_Win_unlock"])' "$scratch/part"
done
"$top/contrib/trace-join" "$folder"/trace.json.? >"$scratch/joined" || fail "trace-join"
quietly python3 -c 'import json, sys
trace = json.load(open(sys.argv[1]))
sys.exit({e["pid"] for e in trace["traceEvents"]} != {0, 1} or trace["otherData"]["dropped"] is not None)' \
    "$scratch/joined"
"$top/contrib/trace-join" "$scratch/joined" "$folder/trace.json.0" >"$scratch/again" || fail "trace-join again"
[ ! -e "$folder/trace.json" ] || fail "a killed job put its parts together"

# Of a file that is cut, is no trace, or is not there, trace-join says so in one line, and makes no trace.
head -c -30 "$scratch/joined" >"$scratch/cut"
sed '3s/.*/,{"half/' "$folder/trace.json.0" >"$scratch/broken"
echo "rank,target" >"$scratch/table"
echo '{"traceEvents": [], "otherData": {"version": "1"}}' >"$scratch/other"
for file in "$scratch/cut" "$scratch/broken" "$scratch/table" "$scratch/other" "$scratch/none"; do
    status=0
    why='(: No such file| is cut, or no trace of osc_ucp_trace .*: take the file )'
    "$top/contrib/trace-join" "$folder/trace.json.1" "$file" >"$scratch/joined" 2>"$scratch/out" || status=$?
    [ "$status" -eq 1 ] && [ ! -s "$scratch/joined" ] && [ "$(lines '')" -eq 1 ] &&
        [ "$(lines "^trace-join: $file$why")" -eq 1 ] ||
        fail "trace-join of $file: status $status: $(cat "$scratch/out")"
done

run 2 free
[ "$status" -eq 0 ] && [ -z "$(ls "$folder")" ] || fail "without being asked: $(ls "$folder")"
silent

# On two hosts, which have the same clock; then one of them has another one.
below=("$top/contrib/two-hosts" -n 2)
if ! said=$("${below[@]}" true 2>&1); then
    echo "on one host only: $said"
else
    run 2 free "${trace[@]}" "${operations[@]}"
    traced 2 operations
    export PER_HOST=2
    run 4 free "${trace[@]}"
    traced 4 free
    other_clock=(unshare --fork --time --monotonic 5000 --boottime 5000)
    # mpirun of Open MPI 5.0 loses its daemons in such a job.
    if [[ $(made_with OMPI_VERSION) == 4.* ]] && "${other_clock[@]}" true 2>/dev/null; then
        run 2 free "${trace[@]}" "${operations[@]}" --map-by node "$scratch/traced" free : -np 1 "${other_clock[@]}"
        traced 3 operations
    else
        echo "on hosts with the same clock only"
    fi
fi
