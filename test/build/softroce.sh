#!/bin/bash
# Over verbs (in software), puts and gets are RDMA, which osc/ucp finds by itself, and nothing else: a short run of
# contrib/softroce.
#
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck source=test/build/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

quietly make -C "$build" mpi-tests
status=0
BUILD=$build COMPONENT_DIR=$components "$within" 240 \
    "$top/contrib/softroce/check" rdma_found rdma_packets put_get lock_exclusive >"$scratch/out" 2>&1 || status=$?
if [ "$status" -eq 77 ]; then
    skip "$(tail -n 1 "$scratch/out")"
fi
if [ "$status" -ne 0 ]; then
    show "$scratch/out"
    fail "status $status"
fi
