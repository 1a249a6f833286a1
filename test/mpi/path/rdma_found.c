/* By itself the component finds out whether UCX puts and gets natively: over shared memory, which stands in for a
 * network here, and over verbs it does, and over tcp it does not. Unlike in the set-up rdma, nothing is forced:
 * osc_ucp_rdma has its default.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

enum { ROUNDS = 20, BYTES = 4096 };

static void __attribute__((constructor)) leave_it_open(void)
{
    setenv("OMPI_MCA_osc_ucp_direct", "0", 1);
    setenv("OMPI_MCA_osc_ucp_rdma", "auto", 1);
    setenv("OMPI_MCA_osc_ucp_atomic_domain", "cpu", 1);
}

static MPI_T_pvar_session session;

static unsigned long long value_of(MPI_T_pvar_handle handle)
{
    unsigned long long value = 0;

    MPI_OK(MPI_T_pvar_read(session, handle, &value));
    return value;
}

/** Does UCX have a transport that does it? Only the set-up tcp has none. */
static int expected(void)
{
    const char *transports = getenv("UCX_TLS");

    return NULL == transports || NULL == strstr(transports, "tcp");
}

static void put_and_get(struct test_window *window)
{
    MPI_T_pvar_handle native = test_window_counter(session, "osc_ucp_operations_rdma", window->win);
    MPI_T_pvar_handle messages = test_window_counter(session, "osc_ucp_operations_am", window->win);
    static char out[BYTES], in[BYTES];
    int target = test_neighbour(1), others = target != test_rank;

    MPI_OK(MPI_Win_lock_all(0, window->win));
    for (int round = 0; round < ROUNDS; round++) {
        memset(out, round + 1, BYTES);
        MPI_OK(MPI_Put(out, BYTES, MPI_BYTE, target, test_at(window, target, 0), BYTES, MPI_BYTE, window->win));
        MPI_OK(MPI_Win_flush(target, window->win));
        MPI_OK(MPI_Get(in, BYTES, MPI_BYTE, target, test_at(window, target, 0), BYTES, MPI_BYTE, window->win));
        MPI_OK(MPI_Win_flush(target, window->win));
        CHECK(0 == memcmp(out, in, BYTES), "round %d: got something else", round);
    }
    MPI_OK(MPI_Win_unlock_all(window->win));
    /* Where the first of them finds the path not yet decided, it goes by message. */
    if (others && expected()) {
        CHECK(value_of(native) >= 2 * ROUNDS - 1, "%llu native operations, %llu by message", value_of(native),
              value_of(messages));
    } else {
        CHECK(0 == value_of(native), "%llu native operations", value_of(native));
    }
}

int main(int argc, char **argv)
{
    struct test_window window;
    int provided;

    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    test_init(&argc, &argv);
    MPI_OK(MPI_T_pvar_session_create(&session));
    test_window_open(&window, TEST_ALLOCATE, BYTES, MPI_INFO_NULL, MPI_COMM_WORLD);
    put_and_get(&window);
    MPI_OK(MPI_T_pvar_session_free(&session));
    test_window_close(&window);
    MPI_T_finalize();
    return test_finish();
}
