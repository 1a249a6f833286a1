/* What MPI_Win_complete sends arrives without a further call's help, even if the network takes only the beginning at
 * first. Meanwhile the origin waits for the next post, and has no operation under way.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

#ifdef SEND_BUFFER
enum { LEAST = 8000, BYTES = 10000, ROUNDS = 200 };
#else
enum { LEAST = 60000, BYTES = 300000, ROUNDS = 200 };
#endif

static unsigned char data[BYTES];

int main(int argc, char **argv)
{
    struct test_window window;
    MPI_Group all, other;
    int peer;

#ifdef SEND_BUFFER
    setenv("UCX_TCP_SNDBUF", SEND_BUFFER, 0);
#endif
    test_init(&argc, &argv);
    test_needs(2);
    peer = 1 - test_rank;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    test_window_open(&window, TEST_CREATE, BYTES, MPI_INFO_NULL, MPI_COMM_WORLD);
    if (test_rank < 2) {
        MPI_Group_incl(all, 1, &peer, &other);
        for (int round = 0; round < ROUNDS; round++) {
            int bytes = LEAST + round * 7919 % (BYTES - LEAST);

            if (0 == test_rank) {
                test_fill(data, bytes, 0, round);
                MPI_OK(MPI_Win_start(other, 0, window.win));
                MPI_OK(MPI_Put(data, bytes, MPI_BYTE, peer, test_at(&window, peer, 0), bytes, MPI_BYTE, window.win));
                MPI_OK(MPI_Win_complete(window.win));
            } else {
                long wrong;

                MPI_OK(MPI_Win_post(other, 0, window.win));
                MPI_OK(MPI_Win_wait(window.win));
                wrong = test_differs(window.base, bytes, 0, round);
                CHECK(wrong < 0, "%d bytes: byte %ld is wrong", bytes, wrong);
            }
        }
        MPI_Group_free(&other);
    }
    test_window_close(&window);
    MPI_Group_free(&all);
    return test_finish();
}
