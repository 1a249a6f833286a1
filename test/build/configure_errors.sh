#!/bin/bash
# What configure cannot work with ends in one line that says what is wrong and what to do.
#
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck source=test/build/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# expect WHAT PATTERN [VARIABLE=VALUE]... -- ARGUMENT...: configure fails with one line that matches.
expect()
{
    local what=$1 pattern=$2 settings=()

    shift 2
    while [ "$1" != -- ]; do
        settings+=("$1")
        shift
    done
    shift
    rm -rf "$scratch/try"
    mkdir "$scratch/try"
    cd "$scratch/try"
    if env "${settings[@]}" "$top/configure" "$@" >"$scratch/out" 2>"$scratch/errors" </dev/null; then
        fail "$what: configure went through"
    fi
    if [ "$(wc -l <"$scratch/errors")" -ne 1 ] || ! grep -qE "^configure: error: .*$pattern" "$scratch/errors"; then
        cat "$scratch/errors"
        fail "$what: configure should say one line that matches: $pattern"
    fi
}

# fake_mpicc PREFIX MAJOR MINOR: an Open MPI with mpi.h and nothing else.
fake_mpicc()
{
    mkdir -p "$1/bin" "$1/lib/openmpi/include"
    cat >"$1/lib/openmpi/include/mpi.h" <<END
#define OMPI_MAJOR_VERSION $2
#define OMPI_MINOR_VERSION $3
#define OMPI_RELEASE_VERSION 9
END
    cat >"$1/bin/mpicc" <<END
#!/bin/sh
case \$1 in
--showme:incdirs) echo $1/lib/openmpi/include ;;
--showme:link) echo -lmpi ;;
esac
END
    chmod +x "$1/bin/mpicc"
}

# real_mpicc PREFIX: the real Open MPI, with a copy of its headers in PREFIX.
real_mpicc()
{
    local folder copies=

    mkdir -p "$1/bin"
    for folder in $("$mpicc" --showme:incdirs); do
        mkdir -p "$1$folder"
        [ -e "$1$folder/mpi.h" ] || [ -e "$1$folder/ompi_config.h" ] || cp -rs "$folder/." "$1$folder"
        copies="$copies $1$folder"
    done
    cat >"$1/bin/mpicc" <<END
#!/bin/sh
case \$1 in
--showme:incdirs) echo $copies ;;
*) exec $mpicc "\$@" ;;
esac
END
    chmod +x "$1/bin/mpicc"
}

fake_mpicc "$scratch/bare" 4 1
fake_mpicc "$scratch/newer" 9 1
fake_mpicc "$scratch/five" 5 0
fake_mpicc "$scratch/own_pmix" 5 0
touch "$scratch/own_pmix/lib/openmpi/include/pmix.h"
real_mpicc "$scratch/holes"
find "$scratch/holes" -path '*/ompi/attribute/attribute.h' -delete
real_mpicc "$scratch/mixed"
printf '#!/bin/sh\necho "Open MPI v4.0.3"\n' >"$scratch/mixed/bin/ompi_info"
chmod +x "$scratch/mixed/bin/ompi_info"
mkdir -p "$scratch/mpich/bin" "$scratch/olducx/include/ucp/api" "$scratch/olducx/lib"
printf '#!/bin/sh\necho "unknown option" >&2\nexit 1\n' >"$scratch/mpich/bin/mpicc"
chmod +x "$scratch/mpich/bin/mpicc"
touch "$scratch/olducx/include/ucp/api/ucp.h" "$scratch/olducx/lib/libucp.so"
printf '#define UCP_API_MAJOR 1\n#define UCP_API_MINOR 12\n' >"$scratch/olducx/include/ucp/api/ucp_version.h"

expect "no compiler" "check CC" CC=/nonexistent/cc --
expect "wrong Open MPI folder" "no /nonexistent/bin/mpicc; give" -- --with-ompi=/nonexistent
expect "another MPI" "is not Open MPI's compiler wrapper; give" -- --with-ompi="$scratch/mpich"
expect "no development headers" "4\.1\.9 .*no development headers .*libopenmpi-dev" -- --with-ompi="$scratch/bare"
expect "headers with holes" "lacks the header ompi/attribute/attribute\.h, .*libopenmpi-dev" -- \
    --with-ompi="$scratch/holes"
expect "two Open MPIs" "mixed: mpi.h is of $(made_with OMPI_VERSION), .*ompi_info of 4\.0\.3;.*--with-ompi=DIR" -- \
    --with-ompi="$scratch/mixed"
expect "unsupported Open MPI" "9\.1\.9 .*not supported.*--with-ompi=DIR" -- --with-ompi="$scratch/newer"
expect "without Open MPI" "cannot be built" -- --without-ompi
expect "wrong UCX folder" "no /nonexistent/include/ucp/api/ucp.h; give" -- --with-ucx=/nonexistent
expect "old UCX" "1\.12 .*too old.*--with-ucx=DIR" -- --with-ucx="$scratch/olducx"
expect "no PMIx" "5\.0\.9 needs PMIx's headers.*libpmix-dev" PKG_CONFIG_LIBDIR=/nonexistent \
    PKG_CONFIG_PATH=/nonexistent -- --with-ompi="$scratch/five"
expect "Open MPI's own PMIx" "5\.0\.9 .*no development headers" PKG_CONFIG_LIBDIR=/nonexistent \
    PKG_CONFIG_PATH=/nonexistent -- --with-ompi="$scratch/own_pmix"
# Of all that pkg-config knows, only PMIx, which Open MPI 5.0 and newer needs.
mkdir "$scratch/pmix"
folder=$(pkg-config --variable=pcfiledir pmix) && cp "$folder/pmix.pc" "$scratch/pmix"
case $(made_with OMPI_VERSION) in
4.*) ;;
*)  mkdir "$scratch/no_pmix"
    sed 's,^Cflags:.*,Cflags: -I/nonexistent,' "$folder/pmix.pc" >"$scratch/no_pmix/pmix.pc"
    expect "PMIx's headers gone" "needs PMIx's headers, which are missing.*libpmix-dev" \
        PKG_CONFIG_PATH="$scratch/no_pmix" -- ;;
esac
expect "no UCX" "UCX not found.*libucx-dev" PKG_CONFIG_LIBDIR="$scratch/pmix" PKG_CONFIG_PATH=/nonexistent --
expect "without UCX" "cannot be built" -- --without-ucx
expect "relative component folder" "not an absolute path" -- --with-component-dir=some/folder
expect "space in the component folder" "special character" -- --with-component-dir="/tmp/a b"
expect "empty component folder" "give --with-component-dir=DIR" -- --with-component-dir
