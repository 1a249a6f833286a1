/* A program with every kind of epoch, for trace.sh.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * usage: trace free|open|killed: the window is freed; it is left to MPI_Finalize; or process 1 is killed after 2.5 s
 */

#include <mpi.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

enum { ROUNDS = 20 };

static int     rank, size, value = 1, *memory;
static MPI_Win win;

/** Each process puts to the next one: between post and wait of that one. */
static void ring(void)
{
    int       next = (rank + 1) % size, before = (rank + size - 1) % size, i;
    MPI_Group all, to, from;

    MPI_Win_get_group(win, &all);
    MPI_Group_incl(all, 1, &next, &to);
    MPI_Group_incl(all, 1, &before, &from);
    for (i = 0; i < ROUNDS; i++) {
        MPI_Win_post(from, 0, win);
        MPI_Win_start(to, 0, win);
        MPI_Put(&value, 1, MPI_INT, next, 1, 1, MPI_INT, win);
        MPI_Win_complete(win);
        MPI_Win_wait(win);
    }
    MPI_Group_free(&all);
    MPI_Group_free(&to);
    MPI_Group_free(&from);
}

static void use(void)
{
    MPI_Datatype pair;
    int          got, i;

    MPI_Type_vector(2, 1, 2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    MPI_Win_fence(0, win);
    MPI_Put(&value, 1, MPI_INT, 0, rank, 1, MPI_INT, win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    ring();
    for (i = 0; i < size; i++) {
        MPI_Win_lock(MPI_LOCK_SHARED, i, 0, win);
    }
    MPI_Accumulate(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win);
    MPI_Win_flush(0, win);
    for (i = 0; i < size; i++) {
        MPI_Win_unlock(i, win);
    }
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    MPI_Get(&got, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
    MPI_Win_unlock(0, win);
    MPI_Win_lock_all(0, win);
    MPI_Put(memory, 1, pair, 0, 100, 1, pair, win);
    MPI_Win_flush_all(win);
    MPI_Win_unlock_all(win);
    MPI_Type_free(&pair);
}

int main(int argc, char **argv)
{
    double end;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Win_allocate(4096, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    MPI_Win_set_name(win, "halo \"1\"\\\n\xff");
    use();
    if (0 == strcmp(argv[1], "killed")) {
        for (end = MPI_Wtime() + 2.5; MPI_Wtime() < end;) {
            MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
            MPI_Win_unlock(0, win);
            usleep(1000);
        }
        if (1 == rank) {
            raise(SIGKILL);
        }
        MPI_Win_fence(0, win);
    }
    if (0 == strcmp(argv[1], "free")) {
        MPI_Win_free(&win);
    }
    MPI_Finalize();
    return 0;
}
