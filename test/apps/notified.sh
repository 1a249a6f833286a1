#!/bin/bash
# Notified access from Python: the module is compiled as docs/notified.md says, and each of its functions is called.
#
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck source=test/apps/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# Debian's packages are for Debian's Python, which need not be the first in the path.
python=/usr/bin/python3

need $python python3
need $python-config python3-dev
mpi4py=$($python -c 'import mpi4py; print(mpi4py.get_include())' 2>/dev/null) ||
    skip "there is no mpi4py: install python3-mpi4py"
read -ra includes < <($python-config --includes)
quietly "$mpicc" -O2 -Wall -Wextra -Werror -shared -fPIC "${includes[@]}" -I"$mpi4py" -I"$top/ext" \
    -o "$scratch/osc_ucp_ext.so" "$top/ext/osc_ucp_ext_python.c" -L"$build/ext/.libs" \
    -Wl,-rpath,"$build/ext/.libs" -losc_ucp_ext
for where in $(possible one:2 hosts:2); do
    run "$where" 60 env PYTHONPATH="$scratch" $python -B "$apps/notified.py"
    expect_line "$where" "^all right with ${where#*:} processes$"
done
conclude
