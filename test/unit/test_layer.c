/* Unit test of layers above a window's module: they chain, whatever their order, and a window without them has the
 * plain table.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "call/calls.h"
#include "layer/layer.h"
#include "window/stages.h"

#include <mpi.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* What the component is: Open MPI finds it by name. */
OMPI_DECLSPEC extern ompi_osc_base_component_t mca_osc_ucp_component;

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* A window of our own making, whose functions write down who is called: a letter for each. */

static ompi_osc_ucp_window_t window;
static ompi_win_t            handle;
static char                  trace[16];

static int note(char who, int rc)
{
    size_t len = strlen(trace);

    assert_true(len + 1 < sizeof(trace));
    trace[len]     = who;
    trace[len + 1] = '\0';
    return rc;
}

static int module_sync(ompi_win_t *win)
{
    (void) win;
    return note('m', 71);
}

static int module_flush_all(ompi_win_t *win)
{
    (void) win;
    return note('m', 72);
}

static int module_flush(int target, ompi_win_t *win)
{
    (void) win;
    return note('m', target);
}

static int device_sync(ompi_win_t *win)
{
    (void) note('d', 0);
    return ompi_osc_ucp_below(win, OMPI_OSC_UCP_LAYER_DEVICE)->osc_sync(win);
}

static int device_flush_all(ompi_win_t *win)
{
    (void) note('d', 0);
    return ompi_osc_ucp_below(win, OMPI_OSC_UCP_LAYER_DEVICE)->osc_flush_all(win);
}

static int survive_sync(ompi_win_t *win)
{
    (void) note('s', 0);
    return ompi_osc_ucp_below(win, OMPI_OSC_UCP_LAYER_SURVIVE)->osc_sync(win);
}

static int count_sync(ompi_win_t *win)
{
    (void) note('c', 0);
    return ompi_osc_ucp_below(win, OMPI_OSC_UCP_LAYER_COUNT)->osc_sync(win);
}

static int count_flush_all(ompi_win_t *win)
{
    (void) note('c', 0);
    return ompi_osc_ucp_below(win, OMPI_OSC_UCP_LAYER_COUNT)->osc_flush_all(win);
}

static const ompi_osc_base_module_t module = {
    .osc_sync = module_sync, .osc_flush_all = module_flush_all, .osc_flush = module_flush
};

static const struct {
    char                   letter;
    ompi_osc_base_module_t functions;
} layers[OMPI_OSC_UCP_LAYERS] = {
    [OMPI_OSC_UCP_LAYER_DEVICE]  = { 'd', { .osc_sync = device_sync, .osc_flush_all = device_flush_all } },
    [OMPI_OSC_UCP_LAYER_SURVIVE] = { 's', { .osc_sync = survive_sync } },
    [OMPI_OSC_UCP_LAYER_COUNT]   = { 'c', { .osc_sync = count_sync, .osc_flush_all = count_flush_all } }
};

/** Add layers, each named by its letter, to a new window. */
static void window_make(const char *order)
{
    memset(&window, 0, sizeof(window));
    window.super        = module;
    handle.w_osc_module = &window.super;
    for (; '\0' != *order; order++) {
        for (int layer = 0; layer < OMPI_OSC_UCP_LAYERS; layer++) {
            if (*order == layers[layer].letter) {
                assert_true(ompi_osc_ucp_layer_add(&window, (ompi_osc_ucp_layer_t) layer, &layers[layer].functions));
            }
        }
    }
}

/** A call goes to each of the layers in `order` that has it, the last one first, and then to the module. */
static void must_reach(const char *order, const char *without, int rc, int expected_rc)
{
    char   expected[sizeof(trace)] = "";
    size_t n = 0;

    for (size_t i = strlen(order); i > 0; i--) {
        if (NULL == strchr(without, order[i - 1])) {
            expected[n++] = order[i - 1];
        }
    }
    expected[n] = 'm';
    assert_int_equal(expected_rc, rc);
    assert_string_equal(expected, trace);
    trace[0] = '\0';
}

static void must_chain(const char *order)
{
    trace[0] = '\0';
    must_reach(order, "", window.super.osc_sync(&handle), 71);
    must_reach(order, "s", window.super.osc_flush_all(&handle), 72);
    must_reach(order, "dsc", window.super.osc_flush(5, &handle), 5);
    assert_null(window.super.osc_put);
}

