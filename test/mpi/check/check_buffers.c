/* The checker tells of origin buffers that change too early and of buffers that pending operations share, and of
 * nothing in the correct twins.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "findings.h"

#include <sys/mman.h>

enum { CELLS = 64, LARGE = 1 << 20 };

static MPI_Win win;
static int data[LARGE], results[LARGE], target;
static MPI_Datatype comb; /* every other cell */

static void put(int *buffer, int count)
{
    MPI_Put(buffer, count, MPI_INT, target, 0, count, MPI_INT, win);
}

static void get(int *buffer, int count)
{
    MPI_Get(buffer, count, MPI_INT, target, 0, count, MPI_INT, win);
}

/* In these the window is locked by all, and each process writes to a target of its own. */

static void changed(void)
{
    put(data, 4);
    data[3]++;
    MPI_Win_flush_local(target, win);
}

static void changed_later(void)
{
    put(data, 4);
    MPI_Win_flush_local(target, win);
    data[3]++;
}

static void changed_large(void)
{
    put(data, LARGE);
    memset(data, 1, sizeof(data));
    MPI_Win_flush_all(win);
}

static void changed_large_later(void)
{
    put(data, LARGE);
    MPI_Win_flush_local_all(win);
    memset(data, 2, sizeof(data));
}

static void changed_operand(void)
{
    MPI_Fetch_and_op(data, results, MPI_INT, target, 0, MPI_SUM, win);
    data[0]++;
    MPI_Win_flush(target, win);
}

/** MPI_NO_OP reads no operand. */
static void changed_no_operand(void)
{
    MPI_Fetch_and_op(data, results, MPI_INT, target, 0, MPI_NO_OP, win);
    data[0]++;
    MPI_Win_flush(target, win);
}

static void changed_piece(void)
{
    MPI_Put(data, 1, comb, target, 0, CELLS / 2, MPI_INT, win);
    data[2]++;
    MPI_Win_flush(target, win);
}

static void changed_gap(void)
{
    MPI_Put(data, 1, comb, target, 0, CELLS / 2, MPI_INT, win);
    data[1]++;
    MPI_Win_flush(target, win);
}

static void changed_before_wait(void)
{
    MPI_Request request;

    MPI_Rput(data, 4, MPI_INT, target, 0, 4, MPI_INT, win, &request);
    data[0]++;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void changed_after_wait(void)
{
    MPI_Request request;

    MPI_Rput(data, 4, MPI_INT, target, 0, 4, MPI_INT, win, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    data[0]++;
}

/** The program knows without MPI_Wait that the operation is complete. */
static void changed_after_status(void)
{
    MPI_Request request;
    int over = 0;

    MPI_Rput(data, 4, MPI_INT, target, 0, 4, MPI_INT, win, &request);
    while (!over) {
        MPI_Request_get_status(request, &over, MPI_STATUS_IGNORE);
    }
    data[0]++;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/** The memory is given back to the system. */
static void freed(void)
{
    char *memory = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    MPI_Put(memory, 1 << 16, MPI_BYTE, target, 0, 1 << 16, MPI_BYTE, win);
    munmap(memory, 1 << 16);
    MPI_Win_flush(target, win);
}

/** A window's memory may be changed by others that have seen the data arrive. */
static void changed_by_target(void)
{
    int *own, flag;

    MPI_Win_get_attr(win, MPI_WIN_BASE, &own, &flag);
    put(own + 8, 1);
    own[8]++;
    MPI_Win_flush_local(target, win);
}

static void shared(void)
{
    get(results, 4);
    get(results + 3, 4);
    MPI_Win_flush(target, win);
}

static void shared_later(void)
{
    get(results, 4);
    MPI_Win_flush_local(target, win);
    get(results + 3, 4);
}

static void shared_comb(void)
{
    MPI_Get(results, 1, comb, target, 0, CELLS / 2, MPI_INT, win);
    MPI_Get(results + 2, 1, comb, target, 0, CELLS / 2, MPI_INT, win);
    MPI_Win_flush(target, win);
}

static void shared_gaps(void)
{
    MPI_Get(results, 1, comb, target, 0, CELLS / 2, MPI_INT, win);
    MPI_Get(results + 1, 1, comb, target, 0, CELLS / 2, MPI_INT, win);
    MPI_Win_flush(target, win);
}

static void shared_reading(void)
{
    for (int i = 0; i < 100; i++) {
        MPI_Accumulate(data, 4, MPI_INT, target, 0, 4, MPI_INT, MPI_SUM, win);
    }
}

static void put_of_result(void)
{
    get(results, 4);
    MPI_Accumulate(results, 1, MPI_INT, target, 8, 1, MPI_INT, MPI_SUM, win);
    MPI_Win_flush(target, win);
}

static void disjoint(void)
{
    MPI_Get_accumulate(data, 4, MPI_INT, results, 4, MPI_INT, target, 0, 4, MPI_INT, MPI_SUM, win);
    MPI_Win_flush(target, win);
}

static void not_disjoint(void)
{
    MPI_Get_accumulate(data, 4, MPI_INT, data + 3, 4, MPI_INT, target, 0, 4, MPI_INT, MPI_SUM, win);
    MPI_Win_flush(target, win);
}

static const struct {
    const char *name;
    void (*run)(void);
    const char *kind; /* of the finding; NULL: the program is correct */
} cases[] = {
    { "changed", changed, "buffer-changed" }, { "changed_later", changed_later, NULL },
    { "changed_large", changed_large, "buffer-changed" }, { "changed_large_later", changed_large_later, NULL },
    { "changed_operand", changed_operand, "buffer-changed" }, { "changed_no_operand", changed_no_operand, NULL },
    { "changed_piece", changed_piece, "buffer-changed" }, { "changed_gap", changed_gap, NULL },
    { "changed_before_wait", changed_before_wait, "buffer-changed" },
    { "changed_after_wait", changed_after_wait, NULL }, { "changed_after_status", changed_after_status, NULL },
    { "freed", freed, "buffer-freed" }, { "changed_by_target", changed_by_target, NULL },
    { "shared", shared, "buffer-shared" }, { "shared_later", shared_later, NULL },
    { "shared_comb", shared_comb, "buffer-shared" }, { "shared_gaps", shared_gaps, NULL },
    { "shared_reading", shared_reading, NULL }, { "put_of_result", put_of_result, "buffer-shared" },
    { "disjoint", disjoint, NULL }, { "not_disjoint", not_disjoint, "buffer-shared" }
};

int main(int argc, char **argv)
{
    void *base;

    test_findings_init(&argc, &argv);
    target = test_neighbour(1);
    MPI_Type_vector(CELLS / 2, 1, 2, MPI_INT, &comb);
    MPI_Type_commit(&comb);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        MPI_Win_allocate(LARGE * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
        MPI_Win_set_name(win, cases[i].name);
        MPI_Win_lock_all(0, win);
        cases[i].run();
        MPI_Win_unlock_all(win);
        MPI_Win_free(&win);
        test_findings_are(cases[i].name, cases[i].kind);
    }
    MPI_Type_free(&comb);
    return test_findings_finish();
}
