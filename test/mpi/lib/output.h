/* What a program's processes print, libraries included: caught, so that a test can say how often a line comes.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OUTPUT_H
#define OUTPUT_H

#include "mpitest.h"

#include <unistd.h>

/** Both kinds of output of this process while they are caught. */
struct test_output {
    int file;     /**< what is printed goes there */
    int saved[2]; /**< where it went before */
};

static inline void test_output_catch(struct test_output *output)
{
    char name[] = "/tmp/mpitest.XXXXXX";

    output->file = mkstemp(name);
    unlink(name);
    fflush(NULL);
    for (int i = 0; i < 2; i++) {
        output->saved[i] = dup(1 + i);
        dup2(output->file, 1 + i);
    }
}

/** Collective: stop, print what came, and count the lines with `what` on all processes, and with `other`. */
static inline void test_output_count(struct test_output *output, const char *what, int *lines_p, const char *other,
                                     int *others_p)
{
    int mine[2] = {0, 0}, all[2];
    char line[1000];
    FILE *caught;

    fflush(NULL);
    for (int i = 0; i < 2; i++) {
        dup2(output->saved[i], 1 + i);
        close(output->saved[i]);
    }
    lseek(output->file, 0, SEEK_SET);
    caught = fdopen(output->file, "r");
    while (NULL != fgets(line, sizeof(line), caught)) {
        fputs(line, stderr);
        mine[0] += NULL != strstr(line, what);
        mine[1] += NULL != strstr(line, other);
    }
    fclose(caught);
    MPI_Allreduce(mine, all, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    *lines_p = all[0];
    *others_p = all[1];
}

#endif /* OUTPUT_H */
