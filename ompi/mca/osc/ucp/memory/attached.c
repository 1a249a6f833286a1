/* The regions attached to a dynamic window as other processes of the node see them.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "memory/attached.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <string.h>

#include "base/cpu.h"

/** How often an origin looks again because the owner changes the table: the owner may be stopped meanwhile. One that
 *  has to wait lets others run between so many looks. */
#define LOOKS_MAX 100

/** Steps of a detach between two looks whether a process inside is still there. */
#define STEPS_PER_LOOK 64

/** Are the bytes [start, end) attached? An access may span adjacent regions. */
static bool bytes_covered(ompi_osc_ucp_region_find_t *find, const void *table, uint64_t start, uint64_t end)
{
    uint64_t last;

    while (start < end) {
        if (!find(table, start, &last)) {
            return false;
        }
        if (UINT64_MAX == last) {
            break; /* the region ends with the address space */
        }
        start = last + 1;
    }
    return true;
}

bool ompi_osc_ucp_bytes_cover(ompi_osc_ucp_region_find_t *find, const void *table, uint64_t address,
                              const ompi_osc_ucp_layout_t *layout, uint64_t pos, uint64_t len, int64_t gap)
{
    uint64_t                   start = address + (uint64_t) layout->lb, end = address + (uint64_t) (layout->ub - gap);
    ompi_osc_ucp_layout_iter_t iter;
    uint64_t                   run;
    int64_t                    disp;

    if (start <= end && bytes_covered(find, table, start, end)) {
        return true;
    }
    /* Not all bytes in between are attached: check each run. */
    ompi_osc_ucp_layout_iter_init(&iter, layout, pos);
    for (; len > 0 && ompi_osc_ucp_layout_iter_next(&iter, len, &disp, &run); len -= run) {
        start = address + (uint64_t) disp;
        end   = start + run - (uint64_t) gap;
        if (end < start || !bytes_covered(find, table, start, end)) {
            return false;
        }
    }
    return true;
}

/* The owner. */

void ompi_osc_ucp_attached_init(ompi_osc_ucp_attached_t *attached, ompi_osc_ucp_attached_table_t *table)
{
    memset(attached, 0, sizeof(*attached));
    attached->table = (char *) table - (char *) attached;
}

void ompi_osc_ucp_attached_change(ompi_osc_ucp_attached_t *attached)
{
    __atomic_store_n(&attached->version, attached->version + 1, __ATOMIC_RELAXED);
    ompi_osc_ucp_fence_memory(); /* before all that is changed */
}

void ompi_osc_ucp_attached_changed(ompi_osc_ucp_attached_t *attached, uint32_t count, const ompi_osc_ucp_shown_t *array)
{
    __atomic_store_n(&attached->array, (uint64_t) (uintptr_t) array, __ATOMIC_RELAXED);
    __atomic_store_n(&attached->count, count, __ATOMIC_RELAXED);
    __atomic_store_n(&attached->version, attached->version + 1, __ATOMIC_RELEASE);
}

/** Has it ended, or become another program? */
static bool process_is_gone(int32_t pid, uint64_t address, uint64_t number)
{
    return 0 == pid || (0 != kill(pid, 0) && ESRCH == errno) || ompi_osc_ucp_cma_gone(pid, address, number);
}

/** The same for an insider, which may be given to another process meanwhile: the one before has left then. */
static bool is_gone(const ompi_osc_ucp_insider_t *insider)
{
    return process_is_gone(__atomic_load_n(&insider->pid, __ATOMIC_RELAXED),
                           __atomic_load_n(&insider->address, __ATOMIC_RELAXED),
                           __atomic_load_n(&insider->number, __ATOMIC_RELAXED));
}

/** Was that insider ever taken? Who takes one marks it, then announces itself, and then looks at the table. So an owner
 *  that does not see the mark may rely on that look to see the owner's change. */
static bool is_taken(const ompi_osc_ucp_attached_t *attached, uint32_t i)
{
    return 0 != (__atomic_load_n(&attached->taken[i / 64], __ATOMIC_ACQUIRE) & UINT64_C(1) << i % 64);
}

void ompi_osc_ucp_attached_await(ompi_osc_ucp_attached_t *attached)
{
    ompi_osc_ucp_insider_t *insider;
    uint32_t                i, turns;
    unsigned                steps;

    ompi_osc_ucp_fence_memory(); /* the change before the looks: see ompi_osc_ucp_attached_enter */
    for (i = 0; i < OMPI_OSC_UCP_INSIDERS; i++) {
        if (!is_taken(attached, i)) {
            continue;
        }
        insider = &ompi_osc_ucp_attached_table(attached)->insiders[i];
        turns   = __atomic_load_n(&insider->turns, __ATOMIC_ACQUIRE);
        for (steps = 1; 0 != turns % 2 && turns == __atomic_load_n(&insider->turns, __ATOMIC_ACQUIRE); steps++) {
            if (0 == steps % STEPS_PER_LOOK && is_gone(insider)) {
                break;
            }
            sched_yield();
        }
    }
}

