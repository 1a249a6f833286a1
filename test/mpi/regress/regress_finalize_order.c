/* MPI_Finalize with windows left open that each process comes to in its own order: the orders make a circle.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Each process shares one window with the process above, and one with the process below. Open MPI frees windows that
 * are left by their places in its table, and gives a new window the lowest place that is free. A window that is freed
 * again keeps a place until the second window is made.
 */
#include "deadline.h"
#include "windows.h"

enum { NO_LOCKS = TEST_FLAVORS, KINDS };

static struct test_window left[KINDS][2];

/** Put to the other process of the window; no epoch stays open. */
static void use(const struct test_window *window, int kind)
{
    static const long value = 7;
    int rank, other;

    MPI_Comm_rank(window->comm, &rank);
    other = 1 - rank;
    if (NO_LOCKS == kind) {
        MPI_OK(MPI_Win_fence(MPI_MODE_NOPRECEDE, window->win));
    } else {
        MPI_OK(MPI_Win_lock(MPI_LOCK_SHARED, other, 0, window->win));
    }
    MPI_OK(MPI_Put(&value, 1, MPI_LONG, other, test_at(window, other, 0), 1, MPI_LONG, window->win));
    MPI_OK(NO_LOCKS == kind ? MPI_Win_fence(MPI_MODE_NOSUCCEED, window->win) : MPI_Win_unlock(other, window->win));
}

/** Leave a window of the processes `low` and the one above open. */
static void leave(int kind, int low, MPI_Info info)
{
    enum test_flavor flavor = NO_LOCKS == kind ? TEST_CREATE : (enum test_flavor) kind;
    int is_low = test_rank == low, is_high = test_rank == (low + 1) % test_size;
    struct test_window place;
    MPI_Comm pair;

    MPI_Comm_split(MPI_COMM_WORLD, is_low || is_high ? 0 : MPI_UNDEFINED, test_rank, &pair);
    if (MPI_COMM_NULL == pair || !test_has_flavor(pair, flavor)) {
        return;
    }
    if (is_high && test_rank > 0) {
        test_window_open(&place, TEST_ALLOCATE, 8, MPI_INFO_NULL, MPI_COMM_SELF);
    }
    test_window_open(&left[kind][is_low], flavor, sizeof(long), info, pair);
    use(&left[kind][is_low], kind);
    if (is_high && test_rank > 0) {
        test_window_close(&place);
    }
}

int main(int argc, char **argv)
{
    MPI_Info info;

    test_init(&argc, &argv);
    test_needs(2);
    MPI_Info_create(&info);
    MPI_Info_set(info, "no_locks", "true");
    for (int kind = 0; kind < KINDS; kind++) {
        for (int low = 0; low < test_size; low++) {
            leave(kind, low, NO_LOCKS == kind ? info : MPI_INFO_NULL);
        }
    }
    MPI_Info_free(&info);
    MPI_OK(MPI_Barrier(MPI_COMM_WORLD));
    if (1 == test_rank) {
        test_compute(0.2); /* the others wait in MPI_Finalize */
    }
    test_deadline("MPI_Finalize", 0);
    return test_finish();
}
