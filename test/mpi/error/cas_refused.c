/* Compare_and_swap refuses floating point, complex and pair types with MPI_ERR_TYPE; the window stays usable.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "types.h"
#include "windows.h"

static int is_refused(const struct basic_type *type)
{
    return FLOATING == type->group || COMPLEX == type->group || PAIR == type->group;
}

static void check(struct test_window *window, const struct basic_type *type)
{
    char origin[32] = {1}, compare[32] = {0}, result[32] = {0};
    int target = test_neighbour(1), class;
    MPI_Aint disp = test_at(window, target, 0);

    class = test_class(MPI_Compare_and_swap(origin, compare, result, type->type, target, disp, window->win));
    CHECK(MPI_ERR_TYPE == class, "%s: %s gives error class %d, not MPI_ERR_TYPE", test_flavor_name[window->flavor],
          type->name, class);
    MPI_OK(MPI_Win_flush(target, window->win));
}

int main(int argc, char **argv)
{
    const struct basic_type *types;
    struct test_window window;
    int count;

    test_init(&argc, &argv);
    types = basic_types(&count);
    for (enum test_flavor flavor = 0; flavor < TEST_FLAVORS; flavor++) {
        if (!test_has_flavor(MPI_COMM_WORLD, flavor)) {
            continue;
        }
        test_window_open(&window, flavor, 32, MPI_INFO_NULL, MPI_COMM_WORLD);
        MPI_Win_set_errhandler(window.win, MPI_ERRORS_RETURN);
        MPI_OK(MPI_Win_lock_all(0, window.win));
        for (int i = 0; i < count; i++) {
            if (is_refused(&types[i])) {
                check(&window, &types[i]);
            }
        }
        MPI_OK(MPI_Win_unlock_all(window.win));
        MPI_Barrier(MPI_COMM_WORLD);
        CHECK(0 == window.base[0], "%s: the memory was written", test_flavor_name[flavor]);
        test_window_close(&window);
    }
    return test_finish();
}
