/* Peers: the members of a window as one origin sees them.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * All of it belongs to the origin side (peer/window.h).
 */

#ifndef OSC_UCP_PEER_H
#define OSC_UCP_PEER_H

#include "memory/cma.h"
#include "peer/proc.h"
#include "peer/window.h"

/** Parts of the number of locks held, each in a cache line of its own. The first one is that of all threads without
 *  one of their own. */
#define OMPI_OSC_UCP_HELD_PARTS 8

/** The locks that this process holds or has requested, in all windows. */
typedef struct ompi_osc_ucp_locks_t {
    uint32_t ungranted; /**< locks requested by message, even if not sent yet, and not granted yet */

    /** The sum of these is the number of locks granted, or requested by message; one for all members if a path locks
     *  them at once. Atomic. */
    struct {
        uint32_t held __attribute__((aligned(64)));
    } parts[OMPI_OSC_UCP_HELD_PARTS];
} ompi_osc_ucp_locks_t;

extern ompi_osc_ucp_locks_t ompi_osc_ucp_locks;

/** This thread has so many locks more, or fewer if `n` is negative. Any thread. */
static inline void ompi_osc_ucp_locks_hold(int n)
{
    uint32_t part = ompi_osc_ucp_threaded() ? ompi_osc_ucp_thread_number() : 1, *held;

    if (OPAL_LIKELY(part < OMPI_OSC_UCP_HELD_PARTS)) {
        held = &ompi_osc_ucp_locks.parts[part].held;
        __atomic_store_n(held, *held + (uint32_t) n, __ATOMIC_RELAXED);
    } else {
        __atomic_fetch_add(&ompi_osc_ucp_locks.parts[0].held, (uint32_t) n, __ATOMIC_RELAXED);
    }
}

/** How many locks the process holds. Any thread. */
static inline uint32_t ompi_osc_ucp_locks_held(void)
{
    uint32_t held = 0;
    unsigned i;

    for (i = 0; i < OMPI_OSC_UCP_HELD_PARTS; i++) {
        held += __atomic_load_n(&ompi_osc_ucp_locks.parts[i].held, __ATOMIC_RELAXED);
    }
    return held;
}

/** Does this process join a lock, past its queue? See memory/lockword.h. */
static inline bool ompi_osc_ucp_joins(bool exclusive)
{
    return !exclusive && ompi_osc_ucp_locks_held() > 0;
}

/** How a target is locked by this origin. */
typedef enum ompi_osc_ucp_lock_t {
    OMPI_OSC_UCP_UNLOCKED,
    OMPI_OSC_UCP_NOCHECK, /**< an epoch without a lock: MPI_MODE_NOCHECK */
    OMPI_OSC_UCP_SHARED,
    OMPI_OSC_UCP_EXCLUSIVE
} ompi_osc_ucp_lock_t;

/** What a peer has been asked: to describe its window memory. */
typedef struct ompi_osc_ucp_answer_t {
    bool                       done;
    int                        status; /**< the outcome, if done */
    ompi_osc_ucp_description_t description;
} ompi_osc_ucp_answer_t;

/** A member of a window, made when it is first touched and kept until the window is freed. */
struct ompi_osc_ucp_peer_t {
    ompi_osc_ucp_window_t     *window;
    ompi_osc_ucp_peer_t       *next; /**< in the list of all peers of the window */
    int                        rank;
    const ompi_osc_ucp_path_t *path;
    opal_common_ucp_ep_t      *ep;   /**< NULL until the first message; owned by the process, not the window */
    ompi_osc_ucp_proc_t       *proc; /**< valid if `ep` is not NULL */

    /* Its window memory. */
    bool    known;      /**< size and disp_unit are valid, and the path is final */
    bool    mapped;     /**< known, and all of it is mapped: displacements count from `memory` */
    bool    resolving;  /**< a thread is waiting for the description */
    uint32_t early;     /**< threads in communication calls by a provisional path */
    ompi_osc_ucp_answer_t *answer; /**< NULL: it was not asked for its description, or the path is final; malloc'd */
    int64_t size;       /**< bytes; -1: not known yet, the target checks ranges */
    int64_t disp_unit;  /**< bytes; -1: not known yet */

