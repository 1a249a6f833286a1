/* Lean windows: all members share a node, and nothing needs a message, so that neither UCX nor a thread is started.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A lean window has all its shared memory in one segment (memory/segment.h). Windows of MPI_Win_allocate_shared have
 * such a segment in any case. Memory of the program's, in windows of MPI_Win_create and dynamic ones, is reached by the
 * kernel's copies (path/kernel.c), which the members try when they make the window.
 */

#include "window/stages.h"

#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/params.h"
#include "base/threads.h"
#include "layer/layer.h"
#include "memory/arena.h"
#include "memory/attached.h"
#include "memory/cma.h"
#include "memory/handoff.h"
#include "memory/limits.h"
#include "service/handoff.h"

/** Most processes of which this one keeps that it has copied their memory. */
enum { TRIED_MAX = 64 };

/** Is the window's memory the program's? */
static bool is_outside(const ompi_osc_ucp_window_t *window)
{
    return MPI_WIN_FLAVOR_CREATE == window->flavor || MPI_WIN_FLAVOR_DYNAMIC == window->flavor;
}

/** Do parameters forbid that the window is lean? */
static bool is_forbidden(const ompi_osc_ucp_window_t *window)
{
    const ompi_osc_ucp_params_t *params = &ompi_osc_ucp_params;

    return 0 == params->node || 0 != params->survive || (is_outside(window) && 0 == params->kernel_copy) ||
           (MPI_WIN_FLAVOR_SHARED != window->flavor &&
            (0 == params->direct || OMPI_OSC_UCP_DOMAIN_NIC == params->atomic_domain));
}

/** What the kernel's copies cannot do. Puts of short elements must be whole, and only messages know the memory of a
 *  device's driver. */
static ompi_osc_ucp_heavy_t copies_lack(const ompi_osc_ucp_window_t *window)
{
    if (OMPI_OSC_UCP_CMA_WHOLE_ALL != ompi_osc_ucp_cma_whole()) {
        return OMPI_OSC_UCP_HEAVY_TEARS;
    }
    if (MPI_WIN_FLAVOR_DYNAMIC == window->flavor) {
        return window->size > OMPI_OSC_UCP_INSIDERS ? OMPI_OSC_UCP_HEAVY_MANY : OMPI_OSC_UCP_HEAVY_NOT;
    }
    return ompi_osc_ucp_cma_copies(window->base, (uint64_t) window->bytes) ? OMPI_OSC_UCP_HEAVY_NOT
           : ompi_osc_ucp_cma_refused() ? OMPI_OSC_UCP_HEAVY_REFUSED : OMPI_OSC_UCP_HEAVY_MEMORY;
}

ompi_osc_ucp_heavy_t ompi_osc_ucp_lean_against(const ompi_osc_ucp_window_t *window, const ompi_communicator_t *comm)
{
    if (window->size < 2 || ompi_group_have_remote_peers(comm->c_local_group)) {
        return OMPI_OSC_UCP_HEAVY_APART;
    }
    if (window->size > OMPI_OSC_UCP_POST_RANKS) { /* the post of a rank without a bit is a message */
        return OMPI_OSC_UCP_HEAVY_MANY;
    }
    if (is_forbidden(window)) {
        return OMPI_OSC_UCP_HEAVY_PARAMETER;
    }
    if (window->alignment > (size_t) sysconf(_SC_PAGESIZE)) {
        return OMPI_OSC_UCP_HEAVY_ALIGNMENT;
    }
    if (ompi_osc_ucp_devices_possible()) {
        return OMPI_OSC_UCP_HEAVY_DEVICES;
    }
    return is_outside(window) ? copies_lack(window) : OMPI_OSC_UCP_HEAVY_NOT;
}

/** Bytes of this member's in the segment. */
static uint64_t memory_wanted(const ompi_osc_ucp_window_t *window)
{
    switch (window->flavor) {
    case MPI_WIN_FLAVOR_CREATE:
        return sizeof(ompi_osc_ucp_handoff_t);
    case MPI_WIN_FLAVOR_DYNAMIC:
        return sizeof(ompi_osc_ucp_attached_t) + sizeof(ompi_osc_ucp_handoff_t);
    default:
        return (uint64_t) window->bytes;
    }
}

/** What of it lies apart, as many windows never use it. */
static uint64_t far_wanted(const ompi_osc_ucp_window_t *window)
{
    switch (window->flavor) {
    case MPI_WIN_FLAVOR_CREATE:
        return OMPI_OSC_UCP_HANDOFF_FAR;
    case MPI_WIN_FLAVOR_DYNAMIC:
        return sizeof(ompi_osc_ucp_attached_table_t) + OMPI_OSC_UCP_HANDOFF_FAR;
    default:
        return 0;
    }
}

