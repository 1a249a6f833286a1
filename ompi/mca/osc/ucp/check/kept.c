/* The list of calls that osc_ucp_check_schedule keeps: which is carried out next, in how many pieces, and how.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "check/kept.h"

#include <stdlib.h>

#include "base/threads.h"
#include "layer/layer.h"
#include "op/layout_type.h"
#include "peer/pending.h"

/** A call is cut at most so often. */
#define CUTS_MAX 3

static uint64_t state; /* of the random numbers */

void ompi_osc_ucp_kept_seed(uint64_t seed)
{
    state = seed;
}

uint64_t ompi_osc_ucp_kept_random(uint64_t bound)
{
    uint64_t z = state += 0x9e3779b97f4a7c15u; /* splitmix64 */

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (z ^ z >> 31) % bound;
}

/* Carrying out. */

static const ompi_osc_base_module_t *below(ompi_win_t *win)
{
    return ompi_osc_ucp_below(win, OMPI_OSC_UCP_LAYER_SCHEDULE);
}

static int issue_plain(const ompi_osc_ucp_kept_t *kept, ompi_win_t *win)
{
    const ompi_osc_ucp_kept_buffer_t *from = &kept->origin, *to = &kept->result;
    void                             *result = (void *) to->address;

    switch (kept->call) {
    case OMPI_OSC_UCP_CALLED_PUT:
        return below(win)->osc_put(from->address, from->count, from->type, kept->target, kept->disp, kept->count,
                                   kept->type, win);
    case OMPI_OSC_UCP_CALLED_GET:
        return below(win)->osc_get(result, to->count, to->type, kept->target, kept->disp, kept->count, kept->type, win);
    case OMPI_OSC_UCP_CALLED_ACCUMULATE:
        return below(win)->osc_accumulate(from->address, from->count, from->type, kept->target, kept->disp, kept->count,
                                          kept->type, kept->op, win);
    case OMPI_OSC_UCP_CALLED_GET_ACCUMULATE:
        return below(win)->osc_get_accumulate(from->address, from->count, from->type, result, to->count, to->type,
                                              kept->target, kept->disp, kept->count, kept->type, kept->op, win);
    case OMPI_OSC_UCP_CALLED_FETCH_AND_OP:
        return below(win)->osc_fetch_and_op(from->address, result, kept->type, kept->target, kept->disp, kept->op, win);
    default:
        return below(win)->osc_compare_and_swap(from->address, kept->compare, result, kept->type, kept->target,
                                                kept->disp, win);
    }
}

int ompi_osc_ucp_kept_issue(const ompi_osc_ucp_kept_t *kept, ompi_win_t *win, ompi_request_t **request_p)
{
    const ompi_osc_ucp_kept_buffer_t *from = &kept->origin, *to = &kept->result;
    void                             *result = (void *) to->address;

    if (NULL == request_p) {
        return issue_plain(kept, win);
    }
    switch (kept->call) {
    case OMPI_OSC_UCP_CALLED_PUT:
        return below(win)->osc_rput(from->address, from->count, from->type, kept->target, kept->disp, kept->count,
                                    kept->type, win, request_p);
    case OMPI_OSC_UCP_CALLED_GET:
        return below(win)->osc_rget(result, to->count, to->type, kept->target, kept->disp, kept->count, kept->type, win,
                                    request_p);
    case OMPI_OSC_UCP_CALLED_ACCUMULATE:
        return below(win)->osc_raccumulate(from->address, from->count, from->type, kept->target, kept->disp,
                                           kept->count, kept->type, kept->op, win, request_p);
    default:
        return below(win)->osc_rget_accumulate(from->address, from->count, from->type, result, to->count, to->type,
                                               kept->target, kept->disp, kept->count, kept->type, kept->op, win,
                                               request_p);
    }
}

static void type_retain(ompi_datatype_t *type)
{
    if (NULL != type) {
        OBJ_RETAIN(type);
    }
}

static void type_release(ompi_datatype_t *type)
{
    if (NULL != type) {
        OBJ_RELEASE(type);
    }
}

static void kept_free(ompi_osc_ucp_kept_t *kept)
{
    type_release(kept->origin.type);
    type_release(kept->result.type);
    type_release(kept->type);
    if (NULL != kept->op) {
        OBJ_RELEASE(kept->op);
    }
    free(kept->image);
    free(kept);
}

