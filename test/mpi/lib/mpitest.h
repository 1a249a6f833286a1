/* What every MPI test program shares: checks that name the place, and a verdict that all ranks agree on.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A program calls test_init, uses CHECK and MPI_OK, and returns test_finish(). Exit status: 0 passed,
 * 1 failed, 77 skipped (the reason is printed).
 */

#ifndef MPITEST_H
#define MPITEST_H

#include "ended.h"
#include "patience.h"

#include <mpi.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int test_rank, test_size, test_failures;

/** A performance variable of the process. What is read is what was counted since it was opened. */
struct test_counter {
    MPI_T_pvar_session session;
    MPI_T_pvar_handle handle;
    int open;
};

static struct test_counter test_refused; /* messages; none, but if this is set: */
static int test_refusals;

/** Nothing is counted if there is no such variable. After MPI_Init. */
static inline void test_counter_open(struct test_counter *counter, const char *name)
{
    int index, count, provided;

    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    if (MPI_SUCCESS == MPI_T_pvar_get_index(name, MPI_T_PVAR_CLASS_COUNTER, &index)) {
        MPI_T_pvar_session_create(&counter->session);
        counter->open = MPI_SUCCESS == MPI_T_pvar_handle_alloc(counter->session, index, NULL, &counter->handle, &count);
    }
}

static inline unsigned long long test_counter_read(struct test_counter *counter)
{
    unsigned long long value = 0;

    if (counter->open) {
        MPI_T_pvar_read(counter->session, counter->handle, &value);
    }
    return value;
}

static inline void test_counter_close(struct test_counter *counter)
{
    if (counter->open) {
        MPI_T_pvar_handle_free(counter->session, &counter->handle);
        MPI_T_pvar_session_free(&counter->session);
        counter->open = 0;
    }
    MPI_T_finalize();
}

/** Not under AddressSanitizer: MPI_T makes Open MPI load all its components. Some of them leak, or crash the search for
 *  leaks, and they are not ours. */
static inline void test_refused_open(void)
{
#ifndef __SANITIZE_ADDRESS__
    test_counter_open(&test_refused, "osc_ucp_messages_refused");
#endif
}

static inline void test_init(int *argc, char ***argv)
{
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &test_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &test_size);
    test_refused_open();
}

/** Collective: end the program as skipped. */
static inline void test_skip(const char *reason)
{
    if (0 == test_rank) {
        printf("SKIP: %s\n", reason);
        fflush(stdout);
    }
    MPI_Finalize();
    exit(77);
}

/** As test_init, for programs in which several threads call MPI at once. */
static inline void test_init_threads(int *argc, char ***argv)
{
    int provided;

    MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &test_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &test_size);
    test_refused_open();
    if (provided < MPI_THREAD_MULTIPLE) {
        test_skip("this MPI library has no MPI_THREAD_MULTIPLE");
    }
}

/**
 * May several threads be in collective calls at once, each on a communicator of its own? Not over pml/ob1 of Open MPI
 * 4.1 with three processes or more: threads_collectives, which has no window, hangs or crashes there. Nor of two
 * processes on two hosts, which callers find out.
 */
static inline int test_threads_collective(void)
{
    const char *pml = getenv("OMPI_MCA_pml");

    return test_size <= 2 || (NULL != pml && 0 == strcmp(pml, "ucx"));
}

/** Report one wrong result; a program that has gone wrong keeps quiet after ten lines. Safe in threads. */
__attribute__((format(printf, 3, 4)))
static inline void test_fail(const char *file, int line, const char *format, ...)
{
    char text[512];
    va_list args;

    if (__atomic_add_fetch(&test_failures, 1, __ATOMIC_RELAXED) > 10) {
        return;
    }
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    fprintf(stderr, "%s:%d: rank %d: %s\n", file, line, test_rank, text);
}

#define CHECK(condition, ...)                                \
    do {                                                     \
        if (!(condition)) {                                  \
            test_fail(__FILE__, __LINE__, __VA_ARGS__);      \
        }                                                    \
    } while (0)

