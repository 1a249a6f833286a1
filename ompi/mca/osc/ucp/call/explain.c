/* Why a communication call fails, in words.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "call/call.h"

#include <inttypes.h>
#include <stdarg.h>

#include "epoch/missing.h"
#include "peer/explain.h"

/** Longest name of a call. Bytes. */
#define NAME_BYTES 32

/** What a line has room for. */
typedef struct text_t {
    char bytes[OMPI_OSC_UCP_EXPLAINED_MAX];
} text_t;

static void __attribute__((format(printf, 2, 3))) say(text_t *text, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(text->bytes, sizeof(text->bytes), format, args);
    va_end(args);
}

static const char *type_name(const ompi_datatype_t *type)
{
    return '\0' == type->name[0] ? "a derived type without a name" : type->name;
}

/** The data reach beyond the target's window. */
static void explain_range(const ompi_osc_ucp_call_t *call, text_t *text)
{
    const ompi_osc_ucp_peer_t *peer = call->transfer.peer;
    int64_t                    lb = call->target_layout.lb, ub = call->target_layout.ub - call->gap, first, last;

    if (__builtin_mul_overflow((int64_t) call->disp, peer->disp_unit, &first) ||
        __builtin_add_overflow(first, ub, &last) || __builtin_add_overflow(first, lb, &first)) {
        say(text, "displacement %td times %" PRId64 " bytes and %zu bytes of data are beyond any address", call->disp,
            peer->disp_unit, call->bytes);
    } else if (MPI_WIN_FLAVOR_DYNAMIC == call->window->flavor) {
        say(text, "displacement %td (0x%tx) and %zu bytes of data, at addresses 0x%" PRIx64 " to 0x%" PRIx64
            ", are not all in memory attached there (MPI_Win_attach)", call->disp, call->disp, call->bytes,
            (uint64_t) first, (uint64_t) last);
    } else if (peer->size < 0) { /* its size is not known yet */
        say(text, "displacement %td times %" PRId64 " bytes and %zu bytes of data begin at byte %" PRId64
            ", before the window", call->disp, peer->disp_unit, call->bytes, first);
    } else {
        say(text, "displacement %td times %" PRId64 " bytes and %zu bytes of data reach from byte %" PRId64
            " to %" PRId64 ", but the window has %" PRId64 " bytes there", call->disp, peer->disp_unit, call->bytes,
            first, last, peer->size);
    }
}

/** Two buffers have different amounts of data. */
static void explain_amount(const ompi_osc_ucp_call_t *call, text_t *text, const char *which,
                           const ompi_osc_ucp_buffer_t *buffer)
{
    const ompi_osc_ucp_buffer_t *target = &call->args->target;

    say(text, "the %s buffer has %zu of %s, %zu bytes of data, but the target's has %zu of %s, %zu bytes", which,
        buffer->count, type_name(buffer->type), ompi_osc_ucp_buffer_bytes(buffer), target->count,
        type_name(target->type), ompi_osc_ucp_buffer_bytes(target));
}

/** MPI_ERR_TRUNCATE: the first buffer that differs from the target's. */
static void explain_truncate(const ompi_osc_ucp_call_t *call, text_t *text)
{
    const ompi_osc_ucp_args_t *args = call->args;
    const bool                 origin = NULL != args->origin.type && ompi_osc_ucp_buffer_bytes(&args->origin) !=
                                                                         ompi_osc_ucp_buffer_bytes(&args->target);

    explain_amount(call, text, origin ? "origin" : "result", origin ? &args->origin : &args->result);
}

/** MPI_ERR_TYPE: only the accumulate family gives it. */
static void explain_type(const ompi_osc_ucp_call_t *call, text_t *text)
{
    const ompi_osc_ucp_args_t *args = call->args;
    const ompi_osc_ucp_prim_t *prim = ompi_osc_ucp_prim_of(args->target.type);
    const char                *name = type_name(args->target.type);

    if (NULL != args->compare) {
        say(text, "%s does not go: it takes a predefined type of one integer, logical or byte", name);
    } else if (args->single) {
        say(text, "%s does not go: it takes a predefined type", name);
    } else if (NULL == prim) {
        say(text, "the target's type, %s, does not go: all its elements must be of the same predefined type", name);
    } else {
        bool origin = NULL != args->origin.type && prim != ompi_osc_ucp_prim_of(args->origin.type);

        say(text, "the %s type, %s, has other elements than the target's, %s", origin ? "origin" : "result",
            type_name(origin ? args->origin.type : args->result.type), name);
    }
}

static void explain_op(const ompi_osc_ucp_call_t *call, text_t *text)
{
    const ompi_osc_ucp_args_t *args = call->args;
    const ompi_osc_ucp_prim_t *prim = ompi_osc_ucp_prim_of(args->target.type);

    if (0 == ompi_osc_ucp_op_code(args->op)) {
        say(text, "only predefined operations go, and not one of MPI_Op_create");
    } else {
        say(text, "%s does not go with elements of %s", args->op->o_name, prim->datatype->name);
    }
}

/** Why the call fails, if it is the call's own fault. */
static bool call_text(const ompi_osc_ucp_call_t *call, int rc, text_t *text)
{
    switch (rc) {
    case OMPI_ERR_RMA_RANGE:
        explain_range(call, text);
        return true;
    case MPI_ERR_TRUNCATE:
        explain_truncate(call, text);
        return true;
    case MPI_ERR_TYPE:
        explain_type(call, text);
        return true;
    case MPI_ERR_OP:
        explain_op(call, text);
        return true;
    default:
        return false;
    }
}

int ompi_osc_ucp_call_failed(const ompi_osc_ucp_call_t *call, int rc)
{
    const bool request = NULL != call->transfer.request_p;
    const bool passive = request && !ompi_osc_ucp_passive(call->window);
    char       name[NAME_BYTES];
    text_t     text;

    snprintf(name, sizeof(name), "MPI_%s%s", request ? "R" : "", call->args->name);
    if (!request) {
        name[4] -= 'a' - 'A';
    }
    if (OMPI_ERR_RMA_SYNC == rc) {
        ompi_osc_ucp_epoch_missing(call->window, name, passive ? OMPI_OSC_UCP_NEED_PASSIVE : OMPI_OSC_UCP_NEED_ACCESS,
                                   call->target);
    } else if (call_text(call, rc, &text)) {
        ompi_osc_ucp_window_explain(call->window, name, call->target, "%s", text.bytes);
    } else {
        ompi_osc_ucp_window_explain_code(call->window, name, call->target, rc);
    }
    return rc;
}
