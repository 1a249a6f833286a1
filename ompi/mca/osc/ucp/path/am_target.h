/* The service side of a window: what peers' messages act on.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Guarded by the transport's service lock, except for the fields that are said to be polled. It runs in the service
 * thread too, and therefore uses no object of Open MPI's but predefined operations and types, which never change.
 */

#ifndef OSC_UCP_AM_TARGET_H
#define OSC_UCP_AM_TARGET_H

#include "../osc_ucp.h"

#define OMPI_OSC_UCP_BARRIER_ROUNDS 32

typedef struct ompi_osc_ucp_source_t ompi_osc_ucp_source_t;
typedef struct ompi_osc_ucp_waiter_t ompi_osc_ucp_waiter_t;

/** A window's lock at this member: granted in the order of the requests. */
typedef struct ompi_osc_ucp_queue_lock_t {
    uint64_t               shared;    /**< holders */
    bool                   exclusive; /**< held so */
    ompi_osc_ucp_waiter_t *first, *last;
} ompi_osc_ucp_queue_lock_t;

struct ompi_osc_ucp_target_t {
    uint64_t                  id;
    uint32_t                  members;   /**< of the window */
    char                     *base;      /**< NULL in a dynamic window: addresses are absolute */
    int64_t                   bytes;
    ompi_osc_ucp_regions_t   *regions;   /**< dynamic windows, else NULL */
    ompi_osc_ucp_stripe_t    *stripes;
    uintptr_t                 key_base;  /**< subtracted from an address to get its stripe key */
    ompi_osc_ucp_description_t *description; /**< for peers */
    opal_hash_table_t         sources;   /**< rank -> ompi_osc_ucp_source_t */
    ompi_osc_ucp_queue_lock_t lock;

    /* Polled by waiting threads; written under the lock. */
    uint32_t posts;                                /**< MPI_Win_post messages ever received */
    uint32_t completes;                            /**< MPI_Win_complete messages ever received */
    uint32_t arrived[OMPI_OSC_UCP_BARRIER_ROUNDS]; /**< barrier messages ever received, by round */
};

/** The service side of a window whose memory and stripes stand; NULL if memory is short. Not reachable yet. */
ompi_osc_ucp_target_t *ompi_osc_ucp_target_new(ompi_osc_ucp_window_t *window);
void ompi_osc_ucp_target_free(ompi_osc_ucp_target_t *target);

/** Let messages to window `id` reach it. False if this process has such a window already. */
bool ompi_osc_ucp_target_publish(ompi_osc_ucp_target_t *target, uint64_t id);
void ompi_osc_ucp_target_withdraw(ompi_osc_ucp_target_t *target);

/** Has `rank` posted to this process since the last time? If so, that post is used up. Takes the service lock. */
bool ompi_osc_ucp_target_take_post(ompi_osc_ucp_target_t *target, uint32_t rank);

/* What the process itself does to its own service side, as messages do for others. They take the service lock. */

void ompi_osc_ucp_target_post(ompi_osc_ucp_target_t *target, uint32_t rank);
void ompi_osc_ucp_target_complete(ompi_osc_ucp_target_t *target);

/** Request the lock; *granted_p (polled) becomes true when it is held, maybe at once. */
int  ompi_osc_ucp_target_lock(ompi_osc_ucp_target_t *target, bool exclusive, bool *granted_p);
void ompi_osc_ucp_target_unlock(ompi_osc_ucp_target_t *target, bool exclusive);

#endif /* OSC_UCP_AM_TARGET_H */
