/* Halo exchange with MPI_Win_lock_all and MPI_Win_flush: each process waits for its neighbours' data and nobody else.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Why this synchronization: one lock for the whole program, no call in which processes wait for each other. A process
 * puts its edge, flushes (now it has arrived), and then adds 1 to a counter at the neighbour (now the neighbour knows).
 * Neighbours may be a step apart. This suits programs whose neighbours or pace change from step to step.
 *
 * The halo has a place for even and one for odd steps. A neighbour puts step s + 2 only after it has got my step s + 1,
 * which I send after I have read its step s: so it never overwrites what I still need.
 * The owner reads the counter with MPI_Fetch_and_op, as a plain load could race with the update of a neighbour.
 * MPI_Win_sync then makes the halo visible to plain loads.
 *
 * run:     mpicc halo_flush.c -o halo_flush && mpirun -np 4 ./halo_flush
 * output:  after 100 steps 64 numbers have the sum 2080, as at the start, and are mixed as without MPI
 */

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 64, STEPS = 100 };
enum { LEFT, RIGHT };

typedef struct {
    int64_t arrived[2]; /* how many values the left and the right neighbour have put */
    int64_t halo[2][2]; /* [step is odd][side] */
} mailbox_t;

/* Put the value into the halo of the neighbour, for which I am on side "side", and then say that it is there. */
static void send(const int64_t *value, int neighbour, int side, int s, MPI_Win window)
{
    const int64_t one = 1;
    MPI_Aint      where = offsetof(mailbox_t, halo) + (2 * (s % 2) + side) * sizeof(int64_t);

    MPI_Put(value, 1, MPI_INT64_T, neighbour, where, 1, MPI_INT64_T, window);
    MPI_Win_flush(neighbour, window);
    where = offsetof(mailbox_t, arrived) + side * sizeof(int64_t);
    MPI_Accumulate(&one, 1, MPI_INT64_T, neighbour, where, 1, MPI_INT64_T, MPI_SUM, window);
    MPI_Win_flush(neighbour, window);
}

/* Wait until the neighbour on side "side" has put its value of step s. */
static void await(int me, int side, int s, MPI_Win window)
{
    MPI_Aint where = offsetof(mailbox_t, arrived) + side * sizeof(int64_t);
    int64_t  arrived;

    do {
        MPI_Fetch_and_op(NULL, &arrived, MPI_INT64_T, me, where, MPI_NO_OP, window);
        MPI_Win_flush(me, window);
    } while (arrived <= s);
}

/* Each number of the ring gives a quarter of itself to each side; integers, so that not even rounding differs. */
static void mix(int64_t *u, int n, int64_t left, int64_t right)
{
    for (int i = 0; i < n; i++) {
        int64_t mine = u[i], next = i < n - 1 ? u[i + 1] : right;

        u[i] = mine - 2 * (mine / 4) + left / 4 + next / 4;
        left = mine;
    }
}

int main(int argc, char **argv)
{
    int        me, size, wrong = 0;
    int64_t    all[N], u[N], sum = 0;
    mailbox_t *mailbox;
    MPI_Win    window;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int first = N * me / size, n = N * (me + 1) / size - first, left = (me + size - 1) % size, right = (me + 1) % size;
    for (int i = 0; i < N; i++) {
        all[i] = i + 1;
    }
    memcpy(u, all + first, n * sizeof(int64_t));

    MPI_Win_allocate(sizeof(mailbox_t), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &mailbox, &window);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, window); /* nobody ever locks exclusively */
    memset(mailbox, 0, sizeof(mailbox_t));
    MPI_Win_sync(window);
    MPI_Barrier(MPI_COMM_WORLD); /* nobody puts before the counters are zero */
    for (int s = 0; s < STEPS; s++) {
        const int64_t first_value = u[0], last_value = u[n - 1];

        send(&first_value, left, RIGHT, s, window);
        send(&last_value, right, LEFT, s, window);
        await(me, LEFT, s, window);
        await(me, RIGHT, s, window);
        MPI_Win_sync(window);
        mix(u, n, mailbox->halo[s % 2][LEFT], mailbox->halo[s % 2][RIGHT]);
    }
    MPI_Win_unlock_all(window);

    for (int s = 0; s < STEPS; s++) {
        mix(all, N, all[N - 1], all[0]);
    }
    for (int i = 0; i < N; i++) {
        sum += all[i];
        wrong += i >= first && i < first + n && all[i] != u[i - first];
    }
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (0 == me && 0 == wrong) {
        printf("after %d steps %d numbers have the sum %lld, as at the start, and are mixed as without MPI\n", STEPS, N,
               (long long)sum);
    } else if (0 == me) {
        printf("wrong: %d numbers differ from those without MPI\n", wrong);
    }
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0 == wrong ? EXIT_SUCCESS : EXIT_FAILURE;
}
