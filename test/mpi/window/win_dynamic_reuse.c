/* Dynamic windows: memory that is detached and attached again at the same address, with other pages and other contents,
 * where nothing but a send and a receive orders that before an access; other regions that come and go in the midst of
 * a series of operations; thousands of regions; and regions that touch each other, with accesses that span them.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mpitest.h"

#include <sys/mman.h>
#include <unistd.h>

enum { ROUNDS = 40, IN_A_ROW = 20, BYTES = 300000, REGIONS = 5000, TILE = 24, TILES = 600 };

static MPI_Win win;
static int left, right;

/** New pages, at that address if it is not NULL. */
static unsigned char *pages_at(void *address)
{
    void *pages = mmap(address, BYTES, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | (NULL == address ? 0 : MAP_FIXED), -1, 0);

    CHECK(MAP_FAILED != pages, "no memory");
    return pages;
}

/** Tell the left neighbour something, and hear it from the right one. */
static void tell(const void *mine, void *theirs, int bytes)
{
    MPI_Sendrecv(mine, bytes, MPI_BYTE, left, 0, theirs, bytes, MPI_BYTE, right, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
}

/** Everybody is in one lock_all epoch all the time. */
static void attach_again(void)
{
    unsigned char *memory = pages_at(NULL), *buffer = malloc(BYTES), byte;
    MPI_Aint mine, theirs;

    MPI_Get_address(memory, &mine);
    for (int round = 0; round < ROUNDS; round++) {
        int size = 0 == round % 2 ? BYTES : 100; /* the address has another size each time */
        int there = 0 == round % 2 ? 5000 : 7;

        test_fill(memory, size, test_rank, round);
        MPI_OK(MPI_Win_attach(win, memory, size));
        tell(&mine, &theirs, sizeof(mine)); /* the left one may come in now */
        memset(buffer, 0, BYTES);
        MPI_OK(MPI_Get(buffer, size, MPI_BYTE, right, theirs, size, MPI_BYTE, win));
        MPI_OK(MPI_Win_flush(right, win));
        CHECK(test_differs(buffer, size, right, round) < 0, "round %d: got what was there before", round);
        MPI_OK(MPI_Put("x", 1, MPI_BYTE, right, MPI_Aint_add(theirs, there), 1, MPI_BYTE, win));
        MPI_OK(MPI_Win_flush(right, win));
        MPI_Sendrecv(NULL, 0, MPI_BYTE, right, 1, NULL, 0, MPI_BYTE, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_OK(MPI_Win_sync(win));
        CHECK('x' == memory[there], "round %d: the put is not here", round);
        MPI_OK(MPI_Win_detach(win, memory));
        tell(&byte, &byte, 1);
        CHECK(MPI_SUCCESS == MPI_Get(&byte, 1, MPI_BYTE, right, theirs, 1, MPI_BYTE, win), "a get was refused at once");
        MPI_FAILS(MPI_ERR_RMA_RANGE, MPI_Win_flush(right, win));
        MPI_Sendrecv(NULL, 0, MPI_BYTE, right, 1, NULL, 0, MPI_BYTE, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        memory = pages_at(memory);
    }
    munmap(memory, BYTES);
    free(buffer);
}

/** Puts in a row to two regions, one of which comes and goes meanwhile. */
static void attach_between(void)
{
    int64_t stays[IN_A_ROW] = { 0 }, comes[2 * IN_A_ROW] = { 0 }, values[IN_A_ROW];
    MPI_Aint mine[2], theirs[2];

    MPI_OK(MPI_Win_attach(win, stays, sizeof(stays)));
    MPI_Get_address(stays, &mine[0]);
    MPI_Get_address(comes, &mine[1]);
    tell(mine, theirs, sizeof(mine));
    for (int round = 0; round < ROUNDS; round++) {
        int words = 0 == round % 2 ? 2 * IN_A_ROW : IN_A_ROW;

        for (int i = 0; i < IN_A_ROW; i++) {
            values[i] = 1000 * round + i;
            MPI_OK(MPI_Put(&values[i], 1, MPI_INT64_T, right, MPI_Aint_add(theirs[0], 8 * i), 1, MPI_INT64_T, win));
            if (IN_A_ROW / 2 == i) {
                MPI_OK(MPI_Win_attach(win, comes, words * sizeof(*comes)));
                tell(&words, &words, sizeof(words));
            }
            if (i > IN_A_ROW / 2) {
                MPI_OK(MPI_Put(&values[i], 1, MPI_INT64_T, right, MPI_Aint_add(theirs[1], 8 * i), 1, MPI_INT64_T,
                               win));
            }
        }
        MPI_OK(MPI_Win_flush(right, win));
        CHECK(MPI_SUCCESS == MPI_Put(values, 1, MPI_INT64_T, right, MPI_Aint_add(theirs[1], 8 * IN_A_ROW), 1,
                                     MPI_INT64_T, win), "a put was refused at once");
        if (0 == round % 2) {
            MPI_OK(MPI_Win_flush(right, win));
        } else { /* the region was longer the last time */
            MPI_FAILS(MPI_ERR_RMA_RANGE, MPI_Win_flush(right, win));
        }
        MPI_Sendrecv(NULL, 0, MPI_BYTE, right, 1, NULL, 0, MPI_BYTE, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_OK(MPI_Win_sync(win));
        for (int i = 0; i < IN_A_ROW; i++) {
            CHECK(values[i] == stays[i], "round %d: word %d has %ld", round, i, (long) stays[i]);
            CHECK(i <= IN_A_ROW / 2 || values[i] == comes[i], "round %d: word %d has %ld", round, i, (long) comes[i]);
        }
        MPI_OK(MPI_Win_detach(win, comes));
        tell(&words, &words, sizeof(words));
    }
    MPI_OK(MPI_Win_detach(win, stays));
}

/** Each word of an array a region of its own but for the holes between them, in an order like chance. */
static void attach_many(void)
{
    int64_t *words = calloc(2 * REGIONS, sizeof(*words)), *got = malloc(REGIONS * sizeof(*got));
    int64_t *values = malloc(REGIONS * sizeof(*values));
    MPI_Aint mine, theirs;

    for (int i = 0; i < REGIONS; i++) {
        MPI_OK(MPI_Win_attach(win, &words[2 * (i * 1777 % REGIONS)], sizeof(*words)));
    }
    MPI_Get_address(words, &mine);
    tell(&mine, &theirs, sizeof(mine));
    for (int i = 0; i < REGIONS; i++) {
        values[i] = 1000 * (int64_t) i + test_rank;
        MPI_OK(MPI_Accumulate(&values[i], 1, MPI_INT64_T, right, MPI_Aint_add(theirs, 16 * (MPI_Aint) i), 1,
                              MPI_INT64_T, MPI_SUM, win));
    }
    MPI_OK(MPI_Win_flush(right, win));
    for (int i = 0; i < REGIONS; i++) {
        MPI_OK(MPI_Get(&got[i], 1, MPI_INT64_T, right, MPI_Aint_add(theirs, 16 * (MPI_Aint) i), 1, MPI_INT64_T, win));
    }
    MPI_OK(MPI_Win_flush(right, win));
    for (int i = 0; i < REGIONS; i++) {
        CHECK(1000 * (int64_t) i + test_rank == got[i], "region %d has %ld", i, (long) got[i]);
    }
    MPI_OK(MPI_Get(got, 2, MPI_INT64_T, right, theirs, 2, MPI_INT64_T, win));
    MPI_FAILS(MPI_ERR_RMA_RANGE, MPI_Win_flush(right, win)); /* the hole behind the first */
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < REGIONS; i++) {
        MPI_OK(MPI_Win_detach(win, &words[2 * (i * 3331 % REGIONS)]));
        CHECK(0 == words[2 * i + 1], "the hole behind region %d was written", i);
    }
    free(words);
    free(values);
    free(got);
}

/** Regions side by side: what spans them works, by put, get, accumulate and a vector, until one is missing. */
static void attach_tiles(void)
{
    static unsigned char tiles[TILES * TILE], buffer[TILES * TILE];
    int64_t ones[TILES * TILE / 8];
    MPI_Datatype vector;
    MPI_Aint mine, theirs;

    for (int i = TILES - 1; i >= 0; i--) {
        MPI_OK(MPI_Win_attach(win, tiles + i * TILE, TILE));
    }
    MPI_Get_address(tiles, &mine);
    tell(&mine, &theirs, sizeof(mine));
    test_fill(buffer, sizeof(buffer), test_rank, 3);
    MPI_OK(MPI_Put(buffer, sizeof(buffer), MPI_BYTE, right, theirs, sizeof(buffer), MPI_BYTE, win));
    MPI_OK(MPI_Win_flush(right, win));
    memset(buffer, 0, sizeof(buffer));
    MPI_Type_vector(sizeof(tiles) / 40, 20, 40, MPI_BYTE, &vector);
    MPI_Type_commit(&vector);
    MPI_OK(MPI_Get(buffer, 1, vector, right, theirs, 1, vector, win));
    MPI_OK(MPI_Win_flush(right, win));
    for (size_t i = 0; i < sizeof(buffer) / 40 * 40; i++) {
        CHECK(buffer[i] == (i % 40 < 20 ? test_byte(test_rank, 3, i) : 0), "byte %zu of the vector is wrong", i);
    }
    MPI_Type_free(&vector);
    for (size_t i = 0; i < sizeof(ones) / 8; i++) {
        ones[i] = 1;
    }
    memset(buffer, 0, sizeof(buffer));
    MPI_OK(MPI_Put(buffer, sizeof(buffer), MPI_BYTE, right, theirs, sizeof(buffer), MPI_BYTE, win));
    MPI_OK(MPI_Win_flush(right, win));
    MPI_OK(MPI_Accumulate(ones, sizeof(ones) / 8, MPI_INT64_T, right, theirs, sizeof(ones) / 8, MPI_INT64_T, MPI_SUM,
                          win));
    MPI_OK(MPI_Win_flush(right, win));
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_OK(MPI_Win_sync(win));
    CHECK(0 == memcmp(ones, tiles, sizeof(tiles)), "the sums are wrong");
    MPI_OK(MPI_Win_detach(win, tiles + TILES / 2 * TILE));
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_OK(MPI_Get(buffer, sizeof(buffer), MPI_BYTE, right, theirs, sizeof(buffer), MPI_BYTE, win));
    MPI_FAILS(MPI_ERR_RMA_RANGE, MPI_Win_flush(right, win));
    MPI_OK(MPI_Get(buffer, TILES / 2 * TILE, MPI_BYTE, right, theirs, TILES / 2 * TILE, MPI_BYTE, win));
    MPI_OK(MPI_Win_flush(right, win));
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < TILES; i++) {
        if (TILES / 2 != i) {
            MPI_OK(MPI_Win_detach(win, tiles + i * TILE));
        }
    }
}

int main(int argc, char **argv)
{
    test_init(&argc, &argv);
    test_refusals = 1;
    test_needs(2);
    left  = test_neighbour(-1);
    right = test_neighbour(1);
    MPI_OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    MPI_OK(MPI_Win_lock_all(0, win));
    attach_again();
    attach_between();
    attach_many();
    attach_tiles();
    MPI_OK(MPI_Win_unlock_all(win));
    MPI_OK(MPI_Win_free(&win));
    return test_finish();
}
