#!/bin/bash
# With osc_ucp_survive and an mpirun that goes on, the others do when a process is killed: within ten seconds each
# is told by an MPI error, one line says who has died, other windows work, and nothing is left behind (survive.c).
# What happens without is death.sh's. With MOST only some are killed: in calls, outside of them, on two hosts.
#
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck source=test/build/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../build/lib.sh"

quietly "$mpicc" -O -rdynamic -o "$scratch/survive" "$top/test/faults/survive.c"
export OMPI_MCA_mca_base_component_path=$components:SYSTEM_DEFAULT:USER_DEFAULT
case $(made_with OMPI_VERSION) in
4.*) options=(--enable-recovery) ;;
*) options=(--with-ft ulfm) ;;
esac
options+=(--mca osc ucp --mca osc_ucp_survive 1)
one=("$mpirun" -np 4 --oversubscribe --mca mpi_yield_when_idle 1)
tcp=(env UCX_TLS=tcp,self OMPI_MCA_osc_ucp_node=0)
# UCX 1.20 does not connect by lo (docs/upstream.md).
case $(pkg-config --modversion ucx 2>/dev/null) in
1.20.*) ;;
*) tcp+=(UCX_NET_DEVICES=lo) ;;
esac
tcp+=("${one[@]}" --mca pml ob1)
two=(env PER_HOST=2 "$top/contrib/two-hosts" "$mpirun" -np 4)
tried=0 longest=0

# Wait for what is running as $1 until all are told, and end it: mpirun of Open MPI 4.1 does not end by itself when all
# processes have, on several hosts, and one was killed.
wait_and_end()
{
    until [ "$(lines '^survived: ')" -eq 3 ] || ! kill -0 "$1" 2>/dev/null; do
        sleep 0.1
    done
    sleep 0.5
    kill -TERM "$1" 2>/dev/null || true
}

# Kill a process in a case and with the options "$@" of survive.c, by the command line that "$1" names.
try()
{
    local -n run=$1
    local seconds

    SECONDS=0
    : >"$scratch/out"
    "$within" 60 "${run[@]}" "${options[@]}" "$scratch/survive" "${@:2}" >>"$scratch/out" 2>&1 </dev/null &
    wait_and_end $!
    wait $! || true
    if [ "$(lines '^survived: ')" -ne 3 ] || [ "$(lines 'osc/ucp')" -ne 1 ] ||
        [ "$(lines 'osc/ucp: .* rank 1 .*has died')" -ne 1 ]; then
        show "$scratch/out"
        fail "${*:2} on $1, after $SECONDS s"
    fi
    seconds=$(sed -n 's/^survived: .* after \(.*\) s$/\1/p' "$scratch/out" | sort -n | tail -n 1)
    [ "${seconds%.*}" -lt "$(grown 10)" ] || fail "${*:2} on $1: told after $seconds s"
    longest=$(printf '%s\n' "$longest" "$seconds" | sort -n | tail -n 1)
    tried=$((tried + 1))
    nothing_runs "$scratch/survive" "${*:2} on $1"
}

if [ -n "${MOST-}" ]; then
    calls=(lock compute) threaded=(fence) refused=(1) apart=(many)
else
    calls=(lock epoch contact free fence many pscw request compute) threaded=(lock epoch fence many request)
    refused=(1 2 3) apart=(lock epoch contact free fence many)
fi
for how in "${calls[@]}"; do
    try one "$how"
done
for how in "${threaded[@]}"; do
    try one "$how" threads
done
for _ in "${refused[@]}"; do
    try tcp refused
done
if said=$("$top/contrib/two-hosts" true 2>&1); then
    for how in "${apart[@]}"; do
        try two "$how"
    done
fi
echo "$tried deaths survived, the slowest process was told after $longest s${said:+ (on one host only: $said)}"
