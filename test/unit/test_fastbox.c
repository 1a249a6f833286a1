/* Unit test of fastboxes: which packets a target refuses, applies and queues, which origin has which fastbox, and an
 * origin and a target at work. One process is both.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi_config.h"

#include "message/fastbox.h"
#include "peer/peer.h"
#include "peer/pending.h"
#include "peer/window.h"
#include "service/apply.h"
#include "service/fastbox.h"
#include "service/refused.h"

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
typedef struct packet_t {
    ompi_osc_ucp_wire_packet_t  head;
    ompi_osc_ucp_wire_command_t command;
    char                        data[8];
} packet_t;

static packet_t right(uint32_t sequence)
{
    return (packet_t) {
        .head    = { .window = WINDOW, .ack = COOKIE + sequence, .origin = ORIGIN, .sequence = sequence, .ordered = 1 },
        .command = { .kind = OMPI_OSC_UCP_KIND_PUT, .len = 8, .disp = 16 },
        .data    = "content"
    };
}

/** Post a packet, whatever length it claims to have, and have it taken. */
static const ompi_osc_ucp_fastbox_t *hand_over(const packet_t *packet, uint32_t len)
{
    ompi_osc_ucp_fastbox_t *box = &head->fastboxes[0];

    head->fastboxes_used = 1;
    memcpy(box->packet, packet, sizeof(*packet));
    box->len = len;
    box->posted++;
    assert_true(ompi_osc_ucp_fastbox_full());
    assert_int_equal(1, ompi_osc_ucp_fastboxes_take());
    assert_false(ompi_osc_ucp_fastbox_full());
    assert_int_equal(box->posted, box->taken);
    return box;
}

static bool is_clear(void)
{
    static const char clear[BYTES];

    return 0 == memcmp(clear, memory, BYTES);
}

static void must_be_refused(packet_t wrong, uint32_t len)
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
                                     OMPI_OSC_UCP_FASTBOX_PACKET + OMPI_OSC_UCP_FASTBOX_MORE + 1, UINT32_MAX };
    packet_t              wrong;

    (void) state;
    memset(memory, 0, sizeof(memory));
    for (size_t i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
        must_be_refused(right(source->sequence), lens[i]);
    }
    wrong = right(source->sequence);
    wrong.head.window++;
    must_be_refused(wrong, sizeof(wrong));
    wrong = right(source->sequence);
    wrong.head.origin = ORIGIN + 1; /* it has sent no message */
    must_be_refused(wrong, sizeof(wrong));
    wrong.head.origin = MEMBERS;
    must_be_refused(wrong, sizeof(wrong));
    wrong = right(source->sequence);
    wrong.head.ordered = 0;
    must_be_refused(wrong, sizeof(wrong));
    wrong = right(source->sequence - 1); /* its turn is over */
    must_be_refused(wrong, sizeof(wrong));
}

/** The n-th reply in a fastbox. */
static void must_reply(const ompi_osc_ucp_fastbox_t *box, int n, uint64_t cookie, int status)
{
    ompi_osc_ucp_wire_reply_t reply;

    assert_true(box->replied >= (n + 1) * sizeof(reply));
    memcpy(&reply, box->replies + n * (int) sizeof(reply), sizeof(reply));
    assert_int_equal(cookie, reply.cookie);
    assert_int_equal(status, reply.status);
    assert_int_equal(0, reply.len);
}

static void test_applied(void **state)
{
    uint32_t                      sequence = source->sequence;
    packet_t                      packet   = right(sequence);
    const ompi_osc_ucp_fastbox_t *box;

    (void) state;
    memset(memory, 0, sizeof(memory));
    box = hand_over(&packet, sizeof(packet));
    must_reply(box, 0, COOKIE + sequence, OMPI_SUCCESS);
    assert_int_equal(sizeof(ompi_osc_ucp_wire_reply_t), box->replied);
    assert_memory_equal("content", memory + 16, 8);
    assert_int_equal(sequence + 1, source->sequence);

    memset(memory, 0, sizeof(memory));
    packet = right(++sequence);
    packet.command.disp = BYTES - 7;
    must_reply(hand_over(&packet, sizeof(packet)), 0, COOKIE + sequence, OMPI_ERR_RMA_RANGE);
    packet = right(++sequence);
    must_reply(hand_over(&packet, sizeof(packet) - 1), 0, COOKIE + sequence, OMPI_ERR_BAD_PARAM); /* cut off */
    assert_true(is_clear());
}

static void test_out_of_turn(void **state)
{
    uint32_t                      sequence = source->sequence;
    packet_t                      first = right(sequence), second = right(sequence + 1);
    const ompi_osc_ucp_fastbox_t *box;

    (void) state;
    memset(memory, 0, sizeof(memory));
    memcpy(second.data, "moved  ", 8);
    assert_int_equal(0, hand_over(&second, sizeof(second))->replied);
    assert_true(is_clear());
    box = hand_over(&first, sizeof(first));
    must_reply(box, 0, COOKIE + sequence, OMPI_SUCCESS);
    must_reply(box, 1, COOKIE + sequence + 1, OMPI_SUCCESS);
    assert_memory_equal("moved  ", memory + 16, 8);
}

static void extra_free(ompi_osc_ucp_mapped_extra_t *extra)
{
    extra->free(extra);
}

