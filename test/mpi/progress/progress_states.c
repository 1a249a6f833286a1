/* Passive progress whatever the target does outside of MPI: it computes, sleeps, reads from a pipe, or waits for its
 * other thread. All others lock, put, fetch and unlock there, and are done before it is.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

#include <pthread.h>
#include <unistd.h>

enum { TARGET = 0, EPOCHS = 5 };

static pthread_barrier_t barrier;
static int pipe_ends[2];

/** What the target awaits: the word that counts epochs, and its last value. */
struct awaited {
    const volatile long *word;
    long last;
};

static void compute(const struct awaited *awaited)
{
    test_compute_until(awaited->word, awaited->last);
}

static void doze(const struct awaited *awaited)
{
    for (int i = 0; i < test_patience() * 10 && awaited->last != *awaited->word; i++) {
        usleep(100000);
    }
}

static void *wait_at_barrier(void *awaited)
{
    doze(awaited);
    pthread_barrier_wait(&barrier);
    return NULL;
}

static void *write_pipe(void *awaited)
{
    char byte = 0;

    doze(awaited);
    CHECK(1 == write(pipe_ends[1], &byte, 1), "cannot write to a pipe");
    return NULL;
}

static void wait_for_thread(const struct awaited *awaited)
{
    pthread_t other;

    pthread_create(&other, NULL, wait_at_barrier, (void *) awaited);
    pthread_barrier_wait(&barrier);
    pthread_join(other, NULL);
}

static void read_pipe(const struct awaited *awaited)
{
    pthread_t other;
    char byte;

    pthread_create(&other, NULL, write_pipe, (void *) awaited);
    CHECK(1 == read(pipe_ends[0], &byte, 1), "cannot read from a pipe");
    pthread_join(other, NULL);
}

static const struct {
    const char *name;
    void (*spend)(const struct awaited *awaited);
} states[] = {
    { "computing", compute },
    { "sleeping", doze },
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
            struct awaited awaited = { memory, ((long) s + 1) * (test_size - 1) * EPOCHS };

            states[s].spend(&awaited);
            CHECK(awaited.last == memory[0], "%s: while the target was %s: %ld epochs, not %ld",
                  test_flavor_name[window->flavor], states[s].name, memory[0], awaited.last);
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
