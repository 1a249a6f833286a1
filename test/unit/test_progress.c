/* Unit test of progress: which sources are polled, on which side, and when.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "base/wait.h"

#include <mpi.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/** The sources, as the tests see them. They are added once, and for good. */
static struct {
    unsigned inside, inside_too, outside;
} polls;

static bool     in_place; /**< each poll was on its side */
static uint32_t awaited;  /**< ended by the source that is polled inside */

/** The origin side is taken while a source is polled inside it. Without threads nobody takes it. */
static void side_note(bool inside)
{
    in_place = in_place && (ompi_osc_ucp_threaded() && inside) == (0 != ompi_osc_ucp_threads.locked);
}

static unsigned poll_inside(void)
{
    side_note(true);
    polls.inside++;
    if (awaited > 0) {
        ompi_osc_ucp_awaited_less(&awaited);
    }
    return 1;
}

static unsigned poll_inside_too(void)
{
    side_note(true);
    polls.inside_too++;
    return 10;
}

static unsigned poll_outside(void)
{
    side_note(false);
    polls.outside++;
    return 100;
}

/** Poll once: so many events come from sources that are polled so many times. */
static void must_poll(unsigned inside, unsigned outside)
{
    memset(&polls, 0, sizeof(polls));
    in_place = true;
    assert_int_equal(inside * 11 + outside * 100, ompi_osc_ucp_progress());
    assert_int_equal(inside, polls.inside);
    assert_int_equal(inside, polls.inside_too);
    assert_int_equal(outside, polls.outside);
    assert_true(in_place);
}

/** Only while a window needs it, and while any does. */
static void test_needed(void **state)
{
    (void) state;
    must_poll(0, 0);
    ompi_osc_ucp_progress_need();
    must_poll(1, 1);
    ompi_osc_ucp_progress_need();
    ompi_osc_ucp_progress_release();
    must_poll(1, 1);
    ompi_osc_ucp_progress_release();
    must_poll(0, 0);
}

/** A source that is added again is polled once all the same. */
static void test_added_twice(void **state)
{
    (void) state;
    ompi_osc_ucp_progress_add(OMPI_OSC_UCP_POLLED_INSIDE, poll_inside);
    ompi_osc_ucp_progress_add(OMPI_OSC_UCP_POLLED_OUTSIDE, poll_outside);
    ompi_osc_ucp_progress_need();
    must_poll(1, 1);
    ompi_osc_ucp_progress_release();
}

/** A thread that is inside the origin side from one semaphore to the other. */
static sem_t entered, leave;

static void *inside_main(void *unused)
{
    ompi_osc_ucp_enter();
    sem_post(&entered);
    sem_wait(&leave);
    ompi_osc_ucp_leave();
    return unused;
}

static void test_other_inside(void **state)
{
    pthread_t thread;

    (void) state;
    ompi_osc_ucp_threads.multiple = true;
    ompi_osc_ucp_progress_need();
    must_poll(1, 1);
    assert_int_equal(0, ompi_osc_ucp_threads.locked);
    assert_int_equal(0, pthread_create(&thread, NULL, inside_main, NULL));
    sem_wait(&entered);
    memset(&polls, 0, sizeof(polls));
    assert_int_equal(100, ompi_osc_ucp_progress());
    assert_int_equal(0, polls.inside + polls.inside_too);
    assert_int_equal(1, polls.outside);
    assert_int_equal(1, ompi_osc_ucp_threads.locked); /* still the other one's */
    sem_post(&leave);
    pthread_join(thread, NULL);
    must_poll(1, 1);
    ompi_osc_ucp_progress_release();
}

/** Who awaits a count leaves the origin side meanwhile: else the source that ends it would not be polled. */
static void test_await(void **state)
{
    (void) state;
    ompi_osc_ucp_threads.multiple = true;
    ompi_osc_ucp_progress_need();
    assert_int_equal(OMPI_SUCCESS, ompi_osc_ucp_progress_start());
    awaited = 3;
    memset(&polls, 0, sizeof(polls));
    ompi_osc_ucp_enter();
    ompi_osc_ucp_await(&awaited);
    assert_int_equal(1, ompi_osc_ucp_threads.locked);
    ompi_osc_ucp_leave();
    assert_int_equal(0, awaited);
    assert_int_equal(3, polls.inside);
    ompi_osc_ucp_progress_stop();
    ompi_osc_ucp_progress_release();
}

/** Open MPI polls the sources from start to stop. */
static void test_opal_progress(void **state)
{
    (void) state;
    ompi_osc_ucp_progress_need();
    memset(&polls, 0, sizeof(polls));
    opal_progress();
    assert_int_equal(0, polls.inside);
    assert_int_equal(OMPI_SUCCESS, ompi_osc_ucp_progress_start());
    assert_int_equal(OMPI_SUCCESS, ompi_osc_ucp_progress_start());
    opal_progress();
    assert_int_equal(1, polls.inside);
    ompi_osc_ucp_progress_stop();
    opal_progress();
    assert_int_equal(1, polls.inside);
    ompi_osc_ucp_progress_release();
}

static int setup(void **state)
{
    (void) state;
    ompi_osc_ucp_threads.multiple = false;
    awaited                       = 0;
    return 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_needed, setup),       cmocka_unit_test_setup(test_added_twice, setup),
        cmocka_unit_test_setup(test_other_inside, setup), cmocka_unit_test_setup(test_await, setup),
        cmocka_unit_test_setup(test_opal_progress, setup)
    };
    int failed;

    MPI_Init(&argc, &argv);
    sem_init(&entered, 0, 0);
    sem_init(&leave, 0, 0);
    ompi_osc_ucp_progress_add(OMPI_OSC_UCP_POLLED_INSIDE, poll_inside);
    ompi_osc_ucp_progress_add(OMPI_OSC_UCP_POLLED_INSIDE, poll_inside_too);
    ompi_osc_ucp_progress_add(OMPI_OSC_UCP_POLLED_OUTSIDE, poll_outside);
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
