#!/bin/bash
# Builds the conda package: see meta.yaml.
#
# SPDX-License-Identifier: BSD-3-Clause

set -eu

./configure --prefix="$PREFIX" --with-ompi="$PREFIX" --with-ucx="$PREFIX" \
    --with-component-dir="$PREFIX/lib/openmpi" --disable-werror --without-otf2
make -j "${CPU_COUNT:-2}"
make install
