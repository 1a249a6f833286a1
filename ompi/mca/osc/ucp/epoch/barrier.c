/* The window's own barrier: rounds of notices, O(log P) for each process. Or at one counter.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * In a round a process may send a notice to one other, and may wait for the one of another (barrier_step). Only that
 * process writes the round's word in the control block: it stores the barrier's number there if it has the block
 * mapped, else it sends a message, which adds 1. It does the same each time, except maybe in the last barrier, which is
 * not followed by another.
 *
 * A notice may carry a veto: then it has also set the barrier's flag in the control block. A process passes on what it
 * has seen, so that in the end all know.
 *
 * Processes of a lean window that share processors meet otherwise, because in each round they would wait until others
 * are given a processor. They count themselves in rank 0's control block, and the last one releases all: each has to
 * run only once for a barrier. Where each has a processor of its own, rounds are better: they do not all change one
 * cache line at the same time.
 *
 * Stores before the barrier are visible to all processes after it, because every notice is a release and waiting for
 * one is an acquire.
 */

#include "base/wait.h"
#include "epoch/epoch.h"
#include "reach/reach.h"

/** Dissemination: with notices over distances 1, 2, 4 ... each of n hears of all. False: there is no such round. */
static bool disseminate(int64_t me, int64_t n, int round, int64_t *to, int64_t *from)
{
    int64_t distance = INT64_C(1) << round;

    *to   = (me + distance) % n;
    *from = (me + n - distance % n) % n;
    return distance < n;
}

/** A tree of n with root 0, towards the root, from the shortest distance to the longest. -1: nobody. */
static void ascend(int64_t me, int64_t n, int round, int64_t *to, int64_t *from)
{
    int64_t distance = INT64_C(1) << round;

    *to = *from = -1;
    if (0 == me % distance) {
        if (0 != (me & distance)) {
            *to = me - distance;
        } else if (me + distance < n) {
            *from = me + distance;
        }
    }
}

/** The number of rounds in which one of n hears of all, or is heard by all. */
static int rounds_for(int64_t n)
{
    int rounds = 0;

    while (INT64_C(1) << rounds < n) {
        rounds++;
    }
    return rounds;
}

/** The step of a window whose nodes have `n` members each. Within a node notices are mostly stores, so only the first
 *  member of each sends to other nodes: it hears of its node's in a tree, and tells them in the same tree. */
static bool node_step(const ompi_osc_ucp_window_t *window, int64_t n, int round, int64_t *to, int64_t *from)
{
    int64_t nodes = window->size / n, rank = window->rank;
    int64_t first = window->node_cyclic ? rank % nodes : rank / n * n; /* of the own node */
    int64_t apart = window->node_cyclic ? nodes : 1;                   /* ranks of two neighbours on a node */
    int     up = rounds_for(n), across = rounds_for(nodes);

    *to = *from = -1;
    if (round >= 2 * up + across) {
        return false;
    }
    if (round >= up && round < up + across) {
        if (rank == first) {
            (void) disseminate(window->node_cyclic ? first : first / n, nodes, round - up, to, from);
        }
        first = 0;
        apart = window->node_cyclic ? 1 : n;
    } else if (round < up) {
        ascend((rank - first) / apart, n, round, to, from);
    } else {
        ascend((rank - first) / apart, n, 2 * up + across - 1 - round, from, to);
    }
    *to   = *to < 0 ? -1 : first + *to * apart;
    *from = *from < 0 ? -1 : first + *from * apart;
    return true;
}

/** Does the barrier go by nodes? Not in the NIC domain: there a notice within the node is a message, too. */
static bool is_by_nodes(const ompi_osc_ucp_window_t *window)
{
    int64_t n = window->node_size;

    return n > 1 && n < window->size && !window->nic &&
           2 * rounds_for(n) + rounds_for(window->size / n) <= OMPI_OSC_UCP_BARRIER_ROUNDS;
}

bool ompi_osc_ucp_barrier_step(const ompi_osc_ucp_window_t *window, int round, ompi_osc_ucp_barrier_step_t *step)
{
    int64_t to, from;
    bool    more;

    if (!is_by_nodes(window)) {
        more = disseminate(window->rank, window->size, round, &to, &from);
    } else {
        more = node_step(window, window->node_size, round, &to, &from);
    }
    *step = (ompi_osc_ucp_barrier_step_t) { .to = (int) to, .from = (int) from };
    return more;
}

