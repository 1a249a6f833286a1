/* Handoffs at the target: see service/handoff.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Lean windows need no other progress. With no thread of their own, they are served only while the program polls.
 */

#include "service/handoff.h"

#include <string.h>

#include "base/wait.h"
#include "layout/block.h"
#include "memory/cma.h"
#include "memory/handoff.h"
#include "op/op_layout.h"

/** A poll looks at so many windows at most. */
#define LOOKED_MAX 4

/** Bytes that are copied from an origin at once: they stay in the processor's own cache until they are applied. */
#define PULLED_BYTES (64 * 1024)

static struct {
    ompi_osc_ucp_window_t *first;
    ompi_osc_ucp_window_t *next; /**< to be looked at; NULL: the first one */
} served;

/** Carry out an operation with a layout. */
static void carry_out_shaped(const ompi_osc_ucp_window_t *window, ompi_osc_ucp_handoff_record_t *record)
{
    ompi_osc_ucp_handoff_shape_t *shape  = (ompi_osc_ucp_handoff_shape_t *) ompi_osc_ucp_handoff_data(record);
    const ompi_osc_ucp_prim_t    *prim   = ompi_osc_ucp_prim_by_code(record->prim);
    char                         *base   = (char *) (uintptr_t) record->address;
    char                         *packed = ompi_osc_ucp_handoff_packed(shape);
    const uint64_t                bytes  = record->bytes - (uint64_t) (packed - (char *) shape);
    ompi_osc_ucp_layout_t         layout;
    ompi_osc_ucp_layout_iter_t    iter;

    shape->done = ompi_osc_ucp_layout_decode(ompi_osc_ucp_handoff_layout(shape), shape->bytes, &layout);
    if (!shape->done) {
        return;
    }
    ompi_osc_ucp_layout_iter_init(&iter, &layout, shape->pos);
    if (OMPI_OSC_UCP_HANDOFF_SHAPED_PUT == record->kind) {
        ompi_osc_ucp_layout_unpack(&iter, base, packed, bytes);
    } else if (OMPI_OSC_UCP_HANDOFF_SHAPED_GET == record->kind) {
        ompi_osc_ucp_layout_pack(&iter, base, packed, bytes);
    } else {
        ompi_osc_ucp_op_apply_layout(window->stripes, window->key_base, record->op, prim, base, &iter, packed, NULL,
                                     bytes / prim->size);
    }
    ompi_osc_ucp_layout_fini(&layout);
}

/** Copies of an origin's cells: too many for the stack of a thread. One thread at a time. */
static struct {
    _Alignas(64) char cells[PULLED_BYTES];
    uint32_t          held; /**< atomic; only with several threads */
} pulled;

/** Apply cells of the origin's memory. Gaps between them are copied, too, but not the last one: it may lie behind the
 *  origin's buffer. */
static void carry_out_cells(const ompi_osc_ucp_window_t *window, ompi_osc_ucp_handoff_record_t *record)
{
    ompi_osc_ucp_handoff_pull_t *pull   = (ompi_osc_ucp_handoff_pull_t *) ompi_osc_ucp_handoff_data(record);
    const ompi_osc_ucp_prim_t   *prim   = ompi_osc_ucp_prim_by_code(record->prim);
    char                        *target = (char *) (uintptr_t) record->address;
    ompi_osc_ucp_cma_vector_t    vector;
    uint64_t                     done, n;

    for (done = 0; done < pull->cells; done += n) {
        n = pull->cells - done < PULLED_BYTES / prim->extent ? pull->cells - done : PULLED_BYTES / prim->extent;
        ompi_osc_ucp_cma_begin(&vector);
        ompi_osc_ucp_cma_add(&vector, pulled.cells, pull->from + done * prim->extent,
                             n * prim->extent - (uint64_t) ompi_osc_ucp_prim_gap(prim));
        if (!ompi_osc_ucp_cma_copy(pull->pid, false, &vector)) {
            break;
        }
        ompi_osc_ucp_op_apply_cells(window->stripes, (uintptr_t) target - window->key_base, record->op, prim, target,
                                    pulled.cells, NULL, n);
        target += n * prim->extent;
    }
    pull->done = done;
}

static void carry_out_pulled(const ompi_osc_ucp_window_t *window, ompi_osc_ucp_handoff_record_t *record)
{
    if (ompi_osc_ucp_threaded() && !ompi_osc_ucp_take(&pulled.held)) {
        ompi_osc_ucp_take_slowly(&pulled.held);
    }
    carry_out_cells(window, record);
    if (ompi_osc_ucp_threaded()) {
        __atomic_store_n(&pulled.held, 0, __ATOMIC_RELEASE);
    }
}

