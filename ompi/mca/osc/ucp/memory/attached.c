/* The regions attached to a dynamic window as other processes of the node see them.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "memory/attached.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include "base/cpu.h"

/** How often an origin looks again because the owner changes the table: the owner may be stopped meanwhile. */
#define LOOKS_MAX 100

/** Steps of a detach between two looks whether a process inside is alive. */
#define STEPS_PER_LOOK 1024

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

void ompi_osc_ucp_attached_change(ompi_osc_ucp_attached_t *attached)
{
    __atomic_store_n(&attached->version, attached->version + 1, __ATOMIC_RELAXED);
    ompi_osc_ucp_fence_memory(); /* before all that is changed */
    __atomic_store_n(&attached->count, 0, __ATOMIC_RELAXED);
}

void ompi_osc_ucp_attached_add(ompi_osc_ucp_attached_t *attached, uint64_t first, uint64_t last)
{
    uint32_t at = attached->count;

    __atomic_store_n(&attached->shown[at].first, first, __ATOMIC_RELAXED);
    __atomic_store_n(&attached->shown[at].last, last, __ATOMIC_RELAXED);
    __atomic_store_n(&attached->count, at + 1, __ATOMIC_RELAXED);
}

void ompi_osc_ucp_attached_changed(ompi_osc_ucp_attached_t *attached)
{
    __atomic_store_n(&attached->version, attached->version + 1, __ATOMIC_RELEASE);
}

static bool is_dead(const ompi_osc_ucp_insider_t *insider)
{
    int32_t pid = __atomic_load_n(&insider->pid, __ATOMIC_RELAXED);

    return 0 == pid || (0 != kill(pid, 0) && ESRCH == errno);
}

void ompi_osc_ucp_attached_await(ompi_osc_ucp_attached_t *attached)
{
    ompi_osc_ucp_insider_t *insider;
    uint32_t                i, turns;
    unsigned                steps;

    ompi_osc_ucp_fence_memory(); /* the change before the looks: see ompi_osc_ucp_attached_enter */
    for (i = 0; i < OMPI_OSC_UCP_INSIDERS; i++) {
        insider = &attached->insiders[i];
        turns   = __atomic_load_n(&insider->turns, __ATOMIC_ACQUIRE);
        for (steps = 1; 0 != turns % 2 && turns == __atomic_load_n(&insider->turns, __ATOMIC_ACQUIRE); steps++) {
            if (0 == steps % STEPS_PER_LOOK && is_dead(insider)) {
                break;
            }
            sched_yield();
        }
    }
}

/* An origin. */

ompi_osc_ucp_insider_t *ompi_osc_ucp_insider_take(ompi_osc_ucp_attached_t *attached)
{
    ompi_osc_ucp_insider_t *insider;
    int32_t                 none, self = getpid();
    uint32_t                i;

    for (i = 0; i < OMPI_OSC_UCP_INSIDERS; i++) {
        insider = &attached->insiders[i];
        none    = 0;
        if (__atomic_compare_exchange_n(&insider->pid, &none, self, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
            return insider;
        }
    }
    return NULL;
}

void ompi_osc_ucp_insider_give(ompi_osc_ucp_insider_t *insider)
{
    __atomic_store_n(&insider->pid, 0, __ATOMIC_RELEASE);
}

/** An ompi_osc_ucp_region_find_t. What it finds while the table changes is not used. */
static bool shown_find(const void *table, uint64_t address, uint64_t *last_p)
{
    const ompi_osc_ucp_attached_t *attached = table;
    uint32_t                       from = 0, to = __atomic_load_n(&attached->count, __ATOMIC_RELAXED), middle;

    while (from < to) {
        middle  = from + (to - from) / 2;
        *last_p = __atomic_load_n(&attached->shown[middle].last, __ATOMIC_RELAXED);
        if (*last_p < address) {
            from = middle + 1;
        } else if (__atomic_load_n(&attached->shown[middle].first, __ATOMIC_RELAXED) > address) {
            to = middle;
        } else {
            return true;
        }
    }
    return false;
}

/** Look at the table, as it was at one moment. */
static bool is_shown(const ompi_osc_ucp_attached_t *attached, uint64_t address, const ompi_osc_ucp_layout_t *layout,
                     int64_t gap)
{
    uint32_t version;
    unsigned looks;
    bool     found;

    for (looks = 0; looks < LOOKS_MAX; looks++) {
        version = __atomic_load_n(&attached->version, __ATOMIC_ACQUIRE);
        if (0 == version % 2) {
            found = ompi_osc_ucp_bytes_cover(shown_find, attached, address, layout, 0, layout->size, gap);
            __atomic_thread_fence(__ATOMIC_ACQUIRE);
            if (version == __atomic_load_n(&attached->version, __ATOMIC_RELAXED)) {
                return found;
            }
        }
        ompi_osc_ucp_cpu_relax();
    }
    return false;
}

bool ompi_osc_ucp_attached_enter(const ompi_osc_ucp_attached_t *attached, ompi_osc_ucp_insider_t *insider,
                                 uint64_t address, const ompi_osc_ucp_layout_t *layout, int64_t gap)
{
    __atomic_store_n(&insider->turns, insider->turns + 1, __ATOMIC_RELAXED);
    ompi_osc_ucp_fence_memory(); /* the announcement before the looks: see ompi_osc_ucp_attached_await */
    if (is_shown(attached, address, layout, gap)) {
        return true;
    }
    ompi_osc_ucp_attached_leave(insider);
    return false;
}

void ompi_osc_ucp_attached_leave(ompi_osc_ucp_insider_t *insider)
{
    __atomic_store_n(&insider->turns, insider->turns + 1, __ATOMIC_RELEASE);
}
