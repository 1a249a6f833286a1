/* The accumulate family on the cma path: cells are read, combined and written back under the peer's stripes.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "path/cma.h"

#include <stdlib.h>

#include "op/op_layout.h"
#include "peer/pending.h"

/** Bytes of cells of an accumulate that are updated at once. So many fit on the stack; longer ones get more. */
#define PIECE_SHORT OMPI_OSC_UCP_CMA_UPDATE_MAX
#define PIECE_LONG  (64 * 1024)

/** Bytes that are replaced at once: under up to half of the stripes. */
#define PIECE_REPLACED (128 * 1024)

/** Cells in a row, which are updated one after the other. */
typedef struct run_t {
    uint64_t at; /**< bytes from the first copy */
    size_t   n;
} run_t;

/** Cells of the peer's memory that are updated at once, and how. A type may name a cell several times. */
typedef struct piece_t {
    uint8_t                    op;
    const ompi_osc_ucp_prim_t *prim;
    char                      *cells; /**< copies of them, each once */
    const char                *source;
    char                      *result;
    size_t                     n;     /**< in all runs */
    unsigned                   nruns;
    run_t                      run[OMPI_OSC_UCP_CMA_PIECES];
    uint64_t                   set;   /**< their stripes */
    ompi_osc_ucp_cma_vector_t  vector;
    ompi_osc_ucp_cma_vector_t *spans; /**< for cells with gaps: what is read, gaps between them included */
} piece_t;

/** Update the copies. False: nothing has changed. */
static bool runs_apply(const piece_t *piece)
{
    const run_t *run     = piece->run, *end = run + piece->nruns;
    const char  *source  = piece->source;
    char        *result  = piece->result;
    bool         changed = false;

    for (; run < end; run++) {
        changed |= ompi_osc_ucp_op_apply_private(piece->op, piece->prim, piece->cells + run->at, source, result,
                                                 run->n);
        source   = NULL == source ? NULL : source + run->n * piece->prim->size;
        result   = NULL == result ? NULL : result + run->n * piece->prim->size;
    }
    return changed;
}

/** Read the cells, update and write them, under their stripes. *begun_p: something may have been written. */
static bool piece_update(const ompi_osc_ucp_peer_t *peer, const piece_t *piece, bool *begun_p)
{
    const bool gaps  = ompi_osc_ucp_prim_has_gaps(piece->prim);
    const bool reads = NULL != piece->result || OMPI_OSC_UCP_OP_REPLACE != piece->op;
    bool       done;

    if (!ompi_osc_ucp_cma_stripes_lock(peer, piece->set)) {
        return false;
    }
    done = !reads || ompi_osc_ucp_cma_copy(peer->pid, false, gaps ? piece->spans : &piece->vector);
    if (done && runs_apply(piece)) {
        *begun_p = true;
        done     = ompi_osc_ucp_cma_copy(peer->pid, true, &piece->vector);
    }
    ompi_osc_ucp_stripes_unlock(peer->stripes, piece->set);
    return done;
}

/** Where the last span ends, in the peer's memory; there is one. */
static uint64_t end_of_spans(const ompi_osc_ucp_cma_vector_t *spans)
{
    const struct iovec *last = &spans->there[spans->nthere - 1];

    return (uintptr_t) last->iov_base + last->iov_len;
}

/** Add the next cell. It is written without its gaps, but read with those in and before it if it lies behind the last
 *  one: fewer pieces are faster. The gap behind the last one may lie outside of the peer's memory. */
static void cell_add(piece_t *piece, uint64_t address, char *cell)
{
    const ompi_osc_ucp_prim_t *prim  = piece->prim;
    const uint64_t             gap   = (uint64_t) ompi_osc_ucp_prim_gap(prim);
    const bool                 joins = piece->spans->nthere > 0 && end_of_spans(piece->spans) + gap == address;
    const uint64_t             ahead = joins ? gap : 0;

    ompi_osc_ucp_cma_add(piece->spans, cell - ahead, address - ahead, prim->extent - gap + ahead);

    ompi_osc_ucp_cma_add(&piece->vector, cell, address, prim->value_size);
    ompi_osc_ucp_cma_add(&piece->vector, cell + prim->index_offset, address + prim->index_offset, sizeof(int));
}

/** Add cells to the last run, if they lie behind it, or as a new one. */
static void run_add(piece_t *piece, uint64_t at, size_t n)
{
    run_t *last = 0 == piece->nruns ? NULL : &piece->run[piece->nruns - 1];

    if (NULL != last && last->at + last->n * piece->prim->extent == at) {
        last->n += n;
    } else {
        piece->run[piece->nruns++] = (run_t) { .at = at, .n = n };
    }
    piece->n += n;
}

