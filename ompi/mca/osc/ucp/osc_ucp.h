/* The component and its windows: who owns what.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A communication call goes one way: check (osc_ucp_check.h), peer (osc_ucp_peer.h), path (path/path.h).
 *
 * Two halves with two locks, which are never nested the other way round:
 *  - the origin side (ompi_osc_ucp_window_t, _peer_t, _pending_t) belongs to the calling thread, or under
 *    MPI_THREAD_MULTIPLE to the holder of the component's lock (ompi_osc_ucp_enter, _leave);
 *  - the service side (ompi_osc_ucp_target_t, path/am_target.h) is what peers' messages act on, maybe in the service
 *    thread: it is guarded by the transport's service lock and touches no object of Open MPI.
 */

#ifndef OSC_UCP_H
#define OSC_UCP_H

#include <sched.h>

#include "osc_ucp_compat.h"

#include "opal/class/opal_hash_table.h"

#include "opal/mca/common/ucp/common_ucp.h"
#include "osc_ucp_arena.h"
#include "osc_ucp_control.h"
#include "osc_ucp_counters.h"
#include "osc_ucp_layout.h"
#include "osc_ucp_module.h"
#include "osc_ucp_op.h"
#include "osc_ucp_ranks.h"
#include "osc_ucp_threads.h"

typedef struct ompi_osc_ucp_window_t  ompi_osc_ucp_window_t;
typedef struct ompi_osc_ucp_peer_t    ompi_osc_ucp_peer_t;
typedef struct ompi_osc_ucp_pending_t ompi_osc_ucp_pending_t;
typedef struct ompi_osc_ucp_target_t  ompi_osc_ucp_target_t;
typedef struct ompi_osc_ucp_segment_t ompi_osc_ucp_segment_t;
typedef struct ompi_osc_ucp_path_t    ompi_osc_ucp_path_t;
typedef struct ompi_osc_ucp_packet_t  ompi_osc_ucp_packet_t;
typedef struct ompi_osc_ucp_regions_t ompi_osc_ucp_regions_t;
typedef struct ompi_osc_ucp_description_t ompi_osc_ucp_description_t;

/** Parameter osc_ucp_rdma: when the rdma path is used. */
enum { OMPI_OSC_UCP_RDMA_NEVER, OMPI_OSC_UCP_RDMA_AUTO, OMPI_OSC_UCP_RDMA_ALWAYS };

/** Parameter osc_ucp_atomic_domain: who owns the atomicity of accumulates (osc_ucp_domain.c). */
enum { OMPI_OSC_UCP_DOMAIN_AUTO, OMPI_OSC_UCP_DOMAIN_CPU, OMPI_OSC_UCP_DOMAIN_NIC };

/** What a wait is for comes with our own workers, most of the time; the rest of Open MPI costs system calls. */
#define OMPI_OSC_UCP_STEPS_PER_PROGRESS 4

/** What the processes of this job share with their peers, and the parameters. */
typedef struct ompi_osc_ucp_component_t {
    ompi_osc_base_component_t super;
    int                       priority;    /**< parameter osc_ucp_priority */
    int                       direct;      /**< parameter osc_ucp_direct */
    int                       rdma;        /**< parameter osc_ucp_rdma */
    int                       rdma_segment;  /**< parameter osc_ucp_rdma_segment, bytes */
    int                       atomic_domain; /**< parameter osc_ucp_atomic_domain */
    int                       exchange_addresses; /**< parameter osc_ucp_exchange_addresses */
    int                       report;      /**< parameter osc_ucp_report */
    int                       async_progress; /**< parameter osc_ucp_async_progress: ompi_osc_ucp_async_t */
    char                     *service_cpus;   /**< parameter osc_ucp_service_cpus */
    int                       survive;     /**< parameter osc_ucp_survive */
    uint32_t                  deaths;      /**< of processes that are watched; atomic */
    uint32_t                  deaths_seen; /**< of these, windows were looked through for so many */
    ompi_osc_ucp_window_t    *watched;     /**< windows whose members are watched, by `next` */
    ompi_osc_ucp_window_t    *buried;      /**< lost windows that are freed, by `next`: messages on their way name them */
    bool                      progressing; /**< our progress callback is registered */
    int                       windows;     /**< open ones of several processes; atomic */
    bool                      published;   /**< the launcher gives our address to whoever asks */
    opal_hash_table_t         procs;       /**< process key -> ompi_osc_ucp_proc_t; see osc_ucp_peer.c */
    uint32_t                  held;        /**< locks, granted or requested by message; origin side */
    uint32_t                  ungranted;   /**< locks requested by message, sent or not, and not granted yet */
    unsigned                  steps;       /**< of waiting; see ompi_osc_ucp_wait_step */
    int64_t                   next_id;     /**< next window id that this process proposes; atomic */
    int                       kernel_copy; /**< parameter osc_ucp_kernel_copy */
    bool                      stored, updated; /**< see osc_ucp_stores.h */
} ompi_osc_ucp_component_t;

