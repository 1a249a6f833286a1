#!/bin/bash
# A browser opens a trace (contrib/trace-look), and shows a row for each rank. What is no trace, or lacks events, is
# refused.
#
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck source=test/build/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

command -v python3 >/dev/null || skip "there is no python3"
command -v chromium >/dev/null || skip "there is no chromium"
quietly "$mpicc" -O -o "$scratch/traced" "$top/test/build/trace.c"
run_ranks "$scratch/out" 60 env OMPI_MCA_mca_base_component_path="$components:SYSTEM_DEFAULT:USER_DEFAULT" "$mpirun" \
    -np 3 --oversubscribe --mca mpi_yield_when_idle 1 --mca osc ucp --mca osc_ucp_trace "$scratch/trace.json" \
    --mca osc_ucp_trace_operations 1 "$scratch/traced" free
[ "$status" -eq 0 ] || fail "status $status: $(cat "$scratch/out")"

# look TRACE: sets status; what was said is in $scratch/out.
look()
{
    status=0
    rm -f "$scratch/picture.png"
    timeout 200 "$top/contrib/trace-look" --zoom 2 "$1" "$scratch/picture.png" >"$scratch/out" 2>&1 </dev/null ||
        status=$?
}

look "$scratch/trace.json"
[ "$status" -eq 0 ] && [ "$(lines '^Chromium shows 3 ranks: ')" -eq 1 ] || fail "$(cat "$scratch/out")"
[ "$(head -c 4 "$scratch/picture.png" | tail -c 3)" = PNG ] || fail "there is no picture"

# Rank 1 has its name, but no event of a call: there is no row for it.
grep -vE '"ph":"[Xbe]","pid":1,' "$scratch/trace.json" >"$scratch/lacks.json"
look "$scratch/lacks.json"
[ "$status" -ne 0 ] && [ "$(lines "shows no \\['rank 1 on ")" -eq 1 ] && [ ! -e "$scratch/picture.png" ] ||
    fail "a rank without events: $(cat "$scratch/out")"
