/* A window at this process.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * It has two halves with two locks, which nest in this order only:
 *  - the origin side (the window, peer/peer.h, peer/pending.h) belongs to the calling thread, or under
 *    MPI_THREAD_MULTIPLE to the holder of the origin lock (base/threads.h);
 *  - the service side (service/target.h) executes peers' messages, maybe in the service thread. The service lock of the
 *    transport guards it. It uses no object of Open MPI.
 */

#ifndef OSC_UCP_WINDOW_H
#define OSC_UCP_WINDOW_H

#include "base/counters.h"
#include "base/host.h"
#include "base/ranks.h"
#include "base/threads.h"
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
    OMPI_OSC_UCP_EPOCH_FENCE,   /**< after a fence; the first operation shows whether it opened an epoch */
    OMPI_OSC_UCP_EPOCH_START,
    OMPI_OSC_UCP_EPOCH_LOCK,    /**< some targets are locked, each by MPI_Win_lock */
    OMPI_OSC_UCP_EPOCH_LOCK_ALL
} ompi_osc_ucp_epoch_t;

/** Recently found peers that a window keeps. A power of 2. */
#define OMPI_OSC_UCP_RECENT 8

/** Layers that a window may have (layer/layer.h), lowest first. */
typedef enum ompi_osc_ucp_layer_t {
    OMPI_OSC_UCP_LAYER_DEVICE,
    OMPI_OSC_UCP_LAYER_SURVIVE,
    OMPI_OSC_UCP_LAYER_SCHEDULE,
    OMPI_OSC_UCP_LAYER_COUNT,
    OMPI_OSC_UCP_LAYER_WATCH,
    OMPI_OSC_UCP_LAYER_TRACE,
    OMPI_OSC_UCP_LAYER_CHECK,
    OMPI_OSC_UCP_LAYERS
} ompi_osc_ucp_layer_t;

/** Why a window is not lean. Of its members' reasons the last one counts. */
typedef enum ompi_osc_ucp_heavy_t {
    OMPI_OSC_UCP_HEAVY_NOT,
    OMPI_OSC_UCP_HEAVY_PARAMETER,
    OMPI_OSC_UCP_HEAVY_MANY,      /**< members */
    OMPI_OSC_UCP_HEAVY_ALIGNMENT,
    OMPI_OSC_UCP_HEAVY_DEVICES,
    OMPI_OSC_UCP_HEAVY_MEMORY,    /**< the kernel does not copy it */
    OMPI_OSC_UCP_HEAVY_TEARS,     /**< ompi_osc_ucp_cma_tears says why */
    OMPI_OSC_UCP_HEAVY_SEGMENT,
    OMPI_OSC_UCP_HEAVY_REFUSED,   /**< ompi_osc_ucp_cma_refused */
    OMPI_OSC_UCP_HEAVY_APART,     /**< it spans nodes, or has one member */
    OMPI_OSC_UCP_HEAVIES
} ompi_osc_ucp_heavy_t;

/** One window at this process. */
struct ompi_osc_ucp_window_t {
    ompi_osc_base_module_t super; /**< first: Open MPI's module */
    ompi_win_t            *win;
    ompi_group_t          *group; /**< of `win`, and valid as long; not retained */
    uint64_t               id;    /**< the same at all members; names the window in messages */
    int                    rank, size;
    int                    flavor; /**< MPI_WIN_FLAVOR_ */

    /* Own memory. */
    void                   *base;
    int64_t                 bytes;
    int64_t                 disp_unit; /**< bytes */
    bool                    device;    /**< it is a device's: this process, too, reaches it by message only */
    ompi_osc_ucp_control_t *control;   /**< own control block */
    uint32_t                counters_max; /**< notification counters for which there is room; the same at all members */
    struct ompi_osc_ucp_attached_t *attached; /**< behind it, in a dynamic window; else NULL */
    struct ompi_osc_ucp_handoff_t  *handoff;  /**< of the kernel path; else NULL */
    ompi_osc_ucp_window_t  *next_served; /**< in the list of those with a handoff (service/handoff.c) */
    ompi_osc_ucp_window_t **served_at;   /**< what points to it there; NULL: it is not in the list */
    ompi_osc_ucp_block_t    block;     /**< control block, then memory of MPI_Win_allocate; none with `segment` */
    ompi_osc_ucp_block_t    far_block; /**< the table of attached regions, if it lies apart */
    ompi_osc_ucp_segment_t *segment;   /**< of a lean window, and of MPI_Win_allocate_shared; else NULL */
    ompi_osc_ucp_stripe_t  *stripes;   /**< of the own memory */
    uintptr_t               key_base;  /**< subtracted from an address it gives the stripes' key */

    bool                       lean;       /**< nothing needs a message (window/lean.c); the same at all members */
    ompi_osc_ucp_heavy_t       heavy;      /**< why it is not; the same at all members */
    opal_common_ucp_memory_t  *registered; /**< memory of MPI_Win_create, registered for native operations; or NULL */
    bool                       crowded;    /**< lean, and its processes share processors (epoch/barrier.c) */
    int                        node_size;   /**< members on each node, if all have as many; else 0 (window/nodes.c) */
    bool                       node_cyclic; /**< ranks go round the nodes; else they fill one after the other */
    bool                       nic;        /**< accumulates are in the NIC domain; the same at all members */
    const ompi_osc_ucp_path_t *all_path;   /**< locks all members at once; NULL: each member is locked by itself */

    /* Size and displacement unit of all members; -1 if they differ. */
    int64_t uniform_bytes, uniform_disp_unit;

