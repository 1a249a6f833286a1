/* Work stealing: each process has a pile of tasks, tasks make new tasks, and who has none takes half of another's.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Why this synchronization: a steal reads and changes words that belong together, how many tasks there are and the tasks
 * themselves. An exclusive lock keeps everybody else out, also the owner, who takes it as well. The victim takes no
 * part: it may be busy. Within the lock, MPI_Win_flush says that the number has arrived, before the tasks are got.
 * How many tasks are not done yet is one word, which all change by MPI_Fetch_and_op under a shared lock. It is in a
 * window of its own, as a process can hold only one lock on a target at a time.
 *
 * run:     mpicc work_stealing.c -o work_stealing && mpirun -np 4 ./work_stealing
 * output:  all nodes of the tree visited, each once: 1752
 */

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { NODES = 1752 }; /* of the tree, counted without MPI */
enum { DEPTH = 12, FANOUT = 4 };
enum { ROOM = DEPTH * FANOUT }; /* depth first, only siblings along one path wait */

typedef struct {
    int64_t n, tasks[ROOM];
} pile_t;

/* A tree that nobody can divide beforehand: the children of a node depend on its number, whose last digit in base 16 is
 * the depth. Returns how many there are. */
static int expand(int64_t node, int64_t *child)
{
    int n = 0;

    for (int i = 0; i < FANOUT && node % 16 < DEPTH; i++) {
        uint64_t x = (uint64_t)(node * FANOUT + i + 1) * 0x9e3779b97f4a7c15u;

        if (0 == node || (x >> 40) % 100 < 40) {
            child[n++] = (int64_t)(x >> 24) / 16 * 16 + node % 16 + 1;
        }
    }
    return n;
}

/* Add to the number of tasks that are not done, which rank 0 has, and return what it was. */
static int64_t add(int64_t more, MPI_Win undone)
{
    int64_t old;

    MPI_Fetch_and_op(&more, &old, MPI_INT64_T, 0, 0, MPI_SUM, undone);
    MPI_Win_flush(0, undone);
    return old;
}

/* Under the lock: push n tasks on my own pile, with stores, and pop one. False if there is none. */
static int push_and_pop(pile_t *mine, const int64_t *tasks, int64_t n, int64_t *task_p, int me, MPI_Win piles)
{
    int any;

    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, me, 0, piles);
    while (n > 0) {
        mine->tasks[mine->n++] = tasks[--n];
    }
    any = mine->n > 0;
    if (any) {
        *task_p = mine->tasks[--mine->n];
    }
    MPI_Win_unlock(me, piles);
    return any;
}

/* Take the last half of the victim's tasks. Returns how many. */
static int64_t steal(int64_t *loot, int victim, MPI_Win piles)
{
    int64_t n, left;

    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, victim, 0, piles);
    MPI_Get(&n, 1, MPI_INT64_T, victim, offsetof(pile_t, n), 1, MPI_INT64_T, piles);
    MPI_Win_flush(victim, piles);
    left = n / 2;
    MPI_Get(loot, (int)(n - left), MPI_INT64_T, victim, offsetof(pile_t, tasks) + left * sizeof(int64_t),
            (int)(n - left), MPI_INT64_T, piles);
    MPI_Put(&left, 1, MPI_INT64_T, victim, offsetof(pile_t, n), 1, MPI_INT64_T, piles);
    MPI_Win_unlock(victim, piles);
    return n - left;
}

int main(int argc, char **argv)
{
    static int64_t tasks[ROOM]; /* new ones, of my own or stolen, that are not on my pile yet */
    int64_t        node, n = 0, visited = 0, *undone_p;
    int            me, size;
    pile_t        *mine;
    MPI_Win        piles, undone;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Win_allocate(sizeof(pile_t), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &piles);
    MPI_Win_allocate(0 == me ? sizeof(int64_t) : 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &undone_p, &undone);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, me, 0, piles);
    mine->n = 0;
    MPI_Win_unlock(me, piles);
    MPI_Win_lock_all(0, undone);
    if (0 == me) {
        tasks[n++] = 0; /* the root */
        *undone_p = 1;
    }
    MPI_Win_sync(undone);
    MPI_Barrier(MPI_COMM_WORLD); /* nobody steals, or looks for the end, before all is set up */

    for (int victim = me;;) {
        if (push_and_pop(mine, tasks, n, &node, me, piles)) {
            visited++;
            n = expand(node, tasks);
            add(n - 1, undone); /* before a thief can have done them: it must not be zero too early */
        } else if (0 == add(0, undone)) {
            break;
        } else {
            victim = (victim + 1) % size;
            n = victim == me ? 0 : steal(tasks, victim, piles);
        }
    }

    MPI_Win_unlock_all(undone);
    MPI_Allreduce(MPI_IN_PLACE, &visited, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    if (0 == me) {
        printf("%s: %lld\n", NODES == visited ? "all nodes of the tree visited, each once" : "wrong", (long long)visited);
    }
    MPI_Win_free(&undone);
    MPI_Win_free(&piles);
    MPI_Finalize();
    return NODES == visited ? EXIT_SUCCESS : EXIT_FAILURE;
}
