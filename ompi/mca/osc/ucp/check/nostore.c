/* The checker's part for MPI_MODE_NOSTORE: nothing was stored to the own memory since the last synchronization.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A copy of the memory is made at the end of a fence, and of an exposure epoch, when no operation of another process
 * can be under way. It is compared at the next one that has the assertion, but for the bytes that operations have
 * updated. That is only certain if all of these are known. A value that is stored again does not show. Pages that
 * nobody has touched stay so: the first to touch one decides where it lies.
 */

#include "check/conflicts.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check/arrived.h"
#include "check/memory.h"
#include "check/parts.h"

/** Bytes that are compared, from the beginning. */
#define COPIED_MAX (256 * 1024)

/** Pages of them, at most. */
#define PAGES_MAX (COPIED_MAX / 4096 + 1)

/** So many copies are made of a window in which no call has had the assertion. */
#define COPIES_MAX 8

/** What is kept for a window. */
typedef struct ompi_osc_ucp_nostore_t {
    bool                  wanted; /**< a call has had the assertion */
    bool                  valid;
    int                   copies;
    size_t                len;
    ompi_osc_ucp_called_t call;   /**< that began it */
    ompi_osc_ucp_site_t   site;
    unsigned char         pages[PAGES_MAX]; /**< bit 0: it is in memory */
    char                  copy[];
} nostore_t;

static nostore_t *nostore_of(const ompi_osc_ucp_window_t *window)
{
    return NULL == window->check ? NULL : window->check->nostore;
}

static bool begin(ompi_osc_ucp_window_t *window, ompi_communicator_t *comm)
{
    size_t len = window->bytes > COPIED_MAX ? COPIED_MAX : (size_t) window->bytes;

    (void) comm;
    if (NULL == window->base || 0 == len || window->device ||
        (MPI_WIN_FLAVOR_CREATE != window->flavor && MPI_WIN_FLAVOR_ALLOCATE != window->flavor)) {
        return true;
    }
    window->check->nostore = calloc(1, sizeof(nostore_t) + len);
    if (NULL != window->check->nostore) {
        window->check->nostore->len = len;
    }
    return NULL != window->check->nostore;
}

static void end(ompi_osc_ucp_window_t *window, bool last)
{
    (void) last;
    free(window->check->nostore);
    window->check->nostore = NULL;
}

void ompi_osc_ucp_nostore_forget(const ompi_osc_ucp_window_t *window)
{
    nostore_t *nostore = nostore_of(window);

    if (NULL != nostore) {
        nostore->valid = false;
    }
}

/** The end of the page, or of what is copied, behind `at` bytes; *page_p is the page's number. */
static size_t page_end(const ompi_osc_ucp_window_t *window, const nostore_t *nostore, size_t at, size_t *page_p)
{
    size_t page   = (size_t) sysconf(_SC_PAGESIZE);
    size_t behind = (uintptr_t) window->base % page; /* how far the window begins behind its first page's begin */
    size_t end;

    *page_p = (behind + at) / page;
    end     = (*page_p + 1) * page - behind;
    return end < nostore->len ? end : nostore->len;
}

/** Find out which pages are in memory. False: memory has been given back. */
static bool pages_look(const ompi_osc_ucp_window_t *window, const nostore_t *nostore, unsigned char *pages)
{
    size_t behind = (uintptr_t) window->base % (size_t) sysconf(_SC_PAGESIZE);

    return 0 == mincore((char *) window->base - behind, behind + nostore->len, pages);
}

/** What is left of the search for stores. */
typedef struct masking_t {
    const char *memory;
    nostore_t  *nostore;
    bool        exact; /**< all bytes that operations have updated are known */
} masking_t;

/** The bytes that an operation has updated are as they should be. */
static void mask(const ompi_osc_ucp_access_t *access, void *context)
{
    masking_t *masking = context;
    int64_t    len     = (int64_t) masking->nostore->len, from = access->runs.first, to;
    uint64_t   i;

    if (OMPI_OSC_UCP_DOES_READ == access->does || OMPI_OSC_UCP_LOCAL_NOT != access->local) {
        return;
    }
    masking->exact = masking->exact && !access->partial;
    for (i = 0; i < access->runs.count && from < len; i++, from += (int64_t) access->runs.stride) {
        to = from + (int64_t) access->runs.len < len ? from + (int64_t) access->runs.len : len;
        if (from >= 0 && from < to) {
            memcpy(masking->nostore->copy + from, masking->memory + from, (size_t) (to - from));
        }
    }
}

