/* The service side of a window: what peers' messages act on.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Guarded by the transport's service lock, except for the fields that are said to be polled. It runs in the service
 * thread too, and therefore uses no object of Open MPI's but predefined operations and types, which never change.
 */

#ifndef OSC_UCP_AM_TARGET_H
#define OSC_UCP_AM_TARGET_H

#include "memory/cma.h"
#include "memory/regions.h"
#include "peer/window.h"
#include "wire/wire.h"

typedef struct ompi_osc_ucp_source_t ompi_osc_ucp_source_t;
typedef struct ompi_osc_ucp_lock_waiter_t ompi_osc_ucp_lock_waiter_t;
typedef struct ompi_osc_ucp_queued_t ompi_osc_ucp_queued_t;

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
    bool                      device;    /**< the memory is a device's: see service/target_addr.h */
    bool                      nic;       /**< the native class is not for this side: see ompi_osc_ucp_domain_witness */

    ompi_osc_ucp_control_t   *control;   /**< shared with the peers that have it mapped: atomics only */
    ompi_osc_ucp_lock_waiter_t    *waiting, *last_waiting; /**< for the lock: who joins, then by ticket */
    ompi_osc_ucp_source_t    *runnable;  /**< whose packets waited and may go on */

    /* Polled by waiting threads; written under the lock. */
    uint32_t posts; /**< MPI_Win_post messages ever received */
};

/** A request for the lock whose turn has not come. */
struct ompi_osc_ucp_lock_waiter_t {
    ompi_osc_ucp_lock_waiter_t *next; /**< who joins, then in order of ticket */
    uint32_t               ticket;
    bool                   exclusive, joins;
    opal_common_ucp_ep_t  *reply_ep;
    uint64_t               cookie; /**< replied to when it has; 0: nobody needs that */
};

/** One origin of a window. */
struct ompi_osc_ucp_source_t {
    uint32_t sequence;  /**< of the next ordered packet to apply */
    uint32_t posts;     /**< received and not yet used by MPI_Win_start */
    int      error;     /**< refused since the last acknowledgement */
    uint32_t receiving; /**< puts whose data are on their way to the window */
    bool     waiting;   /**< for the lock; its packets wait, too */
    bool     runnable;  /**< in the target's list of those that may go on */
    opal_common_ucp_ep_t       *reply_ep; /**< of the last message; NULL before the first one */
    ompi_osc_ucp_cma_process_t process; /**< that it was found to be when it asked for the description; else zeros */
    ompi_osc_ucp_lock_waiter_t       waiter; /**< of meaning while waiting */
    ompi_osc_ucp_source_t      *next_runnable;
    ompi_osc_ucp_queued_t      *queued; /**< packets whose turn has not come, in their order */
};

/** A packet on its way through the service side. */
typedef struct ompi_osc_ucp_arrival_t {
    ompi_osc_ucp_wire_packet_t head;
    const char                *commands;
    size_t                     len;     /**< of the commands */
    size_t                     next;    /**< offset of the next command to apply */
    const char                *payload; /**< NULL if there is none, or it is remote */
    size_t                     payload_len;
    opal_common_ucp_remote_t  *remote;  /**< the payload, if the sender still has it */
    opal_common_ucp_ep_t      *reply_ep;
} ompi_osc_ucp_arrival_t;

/** One whose turn has not come, with its data. */
struct ompi_osc_ucp_queued_t {
    ompi_osc_ucp_queued_t *next; /**< in order of sequence */
    ompi_osc_ucp_arrival_t arrival;
    char                   data[];
};

/** The service side of a window whose memory and stripes stand; NULL if memory is short. Not reachable yet. */
ompi_osc_ucp_target_t *ompi_osc_ucp_target_new(ompi_osc_ucp_window_t *window);
void ompi_osc_ucp_target_free(ompi_osc_ucp_target_t *target);

/** Let messages to window `id` reach it. OMPI_EXISTS: this process has such a window already. */
int  ompi_osc_ucp_target_publish(ompi_osc_ucp_target_t *target, uint64_t id);
void ompi_osc_ucp_target_withdraw(ompi_osc_ucp_target_t *target);

/** Forget the list of all published; no message arrives any more. */
void ompi_osc_ucp_targets_fini(void);

/** Has `rank` posted by message since the last time? If so, that post is used up. Takes the service lock. */
bool ompi_osc_ucp_target_take_post(ompi_osc_ucp_target_t *target, uint32_t rank);

/** The origin of that rank, made if need be; NULL if memory is short. Under the service lock, as what follows. */
ompi_osc_ucp_source_t *ompi_osc_ucp_source_find(ompi_osc_ucp_target_t *target, uint32_t rank);

/** The published target of that id, which `origin` is a member of; NULL if there is none. */
ompi_osc_ucp_target_t *ompi_osc_ucp_target_find(uint64_t id, uint32_t origin);

/** A source may go on: ompi_osc_ucp_target_run lets it. */
void ompi_osc_ucp_source_resume(ompi_osc_ucp_target_t *target, ompi_osc_ucp_source_t *source);

/** Let go of remote data that nobody wants; NULL is nothing. */
void ompi_osc_ucp_remote_drop(opal_common_ucp_remote_t *remote);

#endif /* OSC_UCP_AM_TARGET_H */
