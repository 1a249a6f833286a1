#!/bin/bash
# osc/ucp is not twice as slow as it was: the ratios of bounds.table, to osc/sm and to bare UCX in the same run.
#
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck source=test/build/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../build/lib.sh"

"$top/contrib/bench" --guard --build "$build" --output "$scratch"
