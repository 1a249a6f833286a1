/* Unit test of the runs of bytes that loads and stores of one instruction become.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi_config.h"

#include "check/moments.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

enum { BYTES = 4096 };

/** Bytes that were accessed, and those of the runs. */
static bool wanted[BYTES], got[BYTES];

static ompi_osc_ucp_moments_t moments;

static void begin(int64_t first, int64_t end)
{
    memset(wanted, 0, sizeof(wanted));
    moments = (ompi_osc_ucp_moments_t) { .first = first, .end = end };
    memset(wanted + first, true, (size_t) (end - first));
}

/** Access bytes. False: they need runs of their own. */
static bool add(int64_t first, int64_t end)
{
    bool added = ompi_osc_ucp_moments_add(&moments, first, end);

    if (added) {
        memset(wanted + first, true, (size_t) (end - first));
    }
    return added;
}

/** Are the runs exactly what was accessed? Returns how many there are. */
static int check(void)
{
    ompi_osc_ucp_runs_t runs[2];
    int                 n = ompi_osc_ucp_moments_runs(&moments, runs), i;
    uint64_t            row;

    memset(got, 0, sizeof(got));
    for (i = 0; i < n; i++) {
        assert_true(runs[i].count > 0 && (runs[i].count > 1) == (0 != runs[i].stride));
        for (row = 0; row < runs[i].count; row++) {
            memset(got + runs[i].first + (int64_t) (row * runs[i].stride), true, runs[i].len);
        }
    }
    assert_memory_equal(wanted, got, sizeof(wanted));
    return n;
}

static void test_row(void **state)
{
    int64_t i;

    (void) state;
    begin(800, 804);
    for (i = 1; i < 50; i++) {
        assert_true(add(800 + 4 * i, 804 + 4 * i));
    }
    for (i = 1; i < 50; i++) {
        assert_true(add(800 - 4 * i, 804 - 4 * i)); /* down again */
    }
    assert_int_equal(check(), 1);
}

static void test_block(void **state)
{
    int64_t row, i;

    (void) state;
    begin(100, 108);
    for (row = 0; row < 10; row++) {
        for (i = 0; i < 5; i++) {
            assert_true(add(100 + 300 * row + 8 * i, 108 + 300 * row + 8 * i));
        }
    }
    assert_true(add(708, 716)); /* once more */
    assert_int_equal(check(), 1);
}

static void test_strided(void **state)
{
    int64_t i;

    (void) state;
    begin(0, 4);
    for (i = 1; i < 100; i++) {
        assert_true(add(32 * i, 32 * i + 4));
    }
    assert_int_equal(check(), 1);
}

static void test_irregular(void **state)
{
    (void) state;
    begin(0, 4);
    assert_true(add(100, 104));
    assert_true(add(200, 204));
    assert_true(add(250, 254));
    assert_int_equal(check(), 2);
    assert_false(add(300, 304));
    assert_false(add(40, 44));
    assert_int_equal(check(), 2);
}

static void test_random(void **state)
{
    int i, j;

    (void) state;
    srandom(7);
    for (i = 0; i < 2000; i++) {
        int64_t at = random() % 1000, step = random() % 40 + 1, len = random() % 16 + 1;

        begin(at, at + len);
        for (j = 0; j < 40; j++) {
            at += 0 == random() % 8 ? random() % 30 - 10 : step;
            if (at < 0 || at + len > BYTES || !add(at, at + len)) {
                break;
            }
        }
        (void) check();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_row),
        cmocka_unit_test(test_block),
        cmocka_unit_test(test_strided),
        cmocka_unit_test(test_irregular),
        cmocka_unit_test(test_random)
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
