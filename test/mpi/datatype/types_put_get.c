/* Put and get with derived types: each kind on either side, with another one that matches on the other side.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

/* Every type below has 24 ints; the gaps between them must stay as they are. The margin in the window
 * is for types that begin above zero: target_disp may not be negative. */
enum { INTS = 24, ROOM = 128, TYPES = 9, MARGIN = 512 };

static MPI_Datatype make_struct(void)
{
    int lengths[3] = {10, 1, 13};
    MPI_Aint displacements[3] = {200, 0, 64};
    MPI_Datatype types[3] = {MPI_INT, MPI_INT, MPI_INT}, type;

    MPI_Type_create_struct(3, lengths, displacements, types, &type);
    return type;
}

static MPI_Datatype make_subarray(int order)
{
    int sizes[3] = {4, 5, 6}, subsizes[3] = {2, 3, 4}, starts[3] = {1, 1, 2};
    MPI_Datatype type;

    MPI_Type_create_subarray(3, sizes, subsizes, starts, order, MPI_INT, &type);
    return type;
}

/* Blocks of 1 to 7, last first, and one of no length. */
static MPI_Datatype make_indexed(int in_bytes)
{
    int lengths[6] = {7, 1, 4, 0, 6, 6}, displacements[6] = {90, 84, 60, 55, 30, 1};
    MPI_Aint bytes[6];
    MPI_Datatype type;

    for (int i = 0; i < 6; i++) {
        bytes[i] = displacements[i] * 4 - 40; /* some below zero */
    }
    if (in_bytes) {
        MPI_Type_create_hindexed(6, lengths, bytes, MPI_INT, &type);
    } else {
        MPI_Type_indexed(6, lengths, displacements, MPI_INT, &type);
    }
    return type;
}

/* A vector of resized pairs of ints, the lower bound far below zero. */
static MPI_Datatype make_resized(void)
{
    MPI_Datatype pair, wide, type;

    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_create_resized(pair, -12, 20, &wide);
    MPI_Type_vector(4, 3, 5, wide, &type);
    MPI_Type_free(&pair);
    MPI_Type_free(&wide);
    return type;
}

static MPI_Datatype make_type(int which)
{
    MPI_Datatype type;

    switch (which) {
    case 0: MPI_Type_contiguous(INTS, MPI_INT, &type); break;
    case 1: MPI_Type_vector(8, 3, 5, MPI_INT, &type); break;
    case 2: MPI_Type_create_hvector(12, 2, -36, MPI_INT, &type); break;
    case 3: type = make_indexed(0); break;
    case 4: type = make_indexed(1); break;
    case 5: type = make_struct(); break;
    case 6: type = make_subarray(MPI_ORDER_C); break;
    case 7: type = make_subarray(MPI_ORDER_FORTRAN); break;
    default: type = make_resized();
    }
    MPI_Type_commit(&type);
    return type;
}

/* Where an element of the type that is meant for the first byte of a buffer begins. */
static MPI_Aint start_of(MPI_Datatype type)
{
    MPI_Aint true_lb, true_extent;

    MPI_Type_get_true_extent(type, &true_lb, &true_extent);
    return -true_lb;
}

/* The serial model: what a message from one buffer to the other would do. */
static void copy(const int *from, MPI_Datatype from_type, int *to, MPI_Datatype to_type)
{
    char packed[INTS * sizeof(int)];
    int position = 0;

    MPI_Pack((const char *) from + start_of(from_type), 1, from_type, packed, sizeof(packed), &position, MPI_COMM_SELF);
    position = 0;
    MPI_Unpack(packed, sizeof(packed), &position, (char *) to + start_of(to_type), 1, to_type, MPI_COMM_SELF);
}

static void check(struct test_window *window, MPI_Datatype origin_type, MPI_Datatype target_type, int pair)
{
    int origin[ROOM], target[ROOM], wanted[ROOM], got[ROOM], right = test_neighbour(1);
    MPI_Aint place = test_at(window, right, MARGIN + test_rank * sizeof(target));
    MPI_Win win = window->win;

    for (int i = 0; i < ROOM; i++) {
        origin[i] = 1000 * pair + i;
        target[i] = -i;
        wanted[i] = -i;
        got[i] = -7;
    }
    MPI_Put(target, ROOM, MPI_INT, right, place, ROOM, MPI_INT, win);
    MPI_Win_flush(right, win);
    MPI_Put((char *) origin + start_of(origin_type), 1, origin_type, right, place + start_of(target_type), 1,
            target_type, win);
    MPI_Win_flush(right, win);
    MPI_Get(got, ROOM, MPI_INT, right, place, ROOM, MPI_INT, win);
    MPI_Win_flush(right, win);
    copy(origin, origin_type, wanted, target_type);
    CHECK(0 == memcmp(got, wanted, sizeof(got)), "%s: put from type %d to type %d", test_flavor_name[window->flavor],
          pair / TYPES, pair % TYPES);
    memcpy(wanted, origin, sizeof(origin));
    copy(got, target_type, wanted, origin_type);
    MPI_Get((char *) origin + start_of(origin_type), 1, origin_type, right, place + start_of(target_type), 1,
            target_type, win);
    MPI_Win_flush(right, win);
    CHECK(0 == memcmp(origin, wanted, sizeof(origin)), "%s: get from type %d to type %d",
          test_flavor_name[window->flavor], pair % TYPES, pair / TYPES);
}

int main(int argc, char **argv)
{
    struct test_window window;
    MPI_Datatype types[TYPES];

    test_init(&argc, &argv);
    for (int i = 0; i < TYPES; i++) {
        types[i] = make_type(i);
    }
    for (enum test_flavor flavor = 0; flavor < TEST_FLAVORS; flavor++) {
        if (!test_has_flavor(MPI_COMM_WORLD, flavor)) {
            continue;
        }
        test_window_open(&window, flavor, MARGIN + test_size * ROOM * sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD);
        MPI_Win_lock_all(0, window.win);
        for (int pair = 0; pair < TYPES * TYPES; pair++) {
            check(&window, types[pair / TYPES], types[pair % TYPES], pair);
        }
        MPI_Win_unlock_all(window.win);
        test_window_close(&window);
    }
    for (int i = 0; i < TYPES; i++) {
        MPI_Type_free(&types[i]);
    }
    return test_finish();
}
