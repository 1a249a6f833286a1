#!/bin/bash
# A process connects only to processes that it sends something to, whether it asks for addresses one by one or exchanges
# them.
#
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck source=test/build/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# connections PROCESSES ARGUMENT...: sets made, how many connections a window takes that is only made and freed.
connections()
{
    processes=$1
    shift
    run_window "$components" --mca osc ucp --mca osc_base_verbose 20 --mca mpi_yield_when_idle 1 \
        --mca osc_ucp_node 0 -x UCX_TLS=tcp,self "$@"
    if [ "$status" -ne 0 ] || [ "$(lines 'window made$')" -ne "$processes" ]; then
        cat "$scratch/out"
        fail "with '$*': status $status"
    fi
    made=$(lines 'osc/ucp: rank [0-9]* connects to rank')
}

# In the window's barrier a process sends to three of the seven others, which may have connected to it already.
for exchange in 0 1; do
    connections 8 --mca osc_ucp_exchange_addresses $exchange
    [ "$made" -ge 8 ] && [ "$made" -le 24 ] || fail "8 processes made $made connections, not 8 to 24"
done

# Programs in which all processes talk to each other, also across communicators, find the addresses either way.
OMPI_MCA_osc_ucp_exchange_addresses=1 BUILD=$build COMPONENT_DIR=$components quietly "$top/test/run-tests" \
    -t win_comms -t win_connect -s tcp
