/* While the target of a long accumulate waits in MPI, it copies the data itself: the origin has the kernel forbid its
 * own copies, and succeeds all the same. So it does if the target is stopped meanwhile for so long that the origin
 * wants to know whether it is still there, which the kernel does not tell.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "forbid.h"
#include "lean.h"
#include "windows.h"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

enum { COUNT = 60000 }; /* so many pairs are handed off at once: on a busy machine each handoff takes luck */

struct pair { double value; int index; };

static struct pair pairs[COUNT];
static double numbers[COUNT];

static void *stop_at; /* a page that the target has protected */

static void stop(int number)
{
    const struct timespec while_others_look = {0, 200000000};

    nanosleep(&while_others_look, NULL);
    if (NULL == stop_at || 0 != mprotect(stop_at, (size_t) sysconf(_SC_PAGESIZE), PROT_READ | PROT_WRITE)) {
        signal(number, SIG_DFL);
    }
    stop_at = NULL;
}

/** Whoever stores in the middle of the own memory stops there, once. */
static void prepare_stop(const struct test_window *window)
{
    const uintptr_t page = (uintptr_t) sysconf(_SC_PAGESIZE);

    stop_at = (void *) (((uintptr_t) window->base + (uintptr_t) window->size / 2) / page * page);
    CHECK(0 == mprotect(stop_at, page, PROT_NONE), "mprotect fails");
    signal(SIGSEGV, stop);
}

/* The target may not be running at the moment: then the origin would copy, and fails. */
static void succeeds(const void *data, MPI_Datatype type, MPI_Op op, const struct test_window *window)
{
    int rc = MPI_ERR_OTHER, flushed = MPI_ERR_OTHER;
    double begin = MPI_Wtime();

    while ((MPI_SUCCESS != rc || MPI_SUCCESS != flushed) && MPI_Wtime() - begin < test_patience()) {
        rc = MPI_Accumulate(data, COUNT, type, 1, test_at(window, 1, 0), COUNT, type, op, window->win);
        flushed = MPI_Win_flush(1, window->win);
    }
    CHECK(MPI_SUCCESS == rc && MPI_SUCCESS == flushed, "%s: the target does not copy",
          test_flavor_name[window->flavor]);
}

static void check(const struct test_window *window)
{
    const struct pair *have = (const struct pair *) window->base;
    int wrong = 0;

    if (1 == test_rank) {
        prepare_stop(window);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (0 == test_rank) {
        succeeds(pairs, MPI_DOUBLE_INT, MPI_REPLACE, window);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; 1 == test_rank && i < COUNT; i++) {
        wrong += pairs[i].value != have[i].value || pairs[i].index != have[i].index;
    }
    CHECK(0 == wrong, "%s: %d pairs are wrong", test_flavor_name[window->flavor], wrong);
    memset(window->base, 0, (size_t) window->size);
    MPI_Barrier(MPI_COMM_WORLD);
    if (0 == test_rank) {
        succeeds(numbers, MPI_DOUBLE, MPI_MAX, window);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    wrong = 1 == test_rank && 0 != memcmp(window->base, numbers, sizeof(numbers));
    CHECK(0 == wrong, "%s: numbers are wrong", test_flavor_name[window->flavor]);
}

int main(int argc, char **argv)
{
    struct test_window windows[2];
    int forbidden;

    test_init(&argc, &argv);
    if (!test_copies_whole() || !test_copies()) {
        test_skip("the kernel does not copy between processes");
    }
    for (int i = 0; i < COUNT; i++) {
        pairs[i] = (struct pair) {1.5 * i, i};
        numbers[i] = 1 + 2.5 * i;
    }
    test_window_open(&windows[0], TEST_CREATE, sizeof(pairs), MPI_INFO_NULL, MPI_COMM_WORLD);
    test_window_open(&windows[1], TEST_DYNAMIC, sizeof(pairs), MPI_INFO_NULL, MPI_COMM_WORLD);
    forbidden = 0 != test_rank || forbid_copies();
    MPI_Bcast(&forbidden, 1, MPI_INT, 0, MPI_COMM_WORLD);
    for (int i = 0; i < 2; i++) {
        MPI_Win_set_errhandler(windows[i].win, MPI_ERRORS_RETURN);
        MPI_Win_lock_all(0, windows[i].win);
        if (forbidden) {
            check(&windows[i]);
        }
        MPI_Win_unlock_all(windows[i].win);
        test_window_close(&windows[i]);
    }
    if (!forbidden) {
        test_skip("this kernel has no seccomp filters");
    }
    return test_finish();
}
