/* Wrong arguments of each communication call: rank, count, displacement, types of no use for it; nothing is written.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

enum { WORDS = 8 };

enum { PUT, GET, ACCUMULATE, GET_ACCUMULATE, RPUT, RGET, RACCUMULATE, RGET_ACCUMULATE, CALLS };

static long values[WORDS], results[WORDS];

/* `n` of `type` here, `there_n` of `there` at the target. */
static int call(int which, int n, MPI_Datatype type, int target, MPI_Aint disp, int there_n, MPI_Datatype there,
                MPI_Win win)
{
    MPI_Request request;
    int rc;

    switch (which) {
    case PUT: return MPI_Put(values, n, type, target, disp, there_n, there, win);
    case GET: return MPI_Get(results, n, type, target, disp, there_n, there, win);
    case ACCUMULATE: return MPI_Accumulate(values, n, type, target, disp, there_n, there, MPI_SUM, win);
    case GET_ACCUMULATE:
        return MPI_Get_accumulate(values, n, type, results, n, type, target, disp, there_n, there, MPI_SUM, win);
    case RPUT: rc = MPI_Rput(values, n, type, target, disp, there_n, there, win, &request); break;
    case RGET: rc = MPI_Rget(results, n, type, target, disp, there_n, there, win, &request); break;
    case RACCUMULATE:
        rc = MPI_Raccumulate(values, n, type, target, disp, there_n, there, MPI_SUM, win, &request);
        break;
    default:
        rc = MPI_Rget_accumulate(values, n, type, results, n, type, target, disp, there_n, there, MPI_SUM, win,
                                 &request);
    }
    if (MPI_SUCCESS == rc) {
        rc = MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    return rc;
}

static MPI_Datatype uncommitted, mixed;

static void make_types(void)
{
    int lengths[2] = {1, 1};
    MPI_Aint at[2] = {0, 8};
    MPI_Datatype types[2] = {MPI_INT, MPI_FLOAT};

    MPI_Type_contiguous(1, MPI_LONG, &uncommitted);
    MPI_Type_create_struct(2, lengths, at, types, &mixed);
    MPI_Type_commit(&mixed);
}

static void must_give(int wanted, int which, int rc, const char *what)
{
    CHECK(wanted == test_class(rc), "call %d, %s: error class %d, not %d", which, what, test_class(rc), wanted);
}

/* Accumulates of other elements than the target's: the standard names no class. */
static void must_not_match(int which, int rc, const char *what)
{
    int class = test_class(rc);

    CHECK(MPI_ERR_TYPE == class || MPI_ERR_ARG == class, "call %d, %s: error class %d", which, what, class);
}

static void check(struct test_window *window, int which)
{
    int target = test_neighbour(1), accumulates = which % 4 >= ACCUMULATE;
    MPI_Aint disp = test_at(window, target, 0);
    MPI_Win win = window->win;

    must_give(MPI_ERR_RANK, which, call(which, 1, MPI_LONG, test_size, disp, 1, MPI_LONG, win), "rank too large");
    must_give(MPI_ERR_RANK, which, call(which, 1, MPI_LONG, -77, disp, 1, MPI_LONG, win), "negative rank");
    must_give(MPI_ERR_COUNT, which, call(which, -1, MPI_LONG, target, disp, 1, MPI_LONG, win), "negative count");
    must_give(MPI_ERR_COUNT, which, call(which, 1, MPI_LONG, target, disp, -1, MPI_LONG, win), "negative target count");
    if (TEST_DYNAMIC != window->flavor) {
        must_give(MPI_ERR_DISP, which, call(which, 1, MPI_LONG, target, -1, 1, MPI_LONG, win), "negative displacement");
    }
    must_give(MPI_ERR_TYPE, which, call(which, 1, MPI_DATATYPE_NULL, target, disp, 1, MPI_LONG, win), "null type");
    must_give(MPI_ERR_TYPE, which, call(which, 1, uncommitted, target, disp, 1, MPI_LONG, win), "uncommitted origin");
    must_give(MPI_ERR_TYPE, which, call(which, 1, MPI_LONG, target, disp, 1, uncommitted, win), "uncommitted target");
    if (accumulates) {
        must_not_match(which, call(which, 1, mixed, target, disp, 1, mixed, win), "mixed components");
        must_not_match(which, call(which, 1, MPI_LONG, target, disp, 1, MPI_DOUBLE, win), "other element type");
    }
    must_give(MPI_ERR_TRUNCATE, which, call(which, 2, MPI_LONG, target, disp, 1, MPI_LONG, win), "more than fits");
}

int main(int argc, char **argv)
{
    struct test_window window;
    long one = 1;

    test_init(&argc, &argv);
    make_types();
    for (enum test_flavor flavor = 0; flavor < TEST_FLAVORS; flavor++) {
        int right = test_neighbour(1);

        if (!test_has_flavor(MPI_COMM_WORLD, flavor)) {
            continue;
        }
        for (int i = 0; i < WORDS; i++) {
            values[i] = 3;
        }
        test_window_open(&window, flavor, sizeof(values), MPI_INFO_NULL, MPI_COMM_WORLD);
        MPI_Win_set_errhandler(window.win, MPI_ERRORS_RETURN);
        MPI_OK(MPI_Win_lock_all(0, window.win));
        for (int which = 0; which < CALLS; which++) {
            check(&window, which);
        }
        MPI_OK(MPI_Win_unlock_all(window.win));
        MPI_Barrier(MPI_COMM_WORLD);
        for (int i = 0; i < WORDS; i++) {
            CHECK(0 == ((long *) window.base)[i], "%s: word %d was written", test_flavor_name[flavor], i);
        }
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, right, 0, window.win));
        MPI_OK(MPI_Put(&one, 1, MPI_LONG, right, test_at(&window, right, 0), 1, MPI_LONG, window.win));
        MPI_OK(MPI_Win_unlock(right, window.win));
        test_window_close(&window);
    }
    MPI_Type_free(&uncommitted);
    MPI_Type_free(&mixed);
    return test_finish();
}
