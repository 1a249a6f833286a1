/* One clock for the trace of several hosts.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The processes of a host share a clock, CLOCK_MONOTONIC; those of two hosts differ by the time between their starts,
 * and drift. The members of a window compare them by some barriers: nobody leaves one before all have entered it. So
 * the times at which two processes enter and leave bound the difference of their clocks from both sides. The members of
 * a host put their bounds together.
 */

#include "report/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/params.h"
#include "base/threads.h"

/** Barriers of a comparison. */
#define ROUNDS 50

/** Clocks are compared again after so long. Nanoseconds. */
#define AGAIN_NS 1000000000

/** Times of several hosts are counted from here on, 2026-01-01, in UTC: viewers compute with few digits. Seconds. If a
 *  host's clock is not set, they are counted from 1970-01-01 on: viewers take no negative times. */
#define EPOCH 1767225600

/** What rank 0 tells the others. */
typedef struct base_t {
    uint64_t node;
    uint64_t base;  /**< the process whose clock is the trace's */
    int64_t  shift; /**< of rank 0 */
    int64_t  error; /**< of that */
    int64_t  entered[ROUNDS], left[ROUNDS];
} base_t;

/** Bounds of what a clock is ahead of rank 0's. */
typedef struct bounds_t {
    uint64_t node;
    int64_t  least, most;
} bounds_t;

/** The first and the last comparison. */
static struct {
    bool     spans; /**< the job has several hosts */
    int64_t  alone; /**< what is added to times if there was no comparison */
    uint64_t base;  /**< 0: there was none */
    uint64_t last;
    uint64_t at[2];
    int64_t  shift[2], error;
} compared; /* inside the origin side */

/** A number that processes share if and only if they share the clock, as far as names tell. */
static uint64_t node_number(void)
{
    char     text[192] = "";
    uint64_t hash      = 14695981039346656037u;
    FILE    *in        = fopen("/proc/sys/kernel/random/boot_id", "r");
    size_t   n         = NULL == in ? 0 : fread(text, 1, 63, in), i;

    if (NULL != in) {
        (void) fclose(in);
    }
    (void) gethostname(text + n, 64);
    (void) !readlink("/proc/self/ns/time", text + sizeof(text) - 40, 39);
    for (i = 0; i < sizeof(text); i++) {
        hash = (hash ^ (unsigned char) text[i]) * 1099511628211u;
    }
    return hash;
}

/** The difference between this host's time of day and the clock, in the trace's epoch. */
static int64_t time_of_day(void)
{
    uint64_t        before, after, width = UINT64_MAX;
    struct timespec day;
    int64_t         shift = 0;
    int             i;

    for (i = 0; i < 5; i++) { /* something may come between two readings */
        before = opal_common_ucp_now_ns();
        (void) clock_gettime(CLOCK_REALTIME, &day);
        after = opal_common_ucp_now_ns();
        if (after - before < width) {
            width = after - before;
            shift = ((int64_t) day.tv_sec - (day.tv_sec < EPOCH ? 0 : EPOCH)) * 1000000000 + day.tv_nsec -
                    (int64_t) (before + width / 2);
        }
    }
    return shift;
}

void ompi_osc_ucp_trace_clock_begin(void)
{
    const ompi_group_t *world = ompi_mpi_comm_world.comm.c_local_group;

    memset(&compared, 0, sizeof(compared));
    compared.spans = NULL == world || ompi_group_have_remote_peers((ompi_group_t *) world);
    compared.alone = compared.spans ? time_of_day() : 0;
}

bool ompi_osc_ucp_trace_clock_wanted(const ompi_communicator_t *comm)
{
    return ompi_osc_ucp_trace.on && ompi_group_have_remote_peers(comm->c_local_group) &&
           (0 == compared.base || opal_common_ucp_now_ns() - compared.last > AGAIN_NS);
}

