/* Datatypes with random arguments, of each constructor, and their type maps.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Open MPI's headers come first in all that include them.
 */

#ifndef TYPE_MAPS_H
#define TYPE_MAPS_H

#include "ompi_config.h"

#include "unit_random.h"

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

#define MAP_BYTES 20000

/** A datatype and its type map: the displacement of each byte of data, in order. */
typedef struct map_t {
    MPI_Datatype type;
    bool         known; /**< the map is filled in; else only MPI_Pack can tell */
    uint64_t     size;
    int64_t      disp[MAP_BYTES];
} map_t;

static MPI_Aint extent_of(MPI_Datatype type)
{
    MPI_Aint lb, extent;

    MPI_Type_get_extent(type, &lb, &extent);
    return extent;
}

static int size_of(MPI_Datatype type)
{
    int size;

    MPI_Type_size(type, &size);
    return size;
}

static void map_begin(map_t *map)
{
    map->known = true;
    map->size = 0;
}

/** Append `n` copies of `part`, one extent apart. */
static void map_append(map_t *map, const map_t *part, int64_t disp, int n)
{
    int64_t  extent = extent_of(part->type);
    uint64_t i;
    int      k;

    map->known = map->known && part->known;
    for (k = 0; map->known && k < n; k++) {
        for (i = 0; i < part->size; i++) {
            if (MAP_BYTES == map->size) {
                map->known = false;
                return;
            }
            map->disp[map->size++] = disp + k * extent + part->disp[i];
        }
    }
}

/** The type map of a predefined type; pair types have a value and an int. */
static void map_predefined(map_t *map, MPI_Datatype type)
{
    int      size = size_of(type), i;
    MPI_Aint lb, true_extent;
    bool     gap;

    map_begin(map);
    map->type = type;
    MPI_Type_get_true_extent(type, &lb, &true_extent);
    gap = true_extent != size;
    for (i = 0; i < size; i++) {
        map->disp[map->size++] = gap && i >= size - (int) sizeof(int) ? i + true_extent - size : i;
    }
}

/* ---- One constructor each, with random arguments, and its type map ---- */

#define BLOCKS_MAX 5

static void make_contiguous(map_t *map, const map_t *part)
{
    int n = (int) random_in(0, 4);

    MPI_Type_contiguous(n, part->type, &map->type);
    map_append(map, part, 0, n);
}

/** Open MPI 4.1 takes a stride of -1 byte for "as wide as the type": there we can only do as it does. */
static bool stride_is_known(MPI_Aint stride)
{
    return -1 != stride;
}

static void make_vector(map_t *map, const map_t *part)
{
    int n = (int) random_in(1, 4), len = (int) random_in(1, 3), stride = (int) random_in(-5, 5), i;

    map->known = stride_is_known(stride * extent_of(part->type));
    MPI_Type_vector(n, len, stride, part->type, &map->type);
    for (i = 0; i < n; i++) {
        map_append(map, part, (int64_t) i * stride * extent_of(part->type), len);
    }
}

static void make_hvector(map_t *map, const map_t *part)
{
    int      n = (int) random_in(1, 4), len = (int) random_in(1, 3), i;
    MPI_Aint stride = random_in(-60, 60);

    map->known = stride_is_known(stride);
    MPI_Type_create_hvector(n, len, stride, part->type, &map->type);
    for (i = 0; i < n; i++) {
        map_append(map, part, i * stride, len);
    }
}

static void make_indexed(map_t *map, const map_t *part)
{
    int len[BLOCKS_MAX], disp[BLOCKS_MAX], n = (int) random_in(1, BLOCKS_MAX), i;

    for (i = 0; i < n; i++) {
        len[i] = (int) random_in(0, 3);
        disp[i] = (int) random_in(-8, 8);
        map_append(map, part, disp[i] * extent_of(part->type), len[i]);
    }
    MPI_Type_indexed(n, len, disp, part->type, &map->type);
}

static void make_hindexed(map_t *map, const map_t *part)
{
    MPI_Aint disp[BLOCKS_MAX];
    int      len[BLOCKS_MAX], n = (int) random_in(1, BLOCKS_MAX), i;

    for (i = 0; i < n; i++) {
        len[i] = (int) random_in(0, 3);
        disp[i] = random_in(-100, 100);
        map_append(map, part, disp[i], len[i]);
    }
    MPI_Type_create_hindexed(n, len, disp, part->type, &map->type);
}

static void make_indexed_block(map_t *map, const map_t *part)
{
    int disp[BLOCKS_MAX], n = (int) random_in(1, BLOCKS_MAX), len = (int) random_in(1, 3), i;

    for (i = 0; i < n; i++) {
        disp[i] = (int) random_in(-8, 8);
        map_append(map, part, disp[i] * extent_of(part->type), len);
    }
    MPI_Type_create_indexed_block(n, len, disp, part->type, &map->type);
}

