/* With osc_ucp_status a tool gets an event of MPI_T for each call that has waited: for whom, in which window, how long.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

#ifdef OMPI_OSC_UCP_HOST_EVENTS

enum { LATE_US = 400000 };

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

static void check(const struct seen *seen, const char *what)
{
    CHECK(1 == seen->count, "%d events of %s", seen->count, what);
    CHECK(1 == seen->rank, "%s: waited for rank %d", what, seen->rank);
    CHECK(0 != seen->window, "%s: no window", what);
    CHECK(seen->ns > LATE_US * 500ull, "%s: %llu ns", what, seen->ns);
}

int main(int argc, char **argv)
{
    struct seen fence = { 0, -2, 0, 0 }, lock = { 0, -2, 0, 0 };
    MPI_T_event_registration handles[2];
    struct test_window window;
    int provided;

    setenv("OMPI_MCA_osc_ucp_status", "1", 1);
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    test_init(&argc, &argv);
    test_window_open(&window, TEST_ALLOCATE, 8, MPI_INFO_NULL, MPI_COMM_WORLD);
    handles[0] = listen_to("osc_ucp_waited_fence", &fence);
    handles[1] = listen_to("osc_ucp_waited_lock", &lock);
    MPI_OK(MPI_Win_fence(0, window.win)); /* nobody is late */
    CHECK(0 == fence.count, "%d events without a reason", fence.count);
    if (1 == test_rank) {
        usleep(LATE_US);
    }
    MPI_OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, window.win));
    if (1 == test_rank) {
        MPI_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, window.win));
    }
    MPI_OK(MPI_Barrier(MPI_COMM_WORLD));
    if (1 == test_rank) {
        usleep(LATE_US);
    } else {
        MPI_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, window.win));
        check(&fence, "the fence");
        check(&lock, "the lock");
    }
    MPI_OK(MPI_Win_unlock(1, window.win));
    MPI_OK(MPI_Barrier(MPI_COMM_WORLD));
    CHECK(0 == test_rank || 0 == fence.count + lock.count, "%d events at the late process", fence.count + lock.count);
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
