/* One of several operations that travel together is refused by the target: the completing call tells it, the others
 * are applied, the lock is released, the window stays usable. In a dynamic window, where only the target can know.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mpitest.h"

enum { OPERATIONS = 5, LONG_BYTES = 1 << 20 };

static MPI_Win win;
static MPI_Aint place;   /* of the target's memory */
static MPI_Aint nowhere; /* nothing is attached there */
static unsigned char *large;

/* Five puts or accumulates, the third to nowhere; each to another word. */
static void five(int target, int accumulates, const long *values)
{
    for (int i = 0; i < OPERATIONS; i++) {
        MPI_Aint at = 2 == i ? nowhere : place + i * (MPI_Aint) sizeof(long);

        if (accumulates) {
            MPI_OK(MPI_Accumulate(&values[i], 1, MPI_LONG, target, at, 1, MPI_LONG, MPI_REPLACE, win));
        } else {
            MPI_OK(MPI_Put(&values[i], 1, MPI_LONG, target, at, 1, MPI_LONG, win));
        }
    }
}

static void check_words(int target, const long *values)
{
    long found[OPERATIONS];

    MPI_OK(MPI_Get(found, OPERATIONS, MPI_LONG, target, place, OPERATIONS, MPI_LONG, win));
    MPI_OK(MPI_Win_flush(target, win));
    for (int i = 0; i < OPERATIONS; i++) {
        CHECK(2 == i || values[i] == found[i], "word %d is %ld, not %ld", i, found[i], values[i]);
    }
}

static void check_small(int target, int accumulates, int lock_type)
{
    long values[OPERATIONS], one = 1, old = 0;

    for (int i = 0; i < OPERATIONS; i++) {
        values[i] = rand();
    }
    MPI_OK(MPI_Win_lock(lock_type, target, 0, win));
    five(target, accumulates, values);
    MPI_FAILS(MPI_ERR_RMA_RANGE, MPI_Win_flush(target, win));
    check_words(target, values);
    MPI_OK(MPI_Win_unlock(target, win));

    for (int i = 0; i < OPERATIONS; i++) {
        values[i] = rand();
    }
    MPI_OK(MPI_Win_lock(lock_type, target, 0, win));
    five(target, accumulates, values);
    MPI_FAILS(MPI_ERR_RMA_RANGE, MPI_Win_unlock(target, win));

    /* A lock that was left held would hang this. */
    MPI_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win));
    check_words(target, values);
    MPI_OK(MPI_Fetch_and_op(&one, &old, MPI_LONG, target, nowhere, MPI_SUM, win));
    MPI_OK(MPI_Put(&values[1], 1, MPI_LONG, target, place, 1, MPI_LONG, win));
    MPI_FAILS(MPI_ERR_RMA_RANGE, MPI_Win_flush(target, win));
    values[0] = values[1];
    check_words(target, values);
    MPI_OK(MPI_Win_unlock(target, win));
}

/* The same with an operation that is too long to share a message. */
static void check_large(int target)
{
    long values[OPERATIONS] = {1, 2, 3, 4, 5};

    MPI_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win));
    MPI_OK(MPI_Put(&values[0], 1, MPI_LONG, target, place, 1, MPI_LONG, win));
    MPI_OK(MPI_Put(large, LONG_BYTES, MPI_BYTE, target, nowhere, LONG_BYTES, MPI_BYTE, win));
    MPI_OK(MPI_Put(&values[1], 4, MPI_LONG, target, place + (MPI_Aint) sizeof(long), 4, MPI_LONG, win));
    MPI_FAILS(MPI_ERR_RMA_RANGE, MPI_Win_flush(target, win));
    check_words(target, values);
    MPI_OK(MPI_Get(large, LONG_BYTES, MPI_BYTE, target, nowhere, LONG_BYTES, MPI_BYTE, win));
    MPI_FAILS(MPI_ERR_RMA_RANGE, MPI_Win_flush(target, win));
    MPI_OK(MPI_Accumulate(large, LONG_BYTES, MPI_BYTE, target, nowhere, LONG_BYTES, MPI_BYTE, MPI_BOR, win));
    MPI_FAILS(MPI_ERR_RMA_RANGE, MPI_Win_unlock(target, win));
}

int main(int argc, char **argv)
{
    static long words[OPERATIONS];
    MPI_Aint mine, all[64];

    test_init(&argc, &argv);
    test_refusals = 1;
    large = calloc(1, LONG_BYTES);
    MPI_OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    MPI_OK(MPI_Win_attach(win, words, sizeof(words)));
    MPI_Get_address(words, &mine);
    MPI_Allgather(&mine, 1, MPI_AINT, all, 1, MPI_AINT, MPI_COMM_WORLD);
    for (int target = 0; target < test_size; target++) {
        place = all[target];
        nowhere = place + 4096 * sizeof(long);
        if (target != test_rank && target == test_neighbour(1)) {
            for (int round = 0; round < 20; round++) {
                check_small(target, round % 2, 0 == round % 4 ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE);
            }
            check_large(target);
            check_small(target, 0, MPI_LOCK_EXCLUSIVE);
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_OK(MPI_Win_detach(win, words));
    MPI_OK(MPI_Win_free(&win));
    free(large);
    return test_finish();
}
