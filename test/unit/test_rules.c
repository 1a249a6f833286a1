/* Unit test of report 2: each rule of report/rules.c gives its advice where it applies, and none behind its limit; and
 * what layer/cause.c counts for them.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi_config.h"

#include "base/params.h"
#include "layer/layer.h"
#include "report/causes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SIZE = 4, S = 1000000000 };

static ompi_osc_ucp_told_t told;
static int64_t             whom[(OMPI_OSC_UCP_CAUSES + 1) * SIZE];
static uint64_t            keys[SIZE] = { 10, 11, 12, 13 };
static char               *text;

/** A window about which there is nothing to say: four processes had it for a second. */
static void begin(int flavor)
{
    memset(&told, 0, sizeof(told));
    memset(whom, 0, sizeof(whom));
    told.size         = SIZE;
    told.flavor       = flavor;
    told.whom         = whom;
    told.waiting      = whom + OMPI_OSC_UCP_CAUSES * SIZE;
    told.keys         = keys;
    told.messages     = 1000;
    told.sums.life_ns = (int64_t) SIZE * S;
}

/** Get the advice. */
static void advise(void)
{
    size_t len;
    FILE  *out;

    free(text);
    text = NULL;
    out  = open_memstream(&text, &len);
    assert_non_null(out);
    ompi_osc_ucp_advise(out, &told);
    assert_int_equal(0, fclose(out));
}

/** This advice is the only one. */
static void must_advise(const char *words)
{
    advise();
    if (NULL == strstr(text, words)) {
        fail_msg("no advice '%s': '%s'", words, text);
    }
    assert_ptr_equal(strrchr(text, '\n'), strchr(text, '\n'));
}

static void must_not_advise(void)
{
    advise();
    assert_string_equal("", text);
}

/** Calls waited for a cause: of it `share` of four quarters for rank 2, the rest for all alike. */
static void waits(int call, int cause, int64_t ns, int share)
{
    int rank;

    told.sums.times[call][cause] = ns;
    for (rank = 0; rank < SIZE; rank++) {
        whom[cause * SIZE + rank] = ns / 4 * (4 - share) / SIZE;
    }
    whom[cause * SIZE + 2] += ns / 4 * share;
}

static void test_nothing(void **state)
{
    (void) state;
    begin(MPI_WIN_FLAVOR_ALLOCATE);
    must_not_advise();
}

/** Rules that name one process, and only if it is waited for more than the others. */
static void test_late(void **state)
{
    static const struct {
        int         call, cause;
        const char *words;
    } rules[] = {
        { OMPI_OSC_UCP_CALLED_FENCE, OMPI_OSC_UCP_CAUSE_FENCE, "rank 12 comes late to MPI_Win_fence" },
        { OMPI_OSC_UCP_CALLED_START, OMPI_OSC_UCP_CAUSE_POST, "rank 12 calls MPI_Win_post late" },
        { OMPI_OSC_UCP_CALLED_WAIT, OMPI_OSC_UCP_CAUSE_COMPLETE, "rank 12 calls MPI_Win_complete late" }
    };
    size_t i;

    (void) state;
    for (i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
        begin(MPI_WIN_FLAVOR_ALLOCATE);
        waits(rules[i].call, rules[i].cause, S, 3);
        must_advise(rules[i].words);
        waits(rules[i].call, rules[i].cause, S, 0);
        must_not_advise();
        waits(rules[i].call, rules[i].cause, S / 10, 4); /* less than 5 percent */
        must_not_advise();
    }
}

/** A process that was spawned or connected has a rank that another one has, too. */
static void test_other_job(void **state)
{
    (void) state;
    begin(MPI_WIN_FLAVOR_ALLOCATE);
    waits(OMPI_OSC_UCP_CALLED_FENCE, OMPI_OSC_UCP_CAUSE_FENCE, S, 3);
    keys[2] = UINT64_C(0x10002) << 32 | 11;
    must_advise("rank 11 of another job (2) comes late to MPI_Win_fence");
    keys[2] = 12;
}

