/* A window that the program frees inside MPI_Finalize, in the callback of an attribute of MPI_COMM_SELF, as libraries
 * do: MPI_Win_free waits for the other processes there, too, as they may still use the window.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

static struct test_window window;

/** Called at the beginning of MPI_Finalize. */
static int end(MPI_Comm comm, int key, void *value, void *extra)
{
    unsigned char *base = window.base;
    int wanted = (test_rank + test_size - 1) % test_size + 1;

    (void) comm;
    (void) key;
    (void) value;
    (void) extra;
    MPI_Win_free(&window.win);
    CHECK(wanted == base[0], "MPI_Win_free returns before a put has come: %d, not %d", base[0], wanted);
    return test_failures > 0 ? MPI_ERR_OTHER : MPI_SUCCESS;
}

int main(int argc, char **argv)
{
    unsigned char value;
    int key, right;

    test_init(&argc, &argv);
    right = test_neighbour(1);
    value = (unsigned char) (test_rank + 1);
    MPI_OK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, end, &key, NULL));
    MPI_OK(MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL));
    test_window_open(&window, TEST_CREATE, 1, MPI_INFO_NULL, MPI_COMM_WORLD);
    if (test_rank % 2) {
        test_compute(0.3); /* the others are in MPI_Finalize */
    }
    MPI_OK(MPI_Win_lock(MPI_LOCK_SHARED, right, 0, window.win));
    MPI_OK(MPI_Put(&value, 1, MPI_BYTE, right, 0, 1, MPI_BYTE, window.win));
    MPI_OK(MPI_Win_unlock(right, window.win));
    MPI_Finalize();
    return test_failures > 0;
}
