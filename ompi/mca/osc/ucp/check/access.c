/* Accesses: made from operations, compared, and told.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "check/access.h"

#include <stdio.h>

#include "op/layout_type.h"

/** Runs that are compared one by one; two accesses of more are taken for disjoint behind these. */
#define RUNS_COMPARED 65536u

/** Parts that are being made. */
typedef struct making_t {
    const ompi_osc_ucp_layout_t *layout;
    ompi_osc_ucp_runs_t          runs[OMPI_OSC_UCP_ACCESS_PARTS];
    int                          n;
    bool                         partial; /**< there are more */
} making_t;

static void runs_add(making_t *making, int64_t first, uint64_t len, int64_t stride, uint64_t count)
{
    if (making->n == OMPI_OSC_UCP_ACCESS_PARTS) {
        making->partial = true;
        return;
    }
    if (0 == stride) {
        count = 1;
    }
    if (stride < 0) {
        first += (int64_t) (count - 1) * stride;
        stride = -stride;
    }
    making->runs[making->n++] = (ompi_osc_ucp_runs_t) {
        .first = first, .len = len, .stride = 1 == count ? 0 : (uint64_t) stride, .count = count
    };
}

/** Add the node at `at`, of an iteration with the base `base`. */
static void node_add(making_t *making, uint64_t at, int64_t base)
{
    const ompi_osc_ucp_layout_node_t *node = &making->layout->nodes[at];
    uint64_t                          i, inner;

    if (0 == node->items) {
        runs_add(making, base + node->disp, node->count, 0, 1);
    } else if (1 == node->items) {
        runs_add(making, base + node->disp + node[1].disp, node[1].count, node->stride, node->count);
    } else {
        for (i = 0; i < node->count && !making->partial; i++) {
            for (inner = 0; inner < node->items; inner += 1 + node[1 + inner].items) {
                node_add(making, at + 1 + inner, base + node->disp + (int64_t) i * node->stride);
            }
        }
    }
}

/** How a call treats memory. */
static ompi_osc_ucp_does_t does(const ompi_osc_ucp_check_op_t *op)
{
    switch (op->call) {
    case OMPI_OSC_UCP_CALLED_PUT:
    case OMPI_OSC_UCP_CALLED_RPUT:
        return OMPI_OSC_UCP_DOES_WRITE;
    case OMPI_OSC_UCP_CALLED_GET:
    case OMPI_OSC_UCP_CALLED_RGET:
        return OMPI_OSC_UCP_DOES_READ;
    default:
        return OMPI_OSC_UCP_DOES_ACCUMULATE;
    }
}

int ompi_osc_ucp_access_parts(const ompi_osc_ucp_check_op_t *op, int64_t unit, ompi_osc_ucp_access_t *parts)
{
    ompi_osc_ucp_access_t      all  = {
        .origin = op->window->rank, .target = op->target, .site = op->site, .call = (uint8_t) op->call,
        .does = (uint8_t) does(op), .op = NULL == op->op ? 0 : ompi_osc_ucp_op_code(op->op),
        .stamp = { .process = -1 }
    };
    const ompi_osc_ucp_prim_t *prim = OMPI_OSC_UCP_DOES_ACCUMULATE == all.does ? ompi_osc_ucp_prim_of(op->type) : NULL;
    ompi_osc_ucp_layout_t      layout;
    making_t                   making = { .layout = &layout };
    uint64_t                   at, base = (uint64_t) op->disp * (uint64_t) unit;
    int                        i;

    if (OMPI_SUCCESS != ompi_osc_ucp_layout_of_bytes(op->type, op->count, &layout)) {
        return 0;
    }
    for (at = 0; at < layout.nnodes && layout.size > 0; at += 1 + layout.nodes[at].items) {
        node_add(&making, at, (int64_t) base);
    }
    ompi_osc_ucp_layout_fini(&layout);
    all.prim    = NULL == prim ? 0 : prim->code;
    all.partial = making.partial;
    for (i = 0; i < making.n; i++) {
        ompi_osc_ucp_access_copy(&parts[i], &all);
        parts[i].runs = making.runs[i];
    }
    return making.n;
}

