/* MPI_Win_get_info tells the value in force of every key that the standard names: defaults, and what was given.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

static const char *const orders[] = {"none", "rar", "rar,waw", "waw,rar", "rar,raw,war,waw"};

static void must_be(const struct test_window *window, const char *key, const char *wanted)
{
    char value[MPI_MAX_INFO_VAL + 1] = "(none)";
    MPI_Info info;
    int found;

    MPI_OK(MPI_Win_get_info(window->win, &info));
    MPI_Info_get(info, key, MPI_MAX_INFO_VAL, value, &found);
    CHECK(found && 0 == strcmp(value, wanted), "%s: %s is '%s', not '%s'", test_flavor_name[window->flavor], key, value,
          wanted);
    MPI_Info_free(&info);
}

static void must_not_be(const struct test_window *window, const char *key)
{
    char value[MPI_MAX_INFO_VAL + 1];
    MPI_Info info;
    int found;

    MPI_OK(MPI_Win_get_info(window->win, &info));
    MPI_Info_get(info, key, MPI_MAX_INFO_VAL, value, &found);
    CHECK(!found, "%s: %s is '%s', but nobody honours it", test_flavor_name[window->flavor], key, value);
    MPI_Info_free(&info);
}

static void check_defaults(const struct test_window *window)
{
    must_be(window, "no_locks", "false");
    must_be(window, "accumulate_ordering", "rar,raw,war,waw");
    must_be(window, "accumulate_ops", "same_op_no_op");
    must_be(window, "same_size", "false");
    must_be(window, "same_disp_unit", "false");
    must_be(window, "mpi_accumulate_granularity", "0");
    if (TEST_SHARED == window->flavor) {
        must_be(window, "alloc_shared_noncontig", "false");
    }
    must_not_be(window, "a_key_that_nobody_knows");
}

/* One key is given; all others keep their defaults. */
static void check_given(enum test_flavor flavor, const char *key, const char *value, const char *wanted)
{
    struct test_window window;
    MPI_Info info;

    MPI_Info_create(&info);
    MPI_Info_set(info, key, value);
    test_window_open(&window, flavor, sizeof(long), info, MPI_COMM_WORLD);
    MPI_Info_set(info, key, "something else"); /* the window has taken its own copy */
    MPI_Info_free(&info);
    must_be(&window, key, wanted);
    must_be(&window, "same_size", 0 == strcmp(key, "same_size") ? wanted : "false");
    test_window_close(&window);
}

/* Set later: what can still be changed changes, what cannot stays; keys that are not named are left alone. */
static void check_set(struct test_window *window)
{
    char value[MPI_MAX_INFO_VAL + 1];
    MPI_Info info, seen;
    int found;

    MPI_Info_create(&info);
    MPI_Info_set(info, "a_key_that_nobody_knows", "1");
    MPI_OK(MPI_Win_set_info(window->win, info));
    check_defaults(window);
    MPI_Info_set(info, "accumulate_ordering", "none");
    MPI_OK(MPI_Win_set_info(window->win, info));
    MPI_Info_free(&info);
    MPI_OK(MPI_Win_get_info(window->win, &seen));
    MPI_Info_get(seen, "accumulate_ordering", MPI_MAX_INFO_VAL, value, &found);
    CHECK(found && (0 == strcmp(value, "none") || 0 == strcmp(value, "rar,raw,war,waw")), "%s: the ordering is '%s'",
          test_flavor_name[window->flavor], value);
    MPI_Info_set(seen, "same_size", "changed in the caller's object only");
    MPI_Info_free(&seen);
    must_be(window, "same_size", "false");
    must_be(window, "accumulate_ops", "same_op_no_op");
}

/* What is set for one window is no other's, whatever windows share. */
static void check_apart(enum test_flavor flavor)
{
    struct test_window one, other;
    MPI_Info info;

    test_window_open(&one, flavor, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD);
    test_window_open(&other, flavor, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD);
    MPI_Info_create(&info);
    MPI_Info_set(info, "accumulate_ordering", "none");
    MPI_Info_set(info, "accumulate_ops", "same_op");
    MPI_OK(MPI_Win_set_info(one.win, info));
    MPI_Info_free(&info);
    check_defaults(&other);
    test_window_close(&one);
    check_defaults(&other);
    test_window_open(&one, flavor, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD);
    check_defaults(&one);
    test_window_close(&other);
    check_defaults(&one);
    test_window_close(&one);
}

int main(int argc, char **argv)
{
    struct test_window window;

    test_init(&argc, &argv);
    for (enum test_flavor flavor = 0; flavor < TEST_FLAVORS; flavor++) {
        if (!test_has_flavor(MPI_COMM_WORLD, flavor)) {
            continue;
        }
        test_window_open(&window, flavor, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD);
        check_defaults(&window);
        check_set(&window);
        test_window_close(&window);
        for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++) {
            check_given(flavor, "accumulate_ordering", orders[i], orders[i]);
        }
        check_apart(flavor);
        check_given(flavor, "accumulate_ops", "same_op", "same_op");
        check_given(flavor, "accumulate_ops", "same_op_no_op", "same_op_no_op");
        check_given(flavor, "no_locks", "true", "true");
        check_given(flavor, "same_size", "true", "true");
        check_given(flavor, "same_disp_unit", "true", "true");
        check_given(flavor, "mpi_accumulate_granularity", "64", "64");
        if (TEST_SHARED == flavor) {
            check_given(flavor, "alloc_shared_noncontig", "true", "true");
        }
    }
    return test_finish();
}
