/* Work stealing: each process has a pile of tasks, tasks make new tasks, and who has none takes half of another's.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Why this synchronization: a steal changes the number of tasks and the tasks. An exclusive lock keeps all others out,
 * also the owner, who takes it as well. The victim takes no part: it may be busy. MPI_Win_flush says that the number
 * has arrived, before the tasks are got. How many tasks are not done yet is one word, changed by MPI_Fetch_and_op under a
 * shared lock. It is in a window of its own, as a process can hold only one lock on a target at a time.
 *
 * run:     mpicc work_stealing.c -o work_stealing && mpirun -np 4 ./work_stealing
 * output:  all nodes of the tree visited, each once: 1752
 */

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* The tree has NODES, counted without MPI. A pile has ROOM: depth first, only siblings along one path wait. */
enum { DEPTH = 12, FANOUT = 4, NODES = 1752, ROOM = DEPTH * FANOUT, NONE = -1 };

/* Nobody can divide the tree beforehand: a node's number, modulo 16 its depth, says how many children it has. */
static int64_t expand(int64_t node, int64_t *child)
{
    int64_t n = 0;

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

/* Under the lock: push n tasks on my own pile, with stores, and pop one. A pile is the number of its tasks, and behind
 * that the tasks. */
static int64_t push_and_pop(int64_t *mine, const int64_t *tasks, int64_t n, int me, MPI_Win piles)
{
    int64_t task;

    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, me, 0, piles);
    while (n > 0) {
        mine[++mine[0]] = tasks[--n];
    }
    task = mine[0] > 0 ? mine[mine[0]--] : NONE;
    MPI_Win_unlock(me, piles);
    return task;
}

/* Take the last half of the victim's tasks. Returns how many. */
static int64_t steal(int64_t *loot, int victim, MPI_Win piles)
{
    int64_t n, left;

    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, victim, 0, piles);
    MPI_Get(&n, 1, MPI_INT64_T, victim, 0, 1, MPI_INT64_T, piles);
    MPI_Win_flush(victim, piles);
    left = n / 2;
    MPI_Get(loot, (int)(n - left), MPI_INT64_T, victim, 1 + left, (int)(n - left), MPI_INT64_T, piles);
    MPI_Put(&left, 1, MPI_INT64_T, victim, 0, 1, MPI_INT64_T, piles);
    MPI_Win_unlock(victim, piles);
    return n - left;
}

int main(int argc, char **argv)
{
    int64_t tasks[ROOM]; /* new ones, of my own or stolen, that are not on my pile yet */
    int64_t node, n = 0, visited = 0, *mine, *undone_p;
    int me, size;
    MPI_Win piles, undone;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Win_allocate((1 + ROOM) * sizeof(int64_t), sizeof(int64_t), MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &piles);
    MPI_Win_allocate(0 == me ? sizeof(int64_t) : 0, sizeof(int64_t), MPI_INFO_NULL, MPI_COMM_WORLD, &undone_p, &undone);
    mine[0] = 0;
    if (0 == me) {
        tasks[n++] = 0; /* the root */
        *undone_p = 1;
    }
    MPI_Win_fence(MPI_MODE_NOSUCCEED, piles); /* nobody steals, or looks for the end, before all is set up */
    MPI_Win_fence(MPI_MODE_NOSUCCEED, undone);

    MPI_Win_lock_all(0, undone);
    for (int victim = me;;) {
        node = push_and_pop(mine, tasks, n, me, piles);
        if (NONE != node) {
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
        printf("%s: %d\n", NODES == visited ? "all nodes of the tree visited, each once" : "wrong", (int)visited);
    }
    MPI_Win_free(&undone);
    MPI_Win_free(&piles);
    MPI_Finalize();
    return NODES == visited ? EXIT_SUCCESS : EXIT_FAILURE;
}
