/* The accumulate family (MPI-3.1 section 11.3.4). It shares one body; calls differ in which buffers are NULL.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "call/call.h"
#include "call/calls.h"
#include "call/mapped.h"
#include "op/layout_type.h"

#include "opal/datatype/opal_datatype_internal.h"

/** Does compare_and_swap allow the type (MPI-3.1 section 11.3.4)? */
static bool is_swappable(const ompi_datatype_t *type)
{
    int                    kind  = type->super.flags & OMPI_DATATYPE_FLAG_DATA_TYPE;
    const ddt_elem_desc_t *entry = &type->super.desc.desc[0].elem;

    return OMPI_DATATYPE_FLAG_DATA_FLOAT != kind && OMPI_DATATYPE_FLAG_DATA_COMPLEX != kind &&
           1 == type->super.desc.used && 1 == entry->count * entry->blocklen; /* no pair type */
}

/** Does a buffer, if the call has it, have elements of the target's type (MPI-3.1 section 11.3.4), and as many? */
static int match_check(const ompi_osc_ucp_buffer_t *buffer, const ompi_osc_ucp_buffer_t *target,
                       const ompi_osc_ucp_prim_t *prim)
{
    if (NULL == buffer->type) {
        return OMPI_SUCCESS;
    }
    if (buffer->type != target->type && ompi_osc_ucp_prim_of(buffer->type) != prim) {
        return MPI_ERR_TYPE;
    }
    return ompi_osc_ucp_buffer_bytes(buffer) == ompi_osc_ucp_buffer_bytes(target) ? OMPI_SUCCESS : MPI_ERR_TRUNCATE;
}

/** Has the buffer, if the call has it, no elements? Their type may not be known then: it may be a struct of nothing. */
static bool is_empty(const ompi_osc_ucp_buffer_t *buffer)
{
    return NULL == buffer->type || 0 == buffer->count || 0 == buffer->type->super.size;
}

/** Does the standard allow operation, types and sizes? Sets the transfer's op and prim. Here args->origin has no type
 *  with MPI_NO_OP, and args->result none if nothing is fetched. */
static int accumulate_check(const ompi_osc_ucp_args_t *args, ompi_osc_ucp_transfer_t *transfer)
{
    const ompi_osc_ucp_prim_t *prim = ompi_osc_ucp_prim_of(args->target.type);
    int                        rc;

    if (NULL == prim || (args->single && !ompi_datatype_is_predefined(args->target.type))) {
        return MPI_ERR_TYPE;
    }
    transfer->prim = prim;
    if (NULL != args->compare) {
        return prim->size == prim->extent && is_swappable(args->target.type) ? OMPI_SUCCESS : MPI_ERR_TYPE;
    }
    transfer->op = ompi_osc_ucp_op_code(args->op);
    if (0 == transfer->op || !ompi_osc_ucp_op_valid(transfer->op, prim)) {
        return MPI_ERR_OP;
    }
    rc = match_check(&args->origin, &args->target, prim);
    return OMPI_SUCCESS == rc ? match_check(&args->result, &args->target, prim) : rc;
}

/** Check the call, make the layouts of its buffers, and set those in the transfer. */
static int accumulate_layouts(const ompi_osc_ucp_args_t *args, ompi_osc_ucp_call_t *call)
{
    ompi_osc_ucp_transfer_t     *transfer = &call->transfer;
    const ompi_osc_ucp_layout_t *bytes    = NULL;
    int                          rc;

    if (!args->single && is_empty(&args->target)) {
        return is_empty(&args->origin) && is_empty(&args->result) ? OMPI_SUCCESS : MPI_ERR_TRUNCATE;
    }
    rc = accumulate_check(args, transfer);
    if (OMPI_SUCCESS == rc) {
        call->gap = ompi_osc_ucp_prim_gap(transfer->prim);
        rc = ompi_osc_ucp_layout_of_elements(args->target.type, args->target.count, transfer->prim,
                                             &call->target_layout);
    }
    if (OMPI_SUCCESS == rc && transfer->prim->size == transfer->prim->extent) {
        bytes = &call->target_layout;
    }
    if (OMPI_SUCCESS == rc) {
        rc = ompi_osc_ucp_buffer_layout(&args->origin, &args->target, bytes, &call->origin);
    }
    if (OMPI_SUCCESS == rc) {
        rc = ompi_osc_ucp_buffer_layout(&args->result, &args->target, bytes, &call->result);
    }
    transfer->origin        = args->origin.address;
    transfer->origin_layout = NULL == args->origin.type ? NULL : &call->origin;
    transfer->result        = args->result.address;
    transfer->result_layout = NULL == args->result.type ? NULL : &call->result;
    transfer->compare       = args->compare;
    transfer->target_layout = &call->target_layout;
    return rc;
}

static int accumulate_verb(ompi_osc_ucp_transfer_t *transfer)
{
    return NULL != transfer->compare ? transfer->peer->path->compare_swap(transfer)
                                     : transfer->peer->path->accumulate(transfer);
}