OMPI_MODULE_DECLSPEC extern ompi_osc_ucp_component_t mca_osc_ucp_component;

/** When a service thread answers other processes while this one computes. */
typedef enum ompi_osc_ucp_async_t {
    OMPI_OSC_UCP_ASYNC_NEVER,
    OMPI_OSC_UCP_ASYNC_AUTO,  /**< while some window may need it */
    OMPI_OSC_UCP_ASYNC_ALWAYS /**< while there is a window of several processes */
} ompi_osc_ucp_async_t;

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
    ompi_osc_ucp_segment_t *segment;  /**< MPI_Win_allocate_shared: the mapped segment; else NULL */
    ompi_osc_ucp_stripe_t  *stripes;  /**< of the own memory */
    uintptr_t               key_base; /**< subtracted from an address of it to choose a stripe */

    opal_common_ucp_memory_t  *registered; /**< memory of MPI_Win_create as peers reach it natively; NULL: they do not */
    bool                       nic;        /**< accumulates are in the NIC domain; the same at all members */

    /* What all members have in common; -1 if they differ. */
    int64_t uniform_bytes, uniform_disp_unit;

    /* Info (osc_ucp_info.c). */
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
    bool                 lost;        /**< a member has died (osc_ucp_survive.c); atomic */
    bool                 failing;     /**< nothing can be sent to some member: it soon will be; atomic */
    bool                 told;        /**< who has died is known */
    ompi_osc_ucp_window_t *next;      /**< watched, or buried */
    ompi_osc_ucp_counters_t counters; /**< for the user */
    const ompi_osc_base_module_t *calls; /**< the communication calls that a watched window counts */
    ompi_communicator_t *report_comm; /**< NULL if the window is not reported */

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

/** One thing fewer that a call awaits (ompi_osc_ucp_await): the count may be gone when this returns. */
static inline void ompi_osc_ucp_awaited_less(uint32_t *awaited)
{
    __atomic_store_n(awaited, *awaited - 1, __ATOMIC_RELEASE);
}

static inline ompi_osc_ucp_window_t *ompi_osc_ucp_window(ompi_win_t *win)
{
    return (ompi_osc_ucp_window_t *) win->w_osc_module;
}

/* osc_ucp_component.c */

/** Start the transport and our progress callback, if they do not run. On failure *reason_p is a malloc'd line. */
int ompi_osc_ucp_start_transport(char **reason_p);

/** What opal_progress calls: both workers, as far as no other thread is at them. */
int ompi_osc_ucp_progress(void);

/** One step of waiting, outside the origin side: progresses both workers as far as no other thread is at them, and every
 *  few steps all of Open MPI, which yields if the user wants that. `steps` counts them, for the caller. */
static inline void ompi_osc_ucp_wait_outside(unsigned *steps)
{
    opal_common_ucp_service_claim();
    if (0 == ++*steps % OMPI_OSC_UCP_STEPS_PER_PROGRESS || !mca_osc_ucp_component.progressing) {
        opal_progress();
    } else if (0 == ompi_osc_ucp_progress() && opal_progress_yield_when_idle) {
        sched_yield();
    }
}

/** The same for a caller that is inside. Leaves the origin side meanwhile: whatever other threads may change must be
 *  looked at again. */
static inline void ompi_osc_ucp_wait_step(void)
{
    unsigned steps = ++mca_osc_ucp_component.steps;

    ompi_osc_ucp_leave();
    ompi_osc_ucp_wait_outside(&steps);
    ompi_osc_ucp_enter();
}

