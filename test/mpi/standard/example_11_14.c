/* Example 11.14: an iteration that gets the neighbours' edges between fences, while it updates its core.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "example_grid.h"

static void iterate(struct grid *grid)
{
    for (int step = 0; step < GRID_STEPS; step++) {
        struct grid_block old = *grid->block;

        grid_update_boundary(grid->block, &old);
        MPI_OK(MPI_Win_fence(MPI_MODE_NOPUT | MPI_MODE_NOPRECEDE, grid->window.win));
        grid_get(grid);
        grid_update_core(grid->block, &old);
        MPI_OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, grid->window.win));
        grid_check_step(grid, step);
    }
}

int main(int argc, char **argv)
{
    test_init(&argc, &argv);
    grid_run(iterate);
    return test_finish();
}
