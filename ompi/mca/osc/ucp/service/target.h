/* The service side of a window: what peers' messages act on.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Belongs to the holder of the service lock, except for fields that are said to be polled. The service thread uses it,
 * which is not an MPI thread: of Open MPI it touches only predefined operations and types, and a hash table of its own.
 */

#ifndef OSC_UCP_TARGET_H
#define OSC_UCP_TARGET_H

#include "base/watched.h"
#include "memory/regions.h"
#include "peer/window.h"
#include "wire/wire.h"

typedef struct ompi_osc_ucp_source_t ompi_osc_ucp_source_t;
typedef struct ompi_osc_ucp_lock_waiter_t ompi_osc_ucp_lock_waiter_t;
typedef struct ompi_osc_ucp_queued_t ompi_osc_ucp_queued_t;

struct ompi_osc_ucp_target_t {
    uint64_t                     id;
    uint32_t                     members;  /**< of the window */
    char                        *base;     /**< NULL in a dynamic window: displacements are addresses */
    int64_t                      bytes;
    ompi_osc_ucp_regions_t      *regions;  /**< attached regions; NULL if the window is not dynamic */
    ompi_osc_ucp_stripe_t       *stripes;
    uintptr_t                    key_base; /**< subtracted from an address to get its stripe key */
    const ompi_osc_ucp_window_t *window;   /**< for its description only */
    ompi_osc_ucp_ranks_t         sources;  /**< of ompi_osc_ucp_source_t */
    bool                         device;   /**< the memory is a device's: see service/target_addr.h */
    uint64_t                    *processes; /**< the members (ompi_osc_ucp_proc_key), by rank, malloc'd; NULL without
                                             *   the watchdog; atomic */
    bool                         nic;      /**< in the NIC domain: operations of the native class must not come here */

    ompi_osc_ucp_control_t      *control;  /**< shared with the peers that have it mapped: atomics only */
    ompi_osc_ucp_lock_waiter_t  *waiting;  /**< requests for the lock, by ticket */
    ompi_osc_ucp_lock_waiter_t  *last_waiting;
    ompi_osc_ucp_lock_waiter_t  *joining;  /**< those that join */
    ompi_osc_ucp_source_t       *runnable; /**< sources whose packets had to wait, and may be applied now */

    /* Polled by waiting threads; written under the lock. */
    uint32_t posts; /**< MPI_Win_post messages ever received */
};

/** A request for the lock that is not granted yet. */
struct ompi_osc_ucp_lock_waiter_t {
    ompi_osc_ucp_lock_waiter_t *next;
    uint32_t                    ticket;   /**< not used if it joins */
    ompi_osc_ucp_joiner_t       joiner;   /**< used if it joins */
    bool                        exclusive;
    bool                        inside;   /**< it has joined, and waits only for a writer that is inside */
    opal_common_ucp_ep_t       *reply_ep;
    uint64_t                    cookie;   /**< replied to when the lock is granted, unless 0 */
};

/** One origin of a window. */
struct ompi_osc_ucp_source_t {
    uint32_t                    sequence;  /**< of the next ordered packet to apply */
    uint32_t                    posts;     /**< received and not yet used by MPI_Win_start */
    int                         error;     /**< OMPI_ERR_ code of a refused command since the last acknowledgement */
    int64_t                     error_at;  /**< displacement of that command, bytes; 0: not known */
    uint32_t                    receiving; /**< puts whose data are on their way to the window */
    bool                        refused;   /**< a command, at `refused_at`: its operation raises no counter */
    int64_t                     refused_at; /**< place of the last such command */
    bool                        waiting;   /**< for the lock; its packets wait too */
    ompi_osc_ucp_held_t         holds;     /**< the lock, granted by message; only with the watchdog */
    uint64_t                    held_since;
    bool                        runnable;  /**< in the target's list */
    opal_common_ucp_ep_t       *reply_ep;  /**< of the last message; NULL before the first one */
    ompi_osc_ucp_lock_waiter_t  waiter;    /**< valid while `waiting` */
    ompi_osc_ucp_source_t      *next_runnable;
    ompi_osc_ucp_queued_t      *queued;    /**< packets that have to wait, by sequence */
};

/** A packet on its way through the service side. */
typedef struct ompi_osc_ucp_arrival_t {
    ompi_osc_ucp_wire_packet_t head;
    const char                *commands;
    size_t                     len;      /**< of the commands */
    size_t                     next;     /**< offset of the next command to apply */
    const char                *payload;  /**< NULL if there is none, or the sender still holds it */
    size_t                     payload_len;
    opal_common_ucp_remote_t  *remote;   /**< the payload, if the sender still holds it */
    opal_common_ucp_ep_t      *reply_ep;
} ompi_osc_ucp_arrival_t;

/** A packet that has to wait, with a copy of its bytes. */
struct ompi_osc_ucp_queued_t {
    ompi_osc_ucp_queued_t *next;
    ompi_osc_ucp_arrival_t arrival;
    char                   data[];
};

/** Make the service side of a window, whose memory and stripes exist; NULL if memory is short. It has no id yet. */
ompi_osc_ucp_target_t *ompi_osc_ucp_target_new(ompi_osc_ucp_window_t *window);
void ompi_osc_ucp_target_free(ompi_osc_ucp_target_t *target);

/** Let messages to window `id` reach the target, and end that. Both take the service lock. OMPI_EXISTS: this process
 *  has a window with that id. */
int  ompi_osc_ucp_target_publish(ompi_osc_ucp_target_t *target, uint64_t id);
void ompi_osc_ucp_target_withdraw(ompi_osc_ucp_target_t *target);

/** Free the table of targets. No message may arrive any more; takes no lock. */
void ompi_osc_ucp_targets_fini(void);

/** Use up a post that `rank` sent by message; false if there is none. Takes the service lock. */
bool ompi_osc_ucp_target_take_post(ompi_osc_ucp_target_t *target, uint32_t rank);

/* The following run under the service lock. */

/** The source of that rank, made if need be; NULL if memory is short. */
ompi_osc_ucp_source_t *ompi_osc_ucp_source_find(ompi_osc_ucp_target_t *target, uint32_t rank);

/** The published target of that id, if `origin` is a rank of the window; else NULL. */
ompi_osc_ucp_target_t *ompi_osc_ucp_target_find(uint64_t id, uint32_t origin);

/** Call `visit` for all published targets. */
void ompi_osc_ucp_targets_visit(void (*visit)(ompi_osc_ucp_target_t *target));

/** Mark a source as runnable; ompi_osc_ucp_target_run resumes it. */
void ompi_osc_ucp_source_resume(ompi_osc_ucp_target_t *target, ompi_osc_ucp_source_t *source);

/** Have UCX drop data that the sender still holds. NULL is allowed. */
void ompi_osc_ucp_remote_drop(opal_common_ucp_remote_t *remote);

#endif /* OSC_UCP_TARGET_H */
