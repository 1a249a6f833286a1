/* A value that a key cannot have is not what MPI_Win_get_info tells: the value in force is.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

static void must_be(MPI_Win win, const char *key, const char *wanted)
{
    char value[MPI_MAX_INFO_VAL + 1] = "(none)";
    MPI_Info info;
    int found;

    MPI_OK(MPI_Win_get_info(win, &info));
    MPI_Info_get(info, key, MPI_MAX_INFO_VAL, value, &found);
    CHECK(found && 0 == strcmp(value, wanted), "%s is '%s', not '%s'", key, value, wanted);
    MPI_Info_free(&info);
}

int main(int argc, char **argv)
{
    MPI_Info info;
    void *memory;
    MPI_Win win;

    test_init(&argc, &argv);
    MPI_Info_create(&info);
    MPI_Info_set(info, "accumulate_ordering", "sideways");
    MPI_Info_set(info, "mpi_minimum_memory_alignment", "3");
    MPI_OK(MPI_Win_allocate(8, 1, info, MPI_COMM_WORLD, &memory, &win));
    must_be(win, "accumulate_ordering", "rar,raw,war,waw");
    must_be(win, "mpi_minimum_memory_alignment", "64");
    MPI_Info_free(&info);
    MPI_OK(MPI_Win_free(&win));
    return test_finish();
}
