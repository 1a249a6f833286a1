/* The am path, service side: what each kind of request does to a window.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Nothing in a message is trusted: every byte range is checked against the window before memory is touched.
 */

#include "am_apply.h"

#include <stdlib.h>

#include "../osc_ucp_check.h"

/* Replies. */

static void reply_sent(void *arg, int status)
{
    (void) status;
    free(arg);
}

/** Answer; `buffer` (malloc'd, or NULL) is freed when the data in it have left. */
static void reply_send(opal_common_ucp_ep_t *ep, uint64_t cookie, uint64_t pos, int status, const void *data,
                       size_t len, void *buffer)
{
    ompi_osc_ucp_reply_header_t header = { .cookie = cookie, .pos = pos, .status = status };

    if (NULL == ep || 0 == cookie ||
        OMPI_SUCCESS != opal_common_ucp_send(OPAL_COMMON_UCP_SERVICE, ep, &header, sizeof(header), data, len,
                                             reply_sent, buffer)) {
        free(buffer);
    }
}

void ompi_osc_ucp_reply_status(const request_t *request, int status)
{
    reply_send(request->reply_ep, request->header.cookie, request->header.reply_pos, status, NULL, 0, NULL);
}

/** Refuse a request: who waits for its reply is told at once, else the next acknowledgement tells. */
static void refuse(source_t *source, const request_t *request, int status)
{
    if (0 != request->header.cookie) {
        ompi_osc_ucp_reply_status(request, status);
    } else {
        source->error = status;
    }
}

/* Where a request goes. */

/** The memory that a request names, after all checks. */
typedef struct place_t {
    char                 *base;
    ompi_osc_ucp_layout_t layout; /**< of bytes or cells, relative to base */
    const char           *data;   /**< the request's, behind its layout */
    size_t                len;
} place_t;

/** Find and check it; `gap` bytes of the last cell may lie outside. The caller frees place_p->layout. */
static int place_find(const target_t *target, const request_t *request, int64_t gap, place_t *place_p)
{
    const ompi_osc_ucp_request_header_t *header = &request->header;
    ompi_osc_ucp_layout_t               *layout = &place_p->layout;
    bool                                 fits;

    if (header->layout_len > request->len || header->len > INT64_MAX || header->pos > INT64_MAX) {
        return OMPI_ERR_BAD_PARAM;
    }
    if (0 == header->layout_len) {
        ompi_osc_ucp_layout_contiguous(layout, 0, header->len);
    } else if (!ompi_osc_ucp_layout_decode(request->data, header->layout_len, layout)) {
        return OMPI_ERR_BAD_PARAM;
    }
    if (NULL != target->regions) {
        fits = ompi_osc_ucp_regions_cover(target->regions, (uint64_t) header->disp, layout, gap);
    } else {
        fits = ompi_osc_ucp_in_range(target->bytes, header->disp, layout->lb, layout->ub - gap);
    }
    if (!fits || header->pos > layout->size || header->len > layout->size - header->pos) {
        ompi_osc_ucp_layout_fini(layout);
        return fits ? OMPI_ERR_BAD_PARAM : OMPI_ERR_RMA_RANGE;
    }
    place_p->base = target->base + header->disp;
    place_p->data = request->data + header->layout_len;
    place_p->len  = request->len - header->layout_len;
    return OMPI_SUCCESS;
}

static uintptr_t stripe_key(const target_t *target, const char *address)
{
    return (uintptr_t) address - target->key_base;
}

/* The kinds of requests. */

static void apply_put(target_t *target, source_t *source, const request_t *request)
{
    ompi_osc_ucp_layout_iter_t iter;
    place_t                    place;
    int                        rc = place_find(target, request, 0, &place);

    if (OMPI_SUCCESS != rc) {
        refuse(source, request, rc);
        return;
    }
    if (place.len == request->header.len) {
        ompi_osc_ucp_layout_iter_init(&iter, &place.layout, request->header.pos);
        ompi_osc_ucp_layout_unpack(&iter, place.base, place.data, place.len);
    } else {
        refuse(source, request, OMPI_ERR_BAD_PARAM);
    }
    ompi_osc_ucp_layout_fini(&place.layout);
}

