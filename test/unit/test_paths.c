/* Unit test of paths: which one a process gets for itself, and for a peer that it knows nothing of.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "reach/reach.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { BYTES = 4096, DISP_UNIT = 8, MEMBERS = 3, SELF = 1, OTHER = 2 };

extern const ompi_osc_ucp_path_t ompi_osc_ucp_path_direct, ompi_osc_ucp_path_nic;

static ompi_osc_ucp_window_t  window;
static ompi_osc_ucp_control_t control;
static ompi_osc_ucp_stripe_t  stripes[OMPI_OSC_UCP_STRIPES];
static char                   memory[BYTES];

static const ompi_osc_ucp_path_t *last_path(void)
{
    const ompi_osc_ucp_path_t *const *path = ompi_osc_ucp_paths;

    assert_non_null(*path);
    while (NULL != path[1]) {
        path++;
    }
    return *path;
}

/** As each test begins: a window in host memory, in the processors' domain, whose members differ in size only. */
static int setup(void **state)
{
    (void) state;
    window = (ompi_osc_ucp_window_t) {
        .rank = SELF, .size = MEMBERS, .flavor = MPI_WIN_FLAVOR_CREATE, .base = memory, .bytes = BYTES,
        .disp_unit = DISP_UNIT, .control = &control, .stripes = stripes, .key_base = (uintptr_t) memory,
        .uniform_bytes = -1, .uniform_disp_unit = DISP_UNIT
    };
    return 0;
}

static int teardown(void **state)
{
    (void) state;
    ompi_osc_ucp_reach_end(&window);
    return NULL == window.all_peers ? 0 : -1;
}

/** The peer, which is always the same one. */
static ompi_osc_ucp_peer_t *reach(int rank)
{
    ompi_osc_ucp_peer_t *peer = ompi_osc_ucp_reach_peer(&window, rank);

    assert_non_null(peer);
    assert_ptr_equal(peer, ompi_osc_ucp_reach_peer(&window, rank));
    assert_ptr_equal(peer, ompi_osc_ucp_peer_recent(&window, rank));
    assert_ptr_equal(peer, ompi_osc_ucp_peer(&window, rank));
    assert_ptr_equal(&window, peer->window);
    assert_int_equal(rank, peer->rank);
    return peer;
}

/** Served by the last path until it is asked, and not asked by that. */
static void must_be_provisional(int rank)
{
    ompi_osc_ucp_peer_t *peer = reach(rank);

    assert_ptr_equal(last_path(), peer->path);
    assert_false(peer->known);
    assert_false(peer->mapped);
    assert_null(peer->ep);
    assert_null(peer->control);
    assert_null(peer->memory);
    assert_int_equal(window.uniform_bytes, peer->size);
    assert_int_equal(window.uniform_disp_unit, peer->disp_unit);
}

static void test_self(void **state)
{
    ompi_osc_ucp_peer_t *peer = reach(SELF);

    (void) state;
    assert_ptr_equal(&ompi_osc_ucp_path_direct, peer->path);
    assert_true(peer->known);
    assert_true(peer->mapped);
    assert_null(peer->ep);
    assert_ptr_equal(&control, peer->control);
    assert_ptr_equal(memory, peer->memory);
    assert_ptr_equal(stripes, peer->stripes);
    assert_true(window.key_base == peer->key_base);
    assert_int_equal(BYTES, peer->size);
    assert_int_equal(DISP_UNIT, peer->disp_unit);
    assert_int_equal(OMPI_SUCCESS, ompi_osc_ucp_reach(peer)); /* asks nobody */
}

/** Displacements in a dynamic window are addresses: its memory is not mapped as a whole. */
static void test_self_dynamic(void **state)
{
    ompi_osc_ucp_peer_t *peer;

    (void) state;
    window.flavor = MPI_WIN_FLAVOR_DYNAMIC;
    window.base   = NULL;
    peer          = reach(SELF);
    assert_ptr_equal(&ompi_osc_ucp_path_direct, peer->path);
    assert_true(peer->known);
    assert_false(peer->mapped);
    assert_null(peer->memory);
}

/** A device's memory, and that of the NIC domain, is not for a processor, be it one's own. */
static void test_self_by_message(void **state)
{
    (void) state;
    window.device = true;
    must_be_provisional(SELF);
    ompi_osc_ucp_reach_end(&window);
    (void) setup(state);
    window.nic = true;
    must_be_provisional(SELF);
}

static void test_unknown(void **state)
{
    (void) state;
    must_be_provisional(OTHER);
    must_be_provisional(0);
    assert_ptr_equal(&ompi_osc_ucp_path_direct, reach(SELF)->path);
    assert_ptr_not_equal(reach(0), reach(OTHER));
}

/** Who locks all members at once: nobody but in the NIC domain. */
static void test_all(void **state)
{
    (void) state;
    ompi_osc_ucp_reach_begin(&window);
    assert_null(window.all_path);
    window.nic = true;
    ompi_osc_ucp_reach_begin(&window);
    assert_ptr_equal(&ompi_osc_ucp_path_nic, window.all_path);
    assert_non_null(window.all_path->lock_all);
    assert_non_null(window.all_path->unlock_all);
}

/** Each path is there once, with all that is called without being asked for. */
static void test_table(void **state)
{
    const ompi_osc_ucp_path_t *const *path, *const *other;

    (void) state;
    for (path = ompi_osc_ucp_paths; NULL != *path; path++) {
        assert_true(NULL != (*path)->attach && NULL != (*path)->put && NULL != (*path)->get);
        assert_true(NULL != (*path)->accumulate && NULL != (*path)->compare_swap);
        assert_true(NULL != (*path)->lock && NULL != (*path)->unlock);
        assert_true(NULL != (*path)->post && NULL != (*path)->complete && NULL != (*path)->arrive);
        assert_true((NULL == (*path)->serves_all) == (NULL == (*path)->lock_all));
        assert_true((NULL == (*path)->serves_all) == (NULL == (*path)->unlock_all));
        for (other = ompi_osc_ucp_paths; other != path; other++) {
            assert_ptr_not_equal(*other, *path);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_self, setup, teardown),
        cmocka_unit_test_setup_teardown(test_self_dynamic, setup, teardown),
        cmocka_unit_test_setup_teardown(test_self_by_message, setup, teardown),
        cmocka_unit_test_setup_teardown(test_unknown, setup, teardown),
        cmocka_unit_test_setup_teardown(test_all, setup, teardown),
        cmocka_unit_test(test_table)
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
