/* For unit tests: a child process that becomes another program.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef ANOTHER_PROGRAM_H
#define ANOTHER_PROGRAM_H

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/** A child process that calls `act`, and then becomes another program. Returns when it has. */
static inline pid_t another_program(void (*act)(void))
{
    int   ends[2];
    char  byte;
    pid_t pid;

    assert_int_equal(0, pipe2(ends, O_CLOEXEC));
    pid = fork();
    assert_true(pid >= 0);
    if (0 == pid) {
        act();
        execlp("sleep", "sleep", "1000", (char *) NULL);
        _exit(1);
    }
    close(ends[1]);
    assert_int_equal(0, read(ends[0], &byte, 1)); /* the other program has no end of it */
    close(ends[0]);
    assert_int_equal(0, kill(pid, 0));
    return pid;
}

static inline void another_program_end(pid_t pid)
{
    assert_int_equal(0, kill(pid, SIGKILL));
    assert_int_equal(pid, waitpid(pid, NULL, 0));
}

#endif /* ANOTHER_PROGRAM_H */
