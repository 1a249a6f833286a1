#!/bin/bash
# The Debian package: builds from the tarball and contrib/debian, holds what it should, and Open MPI finds it. As root
# it is also installed and removed for real, but in copies of the system's folders that only this test sees.
#
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck source=test/build/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

version=$(made_with VERSION)
folder=$("$ompi_info" --path pkglibdir --parsable | sed 's/^path:pkglibdir://')

# Build the package from the tarball, with everything that dpkg-buildpackage checks by itself. Optimization takes time,
# and changes nothing here. Sets package.
build_package()
{
    make_tarball
    source=$scratch/$tarball
    mv "$source.tar.gz" "$scratch/${tarball%-*}_$version.orig.tar.gz"
    tar -C "$scratch" -xf "$scratch/${tarball%-*}_$version.orig.tar.gz"
    cp -r "$source/contrib/debian" "$source/debian"
    [ "$(dpkg-parsechangelog -l "$source/debian/changelog" -S Version)" = "$version-1" ] ||
        fail "contrib/debian/changelog is not for version $version"
    (cd "$source" && quietly env DEB_BUILD_OPTIONS="nocheck noopt" dpkg-buildpackage -us -uc)
    package=$(find "$scratch" -maxdepth 1 -name 'openmpi-osc-ucp_*.deb')
}

# It depends on what it links with, and all its files but the documentation are the component and its man page.
check_contents()
{
    local depends files lib owner series next

    owner=$(dpkg-query -S '*/libmpi.so.40' | sed -n '1s/:.*//p')
    series=$("$ompi_info" --version | sed -n 's/^Open MPI v\([0-9]*\.[0-9]*\).*/\1/p')
    next=${series%.*}.$((${series#*.} + 1))
    lib=/usr/lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH)
    depends=$(dpkg-deb -f "$package" Depends)
    [[ $depends == *"$owner (>= $series"*"$owner (<< $next)"*libucx0* ]] || fail "the package depends on: $depends"
    files=$(dpkg-deb --fsys-tarfile "$package" | tar -tf - | grep -v -e '/$' -e '^\./usr/share/doc/openmpi-osc-ucp/')
    [ "$(sort <<<"$files")" = "$(printf '.%s\n' "$folder/mca_osc_ucp.so" /usr/share/man/man7/osc_ucp.7.gz \
        /usr/bin/osc_ucp_status /usr/include/{osc_ucp_ext.h,osc_ucp_ext_f08.f90,osc_ucp_ext_python.c} \
        "$lib"/libosc_ucp_{check,ext,loads}.so "$lib/pkgconfig/osc_ucp_ext.pc" \
        "$lib/cmake/osc_ucp_ext/osc_ucp_extConfig.cmake" | sort)" ] ||
        fail "the package has these files: $files"
}

check_unpacked()
{
    dpkg-deb -x "$package" "$scratch/unpacked"
    check_found "$folder"
}

# The same package as version -2. Sets newer.
next_version()
{
    newer=$scratch/newer.deb
    dpkg-deb -R "$package" "$scratch/newer"
    sed -i "s/^Version: .*/Version: $version-2/" "$scratch/newer/DEBIAN/control"
    quietly dpkg-deb --root-owner-group -b "$scratch/newer" "$newer"
}

# dpkg installs the package, upgrades it, and removes it without a trace.
install_and_remove()
{
    # What else is installed, where, is not to be found.
    export HOME=$scratch
    private_system >"$scratch/log" 2>&1 || exit 77
    quietly dpkg -i "$package"
    follow_advice
    serves "the installed component"
    next_version
    quietly dpkg -i "$newer"
    [ "$(dpkg-query -W -f '${Version}' openmpi-osc-ucp)" = "$version-2" ] || fail "dpkg -i did not upgrade"
    serves "the upgraded component"
    quietly dpkg -P openmpi-osc-ucp
    [ ! -e "$folder/mca_osc_ucp.so" ] || fail "dpkg -P left the component"
    [ ! -e /usr/share/doc/openmpi-osc-ucp ] || fail "dpkg -P left the documentation"
}

if [ "${1-}" = --private ]; then
    trap - EXIT
    rmdir "$scratch"
    scratch=$2 package=$3
    install_and_remove
    exit
fi

for tool in dpkg-buildpackage dh; do
    command -v $tool >/dev/null || skip "there is no $tool: install debhelper and dpkg-dev"
done
[[ $folder == /usr/lib/*/openmpi/lib/openmpi* ]] ||
    skip "the recipe is for Debian's Open MPI; here components are in $folder"
build_package
check_contents
check_unpacked
install_privately "$package"
