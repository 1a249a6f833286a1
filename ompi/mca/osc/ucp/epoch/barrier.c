/* The window's own barrier, by dissemination: O(log P) notices per process. Or at one counter.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * In round k a process sends a notice to the one 2^k ranks above, and waits for the one 2^k ranks below. Only that
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

static int notice_send(ompi_osc_ucp_peer_t *peer, int round, bool last, uint32_t *awaited)
{
    int rc = NULL == peer ? OMPI_ERR_OUT_OF_RESOURCE : OMPI_SUCCESS;

    if (OMPI_SUCCESS == rc && !last && NULL == peer->window->all_path) { /* with all_path they are always messages */
        rc = ompi_osc_ucp_reach(peer);
    }
    return OMPI_SUCCESS == rc ? peer->path->arrive(peer, round, awaited) : rc;
}

/** One round. After an error nothing is awaited, but notices are still sent, as peers count those that are messages. */
static int round_run(ompi_osc_ucp_window_t *window, int round, bool last, bool failed, uint32_t *awaited)
{
    int       to      = ompi_osc_ucp_barrier_partner(window, round);
    uint32_t *arrived = &window->control->arrived[round], *vetoed = &window->control->vetoed[window->barriers & 1];
    unsigned  steps   = 0, tries = 0;
    int       rc;

    do {
        rc = notice_send(ompi_osc_ucp_peer(window, to), round, last, awaited);
    } while (ompi_osc_ucp_try_again(rc, &tries));
    while (OMPI_SUCCESS == rc && !failed &&
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
    uint32_t awaited = 0;
    int      round, rc = OMPI_SUCCESS;

    window->barriers++;
    if (window->crowded) {
        return gather(window);
    }
    for (round = 0; ompi_osc_ucp_barrier_partner(window, round) >= 0; round++) {
        rc = ompi_osc_ucp_first_error(rc, round_run(window, round, last, OMPI_SUCCESS != rc, &awaited));
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
