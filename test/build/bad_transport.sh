#!/bin/bash
# A transport that UCX does not have: a line that names it and tells what to do, an MPI error, and no crash.
#
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck source=test/build/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

run_window "$components" --mca pml ob1 --mca osc ucp --mca osc_ucp_node 0 -x UCX_TLS=nonsense
if [ "$status" -ne 0 ] || [ "$(lines 'no window, error class MPI_ERR_WIN$')" -ne 2 ] ||
    [[ ! $(lines 'osc/ucp.*nonsense.*UCX_TLS') =~ ^[12]$ ]] || [ "$(wc -l <"$scratch/out")" -gt 4 ]; then
    cat "$scratch/out"
    fail "status $status; both processes should get MPI_ERR_WIN, and each print at most one line naming the transport"
fi
