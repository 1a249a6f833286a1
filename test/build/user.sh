#!/bin/bash
# A user without root, from the tarball, where git and Autotools are not: builds osc/ucp, installs it into the home
# folder, and Open MPI uses it from there without being told.
#
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck source=test/build/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

tarball=$(made_with PACKAGE)-$(made_with VERSION)
# Tools that a tarball does not need.
make_user git autoconf autoheader automake aclocal autoreconf libtoolize

quietly make -C "$build" dist distdir="$tarball"
mv "$build/$tarball.tar.gz" "$scratch"
quietly user tar --no-same-owner -xf "$scratch/$tarball.tar.gz"
# shellcheck disable=SC2016  # for the user's shell
quietly user bash -c 'cd "$1" && ./configure --with-ompi="$2" --with-component-dir="$HOME/.openmpi/components" &&
    make -j 2 && make check && make install' bash "$tarball" "$(made_with OMPI_PREFIX)"
grep -q '^# PASS: *[1-9]' "$scratch/log" || fail "make check passed no test: is there no cmocka?"
called=$(find "$home" -maxdepth 1 -name 'called-*' -printf '%f ')
[ -z "$called" ] || fail "the tarball's build needs: $called"
follow_advice
[ -f "$home/.openmpi/components/mca_osc_ucp.so" ] || fail "nothing was installed into the home folder"

quietly user "$mpicc" -o window "$tarball/test/build/window.c"
user "$mpirun" -np 2 --oversubscribe --mca osc_base_verbose 10 ./window >"$scratch/out" 2>&1 </dev/null ||
    fail "the user's program: $(cat "$scratch/out")"
if [ "$(lines 'window made$')" -ne 2 ] || [ "$(lines 'osc/ucp: window')" -ne 1 ]; then
    cat "$scratch/out"
    fail "the user's program should have made a window with osc/ucp"
fi

quietly user make -C "$tarball" uninstall
[ ! -e "$home/.openmpi/components/mca_osc_ucp.so" ] || fail "make uninstall left the component"
