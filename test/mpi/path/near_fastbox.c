/* Operations of up to 8 KiB, each with its flush, on targets of the same node. The targets poll inside MPI, poll now
 * and then, compute, or are stopped; they are origins, too. There are more origins than fastboxes. Each operation
 * returns the right data and leaves the right memory, also behind many operations that nobody waited for. A target that
 * polls takes packets from shared memory.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "polled.h"

/** MANY accumulates fill a packet. The next packet may use a fastbox, and must not overtake the full one. */
enum { CELLS = 8, MANY = 681 };

/** Elements that may be too many for a packet that is handed over, and, twice, for the replies. */
enum { LONG = 1040 };

/** Each rank has CELLS, and then LONG elements, of its own at each target, and all share the last one, which counts. */
static int64_t *memory, value[CELLS], counted, series[LONG];
static MPI_Win win;

/** Another window, for epochs of one lock: a cell that counts them, and one for each rank. */
static int64_t *other_memory, locked;
static MPI_Win other;
static MPI_Aint base;
static MPI_Aint *bases; /* by rank: of a dynamic window, else 0 */

static MPI_Aint at(int target, int cell)
{
    return bases[target] + (MPI_Aint) sizeof(int64_t) * (test_rank * (CELLS + LONG) + cell);
}

static MPI_Aint shared_at(int target)
{
    return bases[target] + (MPI_Aint) sizeof(int64_t) * (test_size * (CELLS + LONG));
}

static void put(int target, int cell, int64_t what)
{
    MPI_OK(MPI_Put(&what, 1, MPI_INT64_T, target, at(target, cell), 1, MPI_INT64_T, win));
    MPI_OK(MPI_Win_flush(target, win));
    value[cell] = what;
}

static void must_be(int target, int cell)
{
    int64_t got = -1;

    MPI_OK(MPI_Get(&got, 1, MPI_INT64_T, target, at(target, cell), 1, MPI_INT64_T, win));
    MPI_OK(MPI_Win_flush(target, win));
    CHECK(value[cell] == got, "cell %d at %d is %lld, not %lld", cell, target, (long long) got,
          (long long) value[cell]);
}

static void returned(int target, int cell, int64_t got, const char *what)
{
    CHECK(value[cell] == got, "%s at cell %d of %d returned %lld, not %lld", what, cell, target, (long long) got,
          (long long) value[cell]);
}

static void fetch_add(int target, int cell, int64_t what)
{
    int64_t got = -1;

    MPI_OK(MPI_Fetch_and_op(&what, &got, MPI_INT64_T, target, at(target, cell), MPI_SUM, win));
    MPI_OK(MPI_Win_flush(target, win));
    returned(target, cell, got, "fetch_and_op");
    value[cell] += what;
}

static void look(int target, int cell)
{
    int64_t got = -1;

    MPI_OK(MPI_Fetch_and_op(NULL, &got, MPI_INT64_T, target, at(target, cell), MPI_NO_OP, win));
    MPI_OK(MPI_Win_flush(target, win));
    returned(target, cell, got, "fetch_and_op with MPI_NO_OP");
}

static void swap(int target, int cell, int64_t compare, int64_t what)
{
    int64_t got = -1;

    MPI_OK(MPI_Compare_and_swap(&what, &compare, &got, MPI_INT64_T, target, at(target, cell), win));
    MPI_OK(MPI_Win_flush(target, win));
    returned(target, cell, got, "compare_and_swap");
    value[cell] = got == compare ? what : got;
}

/** A packet full, and then what asks for all of it. */
static void add_many(int target, int cell)
{
    int64_t one = 1, got[4] = { 0 };

    for (int n = 0; n < MANY; n++) {
        MPI_OK(MPI_Accumulate(&one, 1, MPI_INT64_T, target, at(target, cell), 1, MPI_INT64_T, MPI_SUM, win));
    }
    value[cell] += MANY;
    for (int n = 0; n < 4; n++) {
        MPI_OK(MPI_Get_accumulate(NULL, 0, MPI_INT64_T, &got[n], 1, MPI_INT64_T, target, at(target, cell), 1,
                                  MPI_INT64_T, MPI_NO_OP, win));
    }
    MPI_OK(MPI_Win_flush(target, win));
    for (int n = 0; n < 4; n++) {
        returned(target, cell, got[n], "get_accumulate");
    }
}

