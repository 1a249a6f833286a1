/* Info keys: given at creation, returned by MPI_Win_get_info, changed by MPI_Win_set_info; unknown ones are ignored.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

/* A key that is known must have the value in force; a key that is not returned is not honoured, which is legal. */
static void check_key(MPI_Win win, const char *key, const char *wanted)
{
    char value[MPI_MAX_INFO_VAL + 1];
    MPI_Info info;
    int found;

    MPI_OK(MPI_Win_get_info(win, &info));
    MPI_Info_get(info, key, MPI_MAX_INFO_VAL, value, &found);
    CHECK(!found || 0 == strcmp(value, wanted), "%s is '%s', not '%s'", key, value, wanted);
    MPI_Info_free(&info);
}

static MPI_Info hints(void)
{
    MPI_Info info;

    MPI_Info_create(&info);
    MPI_Info_set(info, "accumulate_ordering", "none");
    MPI_Info_set(info, "accumulate_ops", "same_op");
    MPI_Info_set(info, "same_size", "true");
    MPI_Info_set(info, "same_disp_unit", "true");
    MPI_Info_set(info, "no_locks", "true");
    MPI_Info_set(info, "a_key_that_nobody_knows", "a value that nobody knows");
    return info;
}

int main(int argc, char **argv)
{
    struct test_window window;
    MPI_Info info, more;
    long one = 1;

    test_init(&argc, &argv);
    for (enum test_flavor flavor = 0; flavor < TEST_FLAVORS; flavor++) {
        if (!test_has_flavor(MPI_COMM_WORLD, flavor)) {
            continue;
        }
        info = hints();
        test_window_open(&window, flavor, sizeof(long), info, MPI_COMM_WORLD);
        MPI_Info_free(&info);
        check_key(window.win, "no_locks", "true");
        check_key(window.win, "accumulate_ordering", "none");
        check_key(window.win, "accumulate_ops", "same_op");
        check_key(window.win, "same_size", "true");
        check_key(window.win, "same_disp_unit", "true");
        MPI_Info_create(&more);
        MPI_Info_set(more, "another_key_that_nobody_knows", "1");
        MPI_OK(MPI_Win_set_info(window.win, more));
        MPI_Info_free(&more);
        check_key(window.win, "no_locks", "true");
        /* The window works, with everything that the hints allow. */
        MPI_Win_fence(0, window.win);
        for (int target = 0; target < test_size; target++) {
            MPI_Accumulate(&one, 1, MPI_LONG, target, test_at(&window, target, 0), 1, MPI_LONG, MPI_SUM, window.win);
        }
        MPI_Win_fence(0, window.win);
        CHECK(test_size == *(long *) window.base, "%s: the sum is %ld", test_flavor_name[flavor],
              *(long *) window.base);
        test_window_close(&window);
    }
    return test_finish();
}
