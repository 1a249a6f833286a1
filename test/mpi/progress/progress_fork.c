/* A program that forks: its children, which use no MPI, come and go while others use the parent's window, and one
 * outlives it. The parent's windows go on working, while it computes, too.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

#include <sys/wait.h>
#include <unistd.h>

enum { TARGET = 0, EPOCHS = 100, STATUS = 7, BYTES = 1 << 20 };

/** A child that lives until it is told to end. */
struct lodger {
    pid_t pid;
    int door; /**< to write one byte to */
};

/** What a child may do to memory; the window is its own copy, unless it is shared. */
static void use_memory(struct test_window *window, int window_is_private)
{
    char *mine = malloc(BYTES);

    memset(mine, 1, BYTES);
    free(mine);
    if (window_is_private) {
        memset(window->base, -1, window->size);
    }
}

static void ended_well(pid_t child)
{
    int status = 0;

    CHECK(child > 0 && child == waitpid(child, &status, 0) && WIFEXITED(status) && STATUS == WEXITSTATUS(status),
          "a child ended with %x", status);
}

static void have_child(struct test_window *window)
{
    int is_private = TEST_CREATE == window->flavor || TEST_DYNAMIC == window->flavor, status;
    pid_t child = fork();

    if (0 == child) {
        use_memory(window, is_private);
        _exit(STATUS);
    }
    ended_well(child);
    status = system("exit 7");
    CHECK(WIFEXITED(status) && STATUS == WEXITSTATUS(status), "system: %x", status);
}

static void lodger_begin(struct lodger *lodger)
{
    int ends[2];
    char byte;

    CHECK(0 == pipe(ends), "cannot make a pipe");
    lodger->pid = fork();
    if (0 == lodger->pid) {
        close(ends[1]);
        _exit(1 == read(ends[0], &byte, 1) ? STATUS : 1);
    }
    close(ends[0]);
    lodger->door = ends[1];
}

static void lodger_end(struct lodger *lodger)
{
    char byte = 0;

    CHECK(1 == write(lodger->door, &byte, 1), "cannot write to a pipe");
    close(lodger->door);
    ended_well(lodger->pid);
}

/** Word 0 of the target counts; the others are put, each by one process. */
static void origin(struct test_window *window, int target, int epochs)
{
    MPI_Aint words = test_at(window, target, 0);
    long one = 1, was, value, got = -1;

    for (value = 1; value <= epochs; value++) {
        MPI_OK(MPI_Win_lock(value % 2 ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, target, 0, window->win));
        MPI_OK(MPI_Put(&value, 1, MPI_LONG, target, words + (1 + test_rank) * sizeof(long), 1, MPI_LONG, window->win));
        MPI_OK(MPI_Fetch_and_op(&one, &was, MPI_LONG, target, words, MPI_SUM, window->win));
        MPI_OK(MPI_Win_flush(target, window->win));
        MPI_OK(MPI_Get(&got, 1, MPI_LONG, target, words + (1 + test_rank) * sizeof(long), 1, MPI_LONG, window->win));
        MPI_OK(MPI_Win_unlock(target, window->win));
        CHECK(value == got, "%s: put %ld, got %ld", test_flavor_name[window->flavor], value, got);
    }
}

/** The target does nothing but have children until all others are done. */
static void children_of_target(struct test_window *window)
{
    volatile const long *count = (volatile const long *) window->base;
    long wanted = (test_size - 1) * EPOCHS;
    double begin = MPI_Wtime();

    MPI_Barrier(MPI_COMM_WORLD);
    if (TARGET == test_rank) {
        do {
            have_child(window);
        } while (wanted != *count && MPI_Wtime() - begin < test_patience());
        CHECK(wanted == *count, "%s: %ld of %ld epochs while the target had children", test_flavor_name[window->flavor],
              *count, wanted);
    } else {
        origin(window, TARGET, EPOCHS);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/** All have children, between their epochs. */
static void children_of_all(struct test_window *window, struct lodger *lodger)
{
    long *words = (long *) window->base;
    int left = test_neighbour(-1);

    memset(words, 0, window->size);
    MPI_Win_fence(MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED, window->win);
    origin(window, test_neighbour(1), 3);
    lodger_begin(lodger);
    have_child(window);
    origin(window, test_neighbour(1), EPOCHS);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_OK(MPI_Win_lock(MPI_LOCK_SHARED, test_rank, 0, window->win));
    CHECK(EPOCHS + 3 == words[0] && EPOCHS == words[1 + left], "%s: %ld and %ld in the memory",
          test_flavor_name[window->flavor], words[0], words[1 + left]);
    MPI_OK(MPI_Win_unlock(test_rank, window->win));
}

int main(int argc, char **argv)
{
    struct lodger lodgers[TEST_FLAVORS];
    struct test_window window;
    int count = 0;

    test_init(&argc, &argv);
    test_needs(2);
    for (enum test_flavor flavor = 0; flavor < TEST_FLAVORS; flavor++) {
        if (test_has_flavor(MPI_COMM_WORLD, flavor)) {
            test_window_open(&window, flavor, (1 + test_size) * sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD);
            children_of_target(&window);
            children_of_all(&window, &lodgers[count++]);
            test_window_close(&window);
        }
    }
    for (int i = 0; i < count; i++) {
        lodger_end(&lodgers[i]);
    }
    return test_finish();
}
