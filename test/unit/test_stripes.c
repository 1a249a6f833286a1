/* Unit test of stripes: nobody waits for a holder that has become another program, and nobody takes one from a holder
 * that still exists.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "memory/cma.h"
#include "op/stripes.h"

#include "another_program.h"

#include <string.h>
#include <sys/mman.h>

enum { HIGH = 1, SET = 1 | 1 << HIGH, HELD_US = 200000 };

/** What the processes share. */
typedef struct shared_t {
    ompi_osc_ucp_stripe_t stripes[OMPI_OSC_UCP_STRIPES];
    int                   left; /**< the holder is about to unlock */
} shared_t;

static shared_t *shared;

static bool exists(const void *owner)
{
    (void) owner;
    return true;
}

/** A child tells of itself, not of its parent. */
static void introduce_child(void)
{
    static ompi_osc_ucp_stripe_holder_t self;

    self     = *ompi_osc_ucp_stripe_self;
    self.pid = getpid();
    ompi_osc_ucp_stripe_introduce(&self, NULL);
}

static void lock_set_and_stay(void)
{
    introduce_child();
    if (!ompi_osc_ucp_stripes_lock(shared->stripes, SET, exists, NULL)) {
        _exit(1);
    }
}

static void lock_pair_and_stay(void)
{
    introduce_child();
    (void) ompi_osc_ucp_stripe_pair_lock(shared->stripes, HIGH * OMPI_OSC_UCP_STRIPE_GRANULE - 1, 2);
}

/** The others take over what it held, however they wait. */
static void test_another_program(void **state)
{
    void (*const acts[])(void) = { lock_set_and_stay, lock_pair_and_stay };
    unsigned i, j;
    pid_t    pid;

    (void) state;
    for (i = 0; i < sizeof(acts) / sizeof(acts[0]); i++) {
        memset(shared, 0, sizeof(*shared));
        pid = another_program(acts[i]);
        assert_int_equal(1, shared->stripes[0].locked);
        assert_int_equal(1, shared->stripes[HIGH].locked);
        ompi_osc_ucp_stripe_lock(&shared->stripes[0]);
        ompi_osc_ucp_stripe_unlock(&shared->stripes[0]);
        assert_true(ompi_osc_ucp_stripes_lock(shared->stripes, SET, exists, NULL));
        ompi_osc_ucp_stripes_unlock(shared->stripes, SET);
        for (j = 0; j < OMPI_OSC_UCP_STRIPES; j++) {
            assert_int_equal(0, shared->stripes[j].locked);
            assert_int_equal(0, shared->stripes[j].told % 2);
        }
        another_program_end(pid);
    }
}

/** A holder that is only slow keeps it. */
static void test_slow(void **state)
{
    int   ends[2], status;
    char  byte = 0;
    pid_t pid;

    (void) state;
    memset(shared, 0, sizeof(*shared));
    assert_int_equal(0, pipe(ends));
    pid = fork();
    assert_true(pid >= 0);
    if (0 == pid) {
        lock_set_and_stay();
        if (1 != write(ends[1], &byte, 1)) {
            _exit(1);
        }
        usleep(HELD_US);
        __atomic_store_n(&shared->left, 1, __ATOMIC_RELAXED);
        ompi_osc_ucp_stripes_unlock(shared->stripes, SET);
        _exit(0);
    }
    assert_int_equal(1, read(ends[0], &byte, 1));
    assert_true(ompi_osc_ucp_stripes_lock(shared->stripes, SET, exists, NULL));
    assert_int_equal(1, __atomic_load_n(&shared->left, __ATOMIC_RELAXED));
    ompi_osc_ucp_stripes_unlock(shared->stripes, SET);
    assert_int_equal(pid, waitpid(pid, &status, 0));
    assert_int_equal(0, status);
    close(ends[0]);
    close(ends[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_another_program),
        cmocka_unit_test(test_slow)
    };

    (void) ompi_osc_ucp_cma_self();
    shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return MAP_FAILED == shared ? 1 : cmocka_run_group_tests(tests, NULL, NULL);
}
