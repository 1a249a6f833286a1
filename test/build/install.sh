#!/bin/bash
# Installing under DESTDIR and uninstalling leaves nothing; an unwritable folder ends in one line; a build inside the
# tree, without git, with the component in the user's own folder.
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

copy_sources "$scratch/tree"
cd "$scratch/tree"
mkdir "$scratch/home"
# shellcheck disable=SC2016  # configure expands it
HOME=$scratch/home quietly ./configure --with-component-dir='$HOME/.openmpi/components'
grep -q "warnings  *shown$" "$scratch/log" || fail "without git, warnings must not be errors"
grep -q "make install  *puts .* into $scratch/home/.openmpi/components$" "$scratch/log" ||
    fail "configure does not say where the component goes"
quietly make -j 2
quietly make install
grep -q "^installed $scratch/home/.openmpi/components/mca_osc_ucp.so$" "$scratch/log" ||
    fail "make install does not say what it installed"
[ -f "$scratch/home/.openmpi/components/mca_osc_ucp.so" ] || fail "nothing was installed into the user's folder"
[ -f "$scratch/home/.openmpi/share/man/man7/osc_ucp.7" ] || fail "the man page is not beside the user's folder"
quietly make uninstall
[ ! -e "$scratch/home/.openmpi/components/mca_osc_ucp.so" ] || fail "make uninstall left the component"

# Nothing said, the component goes to where Open MPI looks for components.
mkdir "$scratch/default"
quietly make distclean
cd "$scratch/default"
quietly ../tree/configure
theirs=$("$(dirname "$mpicc")/ompi_info" --path pkglibdir --parsable | sed 's/^path:pkglibdir://')
grep -q "make install  *puts .* into $theirs$" "$scratch/log" || fail "the default is not Open MPI's folder, $theirs"
theirs=$("$(dirname "$mpicc")/ompi_info" --path mandir --parsable | sed 's/^path:mandir://')
if [ -d "$theirs" ]; then
    grep -q "^mandir = $theirs$" Makefile || fail "the man page does not go to Open MPI's, in $theirs"
fi
