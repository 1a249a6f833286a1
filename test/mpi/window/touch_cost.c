/* What a process on another host costs that is touched: one connection, and 16 KiB of malloc on both sides together.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Memory is an average over the processes. Resident memory would not show it: malloc uses again what was freed. The
 * first processes that are touched do not count: UCX's buffers come with them, once, and packets that are kept.
 */
#include "windows.h"

#include <malloc.h>

enum { FIRST = 8, MEMORY = 64, TOUCHED_KIB = 16 };

/** KiB, on average over all processes, when all have come here. */
static double in_use(void)
{
    struct mallinfo2 info = mallinfo2();
    double           mine = (double) (info.uordblks + info.hblkhd) / 1024, sum;

    MPI_OK(MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
    return sum / test_size;
}

/** A handle counts from where it was opened: it stays open. */
static struct test_counter connections_counter;

/** Connections that this process has opened. */
static unsigned long long connections(void)
{
    CHECK(connections_counter.open, "there is no osc_ucp_connections");
    return test_counter_read(&connections_counter);
}

/** Open MPI connects all processes: its collective operations may at any time. */
static void meet(void)
{
    int mine = test_rank, other;

    for (int i = 1; i < test_size; i++) {
        MPI_OK(MPI_Sendrecv(&mine, 1, MPI_INT, (test_rank + i) % test_size, 0, &other, 1, MPI_INT,
                            (test_rank + test_size - i) % test_size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    }
}

/** Put to the ranks from `first` to `last` behind this one. So each process is touched by as many. */
static void touch(struct test_window *window, int first, int last)
{
    static const char one = 1;

    MPI_OK(MPI_Win_lock_all(0, window->win));
    for (int i = first; i <= last; i++) {
        int target = (test_rank + i) % test_size;

        MPI_OK(MPI_Put(&one, 1, MPI_BYTE, target, test_at(window, target, 0), 1, MPI_BYTE, window->win));
    }
    MPI_OK(MPI_Win_unlock_all(window->win));
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    struct test_window window;
    double             before, grown;
    unsigned long long opened;
    int                n, provided;

    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    test_init(&argc, &argv);
    test_needs_no_report();
    test_counter_open(&connections_counter, "osc_ucp_connections");
    n = test_size - 1 - FIRST;
    meet();
    for (enum test_flavor flavor = TEST_CREATE; flavor <= TEST_ALLOCATE; flavor++) {
        test_window_open(&window, flavor, MEMORY, MPI_INFO_NULL, MPI_COMM_WORLD);
        touch(&window, 1, FIRST);
        opened = connections();
        before = in_use();
        touch(&window, FIRST + 1, test_size - 1);
        opened = connections() - opened;
        grown  = (in_use() - before) / n;
        CHECK(grown <= TOUCHED_KIB, "%s: a touched process takes %.1f KiB", test_flavor_name[flavor], grown);
        /* The making of the window may have connected the last one of a barrier's rounds. */
        CHECK(opened <= (unsigned long long) n, "%s: %llu connections for %d processes", test_flavor_name[flavor],
              opened, n);
        CHECK(TEST_CREATE != flavor || opened >= (unsigned long long) n - 1, "only %llu connections are counted",
              opened);
        test_window_close(&window);
    }
    test_counter_close(&connections_counter);
    MPI_T_finalize();
    return test_finish();
}
