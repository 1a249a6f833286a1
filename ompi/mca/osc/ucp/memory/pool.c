/* Pools: small windows of a node share segments.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "memory/pool.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/** Lots begin at multiples of a cache line and have whole ones. Bytes. */
#define UNIT 64u

#define UNITS (OMPI_OSC_UCP_LANE_BYTES / UNIT)

/** The first lane begins where a granule does: see ompi_osc_ucp_segment_member. Bytes from the segment's head. */
#define FIRST (2u * OMPI_OSC_UCP_STRIPE_GRANULE)

_Static_assert(sizeof(ompi_osc_ucp_sysv_head_t) <= FIRST, "the lanes lie behind the head");

/** A segment. */
struct ompi_osc_ucp_pool_t {
    ompi_osc_ucp_pool_t *next;
    ompi_osc_ucp_sysv_t *sysv;
    int                  lanes;
    bool                 lasting; /**< the first for so many lanes: most programs need no other */
    uint32_t             taken;   /**< units in use */
    uint32_t             first;   /**< all units before it are in use */
    bool                 used[UNITS];
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
    pool->sysv = ompi_osc_ucp_sysv_create(FIRST + (uint64_t) lanes * OMPI_OSC_UCP_LANE_BYTES);
    if (NULL == pool->sysv) {
        free(pool);
        return NULL;
    }
    pool->lanes   = lanes;
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

/** The first of so many units in a row that are not used; UNITS if there are none. */
static uint32_t pool_find(const ompi_osc_ucp_pool_t *pool, uint32_t units)
{
    uint32_t at, free = 0;

    if (units > UNITS - pool->taken) {
        return UNITS;
    }
    for (at = pool->first; at < UNITS && free < units; at++) {
        free = pool->used[at] ? 0 : free + 1;
    }
    return free < units ? UNITS : at - units;
}

static void units_set(ompi_osc_ucp_lot_t *lot, bool used)
{
    ompi_osc_ucp_pool_t *pool  = lot->pool;
    uint32_t             first = (uint32_t) ((lot->offset - FIRST) / UNIT);

    memset(&pool->used[first], used, lot->units);
    if (!used && first < pool->first) {
        pool->first = first;
    } else if (used && first == pool->first) {
        pool->first = first + lot->units;
    }
    pool->taken += used ? lot->units : -lot->units;
}

/** Free the lots that all members have left. */
static void lots_free(void)
{
    ompi_osc_ucp_lot_t **at = &pools.given, *lot;

    while (NULL != (lot = *at)) {
        if (lot->members == __atomic_load_n(lot->left, __ATOMIC_ACQUIRE)) {
            *at = lot->next;
            units_set(lot, false);
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
    uint32_t             first = UNITS;
    bool                 has   = false;

    for (pool = pools.first; NULL != pool; pool = pool->next) {
        first = lanes == pool->lanes ? pool_find(pool, lot->units) : UNITS;
        if (first < UNITS) {
            break;
        }
        has = has || (lanes == pool->lanes && pool->lasting);
    }
    if (NULL == pool) {
        pool  = pool_new(lanes, !has);
        first = 0;
    }
    if (NULL == pool) {
        return false;
    }
    lot->pool    = pool;
    lot->sysv    = pool->sysv;
    lot->lasting = pool->lasting;
    lot->offset  = FIRST + (uint64_t) first * UNIT;
    units_set(lot, true);
    return true;
}

ompi_osc_ucp_lot_t *ompi_osc_ucp_pool_take(int lanes, uint32_t members, uint64_t bytes)
{
    ompi_osc_ucp_lot_t *lot = calloc(1, sizeof(*lot));
    bool                placed;

    if (NULL == lot) {
        return NULL;
    }
    lot->units   = (uint32_t) ((bytes + UNIT - 1) / UNIT);
    lot->members = members;
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
