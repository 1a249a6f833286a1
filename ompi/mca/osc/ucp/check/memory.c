/* The checker's part that knows which memory belongs to windows.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "check/memory.h"

#include <pthread.h>
#include <stdlib.h>

#include "check/bytes.h"
#include "check/parts.h"
#include "check/report.h"

/** So many ranges are looked through. If there are more, all that lies between them counts as exposed. */
#define LOOKED_THROUGH_MAX 64

/** A range of bytes that others may reach. */
typedef struct range_t {
    struct range_t              *next;
    const ompi_osc_ucp_window_t *window;
    uintptr_t                    first, end;
} range_t;

/** Guarded by the mutex. */
static struct {
    pthread_mutex_t mutex;
    range_t        *last;
    int             n;
    uintptr_t       first, end; /**< no range was ever outside of these */
} exposed = { .mutex = PTHREAD_MUTEX_INITIALIZER, .first = UINTPTR_MAX };

/** Add a range. If memory is short, all counts as exposed. */
static void range_add(const ompi_osc_ucp_window_t *window, uintptr_t first, uintptr_t end)
{
    range_t *range = malloc(sizeof(*range));

    ompi_osc_ucp_check_lock(&exposed.mutex);
    if (NULL == range) {
        first     = 0;
        end       = UINTPTR_MAX;
        exposed.n = 2 * LOOKED_THROUGH_MAX;
    } else {
        *range       = (range_t) { exposed.last, window, first, end };
        exposed.last = range;
        exposed.n++;
    }
    exposed.first = first < exposed.first ? first : exposed.first;
    exposed.end   = end > exposed.end ? end : exposed.end;
    ompi_osc_ucp_check_unlock(&exposed.mutex);
}

/** Remove the window's range that begins at `first`, or all of the window's: 0. */
static void ranges_remove(const ompi_osc_ucp_window_t *window, uintptr_t first)
{
    range_t **at = &exposed.last, *range;

    ompi_osc_ucp_check_lock(&exposed.mutex);
    while (NULL != (range = *at)) {
        if (window == range->window && (0 == first || first == range->first)) {
            *at = range->next;
            free(range);
            exposed.n--;
        } else {
            at = &range->next;
        }
    }
    ompi_osc_ucp_check_unlock(&exposed.mutex);
}

bool ompi_osc_ucp_check_exposes(uintptr_t first, uintptr_t end)
{
    const range_t *range;
    bool           is;

    ompi_osc_ucp_check_lock(&exposed.mutex);
    is = first < exposed.end && end > exposed.first;
    if (is && exposed.n <= LOOKED_THROUGH_MAX) {
        for (range = exposed.last; NULL != range && (first >= range->end || end <= range->first); range = range->next) {
            continue;
        }
        is = NULL != range;
    }
    ompi_osc_ucp_check_unlock(&exposed.mutex);
    return is;
}

/** Is a range this process's part of a window? It may be that of all members. */
static bool is_part(const range_t *range)
{
    return MPI_WIN_FLAVOR_DYNAMIC == range->window->flavor ||
           (range->first == (uintptr_t) range->window->base &&
            range->end == (uintptr_t) range->window->base + (uintptr_t) range->window->bytes);
}

bool ompi_osc_ucp_check_overlaps(const ompi_osc_ucp_window_t *window, uintptr_t first, uintptr_t end)
{
    const range_t *range;

    ompi_osc_ucp_check_lock(&exposed.mutex);
    for (range = exposed.last; NULL != range; range = range->next) {
        if (window != range->window && first < range->end && end > range->first && is_part(range)) {
            break;
        }
    }
    ompi_osc_ucp_check_unlock(&exposed.mutex);
    return NULL != range;
}

uintptr_t ompi_osc_ucp_check_attached_end(const ompi_osc_ucp_window_t *window, uintptr_t first)
{
    const range_t *range;
    uintptr_t      end = 0;

    ompi_osc_ucp_check_lock(&exposed.mutex);
    for (range = exposed.last; NULL != range && 0 == end; range = range->next) {
        end = window == range->window && first == range->first ? range->end : 0;
    }
    ompi_osc_ucp_check_unlock(&exposed.mutex);
    return end;
}

/** The members' memory that this process has mapped with its own. */
static void segment_add(const ompi_osc_ucp_window_t *window)
{
    ompi_osc_ucp_member_t member;
    uintptr_t             first = UINTPTR_MAX, end = 0, at;
    int                   rank;

    for (rank = 0; rank < window->size; rank++) {
        member = ompi_osc_ucp_segment_member(window->segment, rank);
        at     = (uintptr_t) member.memory;
        if (0 != at && member.size > 0) {
            first = at < first ? at : first;
            end   = at + (uintptr_t) member.size > end ? at + (uintptr_t) member.size : end;
        }
    }
    if (first < end) {
        range_add(window, first, end);
    }
}

static bool memory_begin(ompi_osc_ucp_window_t *window, ompi_communicator_t *comm)
{
    (void) comm;
    if (NULL != window->base && window->bytes > 0) {
        range_add(window, (uintptr_t) window->base, (uintptr_t) window->base + (uintptr_t) window->bytes);
    }
    if (NULL != window->segment) {
        segment_add(window);
    }
    return true;
}

/** The memory of MPI_Win_create must stay until the window is freed (MPI-3.1 section 11.2.5). */
static void freed_look(ompi_osc_ucp_window_t *window)
{
    ompi_osc_ucp_check_bytes_t   bytes   = { .base = (uintptr_t) window->base };
    const ompi_osc_ucp_finding_t finding = {
        .kind   = "memory-freed", .text = "the memory of a window is given back before MPI_Win_free",
        .target = window->rank, .bytes = true, .first = 0, .end = window->bytes,
        .why    = "other processes may access it until then", .cure = "free the memory behind MPI_Win_free"
    };

    ompi_osc_ucp_layout_contiguous(&bytes.layout, 0, (uint64_t) window->bytes);
    if (!ompi_osc_ucp_bytes_mapped(&bytes)) {
        ompi_osc_ucp_check_tell(window, &finding);
    }
}

static void memory_end(ompi_osc_ucp_window_t *window, bool last)
{
    if (!last && MPI_WIN_FLAVOR_CREATE == window->flavor && !window->device && window->bytes > 0) {
        freed_look(window);
    }
    ranges_remove(window, 0);
}

static void memory_attached(ompi_osc_ucp_window_t *window, void *base, size_t size)
{
    range_add(window, (uintptr_t) base, (uintptr_t) base + size);
}

static void memory_detaches(ompi_osc_ucp_window_t *window, const void *base)
{
    ranges_remove(window, (uintptr_t) base);
}

const ompi_osc_ucp_check_part_t ompi_osc_ucp_check_memory = {
    .begin    = memory_begin,
    .end      = memory_end,
    .attached = memory_attached,
    .detaches = memory_detaches
};