/** The processes whose memory this one has copied, of those that follow it in communicators. Of the origin side. */
static struct {
    uint64_t keys[TRIED_MAX];
    unsigned n; /**< ever kept: the last ones are there */
} tried;

static uint64_t next_key(const ompi_osc_ucp_window_t *window)
{
    return ompi_osc_ucp_proc_key(window->group, (window->rank + 1) % window->size);
}

/** What keeps a process from copying, or most others from copying from it, may have begun since it tried: a filter of
 *  its system calls, or that it may not be dumped. */
static bool copies_still(void)
{
    return 1 == prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) && ompi_osc_ucp_cma_copies(&tried, sizeof(tried.keys[0]));
}

bool ompi_osc_ucp_copies_untried(const ompi_osc_ucp_window_t *window)
{
    bool     known = false;
    uint64_t key;
    unsigned i;

    if (!is_outside(window)) {
        return false;
    }
    key = next_key(window);
    ompi_osc_ucp_enter();
    for (i = 0; i < TRIED_MAX && i < tried.n; i++) {
        known = known || key == tried.keys[i];
    }
    ompi_osc_ucp_leave();
    return !known || !copies_still();
}

/**
 * Try the kernel's copies, each member with the next one, which has mapped the segment. Local.
 *
 * That answers for all pairs. What keeps one process from copying is found by its own try (seccomp), what keeps others
 * from copying its memory by that of the one before it (a process that is not dumpable, yama), and name spaces and
 * users that differ anywhere differ between two neighbours.
 */
static bool copies_try(const ompi_osc_ucp_window_t *window)
{
    const ompi_osc_ucp_member_t member = ompi_osc_ucp_segment_member(window->segment,
                                                                     (window->rank + 1) % window->size);

    if (!ompi_osc_ucp_cma_permits(member.self.pid, member.self.address, member.self.number)) {
        return false;
    }
    ompi_osc_ucp_enter();
    tried.keys[tried.n++ % TRIED_MAX] = next_key(window);
    ompi_osc_ucp_leave();
    return true;
}

static ompi_osc_ucp_share_t share_of(const ompi_osc_ucp_window_t *window)
{
    return (ompi_osc_ucp_share_t) {
        .memory     = memory_wanted(window),
        .far        = far_wanted(window),
        .counters   = window->counters_max,
        .alignment  = window->alignment,
        .uniform    = is_outside(window) || window->uniform_bytes >= 0,
        .contiguous = MPI_WIN_FLAVOR_SHARED == window->flavor && !window->noncontig,
        .must       = MPI_WIN_FLAVOR_SHARED == window->flavor,
        .size       = window->bytes,
        .disp_unit  = window->disp_unit,
        .base       = (uint64_t) (uintptr_t) window->base,
        .self       = ompi_osc_ucp_cma_self()
    };
}

ompi_osc_ucp_offer_t ompi_osc_ucp_segment_propose(ompi_osc_ucp_creation_t *creation)
{
    ompi_osc_ucp_offer_t       offer = ompi_osc_ucp_offer_none();
    const ompi_osc_ucp_share_t share = share_of(creation->window);

    if (0 == creation->window->rank) {
        creation->offered = ompi_osc_ucp_segment_offer(creation->window->size, &share, &offer);
    }
    return offer;
}

/** Take from the segment what is this member's. */
static void segment_use(ompi_osc_ucp_window_t *window)
{
    ompi_osc_ucp_member_t mine = ompi_osc_ucp_segment_member(window->segment, window->rank);

    window->stripes  = mine.stripes;
    window->control  = mine.control;
    window->key_base = is_outside(window) ? mine.base_key : mine.key_base;
    if (!is_outside(window)) {
        window->base = mine.memory;
        return;
    }
    if (MPI_WIN_FLAVOR_DYNAMIC == window->flavor) {
        window->attached = (ompi_osc_ucp_attached_t *) mine.memory;
        ompi_osc_ucp_attached_init(window->attached, (ompi_osc_ucp_attached_table_t *) mine.far);
        mine.memory += sizeof(ompi_osc_ucp_attached_t);
        mine.far    += sizeof(ompi_osc_ucp_attached_table_t);
    }
    window->handoff = (ompi_osc_ucp_handoff_t *) mine.memory;
    ompi_osc_ucp_handoff_init(window->handoff, mine.far);
}

