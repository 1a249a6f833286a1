#!/bin/bash
# The kernel copies long puts and gets to memory of MPI_Win_create on one node; where it may not, messages do. A line
# says why such a window needs UCX.
#
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck source=test/build/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

export OMPI_MCA_mca_base_component_path=$components:SYSTEM_DEFAULT:USER_DEFAULT
quietly "$mpicc" -O -o "$scratch/kernel_copy" "$top/test/build/kernel_copy.c"

# copied COMMAND...: so many operations went by load and store, which the kernel's copies count as.
copied()
{
    run_ranks "$scratch/out" 60 "$mpirun" -np 2 --oversubscribe --mca osc ucp --mca osc_ucp_report 1 "$@"
    [ "$status" -eq 0 ] || fail "failed: $* $(show "$scratch/out")"
    grep -q 'MPI_Win_create, 2 processes' "$scratch/out" || fail "no report: $(cat "$scratch/out")"
    sed -n 's/.* load\/store *[0-9]* *\([0-9]*\) .*/\1/p' "$scratch/out" | grep . || echo 0
}

# told REASON: report and verbose line say that windows use UCX for that reason.
told()
{
    [ "$(lines "^osc/ucp:     UCX within the node: $1\$")" -eq 1 ] &&
        [ "$(lines "osc/ucp: window [0-9]* uses UCX within the node: $1\$")" -eq 2 ] ||
        fail "neither report nor verbose line say: $1: $(cat "$scratch/out")"
}

[ "$(copied --mca osc_base_verbose 10 --mca osc_ucp_kernel_copy 0 "$scratch/kernel_copy")" = 0 ] ||
    fail "copied though the parameter forbids it"
told "a parameter wants it"
[ "$(copied --mca osc_ucp_direct 0 "$scratch/kernel_copy")" = 0 ] || fail "copied though osc_ucp_direct forbids it"
if [ "$(id -u)" -eq 0 ]; then
    setpriv --bounding-set=-sys_ptrace true 2>/dev/null || skip "setpriv cannot take a capability away"
    without=(setpriv --bounding-set=-sys_ptrace)
else
    without=()
fi
[ "$(copied --mca osc_base_verbose 10 "${without[@]}" "$scratch/kernel_copy" refuse)" = 0 ] ||
    fail "copied though the kernel forbids it"
forbidden="osc/ucp: the kernel's copies between processes .process_vm_readv. are forbidden here"
[ "$(lines "^$forbidden: messages")" -eq 1 ] && [ "$(lines "$forbidden\$")" -eq 1 ] ||
    fail "neither report nor verbose line say that the kernel's copies are forbidden: $(cat "$scratch/out")"
n=$(copied "$scratch/kernel_copy")
if [ "$n" = 0 ]; then
    skip "this machine does not let processes copy from one another"
fi
[ "$n" = 8 ] || fail "8 puts and gets should have been copied by the kernel, not $n: $(cat "$scratch/out")"

# An older kernel may tear short elements: this one, as it tells such processes its version. Long ones it copies still.
if [ "$(uname -m)" = x86_64 ]; then
    [ "$(lines 'UCX within the node')" = "$(lines '^osc/ucp:     messages  *4 ')" ] ||
        fail "UCX is used, and nothing says so, or the other way round: $(cat "$scratch/out")"
    n=$(copied --mca osc_base_verbose 10 setarch --uname-2.6 "$scratch/kernel_copy")
    [ "$n" = 8 ] || fail "an older kernel should have copied 8 times, not $n: $(cat "$scratch/out")"
    told "the kernel may copy short elements in pieces: the (kernel|processor) .*"
fi
