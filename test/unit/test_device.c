/* Unit test of memory that a processor must not touch. The fake device's memory is there, but whoever loads or stores
 * it dies, save while the fake copies. Also under mpirun (test/build/device.sh): then the window is another process's.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "call/calls.h"
#include "epoch/epoch.h"
#include "layer/layer.h"
#include "window/stages.h"

#include <mpi.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

/* Of common_ucp_device.h, which needs UCX's headers: 0 is success. */
bool opal_common_ucp_load(const char **reason_p);
int  opal_common_ucp_copier_create(void);
void opal_common_ucp_copier_destroy(void);

/* What the component is: Open MPI finds it by name. */
OMPI_DECLSPEC extern ompi_osc_base_component_t mca_osc_ucp_component;

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/** A device's memory: buffers, and from WINDOW_AT on that of windows. */
#define DEVICE_BYTES (2 << 20)
#define WINDOW_AT    (1 << 20)

static char *device;
static bool  present = true;
static int   copies;

/** The service thread copies, too. */
static pthread_mutex_t copying = PTHREAD_MUTEX_INITIALIZER;

static bool fake_exist(void)
{
    return present;
}

static bool fake_hold(const void *address)
{
    const char *at = address;

    return at >= device && at < device + DEVICE_BYTES;
}

/** Not by assertions, which are for the thread of the tests. */
static int fake_copy(void *to, const void *from, size_t len)
{
    bool right = fake_hold(to) != fake_hold(from);

    pthread_mutex_lock(&copying);
    copies++;
    if (!right || 0 != mprotect(device, DEVICE_BYTES, PROT_READ | PROT_WRITE)) {
        abort();
    }
    memcpy(to, from, len);
    if (0 != mprotect(device, DEVICE_BYTES, PROT_NONE)) {
        abort();
    }
    pthread_mutex_unlock(&copying);
    return OPAL_SUCCESS;
}

static const opal_common_ucp_devices_t fake = { fake_exist, fake_hold, fake_copy };

/* A window of our component's, in a handle that Open MPI made. */

static MPI_Win                 win;
static ompi_osc_base_module_t *theirs;
static long                    memory[4096];
static int                     rank, size, target;

static int window_open(int flavor, void *base, size_t bytes)
{
    int model;
    int rc = ompi_osc_ucp_select(win, &base, bytes, 1, MPI_COMM_WORLD, NULL, flavor, &model);

    if (OMPI_SUCCESS == rc) {
        assert_int_equal(OMPI_SUCCESS, ompi_osc_ucp_lock_all(0, win));
    }
    return rc;
}

static void window_close(void)
{
    assert_int_equal(OMPI_SUCCESS, ompi_osc_ucp_unlock_all(win));
    assert_int_equal(OMPI_SUCCESS, ompi_osc_ucp_free(win));
}

static const ompi_osc_base_module_t *calls(void)
{
    return win->w_osc_module;
}

/** All operations are over, and everybody may look. */
static void complete(void)
{
    assert_int_equal(OMPI_SUCCESS, calls()->osc_flush_all(win));
    MPI_Barrier(MPI_COMM_WORLD);
    assert_int_equal(OMPI_SUCCESS, calls()->osc_sync(win));
}

/* The device's memory as longs. */

static long *device_long(size_t i)
{
    return (long *) (void *) device + i;
}

static void device_write(size_t at, const long *values, size_t n)
{
    assert_int_equal(OPAL_SUCCESS, fake_copy(device_long(at), values, n * sizeof(*values)));
}

static void device_expect(size_t at, const long *values, size_t n)
{
    long *got = malloc(n * sizeof(*got));

    assert_int_equal(OPAL_SUCCESS, fake_copy(got, device_long(at), n * sizeof(*got)));
    assert_memory_equal(got, values, n * sizeof(*got));
    free(got);
}

static int setup(void **state)
{
    (void) state;
    present = true;
    memset(memory, 0, sizeof(memory));
    MPI_Barrier(MPI_COMM_WORLD);
    return 0;
}

