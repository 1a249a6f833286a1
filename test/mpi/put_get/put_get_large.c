/* Put and get of 64 MiB and some bytes, at once and as several operations that are all outstanding.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

enum { BYTES = 64 * 1024 * 1024 + 77, PIECES = 5 };

int main(int argc, char **argv)
{
    unsigned char *buffer = malloc(BYTES);
    struct test_window window;
    int right, piece = BYTES / PIECES + 1;
    long wrong;

    test_init(&argc, &argv);
    right = test_neighbour(1);
    test_window_open(&window, TEST_CREATE, BYTES, MPI_INFO_NULL, MPI_COMM_WORLD);
    test_fill(buffer, BYTES, test_rank, 1);
    MPI_Win_fence(MPI_MODE_NOPRECEDE, window.win);
    MPI_OK(MPI_Put(buffer, BYTES, MPI_BYTE, right, 0, BYTES, MPI_BYTE, window.win));
    MPI_Win_fence(0, window.win);
    wrong = test_differs(window.base, BYTES, test_neighbour(-1), 1);
    CHECK(wrong < 0, "put: byte %ld is wrong", wrong);
    memset(buffer, 0, BYTES);
    MPI_Win_fence(MPI_MODE_NOPRECEDE, window.win);
    for (int i = 0; i < PIECES; i++) {
        int start = i * piece, length = start + piece > BYTES ? BYTES - start : piece;

        MPI_OK(MPI_Get(buffer + start, length, MPI_BYTE, right, start, length, MPI_BYTE, window.win));
    }
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window.win);
    wrong = test_differs(buffer, BYTES, test_rank, 1);
    CHECK(wrong < 0, "get: byte %ld is wrong", wrong);
    test_window_close(&window);
    free(buffer);
    return test_finish();
}