/* Comparing. */

/** Integers of the same size count as the same type, although the standard wants the same one: no program sees it. */
static bool same_type(const ompi_osc_ucp_access_t *one, const ompi_osc_ucp_access_t *two)
{
    const ompi_osc_ucp_prim_t *first = ompi_osc_ucp_prim_by_code(one->prim), *second;

    second = ompi_osc_ucp_prim_by_code(two->prim);
    return NULL == first || NULL == second || first == second ||
           (first->size == second->size && first->swaps && second->swaps);
}

bool ompi_osc_ucp_access_reads(const ompi_osc_ucp_access_t *access)
{
    return OMPI_OSC_UCP_DOES_READ == access->does ||
           (OMPI_OSC_UCP_DOES_ACCUMULATE == access->does && OMPI_OSC_UCP_OP_NO_OP == access->op);
}

/** An operation that may meet any other. */
static bool any_op(uint8_t op)
{
    return 0 == op || OMPI_OSC_UCP_OP_NO_OP == op;
}

bool ompi_osc_ucp_access_alike(const ompi_osc_ucp_access_t *one, const ompi_osc_ucp_access_t *two)
{
    return OMPI_OSC_UCP_DOES_ACCUMULATE == one->does && OMPI_OSC_UCP_DOES_ACCUMULATE == two->does &&
           same_type(one, two);
}

bool ompi_osc_ucp_access_agree(const ompi_osc_ucp_access_t *one, const ompi_osc_ucp_access_t *two)
{
    return (ompi_osc_ucp_access_reads(one) && ompi_osc_ucp_access_reads(two)) ||
           (ompi_osc_ucp_access_alike(one, two) && (one->op == two->op || any_op(one->op) || any_op(two->op)));
}

static int64_t end_of(const ompi_osc_ucp_runs_t *runs)
{
    return runs->first + (int64_t) ((runs->count - 1) * runs->stride + runs->len);
}

/** Has one run, [from, to), bytes in common with runs? [*first, *end) are some. */
static bool run_overlaps(const ompi_osc_ucp_runs_t *runs, int64_t from, int64_t to, int64_t *first, int64_t *end)
{
    int64_t at = runs->first;

    if (runs->count > 1 && from >= at + (int64_t) runs->len) { /* the first run that does not end before `from` */
        at += (int64_t) (((uint64_t) (from - at) - runs->len) / runs->stride + 1) * (int64_t) runs->stride;
    }
    if (at >= to || at + (int64_t) runs->len <= from || at >= end_of(runs)) {
        return false;
    }
    *first = at > from ? at : from;
    *end   = at + (int64_t) runs->len < to ? at + (int64_t) runs->len : to;
    return true;
}

bool ompi_osc_ucp_access_overlap(const ompi_osc_ucp_access_t *one, const ompi_osc_ucp_access_t *two, int64_t *first,
                                 int64_t *end)
{
    const ompi_osc_ucp_runs_t *few = &one->runs, *many = &two->runs;
    uint64_t                   i;
    int64_t                    at;

    if (few->first >= end_of(many) || many->first >= end_of(few)) {
        return false;
    }
    if (few->count > many->count) {
        few  = &two->runs;
        many = &one->runs;
    }
    i = few->count > 1 && many->first > few->first ? (uint64_t) (many->first - few->first) / few->stride : 0;
    i = i > 0 ? i - 1 : 0;
    for (at = few->first + (int64_t) (i * few->stride); i < few->count && i < RUNS_COMPARED && at < end_of(many); i++) {
        if (run_overlaps(many, at, at + (int64_t) few->len, first, end)) {
            return true;
        }
        at += (int64_t) few->stride;
    }
    return false;
}

/* Telling. */