/* An origin. */

/** An insider is taken, and what it holds is set. */
static void mark_taken(ompi_osc_ucp_attached_t *attached, uint32_t i)
{
    __atomic_fetch_or(&attached->taken[i / 64], UINT64_C(1) << i % 64, __ATOMIC_RELEASE);
}

/** Claim an insider. False: somebody has it. */
static bool claim(ompi_osc_ucp_attached_t *attached, uint32_t i)
{
    const uint64_t bit = UINT64_C(1) << i % 64;

    return 0 == (__atomic_fetch_or(&attached->claimed[i / 64], bit, __ATOMIC_ACQUIRE) & bit);
}

ompi_osc_ucp_insider_t *ompi_osc_ucp_insider_take(ompi_osc_ucp_attached_t *attached)
{
    const ompi_osc_ucp_cma_self_t self = ompi_osc_ucp_cma_self();
    ompi_osc_ucp_insider_t       *insider;
    uint32_t                      i = 0;

    while (i < OMPI_OSC_UCP_INSIDERS && !claim(attached, i)) {
        i++;
    }
    if (OMPI_OSC_UCP_INSIDERS == i) {
        return NULL;
    }
    insider = &ompi_osc_ucp_attached_table(attached)->insiders[i];
    if (!is_taken(attached, i)) {
        insider->turns = 0; /* nobody looks at it yet; later on a detach may wait for it to change */
    }
    __atomic_store_n(&insider->address, self.address, __ATOMIC_RELAXED);
    __atomic_store_n(&insider->number, self.number, __ATOMIC_RELAXED);
    __atomic_store_n(&insider->pid, self.pid, __ATOMIC_RELAXED);
    mark_taken(attached, i);
    return insider;
}

void ompi_osc_ucp_insider_give(ompi_osc_ucp_attached_t *attached, ompi_osc_ucp_insider_t *insider)
{
    const uint32_t i = (uint32_t) (insider - ompi_osc_ucp_attached_table(attached)->insiders);

    __atomic_store_n(&insider->pid, 0, __ATOMIC_RELAXED);
    __atomic_fetch_and(&attached->claimed[i / 64], ~(UINT64_C(1) << i % 64), __ATOMIC_RELEASE);
}

ompi_osc_ucp_insider_t *ompi_osc_ucp_insider_of(ompi_osc_ucp_attached_t *attached, int rank)
{
    const ompi_osc_ucp_cma_self_t self    = ompi_osc_ucp_cma_self();
    ompi_osc_ucp_insider_t       *insider = &ompi_osc_ucp_attached_table(attached)->insiders[rank];

    *insider = (ompi_osc_ucp_insider_t) { .pid = self.pid, .address = self.address, .number = self.number };
    mark_taken(attached, (uint32_t) rank);
    return insider;
}

/** The regions as they are at one look. */
typedef struct look_t {
    const ompi_osc_ucp_attached_t *attached;
    uint64_t                       array;
    uint32_t                       count;
    int32_t                        owner;
    ompi_osc_ucp_shown_t          *last; /**< gets the region that was found last */
} look_t;

/** The region at a place. Behind all others, if the kernel does not copy it: the array may be a freed one. */
static ompi_osc_ucp_shown_t shown_at(const look_t *look, uint32_t at)
{
    const ompi_osc_ucp_shown_t none = { UINT64_MAX, UINT64_MAX };
    const ompi_osc_ucp_shown_t *shown = &ompi_osc_ucp_attached_table(look->attached)->shown[at];
    ompi_osc_ucp_cma_vector_t  vector;
    ompi_osc_ucp_shown_t       found;

    if (look->count <= OMPI_OSC_UCP_ATTACHED_MAX) {
        found.first = __atomic_load_n(&shown->first, __ATOMIC_RELAXED);
        found.last  = __atomic_load_n(&shown->last, __ATOMIC_RELAXED);
        return found;
    }
    ompi_osc_ucp_cma_begin(&vector);
    ompi_osc_ucp_cma_add(&vector, &found, look->array + (uint64_t) at * sizeof(found), sizeof(found));
    return ompi_osc_ucp_cma_copy(look->owner, false, &vector) ? found : none;
}

