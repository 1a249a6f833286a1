/* The unified model: put, accumulate, fetch_and_op show in polled memory whose owner calls nothing; stores show to get.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

enum { ROUNDS = 20 };

/* Ping-pong through two words of each process's memory: the owner polls by load, the other one writes. */
static void poll_for(const volatile long *word, long wanted, MPI_Win win, const char *name)
{
    struct timespec begin, now;
    long seen;

    clock_gettime(CLOCK_MONOTONIC, &begin);
    do {
        seen = *word;
        clock_gettime(CLOCK_MONOTONIC, &now);
        if (MPI_WIN_NULL != win) {
            MPI_Win_sync(win);
        }
    } while (wanted != seen && now.tv_sec - begin.tv_sec < test_patience());
    CHECK(wanted == seen, "%s: at last there is %ld, not %ld", name, seen, wanted);
}

static void send(struct test_window *window, int to, long number, int way)
{
    MPI_Aint disp = test_at(window, to, 0);
    long one = 1, was;

    if (0 == way) {
        MPI_Put(&number, 1, MPI_LONG, to, disp, 1, MPI_LONG, window->win);
    } else if (1 == way) {
        MPI_Accumulate(&one, 1, MPI_LONG, to, disp, 1, MPI_LONG, MPI_SUM, window->win);
    } else {
        MPI_Fetch_and_op(&one, &was, MPI_LONG, to, disp, MPI_SUM, window->win);
    }
    MPI_Win_flush(to, window->win);
}

static void ping_pong(struct test_window *window, int with_sync)
{
    const char *name = test_flavor_name[window->flavor];
    const volatile long *word = (const volatile long *) window->base;
    int other = 1 - test_rank;

    MPI_Win_lock_all(0, window->win);
    for (long number = 1; number <= ROUNDS; number++) {
        if (0 == test_rank) {
            send(window, other, number, number % 3);
        }
        poll_for(word, number, with_sync ? window->win : MPI_WIN_NULL, name);
        if (1 == test_rank) {
            send(window, other, number, number % 3);
        }
    }
    MPI_Win_unlock_all(window->win);
}

/* The owner stores and never calls MPI; the other one gets until it sees the store. */
static void stores(struct test_window *window)
{
    volatile long *memory = (volatile long *) window->base;
    long got = -1, done = 1;

    MPI_Win_lock_all(0, window->win);
    if (1 == test_rank) {
        memory[1] = 77;
        poll_for(&memory[2], 1, MPI_WIN_NULL, "stores");
    } else {
        for (int i = 0; i < 1000000 && 77 != got; i++) {
            MPI_Get(&got, 1, MPI_LONG, 1, test_at(window, 1, sizeof(long)), 1, MPI_LONG, window->win);
            MPI_Win_flush(1, window->win);
        }
        CHECK(77 == got, "%s: the store does not show", test_flavor_name[window->flavor]);
        MPI_Put(&done, 1, MPI_LONG, 1, test_at(window, 1, 2 * sizeof(long)), 1, MPI_LONG, window->win);
        MPI_Win_flush(1, window->win);
    }
    MPI_Win_unlock_all(window->win);
}

int main(int argc, char **argv)
{
    int *model = NULL, found;
    struct test_window window;

    test_init(&argc, &argv);
    test_needs(2);
    for (enum test_flavor flavor = 0; flavor < TEST_FLAVORS; flavor++) {
        for (int with_sync = 0; with_sync < 2 && test_has_flavor(MPI_COMM_WORLD, flavor); with_sync++) {
            test_window_open(&window, flavor, 3 * sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD);
            MPI_Win_get_attr(window.win, MPI_WIN_MODEL, &model, &found);
            if (!found || MPI_WIN_UNIFIED != *model) {
                test_skip("the memory model is the separate one");
            }
            if (test_rank < 2) {
                ping_pong(&window, with_sync);
            }
            MPI_Barrier(MPI_COMM_WORLD);
            if (test_rank < 2) {
                stores(&window);
            }
            test_window_close(&window);
        }
    }
    return test_finish();
}
