/* Accumulates to the same place keep their order, whatever their lengths, and so whichever way they travel; a buffer
 * may be changed as soon as flush_local or the request says so, though nothing may have left yet.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

enum { INTS = 60000, ROUNDS = 200 };

static int buffer[INTS], model[INTS], found[INTS];

/* One call of a random length, on the window and on the model; its buffer is spoiled afterwards. */
static void step(const struct test_window *window, int target)
{
    static const int lengths[] = {1, 1, 2, 100, 2000, 2100, 9000, INTS};
    int length = lengths[rand() % 8], first = rand() % (INTS - length + 1), value = rand() % 1000, way = rand() % 4;
    MPI_Aint at = test_at(window, target, first * (MPI_Aint) sizeof(int));
    MPI_Op op = 0 == rand() % 2 ? MPI_REPLACE : MPI_SUM;
    MPI_Request request;

    for (int i = 0; i < length; i++) {
        buffer[i] = value + i;
        found[i] = model[first + i];
        model[first + i] = (MPI_SUM == op ? model[first + i] : 0) + buffer[i];
    }
    if (0 == way) {
        static int old[INTS];

        MPI_OK(MPI_Get_accumulate(buffer, length, MPI_INT, old, length, MPI_INT, target, at, length, MPI_INT, op,
                                  window->win));
        MPI_OK(MPI_Win_flush_local(target, window->win));
        CHECK(0 == memcmp(old, found, length * sizeof(int)), "length %d: what was there before", length);
    } else if (1 == way) {
        MPI_OK(MPI_Raccumulate(buffer, length, MPI_INT, target, at, length, MPI_INT, op, window->win, &request));
        MPI_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    } else {
        MPI_OK(MPI_Accumulate(buffer, length, MPI_INT, target, at, length, MPI_INT, op, window->win));
        MPI_OK(2 == way ? MPI_Win_flush_local(target, window->win) : MPI_Win_flush_local_all(window->win));
    }
    memset(buffer, 0xee, length * sizeof(int));
}

int main(int argc, char **argv)
{
    struct test_window window;

    test_init(&argc, &argv);
    srand(test_rank + 1);
    for (enum test_flavor flavor = 0; flavor < TEST_FLAVORS; flavor++) {
        int target = test_neighbour(1);

        if (!test_has_flavor(MPI_COMM_WORLD, flavor)) {
            continue;
        }
        memset(model, 0, sizeof(model));
        test_window_open(&window, flavor, sizeof(model), MPI_INFO_NULL, MPI_COMM_WORLD);
        MPI_OK(MPI_Win_lock_all(0, window.win));
        for (int round = 0; round < ROUNDS; round++) {
            step(&window, target);
        }
        MPI_OK(MPI_Win_flush(target, window.win));
        MPI_OK(MPI_Get(found, INTS, MPI_INT, target, test_at(&window, target, 0), INTS, MPI_INT, window.win));
        MPI_OK(MPI_Win_unlock_all(window.win));
        for (int i = 0; i < INTS; i++) {
            CHECK(model[i] == found[i], "%s: element %d is %d, not %d", test_flavor_name[flavor], i, found[i],
                  model[i]);
        }
        test_window_close(&window);
    }
    return test_finish();
}
