/* The performance variables of a window count what was done, from when a tool starts them.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

static unsigned long long value_of(MPI_T_pvar_session session, MPI_T_pvar_handle handle)
{
    unsigned long long value = 0;

    MPI_OK(MPI_T_pvar_read(session, handle, &value));
    return value;
}

/** Are the window's accumulates in the network's domain? Then all operations go there, on oneself as well. (Shared
 *  memory in the place of a network reaches no memory of MPI_Win_create.) */
static int is_nic(const struct test_window *window)
{
    const char *domain = getenv("OMPI_MCA_osc_ucp_atomic_domain");

    return NULL != domain && 0 == strcmp(domain, "nic") && test_size > 1 && TEST_ALLOCATE == window->flavor;
}

static void check(struct test_window *window, MPI_T_pvar_session session)
{
    static const char *const vias[] = { "direct", "rdma", "am" };
    MPI_T_pvar_handle self, self_bytes, operations[3], bytes[3], waited;
    unsigned long long others = 0, others_bytes = 0;
    const char *flavor = test_flavor_name[window->flavor];
    int target = test_neighbour(1), to_others = target != test_rank ? 5 : 0;
    unsigned own = is_nic(window) ? 0 : 3, away = (unsigned) to_others + 3 - own;
    char name[64], data[24] = "";

    self = test_window_counter(session, "osc_ucp_operations_self", window->win);
    self_bytes = test_window_counter(session, "osc_ucp_bytes_self", window->win);
    waited = test_window_counter(session, "osc_ucp_waited_ns", window->win);
    for (int i = 0; i < 3; i++) {
        snprintf(name, sizeof(name), "osc_ucp_operations_%s", vias[i]);
        operations[i] = test_window_counter(session, name, window->win);
        snprintf(name, sizeof(name), "osc_ucp_bytes_%s", vias[i]);
        bytes[i] = test_window_counter(session, name, window->win);
    }
    MPI_OK(MPI_Win_lock_all(0, window->win));
    for (int i = 0; i < to_others; i++) {
        MPI_OK(MPI_Put(data, 24, MPI_BYTE, target, test_at(window, target, 0), 24, MPI_BYTE, window->win));
    }
    for (int i = 0; i < 3; i++) {
        MPI_OK(MPI_Get(data, 3, MPI_DOUBLE, test_rank, test_at(window, test_rank, 0), 3, MPI_DOUBLE, window->win));
    }
    MPI_OK(MPI_Win_unlock_all(window->win));
    for (int i = 0; i < 3; i++) {
        others += value_of(session, operations[i]);
        others_bytes += value_of(session, bytes[i]);
    }
    CHECK(own == value_of(session, self), "%s: %llu operations on oneself", flavor, value_of(session, self));
    CHECK(own * 24 == value_of(session, self_bytes), "%s: %llu bytes to oneself", flavor,
          value_of(session, self_bytes));
    CHECK(away == others, "%s: %llu operations on another", flavor, others);
    CHECK(away * 24 == others_bytes, "%s: %llu bytes to another", flavor, others_bytes);
    CHECK(0 != value_of(session, waited), "%s: no time in synchronization", flavor);
}

enum { ELEMENTS = 200 };

/** Operation `i` on the target: every kind of call, some longer than what goes the shortest way. Returns its bytes. */
static int operate(const struct test_window *window, int i, int target)
{
    static long from[ELEMENTS], result[ELEMENTS], expected;
    MPI_Aint disp = test_at(window, target, 0);
    MPI_Win win = window->win;
    int n = 0 == i % 7 ? ELEMENTS : 1 + i % 2;

    switch (i / 4 % 6) {
    case 0: MPI_OK(MPI_Put(from, n, MPI_LONG, target, disp, n, MPI_LONG, win)); break;
    case 1: MPI_OK(MPI_Get(result, n, MPI_LONG, target, disp, n, MPI_LONG, win)); break;
    case 2: MPI_OK(MPI_Accumulate(from, n, MPI_LONG, target, disp, n, MPI_LONG, MPI_SUM, win)); break;
    case 3:
        MPI_OK(MPI_Get_accumulate(from, n, MPI_LONG, result, n, MPI_LONG, target, disp, n, MPI_LONG, MPI_SUM, win));
        break;
    case 4: n = 1; MPI_OK(MPI_Fetch_and_op(from, result, MPI_LONG, target, disp, MPI_SUM, win)); break;
    default: n = 1; MPI_OK(MPI_Compare_and_swap(from, &expected, result, MPI_LONG, target, disp, win)); break;
    }
    return n * (int) sizeof(long);
}

/* More operations than the component adds up before it counts them, read between others. */
static void check_many(struct test_window *window, MPI_T_pvar_session session)
{
    static const char *const vias[] = { "self", "direct", "rdma", "am" };
    MPI_T_pvar_handle operations[4], bytes[4];
    unsigned long long done = 0, moved = 0, counted, counted_bytes;
    char name[64];

    for (int i = 0; i < 4; i++) {
        snprintf(name, sizeof(name), "osc_ucp_operations_%s", vias[i]);
        operations[i] = test_window_counter(session, name, window->win);
        snprintf(name, sizeof(name), "osc_ucp_bytes_%s", vias[i]);
        bytes[i] = test_window_counter(session, name, window->win);
    }
    MPI_OK(MPI_Win_lock_all(0, window->win));
    for (int i = 0; i < 5000; i++) {
        moved += (unsigned) operate(window, i, i / 2 % 2 ? test_rank : test_neighbour(1));
        done++;
        if (0 == i % 50) {
            MPI_OK(MPI_Win_flush_all(window->win));
        }
        if (0 == i % 1201 || 4999 == i) {
            counted = counted_bytes = 0;
            for (int via = 0; via < 4; via++) {
                counted += value_of(session, operations[via]);
                counted_bytes += value_of(session, bytes[via]);
            }
            CHECK(done == counted && moved == counted_bytes, "%s: after %llu operations on %llu bytes: %llu on %llu",
                  test_flavor_name[window->flavor], done, moved, counted, counted_bytes);
        }
    }
    MPI_OK(MPI_Win_unlock_all(window->win));
}

int main(int argc, char **argv)
{
    MPI_T_pvar_session session;
    struct test_window window;
    int provided;

    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    test_init(&argc, &argv);
    for (enum test_flavor flavor = 0; flavor < TEST_FLAVORS; flavor++) {
        if (!test_has_flavor(MPI_COMM_WORLD, flavor)) {
            continue;
        }
        test_window_open(&window, flavor, ELEMENTS * sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD);
        MPI_OK(MPI_T_pvar_session_create(&session));
        check(&window, session);
        MPI_OK(MPI_T_pvar_session_free(&session));
        MPI_OK(MPI_T_pvar_session_create(&session));
        check_many(&window, session);
        MPI_OK(MPI_T_pvar_session_free(&session));
        test_window_close(&window);
    }
    MPI_T_finalize();
    return test_finish();
}