/** Does a reader go past the queue of a lock? See osc_ucp_lockword.h. */
static inline bool ompi_osc_ucp_joins(bool exclusive)
{
    return !exclusive && mca_osc_ucp_component.held > 0;
}

/** How often that is tried which others wait for, and for which memory is short. */
#define OMPI_OSC_UCP_TRIES_MAX 1000

/** Shall what has failed be tried again? Where memory is short many times, else once. Makes progress meanwhile, which may
 *  set memory free. */
static inline bool ompi_osc_ucp_try_again(int rc, unsigned *tries)
{
    if (OPAL_LIKELY(rc >= OMPI_SUCCESS) || ++*tries > (OMPI_ERR_OUT_OF_RESOURCE == rc ? OMPI_OSC_UCP_TRIES_MAX : 1)) {
        return false;
    }
    ompi_osc_ucp_wait_step();
    return true;
}

/* osc_ucp_params.c */

/** Register all parameters; the table is there. */
int ompi_osc_ucp_params_register(void);

/* osc_ucp_watch.c, osc_ucp_pvars.c, osc_ucp_report.c: for the user who wants to know which way the data went. */

/** From here on count what goes by load and store, and the time in synchronization. Stays until the window is freed. */
void ompi_osc_ucp_watch(ompi_osc_ucp_window_t *window);

/** Register all performance variables. */
int ompi_osc_ucp_pvars_register(void);

/** Watch a window, and add up its members' counters at its end. Both are collective. */
int  ompi_osc_ucp_report_begin(ompi_osc_ucp_window_t *window, ompi_communicator_t *comm);
void ompi_osc_ucp_report_end(ompi_osc_ucp_window_t *window);

/** Print what this process keeps of windows that are gone. */
void ompi_osc_ucp_report_print(void);

/** For users who want to see that osc/ucp serves their windows: a line with --mca osc_base_verbose 10. */
void ompi_osc_ucp_announce(const ompi_osc_ucp_window_t *window);

/* osc_ucp_device.c: memory that a processor must not touch. */

/** Is that such memory? */
bool ompi_osc_ucp_on_device(const void *address);

/** Have the window's communication calls serve buffers in such memory. */
void ompi_osc_ucp_devices_serve(ompi_osc_ucp_window_t *window);

/* osc_ucp_survive.c: when a member of a window dies, and the others go on. Nothing unless osc_ucp_survive says so. */

/** Take the other parameters back that do not go with it. */
void ompi_osc_ucp_survive_init(void);

/** Watch the members of a window, whose addresses can be had; and the end of that. */
int  ompi_osc_ucp_survive_begin(ompi_osc_ucp_window_t *window);
void ompi_osc_ucp_survive_end(ompi_osc_ucp_window_t *window);

/** A watched process has died. Any thread. */
void ompi_osc_ucp_death(void);

/** Some watched process has died: see to the windows that it is a member of, a moment later. For progress. */
void ompi_osc_ucp_deaths_look(void);

/** Is the window lost? Waits a moment if something failed, to learn of whose death. Inside the origin side. */
bool ompi_osc_ucp_survive_lost(ompi_osc_ucp_window_t *window);

/** Keep a lost window, all but its memory, until the component ends; the end. */
void ompi_osc_ucp_survive_bury(ompi_osc_ucp_window_t *window);
void ompi_osc_ucp_survive_fini(void);

/* osc_ucp_window.c */

/** Free what is left of a window that was torn down. */
void ompi_osc_ucp_window_delete(ompi_osc_ucp_window_t *window);

/** Did all processes succeed? Collective; the same on all: OMPI_SUCCESS, or the lowest error code of any. */
int ompi_osc_ucp_agree(ompi_communicator_t *comm, int rc);

/* osc_ucp_info.c */

/** Take over the values of all info keys that the component honours; `info` is the creation's. */
int  ompi_osc_ucp_info_init(ompi_osc_ucp_window_t *window, opal_info_t *info);
void ompi_osc_ucp_info_fini(void);

/** Loads and stores before it are over, for everybody, before those after it. (Open MPI's opal_atomic_mb holds back
 *  only the compiler on x86-64: a store may still pass a later load.) */