static void test_lock_held(void **state)
{
    (void) state;
    begin(MPI_WIN_FLAVOR_ALLOCATE);
    waits(OMPI_OSC_UCP_CALLED_UNLOCK, OMPI_OSC_UCP_CAUSE_HOLDER, S, 3);
    must_advise("rank 12 holds a lock for long, and others wait for it in MPI_Win_unlock");
    waits(OMPI_OSC_UCP_CALLED_UNLOCK, OMPI_OSC_UCP_CAUSE_HOLDER, S, 0);
    must_advise("processes wait for each other's locks in MPI_Win_unlock");
    waits(OMPI_OSC_UCP_CALLED_UNLOCK, OMPI_OSC_UCP_CAUSE_HOLDER, S / 10, 3);
    must_not_advise();
}

static void test_target_outside(void **state)
{
    (void) state;
    begin(MPI_WIN_FLAVOR_CREATE);
    waits(OMPI_OSC_UCP_CALLED_FLUSH, OMPI_OSC_UCP_CAUSE_TARGET, S / 8, 3);
    must_not_advise();
    waits(OMPI_OSC_UCP_CALLED_FLUSH, OMPI_OSC_UCP_CAUSE_TARGET, S, 3);
    must_advise("in MPI_Win_flush until rank 12, which computes, answers: make the window");
    waits(OMPI_OSC_UCP_CALLED_FLUSH, OMPI_OSC_UCP_CAUSE_TARGET, S, 0);
    must_advise("in MPI_Win_flush until a target, which computes, answers");
    told.sums.single_cpu = 4;
    must_advise("bind to two");
}

static void test_no_processor(void **state)
{
    (void) state;
    begin(MPI_WIN_FLAVOR_ALLOCATE);
    waits(OMPI_OSC_UCP_CALLED_FLUSH, OMPI_OSC_UCP_CAUSE_CPU, S, 0);
    must_advise("start fewer processes");
    waits(OMPI_OSC_UCP_CALLED_FLUSH, OMPI_OSC_UCP_CAUSE_CPU, S / 10, 0);
    must_not_advise();
    told.sums.delay_ns = told.sums.life_ns - S; /* what is left is compared */
    must_advise("start fewer processes");
}

/** A wait is want of processors as far as it is longer than the other process worked longer, and there were delays. */
static void test_delay(void **state)
{
    ompi_osc_ucp_watched_t record = { .key = 7 };

    (void) state;
    assert_int_equal(3, ompi_osc_ucp_delay_part(10, 7, 100));
    assert_int_equal(2, ompi_osc_ucp_delay_part(10, 7, 2));
    assert_int_equal(0, ompi_osc_ucp_delay_part(10, 11, 100));
    assert_int_equal(4, ompi_osc_ucp_work_longer(6, 2));
    assert_int_equal(0, ompi_osc_ucp_work_longer(2, 6));
    ompi_osc_ucp_watched = &record;
    ompi_osc_ucp_working.left = ompi_osc_ucp_working.inside = 0;
    ompi_osc_ucp_work_ends(100, true);
    assert_int_equal(100, record.work);
    ompi_osc_ucp_working.inside = 50;
    ompi_osc_ucp_work_ends(200, false);
    assert_int_equal(100, record.work);
    assert_int_equal(50, ompi_osc_ucp_working.mine.delay);
    assert_int_equal(50, ompi_osc_ucp_delay_of_wait(0, 70, false));
    assert_int_equal(30, ompi_osc_ucp_delay_of_wait(0, 30, true));
    ompi_osc_ucp_watched = NULL;
}

static void test_lock_each(void **state)
{
    (void) state;
    begin(MPI_WIN_FLAVOR_ALLOCATE);
    told.sums.calls[OMPI_OSC_UCP_CALLED_UNLOCK] = 200;
    told.sums.locks_single                      = 100;
    waits(OMPI_OSC_UCP_CALLED_LOCK, OMPI_OSC_UCP_CAUSE_ITSELF, S, 0);
    must_advise("enclose a single operation, 100 times");
    told.sums.locks_single = 99;
    must_not_advise();
    told.sums.locks_single = told.sums.calls[OMPI_OSC_UCP_CALLED_UNLOCK] = 99;
    must_not_advise();
    told.sums.locks_single = told.sums.calls[OMPI_OSC_UCP_CALLED_UNLOCK] = 200;
    told.flavor = MPI_WIN_FLAVOR_SHARED;
    must_not_advise();
}

