/* MPI_Win_create: another size and disp_unit on every process, NULL and zero-size windows, put and get to each.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mpitest.h"

enum { COUNT = 100 };

static int unit_of(int rank)
{
    return 1 << (rank % 3);
}

/* Every fourth process has no memory in the window; the others have a block of COUNT ints for each process. */
static int has_memory(int rank)
{
    return 3 != rank % 4;
}

int main(int argc, char **argv)
{
    int *memory = NULL, *values, *got;
    MPI_Aint size = 0;
    MPI_Win win;

    test_init(&argc, &argv);
    if (has_memory(test_rank)) {
        size = (test_size * COUNT + test_rank) * (MPI_Aint) sizeof(int);
        memory = calloc(1, size);
    }
    values = malloc(test_size * COUNT * sizeof(int));
    got = calloc(test_size * COUNT, sizeof(int));
    MPI_OK(MPI_Win_create(memory, size, unit_of(test_rank), MPI_INFO_NULL, MPI_COMM_WORLD, &win));

    MPI_Win_fence(0, win);
    for (int target = 0; target < test_size; target++) {
        MPI_Aint disp = test_rank * COUNT * (MPI_Aint) sizeof(int) / unit_of(target);

        for (int i = 0; i < COUNT; i++) {
            values[target * COUNT + i] = 10000 * test_rank + 100 * target + i;
        }
        if (has_memory(target)) {
            MPI_OK(MPI_Put(values + target * COUNT, COUNT, MPI_INT, target, disp, COUNT, MPI_INT, win));
        } else {
            MPI_OK(MPI_Put(values, 0, MPI_INT, target, 0, 0, MPI_INT, win));
        }
    }
    MPI_Win_fence(0, win);
    for (int i = 0; has_memory(test_rank) && i < test_size * COUNT; i++) {
        int wanted = 10000 * (i / COUNT) + 100 * test_rank + i % COUNT;

        CHECK(wanted == memory[i], "put: element %d is %d, not %d", i, memory[i], wanted);
    }
    MPI_Win_fence(0, win);
    for (int target = 0; target < test_size; target++) {
        MPI_Aint disp = test_rank * COUNT * (MPI_Aint) sizeof(int) / unit_of(target);

        if (has_memory(target)) {
            MPI_OK(MPI_Get(got + target * COUNT, COUNT, MPI_INT, target, disp, COUNT, MPI_INT, win));
        }
    }
    MPI_Win_fence(0, win);
    for (int i = 0; i < test_size * COUNT; i++) {
        CHECK(!has_memory(i / COUNT) || got[i] == values[i], "get: element %d is %d, not %d", i, got[i], values[i]);
    }
    MPI_OK(MPI_Win_free(&win));
    free(memory);
    free(values);
    free(got);
    return test_finish();
}
