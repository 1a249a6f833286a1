/* What the process does to the own memory of its windows: loads and stores that libosc_ucp_loads tells of, and buffers
 * of its operations.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * They are kept until the window's next synchronization call takes them (check/conflicts.c). Those between which the
 * clocks do not change have one stamp. Others may know its step from the first of them on: that errs to the side of
 * order.
 */

#include "check/loads.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/params.h"
#include "check/buffers.h"
#include "check/library.h"
#include "check/moments.h"
#include "check/order.h"
#include "check/parts.h"
#include "op/layout_type.h"

/** Kinds of epochs in which others may access the memory at one time. */
#define KINDS 3

/** What one instruction, or one call, accessed while the clocks were the same. */
typedef struct kept_t {
    ompi_osc_ucp_moments_t moments;
    const void            *pc;       /**< of an instruction; NULL: a buffer */
    uint64_t               snapshot; /**< its number */
    ompi_osc_ucp_phase_t   phase;
    ompi_osc_ucp_access_t  access;   /**< without the runs */
} kept_t;

#define SLOTS 64u /**< a power of 2 */

/** A window that has accesses, or may have. */
typedef struct owner_t {
    struct owner_t        *next;
    ompi_osc_ucp_window_t *window;
    ompi_osc_ucp_phase_t   phase;
    kept_t                *kept;  /**< malloc'd, of `room` */
    uint32_t               n, room;
    bool                   left;  /**< some were not kept */
    uint32_t               slots[SLOTS]; /**< one more than the place of the last of an instruction; 0: none */
} owner_t;

/** A range of the own memory of a window. */
typedef struct range_t {
    struct range_t *next;
    owner_t        *owner;
    uintptr_t       first, end;
    uintptr_t       base; /**< of the window; 0: it is dynamic */
} range_t;

/** Guarded by the mutex. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static owner_t        *owners;
static range_t        *ranges;

/** The last stamp. */
static struct {
    uint64_t             number;
    uint64_t             version; /**< of the clocks */
    ompi_osc_ucp_stamp_t stamp;
} snapshot;

/* Keeping accesses. All under the mutex. */

/** Have a stamp that is that of now. */
static void snapshot_take(void)
{
    ompi_osc_ucp_clock_t *clock   = &ompi_osc_ucp_check_clock;
    uint64_t              version = ompi_osc_ucp_clock_version(clock);
    uint32_t              step;

    if (0 != snapshot.number && version == snapshot.version) {
        return;
    }
    step = ompi_osc_ucp_clock_step(clock);
    ompi_osc_ucp_clock_stamp(clock, &snapshot.stamp);
    snapshot.stamp.step = step;
    snapshot.version    = version;
    snapshot.number++;
}

/** Most accesses of a window that are kept. */
static uint32_t kept_most(void)
{
    return ompi_osc_ucp_params.check_records < 16 ? 16 : (uint32_t) ompi_osc_ucp_params.check_records;
}

/** Have room for as many as there may be, or for fewer if memory is short. */
static void kept_reserve(owner_t *owner)
{
    for (owner->room = kept_most(); NULL == owner->kept && owner->room > 0; owner->room /= 2) {
        owner->kept = malloc(owner->room * sizeof(*owner->kept));
        if (NULL != owner->kept) {
            return;
        }
    }
}

/** A new place for an access. NULL: there is none. What loads and stores may need is reserved before: a handler of a
 *  signal makes some, too, and may have interrupted malloc. */
static kept_t *kept_new(owner_t *owner)
{
    kept_t *more = NULL;

    if (owner->n == owner->room) {
        if (NULL == ompi_osc_ucp_check_library && owner->room < kept_most()) {
            more = realloc(owner->kept, (2 * (size_t) owner->room + 16) * sizeof(*more));
        }
        if (NULL == more) {
            owner->left = true;
            return NULL;
        }
        owner->kept = more;
        owner->room = 2 * owner->room + 16;
    }
    return &owner->kept[owner->n++];
}

