/* The checker tells of assertions that lie, of memory that is locked and exposed, of memory that is given back too
 * early, and at the end of epochs and requests that nothing has ended; and of nothing in the correct twins.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "findings.h"

#include <sys/mman.h>

enum { BYTES = 1 << 16 };

static MPI_Win win;
static MPI_Group everybody;
static char *memory;
static int value = 1, target;

static void put(void)
{
    MPI_Put(&value, 1, MPI_INT, target, 0, 1, MPI_INT, win);
}

static void precede(int assert)
{
    MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
    put();
    MPI_Win_fence(assert, win);
    MPI_Win_fence(MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED, win);
}

static void precede_lie(void)
{
    precede(MPI_MODE_NOPRECEDE);
}

static void precede_true(void)
{
    precede(0);
}

/** A process has the lock of rank 0 while the last one asks for none. */
static void nocheck(int together)
{
    int holds = 0 == test_rank;

    if (holds) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    }
    if (holds && !together) {
        MPI_Win_unlock(0, win);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (test_rank == test_size - 1 && !holds) {
        MPI_Win_lock(MPI_LOCK_SHARED, 0, MPI_MODE_NOCHECK, win);
        MPI_Get(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
        MPI_Win_unlock(0, win);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (holds && together) {
        MPI_Win_unlock(0, win);
    }
}

static void nocheck_lie(void)
{
    nocheck(1);
}

static void nocheck_true(void)
{
    nocheck(0);
}

static void post_and_start(int post, int start)
{
    MPI_Win_post(everybody, post, win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_start(everybody, start, win);
    put();
    MPI_Win_complete(win);
    MPI_Win_wait(win);
}

static void start_lie(void)
{
    post_and_start(0, MPI_MODE_NOCHECK);
}

static void start_true(void)
{
    post_and_start(MPI_MODE_NOCHECK, MPI_MODE_NOCHECK);
    post_and_start(0, 0);
}

static void exposed(int together)
{
    MPI_Win_lock(MPI_LOCK_SHARED, test_rank, 0, win);
    if (!together) {
        MPI_Win_unlock(test_rank, win);
    }
    MPI_Win_post(MPI_GROUP_EMPTY, 0, win);
    MPI_Win_wait(win);
    if (together) {
        MPI_Win_unlock(test_rank, win);
    }
}

static void exposed_locked(void)
{
    exposed(1);
}

static void exposed_unlocked(void)
{
    exposed(0);
}

static void memory_freed(void)
{
    munmap(memory, BYTES);
}

static void memory_kept(void)
{
}

static const struct {
    const char *name;
    void (*run)(void);
    const char *kind;  /* of the finding; NULL: the program is correct */
    int         rank;  /* that tells; -1: all; -2: the last one, if there are several */
} cases[] = {
    { "precede_lie", precede_lie, "assert-lies", -1 }, { "precede_true", precede_true, NULL, -1 },
    { "nocheck_lie", nocheck_lie, "assert-lies", -2 }, { "nocheck_true", nocheck_true, NULL, -1 },
    { "start_lie", start_lie, "assert-lies", -1 }, { "start_true", start_true, NULL, -1 },
    { "exposed_locked", exposed_locked, "locked-and-exposed", -1 }, { "exposed_unlocked", exposed_unlocked, NULL, -1 },
    { "memory_freed", memory_freed, "memory-freed", -1 }, { "memory_kept", memory_kept, NULL, -1 }
};

static void window_open(const char *name)
{
    memory = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    MPI_Win_create(memory, BYTES, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_set_name(win, name);
}

/** What MPI_Finalize finds: an epoch that is open, a request that nobody has waited for; and those that are over. */
static void leave(void)
{
    MPI_Request kept, waited;

    window_open("request_kept");
    MPI_Win_lock_all(0, win);
    MPI_Rput(&value, 1, MPI_INT, target, 0, 1, MPI_INT, win, &kept);
    MPI_Rput(&value, 1, MPI_INT, target, 1, 1, MPI_INT, win, &waited);
    MPI_Win_unlock_all(win);
    MPI_Wait(&waited, MPI_STATUS_IGNORE);
    MPI_Win_free(&win);
    window_open("epoch_closed");
    MPI_Win_lock_all(0, win);
    MPI_Win_unlock_all(win);
    window_open("epoch_open");
    MPI_Win_lock_all(0, win);
}

int main(int argc, char **argv)
{
    int status;

    test_findings_init(&argc, &argv);
    target = test_neighbour(1);
    MPI_Comm_group(MPI_COMM_WORLD, &everybody);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        int mine = -1 == cases[i].rank || (test_size > 1 && test_rank == test_size - 1);

        window_open(cases[i].name);
        cases[i].run();
        MPI_Win_free(&win);
        test_findings_are(cases[i].name, mine ? cases[i].kind : NULL);
        if (memory_freed != cases[i].run) {
            munmap(memory, BYTES);
        }
    }
    MPI_Group_free(&everybody);
    leave();
    status = test_finish();
    test_findings_are("request_kept", "request-lost");
    test_findings_are("epoch_closed", NULL);
    test_findings_are("epoch_open", "epoch-open");
    unlink(test_findings_file);
    return test_failures > 0 ? 1 : status;
}
