#!/bin/bash
# The tarball is complete: it builds, tests, installs and uninstalls from itself alone (make distcheck).
#
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck source=test/build/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

copy_sources "$scratch/tree"
mkdir "$scratch/build"
cd "$scratch/build"
quietly ../tree/configure --with-component-dir="$scratch/components"
# Optimization is the same for these sources as for any.
quietly make -j 2 distcheck DISTCHECK_CONFIGURE_FLAGS=CFLAGS=-O0
