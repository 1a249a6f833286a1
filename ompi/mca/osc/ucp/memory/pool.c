/* Pools: small windows of a node share segments.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "memory/pool.h"

#include <pthread.h>
#include <stdlib.h>

/** Lots begin at multiples of a cache line and have whole ones. Bytes. */
#define UNIT 64u

/** Units of the largest lane. As the number of a unit: none. */
#define UNITS (OMPI_OSC_UCP_LANE_MOST / UNIT)

/** The first lane begins where a granule does: see ompi_osc_ucp_segment_member. Bytes from the segment's head. */
#define FIRST (2u * OMPI_OSC_UCP_STRIPE_GRANULE)

_Static_assert(sizeof(ompi_osc_ucp_sysv_head_t) <= FIRST, "the lanes lie behind the head");

/** A segment. */
struct ompi_osc_ucp_pool_t {
    ompi_osc_ucp_pool_t *next;
    ompi_osc_ucp_sysv_t *sysv;
    int                  lanes;
    uint32_t             units;   /**< of each lane */
    bool                 lasting; /**< the first for so many lanes: most programs need no other */
    uint32_t             taken;   /**< units in use */
    uint32_t             first;   /**< all units before it are in use */
    uint32_t             last;    /**< and all from this one on */
    uint64_t             used[UNITS / 64]; /**< a bit for each unit */
};

/** `lock` guards all of it. */
static struct {
    pthread_mutex_t      lock;
    ompi_osc_ucp_pool_t *first;
    ompi_osc_ucp_lot_t  *given; /**< lots that members may still be about to leave */
} pools = { .lock = PTHREAD_MUTEX_INITIALIZER };

static ompi_osc_ucp_pool_t *pool_new(int lanes, bool lasting)
{
    ompi_osc_ucp_pool_t *pool = calloc(1, sizeof(*pool));

    if (NULL == pool) {
        return NULL;
    }
    pool->sysv = ompi_osc_ucp_sysv_create(FIRST + (uint64_t) lanes * ompi_osc_ucp_lane_bytes(lanes));
    if (NULL == pool->sysv) {
        free(pool);
        return NULL;
    }
    pool->lanes   = lanes;
    pool->units   = ompi_osc_ucp_lane_bytes(lanes) / UNIT;
    pool->last    = pool->units;
    pool->lasting = lasting;
    pool->next    = pools.first;
    pools.first   = pool;
    return pool;
}

static void pool_delete(ompi_osc_ucp_pool_t *pool)
{
    ompi_osc_ucp_pool_t **at = &pools.first;

    while (*at != pool) {
        at = &(*at)->next;
    }
    *at = pool->next;
    ompi_osc_ucp_sysv_release(pool->sysv);
    free(pool);
}

static bool is_used(const ompi_osc_ucp_pool_t *pool, uint32_t unit)
{
    return 0 != (pool->used[unit / 64] & UINT64_C(1) << unit % 64);
}

/** The first of so many units in a row that are not used; UNITS if there are none. */
static uint32_t pool_find(const ompi_osc_ucp_pool_t *pool, uint32_t units)
{
    uint32_t at, free = 0;

    if (units > pool->units - pool->taken) {
        return UNITS;
    }
    for (at = pool->first; at < pool->units && free < units; at++) {
        free = is_used(pool, at) ? 0 : free + 1;
    }
    return free < units ? UNITS : at - units;
}

/** The last of so many. */
static uint32_t pool_find_last(const ompi_osc_ucp_pool_t *pool, uint32_t units)
{
    uint32_t at, free = 0;

    for (at = pool->last; at > pool->first && free < units; at--) {
        free = is_used(pool, at - 1) ? 0 : free + 1;
    }
    return free < units ? UNITS : at;
}

static void units_set(ompi_osc_ucp_pool_t *pool, uint32_t first, uint32_t units, bool used)
{
    const uint32_t end = first + units;
    uint32_t       at;

    for (at = first; at < end; at++) {
        pool->used[at / 64] ^= UINT64_C(1) << at % 64;
    }
    if (used) {
        pool->first = first == pool->first ? end : pool->first;
        pool->last  = end == pool->last ? first : pool->last;
    } else {
        pool->first = first < pool->first ? first : pool->first;
        pool->last  = end > pool->last ? end : pool->last;
    }
    pool->taken += used ? units : -units;
}