/** Complete the program's request, with a code of Open MPI's. */
static void request_end(ompi_osc_ucp_schedule_t *schedule, ompi_osc_ucp_kept_t *kept, int status)
{
    ompi_osc_ucp_enter();
    ompi_osc_ucp_request_complete(kept->request, status, NULL);
    ompi_osc_ucp_leave();
    kept->request = NULL;
    schedule->requests--;
}

int ompi_osc_ucp_kept_carry(ompi_osc_ucp_schedule_t *schedule, ompi_osc_ucp_kept_t *kept)
{
    ompi_osc_ucp_window_t *window = schedule->window;
    int                    rc;

    rc = ompi_osc_ucp_kept_issue(kept, window->win, NULL == kept->request ? NULL : &kept->inner);
    if (NULL != kept->request && OMPI_SUCCESS == rc) {
        kept->next         = schedule->underway;
        schedule->underway = kept;
        return rc;
    }
    if (NULL != kept->request) {
        request_end(schedule, kept, rc);
    }
    if (NULL != kept->image && OMPI_SUCCESS == rc) {
        rc = below(window->win)->osc_flush_local(kept->target, window->win); /* it reads the image */
    }
    kept_free(kept);
    return rc;
}

void ompi_osc_ucp_kept_settle(ompi_osc_ucp_schedule_t *schedule)
{
    ompi_osc_ucp_kept_t **at = &schedule->underway, *kept;
    int                   status;

    while (NULL != (kept = *at)) {
        if (!REQUEST_COMPLETE(kept->inner)) {
            at = &kept->next;
            continue;
        }
        *at    = kept->next;
        status = kept->inner->req_status.MPI_ERROR;
        if (&ompi_request_empty != kept->inner) {
            (void) ompi_request_free(&kept->inner);
        }
        request_end(schedule, kept, status);
        kept_free(kept);
    }
}

bool ompi_osc_ucp_kept_image(ompi_osc_ucp_schedule_t *schedule, ompi_osc_ucp_kept_t *kept)
{
    ompi_osc_ucp_layout_t layout;
    char                 *image;

    if (NULL != kept->result.type || opal_common_ucp_devices->exist()) {
        return false;
    }
    if (NULL == kept->image &&
        OMPI_SUCCESS == ompi_osc_ucp_layout_of_bytes(kept->origin.type, (size_t) kept->origin.count, &layout)) {
        image = malloc((size_t) (layout.ub - layout.lb) + 1);
        if (NULL != image) {
            ompi_osc_ucp_layout_copy(&layout, image - layout.lb, &layout, kept->origin.address);
            kept->image          = image;
            kept->origin.address = image - layout.lb;
        }
        ompi_osc_ucp_layout_fini(&layout);
    }
    if (NULL != kept->image && NULL != kept->request) {
        request_end(schedule, kept, OMPI_SUCCESS);
    }
    return NULL != kept->image;
}

/* The list. */

/** Accumulates of one process to one target stay in their order (MPI-3.1 section 11.7.2). */
static bool ordered(const ompi_osc_ucp_schedule_t *schedule, const ompi_osc_ucp_kept_t *kept)
{
    return OMPI_OSC_UCP_CALLED_PUT != kept->call && OMPI_OSC_UCP_CALLED_GET != kept->call &&
           !schedule->window->unordered;
}

static ompi_osc_ucp_kept_t *append(ompi_osc_ucp_schedule_t *schedule, const ompi_osc_ucp_kept_t *call)
{
    ompi_osc_ucp_kept_t *kept = malloc(sizeof(*kept));

    if (NULL == kept) {
        return NULL;
    }
    *kept = *call;
    type_retain(kept->origin.type);
    type_retain(kept->result.type);
    type_retain(kept->type);
    if (NULL != kept->op) {
        OBJ_RETAIN(kept->op);
    }
    kept->next     = NULL;
    *schedule->end = kept;
    schedule->end  = &kept->next;
    schedule->count++;
    schedule->requests += NULL != kept->request;
    return kept;
}

