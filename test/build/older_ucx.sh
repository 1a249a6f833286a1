#!/bin/bash
# A UCX that is older than the one of the build: a line in what is told under verbose, and in the report. A newer one is
# as good as the build's. UCX is made older and newer by a library that has its function for its version.
#
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck source=test/build/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# run_with VERSION ARGUMENT...: sets told, how many lines tell that UCX is older.
run_with()
{
    local version=$1

    shift
    cat >"$scratch/version.c" <<EOF
void ucp_get_version(unsigned *major, unsigned *minor, unsigned *release);
void ucp_get_version(unsigned *major, unsigned *minor, unsigned *release)
{
    static const unsigned version[] = { ${version//./, } };

    *major   = version[0];
    *minor   = version[1];
    *release = version[2];
}
EOF
    quietly "$mpicc" -shared -fPIC -o "$scratch/libversion.so" "$scratch/version.c"
    run_window "$components" --mca pml ob1 --mca osc ucp --mca osc_ucp_node 0 "$@" \
        -x LD_PRELOAD="$scratch/libversion.so"
    if [ "$status" -ne 0 ] || [ "$(lines 'window made$')" -ne 2 ]; then
        cat "$scratch/out"
        fail "status $status: with UCX $version there should be a window"
    fi
    told=$(lines "osc/ucp: this UCX is ${version//./\\.}, older than the 1\.[0-9]+ that osc/ucp was built for\$")
}

run_with 1.12.3 --mca osc_base_verbose 10
[ "$told" -eq 2 ] || fail "each process should tell once that UCX is older: $(cat "$scratch/out")"
run_with 1.12.3 --mca osc_ucp_report 1
[ "$told" -eq 1 ] || fail "the report should tell that UCX is older: $(cat "$scratch/out")"
run_with 1.12.3
[ "$(lines osc/ucp)" -eq 0 ] || fail "nobody has asked: $(cat "$scratch/out")"
run_with 1.99.0 --mca osc_base_verbose 10 --mca osc_ucp_report 1
[ "$(lines older)" -eq 0 ] || fail "a newer UCX is none that is older: $(cat "$scratch/out")"
