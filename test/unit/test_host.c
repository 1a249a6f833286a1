/* Unit test of which versions of Open MPI agree with which, for a component that was built for one of them.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "base/host.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void agreeing(void **state)
{
    static const char *const pairs[][2] = {
        { "4.1.4", "4.1.4" }, { "4.1.2", "4.1.8" }, { "4.1.0", "4.1.1" }, { "4.1.6", "4.1.10" },
        { "5.0.7", "5.0.7, package: Debian OpenMPI" }, { "5.0.7", "5.0.10" }, { "5.0.0", "5.0.6" },
        { "6.0.0", "6.0.0rc2" }, { "6.0.0", "6.0.1" }
    };
    size_t i;

    (void) state;
    for (i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        assert_true(ompi_osc_ucp_versions_agree(pairs[i][0], pairs[i][1]));
        assert_true(ompi_osc_ucp_versions_agree(pairs[i][1], pairs[i][0]));
    }
}

static void disagreeing(void **state)
{
    static const char *const pairs[][2] = {
        { "4.1.4", "4.0.4" }, { "4.1.4", "5.0.4" }, { "5.0.7", "6.0.7" }, { "6.0.0", "6.1.0" }, { "4.1.1", "4.1.2" },
        { "5.0.6", "5.0.7" }, { "5.0.6", "5.0.10" }, { "4.1.4", "unknown" }, { "4.1.4", "" }
    };
    size_t i;

    (void) state;
    for (i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        assert_false(ompi_osc_ucp_versions_agree(pairs[i][0], pairs[i][1]));
        assert_false(ompi_osc_ucp_versions_agree(pairs[i][1], pairs[i][0]));
    }
}

static void running(void **state)
{
    char *other = NULL;

    (void) state;
    assert_true(ompi_osc_ucp_version_matches(&other));
    assert_null(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agreeing), cmocka_unit_test(disagreeing), cmocka_unit_test(running)
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
