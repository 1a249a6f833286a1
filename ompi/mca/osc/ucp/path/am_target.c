/* The am path, service side: applying peers' requests to a window.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Everything here runs under the service lock, in whichever thread progresses the service worker. Nothing in a
 * message is trusted: every byte range is checked against the window before memory is touched.
 */

#include "am_target.h"

#include <stdio.h>
#include <stdlib.h>

#include "../osc_ucp_check.h"
#include "am.h"

/** A request as its handler sees it. */
typedef struct request_t {
    ompi_osc_ucp_request_header_t header;
    const char                   *data; /**< maybe misaligned */
    size_t                        len;
    opal_common_ucp_ep_t         *reply_ep;
} request_t;

/** A request that came before its turn. */
typedef struct held_t {
    struct held_t *next; /**< in order of sequence */
    request_t      request;
    char           data[];
} held_t;

/** One origin of a window. */
struct ompi_osc_ucp_source_t {
    uint32_t sequence; /**< of the next ordered request to apply */
    uint32_t posts;    /**< received and not yet used by MPI_Win_start */
    int      error;    /**< refused since the last acknowledgement */
    held_t  *held;
};

/** Who waits for a lock: a message to answer, or a thread of this process. */
struct ompi_osc_ucp_waiter_t {
    ompi_osc_ucp_waiter_t *next;
    bool                   exclusive;
    bool                  *granted_p; /**< a thread's, else NULL */
    opal_common_ucp_ep_t  *reply_ep;
    uint64_t               cookie;
};

/** The windows of this process by id. */
static opal_hash_table_t targets;
static bool              targets_made;

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

static void reply_status(const request_t *request, int status)
{
    reply_send(request->reply_ep, request->header.cookie, request->header.reply_pos, status, NULL, 0, NULL);
}

