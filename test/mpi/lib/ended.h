/* How this process ends, for whoever runs it: with TEST_ENDED set, a file in that folder. mpirun of Open MPI 4.1 is
 * sometimes wrong about it (test/lib/patience.sh).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef ENDED_H
#define ENDED_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void test_ended(int status, void *folder)
{
    const char *rank = getenv("OMPI_COMM_WORLD_RANK"), *size = getenv("OMPI_COMM_WORLD_SIZE");
    char path[4096];
    int finalized = 0;
    FILE *file;

    snprintf(path, sizeof(path), "%s/%s.%ld", (const char *) folder, NULL == rank ? "" : rank, (long) getpid());
    file = fopen(path, "w");
    if (NULL != file) {
        MPI_Finalized(&finalized);
        fprintf(file, "exit status %d, MPI %s, of %s\n", status, finalized ? "finalized" : "not finalized",
                NULL == size ? "?" : size);
        fclose(file);
    }
}

/** Registered first, so that it runs last, after everything that MPI does at exit. */
__attribute__((constructor)) static void test_ended_watch(void)
{
    char *folder = getenv("TEST_ENDED");

    if (NULL != folder) {
        on_exit(test_ended, folder);
    }
}

#endif /* ENDED_H */
