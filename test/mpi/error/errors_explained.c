/* The line that says why a call fails names the call, the target, the window, and what is wrong, with its numbers. A
 * program whose error handler returns reads it from the performance variable osc_ucp_error. Its terminal stays clean.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "output.h"
#include "windows.h"

enum { WORDS = 10 };

static MPI_T_pvar_session session;
static MPI_T_pvar_handle handle;
static char *line;
static long memory[WORDS], value, result;
static int right;

static void open_line(void)
{
    int index, count = 0;

    if (MPI_SUCCESS != MPI_T_pvar_get_index("osc_ucp_error", MPI_T_PVAR_CLASS_GENERIC, &index)) {
        test_skip("no osc/ucp here");
    }
    MPI_OK(MPI_T_pvar_session_create(&session));
    MPI_OK(MPI_T_pvar_handle_alloc(session, index, NULL, &handle, &count));
    CHECK(count >= 256, "room for %d characters", count);
    line = calloc(1, (size_t) count + 1);
}

/** The last line has all these parts, and "%d" in one stands for the target. */
static void has(const char *call, const char *const *parts)
{
    char part[200];

    MPI_OK(MPI_T_pvar_read(session, handle, line));
    for (; NULL != *parts; parts++) {
        snprintf(part, sizeof(part), *parts, right, right, right);
        CHECK(NULL != strstr(line, part), "%s: '%s' is not in: %s", call, part, line);
    }
}

