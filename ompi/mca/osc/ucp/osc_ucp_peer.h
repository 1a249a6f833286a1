/* The members of a window as one process, the origin, sees them; and the processes of the job behind them.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * All of it belongs to the origin side (osc_ucp.h).
 */

#ifndef OSC_UCP_PEER_H
#define OSC_UCP_PEER_H

#include "osc_ucp.h"

/** How a target is locked by this origin. */
typedef enum ompi_osc_ucp_lock_t {
    OMPI_OSC_UCP_UNLOCKED,
    OMPI_OSC_UCP_NOCHECK, /**< an epoch without a lock: MPI_MODE_NOCHECK */
    OMPI_OSC_UCP_SHARED,
    OMPI_OSC_UCP_EXCLUSIVE
} ompi_osc_ucp_lock_t;

/** What this process has sent to another, in bytes that the network may have to keep (see path/am_packet.c). */
typedef struct ompi_osc_ucp_traffic_t {
    uint64_t sent;
    uint64_t arrived; /**< so much of it is known to have left, since the other has answered to what came later */
} ompi_osc_ucp_traffic_t;

/**
 * A member of a window as this origin sees it. Made when it is first touched, kept until the window is freed.
 */
struct ompi_osc_ucp_peer_t {
    ompi_osc_ucp_window_t     *window;
    ompi_osc_ucp_peer_t       *next; /**< all peers of the window */
    int                        rank;
    const ompi_osc_ucp_path_t *path;
    opal_common_ucp_ep_t      *ep;   /**< NULL until the first message; the process's, not the window's */
    ompi_osc_ucp_traffic_t    *traffic; /**< the process's, too; valid where `ep` is */

    /* Its window memory. */
    bool    known;      /**< size and disp_unit are valid, and the path is the final one */
    bool    plain;      /**< known, the path is direct, and displacements count from `memory` */
    bool    describing; /**< a thread is asking for them */
    int64_t size;       /**< bytes */
    int64_t disp_unit;  /**< bytes */

    /* What of it is mapped here. */
    ompi_osc_ucp_control_t *control;  /**< NULL: not mapped */
    ompi_osc_ucp_mapped_t  *chunk;    /**< that holds it, if that is the peer's own; else NULL */
    char                   *memory;   /**< its window memory, if the path is direct; NULL in one's own dynamic window */
    ompi_osc_ucp_stripe_t  *stripes;  /**< with the direct path */
    uintptr_t               key_base; /**< subtracted from an address to choose a stripe: the same for all */

    /* On the near path. */
    bool  copies; /**< the kernel copies between this process and the peer's memory, at `remote` */
    pid_t pid;    /**< of the peer */
    bool  kernel; /**< its service side has the kernel copy from and to this process's memory */
    ompi_osc_ucp_mailbox_t *mailbox; /**< how small packets are handed to it in shared memory; NULL: they are not */
    ompi_osc_ucp_offer_t *offer; /**< where long copies are offered to it; NULL: they are not */
    uint8_t offers_vain;  /**< in a row that it did not take, up to a bound */
    uint8_t offers_apart; /**< copies that are still to be made without one */

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
    uint8_t                 ways;       /**< of accumulates that may not be complete (path/rdma_atomic.c) */
    uint8_t                 ways_flushed; /**< of those that a flush is under way for */
    uint32_t                way_flushes;  /**< such flushes */

    bool stream; /**< messages to it go over tcp, as far as is known: long ones are cut (path/am_bulk.c) */

    /* Completion. */
    uint32_t sequence;      /**< of the next ordered message */
    bool     unacknowledged;/**< messages were sent for which no acknowledgement was asked yet */
    uint32_t acknowledging; /**< acknowledgements asked for and not yet here */
    uint32_t generation;    /**< of the operations issued now; see ompi_osc_ucp_peer_wait_local */
    uint64_t open[2];       /**< operations that still use a buffer of the caller, of this generation and the last */
    uint32_t fetching;      /**< operations whose results the target may send straight from its window */
    bool     granting;      /**< a lock was requested and is not granted yet: little may be sent */
    ompi_osc_ucp_packet_t *packet; /**< operations not sent yet, or NULL; see path/am_packet.h */
    int      error;         /**< what the target refused (OMPI_ERR_RMA_RANGE); reported by the completing call */
    int      broken;        /**< an ordered message was lost, and why: no other may follow; else OMPI_SUCCESS */

    /* Synchronization. */
    ompi_osc_ucp_lock_t lock;
    bool                locking; /**< a thread is acquiring it */
    uint32_t            posts;   /**< found in the control block and not yet used by MPI_Win_start */
    bool                started; /**< in the group of MPI_Win_start */
    bool                lent;    /**< the program has a pointer to its memory, from MPI_Win_shared_query */
};

