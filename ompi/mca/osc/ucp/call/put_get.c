/* Put and get (MPI-3.1 section 11.3). Both share one body; the R calls are the bodies of the plain ones.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "call/call.h"
#include "call/calls.h"
#include "call/mapped.h"
#include "op/layout_type.h"
#include "path/short.h"

/** Is it a put or a get? */
typedef enum direction_t { PUT, GET } direction_t;

static int put_verb(ompi_osc_ucp_transfer_t *transfer)
{
    return transfer->peer->path->put(transfer);
}

static int get_verb(ompi_osc_ucp_transfer_t *transfer)
{
    return transfer->peer->path->get(transfer);
}

/** Check that the buffers of a put or get match, and make their layouts. */
static int copy_layouts(const ompi_osc_ucp_buffer_t *origin, const ompi_osc_ucp_buffer_t *target,
                        ompi_osc_ucp_call_t *call)
{
    int rc;

    if (ompi_osc_ucp_buffer_bytes(origin) != ompi_osc_ucp_buffer_bytes(target)) {
        return MPI_ERR_TRUNCATE;
    }
    rc = ompi_osc_ucp_layout_of_bytes(target->type, target->count, &call->target_layout);
    return OMPI_SUCCESS == rc ? ompi_osc_ucp_buffer_layout(origin, target, &call->target_layout, &call->origin) : rc;
}

/** The origin's buffer is args->origin, also that of a get. */
static int rcopy(direction_t direction, const ompi_osc_ucp_args_t *args, int target, ptrdiff_t disp, ompi_win_t *win,
                 ompi_request_t **request_p)
{
    const ompi_osc_ucp_buffer_t *origin = &args->origin;
    ompi_osc_ucp_call_t          call;

    ompi_osc_ucp_call_init(&call, args, win, target, disp, request_p);
    call.bytes                  = ompi_osc_ucp_buffer_bytes(&args->target);
    call.shaped                 = copy_layouts(origin, &args->target, &call);
    call.transfer.target_layout = &call.target_layout;
    if (PUT == direction) {
        call.transfer.origin        = origin->address;
        call.transfer.origin_layout = &call.origin;
        call.verb                   = put_verb;
    } else {
        call.transfer.result        = origin->address;
        call.transfer.result_layout = &call.origin;
        call.verb                   = get_verb;
    }
    return ompi_osc_ucp_call_run(&call);
}

int ompi_osc_ucp_rput(const void *origin, ompi_osc_ucp_count_t origin_count, ompi_datatype_t *origin_type, int target,
                      ptrdiff_t disp, ompi_osc_ucp_count_t target_count, ompi_datatype_t *target_type, ompi_win_t *win,
                      ompi_request_t **request_p)
{
    const ompi_osc_ucp_args_t args = {
        .name   = "put",
        .origin = { (void *) origin, (size_t) origin_count, origin_type },
        .target = { NULL, (size_t) target_count, target_type }
    };

    return rcopy(PUT, &args, target, disp, win, request_p);
}

/** Try a short verb of a peer that is not mapped. Out of line, so that mapped peers do not pay for it. */
static __attribute__((noinline)) bool copy_block_away(direction_t direction, ompi_osc_ucp_peer_t *peer, ptrdiff_t disp,
                                                      void *buffer, uint64_t bytes)
{
    const ompi_osc_ucp_path_t *path;
    int64_t                    at;
    bool                       done = false;

    ompi_osc_ucp_enter();
    if (ompi_osc_ucp_block_begin(peer, disp, bytes, &at)) {
        path = peer->path;
        done = PUT == direction ? NULL != path->put_block && path->put_block(peer, at, buffer, bytes)
                                : NULL != path->get_block && path->get_block(peer, at, buffer, bytes);
    }
    if (done) {
        ompi_osc_ucp_fence_used(peer->window);
    }
    ompi_osc_ucp_leave();
    return done;
}

/** Put or get on a mapped peer with the same type and count at both ends, not contiguous. False: nothing was done. */
static __attribute__((noinline)) bool copy_pieces(direction_t direction, void *buffer, ompi_osc_ucp_count_t count,
                                                  const ompi_datatype_t *type, int target, ptrdiff_t disp,
                                                  ompi_osc_ucp_window_t *window)
{
    ompi_osc_ucp_peer_t         *peer = ompi_osc_ucp_call_peer(window, target);
    const ompi_osc_ucp_layout_t *layout;
    int64_t                      at;

    if (NULL == peer || !ompi_osc_ucp_is_mapped(peer) || !ompi_osc_ucp_may_access(peer)) {
        return false;
    }
    layout = ompi_osc_ucp_layout_peek(type, (size_t) count);
    if (NULL == layout || __builtin_mul_overflow((int64_t) disp, peer->disp_unit, &at) ||
        !ompi_osc_ucp_in_range(peer->size, at, layout->lb, layout->ub)) {
        return false;
    }
    if (PUT == direction) {
        ompi_osc_ucp_stored();
        ompi_osc_ucp_layout_copy(layout, peer->memory + at, layout, buffer);
    } else {
        ompi_osc_ucp_loads_follow();
        ompi_osc_ucp_layout_copy(layout, buffer, layout, peer->memory + at);
    }
    ompi_osc_ucp_fence_used(window);
    return true;
}

