/* The events of a thread in the OTF2 archive.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Each call is a region that is entered and left. OTF2's records of one-sided communication lie at its beginning and
 * end: windows are created and destroyed, fences are collective, locks are requested, acquired and released, operations
 * are issued. They complete at the end of the call that completes them for MPI. Those that a thread has not completed
 * itself stay without an end.
 */

#include "archive.h"

#include <stdlib.h>

/** An operation that is not complete. */
typedef struct pending_t {
    uint64_t id;
    int      window, target;
    bool     local; /**< its origin buffer is free */
} pending_t;

/** The thread whose events are written. */
typedef struct writing_t {
    const trace_t  *trace;
    OTF2_EvtWriter *to;
    pending_t      *pending;
    size_t          count, room;
    uint64_t        ids;
} writing_t;

static void must(OTF2_ErrorCode code)
{
    archive_must(code, "write an event");
}

/** The target as OTF2 names it: by its place in the window, or all. */
static uint32_t remote(const writing_t *writing, const bar_t *bar)
{
    return bar->target < 0 ? OTF2_UNDEFINED_UINT32 : trace_member(&writing->trace->windows[bar->window], bar->target);
}

/** Each target has a lock, and the window one of all. */
static uint64_t lock_id(const writing_t *writing, const bar_t *bar)
{
    return bar->target < 0 ? 0 : (uint64_t) remote(writing, bar) + 1;
}

static uint64_t pending_add(writing_t *writing, const bar_t *bar)
{
    if (writing->count == writing->room) {
        writing->room    = 2 * writing->room + 64;
        writing->pending = grow(writing->pending, writing->room, sizeof(*writing->pending));
    }
    writing->pending[writing->count++] = (pending_t) { .id = writing->ids, .window = bar->window,
                                                       .target = bar->target };
    return writing->ids++;
}

/** The operations complete on which the call works: at the origin, and at the target if not `local`. */
static void complete(writing_t *writing, const bar_t *bar, bool local)
{
    size_t     i, kept = 0;
    pending_t *at;
    bool       of;

    for (i = 0; i < writing->count; i++) {
        at = &writing->pending[i];
        of = at->window == bar->window && (bar->target < 0 || bar->target == at->target);
        if (of && !at->local) {
            must(OTF2_EvtWriter_RmaOpCompleteNonBlocking(writing->to, NULL, (uint64_t) bar->end,
                                                         (uint32_t) at->window, at->id));
            at->local = true;
        }
        if (of && !local) {
            must(OTF2_EvtWriter_RmaOpCompleteRemote(writing->to, NULL, (uint64_t) bar->end, (uint32_t) at->window,
                                                    at->id));
        } else {
            writing->pending[kept++] = *at;
        }
    }
    writing->count = kept;
}

/** An operation, issued at the beginning of its call. */
static void operate(writing_t *writing, const bar_t *bar, const call_t *call)
{
    uint64_t           time = (uint64_t) bar->begin, id;
    OTF2_RmaWinRef     win  = (uint32_t) bar->window;
    OTF2_RmaAtomicType type = call->as;

    id = pending_add(writing, bar);
    if (MEANS_PUT == call->means) {
        must(OTF2_EvtWriter_RmaPut(writing->to, NULL, time, win, remote(writing, bar), bar->bytes, id));
    } else if (MEANS_GET == call->means) {
        must(OTF2_EvtWriter_RmaGet(writing->to, NULL, time, win, remote(writing, bar), bar->bytes, id));
    } else {
        must(OTF2_EvtWriter_RmaAtomic(writing->to, NULL, time, win, remote(writing, bar), type, bar->bytes,
                                      OTF2_RMA_ATOMIC_TYPE_ACCUMULATE == type ? 0 : bar->bytes, id));
    }
}

static void begin_write(writing_t *writing, const bar_t *bar)
{
    const call_t *call = &writing->trace->calls[bar->call];

    must(OTF2_EvtWriter_Enter(writing->to, NULL, (uint64_t) bar->begin, (uint32_t) bar->call));
    if (bar->window < 0) {
        return;
    }
    switch (call->means) {
    case MEANS_CREATE:
    case MEANS_FREE:
    case MEANS_FENCE:
        must(OTF2_EvtWriter_RmaCollectiveBegin(writing->to, NULL, (uint64_t) bar->begin));
        break;
    case MEANS_LOCK:
        must(OTF2_EvtWriter_RmaRequestLock(writing->to, NULL, (uint64_t) bar->begin, (uint32_t) bar->window,
                                           remote(writing, bar), lock_id(writing, bar),
                                           bar->exclusive ? OTF2_LOCK_EXCLUSIVE : OTF2_LOCK_SHARED));
        break;
    case MEANS_PUT:
    case MEANS_GET:
    case MEANS_ATOMIC:
        operate(writing, bar, call);
        break;
    default:
        break;
    }
}

