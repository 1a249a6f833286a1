/* Put and get (MPI-3.1 section 11.3): one body by direction, the R calls the body of the plain ones.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "osc_ucp_call.h"
#include "osc_ucp_fast.h"
#include "osc_ucp_layout_type.h"
#include "path/path.h"
#include "path/rdma.h"

/** Which way a put or get goes. */
typedef enum direction_t { PUT, GET } direction_t;

/** Do the buffers of a put or get match, and what are their shapes? */
static int copy_layouts(const ompi_osc_ucp_buffer_t *origin, const ompi_osc_ucp_buffer_t *target,
                        ompi_osc_ucp_call_layouts_t *layouts)
{
    int rc;

    if (ompi_osc_ucp_buffer_bytes(origin) != ompi_osc_ucp_buffer_bytes(target)) {
        return MPI_ERR_TRUNCATE;
    }
    rc = ompi_osc_ucp_layout_of_bytes(target->type, target->count, &layouts->target);
    return OMPI_SUCCESS == rc ? ompi_osc_ucp_buffer_layout(origin, target, &layouts->target, &layouts->origin) : rc;
}

/** The body of put and get, once the peer is known. */
static int copy(direction_t direction, ompi_osc_ucp_peer_t *peer, void *origin, ptrdiff_t disp,
                ompi_osc_ucp_call_layouts_t *layouts, ompi_request_t **request_p)
{
    ompi_osc_ucp_transfer_t transfer = { .peer = peer, .target_layout = &layouts->target, .request_p = request_p };
    int                     rc;

    rc = ompi_osc_ucp_call_range(peer, disp, &layouts->target, 0, &transfer.disp);
    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    ompi_osc_ucp_fence_used(peer->window);
    if (PUT == direction) {
        transfer.origin        = origin;
        transfer.origin_layout = &layouts->origin;
        return peer->path->put(&transfer);
    }
    transfer.result        = origin;
    transfer.result_layout = &layouts->origin;
    return peer->path->get(&transfer);
}

static int rcopy(direction_t direction, const ompi_osc_ucp_buffer_t *origin, int target_rank, ptrdiff_t disp,
                 const ompi_osc_ucp_buffer_t *target, ompi_win_t *win, ompi_request_t **request_p)
{
    ompi_osc_ucp_peer_t        *peer;
    ompi_osc_ucp_call_layouts_t layouts;
    bool                        inside = true;
    int                         shaped, rc;

    ompi_osc_ucp_call_layouts_init(&layouts);
    shaped = copy_layouts(origin, target, &layouts);
    ompi_osc_ucp_enter();
    rc = ompi_osc_ucp_call_target(ompi_osc_ucp_window(win), target_rank, NULL != request_p, &peer);
    rc = OMPI_SUCCESS == rc ? shaped : rc;
    if (OMPI_SUCCESS != rc) {
        /* refused */
    } else if (0 == ompi_osc_ucp_buffer_bytes(target)) {
        rc = ompi_osc_ucp_call_empty(request_p);
    } else if (peer->plain) {
        ompi_osc_ucp_leave(); /* threads that load and store do not wait for each other */
        inside = false;
        rc     = copy(direction, peer, origin->address, disp, &layouts, request_p);
    } else {
        rc = copy(direction, peer, origin->address, disp, &layouts, request_p);
    }
    if (inside) {
        ompi_osc_ucp_leave();
    }
    ompi_osc_ucp_call_layouts_fini(&layouts);
    return rc;
}

int ompi_osc_ucp_rput(const void *origin, int origin_count, ompi_datatype_t *origin_type, int target,
                      ptrdiff_t disp, int target_count, ompi_datatype_t *target_type, ompi_win_t *win,
                      ompi_request_t **request_p)
{
    const ompi_osc_ucp_buffer_t from = { (void *) origin, (size_t) origin_count, origin_type };
    const ompi_osc_ucp_buffer_t to   = { NULL, (size_t) target_count, target_type };

    return rcopy(PUT, &from, target, disp, &to, win, request_p);
}

