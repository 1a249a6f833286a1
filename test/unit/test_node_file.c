/* Unit test of reserved files: a timer's signals do not keep a program from them.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "opal_config.h"

#include "base/node_file.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>

#include <cmocka.h>

/** The system's, with a signal on its way: older kernels, such as Debian 12's, then give up in a tmpfs. */
int posix_fallocate(int fd, off_t at, off_t size)
{
    sigset_t blocked;

    assert_int_equal(fd, 3);
    assert_int_equal(at, 4096);
    assert_int_equal(size, 65536);
    assert_int_equal(pthread_sigmask(SIG_SETMASK, NULL, &blocked), 0);
    return sigismember(&blocked, SIGPROF) ? ENOSPC : EINTR;
}

static void signals(void **state)
{
    sigset_t blocked;

    (void) state;
    assert_int_equal(ompi_osc_ucp_file_reserve(3, 4096, 65536), ENOSPC);
    assert_int_equal(pthread_sigmask(SIG_SETMASK, NULL, &blocked), 0);
    assert_false(sigismember(&blocked, SIGPROF));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(signals) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