/** Refuse a request: who waits for its reply is told at once, else the next acknowledgement tells. */
static void refuse(ompi_osc_ucp_source_t *source, const request_t *request, int status)
{
    if (0 != request->header.cookie) {
        reply_status(request, status);
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
static int place_find(const ompi_osc_ucp_target_t *target, const request_t *request, int64_t gap, place_t *place_p)
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

static uintptr_t stripe_key(const ompi_osc_ucp_target_t *target, const char *address)
{
    return (uintptr_t) address - target->key_base;
}

/* The kinds of requests. */

typedef void (*apply_fn_t)(ompi_osc_ucp_target_t *target, ompi_osc_ucp_source_t *source, const request_t *request);

static void apply_put(ompi_osc_ucp_target_t *target, ompi_osc_ucp_source_t *source, const request_t *request)
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

static void apply_get(ompi_osc_ucp_target_t *target, ompi_osc_ucp_source_t *source, const request_t *request)
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
static bool accumulate_runs(ompi_osc_ucp_target_t *target, const ompi_osc_ucp_request_header_t *header,
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

static void apply_accumulate(ompi_osc_ucp_target_t *target, ompi_osc_ucp_source_t *source, const request_t *request)
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

static void apply_compare_swap(ompi_osc_ucp_target_t *target, ompi_osc_ucp_source_t *source,
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

static void apply_flush(ompi_osc_ucp_target_t *target, ompi_osc_ucp_source_t *source, const request_t *request)
{
    (void) target;
    reply_status(request, source->error);
    source->error = OMPI_SUCCESS;
}

/** Take the lock for a waiter, if it can be had. */
static bool lock_try(ompi_osc_ucp_queue_lock_t *lock, bool exclusive)
{
    if (lock->exclusive || (exclusive && lock->shared > 0)) {
        return false;
    }
    if (exclusive) {
        lock->exclusive = true;
    } else {
        lock->shared++;
    }
    return true;
}

static void lock_granted(const ompi_osc_ucp_waiter_t *waiter)
{
    if (NULL != waiter->granted_p) {
        __atomic_store_n(waiter->granted_p, true, __ATOMIC_RELEASE);
    } else {
        reply_send(waiter->reply_ep, waiter->cookie, 0, OMPI_SUCCESS, NULL, 0, NULL);
    }
}

/** Grant now, or queue. Whoever waits already goes first, so that nobody waits forever. */
static int lock_request(ompi_osc_ucp_queue_lock_t *lock, const ompi_osc_ucp_waiter_t *request)
{
    ompi_osc_ucp_waiter_t *waiter;

    if (NULL == lock->first && lock_try(lock, request->exclusive)) {
        lock_granted(request);
        return OMPI_SUCCESS;
    }
    waiter = malloc(sizeof(*waiter));
    if (NULL == waiter) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    *waiter      = *request;
    waiter->next = NULL;
    if (NULL == lock->first) {
        lock->first = waiter;
    } else {
        lock->last->next = waiter;
    }
    lock->last = waiter;
    return OMPI_SUCCESS;
}

static void lock_release(ompi_osc_ucp_queue_lock_t *lock, bool exclusive)
{
    ompi_osc_ucp_waiter_t *waiter;

    if (exclusive) {
        lock->exclusive = false;
    } else if (lock->shared > 0) {
        lock->shared--;
    }
    while (NULL != (waiter = lock->first) && lock_try(lock, waiter->exclusive)) {
        lock->first = waiter->next;
        lock_granted(waiter);
        free(waiter);
    }
}

static void apply_lock(ompi_osc_ucp_target_t *target, ompi_osc_ucp_source_t *source, const request_t *request)
{
    ompi_osc_ucp_waiter_t waiter = {
        .exclusive = 0 != (request->header.flags & OMPI_OSC_UCP_FLAG_EXCLUSIVE),
        .reply_ep  = request->reply_ep,
        .cookie    = request->header.cookie
    };
    int                   rc     = lock_request(&target->lock, &waiter);

    if (OMPI_SUCCESS != rc) {
        refuse(source, request, rc);
    }
}

static void apply_unlock(ompi_osc_ucp_target_t *target, ompi_osc_ucp_source_t *source, const request_t *request)
{
    lock_release(&target->lock, 0 != (request->header.flags & OMPI_OSC_UCP_FLAG_EXCLUSIVE));
    apply_flush(target, source, request);
}

static void apply_complete(ompi_osc_ucp_target_t *target, ompi_osc_ucp_source_t *source, const request_t *request)
{
    (void) source;
    (void) request;
    __atomic_fetch_add(&target->completes, 1, __ATOMIC_RELEASE);
}

static void apply_post(ompi_osc_ucp_target_t *target, ompi_osc_ucp_source_t *source, const request_t *request)
{
    (void) request;
    source->posts++;
    __atomic_fetch_add(&target->posts, 1, __ATOMIC_RELEASE);
}

static void apply_barrier(ompi_osc_ucp_target_t *target, ompi_osc_ucp_source_t *source, const request_t *request)
{
    (void) source;
    if (request->header.disp >= 0 && request->header.disp < OMPI_OSC_UCP_BARRIER_ROUNDS) {
        __atomic_fetch_add(&target->arrived[request->header.disp], 1, __ATOMIC_RELEASE);
    }
}

static void apply_describe(ompi_osc_ucp_target_t *target, ompi_osc_ucp_source_t *source, const request_t *request)
{
    (void) source;
    reply_send(request->reply_ep, request->header.cookie, 0, OMPI_SUCCESS, target->description,
               sizeof(*target->description), NULL);
}

static const apply_fn_t apply[OMPI_OSC_UCP_KIND_COUNT] = {
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
    [OMPI_OSC_UCP_KIND_DESCRIBE]     = apply_describe
};

/* Arrival and order. */

/** A message cannot be given back, and without it the origin would wait forever. */
static void out_of_memory(void)
{
    fprintf(stderr, "osc/ucp: out of memory for a peer's message: the job cannot go on\n");
    abort();
}

static ompi_osc_ucp_source_t *source_find(ompi_osc_ucp_target_t *target, uint32_t rank)
{
    void *found = NULL;

    if (OPAL_SUCCESS == opal_hash_table_get_value_uint32(&target->sources, rank, &found)) {
        return found;
    }
    found = calloc(1, sizeof(ompi_osc_ucp_source_t));
    if (NULL != found && OPAL_SUCCESS != opal_hash_table_set_value_uint32(&target->sources, rank, found)) {
        free(found);
        found = NULL;
    }
    return found;
}

/** Keep a request until its turn. */
static void hold(ompi_osc_ucp_source_t *source, const request_t *request)
{
    held_t  *held = malloc(sizeof(*held) + request->len);
    held_t **at   = &source->held;

    if (NULL == held) {
        out_of_memory();
    }
    held->request      = *request;
    held->request.data = held->data;
    if (request->len > 0) {
        memcpy(held->data, request->data, request->len);
    }
    while (NULL != *at && (int32_t) ((*at)->request.header.sequence - request->header.sequence) < 0) {
        at = &(*at)->next;
    }
    held->next = *at;
    *at        = held;
}

static void apply_in_order(ompi_osc_ucp_target_t *target, ompi_osc_ucp_source_t *source, const request_t *request)
{
    held_t *held;

    if (request->header.sequence != source->sequence) {
        hold(source, request);
        return;
    }
    apply[request->header.kind](target, source, request);
    source->sequence++;
    while (NULL != (held = source->held) && held->request.header.sequence == source->sequence) {
        source->held = held->next;
        apply[held->request.header.kind](target, source, &held->request);
        source->sequence++;
        free(held);
    }
}

void ompi_osc_ucp_am_requested(const void *header, size_t header_len, const void *data, size_t len,
                               opal_common_ucp_ep_t *reply_ep)
{
    request_t              request = { .data = data, .len = len, .reply_ep = reply_ep };
    ompi_osc_ucp_source_t *source;
    void                  *target  = NULL;

    if (sizeof(request.header) != header_len) {
        return;
    }
    memcpy(&request.header, header, header_len);
    if (request.header.kind >= OMPI_OSC_UCP_KIND_COUNT || NULL == apply[request.header.kind]) {
        return;
    }
    if (targets_made) {
        (void) opal_hash_table_get_value_uint64(&targets, request.header.window, &target);
    }
    if (NULL != target && request.header.origin >= ((ompi_osc_ucp_target_t *) target)->members) {
        target = NULL;
    }
    if (NULL == target) {
        reply_status(&request, OMPI_ERR_WIN);
        return;
    }
    source = source_find(target, request.header.origin);
    if (NULL == source) {
        out_of_memory();
    }
    if (ompi_osc_ucp_kind_is_ordered(request.header.kind)) {
        apply_in_order(target, source, &request);
    } else {
        apply[request.header.kind](target, source, &request);
    }
}

/* What the process does to its own. */

bool ompi_osc_ucp_target_take_post(ompi_osc_ucp_target_t *target, uint32_t rank)
{
    ompi_osc_ucp_source_t *source;
    bool                   taken = false;

    opal_common_ucp_service_lock();
    source = source_find(target, rank);
    if (NULL != source && source->posts > 0) {
        source->posts--;
        taken = true;
    }
    opal_common_ucp_service_unlock();
    return taken;
}

void ompi_osc_ucp_target_post(ompi_osc_ucp_target_t *target, uint32_t rank)
{
    ompi_osc_ucp_source_t *source;

    opal_common_ucp_service_lock();
    source = source_find(target, rank);
    if (NULL != source) {
        apply_post(target, source, NULL);
    }
    opal_common_ucp_service_unlock();
}

void ompi_osc_ucp_target_complete(ompi_osc_ucp_target_t *target)
{
    apply_complete(target, NULL, NULL);
}

int ompi_osc_ucp_target_lock(ompi_osc_ucp_target_t *target, bool exclusive, bool *granted_p)
{
    ompi_osc_ucp_waiter_t waiter = { .exclusive = exclusive, .granted_p = granted_p };
    int                   rc;

    opal_common_ucp_service_lock();
    rc = lock_request(&target->lock, &waiter);
    opal_common_ucp_service_unlock();
    return rc;
}

void ompi_osc_ucp_target_unlock(ompi_osc_ucp_target_t *target, bool exclusive)
{
    opal_common_ucp_service_lock();
    lock_release(&target->lock, exclusive);
    opal_common_ucp_service_unlock();
}

/* Life. */

ompi_osc_ucp_target_t *ompi_osc_ucp_target_new(ompi_osc_ucp_window_t *window)
{
    bool                   dynamic = MPI_WIN_FLAVOR_DYNAMIC == window->flavor;
    ompi_osc_ucp_target_t *target  = calloc(1, sizeof(*target));

    if (NULL == target) {
        return NULL;
    }
    OBJ_CONSTRUCT(&target->sources, opal_hash_table_t);
    opal_hash_table_init(&target->sources, 8);
    target->members     = (uint32_t) window->size;
    target->base        = dynamic ? NULL : window->base;
    target->bytes       = window->bytes;
    target->stripes     = window->stripes;
    target->key_base    = window->key_base;
    target->description = ompi_osc_ucp_memory_describe(window);
    target->regions     = dynamic ? ompi_osc_ucp_regions_new() : NULL;
    if (NULL == target->description || (dynamic && NULL == target->regions)) {
        ompi_osc_ucp_target_free(target);
        return NULL;
    }
    return target;
}

static void source_free(ompi_osc_ucp_source_t *source)
{
    held_t *held;

    while (NULL != (held = source->held)) {
        source->held = held->next;
        free(held);
    }
    free(source);
}

void ompi_osc_ucp_target_free(ompi_osc_ucp_target_t *target)
{
    uint32_t rank;
    void    *source, *node;
    int      rc;

    for (rc = opal_hash_table_get_first_key_uint32(&target->sources, &rank, &source, &node); OPAL_SUCCESS == rc;
         rc = opal_hash_table_get_next_key_uint32(&target->sources, &rank, &source, node, &node)) {
        source_free(source);
    }
    OBJ_DESTRUCT(&target->sources);
    if (NULL != target->regions) {
        ompi_osc_ucp_regions_free(target->regions);
    }
    free(target->description);
    free(target);
}

bool ompi_osc_ucp_target_publish(ompi_osc_ucp_target_t *target, uint64_t id)
{
    void *found = NULL;
    bool  done  = false;

    opal_common_ucp_service_lock();
    if (!targets_made) {
        OBJ_CONSTRUCT(&targets, opal_hash_table_t);
        opal_hash_table_init(&targets, 32);
        targets_made = true;
    }
    if (OPAL_SUCCESS != opal_hash_table_get_value_uint64(&targets, id, &found)) {
        done = OPAL_SUCCESS == opal_hash_table_set_value_uint64(&targets, id, target);
    }
    if (done) {
        target->id = id;
    }
    opal_common_ucp_service_unlock();
    return done;
}

void ompi_osc_ucp_target_withdraw(ompi_osc_ucp_target_t *target)
{
    opal_common_ucp_service_lock();
    opal_hash_table_remove_value_uint64(&targets, target->id);
    opal_common_ucp_service_unlock();
}
