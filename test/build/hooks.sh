#!/bin/bash
# UCX's memory hooks are installed in MPI_Init or not at all. MPI_Init loads UCX if the user has chosen the hooks; else
# the first window that needs UCX does.
#
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck source=test/build/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

export OMPI_MCA_mca_base_component_path=$components:SYSTEM_DEFAULT:USER_DEFAULT
export OMPI_MCA_osc_ucp_kernel_copy=0 # so that a window of MPI_Win_create needs UCX
quietly "$mpicc" -O -Wall -Werror -o "$scratch/hooks" "$top/test/build/hooks.c"

# run ARGUMENT...: the program, with arguments of mpirun's.
run()
{
    run_ranks "$scratch/out" 60 "$mpirun" -np 2 --oversubscribe --mca pml ob1 "$@" "$scratch/hooks"
}

# expect EXPECTED ARGUMENT...: what the program prints.
expect()
{
    local expected=$1

    run --mca osc ucp "${@:2}"
    [ "$status" -eq 0 ] && [ "$(grep -a '^MPI_Init: ' "$scratch/out")" = "$expected" ] ||
        fail "${*:2}: status $status, not '$expected': $(cat "$scratch/out")"
}

unset UCX_MEM_EVENTS UCX_RCACHE_ENABLE UCX_MEMTYPE_CACHE
# Open MPI's own components may load UCX in MPI_Init, too, as on Debian 13.
run --mca osc ^ucp,ucx
if grep -aq '^MPI_Init: UCX' "$scratch/out"; then
    expect "MPI_Init: UCX, lean window: UCX, first window: UCX, code kept"
else
    expect "MPI_Init: no UCX, lean window: no UCX, first window: UCX, code kept"
fi
expect "MPI_Init: UCX, lean window: UCX, first window: UCX, code kept" -x UCX_MEM_EVENTS=y
expect "MPI_Init: UCX, lean window: UCX, first window: UCX, code kept" -x UCX_MEM_EVENTS=n
expect "MPI_Init: UCX, lean window: UCX, first window: UCX, code kept" -x UCX_RCACHE_ENABLE=y
