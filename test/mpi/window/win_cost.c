/* What a window may cost each process, whatever the number of processes: memory, messages, connections, locks. Members
 * that nobody touches cost nothing. Memory is what malloc and shared segments have, on average over the processes.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

#include <malloc.h>

enum { WINDOWS = 64, MEMORY = 64, WINDOW_BYTES = 4096 };

static MPI_T_pvar_session session;

/** Counters of one window; connections are the process's. */
struct costs {
    MPI_T_pvar_handle messages, locks, atomics, native;
};

static unsigned long long value_of(MPI_T_pvar_handle handle)
{
    unsigned long long value = 0;

    MPI_OK(MPI_T_pvar_read(session, handle, &value));
    return value;
}

/** A handle counts from where it was opened: it stays open. */
static struct test_counter connections_counter;

/** Connections that this process has opened. */
static unsigned long long connections(void)
{
    CHECK(connections_counter.open, "there is no osc_ucp_connections");
    return test_counter_read(&connections_counter);
}

static int is_nic(enum test_flavor flavor)
{
    const char *domain = getenv("OMPI_MCA_osc_ucp_atomic_domain");

    return NULL != domain && 0 == strcmp(domain, "nic") && test_size > 1 && TEST_ALLOCATE == flavor;
}

static double in_use(void)
{
    struct mallinfo2 info = mallinfo2();

    return (double) info.uordblks + (double) info.hblkhd;
}

/** Bytes of shared memory for windows that are there: this process's share, if several have touched them. It becomes
 *  less when others touch them. */
static double in_use_shared(void)
{
    FILE  *maps = fopen("/proc/self/smaps", "r");
    char   line[1000];
    int    windows = 0;
    size_t kib, sum = 0;

    while (NULL != maps && NULL != fgets(line, sizeof(line), maps)) {
        if (1 == sscanf(line, "%*x-%zx ", &kib)) {
            windows = NULL != strstr(line, "/SYSV") || NULL != strstr(line, "ucx");
        } else if (windows && 1 == sscanf(line, "Pss: %zu", &kib)) {
            sum += kib * 1024;
        }
    }
    CHECK(NULL != maps, "there is no /proc/self/smaps");
    if (NULL != maps) {
        fclose(maps);
    }
    return (double) sum;
}

