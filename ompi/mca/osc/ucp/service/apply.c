/* The execution of commands at the service side, one function for each kind.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Nothing in a message is trusted: every byte range is checked against the window before memory is touched.
 */

#include "service/apply.h"

#include <stdlib.h>

#include "layout/block.h"
#include "op/op_layout.h"
#include "peer/peer.h"
#include "service/asked.h"
#include "service/locks.h"
#include "service/refused.h"
#include "service/reply.h"
#include "service/target_addr.h"

/* Short names, for this file. */
typedef ompi_osc_ucp_target_t      target_t;
typedef ompi_osc_ucp_source_t      source_t;
typedef ompi_osc_ucp_context_t     context_t;
typedef ompi_osc_ucp_command_t     command_t;
typedef ompi_osc_ucp_target_addr_t target_addr_t;

/** Can origins know the ranges of this window's memory? Else the program may be wrong, not the message. */
static bool ranges_are_known(const target_t *target)
{
    return NULL == target->regions && target->window->uniform_bytes >= 0 && target->window->uniform_disp_unit >= 0;
}

/** The operation of this command raises no notification counter. */
static void note_refused(const context_t *context)
{
    context->source->refused    = true;
    context->source->refused_at = context->place;
}

/** Refuse a command. Its reply says why, or if it asks for none, the next acknowledgement. */
static void refuse(const context_t *context, const command_t *command, int status)
{
    if (OMPI_ERR_RMA_RANGE == status) {
        ompi_osc_ucp_refused(ranges_are_known(context->target) ? OMPI_OSC_UCP_REFUSED_RANGE : NULL);
    } else if (OMPI_ERR_BAD_PARAM == status) {
        ompi_osc_ucp_refused(OMPI_OSC_UCP_REFUSED_DAMAGED);
    }
    note_refused(context);
    if (0 != command->reply_to.cookie) {
        ompi_osc_ucp_reply_refused(context->reply_ep, command->reply_to.cookie, status, command->wire.disp);
    } else {
        context->source->error    = status;
        context->source->error_at = command->wire.disp;
    }
}

static uintptr_t stripe_key(const target_t *target, const char *address)
{
    return (uintptr_t) address - target->key_base;
}

/** An operation on a device's memory is over, with outcome `rc`. */
static void device_done(const context_t *context, int rc)
{
    if (OMPI_SUCCESS != rc) {
        context->source->error = rc; /* for the next acknowledgement */
        note_refused(context);
    }
}

static uint32_t counters_of(const context_t *context)
{
    return __atomic_load_n(&context->target->control->counters, __ATOMIC_ACQUIRE);
}

/** Raise a notification counter. The release lets whoever sees the count read the data of the operation before. */
static void counter_raise(const context_t *context, const command_t *command, uint32_t index)
{
    if (index >= counters_of(context)) {
        refuse(context, command, OMPI_ERR_BAD_PARAM);
    } else {
        __atomic_fetch_add(ompi_osc_ucp_counter(context->target->control, context->target->window->counters_max, index),
                           1, __ATOMIC_RELEASE);
    }
}

/* Put. */

/** Data of a put that UCX is receiving. */
typedef struct receipt_t {
    context_t context;
    char     *landing; /**< malloc'd, in the host, if the window's memory is a device's; else NULL */
    char     *to;
    uint32_t  len;
} receipt_t;

static void put_received(void *arg, int status)
{
    receipt_t *receipt = arg;
    context_t *context = &receipt->context;

    if (OMPI_SUCCESS == status && NULL != receipt->landing) {
        status = opal_common_ucp_devices->copy(receipt->to, receipt->landing, receipt->len);
    }
    if (OMPI_SUCCESS != status) {
        context->source->error = status;
        note_refused(context);
    }
    context->source->receiving--;
    ompi_osc_ucp_source_resume(context->target, context->source);
    context->run(context->target);
    free(receipt->landing);
    free(receipt);
}

/** Receive data that the sender still holds. Commands that need all earlier puts wait for that (source->receiving). */
static void put_receive(context_t *context, const command_t *command, const target_addr_t *addr)
{
    receipt_t                *receipt = opal_common_ucp_malloc(sizeof(*receipt));
    opal_common_ucp_remote_t *remote  = context->remote;
    char                     *landing = context->target->device ? malloc(command->wire.len) : NULL;

    if (NULL == receipt || (context->target->device && NULL == landing)) {
        free(landing);
        free(receipt);
        refuse(context, command, OMPI_ERR_OUT_OF_RESOURCE);
        return;
    }
    *receipt = (receipt_t) {
        .context = *context, .landing = landing, .to = addr->base, .len = command->wire.len
    };
    context->remote = NULL;
    context->source->receiving++;
    opal_common_ucp_receive(OPAL_COMMON_UCP_SERVICE, remote, NULL != landing ? landing : addr->base,
                            command->wire.len, put_received, receipt);
}

