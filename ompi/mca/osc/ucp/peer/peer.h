/* The members of a window as one process, the origin, sees them.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * All of it belongs to the origin side (peer/window.h).
 */

#ifndef OSC_UCP_PEER_H
#define OSC_UCP_PEER_H

#include "peer/proc.h"
#include "peer/window.h"

/* The locks that this process holds or has asked for, in all windows. */

typedef struct ompi_osc_ucp_locks_t {
    uint32_t held;      /**< granted, or requested by message */
    uint32_t ungranted; /**< requested by message, sent or not, and not granted yet */
} ompi_osc_ucp_locks_t;

extern ompi_osc_ucp_locks_t ompi_osc_ucp_locks;

/** Does a reader go past the queue of a lock? See memory/lockword.h. */
static inline bool ompi_osc_ucp_joins(bool exclusive)
{
    return !exclusive && ompi_osc_ucp_locks.held > 0;
}

/** How a target is locked by this origin. */
typedef enum ompi_osc_ucp_lock_t {
    OMPI_OSC_UCP_UNLOCKED,
    OMPI_OSC_UCP_NOCHECK, /**< an epoch without a lock: MPI_MODE_NOCHECK */
    OMPI_OSC_UCP_SHARED,
    OMPI_OSC_UCP_EXCLUSIVE
} ompi_osc_ucp_lock_t;

/**
 * A member of a window as this origin sees it. Made when it is first touched, kept until the window is freed.
 */
struct ompi_osc_ucp_peer_t {
    ompi_osc_ucp_window_t     *window;
    ompi_osc_ucp_peer_t       *next; /**< all peers of the window */
    int                        rank;
    const ompi_osc_ucp_path_t *path;
    opal_common_ucp_ep_t      *ep;   /**< NULL until the first message; the process's, not the window's */
    ompi_osc_ucp_proc_t       *proc; /**< valid where `ep` is */

    /* Its window memory. */
    bool    known;      /**< size and disp_unit are valid, and the path is the final one */
    bool    mapped;     /**< known, and all of it is mapped here: displacements count from `memory` */
    bool    resolving;  /**< a thread is asking for them */
    int64_t size;       /**< bytes */
    int64_t disp_unit;  /**< bytes */

    /* What of it is mapped here. */
    ompi_osc_ucp_control_t *control;  /**< NULL: not mapped */
    ompi_osc_ucp_mapped_t  *chunk;    /**< that holds it, if that is the peer's own; else NULL */
    char                   *memory;   /**< its window memory, if that is mapped; NULL in one's own dynamic window */
    ompi_osc_ucp_stripe_t  *stripes;  /**< of that memory */
    uintptr_t               key_base; /**< subtracted from an address to choose a stripe: the same for all */

    /* On the near path. */
    bool  cma;        /**< the kernel copies between this process and the peer's memory, at `remote` */
    bool  cma_target; /**< its service side has the kernel copy from and to this process's memory */
    pid_t pid;        /**< of the peer */
    struct ompi_osc_ucp_fastbox_end_t *fastbox; /**< how small packets are handed to it in shared memory; NULL: they are not */

    /* How it is reached natively; of meaning if the path is one that does. */
    opal_common_ucp_rkey_t *rkey;       /**< of its window memory; owned; NULL if there is none */
    uint64_t                remote;     /**< address of its window memory, there */
    opal_common_ucp_rkey_t *words_rkey; /**< of its lock words, in the NIC domain */
    uint64_t                words;      /**< address of its lock words, there */
    bool                    cpu_amo;    /**< native atomics are not a device's: UCX was told to do without one */
    struct ompi_osc_ucp_native_t {
        opal_common_ucp_completion_t completion; /**< first */
        ompi_osc_ucp_peer_t         *peer;
        unsigned                     generation; /**< parity */
    } native[2];                        /**< puts and gets that nobody asks for one by one, by generation */
    bool                    unflushed;  /**< native operations were begun since the last flush was */
    uint32_t                flushing;   /**< flushes begun and not yet over */
    uint8_t                 ways;       /**< of accumulates that may not be complete (path/nic_atomic.c) */
    uint8_t                 ways_flushed; /**< of those that a flush is under way for */
    uint32_t                way_flushes;  /**< such flushes */

