/* Makes each call of the component fail in turn, on one process of two, and checks the outcome.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * usage: faults first FLAVOR RANK AT CASE    call AT fails on RANK, in a process that has had no window before
 *        faults again CASE|all RANK broken|memory [RUN]   each call in turn, RUN of them at once (default: 1)
 *        faults list                         the cases
 *
 * To be run with inject.c preloaded. Rank 0 is the origin, rank 1 the target. One line for each injected point:
 *     POINT case rank call offset outcome
 * The outcome is "works" (the call succeeded all the same, and its data are right) or an MPI error class. A line that
 * begins with FAIL is a failure of the test: success with wrong data, an error that some process of a collective call
 * does not get, a window that does not work afterwards, memory that is not given back, or a hang.
 */
#include "../mpi/lib/ended.h"
#include "../mpi/lib/patience.h"

#include "faults_cases.h"

#include <dlfcn.h>
#include <signal.h>
#include <unistd.h>

#include "inject.h"

enum { POINTS_MAX = 400 };

static inject_arm_t arm;
static inject_disarm_t disarm;
static inject_live_fn_t live;
static MPI_Win control; /* stands all the time: it must go on working */
static unsigned char control_memory[64];
static char doing[256];

/* ---- one round ---- */

/* What a process found in a round; rank 1's goes to rank 0. */
struct found {
    int error;    /* class, at this process */
    int wrong;    /* data are wrong */
    int again;    /* class of the same without a fault */
    int wrong_again;
    int control;  /* class of a put to the control window */
    long grown;   /* blocks and objects that were not given back */
    inject_hit_t hit;
    char call[48];
};

static void complain(const struct test_case *c, enum flavor flavor, const struct found *f, const char *what)
{
    test_fail(__FILE__, __LINE__, "FAIL %s %s, fault in %s at %#lx: %s (errors %d and %d)", flavor_name[flavor],
              c->name, f->call, (unsigned long) f->hit.offset, what, f[0].error, f[1].error);
}

static int differs(const struct test_case *c, const struct window *window)
{
    if (AT_TARGET == c->effect && 1 == test_rank) {
        MPI_Win_sync(window->win);
        return 0 != memcmp(window->base, sent, (size_t) c->bytes);
    }
    return AT_ORIGIN == c->effect && 0 == test_rank && 0 != memcmp(received, sent, (size_t) c->bytes);
}

/* The target's memory before a case: zeros, or what is to be got. */
static void prepare(const struct test_case *c, struct window *window)
{
    if (1 == test_rank && AT_ORIGIN == c->effect) {
        memcpy(window->base, sent, BYTES);
    } else {
        memset(window->base, 0, BYTES);
    }
    memset(received, 0, BYTES);
    MPI_Win_sync(window->win);
    MPI_Barrier(MPI_COMM_WORLD);
}

static int act(const struct test_case *c, struct window *window)
{
    side_t *side = 0 == test_rank ? c->origin : c->target;
    int error = NULL == side ? MPI_SUCCESS : side(window);

    MPI_Barrier(MPI_COMM_WORLD);
    return error;
}

static int control_works(void)
{
    int error = MPI_SUCCESS, other = 1 - test_rank;

    TRY(MPI_Win_lock(MPI_LOCK_SHARED, other, 0, control));
    TRY(MPI_Put(sent, 64, MPI_BYTE, other, 0, 64, MPI_BYTE, control));
    TRY(MPI_Win_unlock(other, control));
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_sync(control);
    CHECK(0 == memcmp(control_memory, sent, 64), "the control window got other data");
    memset(control_memory, 0, 64);
    MPI_Barrier(MPI_COMM_WORLD);
    return error;
}

/* Begin to inject, if it is this process's turn; else only count. */
static void inject_begin(int rank, long at, long run, inject_how_t how)
{
    arm(rank == test_rank ? at : 0, run, how);
}

static void inject_end(struct found *found)
{
    disarm(&found->hit);
    snprintf(found->call, sizeof(found->call), "%s", NULL == found->hit.call ? "" : found->hit.call);
}

