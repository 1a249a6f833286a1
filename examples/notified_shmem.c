/* A broadcast in pieces around a ring, with put_signal and signal_wait_until, as programs that were written for
 * OpenSHMEM do.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Why this synchronization: shmem_put_signal raises a word of the target behind its data, and the target waits for that
 * word. A notification counter is such a word. The calls are those of the draft of MPI 5.1, in the library osc_ucp_ext
 * (docs/notified.md).
 *
 * Differences from OpenSHMEM: a signal is the number of a counter, not an address, and a put adds 1 to it
 * (SHMEM_SIGNAL_ADD). For SHMEM_SIGNAL_SET the value goes with the data, as in notified_gaspi.c.
 *
 * run:     make notified_shmem && mpirun -np 4 --mca osc ucp ./notified_shmem
 * output:  all processes have the 20000 numbers of process 0, in 100 pieces
 */

#include <osc_ucp_ext.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- the adapter ---- */

/* The symmetric heap: a window that is as large everywhere. */
static MPI_Win heap;
static char   *heap_base;

static void heap_init(MPI_Aint bytes, int signals)
{
    MPI_Info info;
    char     number[16];

    MPI_Info_create(&info);
    snprintf(number, sizeof(number), "%d", signals);
    MPI_Info_set(info, "mpi_assert_max_num_notify", number);
    MPI_Win_allocate(bytes, 1, info, MPI_COMM_WORLD, &heap_base, &heap);
    MPI_Info_free(&info);
    MPIX_Win_set_num_notify(heap, MPI_INFO_NULL, signals);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, heap); /* nobody ever locks exclusively */
}

static void heap_finalize(void)
{
    MPI_Win_unlock_all(heap);
    MPI_Win_free(&heap);
}

/* Return when "source" may change. When the data are at "dest" there, 1 is added to the signal of "pe". */
static void put_signal(void *dest, const void *source, int bytes, int signal, int pe)
{
    MPIX_Put_notify(source, bytes, MPI_BYTE, pe, (char *)dest - heap_base, bytes, MPI_BYTE, signal, heap);
    MPI_Win_flush_local(pe, heap);
}

/* Wait until an own signal is at least "value" (SHMEM_CMP_GE), and return what it is. */
static uint64_t signal_wait_until(int signal, uint64_t value)
{
    MPI_Count now;

    MPIX_Win_notify_wait(heap, signal, (MPI_Count)value, &now);
    return (uint64_t)now;
}

/* All puts are at their targets, and have been signalled. */
static void quiet(void)
{
    MPI_Win_flush_all(heap);
}

/* ---- the program ---- */

enum { N = 20000, PIECES = 100, PIECE = N / PIECES };

/* Pass each piece on when it is there. The last process of the ring has nobody to pass it to. */
static void broadcast(int64_t *numbers, int me, int size)
{
    for (int i = 0; i < PIECES; i++) {
        int64_t *piece = numbers + i * PIECE;

        if (me > 0) { /* pieces may overtake each other: each has a signal of its own */
            signal_wait_until(i, 1);
        }
        if (me < size - 1) {
            put_signal(piece, piece, PIECE * sizeof(int64_t), i, me + 1);
        }
    }
    quiet();
}

int main(int argc, char **argv)
{
    int      me, size, wrong = 0;
    int64_t *numbers;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    heap_init(N * sizeof(int64_t), PIECES);
    numbers = (int64_t *)heap_base;
    for (int i = 0; i < N && 0 == me; i++) { /* nobody puts into these */
        numbers[i] = i + 1;
    }
    broadcast(numbers, me, size);

    for (int i = 0; i < N; i++) {
        wrong += numbers[i] != i + 1;
    }
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (0 == me && 0 == wrong) {
        printf("all processes have the %d numbers of process 0, in %d pieces\n", N, PIECES);
    } else if (0 == me) {
        printf("wrong: %d numbers differ from those of process 0\n", wrong);
    }
    heap_finalize();
    MPI_Finalize();
    return 0 == wrong ? EXIT_SUCCESS : EXIT_FAILURE;
}