static void test_put_get(void **state)
{
    static long  values[2048], twice[2048];
    long         got[12], expected[12];
    size_t       n = COUNT_OF(values);
    MPI_Datatype every_third;
    size_t       i;

    (void) state;
    for (i = 0; i < n; i++) {
        values[i] = (long) i + 1;
        twice[i]  = i < 12 ? -1 : 0;
    }
    assert_int_equal(OMPI_SUCCESS, window_open(MPI_WIN_FLAVOR_CREATE, memory, sizeof(memory)));
    device_write(0, values, n);
    assert_int_equal(OMPI_SUCCESS, calls()->osc_put(device, (int) n, MPI_LONG, target, 0, (int) n, MPI_LONG, win));
    complete();
    assert_memory_equal(memory, values, sizeof(values));
    assert_int_equal(OMPI_SUCCESS,
                     calls()->osc_get(device_long(n), (int) n, MPI_LONG, target, 0, (int) n, MPI_LONG, win));
    complete();
    device_expect(n, values, n);

    /* What lies between the pieces of a buffer stays. */
    MPI_Type_vector(4, 1, 3, MPI_LONG, &every_third);
    MPI_Type_commit(&every_third);
    device_write(0, twice, 12);
    assert_int_equal(OMPI_SUCCESS, calls()->osc_get(device, 1, every_third, target, 0, 4, MPI_LONG, win));
    complete();
    for (i = 0; i < 12; i++) {
        expected[i] = 0 == i % 3 ? values[i / 3] : -1;
    }
    device_expect(0, expected, 12);
    MPI_Barrier(MPI_COMM_WORLD);
    assert_int_equal(OMPI_SUCCESS, calls()->osc_put(device, 1, every_third, target, 64, 4, MPI_LONG, win));
    complete();
    memcpy(got, memory + 8, 4 * sizeof(long));
    assert_memory_equal(got, values, 4 * sizeof(long));
    MPI_Type_free(&every_third);
    window_close();
}

static void test_requests(void **state)
{
    long            value = 7 + rank, sum = 2 * value, nothing = 0;
    ompi_request_t *request = NULL;

    (void) state;
    assert_int_equal(OMPI_SUCCESS, window_open(MPI_WIN_FLAVOR_CREATE, memory, sizeof(memory)));
    device_write(0, &value, 1);
    assert_int_equal(OMPI_SUCCESS,
                     calls()->osc_rput(device, 1, MPI_LONG, target, 0, 1, MPI_LONG, win, &request));
    assert_int_equal(MPI_SUCCESS, MPI_Wait(&request, MPI_STATUS_IGNORE));
    assert_int_equal(OMPI_SUCCESS, calls()->osc_raccumulate(device, 1, MPI_LONG, target, 0, 1, MPI_LONG, MPI_SUM, win,
                                                            &request));
    assert_int_equal(MPI_SUCCESS, MPI_Wait(&request, MPI_STATUS_IGNORE));
    device_write(1, &nothing, 1);
    assert_int_equal(OMPI_SUCCESS, calls()->osc_rget_accumulate(device, 1, MPI_LONG, device_long(1), 1, MPI_LONG,
                                                                target, 0, 1, MPI_LONG, MPI_REPLACE, win, &request));
    assert_int_equal(MPI_SUCCESS, MPI_Wait(&request, MPI_STATUS_IGNORE));
    device_expect(1, &sum, 1);
    assert_int_equal(OMPI_SUCCESS,
                     calls()->osc_rget(device_long(2), 1, MPI_LONG, target, 0, 1, MPI_LONG, win, &request));
    assert_int_equal(MPI_SUCCESS, MPI_Wait(&request, MPI_STATUS_IGNORE));
    device_expect(2, &value, 1);
    window_close();
}

