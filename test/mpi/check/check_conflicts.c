/* The checker tells of operations on the same bytes that nothing orders, and of nothing in the correct twins.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "findings.h"

enum { CELLS = 1 << 15, COLUMNS = 64, ROWS = CELLS / COLUMNS };

static MPI_Win win;
static int data[CELLS], results[CELLS];
static MPI_Datatype column, block;

/* All on rank 0. */

static void put(int at, int count)
{
    MPI_Put(data, count, MPI_INT, 0, at, count, MPI_INT, win);
}

static void get(int at, int count)
{
    MPI_Get(results, count, MPI_INT, 0, at, count, MPI_INT, win);
}

static void accumulate(int at, MPI_Op op)
{
    MPI_Accumulate(data, 1, MPI_INT, 0, at, 1, MPI_INT, op, win);
}

static void column_put(int at)
{
    MPI_Put(data, ROWS, MPI_INT, 0, at, 1, column, win);
}

static void fence(void)
{
    MPI_Win_fence(0, win);
}

static void meet(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Of one process, the last, with itself, in lock_all. */

static void own_puts(void)
{
    put(0, 8);
    put(7, 8);
}

static void own_puts_beside(void)
{
    put(0, 8);
    put(8, 8);
}

static void own_puts_flushed(void)
{
    put(0, 8);
    MPI_Win_flush(0, win);
    put(7, 8);
    MPI_Win_flush_all(win);
    put(7, 8);
}

static void own_puts_flushed_local(void)
{
    put(0, 8);
    MPI_Win_flush_local(0, win);
    put(7, 8);
}

static void own_get_put(void)
{
    get(0, 8);
    put(7, 1);
}

static void own_get_put_local(void)
{
    get(0, 8);
    MPI_Win_flush_local(0, win);
    put(7, 1);
}

static void own_rget_put(void)
{
    MPI_Request request;

    MPI_Rget(results, 8, MPI_INT, 0, 0, 8, MPI_INT, win, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    put(7, 1);
}

static void own_rputs(void)
{
    MPI_Request request;

    for (int i = 0; i < 2; i++) {
        MPI_Rput(data, 8, MPI_INT, 0, 4 * i, 8, MPI_INT, win, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

static void own_accumulates(void)
{
    accumulate(0, MPI_SUM);
    accumulate(0, MPI_REPLACE);
}

static void own_accumulate_get(void)
{
    accumulate(3, MPI_SUM);
    get(0, 8);
}

static void own_no_op_get(void)
{
    MPI_Fetch_and_op(NULL, results + 32, MPI_INT, 0, 3, MPI_NO_OP, win);
    get(0, 3);
    MPI_Get(results + 16, 8, MPI_INT, 0, 0, 8, MPI_INT, win);
}

static void own_columns(void)
{
    column_put(3);
    column_put(3);
}

static void own_columns_beside(void)
{
    column_put(3);
    column_put(4);
    put(0, 3);
    put(CELLS - COLUMNS + 5, 4);
}

static void own_column_row(void)
{
    column_put(3);
    put(10 * COLUMNS, 4);
}

static void own_blocks(void)
{
    MPI_Put(data, 8, MPI_INT, 0, 0, 1, block, win);
    put(3 * COLUMNS + 1, 1);
}

static void own_blocks_beside(void)
{
    MPI_Put(data, 8, MPI_INT, 0, 0, 1, block, win);
    put(3 * COLUMNS, 1);
    put(3 * COLUMNS + 2, 1);
}

/* Of several processes, in lock_all. */

static void both_puts(void)
{
    put(0, 4);
    meet();
    MPI_Win_flush(0, win);
}

static void both_puts_beside(void)
{
    put(test_rank * 4, 4);
    meet();
    MPI_Win_flush(0, win);
}

static void turns(void)
{
    for (int i = 0; i < test_size; i++) {
        if (i == test_rank) {
            put(0, 4);
            MPI_Win_flush(0, win);
        }
        meet();
    }
}

static void both_sums(void)
{
    accumulate(0, MPI_SUM);
    meet();
    MPI_Fetch_and_op(NULL, results, MPI_INT, 0, 0, MPI_NO_OP, win);
    meet();
}

static void both_operations(void)
{
    accumulate(0, 0 == test_rank ? MPI_SUM : MPI_BXOR);
    meet();
}

static void both_types(void)
{
    float value = 1;

    if (0 == test_rank) {
        accumulate(0, MPI_SUM);
    } else {
        MPI_Accumulate(&value, 1, MPI_FLOAT, 0, 0, 1, MPI_FLOAT, MPI_SUM, win);
    }
    meet();
    MPI_Win_flush(0, win);
}

static void put_and_sum(void)
{
    if (0 == test_rank) {
        put(0, 8);
    } else {
        accumulate(4, MPI_SUM);
    }
    meet();
}

static void put_and_gets(void)
{
    if (1 == test_rank) {
        put(CELLS / 2, CELLS / 2);
    } else if (0 == test_rank) {
        get(CELLS / 2 - 3, 4);
    }
    meet();
}

/* In their own epochs. */

static void fence_puts(void)
{
    fence();
    put(0, 4);
    fence();
}

static void fence_puts_apart(void)
{
    fence();
    for (int i = 0; i < test_size; i++) {
        if (i == test_rank) {
            put(0, 4);
        }
        fence();
    }
}

/** The last process's fence returns the error of an operation in a dynamic window, and counts all the same. */
static void fence_fails(void)
{
    MPI_Win dynamic;
    MPI_Aint at;
    int *memory = calloc(4, sizeof(int));

    test_refusals = 1;
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &dynamic);
    MPI_Win_set_name(dynamic, "fence_fails");
    MPI_Win_set_errhandler(dynamic, MPI_ERRORS_RETURN);
    MPI_Win_attach(dynamic, memory, 4 * sizeof(int));
    MPI_Get_address(memory, &at);
    MPI_Bcast(&at, 1, MPI_AINT, 0, MPI_COMM_WORLD);
    MPI_Win_fence(0, dynamic);
    if (test_size - 1 == test_rank) {
        MPI_Put(data, 1, MPI_INT, 0, 64, 1, MPI_INT, dynamic);
    }
    MPI_Win_fence(0, dynamic);
    MPI_Put(data, 4, MPI_INT, 0, at, 4, MPI_INT, dynamic);
    MPI_Win_fence(0, dynamic);
    MPI_Win_detach(dynamic, memory);
    MPI_Win_free(&dynamic);
    free(memory);
}

static void fence_put_get(void)
{
    fence();
    if (1 == test_rank) {
        put(CELLS / 2, CELLS / 2);
    } else if (0 == test_rank) {
        get(CELLS - 1, 1);
    }
    fence();
}

static void fence_own_puts(void)
{
    fence();
    if (0 == test_rank) {
        own_puts();
    }
    fence();
}

/** Rank 0 exposes its memory to all, in one epoch, or in one for each. */
static void exposed(int epochs)
{
    MPI_Group all, target, origin;

    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 1, (int[]) { 0 }, &target);
    for (int i = 0; i < epochs; i++) {
        MPI_Group_incl(all, 1, &i, &origin);
        if (0 == test_rank) {
            MPI_Win_post(1 == epochs ? all : origin, 0, win);
        }
        if (1 == epochs || i == test_rank) {
            MPI_Win_start(target, 0, win);
            put(0, 4);
            MPI_Win_complete(win);
        }
        if (0 == test_rank) {
            MPI_Win_wait(win);
        }
        MPI_Group_free(&origin);
    }
    MPI_Group_free(&target);
    MPI_Group_free(&all);
}

static void post_puts(void)
{
    exposed(1);
}

static void post_puts_apart(void)
{
    exposed(test_size);
}

static void locked(int type)
{
    for (int i = 0; i < 20; i++) {
        MPI_Win_lock(type, 0, 0, win);
        put(0, 4);
        if (MPI_LOCK_SHARED == type) {
            meet();
        }
        MPI_Win_unlock(0, win);
    }
}

static void locked_puts(void)
{
    locked(MPI_LOCK_SHARED);
}

static void locked_puts_apart(void)
{
    locked(MPI_LOCK_EXCLUSIVE);
}

static const struct {
    const char *name;
    void (*run)(void);
    const char *kind; /* of the finding; NULL: the program is correct */
    int all;          /* a lock_all is around it */
    int processes;    /* that a finding needs */
} cases[] = {
    { "own_puts", own_puts, "put-put", 1, 1 }, { "own_puts_beside", own_puts_beside, NULL, 1, 1 },
    { "own_puts_flushed", own_puts_flushed, NULL, 1, 1 },
    { "own_puts_flushed_local", own_puts_flushed_local, "put-put", 1, 1 },
    { "own_get_put", own_get_put, "put-get", 1, 1 }, { "own_get_put_local", own_get_put_local, NULL, 1, 1 },
    { "own_rget_put", own_rget_put, NULL, 1, 1 }, { "own_rputs", own_rputs, "put-put", 1, 1 },
    { "own_accumulates", own_accumulates, NULL, 1, 1 },
    { "own_accumulate_get", own_accumulate_get, "accumulate-get", 1, 1 },
    { "own_no_op_get", own_no_op_get, NULL, 1, 1 }, { "own_columns", own_columns, "put-put", 1, 1 },
    { "own_columns_beside", own_columns_beside, NULL, 1, 1 },
    { "own_column_row", own_column_row, "put-put", 1, 1 }, { "own_blocks", own_blocks, "put-put", 1, 1 },
    { "own_blocks_beside", own_blocks_beside, NULL, 1, 1 },
    { "both_puts", both_puts, "put-put", 1, 2 }, { "both_puts_beside", both_puts_beside, NULL, 1, 2 },
    { "turns", turns, NULL, 1, 2 }, { "both_sums", both_sums, NULL, 1, 2 },
    { "both_operations", both_operations, "accumulate-accumulate", 1, 2 },
    { "both_types", both_types, "accumulate-accumulate", 1, 2 },
    { "put_and_sum", put_and_sum, "accumulate-put", 1, 2 }, { "put_and_gets", put_and_gets, "put-get", 1, 2 },
    { "fence_puts", fence_puts, "put-put", 0, 2 }, { "fence_puts_apart", fence_puts_apart, NULL, 0, 2 },
    { "fence_fails", fence_fails, "put-put", 0, 2 },
    { "fence_put_get", fence_put_get, "put-get", 0, 2 }, { "fence_own_puts", fence_own_puts, "put-put", 0, 1 },
    { "post_puts", post_puts, "put-put", 0, 2 }, { "post_puts_apart", post_puts_apart, NULL, 0, 2 },
    { "locked_puts", locked_puts, "put-put", 0, 2 }, { "locked_puts_apart", locked_puts_apart, NULL, 0, 2 }
};

/** Have all processes together told of the window, and of that kind only? Some tell it twice: for each process. */
static void findings_are(size_t i)
{
    int mine[2], all[2], wanted = NULL != cases[i].kind && test_size >= cases[i].processes;

    mine[0] = test_findings(cases[i].name, NULL);
    mine[1] = NULL == cases[i].kind ? 0 : test_findings(cases[i].name, cases[i].kind);
    MPI_Allreduce(mine, all, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(wanted == (all[1] > 0) && all[0] == all[1], "%s: %d findings, %d of kind %s", cases[i].name, all[0], all[1],
          NULL == cases[i].kind ? "none" : cases[i].kind);
}

int main(int argc, char **argv)
{
    static const int firsts[] = { 1, COLUMNS + 1, 2 * COLUMNS + 1, 3 * COLUMNS + 1, 4 * COLUMNS + 1, 9, 11, 13 };
    void *base;

    test_findings_init(&argc, &argv);
    MPI_Type_vector(ROWS, 1, COLUMNS, MPI_INT, &column);
    MPI_Type_create_indexed_block(8, 1, firsts, MPI_INT, &block);
    MPI_Type_commit(&column);
    MPI_Type_commit(&block);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        MPI_Win_allocate(0 == test_rank ? sizeof(data) : 0, 0 == test_rank ? sizeof(int) : 1, MPI_INFO_NULL,
                         MPI_COMM_WORLD, &base, &win);
        MPI_Win_set_name(win, cases[i].name);
        if (cases[i].all) {
            MPI_OK(MPI_Win_lock_all(0, win));
        }
        if (cases[i].processes > 1 || !cases[i].all || test_size - 1 == test_rank) {
            cases[i].run();
        }
        if (cases[i].all) {
            MPI_Win_unlock_all(win);
        }
        MPI_Win_free(&win);
        findings_are(i);
    }
    MPI_Type_free(&column);
    MPI_Type_free(&block);
    return test_findings_finish();
}