/** Keep an access of [first, end). */
static void keep(owner_t *owner, int64_t first, int64_t end, const ompi_osc_ucp_access_t *access, const void *pc)
{
    uint32_t *slot = &owner->slots[((uint32_t) ((uintptr_t) pc >> 2) ^ access->does) % SLOTS];
    kept_t   *one  = 0 == *slot ? NULL : &owner->kept[*slot - 1];

    if (NULL != pc && NULL != one && pc == one->pc && one->snapshot == snapshot.number &&
        one->access.does == access->does && ompi_osc_ucp_moments_add(&one->moments, first, end)) {
        return;
    }
    one = kept_new(owner);
    if (NULL == one) {
        return;
    }
    *one = (kept_t) {
        .moments = { .first = first, .end = end }, .pc = pc, .snapshot = snapshot.number, .phase = owner->phase,
        .access  = *access
    };
    one->access.stamp  = snapshot.stamp;
    one->access.begin  = opal_common_ucp_now_ns();
    one->access.finish = one->access.begin;
    one->access.origin = one->access.target = owner->window->rank;
    *slot = owner->n;
}

/** Keep an access of [first, end) for each window whose memory that is. */
static void access_keep(uintptr_t first, uintptr_t end, const ompi_osc_ucp_access_t *access, const void *pc)
{
    const range_t *range;

    for (range = ranges; NULL != range; range = range->next) {
        if (first < range->end && end > range->first) {
            snapshot_take();
            keep(range->owner, (int64_t) ((first > range->first ? first : range->first) - range->base),
                 (int64_t) ((end < range->end ? end : range->end) - range->base), access, pc);
        }
    }
}

/** A load or store of the program. */
static void seen(uintptr_t at, size_t size, unsigned how, const void *pc)
{
    bool                        stores = 0 != (how & MCA_OSC_UCP_LOADS_STORE);
    const ompi_osc_ucp_access_t access = {
        .does = stores ? OMPI_OSC_UCP_DOES_WRITE : OMPI_OSC_UCP_DOES_READ, .local = OMPI_OSC_UCP_LOCAL_PROGRAM,
        .waits = 0 != (how & MCA_OSC_UCP_LOADS_MARKED)
    };

    if (0 != ompi_osc_ucp_library_held) {
        return;
    }
    ompi_osc_ucp_check_touched(at, at + size, stores, pc);
    ompi_osc_ucp_library_lock(&mutex);
    access_keep(at, at + size, &access, pc);
    ompi_osc_ucp_library_unlock(&mutex);
}

/** A buffer of an operation. Only one without gaps. */
static void buffer_keep(const ompi_osc_ucp_check_op_t *op, const ompi_osc_ucp_check_buffer_t *buffer, bool stores)
{
    const ompi_osc_ucp_access_t access = {
        .does = stores ? OMPI_OSC_UCP_DOES_WRITE : OMPI_OSC_UCP_DOES_READ, .local = OMPI_OSC_UCP_LOCAL_BUFFER,
        .site = op->site, .call = (uint8_t) op->call
    };
    ompi_osc_ucp_layout_t layout;

    if (NULL == buffer->type || 0 == buffer->count ||
        OMPI_SUCCESS != ompi_osc_ucp_layout_of_bytes(buffer->type, buffer->count, &layout)) {
        return;
    }
    if (ompi_osc_ucp_layout_is_contiguous(&layout) && layout.size > 0) {
        access_keep((uintptr_t) buffer->at + (uintptr_t) layout.lb, (uintptr_t) buffer->at + (uintptr_t) layout.ub,
                    &access, NULL);
    }
    ompi_osc_ucp_layout_fini(&layout);
}

/* Taking them. */

