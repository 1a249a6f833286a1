/* A program with every kind of epoch, for trace.sh.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * usage: trace free|open|killed|spawn: the window is freed; it is left to MPI_Finalize; process 1 is killed after
 * 2.5 s; or the only process spawns two, and its locks of them overlap
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

/** Locks of both children: the first one begins first, and ends first. */
static void lock_both(void)
{
    MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
    usleep(2000);
    MPI_Win_lock(MPI_LOCK_SHARED, 2, 0, win);
    usleep(2000);
    MPI_Win_unlock(1, win);
    usleep(2000);
    MPI_Win_unlock(2, win);
}

/** A window of the parent, which is rank 0, and its children. */
static void family(const char *program, MPI_Comm parent)
{
    MPI_Comm between = parent, all;
    char    *spawned[] = { "spawn", NULL };

    if (MPI_COMM_NULL == parent) {
        MPI_Comm_spawn(program, spawned, 2, MPI_INFO_NULL, 0, MPI_COMM_SELF, &between, MPI_ERRCODES_IGNORE);
    }
    MPI_Intercomm_merge(between, MPI_COMM_NULL != parent, &all);
    MPI_Win_allocate(4096, sizeof(int), MPI_INFO_NULL, all, &memory, &win);
    if (MPI_COMM_NULL == parent) {
        lock_both();
    }
    MPI_Win_free(&win);
    MPI_Comm_free(&all);
    MPI_Comm_disconnect(&between);
}

int main(int argc, char **argv)
{
    double   end;
    MPI_Comm parent;

    MPI_Init(&argc, &argv);
    if (0 == strcmp(argv[1], "spawn")) {
        MPI_Comm_get_parent(&parent);
        family(argv[0], parent);
        MPI_Finalize();
        return 0;
    }
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