/** A call that must succeed (the default error handler of windows aborts anyway; this is for the others). */
#define MPI_OK(call)                                                      \
    do {                                                                  \
        int test_rc = (call);                                             \
        CHECK(MPI_SUCCESS == test_rc, "%s returned %d", #call, test_rc);  \
    } while (0)

/** The error class of a return code; MPI_SUCCESS is its own class. */
static inline int test_class(int rc)
{
    int class = MPI_SUCCESS;

    if (MPI_SUCCESS != rc) {
        MPI_Error_class(rc, &class);
    }
    return class;
}

/** A call that must return an error of class `wanted` (windows need MPI_ERRORS_RETURN). */
#define MPI_FAILS(wanted, call)                                                              \
    do {                                                                                     \
        int test_got = test_class(call);                                                     \
        CHECK((wanted) == test_got, "%s gave error class %d, not %s", #call, test_got, #wanted); \
    } while (0)

/** Collective: the program's exit status, the same on all ranks. */
static inline int test_finish(void)
{
    int failures, total = 0;

    CHECK(test_refusals || 0 == test_counter_read(&test_refused), "%llu messages were refused",
          test_counter_read(&test_refused));
    test_counter_close(&test_refused);
    failures = test_failures > 0;
    MPI_Allreduce(&failures, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return total > 0 ? 1 : 0;
}

/** Collective: skip with fewer processes than the program needs. */
static inline void test_needs(int processes)
{
    if (test_size < processes) {
        test_skip("not enough processes");
    }
}

/** For programs that count what windows cost: the report has costs of its own. */
static inline void test_needs_no_report(void)
{
    const char *report = getenv("OMPI_MCA_osc_ucp_report");

    if (NULL != report && 0 != strcmp(report, "0")) {
        test_skip("osc_ucp_report is on, and adds to what is counted here");
    }
}

/** The rank that is `distance` to the right of this one. */
static inline int test_neighbour(int distance)
{
    return ((test_rank + distance) % test_size + test_size) % test_size;
}

/** Wait without calling MPI and without sleeping, as a program that computes. */
static inline void test_compute(double seconds)
{
    struct timespec begin, now;

    clock_gettime(CLOCK_MONOTONIC, &begin);
    do {
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while (now.tv_sec - begin.tv_sec + 1e-9 * (now.tv_nsec - begin.tv_nsec) < seconds);
}

/** Compute, as test_compute does, until `*word` is `wanted`, or for as long as patience lasts. */
static inline void test_compute_until(const volatile long *word, long wanted)
{
    for (int i = 0; i < test_patience() * 100 && wanted != *word; i++) {
        test_compute(0.01);
    }
}

/** A value that can be told from every other one: byte `i` of what rank `rank` sends in round `round`. */
static inline unsigned char test_byte(int rank, int round, size_t i)
{
    return (unsigned char) (rank * 131 + round * 29 + i * 7 + (i >> 8) * 3 + (i >> 16) * 5 + 1);
}

static inline void test_fill(void *buffer, size_t length, int rank, int round)
{
    unsigned char *bytes = buffer;

    for (size_t i = 0; i < length; i++) {
        bytes[i] = test_byte(rank, round, i);
    }
}

/** The index of the first byte that test_fill would not have written, or -1. */
static inline long test_differs(const void *buffer, size_t length, int rank, int round)
{
    const unsigned char *bytes = buffer;

    for (size_t i = 0; i < length; i++) {
        if (bytes[i] != test_byte(rank, round, i)) {
            return (long) i;
        }
    }
    return -1;
}

/** Collective: the seed of random tests, the same on all ranks: TEST_SEED or the time. Printed. */
static inline uint64_t test_seed(void)
{
    const char *text = getenv("TEST_SEED");
    uint64_t seed = text ? strtoull(text, NULL, 0) : (uint64_t) time(NULL);

    MPI_Bcast(&seed, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    if (0 == test_rank) {
        printf("TEST_SEED=%llu\n", (unsigned long long) seed);
        fflush(stdout);
    }
    return seed;
}

/** The next of a sequence of random numbers below `bound` (splitmix64). */
static inline uint64_t test_random(uint64_t *state, uint64_t bound)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (z ^ (z >> 31)) % bound;
}

#endif /* MPITEST_H */
