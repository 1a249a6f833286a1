#!/bin/bash
# Buffers and windows in memory that a processor must not touch, a fake one, between processes: over shared memory,
# over a network, and where the network has RDMA and atomics.
#
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck source=test/build/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

[ -n "$(made_with CMOCKA_LIBS)" ] || skip "cmocka was not found by configure"
test=$build/test/unit/test_device
[ -x "$test" ] || quietly make -C "$build/test/unit" test_device

run()
{
    quietly "$within" 60 "$mpirun" -np 2 --oversubscribe --mca pml ob1 "$@" "$test"
}

run -x UCX_TLS=sm,self
run -x UCX_TLS=tcp,self -x UCX_NET_DEVICES=lo
run -x UCX_TLS=sm,self --mca osc_ucp_direct 0 --mca osc_ucp_rdma always --mca osc_ucp_atomic_domain nic