static void apply_get(target_t *target, source_t *source, const request_t *request)
{
    const ompi_osc_ucp_request_header_t *header = &request->header;
    ompi_osc_ucp_layout_iter_t           iter;
    place_t                              place;
    char                                *packed;
    int                                  rc = place_find(target, request, 0, &place);

    if (OMPI_SUCCESS != rc) {
        refuse(source, request, rc);
        return;
    }
    /* Copied, also if contiguous: the reply may have to wait to be sent, and the origin's unlock, right behind the get,
     * lets others change the memory meanwhile. */
    packed = malloc(header->len);
    if (NULL == packed) {
        refuse(source, request, OMPI_ERR_OUT_OF_RESOURCE);
    } else {
        ompi_osc_ucp_layout_iter_init(&iter, &place.layout, header->pos);
        ompi_osc_ucp_layout_pack(&iter, place.base, packed, header->len);
        reply_send(request->reply_ep, header->cookie, header->reply_pos, OMPI_SUCCESS, packed, header->len, packed);
    }
    ompi_osc_ucp_layout_fini(&place.layout);
}

/** Apply to each run of cells; false if a run does not consist of whole cells. */
static bool accumulate_runs(target_t *target, const ompi_osc_ucp_request_header_t *header,
                            const ompi_osc_ucp_prim_t *prim, const place_t *place, char *result)
{
    ompi_osc_ucp_layout_iter_t iter;
    const char                *source = place->data;
    uint64_t                   left   = header->len, len;
    int64_t                    disp;
    size_t                     n;

    ompi_osc_ucp_layout_iter_init(&iter, &place->layout, header->pos);
    while (left > 0 && ompi_osc_ucp_layout_iter_next(&iter, left, &disp, &len)) {
        if (0 != len % prim->extent) {
            return false;
        }
        n = len / prim->extent;
        ompi_osc_ucp_op_apply(target->stripes, stripe_key(target, place->base + disp), header->op, prim,
                              place->base + disp, source, result, n);
        source = OMPI_OSC_UCP_OP_NO_OP == header->op ? NULL : source + n * prim->size;
        result = NULL == result ? NULL : result + n * prim->size;
        left  -= len;
    }
    return true;
}

static void apply_accumulate(target_t *target, source_t *source, const request_t *request)
{
    const ompi_osc_ucp_request_header_t *header = &request->header;
    const ompi_osc_ucp_prim_t           *prim   = ompi_osc_ucp_prim_by_code(header->prim);
    bool                                 fetch  = 0 != (header->flags & OMPI_OSC_UCP_FLAG_FETCH);
    place_t                              place;
    uint64_t                             bytes;
    char                                *result = NULL;
    int                                  rc;

    if (NULL == prim || !ompi_osc_ucp_op_valid(header->op, prim) || 0 != header->len % prim->extent) {
        refuse(source, request, OMPI_ERR_BAD_PARAM);
        return;
    }
    rc = place_find(target, request, ompi_osc_ucp_prim_gap(prim), &place);
    if (OMPI_SUCCESS != rc) {
        refuse(source, request, rc);
        return;
    }
    bytes = header->len / prim->extent * prim->size;
    if (place.len != (OMPI_OSC_UCP_OP_NO_OP == header->op ? 0 : bytes)) {
        rc = OMPI_ERR_BAD_PARAM;
    } else if (fetch && NULL == (result = malloc(bytes + 1))) {
        rc = OMPI_ERR_OUT_OF_RESOURCE;
    } else if (!accumulate_runs(target, header, prim, &place, result)) {
        rc = OMPI_ERR_BAD_PARAM;
    }
    if (OMPI_SUCCESS != rc) {
        free(result);
        refuse(source, request, rc);
    } else if (fetch) {
        reply_send(request->reply_ep, header->cookie, header->reply_pos, OMPI_SUCCESS, result, bytes, result);
    }
    ompi_osc_ucp_layout_fini(&place.layout);
}

static void apply_compare_swap(target_t *target, source_t *source,
                               const request_t *request)
{
    const ompi_osc_ucp_request_header_t *header = &request->header;
    const ompi_osc_ucp_prim_t           *prim   = ompi_osc_ucp_prim_by_code(header->prim);
    place_t                              place;
    char                                *result;
    int                                  rc = OMPI_ERR_BAD_PARAM;

    if (NULL != prim && prim->size == prim->extent && header->len == prim->size && 0 == header->layout_len &&
        2 * header->len == request->len) {
        rc = place_find(target, request, 0, &place);
    }
    if (OMPI_SUCCESS != rc) {
        refuse(source, request, rc);
        return;
    }
    result = malloc(prim->size);
    if (NULL == result) {
        refuse(source, request, OMPI_ERR_OUT_OF_RESOURCE);
        return;
    }
    ompi_osc_ucp_op_compare_swap(target->stripes, stripe_key(target, place.base), prim, place.base, place.data,
                                 place.data + prim->size, result);
    reply_send(request->reply_ep, header->cookie, header->reply_pos, OMPI_SUCCESS, result, prim->size, result);
}

