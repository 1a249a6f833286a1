/* Derived types whose strides and bounds exceed 2^31 bytes, on every side and by every call, and one of so many blocks
 * that a component may list them; few pages are touched.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"
#include <sys/mman.h>

enum { BLOCKS = 3, PIECES = 600 };

static const MPI_Aint stride = ((MPI_Aint) 1 << 31) + 4096 + 8, size = 3 * (((MPI_Aint) 1 << 31) + 8192);

/* Memory that is there only where it is touched. */
static char *sparse(void)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (MAP_FAILED == memory) {
        perror("mmap");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return memory;
}

static long *at(char *area, int block)
{
    return (long *) (area + block * stride);
}

static MPI_Datatype far_type(void)
{
    MPI_Datatype type;

    MPI_Type_create_hvector(BLOCKS, 1, stride, MPI_LONG, &type);
    MPI_Type_commit(&type);
    return type;
}

static void check_block(char *area, int which, long first, const char *what)
{
    for (int block = 0; block < BLOCKS; block++) {
        CHECK(first + block == *at(area, block), "window %d: %s: block %d is %ld, not %ld", which, what, block,
              *at(area, block), first + block);
    }
}

static void use(MPI_Win win, MPI_Aint disp, int target, char *origin, char *result, int which)
{
    MPI_Datatype type = far_type();
    MPI_Request request;

    for (int block = 0; block < BLOCKS; block++) {
        *at(origin, block) = 100 + block;
        *at(result, block) = -1;
    }
    MPI_Put(origin, 1, type, target, disp, 1, type, win);
    MPI_Win_flush(target, win);
    MPI_Get(result, 1, type, target, disp, 1, type, win);
    MPI_Win_flush(target, win);
    check_block(result, which, 100, "get");
    for (int block = 0; block < BLOCKS; block++) {
        *at(origin, block) = 1000;
    }
    MPI_Accumulate(origin, 1, type, target, disp, 1, type, MPI_SUM, win);
    MPI_Get_accumulate(origin, 1, type, result, 1, type, target, disp, 1, type, MPI_SUM, win);
    MPI_Win_flush(target, win);
    check_block(result, which, 1100, "get_accumulate");
    MPI_Rget(result, 1, type, target, disp, 1, type, win, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    check_block(result, which, 2100, "rget");
    MPI_Fetch_and_op(at(origin, 2), at(result, 0), MPI_LONG, target, disp + 2 * stride, MPI_SUM, win);
    MPI_Win_flush(target, win);
    CHECK(2102 == *at(result, 0), "window %d: fetched %ld", which, *at(result, 0));
    MPI_Type_free(&type);
}

/** Where a piece of a long list is: to and fro between three places that are far apart, without a common distance. */
static MPI_Aint piece_at(int i)
{
    return (i + 1) % BLOCKS * stride + (MPI_Aint) sizeof(int) * (2 * i + i % 7 % 2);
}

static void use_list(MPI_Win win, MPI_Aint disp, int target, char *origin, char *result, int which)
{
    static MPI_Aint places[PIECES];
    MPI_Datatype type;
    int wrong = 0;

    for (int i = 0; i < PIECES; i++) {
        places[i] = piece_at(i);
        *(int *) (origin + places[i]) = 7 * i;
        *(int *) (result + places[i]) = -1;
    }
    MPI_Type_create_hindexed_block(PIECES, 1, places, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Put(origin, 1, type, target, disp, 1, type, win);
    MPI_Win_flush(target, win);
    MPI_Get(result, 1, type, target, disp, 1, type, win);
    MPI_Win_flush(target, win);
    for (int i = 0; i < PIECES; i++) {
        wrong += 7 * i != *(int *) (result + places[i]);
    }
    CHECK(0 == wrong, "window %d: %d of %d pieces are wrong", which, wrong, PIECES);
    MPI_Type_free(&type);
}

int main(int argc, char **argv)
{
    char *memory, *origin, *result;
    MPI_Aint address = 0, *addresses;
    MPI_Win win;

    test_init(&argc, &argv);
    addresses = calloc(test_size, sizeof(*addresses));
    memory = sparse();
    origin = sparse();
    result = sparse();
    for (int which = 0; which < 3; which++) {
        int target = test_neighbour(1);

        if (!test_has_flavor(MPI_COMM_WORLD, 2 == which ? TEST_DYNAMIC : 1 == which ? TEST_ALLOCATE : TEST_CREATE)) {
            continue;
        }
        if (0 == which) {
            MPI_Win_create(memory, size, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
        } else if (1 == which) {
            char *own;

            MPI_Win_allocate(size, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &own, &win);
        } else {
            MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
            MPI_Win_attach(win, memory, size);
            MPI_Get_address(memory, &address);
        }
        MPI_Allgather(&address, 1, MPI_AINT, addresses, 1, MPI_AINT, MPI_COMM_WORLD);
        MPI_Win_lock_all(0, win);
        use(win, addresses[target], target, origin, result, which);
        MPI_Barrier(MPI_COMM_WORLD);
        use_list(win, addresses[target], target, origin, result, which);
        MPI_Win_unlock_all(win);
        MPI_Win_free(&win);
    }
    munmap(memory, size);
    munmap(origin, size);
    munmap(result, size);
    free(addresses);
    return test_finish();
}
