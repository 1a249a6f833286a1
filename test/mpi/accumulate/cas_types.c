/* Compare_and_swap on every predefined type that allows it, equal and not, 1 and 2 bytes included; neighbours stay.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "types.h"
#include "windows.h"

/* The element is number PLACE of an array, so that small types are not aligned to words. */
enum { PLACE = 3, ROOM = 64 };

static int allowed(const struct basic_type *type)
{
    return type->group <= FORTRAN_INTEGER || LOGICAL == type->group || BYTES == type->group;
}

/* The array at the target holds 1 everywhere; only its element PLACE may change. */
static void check(struct test_window *window, const struct basic_type *type, int compare_with)
{
    char origin[16], compare[16], result[16 + 8], before[ROOM], wanted[ROOM], after[ROOM];
    int target = test_neighbour(1), size = type->first_size;
    MPI_Aint disp = test_at(window, target, test_rank * ROOM);

    set_element(type, origin, 0, 0);
    set_element(type, compare, 0, compare_with);
    memset(result, 0x33, sizeof(result));
    memset(before, 0x2a, ROOM);
    for (int i = 0; i < ROOM / size; i++) {
        set_element(type, before, i, 1);
    }
    memcpy(wanted, before, ROOM);
    if (0 == memcmp(compare, before, size)) {
        set_element(type, wanted, PLACE, 0);
    }
    MPI_Put(before, ROOM, MPI_BYTE, target, disp, ROOM, MPI_BYTE, window->win);
    MPI_Win_flush(target, window->win);
    MPI_OK(MPI_Compare_and_swap(origin, compare, result, type->type, target, disp + PLACE * size, window->win));
    MPI_Win_flush(target, window->win);
    MPI_Get(after, ROOM, MPI_BYTE, target, disp, ROOM, MPI_BYTE, window->win);
    MPI_Win_flush(target, window->win);
    CHECK(0 == memcmp(wanted, after, ROOM), "%s: %s, compared with %d: wrong at the target",
          test_flavor_name[window->flavor], type->name, compare_with);
    CHECK(0 == memcmp(result, before, size), "%s: %s: wrong result", test_flavor_name[window->flavor], type->name);
    CHECK(0x33 == result[size], "%s: %s: written behind the result", test_flavor_name[window->flavor], type->name);
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
        test_window_open(&window, flavor, test_size * ROOM, MPI_INFO_NULL, MPI_COMM_WORLD);
        MPI_Win_lock_all(0, window.win);
        for (int i = 0; i < count; i++) {
            if (allowed(&types[i])) {
                check(&window, &types[i], 1);
                check(&window, &types[i], 0);
            }
        }
        MPI_Win_unlock_all(window.win);
        test_window_close(&window);
    }
    return test_finish();
}
