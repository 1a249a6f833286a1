#!/bin/bash
# In containers as they are by default every program with windows works: 64 MiB in /dev/shm, 64 KiB that may be locked,
# name spaces of their own, and few rights. So it does without System V segments, and with nearly no shared memory.
#
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck source=test/build/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

few=(win_create put_get lock_all)
many=("${few[@]}" win_shared win_dynamic requests acc_types fence pscw lock_exclusive)

apart=(unshare --ipc --mount --pid --fork --kill-child --propagation private)
if unshare --user --map-root-user true 2>/dev/null; then
    apart+=(--user --map-root-user)
fi
quietly make -C "$build" mpi-tests
for program in container shared_room; do
    quietly "$mpicc" -O -o "$scratch/$program" "$top/test/build/$program.c"
done
cat >"$scratch/inside" <<'INSIDE'
mount -t proc proc /proc && mount -t tmpfs -o size="$1" tmpfs /dev/shm || exit 77
ulimit -l 64
shift
exec "$@"
INSIDE
said=$("${apart[@]}" bash "$scratch/inside" 64m "$scratch/container" true 2>&1) ||
    skip "this machine allows no container: $(tail -n 1 <<<"$said")"
# A container has files of its own, too: Open MPI's folders are named after pids, which are the same in all of them.
export TMPDIR=$scratch/tmp
mkdir "$TMPDIR"
export OMPI_MCA_mca_base_component_path=$components:SYSTEM_DEFAULT:USER_DEFAULT OMPI_MCA_mpi_yield_when_idle=1

# contained SIZE PROCESSES OPTION... PROGRAM ARGUMENT...: run it under mpirun, with so much memory in /dev/shm. "rights"
# are options of container. Sets status, and leaves what was printed in $scratch/out.
contained()
{
    local size=$1 np=$2

    shift 2
    status=0
    "${apart[@]}" bash "$scratch/inside" "$size" "$scratch/container" "${rights[@]}" timeout -k 5 120 "$mpirun" \
        -np "$np" --oversubscribe --mca osc ucp "$@" >"$scratch/out" 2>&1 </dev/null || status=$?
}

expect_success()
{
    if [ $status -ne 0 ] || [ "$(lines 'osc/ucp')" -ne 0 ]; then
        tail -n 30 "$scratch/out"
        fail "$*: status $status; it should succeed, and nothing be said"
    fi
}

rights=()
for program in "${many[@]}"; do
    contained 64m 16 "$build"/test/mpi/*/"$program"
    expect_success "$program with 16 processes"
done
for program in "${few[@]}"; do
    contained 64m 8 "$build"/test/mpi/*/"$program"
    expect_success "$program with 8 processes"
done
for windows in "3 30" "1 100"; do
    # shellcheck disable=SC2086  # two words
    contained 64m 4 "$scratch/shared_room" $windows
    expect_success "shared windows (number, MiB): $windows"
done
for tls in sm,self posix,self; do
    contained 64m 8 -x UCX_TLS=$tls "$build/test/mpi/sync/lock_all"
    expect_success "lock_all over $tls"
done

rights=(--no-sysv)
for size in 64m 1m; do
    for program in win_shared lock_all; do
        contained $size 8 "$build"/test/mpi/*/$program
        expect_success "$program without System V segments, $size"
    done
done

# Asked, it says what it does without, and in the end what is short.
contained 64m 2 --mca osc_base_verbose 10 --mca osc_ucp_node 0 -x UCX_TLS=^tcp "$build/test/mpi/sync/lock_all"
[ $status -eq 0 ] && [ "$(lines 'shared memory is short .*\^sysv')" -eq 2 ] || {
    cat "$scratch/out"
    fail "each process should say that it does without sysv"
}
contained 1m 2 --mca btl self,tcp --mca osc_ucp_node 0 -x UCX_TLS=sm,self "$build/test/mpi/sync/lock_all"
# UCX 1.18 starts with the transports that are left, and says itself that none leads to the other process.
[ $status -ne 0 ] && [ "$(lines 'cannot create a window.* MiB are left in /dev/shm|UCX.*unreachable')" -ge 1 ] || {
    cat "$scratch/out"
    fail "without any shared memory and network, a line should say what is short"
}
