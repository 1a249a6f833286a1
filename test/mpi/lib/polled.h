/* For tests of what origins leave in the memory of a target that polls: rank 0 polls inside MPI, comes and goes, or is
 * stopped, while the others work at it.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef POLLED_H
#define POLLED_H

#include "windows.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

/** A process that stops this one again and again, and lets it go on. */
static inline pid_t polled_stopper(void)
{
    pid_t parent = getpid(), child = fork();

    for (int i = 0; 0 == child && i < 40; i++) {
        kill(parent, SIGSTOP);
        usleep(5000);
        kill(parent, SIGCONT);
        usleep((useconds_t) (5000 + 37 * i));
    }
    if (0 == child) {
        _exit(0);
    }
    return child;
}

/** Origins call `work` with 0, 1, 2 and so on for a while; rank 0 calls MPI every `pause` seconds. Collective. */
static inline void polled_phase(void (*work)(int n), double pause, int stopped, double seconds)
{
    MPI_Request over;
    pid_t child = 0 == test_rank && stopped ? polled_stopper() : 0;
    double begin = MPI_Wtime();
    int done = 0;

    for (int n = 0; 0 != test_rank && (n < 16 || MPI_Wtime() - begin < seconds); n++) {
        work(n);
    }
    MPI_OK(MPI_Ibarrier(MPI_COMM_WORLD, &over));
    while (!done) {
        if (0 == test_rank && pause > 0) {
            test_compute(pause);
        }
        MPI_OK(MPI_Test(&over, &done, MPI_STATUS_IGNORE));
    }
    if (child > 0) {
        waitpid(child, NULL, 0);
    }
}

/** Is that so at rank 0? Collective. */
static inline int polled_so(int so)
{
    MPI_OK(MPI_Bcast(&so, 1, MPI_INT, 0, MPI_COMM_WORLD));
    return so;
}

/** Origins work at rank 0, which polls, until `counter` has counted something there. On a busy machine rank 0 may not
 *  run for a while. */
static inline void polled_counts(void (*work)(int n), double seconds, struct test_counter *counter)
{
    double begin = MPI_Wtime();

    do {
        polled_phase(work, 0, 0, seconds);
    } while (polled_so(0 == test_counter_read(counter) && MPI_Wtime() - begin < test_patience()));
    CHECK(0 != test_rank || test_counter_read(counter) > 0, "a target that polled had no part");
}

/** Do the settings let processes map each other's memory, and has each a processor? */
static inline int polled_possible(void)
{
    const char *direct = getenv("OMPI_MCA_osc_ucp_direct"), *transports = getenv("UCX_TLS");

    return (NULL == direct || 0 != atoi(direct)) && (NULL == transports || NULL != strstr(transports, "sm")) &&
           sysconf(_SC_NPROCESSORS_ONLN) >= test_size;
}

#endif /* POLLED_H */