#define SAYS(call, ...)                                              \
    do {                                                             \
        int says_rc = (call);                                        \
        CHECK(MPI_SUCCESS != says_rc, "%s succeeds", #call);         \
        has(#call, (const char *const[]) { __VA_ARGS__, NULL });     \
    } while (0)

static void ranges(MPI_Win win)
{
    int lengths[] = { 1, 1 };
    MPI_Aint places[] = { -8, 8 };
    MPI_Datatype type;

    MPI_Type_create_hindexed(2, lengths, places, MPI_LONG, &type);
    MPI_Type_commit(&type);
    MPI_OK(MPI_Win_lock(MPI_LOCK_SHARED, right, 0, win));
    SAYS(MPI_Put(memory, 2, MPI_LONG, right, 9, 2, MPI_LONG, win), "MPI_Put, target %d, window \"halo\"",
         "displacement 9 times 8 bytes and 16 bytes of data reach from byte 72 to 88", "the window has 80 bytes");
    SAYS(MPI_Get(memory, 1, MPI_LONG, right, 1000, 1, MPI_LONG, win), "MPI_Get, target %d", "1000 times 8",
         "from byte 8000 to 8008");
    SAYS(MPI_Put(memory, 2, MPI_LONG, right, 0, 1, type, win), "0 times 8", "from byte -8 to 16");
    SAYS(MPI_Accumulate(memory, 1, MPI_LONG, right, (MPI_Aint) 1 << 61, 1, MPI_LONG, MPI_SUM, win),
         "MPI_Accumulate, target %d", "2305843009213693952 times 8 bytes", "beyond any address");
    SAYS(MPI_Fetch_and_op(&value, &result, MPI_LONG, right, 10, MPI_SUM, win), "MPI_Fetch_and_op, target %d",
         "10 times 8", "from byte 80 to 88");
    SAYS(MPI_Compare_and_swap(&value, &value, &result, MPI_INT, right, 11, win), "MPI_Compare_and_swap, target %d",
         "11 times 8", "from byte 88 to 92");
    MPI_OK(MPI_Win_unlock(right, win));
    MPI_Type_free(&type);
}

static void types(MPI_Win win)
{
    int lengths[] = { 1, 1 };
    MPI_Aint places[] = { 0, 8 };
    MPI_Datatype parts[] = { MPI_INT, MPI_DOUBLE }, mixed, pair;

    MPI_Type_create_struct(2, lengths, places, parts, &mixed);
    MPI_Type_set_name(mixed, "mixed");
    MPI_Type_commit(&mixed);
    MPI_Type_contiguous(2, MPI_LONG, &pair);
    MPI_Type_commit(&pair);
    MPI_OK(MPI_Win_lock(MPI_LOCK_SHARED, right, 0, win));
    SAYS(MPI_Fetch_and_op(&value, &result, MPI_DOUBLE, right, 0, MPI_BAND, win), "MPI_Fetch_and_op, target %d",
         "MPI_BAND does not go with elements of MPI_DOUBLE");
    SAYS(MPI_Fetch_and_op(&value, &result, mixed, right, 0, MPI_REPLACE, win), "mixed", "predefined type");
    SAYS(MPI_Compare_and_swap(&value, &value, &result, MPI_DOUBLE, right, 0, win), "MPI_Compare_and_swap, target %d",
         "MPI_DOUBLE does not go", "integer, logical or byte");
    SAYS(MPI_Accumulate(memory, 1, mixed, right, 0, 1, mixed, MPI_REPLACE, win), "MPI_Accumulate", "mixed",
         "same predefined type");
    SAYS(MPI_Accumulate(memory, 2, MPI_DOUBLE, right, 0, 2, MPI_LONG, MPI_REPLACE, win), "origin type, MPI_DOUBLE",
         "target's, MPI_LONG");
    SAYS(MPI_Get_accumulate(memory, 2, MPI_LONG, memory, 2, MPI_DOUBLE, right, 0, 2, MPI_LONG, MPI_SUM, win),
         "MPI_Get_accumulate", "result type, MPI_DOUBLE", "target's, MPI_LONG");
    SAYS(MPI_Put(memory, 3, MPI_INT, right, 0, 2, MPI_LONG, win), "origin buffer has 3 of MPI_INT, 12 bytes",
         "2 of MPI_LONG, 16 bytes");
    SAYS(MPI_Get_accumulate(memory, 2, MPI_LONG, memory, 1, MPI_LONG, right, 0, 1, pair, MPI_SUM, win),
         "result buffer has 1 of MPI_LONG, 8 bytes", "1 of a derived type without a name, 16 bytes");
    MPI_OK(MPI_Win_unlock(right, win));
    MPI_Type_free(&mixed);
    MPI_Type_free(&pair);
}

static void no_epoch(MPI_Win win)
{
    MPI_Request request;
    int flag;

    SAYS(MPI_Put(memory, 1, MPI_LONG, right, 0, 1, MPI_LONG, win), "MPI_Put, target %d", "no access epoch is open",
         "MPI_Win_fence, MPI_Win_start, MPI_Win_lock or MPI_Win_lock_all begins one");
    SAYS(MPI_Rget(memory, 1, MPI_LONG, right, 0, 1, MPI_LONG, win, &request), "MPI_Rget, target %d",
         "MPI_Win_lock or MPI_Win_lock_all begins");
    SAYS(MPI_Win_flush(right, win), "MPI_Win_flush, target %d", "no access epoch is open", "MPI_Win_lock_all begins");
    SAYS(MPI_Win_flush(test_size + 7, win), "MPI_Win_flush", "ranks 0 to");
    SAYS(MPI_Win_flush_local(right, win), "MPI_Win_flush_local, target %d", "MPI_Win_lock");
    SAYS(MPI_Win_flush_all(win), "MPI_Win_flush_all, window", "MPI_Win_lock");
    SAYS(MPI_Win_flush_local_all(win), "MPI_Win_flush_local_all, window", "MPI_Win_lock");
    SAYS(MPI_Win_unlock(right, win), "MPI_Win_unlock, target %d", "MPI_Win_lock begins");
    SAYS(MPI_Win_unlock_all(win), "MPI_Win_unlock_all, window", "MPI_Win_lock_all begins");
    SAYS(MPI_Win_complete(win), "MPI_Win_complete, window", "MPI_Win_start begins");
    SAYS(MPI_Win_wait(win), "MPI_Win_wait, window", "MPI_Win_post begins");
    SAYS(MPI_Win_test(win, &flag), "MPI_Win_test, window", "MPI_Win_post begins");
}

static void wrong_epoch(MPI_Win win, MPI_Group group)
{
    int other = test_neighbour(2);
    MPI_Request request;

    MPI_OK(MPI_Win_lock(MPI_LOCK_SHARED, right, 0, win));
    SAYS(MPI_Win_lock(MPI_LOCK_SHARED, right, 0, win), "MPI_Win_lock, target %d", "rank %d is locked already",
         "MPI_Win_unlock");
    SAYS(MPI_Win_lock_all(0, win), "MPI_Win_lock_all, window", "of MPI_Win_lock is open", "MPI_Win_unlock ends");
    SAYS(MPI_Win_fence(0, win), "MPI_Win_fence, window", "of MPI_Win_lock is open", "MPI_Win_unlock ends");
    SAYS(MPI_Win_start(group, 0, win), "MPI_Win_start, window", "of MPI_Win_lock is open", "MPI_Win_unlock ends");
    SAYS(MPI_Win_free(&win), "MPI_Win_free, window", "of MPI_Win_lock is open", "MPI_Win_unlock ends");
    if (other != right) {
        SAYS(MPI_Put(memory, 1, MPI_LONG, other, 0, 1, MPI_LONG, win), "is not locked", "1 other");
        SAYS(MPI_Win_flush(other, win), "is not locked", "1 other");
    }
    MPI_OK(MPI_Win_unlock(right, win));
    MPI_OK(MPI_Win_lock_all(0, win));
    SAYS(MPI_Win_unlock(right, win), "MPI_Win_unlock, target %d", "of MPI_Win_lock_all is open",
         "MPI_Win_lock begins the epoch");
    SAYS(MPI_Win_lock(MPI_LOCK_SHARED, right, 0, win), "of MPI_Win_lock_all is open", "MPI_Win_unlock_all ends");
    MPI_OK(MPI_Win_unlock_all(win));
    MPI_OK(MPI_Win_fence(0, win));
    MPI_OK(MPI_Put(memory, 1, MPI_LONG, right, 0, 1, MPI_LONG, win));
    SAYS(MPI_Rput(memory, 1, MPI_LONG, right, 0, 1, MPI_LONG, win, &request), "MPI_Rput, target %d",
         "of MPI_Win_fence is open", "MPI_Win_lock");
    SAYS(MPI_Win_lock_all(0, win), "of MPI_Win_fence is open, with operations", "another MPI_Win_fence ends");
    MPI_OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
}

static void exposed(MPI_Win win, MPI_Group group, MPI_Group left_group)
{
    MPI_OK(MPI_Win_post(left_group, 0, win));
    SAYS(MPI_Put(memory, 1, MPI_LONG, right, 0, 1, MPI_LONG, win), "MPI_Put, target %d",
         "only the exposure epoch of MPI_Win_post", "MPI_Win_start begins");
    SAYS(MPI_Win_post(left_group, 0, win), "MPI_Win_post, window", "MPI_Win_wait");
    SAYS(MPI_Win_free(&win), "MPI_Win_free, window", "exposure epoch of MPI_Win_post is open", "MPI_Win_wait");
    MPI_OK(MPI_Win_start(group, 0, win));
    SAYS(MPI_Win_fence(0, win), "of MPI_Win_start is open", "MPI_Win_complete ends");
    if (test_size > 1) {
        SAYS(MPI_Put(memory, 1, MPI_LONG, test_rank, 0, 1, MPI_LONG, win), "is not in the group of MPI_Win_start");
    }
    MPI_OK(MPI_Win_complete(win));
    MPI_OK(MPI_Win_wait(win));
}

static void dynamic(void)
{
    MPI_Aint here, there;
    char address[40], call[60];
    MPI_Win win;
    void *base;
    int unit;
    MPI_Aint size;

    MPI_OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    MPI_OK(MPI_Win_attach(win, memory, sizeof(memory)));
    SAYS(MPI_Win_attach(win, memory + 2, 16), "MPI_Win_attach, window", "of MPI_Win_create_dynamic", "16 bytes at",
         "overlap");
    SAYS(MPI_Win_detach(win, memory + 2), "MPI_Win_detach, window", "no attached memory begins at");
    SAYS(MPI_Win_shared_query(win, right, &size, &unit, &base), "MPI_Win_shared_query, target %d", "dynamic");
    MPI_Get_address(memory + WORDS, &here);
    MPI_Sendrecv(&here, 1, MPI_AINT, test_neighbour(-1), 0, &there, 1, MPI_AINT, right, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    snprintf(address, sizeof(address), "0x%lx", (unsigned long) there);
    MPI_OK(MPI_Win_lock(MPI_LOCK_SHARED, right, 0, win));
    if (MPI_SUCCESS != MPI_Put(&value, 1, MPI_LONG, right, there, 1, MPI_LONG, win)) {
        snprintf(call, sizeof(call), "MPI_Put, target %d", right); /* one's own memory is checked at once */
        has("MPI_Put", (const char *const[]) { call, address, "MPI_Win_attach", NULL });
        MPI_OK(MPI_Win_unlock(right, win));
    } else {
        SAYS(MPI_Win_unlock(right, win), "MPI_Win_unlock, target %d", address, "MPI_Win_attach");
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_OK(MPI_Win_detach(win, memory));
    MPI_OK(MPI_Win_free(&win));
}

/* Without a service thread, of members whose sizes differ only the target knows its size at first. */
static void sizes(MPI_Group right_group, MPI_Group left_group)
{
    MPI_Info info;
    MPI_Win win;

    MPI_Info_create(&info);
    MPI_Info_set(info, "no_locks", "true");
    MPI_OK(MPI_Win_create(memory, (1 + test_rank) * sizeof(long), sizeof(long), info, MPI_COMM_WORLD, &win));
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    MPI_OK(MPI_Win_post(left_group, MPI_MODE_NOCHECK, win));
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_OK(MPI_Win_start(right_group, MPI_MODE_NOCHECK, win));
    if (MPI_SUCCESS != MPI_Put(&value, 1, MPI_LONG, right, WORDS, 1, MPI_LONG, win)) {
        has("MPI_Put", (const char *const[]) { "MPI_Put, target %d", "but the window has", NULL });
        MPI_OK(MPI_Win_complete(win));
    } else {
        SAYS(MPI_Win_complete(win), "MPI_Win_complete", "rank %d has refused an operation on 80");
    }
    MPI_OK(MPI_Win_wait(win));
    MPI_OK(MPI_Win_free(&win));
    MPI_Info_free(&info);
}

int main(int argc, char **argv)
{
    MPI_Group all, group, left_group;
    struct test_output output;
    int left, provided, lines, others;
    MPI_Win win;

    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    test_init(&argc, &argv);
    test_refusals = 1;
    open_line();
    test_output_catch(&output);
    right = test_neighbour(1);
    left = test_neighbour(-1);
    MPI_OK(MPI_Win_create(memory, sizeof(memory), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    SAYS(MPI_Win_attach(win, memory, 8), "MPI_Win_attach, window", "of MPI_Win_create", "MPI_Win_create_dynamic");
    MPI_Win_set_name(win, "halo");
    MPI_Win_get_group(win, &all);
    MPI_Group_incl(all, 1, &right, &group);
    MPI_Group_incl(all, 1, &left, &left_group);
    ranges(win);
    types(win);
    no_epoch(win);
    MPI_Barrier(MPI_COMM_WORLD);
    wrong_epoch(win, group);
    exposed(win, group, left_group);
    MPI_OK(MPI_Win_free(&win));
    dynamic();
    sizes(group, left_group);
    MPI_Group_free(&all);
    MPI_Group_free(&group);
    MPI_Group_free(&left_group);
    test_output_count(&output, "osc/ucp:", &lines, "MPI_ERR", &others);
    CHECK(0 == lines && 0 == others, "%d lines, and %d of Open MPI, are printed", lines, others);
    MPI_T_pvar_handle_free(session, &handle);
    MPI_T_pvar_session_free(&session);
    free(line);
    MPI_T_finalize();
    return test_finish();
}
