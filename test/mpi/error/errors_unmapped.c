/* Window memory that its owner has protected: each completing call returns the error once, and says what is wrong.
 * Earlier operations are done, and the window goes on.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Only where the kernel copies: a message would end the target by a signal, as an operation that it carries out itself
 * would. So the target does not call MPI meanwhile.
 */
#include "lean.h"
#include "mpitest.h"

#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 65536 }; /* of any system, or some of them */

static MPI_Win win;
static char *memory;
static volatile int *away, *back; /* in shared memory */
static MPI_T_pvar_session session;
static MPI_T_pvar_handle handle;
static char line[2000];
static long value;

static void open_line(void)
{
    int index, count = 0;

    if (MPI_SUCCESS != MPI_T_pvar_get_index("osc_ucp_error", MPI_T_PVAR_CLASS_GENERIC, &index)) {
        test_skip("no osc/ucp here");
    }
    MPI_OK(MPI_T_pvar_session_create(&session));
    MPI_OK(MPI_T_pvar_handle_alloc(session, index, NULL, &handle, &count));
}

static void says(const char *call, int rc)
{
    CHECK(MPI_SUCCESS != rc, "%s succeeds", call);
    MPI_OK(MPI_T_pvar_read(session, handle, line));
    CHECK(NULL != strstr(line, call) && NULL != strstr(line, "memory of the window, is not mapped") &&
          NULL == strstr(line, "rank -"), "%s: %s", call, line);
}

/* A series, of which the second operation fails. */
static void puts_begin(void)
{
    value++;
    MPI_OK(MPI_Put(&value, 1, MPI_LONG, 1, 0, 1, MPI_LONG, win));
    MPI_OK(MPI_Put(&value, 1, MPI_LONG, 1, PAGE, 1, MPI_LONG, win));
}

static void origin(MPI_Group target)
{
    MPI_OK(MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win));
    puts_begin();
    says("MPI_Win_flush, target 1", MPI_Win_flush(1, win));
    MPI_OK(MPI_Win_flush(1, win));
    puts_begin();
    says("MPI_Win_flush_local, target 1", MPI_Win_flush_local(1, win));
    puts_begin();
    says("MPI_Win_flush_all, window", MPI_Win_flush_all(win));
    MPI_OK(MPI_Accumulate(&value, 1, MPI_LONG, 1, PAGE, 1, MPI_LONG, MPI_SUM, win));
    says("MPI_Win_unlock, target 1", MPI_Win_unlock(1, win));
    MPI_OK(MPI_Win_lock_all(0, win));
    puts_begin();
    says("MPI_Win_flush_local_all, window", MPI_Win_flush_local_all(win));
    puts_begin();
    says("MPI_Win_unlock_all, window", MPI_Win_unlock_all(win));
    MPI_OK(MPI_Win_start(target, MPI_MODE_NOCHECK, win));
    puts_begin();
    says("MPI_Win_complete, window", MPI_Win_complete(win));
}

/* The target does not call MPI from `away` on until `back`. */
static void target_sleeps(void)
{
    *away = 1;
    while (0 == *back) {
        usleep(1000);
    }
}

static void check(MPI_Group all)
{
    MPI_Group origins, targets;
    int rank = 0;

    MPI_Group_incl(all, 1, &rank, &origins);
    rank = 1;
    MPI_Group_incl(all, 1, &rank, &targets);
    if (1 == test_rank) {
        mprotect(memory + PAGE, PAGE, PROT_NONE);
        MPI_OK(MPI_Win_post(origins, MPI_MODE_NOCHECK, win));
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (0 == test_rank) {
        while (0 == *away) {
            usleep(1000);
        }
        origin(targets);
        *back = 1;
    } else {
        target_sleeps();
        mprotect(memory + PAGE, PAGE, PROT_READ | PROT_WRITE);
        MPI_OK(MPI_Win_wait(win));
    }
    MPI_Bcast(&value, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    CHECK(0 == test_rank || value == *(long *) memory, "%ld, not %ld", *(long *) memory, value);
    MPI_Group_free(&origins);
    MPI_Group_free(&targets);
}

/* The memory is back, and the window works. */
static void check_after(void)
{
    MPI_OK(MPI_Win_fence(0, win));
    if (0 == test_rank) {
        puts_begin();
    }
    MPI_OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
    MPI_Bcast(&value, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    CHECK(0 == test_rank || value == *(long *) (memory + PAGE), "%ld at last", *(long *) (memory + PAGE));
}

int main(int argc, char **argv)
{
    MPI_Group all;
    MPI_Win shared;
    MPI_Aint size;
    int unit, *words;

    test_init(&argc, &argv);
    memory = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    MPI_Win_create(memory, 2 * PAGE, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    if (2 != test_size || !test_copies() || !test_copies_whole()) {
        MPI_Win_free(&win);
        test_skip("needs 2 processes, between which the kernel copies");
    }
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    MPI_Win_allocate_shared(2 * sizeof(int), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &words, &shared);
    words[0] = words[1] = 0;
    MPI_Win_shared_query(shared, 1, &size, &unit, &words);
    away = words;
    back = words + 1;
    open_line();
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    check(all);
    check_after();
    MPI_Group_free(&all);
    MPI_T_pvar_handle_free(session, &handle);
    MPI_T_pvar_session_free(&session);
    MPI_Win_free(&shared);
    MPI_Win_free(&win);
    return test_finish();
}
