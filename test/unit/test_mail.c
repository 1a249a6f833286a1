/* Unit test of packets that are handed over in shared memory: what a target refuses, applies and puts aside, whose the
 * places are, and an origin and a target at work. One process is both.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi_config.h"

#include "osc_ucp.h"
#include "osc_ucp_peer.h"
#include "osc_ucp_pending.h"
#include "path/am_apply.h"
#include "path/am_refused.h"
#include "path/near_mail.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { BYTES = 256, WINDOW = 7, MEMBERS = 3, ORIGIN = 1, COOKIE = 4711, VALUES = 26 };

static ompi_osc_ucp_window_t      window = { .id = WINDOW, .rank = ORIGIN, .size = MEMBERS,
                                             .flavor = MPI_WIN_FLAVOR_CREATE, .bytes = BYTES };
static ompi_osc_ucp_control_t     control;
static ompi_osc_ucp_chunk_head_t *head;
static ompi_osc_ucp_source_t     *source;
static char                       memory[BYTES];

/** A packet: put 8 bytes at 16, and acknowledge. */
typedef struct letter_t {
    ompi_osc_ucp_wire_packet_t  packet;
    ompi_osc_ucp_wire_command_t command;
    char                        data[8];
} letter_t;

static letter_t right(uint32_t sequence)
{
    return (letter_t) {
        .packet  = { .window = WINDOW, .ack = COOKIE + sequence, .origin = ORIGIN, .sequence = sequence, .ordered = 1 },
        .command = { .kind = OMPI_OSC_UCP_KIND_PUT, .len = 8, .disp = 16 },
        .data    = "letters"
    };
}

/** Lay a letter into a place, whatever length it claims to have, and have it taken. */
static const ompi_osc_ucp_mail_t *hand_over(const letter_t *letter, uint32_t len)
{
    ompi_osc_ucp_mail_t *mail = &head->mails[0];

    head->mails_used = 1;
    memcpy(mail->packet, letter, sizeof(*letter));
    mail->len = len;
    mail->posted++;
    assert_true(ompi_osc_ucp_mail_lies());
    assert_int_equal(1, ompi_osc_ucp_mails_take());
    assert_false(ompi_osc_ucp_mail_lies());
    assert_int_equal(mail->posted, mail->taken);
    return mail;
}

static bool is_clear(void)
{
    static const char clear[BYTES];

    return 0 == memcmp(clear, memory, BYTES);
}

static void must_be_refused(letter_t wrong, uint32_t len)
{
    uint64_t before   = ompi_osc_ucp_messages_refused();
    uint32_t sequence = source->sequence;

    assert_int_equal(0, hand_over(&wrong, len)->replied);
    assert_true(ompi_osc_ucp_messages_refused() > before);
    assert_int_equal(sequence, source->sequence);
    assert_true(is_clear());
}

static void test_refused(void **state)
{
    static const uint32_t lens[] = { 0, 1, sizeof(ompi_osc_ucp_wire_packet_t) - 1,
                                     OMPI_OSC_UCP_MAIL_PACKET + OMPI_OSC_UCP_MAIL_MORE + 1, UINT32_MAX };
    letter_t              wrong;

    (void) state;
    memset(memory, 0, sizeof(memory));
    for (size_t i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
        must_be_refused(right(source->sequence), lens[i]);
    }
    wrong = right(source->sequence);
    wrong.packet.window++;
    must_be_refused(wrong, sizeof(wrong));
    wrong = right(source->sequence);
    wrong.packet.origin = ORIGIN + 1; /* it has sent no message */
    must_be_refused(wrong, sizeof(wrong));
    wrong.packet.origin = MEMBERS;
    must_be_refused(wrong, sizeof(wrong));
    wrong = right(source->sequence);
    wrong.packet.ordered = 0;
    must_be_refused(wrong, sizeof(wrong));
    wrong = right(source->sequence - 1); /* its turn is over */
    must_be_refused(wrong, sizeof(wrong));
}