static void test_fence_unneeded(void **state)
{
    (void) state;
    begin(MPI_WIN_FLAVOR_ALLOCATE);
    told.sums.fences_empty    = 400;
    told.sums.fences_empty_ns = S;
    must_advise("operations of no process before or after it, 100 times");
    told.sums.fences_empty = 399;
    must_not_advise();
    told.sums.fences_empty = 400;
    told.flavor = MPI_WIN_FLAVOR_SHARED;
    must_not_advise();
}

static void test_flush_each(void **state)
{
    (void) state;
    begin(MPI_WIN_FLAVOR_ALLOCATE);
    told.sums.flushes_single    = 100;
    told.sums.flushes_single_ns = S;
    must_advise("MPI_Win_flush completes a single operation, 100 times");
    told.sums.flushes_single = 99;
    must_not_advise();
    told.sums.flushes_single = 100;
    told.messages            = 0;
    must_not_advise();
}

/** Element by element. */
static void test_small(void **state)
{
    static const struct {
        int         call, sort;
        const char *words;
    } rules[] = {
        { OMPI_OSC_UCP_CALLED_GET, OMPI_OSC_UCP_SORT_GET, "MPI_Get fetches from one target piece by piece" },
        { OMPI_OSC_UCP_CALLED_RPUT, OMPI_OSC_UCP_SORT_PUT, "MPI_Put stores to one target piece by piece" },
        { OMPI_OSC_UCP_CALLED_ACCUMULATE, OMPI_OSC_UCP_SORT_ACCUMULATE, "MPI_Accumulate updates one target" },
        { OMPI_OSC_UCP_CALLED_COMPARE_AND_SWAP, OMPI_OSC_UCP_SORT_FETCH, "MPI_Fetch_and_op and MPI_Get_accumulate" }
    };
    size_t i;

    (void) state;
    for (i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
        begin(MPI_WIN_FLAVOR_ALLOCATE);
        told.sums.calls[rules[i].call]    = 200;
        told.sums.timed[rules[i].call]    = 200;
        told.sums.timed_ns[rules[i].call] = S;
        told.sums.adjacent[rules[i].sort] = 100;
        must_advise(rules[i].words);
        told.sums.adjacent[rules[i].sort] = 99;
        must_not_advise();
    }
}

static void test_small_pieces(void **state)
{
    (void) state;
    begin(MPI_WIN_FLAVOR_ALLOCATE);
    told.sums.scattered.calls    = 10;
    told.sums.scattered.pieces   = 80;
    told.sums.scattered.bytes    = 80 * 64;
    told.sums.scattered.timed    = 10;
    told.sums.scattered.timed_ns = S;
    must_advise("derived datatypes of 8 pieces of 64 bytes");
    told.sums.scattered.bytes++;
    must_not_advise();
    told.sums.scattered.bytes = told.sums.scattered.pieces = 79;
    must_not_advise();
}

/** Operations that took a second, in a window whose peers have no load and store. */
static void mapped_not(int flavor, int why)
{
    begin(flavor);
    told.sums.why[why]                         = 1;
    told.sums.calls[OMPI_OSC_UCP_CALLED_GET]    = 100;
    told.sums.timed[OMPI_OSC_UCP_CALLED_GET]    = 100;
    told.sums.timed_ns[OMPI_OSC_UCP_CALLED_GET] = S;
}

static void test_order(void **state)
{
    (void) state;
    begin(MPI_WIN_FLAVOR_CREATE);
    told.sums.order_waits = 100;
    told.sums.order_ns    = S;
    must_advise("to keep their order, 100 times: if the program needs no order among them, make the window with the "
                "info key accumulate_ordering, value none");
    told.sums.order_waits = 99;
    must_not_advise();
}