    /* Values of info keys (window/info.c). */
    bool   no_locks, noncontig;
    bool   unordered;               /**< accumulate_ordering is none */
    bool   same_op;                 /**< accumulate_ops is same_op */
    bool   same_size, same_disp_unit;
    size_t alignment;               /**< of the memory of MPI_Win_allocate and _shared, bytes; a power of 2 */
    size_t granularity;             /**< mpi_accumulate_granularity, bytes; 0: not given */

    /* Origin side. */
    ompi_osc_ucp_ranks_t          peers;          /**< ompi_osc_ucp_peer_t by rank */
    ompi_osc_ucp_peer_t          *all_peers;      /**< list of them; new ones come first; atomic */
    ompi_osc_ucp_peer_t          *recent[OMPI_OSC_UCP_RECENT]; /**< found last, by rank modulo; atomic */
    ompi_osc_ucp_epoch_t          epoch;
    bool                          fence_used;     /**< operations were issued since the last fence; atomic */
    int                           locked;         /**< targets locked by MPI_Win_lock */
    uint32_t                      epoch_held;     /**< lock of ompi_osc_ucp_epoch_begin; atomic */
    bool                          lock_all_nocheck;
    bool                          all_locked;     /**< MPI_Win_lock_all has locked all members at once */
    int                           nstarted;
    int                          *started;        /**< ranks of the group of MPI_Win_start; malloc'd */
    int                           awaited;        /**< rank for whose post MPI_Win_start waits, for the watchdog */
    bool                          exposed;        /**< between MPI_Win_post and its MPI_Win_wait or MPI_Win_test */
    uint32_t                      exposed_to;     /**< size of the group of MPI_Win_post */
    uint32_t                      posting;        /**< notices of MPI_Win_post that have not left, and need not yet */
    uint32_t                      completes_used; /**< MPI_Win_complete calls that ended earlier exposure epochs */
    uint32_t                      barriers;       /**< barriers started */
    bool                          veto;           /**< the barrier tells all members that a process has failed */
    uint32_t                      renumbered;     /**< how often the numbers of notification counters were set */
    uint32_t                      looks;          /**< at notification counters, one in some of which makes progress */
    bool                          served;         /**< it needs the service thread */
    int                           number;         /**< Open MPI's of it, after an MPI_Win_free that has failed */
    bool                          closing;        /**< MPI_Win_free has begun: no answer may come later */
    bool                          lost;           /**< a member has died (layer/survive.c); atomic */
    struct {
        int     rank;
        int64_t at; /**< bytes from the window's base, or an address in a dynamic window */
    } refused;                                    /**< the last operation that its target has refused, to explain it */
    bool                          failing;        /**< a send has failed: the window will soon be lost; atomic */
    ompi_osc_ucp_tally_t         *tally;          /**< what is not in `counters` yet, if instrumented; malloc'd */
    ompi_osc_ucp_counters_t       counters;       /**< for the report and the performance variables */
    ompi_osc_base_module_t       *below[OMPI_OSC_UCP_LAYERS]; /**< functions that a layer replaced; malloc'd */
    struct ompi_osc_ucp_report_t *report;         /**< owned by report/report.c; NULL if the window is not reported */
    struct ompi_osc_ucp_causes_t *causes;         /**< owned by layer/cause.c; NULL without osc_ucp_report 2 */
    struct ompi_osc_ucp_watch_t  *watch;          /**< owned by layer/watch.c; NULL if the window is not watched */
    struct ompi_osc_ucp_schedule_t *schedule;     /**< owned by check/schedule.c; NULL if calls are not delayed */
    ompi_communicator_t          *clock_comm;     /**< members that compare clocks when it is freed; NULL: none do */
    struct ompi_osc_ucp_tracing_t *tracing;       /**< owned by layer/trace.c; NULL if the window is not traced */
    struct ompi_osc_ucp_check_t   *check;         /**< owned by check/layer.c; NULL if the window is not checked */

    ompi_osc_ucp_target_t *target;    /**< service side */
    ompi_osc_ucp_window_t *next_left; /**< in the list of those that MPI_Finalize has freed (window/free.c) */
};

/* Fields that the short ways read outside the origin side are written as follows, inside. */

static inline void ompi_osc_ucp_epoch_set(ompi_osc_ucp_window_t *window, ompi_osc_ucp_epoch_t epoch)
{
    __atomic_store_n(&window->epoch, epoch, __ATOMIC_RELAXED);
}

/** The access epoch that is open. Any thread. */
static inline ompi_osc_ucp_epoch_t ompi_osc_ucp_epoch(const ompi_osc_ucp_window_t *window)
{
    return __atomic_load_n(&window->epoch, __ATOMIC_RELAXED);
}

/* Under MPI_THREAD_MULTIPLE, epochs of MPI_Win_lock on mapped peers begin and end outside the origin side. A lock of
 * the window guards `locked`, the changes of `epoch` from and to OMPI_OSC_UCP_EPOCH_LOCK, and `lock` of the peers. Its
 * holder waits for nothing. It nests inside the origin side. */

static inline void ompi_osc_ucp_epoch_begin(ompi_osc_ucp_window_t *window)
{
    if (ompi_osc_ucp_threaded() && !ompi_osc_ucp_take(&window->epoch_held)) {
        ompi_osc_ucp_take_slowly(&window->epoch_held);
    }
}

static inline void ompi_osc_ucp_epoch_end(ompi_osc_ucp_window_t *window)
{
    if (ompi_osc_ucp_threaded()) {
        __atomic_store_n(&window->epoch_held, 0, __ATOMIC_RELEASE);
    }
}

/** Operations were issued. Stores only if needed, so that threads do not contend for the cache line. */
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
