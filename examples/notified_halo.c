/* Halo exchange with notification: each neighbour's put raises a counter, and nothing else is sent.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Why this synchronization: halo_flush.c flushes each put and then puts a counter. MPIX_Put_notify raises the counter
 * itself, when its data are there. There is one counter for each side. The calls are those of the draft of MPI 5.1, in
 * the library osc_ucp_ext (docs/notified.md).
 *
 * The halo has a place for even and one for odd steps. A neighbour puts step s + 2 only after it has got my step s + 1,
 * which I send after I have read its step s: so it never overwrites what I still need.
 *
 * run:     make notified_halo && mpirun -np 4 --mca osc ucp ./notified_halo
 * output:  after 100 steps 64 numbers have the sum 2080, as at the start, and are mixed as without MPI
 */

#include <osc_ucp_ext.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 64, STEPS = 100 };
enum { LEFT, RIGHT, SIDES };

/* Put the value into the halo of the neighbour, for which I am on side "side". */
static void send(const int64_t *value, int neighbour, int side, int s, MPI_Win window)
{
    MPIX_Put_notify(value, 1, MPI_INT64_T, neighbour, SIDES * (s % 2) + side, 1, MPI_INT64_T, side, window);
}

/* Wait until the neighbour on side "side" has put its value of step s. */
static void await(int side, int s, MPI_Win window)
{
    MPI_Count arrived;

    MPIX_Win_notify_wait(window, side, s + 1, &arrived);
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
    int      me, size, wrong = 0;
    int64_t  all[N], u[N], sum = 0;
    int64_t *halo; /* [step is odd][side] */
    MPI_Win  window;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int first = N * me / size, n = N * (me + 1) / size - first, left = (me + size - 1) % size, right = (me + 1) % size;
    for (int i = 0; i < N; i++) {
        all[i] = i + 1;
    }
    memcpy(u, all + first, n * sizeof(int64_t));

    MPI_Win_allocate(2 * SIDES * sizeof(int64_t), sizeof(int64_t), MPI_INFO_NULL, MPI_COMM_WORLD, &halo, &window);
    MPIX_Win_set_num_notify(window, MPI_INFO_NULL, SIDES); /* nobody puts before all counters are zero */
    MPI_Win_lock_all(MPI_MODE_NOCHECK, window);            /* nobody ever locks exclusively */
    for (int s = 0; s < STEPS; s++) {
        const int64_t first_value = u[0], last_value = u[n - 1];

        send(&first_value, left, RIGHT, s, window);
        send(&last_value, right, LEFT, s, window);
        await(LEFT, s, window);
        await(RIGHT, s, window);
        MPI_Win_flush_local_all(window); /* the values may change */
        mix(u, n, halo[SIDES * (s % 2) + LEFT], halo[SIDES * (s % 2) + RIGHT]);
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
