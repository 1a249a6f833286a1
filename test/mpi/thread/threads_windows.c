/* MPI_THREAD_MULTIPLE: threads with communicators of their own make windows all at once; each window is used by the
 * thread that has made it, and then used and freed by another one. What the threads do with their windows needs no
 * communicator; making them does, and where threads may not be in collective calls at once, the makers take turns.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

#include <pthread.h>
#include <unistd.h>

enum { PAIRS = 3, WINDOWS = 12 };

/** A thread that makes windows, one that frees them, and the place where one leaves a window to the other. */
struct pair {
    pthread_t maker, freer;
    MPI_Comm comm;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    struct test_window window;
    int full, number;
};

static struct pair pairs[PAIRS];
static enum test_flavor flavors[TEST_FLAVORS];
static int flavor_count;

static pthread_mutex_t turn_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turn_passed = PTHREAD_COND_INITIALIZER;
static int turn; /**< how many windows have been made, or where all are made at once, -1 */

static void await_turn(int number)
{
    pthread_mutex_lock(&turn_mutex);
    while (turn >= 0 && turn < number) {
        pthread_cond_wait(&turn_passed, &turn_mutex);
    }
    pthread_mutex_unlock(&turn_mutex);
}

static void pass_turn(void)
{
    pthread_mutex_lock(&turn_mutex);
    turn += turn >= 0;
    pthread_cond_broadcast(&turn_passed);
    pthread_mutex_unlock(&turn_mutex);
}

/** Everybody counts at its neighbour, and puts there. */
static void use(struct test_window *window, long round)
{
    volatile const long *words = (volatile const long *) window->base;
    const char *name = test_flavor_name[window->flavor];
    int target = test_neighbour(1);
    long value = 1000 * round + test_rank, one = 1, was = -1;

    MPI_OK(MPI_Win_lock(MPI_LOCK_SHARED, target, 0, window->win));
    MPI_OK(MPI_Put(&value, 1, MPI_LONG, target, test_at(window, target, 0), 1, MPI_LONG, window->win));
    MPI_OK(MPI_Fetch_and_op(&one, &was, MPI_LONG, target, test_at(window, target, sizeof(long)), MPI_SUM, window->win));
    MPI_OK(MPI_Win_unlock(target, window->win));
    CHECK(round == was, "%s: fetched %ld, not %ld", name, was, round);
    MPI_OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, window->win));
    MPI_OK(MPI_Win_lock(MPI_LOCK_SHARED, test_rank, 0, window->win));
    CHECK(1000 * round + test_neighbour(-1) == words[0] && round + 1 == words[1], "%s, round %ld: %ld and %ld", name,
          round, words[0], words[1]);
    MPI_OK(MPI_Win_unlock(test_rank, window->win));
    MPI_OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, window->win));
}

static void *make(void *argument)
{
    struct pair *pair = argument;
    struct test_window window;

    for (int i = 0; i < WINDOWS; i++) {
        await_turn(i * PAIRS + pair->number);
        test_window_open(&window, flavors[(i + pair->number) % flavor_count], 2 * sizeof(long), MPI_INFO_NULL,
                         pair->comm);
        pass_turn();
        use(&window, 0);
        pthread_mutex_lock(&pair->mutex);
        while (pair->full) {
            pthread_cond_wait(&pair->changed, &pair->mutex);
        }
        pair->window = window;
        pair->full = 1;
        pthread_cond_signal(&pair->changed);
        pthread_mutex_unlock(&pair->mutex);
    }
    return NULL;
}

static void *use_and_free(void *argument)
{
    struct pair *pair = argument;
    struct test_window window;

    for (int i = 0; i < WINDOWS; i++) {
        pthread_mutex_lock(&pair->mutex);
        while (!pair->full) {
            pthread_cond_wait(&pair->changed, &pair->mutex);
        }
        window = pair->window;
        pair->full = 0;
        pthread_cond_signal(&pair->changed);
        pthread_mutex_unlock(&pair->mutex);
        use(&window, 1);
        test_window_close(&window);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    test_init_threads(&argc, &argv);
    turn = test_threads_collective() && test_one_node(MPI_COMM_WORLD) ? -1 : 0;
    for (enum test_flavor flavor = 0; flavor < TEST_FLAVORS; flavor++) {
        if (test_has_flavor(MPI_COMM_WORLD, flavor)) {
            flavors[flavor_count++] = flavor;
        }
    }
    for (int i = 0; i < PAIRS; i++) {
        pairs[i].number = i;
        MPI_Comm_dup(MPI_COMM_WORLD, &pairs[i].comm);
        pthread_mutex_init(&pairs[i].mutex, NULL);
        pthread_cond_init(&pairs[i].changed, NULL);
    }
    for (int i = 0; i < PAIRS; i++) {
        pthread_create(&pairs[i].maker, NULL, make, &pairs[i]);
        pthread_create(&pairs[i].freer, NULL, use_and_free, &pairs[i]);
    }
    for (int i = 0; i < PAIRS; i++) {
        pthread_join(pairs[i].maker, NULL);
        pthread_join(pairs[i].freer, NULL);
        MPI_Comm_free(&pairs[i].comm);
    }
    return test_finish();
}
