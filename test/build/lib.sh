# What the tests of the build share. Each is a script that exits 0 (passed), 77 (skipped, the reason printed last) or
# something else. BUILD is a finished build folder, COMPONENT_DIR where it was installed (see contrib/check).
#
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2034

set -eu

# shellcheck source=test/lib/patience.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/patience.sh"

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=${BUILD:-$top/build}
components=${COMPONENT_DIR:-$build/components}
scratch=$(mktemp -d)
within=$top/test/lib/within

# A background shell that is ended right after its fork, such as a timer's, may still have the traps below.
on_exit()
{
    [ $$ = "$BASHPID" ] || return 0
    [ -z "$job" ] || end_job "$job"
    rm -rf "$scratch"
}
trap on_exit EXIT
trap 'exit 143' TERM

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
# On one host Open MPI's tcp needs no network, and 5.0 complains about some.
export OMPI_MCA_btl_tcp_if_include=lo
# Set-ups of the caller's make would reach the ones below.
unset MAKEFLAGS MAKELEVEL MFLAGS DESTDIR OMPI_MCA_osc

fail()
{
    echo "$*"
    exit 1
}

skip()
{
    echo "$*"
    exit 77
}

# Print a file, the middle of a very long one left out: the program's own words may be at either end.
show()
{
    if [ "$(wc -l <"$1")" -le 400 ]; then
        cat "$1"
    else
        head -n 200 "$1"
        echo "..."
        tail -n 200 "$1"
    fi
}

# The value of a variable in the build's Makefile.
made_with()
{
    sed -n "s/^$1 = //p" "$build/Makefile"
}

mpicc=$(made_with OMPI_MPICC)
mpirun=$(dirname "$mpicc")/mpirun
if [ -x "$mpirun.openmpi" ]; then
    mpirun=$mpirun.openmpi
fi

ompi_info=$(dirname "$mpicc")/ompi_info

# Run "$@" with a log; the log is shown if it fails.
quietly()
{
    "$@" >"$scratch/log" 2>&1 </dev/null || {
        show "$scratch/log"
        fail "failed: $*"
    }
}

# What make install, or a package, in $scratch/log, asks for so that mpirun finds the component: follow it.
follow_advice()
{
    local file

    file=$(sed -n "s/^mpirun of this system .* to \\(.*\\)\$/\\1/p" "$scratch/log")
    if [ -n "$file" ]; then
        mkdir -p "$(dirname "$file")"
        echo "mca_base_component_path = SYSTEM_DEFAULT:USER_DEFAULT" >>"$file"
    fi
}

# A copy in $1 of all that is in the top folder, without git and build/; so with configure, if that was made.
copy_sources()
{
    mkdir -p "$1"
    tar -C "$top" --exclude=./.git --exclude=./build -cf - . | tar -C "$1" -xf -
}

# Make the tarball, $tarball.tar.gz, in $scratch. Scripts that run beside this one make it in the same folder.
make_tarball()
{
    tarball=$(made_with PACKAGE)-$(made_with VERSION)
    # shellcheck disable=SC2016  # for the shell below
    quietly flock "$build/.lock" bash -c 'make -C "$1" dist distdir="$2" && mv "$1/$2.tar.gz" "$3"' bash \
        "$build" "$tarball" "$scratch"
}

# What is linked into the component: its own folder, and the transport's.
component=ompi/mca/osc/ucp
transport=opal/mca/common/ucp

# The floors, lowest first: the transport's folder, then folders of the component's.
read_floors()
{
    awk '!/^#/ && NF > 0 { print $1 }' "$top/$component/floors.table"
}

# The sources and headers of both folders, as names from the top folder on.
read_sources()
{
    (cd "$top" && find "$transport" "$component" -name '*.[ch]' | sort)
}

