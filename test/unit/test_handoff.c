/* Unit test of streams at the target: how often a poll looks for a chunk.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * An origin may be stopped in the midst of a stream, or become another program. The window is this process's only.
 */

#include "base/cpu.h"
#include "memory/handoff.h"
#include "peer/window.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static unsigned pauses; /* of the target */

static inline void counted_relax(void)
{
    pauses++;
}

/* The target's code, whose pauses are counted. */
#define ompi_osc_ucp_cpu_relax counted_relax
#include "service/handoff.c"
#undef ompi_osc_ucp_cpu_relax

enum { POLLS = 1000, BYTES = 64 };

/** As in a segment. */
static struct {
    _Alignas(64) ompi_osc_ucp_handoff_t     handoff;
    _Alignas(64) ompi_osc_ucp_handoff_far_t far;
} segment;

static ompi_osc_ucp_handoff_t *handoff;
static ompi_osc_ucp_window_t   window;
static char                    memory[BYTES];

static int setup(void **state)
{
    (void) state;
    memset(&segment, 0, sizeof(segment));
    memset(memory, 0, sizeof(memory));
    handoff = (ompi_osc_ucp_handoff_t *) (void *) &segment;
    __asm__("" : "+r"(handoff)); /* the compiler must not object to what lies behind it */
    ompi_osc_ucp_handoff_init(handoff, (char *) &segment.far);
    window            = (ompi_osc_ucp_window_t) { .handoff = handoff };
    handoff->claimed  = 1;
    handoff->streamed = 1;
    handoff->state    = OMPI_OSC_UCP_HANDOFF_STREAMS;
    return 0;
}

/** The origin posts a chunk: a put of so many bytes. */
static void post(uint32_t number, char byte)
{
    ompi_osc_ucp_handoff_chunk_t  *chunk  = ompi_osc_ucp_handoff_chunk(handoff, number);
    ompi_osc_ucp_handoff_record_t *record = (ompi_osc_ucp_handoff_record_t *) chunk->records;

    *record = (ompi_osc_ucp_handoff_record_t) {
        .address = (uintptr_t) memory, .bytes = BYTES, .kind = OMPI_OSC_UCP_HANDOFF_PUT
    };
    memset(ompi_osc_ucp_handoff_data(record), byte, BYTES);
    chunk->used  = ompi_osc_ucp_handoff_takes(BYTES, false);
    chunk->last  = false;
    chunk->state = OMPI_OSC_UCP_HANDOFF_POSTED;
}

/** Poll so often, for nothing. Returns the pauses of the last poll. */
static unsigned poll_for_nothing(unsigned times)
{
    while (times-- > 0) {
        pauses = 0;
        assert_false(ompi_osc_ucp_handoff_serve(&window));
    }
    return pauses;
}

/** A target waits for the next chunk of a stream that goes on, but hardly for one that does not. */
static void test_idle(void **state)
{
    (void) state;
    assert_true(poll_for_nothing(1) > 1);
    assert_int_equal(1, poll_for_nothing(POLLS));
}

/** It takes the chunk that comes at last, and waits for those behind it again. */
static void test_goes_on(void **state)
{
    (void) state;
    (void) poll_for_nothing(POLLS);
    post(0, 'a');
    assert_true(ompi_osc_ucp_handoff_serve(&window));
    assert_int_equal('a', memory[BYTES - 1]);
    assert_int_equal(OMPI_OSC_UCP_HANDOFF_DONE, ompi_osc_ucp_handoff_chunk(handoff, 0)->state);
    assert_true(poll_for_nothing(1) > 1);
    post(1, 'b');
    assert_true(ompi_osc_ucp_handoff_serve(&window));
    assert_int_equal('b', memory[BYTES - 1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_idle, setup),
        cmocka_unit_test_setup(test_goes_on, setup)
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
