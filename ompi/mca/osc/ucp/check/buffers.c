/* The checker's part for buffers of operations that are not complete at the origin: one that the operation reads must
 * not change, and one that it writes must not be another's, too (MPI-3.1 section 11.3).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A buffer is pending from its call to the call that completes it here. When that begins, its fingerprint is taken
 * again, and buffers that were pending at the same time are compared. Results have fingerprints if they were loaded
 * when the call returned: others may still arrive.
 */

#include "check/parts.h"

#include <pthread.h>
#include <stdlib.h>

#include "check/buffers.h"
#include "check/bytes.h"
#include "check/library.h"
#include "check/memory.h"
#include "check/report.h"
#include "op/layout_type.h"
#include "path/path.h"
#include "peer/peer.h"

/** Most pending buffers of a process; further ones are not checked. */
#define PENDING_MAX 4096

/** Pairs that one call compares. */
#define PAIRS_MAX (1 << 20)
#define PAIRS_EXACT_MAX 256

/** What an operation does with a buffer. */
typedef enum role_t { ORIGIN, COMPARE, RESULT } role_t;

static const char *const role_names[] = { "its origin buffer", "its compare buffer", "its result buffer" };

/** A pending buffer. */
typedef struct pending_t {
    struct pending_t          *next;
    ompi_osc_ucp_window_t     *window;
    ompi_osc_ucp_check_bytes_t bytes;
    uint64_t                   number;  /**< of the operation, which may have several buffers */
    uint64_t                   print;   /**< if it is printed */
    bool                       printed; /**< the fingerprint is that of the call */
    role_t                     role;
    ompi_osc_ucp_called_t      call;
    ompi_osc_ucp_site_t        site;
    int                        target;
    ompi_request_t            *request; /**< of an R call, else NULL */
    bool                       over;    /**< the call that looks completes it */
    bool                       told;
    bool                       stores;  /**< with `touched` */
    const void                *touched; /**< where a handler of a signal touched it, which could not tell; NULL: none */
} pending_t;

/** All pending buffers of the process, the last first, and how many write. Guarded by the mutex. */
static struct {
    pthread_mutex_t mutex;
    pending_t      *last;
    pending_t      *spare; /**< not in use */
    int             n, writers;
    uint64_t        operations;
} all = { .mutex = PTHREAD_MUTEX_INITIALIZER };

static pending_t *pending_new(void)
{
    pending_t *pending = all.spare;

    if (all.n >= PENDING_MAX) {
        ompi_osc_ucp_check_leaves(OMPI_OSC_UCP_CHECK_TOO_MANY);
        return NULL;
    }
    if (NULL != pending) {
        all.spare = pending->next;
        return pending;
    }
    return malloc(sizeof(*pending));
}

/** What completes an operation that has a buffer, in the epoch that its window is in. */
static const char *cure_of(const pending_t *pending)
{
    if (NULL != pending->request) {
        return "wait for its request before";
    }
    switch (pending->window->epoch) {
    case OMPI_OSC_UCP_EPOCH_FENCE:
        return "call MPI_Win_fence before";
    case OMPI_OSC_UCP_EPOCH_START:
        return "call MPI_Win_complete before";
    default:
        return "call MPI_Win_flush_local, MPI_Win_flush or the unlock before";
    }
}

static ompi_osc_ucp_check_access_t access_of(const pending_t *pending)
{
    return (ompi_osc_ucp_check_access_t) {
        .what = ompi_osc_ucp_called_name(pending->call), .rank = pending->window->rank,
        .bytes = ompi_osc_ucp_layout_is_contiguous(&pending->bytes.layout),
        .first = 0, .end = pending->bytes.layout.ub - pending->bytes.layout.lb,
        .where = role_names[pending->role], .site = pending->site
    };
}

/** Tell that the program loads a result, or stores to a buffer. Under the mutex. */
static void touched_tell(pending_t *pending, bool stores, const void *pc)
{
    ompi_osc_ucp_finding_t finding = {
        .kind   = stores ? "buffer-changed" : "buffer-read",
        .text   = stores ? "the program changes a buffer of an operation before the operation is complete"
                         : "the program reads the result of an operation before the operation is complete",
        .target = -1, .n = 2,
        .access = { access_of(pending),
                    { .what = stores ? "a store of the program" : "a load of the program",
                      .rank = pending->window->rank, .site = ompi_osc_ucp_site_of(pc) } },
        .why    = "no call between them completes the operation", .cure = cure_of(pending)
    };

    pending->told = true;
    ompi_osc_ucp_check_tell(pending->window, &finding);
}

