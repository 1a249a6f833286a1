/* A process that is stopped (SIGSTOP) and continued time and again, as by a debugger or a batch system: the others wait
 * meanwhile at most, and all is right when it goes on. It computes, polls inside MPI, or is an origin that holds locks.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "stopped.h"
#include "windows.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TARGET = 0, STOPS = 4, STOPPED_US = 30000, BETWEEN_US = 20000 };
enum { COUNT, OVER, PAIR, WORDS = PAIR + 2 };

enum victim { COMPUTES, POLLS, IS_ORIGIN, VICTIMS };
static const char *const victim_name[VICTIMS] = {"computes", "polls inside MPI", "is an origin"};

/** In a child: stop the parent so many times. Exit status 0: each time it did stop. */
static void stop_parent(pid_t parent)
{
    uint64_t random = (uint64_t) parent;
    int stopped = 0;

    for (int i = 0; i < STOPS; i++) {
        usleep(1 + (unsigned) test_random(&random, BETWEEN_US));
        kill(parent, SIGSTOP);
        test_await_stopped(parent);
        stopped += test_is_stopped(parent);
        usleep(STOPPED_US);
        kill(parent, SIGCONT);
    }
    _exit(STOPS == stopped ? 0 : 1);
}

static pid_t start_stopping(void)
{
    pid_t parent = getpid(), child = fork();

    if (0 == child) {
        stop_parent(parent);
    }
    CHECK(child > 0, "cannot fork");
    return child;
}

/** Has the child stopped us often enough? */
static int stopped_enough(pid_t child)
{
    int status;

    if (child != waitpid(child, &status, WNOHANG)) {
        return 0;
    }
    CHECK(WIFEXITED(status) && 0 == WEXITSTATUS(status), "was not stopped");
    return 1;
}

static void say_over(struct test_window *window)
{
    long one = 1;

    MPI_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, TARGET, 0, window->win));
    MPI_OK(MPI_Put(&one, 1, MPI_LONG, TARGET, test_at(window, TARGET, OVER * sizeof(long)), 1, MPI_LONG, window->win));
    MPI_OK(MPI_Win_unlock(TARGET, window->win));
}

/** Count this epoch, and in an exclusive one both words of the pair, which are the same for everybody. Returns the word
 *  OVER. */
static long epoch(struct test_window *window, int exclusive)
{
    MPI_Aint memory = test_at(window, TARGET, 0), pair = memory + PAIR * (MPI_Aint) sizeof(long);
    long one = 1, was, over, seen[2];

    MPI_OK(MPI_Win_lock(exclusive ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, TARGET, 0, window->win));
    MPI_OK(MPI_Fetch_and_op(&one, &was, MPI_LONG, TARGET, memory + COUNT * sizeof(long), MPI_SUM, window->win));
    MPI_OK(MPI_Get(&over, 1, MPI_LONG, TARGET, memory + OVER * sizeof(long), 1, MPI_LONG, window->win));
    MPI_OK(MPI_Get(seen, 2, MPI_LONG, TARGET, pair, 2, MPI_LONG, window->win));
    MPI_OK(MPI_Win_flush(TARGET, window->win));
    CHECK(seen[0] == seen[1], "%s: %ld and %ld under a lock", test_flavor_name[window->flavor], seen[0], seen[1]);
    if (exclusive) {
        seen[0]++;
        seen[1]++;
        MPI_OK(MPI_Put(seen, 2, MPI_LONG, TARGET, pair, 2, MPI_LONG, window->win));
    }
    MPI_OK(MPI_Win_unlock(TARGET, window->win));
    return over;
}

/** Epochs until somebody says that it is over; an origin that is stopped says it itself. */
static void origin(struct test_window *window, int stopped, long epochs[2])
{
    pid_t child = stopped ? start_stopping() : -1;
    int exclusive = 0;
    long over;

    do {
        exclusive = !exclusive;
        over = epoch(window, exclusive);
        epochs[exclusive]++;
        if (stopped && stopped_enough(child)) {
            say_over(window);
            stopped = 0;
        }
    } while (1 != over);
}

/** Calls no MPI while it is stopped, and until more epochs have come after that; or nothing but MPI. */
static void target(struct test_window *window, enum victim victim)
{
    volatile const long *count = (volatile const long *) window->base + COUNT;
    pid_t child = start_stopping();
    long seen;
    int flag;

    while (!stopped_enough(child)) {
        if (POLLS == victim) {
            MPI_Iprobe(MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        } else {
            test_compute(0.001);
        }
    }
    seen = *count;
    /* The epoch that is under way may have counted already, and each origin has one. */
    for (int i = 0; COMPUTES == victim && i < test_patience() * 100 && *count - seen < test_size; i++) {
        test_compute(0.01);
    }
    CHECK(POLLS == victim || *count - seen >= test_size, "%s: %ld epochs while the target computed, after it was "
          "stopped", test_flavor_name[window->flavor], *count - seen);
    say_over(window);
}

static void check(struct test_window *window, enum victim victim)
{
    long epochs[2] = {0, 0}, total[2], *words = (long *) window->base;

    MPI_Barrier(MPI_COMM_WORLD);
    if (TARGET != test_rank) {
        origin(window, IS_ORIGIN == victim && 1 == test_rank, epochs);
    } else if (IS_ORIGIN != victim) {
        target(window, victim);
    }
    MPI_Allreduce(epochs, total, 2, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (TARGET == test_rank) {
        MPI_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, TARGET, 0, window->win));
        CHECK(total[0] + total[1] == words[COUNT] && total[1] == words[PAIR] && total[1] == words[PAIR + 1],
              "%s, a process that %s: %ld, %ld and %ld in the memory after %ld epochs, %ld of them exclusive",
              test_flavor_name[window->flavor], victim_name[victim], words[COUNT], words[PAIR], words[PAIR + 1],
              total[0] + total[1], total[1]);
        memset(words, 0, WORDS * sizeof(long));
        MPI_OK(MPI_Win_unlock(TARGET, window->win));
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    struct test_window window;

    test_init(&argc, &argv);
    test_needs(2);
    for (enum test_flavor flavor = 0; flavor < TEST_FLAVORS; flavor++) {
        if (test_has_flavor(MPI_COMM_WORLD, flavor)) {
            test_window_open(&window, flavor, WORDS * sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD);
            for (enum victim victim = 0; victim < VICTIMS; victim++) {
                check(&window, victim);
            }
            test_window_close(&window);
        }
    }
    return test_finish();
}
