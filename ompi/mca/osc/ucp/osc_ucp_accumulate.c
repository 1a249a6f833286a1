/* The accumulate family (MPI-3.1 section 11.3.4): one body by what is NULL, the R calls the body of the plain ones.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "osc_ucp_call.h"
#include "osc_ucp_fast.h"
#include "osc_ucp_layout_type.h"
#include "osc_ucp_scalar.h"
#include "path/path.h"

#include "opal/datatype/opal_datatype_internal.h"

/** The buffers of an accumulate call; `origin` has no type with MPI_NO_OP, `result` none if nothing is fetched. */
typedef struct accumulate_t {
    ompi_osc_ucp_buffer_t    origin, result, target;
    ompi_op_t  *op;
    const void *compare; /**< compare_and_swap, which has no op */
} accumulate_t;

/** Is the element type one that compare_and_swap allows (MPI-3.1 section 11.3.4)? */
static bool is_swappable(const ompi_datatype_t *type)
{
    int                    kind  = type->super.flags & OMPI_DATATYPE_FLAG_DATA_TYPE;
    const ddt_elem_desc_t *entry = &type->super.desc.desc[0].elem;

    return OMPI_DATATYPE_FLAG_DATA_FLOAT != kind && OMPI_DATATYPE_FLAG_DATA_COMPLEX != kind &&
           1 == type->super.desc.used && 1 == entry->count * entry->blocklen; /* no pair type */
}

/** Does a buffer, if there is one, have the target's elements (MPI-3.1 section 11.3.4), and as many? */
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

/** Are operation, types and sizes such as the standard allows? Sets the transfer's op and prim. */
static int accumulate_check(const accumulate_t *call, ompi_osc_ucp_transfer_t *transfer)
{
    const ompi_osc_ucp_prim_t *prim = ompi_osc_ucp_prim_of(call->target.type);
    int                        rc;

    if (NULL == prim) {
        return MPI_ERR_TYPE;
    }
    transfer->prim = prim;
    if (NULL != call->compare) {
        return prim->size == prim->extent && is_swappable(call->target.type) ? OMPI_SUCCESS : MPI_ERR_TYPE;
    }
    transfer->op = ompi_osc_ucp_op_code(call->op);
    if (0 == transfer->op || !ompi_osc_ucp_op_valid(transfer->op, prim)) {
        return MPI_ERR_OP;
    }
    rc = match_check(&call->origin, &call->target, prim);
    return OMPI_SUCCESS == rc ? match_check(&call->result, &call->target, prim) : rc;
}

/** Is the call such as the standard allows, and what are the shapes of its buffers? Sets what the transfer has of
 *  them. */
static int accumulate_layouts(const accumulate_t *call, ompi_osc_ucp_call_layouts_t *layouts,
                              ompi_osc_ucp_transfer_t *transfer)
{
    const ompi_osc_ucp_layout_t *bytes = NULL;
    int                          rc;

    if (0 == call->target.count) {
        return OMPI_SUCCESS;
    }
    rc = accumulate_check(call, transfer);
    if (OMPI_SUCCESS == rc) {
        rc = ompi_osc_ucp_layout_of_elements(call->target.type, call->target.count, transfer->prim, &layouts->target);
    }
    if (OMPI_SUCCESS == rc && transfer->prim->size == transfer->prim->extent) {
        bytes = &layouts->target;
    }
    if (OMPI_SUCCESS == rc) {
        rc = ompi_osc_ucp_buffer_layout(&call->origin, &call->target, bytes, &layouts->origin);
    }
    if (OMPI_SUCCESS == rc) {
        rc = ompi_osc_ucp_buffer_layout(&call->result, &call->target, bytes, &layouts->result);
    }
    transfer->origin        = call->origin.address;
    transfer->origin_layout = NULL == call->origin.type ? NULL : &layouts->origin;
    transfer->result        = call->result.address;
    transfer->result_layout = NULL == call->result.type ? NULL : &layouts->result;
    transfer->compare       = call->compare;
    transfer->target_layout = &layouts->target;
    return rc;
}

/** The body of the accumulate family, once the peer is known and the types are checked. */
static int accumulate(ptrdiff_t disp, ompi_osc_ucp_transfer_t *transfer)
{
    int rc = ompi_osc_ucp_call_range(transfer->peer, disp, transfer->target_layout,
                                     ompi_osc_ucp_prim_gap(transfer->prim), &transfer->disp);

    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    ompi_osc_ucp_fence_used(transfer->peer->window);
    return NULL != transfer->compare ? transfer->peer->path->compare_swap(transfer)
                                     : transfer->peer->path->accumulate(transfer);
}

