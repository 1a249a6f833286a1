/* Dynamic windows: 200 regions per process attached in any order, used, detached, attached again elsewhere.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mpitest.h"

enum { REGIONS = 200, WORDS = 25 };

static long *regions[REGIONS];
static MPI_Aint *addresses; /* REGIONS of each process */

/* Attach all regions; their addresses are known to all afterwards. */
static void attach_all(MPI_Win win)
{
    MPI_Aint mine[REGIONS];

    for (int i = 0; i < REGIONS; i++) {
        int region = i * 77 % REGIONS;

        regions[region] = calloc(WORDS + 1, sizeof(long));
        MPI_OK(MPI_Win_attach(win, regions[region], WORDS * sizeof(long)));
        MPI_Get_address(regions[region], &mine[region]);
    }
    MPI_Allgather(mine, REGIONS, MPI_AINT, addresses, REGIONS, MPI_AINT, MPI_COMM_WORLD);
}

static void detach_all(MPI_Win win)
{
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < REGIONS; i++) {
        int region = i * 33 % REGIONS;

        MPI_OK(MPI_Win_detach(win, regions[region]));
        CHECK(0 == regions[region][WORDS], "region %d: written behind its end", region);
        free(regions[region]);
    }
}

/* Each process writes to the upper part of every region of its neighbour, and everybody adds to word 0. */
static void use_all(MPI_Win win, int round)
{
    int right = test_neighbour(round);
    long values[REGIONS][WORDS - 1], one = 1, got[WORDS];

    MPI_Win_lock_all(0, win);
    for (int region = 0; region < REGIONS; region++) {
        MPI_Aint start = addresses[right * REGIONS + region];

        for (int i = 0; i < WORDS - 1; i++) {
            values[region][i] = 10000 * test_rank + 100 * round + region + i;
        }
        MPI_Put(values[region], WORDS - 1, MPI_LONG, right, MPI_Aint_add(start, sizeof(long)), WORDS - 1, MPI_LONG,
                win);
        for (int target = 0; target < test_size; target++) {
            MPI_Accumulate(&one, 1, MPI_LONG, target, addresses[target * REGIONS + region], 1, MPI_LONG, MPI_SUM, win);
        }
    }
    MPI_Win_flush_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int region = 0; region < REGIONS; region++) {
        MPI_Get(got, WORDS, MPI_LONG, right, addresses[right * REGIONS + region], WORDS, MPI_LONG, win);
        MPI_Win_flush(right, win);
        CHECK(test_size == got[0], "region %d: the sum is %ld", region, got[0]);
        CHECK(0 == memcmp(got + 1, values[region], sizeof(values[region])), "region %d: wrong data", region);
    }
    MPI_Win_unlock_all(win);
}

int main(int argc, char **argv)
{
    MPI_Win win;

    test_init(&argc, &argv);
    addresses = malloc(test_size * REGIONS * sizeof(MPI_Aint));
    MPI_OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    for (int round = 0; round < 3; round++) {
        attach_all(win);
        use_all(win, round);
        detach_all(win);
    }
    MPI_OK(MPI_Win_free(&win));
    free(addresses);
    return test_finish();
}
