/* MPI_THREAD_MULTIPLE: operations that threads issue at once, on one window, are counted exactly, with report 2.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"
#include <pthread.h>
#include <sched.h>

enum { THREADS = 4, EACH = 4 };

static const double seconds = 0.5;

static struct test_window window;

/* By all threads; atomic. */
static unsigned long long issued;

/* Threads that share a processor seldom meet: each may run on all. */
static void unbind(void)
{
    cpu_set_t all;

    memset(&all, 0xff, sizeof(all));
    (void) sched_setaffinity(0, sizeof(all), &all);
}

/* EACH operations of 8 bytes on each process in turn. */
static void *run(void *argument)
{
    double end = MPI_Wtime() + seconds;
    unsigned long long mine = 0;
    long one = 1, got[2];

    (void) argument;
    unbind();
    for (int i = 0; MPI_Wtime() < end; i++) {
        int target = i % test_size;
        MPI_Aint first = test_at(&window, target, 0), second = test_at(&window, target, sizeof(long));

        MPI_Put(&one, 1, MPI_LONG, target, second, 1, MPI_LONG, window.win);
        MPI_Accumulate(&one, 1, MPI_LONG, target, first, 1, MPI_LONG, MPI_SUM, window.win);
        MPI_Get(&got[0], 1, MPI_LONG, target, second, 1, MPI_LONG, window.win);
        MPI_Fetch_and_op(&one, &got[1], MPI_LONG, target, first, MPI_SUM, window.win);
        MPI_Win_flush(target, window.win);
        mine += EACH;
    }
    __atomic_fetch_add(&issued, mine, __ATOMIC_RELAXED);
    return NULL;
}

enum { VIAS = 4 };

static MPI_T_pvar_session session;

/* Counters begin with their handles: those whose names begin with `what`, for all ways that data goes. */
static void handles_make(MPI_T_pvar_handle handles[VIAS], const char *what)
{
    static const char *const vias[VIAS] = { "self", "direct", "rdma", "am" };
    char name[64];

    for (int i = 0; i < VIAS; i++) {
        snprintf(name, sizeof(name), "osc_ucp_%s_%s", what, vias[i]);
        handles[i] = test_window_counter(session, name, window.win);
    }
}

static unsigned long long sum_of(const MPI_T_pvar_handle handles[VIAS])
{
    unsigned long long value, sum = 0;

    for (int i = 0; i < VIAS; i++) {
        MPI_OK(MPI_T_pvar_read(session, handles[i], &value));
        sum += value;
    }
    return sum;
}

static void count(enum test_flavor flavor)
{
    unsigned long long operations, bytes;
    MPI_T_pvar_handle handles[2][VIAS];
    pthread_t threads[THREADS];

    test_window_open(&window, flavor, 2 * sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD);
    handles_make(handles[0], "operations");
    handles_make(handles[1], "bytes");
    issued = 0;
    MPI_OK(MPI_Win_lock_all(0, window.win));
    for (int i = 0; i < THREADS; i++) {
        pthread_create(&threads[i], NULL, run, NULL);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    MPI_OK(MPI_Win_unlock_all(window.win));
    operations = sum_of(handles[0]);
    bytes = sum_of(handles[1]);
    CHECK(issued == operations, "%s: %llu operations, not %llu", test_flavor_name[flavor], operations, issued);
    CHECK(8 * issued == bytes, "%s: %llu bytes, not %llu", test_flavor_name[flavor], bytes, 8 * issued);
    MPI_OK(MPI_Barrier(MPI_COMM_WORLD));
}

int main(int argc, char **argv)
{
    enum test_flavor flavor = TEST_FLAVORS;
    int provided;

    setenv("OMPI_MCA_osc_ucp_report", "2", 1);
    MPI_T_init_thread(MPI_THREAD_MULTIPLE, &provided);
    test_init_threads(&argc, &argv);
    while (flavor-- > TEST_CREATE) {
        if (test_has_flavor(MPI_COMM_WORLD, flavor)) {
            MPI_OK(MPI_T_pvar_session_create(&session));
            count(flavor);
            MPI_OK(MPI_T_pvar_session_free(&session));
            test_window_close(&window);
        }
    }
    MPI_T_finalize();
    return test_finish();
}
