/* Example 11.3: B(j) = sum of A(i) with map(i) = j, an accumulate for each entry; where no two entries meet, also with
 * one accumulate of a derived type to each process, as the text after it says.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "example_map.h"

static void entry_by_entry(float *a, const int *mine, int m, MPI_Win win)
{
    MPI_OK(MPI_Win_fence(0, win));
    for (int i = 0; i < m; i++) {
        MPI_OK(MPI_Accumulate(&a[i], 1, MPI_FLOAT, mine[i] / m, mine[i] % m, 1, MPI_FLOAT, MPI_SUM, win));
    }
    MPI_OK(MPI_Win_fence(0, win));
}

static void process_by_process(float *a, const int *mine, int m, MPI_Win win)
{
    MPI_Datatype *here = malloc(test_size * sizeof(*here)), *there = malloc(test_size * sizeof(*there));

    map_types(mine, m, here, there);
    MPI_OK(MPI_Win_fence(0, win));
    for (int process = 0; process < test_size; process++) {
        MPI_OK(MPI_Accumulate(a, 1, here[process], process, 0, 1, there[process], MPI_SUM, win));
    }
    MPI_OK(MPI_Win_fence(0, win));
    map_types_free(here, there);
    free(here);
    free(there);
}

static void one_map(enum map_kind kind, int m, uint64_t *seed, void (*sum)(float *, const int *, int, MPI_Win))
{
    int total = test_size * m, *map = map_make(kind, total, seed), first = test_rank * m;
    float *a = malloc(m * sizeof(*a)), *b = malloc(m * sizeof(*b)), *wanted = malloc(m * sizeof(*wanted));
    MPI_Win win;

    for (int i = 0; i < m; i++) {
        a[i] = map_value(first + i);
        b[i] = wanted[i] = (float) i;
    }
    for (int i = 0; i < total; i++) {
        if (map[i] / m == test_rank) {
            wanted[map[i] % m] += map_value(i);
        }
    }
    MPI_OK(MPI_Win_create(b, m * sizeof(*b), sizeof(*b), MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    sum(a, map + first, m, win);
    MPI_OK(MPI_Win_free(&win));
    for (int i = 0; i < m; i++) {
        CHECK(wanted[i] == b[i], "map %s of %d: b[%d] is %g, not %g", map_name[kind], m, i, b[i], wanted[i]);
        CHECK(map_value(first + i) == a[i], "map %s of %d: a[%d] became %g", map_name[kind], m, i, a[i]);
    }
    free(a);
    free(b);
    free(wanted);
    free(map);
}

int main(int argc, char **argv)
{
    static const int sizes[] = {1, 7, 1000};
    uint64_t seed;

    test_init(&argc, &argv);
    seed = test_seed();
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        for (enum map_kind kind = 0; kind < MAPS; kind++) {
            one_map(kind, sizes[i], &seed, entry_by_entry);
            if (kind < MAP_PERMUTATIONS) {
                one_map(kind, sizes[i], &seed, process_by_process);
            }
        }
    }
    return test_finish();
}
