/* The runner's own test: ends as its argument says, "hang", "fail", "crash", "skip", "unfinished", "slow" or "pass".
 * Not in the table.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mpitest.h"
#include <unistd.h>

__attribute__((noinline)) static void wait_for_ever(void)
{
    volatile int never = 0;

    while (!never) {
        pause();
    }
}

int main(int argc, char **argv)
{
    const char *how;

    test_init(&argc, &argv);
    how = argc > 1 ? argv[1] : "pass";
    if (0 == strcmp(how, "hang")) {
        wait_for_ever();
    } else if (0 == strcmp(how, "crash")) {
        abort();
    } else if (0 == strcmp(how, "skip")) {
        test_skip("on purpose");
    } else if (0 == strcmp(how, "unfinished") && 0 == test_rank) {
        exit(0);
    } else if (0 == strcmp(how, "slow")) {
        sleep(6);
    }
    CHECK(0 != strcmp(how, "fail"), "this must fail");
    return test_finish();
}
