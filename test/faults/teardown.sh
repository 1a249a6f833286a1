#!/bin/bash
# Programs that end with windows open, locked, in use or after an error do end, and leave nothing behind.
#
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck source=test/build/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../build/lib.sh"

quietly "$mpicc" -O -o "$scratch/teardown" "$top/test/faults/teardown.c"
export OMPI_MCA_mca_base_component_path=$components:SYSTEM_DEFAULT:USER_DEFAULT

# In an IPC name space and with a /dev/shm of their own, if that can be had: then what is left is ours.
apart=(unshare --ipc --mount --propagation private)
"${apart[@]}" mount -t tmpfs tmpfs /dev/shm 2>/dev/null || apart=()

export within
cat >"$scratch/run" <<'RUN'
apart=$1
shift
[ -z "$apart" ] || mount -t tmpfs tmpfs /dev/shm
"$within" -r 60 "$@" </dev/null
status=$?
if [ -n "$apart" ]; then
    ls /dev/shm | grep -v '^vader' >&3
    ipcs -m | grep '^0x' >&3
fi
exit $status
RUN

for how in open outstanding locked posted error busy load; do
    for setup in all tcp rdma; do
        case $setup in
        all) launch=(-x UCX_TLS=all) ;;
        tcp) launch=(-x "UCX_TLS=tcp,self" -x UCX_NET_DEVICES=lo --mca osc_ucp_direct 0) ;;
        rdma) launch=(-x "UCX_TLS=sm,self" --mca osc_ucp_direct 0 --mca osc_ucp_rdma always) ;;
        esac
        for times in 1 ${FULL:+2 3}; do
            status=0
            "${apart[@]}" bash "$scratch/run" "${apart[*]}" "$mpirun" -np 2 --oversubscribe \
                --mca mpi_yield_when_idle 1 --mca osc ucp "${launch[@]}" "$scratch/teardown" $how \
                >"$scratch/out" 2>&1 3>"$scratch/left" || status=$?
            [ "$status" -eq 0 ] || {
                show "$scratch/out"
                fail "$how over $setup, time $times: exit status $status"
            }
            [ ! -s "$scratch/left" ] || fail "$how over $setup leaves behind: $(cat "$scratch/left")"
            nothing_runs "$scratch/teardown" "$how over $setup"
        done
    done
done
[ ${#apart[@]} -gt 0 ] || echo "on this machine's /dev/shm, so that nobody saw what is left there: only root can"