/** How many of the next `bytes` are in the last block that the piece has of the peer's memory, from one of its cells
 *  on? `used`: bytes of copies, of which the last block's are the last ones. *at_p: where their copies are. */
static uint64_t repeated(const piece_t *piece, uint64_t address, uint64_t bytes, uint64_t used, uint64_t *at_p)
{
    const ompi_osc_ucp_cma_vector_t *vector = &piece->vector;
    const struct iovec              *last   = 0 == vector->nthere ? NULL : &vector->there[vector->nthere - 1];
    const uint64_t                   extent = piece->prim->extent;
    uint64_t                         from;

    if (NULL == last || ompi_osc_ucp_prim_has_gaps(piece->prim) || address < (uintptr_t) last->iov_base ||
        0 != (address - (uintptr_t) last->iov_base) % extent) {
        return 0;
    }
    from  = address - (uintptr_t) last->iov_base;
    *at_p = used - last->iov_len + from;
    if (from >= last->iov_len) {
        return 0;
    }
    return bytes < last->iov_len - from ? bytes : last->iov_len - from;
}

/** Fill in the next cells, of `room` bytes at most. Their copies lie at rising addresses; a cell that is in the last
 *  block already has no other copy. False: there are no more. */
static bool piece_fill(piece_t *piece, const ompi_osc_ucp_peer_t *peer, ompi_osc_ucp_cma_cursor_t *cursor,
                       uint64_t room)
{
    const uint64_t extent = piece->prim->extent;
    const bool     gaps   = ompi_osc_ucp_prim_has_gaps(piece->prim);
    uint64_t       used = 0, end = 0, left, bytes, again, at = 0;

    piece->set = piece->n = piece->nruns = 0;
    ompi_osc_ucp_cma_begin(&piece->vector);
    ompi_osc_ucp_cma_begin(piece->spans);
    while ((left = room - piece->n * extent) >= extent && ompi_osc_ucp_cma_room(&piece->vector, 2) &&
           piece->nruns < OMPI_OSC_UCP_CMA_PIECES && ompi_osc_ucp_cma_cursor_look(cursor)) {
        bytes = gaps ? extent : cursor->run < left ? cursor->run : left / extent * extent;
        again = repeated(piece, cursor->address, bytes, used, &at);
        if (0 == again && cursor->address < end) {
            break;
        }
        if (0 != again) {
            bytes = again;
        } else {
            at = used;
            if (gaps) {
                cell_add(piece, cursor->address, piece->cells + at);
            } else {
                ompi_osc_ucp_cma_add(&piece->vector, piece->cells + at, cursor->address, bytes);
            }
            piece->set |= ompi_osc_ucp_stripes_of(cursor->address - peer->key_base, bytes);
            end   = cursor->address + bytes;
            used += bytes;
        }
        run_add(piece, at, bytes / extent);
        ompi_osc_ucp_cma_cursor_pass(cursor, bytes);
    }
    return piece->n > 0;
}

/** Update all cells of a transfer but the first `first`, in pieces of `room` bytes. `space` has room for three such
 *  pieces. */
static int update(ompi_osc_ucp_transfer_t *transfer, uint64_t first, char *space, uint64_t room)
{
    const ompi_osc_ucp_prim_t *prim  = transfer->prim;
    const bool                 reads = NULL != transfer->origin_layout, fetches = NULL != transfer->result_layout;
    ompi_osc_ucp_layout_iter_t origin, result;
    ompi_osc_ucp_cma_vector_t  spans;
    piece_t                    piece = {
        .op = transfer->op, .prim = prim, .cells = space, .source = reads ? space + room : NULL,
        .result = fetches ? space + 2 * room : NULL, .spans = &spans
    };
    ompi_osc_ucp_cma_cursor_t  cursor;
    const bool                 packs = reads && (ompi_osc_ucp_prim_has_gaps(prim) ||
                                                 !ompi_osc_ucp_layout_is_contiguous(transfer->origin_layout));
    bool                       begun = 0 != first, done = true;

    ompi_osc_ucp_cma_cursor_begin(&cursor, transfer, first * prim->extent);
    if (packs) {
        ompi_osc_ucp_layout_iter_init(&origin, transfer->origin_layout, first * prim->size);
    } else if (reads) {
        piece.source = (const char *) transfer->origin + transfer->origin_layout->lb + first * prim->size;
    }
    if (fetches) {
        ompi_osc_ucp_layout_iter_init(&result, transfer->result_layout, first * prim->size);
    }
    while (done && piece_fill(&piece, transfer->peer, &cursor, room)) {
        if (packs) {
            ompi_osc_ucp_layout_pack(&origin, transfer->origin, space + room, piece.n * prim->size);
        }
        done = piece_update(transfer->peer, &piece, &begun);
        if (fetches && done) {
            ompi_osc_ucp_layout_unpack(&result, transfer->result, piece.result, piece.n * prim->size);
        }
        if (reads && !packs) {
            piece.source += piece.n * prim->size;
        }
    }
    return done ? OMPI_SUCCESS : ompi_osc_ucp_cma_failed(transfer->peer, begun);
}

