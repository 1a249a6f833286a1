/* Unit test of tables of ranks: what was put in is found, whatever the order, and nothing else.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi_config.h"

#include "base/ranks.h"
#include "unit_random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { RANKS = 3000 };

static char values[RANKS];

static void test_empty(void **state)
{
    ompi_osc_ucp_ranks_t ranks = { .entries = NULL };
    uint32_t             at    = 0;

    (void) state;
    assert_null(ompi_osc_ucp_ranks_find(&ranks, 0));
    assert_null(ompi_osc_ucp_ranks_find(&ranks, UINT32_MAX));
    assert_null(ompi_osc_ucp_ranks_next(&ranks, &at));
    ompi_osc_ucp_ranks_fini(&ranks);
}

/** Ranks at distances that meet in the same places of the table, in random order. */
static void test_found(void **state)
{
    static uint32_t      order[RANKS];
    ompi_osc_ucp_ranks_t ranks = { .entries = NULL };
    uint32_t             i, j, k, at = 0, n = 0;

    (void) state;
    for (i = 0; i < RANKS; i++) {
        order[i] = i;
    }
    for (i = RANKS - 1; i > 0; i--) {
        j = (uint32_t) (random_u64() % (i + 1));
        k = order[i];
        order[i] = order[j];
        order[j] = k;
    }
    for (i = 0; i < RANKS; i++) {
        assert_null(ompi_osc_ucp_ranks_find(&ranks, order[i] * 64));
        assert_true(ompi_osc_ucp_ranks_add(&ranks, order[i] * 64, &values[order[i]]));
        assert_ptr_equal(&values[order[i]], ompi_osc_ucp_ranks_find(&ranks, order[i] * 64));
    }
    for (i = 0; i < RANKS; i++) {
        assert_ptr_equal(&values[i], ompi_osc_ucp_ranks_find(&ranks, i * 64));
        assert_null(ompi_osc_ucp_ranks_find(&ranks, i * 64 + 1));
    }
    while (NULL != ompi_osc_ucp_ranks_next(&ranks, &at)) {
        n++;
    }
    assert_int_equal(RANKS, n);
    ompi_osc_ucp_ranks_fini(&ranks);
    assert_null(ompi_osc_ucp_ranks_find(&ranks, 64));
}

/** Two ranks take no more than four entries. */
static void test_small(void **state)
{
    ompi_osc_ucp_ranks_t ranks = { .entries = NULL };

    (void) state;
    assert_true(ompi_osc_ucp_ranks_add(&ranks, 7, &values[0]));
    assert_true(ompi_osc_ucp_ranks_add(&ranks, 0, &values[1]));
    assert_int_equal(3, ranks.mask);
    assert_true(ompi_osc_ucp_ranks_add(&ranks, 3, &values[2]));
    assert_int_equal(7, ranks.mask);
    assert_ptr_equal(&values[1], ompi_osc_ucp_ranks_find(&ranks, 0));
    ompi_osc_ucp_ranks_fini(&ranks);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_empty), cmocka_unit_test(test_found), cmocka_unit_test(test_small)};

    random_init();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
