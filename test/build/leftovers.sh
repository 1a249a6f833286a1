#!/bin/bash
# Windows leave no shared memory behind: neither at the normal end nor when a process is killed.
#
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck source=test/build/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# In an IPC name space and with a /dev/shm of their own, so that nobody else's memory is seen.
apart=(unshare --ipc --mount --propagation private)
"${apart[@]}" mount -t tmpfs tmpfs /dev/shm 2>/dev/null || skip "only root can make a /dev/shm of its own"
export OMPI_MCA_mca_base_component_path=$components:SYSTEM_DEFAULT:USER_DEFAULT
quietly "$mpicc" -O -o "$scratch/leftovers" "$top/test/build/leftovers.c"

# Open MPI's own segments (vader) are not ours to remove.
export within
cat >"$scratch/run" <<'RUN'
mount -t tmpfs tmpfs /dev/shm
"$within" 60 "$@" >/dev/null 2>&1 </dev/null
status=$?
sleep 0.5
ls /dev/shm | grep -v '^vader'
ipcs -m | grep '^0x'
exit $status
RUN

for how in end kill; do
    for tls in all sm,self posix,self; do
        status=0
        left=$("${apart[@]}" bash "$scratch/run" "$mpirun" -np 2 --oversubscribe --mca osc ucp -x UCX_TLS=$tls \
            "$scratch/leftovers" $how) || status=$?
        [ -z "$left" ] || fail "left behind after $how with UCX_TLS=$tls: $left"
        [ $how = kill ] || [ "$status" -eq 0 ] || fail "the program failed: $status"
        [ $how = end ] || [ "$status" -ne 0 ] || fail "nobody was killed"
    done
done
