/* Unit test of what is native: the texts that UCX 1.13.1 and 1.23 print, and some that they do not.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "opal_config.h"

#include "opal/mca/common/ucp/common_ucp_lanes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static const char shared_memory[] =
    "#\n# UCP endpoint \n#\n#               peer: <no debug data>\n"
    "#                 lane[0]:  1:sysv/memory.0 md[1]           -> md[1]/sysv/sysdev[255] amo#0 am am_bw#0\n"
    "#                 lane[1]:  2:posix/memory.0 md[2]          -> md[2]/posix/sysdev[255] amo#1\n"
    "#                 lane[2]:  3:cma/memory.0 md[3]            -> md[3]/cma/sysdev[255] rma_bw#0\n#\n"
    "#                 am_send: 0..<egr/short>..93..<egr/bcopy>..8256..<rndv>..(inf)\n"
    "#                  put[0]: 0..<short>..4294967296..<bcopy>..(inf)\n"
    "#                  get[0]: 0..<bcopy>..(inf)\n"
    "#                  put[1]: 0..<short>..4294967296..<bcopy>..(inf)\n"
    "#                  get[1]: 0..<bcopy>..(inf)\n#\n";

static const char tcp[] =
    "#                 lane[0]:  1:tcp/lo.0 md[1]                -> md[1]/tcp/sysdev[255] rma_bw#0 am am_bw#0\n"
    "#                 lane[1]:  2:tcp/eth0.0 md[1]              -> md[1]/tcp/sysdev[255] rma_bw#1 wireup\n#\n"
    "#                 am_send: 0..<egr/short>..8185..<egr/zcopy>..8192..<rndv>..(inf)\n";

static const char verbs[] =
    "#                 lane[0]:  1:rc_verbs/rxe0:1.0 md[4]       -> md[5]/ib/sysdev[255] rma_bw#0 am am_bw#0 wireup\n"
    "#                  put[0]: 0..<short>..81..<bcopy>..16384..<zcopy>..(inf)\n"
    "#                  get[0]: 0..<bcopy>..122671..<zcopy>..(inf)\n";

static const char device_atomics[] =
    "#                 lane[0]:  2:sysv/memory.0 md[1]           -> md[1]/sysv/sysdev[255] am am_bw#0\n"
    "#                 lane[3]:  7:rc_mlx5/mlx5_0:1.0 md[4]      -> md[6]/ib/sysdev[2] rma_bw#0 amo#0 wireup\n"
    "#                  put[3]: 0..<short>..(inf)\n#                  get[3]: 0..<zcopy>..(inf)\n";

/** Newer versions print no lines put[N], get[N]. */
static const char newer[] =
    "#                 lane[0]:  0:sysv/memory.0 md[0]           -> md[0]/sysv/sysdev[255] seg 4294967295 amo#1 am\n"
    "#                 lane[1]:  1:posix/memory.0 md[1]          -> md[1]/posix/sysdev[255] seg 4294967295 amo#0\n"
    "#                 lane[2]:  2:cma/memory.0 md[2]            -> md[2]/cma/sysdev[255] seg 4294967295 rma_bw#0\n";

static char unknown[OPAL_COMMON_UCP_UNKNOWN_MAX];

static void lanes_of(const char *text, opal_common_ucp_lanes_t *lanes)
{
    opal_common_ucp_lanes_read(text, NULL, 0, lanes, unknown);
}

static void lanes(void **state)
{
    opal_common_ucp_lanes_t lanes;

    (void) state;
    lanes_of(shared_memory, &lanes);
    assert_int_equal(1 << 1 | 1 << 2, lanes.rma);
    assert_int_equal(1 << 1 | 1 << 2, lanes.amo);
    assert_true(lanes.cpu_amo);
    assert_false(lanes.stream);
    lanes_of(tcp, &lanes);
    assert_int_equal(0, lanes.rma);
    assert_int_equal(0, lanes.amo);
    assert_true(lanes.stream);
    lanes_of(verbs, &lanes);
    assert_false(lanes.stream);
    assert_int_equal(1 << 5, lanes.rma);
    assert_int_equal(0, lanes.amo);
    lanes_of(device_atomics, &lanes);
    assert_int_equal(1 << 6, lanes.rma);
    assert_int_equal(1 << 6, lanes.amo);
    assert_false(lanes.cpu_amo);
    assert_string_equal("", unknown);
}

