/* Unit test of long copies that an origin and its target share: what offers a target does not take, and what both copy
 * if an origin and two threads of a target take pieces at once. One process is both.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi_config.h"

#include "memory/cma.h"
#include "path/share.h"
#include "peer/peer.h"
#include "peer/window.h"
#include "service/target.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { BYTES = 1 << 20, LONG = 300001, WINDOW = 7, MEMBERS = 3, PROVEN = 1, UNIT = 65536 };

static ompi_osc_ucp_window_t  window = { .id = WINDOW, .rank = PROVEN, .size = MEMBERS, .flavor = MPI_WIN_FLAVOR_CREATE,
                                         .bytes = BYTES };
static ompi_osc_ucp_control_t    control;
static ompi_osc_ucp_chunk_head_t head;
static char                      memory[BYTES], buffer[BYTES];

/** An offer of a put that the target takes. */
static ompi_osc_ucp_offer_t right(void)
{
    return (ompi_osc_ucp_offer_t) {
        .left = UINT64_C(1) << 32 | (LONG + UNIT - 1) / UNIT, .window = WINDOW, .disp = 3, .bytes = LONG,
        .address = (uintptr_t) buffer, .origin = PROVEN, .put = 1
    };
}

static void fill(char *bytes, int seed)
{
    for (int i = 0; i < BYTES; i++) {
        bytes[i] = (char) (i * 37 + (i >> 8) + seed);
    }
}

/** Nothing is taken, and nothing copied. */
static void must_be_left(ompi_osc_ucp_offer_t wrong)
{
    head.offer = wrong;
    memset(memory, 0, sizeof(memory));
    assert_int_equal(0, ompi_osc_ucp_share_help());
    assert_memory_equal(&wrong, &head.offer, sizeof(head.offer));
    for (int i = 0; i < BYTES; i++) {
        assert_int_equal(0, memory[i]);
    }
}

static void test_left(void **state)
{
    static const uint64_t disps[] = { BYTES - LONG + 1, BYTES, UINT64_MAX, (uint64_t) INT64_MIN };
    static const uint64_t bytes[] = { BYTES, UINT64_MAX, UINT64_MAX - 2 };
    ompi_osc_ucp_offer_t  wrong;

    (void) state;
    fill(buffer, 1);
    for (size_t i = 0; i < sizeof(disps) / sizeof(disps[0]); i++) {
        wrong      = right();
        wrong.disp = disps[i];
        must_be_left(wrong);
    }
    for (size_t i = 0; i < sizeof(bytes) / sizeof(bytes[0]); i++) {
        wrong       = right();
        wrong.bytes = bytes[i];
        must_be_left(wrong);
    }
    wrong        = right();
    wrong.window = WINDOW + 1;
    must_be_left(wrong);
    wrong        = right();
    wrong.origin = 0; /* it has not shown which process it is */
    must_be_left(wrong);
    wrong.origin = MEMBERS;
    must_be_left(wrong);
    wrong = right();
    wrong.left++; /* more than there is */
    must_be_left(wrong);
    wrong.left = UINT64_C(1) << 32;
    must_be_left(wrong);
}

/** Not where a sandbox forbids such copies. */
static void skip_without_cma(void)
{
    if (!ompi_osc_ucp_cma_copy(getpid(), true, buffer, (uintptr_t) memory, 1)) {
        print_message("skipped: the kernel does not let this process copy by process_vm_writev (a sandbox?)\n");
        skip();
    }
}

static void test_taken(void **state)
{
    (void) state;
    skip_without_cma();
    memset(memory, 0, sizeof(memory));
    head.offer = right();
    while (0 != ompi_osc_ucp_share_help()) {
        continue;
    }
    assert_int_equal((LONG + UNIT - 1) / UNIT, head.offer.done);
    assert_int_equal(0, head.offer.failed);
    assert_memory_equal(buffer, memory + 3, LONG);
    assert_int_equal(0, memory[2]);
    assert_int_equal(0, memory[3 + LONG]);
}

/** Memory of the origin that is not there. */
static void test_failed(void **state)
{
    (void) state;
    head.offer         = right();
    head.offer.address = 16;
    assert_int_equal(1, ompi_osc_ucp_share_help());
    assert_int_equal(1, head.offer.failed);
    assert_true(head.offer.done > 0);
}

static bool over;

static void *target_main(void *unused)
{
    while (!__atomic_load_n(&over, __ATOMIC_RELAXED)) {
        (void) ompi_osc_ucp_share_help();
    }
    return unused;
}

static void test_both(void **state)
{
    ompi_osc_ucp_peer_t peer   = { .window = &window, .pid = getpid(), .remote = (uintptr_t) memory,
                                   .offer = &head.offer };
    uint64_t            before = ompi_osc_ucp_share_pieces();
    pthread_t           threads[2];
    int                 n, bytes;

    (void) state;
    skip_without_cma();
    head.offer = (ompi_osc_ucp_offer_t) { .left = 0 };
    for (n = 0; n < 2; n++) {
        assert_int_equal(0, pthread_create(&threads[n], NULL, target_main, NULL));
    }
    for (n = 0; n < 100 || (before == ompi_osc_ucp_share_pieces() && n < 100000); n++) {
        bytes = BYTES - 70 - n % 8 * 100001;
        fill(buffer, n);
        assert_true(ompi_osc_ucp_share_copy(&peer, true, buffer, 5, (uint64_t) bytes));
        assert_memory_equal(buffer, memory + 5, bytes);
        memset(buffer, 0, sizeof(buffer));
        assert_true(ompi_osc_ucp_share_copy(&peer, false, buffer, 5, (uint64_t) bytes));
        assert_memory_equal(buffer, memory + 5, bytes);
        assert_int_equal(0, buffer[bytes]);
        assert_ptr_equal(&head.offer, peer.offer);
    }
    __atomic_store_n(&over, true, __ATOMIC_RELAXED);
    for (n = 0; n < 2; n++) {
        pthread_join(threads[n], NULL);
    }
    assert_true(ompi_osc_ucp_share_pieces() > before);
}

static int begin(void **state)
{
    ompi_osc_ucp_source_t *source = calloc(1, sizeof(*source));

    (void) state;
    MPI_Init(NULL, NULL);
    window.base               = memory;
    window.control            = &control;
    window.target             = ompi_osc_ucp_target_new(&window);
    ompi_osc_ucp_lasting_head = &head;
    if (NULL == source || NULL == window.target ||
        OMPI_SUCCESS != ompi_osc_ucp_target_publish(window.target, WINDOW) ||
        !ompi_osc_ucp_ranks_add(&window.target->sources, PROVEN, source)) {
        return -1;
    }
    source->process = (ompi_osc_ucp_cma_process_t) { .head = 1, .pid = getpid() };
    return 0;
}

static int end(void **state)
{
    (void) state;
    ompi_osc_ucp_lasting_head = NULL;
    ompi_osc_ucp_target_withdraw(window.target);
    ompi_osc_ucp_target_free(window.target);
    MPI_Finalize();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_left), cmocka_unit_test(test_taken), cmocka_unit_test(test_failed),
        cmocka_unit_test(test_both)
    };

    return cmocka_run_group_tests(tests, begin, end);
}