static void round_construct(enum flavor flavor, int rank, long at, long run, inject_how_t how, struct found *found)
{
    struct window window;

    inject_begin(rank, at, run, how);
    found->error = window_open(&window, flavor, MPI_INFO_NULL);
    inject_end(found);
    MPI_Barrier(MPI_COMM_WORLD);
    if (MPI_SUCCESS == found->error) {
        window_ready(&window, flavor);
        found->again = locked(&window, MPI_LOCK_EXCLUSIVE, op_put_small);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_OK(MPI_Win_free(&window.win));
    }
}

static void round_act(const struct test_case *c, enum flavor flavor, int rank, long at, long run, inject_how_t how,
                      struct found *found)
{
    struct window window;

    MPI_OK(window_open(&window, flavor, MPI_INFO_NULL));
    window_ready(&window, flavor);
    prepare(c, &window);
    inject_begin(rank, at, run, how);
    found->error = act(c, &window);
    inject_end(found);
    if (FREES == c->special) {
        return;
    }
    found->wrong = differs(c, &window);
    prepare(c, &window);
    found->again = act(c, &window);
    found->wrong_again = differs(c, &window);
    MPI_OK(MPI_Win_free(&window.win));
}

static void round_run(const struct test_case *c, enum flavor flavor, int rank, long at, long run, inject_how_t how,
                      struct found found[2])
{
    struct found mine = {0};
    inject_live_t before, after;

    snprintf(doing, sizeof(doing), "%s %s, call %ld of rank %d", flavor_name[flavor], c->name, at, rank);
    alarm(4 * (unsigned) test_patience());
    live(&before);
    if (CONSTRUCTS == c->special) {
        round_construct(flavor, rank, at, run, how, &mine);
    } else {
        round_act(c, flavor, rank, at, run, how, &mine);
    }
    live(&after);
    mine.grown = after.blocks - before.blocks + after.objects - before.objects;
    mine.control = MPI_WIN_NULL == control ? MPI_SUCCESS : control_works();
    MPI_Allgather(&mine, sizeof(mine), MPI_BYTE, found, sizeof(mine), MPI_BYTE, MPI_COMM_WORLD);
    alarm(0);
}

static const char *outcome(const struct found found[2])
{
    static char text[MPI_MAX_ERROR_STRING + 8];
    int class = MPI_SUCCESS != found[0].error ? found[0].error : found[1].error, len;

    if (MPI_SUCCESS == class) {
        return "works";
    }
    MPI_Error_string(class, text, &len);
    text[strcspn(text, ":")] = '\0';
    return text;
}

static void judge(const struct test_case *c, enum flavor flavor, int rank, const struct found found[2])
{
    if (0 != test_rank) {
        return;
    }
    if (NULL != found[rank].hit.call) {
        printf("POINT %s %s %d %s %#lx %s\n", flavor_name[flavor], c->name, rank, found[rank].call,
               (unsigned long) found[rank].hit.offset, outcome(found));
        fflush(stdout);
    }
    if (CONSTRUCTS == c->special && (MPI_SUCCESS == found[0].error) != (MPI_SUCCESS == found[1].error)) {
        complain(c, flavor, found, "only one process has learnt of it");
    }
    if (MPI_SUCCESS == found[0].error && MPI_SUCCESS == found[1].error && (found[0].wrong || found[1].wrong)) {
        complain(c, flavor, found, "no error, and wrong data");
    }
    if (MPI_SUCCESS != found[0].again || MPI_SUCCESS != found[1].again) {
        complain(c, flavor, found, "the window does not work afterwards");
    }
    if (found[0].wrong_again || found[1].wrong_again) {
        complain(c, flavor, found, "wrong data afterwards");
    }
    if (MPI_SUCCESS != found[0].control || MPI_SUCCESS != found[1].control) {
        complain(c, flavor, found, "another window does not work afterwards");
    }
}

/* ---- modes ---- */

static void hung(int signal)
{
    char command[600];

    (void) signal;
    snprintf(command, sizeof(command),
             "echo 'FAIL hang: rank %d in %s' >&2; gdb -p %d -batch -nx -iex 'set debuginfod enabled off' "
             "-ex bt 2>&1 | grep -E '^(Thread|#)' >&2", test_rank, doing, (int) getpid());
    (void) !system(command);
    _exit(3);
}

