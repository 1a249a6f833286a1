/* Unit test of operations on window memory by several threads at once: each element is updated as a whole.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi_config.h"

#include "op/scalar.h"

#include <mpi.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static ompi_osc_ucp_stripe_t stripes[OMPI_OSC_UCP_STRIPES];

static void assert_stripes_free(void)
{
    size_t i;

    for (i = 0; i < OMPI_OSC_UCP_STRIPES; i++) {
        assert_int_equal(stripes[i].locked, 0);
    }
}

#define THREADS 4
#define ROUNDS  2000

/** Elements that the threads share, at an odd address or an even one; the address is the key. */
typedef struct shared_t {
    unsigned char *base;
    size_t         n;
    uint64_t       seen[THREADS][ROUNDS]; /**< what each of them found */
} shared_t;

typedef struct thread_t {
    pthread_t id;
    int       number;
    shared_t *shared;
} thread_t;

static void run_threads(shared_t *shared, void *(*body)(void *))
{
    thread_t threads[THREADS];
    int      i;

    for (i = 0; i < THREADS; i++) {
        threads[i] = (thread_t) {.number = i, .shared = shared};
        assert_int_equal(0, pthread_create(&threads[i].id, NULL, body, &threads[i]));
    }
    for (i = 0; i < THREADS; i++) {
        assert_int_equal(0, pthread_join(threads[i].id, NULL));
    }
    assert_stripes_free();
}

static void *add_doubles(void *arg)
{
    thread_t                  *thread = arg;
    shared_t                  *shared = thread->shared;
    const ompi_osc_ucp_prim_t *prim = ompi_osc_ucp_prim_of(MPI_DOUBLE);
    double                     ones[700];
    size_t                     i;

    for (i = 0; i < COUNT_OF(ones); i++) {
        ones[i] = 1;
    }
    for (i = 0; i < ROUNDS; i++) {
        /* In two parts, cut at a place that differs from thread to thread. */
        size_t cut = (i * 37 + (size_t) thread->number * 101) % shared->n;

        ompi_osc_ucp_op_apply(stripes, (uintptr_t) shared->base, OMPI_OSC_UCP_OP_SUM, prim, shared->base, ones, NULL,
                              cut);
        ompi_osc_ucp_op_apply(stripes, (uintptr_t) shared->base + cut * sizeof(double), OMPI_OSC_UCP_OP_SUM, prim,
                              shared->base + cut * sizeof(double), ones, NULL, shared->n - cut);
    }
    return NULL;
}

static void test_threads_sum(void **state)
{
    static _Alignas(4096) unsigned char memory[8192];
    const size_t                        offsets[] = {0, 1, 1020};
    size_t                              k, i;

    (void) state;
    for (k = 0; k < COUNT_OF(offsets); k++) {
        static shared_t shared;

        shared.base = memory + offsets[k];
        shared.n = 700;
        memset(memory, 0, sizeof(memory));
        run_threads(&shared, add_doubles);
        for (i = 0; i < shared.n; i++) {
            double value;

            memcpy(&value, shared.base + i * sizeof(double), sizeof(value));
            assert_true(THREADS * ROUNDS == value);
        }
    }
}

static void *take_tickets(void *arg)
{
    thread_t *thread = arg;
    int64_t   one = 1;
    size_t    i;

    for (i = 0; i < ROUNDS; i++) {
        ompi_osc_ucp_op_apply(stripes, (uintptr_t) thread->shared->base, OMPI_OSC_UCP_OP_SUM,
                              ompi_osc_ucp_prim_of(MPI_INT64_T), thread->shared->base, &one,
                              &thread->shared->seen[thread->number][i], 1);
    }
    return NULL;
}

/** Fetch and add on one element, also where it straddles two granules: every number once. */
static void test_threads_fetch(void **state)
{
    static _Alignas(OMPI_OSC_UCP_STRIPE_GRANULE * OMPI_OSC_UCP_STRIPES)
        unsigned char     memory[OMPI_OSC_UCP_STRIPE_GRANULE * (OMPI_OSC_UCP_STRIPES + 1)];
    static shared_t       shared;
    static unsigned char  taken[THREADS * ROUNDS];
    const size_t          offsets[] = {8, OMPI_OSC_UCP_STRIPE_GRANULE - 3,
                                       OMPI_OSC_UCP_STRIPE_GRANULE * OMPI_OSC_UCP_STRIPES - 5};
    size_t                k, i;

    (void) state;
    for (k = 0; k < COUNT_OF(offsets); k++) {
        memset(memory, 0, sizeof(memory));
        memset(taken, 0, sizeof(taken));
        shared.base = memory + offsets[k];
        run_threads(&shared, take_tickets);
        for (i = 0; i < THREADS * ROUNDS; i++) {
            uint64_t ticket = shared.seen[i / ROUNDS][i % ROUNDS];

            assert_true(ticket < THREADS * ROUNDS);
            assert_false(taken[ticket]);
            taken[ticket] = 1;
        }
    }
}

static void *add_to_halves(void *arg)
{
    thread_t      *thread = arg;
    unsigned char *base = thread->shared->base;
    int64_t        high = (int64_t) 1 << 32;
    int32_t        one = 1;
    size_t         i;

    for (i = 0; i < ROUNDS; i++) {
        if (0 == thread->number % 2) {
            ompi_osc_ucp_op_apply(stripes, (uintptr_t) base, OMPI_OSC_UCP_OP_SUM, ompi_osc_ucp_prim_of(MPI_INT64_T),
                                  base, &high, NULL, 1);
        } else {
            ompi_osc_ucp_op_apply(stripes, (uintptr_t) base + 4, OMPI_OSC_UCP_OP_SUM,
                                  ompi_osc_ucp_prim_of(MPI_INT32_T), base + 4, &one, NULL, 1);
        }
    }
    return NULL;
}

