/* With osc_ucp_status a tool gets an event of MPI_T for each call that has waited: for whom, in which window, how long.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

#ifdef OMPI_OSC_UCP_HOST_EVENTS

/** Waits are timed by a coarse clock. */
enum { FIRST_LATE_US = 100000, LAST_LATE_US = 1600000, TRIES = 20, CLOCK_STEP_NS = 10000000 };

/** What the events of a type have told. */
struct seen {
    int count, rank;
    unsigned long long window, ns;
};

static void take(MPI_T_event_instance event, MPI_T_event_registration handle, MPI_T_cb_safety safety, void *data)
{
    struct seen *seen = data;

    (void) handle;
    (void) safety;
    MPI_OK(MPI_T_event_read(event, 0, &seen->window));
    MPI_OK(MPI_T_event_read(event, 1, &seen->ns));
    MPI_OK(MPI_T_event_read(event, 2, &seen->rank));
    seen->count++;
}

static MPI_T_event_registration listen_to(const char *name, struct seen *seen)
{
    MPI_T_event_registration handle;
    int index = -1, elements = 0, i, number;
    char found[256];

    MPI_OK(MPI_T_event_get_num(&number));
    for (i = 0; i < number && index < 0; i++) {
        int length = sizeof(found), verbosity, bind;

        elements = 0;
        MPI_OK(MPI_T_event_get_info(i, found, &length, &verbosity, NULL, NULL, &elements, NULL, NULL, NULL, NULL,
                                    &bind));
        if (NULL != strstr(found, name)) {
            index = i;
        }
    }
    CHECK(index >= 0, "there is no event %s among %d", name, number);
    MPI_OK(MPI_T_event_handle_alloc(index, NULL, MPI_INFO_NULL, &handle));
    MPI_OK(MPI_T_event_register_callback(handle, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL, seen, take));
    return handle;
}

/** Rank 1 is late for a fence, or keeps its lock. */
static void late_fence(MPI_Win win, int late_us)
{
    MPI_OK(MPI_Barrier(MPI_COMM_WORLD));
    if (1 == test_rank) {
        usleep(late_us);
    }
    MPI_OK(MPI_Win_fence(0, win));
}

static void long_lock(MPI_Win win, int late_us)
{
    if (1 == test_rank) {
        MPI_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win));
    }
    MPI_OK(MPI_Barrier(MPI_COMM_WORLD));
    if (1 == test_rank) {
        usleep(late_us);
    } else {
        MPI_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win));
    }
    MPI_OK(MPI_Win_unlock(1, win));
}

/** Whether only rank 0 gets an event, and no more of them than expected. A machine that stops a process for as long
 * as rank 1 is late makes another one wait: then the same once more, with rank 1 later. */
static void expect(void (*sync)(MPI_Win win, int late_us), const struct test_window *window, struct seen *seen,
                   int expected, const char *what)
{
    int counts[2], late_us = 0 == expected ? 0 : FIRST_LATE_US;

    for (int i = 0; i < TRIES; i++, late_us = late_us < LAST_LATE_US ? 2 * late_us : late_us) {
        double start = MPI_Wtime();

        *seen = (struct seen) { 0, -2, 0, 0 };
        sync(window->win, late_us);
        if (0 != seen->count) {
            CHECK(1 - test_rank == seen->rank, "%s: waited for rank %d", what, seen->rank);
            CHECK(0 != seen->window, "%s: no window", what);
            CHECK(seen->ns > 0 && seen->ns <= (MPI_Wtime() - start) * 1e9 + CLOCK_STEP_NS, "%s: %llu ns", what,
                  seen->ns);
        }
        MPI_OK(MPI_Allgather(&seen->count, 1, MPI_INT, counts, 1, MPI_INT, MPI_COMM_WORLD));
        if (expected == counts[0] && 0 == counts[1]) {
            return;
        }
    }
    CHECK(0, "%s: %d and %d events, not %d and 0", what, counts[0], counts[1], expected);
}

int main(int argc, char **argv)
{
    struct seen fence, lock;
    MPI_T_event_registration handles[2];
    struct test_window window;
    int provided;

    setenv("OMPI_MCA_osc_ucp_status", "1", 1);
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    test_init(&argc, &argv);
    test_window_open(&window, TEST_ALLOCATE, 8, MPI_INFO_NULL, MPI_COMM_WORLD);
    handles[0] = listen_to("osc_ucp_waited_fence", &fence);
    handles[1] = listen_to("osc_ucp_waited_lock", &lock);
    expect(late_fence, &window, &fence, 0, "a fence for which nobody is late");
    expect(late_fence, &window, &fence, 1, "a fence");
    MPI_OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, window.win));
    expect(long_lock, &window, &lock, 1, "a lock");
    for (int i = 0; i < 2; i++) {
        MPI_OK(MPI_T_event_handle_free(handles[i], NULL, NULL));
    }
    test_window_close(&window);
    MPI_T_finalize();
    return test_finish();
}

#else

int main(int argc, char **argv)
{
    test_init(&argc, &argv);
    test_skip("this Open MPI has no events of MPI_T that a component can register");
}

#endif