static void stored_tell(const ompi_osc_ucp_check_sync_t *sync, const nostore_t *nostore, size_t first, size_t stop)
{
    const ompi_osc_ucp_finding_t finding = {
        .kind   = "assert-lies", .text = "MPI_MODE_NOSTORE is given, and the program has stored",
        .target = sync->window->rank, .bytes = true, .first = (int64_t) first, .end = (int64_t) stop, .n = 2,
        .access = { { .what = ompi_osc_ucp_called_name(nostore->call), .rank = sync->window->rank,
                      .site = nostore->site },
                    { .what = ompi_osc_ucp_called_name(sync->call), .rank = sync->window->rank, .site = sync->site } },
        .why    = "the bytes have changed between the two calls, and no operation of the window has updated them",
        .cure   = "leave out the assertion"
    };

    ompi_osc_ucp_check_tell(sync->window, &finding);
}

/** The first byte that is not as it was, and where such bytes end. */
static size_t changed(const ompi_osc_ucp_window_t *window, const nostore_t *nostore, size_t *stop)
{
    const char *memory = window->base;
    size_t      at, end, page;

    for (at = 0; at < nostore->len; at = end) {
        end = page_end(window, nostore, at, &page);
        if (0 == (nostore->pages[page] & 1)) {
            continue;
        }
        for (; at < end && nostore->copy[at] == memory[at]; at++) {
            continue;
        }
        for (*stop = at; *stop < end && nostore->copy[*stop] != memory[*stop]; ++*stop) {
            continue;
        }
        if (at < end) {
            return at;
        }
    }
    *stop = at;
    return at;
}

void ompi_osc_ucp_nostore_look(const ompi_osc_ucp_check_sync_t *sync, const ompi_osc_ucp_arrived_t *arrived)
{
    nostore_t                *nostore = nostore_of(sync->window);
    const ompi_osc_ucp_log_t *log     = ompi_osc_ucp_conflicts_log(sync->window);
    masking_t                 masking = { sync->window->base, nostore, true };
    unsigned char             pages[PAGES_MAX];
    size_t                    first, stop;

    if (NULL == nostore || 0 == (sync->assert & MPI_MODE_NOSTORE)) {
        return;
    }
    nostore->wanted = true;
    if (!nostore->valid || !pages_look(sync->window, nostore, pages) || (NULL != log && !ompi_osc_ucp_log_whole(log)) ||
        ompi_osc_ucp_check_overlaps(sync->window, (uintptr_t) sync->window->base,
                                    (uintptr_t) sync->window->base + nostore->len) ||
        (NULL != arrived && !ompi_osc_ucp_arrived_each(arrived, mask, &masking)) || !masking.exact) {
        return;
    }
    nostore->valid = false;
    first = changed(sync->window, nostore, &stop);
    if (stop > first) {
        stored_tell(sync, nostore, first, stop);
    }
}

/** Stores behind this call are compared. Nobody's operations are under way. */
static void copy_make(const ompi_osc_ucp_check_sync_t *sync, nostore_t *nostore)
{
    const char *memory = sync->window->base;
    size_t      at, end, page;

    nostore->valid = (nostore->wanted || nostore->copies < COPIES_MAX) &&
                     pages_look(sync->window, nostore, nostore->pages);
    if (nostore->valid) {
        for (at = 0; at < nostore->len; at = end) {
            end = page_end(sync->window, nostore, at, &page);
            if (0 != (nostore->pages[page] & 1)) {
                memcpy(nostore->copy + at, memory + at, end - at);
            }
        }
        nostore->copies++;
        nostore->call = sync->call;
        nostore->site = sync->site;
    }
}

static void synchronized(const ompi_osc_ucp_check_sync_t *sync, int rc)
{
    nostore_t *nostore = nostore_of(sync->window);

    if (NULL == nostore || (OMPI_OSC_UCP_CALLED_TEST == sync->call && 0 == sync->flag)) {
        return;
    }
    nostore->valid = false;
    if (OMPI_SUCCESS == rc && (OMPI_OSC_UCP_CALLED_FENCE == sync->call || OMPI_OSC_UCP_CALLED_WAIT == sync->call ||
                               OMPI_OSC_UCP_CALLED_TEST == sync->call)) {
        copy_make(sync, nostore);
    }
}

const ompi_osc_ucp_check_part_t ompi_osc_ucp_check_nostore = {
    .begin        = begin,
    .end          = end,
    .synchronized = synchronized
};