static int has_flavor(enum flavor flavor, const struct test_case *c)
{
    return DYNAMIC == flavor || 0 != strcmp(c->name, "attach");
}

/* Each call of a case in turn, until none fails any more. Memory kept for reuse grows at first, a leak each time. */
static void again(const struct test_case *c, enum flavor flavor, int rank, long run, inject_how_t how)
{
    struct found found[2];
    int times, missed = 0;

    round_run(c, flavor, rank, 0, 1, how, found);
    round_run(c, flavor, rank, 0, 1, how, found);
    for (long at = 1; at < POINTS_MAX && missed < 2; at++) {
        for (times = 0; times < 4; times++) {
            round_run(c, flavor, rank, at, run, how, found);
            if (0 == times) {
                judge(c, flavor, rank, found);
            }
            if (found[0].grown <= 0 && found[1].grown <= 0) {
                break;
            }
        }
        if (4 == times && 0 == test_rank) {
            complain(c, flavor, found, "memory is not given back");
        }
        missed = NULL == found[rank].hit.call && '\0' == found[rank].call[0] ? missed + 1 : 0;
    }
}

static void functions_find(void)
{
    arm = (inject_arm_t) dlsym(RTLD_DEFAULT, "inject_arm");
    disarm = (inject_disarm_t) dlsym(RTLD_DEFAULT, "inject_disarm");
    live = (inject_live_fn_t) dlsym(RTLD_DEFAULT, "inject_live");
    if (NULL == arm || NULL == disarm || NULL == live) {
        fprintf(stderr, "faults: inject.so must be preloaded\n");
        exit(2);
    }
}

int main(int argc, char **argv)
{
    struct found found[2];
    enum flavor first_flavor;

    if (2 == argc && 0 == strcmp(argv[1], "list")) {
        for (int i = 0; i < CASES; i++) {
            printf("%s\n", cases[i].name);
        }
        return 0;
    }
    functions_find();
    signal(SIGALRM, hung);
    alarm(4 * (unsigned) test_patience());
    test_init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    cases_init();
    control = MPI_WIN_NULL;
    for (first_flavor = 0; first_flavor < FLAVORS - 1 && NULL != argv[3] &&
                           0 != strcmp(flavor_name[first_flavor], argv[2]); first_flavor++) {
        continue;
    }
    if (6 == argc && 0 == strcmp(argv[1], "first")) {
        int i = 0;

        while (i < CASES - 1 && 0 != strcmp(argv[5], cases[i].name)) {
            i++;
        }
        round_run(&cases[i], first_flavor, atoi(argv[3]), atol(argv[4]), 1, INJECT_NO_MEMORY, found);
        judge(&cases[i], first_flavor, atoi(argv[3]), found);
        round_run(&cases[i], first_flavor, atoi(argv[3]), 0, 1, INJECT_NO_MEMORY, found);
        CHECK(MPI_SUCCESS == found[0].error && MPI_SUCCESS == found[1].error, "the next window: errors %d, %d",
              found[0].error, found[1].error);
        return test_finish();
    }
    MPI_OK(MPI_Win_create(control_memory, sizeof(control_memory), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &control));
    MPI_Win_set_errhandler(control, MPI_ERRORS_RETURN);
    arm(0, 0, INJECT_NO_MEMORY);
    for (enum flavor flavor = 0; flavor < FLAVORS; flavor++) {
        for (int i = 0; i < CASES; i++) {
            if (has_flavor(flavor, &cases[i]) && (0 == strcmp(argv[2], "all") || 0 == strcmp(argv[2], cases[i].name))) {
                again(&cases[i], flavor, atoi(argv[3]), argc > 5 ? atol(argv[5]) : 1,
                      0 == strcmp(argv[4], "broken") ? INJECT_BROKEN : INJECT_NO_MEMORY);
            }
        }
    }
    MPI_OK(MPI_Win_free(&control));
    return test_finish();
}
