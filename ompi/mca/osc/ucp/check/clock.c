/* Vector clocks of the processes of a job on one node, in shared memory.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "check/clock.h"

/** What a row of entries says. Each process has one of each kind. */
typedef enum row_t {
    KNOWS,    /**< its clock */
    TOLD,     /**< its clock when it last called something that tells others */
    WRITTEN,  /**< the clocks of those who wrote to its memory, when they called for that */
    UNLOCKED, /**< of those who released a lock of its memory */
    EXCLUSIVE /**< of those who released an exclusive one */
} row_t;

#define ROWS (EXCLUSIVE + 1)

typedef struct ompi_osc_ucp_clock_board_t {
    uint32_t off;       /**< all is ordered; atomic */
    uint32_t entries[]; /**< of each process: whether it keeps its clock, then its rows of n; atomic */
} board_t;

/** The entries of a process. */
static uint32_t *process(const ompi_osc_ucp_clock_t *clock, int rank)
{
    return &clock->board->entries[(size_t) rank * (1 + ROWS * (size_t) clock->n)];
}

static uint32_t *row(const ompi_osc_ucp_clock_t *clock, int rank, row_t kind)
{
    return process(clock, rank) + 1 + (size_t) kind * (size_t) clock->n;
}

static bool known(const ompi_osc_ucp_clock_t *clock, int rank)
{
    return rank >= 0 && rank < clock->n && 0 != __atomic_load_n(process(clock, rank), __ATOMIC_ACQUIRE);
}

/** Raise the entries of a row to those of another one. */
static void raise(const ompi_osc_ucp_clock_t *clock, uint32_t *to, const uint32_t *from)
{
    int i;

    for (i = 0; i < clock->n; i++) {
        uint32_t heard = __atomic_load_n(&from[i], __ATOMIC_ACQUIRE);
        uint32_t old   = __atomic_load_n(&to[i], __ATOMIC_RELAXED);

        while (old < heard &&
               !__atomic_compare_exchange_n(&to[i], &old, heard, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED)) {
            continue;
        }
    }
}

/** This process hears what a row says; others hear what it knows. */
static void hear(const ompi_osc_ucp_clock_t *clock, int rank, row_t kind)
{
    raise(clock, row(clock, clock->me, KNOWS), row(clock, rank, kind));
}

static void tell(ompi_osc_ucp_clock_t *clock, int rank, row_t kind)
{
    raise(clock, row(clock, rank, kind), row(clock, clock->me, KNOWS));
    __atomic_add_fetch(&clock->tells, 1, __ATOMIC_RELEASE);
}

static void hear_all(const ompi_osc_ucp_clock_t *clock)
{
    int rank;

    for (rank = 0; rank < clock->n; rank++) {
        hear(clock, rank, KNOWS);
    }
}

size_t ompi_osc_ucp_clock_size(int n)
{
    return sizeof(board_t) + (size_t) n * (1 + ROWS * (size_t) n) * sizeof(uint32_t);
}

bool ompi_osc_ucp_clock_on(const ompi_osc_ucp_clock_t *clock)
{
    return NULL != clock->board && 0 == __atomic_load_n(&clock->board->off, __ATOMIC_ACQUIRE);
}

void ompi_osc_ucp_clock_off(ompi_osc_ucp_clock_t *clock)
{
    if (NULL != clock->board) {
        __atomic_store_n(&clock->board->off, 1, __ATOMIC_RELEASE);
    }
}

void ompi_osc_ucp_clock_begin(ompi_osc_ucp_clock_t *clock)
{
    if (ompi_osc_ucp_clock_on(clock)) {
        hear_all(clock);
        tell(clock, clock->me, TOLD); /* others may have heard it through this process */
        __atomic_store_n(process(clock, clock->me), 1, __ATOMIC_RELEASE);
    }
}

uint32_t ompi_osc_ucp_clock_step(ompi_osc_ucp_clock_t *clock)
{
    uint32_t step = 0;

    if (ompi_osc_ucp_clock_on(clock)) {
        step = __atomic_add_fetch(&row(clock, clock->me, KNOWS)[clock->me], 1, __ATOMIC_ACQ_REL);
        if (UINT32_MAX == step) {
            ompi_osc_ucp_clock_off(clock);
        }
    }
    return step;
}

