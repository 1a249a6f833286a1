/* How this process ends, for whoever runs it: with TEST_ENDED set, a file in that folder. Open MPI 4.1 is sometimes
 * wrong about it, or crashes in MPI_Finalize (test/lib/patience.sh).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef ENDED_H
#define ENDED_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void test_leave_word(const char *folder, const char *word)
{
    const char *rank = getenv("OMPI_COMM_WORLD_RANK"), *size = getenv("OMPI_COMM_WORLD_SIZE");
    char path[4096];
    FILE *file;

    snprintf(path, sizeof(path), "%s/%s.%ld", folder, NULL == rank ? "" : rank, (long) getpid());
    file = fopen(path, "w");
    if (NULL != file) {
        fprintf(file, "%s, of %s\n", word, NULL == size ? "?" : size);
        fclose(file);
    }
}

static void test_ended(int status, void *folder)
{
    int finalized = 0;
    char word[64];

    MPI_Finalized(&finalized);
    snprintf(word, sizeof(word), "exit status %d, MPI %s", status, finalized ? "finalized" : "not finalized");
    test_leave_word(folder, word);
}

/** Weak, as each file of a program may include this. */
__attribute__((weak)) int MPI_Finalize(void)
{
    const char *folder = getenv("TEST_ENDED");

    if (NULL != folder) {
        test_leave_word(folder, "in MPI_Finalize");
    }
    return PMPI_Finalize();
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