static void test_windows(void **state)
{
    (void) state;
    mapped_not(MPI_WIN_FLAVOR_CREATE, OMPI_OSC_UCP_WHY_OWN_MEMORY);
    must_advise("MPI_Win_create gives memory that other processes of the node cannot map");
    mapped_not(MPI_WIN_FLAVOR_DYNAMIC, OMPI_OSC_UCP_WHY_OWN_MEMORY);
    must_advise("MPI_Win_create_dynamic gives memory");
    mapped_not(MPI_WIN_FLAVOR_CREATE, OMPI_OSC_UCP_WHY_HOST);
    must_not_advise();
    mapped_not(MPI_WIN_FLAVOR_CREATE, OMPI_OSC_UCP_WHY_COPY_OFF);
    advise();
    assert_non_null(strstr(text, "set osc_ucp_kernel_copy to 1"));
    mapped_not(MPI_WIN_FLAVOR_CREATE, OMPI_OSC_UCP_WHY_COPY_REFUSED);
    advise();
    assert_non_null(strstr(text, "kernel.yama.ptrace_scope 0"));
    told.sums.timed_ns[OMPI_OSC_UCP_CALLED_GET] = 100;
    must_not_advise();
}

/* What is counted. */

static ompi_osc_ucp_window_t *window_begin(void)
{
    ompi_osc_ucp_window_t *window = calloc(1, sizeof(*window));

    assert_non_null(window);
    window->size              = 1;
    window->uniform_disp_unit = 1;
    assert_true(ompi_osc_ucp_causes_begin(window));
    return window;
}

static void window_end(ompi_osc_ucp_window_t *window)
{
    ompi_osc_ucp_causes_free(window);
    free(window);
}

/** An epoch of MPI_Win_lock with `n` operations. */
static void epoch(ompi_osc_ucp_window_t *window, bool exclusive, int call, int n)
{
    ompi_osc_ucp_cause_locked(window->causes, exclusive);
    for (; n > 0; n--) {
        ompi_osc_ucp_cause_count(window->causes, call);
    }
    ompi_osc_ucp_cause_waited(window, OMPI_OSC_UCP_CALLED_UNLOCK, 0, 10, 0);
}

/** A lock is needless around one operation, unless it is exclusive and the operation is not atomic. */
static void test_single(void **state)
{
    ompi_osc_ucp_window_t *window = window_begin();
    const int64_t         *single = &window->causes->sums.locks_single;

    (void) state;
    epoch(window, false, OMPI_OSC_UCP_CALLED_PUT, 0);
    epoch(window, true, OMPI_OSC_UCP_CALLED_PUT, 0);
    epoch(window, false, OMPI_OSC_UCP_CALLED_PUT, 2);
    epoch(window, true, OMPI_OSC_UCP_CALLED_PUT, 1);
    epoch(window, true, OMPI_OSC_UCP_CALLED_RGET, 1);
    assert_int_equal(0, *single);
    epoch(window, false, OMPI_OSC_UCP_CALLED_PUT, 1);
    assert_int_equal(1, *single);
    epoch(window, true, OMPI_OSC_UCP_CALLED_FETCH_AND_OP, 1);
    assert_int_equal(2, *single);
    epoch(window, true, OMPI_OSC_UCP_CALLED_ACCUMULATE, 2);
    assert_int_equal(2, *single);
    window_end(window);
}

/** Accumulates beside each other could be one if their elements are of one type. */
static void test_adjacent(void **state)
{
    ompi_osc_ucp_window_t *window   = window_begin();
    const int64_t         *adjacent = &window->causes->sums.adjacent[OMPI_OSC_UCP_SORT_ACCUMULATE];

    (void) state;
    window->causes->disp_unit = 8;
    ompi_osc_ucp_cause_looked(window, OMPI_OSC_UCP_CALLED_ACCUMULATE, 0, 0, 0, 1, &ompi_mpi_int64_t.dt);
    ompi_osc_ucp_cause_looked(window, OMPI_OSC_UCP_CALLED_ACCUMULATE, 0, 0, 1, 1, &ompi_mpi_double.dt);
    assert_int_equal(0, *adjacent);
    ompi_osc_ucp_cause_looked(window, OMPI_OSC_UCP_CALLED_ACCUMULATE, 0, 0, 2, 1, &ompi_mpi_double.dt);
    assert_int_equal(1, *adjacent);
    window_end(window);
}

