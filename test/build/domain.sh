#!/bin/bash
# A window that shall have its accumulates in the network falls back, and is made, where the network cannot do them:
# finding that out waits for a connection of each process to itself.
#
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck source=test/build/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

run_window "$components" --mca osc ucp --mca pml ob1 --mca osc_base_verbose 10 --mca osc_ucp_atomic_domain nic \
    -x UCX_TLS=tcp,self -x UCX_NET_DEVICES=lo
[ "$status" -eq 0 ] && [ "$(lines 'window made$')" -eq 2 ] || {
    cat "$scratch/out"
    fail "status $status"
}
[ "$(lines 'atomics by the processors')" -ge 1 ] || fail "the window does not say who does its atomics"