static void test_owners(void **state)
{
    ompi_osc_ucp_mapped_extra_t *extras[OMPI_OSC_UCP_FASTBOXES + 1] = { NULL };

    (void) state;
    memset(head, 0, sizeof(*head));
    for (uint32_t i = 0; i < OMPI_OSC_UCP_FASTBOXES; i++) {
        assert_non_null(ompi_osc_ucp_fastbox_attach(&extras[i], head));
        assert_ptr_equal(extras[i], ompi_osc_ucp_fastbox_attach(&extras[i], head));
        assert_int_equal(i + 1, head->fastboxes_used);
    }
    assert_null(ompi_osc_ucp_fastbox_attach(&extras[OMPI_OSC_UCP_FASTBOXES], head));
    extra_free(extras[3]);
    assert_non_null(ompi_osc_ucp_fastbox_attach(&extras[OMPI_OSC_UCP_FASTBOXES], head));
    assert_int_equal(OMPI_OSC_UCP_FASTBOXES, head->fastboxes_used);
    extras[3] = NULL;
    for (uint32_t i = 0; i <= OMPI_OSC_UCP_FASTBOXES; i++) {
        if (NULL != extras[i]) {
            extra_free(extras[i]);
        }
    }
}

static bool over;

static void *target_main(void *unused)
{
    while (!__atomic_load_n(&over, __ATOMIC_RELAXED)) {
        if (ompi_osc_ucp_fastbox_full()) {
            (void) ompi_osc_ucp_fastboxes_take();
        }
    }
    return unused;
}

/** A packet that puts values, and gets them: too long for a fastbox without its room for more. */
typedef struct exchange_t {
    ompi_osc_ucp_wire_packet_t   head;
    ompi_osc_ucp_wire_command_t  put;
    int64_t                      value[VALUES];
    ompi_osc_ucp_wire_command_t  get;
    ompi_osc_ucp_wire_reply_to_t reply_to;
} exchange_t;

static exchange_t exchange(int n, uint32_t sequence, uint64_t cookie)
{
    exchange_t packet = {
        .head     = { .window = WINDOW, .origin = ORIGIN, .ordered = 1, .sequence = sequence },
        .put      = { .kind = OMPI_OSC_UCP_KIND_PUT, .len = 8 * VALUES, .disp = n % 6 * 8 },
        .get      = { .kind = OMPI_OSC_UCP_KIND_GET, .flags = OMPI_OSC_UCP_FLAG_REPLY, .len = 8 * VALUES,
                      .disp = n % 6 * 8 },
        .reply_to = { .cookie = cookie }
    };

    for (int i = 0; i < VALUES; i++) {
        packet.value[i] = n + i;
    }
    return packet;
}

static void must_exchange(ompi_osc_ucp_peer_t *peer, int n, uint32_t sequence)
{
    ompi_osc_ucp_pending_t *pending = ompi_osc_ucp_pending_new(peer, true);
    int64_t                 got[VALUES];
    exchange_t              packet;

    assert_non_null(pending);
    memset(got, -1, sizeof(got));
    pending->replies = 1;
    pending->result  = got;
    ompi_osc_ucp_layout_contiguous(&pending->result_layout, 0, sizeof(got));
    packet = exchange(n, sequence, pending->cookie);
    assert_true(ompi_osc_ucp_fastbox_post(peer, &packet, sizeof(packet)));
    assert_false(ompi_osc_ucp_fastbox_post(peer, &packet, sizeof(packet)));
    while (NULL != ompi_osc_ucp_fastboxes_open) {
        ompi_osc_ucp_fastboxes_await();
    }
    assert_memory_equal(packet.value, got, sizeof(got));
    assert_int_equal(0, peer->open[0]);
}

/** Each get brings what the put before it has left. */
static void test_both(void **state)
{
    ompi_osc_ucp_peer_t          peer     = { .window = &window };
    ompi_osc_ucp_mapped_extra_t *extra    = NULL;
    uint64_t                     before   = ompi_osc_ucp_fastboxes_taken();
    uint32_t                     sequence = source->sequence;
    pthread_t                    threads[2];
    int                          n;

    (void) state;
    memset(head, 0, sizeof(*head));
    peer.fastbox = ompi_osc_ucp_fastbox_attach(&extra, head);
    assert_non_null(peer.fastbox);
    for (n = 0; n < 2; n++) {
        assert_int_equal(0, pthread_create(&threads[n], NULL, target_main, NULL));
    }
    for (n = 0; n < 20000; n++) {
        must_exchange(&peer, n, sequence++);
    }
    __atomic_store_n(&over, true, __ATOMIC_RELAXED);
    for (n = 0; n < 2; n++) {
        pthread_join(threads[n], NULL);
    }
    assert_int_equal(20000, ompi_osc_ucp_fastboxes_taken() - before);
    extra_free(extra);
}

static int begin(void **state)
{
    (void) state;
    MPI_Init(NULL, NULL);
    head               = aligned_alloc(64, sizeof(*head) + OMPI_OSC_UCP_FASTBOXES * OMPI_OSC_UCP_FASTBOX_MORE);
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
        cmocka_unit_test(test_owners), cmocka_unit_test(test_both)
    };

    return cmocka_run_group_tests(tests, begin, end);
}