# The global symbols of the objects of both folders, as lines "SOURCE symbol type ...". Objects of sources that are gone
# may lie in the build folder, too: they are not read.
read_symbols()
{
    local objects

    mapfile -t objects < <(read_sources |
        sed -nE "s,^($transport)/(.*)\.c\$,\1/.libs/libcommon_ucp_la-\2.o,p
                 s,^($component/.*)/(.*)\.c\$,\1/.libs/libosc_ucp_la-\2.o,p")
    (cd "$build" && nm -A -P -g "${objects[@]}") >"$scratch/nm" || fail "nm cannot read the objects in $build"
    sed -E 's,\.libs/[a-z_]*_la-([^:]*)\.o:,\1.c,' "$scratch/nm"
}

# Run test/build/window.c (it makes and frees one window) with the component in folder $1, or if $1 is empty with what
# Open MPI finds by itself, and 2 processes, or as many as "processes" says; the rest goes to mpirun. Sets status, and
# leaves everything that was printed in $scratch/out.
run_window()
{
    local found=(-u OMPI_MCA_mca_base_component_path -u PMIX_MCA_mca_base_component_path)

    [ -z "$1" ] || found=(OMPI_MCA_mca_base_component_path="$1:SYSTEM_DEFAULT:USER_DEFAULT")
    shift
    if [ ! -e "$scratch/window" ]; then
        quietly "$mpicc" -O -o "$scratch/window" "$top/test/build/window.c"
    fi
    run_ranks "$scratch/out" 60 env "${found[@]}" "$mpirun" -np "${processes:-2}" --oversubscribe "$@" "$scratch/window"
}

# How many lines of $scratch/out match the pattern.
lines()
{
    grep -cE -- "$1" "$scratch/out" || true
}

# nothing_runs PROGRAM WHAT: no process of the program is left. A killed one takes a moment to go.
nothing_runs()
{
    local end=$((SECONDS + $(grown 10)))

    while readlink /proc/[0-9]*/exe | grep -qF "$1"; do
        [ "$SECONDS" -lt "$end" ] || fail "$2: processes are left"
        sleep 0.1
    done
}

# serves WHAT: Open MPI finds the installed component by itself, and uses it.
serves()
{
    run_window "" --mca osc_base_verbose 10
    [ "$(lines 'osc/ucp: window')" -eq 1 ] || fail "$1 serves no window: $(cat "$scratch/out")"
}

# ompi_info finds the component in what a package with this folder unpacks to, $scratch/unpacked.
check_found()
{
    OMPI_MCA_mca_base_component_path=$scratch/unpacked/$1:SYSTEM_DEFAULT:USER_DEFAULT \
        quietly "$ompi_info" --param osc ucp --level 9 --parsable
    grep -q '^mca:osc:ucp:param:osc_ucp_priority:' "$scratch/log" || fail "ompi_info does not find the component"
}

# make_user TOOL...: a user without root, with the empty folder "home". Who calls a TOOL leaves called-TOOL there.
make_user()
{
    local tool

    home=$scratch/home as_user=()
    mkdir "$home" "$scratch/tmp" "$scratch/none"
    if [ "$(id -u)" -eq 0 ]; then
        as_user=(setpriv --reuid 65534 --regid 65534 --clear-groups)
        chown 65534:65534 "$home" "$scratch/tmp"
        chmod 755 "$scratch"
    fi
    for tool in "$@"; do
        printf '#!/bin/sh\necho "%s was called"\ntouch %s/called-%s\nexit 1\n' "$tool" "$home" "$tool" \
            >"$scratch/none/$tool"
        chmod 755 "$scratch/none/$tool"
    done
}

# Run "$@" as that user, at home, with nothing of our environment.
user()
{
    (cd "$home" && "${as_user[@]}" env -i HOME="$home" TMPDIR="$scratch/tmp" PATH="$scratch/none:$PATH" "$@")
}

# Run this script again with --private "$@" in a mount namespace of its own, where it installs the package into $folder,
# or skip with the reason why nothing was installed.
install_privately()
{
    local reason='' status=0

    if [ "$(id -u)" -ne 0 ]; then
        reason="only root can"
    elif [ -e "$folder/mca_osc_ucp.so" ]; then
        reason="$folder has the component already"
    elif ! unshare --mount true 2>/dev/null; then
        reason="this machine does not allow mount namespaces"
    else
        BUILD=$build unshare --mount --propagation private bash "$0" --private "$scratch" "$@" || status=$?
        [ $status -eq 0 ] || [ $status -eq 77 ] || exit $status
        [ $status -eq 0 ] || reason="no overlay: $(tail -n 1 "$scratch/log")"
    fi
    [ -z "$reason" ] || skip "built and unpacked; not installed: $reason"
}

# Our own view of the folders that an installation changes, in a mount namespace of our own.
private_system()
{
    local dir

    for dir in usr var etc; do
        mkdir -p "$scratch/system/$dir/changes" "$scratch/system/$dir/work"
        mount -t overlay -o "lowerdir=/$dir,upperdir=$scratch/system/$dir/changes,workdir=$scratch/system/$dir/work" \
            overlay "/$dir" || return
    done
}