static int notice_send(ompi_osc_ucp_peer_t *peer, int round, bool last, uint32_t *awaited)
{
    int rc = NULL == peer ? OMPI_ERR_OUT_OF_RESOURCE : OMPI_SUCCESS;

    if (OMPI_SUCCESS == rc && !last && NULL == peer->window->all_path) { /* with all_path they are always messages */
        rc = ompi_osc_ucp_reach(peer);
    }
    return OMPI_SUCCESS == rc ? peer->path->arrive(peer, round, awaited) : rc;
}

/** One round. After an error nothing is awaited, but notices are still sent, as peers count those that are messages. */
static int round_run(ompi_osc_ucp_window_t *window, int round, const ompi_osc_ucp_barrier_step_t *step, bool last,
                     bool failed, uint32_t *awaited)
{
    uint32_t *arrived = &window->control->arrived[round], *vetoed = &window->control->vetoed[window->barriers & 1];
    unsigned  steps   = 0, tries = 0;
    int       rc;

    do {
        rc = step->to < 0 ? OMPI_SUCCESS : notice_send(ompi_osc_ucp_peer(window, step->to), round, last, awaited);
    } while (ompi_osc_ucp_try_again(rc, &tries));
    while (OMPI_SUCCESS == rc && !failed && step->from >= 0 &&
           (int32_t) (__atomic_load_n(arrived, __ATOMIC_ACQUIRE) - window->barriers) < 0) {
        ompi_osc_ucp_spin(&steps);
        rc = window->lost ? OMPI_ERR_WIN : OMPI_SUCCESS;
    }
    window->veto = window->veto || 0 != __atomic_load_n(vetoed, __ATOMIC_RELAXED);
    return rc;
}

/** Meet at rank 0's counter. Nobody can arrive at the next barrier before all have at this one. So the last one to
 *  arrive knows that all have looked at the last barrier's veto. */
static int gather(ompi_osc_ucp_window_t *window)
{
    ompi_osc_ucp_control_t *control = ompi_osc_ucp_segment_member(window->segment, 0).control;
    uint32_t               *vetoed  = control->gather_vetoed;
    unsigned                parity  = window->barriers & 1;

    if (window->veto) {
        __atomic_store_n(&vetoed[parity], 1, __ATOMIC_RELAXED);
    }
    if (__atomic_add_fetch(&control->gathered, 1, __ATOMIC_ACQ_REL) == window->barriers * (uint32_t) window->size) {
        __atomic_store_n(&vetoed[!parity], 0, __ATOMIC_RELAXED);
        __atomic_store_n(&control->released, window->barriers, __ATOMIC_RELEASE);
    }
    while ((int32_t) (__atomic_load_n(&control->released, __ATOMIC_ACQUIRE) - window->barriers) < 0) {
        ompi_osc_ucp_wait_step(); /* not a spin: it would keep the processor from those that are missing */
    }
    window->veto = window->veto || 0 != __atomic_load_n(&vetoed[parity], __ATOMIC_RELAXED);
    return OMPI_SUCCESS;
}

int ompi_osc_ucp_barrier(ompi_osc_ucp_window_t *window, bool last)
{
    ompi_osc_ucp_barrier_step_t step;
    uint32_t                    awaited = 0;
    int                         round, rc = OMPI_SUCCESS;

    window->barriers++;
    if (window->crowded) {
        return gather(window);
    }
    for (round = 0; ompi_osc_ucp_barrier_step(window, round, &step); round++) {
        rc = ompi_osc_ucp_first_error(rc, round_run(window, round, &step, last, OMPI_SUCCESS != rc, &awaited));
    }
    ompi_osc_ucp_await(&awaited);
    return rc;
}

int ompi_osc_ucp_barrier_agree(ompi_osc_ucp_window_t *window, bool *veto_p)
{
    int rc;

    window->veto = *veto_p;
    rc           = ompi_osc_ucp_barrier(window, false);
    *veto_p      = window->veto;
    window->veto = false;
    /* Nobody is two barriers ahead: the next one with this parity has not begun. */
    __atomic_store_n(&window->control->vetoed[window->barriers & 1], 0, __ATOMIC_RELAXED);
    return rc;
}
