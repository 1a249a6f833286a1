/* The same window in every flavour, so that a program can go through them all in one loop.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef WINDOWS_H
#define WINDOWS_H

#include "mpitest.h"

enum test_flavor { TEST_CREATE, TEST_ALLOCATE, TEST_SHARED, TEST_DYNAMIC, TEST_FLAVORS };

static const char *const test_flavor_name[TEST_FLAVORS] = {"create", "allocate", "shared", "dynamic"};

/** A window of the same size on every process, with disp_unit 1. */
struct test_window {
    MPI_Win win;
    unsigned char *base;     /**< this process's own memory, zeroed */
    MPI_Aint size;           /**< bytes per process */
    enum test_flavor flavor;
    MPI_Comm comm;
    MPI_Aint *origin;        /**< per rank: what target_disp starts from (addresses in a dynamic window) */
};

/** target_disp of byte `offset` of process `rank`. */
static inline MPI_Aint test_at(const struct test_window *window, int rank, MPI_Aint offset)
{
    return window->origin[rank] + offset;
}

/** Collective: can all processes of `comm` share memory? */
static inline int test_one_node(MPI_Comm comm)
{
    MPI_Comm node;
    int size, node_size, same, all;

    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_size(node, &node_size);
    MPI_Comm_size(comm, &size);
    MPI_Comm_free(&node);
    same = node_size == size;
    MPI_Allreduce(&same, &all, 1, MPI_INT, MPI_LAND, comm);
    return all;
}

/** Collective: is there such a window over `comm`? (Only the flavours in TEST_FLAVORS, if that is set: not every
 *  component that one may compare with has them all.) */
static inline int test_has_flavor(MPI_Comm comm, enum test_flavor flavor)
{
    const char *only = getenv("TEST_FLAVORS");

    if (NULL != only && NULL == strstr(only, test_flavor_name[flavor])) {
        return 0;
    }
    return TEST_SHARED != flavor || test_one_node(comm);
}

/** Collective over `comm`: make a window of `size` bytes per process, zeroed; visible to all on return. `unit`: this
 *  process's disp_unit, but in a dynamic window. */
static inline void test_window_open_unit(struct test_window *window, enum test_flavor flavor, MPI_Aint size, int unit,
                                         MPI_Info info, MPI_Comm comm)
{
    MPI_Aint mine = 0;
    int processes;

    window->flavor = flavor;
    window->size = size;
    window->comm = comm;
    window->base = NULL;
    MPI_Comm_size(comm, &processes);
    window->origin = malloc(processes * sizeof(MPI_Aint));
    switch (flavor) {
    case TEST_CREATE:
        window->base = malloc(size + 1);
        MPI_OK(MPI_Win_create(window->base, size, unit, info, comm, &window->win));
        break;
    case TEST_ALLOCATE:
        MPI_OK(MPI_Win_allocate(size, unit, info, comm, &window->base, &window->win));
        break;
    case TEST_SHARED:
        MPI_OK(MPI_Win_allocate_shared(size, unit, info, comm, &window->base, &window->win));
        break;
    default:
        window->base = malloc(size + 1);
        MPI_OK(MPI_Win_create_dynamic(info, comm, &window->win));
        MPI_OK(MPI_Win_attach(window->win, window->base, size));
        MPI_Get_address(window->base, &mine);
    }
    memset(window->base, 0, size);
    MPI_Allgather(&mine, 1, MPI_AINT, window->origin, 1, MPI_AINT, comm);
    MPI_Win_fence(MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED, window->win);
}

/** The same with disp_unit 1. */
static inline void test_window_open(struct test_window *window, enum test_flavor flavor, MPI_Aint size,
                                    MPI_Info info, MPI_Comm comm)
{
    test_window_open_unit(window, flavor, size, 1, info, comm);
}

/** Collective: the end of the window and of its memory. */
static inline void test_window_close(struct test_window *window)
{
    if (TEST_DYNAMIC == window->flavor) {
        MPI_OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, window->win)); /* the others are done with it */
        MPI_OK(MPI_Win_detach(window->win, window->base));
    }
    MPI_OK(MPI_Win_free(&window->win));
    if (TEST_CREATE == window->flavor || TEST_DYNAMIC == window->flavor) {
        free(window->base);
    }
    free(window->origin);
}

/** What MPI_Win_get_info tells of the alignment of a window's memory, bytes; 0: nothing. */
static inline unsigned long test_alignment_told(MPI_Win win)
{
    char value[MPI_MAX_INFO_VAL + 1];
    MPI_Info info;
    int found;

    MPI_OK(MPI_Win_get_info(win, &info));
    MPI_Info_get(info, "mpi_minimum_memory_alignment", MPI_MAX_INFO_VAL, value, &found);
    MPI_Info_free(&info);
    return found ? strtoul(value, NULL, 10) : 0;
}

/** A started handle of the window's counter `name`. Skips the program where there is no such counter. */
static inline MPI_T_pvar_handle test_window_counter(MPI_T_pvar_session session, const char *name, MPI_Win win)
{
    /* Open MPI 6.0.0rc2 takes the address of a window's handle for the window itself, and reads flags behind it: one
     * that is set there would make the window an invalid one. */
    struct { MPI_Win win; char zeros[1024]; } object = { .win = win };
    MPI_T_pvar_handle handle;
    int index, count;

    if (MPI_SUCCESS != MPI_T_pvar_get_index(name, MPI_T_PVAR_CLASS_COUNTER, &index)) {
        test_skip("no osc/ucp here");
    }
    MPI_OK(MPI_T_pvar_handle_alloc(session, index, &object, &handle, &count));
    CHECK(1 == count, "%s has %d values", name, count);
    MPI_OK(MPI_T_pvar_start(session, handle));
    return handle;
}

#endif /* WINDOWS_H */
