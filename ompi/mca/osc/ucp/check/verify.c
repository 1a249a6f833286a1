/* What a target sees in its own memory when an epoch of others' operations ends.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A put tells a fingerprint of its bytes. In active target epochs it is complete when the epoch ends, and no update of
 * the same bytes may begin before that (MPI-3.1 section 11.7). So if the bytes are other ones then, something has
 * changed them too early: mostly a store of the program. A store that a late put has replaced does not show.
 */

#include "check/verify.h"

#include "check/bytes.h"
#include "check/local.h"
#include "memory/regions.h"
#include "op/layout_type.h"
#include "service/target.h"

/** A fingerprint in an access. 0 means none. */
static uint32_t short_print(const ompi_osc_ucp_check_bytes_t *bytes)
{
    uint64_t print = ompi_osc_ucp_bytes_fingerprint(bytes);

    return (uint32_t) (print >> 32 ^ print) | 1u;
}

uint32_t ompi_osc_ucp_verify_print(const ompi_osc_ucp_check_op_t *op, const ompi_osc_ucp_access_t *access)
{
    ompi_osc_ucp_check_bytes_t bytes = { .base = (uintptr_t) op->origin.at };
    uint32_t                   print = 0;

    if (OMPI_OSC_UCP_DOES_WRITE != access->does || access->within > OMPI_OSC_UCP_WITHIN_START ||
        1 != access->runs.count ||
        opal_common_ucp_on_device((const char *) op->origin.at + op->origin.type->super.true_lb) ||
        OMPI_SUCCESS != ompi_osc_ucp_layout_of_bytes(op->origin.type, op->origin.count, &bytes.layout)) {
        return 0;
    }
    if (ompi_osc_ucp_layout_is_contiguous(&bytes.layout) && access->runs.len == bytes.layout.size) {
        print = short_print(&bytes);
    }
    ompi_osc_ucp_layout_fini(&bytes.layout);
    return print;
}

/** The search for an update of the bytes of a put by something else that is told. */
typedef struct search_t {
    const ompi_osc_ucp_access_t *put;
    bool                         found;
} search_t;

static bool updates(const ompi_osc_ucp_access_t *access)
{
    return OMPI_OSC_UCP_DOES_WRITE == access->does ||
           (OMPI_OSC_UCP_DOES_ACCUMULATE == access->does && OMPI_OSC_UCP_OP_NO_OP != access->op);
}

static void update_look(const ompi_osc_ucp_access_t *found, const ompi_osc_ucp_access_t *put, void *context)
{
    search_t *search = context;
    int64_t   first, end;

    search->found = search->found || (found != search->put && updates(found) &&
                                      (OMPI_OSC_UCP_LOCAL_NOT == found->local ||
                                       ompi_osc_ucp_local_unordered(found, put)) &&
                                      ompi_osc_ucp_access_overlap(found, put, &first, &end));
}

static ompi_osc_ucp_check_access_t told_of(const ompi_osc_ucp_access_t *access)
{
    return (ompi_osc_ucp_check_access_t) {
        .what = ompi_osc_ucp_called_name(access->call), .rank = access->origin, .bytes = true,
        .first = access->runs.first,
        .end = access->runs.first + (int64_t) ((access->runs.count - 1) * access->runs.stride + access->runs.len),
        .site = access->site
    };
}

/** Is what a put touches all in this process's window? The target may have refused the put. */
static bool is_there(ompi_osc_ucp_window_t *window, const ompi_osc_ucp_access_t *put,
                     const ompi_osc_ucp_layout_t *layout)
{
    bool there;

    if (MPI_WIN_FLAVOR_DYNAMIC != window->flavor) {
        return ompi_osc_ucp_in_range(window->bytes, 0, layout->lb, layout->ub);
    }
    opal_common_ucp_service_lock();
    there = ompi_osc_ucp_regions_cover(window->target->regions, 0, layout, 0, put->runs.len, 0);
    opal_common_ucp_service_unlock();
    return there;
}