/** Is it a replacement of one block by another, without a result? */
static bool is_replacement(const ompi_osc_ucp_transfer_t *transfer)
{
    return OMPI_OSC_UCP_OP_REPLACE == transfer->op && NULL == transfer->result_layout &&
           !ompi_osc_ucp_prim_has_gaps(transfer->prim) &&
           ompi_osc_ucp_layout_is_contiguous(transfer->target_layout) &&
           ompi_osc_ucp_layout_is_contiguous(transfer->origin_layout);
}

/** Write the block from the origin's buffer, under its stripes. */
static int replace(const ompi_osc_ucp_transfer_t *transfer)
{
    ompi_osc_ucp_peer_t      *peer    = transfer->peer;
    char                     *origin  = (char *) transfer->origin + transfer->origin_layout->lb;
    const uint64_t            address = peer->remote + (uint64_t) (transfer->disp + transfer->target_layout->lb);
    const uint64_t            bytes   = transfer->target_layout->size;
    const uint64_t            most    = PIECE_REPLACED / transfer->prim->size * transfer->prim->size;
    ompi_osc_ucp_cma_vector_t vector;
    uint64_t                  at, piece, set;
    bool                      done = true;

    for (at = 0; done && at < bytes; at += piece) {
        piece = bytes - at < most ? bytes - at : most;
        set   = ompi_osc_ucp_stripes_of(address + at - peer->key_base, piece);
        ompi_osc_ucp_cma_begin(&vector);
        ompi_osc_ucp_cma_add(&vector, origin + at, address + at, piece);
        done = ompi_osc_ucp_cma_stripes_lock(peer, set);
        if (done) {
            done = ompi_osc_ucp_cma_copy(peer->pid, true, &vector);
            ompi_osc_ucp_stripes_unlock(peer->stripes, set);
        }
    }
    return done ? OMPI_SUCCESS : ompi_osc_ucp_cma_failed(peer, true);
}

int ompi_osc_ucp_cma_update(ompi_osc_ucp_transfer_t *transfer, uint64_t done)
{
    _Alignas(64) char space[3 * PIECE_SHORT];
    char             *more = NULL;
    int               rc;

    if (is_replacement(transfer)) {
        rc = replace(transfer);
    } else {
        if (transfer->target_layout->size > PIECE_SHORT) {
            more = malloc(3 * PIECE_LONG);
        }
        rc = update(transfer, done, NULL == more ? space : more, NULL == more ? PIECE_SHORT : PIECE_LONG);
        free(more);
    }
    return rc;
}

int ompi_osc_ucp_cma_updated(ompi_osc_ucp_transfer_t *transfer, uint64_t done)
{
    const int rc = ompi_osc_ucp_cma_update(transfer, done);

    ompi_osc_ucp_cma_end(transfer->peer);
    return rc;
}

int ompi_osc_ucp_cma_accumulate(ompi_osc_ucp_transfer_t *transfer)
{
    if (!ompi_osc_ucp_cma_transfer_begin(transfer, 2)) {
        return ompi_osc_ucp_am_accumulate(transfer);
    }
    return ompi_osc_ucp_cma_transfer_over(transfer, ompi_osc_ucp_cma_updated(transfer, 0),
                                          ompi_osc_ucp_am_accumulate);
}

