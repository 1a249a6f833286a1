/* Wrong arguments of window creation: an error through the communicator's handler, on all processes, and no window.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mpitest.h"

static int called;
static MPI_Comm called_for;

static void handler(MPI_Comm *comm, int *code, ...)
{
    (void) code;
    called++;
    called_for = *comm;
}

/* The handler is called once, for `comm`. */
static void must_fail(int rc, int wanted, MPI_Comm comm, const char *what)
{
    CHECK(wanted == test_class(rc), "%s: error class %d, not %d", what, test_class(rc), wanted);
    CHECK(1 == called, "%s: the error handler was called %d times", what, called);
    CHECK(comm == called_for, "%s: the error handler of another communicator was called", what);
    called = 0;
    called_for = MPI_COMM_NULL;
}

static void check_create(MPI_Comm comm)
{
    long memory[4];
    MPI_Win win;

    must_fail(MPI_Win_create(memory, -1, 1, MPI_INFO_NULL, comm, &win), MPI_ERR_SIZE, comm, "create, size -1");
    must_fail(MPI_Win_create(memory, 8, 0, MPI_INFO_NULL, comm, &win), MPI_ERR_DISP, comm, "create, disp_unit 0");
    must_fail(MPI_Win_create(memory, 8, -8, MPI_INFO_NULL, comm, &win), MPI_ERR_DISP, comm, "create, disp_unit -8");
}

static void check_allocate(MPI_Comm comm)
{
    MPI_Win win;
    void *base;

    must_fail(MPI_Win_allocate(-1, 1, MPI_INFO_NULL, comm, &base, &win), MPI_ERR_SIZE, comm, "allocate, size -1");
    must_fail(MPI_Win_allocate(8, 0, MPI_INFO_NULL, comm, &base, &win), MPI_ERR_DISP, comm, "allocate, disp_unit 0");
    must_fail(MPI_Win_allocate_shared(-1, 1, MPI_INFO_NULL, comm, &base, &win), MPI_ERR_SIZE, comm,
              "allocate_shared, size -1");
}

/* After all that, a window can be made. */
static void check_works(MPI_Comm comm)
{
    long *base, value = 5;
    MPI_Win win;

    MPI_OK(MPI_Win_allocate(sizeof(long), 1, MPI_INFO_NULL, comm, &base, &win));
    MPI_Win_fence(0, win);
    MPI_Put(&value, 1, MPI_LONG, test_neighbour(1), 0, 1, MPI_LONG, win);
    MPI_Win_fence(0, win);
    CHECK(5 == *base, "no window works after the errors: %ld", *base);
    MPI_OK(MPI_Win_free(&win));
    CHECK(MPI_WIN_NULL == win, "the freed handle is not MPI_WIN_NULL");
}

int main(int argc, char **argv)
{
    MPI_Errhandler errors;
    MPI_Comm comm;

    test_init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_create_errhandler(handler, &errors);
    MPI_Comm_set_errhandler(comm, errors);
    check_create(comm);
    check_allocate(comm);
    check_works(comm);
    CHECK(0 == called, "the communicator's handler was called %d times for nothing", called);
    MPI_Errhandler_free(&errors);
    MPI_Comm_free(&comm);
    return test_finish();
}