static void make_hindexed_block(map_t *map, const map_t *part)
{
    MPI_Aint disp[BLOCKS_MAX];
    int      n = (int) random_in(1, BLOCKS_MAX), len = (int) random_in(1, 3), i;

    for (i = 0; i < n; i++) {
        disp[i] = random_in(-100, 100);
        map_append(map, part, disp[i], len);
    }
    MPI_Type_create_hindexed_block(n, len, disp, part->type, &map->type);
}

/** The same part several times: make_mixed_struct has different ones. */
static void make_struct(map_t *map, const map_t *part)
{
    MPI_Datatype types[BLOCKS_MAX];
    MPI_Aint     disp[BLOCKS_MAX];
    int          len[BLOCKS_MAX], n = (int) random_in(1, BLOCKS_MAX), i;

    for (i = 0; i < n; i++) {
        types[i] = part->type;
        len[i] = (int) random_in(0, 3);
        disp[i] = random_in(-200, 200);
        map_append(map, part, disp[i], len[i]);
    }
    MPI_Type_create_struct(n, len, disp, types, &map->type);
}

static void make_mixed_struct(map_t *map, const map_t *part)
{
    static map_t others[2];
    MPI_Datatype types[3];
    MPI_Aint     disp[3];
    int          len[3], i;

    map_predefined(&others[0], MPI_CHAR);
    map_predefined(&others[1], MPI_SHORT_INT);
    for (i = 0; i < 3; i++) {
        const map_t *one = 0 == i ? part : &others[i - 1];

        types[i] = one->type;
        len[i] = (int) random_in(0, 3);
        disp[i] = random_in(-100, 100);
        map_append(map, one, disp[i], len[i]);
    }
    MPI_Type_create_struct(3, len, disp, types, &map->type);
}

static void make_resized(map_t *map, const map_t *part)
{
    MPI_Type_create_resized(part->type, random_in(-50, 50), random_in(-100, 100), &map->type);
    map_append(map, part, 0, 1);
}

static void make_dup(map_t *map, const map_t *part)
{
    MPI_Type_dup(part->type, &map->type);
    map_append(map, part, 0, 1);
}

static void make_subarray(map_t *map, const map_t *part)
{
    int sizes[3], subsizes[3], starts[3], index[3], i;
    int order = 0 == random_in(0, 1) ? MPI_ORDER_C : MPI_ORDER_FORTRAN;
    int slow = MPI_ORDER_C == order ? 0 : 2, fast = 2 - slow;

    for (i = 0; i < 3; i++) {
        sizes[i] = (int) random_in(1, 4);
        subsizes[i] = (int) random_in(1, sizes[i]);
        starts[i] = (int) random_in(0, sizes[i] - subsizes[i]);
    }
    MPI_Type_create_subarray(3, sizes, subsizes, starts, order, part->type, &map->type);
    for (index[slow] = 0; index[slow] < subsizes[slow]; index[slow]++) {
        for (index[1] = 0; index[1] < subsizes[1]; index[1]++) {
            for (index[fast] = 0; index[fast] < subsizes[fast]; index[fast]++) {
                int64_t at = starts[slow] + index[slow];

                at = at * sizes[1] + starts[1] + index[1];
                at = at * sizes[fast] + starts[fast] + index[fast];
                map_append(map, part, at * extent_of(part->type), 1);
            }
        }
    }
}

static void make_darray(map_t *map, const map_t *part)
{
    int gsizes[2] = {(int) random_in(4, 9), (int) random_in(4, 9)}, psizes[2] = {2, 2};
    int distribs[2] = {MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_BLOCK};
    int dargs[2] = {(int) random_in(1, 3), MPI_DISTRIBUTE_DFLT_DARG};

    if (0 == size_of(part->type)) {
        make_dup(map, part); /* Open MPI 4.1 makes no array of nothing */
        return;
    }
    MPI_Type_create_darray(4, (int) random_in(0, 3), 2, gsizes, distribs, dargs, psizes,
                           0 == random_in(0, 1) ? MPI_ORDER_C : MPI_ORDER_FORTRAN, part->type, &map->type);
    map->known = false;
}

static void (*const makers[])(map_t *, const map_t *) = {
    make_contiguous, make_vector, make_hvector, make_indexed, make_hindexed, make_indexed_block,
    make_hindexed_block, make_struct, make_resized, make_dup, make_subarray, make_mixed_struct, make_darray};

#endif /* TYPE_MAPS_H */
