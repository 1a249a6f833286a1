/* Unit test of the lock word: it excludes, readers share it, nobody starves, and whoever cannot see it is told.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi_config.h"

#include "memory/control.h"

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

enum { THREADS = 4, ROUNDS = 5000 };

static struct {
    ompi_osc_ucp_control_t control;
    long                   readers, writers; /**< inside */
    long                   count;            /**< guarded by the lock */
    long                   wrong;
} shared;

static void lock(bool exclusive)
{
    uint32_t ticket = ompi_osc_ucp_lockword_draw(&shared.control.lock);

    while (!ompi_osc_ucp_lockword_enter(&shared.control.lock, ticket, exclusive)) {
        sched_yield();
    }
}

/** A reader that has another lock already, and goes past the queue. */
static void join(void)
{
    if (!ompi_osc_ucp_lockword_join(&shared.control.lock)) {
        while (!ompi_osc_ucp_lockword_joined(&shared.control.lock)) {
            sched_yield();
        }
    }
}

static void *contend(void *arg)
{
    int round;

    for (round = 0; round < ROUNDS; round++) {
        if (0 == (round + (int) (ptrdiff_t) arg) % 2) {
            if (0 != round % 3 || !ompi_osc_ucp_lockword_try(&shared.control.lock, true)) {
                lock(true);
            }
            shared.wrong += 0 != __atomic_fetch_add(&shared.writers, 1, __ATOMIC_RELAXED);
            shared.wrong += 0 != __atomic_load_n(&shared.readers, __ATOMIC_RELAXED);
            shared.count++;
            __atomic_fetch_sub(&shared.writers, 1, __ATOMIC_RELAXED);
            ompi_osc_ucp_lockword_leave(&shared.control.lock, true);
        } else {
            if (0 == round % 3) {
                join();
            } else if (0 == round % 2 || !ompi_osc_ucp_lockword_try(&shared.control.lock, false)) {
                lock(false);
            }
            __atomic_fetch_add(&shared.readers, 1, __ATOMIC_RELAXED);
            if (0 != __atomic_load_n(&shared.writers, __ATOMIC_RELAXED)) {
                __atomic_fetch_add(&shared.wrong, 1, __ATOMIC_RELAXED);
            }
            __atomic_fetch_sub(&shared.readers, 1, __ATOMIC_RELAXED);
            ompi_osc_ucp_lockword_leave(&shared.control.lock, false);
        }
    }
    return NULL;
}

static void test_excludes(void **state)
{
    pthread_t thread[THREADS];
    int       i;

    (void) state;
    /* The tickets wrap around on the way. */
    shared.control.lock.next = shared.control.lock.turn = UINT32_MAX - ROUNDS;
    for (i = 0; i < THREADS; i++) {
        assert_int_equal(0, pthread_create(&thread[i], NULL, contend, (void *) (ptrdiff_t) i));
    }
    for (i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
    }
    assert_int_equal(0, shared.wrong);
    assert_int_equal(THREADS * ROUNDS / 2, shared.count);
    assert_int_equal(shared.control.lock.next, shared.control.lock.turn);
    assert_int_equal(0, shared.control.lock.inside);
}

/** Tickets are served in order: a writer keeps those readers out that came after it, and lets in those before. */
static void test_order(void **state)
{
    ompi_osc_ucp_lockword_t word   = { 0 };
    uint32_t                first  = ompi_osc_ucp_lockword_draw(&word), second = ompi_osc_ucp_lockword_draw(&word);
    uint32_t                writer = ompi_osc_ucp_lockword_draw(&word), last = ompi_osc_ucp_lockword_draw(&word);

    (void) state;
    assert_false(ompi_osc_ucp_lockword_enter(&word, second, false));
    assert_true(ompi_osc_ucp_lockword_enter(&word, first, false));
    assert_true(ompi_osc_ucp_lockword_enter(&word, second, false));
    assert_false(ompi_osc_ucp_lockword_enter(&word, last, false));
    assert_false(ompi_osc_ucp_lockword_enter(&word, writer, true));
    ompi_osc_ucp_lockword_leave(&word, false);
    assert_false(ompi_osc_ucp_lockword_enter(&word, writer, true));
    ompi_osc_ucp_lockword_leave(&word, false);
    assert_true(ompi_osc_ucp_lockword_enter(&word, writer, true));
    assert_false(ompi_osc_ucp_lockword_enter(&word, last, false));
    ompi_osc_ucp_lockword_leave(&word, true);
    assert_true(ompi_osc_ucp_lockword_enter(&word, last, false));
    ompi_osc_ucp_lockword_leave(&word, false);
}

