/* Many producers and one consumer, with notification: a ring of places for each producer, in the consumer's window.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Why this synchronization: MPIX_Put_notify raises the producer's counter at the consumer when the item is there, so
 * the consumer waits for one counter and reads. It gives a place back by a notification without data, which raises
 * a counter of the producer. Nobody locks, puts a flag or sends a message. The calls are those of the draft of MPI
 * 5.1, in the library osc_ucp_ext (docs/notified.md).
 *
 * The window has a counter for each producer. It is made with room for so many: mpi_assert_max_num_notify.
 *
 * run:     make notified_queue && mpirun -np 4 --mca osc ucp ./notified_queue
 * output:  1000 items have the sum 500500, as they should
 */

#include <osc_ucp_ext.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { ITEMS = 1000, PLACES = 4 };

/* How many of the items 1 to ITEMS producer p of n makes: p + 1, p + 1 + n, ... */
static int items_of(int p, int n)
{
    return (ITEMS - p - 1) / n + 1;
}

static void produce(int p, int producers, MPI_Win window)
{
    int64_t   item[PLACES];
    MPI_Count free_again;

    for (int i = 0; i < items_of(p, producers); i++) {
        if (i >= PLACES) { /* the place has been read */
            MPIX_Win_notify_wait(window, 0, i - PLACES + 1, &free_again);
        }
        item[i % PLACES] = p + 1 + (int64_t)i * producers;
        MPIX_Put_notify(&item[i % PLACES], 1, MPI_INT64_T, 0, p * PLACES + i % PLACES, 1, MPI_INT64_T, p, window);
        MPI_Win_flush(0, window); /* it leaves now, whatever this process does next */
    }
}

static int64_t consume(const int64_t *place, int producers, MPI_Win window)
{
    int64_t   sum = 0;
    MPI_Count there;

    for (int i = 0; i < items_of(0, producers); i++) {
        for (int p = 0; p < producers; p++) {
            if (i < items_of(p, producers)) {
                MPIX_Win_notify_wait(window, p, i + 1, &there);
                sum += place[p * PLACES + i % PLACES];
                MPIX_Put_notify(NULL, 0, MPI_BYTE, p + 1, 0, 0, MPI_BYTE, 0, window); /* its place is free */
            }
        }
    }
    return sum;
}

int main(int argc, char **argv)
{
    int      me, size, wrong;
    int64_t *place, sum = 0, wanted = (int64_t)ITEMS * (ITEMS + 1) / 2;
    char     counters[16];
    MPI_Info info;
    MPI_Win  window;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int producers = size - 1;

    MPI_Info_create(&info);
    snprintf(counters, sizeof(counters), "%d", producers);
    MPI_Info_set(info, "mpi_assert_max_num_notify", counters);
    MPI_Win_allocate((0 == me ? producers * PLACES : 0) * sizeof(int64_t), sizeof(int64_t), info, MPI_COMM_WORLD,
                     &place, &window);
    MPI_Info_free(&info);
    MPIX_Win_set_num_notify(window, MPI_INFO_NULL, 0 == me ? producers : 1);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, window); /* nobody ever locks exclusively */
    if (0 == me) {
        sum = consume(place, producers, window);
    } else {
        produce(me - 1, producers, window);
    }
    MPI_Win_unlock_all(window);

    wrong = 0 == me && sum != wanted;
    if (0 == me && !wrong) {
        printf("%d items have the sum %lld, as they should\n", ITEMS, (long long)sum);
    } else if (0 == me) {
        printf("wrong: the sum is %lld, and should be %lld\n", (long long)sum, (long long)wanted);
    }
    MPI_Bcast(&wrong, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Win_free(&window);
    MPI_Finalize();
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
