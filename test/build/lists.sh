#!/bin/bash
# No source is forgotten in a Makefile.am; configure looks for each header of Open MPI that is included; the table of
# MPI tests has one good row for each program; contrib/matrix runs what only the newest Open MPI has.
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

included=$(cd "$top" && grep -rhoE '^#include "(ompi|opal)[^"]*"' ompi opal compat |
    grep -vE 'mca/(osc|common)/ucp/' | sort -u)
for header in $(sed 's/^#include//' <<<"$included"); do
    grep -qE "^ +#include $header\$" "$top/m4/osc_ucp_ompi.m4" ||
        fail "m4/osc_ucp_ompi.m4 does not look for $header, which is included (OSC_UCP_OMPI_HOLES)"
done

# selftest is for run-tests --self-test, no_copies for its set-up novm, and rdma_overhead measures: they have no row.
programs=$(sed -nE 's,^\t[a-z_]+/([a-z0-9_]+)( .*)?$,\1,p' "$top/test/mpi/Makefile.am" |
    grep -vxE 'selftest|no_copies|rdma_overhead' | sort)
rows=$(sed '/^$/d; /^#/d' "$top/test/tests.table")
named=$(awk '{ print $1 }' <<<"$rows" | sort)
twice=$(uniq -d <<<"$named")
[ -z "$twice" ] || fail "more than one row in test/tests.table: $twice"
twice=$(uniq -d <<<"$programs")
[ -z "$twice" ] || fail "more than one program in test/mpi: $twice"
differ=$(diff <(echo "$programs") <(echo "$named")) ||
    fail "programs in test/mpi/Makefile.am (<) and rows of test/tests.table (>): $differ"
setup='(all|node|novm|shm|tcp|pmlucx|rdma|hosts|mixed|softroce)'
bad=$(sed -E "/^[a-z0-9_]+ +[1-9][0-9]*( +$setup(,$setup)*:[1-9][0-9]*(,[1-9][0-9]*)*)+$/d" <<<"$rows")
[ -z "$bad" ] || fail "not a row that test/run-tests reads: $bad"

# The cell testing of contrib/matrix alone has what Open MPI has since 6.0.
newest=$(sed -n 's/^newest_programs=//p' "$top/contrib/matrix")
for source in $(grep -lE 'HOST_LARGE_COUNTS|HOST_EVENTS|EXT_LARGE_COUNTS' "$top"/test/mpi/*/*.c); do
    name=$(basename "$source" .c)
    grep -qxF "$name" <<<"${newest//,/$'\n'}" || fail "$name is not among newest_programs of contrib/matrix"
done