static int raccumulate(const ompi_osc_ucp_args_t *args, int target, ptrdiff_t disp, ompi_win_t *win,
                       ompi_request_t **request_p)
{
    ompi_osc_ucp_call_t call;

    ompi_osc_ucp_call_init(&call, args, win, target, disp, request_p);
    call.bytes  = ompi_osc_ucp_buffer_bytes(&args->target);
    call.shaped = accumulate_layouts(args, &call);
    call.verb   = accumulate_verb;
    return ompi_osc_ucp_call_run(&call);
}

bool ompi_osc_ucp_accumulate_away(ompi_osc_ucp_peer_t *peer, ptrdiff_t disp, uint8_t code,
                                  const ompi_osc_ucp_prim_t *prim, const void *origin, const void *compare,
                                  void *result, uint64_t bytes)
{
    const ompi_osc_ucp_path_t *path;
    int64_t                    at;
    bool                       done = false;

    ompi_osc_ucp_enter();
    if (ompi_osc_ucp_block_begin(peer, disp, bytes, &at)) {
        path = peer->path;
        done = NULL != compare ? NULL != path->swap_block && path->swap_block(peer, at, prim, origin, compare, result)
                               : NULL != path->accumulate_block &&
                                     path->accumulate_block(peer, at, code, prim, origin, result, bytes);
    }
    if (done) {
        ompi_osc_ucp_fence_used(peer->window);
    }
    ompi_osc_ucp_leave();
    return done;
}

bool ompi_osc_ucp_accumulate_granted(ompi_osc_ucp_peer_t *peer, ptrdiff_t disp, uint8_t code,
                                     const ompi_osc_ucp_prim_t *prim, const void *origin, void *result, uint64_t bytes)
{
    const ompi_osc_ucp_path_t *path = peer->path;
    int64_t                    at;

    if (peer->known && ompi_osc_ucp_block_inside(peer, disp, bytes, &at) && NULL != path->accumulate_block &&
        path->accumulate_block(peer, at, code, prim, origin, result, bytes)) {
        ompi_osc_ucp_fence_used(peer->window);
        return true;
    }
    return false;
}

bool ompi_osc_ucp_accumulate_cells(ompi_osc_ucp_window_t *window, int target, ptrdiff_t disp, uint8_t code,
                                   const ompi_osc_ucp_prim_t *prim, const void *origin, void *result, uint64_t count)
{
    ompi_osc_ucp_peer_t *peer  = ompi_osc_ucp_call_peer(window, target);
    uint64_t             bytes = prim->extent * count - (uint64_t) ompi_osc_ucp_prim_gap(prim);
    char                *addr;

    if (NULL == peer || !ompi_osc_ucp_is_mapped(peer) || !ompi_osc_ucp_may_access(peer)) {
        return false;
    }
    addr = ompi_osc_ucp_mapped_addr(peer, disp, bytes);
    if (NULL == addr) {
        return false;
    }
    ompi_osc_ucp_op_apply_cells(peer->stripes, (uintptr_t) addr - peer->key_base, code, prim, addr, origin, result,
                                (size_t) count);
    ompi_osc_ucp_updated();
    ompi_osc_ucp_fence_used(window);
    return true;
}

/** The short way, not counted. False: nothing was done. */
static inline __attribute__((always_inline)) bool accumulate_fast(const void *origin, void *result,
                                                                  ompi_osc_ucp_count_t count,
                                                                  const ompi_datatype_t *type, int target,
                                                                  ptrdiff_t disp, ompi_op_t *op, ompi_win_t *win)
{
    return OMPI_OSC_UCP_FAST_DONE == ompi_osc_ucp_accumulate_fast(OMPI_OSC_UCP_CALLED_NONE, origin, result, count,
                                                                  type, target, disp, op, win);
}

int ompi_osc_ucp_raccumulate(const void *origin, ompi_osc_ucp_count_t origin_count, ompi_datatype_t *origin_type,
                             int target, ptrdiff_t disp, ompi_osc_ucp_count_t target_count,
                             ompi_datatype_t *target_type, ompi_op_t *op, ompi_win_t *win, ompi_request_t **request_p)
{
    return ompi_osc_ucp_rget_accumulate(origin, origin_count, origin_type, NULL, 0, NULL, target, disp, target_count,
                                        target_type, op, win, request_p);
}

int ompi_osc_ucp_accumulate(const void *origin, ompi_osc_ucp_count_t origin_count, ompi_datatype_t *origin_type,
                            int target, ptrdiff_t disp, ompi_osc_ucp_count_t target_count, ompi_datatype_t *target_type,
                            ompi_op_t *op, ompi_win_t *win)
{
    if (origin_type == target_type && origin_count == target_count && &ompi_mpi_op_no_op.op != op &&
        accumulate_fast(origin, NULL, target_count, target_type, target, disp, op, win)) {
        return OMPI_SUCCESS;
    }
    return ompi_osc_ucp_raccumulate(origin, origin_count, origin_type, target, disp, target_count, target_type, op,
                                    win, NULL);
}

