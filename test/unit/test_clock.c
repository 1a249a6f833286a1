/* Unit test of the checker's clocks: who has heard of whom, with all processes' clocks in this one.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi_config.h"

#include "check/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

enum { N = 4 };

static ompi_osc_ucp_clock_t clocks[N];

/** New clocks; the first `active` processes keep them. */
static void start(int active)
{
    int i;

    free(clocks[0].board);
    for (i = 0; i < N; i++) {
        clocks[i] = (ompi_osc_ucp_clock_t) {
            .board = 0 == i ? calloc(1, ompi_osc_ucp_clock_size(N)) : clocks[0].board, .n = N, .me = i
        };
    }
    for (i = 0; i < active; i++) {
        ompi_osc_ucp_clock_begin(&clocks[i]);
    }
}

/** Would an operation that a process calls now be behind one of another process that ended with that step? */
static bool heard(int who, int of, uint32_t step)
{
    ompi_osc_ucp_stamp_t old = { .process = of, .step = step }, new;

    ompi_osc_ucp_clock_stamp(&clocks[who], &new);
    new.step = UINT32_MAX;
    return !ompi_osc_ucp_clock_unordered(&clocks[who], &old, &new);
}

static void test_message(void **state)
{
    uint32_t before, after;

    (void) state;
    start(N);
    before = ompi_osc_ucp_clock_step(&clocks[0]);
    ompi_osc_ucp_clock_tell(&clocks[0]);
    after = ompi_osc_ucp_clock_step(&clocks[0]);
    assert_false(heard(1, 0, before));
    ompi_osc_ucp_clock_hear(&clocks[1], 0);
    assert_true(heard(1, 0, before));
    assert_false(heard(1, 0, after)); /* the operation ended behind the message */
    assert_false(heard(2, 0, before));
    ompi_osc_ucp_clock_tell(&clocks[1]);
    ompi_osc_ucp_clock_hear(&clocks[2], 1);
    assert_true(heard(2, 0, before)); /* through process 1 */
    assert_false(heard(0, 1, ompi_osc_ucp_clock_step(&clocks[1])));
}

/** Hearing all counts for what nobody has told. */
static void test_all(void **state)
{
    uint32_t step;

    (void) state;
    start(N);
    step = ompi_osc_ucp_clock_step(&clocks[3]);
    ompi_osc_ucp_clock_hear(&clocks[0], 3);
    assert_false(heard(0, 3, step));
    ompi_osc_ucp_clock_hear(&clocks[0], OMPI_OSC_UCP_CLOCK_ALL);
    assert_true(heard(0, 3, step));
}

/** A process that keeps no clock yet may pass on messages of all. */
static void test_unknown(void **state)
{
    ompi_osc_ucp_stamp_t stamp;
    uint32_t             step;

    (void) state;
    start(3);
    step = ompi_osc_ucp_clock_step(&clocks[0]);
    ompi_osc_ucp_clock_stamp(&clocks[3], &stamp);
    assert_true(stamp.process < 0); /* nothing is claimed of it */
    assert_false(heard(1, 0, step));
    ompi_osc_ucp_clock_begin(&clocks[3]);
    ompi_osc_ucp_clock_hear(&clocks[1], 3); /* told before it began */
    assert_true(heard(1, 0, step));
    start(3);
    step = ompi_osc_ucp_clock_step(&clocks[0]);
    ompi_osc_ucp_clock_hear(&clocks[1], 3);
    assert_true(heard(1, 0, step));
}

/** A flag in the memory of process 2, polled by an operation, and by loads. */
static void test_flag(void **state)
{
    uint32_t data, flag;

    (void) state;
    start(N);
    data = ompi_osc_ucp_clock_step(&clocks[0]);
    ompi_osc_ucp_clock_write(&clocks[0], 2);
    flag = ompi_osc_ucp_clock_step(&clocks[0]);
    assert_false(heard(1, 0, data));
    ompi_osc_ucp_clock_read(&clocks[1], 2);
    assert_true(heard(1, 0, data));
    assert_false(heard(1, 0, flag));
    assert_true(heard(2, 0, data));
    assert_false(heard(3, 0, data));
    ompi_osc_ucp_clock_tell(&clocks[2]); /* who has loaded the flag may pass that on */
    ompi_osc_ucp_clock_hear(&clocks[3], 2);
    assert_true(heard(3, 0, data));
}

