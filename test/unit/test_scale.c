/* Unit test of a window with 1,000,000 members: its tables grow with the members that are touched, not with all, a
 * look-up takes few steps, and what a target keeps for many origins is bounded.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Memory is counted by malloc's own statistics, and time as steps of look-ups. Messages are handed to the service side
 * as the transport does. Nobody asks for a reply, so that none is needed.
 */

#include "ompi_config.h"

#include "peer/peer.h"
#include "service/arrival.h"
#include "service/refused.h"
#include "service/target.h"
#include "unit_random.h"

#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { MEMBERS = 1000000, TOUCHED_MAX = 100000, ORIGINS = 1000, FLOOD = 8, WINDOW = 7 };

/** Freed pieces that malloc keeps at hand, and counts as in use; bytes. */
enum { MALLOC_BYTES = 16384 };

/** What a touched member may cost at the origin, an origin at the target, and all else; bytes. */
enum { PEER_BYTES = 512, SOURCE_BYTES = 320, FIXED_BYTES = 1024 };

static size_t in_use(void)
{
    struct mallinfo2 info = mallinfo2();

    return info.uordblks + info.hblkhd;
}

/** The entries that a look-up of the rank inspects. */
static uint32_t steps(const ompi_osc_ucp_ranks_t *ranks, uint32_t rank)
{
    uint32_t i = ompi_osc_ucp_ranks_hash(rank), n = 1;

    for (; NULL != ranks->entries[i & ranks->mask].value && rank != ranks->entries[i & ranks->mask].rank; i++) {
        n++;
    }
    return n;
}

/** How programs choose the members that they touch. */
typedef enum choice_t { CONSECUTIVE, STRIDE_8, CUBE, RANDOM, CHOICES } choice_t;

static uint32_t chosen(choice_t choice, uint32_t i)
{
    switch (choice) {
    case CONSECUTIVE:
        return i;
    case STRIDE_8:
        return i * 8;
    case CUBE: /* 100 neighbouring planes of a cube of 100 x 100 x 100 */
        return i / 1000 * 10000 + i % 1000;
    default:
        return (uint32_t) (random_u64() % MEMBERS);
    }
}

static void touch(ompi_osc_ucp_window_t *window, choice_t choice, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t rank = chosen(choice, i) % MEMBERS;

        if (NULL == ompi_osc_ucp_peer_find(window, (int) rank)) {
            assert_non_null(ompi_osc_ucp_peer_add(window, (int) rank));
        }
    }
}

/** Every member is found, or not found, in few steps. */
static void check_steps(ompi_osc_ucp_window_t *window)
{
    const ompi_osc_ucp_ranks_t *ranks = &window->peers;
    uint64_t                    sum[2] = { 0, 0 }, n[2] = { 0, 0 };

    for (uint32_t rank = 0; rank < MEMBERS; rank++) {
        const ompi_osc_ucp_peer_t *peer = ompi_osc_ucp_ranks_find(ranks, rank);
        uint32_t                   taken = steps(ranks, rank);

        assert_true(NULL == peer || (int) rank == peer->rank);
        sum[NULL != peer] += taken;
        n[NULL != peer]++;
        assert_in_range(taken, 1, 64);
    }
    assert_int_equal(ranks->used, n[1]);
    assert_true(sum[0] <= 3 * n[0]);
    assert_true(sum[1] <= 2 * n[1]);
}

static void test_peers(void **state)
{
    static const uint32_t counts[] = { 0, 1, 1000, TOUCHED_MAX };

    (void) state;
    for (choice_t choice = 0; choice < CHOICES; choice++) {
        for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
            ompi_osc_ucp_window_t window = { .size = MEMBERS };
            size_t                before = in_use(), grown;

            touch(&window, choice, counts[i]);
            grown = in_use() - before;
            assert_true(0 == counts[i] ? 0 == grown : grown <= FIXED_BYTES + (size_t) counts[i] * PEER_BYTES);
            if (0 != counts[i]) {
                check_steps(&window);
            }
            ompi_osc_ucp_peers_free(&window);
            assert_true(in_use() <= before + MALLOC_BYTES);
        }
    }
}

/** The number of members changes nothing. */
static void test_members(void **state)
{
    size_t grown[2];

    (void) state;
    for (int i = 0; i < 2; i++) {
        ompi_osc_ucp_window_t window = { .size = i ? MEMBERS : 1000 };
        size_t                before = in_use();

        touch(&window, CONSECUTIVE, 1000);
        grown[i] = in_use() - before;
        ompi_osc_ucp_peers_free(&window);
    }
    assert_int_equal(grown[0], grown[1]);
}

/** What every member of a window has for it, without the window's memory. */
static void test_own(void **state)
{
    ompi_osc_ucp_control_t control = { .completes = 0 };
    ompi_osc_ucp_window_t  window  = { .size = MEMBERS, .control = &control };
    size_t                 before  = in_use();

    (void) state;
    window.target = ompi_osc_ucp_target_new(&window);
    assert_non_null(window.target);
    assert_true(sizeof(window) + sizeof(control) + (in_use() - before) <= 4096);
    ompi_osc_ucp_target_free(window.target);
}