static int refuse_rput(const void *origin, ompi_osc_ucp_count_t origin_count, ompi_datatype_t *origin_type, int target,
                       ptrdiff_t disp, ompi_osc_ucp_count_t target_count, ompi_datatype_t *target_type, ompi_win_t *win,
                       ompi_request_t **request_p)
{
    (void) origin, (void) origin_count, (void) origin_type, (void) target, (void) disp, (void) target_count;
    (void) target_type, (void) win, (void) request_p;
    return MPI_ERR_RMA_RANGE;
}

/** An operation that is refused has moved nothing, however many bytes it asked for. */
static void test_refused(void **state)
{
    const ompi_osc_base_module_t refusing = { .osc_rput = refuse_rput };
    ompi_osc_ucp_window_t       *window   = window_begin();
    ompi_win_t                   win      = { .w_osc_module = &window->super };
    ompi_request_t              *request;

    (void) state;
    window->super = refusing;
    assert_true(ompi_osc_ucp_instrument(window));
    assert_int_equal(MPI_ERR_RMA_RANGE, window->super.osc_rput(NULL, INT_MAX, &ompi_mpi_double.dt, 0, 0, INT_MAX,
                                                               &ompi_mpi_double.dt, &win, &request));
    assert_int_equal(1, window->causes->sums.calls[OMPI_OSC_UCP_CALLED_RPUT]);
    assert_int_equal(0, window->causes->sums.bytes[OMPI_OSC_UCP_SORT_PUT]);
    ompi_osc_ucp_layers_free(window);
    window_end(window);
}

/** What was seen of an operation that waited is no part of the next synchronizing call's time. */
static void test_sampled(void **state)
{
    ompi_osc_ucp_window_t *window = window_begin();
    int64_t                rest;

    (void) state;
    ompi_osc_ucp_sampled = (ompi_osc_ucp_sampled_t) { .at = opal_common_ucp_now_ns(), .ns = S, .culprit = -1,
                                                      .cause = OMPI_OSC_UCP_CAUSE_FLOW };
    ompi_osc_ucp_cause_looked(window, OMPI_OSC_UCP_CALLED_PUT, 1, 0, 0, 1, &ompi_mpi_byte.dt);
    ompi_osc_ucp_cause_waited(window, OMPI_OSC_UCP_CALLED_FLUSH, 0, S / 2, 0);
    rest = window->causes->sums.times[OMPI_OSC_UCP_CALLED_FLUSH][OMPI_OSC_UCP_CAUSE_ITSELF];
    assert_true(rest > S / 4);
    window_end(window);
}

/** If the watchdog's layer tells which call it is, the call is not over for that layer yet. */
static void test_told(void **state)
{
    ompi_osc_ucp_window_t *window = window_begin();

    (void) state;
    window->causes->tells     = false;
    ompi_osc_ucp_calling.call = OMPI_OSC_UCP_CALLED_UNLOCK;
    ompi_osc_ucp_cause_waited(window, OMPI_OSC_UCP_CALLED_UNLOCK, 0, 10, 0);
    assert_int_equal(OMPI_OSC_UCP_CALLED_UNLOCK, ompi_osc_ucp_calling.call);
    window->causes->tells = true;
    ompi_osc_ucp_cause_waited(window, OMPI_OSC_UCP_CALLED_UNLOCK, 0, 10, 0);
    assert_int_equal(OMPI_OSC_UCP_CALLED_NONE, ompi_osc_ucp_calling.call);
    window_end(window);
}

/** Some fences stand for short ones that are not timed, so that the sum is right. Each is counted. */
static void test_fences(void **state)
{
    ompi_osc_ucp_window_t *window = window_begin();
    ompi_osc_ucp_causes_t *causes = window->causes;
    int                    fences = 20 * OMPI_OSC_UCP_FENCES_FIRST, brief = 0, i;
    double                 all    = 100 * fences;
    uint64_t               ns;

    (void) state;
    for (i = 0; i < fences; i++) {
        ompi_osc_ucp_cause_count(causes, OMPI_OSC_UCP_CALLED_PUT);
        if (ompi_osc_ucp_cause_fence_is_short(causes)) {
            assert_true(i >= OMPI_OSC_UCP_FENCES_FIRST);
            ompi_osc_ucp_cause_fence_counted(causes);
            brief++;
        } else {
            ns = 100 + causes->clock_ns;
            ompi_osc_ucp_cause_waited(window, OMPI_OSC_UCP_CALLED_FENCE, 0, ns,
                                      ompi_osc_ucp_cause_fence_stands(causes, 0, ns));
        }
    }
    assert_true(brief > fences * 8 / 10);
    assert_int_equal(fences, causes->sums.calls[OMPI_OSC_UCP_CALLED_FENCE]);
    assert_int_equal(fences, causes->fences);
    assert_true(1 == causes->used[fences - 1] && causes->at_fence == ompi_osc_ucp_causes_operations(causes));
    assert_true((double) causes->sums.waiting_ns <= all && (double) causes->sums.waiting_ns > 0.98 * all);
    window_end(window);
}

