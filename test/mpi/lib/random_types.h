/* Random derived datatypes with a given number of elements, none of which overlap.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef RANDOM_TYPES_H
#define RANDOM_TYPES_H

#include "mpitest.h"

/** A random divisor of `count`. */
static inline int random_divisor(uint64_t *random, int count)
{
    int divisor = 1 + (int) test_random(random, count);

    while (0 != count % divisor) {
        divisor--;
    }
    return divisor;
}

static inline MPI_Datatype random_tree(uint64_t *random, MPI_Datatype base, MPI_Aint unit, int count, int depth);

/** Widen the extent to all of the data, so that elements in a row do not overlap. It can be smaller: where only one
 *  part of a struct has explicit bounds they count alone, and those of a subarray leave out a negative lower bound. */
static inline MPI_Datatype wide_enough(MPI_Datatype type)
{
    MPI_Aint lb, extent, true_lb, true_extent, lowest, highest;
    MPI_Datatype wide;

    MPI_Type_get_extent(type, &lb, &extent);
    MPI_Type_get_true_extent(type, &true_lb, &true_extent);
    lowest = lb < true_lb ? lb : true_lb;
    highest = lb + extent > true_lb + true_extent ? lb + extent : true_lb + true_extent;
    if (lowest == lb && highest == lb + extent) {
        return type;
    }
    MPI_Type_create_resized(type, lowest, highest - lowest, &wide);
    MPI_Type_free(&type);
    return wide;
}

/** `count` blocks of random lengths (together `pieces`), random gaps between them, in random order. */
static inline MPI_Datatype random_hindexed(uint64_t *random, MPI_Datatype part, MPI_Aint unit, int pieces)
{
    int lengths[pieces], blocks = 0;
    MPI_Aint places[pieces], lb, extent, place = -unit * (MPI_Aint) test_random(random, 20);
    MPI_Datatype type;

    MPI_Type_get_extent(part, &lb, &extent);
    for (int left = pieces; left > 0; left -= lengths[blocks++]) {
        lengths[blocks] = 1 + (int) test_random(random, left);
        places[blocks] = place;
        place += lengths[blocks] * extent + unit * (MPI_Aint) test_random(random, 5);
    }
    for (int i = blocks - 1; i > 0; i--) {
        int j = (int) test_random(random, i + 1), length = lengths[i];

        place = places[i];
        lengths[i] = lengths[j];
        places[i] = places[j];
        lengths[j] = length;
        places[j] = place;
    }
    MPI_Type_create_hindexed(blocks, lengths, places, part, &type);
    return type;
}

/** Two different subtypes, the second before or behind the first. */
static inline MPI_Datatype random_struct(uint64_t *random, MPI_Datatype base, MPI_Aint unit, int count, int depth)
{
    int first = 1 + (int) test_random(random, count - 1), lengths[2] = {1, 1};
    MPI_Aint places[2] = {0, 0}, lb[2], extent[2], gap = unit * (MPI_Aint) test_random(random, 4);
    MPI_Datatype parts[2], type;

    parts[0] = random_tree(random, base, unit, first, depth - 1);
    parts[1] = random_tree(random, base, unit, count - first, depth - 1);
    MPI_Type_get_extent(parts[0], &lb[0], &extent[0]);
    MPI_Type_get_extent(parts[1], &lb[1], &extent[1]);
    places[1] = (test_random(random, 2) ? lb[0] + extent[0] + gap : lb[0] - gap - extent[1]) - lb[1];
    MPI_Type_create_struct(2, lengths, places, parts, &type);
    MPI_Type_free(&parts[0]);
    MPI_Type_free(&parts[1]);
    return type;
}

/** A rectangle of rows x columns somewhere in a larger array. */
static inline MPI_Datatype random_subarray(uint64_t *random, MPI_Datatype part, int pieces)
{
    int rows = random_divisor(random, pieces), inner[2] = {rows, pieces / rows}, sizes[2], starts[2];
    MPI_Datatype type;

    for (int i = 0; i < 2; i++) {
        starts[i] = (int) test_random(random, 3);
        sizes[i] = inner[i] + starts[i] + (int) test_random(random, 3);
    }
    MPI_Type_create_subarray(2, sizes, inner, starts, test_random(random, 2) ? MPI_ORDER_C : MPI_ORDER_FORTRAN, part,
                             &type);
    return type;
}

/** A wider extent than the data needs, which may begin below it. */
static inline MPI_Datatype random_resized(uint64_t *random, MPI_Datatype part, MPI_Aint unit)
{
    MPI_Aint before = unit * (MPI_Aint) test_random(random, 3), behind = unit * (MPI_Aint) test_random(random, 3);
    MPI_Aint lb, extent;
    MPI_Datatype type;

    MPI_Type_get_extent(part, &lb, &extent);
    MPI_Type_create_resized(part, lb - before, extent + before + behind, &type);
    return type;
}

/** A type of `count` elements of `base`; all displacements are multiples of `unit`. Not committed. */
static inline MPI_Datatype random_tree(uint64_t *random, MPI_Datatype base, MPI_Aint unit, int count, int depth)
{
    int pieces = random_divisor(random, count), blocks = random_divisor(random, pieces), block = pieces / blocks;
    MPI_Datatype part, type;
    MPI_Aint lb, extent;

    if (0 == depth) {
        MPI_Type_contiguous(count, base, &type);
        return type;
    }
    if (count > 1 && 0 == test_random(random, 5)) {
        return wide_enough(random_struct(random, base, unit, count, depth));
    }
    part = random_tree(random, base, unit, count / pieces, depth - 1);
    MPI_Type_get_extent(part, &lb, &extent);
    switch (test_random(random, 6)) {
    case 0:
        MPI_Type_contiguous(pieces, part, &type);
        break;
    case 1:
        MPI_Type_vector(blocks, block, block + (int) test_random(random, 3), part, &type);
        break;
    case 2: /* backwards */
        MPI_Type_create_hvector(blocks, block, -block * extent - unit * (MPI_Aint) test_random(random, 3), part, &type);
        break;
    case 3:
        type = random_hindexed(random, part, unit, pieces);
        break;
    case 4:
        type = random_subarray(random, part, pieces);
        break;
    default:
        MPI_Type_free(&part);
        part = random_tree(random, base, unit, count, depth - 1);
        type = random_resized(random, part, unit);
    }
    MPI_Type_free(&part);
    return wide_enough(type);
}

/** A committed random type of `count` elements of `base`. */
static inline MPI_Datatype random_type(uint64_t *random, MPI_Datatype base, int count)
{
    MPI_Datatype type;
    int size;

    MPI_Type_size(base, &size);
    type = random_tree(random, base, size, count, (int) test_random(random, 4));
    MPI_Type_commit(&type);
    return type;
}

/** First byte and length of what `count` elements of a type touch, from the address that is given for them. */
static inline MPI_Aint type_span(MPI_Datatype type, int count, MPI_Aint *first)
{
    MPI_Aint lb, extent, true_lb, true_extent;

    MPI_Type_get_extent(type, &lb, &extent);
    MPI_Type_get_true_extent(type, &true_lb, &true_extent);
    *first = true_lb;
    return (count - 1) * extent + true_extent;
}

#endif /* RANDOM_TYPES_H */
