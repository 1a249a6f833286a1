#!/bin/bash
# --mca osc_ucp_report 2 names each disease of contrib/pathologies, with the rank and the call, and advises nothing for
# its cured twin. The same beside programs that leave it little of a processor.
#
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck source=test/build/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

quietly "$mpicc" -O2 -include "$top/test/mpi/lib/ended.h" -o "$scratch/pathologies" \
    "$top/contrib/pathologies/pathologies.c"

bound=() binding=() spinners=()

# report DISEASE sick|cured: what is printed is in $scratch/out.
report()
{
    run_ranks "$scratch/out" 60 "${bound[@]}" env \
        OMPI_MCA_mca_base_component_path="$components:SYSTEM_DEFAULT:USER_DEFAULT" \
        "$mpirun" -np 2 --oversubscribe "${binding[@]}" --mca osc ucp --mca osc_ucp_report 2 \
        "$scratch/pathologies" "$1" "$2"
    [ "$status" -eq 0 ] || fail "$1 $2: status $status: $(cat "$scratch/out")"
}

# advised PATTERN: does the report give this advice?
advised()
{
    [ "$(lines "^osc/ucp:     advice: $1.* \(up to [0-9]+\.[0-9]+ s\)$")" -ge 1 ]
}

# sick NAME ADVICE [LINE], cured NAME: is the report of one run as it has to be?
sick()
{
    report "$1" sick
    advised "$2" && { [ -z "${3-}" ] || [ "$(lines "^osc/ucp:  .*$3")" -ge 1 ]; }
}

cured()
{
    report "$1" cured
    [ "$(lines '^osc/ucp:     time by cause')" -ge 1 ] || fail "$1 cured: no report: $(cat "$scratch/out")"
    # That others take the processors is no disease of the program.
    ! grep 'advice:' "$scratch/out" | grep -qv 'had no processor'
}

# often RIGHT WRONG COMMAND...: it succeeds in so many runs before it fails in so many.
often()
{
    local enough=$1 most=$2 right=0 wrong=0

    shift 2
    while [ $right -lt "$enough" ]; do
        if "$@"; then
            right=$((right + 1))
        else
            wrong=$((wrong + 1))
            [ $wrong -lt "$most" ] || fail "$*: wrong, $wrong of $((right + wrong)) times: $(cat "$scratch/out")"
        fi
    done
}

# disease NAME ADVICE [LINE]: the sick program gets the advice, and has a line that matches; the cured one gets no
# advice. On a busy machine any process may truly come late, also of the cured program: false advice comes in each run.
disease()
{
    often 3 3 sick "$@"
    often 2 6 cured "$1"
}

# The same of what is counted, and not timed: one run tells.
counted()
{
    often 1 1 sick "$@"
    often 1 6 cured "$1"
}

disease late_fence "rank 1 comes late to MPI_Win_fence" "waited for, late fence: rank 1 "
disease long_lock "rank 1 holds a lock for long, and others wait for it in MPI_Win_lock" \
    "MPI_Win_lock +120 calls .*the lock's holder"
disease late_post "rank 1 calls MPI_Win_post late, and others wait for it in MPI_Win_start" \
    "MPI_Win_start +60 calls .*late post"
disease late_complete "rank 1 calls MPI_Win_complete late, and others wait for it in MPI_Win_wait" \
    "MPI_Win_wait +60 calls .*late complete"
counted lock_each "MPI_Win_lock and MPI_Win_unlock enclose a single operation, 400000 times"
counted idle_fence "MPI_Win_fence has operations of no process before or after it, 19800 times"
counted element_gets "MPI_Get fetches from one target piece by piece" "sizes of gets: from 8 B 163[0-9]{4}$"
counted element_accumulates "MPI_Accumulate updates one target element by element" \
    "sizes of accumulates: from 8 B 163[0-9]{4}$"
counted scattered_type "derived datatypes of 2048 pieces of 8 bytes" "pieces of a put: from 2Ki (19[0-9]{3}|20000)$"
counted own_memory "MPI_Win_create gives memory that other processes of the node cannot map" \
    "no load/store for 2 pairs: "

# Beside busy programs on one processor every process comes late, and that is not the program's fault.
crowd()
{
    bound=(taskset -c "$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')")
    binding=(--bind-to none)
    for _ in 1 2 3 4; do
        "${bound[@]}" bash -c "while kill -0 $$ 2>/dev/null; do :; done" &
        spinners+=($!)
    done
}

crowd
disease late_fence "rank 1 comes late to MPI_Win_fence"
disease long_lock "rank 1 holds a lock for long"
disease late_post "rank 1 calls MPI_Win_post late"
disease late_complete "rank 1 calls MPI_Win_complete late"
kill "${spinners[@]}"
