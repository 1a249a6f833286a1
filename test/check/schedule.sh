#!/bin/bash
# osc_ucp_check_schedule: correct programs do not notice it.
#
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck source=test/build/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../build/lib.sh"

programs=(requests acc_order lock_epochs types_put_get notify_operations)
[ -z "${FULL-}" ] || programs+=(put_get acc_atomic acc_types fence pscw lock_all win_dynamic threads)
wanted=(-s node -s tcp)
for program in "${programs[@]}"; do
    wanted+=(-t "$program")
done
export OMPI_MCA_osc_ucp_check_schedule=1
BUILD=$build COMPONENT_DIR=$components "$top/test/run-tests" "${wanted[@]}" >"$scratch/out" 2>&1 </dev/null || {
    cat "$scratch/out"
    fail "programs fail when their calls are delayed and reordered"
}
tail -n 1 "$scratch/out"
