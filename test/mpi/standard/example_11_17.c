/* Example 11.17: two arrays, two windows: one is communicated while the other one is computed; each post is early
 * enough for the neighbours' start with MPI_MODE_NOCHECK.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "example_grid.h"

/* A step of `block` that looks at the other array, its copies included. */
static void update2(struct grid_block *block, const struct grid_block *other)
{
    for (int row = 0; row < GRID_ROWS; row++) {
        for (int column = 1; column <= GRID_COLUMNS; column++) {
            block->cell[row][column] = 3 * block->cell[row][column] + 5 * other->cell[row][column - 1] +
                                       7 * other->cell[row][column + 1] + 1;
        }
    }
}

/* A step of `block` alone. */
static void update1(struct grid_block *block)
{
    for (int row = 0; row < GRID_ROWS; row++) {
        for (int column = 1; column <= GRID_COLUMNS; column++) {
            block->cell[row][column] = 9 * block->cell[row][column] + row;
        }
    }
}

/* Half an iteration: `still` is communicated, `moving` computed. The neighbours have posted `still` already. */
static void half(struct grid *still, struct grid *moving, int post)
{
    update2(moving->block, still->block);
    MPI_OK(MPI_Win_start(still->neighbours, MPI_MODE_NOCHECK, still->window.win));
    grid_get(still);
    update1(moving->block);
    if (post) {
        MPI_OK(MPI_Win_post(moving->neighbours, MPI_MODE_NOCHECK | MPI_MODE_NOPUT, moving->window.win));
    }
    MPI_OK(MPI_Win_complete(still->window.win));
    MPI_OK(MPI_Win_wait(still->window.win));
}

static void check_half(struct grid *still, struct grid *moving, int step)
{
    for (int rank = 0; rank < test_size; rank++) {
        update2(&moving->model[rank], &still->model[rank]);
        update1(&moving->model[rank]);
    }
    grid_model_exchange(still);
    grid_check(still, step);
    grid_check(moving, step);
}

static void iterate(struct grid *a0, struct grid *a1)
{
    MPI_OK(MPI_Win_post(a0->neighbours, MPI_MODE_NOCHECK | MPI_MODE_NOPUT, a0->window.win));
    MPI_Barrier(MPI_COMM_WORLD);
    for (int step = 0; step < GRID_STEPS; step++) {
        half(a0, a1, 1);
        check_half(a0, a1, step);
        half(a1, a0, step + 1 < GRID_STEPS);
        check_half(a1, a0, step);
    }
}

int main(int argc, char **argv)
{
    struct grid a0, a1;

    test_init(&argc, &argv);
    for (enum test_flavor flavor = 0; flavor < TEST_FLAVORS; flavor++) {
        if (test_has_flavor(MPI_COMM_WORLD, flavor)) {
            grid_open(&a0, flavor, 0);
            grid_open(&a1, flavor, 77);
            iterate(&a0, &a1);
            grid_close(&a0);
            grid_close(&a1);
        }
    }
    return test_finish();
}
