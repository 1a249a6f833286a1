/* What the chapter's iterative examples share: a grid in blocks of columns, each with a copy of its neighbours' nearest
 * column on both sides, in a ring; and the same for all processes without MPI, to compare with.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef EXAMPLE_GRID_H
#define EXAMPLE_GRID_H

#include "windows.h"

enum { GRID_ROWS = 5, GRID_COLUMNS = 4, GRID_WIDTH = GRID_COLUMNS + 2, GRID_STEPS = 15, GRID_LEFT = 0, GRID_RIGHT = 1 };

/** One process's block; columns 0 and GRID_COLUMNS + 1 are the copies. */
struct grid_block {
    unsigned cell[GRID_ROWS][GRID_WIDTH];
};

struct grid {
    struct test_window window;  /**< one block per process, base is `block` */
    struct grid_block *block;
    struct grid_block *model;   /**< all processes' blocks, as they should be */
    int neighbour[2];
    MPI_Group neighbours;       /**< without duplicates */
    MPI_Datatype edge[2];       /**< the nearest column to that neighbour, in a block */
    MPI_Datatype copy[2];       /**< the copy of that neighbour's column, in a block */
};

/** The type of one column, from the start of the block. */
static inline MPI_Datatype grid_column(int column)
{
    int sizes[2] = {GRID_ROWS, GRID_WIDTH}, part[2] = {GRID_ROWS, 1}, start[2] = {0, column};
    MPI_Datatype type;

    MPI_OK(MPI_Type_create_subarray(2, sizes, part, start, MPI_ORDER_C, MPI_UNSIGNED, &type));
    MPI_OK(MPI_Type_commit(&type));
    return type;
}

/** The same exchange as each example's, in the model. */
static inline void grid_model_exchange(struct grid *grid)
{
    for (int rank = 0; rank < test_size; rank++) {
        struct grid_block *block = &grid->model[rank];
        const struct grid_block *left = &grid->model[(rank + test_size - 1) % test_size];
        const struct grid_block *right = &grid->model[(rank + 1) % test_size];

        for (int row = 0; row < GRID_ROWS; row++) {
            block->cell[row][0] = left->cell[row][GRID_COLUMNS];
            block->cell[row][GRID_COLUMNS + 1] = right->cell[row][1];
        }
    }
}

/** Collective: make the window; the block and the model hold the same values, the copies included. */
static inline void grid_open(struct grid *grid, enum test_flavor flavor, unsigned salt)
{
    MPI_Group world;
    int ranks[2] = {test_neighbour(-1), test_neighbour(1)};

    test_window_open(&grid->window, flavor, sizeof(struct grid_block), MPI_INFO_NULL, MPI_COMM_WORLD);
    grid->block = (struct grid_block *) grid->window.base;
    grid->model = malloc(test_size * sizeof(struct grid_block));
    for (unsigned i = 0; i < test_size * sizeof(struct grid_block) / sizeof(unsigned); i++) {
        (&grid->model->cell[0][0])[i] = (i + salt) * 2654435761u;
    }
    grid_model_exchange(grid);
    *grid->block = grid->model[test_rank];
    memcpy(grid->neighbour, ranks, sizeof(ranks));
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, ranks[0] == ranks[1] ? 1 : 2, ranks, &grid->neighbours);
    MPI_Group_free(&world);
    grid->edge[GRID_LEFT] = grid_column(1);
    grid->edge[GRID_RIGHT] = grid_column(GRID_COLUMNS);
    grid->copy[GRID_LEFT] = grid_column(0);
    grid->copy[GRID_RIGHT] = grid_column(GRID_COLUMNS + 1);
}

static inline void grid_close(struct grid *grid)
{
    for (int side = 0; side < 2; side++) {
        MPI_Type_free(&grid->edge[side]);
        MPI_Type_free(&grid->copy[side]);
    }
    MPI_Group_free(&grid->neighbours);
    free(grid->model);
    test_window_close(&grid->window);
}

/** Put my edges where the neighbours keep their copies. What is my left edge is in the right copy of the left one. */
static inline void grid_put(const struct grid *grid)
{
    for (int side = 0; side < 2; side++) {
        int target = grid->neighbour[side];

        MPI_OK(MPI_Put(grid->block, 1, grid->edge[side], target, test_at(&grid->window, target, 0), 1,
                       grid->copy[1 - side], grid->window.win));
    }
}

/** Get my copies from where the neighbours have their edges. */
static inline void grid_get(const struct grid *grid)
{
    for (int side = 0; side < 2; side++) {
        int target = grid->neighbour[side];

        MPI_OK(MPI_Get(grid->block, 1, grid->copy[side], target, test_at(&grid->window, target, 0), 1,
                       grid->edge[1 - side], grid->window.win));
    }
}

/** A step of columns first..last: each cell from the old values of itself, of those beside it, and of the one below. */
static inline void grid_update(struct grid_block *block, const struct grid_block *old, int first, int last)
{
    for (int row = 0; row < GRID_ROWS; row++) {
        for (int column = first; column <= last; column++) {
            block->cell[row][column] = 3 * old->cell[row][column] + old->cell[row][column - 1] +
                                       5 * old->cell[row][column + 1] + old->cell[(row + 1) % GRID_ROWS][column] + 1;
        }
    }
}

/** A step of all columns of a block. */
static inline void grid_update_all(struct grid_block *block)
{
    struct grid_block old = *block;

    grid_update(block, &old, 1, GRID_COLUMNS);
}

/** The columns next to the copies. */
static inline void grid_update_boundary(struct grid_block *block, const struct grid_block *old)
{
    grid_update(block, old, 1, 1);
    grid_update(block, old, GRID_COLUMNS, GRID_COLUMNS);
}

/** The columns between them. */
static inline void grid_update_core(struct grid_block *block, const struct grid_block *old)
{
    grid_update(block, old, 2, GRID_COLUMNS - 1);
}

/** The block must be the model's. */
static inline void grid_check(const struct grid *grid, int step)
{
    const struct grid_block *wanted = &grid->model[test_rank];

    for (int row = 0; row < GRID_ROWS; row++) {
        for (int column = 0; column < GRID_WIDTH; column++) {
            CHECK(wanted->cell[row][column] == grid->block->cell[row][column], "%s, step %d: cell %d,%d is %u, not %u",
                  test_flavor_name[grid->window.flavor], step, row, column, grid->block->cell[row][column],
                  wanted->cell[row][column]);
        }
    }
}

/** A step of all processes' blocks, and the exchange; then the block must be the same. */
static inline void grid_check_step(struct grid *grid, int step)
{
    for (int rank = 0; rank < test_size; rank++) {
        grid_update_all(&grid->model[rank]);
    }
    grid_model_exchange(grid);
    grid_check(grid, step);
}

/** Collective: run `iterate` on a grid in every flavour of window. */
static inline void grid_run(void (*iterate)(struct grid *grid))
{
    struct grid grid;

    for (enum test_flavor flavor = 0; flavor < TEST_FLAVORS; flavor++) {
        if (test_has_flavor(MPI_COMM_WORLD, flavor)) {
            grid_open(&grid, flavor, 0);
            iterate(&grid);
            grid_close(&grid);
        }
    }
}

#endif /* EXAMPLE_GRID_H */