/** Put or get the short way. False: nothing was done, and the caller takes the long way. */
static inline bool copy_fast(direction_t direction, void *buffer, ompi_osc_ucp_count_t count,
                             const ompi_datatype_t *type, int target, ptrdiff_t disp, ompi_osc_ucp_count_t target_count,
                             const ompi_datatype_t *target_type, ompi_win_t *win)
{
    ompi_osc_ucp_window_t *window = ompi_osc_ucp_window(win);
    uint64_t               bytes  = ompi_osc_ucp_block_bytes(type, (size_t) count);
    ompi_osc_ucp_peer_t   *peer;
    char                  *addr;

    if (0 == bytes) {
        return type == target_type && count == target_count &&
               copy_pieces(direction, buffer, count, type, target, disp, window);
    }
    if ((type != target_type || count != target_count) &&
        bytes != ompi_osc_ucp_block_bytes(target_type, (size_t) target_count)) {
        return false;
    }
    peer = ompi_osc_ucp_call_peer(window, target);
    if (NULL == peer || !ompi_osc_ucp_is_mapped(peer)) {
        return NULL != peer && copy_block_away(direction, peer, disp, buffer, bytes);
    }
    addr = ompi_osc_ucp_may_access(peer) ? ompi_osc_ucp_mapped_addr(peer, disp, bytes) : NULL;
    if (NULL == addr) {
        return false;
    }
    if (PUT == direction) {
        ompi_osc_ucp_block_copy(addr, buffer, bytes);
        ompi_osc_ucp_stored();
    } else {
        ompi_osc_ucp_loads_follow();
        ompi_osc_ucp_block_copy(buffer, addr, bytes);
    }
    ompi_osc_ucp_fence_used(window);
    return true;
}

/* The shortest way (call/mapped.h) keeps nothing on the stack. For all else it jumps to functions with the same
 * arguments. */

int ompi_osc_ucp_copy_block(void *to, const void *from, uint64_t bytes)
{
    ompi_osc_ucp_block_copy_other(to, from, bytes);
    return OMPI_SUCCESS;
}

int ompi_osc_ucp_put_other(const void *origin, ompi_osc_ucp_count_t origin_count,
                           ompi_datatype_t *origin_type, int target, ptrdiff_t disp,
                           ompi_osc_ucp_count_t target_count, ompi_datatype_t *target_type,
                           ompi_win_t *win)
{
    if (copy_fast(PUT, (void *) origin, origin_count, origin_type, target, disp, target_count, target_type, win)) {
        return OMPI_SUCCESS;
    }
    return ompi_osc_ucp_rput(origin, origin_count, origin_type, target, disp, target_count, target_type, win, NULL);
}

int ompi_osc_ucp_put(const void *origin, ompi_osc_ucp_count_t origin_count, ompi_datatype_t *origin_type, int target,
                     ptrdiff_t disp, ompi_osc_ucp_count_t target_count, ompi_datatype_t *target_type, ompi_win_t *win)
{
    ompi_osc_ucp_window_t *window = ompi_osc_ucp_window(win);
    uint64_t               bytes;
    char                  *addr   = ompi_osc_ucp_copy_addr(origin_count, origin_type, target, disp, target_count,
                                                           target_type, window, &bytes);

    if (OPAL_UNLIKELY(NULL == addr)) {
        return ompi_osc_ucp_put_other(origin, origin_count, origin_type, target, disp, target_count, target_type, win);
    }
    return ompi_osc_ucp_copy_mapped(true, addr, (void *) origin, bytes, window);
}

int ompi_osc_ucp_rget(void *origin, ompi_osc_ucp_count_t origin_count, ompi_datatype_t *origin_type, int target,
                      ptrdiff_t disp, ompi_osc_ucp_count_t target_count, ompi_datatype_t *target_type, ompi_win_t *win,
                      ompi_request_t **request_p)
{
    const ompi_osc_ucp_args_t args = {
        .name   = "get",
        .origin = { origin, (size_t) origin_count, origin_type },
        .target = { NULL, (size_t) target_count, target_type }
    };

    return rcopy(GET, &args, target, disp, win, request_p);
}

int ompi_osc_ucp_get_other(void *origin, ompi_osc_ucp_count_t origin_count,
                           ompi_datatype_t *origin_type, int target, ptrdiff_t disp,
                           ompi_osc_ucp_count_t target_count, ompi_datatype_t *target_type,
                           ompi_win_t *win)
{
    if (copy_fast(GET, origin, origin_count, origin_type, target, disp, target_count, target_type, win)) {
        return OMPI_SUCCESS;
    }
    return ompi_osc_ucp_rget(origin, origin_count, origin_type, target, disp, target_count, target_type, win, NULL);
}

int ompi_osc_ucp_get(void *origin, ompi_osc_ucp_count_t origin_count, ompi_datatype_t *origin_type, int target,
                     ptrdiff_t disp, ompi_osc_ucp_count_t target_count, ompi_datatype_t *target_type, ompi_win_t *win)
{
    ompi_osc_ucp_window_t *window = ompi_osc_ucp_window(win);
    uint64_t               bytes;
    char                  *addr   = ompi_osc_ucp_copy_addr(origin_count, origin_type, target, disp, target_count,
                                                           target_type, window, &bytes);

    if (OPAL_UNLIKELY(NULL == addr)) {
        return ompi_osc_ucp_get_other(origin, origin_count, origin_type, target, disp, target_count, target_type, win);
    }
    return ompi_osc_ucp_copy_mapped(false, addr, origin, bytes, window);
}