static void test_accumulates(void **state)
{
    long values[3] = { 5, 11, 13 }, expected[3] = { 10, 22, 26 };

    (void) state;
    assert_int_equal(OMPI_SUCCESS, window_open(MPI_WIN_FLAVOR_CREATE, memory, sizeof(memory)));
    device_write(0, values, 3);
    assert_int_equal(OMPI_SUCCESS, calls()->osc_accumulate(device, 3, MPI_LONG, target, 0, 3, MPI_LONG, MPI_SUM, win));
    assert_int_equal(OMPI_SUCCESS, calls()->osc_get_accumulate(device, 3, MPI_LONG, device_long(3), 3, MPI_LONG,
                                                               target, 0, 3, MPI_LONG, MPI_SUM, win));
    assert_int_equal(OMPI_SUCCESS, calls()->osc_get_accumulate(NULL, 0, MPI_LONG, device_long(6), 3, MPI_LONG, target,
                                                               0, 3, MPI_LONG, MPI_NO_OP, win));
    assert_int_equal(OMPI_SUCCESS, calls()->osc_fetch_and_op(device_long(1), device_long(9), MPI_LONG, target, 16,
                                                             MPI_SUM, win));
    /* 10 is 10: 11 takes its place. */
    assert_int_equal(OMPI_SUCCESS, calls()->osc_compare_and_swap(device_long(1), device_long(6), device_long(10),
                                                                 MPI_LONG, target, 0, win));
    complete();
    device_expect(3, values, 3);
    device_expect(6, expected, 3);
    device_expect(9, &expected[2], 1);
    device_expect(10, &expected[0], 1);
    assert_int_equal(11, memory[0]);
    assert_int_equal(22, memory[1]);
    assert_int_equal(26 + 11, memory[2]);
    window_close();
}

static void test_host_buffers(void **state)
{
    long value = 3, got = 0;
    int  before = copies;

    (void) state;
    assert_int_equal(OMPI_SUCCESS, window_open(MPI_WIN_FLAVOR_CREATE, memory, sizeof(memory)));
    assert_int_equal(OMPI_SUCCESS, calls()->osc_put(&value, 1, MPI_LONG, target, 0, 1, MPI_LONG, win));
    complete();
    assert_int_equal(OMPI_SUCCESS, calls()->osc_get(&got, 1, MPI_LONG, target, 0, 1, MPI_LONG, win));
    complete();
    assert_int_equal(value, got);
    assert_int_equal(before, copies);
    window_close();
}

/** A window whose operations are counted serves such buffers all the same. */
static void test_instrumented(void **state)
{
    long value = 17;

    (void) state;
    assert_int_equal(OMPI_SUCCESS, window_open(MPI_WIN_FLAVOR_CREATE, memory, sizeof(memory)));
    assert_true(ompi_osc_ucp_instrument(ompi_osc_ucp_window(win)));
    device_write(0, &value, 1);
    assert_int_equal(OMPI_SUCCESS, calls()->osc_put(device, 1, MPI_LONG, target, 0, 1, MPI_LONG, win));
    complete();
    assert_int_equal(value, memory[0]);
    window_close();
}

static void test_refused(void **state)
{
    (void) state;
    assert_int_equal(OMPI_SUCCESS, window_open(MPI_WIN_FLAVOR_DYNAMIC, NULL, 0));
    assert_int_equal(OMPI_ERR_RMA_ATTACH, calls()->osc_win_attach(win, device, 4096));
    assert_int_equal(OMPI_SUCCESS, calls()->osc_win_attach(win, memory, sizeof(memory)));
    assert_int_equal(OMPI_SUCCESS, calls()->osc_win_detach(win, memory));
    window_close();
    if (1 == size) { /* alone, a process has no messages */
        assert_int_not_equal(OMPI_SUCCESS, window_open(MPI_WIN_FLAVOR_CREATE, device, 4096));
        assert_null(win->w_osc_module);
    }
}

/* Windows in the device's memory. */

static long *window_long(size_t i)
{
    return (long *) (void *) (device + WINDOW_AT) + i;
}

static void window_open_there(void)
{
    static const long zeros[(DEVICE_BYTES - WINDOW_AT) / sizeof(long)];

    if (1 == size) {
        skip();
    }
    assert_int_equal(OPAL_SUCCESS, fake_copy(device + WINDOW_AT, zeros, sizeof(zeros)));
    assert_int_equal(OMPI_SUCCESS, window_open(MPI_WIN_FLAVOR_CREATE, device + WINDOW_AT, DEVICE_BYTES - WINDOW_AT));
}

/** The own window has these. */
static void window_expect(size_t at, const long *values, size_t n)
{
    device_expect((size_t) (window_long(at) - device_long(0)), values, n);
}