/** Each set of layers, in each order. */
static void test_order(void **state)
{
    static const char *const orders[] = { "", "d", "s", "c", "ds", "sd", "dc", "cd", "sc", "cs", "dsc", "dcs", "sdc",
                                          "scd", "cds", "csd" };

    (void) state;
    for (size_t i = 0; i < COUNT_OF(orders); i++) {
        window_make(orders[i]);
        must_chain(orders[i]);
        ompi_osc_ucp_layers_free(&window);
    }
}

/** A layer that is there already stays as it is, and where it is. */
static void test_added_twice(void **state)
{
    const ompi_osc_base_module_t other = { .osc_sync = survive_sync, .osc_put = ompi_osc_ucp_put };
    ompi_osc_ucp_window_t        before;

    (void) state;
    window_make("cd");
    before = window;
    assert_true(ompi_osc_ucp_layer_add(&window, OMPI_OSC_UCP_LAYER_COUNT, &other));
    assert_true(ompi_osc_ucp_layer_add(&window, OMPI_OSC_UCP_LAYER_DEVICE, &other));
    assert_memory_equal(&before, &window, sizeof(window));
    must_chain("cd");
    ompi_osc_ucp_layers_free(&window);
}

/* Windows of the component, in a handle that Open MPI made. */

static MPI_Win real;
static long    memory[8];

static ompi_osc_ucp_window_t *real_open(void)
{
    void *base = memory;
    int   model;

    memset(memory, 0, sizeof(memory));
    assert_int_equal(OMPI_SUCCESS, ompi_osc_ucp_select(real, &base, sizeof(memory), sizeof(long), MPI_COMM_SELF, NULL,
                                                       MPI_WIN_FLAVOR_CREATE, &model));
    return ompi_osc_ucp_window(real);
}

/** All of its calls work. */
static void real_use(void)
{
    const ompi_osc_base_module_t *calls = real->w_osc_module;
    long                          value = 11, got = 0;

    assert_int_equal(OMPI_SUCCESS, calls->osc_lock_all(0, real));
    assert_int_equal(OMPI_SUCCESS, calls->osc_put(&value, 1, MPI_LONG, 0, 3, 1, MPI_LONG, real));
    assert_int_equal(OMPI_SUCCESS, calls->osc_fetch_and_op(&value, &got, MPI_LONG, 0, 3, MPI_SUM, real));
    assert_int_equal(OMPI_SUCCESS, calls->osc_unlock_all(real));
    assert_int_equal(11, got);
    assert_int_equal(22, memory[3]);
    assert_int_equal(OMPI_SUCCESS, calls->osc_free(real));
}

/** Here is no device, nothing to survive, and nobody who counts. */
static void test_plain(void **state)
{
    ompi_osc_ucp_window_t *plain = real_open();

    (void) state;
    assert_memory_equal(&ompi_osc_ucp_module_template, &plain->super, sizeof(plain->super));
    for (int layer = 0; layer < OMPI_OSC_UCP_LAYERS; layer++) {
        assert_null(plain->below[layer]);
    }
    real_use();
}

static void test_real(void **state)
{
    ompi_osc_ucp_window_t *layered = real_open();

    (void) state;
    assert_true(ompi_osc_ucp_instrument(layered));
    assert_memory_equal(&ompi_osc_ucp_module_template, layered->below[OMPI_OSC_UCP_LAYER_COUNT],
                        sizeof(layered->super));
    assert_ptr_not_equal(ompi_osc_ucp_module_template.osc_put, layered->super.osc_put);
    real_use();

    layered = real_open();
    assert_true(ompi_osc_ucp_instrument(layered));
    assert_true(ompi_osc_ucp_devices_serve(layered));
    assert_ptr_equal(layered->below[OMPI_OSC_UCP_LAYER_COUNT]->osc_put, ompi_osc_ucp_module_template.osc_put);
    assert_ptr_not_equal(layered->below[OMPI_OSC_UCP_LAYER_DEVICE]->osc_put, ompi_osc_ucp_module_template.osc_put);
    real_use();
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order), cmocka_unit_test(test_added_twice), cmocka_unit_test(test_plain),
        cmocka_unit_test(test_real)
    };
    ompi_osc_base_module_t *theirs;
    int                     failed;

    setenv("OMPI_MCA_osc", "^ucp", 1); /* the handle is to be of another component than the one linked here */
    MPI_Init(&argc, &argv);
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_SELF, &real);
    theirs = real->w_osc_module;
    (void) mca_osc_ucp_component.osc_version.mca_register_component_params();
    mca_osc_ucp_component.osc_init(false, false);
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    mca_osc_ucp_component.osc_finalize();
    real->w_osc_module = theirs;
    MPI_Win_free(&real);
    MPI_Finalize();
    return failed;
}