/** Who joins goes past a waiting writer, which gets in when all have left; it waits for one that is inside, only. */
static void test_joins(void **state)
{
    ompi_osc_ucp_lockword_t word = { 0 };
    uint32_t                first, writer, second;

    (void) state;
    first = ompi_osc_ucp_lockword_draw(&word);
    assert_true(ompi_osc_ucp_lockword_enter(&word, first, false));
    writer = ompi_osc_ucp_lockword_draw(&word);
    assert_false(ompi_osc_ucp_lockword_enter(&word, writer, true));
    assert_false(ompi_osc_ucp_lockword_try(&word, false));
    assert_true(ompi_osc_ucp_lockword_join(&word));
    ompi_osc_ucp_lockword_leave(&word, false);
    assert_false(ompi_osc_ucp_lockword_enter(&word, writer, true));
    ompi_osc_ucp_lockword_leave(&word, false);
    assert_true(ompi_osc_ucp_lockword_enter(&word, writer, true));
    assert_false(ompi_osc_ucp_lockword_join(&word));
    second = ompi_osc_ucp_lockword_draw(&word);
    assert_false(ompi_osc_ucp_lockword_joined(&word));
    ompi_osc_ucp_lockword_leave(&word, true);
    assert_true(ompi_osc_ucp_lockword_joined(&word));
    assert_false(ompi_osc_ucp_lockword_enter(&word, second, true));
    assert_false(ompi_osc_ucp_lockword_try(&word, true));
    ompi_osc_ucp_lockword_leave(&word, false);
    assert_true(ompi_osc_ucp_lockword_enter(&word, second, true));
    ompi_osc_ucp_lockword_leave(&word, true);
    assert_true(ompi_osc_ucp_lockword_try(&word, false));
    assert_true(ompi_osc_ucp_lockword_try(&word, false));
    assert_false(ompi_osc_ucp_lockword_try(&word, true));
    ompi_osc_ucp_lockword_leave(&word, false);
    ompi_osc_ucp_lockword_leave(&word, false);
    assert_true(ompi_osc_ucp_lockword_try(&word, true));
}

/** Posts lie in slots until they are taken; beyond that they are refused. */
static void test_posts(void **state)
{
    ompi_osc_ucp_control_t control = { .completes = 0 };
    uint32_t               rank, seen = 0;
    int                    i;

    (void) state;
    for (rank = 0; rank < OMPI_OSC_UCP_POST_SLOTS; rank++) {
        assert_true(ompi_osc_ucp_control_post(&control, 5)); /* the same one may post again */
    }
    assert_false(ompi_osc_ucp_control_post(&control, 6));
    assert_int_equal(6, ompi_osc_ucp_control_take_post(&control, 17));
    assert_int_equal(0, ompi_osc_ucp_control_take_post(&control, 17));
    assert_true(ompi_osc_ucp_control_post(&control, 6));
    for (i = 0; i < OMPI_OSC_UCP_POST_SLOTS; i++) {
        seen += ompi_osc_ucp_control_take_post(&control, i);
    }
    assert_int_equal(6 * (OMPI_OSC_UCP_POST_SLOTS - 1) + 7, seen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_excludes), cmocka_unit_test(test_order), cmocka_unit_test(test_joins),
        cmocka_unit_test(test_posts)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
