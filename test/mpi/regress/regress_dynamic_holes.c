/* A put into a dynamic window takes about as long if there is a hole between two attached regions that its target type
 * reaches as without one. The hole made it grow with the square of the elements: for so many, 20 times as long.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mpitest.h"

enum { ELEMENTS = 800000, MARGIN = 4096, ROUNDS = 3, SLOWER = 10 };

/** Half of the elements from `near`, half from `far` on, each 16 bytes behind the one before. */
static MPI_Datatype two_halves(int elements, MPI_Aint apart)
{
    MPI_Datatype half, both;

    MPI_Type_vector(elements / 2, 1, 2, MPI_DOUBLE, &half);
    MPI_Type_create_hvector(2, 1, apart, half, &both);
    MPI_Type_commit(&both);
    MPI_Type_free(&half);
    return both;
}

static void check_arrived(const char *memory, MPI_Aint apart, int elements)
{
    int half = elements / 2;
    const double *first = (const double *) memory, *second = (const double *) (memory + apart);

    for (int i = 0; i < half; i++) {
        CHECK(i == first[2 * i] && half + i == second[2 * i], "element %d of %d is wrong", i, elements);
    }
}

/** Seconds of a put. */
static double put(const double *source, MPI_Aint at, int elements, MPI_Datatype type, MPI_Win win)
{
    double begin = MPI_Wtime();

    MPI_OK(MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win));
    MPI_OK(MPI_Put(source, elements, MPI_DOUBLE, 1, at, 1, type, win));
    MPI_OK(MPI_Win_unlock(1, win));
    return MPI_Wtime() - begin;
}

/** Rank 0 puts so many elements to rank 1, whose memory has a hole, or not. Its seconds. Collective. */
static double put_across(MPI_Win win, int elements, int hole)
{
    MPI_Aint each = (MPI_Aint) elements * (MPI_Aint) sizeof(double) + MARGIN, at;
    char *memory = calloc(3, (size_t) each);
    double *source = malloc((size_t) elements * sizeof(double)), seconds = 0;
    MPI_Datatype type = two_halves(elements, 2 * each);

    for (int i = 0; i < elements; i++) {
        source[i] = i;
    }
    MPI_OK(MPI_Win_attach(win, memory, hole ? each : 3 * each));
    if (hole) {
        MPI_OK(MPI_Win_attach(win, memory + 2 * each, each));
    }
    MPI_OK(MPI_Get_address(memory, &at));
    MPI_OK(MPI_Bcast(&at, 1, MPI_AINT, 1, MPI_COMM_WORLD));
    MPI_OK(MPI_Barrier(MPI_COMM_WORLD));
    if (0 == test_rank) {
        seconds = put(source, at, elements, type, win);
    }
    MPI_OK(MPI_Barrier(MPI_COMM_WORLD));
    if (1 == test_rank) {
        check_arrived(memory, 2 * each, elements);
    }
    MPI_OK(MPI_Win_detach(win, memory));
    if (hole) {
        MPI_OK(MPI_Win_detach(win, memory + 2 * each));
    }
    MPI_Type_free(&type);
    free(source);
    free(memory);
    return seconds;
}

int main(int argc, char **argv)
{
    double holes = 1e9, whole = 0, seconds; /* the shortest and the longest, because the machine may be loaded */
    MPI_Win win;

    test_init(&argc, &argv);
    test_needs(2);
    MPI_OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    for (int i = 0; i < ROUNDS; i++) {
        seconds = put_across(win, ELEMENTS, 0);
        whole = seconds > whole ? seconds : whole;
        seconds = put_across(win, ELEMENTS, 1);
        holes = seconds < holes ? seconds : holes;
    }
    CHECK(holes <= SLOWER * whole || 0 != test_rank, "%.3f s with a hole, %.3f s without", holes, whole);
    MPI_OK(MPI_Win_free(&win));
    return test_finish();
}