static int64_t least_of(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/** The bounds that the barriers give. */
static bounds_t bounds_of(const base_t *zero, const base_t *mine)
{
    bounds_t bounds = { .node = mine->node, .least = -INT64_MAX, .most = INT64_MAX };
    int      i;

    if (zero->node == mine->node) {
        return (bounds_t) { .node = mine->node };
    }
    for (i = 0; i < ROUNDS; i++) {
        bounds.least = -least_of(-bounds.least, zero->left[i] - mine->entered[i]);
        bounds.most  = least_of(bounds.most, mine->left[i] - zero->entered[i]);
    }
    return bounds;
}

/** Narrow the bounds by those of others on this host. Collective. */
static bool bounds_join(ompi_communicator_t *comm, bounds_t *mine)
{
    int       n   = ompi_comm_size(comm), i;
    bounds_t *all = malloc((size_t) n * sizeof(*all)), none;
    bool      ok  = OMPI_SUCCESS == ompi_osc_ucp_agree(comm, NULL == all ? OMPI_ERR_OUT_OF_RESOURCE : OMPI_SUCCESS) &&
              OMPI_SUCCESS == comm->c_coll->coll_allgather(mine, sizeof(*mine), MPI_BYTE, NULL == all ? &none : all,
                                                           sizeof(*mine), MPI_BYTE, comm,
                                                           comm->c_coll->coll_allgather_module);

    for (i = 0; ok && i < n; i++) {
        if (all[i].node == mine->node) {
            mine->least = -least_of(-mine->least, -all[i].least);
            mine->most  = least_of(mine->most, all[i].most);
        }
    }
    free(all);
    return ok;
}

/** Enter and leave some barriers. Collective. */
static bool barriers(ompi_communicator_t *comm, base_t *mine)
{
    int i, rc = OMPI_SUCCESS;

    for (i = 0; OMPI_SUCCESS == rc && i < ROUNDS; i++) {
        mine->entered[i] = (int64_t) opal_common_ucp_now_ns();
        rc               = comm->c_coll->coll_barrier(comm, comm->c_coll->coll_barrier_module);
        mine->left[i]    = (int64_t) opal_common_ucp_now_ns();
    }
    return OMPI_SUCCESS == rc;
}

/** What rank 0 is to tell. It is the base, unless another one is. */
static void base_tell(ompi_communicator_t *comm, base_t *mine)
{
    ompi_osc_ucp_enter();
    compared.last = opal_common_ucp_now_ns();
    if (0 == ompi_comm_rank(comm) && 0 == compared.base) {
        compared.base     = ompi_osc_ucp_proc_key(comm->c_local_group, 0) + 1;
        compared.shift[0] = compared.shift[1] = compared.alone;
        compared.at[0]    = compared.at[1] = compared.last;
    }
    mine->base  = compared.base;
    mine->shift = compared.shift[1];
    mine->error = compared.error;
    ompi_osc_ucp_leave();
}

/** Keep the outcome, unless this process already has another base. */
static void base_keep(const base_t *zero, const bounds_t *bounds, int64_t at)
{
    int64_t error = zero->error + (bounds->most - bounds->least) / 2;
    int     i;

    ompi_osc_ucp_enter();
    if (0 == compared.base || compared.base == zero->base) {
        for (i = 0 == compared.base ? 0 : 1; i < 2; i++) {
            compared.at[i]    = (uint64_t) at;
            compared.shift[i] = zero->shift - (bounds->least / 2 + bounds->most / 2);
        }
        compared.base  = zero->base;
        compared.error = error > compared.error ? error : compared.error;
    }
    ompi_osc_ucp_leave();
}

static void compare(ompi_communicator_t *comm)
{
    base_t   mine = { .node = node_number() }, zero;
    bounds_t bounds;

    base_tell(comm, &mine);
    if (!barriers(comm, &mine)) {
        return;
    }
    zero = mine;
    if (OMPI_SUCCESS != comm->c_coll->coll_bcast(&zero, sizeof(zero), MPI_BYTE, 0, comm,
                                                 comm->c_coll->coll_bcast_module)) {
        return;
    }
    bounds = bounds_of(&zero, &mine);
    if (bounds_join(comm, &bounds) && 0 != ompi_comm_rank(comm)) {
        base_keep(&zero, &bounds, mine.left[ROUNDS - 1]);
    }
}

void ompi_osc_ucp_trace_clock_first(ompi_osc_ucp_window_t *window, ompi_communicator_t *comm)
{
    compare(comm);
    if (0 != ompi_osc_ucp_params.survive) {
        return; /* a member may have died when the window is freed */
    }
    if (OMPI_SUCCESS != ompi_osc_ucp_agree(comm, ompi_comm_dup(comm, &window->clock_comm))) {
        window->clock_comm = NULL; /* one that some members have made is not freed: memory is short anyway */
    }
}

void ompi_osc_ucp_trace_clock_last(ompi_osc_ucp_window_t *window)
{
    if (NULL != window->clock_comm) {
        compare(window->clock_comm);
        (void) ompi_comm_free(&window->clock_comm);
        window->clock_comm = NULL;
    }
}

bool ompi_osc_ucp_trace_clock_shifts(void)
{
    return 0 != compared.base || 0 != compared.alone;
}

int64_t ompi_osc_ucp_trace_clock_shift(uint64_t ns)
{
    double part;

    if (0 == compared.base) {
        return compared.alone;
    }
    if (ns <= compared.at[0]) {
        return compared.shift[0];
    }
    if (ns >= compared.at[1]) {
        return compared.shift[1];
    }
    part = (double) (ns - compared.at[0]) / (double) (compared.at[1] - compared.at[0]);
    return compared.shift[0] + (int64_t) (part * (double) (compared.shift[1] - compared.shift[0]));
}

int64_t ompi_osc_ucp_trace_clock_error(void)
{
    return 0 == compared.base && compared.spans ? -1 : compared.error;
}