/** A buffer is no longer pending; *at is it. */
static void pending_remove(pending_t **at)
{
    pending_t *pending = *at;

    if (NULL != pending->touched) {
        touched_tell(pending, pending->stores, pending->touched);
    }
    ompi_osc_ucp_library_unwatch(ompi_osc_ucp_bytes_first(&pending->bytes), ompi_osc_ucp_bytes_end(&pending->bytes));
    *at          = pending->next;
    all.n       -= 1;
    all.writers -= RESULT == pending->role;
    ompi_osc_ucp_layout_fini(&pending->bytes.layout);
    pending->next = all.spare;
    all.spare     = pending;
}

/** Is the result of an operation here when the call returns, as far as osc/ucp is concerned? Certain of loads only. */
static bool is_over(const ompi_osc_ucp_check_op_t *op)
{
    const ompi_osc_ucp_peer_t *peer = ompi_osc_ucp_peer_recent(op->window, op->target);

    return op->window->lean && NULL == op->window->below[OMPI_OSC_UCP_LAYER_SCHEDULE] && NULL != peer && peer->known &&
           NULL == peer->path->flush;
}

/** Is the fingerprint of a buffer worth taking: can nobody change it but this program against the rules? Memory of
 *  windows may be changed by other processes, and in passive target epochs these may know that the bytes were read. */
static bool is_printable(const ompi_osc_ucp_check_op_t *op, const ompi_osc_ucp_check_bytes_t *bytes, role_t role)
{
    bool active = OMPI_OSC_UCP_EPOCH_FENCE == op->window->epoch || OMPI_OSC_UCP_EPOCH_START == op->window->epoch;

    if (RESULT != role && active && op->target != op->window->rank) {
        return true;
    }
    return (RESULT != role || is_over(op)) &&
           !ompi_osc_ucp_check_exposes(ompi_osc_ucp_bytes_first(bytes), ompi_osc_ucp_bytes_end(bytes));
}

/** Does the last pending buffer say the same? Programs put the same constant many times. */
static bool is_repeated(const pending_t *pending)
{
    const pending_t *last = all.last;

    return NULL != last && RESULT != pending->role && last->role == pending->role && last->window == pending->window &&
           last->target == pending->target && last->call == pending->call && NULL == last->request &&
           NULL == pending->request && last->bytes.base == pending->bytes.base &&
           ompi_osc_ucp_layout_is_contiguous(&last->bytes.layout) &&
           ompi_osc_ucp_layout_is_contiguous(&pending->bytes.layout) &&
           last->bytes.layout.lb == pending->bytes.layout.lb && last->bytes.layout.ub == pending->bytes.layout.ub &&
           last->printed == pending->printed && last->print == pending->print &&
           ompi_osc_ucp_site_same(last->site, pending->site);
}

/** Add a buffer of an operation that has begun, if the call has it. Under the mutex. */
static void pending_add(const ompi_osc_ucp_check_op_t *op, const ompi_osc_ucp_check_buffer_t *buffer, role_t role)
{
    pending_t *pending;

    if (NULL == buffer->type || 0 == buffer->count || 0 == buffer->type->super.size ||
        opal_common_ucp_on_device((const char *) buffer->at + buffer->type->super.true_lb) ||
        NULL == (pending = pending_new())) {
        return;
    }
    if (OMPI_SUCCESS != ompi_osc_ucp_layout_of_bytes(buffer->type, buffer->count, &pending->bytes.layout)) {
        free(pending);
        return;
    }
    pending->bytes.base = (uintptr_t) buffer->at;
    pending->window     = op->window;
    pending->number     = all.operations;
    pending->role       = role;
    pending->call       = op->call;
    pending->site       = op->site;
    pending->target     = op->target;
    pending->request    = op->request;
    pending->told       = false;
    pending->touched    = NULL;
    pending->printed    = is_printable(op, &pending->bytes, role);
    pending->print      = pending->printed ? ompi_osc_ucp_bytes_fingerprint(&pending->bytes) : 0;
    pending->next       = all.last;
    if (is_repeated(pending)) {
        ompi_osc_ucp_layout_fini(&pending->bytes.layout);
        pending->next = all.spare;
        all.spare     = pending;
        return;
    }
    ompi_osc_ucp_library_watch(ompi_osc_ucp_bytes_first(&pending->bytes), ompi_osc_ucp_bytes_end(&pending->bytes));
    all.last     = pending;
    all.n       += 1;
    all.writers += RESULT == role;
}

static bool is_requested(ompi_osc_ucp_called_t call)
{
    return OMPI_OSC_UCP_CALLED_RPUT == call || OMPI_OSC_UCP_CALLED_RGET == call ||
           OMPI_OSC_UCP_CALLED_RACCUMULATE == call || OMPI_OSC_UCP_CALLED_RGET_ACCUMULATE == call;
}

