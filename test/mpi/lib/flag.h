/* A file by which processes of one host tell each other that something has happened, without MPI.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef FLAG_H
#define FLAG_H

#include "patience.h"

#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

static inline void test_flag_raise(const char *flag)
{
    FILE *file = fopen(flag, "w");

    if (NULL != file) {
        fclose(file);
    }
}

/** Wait until the file is there. False: it does not come. */
static inline bool test_flag_seen(const char *flag)
{
    int waited = 0;

    while (0 != access(flag, F_OK) && waited++ < test_patience() * 100) {
        usleep(10000);
    }
    return 0 == access(flag, F_OK);
}

#endif /* FLAG_H */