/** Carry out an operation that is taken. */
static void carry_out(const ompi_osc_ucp_window_t *window, ompi_osc_ucp_handoff_record_t *record)
{
    void                      *target = (void *) (uintptr_t) record->address;
    char                      *data   = ompi_osc_ucp_handoff_data(record);
    char                      *more   = data + record->bytes;
    const uintptr_t            key    = (uintptr_t) record->address - window->key_base;
    const ompi_osc_ucp_prim_t *prim   = ompi_osc_ucp_prim_by_code(record->prim);
    char                       old[OMPI_OSC_UCP_ELEMENT_MAX];

    switch (record->kind) {
    case OMPI_OSC_UCP_HANDOFF_PUT:
        ompi_osc_ucp_block_copy(target, data, record->bytes);
        break;
    case OMPI_OSC_UCP_HANDOFF_GET:
        ompi_osc_ucp_block_copy(data, target, record->bytes);
        break;
    case OMPI_OSC_UCP_HANDOFF_ACCUMULATE:
        ompi_osc_ucp_op_apply(window->stripes, key, record->op, prim, target,
                              OMPI_OSC_UCP_OP_NO_OP == record->op ? NULL : data,
                              record->fetches ? more : NULL, record->bytes / prim->size);
        break;
    case OMPI_OSC_UCP_HANDOFF_SHAPED_PUT:
    case OMPI_OSC_UCP_HANDOFF_SHAPED_GET:
    case OMPI_OSC_UCP_HANDOFF_SHAPED_ACCUMULATE:
        carry_out_shaped(window, record);
        break;
    case OMPI_OSC_UCP_HANDOFF_PULLED_ACCUMULATE:
        carry_out_pulled(window, record);
        break;
    case OMPI_OSC_UCP_HANDOFF_RAISE:
        __atomic_fetch_add(ompi_osc_ucp_counter(window->control, window->counters_max, (uint32_t) record->address),
                           record->cells, __ATOMIC_RELEASE);
        break;
    default:
        ompi_osc_ucp_op_compare_swap(window->stripes, key, prim, target, data, more, old);
        memcpy(more, old, record->bytes);
    }
}

static void carry_all_out(const ompi_osc_ucp_window_t *window, ompi_osc_ucp_handoff_t *handoff)
{
    char *at = handoff->records, *end = at + handoff->used;

    while (at < end) {
        ompi_osc_ucp_handoff_record_t *record = (ompi_osc_ucp_handoff_record_t *) at;

        carry_out(window, record);
        at += ompi_osc_ucp_handoff_takes(record->bytes, record->fetches);
    }
}

bool ompi_osc_ucp_handoff_take(const ompi_osc_ucp_window_t *window)
{
    ompi_osc_ucp_handoff_t *handoff = window->handoff;
    uint32_t                posted  = OMPI_OSC_UCP_HANDOFF_POSTED;

    if (!__atomic_compare_exchange_n(&handoff->state, &posted, OMPI_OSC_UCP_HANDOFF_TAKEN, false, __ATOMIC_ACQUIRE,
                                     __ATOMIC_RELAXED)) {
        return false;
    }
    carry_all_out(window, handoff);
    __atomic_store_n(&handoff->state, OMPI_OSC_UCP_HANDOFF_DONE, __ATOMIC_RELEASE);
    return true;
}

static unsigned poll(void)
{
    ompi_osc_ucp_window_t *window = NULL == served.next ? served.first : served.next;
    unsigned               events = 0, looked;

    for (looked = 0; looked < LOOKED_MAX && NULL != window; looked++) {
        events += ompi_osc_ucp_handoff_serve(window);
        window  = window->next_served;
    }
    served.next = window;
    return events;
}

static void spin_poll(void)
{
    (void) poll();
}

void ompi_osc_ucp_handoff_open(ompi_osc_ucp_window_t *window)
{
    if (OMPI_SUCCESS == ompi_osc_ucp_progress_start()) { /* else origins see no polls */
        ompi_osc_ucp_progress_add(OMPI_OSC_UCP_POLLED_INSIDE, poll);
        ompi_osc_ucp_progress_need();
        window->next_served = served.first;
        window->served_at   = &served.first;
        if (NULL != served.first) {
            served.first->served_at = &window->next_served;
        }
        served.first = window;

        ompi_osc_ucp_spin_poll = spin_poll;
    }
}

void ompi_osc_ucp_handoff_close(ompi_osc_ucp_window_t *window)
{
    if (NULL != window->served_at) {
        *window->served_at = window->next_served;
        if (NULL != window->next_served) {
            window->next_served->served_at = window->served_at;
        }
        window->served_at = NULL;
        served.next       = NULL;
        ompi_osc_ucp_progress_release();
    }
    if (NULL == served.first) {
        ompi_osc_ucp_spin_poll = NULL;
    }
}
