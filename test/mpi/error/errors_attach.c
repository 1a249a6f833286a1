/* Attach of memory that overlaps, detach of what is not attached: MPI_ERR_RMA_ATTACH; all else stays attached.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mpitest.h"

enum { WORDS = 64 };

static long memory[3 * WORDS]; /* the middle third is attached */

static void check_attach(MPI_Win win)
{
    char *start = (char *) (memory + WORDS);
    const MPI_Aint size = WORDS * sizeof(long);

    MPI_OK(MPI_Win_attach(win, start, size));
    MPI_FAILS(MPI_ERR_RMA_ATTACH, MPI_Win_attach(win, start, size));
    MPI_FAILS(MPI_ERR_RMA_ATTACH, MPI_Win_attach(win, start + 8, 8));
    MPI_FAILS(MPI_ERR_RMA_ATTACH, MPI_Win_attach(win, start - 8, 9));
    MPI_FAILS(MPI_ERR_RMA_ATTACH, MPI_Win_attach(win, start + size - 1, 16));
    MPI_FAILS(MPI_ERR_RMA_ATTACH, MPI_Win_attach(win, memory, sizeof(memory)));
    /* What touches it is no overlap. */
    MPI_OK(MPI_Win_attach(win, start - 8, 8));
    MPI_OK(MPI_Win_attach(win, start + size, 8));
}

static void check_detach(MPI_Win win)
{
    char *start = (char *) (memory + WORDS);
    const MPI_Aint size = WORDS * sizeof(long);
    int other = 0;

    MPI_FAILS(MPI_ERR_RMA_ATTACH, MPI_Win_detach(win, &other));
    MPI_FAILS(MPI_ERR_RMA_ATTACH, MPI_Win_detach(win, start + 8)); /* inside, but not what was attached */
    MPI_OK(MPI_Win_detach(win, start - 8));
    MPI_FAILS(MPI_ERR_RMA_ATTACH, MPI_Win_detach(win, start - 8));
    MPI_OK(MPI_Win_detach(win, start + size));
}

/* Empty memory overlaps nothing, and is detached as often as it was attached. */
static void check_empty(MPI_Win win)
{
    char *start = (char *) (memory + WORDS);

    for (int i = 0; i < 3; i++) {
        MPI_OK(MPI_Win_attach(win, start, 0));
        MPI_OK(MPI_Win_attach(win, start + 1, 0));
    }
    for (int i = 0; i < 3; i++) {
        MPI_OK(MPI_Win_detach(win, start + 1));
    }
    MPI_FAILS(MPI_ERR_RMA_ATTACH, MPI_Win_detach(win, start + 1));
    for (int i = 0; i < 3; i++) {
        MPI_OK(MPI_Win_detach(win, start));
    }
    MPI_FAILS(MPI_ERR_RMA_ATTACH, MPI_Win_detach(win, start));
}

/* Everybody adds to the neighbour's memory, under a lock that must be free. */
static void use(MPI_Win win, const MPI_Aint *addresses)
{
    int target = test_neighbour(1);
    long one = 1;

    MPI_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win));
    MPI_OK(MPI_Accumulate(&one, 1, MPI_LONG, target, addresses[target], 1, MPI_LONG, MPI_SUM, win));
    MPI_OK(MPI_Win_unlock(target, win));
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    MPI_Aint address, *addresses;
    MPI_Win win;

    test_init(&argc, &argv);
    addresses = malloc(test_size * sizeof(MPI_Aint));
    MPI_Get_address(memory + WORDS, &address);
    MPI_Allgather(&address, 1, MPI_AINT, addresses, 1, MPI_AINT, MPI_COMM_WORLD);
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    check_empty(win);
    for (int round = 1; round < 4; round++) {
        check_attach(win);
        MPI_Barrier(MPI_COMM_WORLD);
        use(win, addresses);
        check_detach(win);
        use(win, addresses);
        CHECK(2 * round == memory[WORDS], "the sum is %ld, not %d", memory[WORDS], 2 * round);
        MPI_OK(MPI_Win_detach(win, memory + WORDS));
    }
    MPI_OK(MPI_Win_free(&win));
    free(addresses);
    return test_finish();
}
