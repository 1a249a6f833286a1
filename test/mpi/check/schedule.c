/* osc_ucp_check_schedule: what a program relies on without right fails, and what it may rely on holds.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

enum { CELLS = 1024, TRIES = 64 };

static struct test_window window;
static int cells[CELLS], next; /* of the neighbour, to which all put */

static void put(const int *buffer, int count, int cell)
{
    MPI_OK(MPI_Put(buffer, count, MPI_INT, next, cell, count, MPI_INT, window.win));
}

static void flush(void)
{
    MPI_OK(MPI_Win_flush(next, window.win));
}

/** What is in a cell of the neighbour, or in several. */
static int read_cell(int cell)
{
    MPI_OK(MPI_Get(&cells[cell], 1, MPI_INT, next, cell, 1, MPI_INT, window.win));
    flush();
    return cells[cell];
}

static int own(int cell)
{
    return ((volatile int *) window.base)[cell];
}

/** A buffer that the program changes too early. */
static void origin_late(void)
{
    int value = 1, got;

    put(&value, 1, 0);
    value = 2;
    flush();
    got = read_cell(0);
    CHECK(2 == got, "a put read its buffer before it had to: %d", got);
}

static void result_late(void)
{
    int value = 5, result = -1;

    put(&value, 1, 1);
    flush();
    MPI_OK(MPI_Get(&result, 1, MPI_INT, next, 1, 1, MPI_INT, window.win));
    CHECK(-1 == *(volatile int *) &result, "the result of a get is there before the flush");
    MPI_OK(MPI_Win_flush_local(next, window.win));
    CHECK(5 == result, "after the flush the result is %d", result);
}

/** flush_local gives the buffer back, and nothing more: seen in the own memory, as nothing else may complete it. */
static void flush_local_only(void)
{
    int value = 3;

    MPI_OK(MPI_Put(&value, 1, MPI_INT, test_rank, 2, 1, MPI_INT, window.win));
    MPI_OK(MPI_Win_flush_local(test_rank, window.win));
    value = 4;
    CHECK(0 == own(2), "a put has arrived before the flush");
    MPI_OK(MPI_Win_flush(test_rank, window.win));
    CHECK(3 == own(2), "a put read its buffer after flush_local: %d", own(2));
}

static void requests_late(void)
{
    int value = 1, result = -1, done = 0, got;
    MPI_Request request;

    MPI_OK(MPI_Rput(&value, 1, MPI_INT, next, 3, 1, MPI_INT, window.win, &request));
    value = 2;
    MPI_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    value = 3;
    flush();
    got = read_cell(3);
    CHECK(2 == got, "a put with a request brought %d", got);
    MPI_OK(MPI_Rget(&result, 1, MPI_INT, next, 3, 1, MPI_INT, window.win, &request));
    CHECK(-1 == *(volatile int *) &result, "the result is there before the request is complete");
    while (!done) {
        MPI_OK(MPI_Request_get_status(request, &done, MPI_STATUS_IGNORE));
    }
    MPI_OK(MPI_Test(&request, &done, MPI_STATUS_IGNORE));
    CHECK(2 == result && done, "the request is complete, and the result is %d", result);
    MPI_OK(MPI_Rget_accumulate(NULL, 0, MPI_INT, &result, 1, MPI_INT, next, 3, 1, MPI_INT, MPI_NO_OP, window.win,
                               &request));
    flush();
    MPI_OK(MPI_Test(&request, &done, MPI_STATUS_IGNORE));
    CHECK(done, "a flush leaves a request that is not complete");
}

/** Puts are in no order, and not whole; accumulates of one process are in theirs. */
static void orders(void)
{
    const int ones[8] = {1, 1, 1, 1, 1, 1, 1, 1}, twos[8] = {2, 2, 2, 2, 2, 2, 2, 2};
    int firsts = 0, mixed = 0, sum;

    for (int i = 0; i < TRIES; i++) {
        put(ones, 8, 8);
        put(twos, 8, 8);
        MPI_OK(MPI_Accumulate(&ones[0], 1, MPI_INT, next, 4, 1, MPI_INT, MPI_REPLACE, window.win));
        MPI_OK(MPI_Accumulate(&twos[0], 1, MPI_INT, next, 4, 1, MPI_INT, MPI_REPLACE, window.win));
        flush();
        CHECK(2 == read_cell(4), "accumulates were carried out in the wrong order");
        sum = 0;
        for (int j = 8; j < 16; j++) {
            sum += read_cell(j);
        }
        firsts += 8 == sum;
        mixed += 8 != sum && 16 != sum;
    }
    CHECK(firsts > 0 && firsts + mixed < TRIES, "puts were always in one order");
    CHECK(mixed > 0, "a put was always whole");
}

/** More than are kept, and types that the program frees at once. */
static void many(void)
{
    MPI_Datatype type;

    for (int i = 0; i < CELLS; i++) {
        cells[i] = i;
    }
    for (int i = 0; i < CELLS; i += 2) {
        MPI_Type_vector(2, 1, 1, MPI_INT, &type);
        MPI_Type_commit(&type);
        MPI_OK(MPI_Put(&cells[i], 1, type, next, i, 1, type, window.win));
        MPI_Type_free(&type);
    }
    flush();
    for (int i = 0; i < CELLS; i++) {
        CHECK(i == read_cell(i), "cell %d is wrong", i);
    }
}

int main(int argc, char **argv)
{
    setenv("OMPI_MCA_osc_ucp_check_schedule", "11", 0);
    test_init(&argc, &argv);
    next = test_neighbour(1);
    test_window_open_unit(&window, TEST_ALLOCATE, sizeof(cells), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD);
    MPI_OK(MPI_Win_lock_all(0, window.win));
    origin_late();
    result_late();
    flush_local_only();
    requests_late();
    orders();
    MPI_OK(MPI_Barrier(MPI_COMM_WORLD));
    many();
    MPI_OK(MPI_Win_unlock_all(window.win));
    test_window_close(&window);
    return test_finish();
}
