/* The cma path: which operations are copied, and what comes before and after a copy.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "path/cma.h"

#include "base/threads.h"
#include "memory/attached.h"
#include "message/fastbox.h"
#include "peer/pending.h"

/** What short copies of a peer may cost until the next completion, in tenths of a microsecond: about as much as to
 *  wake a peer that computes. A longer series becomes messages, which share packets. So it takes at most twice as long
 *  as the better of both ways. */
#define SERIES_MAX 160

/** Cost of a copy, and of each piece of it, in the same unit. */
#define COPY_COST  4
#define PIECE_COST 1

/** Pieces of so many bytes, on average, cost more in a message. */
#define LONG_PIECE 1024

/** An element whose halves another process might see, if the kernel copied it. */
static bool may_tear(uint64_t address, uint64_t bytes)
{
    return (2 == bytes || 4 == bytes || 8 == bytes) && 0 == address % bytes &&
           0 == (ompi_osc_ucp_cma_whole() & bytes);
}

/** Is a series of short copies over with this one, of `times` copies of `bytes` in `pieces`? */
static bool is_over(ompi_osc_ucp_peer_t *peer, unsigned times, uint64_t bytes, uint64_t pieces)
{
    if (bytes / LONG_PIECE >= pieces) {
        return false;
    }
    if (pieces > SERIES_MAX || peer->copies + times * (COPY_COST + PIECE_COST * pieces) > SERIES_MAX) {
        return true;
    }
    peer->copies += (uint32_t) (times * (COPY_COST + PIECE_COST * pieces));
    return false;
}

/** Is a short operation faster by message, because the target polls? It gets a message in 0.3 us, and one copy takes
 *  more than 1 us. An accumulate copies twice. */
static bool is_mail(const ompi_osc_ucp_peer_t *peer, unsigned times, uint64_t bytes, uint64_t pieces)
{
    return bytes <= OMPI_OSC_UCP_AM_ACCUMULATE_MAX && (times > 1 || bytes / LONG_PIECE < pieces) &&
           ompi_osc_ucp_fastbox_answers(peer->fastbox);
}

bool ompi_osc_ucp_cma_enter(const ompi_osc_ucp_peer_t *peer, int64_t at, const ompi_osc_ucp_layout_t *layout,
                            int64_t gap)
{
    const ompi_osc_ucp_looked_t looked = {
        .attached = peer->attached, .insider = peer->insider, .owner = ompi_osc_ucp_peer_self(peer),
        .waits    = peer->window->lean
    };

    if (NULL == peer->attached) {
        ompi_osc_ucp_leave();
        return true;
    }
    return ompi_osc_ucp_attached_enter(&looked, peer->remote + (uint64_t) at, layout, gap);
}

/** Begin to copy: `layout` at `at` bytes from the window's base, in `pieces`. For the rest see path/cma.h. */
static bool copies_begin(ompi_osc_ucp_peer_t *peer, unsigned times, int64_t at, const ompi_osc_ucp_layout_t *layout,
                         uint64_t pieces, int64_t gap)
{
    if (!peer->cma || !ompi_osc_ucp_peer_is_quiet(peer) || is_mail(peer, times, layout->size, pieces) ||
        may_tear(peer->remote + (uint64_t) (at + layout->lb), layout->size) ||
        is_over(peer, times, layout->size, pieces)) {
        return false;
    }
    return ompi_osc_ucp_cma_enter(peer, at, layout, gap);
}

void ompi_osc_ucp_cma_end(const ompi_osc_ucp_peer_t *peer)
{
    if (NULL == peer->attached) {
        ompi_osc_ucp_enter();
    } else {
        ompi_osc_ucp_attached_leave(peer->insider);
    }
}

bool ompi_osc_ucp_cma_transfer_begin(const ompi_osc_ucp_transfer_t *transfer, unsigned times)
{
    const ompi_osc_ucp_layout_t *layout = transfer->target_layout;
    const ompi_osc_ucp_prim_t   *prim   = transfer->prim;
    const bool                   gaps   = NULL != prim && ompi_osc_ucp_prim_has_gaps(prim);

    return copies_begin(transfer->peer, times, transfer->disp, layout,
                        gaps ? 2 * layout->size / prim->extent : ompi_osc_ucp_layout_runs(layout),
                        NULL == prim ? 0 : ompi_osc_ucp_prim_gap(prim));
}

bool ompi_osc_ucp_cma_block_begin(ompi_osc_ucp_peer_t *peer, unsigned times, int64_t at, uint64_t bytes)
{
    ompi_osc_ucp_layout_t layout;

    ompi_osc_ucp_layout_contiguous(&layout, 0, bytes);
    return copies_begin(peer, times, at, &layout, 1, 0);
}

bool ompi_osc_ucp_cma_exists(const ompi_osc_ucp_peer_t *peer)
{
    return !ompi_osc_ucp_cma_gone(peer->pid, peer->proof_at, peer->proof);
}

static bool exists(const void *peer)
{
    return ompi_osc_ucp_cma_exists(peer);
}

bool ompi_osc_ucp_cma_stripes_lock(const ompi_osc_ucp_peer_t *peer, uint64_t set)
{
    return ompi_osc_ucp_stripes_lock(peer->stripes, set, exists, peer);
}

int ompi_osc_ucp_cma_failed(ompi_osc_ucp_peer_t *peer, bool begun)
{
    if (begun || !ompi_osc_ucp_cma_reaches(peer->pid, peer->proof_at, peer->proof)) {
        return OMPI_ERR_UNREACH;
    }
    peer->cma = false;
    return OMPI_ERR_NOT_SUPPORTED;
}

void ompi_osc_ucp_cma_done(ompi_osc_ucp_peer_t *peer, uint64_t bytes)
{
    if (OMPI_OSC_UCP_VIA_DIRECT != peer->path->via) { /* else layer/count.c counts it */
        ompi_osc_ucp_count(&peer->window->counters, OMPI_OSC_UCP_VIA_DIRECT, bytes);
    }
}

int ompi_osc_ucp_cma_transfer_over(ompi_osc_ucp_transfer_t *transfer, int rc,
                                   int (*message)(ompi_osc_ucp_transfer_t *transfer))
{
    if (OMPI_ERR_NOT_SUPPORTED == rc) {
        return message(transfer);
    }
    if (OMPI_SUCCESS == rc) {
        ompi_osc_ucp_cma_done(transfer->peer, transfer->target_layout->size);
        rc = ompi_osc_ucp_request_none(transfer->request_p);
    }
    return rc;
}
