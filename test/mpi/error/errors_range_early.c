/* The first operation on a process whose window has another size than this one's, and maybe another displacement unit,
 * where no service thread answers: the target finds out that it is out of range, and the completing call says so at the
 * latest. What is in range arrives.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

enum { ORIGIN = 0, TARGET = 3 }; /* rank 0 sends notices of fences to the ranks 1, 2 and 4, and so knows them */

enum { FEW = 8, MANY = 40000 }; /* longs of the windows of others, and of the target */

enum kind { PUT, LONG_PUT, GET, ACCUMULATE, FETCH, KINDS };

static const char *const kind_name[KINDS] = {"put", "long put", "get", "accumulate", "fetch"};

static long values[MANY], got[MANY];

/** From word `at` of the target on. */
static int run(enum kind kind, const struct test_window *window, int unit, int at)
{
    const MPI_Aint disp = test_at(window, TARGET, at * (MPI_Aint) sizeof(long) / unit);
    const int count = LONG_PUT == kind ? MANY / 2 : 1;

    switch (kind) {
    case PUT:
    case LONG_PUT:
        return MPI_Put(values, count, MPI_LONG, TARGET, disp, count, MPI_LONG, window->win);
    case GET:
        return MPI_Get(got, 1, MPI_LONG, TARGET, disp, 1, MPI_LONG, window->win);
    case ACCUMULATE:
        return MPI_Accumulate(values, 1, MPI_LONG, TARGET, disp, 1, MPI_LONG, MPI_SUM, window->win);
    default:
        return MPI_Fetch_and_op(values, got, MPI_LONG, TARGET, disp, MPI_SUM, window->win);
    }
}

/** Let answers arrive: the operation after that goes another way. */
static void answers_arrive(void)
{
    const double until = MPI_Wtime() + 0.01;
    int any;

    while (MPI_Wtime() < until) {
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &any, MPI_STATUS_IGNORE);
    }
}

static void check(enum test_flavor flavor, MPI_Info info, enum kind kind, int pscw, int late, int unit)
{
    const int peer = ORIGIN == test_rank ? TARGET : ORIGIN;
    struct test_window window;
    MPI_Group all, other;
    int bad = MPI_SUCCESS, rc;

    test_window_open_unit(&window, flavor, (TARGET == test_rank ? MANY : FEW) * (MPI_Aint) sizeof(long),
                          TARGET == test_rank ? unit : 1, info, MPI_COMM_WORLD);
    MPI_Win_set_errhandler(window.win, MPI_ERRORS_RETURN);
    MPI_OK(MPI_Win_get_group(window.win, &all));
    MPI_OK(MPI_Group_incl(all, 1, &peer, &other));
    if (TARGET == test_rank) {
        MPI_OK(pscw ? MPI_Win_post(other, 0, window.win) : MPI_Win_fence(0, window.win));
        MPI_OK(pscw ? MPI_Win_wait(window.win) : MPI_Win_fence(0, window.win));
        CHECK(7 == *(long *) (void *) window.base, "%s: %ld", kind_name[kind], *(long *) (void *) window.base);
    } else if (ORIGIN != test_rank) {
        MPI_OK(pscw ? MPI_SUCCESS : MPI_Win_fence(0, window.win));
        MPI_OK(pscw ? MPI_SUCCESS : MPI_Win_fence(0, window.win));
    } else {
        MPI_OK(pscw ? MPI_Win_start(other, 0, window.win) : MPI_Win_fence(0, window.win));
        bad = run(kind, &window, unit, LONG_PUT == kind ? MANY - 1 : MANY);
        if (late) {
            answers_arrive();
        }
        MPI_OK(run(PUT, &window, unit, 0));
        rc = pscw ? MPI_Win_complete(window.win) : MPI_Win_fence(0, window.win);
        bad = MPI_SUCCESS != bad ? bad : rc;
        CHECK(MPI_ERR_RMA_RANGE == test_class(bad), "%s of %s, unit %d, late %d: error class %d",
              kind_name[kind], test_flavor_name[flavor], unit, late, test_class(bad));
    }
    MPI_Group_free(&other);
    MPI_Group_free(&all);
    test_window_close(&window);
}

int main(int argc, char **argv)
{
    MPI_Info info;

    test_init(&argc, &argv);
    test_needs(TARGET + 2);
    test_refusals = 1;
    values[0] = 7;
    MPI_Info_create(&info);
    MPI_Info_set(info, "no_locks", "true");
    for (enum test_flavor flavor = 0; flavor < TEST_DYNAMIC; flavor++) {
        for (int i = 0; i < 8 * KINDS && test_has_flavor(MPI_COMM_WORLD, flavor); i++) {
            check(flavor, info, i / 8, i % 2, i / 2 % 2, i / 4 % 2 ? sizeof(long) : 1);
        }
    }
    MPI_Info_free(&info);
    return test_finish();
}
