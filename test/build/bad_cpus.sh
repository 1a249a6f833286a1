#!/bin/bash
# osc_ucp_service_cpus with what is no list, or with processors that do not exist: a line that says so, an MPI error.
#
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck source=test/build/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

for cpus in 1000 0,1000 1000-1023 0-1000000 some; do
    run_window "$components" --mca osc ucp --mca osc_ucp_node 0 --mca osc_ucp_service_cpus $cpus
    if [ "$status" -ne 0 ] || [ "$(lines 'no window, error class MPI_ERR_WIN$')" -ne 2 ] ||
        [[ ! $(lines "osc_ucp_service_cpus is '$cpus': it must be ") =~ ^[12]$ ]]; then
        cat "$scratch/out"
        fail "status $status; with $cpus both processes should get MPI_ERR_WIN, and at least one should say why"
    fi
done
for cpus in all program "$(taskset -cp $$ | sed 's/.*: //')"; do
    run_window "$components" --mca osc ucp --mca osc_ucp_node 0 --mca osc_ucp_service_cpus "$cpus"
    if [ "$status" -ne 0 ] || [ "$(lines 'window made$')" -ne 2 ]; then
        cat "$scratch/out"
        fail "status $status; $cpus should do"
    fi
done
