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

/** How often a poll looks for the next chunk: for about as long as an origin takes to fill one. */
#define SPINS_PER_CHUNK 16

/** After so many polls in a row that found no chunk, a poll looks only once: the origin does not run, or has become
 *  another program in the midst of it, and nobody else can end its stream. */
#define IDLE_POLLS_MAX 64

/** Most chunks that a poll takes: what the program waits for may be there. */
#define CHUNKS_PER_POLL 16

static struct {
    ompi_osc_ucp_window_t *first;
    ompi_osc_ucp_window_t *next; /**< to be looked at; NULL: the first one */
} served;

/** Carry out an operation with a layout. */
static void carry_out_shaped(const ompi_osc_ucp_window_t *window, const ompi_osc_ucp_handoff_record_t *record,
                             char *data)
{
    ompi_osc_ucp_handoff_shape_t *shape  = (ompi_osc_ucp_handoff_shape_t *) data;
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

/** Copy from or to the pieces of a list. */
static void carry_out_listed(const ompi_osc_ucp_handoff_record_t *record, char *data)
{
    ompi_osc_ucp_handoff_list_t *list   = (ompi_osc_ucp_handoff_list_t *) data;
    char                        *packed = ompi_osc_ucp_handoff_listed(list);
    uint64_t                     i;

    for (i = 0; i < list->n; i++) {
        char *piece = (char *) (uintptr_t) (record->address + (uint64_t) list->pieces[i].from);

        if (OMPI_OSC_UCP_HANDOFF_LISTED_PUT == record->kind) {
            ompi_osc_ucp_block_copy(piece, packed, list->pieces[i].bytes);
        } else {
            ompi_osc_ucp_block_copy(packed, piece, list->pieces[i].bytes);
        }
        packed += list->pieces[i].bytes;
    }
}

/** Copies of an origin's cells: too many for the stack of a thread. One thread at a time. */
static struct {
    _Alignas(64) char cells[PULLED_BYTES];
    uint32_t          held; /**< atomic; only with several threads */
} pulled;

/** Apply cells of the origin's memory. Gaps between them are copied, too, but not the last one: it may lie behind the
 *  origin's buffer. */
static void carry_out_cells(const ompi_osc_ucp_window_t *window, const ompi_osc_ucp_handoff_record_t *record,
                            char *data)
{
    ompi_osc_ucp_handoff_pull_t *pull   = (ompi_osc_ucp_handoff_pull_t *) data;
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

static void carry_out_pulled(const ompi_osc_ucp_window_t *window, const ompi_osc_ucp_handoff_record_t *record,
                             char *data)
{
    if (ompi_osc_ucp_threaded() && !ompi_osc_ucp_take(&pulled.held)) {
        ompi_osc_ucp_take_slowly(&pulled.held);
    }
    carry_out_cells(window, record, data);
    if (ompi_osc_ucp_threaded()) {
        __atomic_store_n(&pulled.held, 0, __ATOMIC_RELEASE);
    }
}

/** Carry out an operation that is taken. */
static void carry_out(const ompi_osc_ucp_window_t *window, const ompi_osc_ucp_handoff_record_t *record, char *data)
{
    void                      *target = (void *) (uintptr_t) record->address;
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
        carry_out_shaped(window, record, data);
        break;
    case OMPI_OSC_UCP_HANDOFF_LISTED_PUT:
    case OMPI_OSC_UCP_HANDOFF_LISTED_GET:
        carry_out_listed(record, data);
        break;
    case OMPI_OSC_UCP_HANDOFF_PULLED_ACCUMULATE:
        carry_out_pulled(window, record, data);
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

/** Carry out records of so many bytes at an address. The first one may lie elsewhere, without its data. */
static void carry_all_out(const ompi_osc_ucp_window_t *window, const ompi_osc_ucp_handoff_record_t *record, char *at,
                          uint32_t used)
{
    char *end = at + used;

    while (at < end) {
        carry_out(window, record, at + sizeof(*record));
        at    += ompi_osc_ucp_handoff_takes(record->bytes, record->fetches);
        record = (ompi_osc_ucp_handoff_record_t *) at;
    }
}

/** Take what was posted there. False: nothing was, or it is taken back. */
static bool take(uint32_t *state)
{
    uint32_t posted = OMPI_OSC_UCP_HANDOFF_POSTED;

    return __atomic_compare_exchange_n(state, &posted, OMPI_OSC_UCP_HANDOFF_TAKEN, false, __ATOMIC_ACQUIRE,
                                       __ATOMIC_RELAXED);
}

static void done(uint32_t *state)
{
    __atomic_store_n(state, OMPI_OSC_UCP_HANDOFF_DONE, __ATOMIC_RELEASE);
}

/** Take the chunk whose turn it is. *last_p: no other one follows. */
static bool chunk_take(const ompi_osc_ucp_window_t *window, ompi_osc_ucp_handoff_t *handoff, bool *last_p)
{
    const uint32_t                taken = __atomic_load_n(&handoff->taken, __ATOMIC_RELAXED);
    ompi_osc_ucp_handoff_chunk_t *chunk = ompi_osc_ucp_handoff_chunk(handoff, taken);

    if (!take(&chunk->state)) {
        return false;
    }
    carry_all_out(window, (ompi_osc_ucp_handoff_record_t *) chunk->records, chunk->records, chunk->used);
    __atomic_store_n(&handoff->taken, taken + 1, __ATOMIC_RELAXED);
    *last_p = chunk->last;
    done(&chunk->state);
    return true;
}

/** Take chunks while further ones come in. One thread at a time: another one could take the last chunk, with its
 *  notifications, while those before it are not over. The states of chunks are set before the handoff's: what an
 *  earlier window has left there must not be seen. */
static bool chunks_take(const ompi_osc_ucp_window_t *window, ompi_osc_ucp_handoff_t *handoff)
{
    unsigned chunks = 0, spins = 0;
    bool     last = false;

    if (ompi_osc_ucp_threaded() && !ompi_osc_ucp_take(&handoff->taking)) {
        return false;
    }
    if (handoff->idle >= IDLE_POLLS_MAX) {
        spins = SPINS_PER_CHUNK - 1;
    }
    while (!last && spins < SPINS_PER_CHUNK && chunks < CHUNKS_PER_POLL &&
           OMPI_OSC_UCP_HANDOFF_STREAMS == __atomic_load_n(&handoff->state, __ATOMIC_ACQUIRE)) {
        if (chunk_take(window, handoff, &last)) {
            chunks++;
            spins = 0;
        } else {
            ompi_osc_ucp_cpu_relax();
            spins++;
        }
    }
    handoff->idle = chunks > 0 ? 0 : handoff->idle + (handoff->idle < IDLE_POLLS_MAX);
    if (ompi_osc_ucp_threaded()) {
        __atomic_store_n(&handoff->taking, 0, __ATOMIC_RELEASE);
    }
    return chunks > 0;
}

bool ompi_osc_ucp_handoff_take(const ompi_osc_ucp_window_t *window)
{
    ompi_osc_ucp_handoff_t *handoff = window->handoff;

    if (OMPI_OSC_UCP_HANDOFF_STREAMS == __atomic_load_n(&handoff->state, __ATOMIC_RELAXED)) {
        return chunks_take(window, handoff);
    }
    if (!take(&handoff->state)) {
        return false;
    }
    carry_all_out(window, ompi_osc_ucp_handoff_first(handoff), ompi_osc_ucp_handoff_records(handoff, handoff->used),
                  handoff->used);
    done(&handoff->state);
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
