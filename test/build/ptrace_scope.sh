#!/bin/bash
# Where Yama restricts ptrace (ptrace_scope 1), a process itself permits the kernel's copies, without Open MPI's help;
# not if a parameter switches them off.
#
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck source=test/build/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

export OMPI_MCA_mca_base_component_path=$components:SYSTEM_DEFAULT:USER_DEFAULT
# Open MPI's own copies would permit ours, as well.
alone=(--mca osc ucp --mca btl_vader_single_copy_mechanism none --mca btl_sm_single_copy_mechanism none --mca smsc ^cma
    --mca pml ob1)
quietly "$mpicc" -O -o "$scratch/kernel_copy" "$top/test/build/kernel_copy.c"

# permitted ARGUMENTS...: so many processes have permitted the copies.
permitted()
{
    rm -f "$scratch"/calls*
    run_ranks "$scratch/out" 60 "$mpirun" -np 2 --oversubscribe "${alone[@]}" "$@" \
        strace -ff -e trace=prctl -o "$scratch/calls" "$scratch/kernel_copy"
    [ "$status" -eq 0 ] || fail "failed: $* $(show "$scratch/out")"
    grep -l 'PR_SET_PTRACER, PR_SET_PTRACER_ANY' "$scratch"/calls* | wc -l
}

command -v strace >/dev/null || skip "there is no strace"
strace -o /dev/null true 2>/dev/null || skip "strace may not trace here"
[ "$(permitted --mca osc_ucp_kernel_copy 0)" = 0 ] || fail "permitted though the parameter forbids the copies"
[ "$(permitted)" = 2 ] || fail "a process has not permitted the copies: $(cat "$scratch"/calls*)"

scope=/proc/sys/kernel/yama/ptrace_scope
[ -e $scope ] || skip "permitted, but this kernel has no Yama ($scope)"
[ "$(cat $scope)" = 1 ] || skip "permitted, but $scope is not 1: whether that helps was not seen"
without=()
if [ "$(id -u)" -eq 0 ]; then
    setpriv --bounding-set=-sys_ptrace true 2>/dev/null || skip "setpriv cannot take a capability away"
    without=(setpriv --bounding-set=-sys_ptrace)
fi
run_ranks "$scratch/out" 60 "$mpirun" -np 2 --oversubscribe "${alone[@]}" --mca osc_base_verbose 10 "${without[@]}" \
    "$scratch/kernel_copy"
[ "$status" -eq 0 ] || fail "failed: $(show "$scratch/out")"
[ "$(lines 'process_vm_readv. are forbidden here')" -eq 0 ] || fail "Yama forbids the copies: $(cat "$scratch/out")"
