/* Where the kernel copies between the processes of a node, a target that computes is not needed: none of its threads
 * wakes up for the epochs of others. So also where there are more processes than processors, no epoch waits until its
 * target runs: it takes little time of the processor's, and the origin does not sleep in it.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "lean.h"
#include "windows.h"

#include <dirent.h>

enum { EPOCHS = 1000, SPACING_US = 30 };

/** Microseconds of processor time that one epoch in a hundred may exceed: less than any time slice. */
#define MOST_US 500

/** How often all threads of the process have gone to sleep. */
static long sleeps(void)
{
    DIR *tasks = opendir("/proc/self/task");
    struct dirent *task;
    long sum = 0, one;

    while (NULL != tasks && NULL != (task = readdir(tasks))) {
        char name[300], line[200];
        FILE *status;

        snprintf(name, sizeof(name), "/proc/self/task/%s/status", task->d_name);
        status = '.' == task->d_name[0] ? NULL : fopen(name, "r");
        while (NULL != status && NULL != fgets(line, sizeof(line), status)) {
            sum += 1 == sscanf(line, "voluntary_ctxt_switches: %ld", &one) ? one : 0;
        }
        if (NULL != status) {
            fclose(status);
        }
    }
    if (NULL != tasks) {
        closedir(tasks);
    }
    return sum;
}

static double cpu_us(void)
{
    struct timespec time;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return 1e6 * (double) time.tv_sec + 1e-3 * (double) time.tv_nsec;
}

static void compute(double us)
{
    for (double until = cpu_us() + us; cpu_us() < until; ) {
    }
}

static void epoch(struct test_window *window, int target, long i)
{
    long one = 1, old = -1, back = -1;

    MPI_Win_lock(MPI_LOCK_SHARED, target, 0, window->win);
    MPI_Put(&i, 1, MPI_LONG, target, test_at(window, target, 0), 1, MPI_LONG, window->win);
    MPI_Fetch_and_op(&one, &old, MPI_LONG, target, test_at(window, target, 8), MPI_SUM, window->win);
    MPI_Win_flush(target, window->win);
    MPI_Get(&back, 1, MPI_LONG, target, test_at(window, target, 0), 1, MPI_LONG, window->win);
    MPI_Win_unlock(target, window->win);
    CHECK(i == old && i == back, "epoch %ld fetched %ld and got %ld", i, old, back);
}

static int compare(const void *a, const void *b)
{
    return (*(const double *) a > *(const double *) b) - (*(const double *) a < *(const double *) b);
}

/** All compute, and each has epochs with its neighbour meanwhile. */
static void all_compute(struct test_window *window)
{
    static double took[EPOCHS];
    int target = test_neighbour(1), warm = EPOCHS / 10;
    long slept;

    memset(window->base, 0, 16);
    MPI_Barrier(window->comm);
    for (long i = 0; i < warm; i++) {
        epoch(window, target, i);
    }
    slept = sleeps();
    for (long i = warm; i < EPOCHS; i++) {
        double begin = cpu_us();

        epoch(window, target, i);
        took[i - warm] = cpu_us() - begin;
        compute(SPACING_US);
    }
    slept = sleeps() - slept;
    qsort(took, (size_t) (EPOCHS - warm), sizeof(*took), compare);
    if (0 == test_rank && NULL != getenv("MPITEST_FIGURES")) {
        printf("%s: an epoch takes %.1f us of processor time, 99th percentile %.1f; %ld sleeps\n",
               test_flavor_name[window->flavor], took[(EPOCHS - warm) / 2], took[(EPOCHS - warm) * 99 / 100], slept);
    }
    CHECK(slept < EPOCHS / 20, "%s: its threads slept %ld times in %d epochs", test_flavor_name[window->flavor], slept,
          EPOCHS - warm);
    CHECK(took[(EPOCHS - warm) * 99 / 100] < MOST_US, "%s: the 99th percentile of epochs is %.0f us",
          test_flavor_name[window->flavor], took[(EPOCHS - warm) * 99 / 100]);
    MPI_Barrier(window->comm);
}

int main(int argc, char **argv)
{
    static const enum test_flavor flavors[] = { TEST_CREATE, TEST_DYNAMIC, TEST_ALLOCATE };
    struct test_window window;
    int first;

    test_init(&argc, &argv);
    test_needs(2);
    first = test_copies() && test_copies_whole() ? 0 : 2;
    for (int i = first; i < 3; i++) {
        test_window_open(&window, flavors[i], 16, MPI_INFO_NULL, MPI_COMM_WORLD);
        all_compute(&window);
        test_window_close(&window);
    }
    return test_finish();
}
