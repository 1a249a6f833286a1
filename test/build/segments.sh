#!/bin/bash
# Windows of one node where System V segments, or room in /dev/shm, are short, or where processes do not share them:
# they use files then, or are made like windows that span nodes. All programs succeed, and nothing is left behind.
#
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck source=test/build/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

apart=(unshare --ipc --mount --propagation private)
"${apart[@]}" bash -c 'mount -t tmpfs tmpfs /dev/shm && echo 0 >/proc/sys/kernel/shmmni' 2>/dev/null ||
    skip "only root can have a /dev/shm and limits of its own"
export OMPI_MCA_mca_base_component_path=$components:SYSTEM_DEFAULT:USER_DEFAULT OMPI_MCA_mpi_yield_when_idle=1
for program in win_allocate win_shared win_lean lock_all; do
    quietly make -C "$build/test/mpi" "$(cd "$top/test/mpi" && echo */$program.c | sed 's/\.c$//')"
done

# apart SIZE SEGMENTS COMMAND: a /dev/shm of SIZE, so many System V segments, and the state of both in the end.
cat >"$scratch/run" <<'RUN'
mount -t tmpfs -o size="$1" tmpfs /dev/shm
echo "$2" >/proc/sys/kernel/shmmni
shift 2
"$within" 60 "$@" </dev/null
status=$?
ls /dev/shm | grep -v '^vader' | sed 's/^/left: /'
ipcs -m | grep '^0x' | sed 's/^/left: /'
exit $status
RUN
# A process in an IPC name space of its own.
printf '#!/bin/sh\nexec unshare --ipc "$@"\n' >"$scratch/alone"
chmod 755 "$scratch/alone"
export within

# works NAME SIZE SEGMENTS ARGUMENT...: the program that the arguments of mpirun end in succeeds.
works()
{
    local name=$1 status=0

    shift
    "${apart[@]}" bash "$scratch/run" "$1" "$2" "$mpirun" -np 3 --oversubscribe --mca osc ucp --mca pml ob1 \
        --mca osc_base_verbose 10 "${@:3}" >"$scratch/out" 2>&1 || status=$?
    if [ $status -ne 0 ] || [ "$(lines '^left:')" -ne 0 ]; then
        tail -n 30 "$scratch/out"
        fail "$name, $*: status $status, or something is left"
    fi
}

# How many windows could not have a segment, for all processes.
told()
{
    lines 'uses UCX within the node: they cannot share a segment'
}

for program in window/win_allocate window/win_shared window/win_lean sync/lock_all; do
    works "all segments" 64m 4096 "$build/test/mpi/$program"
    [ "$(told)" -eq 0 ] || fail "$program: a window has no segment: $(cat "$scratch/out")"
    works "no System V segments" 64m 0 "$build/test/mpi/$program"
    [ "$(told)" -eq 0 ] || fail "$program without System V segments: a window has none: $(cat "$scratch/out")"
done
works "few System V segments" 64m 2 "$build/test/mpi/window/win_shared"
for program in window/win_allocate window/win_shared sync/lock_all; do
    works "no segments, no room" 256k 0 --mca btl self,tcp "$build/test/mpi/$program"
    works "IPC name spaces" 64m 4096 --mca btl self,tcp "$scratch/alone" "$build/test/mpi/$program"
    [ "$(told)" -eq 0 ] || fail "$program: processes that share only files use none: $(cat "$scratch/out")"
done
# shellcheck disable=SC2016  # it is for the inner shell
works "nothing to share" 64m 4096 --mca btl self,tcp "$scratch/alone" unshare --mount --propagation private \
    bash -c 'mount -t tmpfs tmpfs /dev/shm && exec "$0"' "$build/test/mpi/window/win_allocate"
[ "$(told)" -gt 0 ] || fail "a window has a segment that its processes cannot share: $(cat "$scratch/out")"
