/* More than 2^31 bytes in one operation: put, accumulate, get_accumulate and get, contiguous and derived counts.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The origin's type reads the same row again and again, so that only the target and the result are large.
 */
#include "windows.h"

enum { ROW = 1 << 18, ROWS = 1025, SAMPLE = 61 };

static const MPI_Aint words = (MPI_Aint) ROW * ROWS; /* 2 GiB and 2 MiB */

/* `count` rows in the same place. */
static MPI_Datatype same_row(void)
{
    MPI_Datatype row, type;

    MPI_Type_contiguous(ROW, MPI_LONG, &row);
    MPI_Type_create_resized(row, 0, 0, &type);
    MPI_Type_commit(&type);
    MPI_Type_free(&row);
    return type;
}

/* A row of the target, as halves in the other order. */
static MPI_Datatype turned_row(void)
{
    int lengths[2] = {ROW / 2, ROW / 2}, places[2] = {ROW / 2, 0};
    MPI_Datatype type;

    MPI_Type_indexed(2, lengths, places, MPI_LONG, &type);
    MPI_Type_commit(&type);
    return type;
}

static void check(const long *values, long factor, const char *what)
{
    MPI_Aint wrong = -1;

    for (MPI_Aint i = 0; wrong < 0 && i < words; i += i < words - SAMPLE ? SAMPLE : 1) {
        MPI_Aint in_row = (i % ROW + ROW / 2) % ROW;

        wrong = factor * in_row != values[i] ? i : -1;
    }
    CHECK(wrong < 0, "%s: word %ld is wrong: %ld", what, (long) wrong, wrong < 0 ? 0 : values[wrong]);
}

int main(int argc, char **argv)
{
    long *memory = NULL, *row, *result;
    MPI_Datatype from, to, whole;
    MPI_Win win;
    int target;

    test_init(&argc, &argv);
    target = test_size - 1;
    MPI_Win_allocate(target == test_rank ? words * sizeof(long) : 0, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD,
                     &memory, &win);
    if (0 == test_rank) {
        from = same_row();
        to = turned_row();
        MPI_Type_contiguous(ROW, MPI_LONG, &whole);
        MPI_Type_commit(&whole);
        row = malloc(ROW * sizeof(long));
        result = malloc(words * sizeof(long));
        for (int i = 0; i < ROW; i++) {
            row[i] = i;
        }
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win);
        MPI_OK(MPI_Put(row, ROWS, from, target, 0, ROWS, to, win));
        MPI_OK(MPI_Win_flush(target, win));
        MPI_OK(MPI_Accumulate(row, ROWS, from, target, 0, ROWS, to, MPI_SUM, win));
        MPI_OK(MPI_Get_accumulate(row, ROWS, from, result, ROWS, whole, target, 0, ROWS, whole, MPI_NO_OP, win));
        MPI_OK(MPI_Win_flush(target, win));
        check(result, 2, "get_accumulate");
        result[0] = result[words - 1] = -1;
        MPI_OK(MPI_Get(result, ROWS, whole, target, 0, ROWS, whole, win));
        MPI_OK(MPI_Win_unlock(target, win));
        check(result, 2, "get");
        MPI_Type_free(&from);
        MPI_Type_free(&to);
        MPI_Type_free(&whole);
        free(row);
        free(result);
    }
    MPI_Win_free(&win);
    return test_finish();
}
