/* Dynamic windows: what a target refuses shows in MPI_Win_complete at the latest; its own epoch ends all the same, with
 * what it did not refuse, also when that is long.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mpitest.h"

enum { WORDS = 20000, ROUNDS = 60 };

static long memory[WORDS], values[WORDS];

int main(int argc, char **argv)
{
    int right, left;
    MPI_Aint address, *addresses;
    MPI_Group all, origin, target;
    MPI_Win win;

    test_init(&argc, &argv);
    test_refusals = 1;
    right = test_neighbour(1);
    left = test_neighbour(-1);
    addresses = malloc(test_size * sizeof(MPI_Aint));
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 1, &left, &origin);
    MPI_Group_incl(all, 1, &right, &target);
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    MPI_OK(MPI_Win_attach(win, memory, sizeof(memory)));
    MPI_Get_address(memory, &address);
    MPI_Allgather(&address, 1, MPI_AINT, addresses, 1, MPI_AINT, MPI_COMM_WORLD);
    for (long round = 1; round <= ROUNDS; round++) {
        int count = 0 == round % 3 ? WORDS : 1, bad = MPI_SUCCESS, rc;
        long first, last;

        values[0] = values[WORDS - 1] = 100 * round + test_rank;
        MPI_OK(MPI_Win_post(origin, 0, win));
        MPI_OK(MPI_Win_start(target, 0, win));
        if (0 == round % 2) { /* the word behind what is attached */
            bad = MPI_Put(values, 1, MPI_LONG, right, addresses[right] + sizeof(memory), 1, MPI_LONG, win);
        }
        MPI_OK(MPI_Put(values, count, MPI_LONG, right, addresses[right], count, MPI_LONG, win));
        rc = MPI_Win_complete(win);
        rc = MPI_SUCCESS != bad ? bad : rc;
        CHECK((0 == round % 2 ? MPI_ERR_RMA_RANGE : MPI_SUCCESS) == test_class(rc), "round %ld: error class %d", round,
              test_class(rc));
        MPI_OK(MPI_Win_wait(win));
        first = *(volatile long *) memory;
        last = *(volatile long *) (memory + WORDS - 1);
        CHECK(100 * round + left == first, "round %ld: %ld", round, first);
        CHECK(100 * (round - round % 3) + (round < 3 ? 0 : left) == last, "round %ld: the last is %ld", round, last);
    }
    MPI_OK(MPI_Win_detach(win, memory));
    MPI_Win_free(&win);
    MPI_Group_free(&all);
    MPI_Group_free(&origin);
    MPI_Group_free(&target);
    free(addresses);
    return test_finish();
}
