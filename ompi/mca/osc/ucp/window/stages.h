/* What the making of a window consists of.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OSC_UCP_STAGES_H
#define OSC_UCP_STAGES_H

#include "base/host.h"
#include "memory/segment.h"
#include "peer/window.h"

/** Why a lean window is made in another way than its members had agreed on. More matters more. */
typedef enum ompi_osc_ucp_again_t {
    OMPI_OSC_UCP_AGAIN_NOT,
    OMPI_OSC_UCP_AGAIN_SEGMENT, /**< a member could not map the segment that rank 0 had offered */
    OMPI_OSC_UCP_AGAIN_COPIES   /**< the kernel does not copy for a member */
} ompi_osc_ucp_again_t;

/** The call that creates a window. */
typedef struct ompi_osc_ucp_creation_t {
    ompi_osc_ucp_window_t *window;
    ompi_communicator_t   *comm;
    opal_info_t           *info;
    char                  *reason; /**< why a stage fails at this process, malloc'd; or NULL */
    bool                   outside; /**< the reason is not in the program: it is told in any case */
    bool                   mute;   /**< another process tells why: all have the same reason */
    int                    failed; /**< rank of the first process that failed */
    int                    report; /**< the largest osc_ucp_report of the members */
    bool                   clocks; /**< some member wants to compare clocks, for its trace */
    bool                   check;  /**< all members have osc_ucp_check */
    bool                   open;   /**< each member has UCX open already, and knows the others' addresses */
    bool                   untried; /**< some member has not yet tried whether the kernel copies from the next one */
    ompi_osc_ucp_segment_t *offered; /**< a segment that the window does not use, to be freed at the end; or NULL */
    ompi_osc_ucp_offer_t   offer;  /**< what rank 0 has offered to all */
    ompi_osc_ucp_again_t   again;  /**< why this process, then all, must try another way */
    bool                   nic;    /**< this process can have accumulates in the NIC domain */
    char                  *unregistered; /**< why the memory cannot be registered, malloc'd */
} ompi_osc_ucp_creation_t;

/** Run all stages, or undo those that stand. Collective, and fails on all alike. */
int ompi_osc_ucp_stages_up(ompi_osc_ucp_creation_t *creation);

/** Undo the stages that stand (bit i: stage i), last first. */
void ompi_osc_ucp_stages_down(ompi_osc_ucp_window_t *window, unsigned standing);

/** A process without memory for its window takes part in the first agreement, so that the others do not make theirs. */
int ompi_osc_ucp_stages_absent(ompi_communicator_t *comm, int flavor);

/* window/agree.c. Collective; they fail on all processes or on none. `rc` is the outcome of the stages before. */

/** Agree how the window is made. With OMPI_SUCCESS all know what is the same for all. */
int ompi_osc_ucp_common_agree(ompi_osc_ucp_creation_t *creation, int rc);

/** Agree whether all have opened UCX, and have all know all addresses. */
int ompi_osc_ucp_procs_agree(ompi_osc_ucp_creation_t *creation, int rc);

/**
 * Let messages reach the window at all members, by an id that is free at all of them. Threads that create windows at
 * the same time may have agreed on the same id; they try the next one. On success all members can be reached. If a
 * member could not go the agreed way, creation->again is set at all, with an error.
 */
int ompi_osc_ucp_publish_agree(ompi_osc_ucp_creation_t *creation, int rc);

/* window/lean.c */

/** What keeps the window from being lean, as far as this process knows. */
ompi_osc_ucp_heavy_t ompi_osc_ucp_lean_against(const ompi_osc_ucp_window_t *window, const ompi_communicator_t *comm);

/** At rank 0: make a segment as for a lean window before all have agreed on that, and offer it. Elsewhere no offer. */
ompi_osc_ucp_offer_t ompi_osc_ucp_segment_propose(ompi_osc_ucp_creation_t *creation);

/** Must this process try whether the kernel copies from the next one, before the window can be lean? */
bool ompi_osc_ucp_copies_untried(const ompi_osc_ucp_window_t *window);

/**
 * Make the segment of a lean window, or of MPI_Win_allocate_shared. If there can be none, the former is not lean, and
 * is made like one that spans nodes. Collective; all processes return the same code. With OMPI_SUCCESS, creation->again
 * may be set at some: these take part in the next agreement only.
 */
int  ompi_osc_ucp_segment_up(ompi_osc_ucp_creation_t *creation, int rc);
void ompi_osc_ucp_segment_down(ompi_osc_ucp_window_t *window);

/** All know from creation->again that there must be another segment, or none: leave this one. Inside the origin
 *  side. */
void ompi_osc_ucp_segment_again(ompi_osc_ucp_creation_t *creation);

/* window/nodes.c */

/** The number of members on this node: negative if their ranks go round the nodes, 0 if they do not lie regularly. */
int64_t ompi_osc_ucp_nodes_seen(const ompi_osc_ucp_window_t *window);

/** Keep how all members lie on their nodes: the largest and the smallest number that one has seen. */
void ompi_osc_ucp_nodes_set(ompi_osc_ucp_window_t *window, int64_t most, int64_t least);

/* window/free.c */

/** A window has been made: MPI_Finalize may have to wait for it. */
void ompi_osc_ucp_window_opened(const ompi_osc_ucp_window_t *window);

/** Free what is left of a window that was torn down. Inside the origin side. */
void ompi_osc_ucp_window_delete(ompi_osc_ucp_window_t *window);

/* window/info.c */

/** Take over the values of all info keys that the component honours; `info` is the creation's. */
int  ompi_osc_ucp_info_init(ompi_osc_ucp_window_t *window, opal_info_t *info);
void ompi_osc_ucp_info_fini(void);

/* window/memory.c */

/** The control block, the memory of MPI_Win_allocate, and the stripes, of any window but a shared one. Local. */
int  ompi_osc_ucp_memory_allocate(ompi_osc_ucp_window_t *window);
void ompi_osc_ucp_memory_free(ompi_osc_ucp_window_t *window);

/** Register the memory of MPI_Win_create, where a transport makes use of that. If it cannot be, messages do, and
 *  *reason_p is a malloc'd line that says why. Local. */
void ompi_osc_ucp_memory_register(ompi_osc_ucp_window_t *window, char **reason_p);

/* window/domain.c */

/** Can this process have the window's accumulates in the NIC domain? May wait for a connection to itself. */
bool ompi_osc_ucp_domain_possible(ompi_osc_ucp_window_t *window);

/** What a window's module has, unless layers take its place (layer/layer.h). */
extern const ompi_osc_base_module_t ompi_osc_ucp_module_template;

/** Free a window: MPI_Win_free. Ours, by which a window of ours is known. */
int ompi_osc_ucp_free(ompi_win_t *win);

/** Make a window: the component's function. Collective. */
int ompi_osc_ucp_select(ompi_win_t *win, void **base, size_t size, ompi_osc_ucp_unit_t disp_unit,
                        ompi_communicator_t *comm, opal_info_t *info, int flavor, int *model);

#endif /* OSC_UCP_STAGES_H */
