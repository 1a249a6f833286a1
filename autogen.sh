#!/bin/bash
# Makes ./configure from configure.ac: needed once after a git clone, not with a release tarball.
#
# SPDX-License-Identifier: BSD-3-Clause
set -eu
cd "$(dirname "$0")"

for tool in autoreconf automake libtoolize; do
    if ! command -v "$tool" >/dev/null; then
        echo "autogen.sh: $tool is missing: on Debian, apt install autoconf automake libtool" >&2
        exit 1
    fi
done

if ! said=$(autoreconf --install --force 2>&1); then
    printf '%s\n' "$said" >&2
    echo "autogen.sh: autoreconf failed, see above" >&2
    exit 1
fi
