/* Programs that end without cleaning up, with windows of all flavours: MPI_Finalize must return although windows are
 * open or locked, or operations are under way.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * usage: teardown open | outstanding | locked | posted | error | busy | load
 */
#include "../mpi/lib/ended.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES = 1 << 20, WINDOWS = 4, ROUNDS = 30 };

static int rank, size, other;
static char own[2][BYTES], sent[BYTES], received[BYTES];

/* The flavours whose target_disp begins at 0, and a dynamic window whose own region is at at[3]. */
static void windows_open(MPI_Win win[WINDOWS], MPI_Aint at[WINDOWS])
{
    char *memory;

    memset(at, 0, WINDOWS * sizeof(*at));
    MPI_Win_create(own[0], BYTES, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win[0]);
    MPI_Win_allocate(BYTES, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win[1]);
    MPI_Win_allocate_shared(BYTES, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win[2]);
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win[3]);
    MPI_Win_attach(win[3], own[1], BYTES);
    MPI_Get_address(own[1], &at[3]);
    MPI_Sendrecv_replace(&at[3], 1, MPI_AINT, (rank + size - 1) % size, 0, other, 0, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
    for (int i = 0; i < WINDOWS; i++) {
        MPI_Win_set_errhandler(win[i], MPI_ERRORS_RETURN);
    }
}

static void operate(MPI_Win win, MPI_Aint at)
{
    MPI_Put(sent, BYTES, MPI_BYTE, other, at, BYTES, MPI_BYTE, win);
    MPI_Put(sent, 8, MPI_BYTE, other, at, 8, MPI_BYTE, win);
    MPI_Get(received, BYTES / 2, MPI_BYTE, other, at, BYTES / 2, MPI_BYTE, win);
    MPI_Accumulate(sent, 20000, MPI_INT, other, at, 20000, MPI_INT, MPI_SUM, win);
}

/* Windows that are freed while others are full of operations, again and again. */
static void load(void)
{
    MPI_Win busy[WINDOWS], win[WINDOWS];
    MPI_Aint busy_at[WINDOWS], at[WINDOWS];

    windows_open(busy, busy_at);
    for (int i = 0; i < WINDOWS; i++) {
        MPI_Win_lock_all(0, busy[i]);
    }
    for (int round = 0; round < ROUNDS; round++) {
        windows_open(win, at);
        for (int i = 0; i < WINDOWS; i++) {
            operate(busy[i], busy_at[i]);
            MPI_Win_lock_all(0, win[i]);
            operate(win[i], at[i]);
            MPI_Win_unlock_all(win[i]);
        }
        for (int i = 0; i < WINDOWS; i++) {
            MPI_Win_free(&win[i]);
        }
    }
    for (int i = 0; i < WINDOWS; i++) {
        MPI_Win_unlock_all(busy[i]);
        MPI_Win_free(&busy[i]);
    }
}

/* Others keep this process's service thread busy until they are told to end. */
static void busy(MPI_Win win[WINDOWS], MPI_Aint at[WINDOWS])
{
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < WINDOWS; i++) {
            MPI_Win_lock(MPI_LOCK_SHARED, other, 0, win[i]);
            operate(win[i], at[i]);
            MPI_Win_unlock(other, win[i]);
        }
    }
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    MPI_Win win[WINDOWS];
    MPI_Aint at[WINDOWS];
    MPI_Group group;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    other = (rank + 1) % size;
    if (0 == strcmp(how, "load")) {
        load();
    } else {
        windows_open(win, at);
    }
    for (int i = 0; i < WINDOWS; i++) {
        if (0 == strcmp(how, "outstanding")) {
            MPI_Win_lock_all(0, win[i]);
            operate(win[i], at[i]);
        } else if (0 == strcmp(how, "locked")) {
            MPI_Win_lock(MPI_LOCK_EXCLUSIVE, other, 0, win[i]);
            MPI_Put(sent, 8, MPI_BYTE, other, at[i], 8, MPI_BYTE, win[i]);
            MPI_Win_flush(other, win[i]);
        } else if (0 == strcmp(how, "posted")) {
            MPI_Win_get_group(win[i], &group);
            MPI_Win_post(group, 0, win[i]);
            MPI_Group_free(&group);
        } else if (0 == strcmp(how, "error")) {
            MPI_Win_fence(0, win[i]);
            if (MPI_SUCCESS == MPI_Put(sent, 8, MPI_BYTE, other, at[i] + BYTES, 8, MPI_BYTE, win[i]) &&
                MPI_SUCCESS == MPI_Win_fence(0, win[i])) {
                fprintf(stderr, "a put beyond window %d gave no error\n", i);
                MPI_Abort(MPI_COMM_WORLD, 1);
            }
        }
    }
    if (0 == strcmp(how, "busy")) {
        busy(win, at);
    }
    MPI_Finalize();
    return 0;
}
