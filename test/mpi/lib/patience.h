/* How long tests wait for what does not come.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef PATIENCE_H
#define PATIENCE_H

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/** Seconds after which a test gives up to wait for what does not come: far more than it takes. They grow with the load,
 *  which is asked for once a second: this is called in loops. */
static inline int test_patience(void)
{
    static int seconds, asked;
    struct timespec now;
    double load = 0;

    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    if (0 == seconds || now.tv_sec != asked) {
        (void) getloadavg(&load, 1);
        seconds = (int) (15 * (1 + load / (double) sysconf(_SC_NPROCESSORS_ONLN)));
        asked = (int) now.tv_sec;
    }
    return seconds;
}

#endif /* PATIENCE_H */
