/* The checker tells of results that the program changes before their operation is complete, where that shows: in
 * windows that it loads from. And of nothing in the correct twins.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "findings.h"

enum { CELLS = 64 };

static MPI_Win win;
static int one = 1, results[CELLS], target;

static void get_written(int before)
{
    MPI_Get(results, 4, MPI_INT, target, 0, 4, MPI_INT, win);
    if (before) {
        results[3] = 7;
    }
    MPI_Win_flush_local(target, win);
    results[3] = 8;
}

static void get_early(void)
{
    get_written(1);
}

static void get_late(void)
{
    get_written(0);
}

static void rget_written(int before)
{
    MPI_Request request;

    MPI_Rget(results, 4, MPI_INT, target, 0, 4, MPI_INT, win, &request);
    if (before) {
        results[0] = 7;
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    results[0] = 8;
}

static void rget_early(void)
{
    rget_written(1);
}

static void rget_late(void)
{
    rget_written(0);
}

static void fetch_early(void)
{
    MPI_Fetch_and_op(&one, results, MPI_INT, target, 0, MPI_SUM, win);
    results[0] = 7;
    MPI_Win_flush(target, win);
}

static void fetch_beside(void)
{
    MPI_Fetch_and_op(&one, results, MPI_INT, target, 0, MPI_SUM, win);
    results[1] = 7;
    MPI_Win_flush(target, win);
}

static const struct {
    const char *name;
    void (*run)(void);
    const char *kind; /* of the finding; NULL: the program is correct */
} cases[] = {
    { "get_early", get_early, "buffer-changed" }, { "get_late", get_late, NULL },
    { "rget_early", rget_early, "buffer-changed" }, { "rget_late", rget_late, NULL },
    { "fetch_early", fetch_early, "buffer-changed" }, { "fetch_beside", fetch_beside, NULL }
};

int main(int argc, char **argv)
{
    int *base;

    test_findings_init(&argc, &argv);
    test_needs(2);
    target = test_neighbour(1);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        MPI_Win_allocate(CELLS * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
        MPI_Win_set_name(win, cases[i].name);
        memset(base, 0, CELLS * sizeof(int));
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Win_lock_all(0, win);
        cases[i].run();
        MPI_Win_unlock_all(win);
        MPI_Win_free(&win);
        test_findings_are(cases[i].name, cases[i].kind);
    }
    return test_findings_finish();
}