/** Put and get `n` longs at whom, contiguous and in pieces. */
static void window_put_get(int whom, size_t n)
{
    long        *values = malloc(n * sizeof(*values)), *got = calloc(n, sizeof(*got));
    MPI_Datatype combs;
    size_t       i;
    int          blocks = n > 100 ? 50 : (int) n / 2, len = (int) n / (2 * blocks), half = blocks * len;

    for (i = 0; i < n; i++) {
        values[i] = (long) (i + n);
    }
    assert_int_equal(OMPI_SUCCESS, calls()->osc_put(values, (int) n, MPI_LONG, whom, 0, (int) n, MPI_LONG, win));
    complete();
    window_expect(0, values, n);
    assert_int_equal(OMPI_SUCCESS, calls()->osc_get(got, (int) n, MPI_LONG, whom, 0, (int) n, MPI_LONG, win));
    complete();
    assert_memory_equal(got, values, n * sizeof(long));

    MPI_Type_vector(blocks, len, 2 * len, MPI_LONG, &combs);
    MPI_Type_commit(&combs);
    for (i = 0; i < (size_t) half; i++) {
        got[i]                                      = -(long) i;
        values[i + i / (size_t) len * (size_t) len] = got[i];
    }
    assert_int_equal(OMPI_SUCCESS, calls()->osc_put(got, half, MPI_LONG, whom, 0, 1, combs, win));
    complete();
    window_expect(0, values, n);
    memset(got, 0, n * sizeof(long));
    assert_int_equal(OMPI_SUCCESS, calls()->osc_get(got, half, MPI_LONG, whom, 0, 1, combs, win));
    complete();
    for (i = 0; i < (size_t) half; i++) {
        assert_int_equal(values[i + i / (size_t) len * (size_t) len], got[i]);
    }
    MPI_Type_free(&combs);
    free(values);
    free(got);
    MPI_Barrier(MPI_COMM_WORLD);
}

/** Short ones travel with others, long ones in chunks or by themselves. */
static void test_window_put_get(void **state)
{
    static const size_t lengths[] = { 2, 100, 2000, 20000, 100000 };
    size_t              i;

    (void) state;
    window_open_there();
    for (i = 0; i < COUNT_OF(lengths); i++) {
        window_put_get(target, lengths[i]);
        window_put_get(rank, lengths[i]);
    }
    window_close();
}

static void test_window_accumulates(void **state)
{
    enum { N = 20000 };
    static long values[N], expected[N], got[N];
    struct { double value; int index; } pair = { 2.5, 7 }, before = { 0, 0 };
    long        one = 1, swap = 99, three = 3;
    int         i, last = DEVICE_BYTES - WINDOW_AT - (int) (sizeof(double) + sizeof(int));

    (void) state;
    window_open_there();
    for (i = 0; i < N; i++) {
        values[i]   = i;
        expected[i] = 2 * i;
    }
    assert_int_equal(OMPI_SUCCESS, calls()->osc_accumulate(values, N, MPI_LONG, target, 0, N, MPI_LONG, MPI_SUM, win));
    assert_int_equal(OMPI_SUCCESS, calls()->osc_get_accumulate(values, N, MPI_LONG, got, N, MPI_LONG, target, 0, N,
                                                               MPI_LONG, MPI_SUM, win));
    complete();
    assert_memory_equal(got, values, sizeof(got));
    window_expect(0, expected, N);
    MPI_Barrier(MPI_COMM_WORLD);
    assert_int_equal(OMPI_SUCCESS, calls()->osc_fetch_and_op(&one, got, MPI_LONG, target, 8, MPI_SUM, win));
    assert_int_equal(OMPI_SUCCESS, calls()->osc_compare_and_swap(&swap, &three, got + 1, MPI_LONG, target, 8, win));
    assert_int_equal(OMPI_SUCCESS, calls()->osc_fetch_and_op(NULL, got + 2, MPI_LONG, target, 8, MPI_NO_OP, win));
    complete();
    assert_int_equal(2, got[0]);
    assert_int_equal(3, got[1]);
    assert_int_equal(99, got[2]);
    /* The end of this element is the window's, and its gap behind it. */
    assert_int_equal(OMPI_SUCCESS, calls()->osc_get_accumulate(&pair, 1, MPI_DOUBLE_INT, &before, 1, MPI_DOUBLE_INT,
                                                               target, last, 1, MPI_DOUBLE_INT, MPI_MAXLOC, win));
    assert_int_equal(OMPI_SUCCESS, calls()->osc_get_accumulate(NULL, 0, MPI_DOUBLE_INT, &pair, 1, MPI_DOUBLE_INT,
                                                               target, last, 1, MPI_DOUBLE_INT, MPI_NO_OP, win));
    complete();
    assert_true(0 == before.value && 0 == before.index);
    assert_true(2.5 == pair.value && 7 == pair.index);
    window_close();
}