static void apply_put(context_t *context, command_t *command)
{
    ompi_osc_ucp_layout_iter_t iter;
    target_addr_t              addr;
    int                        rc = ompi_osc_ucp_target_addr_find(context->target, command, 0, &addr);

    if (OMPI_SUCCESS != rc) {
        refuse(context, command, rc);
        return;
    }
    if (NULL != context->remote) {
        put_receive(context, command, &addr);
    } else if (context->target->device) {
        rc = ompi_osc_ucp_target_addr_put(&addr, command);
        device_done(context, rc);
    } else if (NULL == command->layout) {
        ompi_osc_ucp_block_copy(addr.base, command->data, command->wire.len);
    } else {
        ompi_osc_ucp_layout_iter_init(&iter, &addr.layout, command->shape.pos);
        ompi_osc_ucp_layout_unpack(&iter, addr.base, command->data, command->wire.len);
    }
    ompi_osc_ucp_layout_fini(&addr.layout);
    if (OPAL_UNLIKELY(0 != (command->wire.flags & OMPI_OSC_UCP_FLAG_RAISE)) && OMPI_SUCCESS == rc) {
        counter_raise(context, command, ompi_osc_ucp_wire_raised(&command->wire));
    }
}

/* Operations that return something. */

/** Where a result is collected: in a message with other replies, or in malloc'd memory (`alone`) if it is long. */
typedef struct result_t {
    char *bytes;
    bool  alone;
} result_t;

static bool result_begin(const context_t *context, const command_t *command, uint64_t len, result_t *result_p)
{
    result_p->alone = len > OMPI_OSC_UCP_REPLY_SHARED_MAX;
    result_p->bytes = result_p->alone ? opal_common_ucp_malloc(len)
                                      : ompi_osc_ucp_reply_add(context->reply_ep, &command->reply_to, OMPI_SUCCESS,
                                                               (uint32_t) len);
    return NULL != result_p->bytes;
}

static void result_end(const context_t *context, const command_t *command, uint64_t len, const result_t *result)
{
    if (result->alone) {
        ompi_osc_ucp_reply_alone(context->reply_ep, &command->reply_to, result->bytes, (uint32_t) len, result->bytes);
    }
}

static void apply_get(context_t *context, command_t *command)
{
    uint32_t                   len = command->wire.len;
    ompi_osc_ucp_layout_iter_t iter;
    target_addr_t              addr;
    result_t                   result;
    int                        rc = OMPI_ERR_BAD_PARAM;

    if (0 != command->reply_to.cookie) {
        rc = ompi_osc_ucp_target_addr_find(context->target, command, 0, &addr);
    }
    if (OMPI_SUCCESS != rc) {
        refuse(context, command, rc);
        return;
    }
    if (NULL == command->layout && len > OMPI_OSC_UCP_GET_COPIED_MAX && !opal_common_ucp_registers() &&
               !context->target->device) {
        ompi_osc_ucp_reply_alone(context->reply_ep, &command->reply_to, addr.base, len, NULL);
    } else if (!result_begin(context, command, len, &result)) {
        refuse(context, command, OMPI_ERR_OUT_OF_RESOURCE);
    } else if (context->target->device) {
        device_done(context, ompi_osc_ucp_target_addr_get(&addr, command, result.bytes));
        result_end(context, command, len, &result);
    } else {
        ompi_osc_ucp_layout_iter_init(&iter, &addr.layout, command->shape.pos);
        ompi_osc_ucp_layout_pack(&iter, addr.base, result.bytes, len);
        result_end(context, command, len, &result);
    }
    ompi_osc_ucp_layout_fini(&addr.layout);
}

/** Does each run of the layout that the command covers consist of whole cells? */
static bool runs_are_whole(const command_t *command, const ompi_osc_ucp_prim_t *prim, const target_addr_t *addr)
{
    ompi_osc_ucp_layout_iter_t iter;
    uint64_t                   left = command->wire.len, len;
    int64_t                    disp;

    if (NULL == command->layout) {
        return true;
    }
    ompi_osc_ucp_layout_iter_init(&iter, &addr->layout, command->shape.pos);
    while (left > 0 && ompi_osc_ucp_layout_iter_next(&iter, left, &disp, &len)) {
        if (0 != len % prim->extent) {
            return false;
        }
        left -= len;
    }
    return true;
}

