/* With osc_ucp_report 2 a performance variable has the time for which a call waited for a late MPI_Win_post, another
 * one that for a late MPI_Win_fence, and one that for a lock's holder: nothing if there is none, although a lock by
 * message takes time, too. All causes have variables.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

enum { LATE_US = 50000, LOCKS = 300, TRIES = 10, FENCES = 6, CAUSES = 11 };

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

/* Rank 1 posts late. On a busy machine rank 0 may come later than that: one of several tries is free of it. */
static void late_post(MPI_T_pvar_session session, MPI_Win win, MPI_Group group)
{
    MPI_T_pvar_handle post = test_window_counter(session, "osc_ucp_late_post_ns", win);
    MPI_T_pvar_handle holder = test_window_counter(session, "osc_ucp_lock_holder_ns", win);
    unsigned long long before = 0, after, longest = 0, held;

    for (int i = 0; i < TRIES; i++) {
        MPI_OK(MPI_Barrier(MPI_COMM_WORLD));
        if (0 == test_rank) {
            MPI_OK(MPI_Win_start(group, 0, win));
            MPI_OK(MPI_Win_complete(win));
        } else {
            usleep(LATE_US);
            MPI_OK(MPI_Win_post(group, 0, win));
            MPI_OK(MPI_Win_wait(win));
        }
        MPI_OK(MPI_T_pvar_read(session, post, &after));
        longest = after - before > longest ? after - before : longest;
        before = after;
    }
    MPI_OK(MPI_T_pvar_read(session, holder, &held));
    CHECK(1 == test_rank || longest > LATE_US * 500ull, "only %llu ns of %d us for a late post", longest, LATE_US);
    CHECK(0 == held, "%llu ns for a lock that nobody holds", held);
}

/* Locks for which nobody else asks. */
static void lock_often(MPI_Win win)
{
    unsigned char value = 1;
    int i;

    for (i = 0; i < LOCKS; i++) {
        MPI_OK(MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win));
        MPI_OK(MPI_Put(&value, 1, MPI_BYTE, 1, 0, 1, MPI_BYTE, win));
        MPI_OK(MPI_Win_flush(1, win));
        MPI_OK(MPI_Win_unlock(1, win));
    }
}

/* A busy machine may take the processor from rank 1 while it releases a lock, and the next lock then waits for that:
 * one of several tries is free of it. */
static void no_holder(MPI_T_pvar_session session, MPI_T_pvar_handle holder, MPI_Win win)
{
    unsigned long long before, after;
    double begin, ns = 0;
    int tries = 0;

    do {
        MPI_OK(MPI_T_pvar_read(session, holder, &before));
        begin = MPI_Wtime();
        lock_often(win);
        ns = (MPI_Wtime() - begin) * 1e9;
        MPI_OK(MPI_T_pvar_read(session, holder, &after));
    } while ((double) (after - before) >= ns / 20 && ++tries < TRIES);
    CHECK(tries < TRIES, "%llu ns of %.0f for locks that nobody holds", after - before, ns);
}

/* Rank 1 comes late to a fence, by twice as much at each try: a busy machine may delay rank 0 for longer. */
static void late_fence(MPI_T_pvar_session session, MPI_T_pvar_handle late, MPI_Win win)
{
    unsigned long long ns = 0;
    int late_us = LATE_US, found = 0;

    for (int i = 0; i < FENCES && !found; i++, late_us *= 2) {
        MPI_OK(MPI_Barrier(MPI_COMM_WORLD));
        usleep(1 == test_rank ? (useconds_t) late_us : 0);
        MPI_OK(MPI_Win_fence(0, win));
        MPI_OK(MPI_T_pvar_read(session, late, &ns));
        found = 0 != ns;
        MPI_OK(MPI_Bcast(&found, 1, MPI_INT, 0, MPI_COMM_WORLD));
    }
    MPI_OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
    CHECK(found, "no time for a late fence");
}

/* Every cause has a variable. */
static void causes_read(MPI_T_pvar_session session, MPI_Win win)
{
    static const char *const causes[CAUSES] = { "call_itself", "lock_holder", "late_fence", "late_post",
                                                "late_complete", "target_outside", "flow_control", "first_contact",
                                                "no_processor", "another_host", "not_known" };
    MPI_T_pvar_handle handles[CAUSES];
    unsigned long long ns[CAUSES];
    char name[64];

    for (int i = 0; i < CAUSES; i++) {
        snprintf(name, sizeof(name), "osc_ucp_%s_ns", causes[i]);
        handles[i] = test_window_counter(session, name, win);
    }
    late_fence(session, handles[2], win);
    MPI_OK(MPI_Win_lock_all(0, win));
    MPI_OK(MPI_Win_flush_all(win));
    MPI_OK(MPI_Win_unlock_all(win));
    for (int i = 0; i < CAUSES; i++) {
        MPI_OK(MPI_T_pvar_read(session, handles[i], &ns[i]));
    }
    CHECK(1 == test_rank || 0 != ns[0], "calls themselves took no time");
    CHECK(0 == ns[10], "%llu ns for no known cause", ns[10]);
}

int main(int argc, char **argv)
{
    MPI_T_pvar_session session;
    MPI_T_pvar_handle holder;
    struct test_window window;
    MPI_Group group;
    int provided;

    setenv("OMPI_MCA_osc_ucp_report", "2", 1);
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    test_init(&argc, &argv);
    group = other_group();
    test_window_open(&window, TEST_ALLOCATE, 8, MPI_INFO_NULL, MPI_COMM_WORLD);
    MPI_OK(MPI_T_pvar_session_create(&session));
    holder = test_window_counter(session, "osc_ucp_lock_holder_ns", window.win);
    late_post(session, window.win, group);
    if (0 == test_rank) {
        no_holder(session, holder, window.win);
    }
    MPI_OK(MPI_Barrier(MPI_COMM_WORLD));
    causes_read(session, window.win);
    MPI_OK(MPI_T_pvar_session_free(&session));
    test_window_close(&window);
    MPI_OK(MPI_Group_free(&group));
    MPI_T_finalize();
    return test_finish();
}
