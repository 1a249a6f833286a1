/* The checker tells of stores that hit the bytes of a put before its epoch ends, and of puts that MPI_MODE_NOPUT
 * denies; and of nothing in the correct twins.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "findings.h"

enum { CELLS = 1000, FROM = 0, TO = 1 };

static MPI_Win win;
static MPI_Group from, to;
static int data[CELLS], got[CELLS], *cells;

static void put(int cell, int count)
{
    MPI_Put(data, count, MPI_INT, TO, cell, count, MPI_INT, win);
}

/** One process puts, then the other one stores, or the other way round; `fence` says whether a fence stands between. */
static void in_turn(int store_first, int cell, int count, int fence)
{
    MPI_Win_fence(0, win);
    for (int turn = 0; turn < 2; turn++) {
        if (TO == test_rank && turn == !store_first) {
            cells[cell] = 7;
        } else if (FROM == test_rank && turn == store_first) {
            put(0, count);
        }
        MPI_Barrier(MPI_COMM_WORLD);
        if (0 == turn && fence) {
            MPI_Win_fence(0, win);
        }
    }
    MPI_Win_fence(0, win);
}

static void put_store(void)
{
    in_turn(0, 0, 1, 0);
}

static void put_store_long(void)
{
    in_turn(0, CELLS - 1, CELLS, 0);
}

static void put_store_beside(void)
{
    in_turn(0, CELLS - 1, CELLS - 1, 0);
}

static void put_fence_store(void)
{
    in_turn(0, 0, 1, 1);
}

static void store_put(void)
{
    in_turn(1, 0, 1, 0);
}

/** Others may put already while a process looks at what the fence has ended. */
static void put_in_rounds(void)
{
    MPI_Win_fence(0, win);
    for (int round = 0; round < 200; round++) {
        if (FROM == test_rank) {
            data[0] = round;
            put(0, 1);
        }
        MPI_Win_fence(0, win);
        CHECK(TO != test_rank || round <= cells[0], "round %d: %d", round, cells[0]);
    }
}

static void store_after_sum(void)
{
    MPI_Win_fence(0, win);
    if (FROM == test_rank) {
        MPI_Accumulate(data, 1, MPI_INT, TO, 0, 1, MPI_INT, MPI_SUM, win);
        MPI_Get(got, 1, MPI_INT, TO, 1, 1, MPI_INT, win);
    }
    MPI_Win_fence(0, win);
}

/** `assert` of MPI_Win_post; the target stores before or behind MPI_Win_wait. */
static void exposed(int assert, int update, int early)
{
    if (FROM == test_rank) {
        MPI_Win_start(to, 0, win);
        if (update) {
            put(0, 1);
        } else {
            MPI_Get(got, 1, MPI_INT, TO, 0, 1, MPI_INT, win);
        }
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Win_complete(win);
    } else if (TO == test_rank) {
        MPI_Win_post(from, assert, win);
        MPI_Barrier(MPI_COMM_WORLD);
        cells[0] = early ? 7 : cells[0];
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Win_wait(win);
        cells[0] = 7;
    }
}

static void exposed_store(void)
{
    exposed(0, 1, 1);
}

static void exposed_no_store(void)
{
    exposed(0, 1, 0);
}

static void post_noput_lie(void)
{
    exposed(MPI_MODE_NOPUT, 1, 0);
}

static void post_noput(void)
{
    exposed(MPI_MODE_NOPUT, 0, 0);
}

static void fence_noput(int update)
{
    MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
    MPI_Win_fence(MPI_MODE_NOPUT, win);
    if (FROM == test_rank && update) {
        put(0, 1);
    } else if (FROM == test_rank) {
        MPI_Get(got, 1, MPI_INT, TO, 0, 1, MPI_INT, win);
    }
    MPI_Win_fence(0, win);
    if (FROM == test_rank) {
        put(0, 1);
    }
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
}

static void fence_noput_lie(void)
{
    fence_noput(1);
}

static void fence_noput_true(void)
{
    fence_noput(0);
}

static const struct {
    const char *name;
    void (*run)(void);
    const char *kind; /* of the finding of the target; NULL: the program is correct */
} cases[] = {
    { "put_store", put_store, "put-store" }, { "put_store_long", put_store_long, "put-store" },
    { "put_store_beside", put_store_beside, NULL }, { "put_fence_store", put_fence_store, NULL },
    { "store_put", store_put, NULL }, { "put_in_rounds", put_in_rounds, NULL },
    { "store_after_sum", store_after_sum, NULL }, { "exposed_store", exposed_store, "put-store" },
    { "exposed_no_store", exposed_no_store, NULL }, { "post_noput_lie", post_noput_lie, "assert-lies" },
    { "post_noput", post_noput, NULL }, { "fence_noput_lie", fence_noput_lie, "assert-lies" },
    { "fence_noput_true", fence_noput_true, NULL }
};

int main(int argc, char **argv)
{
    const int ranks[] = { FROM, TO };
    MPI_Group all;

    test_findings_init(&argc, &argv);
    test_needs(2);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 1, &ranks[0], &from);
    MPI_Group_incl(all, 1, &ranks[1], &to);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        MPI_Win_allocate(CELLS * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &cells, &win);
        MPI_Win_set_name(win, cases[i].name);
        memset(cells, 0, CELLS * sizeof(int));
        MPI_Barrier(MPI_COMM_WORLD);
        data[0] = data[CELLS - 1] = 1;
        cases[i].run();
        MPI_Win_free(&win);
        test_findings_are(cases[i].name, TO == test_rank ? cases[i].kind : NULL);
    }
    MPI_Group_free(&all);
    MPI_Group_free(&from);
    MPI_Group_free(&to);
    return test_findings_finish();
}