/** The average over all processes, when all have come here. */
static double average(double mine)
{
    double sum;

    MPI_OK(MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
    return sum / test_size;
}

/** Receive messages that are there before their receives. Open MPI's list of such messages grows with the fifth, by 53
 *  KB and once. With many processes that may happen in a window's agreement. */
static void early_messages(void)
{
    enum { EARLY = 8 };
    MPI_Request requests[EARLY];
    int         one = 1, got;

    for (int i = 0; i < EARLY; i++) {
        MPI_OK(MPI_Isend(&one, 1, MPI_INT, test_rank, 0, MPI_COMM_WORLD, &requests[i]));
    }
    for (int i = 0; i < EARLY; i++) {
        MPI_OK(MPI_Recv(&got, 1, MPI_INT, test_rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    }
    MPI_OK(MPI_Waitall(EARLY, requests, MPI_STATUSES_IGNORE));
}

/** Are windows of the program's memory lean? */
static int is_lean(void)
{
    const char *node = getenv("OMPI_MCA_osc_ucp_node");

    return !is_nic(TEST_ALLOCATE) && (NULL == node || 0 != strcmp(node, "0")) && test_one_node(MPI_COMM_WORLD);
}

static void make_one(enum test_flavor flavor, MPI_Win *win)
{
    static unsigned char memory[MEMORY];
    void                *base;

    switch (flavor) {
    case TEST_CREATE:
        MPI_OK(MPI_Win_create(memory, MEMORY, 1, MPI_INFO_NULL, MPI_COMM_WORLD, win));
        break;
    case TEST_ALLOCATE:
        MPI_OK(MPI_Win_allocate(MEMORY, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, win));
        break;
    case TEST_SHARED:
        MPI_OK(MPI_Win_allocate_shared(MEMORY, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, win));
        break;
    default:
        MPI_OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, win));
    }
}

/** So many windows that all are used to: the average cost of one. Nothing is sent between their members. */
static void make_many(enum test_flavor flavor)
{
    unsigned long long opened = 0;
    double             before = 0, shared_before = 0, own, shared;
    MPI_Win            win[WINDOWS];

    for (int i = 0; i < WINDOWS; i++) {
        if (WINDOWS / 2 == i) {
            opened        = connections();
            shared_before = in_use_shared();
            before        = in_use();
        }
        make_one(flavor, &win[i]);
    }
    own    = average(in_use() - before) / (WINDOWS / 2);
    shared = average(in_use_shared() - shared_before) / (WINDOWS / 2);
    CHECK(own + shared <= WINDOW_BYTES,
          "%s: a window of %d processes takes %.0f bytes of malloc and %.0f of shared memory", test_flavor_name[flavor],
          test_size, own, shared);
    CHECK(connections() == opened, "%s: %llu connections for windows that are not used", test_flavor_name[flavor],
          connections() - opened);
    MPI_Barrier(MPI_COMM_WORLD); /* windows that are freed do send messages */
    for (int i = 0; i < WINDOWS; i++) {
        MPI_OK(MPI_Win_free(&win[i]));
    }
}

static int rounds(int members)
{
    int n = 0;

    while (1 << n < members) {
        n++;
    }
    return n;
}

/** On how many hosts the processes are. Collective. */
static int hosts(void)
{
    MPI_Comm here;
    int      rank, first, n;

    MPI_OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here));
    MPI_Comm_rank(here, &rank);
    first = 0 == rank;
    MPI_OK(MPI_Allreduce(&first, &n, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    MPI_Comm_free(&here);
    return n;
}

static void put(struct test_window *window, int target)
{
    static const char one = 1;

    MPI_OK(MPI_Put(&one, 1, MPI_BYTE, target, test_at(window, target, 0), 1, MPI_BYTE, window->win));
}

/** A fence sends no more than one message for each round, however many members there are. On several hosts one process
 *  of each sends to the others. */
static void fences(struct test_window *window, const struct costs *costs)
{
    unsigned long long sent, all;
    int                nodes = hosts();

    MPI_OK(MPI_Win_fence(0, window->win)); /* the first one makes connections */
    sent = value_of(costs->messages);
    MPI_OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, window->win));
    sent = value_of(costs->messages) - sent;
    CHECK(sent <= (unsigned long long) rounds(test_size), "%s: a fence of %d sends %llu messages",
          test_flavor_name[window->flavor], test_size, sent);
    MPI_OK(MPI_Allreduce(&sent, &all, 1, MPI_UNSIGNED_LONG_LONG, MPI_SUM, MPI_COMM_WORLD));
    CHECK(1 == nodes || all <= (unsigned long long) (nodes * rounds(nodes)),
          "%s: a fence of %d on %d hosts: %llu messages", test_flavor_name[window->flavor], test_size, nodes, all);
}

/** lock_all costs nothing for a member that is not touched, and one lock for each that is. The own process is locked
 *  at once. */
static void lock_all(struct test_window *window, const struct costs *costs, int touched)
{
    int                nic = is_nic(window->flavor);
    unsigned long long messages, locks, atomics, opened = connections(), most;

    for (int again = 0; again < 2; again++) {
        messages = value_of(costs->messages);
        locks    = value_of(costs->locks);
        atomics  = value_of(costs->atomics);
        MPI_OK(MPI_Win_lock_all(0, window->win));
        for (int i = 1; i <= touched; i++) {
            put(window, test_neighbour(i));
        }
        MPI_OK(MPI_Win_unlock_all(window->win));
    }
    messages = value_of(costs->messages) - messages;
    locks    = value_of(costs->locks) - locks;
    atomics  = value_of(costs->atomics) - atomics;
    /* A native put cannot wait for the lock at the target: lock and unlock are two messages then. */
    most = (unsigned long long) touched * (0 == value_of(costs->native) || nic ? 1 : 2);
    CHECK(messages <= most, "%s: lock_all sends %llu messages, and %d members are touched",
          test_flavor_name[window->flavor], messages, touched);
    most = nic ? 1 : 1 + (unsigned long long) touched;
    CHECK(most == locks, "%s: lock_all takes %llu locks, and %d members are touched", test_flavor_name[window->flavor],
          locks, touched);
    CHECK((nic ? 2 : 0) == atomics, "%s: lock_all and unlock_all are %llu atomics", test_flavor_name[window->flavor],
          atomics);
    CHECK(connections() - opened <= (unsigned long long) (touched + nic), "%s: %llu connections for %d members",
          test_flavor_name[window->flavor], connections() - opened, touched);
}