/** Take units for both parts of a lot. False: the pool does not have as many in a row. */
static bool lot_take(ompi_osc_ucp_lot_t *lot, ompi_osc_ucp_pool_t *pool)
{
    const uint32_t first = pool_find(pool, lot->units);
    uint32_t       last;

    if (UNITS == first) {
        return false;
    }
    units_set(pool, first, lot->units, true);
    last = pool_find_last(pool, lot->far_units);
    if (UNITS == last && lot->far_units > 0) {
        units_set(pool, first, lot->units, false);
        return false;
    }
    units_set(pool, last, lot->far_units, true);
    lot->pool   = pool;
    lot->offset = FIRST + (uint64_t) first * UNIT;
    lot->far    = FIRST + (uint64_t) last * UNIT;
    return true;
}

static void lot_leave(const ompi_osc_ucp_lot_t *lot)
{
    units_set(lot->pool, (uint32_t) ((lot->offset - FIRST) / UNIT), lot->units, false);
    units_set(lot->pool, (uint32_t) ((lot->far - FIRST) / UNIT), lot->far_units, false);
}

/** Free the lots that all members have left. */
static void lots_free(void)
{
    ompi_osc_ucp_lot_t **at = &pools.given, *lot;

    while (NULL != (lot = *at)) {
        if (lot->members == __atomic_load_n(lot->left, __ATOMIC_ACQUIRE)) {
            *at = lot->next;
            lot_leave(lot);
            if (0 == lot->pool->taken && !lot->pool->lasting) {
                pool_delete(lot->pool);
            }
            free(lot);
        } else {
            at = &lot->next;
        }
    }
}

/** Find or make room for the lot in a pool. */
static bool lot_place(ompi_osc_ucp_lot_t *lot, int lanes)
{
    ompi_osc_ucp_pool_t *pool;
    bool                 has = false;

    for (pool = pools.first; NULL != pool; pool = pool->next) {
        if (lanes == pool->lanes && lot_take(lot, pool)) {
            break;
        }
        has = has || (lanes == pool->lanes && pool->lasting);
    }
    if (NULL == pool) {
        pool = pool_new(lanes, !has);
        if (NULL == pool || !lot_take(lot, pool)) {
            return false;
        }
    }
    lot->sysv    = pool->sysv;
    lot->lasting = pool->lasting;
    return true;
}

ompi_osc_ucp_lot_t *ompi_osc_ucp_pool_take(int lanes, uint32_t members, uint64_t bytes, uint64_t far)
{
    ompi_osc_ucp_lot_t *lot = calloc(1, sizeof(*lot));
    bool                placed;

    if (NULL == lot) {
        return NULL;
    }
    lot->units     = (uint32_t) ((bytes + UNIT - 1) / UNIT);
    lot->far_units = (uint32_t) ((far + UNIT - 1) / UNIT);
    lot->members   = members;
    pthread_mutex_lock(&pools.lock);
    lots_free();
    placed = lot_place(lot, lanes);
    pthread_mutex_unlock(&pools.lock);
    if (!placed) {
        free(lot);
        lot = NULL;
    }
    return lot;
}

void ompi_osc_ucp_pool_give(ompi_osc_ucp_lot_t *lot, uint32_t *left)
{
    if (NULL == lot) {
        return;
    }
    lot->left = left;
    pthread_mutex_lock(&pools.lock);
    lot->next   = pools.given;
    pools.given = lot;
    lots_free();
    pthread_mutex_unlock(&pools.lock);
}

void ompi_osc_ucp_pools_fini(void)
{
    ompi_osc_ucp_lot_t *lot;

    while (NULL != (lot = pools.given)) {
        pools.given = lot->next;
        free(lot);
    }
    while (NULL != pools.first) {
        pool_delete(pools.first);
    }
}
