/* Stripes: the locks under which processors update elements of window memory.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OSC_UCP_STRIPES_H
#define OSC_UCP_STRIPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Who holds a stripe: the number at an address of the process `pid` proves that it is still the same program. */
typedef struct ompi_osc_ucp_stripe_holder_t {
    uint64_t address;
    uint64_t number;
    uint64_t space; /**< the name space that `pid` belongs to */
    int32_t  pid;
} ompi_osc_ucp_stripe_holder_t;

/** A stripe: a spin lock in a cache line of its own. Whoever may hold it for longer than a few loads and stores tells
 *  who it is. Others that have waited for long look whether that process still exists: it may have become another
 *  program in a signal handler. Then one of them takes the stripe over. */
typedef struct ompi_osc_ucp_stripe_t {
    volatile int32_t             locked;
    uint32_t                     told; /**< odd while `holder` is valid; a new number each time */
    ompi_osc_ucp_stripe_holder_t holder;
    char                         pad[24];
} ompi_osc_ucp_stripe_t;

/** This process as a holder. NULL: nobody can look whether it exists. */
extern const ompi_osc_ucp_stripe_holder_t *ompi_osc_ucp_stripe_self;

/** Set what this process tells as a holder, and how it finds that another holder is gone for sure. Any thread. */
void ompi_osc_ucp_stripe_introduce(const ompi_osc_ucp_stripe_holder_t *self,
                                   bool (*gone)(const ompi_osc_ucp_stripe_holder_t *holder));

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

/** Tell that this process holds the stripe. */
static inline void ompi_osc_ucp_stripe_tell(ompi_osc_ucp_stripe_t *stripe)
{
    const ompi_osc_ucp_stripe_holder_t *self = __atomic_load_n(&ompi_osc_ucp_stripe_self, __ATOMIC_ACQUIRE);

    if (NULL == self) {
        return;
    }
    __atomic_thread_fence(__ATOMIC_RELEASE); /* who reads a part of this sees that `told` has changed */
    __atomic_store_n(&stripe->holder.address, self->address, __ATOMIC_RELAXED);
    __atomic_store_n(&stripe->holder.number, self->number, __ATOMIC_RELAXED);
    __atomic_store_n(&stripe->holder.space, self->space, __ATOMIC_RELAXED);
    __atomic_store_n(&stripe->holder.pid, self->pid, __ATOMIC_RELAXED);
    __atomic_store_n(&stripe->told, __atomic_load_n(&stripe->told, __ATOMIC_RELAXED) + 1, __ATOMIC_RELEASE);
}

static inline void ompi_osc_ucp_stripe_lock_told(ompi_osc_ucp_stripe_t *stripe)
{
    ompi_osc_ucp_stripe_lock(stripe);
    ompi_osc_ucp_stripe_tell(stripe);
}

static inline void ompi_osc_ucp_stripe_unlock_told(ompi_osc_ucp_stripe_t *stripe)
{
    uint32_t told = __atomic_load_n(&stripe->told, __ATOMIC_RELAXED);

    __atomic_store_n(&stripe->told, told + told % 2, __ATOMIC_RELAXED);
    ompi_osc_ucp_stripe_unlock(stripe);
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

    ompi_osc_ucp_stripe_lock_told(pair.low);
    if (first != last) {
        pair.high = first < last ? last : first;
        ompi_osc_ucp_stripe_lock_told(pair.high);
    }
    return pair;
}

static inline void ompi_osc_ucp_stripe_pair_unlock(ompi_osc_ucp_stripe_pair_t pair)
{
    if (NULL != pair.high) {
        ompi_osc_ucp_stripe_unlock_told(pair.high);
    }
    ompi_osc_ucp_stripe_unlock_told(pair.low);
}

/* Sets of stripes, as bits by index: for whoever updates a copy of window memory and writes it back. */

/** The stripes of `len` > 0 bytes at `key`. */
uint64_t ompi_osc_ucp_stripes_of(uintptr_t key, size_t len);

/** Lock them, and tell who holds them. Asks again and again whether the process whose memory it is still exists: it may
 *  have ended, or become another program, while it held a stripe. False: it does not, and none is locked. */
bool ompi_osc_ucp_stripes_lock(ompi_osc_ucp_stripe_t *stripes, uint64_t set, bool (*exists)(const void *owner),
                               const void *owner);
void ompi_osc_ucp_stripes_unlock(ompi_osc_ucp_stripe_t *stripes, uint64_t set);

#endif /* OSC_UCP_STRIPES_H */
