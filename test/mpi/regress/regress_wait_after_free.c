/* A request that failed may be waited for after its window was freed. The error goes to the handler that the window
 * had, and not to that of another one, which may lie in the same memory. What the handler gets is no window any more.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mpitest.h"

enum { REQUESTS = 3, WINDOWS = 8 };

static const MPI_Aint nowhere = 4096;
static int handled, named;

static void handle(MPI_Win *win, int *code, ...)
{
    char name[MPI_MAX_OBJECT_NAME];
    int length;

    handled++;
    CHECK(MPI_ERR_RMA_RANGE == test_class(*code), "the handler gets error class %d", test_class(*code));
    MPI_OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    named += MPI_SUCCESS == MPI_Win_get_name(*win, name, &length);
    MPI_OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL));
}

/** Make a window whose handler is `handler`, and requests that fail; those that a call has told are null. */
static void fail(MPI_Errhandler handler, int target, MPI_Request *requests)
{
    static int value = 1, result;
    MPI_Win win;

    MPI_OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    MPI_OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    MPI_OK(MPI_Win_lock(MPI_LOCK_SHARED, target, 0, win));
    for (int i = 0; i < REQUESTS; i++) {
        requests[i] = MPI_REQUEST_NULL;
    }
    (void) MPI_Rput(&value, 1, MPI_INT, target, nowhere, 1, MPI_INT, win, &requests[0]);
    (void) MPI_Rget(&result, 1, MPI_INT, target, nowhere, 1, MPI_INT, win, &requests[1]);
    (void) MPI_Raccumulate(&value, 1, MPI_INT, target, nowhere, 1, MPI_INT, MPI_SUM, win, &requests[2]);
    (void) MPI_Win_unlock(target, win);
    MPI_OK(MPI_Win_set_errhandler(win, handler));
    MPI_OK(MPI_Win_free(&win));
}

/** Wait for the requests with `handler`. Returns how many fail. */
static int wait_for(MPI_Errhandler handler, int target)
{
    MPI_Request requests[REQUESTS];
    MPI_Win others[WINDOWS];
    int errors = 0, rc;

    fail(handler, target, requests);
    for (int i = 0; i < WINDOWS; i++) {
        MPI_OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &others[i])); /* errors are fatal there */
    }
    for (int i = 0; i < REQUESTS; i++) {
        if (MPI_REQUEST_NULL != requests[i]) {
            rc = MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
            errors += MPI_SUCCESS != rc;
            CHECK(MPI_SUCCESS == rc || MPI_ERR_RMA_RANGE == test_class(rc), "wait: error class %d", test_class(rc));
            CHECK(MPI_REQUEST_NULL == requests[i], "request %d is left", i);
        }
    }
    for (int i = 0; i < WINDOWS; i++) {
        MPI_OK(MPI_Win_free(&others[i]));
    }
    return errors;
}

int main(int argc, char **argv)
{
    MPI_Errhandler handler;
    int errors;

    test_init(&argc, &argv);
    MPI_OK(MPI_Win_create_errhandler(handle, &handler));
    test_refusals = 1; /* targets refuse what names no memory */
    for (int target = 0; target < test_size; target++) {
        (void) wait_for(MPI_ERRORS_RETURN, target);
        handled = 0;
        errors  = wait_for(handler, target);
        CHECK(errors == handled, "target %d: %d requests failed, and the window's handler was called %d times", target,
              errors, handled);
    }
    CHECK(0 == named, "a window that was freed has a name");
    MPI_OK(MPI_Errhandler_free(&handler));
    return test_finish();
}