/** What follows in another thread that sees the peer locked comes after what locked it. */
static inline void ompi_osc_ucp_peer_locked(ompi_osc_ucp_peer_t *peer, ompi_osc_ucp_lock_t lock)
{
    mca_osc_ucp_component.held -= peer->lock > OMPI_OSC_UCP_NOCHECK;
    mca_osc_ucp_component.held += lock > OMPI_OSC_UCP_NOCHECK;
    __atomic_store_n(&peer->lock, lock, __ATOMIC_RELEASE);
}

/* osc_ucp_peer.c */

void ompi_osc_ucp_procs_init(void);
void ompi_osc_ucp_procs_fini(void);

/** Tell the launcher this process's transport address, for others to ask for. */
void ompi_osc_ucp_procs_publish(void);

/** Are the transport addresses of all members of the group known here, or to be had from the launcher? */
bool ompi_osc_ucp_procs_known(ompi_group_t *group);

/** Tell each other the transport addresses. Collective over comm, and fails on all alike. */
int ompi_osc_ucp_procs_exchange(ompi_communicator_t *comm);

/** Watch all processes of the group, but for the one of rank `self` in it. */
int ompi_osc_ucp_procs_watch(ompi_group_t *group, int self);

/** Has a process that is watched died? */
bool ompi_osc_ucp_proc_lost(ompi_group_t *group, int rank);

/** Who does a window's accumulates, and why: a static line for the user. */
const char *ompi_osc_ucp_atomics_explain(const ompi_osc_ucp_window_t *window);

/** As ompi_osc_ucp_peer, for one that is not among the recent ones. */
ompi_osc_ucp_peer_t *ompi_osc_ucp_peer_find(ompi_osc_ucp_window_t *window, int rank);

/** The peer of that rank, made if need be. NULL if memory is short. */
static inline ompi_osc_ucp_peer_t *ompi_osc_ucp_peer(ompi_osc_ucp_window_t *window, int rank)
{
    ompi_osc_ucp_peer_t *peer = window->recent[(unsigned) rank % OMPI_OSC_UCP_RECENT];

    return OPAL_LIKELY(NULL != peer && rank == peer->rank) ? peer : ompi_osc_ucp_peer_find(window, rank);
}

/** The origin side's connection to a member of the group, made if need be. */
int ompi_osc_ucp_proc_connect(ompi_group_t *group, int rank, opal_common_ucp_ep_t **ep_p);

/** Connect to the peer, if not yet done. */
int ompi_osc_ucp_peer_connect(ompi_osc_ucp_peer_t *peer);

/** Learn the peer's window size and displacement unit, and map what can be mapped, if not yet done; may ask it, and
 *  wait. */
int ompi_osc_ucp_peer_ask(ompi_osc_ucp_peer_t *peer);

static inline int ompi_osc_ucp_peer_describe(ompi_osc_ucp_peer_t *peer)
{
    return peer->known ? OMPI_SUCCESS : ompi_osc_ucp_peer_ask(peer);
}

/** Where the process's mapped chunks are kept; NULL if it is not known. */
ompi_osc_ucp_mapped_t **ompi_osc_ucp_peer_chunks(const ompi_osc_ucp_peer_t *peer);

void ompi_osc_ucp_peers_free(ompi_osc_ucp_window_t *window);

/* osc_ucp_memory.c */

/** Map a peer's control block and memory by its description, as far as possible, and choose its path. */
void ompi_osc_ucp_memory_map(ompi_osc_ucp_peer_t *peer, const ompi_osc_ucp_description_t *description);

/* osc_ucp_segment.c */

/** Describe the memory of `peer` in a shared window: size, disp_unit and where it is mapped. */
void ompi_osc_ucp_segment_describe(ompi_osc_ucp_peer_t *peer);

/* osc_ucp_flush.c */

/** Wait until the caller may use all buffers again that operations to the peer, issued up to now, were given. */
void ompi_osc_ucp_peer_wait_local(ompi_osc_ucp_peer_t *peer);

/** What the peer refused since the last call, or OMPI_SUCCESS. */
int ompi_osc_ucp_peer_take_error(ompi_osc_ucp_peer_t *peer);

/* osc_ucp_lock.c */

/** The turn of a mapped lock was passed on, and somebody waits for it at the peer's service side: make that look. */
void ompi_osc_ucp_turn_tell(ompi_osc_ucp_peer_t *peer);

/** In a lock_all epoch: lock a target that is touched for the first time. */
int ompi_osc_ucp_lock_lazily(ompi_osc_ucp_peer_t *peer);

#endif /* OSC_UCP_PEER_H */