/** Make an access for each kind of epoch that others may have; returns how many. */
static uint32_t kinds_make(const kept_t *kept, const ompi_osc_ucp_runs_t *runs, ompi_osc_ucp_access_t *accesses)
{
    const ompi_osc_ucp_phase_t *phase = &kept->phase;
    ompi_osc_ucp_access_t       all   = kept->access;
    uint32_t                    n     = 0;

    all.runs = *runs;
    if (NULL != kept->pc) {
        all.site = ompi_osc_ucp_site_of(kept->pc);
    }
    if (0 != phase->fences) {
        accesses[n]          = all;
        accesses[n].within   = OMPI_OSC_UCP_WITHIN_FENCES;
        accesses[n++].number = phase->fences;
    }
    if (0 != phase->exposure) {
        accesses[n]          = all;
        accesses[n].within   = OMPI_OSC_UCP_WITHIN_START;
        accesses[n++].number = phase->exposure;
    }
    if (OMPI_OSC_UCP_WITHIN_EXCLUSIVE != phase->locked && all.stamp.process >= 0) {
        accesses[n]        = all;
        accesses[n].within = OMPI_OSC_UCP_WITHIN_SHARED;
        accesses[n++].free = OMPI_OSC_UCP_WITHIN_SHARED != phase->locked;
    }
    return n;
}

static owner_t *owner_of(const ompi_osc_ucp_window_t *window)
{
    owner_t *owner = owners;

    while (NULL != owner && window != owner->window) {
        owner = owner->next;
    }
    return owner;
}

/** What was accessed before does not grow any more. */
static void slots_clear(owner_t *owner)
{
    memset(owner->slots, 0, sizeof(owner->slots));
}

/** A copy of what an owner keeps, which begins anew. NULL: nothing, or memory is short. Under the mutex. */
static kept_t *kept_copy(owner_t *owner, uint32_t *n_p)
{
    kept_t *kept = 0 == owner->n ? NULL : malloc(owner->n * sizeof(*kept));

    if (NULL != kept) {
        memcpy(kept, owner->kept, owner->n * sizeof(*kept));
        *n_p = owner->n;
    }
    owner->n = 0;
    slots_clear(owner);
    return kept;
}

/** The same for a window. */
static kept_t *kept_take(const ompi_osc_ucp_window_t *window, uint32_t *n_p)
{
    kept_t  *kept = NULL;
    bool     left = false;
    owner_t *owner;

    *n_p = 0;
    ompi_osc_ucp_library_lock(&mutex);
    owner = owner_of(window);
    if (NULL != owner) {
        kept        = kept_copy(owner, n_p);
        left        = owner->left;
        owner->left = false;
    }
    ompi_osc_ucp_library_unlock(&mutex);
    if (left) {
        ompi_osc_ucp_check_leaves("osc/ucp: check: there were more loads and stores than osc_ucp_check_records, so "
                                  "that some are not compared");
    }
    return kept;
}

ompi_osc_ucp_access_t *ompi_osc_ucp_loads_take(const ompi_osc_ucp_window_t *window, uint32_t *n_p)
{
    uint32_t               n, i, made = 0;
    kept_t                *kept     = kept_take(window, &n);
    ompi_osc_ucp_access_t *accesses = NULL == kept ? NULL : calloc(2 * KINDS * (size_t) n, sizeof(*accesses));
    ompi_osc_ucp_runs_t    runs[2];
    int                    j;

    for (i = 0; NULL != accesses && i < n; i++) {
        for (j = ompi_osc_ucp_moments_runs(&kept[i].moments, runs) - 1; j >= 0; j--) {
            made += kinds_make(&kept[i], &runs[j], &accesses[made]);
        }
    }
    free(kept);
    *n_p = made;
    return accesses;
}

void ompi_osc_ucp_loads_phase(const ompi_osc_ucp_window_t *window, const ompi_osc_ucp_phase_t *phase)
{
    owner_t *owner;

    ompi_osc_ucp_library_lock(&mutex);
    owner = owner_of(window);
    if (NULL != owner) {
        owner->phase = *phase;
        slots_clear(owner);
    }
    ompi_osc_ucp_library_unlock(&mutex);
}