/** Map the segment that rank 0 has offered, if it is what all want. False on all, or on none. */
static bool segment_accept(ompi_osc_ucp_creation_t *creation)
{
    ompi_osc_ucp_window_t     *window = creation->window;
    const ompi_osc_ucp_share_t share  = share_of(window);
    int                        rc;

    if (!window->lean || !ompi_osc_ucp_offer_suits(&creation->offer, &share)) {
        return false;
    }
    window->segment   = creation->offered;
    creation->offered = NULL;
    rc = ompi_osc_ucp_segment_accept(creation->comm, &creation->offer, &share, &window->segment);
    if (is_outside(window) && creation->untried && OMPI_SUCCESS != ompi_osc_ucp_agree(creation->comm, rc)) {
        ompi_osc_ucp_segment_discard(window->segment);
        window->segment = NULL;
        return false;
    }
    creation->again = OMPI_SUCCESS == rc ? OMPI_OSC_UCP_AGAIN_NOT : OMPI_OSC_UCP_AGAIN_SEGMENT;
    return true;
}

/** Have rank 0 make a segment, and map it. Collective; all processes return the same code. */
static int segment_make(ompi_osc_ucp_creation_t *creation)
{
    ompi_osc_ucp_window_t     *window = creation->window;
    const ompi_osc_ucp_share_t share  = share_of(window);
    uint64_t                   bytes  = UINT64_MAX;
    int                        rc     = ompi_osc_ucp_segment_share(creation->comm, &share, &window->segment, &bytes);

    if (OMPI_SUCCESS != rc && share.must && 0 == bytes) {
        creation->reason = strdup("the sum of its sizes is larger than any memory");
    } else if (OMPI_SUCCESS != rc && share.must && UINT64_MAX != bytes) {
        creation->reason = ompi_osc_ucp_memory_shortage(bytes);
    }
    return rc;
}

int ompi_osc_ucp_segment_up(ompi_osc_ucp_creation_t *creation, int rc)
{
    ompi_osc_ucp_window_t *window = creation->window;

    if (OMPI_SUCCESS != rc || (!window->lean && MPI_WIN_FLAVOR_SHARED != window->flavor)) {
        return rc;
    }
    if (is_outside(window)) {
        ompi_osc_ucp_cma_admit();
    }
    if (!segment_accept(creation)) {
        ompi_osc_ucp_segment_discard(creation->offered);
        creation->offered = NULL;
        rc = segment_make(creation);
    }
    if (OMPI_SUCCESS != rc && MPI_WIN_FLAVOR_SHARED != window->flavor) {
        window->lean  = window->crowded = false;
        window->heavy = OMPI_OSC_UCP_HEAVY_SEGMENT;
        return OMPI_SUCCESS;
    }
    if (OMPI_SUCCESS == rc && OMPI_OSC_UCP_AGAIN_NOT == creation->again) {
        segment_use(window);
        if (is_outside(window) && creation->untried && !copies_try(window)) {
            creation->again = OMPI_OSC_UCP_AGAIN_COPIES;
        } else if (is_outside(window)) {
            ompi_osc_ucp_enter();
            ompi_osc_ucp_handoff_open(window);
            ompi_osc_ucp_leave();
        }
    }
    return rc;
}

/** The window no longer uses its segment, which has yet to be freed. */
static void segment_leave(ompi_osc_ucp_window_t *window)
{
    if (NULL != window->handoff) {
        ompi_osc_ucp_handoff_close(window);
        window->handoff = NULL;
    }
}

void ompi_osc_ucp_segment_down(ompi_osc_ucp_window_t *window)
{
    segment_leave(window);
    ompi_osc_ucp_segment_free(window->segment);
    window->segment = NULL;
}

void ompi_osc_ucp_segment_again(ompi_osc_ucp_creation_t *creation)
{
    ompi_osc_ucp_window_t *window = creation->window;

    segment_leave(window);
    ompi_osc_ucp_segment_discard(creation->offered);
    creation->offered = window->segment; /* others may still write to their handoffs: freed behind the next agreement */
    creation->offer   = ompi_osc_ucp_offer_none();
    window->segment   = NULL;
    window->attached  = NULL;
    window->key_base  = 0;
    if (OMPI_OSC_UCP_AGAIN_COPIES == creation->again) {
        ompi_osc_ucp_cma_refuse();
        window->lean  = window->crowded = false;
        window->heavy = OMPI_OSC_UCP_HEAVY_REFUSED;
    }
    creation->again = OMPI_OSC_UCP_AGAIN_NOT;
}