static void buffers_called(const ompi_osc_ucp_check_op_t *op, int rc)
{
    bool reads = NULL == op->op || &ompi_mpi_op_no_op.op != op->op;

    if (OMPI_SUCCESS != rc || MPI_PROC_NULL == op->target || (is_requested(op->call) && NULL == op->request)) {
        return;
    }
    ompi_osc_ucp_library_lock(&all.mutex);
    all.operations++;
    if (reads) {
        pending_add(op, &op->origin, ORIGIN);
    }
    pending_add(op, &op->compare, COMPARE);
    pending_add(op, &op->result, RESULT);
    ompi_osc_ucp_library_unlock(&all.mutex);
}

/** Does the call complete the operation of the buffer at this process? */
static bool completes(const ompi_osc_ucp_check_sync_t *sync, const pending_t *pending)
{
    if (sync->window != pending->window) {
        return false;
    }
    switch (sync->call) {
    case OMPI_OSC_UCP_CALLED_FENCE:
    case OMPI_OSC_UCP_CALLED_COMPLETE:
    case OMPI_OSC_UCP_CALLED_UNLOCK_ALL:
    case OMPI_OSC_UCP_CALLED_FLUSH_ALL:
    case OMPI_OSC_UCP_CALLED_FLUSH_LOCAL_ALL:
        return true;
    case OMPI_OSC_UCP_CALLED_UNLOCK:
    case OMPI_OSC_UCP_CALLED_FLUSH:
    case OMPI_OSC_UCP_CALLED_FLUSH_LOCAL:
        return sync->target == pending->target;
    default:
        return false;
    }
}

/** Tell that a buffer has changed, or that its memory was given back, before `call` completes the operation. */
static void changed_tell(pending_t *pending, bool mapped, ompi_osc_ucp_called_t call, ompi_osc_ucp_site_t site)
{
    ompi_osc_ucp_finding_t finding = {
        .kind   = mapped ? "buffer-changed" : "buffer-freed",
        .text   = mapped ? "the program changes a buffer of an operation before the operation is complete"
                         : "the memory of a buffer is given back before its operation is complete",
        .target = -1, .n = 2,
        .access = { access_of(pending),
                    { .what = ompi_osc_ucp_called_name(call), .rank = pending->window->rank, .site = site } },
        .why    = "the second call is the first that completes the operation, and the buffer is not as it was",
        .cure   = cure_of(pending)
    };

    pending->told = true;
    ompi_osc_ucp_check_tell(pending->window, &finding);
}

/** Look at a buffer whose operation is about to be complete. */
static void buffer_look(pending_t *pending, ompi_osc_ucp_called_t call, ompi_osc_ucp_site_t site)
{
    if (pending->told) {
        return;
    }
    if (!ompi_osc_ucp_bytes_mapped(&pending->bytes)) {
        changed_tell(pending, false, call, site);
    } else if (pending->printed && pending->print != ompi_osc_ucp_bytes_fingerprint(&pending->bytes)) {
        changed_tell(pending, true, call, site);
    }
}

/** Tell it now: the program may never call again. A handler of a signal may have interrupted malloc, which telling
 *  needs: then it is told when the operation completes. Under the mutex. */
static void touched(pending_t *pending, bool stores, const void *pc)
{
    if (ompi_osc_ucp_site_in_handler()) {
        pending->told    = true;
        pending->stores  = stores;
        pending->touched = pc;
    } else {
        touched_tell(pending, stores, pc);
    }
}

void ompi_osc_ucp_check_touched(uintptr_t first, uintptr_t end, bool stores, const void *pc)
{
    ompi_osc_ucp_check_bytes_t bytes = { .base = first };
    pending_t                 *pending;
    uintptr_t                  at;

    if (NULL == __atomic_load_n(&all.last, __ATOMIC_RELAXED)) {
        return;
    }
    ompi_osc_ucp_layout_contiguous(&bytes.layout, 0, end - first);
    ompi_osc_ucp_library_lock(&all.mutex);
    for (pending = all.last; NULL != pending; pending = pending->next) {
        if (!pending->told && (stores || RESULT == pending->role) && first < ompi_osc_ucp_bytes_end(&pending->bytes) &&
            end > ompi_osc_ucp_bytes_first(&pending->bytes) &&
            ompi_osc_ucp_bytes_meet(&bytes, &pending->bytes, &at)) {
            touched(pending, stores, pc);
        }
    }
    ompi_osc_ucp_library_unlock(&all.mutex);
}

/** What two buffers do that share bytes. */
static const char *shared_text(const pending_t *one, const pending_t *other)
{
    if (one->number == other->number) {
        return "two buffers of one operation share bytes, and it writes one of them";
    }
    return one->role == other->role ? "two operations that are not complete write the same bytes of buffers"
                                    : "an operation writes bytes of a buffer that another one reads, and neither is "
                                      "complete";
}