/* The part of the checker. */

/** Under the mutex. If memory is short, accesses there are not kept. */
static void range_add(owner_t *owner, uintptr_t first, uintptr_t end, uintptr_t base)
{
    range_t *range = first < end ? malloc(sizeof(*range)) : NULL;

    if (NULL != range) {
        *range = (range_t) { .next = ranges, .owner = owner, .first = first, .end = end, .base = base };
        ranges = range;
        ompi_osc_ucp_library_watch(first, end);
    }
}

/** Remove the owner's range that begins at `first`, or all: 0. Under the mutex. */
static void ranges_remove(const owner_t *owner, uintptr_t first)
{
    range_t **at = &ranges, *range;

    while (NULL != (range = *at)) {
        if (owner == range->owner && (0 == first || first == range->first)) {
            *at = range->next;
            ompi_osc_ucp_library_unwatch(range->first, range->end);
            free(range);
        } else {
            at = &range->next;
        }
    }
}

static bool begin(ompi_osc_ucp_window_t *window, ompi_communicator_t *comm)
{
    owner_t  *owner = calloc(1, sizeof(*owner));
    uintptr_t base  = (uintptr_t) window->base;

    (void) comm;
    if (NULL == owner) {
        return false;
    }
    owner->window = window;
    ompi_osc_ucp_library_begin(seen);
    if (NULL != ompi_osc_ucp_check_library) {
        kept_reserve(owner);
    }
    ompi_osc_ucp_library_lock(&mutex);
    owner->next = owners;
    owners      = owner;
    if (0 != base && window->bytes > 0 && !window->device && window->size > 1) {
        range_add(owner, base, base + (uintptr_t) window->bytes, base);
    }
    ompi_osc_ucp_library_unlock(&mutex);
    return true;
}

static void end(ompi_osc_ucp_window_t *window, bool last)
{
    owner_t **at = &owners, *owner;

    (void) last;
    ompi_osc_ucp_library_lock(&mutex);
    while (NULL != *at && window != (*at)->window) {
        at = &(*at)->next;
    }
    owner = *at;
    if (NULL != owner) {
        *at = owner->next;
        ranges_remove(owner, 0);
        free(owner->kept);
        free(owner);
    }
    ompi_osc_ucp_library_unlock(&mutex);
}

static void called(const ompi_osc_ucp_check_op_t *op, int rc)
{
    if (OMPI_SUCCESS != rc || MPI_PROC_NULL == op->target) {
        return;
    }
    ompi_osc_ucp_library_lock(&mutex);
    if (NULL == op->op || &ompi_mpi_op_no_op.op != op->op) {
        buffer_keep(op, &op->origin, false);
    }
    buffer_keep(op, &op->compare, false);
    buffer_keep(op, &op->result, true);
    ompi_osc_ucp_library_unlock(&mutex);
}

static void attached(ompi_osc_ucp_window_t *window, void *base, size_t size)
{
    owner_t *owner;

    ompi_osc_ucp_library_lock(&mutex);
    owner = owner_of(window);
    if (NULL != owner && window->size > 1) {
        range_add(owner, (uintptr_t) base, (uintptr_t) base + size, 0);
    }
    ompi_osc_ucp_library_unlock(&mutex);
}

static void detaches(ompi_osc_ucp_window_t *window, const void *base)
{
    owner_t *owner;

    ompi_osc_ucp_library_lock(&mutex);
    owner = owner_of(window);
    if (NULL != owner) {
        ranges_remove(owner, (uintptr_t) base);
    }
    ompi_osc_ucp_library_unlock(&mutex);
}

const ompi_osc_ucp_check_part_t ompi_osc_ucp_check_loads = {
    .begin    = begin,
    .end      = end,
    .called   = called,
    .attached = attached,
    .detaches = detaches
};
