/* Long operations between processes of one node on memory that they cannot map: every kind, several pieces, elements
 * with gaps, all processes at once on the same elements, and ranges that are not attached.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mpitest.h"

enum { INTS = 700001, PAIRS = 90001 }; /* more than a mebibyte, no multiple of anything */
enum { PART = 15000 };

typedef struct { double value; int index; } pair_t;

static int    *ints, *mine, *got;
static pair_t *pairs, *my_pairs, *got_pairs;

static int pair_is(const pair_t *pair, double value, int index)
{
    return pair->value == value && pair->index == index;
}

/** Writes to the neighbour, reads back. */
static void put_get(MPI_Win win, int target, MPI_Aint disp)
{
    for (int i = 0; i < INTS; i++) {
        mine[i] = i ^ test_rank;
        got[i]  = -1;
    }
    MPI_OK(MPI_Put(mine + 1, INTS - 2, MPI_INT, target, disp + 4, INTS - 2, MPI_INT, win));
    MPI_OK(MPI_Win_flush(target, win));
    MPI_OK(MPI_Get(got, INTS, MPI_INT, target, disp, INTS, MPI_INT, win));
    MPI_OK(MPI_Win_flush(target, win));
    for (int i = 1; i < INTS - 1; i++) {
        CHECK(mine[i] == got[i], "put and get: %d is %d", i, got[i]);
    }
    CHECK(0 == got[0] && 0 == got[INTS - 1], "put: too much was written");
}

/** All add to rank 0's elements, and each sees every sum once. */
static void sums(MPI_Win win, MPI_Aint disp)
{
    MPI_Request request;
    long        seen = 0, all;

    for (int i = 0; i < INTS; i++) {
        mine[i] = 1;
    }
    MPI_OK(MPI_Accumulate(mine, INTS, MPI_INT, 0, disp, INTS, MPI_INT, MPI_SUM, win));
    MPI_OK(MPI_Rget_accumulate(mine, INTS, MPI_INT, got, INTS, MPI_INT, 0, disp, INTS, MPI_INT, MPI_SUM, win,
                               &request));
    MPI_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    MPI_OK(MPI_Win_flush(0, win));
    for (int i = 0; i < INTS; i++) {
        CHECK(got[i] >= 1 && got[i] < 2 * test_size, "sum: %d was %d", i, got[i]);
    }
    MPI_OK(MPI_Barrier(MPI_COMM_WORLD));
    MPI_OK(MPI_Get_accumulate(NULL, 0, MPI_INT, got, INTS, MPI_INT, 0, disp, INTS, MPI_INT, MPI_NO_OP, win));
    MPI_OK(MPI_Win_flush(0, win));
    for (int i = 0; i < INTS; i++) {
        seen += 2 * test_size == got[i];
    }
    MPI_Allreduce(&seen, &all, 1, MPI_LONG, MPI_MIN, MPI_COMM_WORLD);
    CHECK(INTS == all, "sum: %ld of %d elements are right", all, INTS);
}

/** Elements with gaps. */
static void largest(MPI_Win win, int target, MPI_Aint disp)
{
    for (int i = 0; i < PAIRS; i++) {
        my_pairs[i] = (pair_t) { i % 3, i };
    }
    MPI_OK(MPI_Accumulate(my_pairs, PAIRS, MPI_DOUBLE_INT, target, disp, PAIRS, MPI_DOUBLE_INT, MPI_MAXLOC, win));
    MPI_OK(MPI_Get_accumulate(my_pairs, PAIRS, MPI_DOUBLE_INT, got_pairs, PAIRS, MPI_DOUBLE_INT, target, disp, PAIRS,
                              MPI_DOUBLE_INT, MPI_REPLACE, win));
    MPI_OK(MPI_Win_flush(target, win));
    for (int i = 0; i < PAIRS; i++) {
        CHECK(pair_is(&got_pairs[i], i % 3 ? i % 3 : 0, i % 3 ? i : 0), "maxloc: %d is %g, %d", i, got_pairs[i].value,
              got_pairs[i].index);
    }
}

