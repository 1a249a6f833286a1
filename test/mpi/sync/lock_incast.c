/* All flood one target, each under an exclusive lock. What the target keeps for those whose lock is not granted is
 * bounded, and everyone gets its turn.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * First the target has its own lock until the first packet of each origin has left. Then origins take turns until each
 * of them has had some. What counts is not the time, but the turns that one origin has meanwhile. An origin that has
 * had far too many stops, so that one that starves gets in: on a busy machine an origin may not run for many turns of
 * the others. For windows whose locks are messages: of others an origin would wait with nothing sent.
 */
#include "mpitest.h"

#include <malloc.h>
#include <unistd.h>

enum { PUTS = 128, PUT_INTS = 256, PUT_BYTES = PUT_INTS * sizeof(int), LONG_INTS = 65536 };
enum { PACKET_BYTES = 16 * 1024, SOURCE_BYTES = 2 * 1024 }; /* for each origin */
enum { TURNS = 3, TOO_MANY = 400 * TURNS, WAITED_MS = 300, LEFT = 1 };

/** Of UCX and Open MPI: pools that grow by pieces. */
enum { FIXED_BYTES = 256 * 1024 };

/** Of the target: turns by origin, then what origins put, then the sum. */
static int    *memory;
static MPI_Win win;
static int     ones[LONG_INTS];

static long in_use(void)
{
    struct mallinfo2 info = mallinfo2();

    return (long) (info.uordblks + info.hblkhd);
}

static MPI_Aint place_of(int part)
{
    return test_size + (MPI_Aint) part * PUT_INTS;
}

static void flood(int puts)
{
    for (int i = 0; i < puts; i++) {
        MPI_OK(MPI_Put(ones, PUT_INTS, MPI_INT, 0, place_of(test_rank), PUT_INTS, MPI_INT, win));
    }
}

/** At an origin: what does not fit into the first packet lets that leave, and nothing waits yet. */
static void one_flood(void)
{
    int left = 1;

    MPI_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win));
    flood(PACKET_BYTES / PUT_BYTES + 1);
    MPI_OK(MPI_Send(&left, 1, MPI_INT, 0, LEFT, MPI_COMM_WORLD));
    flood(PUTS);
    MPI_OK(MPI_Accumulate(ones, LONG_INTS, MPI_INT, 0, place_of(test_size), LONG_INTS, MPI_INT, MPI_SUM, win));
    MPI_OK(MPI_Win_unlock(0, win));
}

/** At the target: all origins' first packets have left. */
static void all_left(void)
{
    int left;

    for (int i = 1; i < test_size; i++) {
        MPI_OK(MPI_Recv(&left, 1, MPI_INT, MPI_ANY_SOURCE, LEFT, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    }
}

/** At the target: the most memory that it keeps while nobody else has the lock. */
static void hold(void)
{
    long before = in_use(), most = 0, now;

    all_left();
    for (int ms = 0; ms < WAITED_MS; ms++) { /* what they could send more, they send */
        test_compute(0.001);
        now  = in_use() - before;
        most = now > most ? now : most;
    }
    for (int i = 1; i < test_size; i++) {
        CHECK(0 == memory[place_of(i)], "process %d has put, and the lock is not its own", i);
    }
    CHECK(most <= FIXED_BYTES + (test_size - 1) * (PACKET_BYTES + SOURCE_BYTES), "the target keeps %ld bytes for %d",
          most, test_size - 1);
}

/** All flood, first to warm up. */
static void flood_twice(void)
{
    for (int counted = 0; counted < 2; counted++) {
        if (0 == test_rank) {
            MPI_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win));
            memset(memory, 0, (size_t) place_of(test_size) * sizeof(int));
        }
        MPI_Barrier(MPI_COMM_WORLD);
        if (0 != test_rank) {
            one_flood();
        } else if (counted) {
            hold();
        } else {
            all_left();
        }
        if (0 == test_rank) {
            MPI_OK(MPI_Win_unlock(0, win));
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

/** Take turns until each origin has had TURNS. Returns how many this one had. */
static int take_turns(int *of_all)
{
    int mine = 0, least = 0;

    while (least < TURNS && mine < TOO_MANY) {
        MPI_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win));
        MPI_OK(MPI_Get(of_all, test_size, MPI_INT, 0, 0, test_size, MPI_INT, win));
        mine++;
        MPI_OK(MPI_Put(&mine, 1, MPI_INT, 0, test_rank, 1, MPI_INT, win));
        flood(PUTS / 4);
        MPI_OK(MPI_Win_unlock(0, win));
        least = mine;
        for (int i = 1; i < test_size; i++) {
            least = i != test_rank && of_all[i] < least ? of_all[i] : least;
        }
    }
    return mine;
}

int main(int argc, char **argv)
{
    MPI_Aint bytes;
    int     *of_all, mine = 0, most;

    test_init(&argc, &argv);
    test_needs(2);
    bytes  = (place_of(test_size) + LONG_INTS) * (MPI_Aint) sizeof(int);
    of_all = calloc((size_t) test_size, sizeof(*of_all));
    for (int i = 0; i < LONG_INTS; i++) {
        ones[i] = 1;
    }
    MPI_OK(MPI_Win_allocate(0 == test_rank ? bytes : 0, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win));
    if (0 == test_rank) {
        memset(memory, 0, (size_t) bytes);
    }
    flood_twice();
    if (0 != test_rank) {
        mine = take_turns(of_all);
    }
    MPI_Allreduce(&mine, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (0 == test_rank) {
        MPI_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win));
        CHECK(most < TOO_MANY, "a process had %d turns before others had %d", most, TURNS);
        for (int i = 0; i < LONG_INTS; i += LONG_INTS / 8) {
            CHECK(2 * (test_size - 1) == memory[place_of(test_size) + i], "element %d is %d", i,
                  memory[place_of(test_size) + i]);
        }
        MPI_OK(MPI_Win_unlock(0, win));
    }
    free(of_all);
    MPI_OK(MPI_Win_free(&win));
    return test_finish();
}
