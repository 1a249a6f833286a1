/* With osc_ucp_report 2 a performance variable has the time for which a call waited for a late MPI_Win_post.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

enum { LATE_US = 50000 };

/* The group of the other one of two processes. */
static MPI_Group other_group(void)
{
    MPI_Group all, group;
    int other = 1 - test_rank;

    MPI_OK(MPI_Comm_group(MPI_COMM_WORLD, &all));
    MPI_OK(MPI_Group_incl(all, 1, &other, &group));
    MPI_OK(MPI_Group_free(&all));
    return group;
}

int main(int argc, char **argv)
{
    MPI_T_pvar_session session;
    MPI_T_pvar_handle post, holder;
    struct test_window window;
    unsigned long long late = 0, held = 0;
    MPI_Group group;
    int provided;

    setenv("OMPI_MCA_osc_ucp_report", "2", 1);
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    test_init(&argc, &argv);
    group = other_group();
    test_window_open(&window, TEST_ALLOCATE, 8, MPI_INFO_NULL, MPI_COMM_WORLD);
    MPI_OK(MPI_T_pvar_session_create(&session));
    post = test_window_counter(session, "osc_ucp_late_post_ns", window.win);
    holder = test_window_counter(session, "osc_ucp_lock_holder_ns", window.win);
    MPI_OK(MPI_Barrier(MPI_COMM_WORLD));
    if (0 == test_rank) {
        MPI_OK(MPI_Win_start(group, 0, window.win));
        MPI_OK(MPI_Win_complete(window.win));
        MPI_OK(MPI_T_pvar_read(session, post, &late));
        MPI_OK(MPI_T_pvar_read(session, holder, &held));
        CHECK(late > LATE_US * 500ull, "only %llu ns of %d us for a late post", late, LATE_US);
        CHECK(0 == held, "%llu ns for a lock that nobody holds", held);
    } else {
        usleep(LATE_US);
        MPI_OK(MPI_Win_post(group, 0, window.win));
        MPI_OK(MPI_Win_wait(window.win));
    }
    MPI_OK(MPI_T_pvar_session_free(&session));
    test_window_close(&window);
    MPI_OK(MPI_Group_free(&group));
    MPI_T_finalize();
    return test_finish();
}