/** What a target stores may be read at any time. */
static void test_store(void **state)
{
    uint32_t step;

    (void) state;
    start(N);
    step = ompi_osc_ucp_clock_step(&clocks[2]);
    ompi_osc_ucp_clock_read(&clocks[1], 2);
    assert_true(heard(1, 2, step));
}

static void test_locks(void **state)
{
    uint32_t shared, exclusive;

    (void) state;
    start(N);
    shared = ompi_osc_ucp_clock_step(&clocks[0]);
    ompi_osc_ucp_clock_unlock(&clocks[0], 3, false);
    ompi_osc_ucp_clock_lock(&clocks[1], 3, false);
    assert_false(heard(1, 0, shared)); /* two shared locks order nothing */
    ompi_osc_ucp_clock_lock(&clocks[1], 3, true);
    assert_true(heard(1, 0, shared));
    exclusive = ompi_osc_ucp_clock_step(&clocks[1]);
    ompi_osc_ucp_clock_unlock(&clocks[1], 3, true);
    ompi_osc_ucp_clock_lock(&clocks[2], 0, true); /* another target */
    assert_false(heard(2, 1, exclusive));
    ompi_osc_ucp_clock_lock(&clocks[2], 3, false);
    assert_true(heard(2, 1, exclusive));
}

/** An operation that was called before the other one ended, and ended behind it. */
static void test_pending(void **state)
{
    ompi_osc_ucp_stamp_t one, two;

    (void) state;
    start(N);
    ompi_osc_ucp_clock_stamp(&clocks[0], &one);
    ompi_osc_ucp_clock_stamp(&clocks[1], &two);
    two.step = ompi_osc_ucp_clock_step(&clocks[1]);
    assert_false(ompi_osc_ucp_clock_unordered(&clocks[2], &one, &two)); /* it has not ended */
    ompi_osc_ucp_clock_tell(&clocks[1]);
    ompi_osc_ucp_clock_hear(&clocks[0], 1);
    one.step = ompi_osc_ucp_clock_step(&clocks[0]);
    assert_true(ompi_osc_ucp_clock_unordered(&clocks[2], &one, &two));
    assert_true(ompi_osc_ucp_clock_unordered(&clocks[2], &two, &one));
    ompi_osc_ucp_clock_stamp(&clocks[0], &one);
    one.step = ompi_osc_ucp_clock_step(&clocks[0]);
    assert_false(ompi_osc_ucp_clock_unordered(&clocks[2], &one, &two));
    assert_false(ompi_osc_ucp_clock_unordered(&clocks[2], &two, &one));
}

/** Without clocks all is ordered. */
static void test_off(void **state)
{
    ompi_osc_ucp_clock_t none = { .board = NULL };
    ompi_osc_ucp_stamp_t stamp;
    uint32_t             step;

    (void) state;
    start(N);
    step = ompi_osc_ucp_clock_step(&clocks[0]);
    assert_false(heard(1, 0, step));
    ompi_osc_ucp_clock_write(&clocks[3], 17); /* nobody can know who reads there */
    assert_true(heard(1, 0, step));
    assert_false(ompi_osc_ucp_clock_on(&clocks[2]));
    ompi_osc_ucp_clock_stamp(&none, &stamp);
    assert_true(stamp.process < 0);
    assert_true(0 == ompi_osc_ucp_clock_step(&none));
    ompi_osc_ucp_clock_tell(&none);
    ompi_osc_ucp_clock_off(&none);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_message),
        cmocka_unit_test(test_all),
        cmocka_unit_test(test_unknown),
        cmocka_unit_test(test_flag),
        cmocka_unit_test(test_store),
        cmocka_unit_test(test_locks),
        cmocka_unit_test(test_pending),
        cmocka_unit_test(test_off)
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
