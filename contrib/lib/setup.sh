# What contrib/quickstart and contrib/check share: packages, build, and the way MPI programs are started.
# To be sourced, with $program set to the caller's name.
#
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=$top/build
components=$build/components

build_packages=(build-essential autoconf automake libtool pkg-config libopenmpi-dev openmpi-bin libucx-dev)

# Scripts in containers and CI run as root; Open MPI wants to be told twice that this is meant.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

say()
{
    echo "$program: $*"
}

die()
{
    echo "$program: $*" >&2
    exit 1
}

# Install those of the packages $@ that are missing.
need_packages()
{
    local package missing=() as_root=()

    if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
        say "no apt here, so these have to be installed already (Debian's names): $*"
        return
    fi
    for package in "$@"; do
        if [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" != installed ]; then
            missing+=("$package")
        fi
    done
    if [ ${#missing[@]} -eq 0 ]; then
        return
    fi
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null ||
            die "packages are missing, and there is no sudo to install them: as root, apt-get install ${missing[*]}"
        as_root=(sudo)
    fi
    say "installing ${missing[*]}"
    as_root+=(env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300)
    if ! apt_knows "${missing[@]}" || ! apt_install "${as_root[@]}"; then
        say "updating apt's lists"
        "${as_root[@]}" update >>"$log" 2>&1 </dev/null || die "apt-get update failed: see $log"
        apt_install "${as_root[@]}" || die "apt-get could not install ${missing[*]}: see $log"
    fi
}

apt_knows()
{
    local package

    for package in "$@"; do
        apt-cache policy "$package" 2>/dev/null | grep -q '^  Candidate: [0-9]' || return 1
    done
}

# "$@" install the packages in need_packages' $missing.
apt_install()
{
    "$@" install --no-install-recommends "${missing[@]}" >>"$log" 2>&1 </dev/null
}

# Make $build and the log in it, before anything else.
start_log()
{
    case $top in
    *[[:space:]\"\'\#\$\&\`\\:]*)
        die "make cannot work in a path like '$top': move the tree to one without spaces and special characters" ;;
    esac
    if ! mkdir -p "$build" 2>/dev/null || [ ! -w "$build" ]; then
        die "cannot write to $build: remove it, or run this as its owner"
    fi
    log=$build/$program.log
    : >"$log" 2>/dev/null || die "cannot write to $log: remove $build, or run this as its owner"
}

# What the build folder was configured for. When any of this changes (the tree was moved, Open MPI was upgraded,
# cmocka or a Fortran compiler came along), the folder is made anew.
build_stamp()
{
    local package

    echo "tree: $top"
    ompi_info --version 2>/dev/null | head -n 1
    for package in ucx cmocka; do
        echo "$package: $(pkg-config --modversion $package 2>/dev/null)"
    done
    ${CC:-cc} --version 2>/dev/null | head -n 1
    mpifort --version 2>/dev/null | head -n 1
    echo "flags: ${CC-} ${CFLAGS-} ${CPPFLAGS-} ${LDFLAGS-}"
    if [ -e "$top/.git" ]; then
        echo "a git checkout"
    fi
}

# Run a step of the build; its output goes to the log, and is shown if it fails.
build_step()
{
    local what=$1 begin

    shift
    begin=$(wc -l <"$log")
    if ! "$@" >>"$log" 2>&1 </dev/null; then
        tail -n "+$((begin + 1))" "$log" | grep -E ': error:|: fatal error:|\*\*\*|undefined reference' | head -n 20 >&2
        die "$what failed: all of its output is in $log"
    fi
}

# Build the component in $build and install it into $components.
build_component()
{
    local stamp=$build/.configured-for

    if [ -e "$top/config.status" ]; then
        die "this tree was configured in place, which hinders a build elsewhere: run make distclean first"
    fi
    exec 9>"$build/.lock"
    flock 9
    if [ ! -e "$build/Makefile" ] || [ ! -e "$top/configure" ] || [ ! -e "$top/build-aux/missing" ] ||
        [ "$(build_stamp)" != "$(cat "$stamp" 2>/dev/null)" ]; then
        if [ -e "$build/Makefile" ] && [ ! -e "$stamp" ]; then
            die "$build holds a build of somebody else's: move it to another folder"
        fi
        say "configuring"
        find "$build" -mindepth 1 -maxdepth 1 ! -name '*.log' ! -name .lock -exec rm -rf {} +
        : >"$stamp"
        build_step autogen.sh "$top/autogen.sh"
        (cd "$build" && build_step configure "$top/configure" --with-component-dir="$components")
        build_stamp >"$stamp"
    fi
    say "building in $build"
    build_step make make -C "$build" -j "$(nproc)"
    build_step "make install" make -C "$build" install
    flock -u 9
    exec 9>&-
}

# Sets mpirun: Debian calls it mpirun.openmpi where another MPI goes by the plain name.
find_mpirun()
{
    mpirun=$(command -v mpirun.openmpi || command -v mpirun) || die "there is no mpirun: install Open MPI"
}