    /* What is mapped here. */
    ompi_osc_ucp_control_t *control;  /**< NULL: not mapped */
    uint64_t                again;    /**< until when this process may lock past the queue (memory/lockword.h); or 0 */
    ompi_osc_ucp_mapped_t  *chunk;    /**< the peer's chunk with the control block; NULL in other memory */
    char                   *memory;   /**< its window memory, if mapped; NULL for the own dynamic window */
    ompi_osc_ucp_stripe_t  *stripes;  /**< of that memory */
    uintptr_t               key_base; /**< subtracted from an address it gives the stripes' key */

    /* On the near and the cma path. */
    struct ompi_osc_ucp_fastbox_end_t *fastbox; /**< this origin's fastbox at the peer; NULL: none */

    struct ompi_osc_ucp_gathered_t *gathered; /**< on the kernel path: kept operations (path/gather.h); or NULL */

    /** On the kernel path: handoffs to the peer (path/handing.c). */
    struct ompi_osc_ucp_handing_t {
        struct ompi_osc_ucp_handoff_t *handoff; /**< the peer's */
        uint32_t                       polls;   /**< those of the peer when they were read last */
        uint16_t                       skip;    /**< operations that must not be handed off */
        uint8_t                        misses;  /**< operations in a row that were not taken */
        bool                           answers : 1; /**< the peer is thought to poll */
        bool                           refused : 1; /**< the kernel has not let it copy this process's memory */
    } handing;

    /* On the cma and the kernel path. */
    bool     cma;      /**< this process copies by the kernel from and to the peer's memory at `remote` */
    uint32_t refusals; /**< operations that were refused here; kernel path */
    uint32_t copies;   /**< what short copies have cost since the last completion (path/cma_begin.c) */
    pid_t    pid;      /**< of the peer */
    uint64_t proof_at; /**< the peer's address of the random number that proves its pid */
    uint64_t proof;    /**< that number */
    struct ompi_osc_ucp_attached_t *attached; /**< its regions, in a dynamic window; else NULL */
    struct ompi_osc_ucp_insider_t  *insider;  /**< this process there */

    /* On the cma and the kernel path, and on paths with native operations. */
    uint64_t                remote;     /**< the peer's address of its window memory */

    /* On paths with native operations. */
    opal_common_ucp_rkey_t *rkey;       /**< of its window memory; owned; NULL if there is none */
    opal_common_ucp_rkey_t *words_rkey; /**< of its lock words, in the NIC domain */
    uint64_t                words;      /**< the peer's address of its lock words */
    bool                    cpu_amo;    /**< a processor executes the native atomics, as UCX uses no device */
    struct ompi_osc_ucp_native_t {
        opal_common_ucp_completion_t completion; /**< first */
        ompi_osc_ucp_peer_t         *peer;
        unsigned                     generation; /**< parity */
    } native[2];                          /**< puts and gets without a pending of their own, by generation */
    bool                    unflushed;    /**< native operations were started since the last flush was */
    uint32_t                flushing;     /**< flushes started and not complete */
    uint8_t                 ways;         /**< ways of incomplete accumulates, as bits (path/nic_atomic.c) */
    uint8_t                 ways_flushed; /**< those of them for which a flush is under way */
    uint32_t                way_flushes;  /**< number of such flushes */

    bool stream; /**< messages to it are known to go over tcp: long ones are cut (message/frag.c) */

    /* Completion. */
    uint32_t               sequence;       /**< number of the next ordered packet */
    bool                   unacknowledged; /**< messages were sent since the last request for an acknowledgement */
    uint32_t               asking;         /**< replies to come that no call waits for (message/packet.c) */
    uint32_t               acknowledging;  /**< acknowledgements requested and not received */
    uint32_t               generation;     /**< of operations issued now; see ompi_osc_ucp_peer_wait_local */
    uint64_t               open[2];        /**< operations that still use a caller's buffer, by generation's parity */
    uint32_t               fetching;       /**< operations whose results the target may send without a copy */
    bool                   granting;       /**< a lock was requested and is not granted: few operations may be sent */
    ompi_osc_ucp_packet_t *packet;         /**< the open packet, or NULL; see message/packet.h */
    int                    error;          /**< the target refused an operation; the completing call returns this */
    int                    broken;         /**< an ordered packet was lost: no other may follow; else OMPI_SUCCESS */

