/* An error is told by the call that completes the operation, also if the request was freed before; and by some call, if
 * the request is freed after that call. The memory that the operations name is attached nowhere.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mpitest.h"

#include <dlfcn.h>
#include <unistd.h>

enum call { RPUT, RGET, RACCUMULATE, RGET_ACCUMULATE, CALLS };
static const char *const call_name[CALLS] = {"rput", "rget", "raccumulate", "rget_accumulate"};

enum end { FLUSH, FLUSH_ALL, UNLOCK, UNLOCK_ALL, ENDS };
static const char *const end_name[ENDS] = {"flush", "flush_all", "unlock", "unlock_all"};

static const MPI_Aint nowhere = 4096;
static MPI_Win win;
static int value = 1, result;

static int start(enum call call, int target, MPI_Aint disp, MPI_Request *request)
{
    switch (call) {
    case RPUT: return MPI_Rput(&value, 1, MPI_INT, target, disp, 1, MPI_INT, win, request);
    case RGET: return MPI_Rget(&result, 1, MPI_INT, target, disp, 1, MPI_INT, win, request);
    case RACCUMULATE: return MPI_Raccumulate(&value, 1, MPI_INT, target, disp, 1, MPI_INT, MPI_SUM, win, request);
    default:
        return MPI_Rget_accumulate(&value, 1, MPI_INT, &result, 1, MPI_INT, target, disp, 1, MPI_INT, MPI_SUM, win,
                                   request);
    }
}

static void lock(enum end end, int target)
{
    int all = UNLOCK_ALL == end || FLUSH_ALL == end;

    MPI_OK(all ? MPI_Win_lock_all(0, win) : MPI_Win_lock(MPI_LOCK_SHARED, target, 0, win));
}

static int unlock(enum end end, int target)
{
    return UNLOCK_ALL == end || FLUSH_ALL == end ? MPI_Win_unlock_all(win) : MPI_Win_unlock(target, win);
}

static int complete(enum end end, int target)
{
    switch (end) {
    case FLUSH: return MPI_Win_flush(target, win);
    case FLUSH_ALL: return MPI_Win_flush_all(win);
    default: return unlock(end, target);
    }
}

/** The first that is an error. */
static int either(int first, int second)
{
    return MPI_SUCCESS != first ? first : second;
}

/** The call itself may tell the error; then there is no request. */
static void check_freed_before(enum call call, enum end end, int target)
{
    MPI_Request request = MPI_REQUEST_NULL;
    int rc;

    lock(end, target);
    rc = start(call, target, nowhere, &request);
    if (MPI_SUCCESS == rc) {
        MPI_OK(MPI_Request_free(&request));
        rc = complete(end, target);
    } else if (end >= UNLOCK) {
        MPI_OK(unlock(end, target));
    }
    CHECK(MPI_ERR_RMA_RANGE == test_class(rc), "%s to rank %d, request_free, %s: error class %d, not MPI_ERR_RMA_RANGE",
          call_name[call], target, end_name[end], test_class(rc));
    if (end < UNLOCK) {
        MPI_OK(unlock(end, target));
    }
}

/** A flush first, then the request is freed, then the epoch ends. */
static void check_freed_after(enum call call, enum end end, int target)
{
    MPI_Request request = MPI_REQUEST_NULL;
    int rc;

    lock(end, target);
    rc = start(call, target, nowhere, &request);
    if (MPI_SUCCESS == rc) {
        rc = complete(end, target);
        rc = either(rc, MPI_Request_free(&request));
    }
    rc = either(rc, unlock(end, target));
    CHECK(MPI_ERR_RMA_RANGE == test_class(rc),
          "%s to rank %d, %s, request_free, end of the epoch: no call tells the error", call_name[call], target,
          end_name[end]);
}

