/* MPI_Win_allocate: other sizes on every process, zero included; aligned memory, put and get to all of it.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mpitest.h"

/* Words of process `rank`; the last process has none if there are others. */
static int words_of(int rank)
{
    return rank > 0 && rank == test_size - 1 ? 0 : 1 + rank * 37;
}

static void check_window(int unit)
{
    long *memory = NULL, value, wanted;
    MPI_Win win;

    MPI_OK(MPI_Win_allocate(words_of(test_rank) * sizeof(long), unit, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win));
    CHECK(0 == words_of(test_rank) || NULL != memory, "no memory");
    CHECK(0 == (uintptr_t) memory % 8, "memory at %p is not aligned", (void *) memory);
    MPI_Win_fence(0, win);
    for (int i = 0; i < words_of(test_rank); i++) {
        memory[i] = 1000 * test_rank + i;
    }
    MPI_Win_fence(0, win);
    /* Every process reads the first and the last word of all others, then writes the last but for its rank. */
    for (int target = 0; target < test_size; target++) {
        int last = words_of(target) - 1;

        if (last < 0) {
            continue;
        }
        MPI_Get(&value, 1, MPI_LONG, target, last * (MPI_Aint) sizeof(long) / unit, 1, MPI_LONG, win);
        MPI_Win_fence(0, win);
        CHECK(1000 * target + last == value, "the last word of %d is %ld", target, value);
        if (test_rank == (target + 1) % test_size) {
            wanted = -target;
            MPI_Put(&wanted, 1, MPI_LONG, target, last * (MPI_Aint) sizeof(long) / unit, 1, MPI_LONG, win);
        }
        MPI_Win_fence(0, win);
        CHECK(target != test_rank || -target == memory[last], "the put gave %ld", memory[last]);
    }
    MPI_OK(MPI_Win_free(&win));
}

int main(int argc, char **argv)
{
    test_init(&argc, &argv);
    for (int unit = 1; unit <= 8; unit *= 2) {
        check_window(unit);
    }
    return test_finish();
}