/** All add to one element, the process itself included; both buffers and windows are there. */
static void test_window_atomic(void **state)
{
    enum { TIMES = 200 };
    long one = 1, zero = 0, sum = (long) TIMES * size;
    int  i;

    (void) state;
    window_open_there();
    device_write(0, &one, 1);
    for (i = 0; i < TIMES; i++) {
        assert_int_equal(OMPI_SUCCESS, calls()->osc_accumulate(0 == i % 2 ? device : (void *) &one, 1, MPI_LONG, 0, 64,
                                                               1, MPI_LONG, MPI_SUM, win));
    }
    complete();
    window_expect(8, 0 == rank ? &sum : &zero, 1);
    window_close();
}

/** Where UCX knows no device, a window has the functions that do not ask. */
static void test_no_device(void **state)
{
    (void) state;
    present = false;
    assert_int_equal(OMPI_SUCCESS, window_open(MPI_WIN_FLAVOR_CREATE, memory, sizeof(memory)));
    assert_ptr_equal(ompi_osc_ucp_put, calls()->osc_put);
    assert_ptr_equal(ompi_osc_ucp_fetch_and_op, calls()->osc_fetch_and_op);
    window_close();
}

/** What UCX does, for memory that is here: it is the host's, and is copied whatever its length. */
static void test_copier(void **state)
{
    static const size_t              lengths[] = { 1, 8, 1000, 4096, 65536, 1 << 20, (16 << 20) + 1 };
    const opal_common_ucp_devices_t *real      = *state;
    unsigned char                   *from = malloc((16 << 20) + 2), *to = calloc(1, (16 << 20) + 2);
    const char                      *reason;
    size_t                           i, k;

    assert_false(real->exist());
    assert_true(opal_common_ucp_load(&reason));
    assert_int_equal(0, opal_common_ucp_copier_create());
    assert_true(real->exist());
    assert_false(real->hold(from));
    for (i = 0; i < COUNT_OF(lengths); i++) {
        for (k = 0; k < lengths[i]; k++) {
            from[k] = (unsigned char) (k * 7 + i);
        }
        to[lengths[i]] = 99;
        assert_int_equal(OPAL_SUCCESS, real->copy(to, from, lengths[i]));
        assert_memory_equal(to, from, lengths[i]);
        assert_int_equal(99, to[lengths[i]]);
        assert_false(real->hold(to + lengths[i]));
    }
    opal_common_ucp_copier_destroy();
    assert_false(real->exist());
    free(from);
    free(to);
}

int main(int argc, char **argv)
{
    const opal_common_ucp_devices_t *real    = opal_common_ucp_devices;
    const struct CMUnitTest          tests[] = {
        cmocka_unit_test_setup(test_put_get, setup),      cmocka_unit_test_setup(test_requests, setup),
        cmocka_unit_test_setup(test_accumulates, setup),  cmocka_unit_test_setup(test_host_buffers, setup),
        cmocka_unit_test_setup(test_instrumented, setup), cmocka_unit_test_setup(test_refused, setup),
        cmocka_unit_test_setup(test_window_put_get, setup), cmocka_unit_test_setup(test_window_accumulates, setup),
        cmocka_unit_test_setup(test_window_atomic, setup),
        cmocka_unit_test_setup(test_no_device, setup),    cmocka_unit_test_prestate(test_copier, (void *) real)
    };
    int failed;

    setenv("OMPI_MCA_osc", "^ucp", 1); /* the handle is to be of another component than the one linked here */
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    target = (rank + 1) % size;
    device = mmap(NULL, DEVICE_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    theirs = win->w_osc_module;
    (void) mca_osc_ucp_component.osc_version.mca_register_component_params();
    mca_osc_ucp_component.osc_init(false, false);
    opal_common_ucp_devices = &fake;
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    mca_osc_ucp_component.osc_finalize();
    win->w_osc_module = theirs;
    MPI_Win_free(&win);
    MPI_Finalize();
    return failed;
}
