/* The six operations: how each is called, and how it shows afterwards that all of them were done.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Puts and gets carry a pattern that depends on the size, so data of an earlier measurement do not pass. The
 * accumulating ones add one everywhere, so that the sums tell how many arrived.
 */

#include "bench.h"

#include <stdlib.h>
#include <string.h>

void bench_operation_begin(struct bench_operation *operation, enum bench_kind kind, int target)
{
    *operation = (struct bench_operation) { .kind = kind, .target = target };
    bench_window_make(&operation->window, BENCH_WINDOW_BYTES);
    MPI_Win_lock_all(0, operation->window.win);
    operation->data = bench_buffer();
    operation->result = bench_buffer();
}

void bench_operation_end(struct bench_operation *operation)
{
    MPI_Win_unlock_all(operation->window.win);
    bench_window_free(&operation->window);
    free(operation->data);
    free(operation->result);
}

static void fill(double *data, size_t count, double seed, bool pattern)
{
    for (size_t i = 0; i < count; i++) {
        data[i] = pattern ? seed + (double) i : seed;
    }
}

/* Are `count` doubles those that fill made of the seed and the pattern? */
static bool matches(const double *data, size_t count, double seed)
{
    for (size_t i = 0; i < count; i++) {
        if (data[i] != seed + (double) i) {
            return false;
        }
    }
    return true;
}

void bench_operation_size(struct bench_operation *operation, size_t bytes)
{
    size_t most = (BENCH_MOST_SLOTS + 1) * bytes, used = most < BENCH_WINDOW_BYTES ? most : BENCH_WINDOW_BYTES;
    bool   adds = BENCH_PUT != operation->kind && BENCH_GET != operation->kind;

    operation->bytes = bytes;
    operation->done = 0;
    operation->slots = 0;
    operation->used = used;
    fill(operation->data, used / sizeof(double), adds ? 1.0 : (double) bytes, !adds);
    memset(operation->result, 0, used);
    bench_window_clear(&operation->window, used);
    if (BENCH_GET == operation->kind) {
        memcpy(operation->window.base, operation->data, used);
        MPI_Win_sync(operation->window.win);
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

void bench_operation_issue(struct bench_operation *operation, size_t offset)
{
    static const int64_t one = 1;
    MPI_Win              win = operation->window.win;
    MPI_Aint             disp = bench_disp(&operation->window, operation->target, (MPI_Aint) offset);
    int                  target = operation->target, count = (int) (operation->bytes / sizeof(double));
    double              *data = operation->data + offset / sizeof(double);
    double              *result = operation->result + offset / sizeof(double);

    switch (operation->kind) {
    case BENCH_PUT:
        MPI_Put(data, count, MPI_DOUBLE, target, disp, count, MPI_DOUBLE, win);
        break;
    case BENCH_GET:
        MPI_Get(result, count, MPI_DOUBLE, target, disp, count, MPI_DOUBLE, win);
        break;
    case BENCH_ACC:
        MPI_Accumulate(data, count, MPI_DOUBLE, target, disp, count, MPI_DOUBLE, MPI_SUM, win);
        break;
    case BENCH_GACC:
        MPI_Get_accumulate(data, count, MPI_DOUBLE, result, count, MPI_DOUBLE, target, disp, count, MPI_DOUBLE, MPI_SUM,
                           win);
        break;
    case BENCH_FOP:
        MPI_Fetch_and_op(&one, result, MPI_INT64_T, target, disp, MPI_SUM, win);
        break;
    case BENCH_CAS: /* counts by swapping */
        operation->compare = operation->done;
        operation->swap = operation->done + 1;
        MPI_Compare_and_swap(&operation->swap, &operation->compare, result, MPI_INT64_T, target, disp, win);
    }
    operation->done++;
}

/* At the target: every slot holds the same number in all its elements, and they sum up to `total`. */
static bool adds_up(const struct bench_operation *operation, long total)
{
    size_t count = operation->bytes / sizeof(double);
    long   sum = 0;

    for (size_t first = 0; first + count <= operation->used / sizeof(double); first += count) {
        const int64_t *ints = (const int64_t *) operation->window.base + first;
        const double  *doubles = (const double *) operation->window.base + first;

        for (size_t i = 1; i < count; i++) {
            if (doubles[i] != doubles[0]) {
                return false;
            }
        }
        sum += operation->kind >= BENCH_FOP ? (long) ints[0] : (long) doubles[0];
    }
    return sum == total;
}

bool bench_operation_check(struct bench_operation *operation)
{
    long   total, slots;
    size_t touched;
    bool   right = true, pattern;

    MPI_Win_flush_all(operation->window.win);
    MPI_Allreduce(&operation->done, &total, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(&operation->slots, &slots, 1, MPI_LONG, MPI_MAX, MPI_COMM_WORLD);
    MPI_Win_sync(operation->window.win);
    touched = (size_t) slots * operation->bytes / sizeof(double);
    pattern = BENCH_PUT == operation->kind || BENCH_GET == operation->kind;
    if (BENCH_GET == operation->kind && operation->done > 0) {
        right = matches(operation->result, touched, (double) operation->bytes);
    }
    if (BENCH_PUT == operation->kind && bench.rank == operation->target) {
        right = matches((const double *) operation->window.base, touched, (double) operation->bytes) &&
                0.0 == ((const double *) operation->window.base)[touched];
    }
    if (!pattern && bench.rank == operation->target) {
        right = adds_up(operation, total);
    }
    /* A process that used one slot alone knows the last value that it must have got. */
    if (operation->done > 0 && operation->done == total && 1 == slots) {
        int64_t last = operation->kind >= BENCH_FOP ? *(int64_t *) operation->result : (int64_t) *operation->result;

        right = right && (operation->kind < BENCH_GACC || last == total - 1);
    }
    return right;
}
