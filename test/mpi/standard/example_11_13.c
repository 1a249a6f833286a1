/* Example 11.13: an iteration that puts its edges to the neighbours, between fences with assertions; also with gets, as
 * the text after it says.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "example_grid.h"

static void with_put(struct grid *grid)
{
    for (int step = 0; step < GRID_STEPS; step++) {
        grid_update_all(grid->block);
        MPI_OK(MPI_Win_fence(MPI_MODE_NOPRECEDE, grid->window.win));
        grid_put(grid);
        MPI_OK(MPI_Win_fence(MPI_MODE_NOSTORE | MPI_MODE_NOSUCCEED, grid->window.win));
        grid_check_step(grid, step);
    }
}

static void with_get(struct grid *grid)
{
    for (int step = 0; step < GRID_STEPS; step++) {
        grid_update_all(grid->block);
        MPI_OK(MPI_Win_fence(MPI_MODE_NOPRECEDE, grid->window.win));
        grid_get(grid);
        MPI_OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, grid->window.win));
        grid_check_step(grid, step);
    }
}

int main(int argc, char **argv)
{
    test_init(&argc, &argv);
    grid_run(with_put);
    grid_run(with_get);
    return test_finish();
}
