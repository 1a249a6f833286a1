/* Buckets are exchanged with write_notify and notify_waitsome, as programs that were written for GASPI do.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Why this synchronization: a GASPI notification has a value, which the writer chooses, and a target that waits for any
 * of a range of notifications. Here it is a counter, which says that there is one, and a word of the window, which has
 * the value. A counter tells of the data of its own operation only: so the data and the value are one put, with a
 * derived datatype. The calls are those of the draft of MPI 5.1, in the library osc_ucp_ext (docs/notified.md).
 *
 * Differences from GASPI: a segment is a window, queues are not needed (flush), and two writers must not use the same
 * notification at the same time.
 *
 * run:     make notified_gaspi && mpirun -np 4 --mca osc ucp ./notified_gaspi
 * output:  1000 numbers are sorted, each by the process whose bucket it is in
 */

#include <osc_ucp_ext.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- the adapter ---- */

/* A window whose first words are the values of its notifications. Displacements are in bytes behind them. */
typedef struct {
    MPI_Win  window;
    char    *memory;
    int64_t *values;
} segment_t;

static segment_t segment_create(MPI_Aint bytes, int notifications)
{
    segment_t segment;
    MPI_Info  info;
    char      number[16];

    MPI_Info_create(&info);
    snprintf(number, sizeof(number), "%d", notifications);
    MPI_Info_set(info, "mpi_assert_max_num_notify", number);
    MPI_Win_allocate(notifications * (MPI_Aint)sizeof(int64_t) + bytes, 1, info, MPI_COMM_WORLD, &segment.values,
                     &segment.window);
    MPI_Info_free(&info);
    segment.memory = (char *)(segment.values + notifications);
    MPIX_Win_set_num_notify(segment.window, MPI_INFO_NULL, notifications);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, segment.window); /* nobody ever locks exclusively */
    return segment;
}

/* The bytes go to "at" in the segment of "rank", and notification "id" gets a value that is not 0. */
static void write_notify(const segment_t *segment, const void *data, int bytes, int rank, MPI_Aint at, int id,
                         int64_t value)
{
    int          lengths[] = {bytes, sizeof(value)};
    MPI_Aint     from[2], to[] = {(segment->memory - (char *)segment->values) + at, id * (MPI_Aint)sizeof(value)};
    MPI_Datatype origin, target;

    MPI_Get_address(data, &from[0]);
    MPI_Get_address(&value, &from[1]);
    MPI_Type_create_hindexed(2, lengths, from, MPI_BYTE, &origin);
    MPI_Type_create_hindexed(2, lengths, to, MPI_BYTE, &target);
    MPI_Type_commit(&origin);
    MPI_Type_commit(&target);
    MPIX_Put_notify(MPI_BOTTOM, 1, origin, rank, 0, 1, target, id, segment->window);
    MPI_Win_flush_local(rank, segment->window); /* "value" ends here */
    MPI_Type_free(&origin);
    MPI_Type_free(&target);
}

/* Wait for one of "n" notifications from "first" on; which one it is. */
static int notify_waitsome(const segment_t *segment, int first, int n)
{
    for (int i = 0;; i = (i + 1) % n) {
        MPI_Count raised;

        MPIX_Win_get_notify_value(segment->window, first + i, &raised);
        if (raised > 0) {
            return first + i;
        }
    }
}

/* The notification's value; 0 if there is none. There is none then. */
static int64_t notify_reset(const segment_t *segment, int id)
{
    MPI_Count raised;

    MPIX_Win_reset_notify_value(segment->window, id, &raised);
    return 0 == raised ? 0 : segment->values[id];
}

/* ---- the program ---- */

enum { N = 1000 };

/* Number i of all, 0 to N - 1 in disorder, and the process that sorts it. */
static int number(int i)
{
    return (int)((i * 389L + 17) % N);
}

static int bucket_of(int number, int size)
{
    return (int)((long)number * size / N);
}

static int by_value(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

/* Send each process what I have for it, at the place that it has for me: the value is how many there are, and 1. */
static void send(const segment_t *segment, int me, int size)
{
    for (int to = 0; to < size; to++) {
        int bucket[N], n = 0;

        for (int i = me; i < N; i += size) {
            if (bucket_of(number(i), size) == to) {
                bucket[n++] = number(i);
            }
        }
        write_notify(segment, bucket, n * (int)sizeof(int), to, (MPI_Aint)sizeof(int) * N * me, me, n + 1);
    }
    MPI_Win_flush_all(segment->window); /* the last ones leave now, too */
}

/* Take the buckets in the order in which they arrive. How many numbers that are. */
static int receive(const segment_t *segment, int *sorted, int size)
{
    int n = 0;

    for (int left = size; left > 0; left--) {
        int        from = notify_waitsome(segment, 0, size);
        const int *bucket = (const int *)segment->memory + N * from;

        for (int i = (int)notify_reset(segment, from) - 1; i > 0; i--) {
            sorted[n++] = *bucket++;
        }
    }
    qsort(sorted, n, sizeof(int), by_value);
    return n;
}

int main(int argc, char **argv)
{
    int me, size, sorted[N], wrong = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    segment_t segment = segment_create((MPI_Aint)sizeof(int) * N * size, size);
    send(&segment, me, size);
    int n = receive(&segment, sorted, size);

    int first = (int)(((long)N * me + size - 1) / size), last = (int)(((long)N * (me + 1) + size - 1) / size);
    wrong = n != last - first;
    for (int i = 0; i < n && 0 == wrong; i++) {
        wrong = sorted[i] != first + i;
    }
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (0 == me && 0 == wrong) {
        printf("%d numbers are sorted, each by the process whose bucket it is in\n", N);
    } else if (0 == me) {
        printf("wrong: %d processes do not have the numbers of their bucket\n", wrong);
    }
    MPI_Win_unlock_all(segment.window);
    MPI_Win_free(&segment.window);
    MPI_Finalize();
    return 0 == wrong ? EXIT_SUCCESS : EXIT_FAILURE;
}
