/* Unit test of whether a process is gone: not while a thread of it runs, even if its first one has ended.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "memory/cma.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static ompi_osc_ucp_cma_self_t self; /* a child has the same number at the same address */

static bool is_gone(pid_t pid)
{
    return ompi_osc_ucp_cma_gone(pid, self.address, self.number);
}

/** Wait until the process is dead, or its first thread is, while its number is still taken. */
static void ended_await(pid_t pid)
{
    char  path[32], state = 'R';
    FILE *file;

    snprintf(path, sizeof(path), "/proc/%d/stat", (int) pid);
    while ('Z' != state) {
        file = fopen(path, "r");
        assert_non_null(file);
        assert_int_equal(1, fscanf(file, "%*d (%*[^)]) %c", &state));
        fclose(file);
        usleep(1000);
    }
}

static void *stay(void *arg)
{
    for (;;) {
        pause();
    }
    return arg;
}

static void *become_sleep(void *arg)
{
    execlp("sleep", "sleep", "1000", (char *) NULL);
    return arg;
}

/** A child whose first thread starts another one, and ends if it is to. */
static pid_t child(void *(*run)(void *), bool ends)
{
    pthread_t thread;
    pid_t     pid = fork();

    assert_true(pid >= 0);
    if (0 == pid) {
        if (0 != pthread_create(&thread, NULL, run, NULL)) {
            _exit(1);
        }
        if (ends) {
            pthread_exit(NULL);
        }
        (void) stay(NULL);
    }
    return pid;
}

static void kill_and_look(pid_t pid)
{
    assert_int_equal(0, kill(pid, SIGKILL));
    ended_await(pid);
    while (!is_gone(pid)) { /* its other threads may end later */
        usleep(1000);
    }
    assert_int_equal(pid, waitpid(pid, NULL, 0));
    assert_true(is_gone(pid));
}

static void test_threads(void **state)
{
    pid_t pid;

    (void) state;
    pid = child(stay, false);
    assert_false(is_gone(pid));
    kill_and_look(pid);
    pid = child(stay, true);
    ended_await(pid);
    assert_false(is_gone(pid));
    kill_and_look(pid);
}

/** Another program, whose number of the process is the same. */
static void test_another_program(void **state)
{
    pid_t pid = child(become_sleep, false);

    (void) state;
    while (!is_gone(pid)) {
        usleep(1000);
    }
    assert_int_equal(0, kill(pid, 0));
    kill_and_look(pid);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_threads), cmocka_unit_test(test_another_program) };

    self = ompi_osc_ucp_cma_self();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