/* Many origins at one target. */

static ompi_osc_ucp_control_t control;
static char                   memory[8 * ORIGINS];
static ompi_osc_ucp_window_t  window = { .size = MEMBERS, .flavor = MPI_WIN_FLAVOR_CREATE, .base = memory,
                                         .bytes = sizeof(memory), .control = &control };

/** A packet that locks, puts and unlocks. */
typedef struct epoch_t {
    ompi_osc_ucp_wire_packet_t  head;
    ompi_osc_ucp_wire_command_t lock, put;
    uint64_t                    data;
    ompi_osc_ucp_wire_command_t unlock;
} epoch_t;

static void deliver(const void *bytes, size_t len)
{
    opal_common_ucp_message_t message = {
        .data = bytes, .len = len, .reply_ep = (opal_common_ucp_ep_t *) &window /* there, and not used */
    };

    ompi_osc_ucp_arrive(&message);
}

/** Origin number i of the million. */
static uint32_t origin(uint32_t i)
{
    return i * (MEMBERS / ORIGINS);
}

static void epoch_send(uint32_t i, uint32_t sequence)
{
    epoch_t epoch = {
        .head   = { .secret = ompi_osc_ucp_secret, .window = WINDOW, .origin = origin(i) & INT32_MAX, .ordered = 1,
                    .sequence = sequence },
        .lock   = { .kind = OMPI_OSC_UCP_KIND_LOCK, .flags = OMPI_OSC_UCP_FLAG_EXCLUSIVE },
        .put    = { .kind = OMPI_OSC_UCP_KIND_PUT, .len = 8, .disp = 8 * i },
        .data   = sequence + 1,
        .unlock = { .kind = OMPI_OSC_UCP_KIND_UNLOCK, .flags = OMPI_OSC_UCP_FLAG_EXCLUSIVE }
    };

    deliver(&epoch, sizeof(epoch));
}

static uint64_t put_by(uint32_t i)
{
    uint64_t value;

    memcpy(&value, memory + 8 * i, sizeof(value));
    return value;
}

static void doorbell(void)
{
    struct {
        ompi_osc_ucp_wire_packet_t  head;
        ompi_osc_ucp_wire_command_t command;
    } bell = { .head    = { .secret = ompi_osc_ucp_secret, .window = WINDOW, .origin = origin(0) },
               .command = { .kind = OMPI_OSC_UCP_KIND_DOORBELL } };

    deliver(&bell, sizeof(bell));
}

/** While another holds the lock, the target keeps their packets, and little else; then all get their turn. */
static void test_locks(void **state)
{
    uint64_t refused = ompi_osc_ucp_messages_refused();
    size_t   before  = in_use(), kept = sizeof(ompi_osc_ucp_queued_t) + sizeof(epoch_t) + 16;

    (void) state;
    assert_true(ompi_osc_ucp_lockword_try(&control.lock, true));
    for (uint32_t i = 0; i < ORIGINS; i++) {
        epoch_send(i, 0);
    }
    assert_true(in_use() - before <= FIXED_BYTES + ORIGINS * (SOURCE_BYTES + kept));
    for (uint32_t sequence = 1; sequence < FLOOD; sequence++) {
        for (uint32_t i = 0; i < ORIGINS; i++) {
            epoch_send(i, sequence);
        }
    }
    assert_true(in_use() - before <= FIXED_BYTES + ORIGINS * (SOURCE_BYTES + FLOOD * kept));
    for (uint32_t i = 0; i < ORIGINS; i++) {
        assert_int_equal(0, put_by(i));
    }
    ompi_osc_ucp_lockword_leave(&control.lock, true);
    doorbell();
    for (uint32_t i = 0; i < ORIGINS; i++) {
        assert_int_equal(FLOOD, put_by(i));
    }
    assert_int_equal(0, control.lock.inside);
    assert_int_equal(0, control.lock.remote);
    assert_int_equal(refused, ompi_osc_ucp_messages_refused());
    assert_true(in_use() - before <= FIXED_BYTES + ORIGINS * SOURCE_BYTES);
}

static int begin(void **state)
{
    (void) state;
    opal_common_ucp_reserve_fill(); /* the first message would, and it is not for the origins */
    window.target = ompi_osc_ucp_target_new(&window);
    return NULL == window.target ? -1 : ompi_osc_ucp_target_publish(window.target, WINDOW);
}

static int end(void **state)
{
    (void) state;
    ompi_osc_ucp_target_withdraw(window.target);
    ompi_osc_ucp_target_free(window.target);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_peers), cmocka_unit_test(test_members), cmocka_unit_test(test_own),
        cmocka_unit_test_setup_teardown(test_locks, begin, end)
    };

    random_init();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
