/* Processes that call different functions to make one window: that fails on all of them, and they can make others.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

enum { BYTES = 64 };

static MPI_Comm comm;

/* Make a window; returns the error class. */
static int make(enum test_flavor flavor, MPI_Win *win)
{
    static char memory[BYTES];
    void *base;

    switch (flavor) {
    case TEST_CREATE:
        return test_class(MPI_Win_create(memory, BYTES, 1, MPI_INFO_NULL, comm, win));
    case TEST_ALLOCATE:
        return test_class(MPI_Win_allocate(BYTES, 1, MPI_INFO_NULL, comm, &base, win));
    case TEST_SHARED:
        return test_class(MPI_Win_allocate_shared(BYTES, 1, MPI_INFO_NULL, comm, &base, win));
    default:
        return test_class(MPI_Win_create_dynamic(MPI_INFO_NULL, comm, win));
    }
}

static void check_mixed(enum test_flavor most, enum test_flavor last)
{
    const enum test_flavor mine = test_rank < test_size - 1 ? most : last;
    MPI_Win win;
    int class = make(mine, &win);

    /* Open MPI says MPI_ERR_WIN for whatever fails, except in MPI_Win_allocate_shared. */
    CHECK(MPI_ERR_RMA_FLAVOR == class || MPI_ERR_WIN == class, "%s, which the last process makes as %s, gives class %d",
          test_flavor_name[most], test_flavor_name[last], class);
    if (MPI_SUCCESS == class) {
        MPI_Abort(MPI_COMM_WORLD, 1); /* nobody knows what kind of window that is */
    }
    CHECK(MPI_SUCCESS == make(most, &win), "no %s window afterwards", test_flavor_name[most]);
    MPI_OK(MPI_Win_free(&win));
}

int main(int argc, char **argv)
{
    test_init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    for (enum test_flavor most = 0; most < TEST_FLAVORS; most++) {
        for (enum test_flavor last = 0; last < TEST_FLAVORS; last++) {
            if (most != last && test_has_flavor(comm, most) && test_has_flavor(comm, last)) {
                check_mixed(most, last);
            }
        }
    }
    MPI_Comm_free(&comm);
    return test_finish();
}