/** A reply at its place in a mail. */
static void must_reply(const ompi_osc_ucp_mail_t *mail, int n, uint64_t cookie, int status)
{
    ompi_osc_ucp_wire_reply_t reply;

    assert_true(mail->replied >= (n + 1) * sizeof(reply));
    memcpy(&reply, mail->replies + n * (int) sizeof(reply), sizeof(reply));
    assert_int_equal(cookie, reply.cookie);
    assert_int_equal(status, reply.status);
    assert_int_equal(0, reply.len);
}

static void test_applied(void **state)
{
    uint32_t                   sequence = source->sequence;
    letter_t                   letter   = right(sequence);
    const ompi_osc_ucp_mail_t *mail;

    (void) state;
    memset(memory, 0, sizeof(memory));
    mail = hand_over(&letter, sizeof(letter));
    must_reply(mail, 0, COOKIE + sequence, OMPI_SUCCESS);
    assert_int_equal(sizeof(ompi_osc_ucp_wire_reply_t), mail->replied);
    assert_memory_equal("letters", memory + 16, 8);
    assert_int_equal(sequence + 1, source->sequence);

    memset(memory, 0, sizeof(memory));
    letter = right(++sequence);
    letter.command.disp = BYTES - 7;
    must_reply(hand_over(&letter, sizeof(letter)), 0, COOKIE + sequence, OMPI_ERR_RMA_RANGE);
    letter = right(++sequence);
    must_reply(hand_over(&letter, sizeof(letter) - 1), 0, COOKIE + sequence, OMPI_ERR_BAD_PARAM); /* cut off */
    assert_true(is_clear());
}

static void test_out_of_turn(void **state)
{
    uint32_t                   sequence = source->sequence;
    letter_t                   first = right(sequence), second = right(sequence + 1);
    const ompi_osc_ucp_mail_t *mail;

    (void) state;
    memset(memory, 0, sizeof(memory));
    memcpy(second.data, "moved  ", 8);
    assert_int_equal(0, hand_over(&second, sizeof(second))->replied);
    assert_true(is_clear());
    mail = hand_over(&first, sizeof(first));
    must_reply(mail, 0, COOKIE + sequence, OMPI_SUCCESS);
    must_reply(mail, 1, COOKIE + sequence + 1, OMPI_SUCCESS);
    assert_memory_equal("moved  ", memory + 16, 8);
}

static void test_places(void **state)
{
    ompi_osc_ucp_mailbox_t *boxes[OMPI_OSC_UCP_MAILS + 1] = { NULL };

    (void) state;
    memset(head, 0, sizeof(*head));
    for (uint32_t i = 0; i < OMPI_OSC_UCP_MAILS; i++) {
        assert_non_null(ompi_osc_ucp_mailbox(&boxes[i], head));
        assert_ptr_equal(boxes[i], ompi_osc_ucp_mailbox(&boxes[i], head));
        assert_int_equal(i + 1, head->mails_used);
    }
    assert_null(ompi_osc_ucp_mailbox(&boxes[OMPI_OSC_UCP_MAILS], head));
    ompi_osc_ucp_mailbox_free(boxes[3]);
    assert_non_null(ompi_osc_ucp_mailbox(&boxes[OMPI_OSC_UCP_MAILS], head));
    assert_int_equal(OMPI_OSC_UCP_MAILS, head->mails_used);
    boxes[3] = NULL;
    for (uint32_t i = 0; i <= OMPI_OSC_UCP_MAILS; i++) {
        ompi_osc_ucp_mailbox_free(boxes[i]);
    }
}

static bool over;

static void *target_main(void *unused)
{
    while (!__atomic_load_n(&over, __ATOMIC_RELAXED)) {
        if (ompi_osc_ucp_mail_lies()) {
            (void) ompi_osc_ucp_mails_take();
        }
    }
    return unused;
}