static int raccumulate(const accumulate_t *call, int target, ptrdiff_t disp, ompi_win_t *win,
                       ompi_request_t **request_p)
{
    ompi_osc_ucp_transfer_t     transfer = { .request_p = request_p };
    ompi_osc_ucp_call_layouts_t layouts;
    bool                        inside = true;
    int                         shaped, rc;

    ompi_osc_ucp_call_layouts_init(&layouts);
    shaped = accumulate_layouts(call, &layouts, &transfer);
    ompi_osc_ucp_enter();
    rc = ompi_osc_ucp_call_target(ompi_osc_ucp_window(win), target, NULL != request_p, &transfer.peer);
    rc = OMPI_SUCCESS == rc ? shaped : rc;
    if (OMPI_SUCCESS != rc) {
        /* refused */
    } else if (0 == ompi_osc_ucp_buffer_bytes(&call->target)) {
        rc = ompi_osc_ucp_call_empty(request_p);
    } else if (transfer.peer->plain) {
        ompi_osc_ucp_leave();
        inside = false;
        rc     = accumulate(disp, &transfer);
    } else {
        rc = accumulate(disp, &transfer);
    }
    if (inside) {
        ompi_osc_ucp_leave();
    }
    ompi_osc_ucp_call_layouts_fini(&layouts);
    return rc;
}

/** The short way by message; out of line, so that it costs nothing where load and store reach. */
static __attribute__((noinline)) bool accumulate_away(ompi_osc_ucp_window_t *window, int target, ptrdiff_t disp,
                                                      uint8_t code, const ompi_osc_ucp_prim_t *prim,
                                                      const void *origin, void *result, uint32_t bytes)
{
    ompi_osc_ucp_wire_command_t wire = {
        .kind = OMPI_OSC_UCP_KIND_ACCUMULATE, .op = code, .prim = prim->code, .len = bytes
    };
    bool                        done;

    ompi_osc_ucp_enter();
    done = NULL == result
               ? ompi_osc_ucp_fast_message(window, target, disp, &wire, origin)
               : ompi_osc_ucp_fast_fetch(window, target, disp, &wire, NULL == origin ? "" : origin,
                                         NULL == origin ? 0 : bytes, result);
    ompi_osc_ucp_leave();
    return done;
}

/** The accumulate family the short way: `count` elements of a predefined type without gaps, alike in all buffers.
 *  `origin` is NULL for MPI_NO_OP. False: nothing was done, take the long way. */
static inline __attribute__((always_inline)) bool accumulate_fast(const void *origin, void *result, int count,
                                                                  const ompi_datatype_t *type, int target,
                                                                  ptrdiff_t disp, ompi_op_t *op, ompi_win_t *win)
{
    ompi_osc_ucp_window_t     *window = ompi_osc_ucp_window(win);
    const ompi_osc_ucp_prim_t *prim   = ompi_osc_ucp_prim_predefined(type);
    uint8_t                    code   = ompi_osc_ucp_op_code(op);
    uint64_t                   bytes;
    ompi_osc_ucp_peer_t       *peer;
    char                      *place  = NULL;
    bool                       done   = false;
    uintptr_t                  key;

    if (NULL == prim || prim->size != prim->extent || 0 == count || !ompi_osc_ucp_op_valid(code, prim)) {
        return false;
    }
    bytes = prim->size * (uint64_t) count;
    peer = ompi_osc_ucp_fast_peer(window, target);
    if (NULL != peer && ompi_osc_ucp_fast_access(peer)) {
        place = ompi_osc_ucp_fast_place(peer, disp, bytes);
    }
    if (NULL != place) {
        key = (uintptr_t) place - peer->key_base;
        if (1 == count && ompi_osc_ucp_is_scalar(code, prim, key, place)) {
            ompi_osc_ucp_scalar_apply(peer->stripes, key, code, prim, place, origin, result);
        } else {
            ompi_osc_ucp_op_apply(peer->stripes, key, code, prim, place, origin, result, (size_t) count);
        }
        ompi_osc_ucp_updated();
        ompi_osc_ucp_fence_used(window);
        done = true;
    } else if (NULL == peer && bytes <= OMPI_OSC_UCP_FAST_MESSAGE_MAX) {
        done = accumulate_away(window, target, disp, code, prim, origin, result, (uint32_t) bytes);
    }
    return done;
}

int ompi_osc_ucp_raccumulate(const void *origin, int origin_count, ompi_datatype_t *origin_type, int target,
                             ptrdiff_t disp, int target_count, ompi_datatype_t *target_type, ompi_op_t *op,
                             ompi_win_t *win, ompi_request_t **request_p)
{
    return ompi_osc_ucp_rget_accumulate(origin, origin_count, origin_type, NULL, 0, NULL, target, disp, target_count,
                                        target_type, op, win, request_p);
}

int ompi_osc_ucp_accumulate(const void *origin, int origin_count, ompi_datatype_t *origin_type, int target,
                            ptrdiff_t disp, int target_count, ompi_datatype_t *target_type, ompi_op_t *op,
                            ompi_win_t *win)
{
    if (origin_type == target_type && origin_count == target_count && &ompi_mpi_op_no_op.op != op &&
        accumulate_fast(origin, NULL, target_count, target_type, target, disp, op, win)) {
        return OMPI_SUCCESS;
    }
    return ompi_osc_ucp_raccumulate(origin, origin_count, origin_type, target, disp, target_count, target_type, op,
                                    win, NULL);
}

