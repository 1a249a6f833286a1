/* The operations with notification for large counts, which Open MPI has from 6.0 on.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

#include "osc_ucp_ext.h"

#ifdef OSC_UCP_EXT_LARGE_COUNTS

enum { WORDS = 4000, CALLS = 8 };

static struct test_window window;
static long data[WORDS], got[WORDS], old[WORDS], zeros[WORDS];

static MPI_Aint place(int call)
{
    return test_at(&window, 1, (MPI_Aint) call * WORDS * (MPI_Aint) sizeof(long));
}

static void wait_for(MPI_Request *request)
{
    MPI_OK(MPI_Wait(request, MPI_STATUS_IGNORE));
}

/* Rank 0: each call raises a counter of its own, in place `call`. */
static void produce(void)
{
    MPI_Count n = WORDS;
    MPI_Request request;
    MPI_Win win = window.win;

    MPI_OK(MPIX_Put_notify_c(data, n, MPI_LONG, 1, place(0), n, MPI_LONG, 0, win));
    MPI_OK(MPIX_Accumulate_notify_c(data, n, MPI_LONG, 1, place(1), n, MPI_LONG, MPI_SUM, 1, win));
    MPI_OK(MPIX_Get_notify_c(got, n, MPI_LONG, 1, place(2), n, MPI_LONG, 2, win));
    MPI_OK(MPIX_Get_accumulate_notify_c(data, n, MPI_LONG, old, n, MPI_LONG, 1, place(3), n, MPI_LONG, MPI_REPLACE, 3,
                                        win));
    MPI_OK(MPI_Win_flush(1, win));
    CHECK(0 == memcmp(got, zeros, sizeof(got)) && 0 == memcmp(old, zeros, sizeof(old)), "wrong values fetched");
    MPI_OK(MPIX_Rput_notify_c(data, n, MPI_LONG, 1, place(4), n, MPI_LONG, 4, win, &request));
    wait_for(&request);
    MPI_OK(MPIX_Raccumulate_notify_c(data, n, MPI_LONG, 1, place(5), n, MPI_LONG, MPI_SUM, 5, win, &request));
    wait_for(&request);
    memset(got, 1, sizeof(got));
    MPI_OK(MPIX_Rget_notify_c(got, n, MPI_LONG, 1, place(6), n, MPI_LONG, 6, win, &request));
    wait_for(&request);
    memset(old, 1, sizeof(old));
    MPI_OK(MPIX_Rget_accumulate_notify_c(data, n, MPI_LONG, old, n, MPI_LONG, 1, place(7), n, MPI_LONG, MPI_SUM, 7, win,
                                         &request));
    wait_for(&request);
    CHECK(0 == memcmp(got, zeros, sizeof(got)) && 0 == memcmp(old, zeros, sizeof(old)), "wrong values fetched");
    MPI_OK(MPI_Win_flush(1, win));
}

/* Rank 1: the data are there when they are counted. */
static void consume(void)
{
    MPI_Count count = 0;
    int call;

    for (call = 0; call < CALLS; call++) {
        const char *mine = (const char *) window.base + (size_t) call * sizeof(data);

        MPI_OK(MPIX_Win_notify_wait(window.win, call, 1, &count));
        CHECK(1 == count, "%s: counter %d is %lld", test_flavor_name[window.flavor], call, (long long) count);
        CHECK(0 == memcmp(mine, 2 == call || 6 == call ? zeros : data, sizeof(data)), "%s: wrong data of call %d",
              test_flavor_name[window.flavor], call);
    }
}

static void flavor_run(enum test_flavor flavor)
{
    test_window_open(&window, flavor, CALLS * (MPI_Aint) sizeof(data), MPI_INFO_NULL, MPI_COMM_WORLD);
    MPI_OK(MPIX_Win_set_num_notify(window.win, MPI_INFO_NULL, CALLS));
    MPI_OK(MPI_Win_lock_all(0, window.win));
    if (0 == test_rank) {
        produce();
    } else if (1 == test_rank) {
        consume();
    }
    MPI_OK(MPI_Win_unlock_all(window.win));
    test_window_close(&window);
}

int main(int argc, char **argv)
{
    enum test_flavor flavor;
    int i;

    test_init(&argc, &argv);
    for (i = 0; i < WORDS; i++) {
        data[i] = i + 1;
    }
    for (flavor = 0; flavor < TEST_FLAVORS; flavor++) {
        if (test_has_flavor(MPI_COMM_WORLD, flavor)) {
            flavor_run(flavor);
        }
    }
    return test_finish();
}

#else

int main(int argc, char **argv)
{
    test_init(&argc, &argv);
    test_skip("this Open MPI has no large counts");
}

#endif
