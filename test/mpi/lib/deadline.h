/* A limit for calls that may never return: the program ends as failed, and says which call it was.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef DEADLINE_H
#define DEADLINE_H

#include "mpitest.h"

#include <signal.h>
#include <unistd.h>

static char test_deadline_text[256];

static inline void test_deadline_hit(int number)
{
    ssize_t written = write(STDERR_FILENO, test_deadline_text, strlen(test_deadline_text));

    (void) number;
    (void) written;
    _exit(1);
}

/** The call that follows, `what` in round `round`, has to return within test_patience(). */
static inline void test_deadline(const char *what, int round)
{
    snprintf(test_deadline_text, sizeof(test_deadline_text), "rank %d: %s (round %d) does not return within %d s\n",
             test_rank, what, round, test_patience());
    signal(SIGALRM, test_deadline_hit);
    alarm(test_patience());
}

/** It has returned. */
static inline void test_deadline_met(void)
{
    alarm(0);
}

#endif /* DEADLINE_H */
