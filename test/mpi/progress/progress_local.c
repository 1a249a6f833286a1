/* Communication calls and MPI_Win_post are local where no service thread answers: the first ones to a process that this
 * one has not met return before that process calls MPI. It sleeps until a file says that they have returned.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "flag.h"
#include "windows.h"

#include <stdbool.h>

enum { TARGET = 3 }; /* rank 0 sends notices of fences to the ranks 1, 2 and 4 */

enum { POSTER = 1, ORIGIN = 4 }; /* the ranks of MPI_Win_post */

/** Elements of the target. */
enum { PUT, SUM, GET, SHIFTED, SHORT, LONG = 128 * 1024, FIRST = SHORT, SECOND = SHORT + LONG, ALL = SHORT + 2 * LONG };

/** What the members have alike. */
enum alike { EVERYTHING, ONLY_UNITS, ONLY_SIZES, NOTHING };

static long got, many[LONG];
static MPI_Datatype shifted, shifted_long; /* they begin with a gap of an element */

static MPI_Datatype shifted_type(int elements)
{
    const MPI_Aint gap = sizeof(long);
    MPI_Datatype type;

    MPI_OK(MPI_Type_create_hindexed(1, &elements, &gap, MPI_LONG, &type));
    MPI_OK(MPI_Type_commit(&type));
    return type;
}

/** Are accumulates a network's, which may wait for the target? */
static bool sums_wait(void)
{
    const char *domain = getenv("OMPI_MCA_osc_ucp_atomic_domain");

    return NULL != domain && 0 == strcmp(domain, "nic");
}

/** `unit`: the target's. */
static void call(const struct test_window *window, int unit, long value, bool sum)
{
    const MPI_Aint at = test_at(window, TARGET, 0), element = (MPI_Aint) sizeof(long) / unit;
    const MPI_Win win = window->win;
    const long two = 2;

    MPI_OK(MPI_Put(&value, 1, MPI_LONG, TARGET, at + PUT * element, 1, MPI_LONG, win));
    if (sum) {
        MPI_OK(MPI_Accumulate(&two, 1, MPI_LONG, TARGET, at + SUM * element, 1, MPI_LONG, MPI_SUM, win));
    }
    MPI_OK(MPI_Put(&value, 1, MPI_LONG, TARGET, at + (SHIFTED - 1) * element, 1, shifted, win));
    MPI_OK(MPI_Put(many, LONG, MPI_LONG, TARGET, at + FIRST * element, LONG, MPI_LONG, win));
    MPI_OK(MPI_Put(many, LONG, MPI_LONG, TARGET, at + (SECOND - 1) * element, 1, shifted_long, win));
    MPI_OK(MPI_Get(&got, 1, MPI_LONG, TARGET, at + GET * element, 1, MPI_LONG, win));
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
        test_flag_raise(flag);
        MPI_OK(MPI_Win_wait(window.win));
        CHECK(1 == *(const long *) (void *) window.base, "%s: got another value", test_flavor_name[flavor]);
        unlink(flag);
    } else if (ORIGIN == test_rank) {
        seen = test_flag_seen(flag);
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

static void check_target(const char *flavor, const long *values, int round, long sum)
{
    const long value = round + 4;

    CHECK(value == values[PUT] && sum == values[SUM] && value == values[SHIFTED], "%s, round %d: %ld, %ld, %ld", flavor,
          round, values[PUT], values[SUM], values[SHIFTED]);
    for (int i = 0; i < 2 * LONG && test_failures < 10; i++) {
        CHECK(value + i % LONG == values[SHORT + i], "%s, round %d: element %d of long puts is %ld", flavor, round, i,
              values[SHORT + i]);
    }
}

static void check(enum test_flavor flavor, MPI_Info info, const char *flag, enum alike alike)
{
    const bool apart = TARGET != test_rank && (ONLY_UNITS == alike || NOTHING == alike);
    const int unit = alike <= ONLY_UNITS ? 1 : sizeof(long);
    struct test_window window;
    long *values, sum = 0;
    bool seen = true;

    test_window_open_unit(&window, flavor, (apart ? 0 : ALL) * (MPI_Aint) sizeof(long), TARGET == test_rank ? unit : 1,
                          info, MPI_COMM_WORLD);
    values = (long *) (void *) window.base;
    if (TARGET == test_rank) {
        values[GET] = 3;
    }
    for (int round = 0; round < 3; round++) { /* later rounds may go another way */
        const bool sums = round > 0 || !sums_wait();

        sum += sums ? 2 : 0;
        MPI_OK(MPI_Win_fence(0, window.win));
        if (0 == test_rank) {
            got = 0;
            for (int i = 0; i < LONG; i++) {
                many[i] = round + 4 + i;
            }
            call(&window, unit, round + 4, sums);
            if (0 == round) {
                test_flag_raise(flag);
            }
        }
        if (TARGET == test_rank && 0 == round) {
            seen = test_flag_seen(flag);
        }
        MPI_OK(MPI_Win_fence(0, window.win));
        CHECK(0 != test_rank || 3 == got, "%s, round %d: got %ld", test_flavor_name[flavor], round, got);
        if (TARGET == test_rank) {
            check_target(test_flavor_name[flavor], values, round, sum);
        }
    }
    CHECK(seen, "%s: the calls wait for their target, case %d", test_flavor_name[flavor], (int) alike);
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
    shifted = shifted_type(1);
    shifted_long = shifted_type(LONG);
    for (enum test_flavor flavor = 0; flavor < TEST_FLAVORS; flavor++) {
        if (test_has_flavor(MPI_COMM_WORLD, flavor)) {
            snprintf(flag, sizeof(flag), "/tmp/progress_local.%d.%d", (int) getpid(), (int) flavor);
            MPI_Bcast(flag, sizeof(flag), MPI_CHAR, 0, MPI_COMM_WORLD);
            for (enum alike alike = 0; alike <= (TEST_DYNAMIC == flavor ? EVERYTHING : NOTHING); alike++) {
                check(flavor, info, flag, alike);
            }
            check_post(flavor, info, flag);
        }
    }
    MPI_Type_free(&shifted_long);
    MPI_Type_free(&shifted);
    MPI_Info_free(&info);
    return test_finish();
}
