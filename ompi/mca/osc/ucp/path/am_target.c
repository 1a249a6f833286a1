/* The service side of a window: its life, the arrival of requests and their order, and what its owner does to it.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "am_target.h"

#include <stdio.h>
#include <stdlib.h>

#include "am.h"
#include "am_apply.h"

/** A request that came before its turn. */
typedef struct ompi_osc_ucp_held_t {
    struct ompi_osc_ucp_held_t *next; /**< in order of sequence */
    request_t                   request;
    char                        data[];
} ompi_osc_ucp_held_t;

/** The windows of this process by id. */
static opal_hash_table_t targets;
static bool              targets_made;

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
static void hold(source_t *source, const request_t *request)
{
    ompi_osc_ucp_held_t  *held = malloc(sizeof(*held) + request->len);
    ompi_osc_ucp_held_t **at   = &source->held;

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

static void apply_in_order(target_t *target, source_t *source, const request_t *request)
{
    ompi_osc_ucp_held_t *held;

    if (request->header.sequence != source->sequence) {
        hold(source, request);
        return;
    }
    ompi_osc_ucp_apply[request->header.kind](target, source, request);
    source->sequence++;
    while (NULL != (held = source->held) && held->request.header.sequence == source->sequence) {
        source->held = held->next;
        ompi_osc_ucp_apply[held->request.header.kind](target, source, &held->request);
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
    if (request.header.kind >= OMPI_OSC_UCP_KIND_COUNT || NULL == ompi_osc_ucp_apply[request.header.kind]) {
        return;
    }
    if (targets_made) {
        (void) opal_hash_table_get_value_uint64(&targets, request.header.window, &target);
    }
    if (NULL != target && request.header.origin >= ((ompi_osc_ucp_target_t *) target)->members) {
        target = NULL;
    }
    if (NULL == target) {
        ompi_osc_ucp_reply_status(&request, OMPI_ERR_WIN);
        return;
    }
    source = source_find(target, request.header.origin);
    if (NULL == source) {
        out_of_memory();
    }
    if (ompi_osc_ucp_kind_is_ordered(request.header.kind)) {
        apply_in_order(target, source, &request);
    } else {
        ompi_osc_ucp_apply[request.header.kind](target, source, &request);
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

void ompi_osc_ucp_target_look(ompi_osc_ucp_target_t *target)
{
    opal_common_ucp_service_lock();
    ompi_osc_ucp_locks_look(target);
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
    target->control     = window->control;
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
    ompi_osc_ucp_held_t *held;

    while (NULL != (held = source->held)) {
        source->held = held->next;
        free(held);
    }
    free(source);
}

void ompi_osc_ucp_target_free(ompi_osc_ucp_target_t *target)
{
    ompi_osc_ucp_waiter_t *waiter;
    uint32_t               rank;
    void                  *source, *node;
    int                    rc;

    for (rc = opal_hash_table_get_first_key_uint32(&target->sources, &rank, &source, &node); OPAL_SUCCESS == rc;
         rc = opal_hash_table_get_next_key_uint32(&target->sources, &rank, &source, node, &node)) {
        source_free(source);
    }
    OBJ_DESTRUCT(&target->sources);
    while (NULL != (waiter = target->waiting)) {
        target->waiting = waiter->next;
        free(waiter);
    }
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
