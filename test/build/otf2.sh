#!/bin/bash
# osc_ucp_otf2 makes an OTF2 archive of a trace: otf2-print reads back as many calls, operations and locks as the trace
# has, at the same times. What is no trace is refused.
#
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck source=test/build/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

[ -n "$(made_with OTF2_PROGRAM)" ] || skip "osc_ucp_otf2 was not built: $(made_with OTF2_LACKS)"
command -v otf2-print >/dev/null || skip "there is no otf2-print (on Debian, apt install otf2-tools)"
command -v python3 >/dev/null || skip "there is no python3"
program=$(made_with status_bindir)/osc_ucp_otf2
trace=$scratch/trace.json

# archive NAME FILE...: make it, and print it to $scratch/NAME.txt.
archive()
{
    quietly "$program" "${@:2}" "$scratch/$1"
    otf2-print "$scratch/$1/traces.otf2" >"$scratch/$1.txt" 2>&1 || fail "otf2-print: $(tail "$scratch/$1.txt")"
}

quietly "$mpicc" -O -o "$scratch/traced" "$top/test/build/trace.c"
run_ranks "$scratch/out" 60 env OMPI_MCA_mca_base_component_path="$components:SYSTEM_DEFAULT:USER_DEFAULT" "$mpirun" \
    -np 3 --oversubscribe --mca mpi_yield_when_idle 1 --mca osc ucp --mca osc_ucp_trace "$trace" \
    --mca osc_ucp_trace_operations 1 "$scratch/traced" free
[ "$status" -eq 0 ] || fail "status $status: $(cat "$scratch/out")"
archive whole "$trace"
grep -q 'lacks' "$scratch/log" && fail "the whole trace lacks something: $(cat "$scratch/log")"
quietly python3 "$top/test/build/otf2.py" "$trace" "$scratch/whole.txt"

# The same by contrib/trace-join, whose JSON looks otherwise; and from files of single ranks, which end within a line.
"$top/contrib/trace-join" "$trace" >"$scratch/joined.json"
archive joined "$scratch/joined.json"
cmp "$scratch/whole.txt" "$scratch/joined.txt" || fail "trace-join makes a difference"
for rank in 0 1 2; do
    (echo "[" && grep "\"pid\":$rank," "$trace" && printf ',{"ts":   12.3') >"$trace.$rank"
done
archive parts "$trace".[012]
grep -q 'how many events the trace lacks is not known$' "$scratch/log" || fail "files of ranks: $(cat "$scratch/log")"
cmp "$scratch/whole.txt" "$scratch/parts.txt" || fail "files of single ranks make a difference"
sed 's/"dropped":[^}]*/"dropped": null/' "$trace" >"$scratch/null.json"
archive null "$scratch/null.json"
grep -q 'how many events the trace lacks is not known$' "$scratch/log" || fail "null: $(cat "$scratch/log")"

# A lock, a flush and an operation whose target is of another job, or MPI_PROC_NULL, are regions alone: they lock
# nobody, and complete nothing of others.
(
    echo "["
    printf ',{"ts":%s,"ph":"X","pid":0,"tid":0,"name":"%s","dur":0.1,"args":{"window":"w","id":"0.1",%s}}\n' \
        1 MPI_Put '"target":0' 2 MPI_Win_lock '"member":2' 3 MPI_Put '"member":2' 4 MPI_Win_flush '"member":2' \
        5 MPI_Win_unlock '"member":2' 6 MPI_Win_lock '"lock":"shared"' 7 MPI_Win_unlock '"bytes":0'
) >"$scratch/foreign.json"
archive foreign "$scratch/foreign.json"
[ "$(grep -c '^ENTER' "$scratch/foreign.txt")" -eq 7 ] && [ "$(grep -c '^RMA_' "$scratch/foreign.txt")" -eq 1 ] ||
    fail "targets that are not in the trace: $(cat "$scratch/foreign.txt")"

# refused STATUS PATTERN ARGUMENT...: one line says why.
refused()
{
    status=0
    "$program" "${@:3}" >"$scratch/out" 2>&1 || status=$?
    [ "$status" -eq "$1" ] && [ "$(lines '')" -eq 1 ] && [ "$(lines "^osc_ucp_otf2: $2")" -eq 1 ] ||
        fail "${*:3}: status $status: $(cat "$scratch/out")"
}

refused 1 '.*whole exists already' "$trace" "$scratch/whole"
refused 1 '.*none: No such file or directory' "$scratch/none" "$scratch/new"
refused 1 '.*otf2.sh: line 1 is not of a trace that osc_ucp_trace has written' "${BASH_SOURCE[0]}" "$scratch/new"
refused 1 '/dev/null: there is no process in it' /dev/null "$scratch/new"
refused 2 'a trace and a folder are needed' "$trace"
[ ! -e "$scratch/new" ] || fail "a folder was left"
[ "$("$program" --version)" = "osc_ucp_otf2 $(made_with VERSION)" ] || fail "another version"
