/* Example 11.4: start, put, complete: nothing is written before the target's post, and once it has posted, the sequence
 * ends without anything else that the target does.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

enum { BYTES = 100000, ROUNDS = 6, TARGET = 0 };

static MPI_Group ranks_group(int first, int count)
{
    MPI_Group world, group;
    int *ranks = malloc((count + 1) * sizeof(int));

    for (int i = 0; i < count; i++) {
        ranks[i] = first + i;
    }
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, count, ranks, &group);
    MPI_Group_free(&world);
    free(ranks);
    return group;
}

static void origin(const struct test_window *window, int bytes, int round)
{
    unsigned char *buffer = malloc(BYTES);
    MPI_Group group = ranks_group(TARGET, 1);

    test_fill(buffer, bytes, test_rank, round);
    MPI_OK(MPI_Win_start(group, 0, window->win));
    MPI_OK(MPI_Put(buffer, bytes, MPI_BYTE, TARGET, test_at(window, TARGET, (MPI_Aint) BYTES * test_rank), bytes,
                   MPI_BYTE, window->win));
    MPI_OK(MPI_Win_complete(window->win));
    MPI_Send(&round, 1, MPI_INT, TARGET, round, MPI_COMM_WORLD);
    MPI_Group_free(&group);
    free(buffer);
}

static void target(const struct test_window *window, int bytes, int round)
{
    MPI_Group group = ranks_group(TARGET + 1, test_size - 1);
    int said;

    memset(window->base, 0xee, window->size);
    test_compute(0 == round % 2 ? 0.03 : 0);
    for (MPI_Aint i = 0; i < window->size; i++) {
        if (0xee != ((volatile unsigned char *) window->base)[i]) {
            CHECK(0, "byte %ld was written before post", (long) i);
            break;
        }
    }
    MPI_OK(MPI_Win_post(group, 0, window->win));
    for (int from = TARGET + 1; from < test_size; from++) { /* comes after complete, and before wait */
        MPI_Recv(&said, 1, MPI_INT, from, round, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_OK(MPI_Win_wait(window->win));
    for (int from = TARGET + 1; from < test_size; from++) {
        long wrong = test_differs(window->base + (size_t) BYTES * from, bytes, from, round);

        CHECK(wrong < 0, "%s, round %d: byte %ld from %d is wrong", test_flavor_name[window->flavor], round, wrong,
              from);
        CHECK(BYTES == bytes || 0xee == window->base[(size_t) BYTES * from + bytes], "written behind the end");
    }
    MPI_Group_free(&group);
}

int main(int argc, char **argv)
{
    struct test_window window;

    test_init(&argc, &argv);
    test_needs(2);
    for (enum test_flavor flavor = 0; flavor < TEST_FLAVORS; flavor++) {
        if (!test_has_flavor(MPI_COMM_WORLD, flavor)) {
            continue;
        }
        test_window_open(&window, flavor, (MPI_Aint) BYTES * test_size, MPI_INFO_NULL, MPI_COMM_WORLD);
        for (int round = 0; round < ROUNDS; round++) {
            int bytes = round < ROUNDS / 2 ? 8 : BYTES;

            if (TARGET == test_rank) {
                target(&window, bytes, round);
            } else {
                origin(&window, bytes, round);
            }
        }
        test_window_close(&window);
    }
    return test_finish();
}
