#!/bin/bash
# A component that was built for another Open MPI says so in one line per process, and declines; the program goes on.
#
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck source=test/build/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

running=$(made_with OMPI_VERSION)
mkdir "$scratch/build"
cd "$scratch/build"
quietly "$top/configure" --disable-werror --with-component-dir="$scratch/components"
quietly make -j 2 OMPI_BUILD_VERSION=3.9.7
quietly make install OMPI_BUILD_VERSION=3.9.7

run_window "$scratch/components" --mca osc ucp,rdma
if [ "$status" -ne 0 ] || [ "$(lines 'window made$')" -ne 2 ] || [ "$(lines 'osc/ucp')" -ne 2 ] ||
    [ "$(lines "osc/ucp.*3\.9\.7.*${running//./\\.}|osc/ucp.*${running//./\\.}.*3\.9\.7")" -ne 2 ]; then
    cat "$scratch/out"
    fail "status $status; there should be a window made by osc/rdma, and one line per process with both versions"
fi
