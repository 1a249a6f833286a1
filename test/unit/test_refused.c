/* Unit test of messages that are wrong: none is executed, all are counted, the first is reported.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * They are handed to the service side as the transport does. Nobody asks for a reply, so that none is needed.
 */

#include "ompi_config.h"

#include "message/message.h"
#include "peer/window.h"
#include "service/arrival.h"
#include "service/refused.h"
#include "service/target.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { BYTES = 64, WINDOW = 7, FREED = 6, MEMBERS = 2 };

/** A packet with one put of 8 bytes. */
typedef struct put_t {
    ompi_osc_ucp_wire_packet_t  head;
    ompi_osc_ucp_wire_command_t command;
    char                        data[8];
} put_t;

static ompi_osc_ucp_window_t  window = { .size = MEMBERS, .flavor = MPI_WIN_FLAVOR_CREATE, .bytes = BYTES };
static ompi_osc_ucp_control_t control;
static char                   memory[BYTES];
static uint32_t               turn; /**< of the next ordered packet */

static put_t right(void)
{
    return (put_t) {
        .head    = { .secret = ompi_osc_ucp_secret, .window = WINDOW, .origin = 1, .ordered = 1, .sequence = turn },
        .command = { .kind = OMPI_OSC_UCP_KIND_PUT, .len = 8, .disp = 8 },
        .data    = { '1', '2', '3', '4', '5', '6', '7', '8' }
    };
}

static void deliver(const void *bytes, size_t len)
{
    opal_common_ucp_message_t message = {
        .data = bytes, .len = len, .reply_ep = (opal_common_ucp_ep_t *) &window /* there, and not used */
    };

    ompi_osc_ucp_arrive(&message);
}

/** A message that has to be counted, and must leave memory and control block alone. */
static void must_be_refused(const void *bytes, size_t len)
{
    const ompi_osc_ucp_control_t zero    = { .completes = 0 };
    uint64_t                     refused = ompi_osc_ucp_messages_refused();

    deliver(bytes, len);
    assert_int_equal(refused + 1, ompi_osc_ucp_messages_refused());
    for (int i = 0; i < BYTES; i++) {
        assert_int_equal(0, memory[i]);
    }
    assert_memory_equal(&zero, &control, sizeof(control));
}

static void test_window(void **state)
{
    put_t put = right();

    (void) state;
    put.head.window = WINDOW + 1;
    must_be_refused(&put, sizeof(put));
    put.head.window = FREED;
    must_be_refused(&put, sizeof(put));
    put = right();
    put.head.origin = MEMBERS;
    must_be_refused(&put, sizeof(put));
}

/** Whoever does not show the secret is answered nothing, even if all else is right. */
static void test_secret(void **state)
{
    put_t put = right();

    (void) state;
    for (int bit = 0; bit < 64; bit++) {
        put.head.secret = ompi_osc_ucp_secret ^ UINT64_C(1) << bit;
        must_be_refused(&put, sizeof(put));
    }
}

/** Posts and doorbells may come when the window is gone. */
static void test_late(void **state)
{
    uint64_t refused = ompi_osc_ucp_messages_refused();
    put_t    notice  = { .head    = { .secret = ompi_osc_ucp_secret, .window = FREED, .origin = 1 },
                         .command = { .kind = OMPI_OSC_UCP_KIND_POST } };

    (void) state;
    deliver(&notice, offsetof(put_t, data));
    notice.command.kind = OMPI_OSC_UCP_KIND_DOORBELL;
    deliver(&notice, offsetof(put_t, data));
    assert_int_equal(refused, ompi_osc_ucp_messages_refused());
    notice.command.kind = OMPI_OSC_UCP_KIND_BARRIER;
    must_be_refused(&notice, offsetof(put_t, data));
}

static void test_length(void **state)
{
    put_t put = right();

    (void) state;
    must_be_refused(&put, sizeof(put.head) - 1);
    must_be_refused(&put, sizeof(put) - 1);
    turn++; /* its turn is over, whatever was in it */
    must_be_refused(&put, sizeof(put));
    put = right();
    put.command.len = 0;
    must_be_refused(&put, offsetof(put_t, data));
    turn++;
    put = right();
    put.head.ordered = 0;
    must_be_refused(&put, sizeof(put));
}

static void test_range(void **state)
{
    static const int64_t wrong[] = { -1, BYTES - 7, BYTES, INT64_MAX, INT64_MIN };
    put_t                put;

    (void) state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        put = right();
        put.command.disp = wrong[i];
        must_be_refused(&put, sizeof(put));
        turn++;
    }
}

/** A put whose layout is cut, or leads out of the window. */
static void test_layout(void **state)
{
    struct {
        ompi_osc_ucp_wire_packet_t  head;
        ompi_osc_ucp_wire_command_t command;
        ompi_osc_ucp_wire_shape_t   shape;
        char                        more[512]; /* the layout and the data */
    } put = { .head.window = WINDOW };
    ompi_osc_ucp_layout_t layout;
    size_t                len;

    (void) state;
    ompi_osc_ucp_layout_contiguous(&layout, BYTES - 4, 8);
    len = ompi_osc_ucp_layout_encoded_size(&layout);
    assert_true(len + 8 <= sizeof(put.more));
    for (int cut = 0; cut < 2; cut++) {
        put.head    = right().head;
        put.command = right().command;
        put.command.disp  = 0;
        put.command.flags = OMPI_OSC_UCP_FLAG_LAYOUT;
        put.shape.len     = len - (size_t) cut;
        memset(put.more, 1, sizeof(put.more));
        ompi_osc_ucp_layout_encode(&layout, put.more);
        must_be_refused(&put, offsetof(__typeof__(put), more) + len + 8 - (size_t) cut);
        turn++;
    }
}

