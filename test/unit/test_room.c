/* Unit test of the choice of transports: values of UCX_TLS without sysv, posix or both.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "opal_config.h"

#include "opal/mca/common/ucp/common_ucp_room.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void permit(void **state)
{
    static const char *const with[]    = { "all", "^tcp", "sm", "shm,self", "tcp,mm", "sysv,tcp", "^posix" };
    static const char *const without[] = { "^sysv", "^sm,tcp", "^tcp,shm", "posix", "tcp,self", "sysvx,sys", "^mm" };

    (void) state;
    for (size_t i = 0; i < sizeof(with) / sizeof(with[0]); i++) {
        assert_true(opal_common_ucp_tls_permit(with[i], "sysv"));
        assert_false(opal_common_ucp_tls_permit(without[i], "sysv"));
    }
}

static void check_without(const char *tls, bool sysv, bool posix, const char *expected)
{
    char *text = opal_common_ucp_tls_without(tls, sysv, posix);

    if (NULL == expected) {
        assert_null(text);
    } else {
        assert_string_equal(text, expected);
    }
    free(text);
}

static void leave_out(void **state)
{
    (void) state;
    check_without("sm,self", false, false, "sm,self");
    check_without("all", false, true, "^posix");
    check_without("all", true, true, "^sysv,posix");
    check_without("^cuda,ib", false, true, "^posix,cuda,ib");
    check_without("sm,self", false, true, "sysv,self");
    check_without("self,shm,tcp", true, false, "self,posix,tcp");
    check_without("self,shm,tcp", true, true, "self,tcp");
    check_without("posix,sysv,self", false, true, "sysv,self");
    check_without("posix,sysv,self", true, true, NULL);
    check_without("mm", true, true, NULL);
    check_without("tcp", true, true, "tcp");
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(permit), cmocka_unit_test(leave_out) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