/** Report each run to ompi_osc_ucp_domain_witness: the window is in the NIC domain. */
static void runs_witness(const command_t *command, const ompi_osc_ucp_prim_t *prim, const target_addr_t *addr,
                         ompi_osc_ucp_layout_iter_t iter)
{
    uint64_t left = command->wire.len, len;
    int64_t  disp;

    while (left > 0 && ompi_osc_ucp_layout_iter_next(&iter, left, &disp, &len)) {
        ompi_osc_ucp_domain_witness(command->wire.op, prim, addr->base + disp);
        left -= len;
    }
}

/** Accumulate on each run of cells. */
static void accumulate_runs(const target_t *target, const command_t *command, const ompi_osc_ucp_prim_t *prim,
                            const target_addr_t *addr, char *result)
{
    const char                *source = OMPI_OSC_UCP_OP_NO_OP == command->wire.op ? NULL : command->data;
    size_t                     n      = command->wire.len / prim->extent;
    ompi_osc_ucp_layout_iter_t iter;

    if (NULL == command->layout) {
        if (target->nic) {
            ompi_osc_ucp_domain_witness(command->wire.op, prim, addr->base);
        }
        ompi_osc_ucp_op_apply(target->stripes, stripe_key(target, addr->base), command->wire.op, prim, addr->base,
                              source, result, n);
        return;
    }
    ompi_osc_ucp_layout_iter_init(&iter, &addr->layout, command->shape.pos);
    if (target->nic) {
        runs_witness(command, prim, addr, iter);
    }
    ompi_osc_ucp_op_apply_layout(target->stripes, target->key_base, command->wire.op, prim, addr->base, &iter, source,
                                 result, n);
}

static void apply_accumulate(context_t *context, command_t *command)
{
    const ompi_osc_ucp_prim_t *prim   = ompi_osc_ucp_prim_by_code(command->wire.prim);
    uint64_t                   bytes  = (uint64_t) command->wire.len / prim->extent * prim->size;
    bool                       fetch  = 0 != command->reply_to.cookie;
    result_t                   result = { .bytes = NULL };
    target_addr_t              addr;
    int                        rc     = OMPI_ERR_BAD_PARAM;

    if (ompi_osc_ucp_op_valid(command->wire.op, prim)) {
        rc = ompi_osc_ucp_target_addr_find(context->target, command, ompi_osc_ucp_prim_gap(prim), &addr);
    }
    if (OMPI_SUCCESS != rc) {
        refuse(context, command, rc);
        return;
    }
    if ((fetch && bytes > OMPI_OSC_UCP_FRAG_MAX) || !runs_are_whole(command, prim, &addr)) {
        refuse(context, command, OMPI_ERR_BAD_PARAM);
    } else if (fetch && !result_begin(context, command, bytes, &result)) {
        refuse(context, command, OMPI_ERR_OUT_OF_RESOURCE);
    } else {
        if (context->target->device) {
            device_done(context, ompi_osc_ucp_target_addr_accumulate(&addr, command, prim, result.bytes));
        } else {
            accumulate_runs(context->target, command, prim, &addr, result.bytes);
        }
        if (fetch) {
            result_end(context, command, bytes, &result);
        }
    }
    ompi_osc_ucp_layout_fini(&addr.layout);
}

static void apply_compare_swap(context_t *context, command_t *command)
{
    const ompi_osc_ucp_prim_t *prim = ompi_osc_ucp_prim_by_code(command->wire.prim);
    result_t                   result;
    target_addr_t              addr;
    int                        rc = OMPI_ERR_BAD_PARAM;

    if (NULL != prim && prim->size == prim->extent && command->wire.len == prim->size && NULL == command->layout &&
        0 != command->reply_to.cookie) {
        rc = ompi_osc_ucp_target_addr_find(context->target, command, 0, &addr);
    }
    if (OMPI_SUCCESS == rc && !result_begin(context, command, prim->size, &result)) {
        rc = OMPI_ERR_OUT_OF_RESOURCE;
    }
    if (OMPI_SUCCESS != rc) {
        refuse(context, command, rc);
        return;
    }
    if (context->target->nic) {
        ompi_osc_ucp_domain_witness(OMPI_OSC_UCP_OP_REPLACE, prim, addr.base);
    }
    if (context->target->device) {
        device_done(context, ompi_osc_ucp_target_addr_compare_swap(&addr, command, context->target->stripes, prim,
                                                                   result.bytes));
    } else {
        ompi_osc_ucp_op_compare_swap(context->target->stripes, stripe_key(context->target, addr.base), prim,
                                     addr.base, command->data, command->data + prim->size, result.bytes);
    }
    result_end(context, command, prim->size, &result);
}

/* Synchronization. */

static void apply_complete(context_t *context, command_t *command)
{
    (void) command;
    __atomic_fetch_add(&context->target->control->completes, 1, __ATOMIC_RELEASE);
}

