#!/bin/bash
# The component exports its two symbols and nothing else, so it cannot clash with anything in the process; the library
# for programs exports what its header declares. The library to preload exports its variable and functions of MPI: all
# that may order processes. It needs no library of MPI, as it is in programs such as mpirun, too. The library of loads
# and stores exports the same, and what compilers call.
#
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck source=test/build/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

exported=$(nm -D --defined-only "$components/mca_osc_ucp.so" | awk '{ print $3 }')
[ "$exported" = "$(printf '%s\n' mca_osc_ucp_component mca_osc_ucp_notified)" ] || fail "exported: $exported"

exported=$(nm -D --defined-only "$build/ext/.libs/libosc_ucp_ext.so" | awk '{ print $3 }' | sort)
declared=$("$mpicc" -E "$top/ext/osc_ucp_ext.h" | sed -nE 's/^int (osc_ucp_ext_[a-z_]+)\(.*/\1/p' | sort)
[ -n "$declared" ] && [ "$exported" = "$declared" ] || fail "the library exports: $exported"

library=$build/preload/.libs/libosc_ucp_check.so
exported=$(nm -D --defined-only "$library" | awk '{ print $3 }' | sort)
[ "$(grep -vE '^P?MPIX?_' <<<"$exported")" = osc_ucp_check_order ] || fail "the library to preload exports: $exported"
for name in Recv Sendrecv Probe Improbe Irecv Isend Ssend Start Waitsome Testany Barrier Reduce Ialltoallw Comm_split \
    Comm_spawn Win_allocate_shared File_open; do
    [ "$(grep -cxE "P?MPI_$name" <<<"$exported")" -eq 2 ] ||
        fail "the library to preload has no MPI_$name and PMPI_$name"
done
unknown=$(comm -23 <(grep MPI <<<"$exported") <(nm -D --defined-only "$(ldd "$build/ext/.libs/libosc_ucp_ext.so" |
    sed -n 's/.*libmpi\.so.* => \([^ ]*\).*/\1/p')" | awk '{ print $3 }' | sort))
[ -z "$unknown" ] || fail "the library to preload exports functions that MPI does not have: $unknown"
needs=$(readelf -d "$library" | grep NEEDED | grep -v -e '\[libc\.' -e '\[libdl\.' -e '\[libpthread\.' || true)
[ -z "$needs" ] || fail "the library to preload needs: $needs"

loads=$build/preload/.libs/libosc_ucp_loads.so
exported=$(nm -D --defined-only "$loads" | awk '{ print $3 }' | sort)
[ "$(grep MPI <<<"$exported")" = "$(nm -D --defined-only "$library" | awk '{ print $3 }' | grep MPI | sort)" ] ||
    fail "the library of loads and stores does not export the same functions of MPI"
unknown=$(grep -vxE 'P?MPIX?_.*|__tsan_.*|osc_ucp_check_(loads|order)|mem(cpy|move|set)' <<<"$exported" || true)
[ -z "$unknown" ] || fail "the library of loads and stores exports: $unknown"
needs=$(readelf -d "$loads" | grep NEEDED | grep -vE '\[(libc|libdl|libpthread|ld-linux[^.]*)\.' || true)
[ -z "$needs" ] || fail "the library of loads and stores needs: $needs"