int ompi_osc_ucp_rget_accumulate(const void *origin, ompi_osc_ucp_count_t origin_count, ompi_datatype_t *origin_type,
                                 void *result, ompi_osc_ucp_count_t result_count, ompi_datatype_t *result_type,
                                 int target, ptrdiff_t disp, ompi_osc_ucp_count_t target_count,
                                 ompi_datatype_t *target_type, ompi_op_t *op, ompi_win_t *win,
                                 ompi_request_t **request_p)
{
    bool                reads = &ompi_mpi_op_no_op.op != op;
    ompi_osc_ucp_args_t args  = {
        .name   = NULL == result_type ? "accumulate" : "get_accumulate",
        .origin = { (void *) origin, (size_t) origin_count, reads ? origin_type : NULL },
        .result = { result, (size_t) result_count, result_type },
        .target = { NULL, (size_t) target_count, target_type },
        .op     = op
    };

    return raccumulate(&args, target, disp, win, request_p);
}

int ompi_osc_ucp_get_accumulate(const void *origin, ompi_osc_ucp_count_t origin_count, ompi_datatype_t *origin_type,
                                void *result, ompi_osc_ucp_count_t result_count, ompi_datatype_t *result_type,
                                int target, ptrdiff_t disp, ompi_osc_ucp_count_t target_count,
                                ompi_datatype_t *target_type, ompi_op_t *op, ompi_win_t *win)
{
    bool reads = &ompi_mpi_op_no_op.op != op;

    if (result_type == target_type && result_count == target_count &&
        (!reads || (origin_type == target_type && origin_count == target_count)) &&
        accumulate_fast(reads ? origin : NULL, result, target_count, target_type, target, disp, op, win)) {
        return OMPI_SUCCESS;
    }
    return ompi_osc_ucp_rget_accumulate(origin, origin_count, origin_type, result, result_count, result_type, target,
                                        disp, target_count, target_type, op, win, NULL);
}

/** Out of line, so that the short way does not set up the arguments. */
static __attribute__((noinline)) int fetch_and_op_other(const void *origin, void *result, ompi_datatype_t *type,
                                                        int target, ptrdiff_t disp, ompi_op_t *op, ompi_win_t *win)
{
    ompi_osc_ucp_args_t args = {
        .name   = "fetch_and_op",
        .origin = { (void *) origin, 1, &ompi_mpi_op_no_op.op != op ? type : NULL },
        .result = { result, 1, type },
        .target = { NULL, 1, type },
        .op     = op,
        .single = true
    };

    return raccumulate(&args, target, disp, win, NULL);
}

int ompi_osc_ucp_fetch_and_op(const void *origin, void *result, ompi_datatype_t *type, int target, ptrdiff_t disp,
                              ompi_op_t *op, ompi_win_t *win)
{
    if (accumulate_fast(&ompi_mpi_op_no_op.op != op ? origin : NULL, result, 1, type, target, disp, op, win)) {
        return OMPI_SUCCESS;
    }
    return fetch_and_op_other(origin, result, type, target, disp, op, win);
}

/** The short way of compare_and_swap, for an aligned element of 4 or 8 bytes. False: nothing was done. */
static inline bool compare_and_swap_fast(const void *origin, const void *compare, void *result,
                                         const ompi_datatype_t *type, int target, ptrdiff_t disp, ompi_win_t *win)
{
    ompi_osc_ucp_window_t     *window = ompi_osc_ucp_window(win);
    const ompi_osc_ucp_prim_t *prim   = ompi_osc_ucp_prim_predefined(type);
    ompi_osc_ucp_peer_t       *peer;
    char                      *addr;
    uintptr_t                  key;

    if (NULL == prim || !prim->swaps) {
        return false;
    }
    peer = ompi_osc_ucp_call_peer(window, target);
    if (NULL == peer || !ompi_osc_ucp_is_mapped(peer)) {
        return NULL != peer && ompi_osc_ucp_accumulate_away(peer, disp, 0, prim, origin, compare, result, prim->size);
    }
    addr = ompi_osc_ucp_may_access(peer) ? ompi_osc_ucp_mapped_addr(peer, disp, prim->size) : NULL;
    key  = (uintptr_t) addr - peer->key_base;
    if (NULL == addr || 0 != ((key | (uintptr_t) addr) & (prim->size - 1u))) {
        return false;
    }
    ompi_osc_ucp_scalar_swap(peer->stripes, key, prim, addr, origin, compare, result);
    ompi_osc_ucp_updated();
    ompi_osc_ucp_fence_used(window);
    return true;
}

int ompi_osc_ucp_compare_and_swap(const void *origin, const void *compare, void *result, ompi_datatype_t *type,
                                  int target, ptrdiff_t disp, ompi_win_t *win)
{
    ompi_osc_ucp_args_t args = {
        .name    = "compare_and_swap",
        .origin  = { (void *) origin, 1, type },
        .result  = { result, 1, type },
        .target  = { NULL, 1, type },
        .compare = compare,
        .single  = true
    };

    if (compare_and_swap_fast(origin, compare, result, type, target, disp, win)) {
        return OMPI_SUCCESS;
    }
    return raccumulate(&args, target, disp, win, NULL);
}
