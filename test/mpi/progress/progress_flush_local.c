/* A put, or an accumulate, that flush_local has completed leaves in bounded time, whatever the origin calls next: it
 * polls its own window, by every call that can, until the target answers.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "polls.h"

enum { MANY = 40 };

static const char *const kind[2] = {"a put", "an accumulate"};

static void write_one(const struct test_polled *polled, int accumulate)
{
    static const int one = 1;

    if (accumulate) {
        MPI_OK(MPI_Accumulate(&one, 1, MPI_INT, 1, 0, 1, MPI_INT, MPI_REPLACE, polled->win));
    } else {
        MPI_OK(MPI_Put(&one, 1, MPI_INT, 1, 0, 1, MPI_INT, polled->win));
    }
    MPI_OK(MPI_Win_flush_local(1, polled->win));
}

/** Rank 1 sees the flag by a load, without a call, and answers. It gives up later than rank 0 would. */
static void answer(const struct test_polled *polled)
{
    static const int one = 1;
    const volatile int *flag = polled->flag;

    for (int i = 0; i < (test_patience() + 5) * 100 && 0 == *flag; i++) {
        test_compute(i < 100 ? 0.0001 : 0.01);
    }
    CHECK(0 != *flag, "the flag has not come");
    MPI_OK(MPI_Put(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, polled->win));
    MPI_OK(MPI_Win_flush(0, polled->win));
}

static void check(const struct test_poll *poll, int accumulate, int times)
{
    struct test_polled polled;

    test_polled_open(&polled, 0);
    MPI_OK(MPI_Win_lock_all(0, polled.win));
    MPI_OK(MPI_Barrier(MPI_COMM_WORLD));
    if (0 == test_rank) {
        for (int i = 0; i < times; i++) {
            write_one(&polled, accumulate);
        }
        CHECK(test_poll_until_set(poll, &polled, 0), "%s, %d times: no answer while the origin polls by %s",
              kind[accumulate], times, poll->name);
    } else if (1 == test_rank) {
        answer(&polled);
    }
    MPI_OK(MPI_Win_flush_all(polled.win));
    MPI_OK(MPI_Barrier(MPI_COMM_WORLD));
    MPI_OK(MPI_Win_unlock_all(polled.win));
    test_polled_close(&polled, 0);
}

static void look_by_iprobe(const struct test_polled *polled, int owner, int *got)
{
    int there;

    (void) owner;
    MPI_OK(MPI_Iprobe(MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE));
    *got = *(volatile int *) polled->flag;
}

int main(int argc, char **argv)
{
    static const struct test_poll iprobe = {"iprobe and load", look_by_iprobe, 0, 1};

    test_init(&argc, &argv);
    test_needs(2);
    for (int n = 0; n < TEST_POLLS; n++) {
        for (int i = 0; i < 4 && !test_polls[n].own_epoch; i++) {
            check(&test_polls[n], i % 2, i < 2 ? 1 : MANY);
        }
    }
    check(&iprobe, 0, 1);
    check(&iprobe, 1, 1);
    return test_finish();
}
