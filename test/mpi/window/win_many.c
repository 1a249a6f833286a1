/* Windows come and go: 300 made, used and freed one after the other, then 50 at the same time.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

enum { IN_TURN = 300, AT_ONCE = 50 };

static void use(struct test_window *window, int number)
{
    int right = test_neighbour(1);
    long value = 1000 * number + test_rank;

    MPI_Win_fence(MPI_MODE_NOPRECEDE, window->win);
    MPI_Put(&value, 1, MPI_LONG, right, test_at(window, right, 0), 1, MPI_LONG, window->win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window->win);
    CHECK(1000 * number + test_neighbour(-1) == *(long *) window->base, "window %d: %ld was put", number,
          *(long *) window->base);
}

int main(int argc, char **argv)
{
    static struct test_window windows[AT_ONCE];
    enum test_flavor flavors[TEST_FLAVORS];
    int count = 0;

    test_init(&argc, &argv);
    for (enum test_flavor flavor = 0; flavor < TEST_FLAVORS; flavor++) {
        if (test_has_flavor(MPI_COMM_WORLD, flavor)) {
            flavors[count++] = flavor;
        }
    }
    for (int i = 0; i < IN_TURN; i++) {
        test_window_open(&windows[0], flavors[i % count], sizeof(long) << i % 10, MPI_INFO_NULL, MPI_COMM_WORLD);
        use(&windows[0], i);
        test_window_close(&windows[0]);
    }
    for (int i = 0; i < AT_ONCE; i++) {
        test_window_open(&windows[i], flavors[i % count], sizeof(long) << i % 10, MPI_INFO_NULL, MPI_COMM_WORLD);
    }
    for (int i = 0; i < AT_ONCE; i++) {
        use(&windows[i * 7 % AT_ONCE], i);
    }
    for (int i = 0; i < AT_ONCE; i++) {
        test_window_close(&windows[i * 3 % AT_ONCE]);
    }
    return test_finish();
}