void ompi_osc_ucp_clock_stamp(ompi_osc_ucp_clock_t *clock, ompi_osc_ucp_stamp_t *stamp)
{
    int i;

    *stamp = (ompi_osc_ucp_stamp_t) { .process = -1 };
    if (!ompi_osc_ucp_clock_on(clock) || !known(clock, clock->me)) {
        return;
    }
    hear(clock, clock->me, WRITTEN);
    stamp->process = clock->me;
    for (i = 0; i < clock->n; i++) {
        stamp->heard[i] = __atomic_load_n(&row(clock, clock->me, KNOWS)[i], __ATOMIC_ACQUIRE);
    }
}

uint64_t ompi_osc_ucp_clock_version(const ompi_osc_ucp_clock_t *clock)
{
    uint64_t version = __atomic_load_n(&clock->tells, __ATOMIC_ACQUIRE);
    uint32_t knows, written;
    int      i;

    for (i = 0; ompi_osc_ucp_clock_on(clock) && i < clock->n; i++) {
        knows    = __atomic_load_n(&row(clock, clock->me, KNOWS)[i], __ATOMIC_ACQUIRE);
        written  = __atomic_load_n(&row(clock, clock->me, WRITTEN)[i], __ATOMIC_ACQUIRE);
        version += i == clock->me ? 0 : knows > written ? knows : written;
    }
    return version;
}

bool ompi_osc_ucp_clock_unheard(const ompi_osc_ucp_clock_t *clock, const ompi_osc_ucp_stamp_t *by,
                                const ompi_osc_ucp_stamp_t *of)
{
    return ompi_osc_ucp_clock_on(clock) && by->process >= 0 && of->process >= 0 && by->process < clock->n &&
           of->process < clock->n && by->process != of->process && 0 != of->step &&
           by->heard[of->process] < of->step;
}

bool ompi_osc_ucp_clock_unordered(const ompi_osc_ucp_clock_t *clock, const ompi_osc_ucp_stamp_t *one,
                                  const ompi_osc_ucp_stamp_t *two)
{
    return ompi_osc_ucp_clock_unheard(clock, one, two) && ompi_osc_ucp_clock_unheard(clock, two, one);
}

void ompi_osc_ucp_clock_tell(ompi_osc_ucp_clock_t *clock)
{
    if (ompi_osc_ucp_clock_on(clock)) {
        hear(clock, clock->me, WRITTEN);
        tell(clock, clock->me, TOLD);
    }
}

void ompi_osc_ucp_clock_hear(ompi_osc_ucp_clock_t *clock, int from)
{
    if (!ompi_osc_ucp_clock_on(clock)) {
        return;
    }
    if (known(clock, from)) {
        hear(clock, from, TOLD);
    } else {
        hear_all(clock); /* it may tell of anyone without our seeing it */
    }
}

void ompi_osc_ucp_clock_write(ompi_osc_ucp_clock_t *clock, int target)
{
    if (!ompi_osc_ucp_clock_on(clock)) {
        return;
    }
    if (known(clock, target)) {
        hear(clock, clock->me, WRITTEN);
        tell(clock, target, WRITTEN);
    } else {
        ompi_osc_ucp_clock_off(clock); /* who reads there would not learn of us */
    }
}

void ompi_osc_ucp_clock_read(ompi_osc_ucp_clock_t *clock, int target)
{
    if (!ompi_osc_ucp_clock_on(clock)) {
        return;
    }
    if (known(clock, target)) {
        hear(clock, target, WRITTEN);
        hear(clock, target, KNOWS);
    } else {
        hear_all(clock);
    }
}

void ompi_osc_ucp_clock_lock(ompi_osc_ucp_clock_t *clock, int target, bool exclusive)
{
    if (!ompi_osc_ucp_clock_on(clock)) {
        return;
    }
    if (known(clock, target)) {
        hear(clock, target, exclusive ? UNLOCKED : EXCLUSIVE);
    } else {
        hear_all(clock);
    }
}

void ompi_osc_ucp_clock_unlock(ompi_osc_ucp_clock_t *clock, int target, bool exclusive)
{
    if (!ompi_osc_ucp_clock_on(clock)) {
        return;
    }
    if (!known(clock, target)) {
        ompi_osc_ucp_clock_off(clock);
        return;
    }
    hear(clock, clock->me, WRITTEN);
    tell(clock, target, UNLOCKED);
    if (exclusive) {
        tell(clock, target, EXCLUSIVE);
    }
}
