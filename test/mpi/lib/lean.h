/* Can windows of memory of the program's be lean on this system?
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef LEAN_H
#define LEAN_H

#include "mpitest.h"

#include <sys/uio.h>
#include <sys/utsname.h>
#include <unistd.h>

/** Does a line of a file contain a word? */
static inline int test_file_has(const char *name, const char *word)
{
    FILE *file = fopen(name, "r");
    char line[8192];
    int found = 0;

    while (NULL != file && !found && NULL != fgets(line, sizeof(line), file)) {
        found = NULL != strstr(line, word);
    }
    if (NULL != file) {
        fclose(file);
    }
    return found;
}

/** Do the kernel and the processor copy an element of 2 bytes in one piece? */
static inline int test_copies_whole(void)
{
#if defined(__x86_64__)
    unsigned major = 0, minor = 0;
    struct utsname kernel;

    uname(&kernel);
    return 2 == sscanf(kernel.release, "%u.%u", &major, &minor) && (major > 6 || (6 == major && minor >= 4)) &&
           test_file_has("/proc/cpuinfo", " fsrm");
#elif defined(__aarch64__)
    return !test_file_has("/proc/cpuinfo", " mops");
#else
    return 0;
#endif
}

/** Does the kernel copy from each process's right neighbour? Collective. */
static inline int test_copies(void)
{
    struct { void *address; long pid; } mine, next;
    struct iovec here, there;
    long found = 0;
    int copied, all;

    mine.address = &mine.pid;
    mine.pid = getpid();
    MPI_Sendrecv(&mine, sizeof(mine), MPI_BYTE, test_neighbour(-1), 0, &next, sizeof(next), MPI_BYTE,
                 test_neighbour(1), 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    here = (struct iovec) {&found, sizeof(found)};
    there = (struct iovec) {next.address, sizeof(found)};
    copied = sizeof(found) == process_vm_readv((pid_t) next.pid, &here, 1, &there, 1, 0) && found == next.pid;
    MPI_Allreduce(&copied, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return all;
}

#endif /* LEAN_H */
