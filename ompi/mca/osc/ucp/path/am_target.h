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

typedef struct ompi_osc_ucp_source_t ompi_osc_ucp_source_t;
typedef struct ompi_osc_ucp_waiter_t ompi_osc_ucp_waiter_t;

struct ompi_osc_ucp_target_t {
    uint64_t                  id;
    uint32_t                  members;   /**< of the window */
    char                     *base;      /**< NULL in a dynamic window: addresses are absolute */
    int64_t                   bytes;
    ompi_osc_ucp_regions_t   *regions;   /**< dynamic windows, else NULL */
    ompi_osc_ucp_stripe_t    *stripes;
    uintptr_t                 key_base;  /**< subtracted from an address to get its stripe key */
    const ompi_osc_ucp_window_t *window;     /**< for its description only */
    ompi_osc_ucp_ranks_t      sources;   /**< of ompi_osc_ucp_source_t */
    bool                      device;    /**< the memory is a device's: see am_place.h */
    bool                      nic;       /**< the native class is not for this side: see ompi_osc_ucp_domain_witness */

    ompi_osc_ucp_control_t   *control;   /**< shared with the peers that have it mapped: atomics only */
    ompi_osc_ucp_waiter_t    *waiting, *last_waiting; /**< for the lock: who joins, then by ticket */
    ompi_osc_ucp_source_t    *runnable;  /**< whose packets waited and may go on */

    /* Polled by waiting threads; written under the lock. */
    uint32_t posts; /**< MPI_Win_post messages ever received */
};

/** The service side of a window whose memory and stripes stand; NULL if memory is short. Not reachable yet. */
ompi_osc_ucp_target_t *ompi_osc_ucp_target_new(ompi_osc_ucp_window_t *window);
void ompi_osc_ucp_target_free(ompi_osc_ucp_target_t *target);

/** Let messages to window `id` reach it. OMPI_EXISTS: this process has such a window already. */
int  ompi_osc_ucp_target_publish(ompi_osc_ucp_target_t *target, uint64_t id);
void ompi_osc_ucp_target_withdraw(ompi_osc_ucp_target_t *target);

/**
 * Where `bytes` at `disp` of window `id` are in this process's memory, and the process that is its member `rank`, if it
 * has shown to be that. False: not to be told, or not now. Any thread.
 */
bool ompi_osc_ucp_target_place(uint64_t id, uint32_t rank, uint64_t disp, uint64_t bytes, char **place_p,
                               int32_t *pid_p);

/** Forget the list of all published; no message arrives any more. */
void ompi_osc_ucp_targets_fini(void);

/** Has `rank` posted by message since the last time? If so, that post is used up. Takes the service lock. */
bool ompi_osc_ucp_target_take_post(ompi_osc_ucp_target_t *target, uint32_t rank);

/** The owner has released the lock, or passed the turn on: look who waits for it. Takes the service lock. */
void ompi_osc_ucp_target_look(ompi_osc_ucp_target_t *target);

#endif /* OSC_UCP_AM_TARGET_H */
