#!/bin/bash
# The component exports its one symbol and nothing else, so it cannot clash with anything in the process.
#
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck source=test/build/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

exported=$(nm -D --defined-only "$components/mca_osc_ucp.so" | awk '{ print $3 }')
[ "$exported" = mca_osc_ucp_component ] || fail "exported: $exported"