    bool stream; /**< messages to it go over tcp, as far as is known: long ones are cut (message/bulk.c) */

    /* Completion. */
    uint32_t sequence;      /**< of the next ordered message */
    bool     unacknowledged;/**< messages were sent for which no acknowledgement was asked yet */
    uint32_t acknowledging; /**< acknowledgements asked for and not yet here */
    uint32_t generation;    /**< of the operations issued now; see ompi_osc_ucp_peer_wait_local */
    uint64_t open[2];       /**< operations that still use a buffer of the caller, of this generation and the last */
    uint32_t fetching;      /**< operations whose results the target may send straight from its window */
    bool     granting;      /**< a lock was requested and is not granted yet: little may be sent */
    ompi_osc_ucp_packet_t *packet; /**< operations not sent yet, or NULL; see message/packet.h */
    int      error;         /**< what the target refused (OMPI_ERR_RMA_RANGE); reported by the completing call */
    int      broken;        /**< an ordered message was lost, and why: no other may follow; else OMPI_SUCCESS */

    /* Synchronization. */
    ompi_osc_ucp_lock_t lock;
    bool                locking; /**< a thread is acquiring it */
    uint32_t            posts;   /**< found in the control block and not yet used by MPI_Win_start */
    bool                started; /**< in the group of MPI_Win_start */
    bool                queried; /**< the program has a pointer to its memory, from MPI_Win_shared_query */
};

/** What follows in another thread that sees the peer locked comes after what locked it. */
static inline void ompi_osc_ucp_peer_locked(ompi_osc_ucp_peer_t *peer, ompi_osc_ucp_lock_t lock)
{
    ompi_osc_ucp_locks.held -= peer->lock > OMPI_OSC_UCP_NOCHECK;
    ompi_osc_ucp_locks.held += lock > OMPI_OSC_UCP_NOCHECK;
    __atomic_store_n(&peer->lock, lock, __ATOMIC_RELEASE);
}

/** The peer of that rank if it is among those found last; else NULL. Any thread. */
static inline ompi_osc_ucp_peer_t *ompi_osc_ucp_peer_recent(const ompi_osc_ucp_window_t *window, int rank)
{
    ompi_osc_ucp_peer_t *peer =
        __atomic_load_n(&window->recent[(unsigned) rank % OMPI_OSC_UCP_RECENT], __ATOMIC_ACQUIRE);

    return OPAL_LIKELY(NULL != peer && rank == peer->rank) ? peer : NULL;
}

/** The peer of that rank, among all; NULL if it was not touched yet. It is a recent one from now on. */
ompi_osc_ucp_peer_t *ompi_osc_ucp_peer_find(ompi_osc_ucp_window_t *window, int rank);

/** Add a peer that was not touched yet, without a path; NULL if memory is short. */
ompi_osc_ucp_peer_t *ompi_osc_ucp_peer_add(ompi_osc_ucp_window_t *window, int rank);

/** Free all peers of a window, whose paths have let them go. */
void ompi_osc_ucp_peers_free(ompi_osc_ucp_window_t *window);

/** Connect to the peer, if not yet done. */
int ompi_osc_ucp_peer_connect(ompi_osc_ucp_peer_t *peer);

/** Wait until the caller may use all buffers again that operations to the peer, issued up to now, were given. */
void ompi_osc_ucp_peer_wait_local(ompi_osc_ucp_peer_t *peer);

/** What the peer refused since the last call, or OMPI_SUCCESS. */
int ompi_osc_ucp_peer_take_error(ompi_osc_ucp_peer_t *peer);

/** What peers may know of the own memory. Reads what is fixed once the window stands: the service side calls it, too. */
void ompi_osc_ucp_window_describe(const ompi_osc_ucp_window_t *window, ompi_osc_ucp_description_t *description);

#endif /* OSC_UCP_PEER_H */
