/* Communication calls that osc_ucp_trace counts always, and records if osc_ucp_trace_operations says so.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "base/threads.h"
#include "layer/tracing.h"

/** The functions below this layer. */
static const ompi_osc_base_module_t *below(ompi_win_t *win)
{
    return ompi_osc_ucp_below(win, OMPI_OSC_UCP_LAYER_TRACE);
}

static uint64_t begins(void)
{
    return ompi_osc_ucp_trace.operations ? opal_common_ucp_now_ns() : 0;
}

/** Apart, so that operations that are not recorded do not pay for it. */
static __attribute__((noinline)) void operation_add(const ompi_osc_ucp_window_t *window, const char *name,
                                                    uint64_t begin, int rank, ptrdiff_t disp, uint64_t bytes,
                                                    const ompi_datatype_t *type, const ompi_op_t *op)
{
    ompi_osc_ucp_trace_add(&(ompi_osc_ucp_trace_record_t) {
        .begin = begin, .end = opal_common_ucp_now_ns(), .window = window->tracing->as, .name = name,
        .type = ompi_datatype_is_predefined(type) ? type->name : NULL,
        .op = NULL != op && ompi_op_is_intrinsic((ompi_op_t *) op) ? op->o_name : NULL, /* others may be freed */
        .disp = disp, .bytes = bytes, .target = rank, .kind = OMPI_OSC_UCP_TRACE_OPERATION
    });
}

static inline int operated(int rc, ompi_win_t *win, const char *name, uint64_t begin, int target, ptrdiff_t disp,
                           ompi_osc_ucp_count_t count, const ompi_datatype_t *type, const ompi_op_t *op)
{
    const ompi_osc_ucp_window_t *window = ompi_osc_ucp_window(win);
    int                          rank   = ompi_osc_ucp_traced_rank(window, target);
    uint64_t                     bytes  = (uint64_t) count * type->super.size;

    if (OMPI_SUCCESS == rc) {
        ompi_osc_ucp_trace_count(rank, bytes);
    }
    if (0 != begin) {
        operation_add(window, name, begin, rank, disp, bytes, type, op);
    }
    return rc;
}

static int trace_put(const void *origin, ompi_osc_ucp_count_t origin_count, ompi_datatype_t *origin_type, int target,
                     ptrdiff_t disp, ompi_osc_ucp_count_t target_count, ompi_datatype_t *target_type, ompi_win_t *win)
{
    uint64_t begin = begins();
    int      rc    = below(win)->osc_put(origin, origin_count, origin_type, target, disp, target_count, target_type,
                                         win);

    return operated(rc, win, "MPI_Put", begin, target, disp, target_count, target_type, NULL);
}

static int trace_rput(const void *origin, ompi_osc_ucp_count_t origin_count, ompi_datatype_t *origin_type, int target,
                      ptrdiff_t disp, ompi_osc_ucp_count_t target_count, ompi_datatype_t *target_type, ompi_win_t *win,
                      ompi_request_t **request_p)
{
    uint64_t begin = begins();
    int      rc    = below(win)->osc_rput(origin, origin_count, origin_type, target, disp, target_count, target_type,
                                          win, request_p);

    return operated(rc, win, "MPI_Rput", begin, target, disp, target_count, target_type, NULL);
}

static int trace_get(void *origin, ompi_osc_ucp_count_t origin_count, ompi_datatype_t *origin_type, int target,
                     ptrdiff_t disp, ompi_osc_ucp_count_t target_count, ompi_datatype_t *target_type, ompi_win_t *win)
{
    uint64_t begin = begins();
    int      rc    = below(win)->osc_get(origin, origin_count, origin_type, target, disp, target_count, target_type,
                                         win);

    return operated(rc, win, "MPI_Get", begin, target, disp, target_count, target_type, NULL);
}

static int trace_rget(void *origin, ompi_osc_ucp_count_t origin_count, ompi_datatype_t *origin_type, int target,
                      ptrdiff_t disp, ompi_osc_ucp_count_t target_count, ompi_datatype_t *target_type, ompi_win_t *win,
                      ompi_request_t **request_p)
{
    uint64_t begin = begins();
    int      rc    = below(win)->osc_rget(origin, origin_count, origin_type, target, disp, target_count, target_type,
                                          win, request_p);

    return operated(rc, win, "MPI_Rget", begin, target, disp, target_count, target_type, NULL);
}