/** The window can be used afterwards, and no error is left over. */
static void check_good(int target, MPI_Aint at)
{
    MPI_Request request;

    result = 0;
    lock(UNLOCK, target);
    MPI_OK(start(RGET, target, at, &request));
    MPI_OK(MPI_Request_free(&request));
    MPI_OK(unlock(UNLOCK, target));
    CHECK(77 == result, "after the errors, rget from rank %d gives %d", target, result);
}

static void check(int target, MPI_Aint at)
{
    for (enum call call = 0; call < CALLS; call++) {
        for (enum end end = 0; end < ENDS; end++) {
            check_freed_before(call, end, target);
            check_good(target, at);
        }
        check_freed_after(call, FLUSH, target);
        check_freed_after(call, FLUSH_ALL, target);
        check_good(target, at);
    }
}

/* Open MPI's progress, which one call in many makes, can take long: then it sends what waits, and sees the answer. */

enum { SLOW_US = 100000 };

static int progressed, slowly;

static int slow_progress(void)
{
    void (*progress)(void);
    int once = slowly;

    progressed++;
    slowly = 0;
    *(void **) &progress = dlsym(RTLD_DEFAULT, "opal_progress");
    if (once && NULL != progress) {
        progress();
        usleep(SLOW_US);
        progress();
    }
    return 0;
}

typedef int (*progress_function)(int (*callback)(void));

static int progress_call(const char *name)
{
    progress_function function;

    *(void **) &function = dlsym(RTLD_DEFAULT, name);
    return NULL != function && 0 == function(slow_progress);
}

/** Calls that do nothing, until one of them has made progress. Returns how many. */
static int idle_calls(int target)
{
    int calls = 0, before = progressed;

    while (before == progressed && calls < 1000000) {
        MPI_OK(MPI_Win_flush_local(target, win));
        calls++;
    }
    return calls;
}

/** The refusal arrives while the call that asks is not over, as that makes progress. */
static void check_early(int target, MPI_Aint at)
{
    MPI_Request request = MPI_REQUEST_NULL;
    int calls, before, rc;

    lock(FLUSH, target);
    MPI_OK(start(RGET, target, at, &request));
    MPI_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    idle_calls(target);
    calls = idle_calls(target);
    for (int i = 1; i < calls; i++) {
        MPI_OK(MPI_Win_flush_local(target, win));
    }
    before = progressed;
    slowly = 1;
    rc = start(RGET, target, nowhere, &request);
    slowly = 0;
    CHECK(before < progressed, "one call in %d makes progress, but not this one", calls);
    if (MPI_SUCCESS == rc) {
        MPI_OK(MPI_Request_free(&request));
        rc = complete(FLUSH, target);
    }
    CHECK(MPI_ERR_RMA_RANGE == test_class(rc), "rget to rank %d with progress, request_free, flush: error class %d",
          target, test_class(rc));
    MPI_OK(unlock(FLUSH, target));
}

int main(int argc, char **argv)
{
    int memory = 77, slow;
    MPI_Aint mine, *at;

    test_init(&argc, &argv);
    test_refusals = 1; /* targets refuse what names no memory */
    at = malloc((size_t) test_size * sizeof(*at));
    slow = 0 == test_rank && progress_call("opal_progress_register"); /* before the window's progress */
    MPI_OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    MPI_OK(MPI_Win_attach(win, &memory, sizeof(memory)));
    MPI_OK(MPI_Get_address(&memory, &mine));
    MPI_OK(MPI_Allgather(&mine, 1, MPI_AINT, at, 1, MPI_AINT, MPI_COMM_WORLD));
    for (int target = 0; 0 == test_rank && target < test_size; target++) {
        check(target, at[target]);
    }
    if (0 == test_rank && test_size > 1 && slow) {
        check_early(1, at[1]);
    }
    slow = slow && progress_call("opal_progress_unregister");
    MPI_OK(MPI_Barrier(MPI_COMM_WORLD));
    MPI_OK(MPI_Win_detach(win, &memory));
    MPI_OK(MPI_Win_free(&win));
    free(at);
    return test_finish();
}
