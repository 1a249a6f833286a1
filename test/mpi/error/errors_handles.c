/* Handles that are none: MPI_WIN_NULL, null types, operations, groups and communicators; groups with strangers.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

/* Errors without a window go to MPI_COMM_WORLD's handler. */
static void check_null_window(void)
{
    MPI_Win win = MPI_WIN_NULL;
    MPI_Group group;
    long value = 0;
    MPI_Info info;
    int flag;

    MPI_FAILS(MPI_ERR_WIN, MPI_Put(&value, 1, MPI_LONG, 0, 0, 1, MPI_LONG, win));
    MPI_FAILS(MPI_ERR_WIN, MPI_Get(&value, 1, MPI_LONG, 0, 0, 1, MPI_LONG, win));
    MPI_FAILS(MPI_ERR_WIN, MPI_Accumulate(&value, 1, MPI_LONG, 0, 0, 1, MPI_LONG, MPI_SUM, win));
    MPI_FAILS(MPI_ERR_WIN, MPI_Fetch_and_op(&value, &value, MPI_LONG, 0, 0, MPI_SUM, win));
    MPI_FAILS(MPI_ERR_WIN, MPI_Compare_and_swap(&value, &value, &value, MPI_LONG, 0, 0, win));
    MPI_FAILS(MPI_ERR_WIN, MPI_Win_fence(0, win));
    MPI_FAILS(MPI_ERR_WIN, MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win));
    MPI_FAILS(MPI_ERR_WIN, MPI_Win_lock_all(0, win));
    MPI_FAILS(MPI_ERR_WIN, MPI_Win_unlock(0, win));
    MPI_FAILS(MPI_ERR_WIN, MPI_Win_unlock_all(win));
    MPI_FAILS(MPI_ERR_WIN, MPI_Win_flush(0, win));
    MPI_FAILS(MPI_ERR_WIN, MPI_Win_flush_all(win));
    MPI_FAILS(MPI_ERR_WIN, MPI_Win_sync(win));
    MPI_FAILS(MPI_ERR_WIN, MPI_Win_complete(win));
    MPI_FAILS(MPI_ERR_WIN, MPI_Win_wait(win));
    MPI_FAILS(MPI_ERR_WIN, MPI_Win_test(win, &flag));
    MPI_FAILS(MPI_ERR_WIN, MPI_Win_attach(win, &value, 8));
    MPI_FAILS(MPI_ERR_WIN, MPI_Win_detach(win, &value));
    MPI_FAILS(MPI_ERR_WIN, MPI_Win_get_info(win, &info));
    MPI_FAILS(MPI_ERR_WIN, MPI_Win_get_group(win, &group));
    MPI_FAILS(MPI_ERR_WIN, MPI_Win_free(&win));
}

/* The window is over the first process alone, the group over the others. */
static void check_groups(void)
{
    MPI_Group all, strangers;
    long word = 0;
    MPI_Win win;

    MPI_OK(MPI_Win_create(&word, sizeof(word), 1, MPI_INFO_NULL, MPI_COMM_SELF, &win));
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_excl(all, 1, &test_rank, &strangers);
    if (test_size > 1) {
        MPI_FAILS(MPI_ERR_GROUP, MPI_Win_start(strangers, 0, win));
        MPI_FAILS(MPI_ERR_GROUP, MPI_Win_post(strangers, 0, win));
        MPI_FAILS(MPI_ERR_RMA_SYNC, MPI_Win_complete(win));
        MPI_FAILS(MPI_ERR_RMA_SYNC, MPI_Win_wait(win));
    }
    MPI_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win));
    MPI_FAILS(MPI_ERR_OP, MPI_Accumulate(&word, 1, MPI_LONG, 0, 0, 1, MPI_LONG, MPI_OP_NULL, win));
    MPI_FAILS(MPI_ERR_TYPE, MPI_Fetch_and_op(&word, &word, MPI_DATATYPE_NULL, 0, 0, MPI_SUM, win));
    MPI_FAILS(MPI_ERR_TYPE, MPI_Compare_and_swap(&word, &word, &word, MPI_DATATYPE_NULL, 0, 0, win));
    MPI_OK(MPI_Win_unlock(0, win));
    MPI_OK(MPI_Win_free(&win));
    MPI_Group_free(&all);
    MPI_Group_free(&strangers);
}

int main(int argc, char **argv)
{
    MPI_Win win;
    void *base;

    test_init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_FAILS(MPI_ERR_COMM, MPI_Win_create(&win, sizeof(win), 1, MPI_INFO_NULL, MPI_COMM_NULL, &win));
    MPI_FAILS(MPI_ERR_COMM, MPI_Win_allocate(8, 1, MPI_INFO_NULL, MPI_COMM_NULL, &base, &win));
    MPI_FAILS(MPI_ERR_COMM, MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_NULL, &win));
    check_null_window();
    check_groups();
    return test_finish();
}