    /* Synchronization. */
    ompi_osc_ucp_lock_t lock;
    bool                locking; /**< a thread is acquiring the lock */
    uint32_t            posts;   /**< taken by an MPI_Win_start that has failed, and not yet used by another */
    bool                started; /**< it is in the group of MPI_Win_start */
    uint32_t            counters;   /**< its notification counters, ... */
    uint32_t            renumbered; /**< ... if this is the window's number; else it has to be asked */
    bool                queried; /**< the program has a pointer to its memory, from MPI_Win_shared_query */
};

typedef struct ompi_osc_ucp_handing_t ompi_osc_ucp_handing_t;

/** Set how the peer is locked. With release: another thread that sees the lock also sees what was done before. Inside
 *  the origin side, or between ompi_osc_ucp_epoch_begin and ompi_osc_ucp_epoch_end. */
static inline void ompi_osc_ucp_peer_locked(ompi_osc_ucp_peer_t *peer, ompi_osc_ucp_lock_t lock)
{
    ompi_osc_ucp_locks_hold((lock > OMPI_OSC_UCP_NOCHECK) - (peer->lock > OMPI_OSC_UCP_NOCHECK));
    __atomic_store_n(&peer->lock, lock, __ATOMIC_RELEASE);
}

/** The peer of that rank if it was found recently; else NULL. Any thread. */
static inline ompi_osc_ucp_peer_t *ompi_osc_ucp_peer_recent(const ompi_osc_ucp_window_t *window, int rank)
{
    ompi_osc_ucp_peer_t *peer =
        __atomic_load_n(&window->recent[(unsigned) rank % OMPI_OSC_UCP_RECENT], __ATOMIC_ACQUIRE);

    return OPAL_LIKELY(NULL != peer && rank == peer->rank) ? peer : NULL;
}

/** The peer of that rank; NULL if it was not touched yet. ompi_osc_ucp_peer_recent finds it from now on. */
ompi_osc_ucp_peer_t *ompi_osc_ucp_peer_find(ompi_osc_ucp_window_t *window, int rank);

/** Make the peer of a rank that has none yet, without a path. NULL if memory is short. */
ompi_osc_ucp_peer_t *ompi_osc_ucp_peer_add(ompi_osc_ucp_window_t *window, int rank);

/** Free all peers of a window. Their paths have detached them. */
void ompi_osc_ucp_peers_free(ompi_osc_ucp_window_t *window);

/** Make sure that the peer has an endpoint. */
int ompi_osc_ucp_peer_connect(ompi_osc_ucp_peer_t *peer);

/** Are all operations on the peer applied? Else a notice has to be a message behind them. */
static inline bool ompi_osc_ucp_peer_is_quiet(const ompi_osc_ucp_peer_t *peer)
{
    return !peer->unacknowledged && 0 == peer->acknowledging && 0 == peer->open[0] && 0 == peer->open[1];
}

/** Wait until the operations on the peer that were issued before no longer use their callers' buffers. */
void ompi_osc_ucp_peer_wait_local(ompi_osc_ucp_peer_t *peer);

/** Why the peer refused an operation since the last call, or OMPI_SUCCESS. */
int ompi_osc_ucp_peer_take_error(ompi_osc_ucp_peer_t *peer);

/** The process of a peer on the cma or the kernel path. */
static inline ompi_osc_ucp_cma_self_t ompi_osc_ucp_peer_self(const ompi_osc_ucp_peer_t *peer)
{
    return (ompi_osc_ucp_cma_self_t) { .address = peer->proof_at, .number = peer->proof, .pid = peer->pid };
}

/** Describe the own memory to peers. Reads only what is constant once the window is made. Any thread. */
void ompi_osc_ucp_window_describe(const ompi_osc_ucp_window_t *window, ompi_osc_ucp_description_t *description);

#endif /* OSC_UCP_PEER_H */
