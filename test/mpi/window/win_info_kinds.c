/* Keys that the component does not set. The kinds of memory, which Open MPI answers where it knows them, are a
 * window's as they are its communicator's. A key of another flavour of windows is not told.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

static void __attribute__((constructor)) ask_for_kinds(void)
{
    setenv("OMPI_MCA_mpi_memory_alloc_kinds", "system,mpi", 1); /* mpirun --memory-alloc-kinds of Open MPI 6.0 */
}

static void must_be(MPI_Info info, const char *key, const char *wanted)
{
    char value[MPI_MAX_INFO_VAL + 1] = "(none)";
    int found;

    MPI_Info_get(info, key, MPI_MAX_INFO_VAL, value, &found);
    CHECK(0 == strcmp(value, wanted), "%s is '%s', not '%s'", key, value, wanted);
}

static void check(MPI_Win win, const char *kinds)
{
    MPI_Info info;

    MPI_OK(MPI_Win_get_info(win, &info));
    must_be(info, "mpi_memory_alloc_kinds", kinds);
    must_be(info, "mpi_minimum_memory_alignment", "64");
    must_be(info, "alloc_shared_noncontig", "(none)");
    must_be(info, "unheard_of", "(none)");
    MPI_Info_free(&info);
}

int main(int argc, char **argv)
{
    char kinds[MPI_MAX_INFO_VAL + 1] = "(none)";
    MPI_Info info;
    void *memory;
    MPI_Win win;
    int found;

    test_init(&argc, &argv);
    MPI_OK(MPI_Comm_get_info(MPI_COMM_WORLD, &info));
    MPI_Info_get(info, "mpi_memory_alloc_kinds", MPI_MAX_INFO_VAL, kinds, &found);
    MPI_Info_free(&info);
    MPI_OK(MPI_Win_allocate(8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win));
    check(win, kinds);
    MPI_Info_create(&info);
    MPI_Info_set(info, "mpi_memory_alloc_kinds", "stone");
    MPI_Info_set(info, "alloc_shared_noncontig", "true");
    MPI_Info_set(info, "unheard_of", "true");
    if (OMPI_MAJOR_VERSION >= 5) { /* the name is too long for 4.1, which leaves it out then */
        MPI_Info_set(info, "mpi_minimum_memory_alignment", "128");
    }
    MPI_OK(MPI_Win_set_info(win, info));
    check(win, kinds);
    MPI_Info_free(&info);
    MPI_OK(MPI_Win_free(&win));
    return test_finish();
}
