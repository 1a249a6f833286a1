/* Post, start, complete, wait: a ring and all-to-all groups, 200 epochs, MPI_MODE_NOCHECK, test, empty groups.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

enum { EPOCHS = 200 };

static MPI_Group group_of(MPI_Win win, int count, const int *ranks)
{
    MPI_Group all, group;

    MPI_Win_get_group(win, &all);
    MPI_Group_incl(all, count, ranks, &group);
    MPI_Group_free(&all);
    return group;
}

static void wait_for(MPI_Win win, int by_test)
{
    int done = 0;

    if (!by_test) {
        MPI_Win_wait(win);
        return;
    }
    while (!done) {
        MPI_Win_test(win, &done);
    }
}

/* Each process writes one word to each of `targets` and is written by each of `origins`. */
static void epoch(struct test_window *window, MPI_Group origins, MPI_Group targets, int from, int to, int number)
{
    const long *memory = (const long *) window->base;
    int nocheck = number % 2 ? MPI_MODE_NOCHECK : 0;
    long value = 1000 * number + test_rank;

    MPI_Win_post(origins, nocheck, window->win);
    if (nocheck) {
        MPI_Barrier(MPI_COMM_WORLD); /* with NOCHECK all posts must come before the starts */
    }
    MPI_Win_start(targets, nocheck, window->win);
    for (int distance = from; distance <= to; distance++) {
        int target = test_neighbour(distance);

        MPI_Put(&value, 1, MPI_LONG, target, test_at(window, target, test_rank * sizeof(long)), 1, MPI_LONG,
                window->win);
    }
    MPI_Win_complete(window->win);
    value = -1;
    wait_for(window->win, number % 3);
    for (int distance = from; distance <= to; distance++) {
        int origin = test_neighbour(-distance);

        CHECK(1000 * number + origin == memory[origin], "%s, epoch %d: %ld from %d", test_flavor_name[window->flavor],
              number, memory[origin], origin);
    }
}

int main(int argc, char **argv)
{
    struct test_window window;
    MPI_Group left, right, all;
    int neighbour;

    test_init(&argc, &argv);
    for (enum test_flavor flavor = 0; flavor < TEST_FLAVORS; flavor++) {
        if (!test_has_flavor(MPI_COMM_WORLD, flavor)) {
            continue;
        }
        test_window_open(&window, flavor, test_size * sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD);
        neighbour = test_neighbour(-1);
        left = group_of(window.win, 1, &neighbour);
        neighbour = test_neighbour(1);
        right = group_of(window.win, 1, &neighbour);
        MPI_Win_get_group(window.win, &all);
        for (int number = 0; number < EPOCHS; number++) {
            epoch(&window, left, right, 1, 1, number);
        }
        for (int number = EPOCHS; number < EPOCHS + 20; number++) {
            epoch(&window, all, all, 0, test_size - 1, number);
        }
        epoch(&window, MPI_GROUP_EMPTY, MPI_GROUP_EMPTY, 1, 0, 0);
        MPI_Group_free(&left);
        MPI_Group_free(&right);
        MPI_Group_free(&all);
        test_window_close(&window);
    }
    return test_finish();
}