int ompi_osc_ucp_rget_accumulate(const void *origin, int origin_count, ompi_datatype_t *origin_type, void *result,
                                 int result_count, ompi_datatype_t *result_type, int target, ptrdiff_t disp,
                                 int target_count, ompi_datatype_t *target_type, ompi_op_t *op, ompi_win_t *win,
                                 ompi_request_t **request_p)
{
    bool         reads = &ompi_mpi_op_no_op.op != op;
    accumulate_t call  = {
        .origin = { (void *) origin, (size_t) origin_count, reads ? origin_type : NULL },
        .result = { result, (size_t) result_count, result_type },
        .target = { NULL, (size_t) target_count, target_type },
        .op     = op
    };

    return raccumulate(&call, target, disp, win, request_p);
}

int ompi_osc_ucp_get_accumulate(const void *origin, int origin_count, ompi_datatype_t *origin_type, void *result,
                                int result_count, ompi_datatype_t *result_type, int target, ptrdiff_t disp,
                                int target_count, ompi_datatype_t *target_type, ompi_op_t *op, ompi_win_t *win)
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

int ompi_osc_ucp_fetch_and_op(const void *origin, void *result, ompi_datatype_t *type, int target, ptrdiff_t disp,
                              ompi_op_t *op, ompi_win_t *win)
{
    if (accumulate_fast(&ompi_mpi_op_no_op.op != op ? origin : NULL, result, 1, type, target, disp, op, win)) {
        return OMPI_SUCCESS;
    }
    if (!ompi_datatype_is_predefined(type)) {
        return MPI_ERR_TYPE;
    }
    return ompi_osc_ucp_rget_accumulate(origin, 1, type, result, 1, type, target, disp, 1, type, op, win, NULL);
}

/** compare_and_swap the short way by message. */
static __attribute__((noinline)) bool compare_and_swap_away(ompi_osc_ucp_window_t *window, int target, ptrdiff_t disp,
                                                            const ompi_osc_ucp_prim_t *prim, const void *origin,
                                                            const void *compare, void *result)
{
    ompi_osc_ucp_wire_command_t wire = {
        .kind = OMPI_OSC_UCP_KIND_COMPARE_SWAP, .prim = prim->code, .len = prim->size
    };
    char                        both[2 * OMPI_OSC_UCP_ELEMENT_MAX];
    bool                        done;

    memcpy(both, origin, prim->size);
    memcpy(both + prim->size, compare, prim->size);
    ompi_osc_ucp_enter();
    done = ompi_osc_ucp_fast_fetch(window, target, disp, &wire, both, 2 * (size_t) prim->size, result);
    ompi_osc_ucp_leave();
    return done;
}

/** compare_and_swap the short way: an aligned element of 4 or 8 bytes. False: nothing was done, take the long way. */
static inline bool compare_and_swap_fast(const void *origin, const void *compare, void *result,
                                         const ompi_datatype_t *type, int target, ptrdiff_t disp, ompi_win_t *win)
{
    ompi_osc_ucp_window_t     *window = ompi_osc_ucp_window(win);
    const ompi_osc_ucp_prim_t *prim   = ompi_osc_ucp_prim_predefined(type);
    ompi_osc_ucp_peer_t       *peer;
    char                      *place  = NULL;
    uintptr_t                  key    = 0;
    bool                       done   = false;

    if (NULL == prim || !prim->swaps) {
        return false;
    }
    peer = ompi_osc_ucp_fast_peer(window, target);
    if (NULL != peer && ompi_osc_ucp_fast_access(peer)) {
        place = ompi_osc_ucp_fast_place(peer, disp, prim->size);
        key   = (uintptr_t) place - peer->key_base;
    }
    if (NULL != place && 0 != ((key | (uintptr_t) place) & (prim->size - 1u))) {
        place = NULL;
    }
    if (NULL != place) {
        ompi_osc_ucp_scalar_swap(peer->stripes, key, prim, place, origin, compare, result);
        ompi_osc_ucp_updated();
        ompi_osc_ucp_fence_used(window);
        done = true;
    } else if (NULL == peer) {
        done = compare_and_swap_away(window, target, disp, prim, origin, compare, result);
    }
    return done;
}

int ompi_osc_ucp_compare_and_swap(const void *origin, const void *compare, void *result, ompi_datatype_t *type,
                                  int target, ptrdiff_t disp, ompi_win_t *win)
{
    accumulate_t call = {
        .origin  = { (void *) origin, 1, type },
        .result  = { result, 1, type },
        .target  = { NULL, 1, type },
        .compare = compare
    };

    if (compare_and_swap_fast(origin, compare, result, type, target, disp, win)) {
        return OMPI_SUCCESS;
    }
    return ompi_datatype_is_predefined(type) ? raccumulate(&call, target, disp, win, NULL) : MPI_ERR_TYPE;
}