/** The short ways where load and store do not reach; out of line, so that they cost nothing where these do. */
static __attribute__((noinline)) bool copy_away(direction_t direction, ompi_osc_ucp_window_t *window, int target,
                                                ptrdiff_t disp, void *buffer, uint64_t bytes)
{
    ompi_osc_ucp_wire_command_t wire = {
        .kind = PUT == direction ? OMPI_OSC_UCP_KIND_PUT : OMPI_OSC_UCP_KIND_GET, .len = (uint32_t) bytes
    };
    bool                        done;

    ompi_osc_ucp_enter();
    done = ompi_osc_ucp_rdma_fast_copy(PUT == direction, window, target, disp, buffer, bytes) ||
           (bytes <= OMPI_OSC_UCP_FAST_MESSAGE_MAX &&
            (PUT == direction ? ompi_osc_ucp_fast_message(window, target, disp, &wire, buffer)
                              : ompi_osc_ucp_fast_fetch(window, target, disp, &wire, "", 0, buffer)));
    ompi_osc_ucp_leave();
    return done;
}

/** Put and get the short way what is in pieces, the same ones at both ends. False: nothing was done, take the long way. */
static __attribute__((noinline)) bool copy_pieces(direction_t direction, void *buffer, int count,
                                                  const ompi_datatype_t *type, int target, ptrdiff_t disp,
                                                  ompi_osc_ucp_window_t *window)
{
    ompi_osc_ucp_peer_t         *peer = ompi_osc_ucp_fast_peer(window, target);
    const ompi_osc_ucp_layout_t *layout;
    int64_t                      at;

    if (NULL == peer || !ompi_osc_ucp_fast_access(peer)) {
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

/** Put and get the short way. False: nothing was done, take the long way. */
static inline bool copy_fast(direction_t direction, void *buffer, int count, const ompi_datatype_t *type, int target,
                             ptrdiff_t disp, int target_count, const ompi_datatype_t *target_type, ompi_win_t *win)
{
    ompi_osc_ucp_window_t      *window = ompi_osc_ucp_window(win);
    uint64_t                    bytes  = ompi_osc_ucp_fast_bytes(type, (size_t) count);
    ompi_osc_ucp_peer_t        *peer;
    char                       *place  = NULL;
    bool                        done   = false;

    if (0 == bytes) {
        return type == target_type && count == target_count &&
               copy_pieces(direction, buffer, count, type, target, disp, window);
    }
    if ((type != target_type || count != target_count) &&
        bytes != ompi_osc_ucp_fast_bytes(target_type, (size_t) target_count)) {
        return false;
    }
    peer = ompi_osc_ucp_fast_peer(window, target);
    if (NULL != peer && ompi_osc_ucp_fast_access(peer)) {
        place = ompi_osc_ucp_fast_place(peer, disp, bytes);
    }
    if (NULL != place) {
        if (PUT == direction) {
            ompi_osc_ucp_fast_copy(place, buffer, bytes);
            ompi_osc_ucp_stored();
        } else {
            ompi_osc_ucp_loads_follow();
            ompi_osc_ucp_fast_copy(buffer, place, bytes);
        }
        ompi_osc_ucp_fence_used(window);
        done = true;
    } else if (NULL == peer) {
        done = copy_away(direction, window, target, disp, buffer, bytes);
    }
    return done;
}

/* What is nearest comes first, calls nothing and keeps nothing on the stack, which is half of its time. What it leaves
 * has the same arguments, so that it costs a jump. */

/** Where a block of that size goes in the target's memory, if nothing at all has to be done before; else NULL. */
static inline __attribute__((always_inline)) char *copy_place(int count, const ompi_datatype_t *type, int target,
                                                              ptrdiff_t disp, int target_count,
                                                              const ompi_datatype_t *target_type,
                                                              const ompi_osc_ucp_window_t *window, uint64_t *bytes_p)
{
    ompi_osc_ucp_peer_t *peer =
        __atomic_load_n(&window->recent[(unsigned) target % OMPI_OSC_UCP_RECENT], __ATOMIC_ACQUIRE);

    if (OPAL_UNLIKELY(type != target_type || count != target_count || NULL == peer || target != peer->rank)) {
        return NULL;
    }
    *bytes_p = ompi_osc_ucp_fast_bytes(type, (size_t) count);
    return OPAL_LIKELY(0 != *bytes_p && __atomic_load_n(&peer->plain, __ATOMIC_ACQUIRE) &&
                       ompi_osc_ucp_fast_granted(peer))
               ? ompi_osc_ucp_fast_place(peer, disp, *bytes_p)
               : NULL;
}

/** A block that is of no basic type's size. */
static __attribute__((noinline)) int copy_block(void *to, const void *from, uint64_t bytes)
{
    memmove(to, from, bytes);
    return OMPI_SUCCESS;
}

/** Put or get a block at its place in the target's memory. */
static inline __attribute__((always_inline)) int copy_near(direction_t direction, char *place, void *buffer,
                                                           uint64_t bytes, ompi_osc_ucp_window_t *window)
{
    void       *to   = PUT == direction ? place : buffer;
    const void *from = PUT == direction ? buffer : place;

    ompi_osc_ucp_fence_used(window);
    if (PUT == direction) {
        ompi_osc_ucp_stored();
    } else {
        ompi_osc_ucp_loads_follow();
    }
    return ompi_osc_ucp_fast_copy_basic(to, from, bytes) ? OMPI_SUCCESS : copy_block(to, from, bytes);
}

static __attribute__((noinline)) int put_other(const void *origin, int origin_count, ompi_datatype_t *origin_type,
                                               int target, ptrdiff_t disp, int target_count,
                                               ompi_datatype_t *target_type, ompi_win_t *win)
{
    if (copy_fast(PUT, (void *) origin, origin_count, origin_type, target, disp, target_count, target_type, win)) {
        return OMPI_SUCCESS;
    }
    return ompi_osc_ucp_rput(origin, origin_count, origin_type, target, disp, target_count, target_type, win, NULL);
}

int ompi_osc_ucp_put(const void *origin, int origin_count, ompi_datatype_t *origin_type, int target,
                     ptrdiff_t disp, int target_count, ompi_datatype_t *target_type, ompi_win_t *win)
{
    ompi_osc_ucp_window_t *window = ompi_osc_ucp_window(win);
    uint64_t               bytes;
    char *place = copy_place(origin_count, origin_type, target, disp, target_count, target_type, window, &bytes);

    if (OPAL_UNLIKELY(NULL == place)) {
        return put_other(origin, origin_count, origin_type, target, disp, target_count, target_type, win);
    }
    return copy_near(PUT, place, (void *) origin, bytes, window);
}

int ompi_osc_ucp_rget(void *origin, int origin_count, ompi_datatype_t *origin_type, int target, ptrdiff_t disp,
                      int target_count, ompi_datatype_t *target_type, ompi_win_t *win, ompi_request_t **request_p)
{
    const ompi_osc_ucp_buffer_t to   = { origin, (size_t) origin_count, origin_type };
    const ompi_osc_ucp_buffer_t from = { NULL, (size_t) target_count, target_type };

    return rcopy(GET, &to, target, disp, &from, win, request_p);
}

static __attribute__((noinline)) int get_other(void *origin, int origin_count, ompi_datatype_t *origin_type,
                                               int target, ptrdiff_t disp, int target_count,
                                               ompi_datatype_t *target_type, ompi_win_t *win)
{
    if (copy_fast(GET, origin, origin_count, origin_type, target, disp, target_count, target_type, win)) {
        return OMPI_SUCCESS;
    }
    return ompi_osc_ucp_rget(origin, origin_count, origin_type, target, disp, target_count, target_type, win, NULL);
}

int ompi_osc_ucp_get(void *origin, int origin_count, ompi_datatype_t *origin_type, int target, ptrdiff_t disp,
                     int target_count, ompi_datatype_t *target_type, ompi_win_t *win)
{
    ompi_osc_ucp_window_t *window = ompi_osc_ucp_window(win);
    uint64_t               bytes;
    char *place = copy_place(origin_count, origin_type, target, disp, target_count, target_type, window, &bytes);

    if (OPAL_UNLIKELY(NULL == place)) {
        return get_other(origin, origin_count, origin_type, target, disp, target_count, target_type, win);
    }
    return copy_near(GET, place, origin, bytes, window);
}