/** Gets of values that each time are others, and that the last put has left: too many for a place alone. */
static void test_both(void **state)
{
    struct {
        ompi_osc_ucp_wire_packet_t   packet;
        ompi_osc_ucp_wire_command_t  put;
        int64_t                      value[VALUES];
        ompi_osc_ucp_wire_command_t  get;
        ompi_osc_ucp_wire_reply_to_t reply_to;
    } letter = {
        .packet = { .window = WINDOW, .origin = ORIGIN, .ordered = 1 },
        .put    = { .kind = OMPI_OSC_UCP_KIND_PUT, .len = 8 * VALUES },
        .get    = { .kind = OMPI_OSC_UCP_KIND_GET, .flags = OMPI_OSC_UCP_FLAG_REPLY, .len = 8 * VALUES }
    };
    ompi_osc_ucp_peer_t     peer    = { .window = &window };
    ompi_osc_ucp_mailbox_t *mailbox = NULL;
    ompi_osc_ucp_pending_t *pending;
    uint64_t                before = ompi_osc_ucp_mails_taken();
    uint32_t                sequence = source->sequence;
    pthread_t               threads[2];
    int64_t                 got[VALUES];
    int                     n;

    (void) state;
    memset(head, 0, sizeof(*head));
    peer.mailbox = ompi_osc_ucp_mailbox(&mailbox, head);
    for (n = 0; n < 2; n++) {
        assert_int_equal(0, pthread_create(&threads[n], NULL, target_main, NULL));
    }
    for (n = 0; n < 20000; n++) {
        memset(got, -1, sizeof(got));
        pending = ompi_osc_ucp_pending_new(&peer, true);
        assert_non_null(pending);
        pending->replies = 1;
        pending->result  = got;
        ompi_osc_ucp_layout_contiguous(&pending->result_layout, 0, sizeof(got));
        letter.packet.sequence = sequence++;
        for (int i = 0; i < VALUES; i++) {
            letter.value[i] = n + i;
        }
        letter.put.disp = letter.get.disp = n % 6 * 8;
        letter.reply_to.cookie = pending->cookie;
        assert_true(ompi_osc_ucp_mail_post(&peer, &letter, sizeof(letter)));
        assert_false(ompi_osc_ucp_mail_post(&peer, &letter, sizeof(letter)));
        while (NULL != ompi_osc_ucp_mails_open) {
            ompi_osc_ucp_mails_await();
        }
        assert_memory_equal(letter.value, got, sizeof(got));
        assert_int_equal(0, peer.open[0]);
    }
    __atomic_store_n(&over, true, __ATOMIC_RELAXED);
    for (n = 0; n < 2; n++) {
        pthread_join(threads[n], NULL);
    }
    assert_int_equal(20000, ompi_osc_ucp_mails_taken() - before);
    ompi_osc_ucp_mailbox_free(mailbox);
}

static int begin(void **state)
{
    (void) state;
    MPI_Init(NULL, NULL);
    head               = aligned_alloc(64, sizeof(*head) + OMPI_OSC_UCP_MAILS * OMPI_OSC_UCP_MAIL_MORE);
    source             = calloc(1, sizeof(*source));
    window.base        = memory;
    window.control     = &control;
    window.target      = ompi_osc_ucp_target_new(&window);
    if (NULL == head || NULL == source || NULL == window.target ||
        OMPI_SUCCESS != ompi_osc_ucp_target_publish(window.target, WINDOW) ||
        !ompi_osc_ucp_ranks_add(&window.target->sources, ORIGIN, source)) {
        return -1;
    }
    memset(head, 0, sizeof(*head));
    source->reply_ep          = (opal_common_ucp_ep_t *) head; /* to which nothing may be sent */
    source->sequence          = 5;
    ompi_osc_ucp_lasting_head = head;
    return 0;
}

static int end(void **state)
{
    (void) state;
    ompi_osc_ucp_lasting_head = NULL;
    ompi_osc_ucp_target_withdraw(window.target);
    ompi_osc_ucp_target_free(window.target);
    free(head);
    MPI_Finalize();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refused), cmocka_unit_test(test_applied), cmocka_unit_test(test_out_of_turn),
        cmocka_unit_test(test_places), cmocka_unit_test(test_both)
    };

    return cmocka_run_group_tests(tests, begin, end);
}