/** Tell that two buffers share the byte at that address. */
static void shared_tell(pending_t *one, pending_t *other, uintptr_t at)
{
    bool                   alone   = one->number == other->number;
    pending_t             *first   = one->number <= other->number ? one : other, *second = first == one ? other : one;
    ompi_osc_ucp_finding_t finding = {
        .kind   = "buffer-shared", .text = shared_text(one, other),
        .target = -1, .n = 2, .access = { access_of(first), access_of(second) },
        .why    = alone ? "an operation reads and writes its buffers in any order"
                        : "no call between them completes the first",
        .cure   = alone ? "give the operation separate buffers" : cure_of(first)
    };

    finding.access[0].first = (int64_t) (at - ompi_osc_ucp_bytes_first(&first->bytes));
    finding.access[1].first = (int64_t) (at - ompi_osc_ucp_bytes_first(&second->bytes));
    one->told = other->told = true;
    ompi_osc_ucp_check_tell(first->window, &finding);
}

static int by_address(const void *a, const void *b)
{
    uintptr_t one   = ompi_osc_ucp_bytes_first(&(*(pending_t *const *) a)->bytes);
    uintptr_t other = ompi_osc_ucp_bytes_first(&(*(pending_t *const *) b)->bytes);

    return one < other ? -1 : one > other;
}

/** Do two buffers have to be compared? */
static bool is_suspect(const pending_t *one, const pending_t *other)
{
    return (RESULT == one->role || RESULT == other->role) && (one->over || other->over);
}

/** Compare all pairs of pending buffers one of which is over. */
static void pairs_look(void)
{
    static pending_t *sorted[PENDING_MAX]; /* the mutex guards it */
    pending_t        *pending;
    int               n = 0, i, j, pairs = 0, exact = 0;
    uintptr_t         at;

    for (pending = all.last; NULL != pending; pending = pending->next) {
        sorted[n++] = pending;
    }
    qsort(sorted, (size_t) n, sizeof(sorted[0]), by_address);
    for (i = 0; i < n; i++) {
        uintptr_t end = ompi_osc_ucp_bytes_end(&sorted[i]->bytes);

        for (j = i + 1; j < n && ompi_osc_ucp_bytes_first(&sorted[j]->bytes) < end && pairs++ < PAIRS_MAX; j++) {
            if (is_suspect(sorted[i], sorted[j]) && exact++ < PAIRS_EXACT_MAX &&
                ompi_osc_ucp_bytes_meet(&sorted[i]->bytes, &sorted[j]->bytes, &at)) {
                shared_tell(sorted[i], sorted[j], at);
            }
        }
    }
}

/** Look at the buffers that are marked as over, and forget them. Under the mutex. */
static void over_look(ompi_osc_ucp_called_t call, ompi_osc_ucp_site_t site)
{
    pending_t **at = &all.last;

    if (all.writers > 0) {
        pairs_look();
    }
    while (NULL != *at) {
        if ((*at)->over) {
            buffer_look(*at, call, site);
            pending_remove(at);
        } else {
            at = &(*at)->next;
        }
    }
}

static void buffers_synchronizes(const ompi_osc_ucp_check_sync_t *sync)
{
    pending_t *pending;
    int        n = 0;

    ompi_osc_ucp_library_lock(&all.mutex);
    for (pending = all.last; NULL != pending; pending = pending->next) {
        pending->over = completes(sync, pending);
        n            += pending->over;
    }
    if (n > 0) {
        over_look(sync->call, sync->site);
    }
    ompi_osc_ucp_library_unlock(&all.mutex);
}

static void buffers_done(ompi_osc_ucp_window_t *window, ompi_request_t *request)
{
    pending_t *pending;
    int        n = 0;

    (void) window;
    ompi_osc_ucp_library_lock(&all.mutex);
    for (pending = all.last; NULL != pending; pending = pending->next) {
        pending->over = request == pending->request;
        n            += pending->over;
    }
    if (n > 0) {
        over_look(OMPI_OSC_UCP_CALLED_NONE, (ompi_osc_ucp_site_t) { 0 });
    }
    ompi_osc_ucp_library_unlock(&all.mutex);
}

static void buffers_end(ompi_osc_ucp_window_t *window, bool last)
{
    pending_t **at = &all.last;

    (void) last;
    ompi_osc_ucp_library_lock(&all.mutex);
    while (NULL != *at) {
        if (window == (*at)->window) {
            pending_remove(at);
        } else {
            at = &(*at)->next;
        }
    }
    ompi_osc_ucp_library_unlock(&all.mutex);
}

const ompi_osc_ucp_check_part_t ompi_osc_ucp_check_buffers = {
    .end          = buffers_end,
    .called       = buffers_called,
    .synchronizes = buffers_synchronizes,
    .done         = buffers_done
};
