#!/bin/bash
# A component that was built for another Open MPI says so in one line per process, and declines; the program goes on.
#
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck source=test/build/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

running=$(made_with OMPI_VERSION)
# A copy of the build, without the objects that know the version. It is not where its files know the sources to be.
mkdir "$scratch/build"
cp -a "$build"/{Makefile,config.status,libtool,ompi,opal} "$scratch/build"
cd "$scratch/build/$component"
for source in $(cd "$top/$component" && grep -rl OMPI_OSC_UCP_BUILD_OMPI_VERSION --include='*.c' .); do
    object=$(dirname "$source")/libosc_ucp_la-$(basename "$source" .c).lo
    rm "$object" || fail "the build has no $object"
done
find . -name '*.Plo' -exec sh -c 'for file; do : >"$file"; done' sh {} +
quietly make install-exec OMPI_BUILD_VERSION=3.9.7 componentdir="$scratch/components" \
    top_srcdir="$top" srcdir="$top/$component" VPATH="$top/$component"

run_window "$scratch/components" --mca osc ucp,rdma
if [ "$status" -ne 0 ] || [ "$(lines 'window made$')" -ne 2 ] || [ "$(lines 'osc/ucp')" -ne 2 ] ||
    [ "$(lines "osc/ucp.*3\.9\.7.*${running//./\\.}|osc/ucp.*${running//./\\.}.*3\.9\.7")" -ne 2 ]; then
    cat "$scratch/out"
    fail "status $status; there should be a window made by osc/rdma, and one line per process with both versions"
fi
