# What contrib/quickstart and contrib/check share: packages, build, and the way MPI programs are started.
# To be sourced, with $program set to the caller's name.
#
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=$top/build
components=$build/components

build_packages=(build-essential autoconf automake libtool pkg-config libopenmpi-dev openmpi-bin libucx-dev libpmix-dev)

# Scripts in containers and CI run as root; Open MPI wants to be told twice that this is meant.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

scratch=      # a folder that goes with the script
background=() # background shells of the script that run one job after the other
no_packages=69 die_status=1 # what a script ends with that cannot have its packages, and one that fails

# A signal that ends the script ends the jobs that it runs, also in the background. It lets packages be installed.
on_exit()
{
    local parents=($$)

    # A background shell that is ended right after its fork may still have the traps below.
    [ $$ = "$BASHPID" ] || return 0
    # shellcheck disable=SC2207  # numbers
    parents+=($(jobs -p))
    kill -STOP "${background[@]}" 2>/dev/null || true # they begin no other job
    pkill -TERM -P "$(IFS=,; echo "${parents[*]}")" -x 'within|run-tests|soak|matrix' 2>/dev/null || true
    kill -KILL "${background[@]}" 2>/dev/null || true
    [ -z "$scratch" ] || rm -rf "$scratch"
}
trap on_exit EXIT
trap 'exit 130' INT

say()
{
    echo "$program: $*"
}

open_line=false # is the last line of the output not complete?

end_line()
{
    if $open_line; then
        echo
        open_line=false
    fi
}

die()
{
    end_line
    echo "$program: $*" >&2
    exit "$die_status"
}

# Install those of the packages $@ that are missing, or end with status $no_packages.
need_packages()
{
    local missing=() as_root

    if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
        say "no apt here, so these have to be installed already (Debian's names): $*"
        return
    fi
    find_missing "$@"
    if [ ${#missing[@]} -eq 0 ]; then
        return
    fi
    die_status=$no_packages
    become_root
    apt_knows "${missing[@]}" || apt_update
    check_candidate
    say "installing ${missing[*]}"
    if ! apt_install; then
        apt_update # the lists may name files that the archive has replaced
        apt_install || die "apt-get could not install ${missing[*]}: see $log"
    fi
    die_status=1
}

# The same for packages without which less is done: those that cannot be had are named, and the caller goes on.
want_packages()
{
    local package missing=() known=()

    find_missing "$@"
    apt_knows "${missing[@]}" || (become_root && apt_update) || true
    for package in "${missing[@]}"; do
        if apt_knows "$package"; then
            known+=("$package")
        else
            say "apt has no $package"
        fi
    done
    [ ${#known[@]} -eq 0 ] || (need_packages "${known[@]}") ||
        say "going on without them: what needs them will be skipped"
}

# Sets missing: those of the packages $@ that are not installed. Without apt nobody knows, so none.
find_missing()
{
    local package

    command -v dpkg-query >/dev/null || return 0
    for package in "$@"; do
        if [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" != installed ]; then
            missing+=("$package")
        fi
    done
}

# Sets as_root, what starts apt-get to get $missing. sudo may ask for a password, and says itself why it refuses.
become_root()
{
    as_root=(env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300)
    [ "$(id -u)" -ne 0 ] || return 0
    command -v sudo >/dev/null ||
        die "packages are missing, and there is no sudo to install them: as root, apt-get install ${missing[*]}"
    sudo env apt-get --version >/dev/null ||
        die "packages are missing, and sudo does not let you install them: as root, apt-get install ${missing[*]}"
    as_root=(sudo "${as_root[@]}")
}

apt_update()
{
    say "updating apt's lists"
    "${as_root[@]}" update >>"$log" 2>&1 </dev/null || die "apt-get update failed: see $log"
}

apt_knows()
{
    local package

    for package in "$@"; do
        apt-cache policy "$package" 2>/dev/null | grep -q '^  Candidate: [0-9]' || return 1
    done
}

# Is the Open MPI that is installed, or that would be, one that configure takes (m4/osc_ucp_ompi.m4)? Asked before
# anything is installed for it.
check_candidate()
{
    local version

    version=$(apt-cache policy libopenmpi-dev 2>/dev/null |
        awk '/^  Installed: [0-9]/ { print $2; exit } /^  Candidate: [0-9]/ { print $2 }')
    case ${version#*:} in
    '' | 4.1.* | 5.0.* | 6.0.*) ;;
    *) die "this system's Open MPI is $version, and osc/ucp needs 4.1, 5.0 or 6.0: nothing was installed" ;;
    esac
}

# Install the packages in need_packages' $missing.
apt_install()
{
    "${as_root[@]}" install --no-install-recommends "${missing[@]}" >>"$log" 2>&1 </dev/null
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
# cmocka, OTF2 or a Fortran compiler came along), the folder is made anew.
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
    otf2-config --version 2>/dev/null || true # it may be missing, and a script ends where a command fails
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
        end_line
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
        find "$build" -mindepth 1 -maxdepth 1 ! -name '*.log' ! -name .lock ! -name roots -exec rm -rf {} +
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
