/* The regions attached to a dynamic window as other processes of the node see them, beside the control block.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * An origin that copies to or from a region announces that it is inside, then looks whether the bytes are attached.
 * A detach takes the region out, then waits for those that are inside. So one of the two sees the other: either the
 * origin does not find the region, or the detach waits for the origin.
 */

#ifndef OSC_UCP_ATTACHED_H
#define OSC_UCP_ATTACHED_H

#include <stdbool.h>
#include <stdint.h>

#include "layout/layout.h"
#include "memory/cma.h"

/** Most regions that are shown in shared memory. If there are more, all are in an array of the owner's own memory, from
 *  which the kernel copies. */
#define OMPI_OSC_UCP_ATTACHED_MAX 256

/** Most processes that look. */
#define OMPI_OSC_UCP_INSIDERS 128

/** The bytes from `first` to `last`. Atomic, as all members here. */
typedef struct ompi_osc_ucp_shown_t {
    uint64_t first, last;
} ompi_osc_ucp_shown_t;

/** A process that may be inside. */
typedef struct ompi_osc_ucp_insider_t {
    int32_t  pid;     /**< 0: it is nobody's */
    uint32_t turns;   /**< odd: it is inside */
    uint64_t address; /**< the process has `number` there (memory/cma.h) */
    uint64_t number;
} ompi_osc_ucp_insider_t;

/** What a window needs only when regions are attached, or peers look. It lies apart, takes no memory until then, and
 *  may hold anything at first. */
typedef struct ompi_osc_ucp_attached_table_t {
    ompi_osc_ucp_insider_t insiders[OMPI_OSC_UCP_INSIDERS];
    ompi_osc_ucp_shown_t   shown[OMPI_OSC_UCP_ATTACHED_MAX]; /**< in order of addresses */
} ompi_osc_ucp_attached_table_t;

/** A multiple of 64 bytes. */
typedef struct ompi_osc_ucp_attached_t {
    uint64_t version; /**< odd: it is being changed; it never comes again */
    uint32_t count;   /**< of regions that are shown */
    uint64_t array;   /**< the owner's address of them, if there are more than the maximum */
    int64_t  table;   /**< bytes from here to the table; set once */
    uint64_t taken[OMPI_OSC_UCP_INSIDERS / 64]; /**< insiders that were ever taken: a bit for each */
    uint64_t claimed[OMPI_OSC_UCP_INSIDERS / 64]; /**< those that somebody has now, unless each member has its own */
} ompi_osc_ucp_attached_t;

_Static_assert(64 == sizeof(ompi_osc_ucp_attached_t), "a cache line");

static inline ompi_osc_ucp_attached_table_t *ompi_osc_ucp_attached_table(const ompi_osc_ucp_attached_t *attached)
{
    return (ompi_osc_ucp_attached_table_t *) ((char *) (uintptr_t) attached + attached->table);
}

/** Find the region with an address in a table. False: there is none. *last_p: address of its last byte. */
typedef bool ompi_osc_ucp_region_find_t(const void *table, uint64_t address, uint64_t *last_p);

/** Are all packed bytes [pos, pos + len) of `layout` at `address` in regions of the table? The last `gap` bytes of each
 *  run need not be. Linear in the number of runs of that part. */
bool ompi_osc_ucp_bytes_cover(ompi_osc_ucp_region_find_t *find, const void *table, uint64_t address,
                              const ompi_osc_ucp_layout_t *layout, uint64_t pos, uint64_t len, int64_t gap);

/* The owner. */

/** Nothing is attached. The table is not touched. */
void ompi_osc_ucp_attached_init(ompi_osc_ucp_attached_t *attached, ompi_osc_ucp_attached_table_t *table);

/** Begin a change, and end it: `count` regions are shown now. One thread at a time. */
void ompi_osc_ucp_attached_change(ompi_osc_ucp_attached_t *attached);
void ompi_osc_ucp_attached_changed(ompi_osc_ucp_attached_t *attached, uint32_t count,
                                   const ompi_osc_ucp_shown_t *array);

