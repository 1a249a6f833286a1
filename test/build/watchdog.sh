#!/bin/bash
# --mca osc_ucp_watchdog SECONDS names those for whom a process waits for longer, and prints nothing otherwise.
#
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck source=test/build/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

quietly "$mpicc" -O -DWITH_EXT -I"$top/ext" -o "$scratch/watched" "$top/test/build/watchdog.c" -L"$build/ext/.libs" \
    -Wl,-rpath,"$build/ext/.libs" -losc_ucp_ext

# run CASE KIND SECONDS [OPTION...]: test/build/watchdog.c with 3 processes, or as many as "processes" says, by "below".
# The output is in $scratch/out.
run()
{
    run_ranks "$scratch/out" 60 "${below[@]}" env OMPI_MCA_mca_base_component_path="$path" "$mpirun" \
        -np "${processes:-3}" --oversubscribe --mca mpi_yield_when_idle 1 --mca osc ucp "${@:4}" \
        "${program:-$scratch/watched}" "$1" "$2" "$3"
}

# A graph must have a line that matches each of the patterns "$@". There may be others, of moments before and after.
# Status 1: there was none, and "last" says that this will be tried again.
last=true
printed()
{
    local graphs number pattern

    graphs=$(lines '^osc/ucp: who waits for whom:$')
    [ "$graphs" -le 3 ] || fail "printed again and again: $(cat "$scratch/out")"
    for ((number = 1; number <= graphs; number++)); do
        awk -v number="$number" '/^osc\/ucp: who waits/ { n++ } n == number' "$scratch/out" >"$scratch/graph"
        for pattern in "$@"; do
            grep -qE -- "^osc/ucp:   $pattern\$" "$scratch/graph" || continue 2
        done
        return
    done
    if [ "$last" = false ] && [ "$(lines 'egmentation|Assertion|Sanitizer')" -eq 0 ]; then
        return 1
    fi
    fail "no graph with $*: $(cat "$scratch/out")"
}

# The case $1 with windows of kind $2; the rest goes to mpirun. On a busy machine the first time may not be enough.
case_of()
{
    if [ "$(grown 10)" -lt 20 ]; then # less than one thread for each processor
        try_case "$time" "$@"
    else
        last=false try_case "$time" "$@" || last=true try_case $((5 * time)) "$@"
    fi
}

# The same, with $1 seconds.
try_case()
{
    local time=$1
    shift
    local ago='since [0-9.]+ s' on="on window 'halo'" computes

    computes="rank 2 computes, or is in other calls, $ago \(last MPI call on a window:"
    run "$1" "$2" "$time" --mca osc_ucp_watchdog 1 "${@:3}"
    case $1 in
    deadlock)
        printed "rank 0 waits in MPI_.* $on $ago, for the lock of rank 1, held exclusively by rank 1 $ago" \
            "a cycle, in which nobody can go on: .*rank 0 -> rank 1.*" ;;
    held)
        printed "rank [01] waits in MPI_.* $on $ago, for the lock of rank 0, held exclusively by rank 2 $ago" \
            "$computes MPI_Win_flush\)" "all of them wait for rank 2" ;;
    fence)
        printed "rank [01] waits in MPI_Win_fence $on $ago, for rank 2" "$computes MPI_Win_fence\)" \
            "all of them wait for rank 2" ;;
    post)
        printed "rank 0 waits in MPI_Win_start $on $ago, for MPI_Win_post of rank 2" \
            "rank 2 has made no call on a window yet" "all of them wait for rank 2" ;;
    complete)
        printed "rank 0 waits in MPI_Win_wait $on $ago, for MPI_Win_complete of rank 2" \
            "$computes MPI_Win_start\)" "all of them wait for rank 2" ;;
    flush)
        printed "rank [01] waits in MPI_.* $on $ago, for .*rank 2" "all of them wait for rank 2" \
            "rank 2 (is stopped, and SIGCONT|does not answer).*" ;;
    unequal)
        printed "rank [01] waits in MPI_Win_free on window [0-9]+ $ago, for rank 2" \
            "rank 2 computes, .* MPI_Win_free\); it has freed that window, and has called MPI_Win_fence less often" ;;
    renumbered)
        printed "rank [01] waits in MPIX_Win_set_num_notify $on $ago, for rank 2" \
            "rank 2 .*; it has freed that window, and has called MPIX_Win_set_num_notify less often" ;;
    free)
        printed "rank [01] waits in MPI_Win_free $on $ago, for rank 2" "rank 2 has made no call on a window yet" ;;
    esac
}

below=() time=3 path=$components:SYSTEM_DEFAULT:USER_DEFAULT
for name in deadlock held fence unequal renumbered post complete flush free; do
    case_of $name allocate
    case_of $name allocate --mca osc_ucp_direct 0
done
case_of held allocate --mca osc_ucp_node 0
case_of deadlock create
case_of flush create
case_of fence shared

# A stopped process is known as such whatever its program's name is.
cp "$scratch/watched" "$scratch/w) atched"
program="$scratch/w) atched" run flush allocate "$(grown 3)" --mca osc_ucp_watchdog 1
printed "rank 2 is stopped, and SIGCONT .*"

# More than are printed: the one that makes them wait is among those.
processes=30 run fence allocate "$(grown 6)" --mca osc_ucp_watchdog 2
printed "rank [0-9]+ waits in MPI_Win_fence .*, for rank 29" "rank 29 computes, or is in other calls.*" \
    "all of them wait for rank 29"

case $(made_with OMPI_VERSION) in
4.*) goes_on=(--enable-recovery) ;;
*) goes_on=(--with-ft ulfm) ;;
esac
run death create 0 --mca osc_ucp_watchdog 1 "${goes_on[@]}" --mca osc_ucp_survive 1
[ "$(lines 'is lost')" -eq 1 ] && [ "$(lines 'egmentation')" -eq 0 ] || fail "a lost window: $(cat "$scratch/out")"

run demand allocate "$(grown 3)" --mca osc_ucp_watchdog_signal 10
printed "rank [01] waits in MPI_Win_lock .*, held exclusively by rank 2 since [0-9.]+ s" "all of them wait for rank 2"

run fence allocate 1 --mca osc_ucp_watchdog 30
[ ! -s "$scratch/out" ] || fail "printed for a wait that is short: $(cat "$scratch/out")"
run fence allocate 2
[ ! -s "$scratch/out" ] || fail "printed without being asked: $(cat "$scratch/out")"

below=("$top/contrib/two-hosts" -n 3) time=5
if ! said=$("${below[@]}" true 2>&1); then
    echo "on one host only: $said"
else
    for name in deadlock held fence post complete flush free; do
        case_of $name allocate
    done
fi
