/* A window at this process.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Two halves with two locks, which nest in this order only:
 *  - the origin side (window, peer/peer.h, peer/pending.h) belongs to the calling thread, or under MPI_THREAD_MULTIPLE to
 *    the holder of its lock (ompi_osc_ucp_enter, ompi_osc_ucp_leave in base/threads.h);
 *  - the service side (service/target.h) is what peers' messages act on, maybe in the service thread. The transport's
 *    service lock guards it, and it touches no object of Open MPI.
 */

#ifndef OSC_UCP_WINDOW_H
#define OSC_UCP_WINDOW_H

#include "base/counters.h"
#include "base/host.h"
#include "base/ranks.h"
#include "memory/arena.h"
#include "memory/control.h"
#include "memory/segment.h"
#include "opal/mca/common/ucp/common_ucp.h"

typedef struct ompi_osc_ucp_window_t  ompi_osc_ucp_window_t;
typedef struct ompi_osc_ucp_peer_t    ompi_osc_ucp_peer_t;
typedef struct ompi_osc_ucp_pending_t ompi_osc_ucp_pending_t;
typedef struct ompi_osc_ucp_target_t  ompi_osc_ucp_target_t;
typedef struct ompi_osc_ucp_path_t    ompi_osc_ucp_path_t;
typedef struct ompi_osc_ucp_packet_t  ompi_osc_ucp_packet_t;

/** Which access epoch a window is in at this process (MPI-3.1 section 11.5). */
typedef enum ompi_osc_ucp_epoch_t {
    OMPI_OSC_UCP_EPOCH_NONE,
    OMPI_OSC_UCP_EPOCH_FENCE,   /**< after a fence; whether it began an epoch shows at the first operation */
    OMPI_OSC_UCP_EPOCH_START,
    OMPI_OSC_UCP_EPOCH_LOCK,    /**< some targets are locked one by one */
    OMPI_OSC_UCP_EPOCH_LOCK_ALL
} ompi_osc_ucp_epoch_t;

/** Peers of a window that are found without a search: a power of 2. */
#define OMPI_OSC_UCP_RECENT 8

/** Layers that may stand above the module's functions (layer/layer.h), lowest first. */
typedef enum ompi_osc_ucp_layer_t {
    OMPI_OSC_UCP_LAYER_DEVICE,
    OMPI_OSC_UCP_LAYER_SURVIVE,
    OMPI_OSC_UCP_LAYER_COUNT,
    OMPI_OSC_UCP_LAYERS
} ompi_osc_ucp_layer_t;

/** One window at this process. */
struct ompi_osc_ucp_window_t {
    ompi_osc_base_module_t super; /* first: this is the module */
    ompi_win_t            *win;
    ompi_group_t          *group; /**< win's; not retained, lives as long as win */
    uint64_t               id;    /**< the same at all members; names the window in messages */
    int                    rank, size;
    int                    flavor;

    /* Own memory. */
    void   *base;
    int64_t bytes;
    int     disp_unit;
    bool    device;                   /**< it is a device's: for messages only, from oneself, too */
    ompi_osc_ucp_control_t *control;  /**< own control block */
    ompi_osc_ucp_block_t    block;    /**< it, and behind it the memory of MPI_Win_allocate; not in shared windows */
    ompi_osc_ucp_segment_t *segment;  /**< of MPI_Win_allocate_shared; else NULL */
    ompi_osc_ucp_stripe_t  *stripes;  /**< of the own memory */
    uintptr_t               key_base; /**< subtracted from an address of it to choose a stripe */

    opal_common_ucp_memory_t  *registered; /**< memory of MPI_Win_create as peers reach it natively; NULL: they do not */
    bool                       nic;        /**< accumulates are in the NIC domain; the same at all members */
    const ompi_osc_ucp_path_t *all_path;   /**< that locks all members at once; NULL: they are locked one by one */

    /* What all members have in common; -1 if they differ. */
    int64_t uniform_bytes, uniform_disp_unit;

    /* Info (window/info.c). */
    bool   no_locks, noncontig;
    bool   unordered;               /**< accumulate_ordering is none */
    size_t alignment;               /**< of the memory of MPI_Win_allocate and _shared, bytes; a power of 2 */
    size_t granularity;             /**< mpi_accumulate_granularity, bytes; 0: not given */

    /* Origin side. */
    ompi_osc_ucp_ranks_t peers;     /**< of ompi_osc_ucp_peer_t */
    ompi_osc_ucp_peer_t *all_peers;
    ompi_osc_ucp_peer_t *recent[OMPI_OSC_UCP_RECENT]; /**< found last, by rank modulo */
    ompi_osc_ucp_epoch_t epoch;
    bool                 fence_used;  /**< operations were issued since the last fence, in whatever epoch */
    int                  locked;      /**< targets locked one by one */
    bool                 lock_all_nocheck;
    int                  nstarted;
    int                 *started;     /**< ranks of the group of MPI_Win_start; malloc'd */
    bool                 exposed;     /**< MPI_Win_post was called, not yet waited for */
    uint32_t             exposed_to;  /**< size of its group */
    uint32_t             completes_used; /**< MPI_Win_complete messages that ended exposure epochs */
    uint32_t             barriers;    /**< barriers begun */
    bool                 served;      /**< it has the service thread run */
    bool                 lost;        /**< a member has died (layer/survive.c); atomic */
    bool                 failing;     /**< nothing can be sent to some member: it soon will be; atomic */
    ompi_osc_ucp_counters_t counters; /**< for the user */
    ompi_osc_base_module_t *below[OMPI_OSC_UCP_LAYERS]; /**< what a layer replaced in `super`, malloc'd; NULL: not there */
    struct ompi_osc_ucp_report_t *report; /**< what report/report.c keeps; NULL if the window is not reported */

    ompi_osc_ucp_target_t *target;    /**< service side */
};

/* What is read by load and store outside the origin side is written as follows, under its lock. */

static inline void ompi_osc_ucp_epoch_set(ompi_osc_ucp_window_t *window, ompi_osc_ucp_epoch_t epoch)
{
    __atomic_store_n(&window->epoch, epoch, __ATOMIC_RELAXED);
}

/** Operations were issued. Many threads may say so: they shall not pass a cache line around. */
static inline void ompi_osc_ucp_fence_used(ompi_osc_ucp_window_t *window)
{
    if (!__atomic_load_n(&window->fence_used, __ATOMIC_RELAXED)) {
        __atomic_store_n(&window->fence_used, true, __ATOMIC_RELAXED);
    }
}

static inline ompi_osc_ucp_window_t *ompi_osc_ucp_window(ompi_win_t *win)
{
    return (ompi_osc_ucp_window_t *) win->w_osc_module;
}

#endif /* OSC_UCP_WINDOW_H */