/** Are the bytes those of the put? */
static void put_look(const ompi_osc_ucp_arrived_t *arrived, const ompi_osc_ucp_access_t *put,
                     const ompi_osc_ucp_verified_t *epoch)
{
    bool                         fences  = OMPI_OSC_UCP_WITHIN_FENCES == epoch->within;
    search_t                     search  = { .put = put };
    ompi_osc_ucp_check_bytes_t   bytes   = { .base = (uintptr_t) epoch->window->base };
    const ompi_osc_ucp_finding_t finding = {
        .kind   = "put-store", .text = "the bytes of a put are changed by something else in the same epoch",
        .target = epoch->window->rank, .bytes = true, .first = put->runs.first,
        .end    = put->runs.first + (int64_t) put->runs.len, .n = 2,
        .access = { told_of(put), { .what = "a store of the program, it seems", .rank = epoch->window->rank } },
        .why    = "the put is complete only when the epoch ends, and the bytes are other ones then",
        .cure   = fences ? "MPI_Win_fence between them" : "store behind MPI_Win_wait, or before MPI_Win_post"
    };

    ompi_osc_ucp_layout_contiguous(&bytes.layout, put->runs.first, put->runs.len);
    if (!is_there(epoch->window, put, &bytes.layout) || put->print == short_print(&bytes)) {
        return;
    }
    ompi_osc_ucp_arrived_find(arrived, put, update_look, &search);
    if (!search.found) { /* else the conflict of the two is told */
        ompi_osc_ucp_check_tell(epoch->window, &finding);
    }
}

/** An update comes to memory of which MPI_MODE_NOPUT says that none does. */
static void noput_tell(const ompi_osc_ucp_access_t *access, const ompi_osc_ucp_verified_t *epoch)
{
    bool                         fences  = OMPI_OSC_UCP_WITHIN_FENCES == epoch->within;
    const ompi_osc_ucp_finding_t finding = {
        .kind   = "assert-lies", .text = "MPI_MODE_NOPUT is given, and the memory is updated", .target = access->target,
        .bytes  = true, .first = access->runs.first, .end = told_of(access).end, .n = 2,
        .access = { { .what = fences ? "MPI_Win_fence" : "MPI_Win_post", .rank = epoch->window->rank,
                      .site = epoch->site }, told_of(access) },
        .why    = "with this assertion no put or accumulate may update the memory until the epoch ends",
        .cure   = "leave out the assertion"
    };

    ompi_osc_ucp_check_tell(epoch->window, &finding);
}

/** What `verify_one` needs. */
typedef struct verifying_t {
    const ompi_osc_ucp_arrived_t  *arrived;
    const ompi_osc_ucp_verified_t *epoch;
} verifying_t;

static void verify_one(const ompi_osc_ucp_access_t *access, const ompi_osc_ucp_access_t *all, void *context)
{
    const verifying_t             *verifying = context;
    const ompi_osc_ucp_verified_t *epoch     = verifying->epoch;

    (void) all;
    if (epoch->within != (ompi_osc_ucp_within_t) access->within || access->number != epoch->number ||
        OMPI_OSC_UCP_LOCAL_NOT != access->local || !updates(access)) {
        return;
    }
    if (0 != (epoch->assert & MPI_MODE_NOPUT) && (0 != access->op || OMPI_OSC_UCP_DOES_WRITE == access->does)) {
        noput_tell(access, epoch); /* compare_and_swap, without an operation, may leave the memory as it is */
    }
    if (0 != access->print && !epoch->window->device) {
        put_look(verifying->arrived, access, epoch);
    }
}

void ompi_osc_ucp_verify(const ompi_osc_ucp_arrived_t *arrived, const ompi_osc_ucp_verified_t *epoch)
{
    ompi_osc_ucp_verified_t exact     = *epoch;
    verifying_t             verifying = { arrived, &exact };
    ompi_osc_ucp_access_t   all       = {
        .runs = { .first = INT64_MIN / 4, .len = INT64_MAX / 2, .count = 1 }, .within = (uint8_t) epoch->within,
        .number = epoch->number
    };

    if (OMPI_OSC_UCP_WITHIN_START == epoch->within) {
        exact.number = all.number = ompi_osc_ucp_arrived_exposure(arrived);
    }
    ompi_osc_ucp_arrived_find(arrived, &all, verify_one, &verifying);
}
