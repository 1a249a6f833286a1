/* Passive progress whatever the target does outside of MPI: it computes, sleeps, reads from a pipe, or waits for its
 * other thread. All others lock, put, fetch and unlock there, and are done before it is.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

#include <pthread.h>
#include <unistd.h>

enum { TARGET = 0, EPOCHS = 5 };
static const double busy_for = 0.4;

static pthread_barrier_t barrier;
static int pipe_ends[2];

static void *end_it_later(void *argument)
{
    char byte = 0;

    usleep((useconds_t) (busy_for * 1e6));
    if (NULL == argument) {
        pthread_barrier_wait(&barrier);
    } else {
        CHECK(1 == write(pipe_ends[1], &byte, 1), "cannot write to a pipe");
    }
    return NULL;
}

static void compute(void)
{
    test_compute(busy_for);
}

static void sleep_long(void)
{
    usleep((useconds_t) (busy_for * 1e6));
}

static void wait_for_thread(void)
{
    pthread_t other;

    pthread_create(&other, NULL, end_it_later, NULL);
    pthread_barrier_wait(&barrier);
    pthread_join(other, NULL);
}

static void read_pipe(void)
{
    pthread_t other;
    char byte;

    pthread_create(&other, NULL, end_it_later, pipe_ends);
    CHECK(1 == read(pipe_ends[0], &byte, 1), "cannot read from a pipe");
    pthread_join(other, NULL);
}

static const struct {
    const char *name;
    void (*spend)(void);
} states[] = {
    { "computing", compute },
    { "sleeping", sleep_long },
    { "in another barrier", wait_for_thread },
    { "reading", read_pipe },
};

/* Word 0 of the target counts epochs, word 1 is put. */
static void origin(struct test_window *window)
{
    MPI_Aint word = test_at(window, TARGET, 0);
    long one = 1, was, value = test_rank;

    for (int i = 0; i < EPOCHS; i++) {
        MPI_OK(MPI_Win_lock(i % 2 ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, TARGET, 0, window->win));
        MPI_OK(MPI_Put(&value, 1, MPI_LONG, TARGET, word + test_rank * sizeof(long), 1, MPI_LONG, window->win));
        MPI_OK(MPI_Fetch_and_op(&one, &was, MPI_LONG, TARGET, word, MPI_SUM, window->win));
        MPI_OK(MPI_Win_unlock(TARGET, window->win));
    }
}

static void check(struct test_window *window)
{
    volatile const long *memory = (volatile const long *) window->base;

    for (size_t s = 0; s < sizeof(states) / sizeof(states[0]); s++) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (TARGET == test_rank) {
            long before = memory[0];

            states[s].spend();
            CHECK((test_size - 1) * EPOCHS == memory[0] - before, "%s: while the target was %s %ld of %d epochs passed",
                  test_flavor_name[window->flavor], states[s].name, memory[0] - before, (test_size - 1) * EPOCHS);
        } else {
            usleep(20000); /* the target has left the barrier */
            origin(window);
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    struct test_window window;

    test_init(&argc, &argv);
    test_needs(2);
    pthread_barrier_init(&barrier, NULL, 2);
    CHECK(0 == pipe(pipe_ends), "cannot make a pipe");
    for (enum test_flavor flavor = 0; flavor < TEST_FLAVORS; flavor++) {
        if (test_has_flavor(MPI_COMM_WORLD, flavor)) {
            test_window_open(&window, flavor, test_size * sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD);
            check(&window);
            test_window_close(&window);
        }
    }
    return test_finish();
}
