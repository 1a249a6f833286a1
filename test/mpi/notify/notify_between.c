/* A notification tells of its own operation, also if another thread puts between that and the notification: it is not
 * raised before the data are there, and not for an operation that was refused. By message, but in the set-up node.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

#include "osc_ucp_ext.h"

#include <pthread.h>
#include <semaphore.h>

enum { ROUNDS = 50, LONG_BYTES = 4 << 20 };

static struct test_window window;
static sem_t begin, done;
static int ends, notifies;
static _Thread_local int between;

/** The other thread: a short put to a place of its own, whenever it is told to. It may have a notification, too. */
static void *put(void *argument)
{
    long value = 1;

    (void) argument;
    while (sem_wait(&begin), !ends) {
        MPI_Aint at = test_at(&window, 1, LONG_BYTES);

        if (notifies) {
            MPI_OK(MPIX_Put_notify(&value, 1, MPI_LONG, 1, at, 1, MPI_LONG, 1, window.win));
        } else {
            MPI_OK(MPI_Put(&value, 1, MPI_LONG, 1, at, 1, MPI_LONG, window.win));
        }
        sem_post(&done);
    }
    return NULL;
}

/** The library calls this. */
int MPI_Put(const void *origin, int origin_count, MPI_Datatype origin_type, int target, MPI_Aint disp,
            int target_count, MPI_Datatype target_type, MPI_Win win)
{
    int rc = PMPI_Put(origin, origin_count, origin_type, target, disp, target_count, target_type, win);

    if (between) {
        sem_post(&begin);
        sem_wait(&done);
    }
    return rc;
}

/** Rank 1 looks at the end of each long put as soon as it is counted. */
static void see(void)
{
    MPI_Count value;
    int i, late = 0;

    for (i = 0; i < ROUNDS; i++) {
        MPI_OK(MPIX_Win_notify_wait(window.win, 0, i + 1, &value));
        late += (unsigned char) (i + 1) != *(volatile unsigned char *) &window.base[LONG_BYTES - 1];
        MPI_Send(NULL, 0, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
    }
    CHECK(0 == late, "%d of %d long puts were counted before their data were there", late, ROUNDS);
}

static void long_puts(void)
{
    char *data = malloc(LONG_BYTES);
    int i;

    for (i = 0; i < ROUNDS; i++) {
        memset(data, i + 1, LONG_BYTES);
        MPI_OK(MPIX_Put_notify(data, LONG_BYTES, MPI_BYTE, 1, test_at(&window, 1, 0), LONG_BYTES, MPI_BYTE, 0,
                               window.win));
        MPI_OK(MPI_Win_flush(1, window.win));
        MPI_Recv(NULL, 0, MPI_BYTE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    free(data);
}

/** To an address that is not attached. */
static void refused_puts(void)
{
    long value = 2;
    int i;

    for (i = 0; i < ROUNDS; i++) {
        (void) MPIX_Put_notify(&value, 1, MPI_LONG, 1, 4096, 1, MPI_LONG, 0, window.win);
        (void) MPI_Win_flush(1, window.win);
    }
}

static void run(enum test_flavor flavor, void (*origin)(void), void (*target)(void), MPI_Count expected)
{
    MPI_Count value = 0;
    pthread_t thread;

    test_window_open(&window, flavor, LONG_BYTES + sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD);
    MPI_OK(MPIX_Win_set_num_notify(window.win, MPI_INFO_NULL, 2));
    MPI_OK(MPI_Win_set_errhandler(window.win, MPI_ERRORS_RETURN));
    MPI_OK(MPI_Win_lock_all(0, window.win));
    ends = 0;
    if (0 == test_rank) {
        pthread_create(&thread, NULL, put, NULL);
        between = 1;
        origin();
        between = 0;
        ends = 1;
        sem_post(&begin);
        pthread_join(thread, NULL);
    } else if (NULL != target) {
        target();
    }
    MPI_OK(MPI_Win_unlock_all(window.win));
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_OK(MPIX_Win_get_notify_value(window.win, 0, &value));
    CHECK(1 != test_rank || expected == value, "%s: the counter is %lld, not %lld", test_flavor_name[flavor],
          (long long) value, (long long) expected);
    test_window_close(&window);
}

int main(int argc, char **argv)
{
    if (NULL != getenv("OMPI_MCA_osc_ucp_node")) {
        setenv("OMPI_MCA_osc_ucp_kernel_copy", "0", 0);
    }
    test_refusals = 1;
    test_init_threads(&argc, &argv);
    test_needs(2);
    sem_init(&begin, 0, 0);
    sem_init(&done, 0, 0);
    run(TEST_CREATE, long_puts, see, ROUNDS);
    run(TEST_DYNAMIC, refused_puts, NULL, 0);
    notifies = 1;
    run(TEST_DYNAMIC, refused_puts, NULL, 0);
    return test_finish();
}
