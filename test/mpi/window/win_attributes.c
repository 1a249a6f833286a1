/* What a window says about itself: base, size, disp_unit, flavour, model, group, name, and attributes of the user.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

static const int flavors[TEST_FLAVORS] = {MPI_WIN_FLAVOR_CREATE, MPI_WIN_FLAVOR_ALLOCATE, MPI_WIN_FLAVOR_SHARED,
                                          MPI_WIN_FLAVOR_DYNAMIC};
static int deleted;

static int on_delete(MPI_Win win, int key, void *value, void *extra)
{
    (void) win;
    (void) key;
    (void) extra;
    deleted += *(int *) value;
    return MPI_SUCCESS;
}

static void check_predefined(struct test_window *window)
{
    int is_dynamic = TEST_DYNAMIC == window->flavor, found, *number;
    MPI_Aint *size;
    void *base;

    MPI_OK(MPI_Win_get_attr(window->win, MPI_WIN_BASE, &base, &found));
    CHECK(found && base == (is_dynamic ? MPI_BOTTOM : window->base), "%s: base", test_flavor_name[window->flavor]);
    MPI_OK(MPI_Win_get_attr(window->win, MPI_WIN_SIZE, &size, &found));
    CHECK(found && *size == (is_dynamic ? 0 : window->size), "%s: size", test_flavor_name[window->flavor]);
    MPI_OK(MPI_Win_get_attr(window->win, MPI_WIN_DISP_UNIT, &number, &found));
    CHECK(found && 1 == *number, "%s: disp_unit", test_flavor_name[window->flavor]);
    MPI_OK(MPI_Win_get_attr(window->win, MPI_WIN_CREATE_FLAVOR, &number, &found));
    CHECK(found && flavors[window->flavor] == *number, "%s: flavour", test_flavor_name[window->flavor]);
    MPI_OK(MPI_Win_get_attr(window->win, MPI_WIN_MODEL, &number, &found));
    CHECK(found && (MPI_WIN_UNIFIED == *number || MPI_WIN_SEPARATE == *number), "%s: model",
          test_flavor_name[window->flavor]);
}

static void check_group_and_name(struct test_window *window)
{
    char name[MPI_MAX_OBJECT_NAME];
    int result, length;
    MPI_Group world, group;

    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_OK(MPI_Win_get_group(window->win, &group));
    MPI_Group_compare(world, group, &result);
    CHECK(MPI_IDENT == result, "%s: the group is another one", test_flavor_name[window->flavor]);
    MPI_Group_free(&world);
    MPI_Group_free(&group);
    MPI_OK(MPI_Win_set_name(window->win, "a window"));
    MPI_OK(MPI_Win_get_name(window->win, name, &length));
    CHECK(0 == strcmp(name, "a window") && 8 == length, "the name is '%s'", name);
}

int main(int argc, char **argv)
{
    struct test_window window;
    int key, one = 1, windows = 0;

    test_init(&argc, &argv);
    MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, on_delete, &key, NULL);
    for (enum test_flavor flavor = 0; flavor < TEST_FLAVORS; flavor++) {
        if (test_has_flavor(MPI_COMM_WORLD, flavor)) {
            test_window_open(&window, flavor, 100 + test_rank, MPI_INFO_NULL, MPI_COMM_WORLD);
            check_predefined(&window);
            check_group_and_name(&window);
            MPI_OK(MPI_Win_set_attr(window.win, key, &one));
            test_window_close(&window);
            windows++;
        }
    }
    CHECK(windows == deleted, "%d windows freed, but %d attributes deleted", windows, deleted);
    MPI_Win_free_keyval(&key);
    return test_finish();
}
