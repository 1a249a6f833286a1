/* What calls on windows cost each process, as counts and not as times: for contrib/scale.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * usage: scale CASE...
 *
 * A case runs once, and then FEW or MANY times more. A row "row,CASE,K,PHASE,QUANTITY,MEAN,MAX" has the mean and the
 * maximum over all processes. Phases: "first" is what the first run has added, "again" what each later one adds,
 * "total" what there is more than after MPI_Init.
 */

#include "count.h"
#include "ended.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** Runs after the first one. Whoever sends what asks for no reply asks for one with about every eleventh message to a
 *  target (docs/protocol.md): where that is so, a mean takes MANY runs. */
enum { FEW = 4, MANY = 66 };

enum { WINDOWS = 32, BYTES = 4096, TARGETS_MAX = 64 };

static int                 rank, size;
static struct scale_counts start;

/** What is on other hosts; on one host, all others. */
static struct {
    int *targets, n;                /**< ranks for this process, nearest first */
    int *distances, num_distances;  /**< from each rank to one that is far, for all ranks and in both directions */
} far;

/** A window, how many targets a case uses, and how often it runs again. */
struct place {
    char   *memory;
    MPI_Win win;
    int     k, runs;
};

/** Print what is in `last` and not in `first`, over `runs` runs, of those processes that take part. */
static void rows(const char *name, int k, const char *phase, const struct scale_counts *first,
                 const struct scale_counts *last, int runs, int part)
{
    double mine[SCALE_QUANTITIES], sum[SCALE_QUANTITIES], most[SCALE_QUANTITIES];
    int    parts;

    for (int i = 0; i < SCALE_QUANTITIES; i++) {
        mine[i] = part ? (last->value[i] - first->value[i]) / runs : 0;
    }
    MPI_Reduce(&part, &parts, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Reduce(mine, sum, SCALE_QUANTITIES, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Reduce(mine, most, SCALE_QUANTITIES, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    for (int i = 0; 0 == rank && i < SCALE_QUANTITIES; i++) {
        printf("row,%s,%d,%s,%s,%.6g,%.6g\n", name, k, phase, scale_names[i], sum[i] / parts, most[i]);
    }
}

static void window_open(struct place *place)
{
    MPI_Win_allocate(BYTES, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &place->memory, &place->win);
    scale_watch(place->win);
}

static void window_close(struct place *place)
{
    scale_watch(MPI_WIN_NULL);
    MPI_Win_free(&place->win);
}

/** Number the hosts, and find far targets and distances: on other hosts, unless there is only one. */
static void find_far(void)
{
    int *host = malloc((size_t) size * sizeof(*host)), mine = rank, alone;
    MPI_Comm node;

    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_size(node, &alone);
    alone = alone == size;
    MPI_Bcast(&mine, 1, MPI_INT, 0, node);
    MPI_Comm_free(&node);
    MPI_Allgather(&mine, 1, MPI_INT, host, 1, MPI_INT, MPI_COMM_WORLD);
    far.targets   = malloc((size_t) size * sizeof(*far.targets));
    far.distances = malloc((size_t) size * sizeof(*far.distances));
    for (int i = 1; i < size; i++) {
        if (alone || host[rank] != host[(rank + i) % size]) {
            far.targets[far.n++] = (rank + i) % size;
        }
    }
    for (int i = 1, ok; 2 * i < size; i++) {
        ok = 1;
        for (int other = 0; other < size; other++) {
            ok = ok && (alone || host[other] != host[(other + i) % size]);
        }
        if (ok) {
            far.distances[far.num_distances++] = i;
        }
    }
    free(host);
}

/** Have Open MPI connect all processes, as its collective operations may at any time: that is not to be counted. */
static void meet(void)
{
    int mine = rank, other;

    for (int i = 1; i < size; i++) {
        MPI_Sendrecv(&mine, 1, MPI_INT, (rank + i) % size, 0, &other, 1, MPI_INT, (rank + size - i) % size, 0,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

static void put(const struct place *place, int to)
{
    static char byte;

    MPI_Put(&byte, 1, MPI_BYTE, to, rank % BYTES, 1, MPI_BYTE, place->win);
}

static void put_to_targets(const struct place *place)
{
    for (int i = 0; i < place->k; i++) {
        put(place, far.targets[i]);
    }
}

static void fence(const struct place *place)
{
    MPI_Win_fence(0, place->win);
}

static void neighbours(const struct place *place)
{
    put(place, (rank + 1) % size);
    put(place, (rank + size - 1) % size);
    MPI_Win_fence(0, place->win);
}

static void lock_all(const struct place *place)
{
    MPI_Win_lock_all(0, place->win);
    put_to_targets(place);
    MPI_Win_unlock_all(place->win);
}

static void all_to_all(const struct place *place)
{
    MPI_Win_lock_all(0, place->win);
    for (int i = 1; i < size; i++) {
        put(place, (rank + i) % size);
    }
    MPI_Win_unlock_all(place->win);
}

static void flush_all(const struct place *place)
{
    put_to_targets(place);
    MPI_Win_flush_all(place->win);
}

static void incast(const struct place *place)
{
    if (0 != rank) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, place->win);
        put(place, 0);
        MPI_Win_unlock(0, place->win);
    }
}

/** With k ranks, half of them on each side. */
static void pscw(const struct place *place)
{
    int       ranks[TARGETS_MAX], k = place->k;
    MPI_Group all, some;

    for (int i = 0; i < k; i++) {
        ranks[i] = (rank + (i % 2 ? size - far.distances[i / 2] : far.distances[i / 2])) % size;
    }
    MPI_Win_get_group(place->win, &all);
    MPI_Group_incl(all, k, ranks, &some);
    MPI_Win_post(some, 0, place->win);
    MPI_Win_start(some, 0, place->win);
    for (int i = 0; i < k; i++) {
        put(place, ranks[i]);
    }
    MPI_Win_complete(place->win);
    MPI_Win_wait(place->win);
    MPI_Group_free(&some);
    MPI_Group_free(&all);
}

/** Run a body, and print its rows: for incast apart for the origins and for the target. */
static void measure(const char *name, void (*body)(const struct place *), const struct place *place)
{
    struct scale_counts before, first, again;
    int                 split = incast == body, root = 0 == rank;

    MPI_Barrier(MPI_COMM_WORLD);
    before = scale_count();
    MPI_Barrier(MPI_COMM_WORLD);
    body(place);
    MPI_Barrier(MPI_COMM_WORLD);
    first = scale_count();
    for (int i = 0; i < place->runs; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        body(place);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    again = scale_count();
    MPI_Barrier(MPI_COMM_WORLD); /* nobody counts what the reductions do */
    for (int target_side = 0; target_side <= split; target_side++) {
        const char *part = target_side ? "incast target" : name;
        int         k    = target_side ? size - 1 : place->k;
        int         in   = !split || target_side == root;

        rows(part, k, "first", &before, &first, 1, in);
        rows(part, k, "again", &first, &again, place->runs, in);
        rows(part, k, "total", &start, &again, 1, in);
    }
}

static struct scale_counts windows_make(MPI_Win *win)
{
    char *memory;

    for (int i = 0; i < WINDOWS; i++) {
        MPI_Win_allocate(BYTES, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win[i]);
    }
    return scale_count();
}

/** Free the windows. What nobody had counted yet would be counted with what the others do next. */
static struct scale_counts windows_free(MPI_Win *win)
{
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < WINDOWS; i++) {
        MPI_Win_free(&win[i]);
    }
    return scale_count();
}

/** Make many windows, and free them, twice: the first time, what is made for all windows comes with it. */
static void run_create(void)
{
    static MPI_Win      win[WINDOWS];
    struct scale_counts before = scale_count(), made, freed;

    made = windows_make(win);
    rows("create", 0, "first", &before, &made, 1, 1);
    (void) windows_free(win);
    MPI_Barrier(MPI_COMM_WORLD);
    before = scale_count();
    made   = windows_make(win);
    rows("create", 0, "again", &before, &made, WINDOWS, 1);
    before = scale_count();
    freed  = windows_free(win);
    rows("free", 0, "again", &before, &freed, WINDOWS, 1);
}

/** A case: with which numbers of targets it runs. */
static const struct scale_case {
    const char *name;
    void      (*body)(const struct place *);
    int         k[9]; /**< ended by a negative number; ALL: all other processes */
    enum { NONE, FENCE, LOCK_ALL } epoch; /**< open around all runs */
    int         runs;
} cases[] = {
#define ALL 1000000
    { "fence", fence, { 0, -1 }, FENCE, MANY },
    { "fence neighbours", neighbours, { 2, -1 }, FENCE, MANY },
    { "pscw", pscw, { 2, 4, 8, -1 }, NONE, MANY },
    { "incast", incast, { 1, -1 }, NONE, FEW },
    { "lock_all", lock_all, { 0, 1, 2, 4, 8, 16, 32, 64, -1 }, NONE, FEW },
    { "flush_all", flush_all, { 1, 2, 4, 8, 16, 32, 64, -1 }, LOCK_ALL, FEW },
    { "all to all", all_to_all, { ALL, -1 }, NONE, FEW },
};

static int possible(const struct scale_case *one, int k)
{
    if (pscw == one->body) {
        return k / 2 <= far.num_distances;
    }
    return k <= (lock_all == one->body || flush_all == one->body ? far.n : size - 1);
}

static void run_case(const struct scale_case *one)
{
    struct place place;
    int          k;

    place.runs = one->runs;
    window_open(&place);
    if (FENCE == one->epoch) {
        MPI_Win_fence(MPI_MODE_NOPRECEDE, place.win);
    } else if (LOCK_ALL == one->epoch) {
        MPI_Win_lock_all(0, place.win);
    }
    for (int i = 0; (k = one->k[i]) >= 0; i++) {
        place.k = ALL == k ? size - 1 : k;
        if (possible(one, place.k)) {
            measure(one->name, one->body, &place);
        }
    }
    if (FENCE == one->epoch) {
        MPI_Win_fence(MPI_MODE_NOSUCCEED, place.win);
    } else if (LOCK_ALL == one->epoch) {
        MPI_Win_unlock_all(place.win);
    }
    window_close(&place);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    find_far();
    meet();
    scale_count_begin();
    MPI_Barrier(MPI_COMM_WORLD);
    start = scale_count();
    for (int i = 1; i < argc; i++) {
        if (0 == strcmp("create", argv[i])) {
            run_create();
        }
        for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
            if (0 == strcmp(cases[j].name, argv[i])) {
                run_case(&cases[j]);
            }
        }
    }
    scale_count_end();
    free(far.targets);
    free(far.distances);
    MPI_Finalize();
    return 0;
}
