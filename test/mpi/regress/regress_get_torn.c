/* A get sees memory as it was in its epoch, not what the target stores after it has the lock, or after MPI_Win_wait.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mpitest.h"

enum { BYTES = 4 << 20, ROUNDS = 20 };

static char *memory, *got;

static void check_whole(const char *how, int round)
{
    int wrong = 0;

    while (wrong < BYTES && got[wrong] == got[0]) {
        wrong++;
    }
    CHECK(BYTES == wrong, "%s, round %d: byte 0 is %d, byte %d is %d", how, round, got[0], wrong, got[wrong]);
}

int main(int argc, char **argv)
{
    MPI_Group world, other;
    MPI_Win win;
    int peer;

    test_init(&argc, &argv);
    if (test_size < 2) {
        test_skip("needs 2 processes");
    }
    memory = calloc(1, BYTES);
    got = malloc(BYTES);
    MPI_Win_create(memory, 0 == test_rank ? BYTES : 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);

    for (int round = 0; round < ROUNDS && test_rank < 2; round++) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
        if (0 == test_rank) {
            memset(memory, round + 1, BYTES);
        } else {
            MPI_Get(got, BYTES, MPI_BYTE, 0, 0, BYTES, MPI_BYTE, win);
        }
        MPI_Win_unlock(0, win);
        if (1 == test_rank) {
            check_whole("lock", round);
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);

    peer = 1 - test_rank;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, test_rank < 2 ? 1 : 0, &peer, &other);
    for (int round = 0; round < ROUNDS && test_rank < 2; round++) {
        if (0 == test_rank) {
            memset(memory, round, BYTES);
            MPI_Win_post(other, 0, win);
            MPI_Win_wait(win);
            memset(memory, round + 100, BYTES);
        } else {
            MPI_Win_start(other, 0, win);
            MPI_Get(got, BYTES, MPI_BYTE, 0, 0, BYTES, MPI_BYTE, win);
            MPI_Win_complete(win);
            CHECK(round == got[0], "post and start: got %d in round %d", got[0], round);
            check_whole("post and start", round);
        }
    }
    MPI_Group_free(&world);
    MPI_Group_free(&other);
    MPI_Win_free(&win);
    free(memory);
    free(got);
    return test_finish();
}
