#!/bin/bash
# A process that is killed ends the job within ten seconds, whatever the others wait for, and leaves nothing behind.
#
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck source=test/build/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../build/lib.sh"

quietly "$mpicc" -O -o "$scratch/death" "$top/test/faults/death.c"
export OMPI_MCA_mca_base_component_path=$components:SYSTEM_DEFAULT:USER_DEFAULT

longest=0 deaths=0 without=()
# Does the kernel copy between processes here? Then a window of MPI_Win_create starts no UCX, and no bad UCX_TLS hurts.
copies=false
run_window "$components" --mca osc ucp --mca pml ob1 -x UCX_TLS=nonsense
case "$(lines 'window made$') $(lines 'no window, error class')" in
"2 0") copies=true ;;
"0 2") ;;
*) fail "a window of MPI_Win_create, and no UCX: $(cat "$scratch/out")" ;;
esac
# A process that becomes another program is noticed by the kernel's copies alone, where windows of one node have them.
for how in lock epoch contact free compute exec handed streamed left inside held added few; do
    transports=(node all tcp,self)
    case $how in
    exec | handed | streamed | left | inside | held | added | few)
        transports=(node)
        if ! $copies; then
            without+=("$how")
            continue
        fi ;;
    esac
    for tls in "${transports[@]}"; do
        status=0 launch=(-x "UCX_TLS=$tls" --mca osc_ucp_node 0)
        [ node != $tls ] || launch=()
        "$within" 60 "$mpirun" -np 3 --oversubscribe --mca mpi_yield_when_idle 1 --mca osc ucp "${launch[@]}" \
            "$scratch/death" $how >"$scratch/out" 2>&1 </dev/null || status=$?
        now=$(date +%s)
        died=$(sed -n 's/^died //p' "$scratch/out")
        if [ -z "$died" ] || [ "$status" -eq 0 ] || [ "$status" -eq 124 ] || [ $((now - died)) -gt "$(grown 10)" ]; then
            show "$scratch/out"
            fail "$how with UCX_TLS=$tls: status $status, $((now - ${died:-0})) seconds after the death"
        fi
        deaths=$((deaths + 1))
        longest=$((now - died > longest ? now - died : longest))
        nothing_runs "$scratch/death" "$how with UCX_TLS=$tls"
    done
done
echo "on $deaths deaths, the slowest end after $longest s$([ ${#without[@]} -eq 0 ] ||
    printf ', not where the kernel copies for nobody: %s' "${without[*]}")"
