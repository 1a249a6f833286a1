/* Is a process of this host stopped, as by SIGSTOP?
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef STOPPED_H
#define STOPPED_H

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

/** Have all threads of a process stopped? */
static inline int test_is_stopped(pid_t pid)
{
    char name[64], line[512] = "";
    const char *state;
    FILE *file;

    snprintf(name, sizeof(name), "/proc/%d/stat", (int) pid);
    file = fopen(name, "r");
    if (NULL == file) {
        return 0;
    }
    state = NULL != fgets(line, sizeof(line), file) ? strrchr(line, ')') : NULL;
    fclose(file);
    return NULL != state && 'T' == state[2];
}

/** Wait until they have, or the process has ended. */
static inline void test_await_stopped(pid_t pid)
{
    while (0 == kill(pid, 0) && !test_is_stopped(pid)) {
        usleep(1000);
    }
}

#endif /* STOPPED_H */
