/* Random operations over random windows, in random epochs, against a serial model, for as long as wanted.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * environment:
 *   TEST_SECONDS  how long (default: 5)
 *   TEST_SEED     of the random numbers (default: the time)
 *   TEST_ROUND    only this round: what is printed with a failure does it again
 *   TEST_VERBOSE  tell each operation and epoch
 */
#include "soak_operations.h"

enum { MOST_WINDOWS = 3 };

static struct soak_window windows[MOST_WINDOWS];
static int window_count;

static void phase(struct soak_window *w, struct soak_random *random, int nested);

/* Now and then a process computes, and only its service thread, if anybody, answers the others. */
static void pause_sometimes(uint64_t *random)
{
    if (chance(random, 40)) {
        test_compute(1e-4 * (double) test_random(random, 50));
    }
}

/* Inside of an epoch that keeps nobody waiting: maybe an epoch of another window. */
static void another(struct soak_random *random, int nested)
{
    int which = (int) test_random(&random->all, MOST_WINDOWS);

    if (nested < 2 && chance(&random->all, 4) && which < window_count && !windows[which].busy) {
        phase(&windows[which], random, nested + 1);
    }
}

/* Operations to some of the targets, nothing between them. */
static void burst(struct soak_window *w, uint64_t *random, const int *targets, int count, int passive)
{
    int calls = chance(random, 10) ? 40 : (int) test_random(random, 8);

    pause_sometimes(random);
    for (int i = 0; i < calls && count > 0; i++) {
        if (chance(random, 4)) {
            soak_add(w, random, targets[test_random(random, count)]);
        } else {
            soak_operate(w, random, targets[test_random(random, count)], passive);
        }
    }
    if (NULL != w->mapped) {
        MPI_Win_sync(w->win);
    }
}

static void flush_each(struct soak_window *w, const int *targets, int count, int local)
{
    for (int i = 0; i < count; i++) {
        MPI_OK(local ? MPI_Win_flush_local(targets[i], w->win) : MPI_Win_flush(targets[i], w->win));
    }
}

/* Some bursts in an epoch of locks; the last one may be left to the end of the epoch. */
static void passive_bursts(struct soak_window *w, uint64_t *random, const int *targets, int count)
{
    int bursts = count > 0 ? (int) test_random(random, 4) : 0;

    for (int i = 0; i < bursts; i++) {
        burst(w, random, targets, count, 1);
        switch (test_random(random, i + 1 < bursts ? 4 : 5)) {
        case 0:
            flush_each(w, targets, count, 0);
            break;
        case 1:
            MPI_OK(MPI_Win_flush_all(w->win));
            break;
        case 2:
            flush_each(w, targets, count, 1);
            soak_check(w);
            flush_each(w, targets, count, 0);
            break;
        case 3:
            MPI_OK(MPI_Win_flush_local_all(w->win));
            soak_check(w);
            MPI_OK(MPI_Win_flush_all(w->win));
            break;
        default:
            return;
        }
        soak_done(w);
    }
}

/* ---- epochs ---- */

static int all_targets(struct soak_window *w, int *targets)
{
    for (int i = 0; i < w->size; i++) {
        targets[i] = i;
    }
    return w->size;
}

static void fence_phase(struct soak_window *w, struct soak_random *random, int nested)
{
    int targets[w->size], count = all_targets(w, targets), epochs = 1 + (int) test_random(&random->all, 3);

    MPI_OK(MPI_Win_fence(chance(&random->all, 2) ? MPI_MODE_NOPRECEDE : 0, w->win));
    for (int i = 0; i < epochs; i++) {
        burst(w, &random->mine, targets, count, 0);
        another(random, nested);
        MPI_OK(MPI_Win_fence(i + 1 == epochs && chance(&random->all, 2) ? MPI_MODE_NOSUCCEED : 0, w->win));
        soak_done(w);
    }
}

static MPI_Group group_of(struct soak_window *w, const int *ranks, int count)
{
    MPI_Group all, group;

    MPI_Comm_group(w->comm, &all);
    MPI_Group_incl(all, count, ranks, &group);
    MPI_Group_free(&all);
    return group;
}

/* Everybody knows who accesses whom. */
static void pscw_phase(struct soak_window *w, struct soak_random *random, int nested)
{
    int targets[w->size], origins[w->size], target_count = 0, origin_count = 0, over = 0, nocheck;
    int density = 1 + (int) test_random(&random->all, 4);
    MPI_Group to, from;

    for (int i = 0; i < w->size; i++) {
        for (int j = 0; j < w->size; j++) {
            int accesses = chance(&random->all, density);

            if (accesses && i == w->rank) {
                targets[target_count++] = j;
            }
            if (accesses && j == w->rank) {
                origins[origin_count++] = i;
            }
        }
    }
    nocheck = chance(&random->all, 3) ? MPI_MODE_NOCHECK : 0;
    to = group_of(w, targets, target_count);
    from = group_of(w, origins, origin_count);
    MPI_OK(MPI_Win_post(from, nocheck, w->win));
    if (nocheck) {
        MPI_Barrier(w->comm);
    }
    pause_sometimes(&random->mine);
    MPI_OK(MPI_Win_start(to, nocheck, w->win));
    burst(w, &random->mine, targets, target_count, 0);
    another(random, nested);
    MPI_OK(MPI_Win_complete(w->win));
    soak_done(w);
    if (chance(&random->mine, 2)) {
        while (!over) {
            MPI_OK(MPI_Win_test(w->win, &over));
        }
    } else {
        MPI_OK(MPI_Win_wait(w->win));
    }
    MPI_Group_free(&to);
    MPI_Group_free(&from);
}