static void must_be_series(const int64_t *got, int len, int target, const char *what)
{
    for (int i = 0; i < len; i++) {
        CHECK(series[i] == got[i], "%s of %d at %d returned %lld at %d, not %lld", what, len, target,
              (long long) got[i], i, (long long) series[i]);
    }
}

/** What has no room in a place alone, or none at all. */
static void at_length(int target, int len)
{
    static int64_t data[LONG], got[2][LONG];

    for (int i = 0; i < len; i++) {
        series[i] = data[i] = 1000 * test_rank + len + i;
    }
    MPI_OK(MPI_Put(data, len, MPI_INT64_T, target, at(target, CELLS), len, MPI_INT64_T, win));
    MPI_OK(MPI_Win_flush(target, win));
    for (int n = 0; n < 2; n++) {
        MPI_OK(MPI_Get(got[n], len, MPI_INT64_T, target, at(target, CELLS), len, MPI_INT64_T, win));
    }
    MPI_OK(MPI_Win_flush(target, win));
    must_be_series(got[0], len, target, "the first get");
    must_be_series(got[1], len, target, "the second get");
    MPI_OK(MPI_Get_accumulate(data, len, MPI_INT64_T, got[0], len, MPI_INT64_T, target, at(target, CELLS), len,
                              MPI_INT64_T, MPI_SUM, win));
    MPI_OK(MPI_Win_flush(target, win));
    must_be_series(got[0], len, target, "get_accumulate");
    for (int i = 0; i < len; i++) {
        series[i] += data[i];
    }
    MPI_OK(MPI_Get(got[1], len, MPI_INT64_T, target, at(target, CELLS), len, MPI_INT64_T, win));
    MPI_OK(MPI_Win_flush(target, win));
    must_be_series(got[1], len, target, "a get");
}

/** Two epochs in the other window. */
static void lock(int target, int type, int64_t what)
{
    int64_t got = -1, one = 1;
    MPI_Aint mine = (MPI_Aint) sizeof(int64_t) * (1 + test_rank);

    MPI_OK(MPI_Win_lock(type, target, 0, other));
    MPI_OK(MPI_Put(&what, 1, MPI_INT64_T, target, mine, 1, MPI_INT64_T, other));
    MPI_OK(MPI_Accumulate(&one, 1, MPI_INT64_T, target, 0, 1, MPI_INT64_T, MPI_SUM, other));
    MPI_OK(MPI_Win_unlock(target, other));
    MPI_OK(MPI_Win_lock(type, target, 0, other));
    MPI_OK(MPI_Get(&got, 1, MPI_INT64_T, target, mine, 1, MPI_INT64_T, other));
    MPI_OK(MPI_Win_unlock(target, other));
    CHECK(what == got, "%lld was put in a lock epoch, and %lld is there", (long long) what, (long long) got);
    locked++;
}

static void count(int target)
{
    int64_t one = 1;

    MPI_OK(MPI_Accumulate(&one, 1, MPI_INT64_T, target, shared_at(target), 1, MPI_INT64_T, MPI_SUM, win));
    MPI_OK(MPI_Win_flush_all(win));
    counted++;
}

static void work(int target, int n)
{
    /* Just fitting, and not: a put and a get in a place, two gets in place and room. */
    static const int lengths[] = { 17, 18, 11, 12, 520, 521, 1024, LONG };

    put(target, n % CELLS, 1000 * n + test_rank);
    must_be(target, n % CELLS);
    fetch_add(target, (n + 1) % CELLS, n);
    look(target, (n + 2) % CELLS);
    swap(target, n % CELLS, value[n % CELLS] + n % 2, n);
    must_be(target, n % CELLS);
    count(target);
    at_length(target, 0 == n % 2 ? 1 + 37 * n % LONG : lengths[n / 2 % (int) (sizeof(lengths) / sizeof(lengths[0]))]);
    lock(target, 0 == n % 3 ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, n);
    if (0 == n % 32) {
        add_many(target, (n + 3) % CELLS);
    }
}

