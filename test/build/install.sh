#!/bin/bash
# Installing under DESTDIR and uninstalling leaves nothing; an unwritable folder ends in one line. In a user's own
# folder: user.sh.
#
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck source=test/build/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

stage=$scratch/stage
quietly make -C "$build" install DESTDIR="$stage"
found=$(cd "$stage" && find . -type f | sort)
lib=$(made_with ext_libdir)
otf2=$(made_with OTF2_PROGRAM)
[ "$found" = "$(printf '.%s\n' "$components/mca_osc_ucp.so" "$(made_with mandir)/man7/osc_ucp.7" \
    "$(made_with ext_includedir)"/{osc_ucp_ext.h,osc_ucp_ext_f08.f90,osc_ucp_ext_python.c} \
    "$(made_with status_bindir)/osc_ucp_status" \
    ${otf2:+"$(made_with status_bindir)/osc_ucp_otf2"} \
    "$lib"/libosc_ucp_{check,ext,loads}.so "$lib/pkgconfig/osc_ucp_ext.pc" \
    "$lib/cmake/osc_ucp_ext/osc_ucp_extConfig.cmake" | sort)" ] ||
    fail "make install put these files: $found"
quietly make -C "$build" uninstall DESTDIR="$stage"
found=$(find "$stage" -type f -o -type l)
[ -z "$found" ] || fail "make uninstall left: $found"

# A folder below a file cannot be made, not even by root.
touch "$scratch/file"
if make -C "$build" --no-print-directory install DESTDIR="$scratch/file" >"$scratch/log" 2>&1; then
    fail "make install into $scratch/file should have failed"
fi
if [ "$(wc -l <"$scratch/log")" -ne 1 ] ||
    ! grep -q "cannot write to $scratch/file.*sudo make install.*--with-component-dir=" "$scratch/log"; then
    cat "$scratch/log"
    fail "make install into an unwritable folder should say one line: what, and what to do"
fi