static void lock_one(struct soak_window *w, uint64_t *random, int target, int shared, int assert)
{
    int exclusive = !shared && chance(random, 2);

    MPI_OK(MPI_Win_lock(exclusive ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, target, assert, w->win));
    if (exclusive && chance(random, 2)) {
        soak_rewrite(w, target);
    }
}

/* Locks of one target after the other, or of several together, then in the order of their ranks. */
static void lock_phase(struct soak_window *w, struct soak_random *random, int shared, int together, int nested)
{
    int targets[w->size], count = 0;
    int assert = shared && chance(&random->mine, 4) ? MPI_MODE_NOCHECK : 0;
    int one_in = 1 + (int) test_random(&random->mine, 4);

    for (int i = 0; i < w->size; i++) {
        if (chance(&random->mine, one_in)) {
            targets[count++] = i;
        }
    }
    for (int i = 0; i < count; i++) {
        lock_one(w, &random->mine, targets[i], shared, assert);
        if (!together) {
            passive_bursts(w, &random->mine, &targets[i], 1);
            MPI_OK(MPI_Win_unlock(targets[i], w->win));
            soak_done(w);
        }
    }
    if (together) {
        passive_bursts(w, &random->mine, targets, count);
        if (shared) {
            another(random, nested);
        }
        for (int i = 0; i < count; i++) {
            MPI_OK(MPI_Win_unlock(targets[i], w->win));
        }
        soak_done(w);
    }
}

static void lock_all_phase(struct soak_window *w, struct soak_random *random, int shared, int nested)
{
    int targets[w->size], count = all_targets(w, targets);

    MPI_OK(MPI_Win_lock_all(shared && chance(&random->mine, 2) ? MPI_MODE_NOCHECK : 0, w->win));
    passive_bursts(w, &random->mine, targets, count);
    if (shared) {
        another(random, nested);
    }
    MPI_OK(MPI_Win_unlock_all(w->win));
    soak_done(w);
}

/* The program's own stores to its own area. */
static void store(struct soak_window *w, uint64_t *random)
{
    unsigned char *here = w->base + w->rank * w->area, *model = w->model + w->rank * w->area;
    MPI_Aint first = (MPI_Aint) test_random(random, w->area), length = (MPI_Aint) test_random(random, 200);

    for (MPI_Aint i = first; i < first + length && i < w->area; i++) {
        here[i] = model[i] = (unsigned char) test_random(random, 256);
    }
    MPI_Win_sync(w->win);
}

/* One epoch of a window, or some, after which the memory of all is checked. */
static void phase(struct soak_window *w, struct soak_random *random, int nested)
{
    int kind = (int) test_random(&random->all, w->no_locks ? 2 : 6);

    if (soak_verbose) {
        fprintf(stderr, "%d: %s window, phase %d, nested %d\n", w->rank, test_flavor_name[w->flavor], kind, nested);
    }
    w->busy = 1;
    if (chance(&random->mine, 3)) {
        store(w, &random->mine);
    }
    switch (kind) {
    case 0:
        fence_phase(w, random, nested);
        break;
    case 1:
        pscw_phase(w, random, nested);
        break;
    case 2: /* exclusive locks meet shared ones, */
        lock_phase(w, random, 0, chance(&random->all, 2), nested);
        break;
    case 3: /* or those of all; whoever had several meanwhile could wait for ever, and the other for it */
        if (chance(&random->mine, 3)) {
            lock_all_phase(w, random, 0, nested);
        } else {
            lock_phase(w, random, 0, 0, nested);
        }
        break;
    case 4:
        lock_phase(w, random, 1, chance(&random->all, 2), nested);
        break;
    default:
        lock_all_phase(w, random, 1, nested);
    }
    soak_verify(w);
    w->busy = 0;
}

/* Some windows, some epochs. */
static void one_round(uint64_t seed, int number)
{
    struct soak_random random = {seed + 1000003 * (uint64_t) number, 0};
    int phases, split;
    MPI_Comm comm;

    snprintf(soak_round, sizeof(soak_round), "TEST_SEED=%llu TEST_ROUND=%d", (unsigned long long) seed, number);
    split = chance(&random.all, 4);
    MPI_Comm_split(MPI_COMM_WORLD, split ? test_rank % 3 : 0, test_rank, &comm);
    random.mine = random.all + 7919 * (uint64_t) (test_rank + 1);
    test_random(&random.mine, 2);
    window_count = 1 + (int) test_random(&random.all, MOST_WINDOWS);
    phases = 1 + (int) test_random(&random.all, 8);
    for (int i = 0; i < window_count; i++) {
        soak_open(&windows[i], &random, comm);
    }
    for (int i = 0; i < phases; i++) {
        phase(&windows[test_random(&random.all, window_count)], &random, 0);
    }
    for (int i = chance(&random.all, 2), left = window_count; left > 0; i++, left--) {
        soak_close(&windows[i % window_count]);
    }
    MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
    const char *seconds = getenv("TEST_SECONDS"), *only = getenv("TEST_ROUND");
    double until;
    uint64_t seed;
    int rounds = 0, more = 1;

    test_init(&argc, &argv);
    seed = test_seed();
    soak_verbose = NULL != getenv("TEST_VERBOSE");
    until = MPI_Wtime() + (NULL != seconds ? atof(seconds) : 5);
    if (NULL != only) {
        one_round(seed, atoi(only));
        more = 0;
    }
    while (more) {
        one_round(seed, rounds++);
        more = MPI_Wtime() < until && 0 == test_failures;
        MPI_Allreduce(MPI_IN_PLACE, &more, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    }
    if (0 == test_rank) {
        printf("%d rounds\n", rounds);
    }
    return test_finish();
}