/** An ompi_osc_ucp_region_find_t for a look_t. What it finds while the table changes is not used. */
static bool shown_find(const void *table, uint64_t address, uint64_t *last_p)
{
    const look_t        *look = table;
    uint32_t             from = 0, to = look->count, middle;
    ompi_osc_ucp_shown_t shown;

    while (from < to) {
        middle = from + (to - from) / 2;
        shown  = shown_at(look, middle);
        if (shown.last < address) {
            from = middle + 1;
        } else if (shown.first > address) {
            to = middle;
        } else {
            *last_p     = shown.last;
            *look->last = shown;
            return true;
        }
    }
    return false;
}

/** Look at the table once. False: it was being changed. *has_p: are the bytes attached? If so, *found: where. */
static bool look_once(const ompi_osc_ucp_looked_t *looked, uint64_t address, const ompi_osc_ucp_layout_t *layout,
                      int64_t gap, bool *has_p, ompi_osc_ucp_found_t *found)
{
    const ompi_osc_ucp_attached_t *attached = looked->attached;
    const uint64_t                 version  = __atomic_load_n(&attached->version, __ATOMIC_ACQUIRE);
    look_t                         look     = {
        .attached = attached, .owner = looked->owner.pid, .last = &found->region,
        .array    = __atomic_load_n(&attached->array, __ATOMIC_RELAXED),
        .count    = __atomic_load_n(&attached->count, __ATOMIC_RELAXED)
    };

    ompi_osc_ucp_found_init(found);
    if (0 != version % 2) {
        return false;
    }
    *has_p = ompi_osc_ucp_bytes_cover(shown_find, &look, address, layout, 0, layout->size, gap);
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    if (version != __atomic_load_n(&attached->version, __ATOMIC_RELAXED)) {
        return false;
    }
    if (*has_p) {
        found->version = version;
    }
    return true;
}

/** Look at the table, as it was at one moment. */
static bool is_shown(const ompi_osc_ucp_looked_t *looked, uint64_t address, const ompi_osc_ucp_layout_t *layout,
                     int64_t gap, ompi_osc_ucp_found_t *found)
{
    unsigned looks;
    bool     has;

    for (looks = 1; looked->waits || looks <= LOOKS_MAX; looks++) {
        if (look_once(looked, address, layout, gap, &has, found)) {
            return has;
        }
        if (0 == looks % LOOKS_MAX) {
            if (process_is_gone(looked->owner.pid, looked->owner.address, looked->owner.number)) {
                break;
            }
            sched_yield();
        }
        ompi_osc_ucp_cpu_relax();
    }
    return false;
}

static void announce(ompi_osc_ucp_insider_t *insider)
{
    /* The release: a detach that waits for this turn looks whether this process is alive, not the one before it. */
    __atomic_store_n(&insider->turns, insider->turns + 1, __ATOMIC_RELEASE);
    ompi_osc_ucp_fence_memory(); /* the announcement before the looks: see ompi_osc_ucp_attached_await */
}

bool ompi_osc_ucp_attached_enter(const ompi_osc_ucp_looked_t *looked, uint64_t address,
                                 const ompi_osc_ucp_layout_t *layout, int64_t gap)
{
    ompi_osc_ucp_found_t found;

    announce(looked->insider);
    if (is_shown(looked, address, layout, gap, &found)) {
        return true;
    }
    ompi_osc_ucp_attached_leave(looked->insider);
    return false;
}

void ompi_osc_ucp_attached_leave(ompi_osc_ucp_insider_t *insider)
{
    __atomic_store_n(&insider->turns, insider->turns + 1, __ATOMIC_RELEASE);
}

static bool block_is_shown(const ompi_osc_ucp_looked_t *looked, uint64_t address, uint64_t bytes,
                           ompi_osc_ucp_found_t *found)
{
    ompi_osc_ucp_layout_t layout;

    ompi_osc_ucp_layout_contiguous(&layout, 0, bytes);
    return is_shown(looked, address, &layout, 0, found);
}

bool ompi_osc_ucp_attached_has(const ompi_osc_ucp_looked_t *looked, uint64_t address, uint64_t bytes,
                               ompi_osc_ucp_found_t *found)
{
    return __atomic_load_n(&looked->attached->count, __ATOMIC_RELAXED) <= OMPI_OSC_UCP_ATTACHED_MAX &&
           block_is_shown(looked, address, bytes, found);
}

bool ompi_osc_ucp_attached_enter_again(const ompi_osc_ucp_looked_t *looked, uint64_t version)
{
    announce(looked->insider);
    return version == __atomic_load_n(&looked->attached->version, __ATOMIC_ACQUIRE);
}

bool ompi_osc_ucp_attached_inside(const ompi_osc_ucp_looked_t *looked, uint64_t address, uint64_t bytes)
{
    ompi_osc_ucp_found_t found;

    return block_is_shown(looked, address, bytes, &found);
}