/** The last element is not attached, in what goes as one piece: nothing is written. */
static void refused(MPI_Win win, int target, MPI_Aint disp)
{
    int rc, later;

    MPI_OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    memset(mine, 0x77, INTS * sizeof(int));
    rc    = MPI_Put(mine, PART, MPI_INT, target, disp + 4 * (INTS - PART + 1), PART, MPI_INT, win);
    later = MPI_Win_flush(target, win);
    CHECK(MPI_ERR_RMA_RANGE == test_class(MPI_SUCCESS != rc ? rc : later), "a put out of range: %d, %d", rc, later);
    rc    = MPI_Accumulate(mine, PART, MPI_INT, target, disp + 4 * (INTS - PART + 1), PART, MPI_INT, MPI_REPLACE, win);
    later = MPI_Win_flush(target, win);
    CHECK(MPI_ERR_RMA_RANGE == test_class(MPI_SUCCESS != rc ? rc : later), "an accumulate out of range: %d, %d", rc,
          later);
}

/** One window whose memory begins at disp[rank]. */
static void window_test(MPI_Win win, const MPI_Aint *disps, const MPI_Aint *pair_disps)
{
    int next = test_neighbour(1);

    MPI_OK(MPI_Win_lock_all(0, win));
    put_get(win, next, disps[next]);
    largest(win, next, pair_disps[next]);
    MPI_OK(MPI_Barrier(MPI_COMM_WORLD));
    if (0 == test_rank) {
        memset(ints, 0, INTS * sizeof(int));
        MPI_OK(MPI_Win_sync(win));
    }
    MPI_OK(MPI_Barrier(MPI_COMM_WORLD));
    sums(win, disps[0]);
    MPI_OK(MPI_Win_unlock_all(win));
    MPI_OK(MPI_Barrier(MPI_COMM_WORLD));
}

static void clear(void)
{
    memset(ints, 0, INTS * sizeof(int));
    memset(pairs, 0, PAIRS * sizeof(*pairs));
}

int main(int argc, char **argv)
{
    MPI_Aint here[2], *there, *disps, bytes;
    MPI_Win  win;
    char    *memory;

    test_init(&argc, &argv);
    test_refusals = 1;
    bytes     = INTS * sizeof(int) + PAIRS * sizeof(pair_t) + 64;
    memory    = calloc(1, (size_t) bytes);
    ints      = (int *) memory;
    pairs     = (pair_t *) (memory + (INTS * sizeof(int) + 63) / 64 * 64);
    mine      = calloc(INTS, sizeof(int));
    got       = calloc(INTS, sizeof(int));
    my_pairs  = calloc(PAIRS, sizeof(pair_t));
    got_pairs = calloc(PAIRS, sizeof(pair_t));
    there     = calloc(4 * (size_t) test_size, sizeof(MPI_Aint));
    disps     = there + 2 * test_size;

    for (int i = 0; i < test_size; i++) {
        disps[test_size + i] = (char *) pairs - memory;
    }
    MPI_OK(MPI_Win_create(memory, bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    window_test(win, disps, disps + test_size);
    MPI_OK(MPI_Win_free(&win));

    clear();
    MPI_OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    MPI_OK(MPI_Win_attach(win, ints, INTS * sizeof(int)));
    MPI_OK(MPI_Win_attach(win, pairs, PAIRS * sizeof(pair_t)));
    MPI_Get_address(ints, &here[0]);
    MPI_Get_address(pairs, &here[1]);
    MPI_Allgather(here, 2, MPI_AINT, there, 2, MPI_AINT, MPI_COMM_WORLD);
    for (int i = 0; i < test_size; i++) {
        disps[i]             = there[2 * i];
        disps[test_size + i] = there[2 * i + 1];
    }
    window_test(win, disps, disps + test_size);
    clear();
    MPI_OK(MPI_Barrier(MPI_COMM_WORLD));
    MPI_OK(MPI_Win_lock_all(0, win));
    refused(win, test_neighbour(1), disps[test_neighbour(1)]);
    MPI_OK(MPI_Win_unlock_all(win));
    MPI_OK(MPI_Barrier(MPI_COMM_WORLD));
    for (int i = 0; i < INTS; i++) {
        CHECK(0 == ints[i], "%d was written", i);
    }
    MPI_OK(MPI_Win_free(&win));
    free(there);
    free(memory);
    free(mine);
    free(got);
    free(my_pairs);
    free(got_pairs);
    return test_finish();
}
