/* Example 11.15: the iteration of example 11.13 with post, start, complete and wait.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "example_grid.h"

static void iterate(struct grid *grid)
{
    for (int step = 0; step < GRID_STEPS; step++) {
        grid_update_all(grid->block);
        MPI_OK(MPI_Win_post(grid->neighbours, 0, grid->window.win));
        MPI_OK(MPI_Win_start(grid->neighbours, 0, grid->window.win));
        grid_put(grid);
        MPI_OK(MPI_Win_complete(grid->window.win));
        MPI_OK(MPI_Win_wait(grid->window.win));
        grid_check_step(grid, step);
    }
}

int main(int argc, char **argv)
{
    test_init(&argc, &argv);
    grid_run(iterate);
    return test_finish();
}