/** Cut a put or a get of several elements in two, if that can be: `kept` is the first, *rest the second. */
static bool cut(const ompi_osc_ucp_schedule_t *schedule, ompi_osc_ucp_kept_t *kept, ompi_osc_ucp_kept_t *rest)
{
    ompi_osc_ucp_kept_buffer_t *buffer = OMPI_OSC_UCP_CALLED_PUT == kept->call ? &kept->origin : &kept->result;
    ptrdiff_t                   extent, bytes;
    int64_t                     unit = schedule->window->uniform_disp_unit;
    ompi_osc_ucp_count_t        head;

    if ((OMPI_OSC_UCP_CALLED_PUT != kept->call && OMPI_OSC_UCP_CALLED_GET != kept->call) || NULL != kept->request ||
        buffer->type != kept->type || buffer->count != kept->count || kept->count < 2 || unit <= 0) {
        return false;
    }
    head = (ompi_osc_ucp_count_t) (1 + ompi_osc_ucp_kept_random((uint64_t) kept->count - 1));
    ompi_datatype_type_extent(kept->type, &extent);
    if (extent <= 0 || __builtin_mul_overflow(extent, (ptrdiff_t) head, &bytes) || 0 != bytes % unit) {
        return false;
    }
    *rest           = *kept;
    rest->disp     += (ptrdiff_t) (bytes / unit);
    rest->count    -= head;
    kept->count     = head;
    buffer->count   = head;
    buffer          = OMPI_OSC_UCP_CALLED_PUT == rest->call ? &rest->origin : &rest->result;
    buffer->count   = rest->count;
    buffer->address = (const char *) buffer->address + bytes;
    return true;
}

bool ompi_osc_ucp_kept_add(ompi_osc_ucp_schedule_t *schedule, const ompi_osc_ucp_kept_t *call)
{
    ompi_osc_ucp_kept_t piece = *call, rest;
    int                 cuts;

    for (cuts = 0; cuts < CUTS_MAX && cut(schedule, &piece, &rest); cuts++) {
        if (NULL == append(schedule, &piece)) {
            return 0 == cuts ? false : OMPI_SUCCESS == issue_plain(&piece, schedule->window->win);
        }
        piece = rest;
    }
    return NULL != append(schedule, &piece) ||
           (cuts > 0 && OMPI_SUCCESS == issue_plain(&piece, schedule->window->win));
}

/** The place of the first call in the list to a target, or of the first accumulate to it. */
static ompi_osc_ucp_kept_t **first_of(ompi_osc_ucp_schedule_t *schedule, int target, bool accumulate)
{
    ompi_osc_ucp_kept_t **at = &schedule->first;

    while (NULL != *at && ((OMPI_OSC_UCP_KEPT_ALL != target && target != (*at)->target) ||
                           (accumulate && !ordered(schedule, *at)))) {
        at = &(*at)->next;
    }
    return at;
}

static ompi_osc_ucp_kept_t *unlink_at(ompi_osc_ucp_schedule_t *schedule, ompi_osc_ucp_kept_t **at)
{
    ompi_osc_ucp_kept_t *kept = *at;

    *at = kept->next;
    if (NULL == *at) {
        schedule->end = at;
    }
    schedule->count--;
    return kept;
}

ompi_osc_ucp_kept_t *ompi_osc_ucp_kept_take(ompi_osc_ucp_schedule_t *schedule, ompi_osc_ucp_kept_t *kept)
{
    ompi_osc_ucp_kept_t **at = &schedule->first;

    if (ordered(schedule, kept)) {
        return unlink_at(schedule, first_of(schedule, kept->target, true));
    }
    while (kept != *at) {
        at = &(*at)->next;
    }
    return unlink_at(schedule, at);
}

ompi_osc_ucp_kept_t *ompi_osc_ucp_kept_draw(ompi_osc_ucp_schedule_t *schedule, int target)
{
    ompi_osc_ucp_kept_t *kept, *drawn = NULL;
    unsigned             seen = 0;

    for (kept = schedule->first; NULL != kept; kept = kept->next) {
        if ((OMPI_OSC_UCP_KEPT_ALL == target || target == kept->target) && 0 == ompi_osc_ucp_kept_random(++seen)) {
            drawn = kept;
        }
    }
    return NULL == drawn ? NULL : ompi_osc_ucp_kept_take(schedule, drawn);
}

void ompi_osc_ucp_kept_forget(ompi_osc_ucp_schedule_t *schedule)
{
    while (NULL != schedule->first) {
        kept_free(unlink_at(schedule, &schedule->first));
    }
}
