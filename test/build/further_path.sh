#!/bin/bash
# A further path is one new file, one row and one line: a copy of the sources gets one, and an MPI program takes it.
#
# SPDX-License-Identifier: BSD-3-Clause

# shellcheck source=test/build/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

tree=$scratch/tree
program=test/mpi/put_get/put_get
copy_sources "$tree"
rm -f "$tree/config.status" # of a build inside the tree
cd "$tree/$component"

# The one new file.
cat >path/further.c <<'END'
/* A further path: where the environment says so, it serves the windows of MPI_Win_create by messages, and counts them.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include <stdlib.h>

#include "path/am.h"

static int operations;

static int further_attach(ompi_osc_ucp_peer_t *peer, const ompi_osc_ucp_description_t *description)
{
    if (NULL == getenv("FURTHER") || MPI_WIN_FLAVOR_CREATE != peer->window->flavor) {
        return OMPI_ERR_NOT_SUPPORTED;
    }
    if (NULL != description) {
        peer->stream = ompi_osc_ucp_proc_lanes(peer->proc)->stream;
    }
    return OMPI_SUCCESS;
}

static int further_put(ompi_osc_ucp_transfer_t *transfer)
{
    operations++;
    return ompi_osc_ucp_am_put(transfer);
}

static int further_get(ompi_osc_ucp_transfer_t *transfer)
{
    operations++;
    return ompi_osc_ucp_am_get(transfer);
}

static int further_accumulate(ompi_osc_ucp_transfer_t *transfer)
{
    operations++;
    return ompi_osc_ucp_am_accumulate(transfer);
}

static int further_compare_swap(ompi_osc_ucp_transfer_t *transfer)
{
    operations++;
    return ompi_osc_ucp_am_compare_swap(transfer);
}

static __attribute__((destructor)) void tell(void)
{
    if (NULL != getenv("FURTHER")) {
        fprintf(stderr, "further path: %d operations\n", operations);
    }
}

const ompi_osc_ucp_path_t ompi_osc_ucp_path_further = {
    .via          = OMPI_OSC_UCP_VIA_AM,
    .attach       = further_attach,
    .put          = further_put,
    .get          = further_get,
    .accumulate   = further_accumulate,
    .compare_swap = further_compare_swap,
    .flush        = ompi_osc_ucp_am_flush,
    .lock         = ompi_osc_ucp_am_lock,
    .unlock       = ompi_osc_ucp_am_unlock,
    .counters     = ompi_osc_ucp_am_counters,
    .raise        = ompi_osc_ucp_am_raise,
    .post         = ompi_osc_ucp_am_post,
    .complete     = ompi_osc_ucp_am_complete,
    .arrive       = ompi_osc_ucp_am_arrive
};
END

# The one row, and the one line: this is all that differs.
sed -i "s|^#define PATHS(ROW) .*|&\n    ROW(further) \\\\|" reach/paths.c
sed -i "0,/^\tpath\//s||\tpath/further.c \\\\\n&|" Makefile.am
LC_ALL=C diff -r "$top/$component" . | grep -E '^(Only|[<>])' >"$scratch/diff"
diff - "$scratch/diff" <<END || fail "the further path is not one file, one row and one line"
> $(printf '\t')path/further.c \\
Only in ./path: further.c
>     ROW(further) \\
END

# The component with it, quickly: no optimization, nothing else of the tree.
mkdir "$scratch/build"
cd "$scratch/build"
[ -x "$tree/configure" ] || (cd "$tree" && quietly ./autogen.sh)
arguments=()
eval "arguments=($("$build/config.status" --config))"
quietly "$tree/configure" "${arguments[@]}" --with-component-dir="$scratch/components" CFLAGS=-O0 \
    --disable-dependency-tracking
quietly make -C $transport -j 2
quietly make -C $component -j 2 install
quietly "$mpicc" -O -I"$top/test/mpi/lib" -o "$scratch/program" "$top/$program.c"

# The number of operations that its 2 processes leave to the path, in $scratch/counts; $@ goes to mpirun.
run_program()
{
    OMPI_MCA_mca_base_component_path=$scratch/components:SYSTEM_DEFAULT:USER_DEFAULT quietly "$within" 60 \
        "$mpirun" -np 2 --oversubscribe --mca osc ucp "$@" "$scratch/program"
    sed -n 's/^further path: \([0-9]*\) operations$/\1/p' "$scratch/log" >"$scratch/counts"
}

run_program
[ ! -s "$scratch/counts" ] || fail "the further path tells something without being asked for"
run_program -x FURTHER=1 --mca osc_ucp_node 0 # a lean window has no messages
if [ "$(wc -l <"$scratch/counts")" -ne 2 ] || grep -qx 0 "$scratch/counts"; then
    cat "$scratch/log"
    fail "$program: both processes should have told of operations by the further path"
fi