static void newer_lanes(void **state)
{
    static const char *const    verbs_lane[]   = { "rc_verbs/rxe0:1.0" };
    static const char *const    tcp_lanes[]    = { "tcp/lo", "tcp/eth0" };
    static const char *const    memory_lanes[] = { "sysv/memory", "posix/memory", "cma/memory" };
    static const char *const    new_lanes[]    = { "sysv/memory", "rdma2/x0:1", "cma/memory" };
    opal_common_ucp_lanes_t     lanes;

    (void) state;
    lanes_of(newer, &lanes);
    assert_int_equal(1 << 0 | 1 << 1, lanes.rma);
    assert_int_equal(1 << 0 | 1 << 1, lanes.amo);
    assert_string_equal("", unknown);
    opal_common_ucp_lanes_read(newer, memory_lanes, 3, &lanes, unknown);
    assert_int_equal(1 << 0 | 1 << 1, lanes.rma);
    assert_string_equal("", unknown);
    opal_common_ucp_lanes_read(verbs, verbs_lane, 1, &lanes, unknown);
    assert_int_equal(1 << 5, lanes.rma);
    opal_common_ucp_lanes_read(tcp, tcp_lanes, 2, &lanes, unknown);
    assert_int_equal(0, lanes.rma);
    assert_string_equal("", unknown);
    opal_common_ucp_lanes_read(newer, new_lanes, 3, &lanes, unknown);
    assert_int_equal(1 << 0, lanes.rma);
    assert_string_equal("its transport rdma2", unknown);
    opal_common_ucp_lanes_read("lane 0 rdma2", memory_lanes, 3, &lanes, unknown);
    assert_int_equal(0, lanes.rma);
    assert_string_equal("the form in which it prints connections", unknown);
}

static void unknown_text(void **state)
{
    static const char *const texts[] = {
        "", "\n\n#", "UCP endpoint 2.0\nlane 0 rma\n", "put[0]: short\nget[0]: short\n",
        "lane[0]: 1:rc/x md[1] -> md[1]/ib\nput[0]: 0\n", "lane[99]: 1:rc/x md[1] -> md[1]\nput[99]: 0\nget[99]: 0\n",
        "lane[0]: 1:rc/x md[1] -> md[77]/ib\nput[0]: 0\nget[0]: 0\n", "lane[0]: 1:rc/x.0 domain 1\nput[0]:\nget[0]:\n"
    };
    opal_common_ucp_lanes_t lanes;

    (void) state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        lanes_of(texts[i], &lanes);
        assert_int_equal(0, lanes.rma | lanes.amo);
    }
}

static void keys(void **state)
{
    static const unsigned char mapped[] = { 0x0b, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x0c, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11,
                                            12, 0 };
    static const unsigned char with_device[] = { 0x01, 0, 0, 0, 0, 0, 0, 0, 0, 2, 1, 2, 0xff, 0 };
    static const unsigned char registered[] = { 0x03, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x02, 1, 2 };

    (void) state;
    assert_int_equal(0x0b, opal_common_ucp_key_domains(mapped, sizeof(mapped)));
    assert_int_equal(0x03, opal_common_ucp_key_domains(registered, sizeof(registered)));
    assert_int_equal(0x01, opal_common_ucp_key_domains(with_device, sizeof(with_device) - 1));
    assert_int_equal(0, opal_common_ucp_key_domains(with_device, sizeof(with_device)));
    for (size_t len = 0; len < sizeof(mapped); len++) { /* cut off, or of another form */
        assert_int_equal(0, opal_common_ucp_key_domains(mapped, len));
    }
    assert_int_equal(0, opal_common_ucp_key_domains("\3\0\0\0\0\0\0\0\0\0\0sys", 14));
}

static bool readable;

static bool resources_in(const char *text)
{
    return opal_common_ucp_resources_read(text, &readable);
}

static void resources(void **state)
{
    (void) state;
    assert_true(resources_in("#      resource 0  :  md 0  dev 0  flags -- self/memory0\n"
                                               "#      resource 1  :  md 1  dev 1  flags -- rc_verbs/rxe0:1\n"));
    assert_false(resources_in("#      resource 1  :  md 1  dev 1  flags -- sysv/memory\n"
                                                "#      resource 2  :  md 1  dev 2  flags -- tcp/eth0\n"
                                                "#      resource 3  :  md 1  dev 1  flags a- ud_verbs/rxe0:1\n"));
    assert_true(readable);
    assert_false(resources_in("something else\n"));
    assert_false(readable);
    assert_true(opal_common_ucp_atomics_read("#    atomics: 0:self/memory0, 4:rc_mlx5/mlx5_0:1\n"));
    assert_false(opal_common_ucp_atomics_read("#    atomics: 0:self/memory0, 1:sysv/memory, 2:posix/memory\n"));
    assert_false(opal_common_ucp_atomics_read("#    atomics: \n#\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes), cmocka_unit_test(newer_lanes), cmocka_unit_test(unknown_text),
        cmocka_unit_test(keys), cmocka_unit_test(resources)
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
