/* Memory is detached while other processes put to it and accumulate on it: when MPI_Win_detach has returned, nobody
 * writes to it any more. Operations that come too late are errors.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mpitest.h"

enum { BYTES = 100000, ROUNDS = 300, LATE_ROUNDS = 12 };

static char *memory;
static MPI_Win win;
static MPI_Aint place[2]; /* address of rank 0's memory, and of a word there that stays attached */

/** Either it is carried out, or the memory is not attached. */
static void check_outcome(int rc)
{
    CHECK(MPI_SUCCESS == rc || MPI_ERR_RMA_RANGE == test_class(rc), "an operation fails with class %d", test_class(rc));
}

static void operate(const char *data, int round)
{
    const int count = round % 3 ? BYTES : 8;
    int late;

    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
    if (round % 2) {
        check_outcome(MPI_Put(data, count, MPI_BYTE, 0, place[0], count, MPI_BYTE, win));
    } else {
        check_outcome(MPI_Accumulate(data, count / 8, MPI_INT64_T, 0, place[0], count / 8, MPI_INT64_T, MPI_SUM, win));
    }
    late = MPI_Win_unlock(0, win);
    check_outcome(late);
}

static void origin(void)
{
    char *data = malloc(BYTES);
    long over = 0;

    memset(data, 1, BYTES);
    for (int round = 0; 0 == over; round++) {
        operate(data, round);
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
        MPI_Get(&over, 1, MPI_LONG, 0, place[1], 1, MPI_LONG, win);
        MPI_Win_unlock(0, win);
    }
    free(data);
}

/** The first byte that is not 0x55, or -1. */
static long touched(void)
{
    for (long i = 0; i < BYTES; i++) {
        if (0x55 != memory[i]) {
            return i;
        }
    }
    return -1;
}

static void owner(long *word)
{
    for (int round = 0; round < ROUNDS && 0 == test_failures; round++) {
        MPI_OK(MPI_Win_attach(win, memory, BYTES));
        test_compute(round % 2 ? 0.001 : 0.0001);
        MPI_OK(MPI_Win_detach(win, memory));
        memset(memory, 0x55, BYTES);
        test_compute(0.0005);
        CHECK(touched() < 0, "byte %ld has changed after the detach of round %d", touched(), round);
    }
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    *word = 1;
    MPI_Win_unlock(0, win);
}

/* Rank 1: operations are under way, kept or not, when their memory is detached, and are completed then. */
static void complete_late(int round)
{
    static char data[BYTES];
    const int   count = round % 3 ? 16 : 1024;
    int         i;

    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
    for (i = 0; i < 4; i++) {
        if (round % 4 < 2) {
            check_outcome(MPI_Put(data, count, MPI_BYTE, 0, place[0] + 2000 * i, count, MPI_BYTE, win));
        } else {
            check_outcome(MPI_Accumulate(data, count / 8, MPI_INT64_T, 0, place[0] + 2000 * i, count / 8, MPI_INT64_T,
                                         MPI_REPLACE, win));
        }
    }
    MPI_Send(NULL, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
    MPI_Recv(NULL, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    check_outcome(MPI_Win_unlock(0, win));
    MPI_Send(NULL, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
}

static void detach_under_way(int round)
{
    static char other;

    MPI_OK(MPI_Win_attach(win, memory, BYTES));
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Recv(NULL, 0, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_OK(MPI_Win_attach(win, &other, 1));
    MPI_OK(MPI_Win_detach(win, memory));
    memset(memory, 0x55, BYTES);
    MPI_Send(NULL, 0, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
    MPI_Recv(NULL, 0, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_OK(MPI_Win_detach(win, &other));
    CHECK(touched() < 0, "byte %ld has changed after the detach of late round %d", touched(), round);
}

static void late(void)
{
    for (int round = 0; round < LATE_ROUNDS; round++) {
        if (0 == test_rank) {
            detach_under_way(round);
        } else {
            MPI_Barrier(MPI_COMM_WORLD);
        }
        if (1 == test_rank) {
            complete_late(round);
        }
    }
}

int main(int argc, char **argv)
{
    static long word;

    test_init(&argc, &argv);
    test_needs(2);
    memory = malloc(BYTES);
    test_refusals = 1;
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    MPI_OK(MPI_Win_attach(win, &word, sizeof(word)));
    MPI_Get_address(memory, &place[0]);
    MPI_Get_address(&word, &place[1]);
    MPI_Bcast(place, 2, MPI_AINT, 0, MPI_COMM_WORLD);
    if (0 == test_rank) {
        owner(&word);
    } else {
        origin();
    }
    late();
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_OK(MPI_Win_detach(win, &word));
    MPI_Win_free(&win);
    free(memory);
    return test_finish();
}
