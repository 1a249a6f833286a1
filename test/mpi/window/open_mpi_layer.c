/* What Open MPI's own layer decides about windows, whatever the component does: docs/conformance.md says so, and this
 * shows that the window is a good one all the same.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

static MPI_Info info_of(const char *key, const char *value)
{
    MPI_Info info;

    MPI_OK(MPI_Info_create(&info));
    MPI_OK(MPI_Info_set(info, key, value));
    return info;
}

/* A key that comes too late changes nothing: the window was made with locks. */
static void set_too_late(MPI_Win win)
{
    MPI_Info info = info_of("no_locks", "true");

    MPI_OK(MPI_Win_set_info(win, info));
    MPI_OK(MPI_Info_free(&info));
    MPI_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, test_neighbour(1), 0, win));
    MPI_OK(MPI_Win_unlock(test_neighbour(1), win));
}

/* Unknown keys do no harm, then or later. */
static void unknown_keys(void)
{
    MPI_Info info = info_of("colour_of_the_window", "green");
    int *memory;
    MPI_Win win;

    MPI_OK(MPI_Win_allocate(sizeof(int), sizeof(int), info, MPI_COMM_WORLD, &memory, &win));
    MPI_OK(MPI_Win_set_info(win, info));
    set_too_late(win);
    MPI_OK(MPI_Win_free(&win));
    MPI_OK(MPI_Info_free(&info));
}

/* An accumulate_ops that MPI does not know fails the creation, on all processes, and the next window is made. */
static void unknown_accumulate_ops(void)
{
    MPI_Info info = info_of("accumulate_ops", "some_of_them");
    int *memory;
    MPI_Win win = MPI_WIN_NULL;

    CHECK(MPI_SUCCESS != MPI_Win_allocate(sizeof(int), sizeof(int), info, MPI_COMM_SELF, &memory, &win),
          "accumulate_ops=some_of_them was taken");
    MPI_OK(MPI_Info_free(&info));
    MPI_OK(MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win));
    MPI_OK(MPI_Win_free(&win));
}

/* NULL is MPI_BOTTOM: a base from which a program may reach its memory by absolute addresses. */
static void null_base(void)
{
    MPI_Win win;

    MPI_OK(MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    MPI_OK(MPI_Win_fence(0, win));
    MPI_OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
    MPI_OK(MPI_Win_free(&win));
}

/* A block of length 0 is no element. But Open MPI's search for the one predefined type of an accumulate counts it. Puts
 * take the type, and so do accumulates where the search is better. */
static void empty_blocks(void)
{
    int lengths[2] = {0, 3}, values[3] = {1, 2, 3}, *memory, rc;
    MPI_Aint displacements[2] = {0, 0};
    MPI_Datatype parts[2] = {MPI_DOUBLE, MPI_INT}, type;
    MPI_Win win;

    MPI_Type_create_struct(2, lengths, displacements, parts, &type);
    MPI_Type_commit(&type);
    MPI_OK(MPI_Win_allocate(sizeof(values), sizeof(int), MPI_INFO_NULL, MPI_COMM_SELF, &memory, &win));
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    MPI_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win));
    MPI_OK(MPI_Put(values, 1, type, 0, 0, 1, type, win));
    MPI_OK(MPI_Win_flush(0, win));
    rc = MPI_Accumulate(values, 1, type, 0, 0, 1, type, MPI_SUM, win);
    MPI_OK(MPI_Win_unlock(0, win));
    for (int i = 0; i < 3; i++) {
        CHECK(values[i] * (MPI_SUCCESS == rc ? 2 : 1) == memory[i], "element %d is %d", i, memory[i]);
    }
    MPI_OK(MPI_Win_free(&win));
    MPI_Type_free(&type);
}

int main(int argc, char **argv)
{
    test_init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    unknown_keys();
    unknown_accumulate_ops();
    null_base();
    empty_blocks();
    return test_finish();
}
