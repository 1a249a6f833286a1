#!/bin/bash
# Makes every call of the component fail in turn, on either of two processes, and checks the outcome (faults.c).
#
# SPDX-License-Identifier: BSD-3-Clause
#
# usage: faults.sh [--full] [--table FILE]
#   --full         also the calls of a process's first window, with a start of the job for each point (or FULL=1)
#   --table FILE   write the points and their outcomes to FILE (docs/faults.md)
#
# shellcheck source=test/build/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../build/lib.sh"

full=${FULL:-} table=
while [ $# -gt 0 ]; do
    case $1 in
    --full) full=1 ;;
    --table) table=$(realpath "$2") && shift ;;
    *) fail "usage: faults.sh [--full] [--table FILE]" ;;
    esac
    shift
done

here=$top/test/faults
read -ra ucx <<<"$(made_with UCX_CPPFLAGS) $(made_with UCX_LIBS)"
read -ra ompi <<<"$("$mpicc" --showme:link)"
quietly "$mpicc" -O -g -D_GNU_SOURCE -fPIC -shared -Wl,--no-as-needed -o "$scratch/inject.so" \
    "$here/inject.c" "$here/inject_ucx.c" "${ompi[@]}" -lopen-pal "${ucx[@]}"
quietly "$mpicc" -O -g -o "$scratch/faults" "$here/faults.c" -ldl
export OMPI_MCA_mca_base_component_path=$components:SYSTEM_DEFAULT:USER_DEFAULT

# Run faults with arguments "$@" in set-up $setup, at most $1 seconds; UCX's calls fail as $how says.
inject()
{
    local launch=() seconds=$1

    shift
    case $setup in
    node) ;;
    shm) launch=(-x "UCX_TLS=sm,self" --mca osc_ucp_node 0) ;;
    tcp) launch=(-x "UCX_TLS=tcp,self" -x UCX_NET_DEVICES=lo --mca osc_ucp_node 0) ;;
    rdma)
        launch=(-x "UCX_TLS=sm,self" --mca osc_ucp_direct 0 --mca osc_ucp_rdma always
            --mca osc_ucp_atomic_domain nic) ;;
    esac
    run_ranks "$scratch/out" "$seconds" "$mpirun" -np 2 --oversubscribe --mca mpi_yield_when_idle 1 --mca osc ucp \
        --mca pml ob1 "${launch[@]}" -x LD_PRELOAD="$scratch/inject.so" "$scratch/faults" "$@"
    [ "$status" -eq 0 ] || {
        echo "set-up $setup, faults $*:"
        grep -v '^POINT' "$scratch/out" | head -n 200
        fail "exit status $status"
    }
    sed -n "s/^POINT/$how/p" "$scratch/out" >>"$scratch/points"
}

: >"$scratch/points"
for setup in node tcp shm rdma; do
    for rank in 0 1; do
        for how in memory broken; do
            before=$(wc -l <"$scratch/points")
            inject 250 again all $rank $how
            [ $(($(wc -l <"$scratch/points") - before)) -ge 20 ] ||
                fail "set-up $setup, rank $rank, $how: hardly a call was made to fail: $(tail -n 20 "$scratch/out")"
        done
    done
done
if [ -n "$full" ]; then
    how=memory
    for setup in node tcp shm; do
        for flavor in create allocate shared dynamic; do
            for at in {1..200}; do
                before=$(wc -l <"$scratch/points")
                inject 60 first $flavor $((at % 2)) "$at" construct
                [ "$(wc -l <"$scratch/points")" -gt "$before" ] || break
            done
        done
        for case in put_small fence; do # first contact
            for at in {1..40}; do
                inject 60 first create $((at % 2)) $(((at + 1) / 2)) $case
            done
        done
    done
fi

# Print what is at offset $1 of the component: the innermost function and its file, with the floor's folder.
place()
{
    addr2line -f -i -e "$components/mca_osc_ucp.so" "$(printf '%#x' $(($1 - 1)))" | awk '
        NR == 1 { name = $1 }
        NR == 2 { if (!sub(".*/ompi/mca/osc/ucp/", "")) { sub(".*/", "") } sub(":.*", ""); file = $0 }
        END { print name " (" file ")" }'
}

if [ -n "$table" ]; then
    while read -r offset; do
        echo "$offset $(place "$offset")"
    done < <(awk '{ print $6 }' "$scratch/points" | sort -u) >"$scratch/places"
    {
        echo "# Injected faults and their outcomes"
        echo
        echo "\`test/faults/faults.sh --full --table docs/faults.md\` writes this page. The test makes calls of the"
        echo "component fail: each call that can fail, once, on one of two processes, in each case of"
        echo "\`test/faults/faults.c\` that reaches it. The cases cover windows of all flavours, all operations and all"
        echo "synchronization calls. They run over shared memory, over tcp, and over UCX's shared memory in place of a"
        echo "network with RDMA."
        echo
        echo "*works* means that the MPI call succeeds all the same, by another way or at a second try, and that the"
        echo "data are right. An error is what MPI returns on the process that must know, or on both when a window is"
        echo "made. After no fault does a process hang, lose memory, or find that a window no longer works."
        echo
        echo "Calls of UCX fail for lack of memory, and in other runs because a connection is reset. All other calls"
        echo "fail in the same way in both. [protocol.md](protocol.md#when-a-process-dies) says what becomes of the"
        echo "others when a process dies. \`test/faults/death.sh\` and \`test/faults/survive.sh\` test that."
        echo
        echo "| the call that fails | in | times | outcome | times, with UCX's connection reset | outcome |"
        echo "|---|---|---|---|---|---|"
        awk 'NR == FNR { at = $1; sub("^[^ ]* ", ""); place[at] = $0; next }
            {
                key = $5 " | " place[$6]
                keys[key]
                times[key, $1]++
                if (!seen[key, $1, $7]++) {
                    outcomes[key, $1] = outcomes[key, $1] (outcomes[key, $1] == "" ? "" : ", ") $7
                }
            }
            function column(key, how) { return " | " times[key, how] + 0 " | " outcomes[key, how] }
            END { for (key in keys) { print "| " key column(key, "memory") column(key, "broken") " |" } }' \
            "$scratch/places" "$scratch/points" | LC_ALL=C sort
    } >"$table"
fi
echo "on $(wc -l <"$scratch/points") points, $(grep -vc ' works$' "$scratch/points") of them errors that MPI returned"
