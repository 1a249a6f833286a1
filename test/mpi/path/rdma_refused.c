/* Memory that UCX does not register, or allocate, on one process: its windows are reached by messages, the others' as
 * always, and one line says why.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The program has a ucp_mem_map of its own, which the component finds before UCX's.
 */
#include "output.h"

#include <dlfcn.h>
#include <ucp/api/ucp.h>

enum { SIZE = 300000 };

static int refuse_registering, refuse_allocating, refused;

__attribute__((visibility("default")))
ucs_status_t ucp_mem_map(ucp_context_h context, const ucp_mem_map_params_t *params, ucp_mem_h *memory_p)
{
    ucs_status_t (*next)(ucp_context_h, const ucp_mem_map_params_t *, ucp_mem_h *);
    int registers = 0 != (params->field_mask & UCP_MEM_MAP_PARAM_FIELD_ADDRESS);

    if (registers ? refuse_registering : refuse_allocating) {
        refused++;
        return UCS_ERR_IO_ERROR;
    }
    *(void **) &next = dlsym(RTLD_NEXT, "ucp_mem_map");
    return next(context, params, memory_p);
}

/** Put and get of everything, accumulates, and a lock, to everybody. */
static void use(MPI_Win win, unsigned char *memory, int round, const char *what)
{
    static unsigned char buffer[SIZE];
    int right = test_neighbour(1), left = test_neighbour(-1);
    int64_t one = 1, sum = -1;

    MPI_Win_fence(0, win);
    test_fill(buffer, SIZE, test_rank, round);
    MPI_OK(MPI_Put(buffer, SIZE, MPI_BYTE, right, 0, SIZE, MPI_BYTE, win));
    MPI_Win_fence(0, win);
    CHECK(test_differs(memory, SIZE, left, round) < 0, "%s: wrong bytes after the put", what);
    memset(buffer, 0, SIZE);
    MPI_OK(MPI_Get(buffer, SIZE, MPI_BYTE, right, 0, SIZE, MPI_BYTE, win));
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    CHECK(test_differs(buffer, SIZE, test_rank, round) < 0, "%s: got the wrong bytes", what);
    memset(memory, 0, sizeof(sum));
    MPI_Barrier(MPI_COMM_WORLD);
    for (int target = 0; target < test_size; target++) {
        MPI_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win));
        MPI_OK(MPI_Accumulate(&one, 1, MPI_INT64_T, target, 0, 1, MPI_INT64_T, MPI_SUM, win));
        MPI_OK(MPI_Win_unlock(target, win));
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_OK(MPI_Win_lock(MPI_LOCK_SHARED, right, 0, win));
    MPI_OK(MPI_Get(&sum, sizeof(sum), MPI_BYTE, right, 0, sizeof(sum), MPI_BYTE, win));
    MPI_OK(MPI_Win_unlock(right, win));
    CHECK(test_size == sum, "%s: the sum is %ld", what, (long) sum);
}

int main(int argc, char **argv)
{
    unsigned char *memory, *own = aligned_alloc(64, (SIZE + 63) / 64 * 64);
    struct test_output output;
    int lines, errors, all;
    MPI_Win win;

    setenv("OMPI_MCA_osc_ucp_kernel_copy", "0", 1); /* what the kernel copies does not need UCX */
    test_init(&argc, &argv);
    test_needs(2);
    test_output_catch(&output);
    refuse_registering = refuse_allocating = 1 == test_rank;
    for (int round = 0; round < 3; round++) {
        MPI_OK(MPI_Win_create(own, SIZE, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
        use(win, own, round, "MPI_Win_create");
        MPI_OK(MPI_Win_free(&win));
        MPI_OK(MPI_Win_allocate(SIZE, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win));
        use(win, memory, round, "MPI_Win_allocate");
        MPI_OK(MPI_Win_free(&win));
    }
    refuse_registering = refuse_allocating = 0;
    MPI_OK(MPI_Win_create(own, SIZE, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    use(win, own, 3, "MPI_Win_create afterwards");
    MPI_OK(MPI_Win_free(&win));
    test_output_count(&output, "is reached by messages", &lines, "ERROR", &errors);
    MPI_Allreduce(&refused, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK((all > 0) == lines && 0 == errors, "%d times refused, %d lines of ours, %d of UCX", all, lines, errors);
    CHECK(all > 0, "the program's ucp_mem_map was never called");
    free(own);
    return test_finish();
}
