/* applications.*: random updates (GUPS), a halo exchange, and a hash table that all processes insert into.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * All processes take part; the time is that of one update, exchange or insertion of each of them.
 */

#include "bench.h"

#include <stdlib.h>

/* A bijection that looks random (the finalizer of splitmix64). */
static uint64_t mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* ---- random updates: accumulate with BXOR, anywhere ---- */

enum { TABLE_WORDS = BENCH_WINDOW_BYTES / 8, LOOK_AHEAD = 1024, BUCKETS = 64 };

struct updates {
    struct bench_window window;
    uint64_t            next;           /* of this process's sequence */
    uint64_t           *sums;           /* what must be in each rank's table, by rank and bucket: a xor */
};

static void update(long n, void *context)
{
    struct updates *updates = context;
    uint64_t        values[LOOK_AHEAD];
    MPI_Win         win = updates->window.win;

    for (long i = 0; i < n; i++) {
        uint64_t value = values[i % LOOK_AHEAD] = mix(updates->next++);
        uint64_t word = value % TABLE_WORDS;
        int      target = (int) (value / TABLE_WORDS % (uint64_t) bench.size);

        MPI_Accumulate(&values[i % LOOK_AHEAD], 1, MPI_UINT64_T, target,
                       bench_disp(&updates->window, target, (MPI_Aint) (8 * word)), 1, MPI_UINT64_T, MPI_BXOR, win);
        updates->sums[target * BUCKETS + (int) (word % BUCKETS)] ^= value;
        if (LOOK_AHEAD - 1 == i % LOOK_AHEAD) {
            MPI_Win_flush_all(win);
        }
    }
    MPI_Win_flush_all(win);
}

static bool check_updates(struct updates *updates)
{
    const uint64_t *table = (const uint64_t *) updates->window.base;
    uint64_t        sums[BUCKETS];

    MPI_Reduce_scatter_block(updates->sums, sums, BUCKETS, MPI_UINT64_T, MPI_BXOR, MPI_COMM_WORLD);
    MPI_Win_sync(updates->window.win);
    for (int i = 0; i < TABLE_WORDS; i++) {
        sums[i % BUCKETS] ^= table[i];
    }
    for (int i = 0; i < BUCKETS; i++) {
        if (0 != sums[i]) {
            return false;
        }
    }
    return true;
}

static void gups(const struct bench_case *self)
{
    struct updates       updates = { .next = (uint64_t) bench.rank << 40 };
    struct bench_measure measure = { .body = update, .context = &updates };
    struct bench_result  result;

    updates.sums = calloc((size_t) bench.size * BUCKETS, sizeof(uint64_t));
    bench_window_make(&updates.window, BENCH_WINDOW_BYTES);
    MPI_Win_lock_all(0, updates.window.win);
    bench_window_clear(&updates.window, BENCH_WINDOW_BYTES);
    result = bench_measure(&measure);
    if (bench_right(self->name, 0, check_updates(&updates))) {
        bench_row_us(self->name, 0, result);
    }
    MPI_Win_unlock_all(updates.window.win);
    bench_window_free(&updates.window);
    free(updates.sums);
}

/* ---- halo exchange: a ring of grids, columns to the left and right, rows up and down, then a fence ---- */

enum { SIDE = 256, WIDTH = SIDE + 2 };

struct halo {
    struct bench_window window;
    double             *grid;           /* this process's part of the window */
    MPI_Datatype        column;
    int                 left, right;
    long                done;
};

static double *cell(const struct halo *halo, int row, int column)
{
    return &halo->grid[row * WIDTH + column];
}

/* Put `count` of `type` from a cell of ours to a cell of a neighbour's. */
static void put_cells(struct halo *halo, int target, int row, int column, int to_row, int to_column, int count,
                      MPI_Datatype type)
{
    MPI_Aint offset = (MPI_Aint) ((to_row * WIDTH + to_column) * (int) sizeof(double));

    MPI_Put(cell(halo, row, column), count, type, target, bench_disp(&halo->window, target, offset), count, type,
            halo->window.win);
}

static void exchange(long n, void *context)
{
    struct halo *halo = context;

    for (long i = 0; i < n; i++) {
        *cell(halo, 1, 1) = *cell(halo, SIDE, SIDE) = (double) ++halo->done; /* on all four edges */
        put_cells(halo, halo->left, 1, 1, 1, SIDE + 1, 1, halo->column);
        put_cells(halo, halo->right, 1, SIDE, 1, 0, 1, halo->column);
        put_cells(halo, halo->left, 1, 1, SIDE + 1, 1, SIDE, MPI_DOUBLE);
        put_cells(halo, halo->right, SIDE, 1, 0, 1, SIDE, MPI_DOUBLE);
        MPI_Win_fence(0, halo->window.win);
    }
}

/* What cell (row, column) of `rank` holds, without the two that change. */
static double initial(int rank, int row, int column)
{
    return (double) (rank * WIDTH * WIDTH + row * WIDTH + column);
}