/** An element that straddles two granules holds both stripes: whoever comes to its second half alone waits, too. */
static void test_threads_overlap(void **state)
{
    static _Alignas(OMPI_OSC_UCP_STRIPE_GRANULE) unsigned char memory[2 * OMPI_OSC_UCP_STRIPE_GRANULE];
    static shared_t                     shared = {.base = memory + OMPI_OSC_UCP_STRIPE_GRANULE - 4};
    int64_t                             sum;

    (void) state;
    run_threads(&shared, add_to_halves);
    memcpy(&sum, shared.base, sizeof(sum));
    assert_int_equal(sum, (int64_t) (THREADS * ROUNDS) << 32);
}

static int applying;

static void *use_gaps(void *arg)
{
    thread_t                  *thread = arg;
    const ompi_osc_ucp_prim_t *prim = ompi_osc_ucp_prim_of(MPI_DOUBLE_INT);
    volatile int              *gap = (volatile int *) (thread->shared->base + 12);
    unsigned char              packed[12 * 64] = {0};
    int                        i;

    if (0 == thread->number) {
        for (i = 0; 0 < __atomic_load_n(&applying, __ATOMIC_RELAXED); i++) {
            thread->shared->seen[0][0] += *gap != i;
            *gap = i + 1;
        }
    } else {
        for (i = 0; i < 5 * ROUNDS; i++) {
            ompi_osc_ucp_op_apply(stripes, (uintptr_t) thread->shared->base, OMPI_OSC_UCP_OP_MAXLOC, prim,
                                  thread->shared->base, packed, NULL, thread->shared->n);
        }
        __atomic_sub_fetch(&applying, 1, __ATOMIC_RELAXED);
    }
    return NULL;
}

/** The gap of a pair is the program's own: it may be written while the pair is accumulated to. */
static void test_threads_gap(void **state)
{
    static _Alignas(OMPI_OSC_UCP_STRIPE_GRANULE) unsigned char memory[OMPI_OSC_UCP_STRIPE_GRANULE];
    static shared_t                                            shared = {.base = memory, .n = 64};

    (void) state;
    applying = THREADS - 1;
    run_threads(&shared, use_gaps);
    assert_int_equal(shared.seen[0][0], 0);
}

static const MPI_Datatype swap_types[] = {MPI_INT8_T, MPI_UINT16_T, MPI_INT, MPI_LONG, MPI_C_DOUBLE_COMPLEX};

static size_t swap_type;

static void *count_by_swapping(void *arg)
{
    thread_t                  *thread = arg;
    const ompi_osc_ucp_prim_t *prim = ompi_osc_ucp_prim_of(swap_types[swap_type]);
    unsigned char              expected[16] = {0}, desired[16], found[16];
    int                        i = 0;

    while (i < ROUNDS) {
        uint64_t count = 0;
        size_t   width = prim->size < 8 ? prim->size : 8;

        memcpy(&count, expected, width);
        count++;
        memcpy(desired, expected, sizeof(desired));
        memcpy(desired, &count, width);
        if (16 == prim->size) {
            memcpy(desired + 8, &count, 8); /* both halves must change together */
        }
        memset(found, 0xaa, sizeof(found));
        ompi_osc_ucp_op_compare_swap(stripes, (uintptr_t) thread->shared->base, prim, thread->shared->base, desired,
                                     expected, found);
        i += 0 == memcmp(found, expected, prim->size);
        memcpy(expected, found, prim->size);
    }
    return NULL;
}

static void test_compare_swap(void **state)
{
    static _Alignas(OMPI_OSC_UCP_STRIPE_GRANULE) unsigned char memory[2 * OMPI_OSC_UCP_STRIPE_GRANULE];

    (void) state;
    for (swap_type = 0; swap_type < COUNT_OF(swap_types); swap_type++) {
        size_t   size = ompi_osc_ucp_prim_of(swap_types[swap_type])->size, width = size < 8 ? size : 8;
        size_t   offsets[] = {64, 67, OMPI_OSC_UCP_STRIPE_GRANULE - 1}, k;
        uint64_t wanted = THREADS * ROUNDS, got;

        for (k = 0; k < COUNT_OF(offsets); k++) {
            static shared_t shared;

            shared.base = memory + offsets[k];
            memset(memory, 0, sizeof(memory));
            run_threads(&shared, count_by_swapping);
            got = 0;
            memcpy(&got, shared.base, width);
            assert_int_equal(got, 8 == width ? wanted : wanted & (((uint64_t) 1 << (8 * width)) - 1));
            if (16 == size) {
                assert_memory_equal(shared.base, shared.base + 8, 8);
            }
            assert_int_equal(memory[offsets[k] - 1], 0);
            assert_int_equal(memory[offsets[k] + size], 0);
        }
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads_sum), cmocka_unit_test(test_threads_fetch),
        cmocka_unit_test(test_threads_overlap), cmocka_unit_test(test_threads_gap),
        cmocka_unit_test(test_compare_swap),
    };
    int failed;

    MPI_Init(&argc, &argv);
    ompi_osc_ucp_op_init();
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
