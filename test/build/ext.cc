// Notified access from C++: works on windows of osc/ucp; on others each call is refused. With an argument rank 1 is late.
//
// SPDX-License-Identifier: BSD-3-Clause

#include <osc_ucp_ext.h>

#include <cstdio>
#include <unistd.h>

static MPI_Win win;
static int wrong;

static void want(bool right, const char *what)
{
    if (!right) {
        std::fprintf(stderr, "wrong: %s\n", what);
        wrong = 1;
    }
}

static void refused(int code, const char *what)
{
    int error_class = MPI_SUCCESS;

    MPI_Error_class(code, &error_class);
    want(MPI_ERR_UNSUPPORTED_OPERATION == error_class, what);
}

/* The attributes say the same as the call, and their memory stays. */
static void attributes_agree(int num_sb, int num_ub, MPI_Count value_ub)
{
    int *sb = nullptr, *ub = nullptr, *again = nullptr, *unit = nullptr, flag = 0;
    MPI_Count *most = nullptr;

    want(MPI_SUCCESS == MPIX_Win_get_attr(win, MPIX_WIN_NOTIFICATION_NUM_UB, &ub, &flag) && flag && num_ub == *ub,
         "attribute NUM_UB");
    want(MPI_SUCCESS == MPIX_Win_get_attr(win, MPIX_WIN_NOTIFICATION_NUM_SB, &sb, &flag) && flag && num_sb == *sb,
         "attribute NUM_SB");
    want(MPI_SUCCESS == MPIX_Win_get_attr(win, MPIX_WIN_NOTIFICATION_VALUE_UB, &most, &flag) && flag &&
         value_ub == *most, "attribute VALUE_UB");
    want(MPI_SUCCESS == MPI_Win_get_attr(win, MPIX_WIN_NOTIFICATION_NUM_UB, &again, &flag) && flag && ub == again,
         "MPI_Win_get_attr after MPIX_Win_get_attr");
    want(MPI_SUCCESS == MPIX_Win_get_attr(win, MPI_WIN_DISP_UNIT, &unit, &flag) && flag &&
         sizeof(int) == *unit, "an attribute of MPI");
}

static void all_refused()
{
    MPI_Request request;
    MPI_Count count;
    int value = 1, result, n;

    refused(MPIX_Win_set_num_notify(win, MPI_INFO_NULL, 1), "set_num");
    refused(MPIX_Win_get_num_notify(win, 0, &n), "get_num");
    refused(MPIX_Win_get_notify_value(win, 0, &count), "value");
    refused(MPIX_Win_reset_notify_value(win, 0, &count), "reset");
    refused(MPIX_Win_notify_wait(win, 0, 1, &count), "wait");
    refused(MPIX_Win_notify_threshold(win, 0, 1, &request), "threshold");
    MPI_Win_lock_all(0, win);
    refused(MPIX_Put_notify(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, 0, win), "put");
    refused(MPIX_Get_notify(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, 0, win), "get");
    refused(MPIX_Accumulate_notify(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, 0, win), "accumulate");
    refused(MPIX_Get_accumulate_notify(&value, 1, MPI_INT, &result, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, 0, win),
            "get_accumulate");
    refused(MPIX_Rput_notify(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, 0, win, &request), "rput");
    refused(MPIX_Rget_notify(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, 0, win, &request), "rget");
    refused(MPIX_Raccumulate_notify(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, 0, win, &request), "raccumulate");
    refused(MPIX_Rget_accumulate_notify(&value, 1, MPI_INT, &result, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, 0, win,
                                        &request), "rget_accumulate");
    MPI_Win_unlock_all(win);
}

/* Every form for large counts adds to the int at `other`: its neighbour's counter 0 becomes 9, and the int 46. */
static void large(int other)
{
#ifdef OSC_UCP_EXT_LARGE_COUNTS
    const MPI_Count n = 1;
    int value = 42, one = 1, result = -1;
    MPI_Request request[4];

    MPIX_Put_notify_c(&value, n, MPI_INT, other, 0, n, MPI_INT, 0, win);
    MPI_Win_flush(other, win);
    MPIX_Rput_notify_c(&value, n, MPI_INT, other, 0, n, MPI_INT, 0, win, &request[0]);
    MPI_Win_flush(other, win);
    MPIX_Accumulate_notify_c(&one, n, MPI_INT, other, 0, n, MPI_INT, MPI_SUM, 0, win);
    MPIX_Raccumulate_notify_c(&one, n, MPI_INT, other, 0, n, MPI_INT, MPI_SUM, 0, win, &request[1]);
    MPIX_Get_accumulate_notify_c(&one, n, MPI_INT, &result, n, MPI_INT, other, 0, n, MPI_INT, MPI_SUM, 0, win);
    MPI_Win_flush(other, win);
    MPIX_Rget_accumulate_notify_c(&one, n, MPI_INT, &result, n, MPI_INT, other, 0, n, MPI_INT, MPI_SUM, 0, win,
                                  &request[2]);
    MPI_Win_flush(other, win);
    MPIX_Get_notify_c(&result, n, MPI_INT, other, 0, n, MPI_INT, 0, win);
    MPI_Win_flush(other, win);
    want(46 == result, "the forms for large counts");
    MPIX_Rget_notify_c(&result, n, MPI_INT, other, 0, n, MPI_INT, 0, win, &request[3]);
    MPI_Waitall(4, request, MPI_STATUSES_IGNORE);
    MPI_Count count = 0;
    MPIX_Win_notify_wait(win, 0, 9, &count);
    want(9 == count, "the number of notifications of the forms for large counts");
#else
    (void) other;
#endif
}

static void used(const int *mine, int other, bool late)
{
    MPI_Count count = 0;
    int value = 42;

    want(MPI_SUCCESS == MPIX_Win_set_num_notify(win, MPI_INFO_NULL, 1), "set_num");
    MPI_Win_lock_all(0, win);
    if (late) {
        sleep(3);
    }
    want(MPI_SUCCESS == MPIX_Put_notify(&value, 1, MPI_INT, other, 0, 1, MPI_INT, 0, win), "put");
    MPI_Win_flush_all(win);
    want(MPI_SUCCESS == MPIX_Win_notify_wait(win, 0, 1, &count) && 1 == count && 42 == *mine, "wait");
    MPI_Barrier(MPI_COMM_WORLD);
    large(other);
    MPI_Win_unlock_all(win);
}

int main(int argc, char **argv)
{
    MPI_Count most = -1;
    int rank, size, flag = -1, sb = -1, ub = -1, *mine;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    MPIX_Win_notify_supported(win, &flag);
    MPIX_Win_notify_limits(win, &sb, &ub, &most);
    want(flag ? sb > 0 && ub >= sb && most > 0 : 0 == sb && 0 == ub && 0 == most, "the limits");
    attributes_agree(sb, ub, most);
    if (flag) {
        used(mine, (rank + 1) % size, argc > 1 && 1 == rank);
    } else {
        all_refused();
    }
    if (0 == rank) {
        std::printf("notified access: %s\n", flag ? "supported" : "refused");
    }
    MPI_Win_free(&win);
    MPI_Finalize();
    return wrong;
}
