/* The first message to a process leaves before the call returns that sent it: who computes next keeps nobody waiting.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "flag.h"
#include "mpitest.h"

/** Files of a pair. */
static char ready[64], over[64];

/** The first of a pair gets out of its call and stays outside of MPI until the second is through with its own. */
static void check_over(const char *call)
{
    CHECK(test_flag_seen(over), "%s waits for a process that is outside of MPI", call);
}

static void try_post(int rank, MPI_Win win, MPI_Group other)
{
    if (0 == rank) {
        MPI_Win_post(other, 0, win);
        check_over("MPI_Win_start");
        MPI_Win_wait(win);
    } else {
        MPI_Win_start(other, 0, win);
        test_flag_raise(over);
        MPI_Win_complete(win);
    }
}

static void try_complete(int rank, MPI_Win win, MPI_Group other)
{
    if (0 == rank) {
        CHECK(test_flag_seen(ready), "the target does not post");
        MPI_Win_start(other, MPI_MODE_NOCHECK, win);
        MPI_Win_complete(win);
        check_over("MPI_Win_wait");
    } else {
        MPI_Win_post(other, MPI_MODE_NOCHECK, win);
        test_flag_raise(ready);
        MPI_Win_wait(win);
        test_flag_raise(over);
    }
}

static void try_fence(int rank, MPI_Win win)
{
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    if (0 == rank) {
        check_over("MPI_Win_fence");
    } else {
        test_flag_raise(over);
    }
}

int main(int argc, char **argv)
{
    MPI_Group both, other;
    MPI_Comm pair;
    MPI_Win win;
    int rank, size, peer, pid = (int) getpid();

    test_init(&argc, &argv);
    MPI_Comm_split(MPI_COMM_WORLD, test_rank / 2, test_rank, &pair);
    MPI_Comm_rank(pair, &rank);
    MPI_Comm_size(pair, &size);
    MPI_Bcast(&pid, 1, MPI_INT, 0, pair);
    snprintf(ready, sizeof(ready), "/tmp/regress_first_contact.%d.ready", pid);
    snprintf(over, sizeof(over), "/tmp/regress_first_contact.%d.over", pid);
    peer = 1 - rank;
    MPI_Comm_group(pair, &both);
    MPI_Group_incl(both, size - 1, &peer, &other);
    MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, pair, &win);
    MPI_Barrier(pair);
    if (2 == size) { /* each pair tries another call, since contact is first only once */
        if (0 == test_rank / 2 % 3) {
            try_post(rank, win, other);
        } else if (1 == test_rank / 2 % 3) {
            try_complete(rank, win, other);
        } else {
            try_fence(rank, win);
        }
    }
    MPI_Group_free(&both);
    MPI_Group_free(&other);
    MPI_Win_free(&win);
    MPI_Comm_free(&pair);
    unlink(ready);
    unlink(over);
    return test_finish();
}
