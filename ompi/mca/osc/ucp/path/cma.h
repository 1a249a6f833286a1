/* What the files of the cma path share.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OSC_UCP_PATH_CMA_H
#define OSC_UCP_PATH_CMA_H

#include "memory/cma.h"
#include "path/am.h"

/* path/cma_begin.c */

/**
 * Begin to copy a transfer, or a block that is `at` bytes from the window's base; ompi_osc_ucp_cma_end must follow.
 * False: a message has to do it, or is faster. Each time is counted. `times`: an accumulate copies twice.
 *
 * The origin side is left meanwhile, so that threads copy side by side. But in a dynamic window they share what
 * announces that the process is inside.
 */
bool ompi_osc_ucp_cma_transfer_begin(const ompi_osc_ucp_transfer_t *transfer, unsigned times);
bool ompi_osc_ucp_cma_block_begin(ompi_osc_ucp_peer_t *peer, unsigned times, int64_t at, uint64_t bytes);
void ompi_osc_ucp_cma_end(const ompi_osc_ucp_peer_t *peer);

/** The last step of a begin. False: not all bytes are attached; then there is no end. */
bool ompi_osc_ucp_cma_enter(const ompi_osc_ucp_peer_t *peer, int64_t at, const ompi_osc_ucp_layout_t *layout,
                            int64_t gap);

/** An operation on `bytes` is over: count it. */
void ompi_osc_ucp_cma_done(ompi_osc_ucp_peer_t *peer, uint64_t bytes);

/** Does the peer's process exist, as the program that it was? True also if the kernel does not tell. */
bool ompi_osc_ucp_cma_exists(const ompi_osc_ucp_peer_t *peer);

/** Lock stripes of the peer's. False: its process does not exist any more. */
bool ompi_osc_ucp_cma_stripes_lock(const ompi_osc_ucp_peer_t *peer, uint64_t set);

/** The kernel has not copied everything. If it still reads the peer's memory, only this memory cannot be copied: then
 *  OMPI_ERR_NOT_SUPPORTED, if a message can do the whole operation, which has not `begun` to update. */
int ompi_osc_ucp_cma_failed(ompi_osc_ucp_peer_t *peer, bool begun);

/** The outcome of a transfer that ended with `rc` after it was to be copied; or carry it out by `message`. */
int ompi_osc_ucp_cma_transfer_over(ompi_osc_ucp_transfer_t *transfer, int rc,
                                   int (*message)(ompi_osc_ucp_transfer_t *transfer));

/** How far a transfer has come at the target. */
typedef struct ompi_osc_ucp_cma_cursor_t {
    ompi_osc_ucp_layout_iter_t iter;
    uint64_t                   address; /**< of the rest of the current run */
    uint64_t                   run;     /**< bytes of it */
    uint64_t                   base;    /**< the peer's address of displacement 0 */
} ompi_osc_ucp_cma_cursor_t;

/** `pos`: bytes of the layout that are done. */
static inline void ompi_osc_ucp_cma_cursor_begin(ompi_osc_ucp_cma_cursor_t     *cursor,
                                                 const ompi_osc_ucp_transfer_t *transfer, uint64_t pos)
{
    ompi_osc_ucp_layout_iter_init(&cursor->iter, transfer->target_layout, pos);
    cursor->base = transfer->peer->remote + (uint64_t) transfer->disp;
    cursor->run  = 0;
}

/** Is there a rest? If so, the current run has some. */
static inline bool ompi_osc_ucp_cma_cursor_look(ompi_osc_ucp_cma_cursor_t *cursor)
{
    int64_t disp;

    if (0 == cursor->run && ompi_osc_ucp_layout_iter_next(&cursor->iter, UINT64_MAX, &disp, &cursor->run)) {
        cursor->address = cursor->base + (uint64_t) disp;
    }
    return cursor->run > 0;
}

static inline void ompi_osc_ucp_cma_cursor_pass(ompi_osc_ucp_cma_cursor_t *cursor, uint64_t bytes)
{
    cursor->address += bytes;
    cursor->run     -= bytes;
}

/* Behind a begin. They end what was begun. */

/* path/cma.c */

/** Copy to the peer (`write`), or from it. OMPI_ERR_NOT_SUPPORTED: see ompi_osc_ucp_cma_failed. */
int ompi_osc_ucp_cma_copied(ompi_osc_ucp_transfer_t *transfer, bool write);

/** The same for one block. False: the kernel has not copied all of it. */
bool ompi_osc_ucp_cma_block_copied(ompi_osc_ucp_peer_t *peer, bool write, void *here, int64_t at, uint64_t bytes);

/* path/cma_accumulate.c */

/** Most bytes of a block that is updated at once. */
#define OMPI_OSC_UCP_CMA_UPDATE_MAX 4096

/** Update all cells of a transfer but the first `done`. This alone ends nothing. */
int ompi_osc_ucp_cma_update(ompi_osc_ucp_transfer_t *transfer, uint64_t done);

/** The same, and end it; or update one block of at most that many bytes. */
int  ompi_osc_ucp_cma_updated(ompi_osc_ucp_transfer_t *transfer, uint64_t done);
bool ompi_osc_ucp_cma_block_updated(ompi_osc_ucp_peer_t *peer, int64_t at, uint8_t op, const ompi_osc_ucp_prim_t *prim,
                                    const void *origin, void *result, uint64_t bytes);

/** Compare and swap the element at `at`. `result` gets the old one if that could be read. *begun_p: something may have
 *  been written. */
bool ompi_osc_ucp_cma_swapped(ompi_osc_ucp_peer_t *peer, int64_t at, const ompi_osc_ucp_prim_t *prim,
                              const void *origin, const void *compare, void *result, bool *begun_p);

bool ompi_osc_ucp_cma_transfer_swapped(ompi_osc_ucp_transfer_t *transfer, bool *begun_p);

/* The cma path's own verbs. */

int  ompi_osc_ucp_cma_accumulate(ompi_osc_ucp_transfer_t *transfer);
int  ompi_osc_ucp_cma_compare_swap(ompi_osc_ucp_transfer_t *transfer);
bool ompi_osc_ucp_cma_accumulate_block(ompi_osc_ucp_peer_t *peer, int64_t at, uint8_t op,
                                       const ompi_osc_ucp_prim_t *prim, const void *origin, void *result,
                                       uint64_t bytes);
bool ompi_osc_ucp_cma_swap_block(ompi_osc_ucp_peer_t *peer, int64_t at, const ompi_osc_ucp_prim_t *prim,
                                 const void *origin, const void *compare, void *result);

#endif /* OSC_UCP_PATH_CMA_H */