static void work_at_first(int n)
{
    work(0, n);
}

/** All work at their neighbours at once, which do nothing but wait for theirs. */
static void ring(int rounds)
{
    int target = test_neighbour(1);

    memset(value, 0, sizeof(value));
    for (int cell = 0; cell < CELLS; cell++) {
        put(target, cell, 0);
    }
    for (int n = 0; n < rounds; n++) {
        work(target, n);
    }
    MPI_OK(MPI_Barrier(MPI_COMM_WORLD));
}

static void window_open(int dynamic)
{
    size_t bytes = sizeof(int64_t) * (size_t) (test_size * (CELLS + LONG) + 1);

    memory  = calloc(1, bytes);
    base    = 0;
    counted = locked = 0;
    memset(value, 0, sizeof(value));
    if (dynamic) {
        MPI_OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win));
        MPI_OK(MPI_Win_attach(win, memory, (MPI_Aint) bytes));
        MPI_OK(MPI_Get_address(memory, &base));
    } else {
        MPI_OK(MPI_Win_create(memory, (MPI_Aint) bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    }
    MPI_OK(MPI_Allgather(&base, 1, MPI_AINT, bases, 1, MPI_AINT, MPI_COMM_WORLD));
    MPI_OK(MPI_Win_lock_all(0, win));
    other_memory = calloc(1 + (size_t) test_size, sizeof(int64_t));
    MPI_OK(MPI_Win_create(other_memory, (MPI_Aint) sizeof(int64_t) * (1 + test_size), 1, MPI_INFO_NULL, MPI_COMM_WORLD,
                          &other));
}

/** The counts that are everywhere must be those that all made. */
static void compare(int64_t here, int64_t made)
{
    int64_t mine[2] = { here, made }, all[2] = { 0 };

    MPI_OK(MPI_Allreduce(mine, all, 2, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD));
    CHECK(all[0] == all[1], "%lld were counted, of %lld", (long long) all[0], (long long) all[1]);
}

static void window_close(int dynamic)
{
    MPI_OK(MPI_Win_unlock_all(win));
    MPI_OK(MPI_Win_free(&other));
    compare(memory[test_size * (CELLS + LONG)], counted);
    compare(other_memory[0], locked);
    free(other_memory);
    if (dynamic) {
        MPI_OK(MPI_Win_detach(win, memory));
    }
    MPI_OK(MPI_Win_free(&win));
    free(memory);
}

int main(int argc, char **argv)
{
    struct test_counter taken = { .open = 0 };
    int one_node;

    setenv("OMPI_MCA_mpi_yield_when_idle", "0", 1); /* who yields is handed nothing */
    setenv("OMPI_MCA_osc_ucp_kernel_copy", "0", 1); /* nor is who copies */
    test_init(&argc, &argv);
    test_needs(2);
    one_node = test_one_node(MPI_COMM_WORLD);
    bases = calloc((size_t) test_size, sizeof(*bases));
#ifndef __SANITIZE_ADDRESS__
    test_counter_open(&taken, "osc_ucp_packets_taken");
#endif
    for (int dynamic = 0; dynamic < 2; dynamic++) {
        window_open(dynamic);
        if (polled_so(0 == dynamic && taken.open && one_node && polled_possible())) {
            polled_counts(work_at_first, 0.1, &taken);
        } else {
            polled_phase(work_at_first, 0, 0, 0.1);
        }
        polled_phase(work_at_first, 20e-6, 0, 0.1);
        polled_phase(work_at_first, 2e-3, 0, 0.1);
        polled_phase(work_at_first, 0, 1, 0.2);
        ring(test_size > 4 ? 5 : 50);
        window_close(dynamic);
    }
    if (taken.open) {
        test_counter_close(&taken);
    }
    free(bases);
    return test_finish();
}
