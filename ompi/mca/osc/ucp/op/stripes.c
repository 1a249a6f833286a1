/* Waiting for stripes, and sets of them.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi_config.h"

#include "op/stripes.h"

#include "base/cpu.h"

#include <sched.h>

_Static_assert(64 == sizeof(ompi_osc_ucp_stripe_t), "a stripe is a cache line");
_Static_assert(64 == OMPI_OSC_UCP_STRIPES, "a set of stripes is a number of 64 bits");

/* Pauses between two tries; after the last number the holder may not be running, so the thread yields. */
enum { PAUSES_MIN = 16, PAUSES_MAX = 64, PAUSES_BEFORE_YIELD = 160 };

/** Tries between two looks whether the holder, and the process whose memory it is, still exist: some milliseconds. */
enum { TRIES_PER_LOOK = 1024 };

const ompi_osc_ucp_stripe_holder_t *ompi_osc_ucp_stripe_self;

static bool (*holder_is_gone)(const ompi_osc_ucp_stripe_holder_t *holder);

void ompi_osc_ucp_stripe_introduce(const ompi_osc_ucp_stripe_holder_t *self,
                                   bool (*gone)(const ompi_osc_ucp_stripe_holder_t *holder))
{
    __atomic_store_n(&holder_is_gone, gone, __ATOMIC_RELAXED);
    __atomic_store_n(&ompi_osc_ucp_stripe_self, self, __ATOMIC_RELEASE);
}

/** Take the stripe from a holder that is gone. False: it is not, or somebody else has it now. */
static bool take_over(ompi_osc_ucp_stripe_t *stripe)
{
    const ompi_osc_ucp_stripe_holder_t *self = __atomic_load_n(&ompi_osc_ucp_stripe_self, __ATOMIC_ACQUIRE);
    uint32_t                            told = __atomic_load_n(&stripe->told, __ATOMIC_ACQUIRE);
    ompi_osc_ucp_stripe_holder_t        holder;

    if (NULL == self || 0 == told % 2) {
        return false;
    }
    holder = (ompi_osc_ucp_stripe_holder_t) {
        .address = __atomic_load_n(&stripe->holder.address, __ATOMIC_RELAXED),
        .number  = __atomic_load_n(&stripe->holder.number, __ATOMIC_RELAXED),
        .space   = __atomic_load_n(&stripe->holder.space, __ATOMIC_RELAXED),
        .pid     = __atomic_load_n(&stripe->holder.pid, __ATOMIC_RELAXED)
    };
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    return told == __atomic_load_n(&stripe->told, __ATOMIC_RELAXED) && holder.space == self->space &&
           holder_is_gone(&holder) &&
           __atomic_compare_exchange_n(&stripe->told, &told, told + 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

/** Wait for a stripe, at most so many tries. False: somebody else still holds it. */
static bool contend(ompi_osc_ucp_stripe_t *stripe, unsigned tries)
{
    unsigned pauses = PAUSES_MIN, all = 0, i;

    do {
        if (0 == tries--) {
            return false;
        }
        for (i = 0; i < pauses; i++) {
            ompi_osc_ucp_cpu_relax();
        }
        all += pauses;
        pauses = pauses < PAUSES_MAX ? 2 * pauses : pauses;
        if (all > PAUSES_BEFORE_YIELD) {
            sched_yield();
        }
    } while (0 != __atomic_load_n(&stripe->locked, __ATOMIC_RELAXED) ||
             0 != __atomic_exchange_n(&stripe->locked, 1, __ATOMIC_ACQUIRE));
    return true;
}

void ompi_osc_ucp_stripe_contend(ompi_osc_ucp_stripe_t *stripe)
{
    while (!contend(stripe, TRIES_PER_LOOK) && !take_over(stripe)) {
        continue;
    }
}

uint64_t ompi_osc_ucp_stripes_of(uintptr_t key, size_t len)
{
    uintptr_t first = key / OMPI_OSC_UCP_STRIPE_GRANULE, last = (key + len - 1) / OMPI_OSC_UCP_STRIPE_GRANULE;
    uint64_t  set   = 0;

    if (last - first >= OMPI_OSC_UCP_STRIPES) {
        return UINT64_MAX;
    }
    for (; first <= last; first++) {
        set |= UINT64_C(1) << first % OMPI_OSC_UCP_STRIPES;
    }
    return set;
}

bool ompi_osc_ucp_stripes_lock(ompi_osc_ucp_stripe_t *stripes, uint64_t set, bool (*exists)(const void *owner),
                               const void *owner)
{
    uint64_t               left = set;
    ompi_osc_ucp_stripe_t *stripe;

    for (; 0 != left; left &= left - 1) { /* in index order, to avoid deadlock */
        stripe = &stripes[__builtin_ctzll(left)];
        if (0 != __atomic_exchange_n(&stripe->locked, 1, __ATOMIC_ACQUIRE)) {
            while (!contend(stripe, TRIES_PER_LOOK)) {
                if (!exists(owner)) {
                    ompi_osc_ucp_stripes_unlock(stripes, set & ~left);
                    return false;
                }
                if (take_over(stripe)) {
                    break;
                }
            }
        }
        ompi_osc_ucp_stripe_tell(stripe);
    }
    return true;
}

void ompi_osc_ucp_stripes_unlock(ompi_osc_ucp_stripe_t *stripes, uint64_t set)
{
    for (; 0 != set; set &= set - 1) {
        ompi_osc_ucp_stripe_unlock_told(&stripes[__builtin_ctzll(set)]);
    }
}
