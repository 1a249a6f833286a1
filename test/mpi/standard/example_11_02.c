/* Example 11.2: A = B(map) with a get for each entry.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "example_map.h"

static void map_values(float *a, float *b, const int *mine, int m)
{
    MPI_Aint lower, extent;
    MPI_Win win;

    MPI_Type_get_extent(MPI_FLOAT, &lower, &extent);
    MPI_OK(MPI_Win_create(b, m * extent, (int) extent, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    MPI_OK(MPI_Win_fence(0, win));
    for (int i = 0; i < m; i++) {
        MPI_OK(MPI_Get(&a[i], 1, MPI_FLOAT, mine[i] / m, mine[i] % m, 1, MPI_FLOAT, win));
    }
    MPI_OK(MPI_Win_fence(0, win));
    MPI_OK(MPI_Win_free(&win));
}

static void one_map(enum map_kind kind, int m, uint64_t *seed)
{
    int *map = map_make(kind, test_size * m, seed), first = test_rank * m;
    float *a = malloc(m * sizeof(*a)), *b = malloc(m * sizeof(*b));

    for (int i = 0; i < m; i++) {
        a[i] = -1;
        b[i] = map_value(first + i);
    }
    map_values(a, b, map + first, m);
    for (int i = 0; i < m; i++) {
        CHECK(map_value(map[first + i]) == a[i], "map %s of %d: a[%d] is %g", map_name[kind], m, i, a[i]);
        CHECK(map_value(first + i) == b[i], "map %s of %d: b[%d] became %g", map_name[kind], m, i, b[i]);
    }
    free(a);
    free(b);
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
            one_map(kind, sizes[i], &seed);
        }
    }
    return test_finish();
}