/** flush_all asks only those to which something was sent since the last one. */
static void flush_all(struct test_window *window, const struct costs *costs)
{
    int                touched = test_size > 2 ? 2 : 1;
    unsigned long long before;

    MPI_OK(MPI_Win_lock_all(0, window->win));
    for (int i = 1; i <= touched; i++) {
        put(window, test_neighbour(i));
    }
    MPI_OK(MPI_Win_flush_all(window->win)); /* all are known and locked now */
    for (int dirty = touched; dirty >= 0; dirty--) {
        before = value_of(costs->messages);
        for (int i = 1; i <= dirty; i++) {
            put(window, test_neighbour(i));
        }
        MPI_OK(MPI_Win_flush_all(window->win));
        CHECK(value_of(costs->messages) - before <= (unsigned long long) dirty,
              "%s: flush_all sends %llu messages, and %d of %d members are dirty", test_flavor_name[window->flavor],
              value_of(costs->messages) - before, dirty, touched);
    }
    MPI_OK(MPI_Win_unlock_all(window->win));
}

/** Members of a node that are touched one after the other cost tables only: what is kept of operations is kept in one
 *  place. */
static void touch(struct test_window *window)
{
    enum { TOUCHED_BYTES = 1024 };
    double before = 0;
    int    n      = test_size - 2;

    MPI_OK(MPI_Win_lock_all(0, window->win));
    for (int i = 1; i <= n; i++) {
        put(window, test_neighbour(i));
        MPI_OK(MPI_Win_flush(test_neighbour(i), window->win));
        before = 1 == i ? in_use() : before; /* behind what the first one costs */
    }
    CHECK(n < 2 || in_use() <= before + n * TOUCHED_BYTES, "%s: %d touched members cost %.0f bytes",
          test_flavor_name[window->flavor], n, in_use() - before);
    MPI_OK(MPI_Win_unlock_all(window->win));
}

static void use(enum test_flavor flavor)
{
    struct test_window window;
    struct costs       costs;

    test_window_open(&window, flavor, MEMORY, MPI_INFO_NULL, MPI_COMM_WORLD);
    MPI_OK(MPI_T_pvar_session_create(&session));
    if (is_lean()) {
        touch(&window);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    costs.messages = test_window_counter(session, "osc_ucp_messages", window.win);
    costs.locks    = test_window_counter(session, "osc_ucp_locks", window.win);
    costs.atomics  = test_window_counter(session, "osc_ucp_atomics", window.win);
    costs.native   = test_window_counter(session, "osc_ucp_operations_rdma", window.win);
    for (int touched = 0; touched < 4 && touched < test_size; touched++) {
        lock_all(&window, &costs, touched);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    flush_all(&window, &costs);
    MPI_Barrier(MPI_COMM_WORLD);
    fences(&window, &costs);
    MPI_OK(MPI_T_pvar_session_free(&session));
    test_window_close(&window);
}

int main(int argc, char **argv)
{
    int provided;

    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    test_init(&argc, &argv);
    test_needs_no_report();
    test_counter_open(&connections_counter, "osc_ucp_connections");
    early_messages();
    for (enum test_flavor flavor = TEST_CREATE; flavor < TEST_FLAVORS; flavor++) {
        if (test_has_flavor(MPI_COMM_WORLD, flavor)) {
            make_many(flavor);
        }
        if (flavor <= TEST_ALLOCATE) {
            use(flavor);
        }
    }
    test_counter_close(&connections_counter);
    MPI_T_finalize();
    return test_finish();
}
