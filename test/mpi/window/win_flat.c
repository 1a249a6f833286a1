/* Memory and descriptors stay as they are while windows come and go: 10,000 one after the other, and 1,000 at once
 * twice.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "flat.h"
#include "windows.h"

enum { IN_TURN = 10000, AT_ONCE = 1000, WARM = 1000, ALLOWED = 2048 /* KiB; one window kept would be 6 each */ };

static void use(struct test_window *window)
{
    int right = test_neighbour(1);
    long one = 1;

    MPI_Win_lock(MPI_LOCK_SHARED, right, 0, window->win);
    MPI_Accumulate(&one, 1, MPI_LONG, right, test_at(window, right, 0), 1, MPI_LONG, MPI_SUM, window->win);
    MPI_Win_unlock(right, window->win);
}

static void in_turn(const enum test_flavor *flavors, int count, int windows)
{
    struct test_window window;

    for (int i = 0; i < windows; i++) {
        test_window_open(&window, flavors[i % count], 64, MPI_INFO_NULL, MPI_COMM_WORLD);
        use(&window);
        test_window_close(&window);
    }
}

static void at_once(const enum test_flavor *flavors, int count)
{
    static struct test_window windows[AT_ONCE];

    for (int i = 0; i < AT_ONCE; i++) {
        test_window_open(&windows[i], flavors[i % count], 64, MPI_INFO_NULL, MPI_COMM_WORLD);
    }
    for (int i = 0; i < AT_ONCE; i++) {
        use(&windows[i]);
    }
    for (int i = 0; i < AT_ONCE; i++) {
        test_window_close(&windows[i]);
    }
}

static void compare(const char *what, long kib, int fds)
{
    long now = flat_memory();

    CHECK(now - kib <= ALLOWED, "%s: %ld KiB became %ld", what, kib, now);
    CHECK(flat_descriptors() <= fds, "%s: %d descriptors became %d", what, fds, flat_descriptors());
    if (0 == test_rank) {
        printf("%s: %ld KiB more, %d descriptors more\n", what, now - kib, flat_descriptors() - fds);
    }
}

int main(int argc, char **argv)
{
    enum test_flavor flavors[TEST_FLAVORS];
    int count = 0, fds;
    long kib;

    test_init(&argc, &argv);
    for (enum test_flavor flavor = 0; flavor < TEST_FLAVORS; flavor++) {
        if (TEST_SHARED != flavor && test_has_flavor(MPI_COMM_WORLD, flavor)) { /* a segment each is Open MPI's */
            flavors[count++] = flavor;
        }
    }
    at_once(flavors, count);
    kib = flat_memory();
    fds = flat_descriptors();
    at_once(flavors, count);
    compare("1,000 windows at once", kib, fds);
    in_turn(flavors, count, WARM);
    kib = flat_memory();
    fds = flat_descriptors();
    in_turn(flavors, count, IN_TURN);
    compare("10,000 windows in turn", kib, fds);
    return test_finish();
}