bool ompi_osc_ucp_cma_block_updated(ompi_osc_ucp_peer_t *peer, int64_t at, uint8_t op, const ompi_osc_ucp_prim_t *prim,
                                    const void *origin, void *result, uint64_t bytes)
{
    const uint64_t    address = peer->remote + (uint64_t) at;
    _Alignas(64) char cells[PIECE_SHORT];
    piece_t           piece = {
        .op = op, .prim = prim, .cells = cells, .source = origin, .result = result
    };
    bool              begun = false, done;

    piece.set = ompi_osc_ucp_stripes_of(address - peer->key_base, bytes);
    run_add(&piece, 0, bytes / prim->size);
    ompi_osc_ucp_cma_add(&piece.vector, cells, address, bytes);
    done = piece_update(peer, &piece, &begun);
    ompi_osc_ucp_cma_end(peer);
    if (done) {
        ompi_osc_ucp_cma_done(peer, bytes);
    }
    return done;
}

bool ompi_osc_ucp_cma_accumulate_block(ompi_osc_ucp_peer_t *peer, int64_t at, uint8_t op,
                                       const ompi_osc_ucp_prim_t *prim, const void *origin, void *result,
                                       uint64_t bytes)
{
    return bytes <= PIECE_SHORT && ompi_osc_ucp_cma_block_begin(peer, 2, at, bytes)
               ? ompi_osc_ucp_cma_block_updated(peer, at, op, prim, origin, result, bytes)
               : ompi_osc_ucp_am_accumulate_block(peer, at, op, prim, origin, result, bytes);
}

bool ompi_osc_ucp_cma_swapped(ompi_osc_ucp_peer_t *peer, int64_t at, const ompi_osc_ucp_prim_t *prim,
                              const void *origin, const void *compare, void *result, bool *begun_p)
{
    const uint64_t            address = peer->remote + (uint64_t) at;
    const uint64_t            set     = ompi_osc_ucp_stripes_of(address - peer->key_base, prim->size);
    ompi_osc_ucp_cma_vector_t vector;
    char                      old[OMPI_OSC_UCP_ELEMENT_MAX], new[OMPI_OSC_UCP_ELEMENT_MAX];
    bool                      done;

    memcpy(new, origin, prim->size);
    ompi_osc_ucp_cma_begin(&vector);
    ompi_osc_ucp_cma_add(&vector, old, address, prim->size);
    if (!ompi_osc_ucp_cma_stripes_lock(peer, set)) {
        ompi_osc_ucp_cma_end(peer);
        return false;
    }
    done = ompi_osc_ucp_cma_copy(peer->pid, false, &vector);
    if (done && 0 == memcmp(old, compare, prim->size) && 0 != memcmp(old, new, prim->size)) {
        *begun_p                = true;
        vector.here[0].iov_base = new;
        done = ompi_osc_ucp_cma_copy(peer->pid, true, &vector);
    }
    ompi_osc_ucp_stripes_unlock(peer->stripes, set);
    ompi_osc_ucp_cma_end(peer);
    if (done) {
        memcpy(result, old, prim->size);
        ompi_osc_ucp_cma_done(peer, prim->size);
    }
    return done;
}

bool ompi_osc_ucp_cma_transfer_swapped(ompi_osc_ucp_transfer_t *transfer, bool *begun_p)
{
    return ompi_osc_ucp_cma_swapped(transfer->peer, transfer->disp + transfer->target_layout->lb, transfer->prim,
                                    (const char *) transfer->origin + transfer->origin_layout->lb, transfer->compare,
                                    (char *) transfer->result + transfer->result_layout->lb, begun_p);
}

int ompi_osc_ucp_cma_compare_swap(ompi_osc_ucp_transfer_t *transfer)
{
    bool begun = false;
    int  rc    = OMPI_ERR_NOT_SUPPORTED;

    if (ompi_osc_ucp_cma_transfer_begin(transfer, 2)) {
        rc = ompi_osc_ucp_cma_transfer_swapped(transfer, &begun)
                 ? ompi_osc_ucp_request_none(transfer->request_p) : ompi_osc_ucp_cma_failed(transfer->peer, begun);
    }
    return OMPI_ERR_NOT_SUPPORTED == rc ? ompi_osc_ucp_am_compare_swap(transfer) : rc;
}

bool ompi_osc_ucp_cma_swap_block(ompi_osc_ucp_peer_t *peer, int64_t at, const ompi_osc_ucp_prim_t *prim,
                                 const void *origin, const void *compare, void *result)
{
    bool begun = false;

    if (!ompi_osc_ucp_cma_block_begin(peer, 2, at, prim->size)) {
        return ompi_osc_ucp_am_swap_block(peer, at, prim, origin, compare, result);
    }
    return ompi_osc_ucp_cma_swapped(peer, at, prim, origin, compare, result, &begun);
}