/** Between both: set the region at a place of the table's `shown`, or of `array`. They are in order of addresses. */
static inline void ompi_osc_ucp_shown_set(ompi_osc_ucp_shown_t *shown, uint64_t first, uint64_t last)
{
    __atomic_store_n(&shown->first, first, __ATOMIC_RELAXED);
    __atomic_store_n(&shown->last, last, __ATOMIC_RELAXED);
}

/** Wait until all processes that are inside now have left once, or are dead, or have become other programs. */
void ompi_osc_ucp_attached_await(ompi_osc_ucp_attached_t *attached);

/* An origin: one thread at a time. */

/** Become a process that may be inside, until it gives that up. NULL: there are too many. */
ompi_osc_ucp_insider_t *ompi_osc_ucp_insider_take(ompi_osc_ucp_attached_t *attached);
void ompi_osc_ucp_insider_give(ompi_osc_ucp_attached_t *attached, ompi_osc_ucp_insider_t *insider);

/** The same in a lean window, where each member has a place of its own: `rank` < OMPI_OSC_UCP_INSIDERS. */
ompi_osc_ucp_insider_t *ompi_osc_ucp_insider_of(ompi_osc_ucp_attached_t *attached, int rank);

/** What an origin looks up. */
typedef struct ompi_osc_ucp_looked_t {
    const ompi_osc_ucp_attached_t *attached;
    ompi_osc_ucp_insider_t        *insider;
    ompi_osc_ucp_cma_self_t        owner; /**< process that owns `attached` */
    bool                           waits; /**< if the owner is changing it, wait for that; else nothing is attached */
} ompi_osc_ucp_looked_t;

/** Enter if all bytes of `layout` at `address` are attached, except for the last `gap` bytes of each run. */
bool ompi_osc_ucp_attached_enter(const ompi_osc_ucp_looked_t *looked, uint64_t address,
                                 const ompi_osc_ucp_layout_t *layout, int64_t gap);
void ompi_osc_ucp_attached_leave(ompi_osc_ucp_insider_t *insider);

/** A region, as it was found in a table of that version. */
typedef struct ompi_osc_ucp_found_t {
    uint64_t             version;
    ompi_osc_ucp_shown_t region;
} ompi_osc_ucp_found_t;

/** None was found. */
static inline void ompi_osc_ucp_found_init(ompi_osc_ucp_found_t *found)
{
    found->version = UINT64_MAX; /* no table comes so far */
}

/** Are these bytes > 0 in the region that was found, and is the table still the same? Without entering, as below. */
static inline bool ompi_osc_ucp_attached_still(const ompi_osc_ucp_attached_t *attached, uint64_t address,
                                               uint64_t bytes, const ompi_osc_ucp_found_t *found)
{
    return found->version == __atomic_load_n(&attached->version, __ATOMIC_ACQUIRE) &&
           address >= found->region.first && address <= found->region.last && bytes - 1 <= found->region.last - address;
}

/** Are these bytes attached? Without entering: they may be detached at once. *found: where, and in which table; if they
 *  lie in several regions, in one of them. False, too, if the regions are so many that a look takes copies by the
 *  kernel. */
bool ompi_osc_ucp_attached_has(const ompi_osc_ucp_looked_t *looked, uint64_t address, uint64_t bytes,
                               ompi_osc_ucp_found_t *found);

/** Enter. Is the table still of that version? */
bool ompi_osc_ucp_attached_enter_again(const ompi_osc_ucp_looked_t *looked, uint64_t version);

/** Are these bytes attached, as seen from inside? */
bool ompi_osc_ucp_attached_inside(const ompi_osc_ucp_looked_t *looked, uint64_t address, uint64_t bytes);

#endif /* OSC_UCP_ATTACHED_H */