static inline void ompi_osc_ucp_fence_memory(void)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

/** One step of a loop that waits for another process's store: mostly spinning, for that comes soon or late. */
static inline void ompi_osc_ucp_spin(unsigned *steps)
{
    if (0 == ++*steps % 32) {
        ompi_osc_ucp_wait_step();
    } else if (ompi_osc_ucp_threaded()) {
        ompi_osc_ucp_threads_pause(*steps);
    } else {
        ompi_osc_ucp_cpu_relax();
    }
}

/* osc_ucp_memory.c */

/** The control block, the memory of MPI_Win_allocate, and the stripes, of any window but a shared one. Local. */
int  ompi_osc_ucp_memory_allocate(ompi_osc_ucp_window_t *window);
void ompi_osc_ucp_memory_free(ompi_osc_ucp_window_t *window);

/** What peers may know of the own memory. Reads what is fixed once the window stands: the service side calls it, too. */
void ompi_osc_ucp_memory_describe(const ompi_osc_ucp_window_t *window, ompi_osc_ucp_description_t *description);

/** Does a process register the window's memory, so that peers may reach it natively? */
bool ompi_osc_ucp_memory_registers(const ompi_osc_ucp_window_t *window);

/** Register the memory of MPI_Win_create, where a transport makes use of that. If it cannot be, messages do, and
 *  *reason_p is a malloc'd line that says why. Local. */
void ompi_osc_ucp_memory_register(ompi_osc_ucp_window_t *window, char **reason_p);

/* osc_ucp_domain.c */

/** Can this process have the window's accumulates in the NIC domain? May wait for a connection to itself. */
bool ompi_osc_ucp_domain_possible(ompi_osc_ucp_window_t *window);

/**
 * The processor is about to update elements of a window in the NIC domain. Whether that ever happens to the native
 * class is counted, so that tests can show it does not. Any thread.
 */
void     ompi_osc_ucp_domain_witness(uint8_t op, const ompi_osc_ucp_prim_t *prim, const void *address);
uint64_t ompi_osc_ucp_domain_trespasses(void);

/* osc_ucp_segment.c */

/** Memory of MPI_Win_allocate_shared, mapped by all members. Collective over comm, and fails on all alike. */
int  ompi_osc_ucp_segment_share(ompi_osc_ucp_window_t *window, ompi_communicator_t *comm);
void ompi_osc_ucp_segment_free(ompi_osc_ucp_window_t *window);

/* osc_ucp_dynamic.c: the table of attached regions. Guarded by the service lock. */

ompi_osc_ucp_regions_t *ompi_osc_ucp_regions_new(void);
void ompi_osc_ucp_regions_free(ompi_osc_ucp_regions_t *regions);

/** Are all of the bytes that `layout` touches from `address` on attached, but for the last `gap` of its last run? */
bool ompi_osc_ucp_regions_cover(const ompi_osc_ucp_regions_t *regions, uint64_t address,
                                const ompi_osc_ucp_layout_t *layout, int64_t gap);

/* osc_ucp_request.c */

/** An active request of the window; completed by ompi_osc_ucp_request_complete. NULL if memory is short. */
ompi_request_t *ompi_osc_ucp_request_new(ompi_osc_ucp_window_t *window);
void ompi_osc_ucp_request_complete(ompi_request_t *request, int status);

/** Give back a request that the caller never saw; NULL is nothing. */
void ompi_osc_ucp_request_discard(ompi_request_t *request);

/* osc_ucp_flush.c */

/** Wait until a count that a path was given (path/path.h) is back at 0. */
void ompi_osc_ucp_await(const uint32_t *awaited);

/** Complete all operations to all peers at their targets; the first error that a target reported. */
int ompi_osc_ucp_complete_all(ompi_osc_ucp_window_t *window);

/* osc_ucp_barrier.c */

/** The window's own barrier. `last`: the window is about to be freed, getting to know peers better is in vain. */
int ompi_osc_ucp_barrier(ompi_osc_ucp_window_t *window, bool last);

/* osc_ucp_lock.c */

/** At MPI_Finalize a window may be in any epoch: complete its operations, and release what others may wait for. */
void ompi_osc_ucp_epochs_end(ompi_osc_ucp_window_t *window);

#endif /* OSC_UCP_H */
