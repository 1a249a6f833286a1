/* MPI_ERR_RMA_RANGE for every call that leaves the target's window, at both ends; the window stays usable.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

/* The window: WORDS longs. Rank r's window is r words longer, so that the target's size must be known. */
enum { WORDS = 10 };

enum { PUT, GET, ACCUMULATE, GET_ACCUMULATE, FETCH_AND_OP, COMPARE_AND_SWAP, RPUT, RGET, RACCUMULATE, RGET_ACCUMULATE,
       CALLS };

static long values[100], results[100];

static int call(int which, int target, MPI_Aint disp, int count, MPI_Datatype type, MPI_Win win)
{
    MPI_Request request = MPI_REQUEST_NULL;
    int rc;

    switch (which) {
    case PUT: return MPI_Put(values, count, type, target, disp, count, type, win);
    case GET: return MPI_Get(results, count, type, target, disp, count, type, win);
    case ACCUMULATE: return MPI_Accumulate(values, count, type, target, disp, count, type, MPI_SUM, win);
    case GET_ACCUMULATE:
        return MPI_Get_accumulate(values, count, type, results, count, type, target, disp, count, type, MPI_SUM, win);
    case FETCH_AND_OP: return MPI_Fetch_and_op(values, results, MPI_LONG, target, disp, MPI_SUM, win);
    case COMPARE_AND_SWAP: return MPI_Compare_and_swap(values, values + 1, results, MPI_LONG, target, disp, win);
    case RPUT: rc = MPI_Rput(values, count, type, target, disp, count, type, win, &request); break;
    case RGET: rc = MPI_Rget(results, count, type, target, disp, count, type, win, &request); break;
    case RACCUMULATE:
        rc = MPI_Raccumulate(values, count, type, target, disp, count, type, MPI_SUM, win, &request);
        break;
    default:
        rc = MPI_Rget_accumulate(values, count, type, results, count, type, target, disp, count, type, MPI_SUM, win,
                                 &request);
    }
    if (MPI_SUCCESS == rc) {
        rc = MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    return rc;
}

/* In an epoch of its own; the error comes from the call or from the unlock. */
static void must_give(int wanted, int which, int target, MPI_Aint disp, int count, MPI_Datatype type, MPI_Win win)
{
    int rc, later;

    MPI_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win));
    rc = call(which, target, disp, count, type, win);
    later = MPI_Win_unlock(target, win);
    rc = MPI_SUCCESS != rc ? rc : later;
    CHECK(wanted == test_class(rc), "call %d: %d at %ld of %d: error class %d, not %d", which, count, (long) disp,
          target, test_class(rc), wanted);
}

/* A vector of two blocks, `stride` words apart. */
static MPI_Datatype blocks(int stride)
{
    MPI_Datatype type;

    MPI_Type_vector(2, 1, stride, MPI_LONG, &type);
    MPI_Type_commit(&type);
    return type;
}

static void check(int which, int target, MPI_Win win)
{
    int words = WORDS + target, one_only = FETCH_AND_OP == which || COMPARE_AND_SWAP == which;
    MPI_Datatype fits = blocks(words - 1), too_long = blocks(words);

    must_give(MPI_SUCCESS, which, target, words - 1, 1, MPI_LONG, win);
    must_give(MPI_ERR_RMA_RANGE, which, target, words, 1, MPI_LONG, win);
    must_give(MPI_ERR_RMA_RANGE, which, target, words + 1000, 1, MPI_LONG, win);
    must_give(MPI_ERR_RMA_RANGE, which, target, (MPI_Aint) 1 << 40, 1, MPI_LONG, win);
    must_give(MPI_ERR_RMA_RANGE, which, target, ((MPI_Aint) 1 << 61) - 1, 1, MPI_LONG, win);
    if (!one_only) {
        must_give(MPI_SUCCESS, which, target, 0, words, MPI_LONG, win);
        must_give(MPI_ERR_RMA_RANGE, which, target, 0, words + 1, MPI_LONG, win);
        must_give(MPI_ERR_RMA_RANGE, which, target, 1, words, MPI_LONG, win);
        must_give(MPI_SUCCESS, which, target, 0, 1, fits, win);
        must_give(MPI_ERR_RMA_RANGE, which, target, 1, 1, fits, win);
        must_give(MPI_ERR_RMA_RANGE, which, target, 0, 1, too_long, win);
    }
    MPI_Type_free(&fits);
    MPI_Type_free(&too_long);
}

/* A type that begins below the displacement it is used with. */
static void check_below(int target, MPI_Win win)
{
    int lengths[2] = {1, 1};
    MPI_Aint places[2] = {-8, 0};
    MPI_Datatype type;

    MPI_Type_create_hindexed(2, lengths, places, MPI_LONG, &type);
    MPI_Type_commit(&type);
    MPI_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win));
    MPI_OK(MPI_Put(values, 2, MPI_LONG, target, 1, 1, type, win));
    MPI_OK(MPI_Win_unlock(target, win));
    MPI_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win));
    MPI_FAILS(MPI_ERR_RMA_RANGE, MPI_Put(values, 2, MPI_LONG, target, 0, 1, type, win));
    MPI_OK(MPI_Win_unlock(target, win));
    MPI_Type_free(&type);
}

int main(int argc, char **argv)
{
    MPI_Aint size;
    long *memory;
    MPI_Win win;

    test_init(&argc, &argv);
    test_refusals = 1;
    size = (WORDS + test_rank) * sizeof(long);
    for (enum test_flavor flavor = TEST_CREATE; flavor <= TEST_SHARED; flavor++) {
        long *guarded = calloc(1, size + 2 * sizeof(long));

        if (!test_has_flavor(MPI_COMM_WORLD, flavor)) {
            free(guarded);
            continue;
        }
        if (TEST_CREATE == flavor) {
            MPI_Win_create(guarded + 1, size, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
        } else if (TEST_ALLOCATE == flavor) {
            MPI_Win_allocate(size, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
        } else {
            MPI_Win_allocate_shared(size, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
        }
        MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
        for (int i = 0; i < 100; i++) {
            values[i] = 1;
        }
        for (int which = 0; which < CALLS; which++) {
            for (int distance = 0; distance < test_size; distance++) {
                check(which, test_neighbour(distance), win);
            }
        }
        check_below(test_neighbour(1), win);
        MPI_OK(MPI_Win_free(&win));
        CHECK(0 == guarded[0] && 0 == guarded[size / 8 + 1], "memory outside the window was written");
        free(guarded);
    }
    return test_finish();
}