static int trace_accumulate(const void *origin, ompi_osc_ucp_count_t origin_count, ompi_datatype_t *origin_type,
                            int target, ptrdiff_t disp, ompi_osc_ucp_count_t target_count, ompi_datatype_t *target_type,
                            ompi_op_t *op, ompi_win_t *win)
{
    uint64_t begin = begins();
    int      rc    = below(win)->osc_accumulate(origin, origin_count, origin_type, target, disp, target_count,
                                                target_type, op, win);

    return operated(rc, win, "MPI_Accumulate", begin, target, disp, target_count, target_type, op);
}

static int trace_raccumulate(const void *origin, ompi_osc_ucp_count_t origin_count, ompi_datatype_t *origin_type,
                             int target, ptrdiff_t disp, ompi_osc_ucp_count_t target_count,
                             ompi_datatype_t *target_type, ompi_op_t *op, ompi_win_t *win, ompi_request_t **request_p)
{
    uint64_t begin = begins();
    int      rc    = below(win)->osc_raccumulate(origin, origin_count, origin_type, target, disp, target_count,
                                                 target_type, op, win, request_p);

    return operated(rc, win, "MPI_Raccumulate", begin, target, disp, target_count, target_type, op);
}

static int trace_get_accumulate(const void *origin, ompi_osc_ucp_count_t origin_count, ompi_datatype_t *origin_type,
                                void *result, ompi_osc_ucp_count_t result_count, ompi_datatype_t *result_type,
                                int target, ptrdiff_t disp, ompi_osc_ucp_count_t target_count,
                                ompi_datatype_t *target_type, ompi_op_t *op, ompi_win_t *win)
{
    uint64_t begin = begins();
    int      rc    = below(win)->osc_get_accumulate(origin, origin_count, origin_type, result, result_count,
                                                    result_type, target, disp, target_count, target_type, op, win);

    return operated(rc, win, "MPI_Get_accumulate", begin, target, disp, target_count, target_type, op);
}

static int trace_rget_accumulate(const void *origin, ompi_osc_ucp_count_t origin_count, ompi_datatype_t *origin_type,
                                 void *result, ompi_osc_ucp_count_t result_count, ompi_datatype_t *result_type,
                                 int target, ptrdiff_t disp, ompi_osc_ucp_count_t target_count,
                                 ompi_datatype_t *target_type, ompi_op_t *op, ompi_win_t *win,
                                 ompi_request_t **request_p)
{
    uint64_t begin = begins();
    int      rc    = below(win)->osc_rget_accumulate(origin, origin_count, origin_type, result, result_count,
                                                     result_type, target, disp, target_count, target_type, op, win,
                                                     request_p);

    return operated(rc, win, "MPI_Rget_accumulate", begin, target, disp, target_count, target_type, op);
}

static int trace_fetch_and_op(const void *origin, void *result, ompi_datatype_t *type, int target, ptrdiff_t disp,
                              ompi_op_t *op, ompi_win_t *win)
{
    uint64_t begin = begins();
    int      rc    = below(win)->osc_fetch_and_op(origin, result, type, target, disp, op, win);

    return operated(rc, win, "MPI_Fetch_and_op", begin, target, disp, 1, type, op);
}

static int trace_compare_and_swap(const void *origin, const void *compare, void *result, ompi_datatype_t *type,
                                  int target, ptrdiff_t disp, ompi_win_t *win)
{
    uint64_t begin = begins();
    int      rc    = below(win)->osc_compare_and_swap(origin, compare, result, type, target, disp, win);

    return operated(rc, win, "MPI_Compare_and_swap", begin, target, disp, 1, type, NULL);
}

const ompi_osc_base_module_t ompi_osc_ucp_trace_communicating = {
    .osc_put              = trace_put,
    .osc_get              = trace_get,
    .osc_accumulate       = trace_accumulate,
    .osc_compare_and_swap = trace_compare_and_swap,
    .osc_fetch_and_op     = trace_fetch_and_op,
    .osc_get_accumulate   = trace_get_accumulate,
    .osc_rput             = trace_rput,
    .osc_rget             = trace_rget,
    .osc_raccumulate      = trace_raccumulate,
    .osc_rget_accumulate  = trace_rget_accumulate
};
