#!/bin/bash
# The component exports its two symbols and nothing else, so it cannot clash with anything in the process; the library
# for programs exports what its header declares.
#
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck source=test/build/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

exported=$(nm -D --defined-only "$components/mca_osc_ucp.so" | awk '{ print $3 }')
[ "$exported" = "$(printf '%s\n' mca_osc_ucp_component mca_osc_ucp_notified)" ] || fail "exported: $exported"

exported=$(nm -D --defined-only "$build/ext/.libs/libosc_ucp_ext.so" | awk '{ print $3 }' | sort)
declared=$("$mpicc" -E "$top/ext/osc_ucp_ext.h" | sed -nE 's/^int (osc_ucp_ext_[a-z_]+)\(.*/\1/p' | sort)
[ -n "$declared" ] && [ "$exported" = "$declared" ] || fail "the library exports: $exported"
