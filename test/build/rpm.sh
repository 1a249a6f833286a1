#!/bin/bash
# The rpm: rpmbuild makes it from the tarball, it depends on the series of Open MPI, and Open MPI finds it. As root it
# is also installed, upgraded and removed, but in copies of the system's folders that only this test sees. On Debian,
# so that rpm knows none of the packages that it depends on, and is told not to ask.
#
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck source=test/build/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

version=$(made_with VERSION)
folder=$("$ompi_info" --path pkglibdir --parsable | sed 's/^path:pkglibdir://')
name=openmpi-osc-ucp

# build_package RELEASE [OPTION]: from the tarball, which holds the recipe. Sets package. Optimization takes time, and
# changes nothing here.
build_package()
{
    quietly rpmbuild -tb --nodeps "${@:2}" --define "_topdir $scratch/rpm" --define "_tmppath $scratch" \
        --define "release_number $1" --define "without_check 1" --define "optflags -O0 -g" \
        "$scratch/$tarball.tar.gz"
    package=$(find "$scratch/rpm/RPMS" -name "$name-$version-$1.*.rpm")
    [ -n "$package" ] || fail "rpmbuild made no release $1: $(find "$scratch/rpm/RPMS")"
}

check_contents()
{
    local series needs file

    series=$("$ompi_info" --version | sed -n 's/^Open MPI v\([0-9]*\.[0-9]*\).*/\1/p')
    rpm -qp --requires "$package" >"$scratch/needs"
    for needs in "openmpi >= $series" "openmpi < ${series%.*}.$((${series#*.} + 1))" "ucx >= 1.13"; do
        grep -qxF "$needs" "$scratch/needs" || fail "the package does not depend on $needs: $(cat "$scratch/needs")"
    done
    rpm -qpl "$package" >"$scratch/files"
    for file in "$folder/mca_osc_ucp.so" /usr/share/man/man7/osc_ucp.7 /usr/include/osc_ucp_ext.h; do
        grep -q "^$file" "$scratch/files" || fail "the package has no $file: $(cat "$scratch/files")"
    done
    ! grep '\.la$' "$scratch/files" || fail "the package has libtool's files"
}

check_unpacked()
{
    mkdir "$scratch/unpacked"
    rpm2archive - <"$package" >"$scratch/package.tgz"
    tar -C "$scratch/unpacked" -xf "$scratch/package.tgz"
    check_found "$folder"
}

# rpm installs the package, upgrades it, and removes it without a trace.
install_and_remove()
{
    local database=(--dbpath "$scratch/database")

    # What else is installed, where, is not to be found.
    export HOME=$scratch
    private_system >"$scratch/log" 2>&1 || exit 77
    quietly rpm "${database[@]}" --nodeps -i "$package"
    follow_advice
    serves "the installed component"
    quietly rpm "${database[@]}" --nodeps -U "$newer"
    [ "$(rpm "${database[@]}" -q --qf '%{release}' $name)" = 2 ] || fail "rpm -U did not upgrade"
    serves "the upgraded component"
    quietly rpm "${database[@]}" -e $name
    [ ! -e "$folder/mca_osc_ucp.so" ] || fail "rpm -e left the component"
    [ ! -e "/usr/share/doc/$name-$version" ] || fail "rpm -e left the documentation"
}

if [ "${1-}" = --private ]; then
    trap - EXIT
    rmdir "$scratch"
    scratch=$2 package=$3 newer=$4
    install_and_remove
    exit
fi

for tool in rpmbuild rpm2archive; do
    command -v $tool >/dev/null || skip "there is no $tool: install rpm"
done
[[ $mpicc == /usr/bin/* ]] || skip "the recipe is for the system's Open MPI; here it is $mpicc"
make_tarball
build_package 2 --noclean
newer=$package
build_package 1 --noprep # of the objects that are there
check_contents
check_unpacked
install_privately "$package" "$newer"
