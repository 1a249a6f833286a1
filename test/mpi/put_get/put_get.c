/* Put and get of sizes 0, 1, 2, ... 4 MiB + 13 at odd offsets, to every process, in every window flavour.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

enum { ROOM = 4 * 1024 * 1024 + 64 };

static const size_t sizes[] = {0,    1,    2,    3,     4,     7,     8,     9,      31,     64,      255,
                               1000, 1024, 4095, 8192,  8193,  16384, 65535, 65536,  100001, 1048576, 4194317};

/* One round: this process writes to its neighbour's memory and reads it back, nobody else is near it. */
static void round_trip(struct test_window *window, unsigned char *buffer, size_t size, int target, int round)
{
    MPI_Aint offset = round % 17;
    long wrong;

    test_fill(buffer, size, test_rank, round);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, window->win);
    MPI_OK(MPI_Put(buffer, size, MPI_BYTE, target, test_at(window, target, offset), size, MPI_BYTE, window->win));
    MPI_Win_flush(target, window->win);
    memset(buffer, 0, size);
    MPI_OK(MPI_Get(buffer, size, MPI_BYTE, target, test_at(window, target, offset), size, MPI_BYTE, window->win));
    MPI_Win_unlock(target, window->win);
    wrong = test_differs(buffer, size, test_rank, round);
    CHECK(wrong < 0, "%s: %zu bytes to %d: byte %ld is wrong", test_flavor_name[window->flavor], size, target, wrong);
}

/* The neighbour looks at its own memory: all of it, and nothing behind it. */
static void check_memory(struct test_window *window, size_t size, int origin, int round)
{
    int offset = round % 17;
    long wrong;

    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, test_rank, 0, window->win);
    wrong = test_differs(window->base + offset, size, origin, round);
    CHECK(wrong < 0, "%s: %zu bytes from %d: byte %ld is wrong", test_flavor_name[window->flavor], size, origin, wrong);
    CHECK(0 == window->base[offset + size], "%s: %zu bytes: the byte behind was written",
          test_flavor_name[window->flavor], size);
    memset(window->base, 0, offset + size);
    MPI_Win_unlock(test_rank, window->win);
}

int main(int argc, char **argv)
{
    struct test_window window;
    unsigned char *buffer;

    test_init(&argc, &argv);
    buffer = malloc(ROOM);
    for (enum test_flavor flavor = 0; flavor < TEST_FLAVORS; flavor++) {
        if (!test_has_flavor(MPI_COMM_WORLD, flavor)) {
            continue;
        }
        test_window_open(&window, flavor, ROOM, MPI_INFO_NULL, MPI_COMM_WORLD);
        for (int round = 0; round < (int) (sizeof(sizes) / sizeof(sizes[0])); round++) {
            int distance = round % test_size;

            round_trip(&window, buffer, sizes[round], test_neighbour(distance), round);
            MPI_Barrier(MPI_COMM_WORLD);
            check_memory(&window, sizes[round], test_neighbour(-distance), round);
            MPI_Barrier(MPI_COMM_WORLD);
        }
        test_window_close(&window);
    }
    free(buffer);
    return test_finish();
}