/** Eight bytes named again and again: what a layout names is bounded, or a get would have the target collect 4 GiB. */
static void test_repeated(void **state)
{
    static struct {
        ompi_osc_ucp_wire_packet_t  head;
        ompi_osc_ucp_wire_command_t command;
        ompi_osc_ucp_wire_shape_t   shape;
        char                        more[512 + OMPI_OSC_UCP_FRAG_MAX + 8]; /* the layout and the data */
    } put;
    ompi_osc_ucp_layout_node_t nodes[] = { { .count = OMPI_OSC_UCP_FRAG_MAX / 8, .items = 1 }, { .count = 8 } };
    uint64_t                   refused = ompi_osc_ucp_messages_refused();
    ompi_osc_ucp_layout_t      layout;
    size_t                     len;

    (void) state;
    for (int more = 1; more >= 0; more--) {
        nodes[0].count = OMPI_OSC_UCP_FRAG_MAX / 8 + (uint64_t) more;
        assert_true(ompi_osc_ucp_layout_make(nodes, 2, &layout));
        len               = ompi_osc_ucp_layout_encoded_size(&layout);
        put.head          = right().head;
        put.command       = right().command;
        put.command.len   = (uint32_t) layout.size;
        put.command.flags = OMPI_OSC_UCP_FLAG_LAYOUT;
        put.shape.len     = len;
        assert_true(len + layout.size <= sizeof(put.more));
        ompi_osc_ucp_layout_encode(&layout, put.more);
        memset(put.more + len, 1, layout.size);
        len += offsetof(__typeof__(put), more) + layout.size;
        ompi_osc_ucp_layout_fini(&layout);
        if (more > 0) {
            must_be_refused(&put, len);
        } else {
            deliver(&put, len);
        }
        turn++;
    }
    assert_int_equal(refused + 1, ompi_osc_ucp_messages_refused());
    assert_memory_equal("\1\1\1\1\1\1\1\1", memory + 8, 8);
    memset(memory, 0, sizeof(memory));
}

static void test_answer(void **state)
{
    ompi_osc_ucp_wire_reply_t reply   = { .cookie = UINT64_C(1) << 32 };
    opal_common_ucp_message_t message = { .data = &reply, .len = sizeof(reply) };
    uint64_t                  refused = ompi_osc_ucp_messages_refused();

    (void) state;
    ompi_osc_ucp_replied(&message);
    assert_int_equal(refused + 1, ompi_osc_ucp_messages_refused());
    message.len--;
    ompi_osc_ucp_replied(&message);
    assert_int_equal(refused + 2, ompi_osc_ucp_messages_refused());
}

/** What is right is executed, after all that. */
static void test_right(void **state)
{
    uint64_t refused = ompi_osc_ucp_messages_refused();
    put_t    put     = right();

    (void) state;
    deliver(&put, sizeof(put));
    turn++;
    assert_int_equal(refused, ompi_osc_ucp_messages_refused());
    assert_memory_equal("12345678", memory + 8, 8);
    memset(memory, 0, sizeof(memory));
}

/** One line for all of them. */
static void test_report(void **state)
{
    char    text[1024];
    ssize_t len;

    (void) state;
    fflush(stderr);
    len = pread(STDERR_FILENO, text, sizeof(text) - 1, 0);
    assert_true(len > 0);
    text[len] = '\0';
    assert_memory_equal("osc/ucp: ", text, 9);
    assert_ptr_equal(text + len - 1, strchr(text, '\n'));
}

static int begin(void **state)
{
    ompi_osc_ucp_window_t freed = window;

    (void) state;
    window.base    = memory;
    window.control = &control;
    window.target  = ompi_osc_ucp_target_new(&window);
    freed.target   = ompi_osc_ucp_target_new(&freed);
    if (NULL == window.target || NULL == freed.target || NULL == freopen("test_refused.stderr", "w+", stderr) ||
        OMPI_SUCCESS != ompi_osc_ucp_target_publish(window.target, WINDOW) ||
        OMPI_SUCCESS != ompi_osc_ucp_target_publish(freed.target, FREED)) {
        return -1;
    }
    ompi_osc_ucp_target_withdraw(freed.target);
    ompi_osc_ucp_target_free(freed.target);
    return 0;
}

static int end(void **state)
{
    (void) state;
    ompi_osc_ucp_target_withdraw(window.target);
    ompi_osc_ucp_target_free(window.target);
    return remove("test_refused.stderr");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_window),   cmocka_unit_test(test_secret), cmocka_unit_test(test_late),
        cmocka_unit_test(test_length),
        cmocka_unit_test(test_range),    cmocka_unit_test(test_layout), cmocka_unit_test(test_repeated),
        cmocka_unit_test(test_answer), cmocka_unit_test(test_right),
        cmocka_unit_test(test_report)
    };

    return cmocka_run_group_tests(tests, begin, end);
}
