/* Example 11.1: A = B(map) with one get of a derived type from each process. (The printed indices count from 1, but
 * displacements in a type count from 0: as printed it would reach one entry behind the arrays.)
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "example_map.h"

static void map_values(float *a, float *b, const int *mine, int m, MPI_Datatype *here, MPI_Datatype *there)
{
    MPI_Aint lower, extent;
    MPI_Win win;

    MPI_Type_get_extent(MPI_FLOAT, &lower, &extent);
    MPI_OK(MPI_Win_create(b, m * extent, (int) extent, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    map_types(mine, m, here, there);
    MPI_OK(MPI_Win_fence(0, win));
    for (int process = 0; process < test_size; process++) {
        MPI_OK(MPI_Get(a, 1, here[process], process, 0, 1, there[process], win));
    }
    MPI_OK(MPI_Win_fence(0, win));
    MPI_OK(MPI_Win_free(&win));
    map_types_free(here, there);
}

static void one_map(enum map_kind kind, int m, uint64_t *seed)
{
    MPI_Datatype *here = malloc(test_size * sizeof(*here)), *there = malloc(test_size * sizeof(*there));
    int *map = map_make(kind, test_size * m, seed), first = test_rank * m;
    float *a = malloc(m * sizeof(*a)), *b = malloc(m * sizeof(*b));

    for (int i = 0; i < m; i++) {
        a[i] = -1;
        b[i] = map_value(first + i);
    }
    map_values(a, b, map + first, m, here, there);
    for (int i = 0; i < m; i++) {
        CHECK(map_value(map[first + i]) == a[i], "map %s of %d: a[%d] is %g", map_name[kind], m, i, a[i]);
        CHECK(map_value(first + i) == b[i], "map %s of %d: b[%d] became %g", map_name[kind], m, i, b[i]);
    }
    free(a);
    free(b);
    free(map);
    free(here);
    free(there);
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
