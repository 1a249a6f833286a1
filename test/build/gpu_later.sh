#!/bin/bash
# A program may load a library for GPUs between two windows. Windows of one node that follow need UCX, which knows such
# memory.
#
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck source=test/build/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

export OMPI_MCA_mca_base_component_path=$components:SYSTEM_DEFAULT:USER_DEFAULT
quietly "$mpicc" -O -Wall -Werror -o "$scratch/gpu_later" "$top/test/build/gpu_later.c" -ldl
echo 'extern int nothing; int nothing;' >"$scratch/empty.c"
quietly "$mpicc" -shared -fPIC -o "$scratch/libcuda.so.1" "$scratch/empty.c"

printed=$("$within" 60 "$mpirun" -np 2 --oversubscribe --mca osc ucp --mca pml ob1 "$scratch/gpu_later" \
    "$scratch/libcuda.so.1" 2>"$scratch/err" </dev/null) || fail "status $?: $printed $(cat "$scratch/err")"
case $printed in
"MPI_Init: UCX"*) skip "this Open MPI loads UCX in MPI_Init" ;;
"MPI_Init: no UCX, windows: no UCX, no UCX, and later: UCX") ;;
*) fail "$printed" ;;
esac
