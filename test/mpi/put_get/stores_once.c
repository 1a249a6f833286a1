/* An element of a basic type is stored once. If it were stored twice, the second store could undo what the target's
 * program stores as soon as it sees the first.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The target's page can only be read. Each instruction that stores to it is counted, and then executed alone.
 */
#include "mpitest.h"

#if defined(__linux__) && defined(__x86_64__)

#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>

enum { PAGE = 4096, SINGLE_STEP = 0x100, AT = 64 };

enum { PUT, RPUT, REPLACE, FETCH, SUM, SWAP, VECTOR, CALLS };

static const char *const call_name[CALLS] = {"put", "rput", "replace", "fetch", "sum", "swap", "put of a vector"};

static unsigned char *page;
static volatile int stores;

static void store_begins(int number, siginfo_t *info, void *context)
{
    ucontext_t *at = context;

    if ((unsigned char *) info->si_addr < page || (unsigned char *) info->si_addr >= page + PAGE) {
        signal(number, SIG_DFL);
        return;
    }
    stores++;
    mprotect(page, PAGE, PROT_READ | PROT_WRITE);
    at->uc_mcontext.gregs[REG_EFL] |= SINGLE_STEP;
}

static void store_ends(int number, siginfo_t *info, void *context)
{
    ucontext_t *at = context;

    (void) number;
    (void) info;
    mprotect(page, PAGE, PROT_READ);
    at->uc_mcontext.gregs[REG_EFL] &= ~(greg_t) SINGLE_STEP;
}

/* After the window was made: UCX may have set handlers of its own. */
static void handlers_set(void)
{
    struct sigaction action = {.sa_flags = SA_SIGINFO};

    action.sa_sigaction = store_begins;
    sigaction(SIGSEGV, &action, NULL);
    action.sa_sigaction = store_ends;
    sigaction(SIGTRAP, &action, NULL);
}

/* One call on an element, or on two for a vector. */
static void call(int which, MPI_Datatype type, int value, int target, MPI_Win win)
{
    unsigned char origin[64], result[64];
    MPI_Request request;
    MPI_Datatype vector;
    long compare;

    memset(origin, value, sizeof(origin));
    switch (which) {
    case PUT:
        MPI_OK(MPI_Put(origin, 1, type, target, AT, 1, type, win));
        break;
    case RPUT:
        MPI_OK(MPI_Rput(origin, 1, type, target, AT, 1, type, win, &request));
        MPI_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        break;
    case REPLACE:
        MPI_OK(MPI_Accumulate(origin, 1, type, target, AT, 1, type, MPI_REPLACE, win));
        break;
    case FETCH:
        MPI_OK(MPI_Fetch_and_op(origin, result, type, target, AT, MPI_REPLACE, win));
        break;
    case SUM:
        MPI_OK(MPI_Accumulate(origin, 1, type, target, AT, 1, type, MPI_SUM, win));
        break;
    case SWAP:
        MPI_OK(MPI_Get(&compare, 1, MPI_LONG, target, 0, 1, MPI_LONG, win));
        MPI_OK(MPI_Win_flush(target, win));
        *(long *) (void *) origin = compare + 1;
        MPI_OK(MPI_Compare_and_swap(origin, &compare, result, MPI_LONG, target, 0, win));
        break;
    default:
        MPI_Type_vector(2, 1, 2, type, &vector);
        MPI_Type_commit(&vector);
        MPI_OK(MPI_Put(origin, 2, type, target, AT, 1, vector, win));
        MPI_Type_free(&vector);
    }
    MPI_OK(MPI_Win_flush(target, win));
}

/* Rank 0 calls, the last rank counts. */
static void count(int which, MPI_Datatype type, int value, MPI_Win win)
{
    int target = test_size - 1, wanted = VECTOR == which ? 2 : 1, bytes;

    MPI_Type_size(type, &bytes);
    stores = 0;
    if (target == test_rank) {
        mprotect(page, PAGE, PROT_READ);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (0 == test_rank) {
        call(which, type, value, target, win);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (target == test_rank) {
        mprotect(page, PAGE, PROT_READ | PROT_WRITE);
        CHECK(wanted == stores, "%s, %d bytes: %d stores, not %d", call_name[which], bytes, stores, wanted);
    }
}

int main(int argc, char **argv)
{
    const MPI_Datatype types[] = {MPI_INT8_T, MPI_INT16_T, MPI_INT32_T, MPI_INT64_T, MPI_C_DOUBLE_COMPLEX};
    int value = 1;
    MPI_Win win;

    /* The service thread takes no signals, and the kernel's copies store for no program. */
    setenv("OMPI_MCA_osc_ucp_async_progress", "never", 1);
    setenv("OMPI_MCA_osc_ucp_kernel_copy", "0", 1);
    test_init(&argc, &argv);
    page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    MPI_OK(MPI_Win_create(page, PAGE, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    handlers_set();
    MPI_Win_lock_all(0, win);
    for (int which = 0; which < CALLS; which++) {
        for (int i = 0; i < 5; i++) {
            count(which, types[i], value++, win);
        }
    }
    MPI_Win_unlock_all(win);
    MPI_OK(MPI_Win_free(&win));
    return test_finish();
}

#else

int main(int argc, char **argv)
{
    test_init(&argc, &argv);
    test_skip("stores are counted on x86-64 only");
}

#endif