static double now(const struct halo *halo, int rank, int row, int column)
{
    bool changes = (1 == row && 1 == column) || (SIDE == row && SIDE == column);

    return changes ? (double) halo->done : initial(rank, row, column);
}

static bool check_halo(const struct halo *halo)
{
    for (int i = 1; i <= SIDE; i++) {
        if (*cell(halo, i, 0) != now(halo, halo->left, i, SIDE) ||
            *cell(halo, i, SIDE + 1) != now(halo, halo->right, i, 1) ||
            *cell(halo, 0, i) != now(halo, halo->left, SIDE, i) ||
            *cell(halo, SIDE + 1, i) != now(halo, halo->right, 1, i)) {
            return false;
        }
    }
    return true;
}

static void halo_exchange(const struct bench_case *self)
{
    struct halo          halo = { .left = (bench.rank + bench.size - 1) % bench.size,
                                  .right = (bench.rank + 1) % bench.size };
    struct bench_measure measure = { .body = exchange, .context = &halo };
    struct bench_result  result;

    bench_window_make(&halo.window, WIDTH * WIDTH * sizeof(double));
    halo.grid = (double *) halo.window.base;
    for (int row = 1; row <= SIDE; row++) {
        for (int column = 1; column <= SIDE; column++) {
            *cell(&halo, row, column) = initial(bench.rank, row, column);
        }
    }
    MPI_Type_vector(SIDE, 1, WIDTH, MPI_DOUBLE, &halo.column);
    MPI_Type_commit(&halo.column);
    MPI_Win_fence(0, halo.window.win);
    result = bench_measure(&measure);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, halo.window.win);
    if (bench_right(self->name, 0, check_halo(&halo))) {
        bench_row_us(self->name, 0, result);
    }
    MPI_Type_free(&halo.column);
    bench_window_free(&halo.window);
}

/* ---- hash table: open addressing, a slot is taken by compare_and_swap ---- */

enum { SLOTS = 1 << 16, MOST_KEYS = SLOTS / 4 };

struct hash_table {
    struct bench_window window;
    uint64_t            sequence;       /* makes each sample's keys new ones */
    bool                right;
};

static uint64_t key_of(const struct hash_table *table, long i)
{
    return mix(table->sequence + ((uint64_t) bench.rank << 40) + (uint64_t) i) | 1; /* 0 is a free slot */
}

/* The word that holds `key`, or 0, where it was found or has been inserted. */
static uint64_t probe(struct hash_table *table, uint64_t key, bool insert)
{
    static const uint64_t free_slot = 0;
    int                   target = (int) ((key >> 32) % (uint64_t) bench.size);
    uint64_t              slot = key >> 1, found;

    for (;; slot++) {
        MPI_Aint disp = bench_disp(&table->window, target, (MPI_Aint) (8 * (slot % SLOTS)));

        if (insert) {
            MPI_Compare_and_swap(&key, &free_slot, &found, MPI_UINT64_T, target, disp, table->window.win);
        } else {
            MPI_Get(&found, 1, MPI_UINT64_T, target, disp, 1, MPI_UINT64_T, table->window.win);
        }
        MPI_Win_flush(target, table->window.win);
        if (0 == found || found == key) {
            return found;
        }
    }
}

static void empty(void *context)
{
    struct hash_table *table = context;

    table->sequence += 1u << 24;
    bench_window_clear(&table->window, SLOTS * sizeof(uint64_t));
}

static void insert(long n, void *context)
{
    for (long i = 0; i < n; i++) {
        probe(context, key_of(context, i), true);
    }
}

/* As many slots are taken as keys were inserted, and ours are found. */
static void check_table(long n, void *context)
{
    struct hash_table *table = context;
    const uint64_t    *slots = (const uint64_t *) table->window.base;
    long               taken = 0, total;

    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_sync(table->window.win);
    for (int i = 0; i < SLOTS; i++) {
        taken += 0 != slots[i];
    }
    MPI_Allreduce(&taken, &total, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    table->right = table->right && total == n * bench.size;
    for (long i = 0; i < n; i += 1 + n / 50) {
        table->right = table->right && probe(table, key_of(table, i), false) == key_of(table, i);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void hash_table(const struct bench_case *self)
{
    struct hash_table    table = { .right = true };
    struct bench_measure measure = { .body = insert, .prepare = empty, .check = check_table, .context = &table,
                                     .max_n = MOST_KEYS };
    struct bench_result  result;

    bench_window_make(&table.window, SLOTS * sizeof(uint64_t));
    MPI_Win_lock_all(0, table.window.win);
    result = bench_measure(&measure);
    if (bench_right(self->name, 0, table.right)) {
        bench_row_us(self->name, 0, result);
    }
    MPI_Win_unlock_all(table.window.win);
    bench_window_free(&table.window);
}

const struct bench_case bench_application_cases[] = {
    { "applications.random_updates", gups, 0, false },
    { "applications.halo", halo_exchange, 0, false },
    { "applications.hash_table", hash_table, 0, false },
    { NULL, NULL, 0, false },
};
