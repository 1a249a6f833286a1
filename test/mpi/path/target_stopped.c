/* A process that is stopped (SIGSTOP) takes no part in operations on its memory that the kernel copies: locks, puts,
 * accumulates, gets and flushes of a neighbour end all the same. Where it has to take part, and so nothing goes on for
 * a while, it is continued, and the test is skipped.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "stopped.h"
#include "windows.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <sys/wait.h>

enum { WORDS = 4096, ROUNDS = 50 };

static volatile sig_atomic_t was_continued;

static volatile int *over; /* rounds; in memory that rank 0 shares with its child */

static void note_continued(int signal)
{
    (void) signal;
    was_continued = 1;
}

/** Rank 1: outside MPI until rank 0 has stopped this process and continued it. */
static void wait_until_continued(void)
{
    while (!was_continued) {
        usleep(1000);
    }
}

static void operate(struct test_window *window, int round)
{
    long one = 1, old = -1, values[WORDS], got[WORDS];
    MPI_Aint at = test_at(window, 1, 0);

    for (int i = 0; i < WORDS; i++) {
        values[i] = round + i;
    }
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, window->win);
    MPI_Put(values + 1, WORDS - 1, MPI_LONG, 1, at + (MPI_Aint) sizeof(long), WORDS - 1, MPI_LONG, window->win);
    MPI_Fetch_and_op(&one, &old, MPI_LONG, 1, at, MPI_SUM, window->win);
    MPI_Win_flush(1, window->win);
    MPI_Accumulate(values + 1, WORDS - 1, MPI_LONG, 1, at + (MPI_Aint) sizeof(long), WORDS - 1, MPI_LONG, MPI_SUM,
                   window->win);
    MPI_Get(got, WORDS, MPI_LONG, 1, at, WORDS, MPI_LONG, window->win);
    MPI_Win_unlock(1, window->win);
    CHECK(round == old, "%s: fetch_and_op returned %ld in round %d", test_flavor_name[window->flavor], old, round);
    for (int i = 1; i < WORDS; i++) {
        CHECK(2 * values[i] == got[i] || values[i] == got[i], "%s: word %d is %ld in round %d",
              test_flavor_name[window->flavor], i, got[i], round);
    }
}

/** Continue process `pid` when no round has been over for some seconds: more on a busy machine. */
static void continue_if_needed(pid_t pid)
{
    for (int seen = 0, seconds = 0; seconds < test_patience() / 5; seconds++) {
        sleep(1);
        if (seen != *over) {
            seen = *over;
            seconds = 0;
        }
    }
    kill(pid, SIGCONT);
}

/** Rank 0: rank 1 is process `pid`. Has it been continued meanwhile? */
static int origin(struct test_window *window, pid_t pid)
{
    pid_t helper;
    int continued;

    operate(window, 0); /* the first operation may need the target */
    kill(pid, SIGSTOP);
    test_await_stopped(pid);
    helper = fork();
    if (0 == helper) {
        continue_if_needed(pid);
        _exit(0);
    }
    for (int i = 1; i < ROUNDS; i++) {
        operate(window, i);
        *over = i;
    }
    kill(helper, SIGKILL);
    waitpid(helper, NULL, 0);
    continued = !test_is_stopped(pid);
    kill(pid, SIGCONT);
    return continued;
}

int main(int argc, char **argv)
{
    struct test_window window;
    int pid = (int) getpid(), continued = 0;

    test_init(&argc, &argv);
    test_needs(2);
    over = mmap(NULL, sizeof(*over), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    signal(SIGCONT, note_continued);
    MPI_Bcast(&pid, 1, MPI_INT, 1, MPI_COMM_WORLD);
    for (enum test_flavor flavor = 0; flavor < TEST_FLAVORS; flavor++) {
        if (!test_has_flavor(MPI_COMM_WORLD, flavor)) {
            continue;
        }
        test_window_open(&window, flavor, WORDS * sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD);
        memset(window.base, 0, WORDS * sizeof(long));
        was_continued = 0;
        MPI_Barrier(MPI_COMM_WORLD);
        if (0 == test_rank) {
            continued |= origin(&window, pid);
        } else if (1 == test_rank) {
            wait_until_continued();
        }
        MPI_Barrier(MPI_COMM_WORLD);
        test_window_close(&window);
    }
    MPI_Bcast(&continued, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (continued) {
        test_skip("the target has to take part here");
    }
    return test_finish();
}
