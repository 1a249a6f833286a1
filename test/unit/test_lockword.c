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

/** A reader that has another lock already. Its wait is over at once, or never. */
static void join(bool patient)
{
    ompi_osc_ucp_joiner_t joiner = ompi_osc_ucp_lockword_stand(&shared.control.lock, 0);

    while (!ompi_osc_ucp_lockword_join(&shared.control.lock, &joiner, patient ? 0 : UINT64_MAX)) {
        sched_yield();
    }
    while (!ompi_osc_ucp_lockword_joined(&shared.control.lock)) {
        sched_yield();
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
                join(0 == round % 2);
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

/** Past the queue a process enters only if the lock is free, and the turn stays whose it is. */
static void test_again(void **state)
{
    ompi_osc_ucp_lockword_t word   = { 0 };
    uint32_t                writer = ompi_osc_ucp_lockword_draw(&word), reader = ompi_osc_ucp_lockword_draw(&word);

    (void) state;
    assert_true(ompi_osc_ucp_lockword_again(&word, true));
    assert_false(ompi_osc_ucp_lockword_again(&word, true));
    assert_false(ompi_osc_ucp_lockword_again(&word, false));
    assert_false(ompi_osc_ucp_lockword_enter(&word, writer, true));
    ompi_osc_ucp_lockword_leave(&word, true);
    assert_true(ompi_osc_ucp_lockword_again(&word, false));
    assert_true(ompi_osc_ucp_lockword_again(&word, false));
    assert_false(ompi_osc_ucp_lockword_again(&word, true));
    assert_false(ompi_osc_ucp_lockword_enter(&word, reader, false));
    ompi_osc_ucp_lockword_leave(&word, false);
    ompi_osc_ucp_lockword_leave(&word, false);
    assert_true(ompi_osc_ucp_lockword_enter(&word, writer, true));
    ompi_osc_ucp_lockword_leave(&word, true);
    assert_true(ompi_osc_ucp_lockword_enter(&word, reader, false));
    assert_true(ompi_osc_ucp_lockword_again(&word, false));
}

/** Once its wait is over, who joins goes past a waiting writer, which gets in when all have left. It waits for one that
 *  is inside, however long. */
static void test_joins(void **state)
{
    ompi_osc_ucp_lockword_t word = { 0 };
    ompi_osc_ucp_joiner_t   joiner;
    uint32_t                first, writer, second;

    (void) state;
    first = ompi_osc_ucp_lockword_draw(&word);
    assert_true(ompi_osc_ucp_lockword_enter(&word, first, false));
    writer = ompi_osc_ucp_lockword_draw(&word);
    assert_false(ompi_osc_ucp_lockword_enter(&word, writer, true));
    assert_false(ompi_osc_ucp_lockword_try(&word, false));
    joiner = ompi_osc_ucp_lockword_stand(&word, 0);
    assert_false(ompi_osc_ucp_lockword_join(&word, &joiner, joiner.until - 1));
    assert_true(ompi_osc_ucp_lockword_join(&word, &joiner, joiner.until));
    assert_true(ompi_osc_ucp_lockword_joined(&word));
    ompi_osc_ucp_lockword_leave(&word, false);
    assert_false(ompi_osc_ucp_lockword_enter(&word, writer, true));
    ompi_osc_ucp_lockword_leave(&word, false);
    assert_true(ompi_osc_ucp_lockword_enter(&word, writer, true));
    joiner = ompi_osc_ucp_lockword_stand(&word, 0);
    assert_true(ompi_osc_ucp_lockword_join(&word, &joiner, joiner.until));
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

/** Who joins need not wait when all that came before have had a turn, whoever comes after. */
static void test_joins_in_turn(void **state)
{
    ompi_osc_ucp_lockword_t word   = { .next = UINT32_MAX, .turn = UINT32_MAX };
    ompi_osc_ucp_joiner_t   joiner = ompi_osc_ucp_lockword_stand(&word, 0);
    uint32_t                before, after;

    (void) state;
    assert_true(ompi_osc_ucp_lockword_join(&word, &joiner, 0)); /* nobody is there */
    ompi_osc_ucp_lockword_leave(&word, false);
    before = ompi_osc_ucp_lockword_draw(&word);
    joiner = ompi_osc_ucp_lockword_stand(&word, 0);
    after  = ompi_osc_ucp_lockword_draw(&word);
    assert_false(ompi_osc_ucp_lockword_join(&word, &joiner, 0));
    assert_true(ompi_osc_ucp_lockword_enter(&word, before, true));
    assert_true(ompi_osc_ucp_lockword_join(&word, &joiner, 0));
    assert_false(ompi_osc_ucp_lockword_joined(&word));
    ompi_osc_ucp_lockword_leave(&word, true);
    assert_true(ompi_osc_ucp_lockword_joined(&word));
    assert_false(ompi_osc_ucp_lockword_enter(&word, after, true));
    ompi_osc_ucp_lockword_leave(&word, false);
    assert_true(ompi_osc_ucp_lockword_enter(&word, after, true));
    assert_int_equal(0, word.passed);
}

/** A reader waits for 1 to 10 ms. Those that come in one slot pass at one moment. If they do, the next slot of that
 *  turn is longer, up to a bound, and to twice what the writer has waited; another turn begins anew. */
static void test_slots(void **state)
{
    const uint64_t          ms = 1000000, now = 1000 * ms;
    ompi_osc_ucp_lockword_t word = { 0 };
    ompi_osc_ucp_joiner_t   joiner, other;
    uint64_t                at, begin, slot = 0, longest = 0;
    uint32_t                writer = ompi_osc_ucp_lockword_draw(&word);
    int                     i;

    (void) state;
    for (at = now; at < now + 20 * ms; at += ms / 10) {
        joiner = ompi_osc_ucp_lockword_stand(&word, at);
        assert_true(joiner.until > at + ms && joiner.until <= at + 10 * ms);
    }
    joiner = ompi_osc_ucp_lockword_stand(&word, now);
    other  = ompi_osc_ucp_lockword_stand(&word, joiner.until - 2 * ms);
    assert_int_equal(joiner.until, other.until);
    for (begin = at, i = 0; i < 20; i++) {
        joiner = other = ompi_osc_ucp_lockword_stand(&word, at);
        slot           = joiner.until - at;
        longest        = slot > longest ? slot : longest;
        assert_true(slot <= 2 * (at - begin) + 10 * ms);
        at = joiner.until;
        assert_true(ompi_osc_ucp_lockword_join(&word, &joiner, at));
        assert_true(ompi_osc_ucp_lockword_join(&word, &other, at));
        ompi_osc_ucp_lockword_leave(&word, false);
        ompi_osc_ucp_lockword_leave(&word, false);
    }
    assert_true(slot > 8000 * ms && longest < 8200 * ms);
    assert_true(ompi_osc_ucp_lockword_enter(&word, writer, true));
    ompi_osc_ucp_lockword_leave(&word, true);
    (void) ompi_osc_ucp_lockword_draw(&word);
    joiner = ompi_osc_ucp_lockword_stand(&word, at);
    assert_true(joiner.until <= at + 10 * ms);
}

/** Each rank that has a bit has a post of its own, which is taken once. */
static void test_posts(void **state)
{
    static const uint32_t  ranks[] = { 0, 5, 63, 64, OMPI_OSC_UCP_POST_RANKS - 1 };
    const size_t           n       = sizeof(ranks) / sizeof(ranks[0]);
    ompi_osc_ucp_control_t control = { .completes = 0 };
    size_t                 i, round;

    (void) state;
    assert_false(ompi_osc_ucp_control_post(&control, OMPI_OSC_UCP_POST_RANKS));
    assert_false(ompi_osc_ucp_control_take_post(&control, OMPI_OSC_UCP_POST_RANKS));
    for (round = 0; round < 2; round++) {
        for (i = 0; i < n; i++) {
            assert_false(ompi_osc_ucp_control_take_post(&control, ranks[i]));
        }
        for (i = 0; i < n; i++) {
            assert_true(ompi_osc_ucp_control_post(&control, ranks[i]));
        }
        assert_false(ompi_osc_ucp_control_take_post(&control, 6));
        for (i = n; i-- > 0;) {
            assert_true(ompi_osc_ucp_control_take_post(&control, ranks[i]));
            assert_false(ompi_osc_ucp_control_take_post(&control, ranks[i]));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_excludes), cmocka_unit_test(test_order), cmocka_unit_test(test_again),
        cmocka_unit_test(test_joins), cmocka_unit_test(test_joins_in_turn), cmocka_unit_test(test_slots),
        cmocka_unit_test(test_posts)
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
