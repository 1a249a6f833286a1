/* What a process has, for tests that it stays the same.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef FLAT_H
#define FLAT_H

#include "mpitest.h"
#include <dirent.h>

/** KiB of this process that nobody else shares. */
static inline long flat_memory(void)
{
    char line[200];
    long kib, sum = 0;
    FILE *file = fopen("/proc/self/smaps_rollup", "r");

    while (NULL != file && NULL != fgets(line, sizeof(line), file)) {
        if (1 == sscanf(line, "Private_Dirty: %ld", &kib) || 1 == sscanf(line, "Private_Clean: %ld", &kib)) {
            sum += kib;
        }
    }
    if (NULL != file) {
        fclose(file);
    }
    return sum;
}

static inline int flat_descriptors(void)
{
    DIR *dir = opendir("/proc/self/fd");
    int count = 0;

    while (NULL != dir && NULL != readdir(dir)) {
        count++;
    }
    if (NULL != dir) {
        closedir(dir);
    }
    return count;
}

#endif /* FLAT_H */
