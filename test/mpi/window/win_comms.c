/* Windows over MPI_COMM_SELF, halves of the world, and the world in reversed order, all open at the same time.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

/* Everyone adds its world rank + 1 to the last rank of the window, and puts to its right neighbour. */
static void use(struct test_window *window, int round)
{
    long value = test_rank + 1, sum = 0, *memory = (long *) window->base;
    int rank, size, left;

    MPI_Comm_rank(window->comm, &rank);
    MPI_Comm_size(window->comm, &size);
    MPI_Win_lock_all(0, window->win);
    MPI_Accumulate(&value, 1, MPI_LONG, size - 1, test_at(window, size - 1, 0), 1, MPI_LONG, MPI_SUM, window->win);
    MPI_Put(&value, 1, MPI_LONG, (rank + 1) % size, test_at(window, (rank + 1) % size, sizeof(long)), 1, MPI_LONG,
            window->win);
    MPI_Win_unlock_all(window->win);
    MPI_Reduce(&value, &sum, 1, MPI_LONG, MPI_SUM, size - 1, window->comm);
    MPI_Barrier(window->comm);
    MPI_Sendrecv(&test_rank, 1, MPI_INT, (rank + 1) % size, 0, &left, 1, MPI_INT, (rank + size - 1) % size, 0,
                 window->comm, MPI_STATUS_IGNORE);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, window->win);
    CHECK(rank < size - 1 || (round + 1) * sum == memory[0], "the sum is %ld, not %ld", memory[0], (round + 1) * sum);
    CHECK(left + 1 == memory[1], "%ld was put, not %d", memory[1], left + 1);
    memory[1] = 0;
    MPI_Win_unlock(rank, window->win);
    MPI_Barrier(window->comm);
}

int main(int argc, char **argv)
{
    enum { COMMS = 4 };
    MPI_Comm comms[COMMS];
    struct test_window windows[COMMS][TEST_FLAVORS];

    test_init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_SELF, &comms[0]);
    MPI_Comm_split(MPI_COMM_WORLD, test_rank % 2, test_rank, &comms[1]);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -test_rank, &comms[2]);
    MPI_Comm_split(MPI_COMM_WORLD, test_rank < test_size / 2, -test_rank, &comms[3]);
    for (int round = 0; round < 3; round++) {
        for (enum test_flavor flavor = 0; flavor < TEST_FLAVORS; flavor++) {
            for (int i = 0; i < COMMS; i++) {
                if (!test_has_flavor(comms[i], flavor)) {
                    continue;
                }
                if (0 == round) {
                    test_window_open(&windows[i][flavor], flavor, 2 * sizeof(long), MPI_INFO_NULL, comms[i]);
                }
                use(&windows[i][flavor], round);
            }
        }
    }
    for (int i = 0; i < COMMS; i++) {
        for (enum test_flavor flavor = 0; flavor < TEST_FLAVORS; flavor++) {
            if (test_has_flavor(comms[i], flavor)) {
                test_window_close(&windows[i][flavor]);
            }
        }
        MPI_Comm_free(&comms[i]);
    }
    return test_finish();
}
