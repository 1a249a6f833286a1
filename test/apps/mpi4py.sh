#!/bin/bash
# mpi4py: every one-sided call that it has.
#
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck source=test/apps/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# Debian's packages are for Debian's Python, which need not be the first in the path.
python=/usr/bin/python3

need $python python3
$python -c 'import mpi4py' 2>/dev/null || skip "there is no mpi4py: install python3-mpi4py"
for where in $(possible one:2 one:4 hosts:2 mixed:4); do
    run "$where" 60 $python -B "$apps/rma.py"
    expect_line "$where" "^all right with ${where#*:} processes$"
done
conclude