/** The clock of the accounts never goes back, and is as fast as the kernel's. */
static void test_ticks(void **state)
{
    uint64_t outer, inner, begin, last, now;

    (void) state;
    ompi_osc_ucp_ticks_compare();
    outer = opal_common_ucp_now_ns();
    begin = last = ompi_osc_ucp_ticks_now();
    inner = opal_common_ucp_now_ns();
    do {
        now = ompi_osc_ucp_ticks_now();
        assert_true(now >= last);
        last = now;
    } while (opal_common_ucp_now_ns() - inner < 20000000);
    inner = opal_common_ucp_now_ns() - inner;
    last  = ompi_osc_ucp_ticks_now();
    outer = opal_common_ucp_now_ns() - outer;
    assert_true(last - begin >= inner - inner / 500);
    assert_true(last - begin <= outer + outer / 500);
}

/** Who was seen with the lock, had it until it was seen with nobody, however late that was. */
static void test_released(void **state)
{
    ompi_osc_ucp_window_t *window = window_begin();
    const int64_t         *holder = &window->causes->whom[OMPI_OSC_UCP_CAUSE_HOLDER * window->size];
    const int64_t         *times  = window->causes->sums.times[OMPI_OSC_UCP_CALLED_LOCK];

    (void) state;
    ompi_osc_ucp_sampled = (ompi_osc_ucp_sampled_t) { .at = 1, .culprit = 0, .cause = OMPI_OSC_UCP_CAUSE_HOLDER };
    assert_true(ompi_osc_ucp_cause_released(window, OMPI_OSC_UCP_CALLED_LOCK, 500));
    assert_int_equal(500, *holder);
    assert_false(ompi_osc_ucp_cause_released(window, OMPI_OSC_UCP_CALLED_LOCK, 500)); /* the next one is not known */
    ompi_osc_ucp_cause_waited(window, OMPI_OSC_UCP_CALLED_LOCK, 0, S / 2, 0);
    assert_int_equal(500, *holder);
    assert_true(times[OMPI_OSC_UCP_CAUSE_HOLDER] > S / 4);
    ompi_osc_ucp_sampled = (ompi_osc_ucp_sampled_t) { .at = 1, .culprit = 0, .cause = OMPI_OSC_UCP_CAUSE_TARGET };
    assert_false(ompi_osc_ucp_cause_released(window, OMPI_OSC_UCP_CALLED_LOCK, 500));
    ompi_osc_ucp_sampled = (ompi_osc_ucp_sampled_t) { .culprit = -1 };
    window_end(window);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing), cmocka_unit_test(test_late), cmocka_unit_test(test_other_job),
        cmocka_unit_test(test_lock_held),
        cmocka_unit_test(test_target_outside), cmocka_unit_test(test_no_processor), cmocka_unit_test(test_delay),
        cmocka_unit_test(test_lock_each),
        cmocka_unit_test(test_fence_unneeded), cmocka_unit_test(test_flush_each), cmocka_unit_test(test_small),
        cmocka_unit_test(test_order), cmocka_unit_test(test_adjacent),
        cmocka_unit_test(test_small_pieces), cmocka_unit_test(test_windows), cmocka_unit_test(test_single),
        cmocka_unit_test(test_sampled), cmocka_unit_test(test_released), cmocka_unit_test(test_ticks),
        cmocka_unit_test(test_refused), cmocka_unit_test(test_told), cmocka_unit_test(test_fences)
    };
    int failed;

    failed = cmocka_run_group_tests(tests, NULL, NULL);
    free(text);
    return failed;
}