static const char *op_name(uint8_t op)
{
    static const char *const names[] = { NULL, "MPI_NO_OP", "MPI_REPLACE", "MPI_MAX", "MPI_MIN", "MPI_SUM", "MPI_PROD",
                                         "MPI_LAND", "MPI_BAND", "MPI_LOR", "MPI_BOR", "MPI_LXOR", "MPI_BXOR",
                                         "MPI_MAXLOC", "MPI_MINLOC" };

    return op < sizeof(names) / sizeof(names[0]) ? names[op] : NULL;
}

ompi_osc_ucp_check_access_t ompi_osc_ucp_access_told(const ompi_osc_ucp_access_t *access)
{
    const ompi_osc_ucp_prim_t *prim = ompi_osc_ucp_prim_by_code(access->prim);

    return (ompi_osc_ucp_check_access_t) {
        .what = ompi_osc_ucp_called_name(access->call), .rank = access->origin, .bytes = true,
        .first = access->runs.first, .end = end_of(&access->runs), .op = op_name(access->op),
        .type = NULL == prim ? NULL : prim->datatype->name, .site = access->site
    };
}

/** What orders neither, and what would. */
static void reason_set(ompi_osc_ucp_finding_t *finding, const ompi_osc_ucp_access_t *one,
                       const ompi_osc_ucp_access_t *two)
{
    if (OMPI_OSC_UCP_DOES_ACCUMULATE == one->does && OMPI_OSC_UCP_DOES_ACCUMULATE == two->does) {
        finding->text = "accumulates meet that have different types or operations";
    }
    switch (one->within) {
    case OMPI_OSC_UCP_WITHIN_FENCES:
        finding->why  = "both are between the same two calls of MPI_Win_fence";
        finding->cure = "MPI_Win_fence between them";
        break;
    case OMPI_OSC_UCP_WITHIN_START:
        finding->why  = "both are in the same epoch of MPI_Win_start and MPI_Win_post";
        finding->cure = "an epoch of its own for each: MPI_Win_complete and MPI_Win_wait between them";
        break;
    default:
        if (one->origin == two->origin) {
            finding->why  = "one process makes both, and completes the first at the target only later";
            finding->cure = "MPI_Win_flush or MPI_Win_unlock between them";
        } else {
            finding->why  = !ompi_osc_ucp_access_meet(one, two)
                                ? "neither process has heard of the end of the other one's, by a call of MPI"
                                : "both were pending at the same time, and no exclusive lock keeps them apart";
            finding->cure = "MPI_LOCK_EXCLUSIVE, or MPI_Win_flush by the first process and then a message or "
                            "MPI_Barrier to the second";
        }
    }
}

const char *ompi_osc_ucp_access_kind(const ompi_osc_ucp_access_t *one, const ompi_osc_ucp_access_t *two)
{
    static const char *const kinds[3][3] = {
        [OMPI_OSC_UCP_DOES_READ]       = { "get-get", "put-get", "accumulate-get" },
        [OMPI_OSC_UCP_DOES_WRITE]      = { "put-get", "put-put", "accumulate-put" },
        [OMPI_OSC_UCP_DOES_ACCUMULATE] = { "accumulate-get", "accumulate-put", "accumulate-accumulate" }
    };

    return kinds[one->does][two->does];
}

void ompi_osc_ucp_access_tell(ompi_osc_ucp_window_t *window, const ompi_osc_ucp_access_t *one,
                              const ompi_osc_ucp_access_t *two, int64_t first, int64_t end)
{
    ompi_osc_ucp_finding_t finding = {
        .kind = ompi_osc_ucp_access_kind(one, two), .text = "nothing orders two operations on the same bytes",
        .target = one->target, .bytes = true, .first = first, .end = end, .n = 2,
        .access = { ompi_osc_ucp_access_told(one), ompi_osc_ucp_access_told(two) }
    };

    reason_set(&finding, one, two);
    ompi_osc_ucp_check_tell(window, &finding);
}
