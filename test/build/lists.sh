#!/bin/bash
# No source is forgotten in a Makefile.am, and no program in the table of MPI tests.
#
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck source=test/build/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# listed MAKEFILE FILE...: each file's name, without .c, is a word of the Makefile.am.
listed()
{
    local makefile=$1 file

    shift
    for file in "$@"; do
        grep -qE "^[[:space:]]+${file//./\\.}( |\$)" "$top/$makefile" || fail "$file is not listed in $makefile"
    done
}

sources()
{
    cd "$top/$1" && find . -name '*.[ch]' | sed 's,^\./,,'
}

for dir in opal/mca/common/ucp ompi/mca/osc/ucp; do
    # shellcheck disable=SC2046
    listed $dir/Makefile.am $(sources $dir)
done
for dir in test/unit test/mpi; do
    # shellcheck disable=SC2046
    listed $dir/Makefile.am $(sources $dir | sed -n 's/\.c$//p')
done
for source in "$top"/test/mpi/*/*.F90; do
    name=${source#"$top/test/mpi/"}
    listed test/mpi/Makefile.am "${name%.F90}_mpifh" "${name%.F90}_usempi" "${name%.F90}_usempif08"
    grep -qE "^EXTRA_DIST = .*$name" "$top/test/mpi/Makefile.am" || fail "$name is not listed in EXTRA_DIST"
done
# shellcheck disable=SC2013
for program in $(sed 's/#.*//' "$top/test/tests.table" | awk 'NF { print $1 }' | sort -u); do
    grep -qE "^[[:space:]]+[a-z_]+/$program( |\$)" "$top/test/mpi/Makefile.am" ||
        fail "$program is not listed in test/mpi/Makefile.am"
done
