/* Communication calls and MPI_Win_post are local where no service thread answers: the first ones to a process that this
 * one has not met return before that process calls MPI. It sleeps until a file says that they have returned.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

#include <stdbool.h>
#include <unistd.h>

enum { CALLS = 3, LONG = 128 * 1024, TARGET = 3 }; /* rank 0 sends notices of fences to the ranks 1, 2 and 4 */

enum { POSTER = 1, ORIGIN = 4 }; /* the ranks of MPI_Win_post */

static long got[CALLS], many[LONG];

static void call(const struct test_window *window)
{
    static const long one = 1, two = 2;

    MPI_OK(MPI_Put(&one, 1, MPI_LONG, TARGET, test_at(window, TARGET, 0), 1, MPI_LONG, window->win));
    MPI_OK(MPI_Accumulate(&two, 1, MPI_LONG, TARGET, test_at(window, TARGET, 8), 1, MPI_LONG, MPI_SUM, window->win));
    MPI_OK(MPI_Put(many, LONG, MPI_LONG, TARGET, test_at(window, TARGET, 24), LONG, MPI_LONG, window->win));
    MPI_OK(MPI_Get(got, 1, MPI_LONG, TARGET, test_at(window, TARGET, 16), 1, MPI_LONG, window->win));
}

/** Wait until the file is there. False: it does not come. */
static bool flag_seen(const char *flag)
{
    int waited = 0;

    while (0 != access(flag, F_OK) && waited++ < test_patience() * 100) {
        usleep(10000);
    }
    return 0 == access(flag, F_OK);
}

static void check_post(enum test_flavor flavor, MPI_Info info, const char *flag)
{
    struct test_window window;
    MPI_Group all, other;
    const int rank = POSTER == test_rank ? ORIGIN : POSTER;
    const long one = 1;
    bool seen = true;

    test_window_open(&window, flavor, sizeof(long), info, MPI_COMM_WORLD);
    MPI_OK(MPI_Win_get_group(window.win, &all));
    MPI_OK(MPI_Group_incl(all, 1, &rank, &other));
    if (POSTER == test_rank) {
        MPI_OK(MPI_Win_post(other, 0, window.win));
        fclose(fopen(flag, "w"));
        MPI_OK(MPI_Win_wait(window.win));
        CHECK(1 == *(const long *) (void *) window.base, "%s: got another value", test_flavor_name[flavor]);
        unlink(flag);
    } else if (ORIGIN == test_rank) {
        seen = flag_seen(flag);
        MPI_OK(MPI_Win_start(other, 0, window.win));
        MPI_OK(MPI_Put(&one, 1, MPI_LONG, POSTER, test_at(&window, POSTER, 0), 1, MPI_LONG, window.win));
        MPI_OK(MPI_Win_complete(window.win));
    }
    CHECK(seen, "%s: MPI_Win_post waits for its origin", test_flavor_name[flavor]);
    MPI_Group_free(&other);
    MPI_Group_free(&all);
    test_window_close(&window);
    MPI_OK(MPI_Barrier(MPI_COMM_WORLD));
}

/** `alike`: all members have as much memory. Else only the target has some. */
static void check(enum test_flavor flavor, MPI_Info info, const char *flag, bool alike)
{
    struct test_window window;
    const long *values;
    bool seen = true;

    test_window_open(&window, flavor, (alike || TARGET == test_rank ? CALLS + LONG : 0) * (MPI_Aint) sizeof(long),
                     info, MPI_COMM_WORLD);
    values = (const long *) (void *) window.base;
    if (TARGET == test_rank) {
        ((long *) (void *) window.base)[2] = 3;
    }
    for (int round = 0; round < 3; round++) { /* later rounds may go another way */
        MPI_OK(MPI_Win_fence(0, window.win));
        if (0 == test_rank) {
            got[0] = 0;
            many[0] = many[LONG - 1] = round + 4;
            call(&window);
            if (0 == round) {
                fclose(fopen(flag, "w"));
            }
        }
        if (TARGET == test_rank && 0 == round) {
            seen = flag_seen(flag);
        }
        MPI_OK(MPI_Win_fence(0, window.win));
        CHECK(0 != test_rank || 3 == got[0], "%s, round %d: got %ld", test_flavor_name[flavor], round, got[0]);
        CHECK(TARGET != test_rank || (1 == values[0] && 2 * (round + 1) == values[1]), "%s, round %d: %ld, %ld",
              test_flavor_name[flavor], round, values[0], values[1]);
        CHECK(TARGET != test_rank || (round + 4 == values[CALLS] && round + 4 == values[CALLS + LONG - 1]),
              "%s, round %d: long put: %ld, %ld", test_flavor_name[flavor], round, values[CALLS],
              values[CALLS + LONG - 1]);
    }
    CHECK(seen, "%s: the calls wait for their target, sizes alike: %d", test_flavor_name[flavor], alike);
    test_window_close(&window);
    if (0 == test_rank) {
        unlink(flag);
    }
    MPI_OK(MPI_Barrier(MPI_COMM_WORLD));
}

int main(int argc, char **argv)
{
    char flag[64] = "";
    MPI_Info info;

    test_init(&argc, &argv);
    test_needs(TARGET + 2);
    MPI_Info_create(&info);
    MPI_Info_set(info, "no_locks", "true");
    for (enum test_flavor flavor = 0; flavor < TEST_FLAVORS; flavor++) {
        if (test_has_flavor(MPI_COMM_WORLD, flavor)) {
            snprintf(flag, sizeof(flag), "/tmp/progress_local.%d.%d", (int) getpid(), (int) flavor);
            MPI_Bcast(flag, sizeof(flag), MPI_CHAR, 0, MPI_COMM_WORLD);
            check(flavor, info, flag, true);
            if (TEST_DYNAMIC != flavor) {
                check(flavor, info, flag, false);
            }
            check_post(flavor, info, flag);
        }
    }
    MPI_Info_free(&info);
    return test_finish();
}