static void apply_flush(target_t *target, source_t *source, const request_t *request)
{
    (void) target;
    ompi_osc_ucp_reply_status(request, source->error);
    source->error = OMPI_SUCCESS;
}

void ompi_osc_ucp_locks_look(target_t *target)
{
    ompi_osc_ucp_lockword_t *word = &target->control->lock;
    ompi_osc_ucp_waiter_t   *waiter;

    while (NULL != (waiter = target->waiting) &&
           ompi_osc_ucp_lockword_enter(word, waiter->ticket, waiter->exclusive)) {
        target->waiting = waiter->next;
        __atomic_fetch_sub(&word->remote, 1, __ATOMIC_RELAXED);
        reply_send(waiter->reply_ep, waiter->cookie, 0, OMPI_SUCCESS, NULL, 0, NULL);
        free(waiter);
    }
}

/** Draw a ticket and queue up; maybe the turn has come at once. */
static void apply_lock(target_t *target, source_t *source, const request_t *request)
{
    ompi_osc_ucp_lockword_t *word   = &target->control->lock;
    ompi_osc_ucp_waiter_t   *waiter = malloc(sizeof(*waiter));

    if (NULL == waiter) {
        refuse(source, request, OMPI_ERR_OUT_OF_RESOURCE);
        return;
    }
    /* Announced first: who passes the turn to this ticket must know that it has to tell. */
    __atomic_fetch_add(&word->remote, 1, __ATOMIC_SEQ_CST);
    *waiter = (ompi_osc_ucp_waiter_t) {
        .ticket    = ompi_osc_ucp_lockword_draw(word),
        .exclusive = 0 != (request->header.flags & OMPI_OSC_UCP_FLAG_EXCLUSIVE),
        .reply_ep  = request->reply_ep,
        .cookie    = request->header.cookie
    };
    if (NULL == target->waiting) {
        target->waiting = waiter;
    } else {
        target->last_waiting->next = waiter;
    }
    target->last_waiting = waiter;
    ompi_osc_ucp_locks_look(target);
}

static void apply_unlock(target_t *target, source_t *source, const request_t *request)
{
    ompi_osc_ucp_lockword_leave(&target->control->lock, 0 != (request->header.flags & OMPI_OSC_UCP_FLAG_EXCLUSIVE));
    ompi_osc_ucp_locks_look(target);
    apply_flush(target, source, request);
}

static void apply_look(target_t *target, source_t *source, const request_t *request)
{
    (void) source;
    (void) request;
    ompi_osc_ucp_locks_look(target);
}

static void apply_complete(target_t *target, source_t *source, const request_t *request)
{
    (void) source;
    (void) request;
    __atomic_fetch_add(&target->control->completes, 1, __ATOMIC_RELEASE);
}

static void apply_post(target_t *target, source_t *source, const request_t *request)
{
    (void) request;
    source->posts++;
    __atomic_fetch_add(&target->posts, 1, __ATOMIC_RELEASE);
}

static void apply_barrier(target_t *target, source_t *source, const request_t *request)
{
    (void) source;
    if (request->header.disp >= 0 && request->header.disp < OMPI_OSC_UCP_BARRIER_ROUNDS) {
        __atomic_fetch_add(&target->control->arrived[request->header.disp], 1, __ATOMIC_RELEASE);
    }
}

static void apply_describe(target_t *target, source_t *source, const request_t *request)
{
    (void) source;
    reply_send(request->reply_ep, request->header.cookie, 0, OMPI_SUCCESS, target->description,
               sizeof(*target->description), NULL);
}

const ompi_osc_ucp_apply_fn_t ompi_osc_ucp_apply[OMPI_OSC_UCP_KIND_COUNT] = {
    [OMPI_OSC_UCP_KIND_PUT]          = apply_put,
    [OMPI_OSC_UCP_KIND_GET]          = apply_get,
    [OMPI_OSC_UCP_KIND_ACCUMULATE]   = apply_accumulate,
    [OMPI_OSC_UCP_KIND_COMPARE_SWAP] = apply_compare_swap,
    [OMPI_OSC_UCP_KIND_FLUSH]        = apply_flush,
    [OMPI_OSC_UCP_KIND_LOCK]         = apply_lock,
    [OMPI_OSC_UCP_KIND_UNLOCK]       = apply_unlock,
    [OMPI_OSC_UCP_KIND_COMPLETE]     = apply_complete,
    [OMPI_OSC_UCP_KIND_POST]         = apply_post,
    [OMPI_OSC_UCP_KIND_BARRIER]      = apply_barrier,
    [OMPI_OSC_UCP_KIND_DESCRIBE]     = apply_describe,
    [OMPI_OSC_UCP_KIND_LOOK]         = apply_look
};
