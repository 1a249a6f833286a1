/* Stripes: the locks under which processors update elements of window memory.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OSC_UCP_STRIPES_H
#define OSC_UCP_STRIPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A stripe: a spin lock in a cache line of its own. */
typedef struct ompi_osc_ucp_stripe_t {
    volatile int32_t locked;
    char             pad[60];
} ompi_osc_ucp_stripe_t;

#define OMPI_OSC_UCP_STRIPES 64

/** Bytes of a granule: window memory that shares a stripe. */
#define OMPI_OSC_UCP_STRIPE_GRANULE 4096

/** Wait for a stripe that another thread holds, and lock it. Waits longer than one update takes between two tries, so
 *  that the holder can do further updates while it has the cache lines. */
void ompi_osc_ucp_stripe_contend(ompi_osc_ucp_stripe_t *stripe);

static inline void ompi_osc_ucp_stripe_lock(ompi_osc_ucp_stripe_t *stripe)
{
    if (__builtin_expect(0 != __atomic_exchange_n(&stripe->locked, 1, __ATOMIC_ACQUIRE), 0)) {
        ompi_osc_ucp_stripe_contend(stripe);
    }
}

static inline void ompi_osc_ucp_stripe_unlock(ompi_osc_ucp_stripe_t *stripe)
{
    __atomic_store_n(&stripe->locked, 0, __ATOMIC_RELEASE);
}

/** The stripe of the granule that holds `key`. */
static inline ompi_osc_ucp_stripe_t *ompi_osc_ucp_stripe_at(ompi_osc_ucp_stripe_t *stripes, uintptr_t key)
{
    return &stripes[key / OMPI_OSC_UCP_STRIPE_GRANULE % OMPI_OSC_UCP_STRIPES];
}

/** The stripes of memory that touches at most two granules. */
typedef struct ompi_osc_ucp_stripe_pair_t {
    ompi_osc_ucp_stripe_t *low;
    ompi_osc_ucp_stripe_t *high; /**< NULL if one stripe is enough */
} ompi_osc_ucp_stripe_pair_t;

/** Lock the stripes of `len` bytes at `key`, which touch at most two granules. In index order, to avoid deadlock. */
static inline ompi_osc_ucp_stripe_pair_t ompi_osc_ucp_stripe_pair_lock(ompi_osc_ucp_stripe_t *stripes, uintptr_t key,
                                                                       size_t len)
{
    ompi_osc_ucp_stripe_t     *first = ompi_osc_ucp_stripe_at(stripes, key);
    ompi_osc_ucp_stripe_t     *last  = ompi_osc_ucp_stripe_at(stripes, key + len - 1);
    ompi_osc_ucp_stripe_pair_t pair  = { .low = first < last ? first : last, .high = NULL };

    ompi_osc_ucp_stripe_lock(pair.low);
    if (first != last) {
        pair.high = first < last ? last : first;
        ompi_osc_ucp_stripe_lock(pair.high);
    }
    return pair;
}

static inline void ompi_osc_ucp_stripe_pair_unlock(ompi_osc_ucp_stripe_pair_t pair)
{
    if (NULL != pair.high) {
        ompi_osc_ucp_stripe_unlock(pair.high);
    }
    ompi_osc_ucp_stripe_unlock(pair.low);
}

/* Sets of stripes, as bits by index: for whoever updates a copy of window memory and writes it back. */

/** The stripes of `len` > 0 bytes at `key`. */
uint64_t ompi_osc_ucp_stripes_of(uintptr_t key, size_t len);

/** Lock them. Asks again and again whether the process whose memory it is still exists: it may have ended, or become
 *  another program, while it held a stripe. False: it does not, and none is locked. */
bool ompi_osc_ucp_stripes_lock(ompi_osc_ucp_stripe_t *stripes, uint64_t set, bool (*exists)(const void *owner),
                               const void *owner);
void ompi_osc_ucp_stripes_unlock(ompi_osc_ucp_stripe_t *stripes, uint64_t set);

#endif /* OSC_UCP_STRIPES_H */
