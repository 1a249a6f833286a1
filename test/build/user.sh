#!/bin/bash
# A user without root, from the tarball, where git and Autotools are not: builds osc/ucp inside the tree, installs it
# into the home folder, and Open MPI uses it from there without being told. Then the default for the component's folder.
#
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck source=test/build/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# Tools that a tarball does not need.
make_user git autoconf autoheader automake aclocal autoreconf libtoolize

make_tarball
quietly user tar --no-same-owner -xf "$scratch/$tarball.tar.gz"
# Optimization is the same for these sources as for any.
# shellcheck disable=SC2016  # for the user's shell
quietly user bash -c 'cd "$1" && ./configure CFLAGS=-O0 --with-ompi="$2" \
    --with-component-dir='\''$HOME/.openmpi/components'\'' && make -j 2 && make check && make install' bash \
    "$tarball" "$(made_with OMPI_PREFIX)"
grep -q '^# PASS: *[1-9]' "$scratch/log" || fail "make check passed no test: is there no cmocka?"
called=$(find "$home" -maxdepth 1 -name 'called-*' -printf '%f ')
[ -z "$called" ] || fail "the tarball's build needs: $called"
grep -q "warnings  *shown$" "$scratch/log" || fail "without git, warnings must not be errors"
grep -q "make install  *puts .* into $home/.openmpi/components$" "$scratch/log" ||
    fail "configure does not say where the component goes"
grep -q "^installed $home/.openmpi/components/mca_osc_ucp.so$" "$scratch/log" ||
    fail "make install does not say what it installed"
follow_advice
[ -f "$home/.openmpi/components/mca_osc_ucp.so" ] || fail "nothing was installed into the home folder"
[ -f "$home/.openmpi/share/man/man7/osc_ucp.7" ] || fail "the man page is not beside the component's folder"

quietly user "$mpicc" -o window "$tarball/test/build/window.c"
user "$mpirun" -np 2 --oversubscribe --mca osc_base_verbose 10 ./window >"$scratch/out" 2>&1 </dev/null ||
    fail "the user's program: $(cat "$scratch/out")"
if [ "$(lines 'window made$')" -ne 2 ] || [ "$(lines 'osc/ucp: window')" -ne 1 ]; then
    cat "$scratch/out"
    fail "the user's program should have made a window with osc/ucp"
fi

quietly user make -C "$tarball" uninstall
[ ! -e "$home/.openmpi/components/mca_osc_ucp.so" ] || fail "make uninstall left the component"

# Nothing said, the component goes to where Open MPI looks for components.
quietly user make -C "$tarball" distclean
# shellcheck disable=SC2016  # for the user's shell
quietly user bash -c 'mkdir default && cd default && "../$1/configure"' bash "$tarball"
theirs=$("$ompi_info" --path pkglibdir --parsable | sed 's/^path:pkglibdir://')
grep -q "make install  *puts .* into $theirs$" "$scratch/log" || fail "the default is not Open MPI's folder, $theirs"
theirs=$("$ompi_info" --path mandir --parsable | sed 's/^path:mandir://')
if [ -d "$theirs" ]; then
    grep -q "^mandir = $theirs$" "$home/default/Makefile" || fail "the man page does not go to Open MPI's, in $theirs"
fi
