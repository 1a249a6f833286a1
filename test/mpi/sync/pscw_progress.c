/* Figures 11.6 and 11.8: mutual puts of any size do not deadlock; complete does not wait for the target's wait.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

enum { MOST = 1 << 20 };

static unsigned char data[MOST];

/* post, start, put, complete, wait on both sides at once. */
static void symmetric(struct test_window *window, MPI_Group other, int peer, int size, int round)
{
    long wrong;

    test_fill(data, size, test_rank, round);
    MPI_OK(MPI_Win_post(other, 0, window->win));
    MPI_OK(MPI_Win_start(other, 0, window->win));
    MPI_OK(MPI_Put(data, size, MPI_BYTE, peer, test_at(window, peer, 0), size, MPI_BYTE, window->win));
    MPI_OK(MPI_Win_complete(window->win));
    memset(data, 0, size); /* complete at the origin */
    MPI_OK(MPI_Win_wait(window->win));
    wrong = test_differs(window->base, size, peer, round);
    CHECK(wrong < 0, "%s: %d bytes: byte %ld is wrong", test_flavor_name[window->flavor], size, wrong);
}

/* Process 0: start, put, complete, send. Process 1: post, receive, wait; it is blocked in the receive meanwhile. */
static void crossed(struct test_window *window, MPI_Group other, int peer, int round)
{
    int token = round;
    long wrong;

    if (0 == test_rank) {
        test_fill(data, MOST, 0, round);
        MPI_OK(MPI_Win_start(other, 0, window->win));
        MPI_OK(MPI_Put(data, MOST, MPI_BYTE, peer, test_at(window, peer, 0), MOST, MPI_BYTE, window->win));
        MPI_OK(MPI_Win_complete(window->win));
        MPI_Ssend(&token, 1, MPI_INT, peer, 7, MPI_COMM_WORLD);
    } else {
        MPI_OK(MPI_Win_post(other, 0, window->win));
        MPI_Recv(&token, 1, MPI_INT, peer, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_OK(MPI_Win_wait(window->win));
        wrong = test_differs(window->base, MOST, peer, round);
        CHECK(wrong < 0, "%s: byte %ld is wrong", test_flavor_name[window->flavor], wrong);
    }
}

int main(int argc, char **argv)
{
    int peer, sizes[] = {8, 4000, 70000, MOST};
    struct test_window window;
    MPI_Group all, other;

    test_init(&argc, &argv);
    test_needs(2);
    peer = 1 - test_rank;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    for (enum test_flavor flavor = 0; flavor < TEST_FLAVORS; flavor++) {
        if (!test_has_flavor(MPI_COMM_WORLD, flavor)) {
            continue;
        }
        test_window_open(&window, flavor, MOST, MPI_INFO_NULL, MPI_COMM_WORLD);
        if (test_rank < 2) {
            MPI_Group_incl(all, 1, &peer, &other);
            for (int round = 0; round < 8; round++) {
                symmetric(&window, other, peer, sizes[round % 4], round);
                crossed(&window, other, peer, round);
            }
            MPI_Group_free(&other);
        }
        test_window_close(&window);
    }
    MPI_Group_free(&all);
    return test_finish();
}
