/* What the chapter's examples of indirect assignment share: arrays in blocks of m per process, and maps between them.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef EXAMPLE_MAP_H
#define EXAMPLE_MAP_H

#include "mpitest.h"

enum map_kind { MAP_SAME, MAP_REVERSED, MAP_SHIFTED, MAP_SHUFFLED, MAP_PERMUTATIONS, MAP_ANY = MAP_PERMUTATIONS, MAPS };

static const char *const map_name[MAPS] = {"same", "reversed", "shifted", "shuffled", "any"};

/** Collective: the whole map, the same on all processes: for each of the `total` entries the entry it leads to. */
static inline int *map_make(enum map_kind kind, int total, uint64_t *seed)
{
    int *map = malloc(total * sizeof(int));

    for (int i = 0; i < total; i++) {
        switch (kind) {
        case MAP_REVERSED:
            map[i] = total - 1 - i;
            break;
        case MAP_SHIFTED:
            map[i] = (i + total / 2 + 1) % total;
            break;
        case MAP_ANY:
            map[i] = (int) test_random(seed, total);
            break;
        default:
            map[i] = i;
        }
    }
    for (int i = total - 1; MAP_SHUFFLED == kind && i > 0; i--) {
        int other = (int) test_random(seed, i + 1), swapped = map[i];

        map[i] = map[other];
        map[other] = swapped;
    }
    return map;
}

/** Two types for each process: which of my m entries are mapped into its block (here), and to where (there). */
static inline void map_types(const int *mine, int m, MPI_Datatype *here, MPI_Datatype *there)
{
    int *indices = malloc(2 * m * sizeof(int));

    for (int process = 0; process < test_size; process++) {
        int count = 0;

        for (int i = 0; i < m; i++) {
            if (mine[i] / m == process) {
                indices[count] = i;
                indices[m + count] = mine[i] % m;
                count++;
            }
        }
        MPI_OK(MPI_Type_create_indexed_block(count, 1, indices, MPI_FLOAT, &here[process]));
        MPI_OK(MPI_Type_create_indexed_block(count, 1, indices + m, MPI_FLOAT, &there[process]));
        MPI_OK(MPI_Type_commit(&here[process]));
        MPI_OK(MPI_Type_commit(&there[process]));
    }
    free(indices);
}

static inline void map_types_free(MPI_Datatype *here, MPI_Datatype *there)
{
    for (int process = 0; process < test_size; process++) {
        MPI_OK(MPI_Type_free(&here[process]));
        MPI_OK(MPI_Type_free(&there[process]));
    }
}

/** Entry i of the distributed array before anything happened: a small integer, so that sums of them are exact. */
static inline float map_value(int i)
{
    return (float) (i % 1009 + 1);
}

#endif /* EXAMPLE_MAP_H */