static void apply_post(context_t *context, command_t *command)
{
    (void) command;
    context->source->posts++;
    __atomic_fetch_add(&context->target->posts, 1, __ATOMIC_RELEASE);
}

static void apply_barrier(context_t *context, command_t *command)
{
    int64_t round = command->wire.disp & 0xff, veto = command->wire.disp >> 8;

    if (round >= OMPI_OSC_UCP_BARRIER_ROUNDS || veto < 0 || veto > 2) {
        refuse(context, command, OMPI_ERR_BAD_PARAM);
        return;
    }
    if (0 != veto) {
        __atomic_store_n(&context->target->control->vetoed[veto - 1], 1, __ATOMIC_RELAXED);
    }
    __atomic_fetch_add(&context->target->control->arrived[round], 1, __ATOMIC_RELEASE);
}

/* Notifications. */

/** Was a command of the operation refused that begins at that place? */
static bool is_refused(const source_t *source, int64_t begin)
{
    return source->refused && !ompi_osc_ucp_wire_is_before(source->refused_at, begin);
}

static void apply_raise(context_t *context, command_t *command)
{
    if (!is_refused(context->source, command->wire.disp)) {
        counter_raise(context, command, command->wire.len);
    }
}

static void apply_counters(context_t *context, command_t *command)
{
    uint32_t counters = counters_of(context);

    if (0 == command->reply_to.cookie) {
        refuse(context, command, OMPI_ERR_BAD_PARAM);
        return;
    }
    memcpy(ompi_osc_ucp_reply_add(context->reply_ep, &command->reply_to, OMPI_SUCCESS, sizeof(counters)), &counters,
           sizeof(counters));
}

static void apply_describe(context_t *context, command_t *command)
{
    ompi_osc_ucp_description_t description;
    char                      *to;

    if (0 == command->reply_to.cookie) {
        refuse(context, command, OMPI_ERR_BAD_PARAM);
        return;
    }
    to = ompi_osc_ucp_reply_add(context->reply_ep, &command->reply_to, OMPI_SUCCESS, sizeof(description));
    ompi_osc_ucp_window_describe(context->target->window, &description);
    memcpy(to, &description, sizeof(description));
}

static void apply_ask(context_t *context, command_t *command)
{
    ompi_osc_ucp_watched_answer_t answer;
    char                         *to;

    if (0 == command->reply_to.cookie) {
        refuse(context, command, OMPI_ERR_BAD_PARAM);
        return;
    }
    to = ompi_osc_ucp_reply_add(context->reply_ep, &command->reply_to, OMPI_SUCCESS, sizeof(answer));
    if (0 != command->wire.op) {
        ompi_osc_ucp_asked_claim((uint64_t) command->wire.disp, command->wire.len, &answer);
    } else {
        ompi_osc_ucp_asked((uint64_t) command->wire.disp, &answer);
    }
    memcpy(to, &answer, sizeof(answer));
}

void ompi_osc_ucp_apply(context_t *context, command_t *command)
{
    static void (*const kinds[OMPI_OSC_UCP_KIND_COUNT])(context_t *context, command_t *command) = {
        [OMPI_OSC_UCP_KIND_PUT]          = apply_put,
        [OMPI_OSC_UCP_KIND_GET]          = apply_get,
        [OMPI_OSC_UCP_KIND_ACCUMULATE]   = apply_accumulate,
        [OMPI_OSC_UCP_KIND_COMPARE_SWAP] = apply_compare_swap,
        [OMPI_OSC_UCP_KIND_LOCK]         = ompi_osc_ucp_locks_lock,
        [OMPI_OSC_UCP_KIND_UNLOCK]       = ompi_osc_ucp_locks_unlock,
        [OMPI_OSC_UCP_KIND_COMPLETE]     = apply_complete,
        [OMPI_OSC_UCP_KIND_RAISE]        = apply_raise,
        [OMPI_OSC_UCP_KIND_COUNTERS]     = apply_counters,
        [OMPI_OSC_UCP_KIND_POST]         = apply_post,
        [OMPI_OSC_UCP_KIND_BARRIER]      = apply_barrier,
        [OMPI_OSC_UCP_KIND_DESCRIBE]     = apply_describe,
        [OMPI_OSC_UCP_KIND_DOORBELL]     = ompi_osc_ucp_locks_doorbell,
        [OMPI_OSC_UCP_KIND_ASK]          = apply_ask
    };

    if (0 != (command->wire.flags & OMPI_OSC_UCP_FLAG_UNITS) &&
        __builtin_mul_overflow(command->wire.disp, context->target->window->disp_unit, &command->wire.disp)) {
        refuse(context, command, OMPI_ERR_RMA_RANGE);
        return;
    }
    kinds[command->wire.kind](context, command);
}