/** The end of a collective call, and what it does to the window. */
static void collective_end(writing_t *writing, const bar_t *bar, const call_t *call)
{
    OTF2_RmaWinRef    win   = (uint32_t) bar->window;
    OTF2_RmaSyncLevel level = OTF2_RMA_SYNC_LEVEL_PROCESS;

    if (MEANS_CREATE == call->means) {
        must(OTF2_EvtWriter_RmaWinCreate(writing->to, NULL, (uint64_t) bar->end, win));
    } else {
        complete(writing, bar, false);
        level |= OTF2_RMA_SYNC_LEVEL_MEMORY;
    }
    if (MEANS_FREE == call->means) {
        must(OTF2_EvtWriter_RmaWinDestroy(writing->to, NULL, (uint64_t) bar->end, win));
    }
    must(OTF2_EvtWriter_RmaCollectiveEnd(writing->to, NULL, (uint64_t) bar->end, call->as, level, win,
                                         OTF2_UNDEFINED_UINT32, 0, 0));
}

static void synchronize(writing_t *writing, const bar_t *bar, const call_t *call)
{
    OTF2_RmaWinRef win = (uint32_t) bar->window;

    switch (call->means) {
    case MEANS_CREATE:
    case MEANS_FREE:
    case MEANS_FENCE:
        collective_end(writing, bar, call);
        break;
    case MEANS_LOCK:
        must(OTF2_EvtWriter_RmaAcquireLock(writing->to, NULL, (uint64_t) bar->end, win, remote(writing, bar),
                                           lock_id(writing, bar),
                                           bar->exclusive ? OTF2_LOCK_EXCLUSIVE : OTF2_LOCK_SHARED));
        break;
    case MEANS_UNLOCK:
        complete(writing, bar, false);
        must(OTF2_EvtWriter_RmaReleaseLock(writing->to, NULL, (uint64_t) bar->end, win, remote(writing, bar),
                                           lock_id(writing, bar)));
        break;
    case MEANS_COMPLETE:
    case MEANS_FLUSH:
    case MEANS_FLUSH_LOCAL:
        complete(writing, bar, MEANS_FLUSH_LOCAL == call->means);
        break;
    default:
        break;
    }
}

static void end_write(writing_t *writing, const bar_t *bar)
{
    if (bar->window >= 0) {
        synchronize(writing, bar, &writing->trace->calls[bar->call]);
    }
    must(OTF2_EvtWriter_Leave(writing->to, NULL, (uint64_t) bar->end, (uint32_t) bar->call));
}

/** By time. Of those that begin at once: first those that took no time, then the longest one, as it has the others in
 *  it. */
static int bar_compare(const void *one, const void *other)
{
    const bar_t *a = one, *b = other;
    bool         a_none = a->begin == a->end, b_none = b->begin == b->end;

    if (a->begin != b->begin) {
        return a->begin < b->begin ? -1 : 1;
    }
    if (a_none != b_none) {
        return a_none ? -1 : 1;
    }
    if (a->end != b->end) {
        return a->end > b->end ? -1 : 1;
    }
    return a->order < b->order ? -1 : a->order > b->order;
}

void events_write(const trace_t *trace, thread_t *thread, OTF2_EvtWriter *writer)
{
    writing_t writing = { .trace = trace, .to = writer };
    size_t    i, depth = 0, room = 0;
    bar_t   **inside = NULL, *bar;

    if (thread->count > 0) { /* a process of which only others tell has no calls, and no memory for them */
        qsort(thread->bars, thread->count, sizeof(*thread->bars), bar_compare);
    }
    for (i = 0; i < thread->count; i++) {
        bar = &thread->bars[i];
        while (depth > 0 && inside[depth - 1]->end <= bar->begin) {
            end_write(&writing, inside[--depth]);
        }
        if (depth > 0 && bar->end > inside[depth - 1]->end) {
            bar->end = inside[depth - 1]->end;
        }
        if (depth == room) {
            room   = 2 * room + 4;
            inside = grow(inside, room, sizeof(bar_t *));
        }
        inside[depth++] = bar;
        begin_write(&writing, bar);
    }
    while (depth > 0) {
        end_write(&writing, inside[--depth]);
    }
    must(OTF2_EvtWriter_GetNumberOfEvents(writer, &thread->records));
    free(inside);
    free(writing.pending);
}
