/* Unit test of pools: windows of up to 1024 members do not overlap, lie within their segment, and no segment is so
 * large that address space becomes short.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi_config.h"

#include "memory/handoff.h"
#include "memory/pool.h"

#include <setjmp.h>
#include <stdarg.h>
#include <sys/ipc.h>
#include <sys/shm.h>

#include <cmocka.h>

enum { LOTS = 40, NEAR = 1024, FAR = OMPI_OSC_UCP_HANDOFF_FAR, SEGMENT_MOST = 513 << 20,
       WHOLE = OMPI_OSC_UCP_LANES_MOST / OMPI_OSC_UCP_LANE_MOST }; /* most lanes of full size */

/** The ranges [a, a + NEAR or FAR) of a lane. */
static bool overlap(uint64_t a, uint64_t a_bytes, uint64_t b, uint64_t b_bytes)
{
    return a < b + b_bytes && b < a + a_bytes;
}

static void check(const ompi_osc_ucp_lot_t *lot, const ompi_osc_ucp_lot_t *other)
{
    if (lot->sysv == other->sysv) {
        assert_false(overlap(lot->offset, NEAR, other->offset, NEAR));
        assert_false(overlap(lot->offset, NEAR, other->far, FAR));
        assert_false(overlap(lot->far, FAR, other->offset, NEAR));
        assert_false(overlap(lot->far, FAR, other->far, FAR));
    }
}

static uint64_t segment_bytes(const ompi_osc_ucp_lot_t *lot)
{
    struct shmid_ds about;

    assert_int_equal(0, shmctl(lot->sysv->id, IPC_STAT, &about));
    return about.shm_segsz;
}

/** The last byte of the last lane lies in the segment, and the next lane begins behind the first one's bytes. */
static void check_place(const ompi_osc_ucp_lot_t *lot, int lanes)
{
    const uint64_t lane = ompi_osc_ucp_lane_bytes(lanes), bytes = segment_bytes(lot);
    const uint64_t first = bytes - (uint64_t) lanes * lane;

    assert_int_equal(0, lane % OMPI_OSC_UCP_STRIPE_GRANULE);
    assert_true(bytes <= SEGMENT_MOST);
    assert_true(lot->offset >= first && lot->offset + NEAR <= first + lane);
    assert_true(lot->far >= first && lot->far + FAR <= first + lane);
    assert_false(overlap(lot->offset, NEAR, lot->far, FAR));
}

static void test_lots(void **state)
{
    static const int    counts[] = { 1, 2, WHOLE, WHOLE + 1, 1000, 1024 };
    ompi_osc_ucp_lot_t *lots[LOTS];
    uint32_t            left;

    (void) state;
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        left = (uint32_t) counts[i];
        for (int j = 0; j < LOTS; j++) {
            lots[j] = ompi_osc_ucp_pool_take(counts[i], left, NEAR, FAR);
            assert_non_null(lots[j]);
            check_place(lots[j], counts[i]);
            for (int k = 0; k < j; k++) {
                check(lots[j], lots[k]);
            }
        }
        for (int j = 0; j < LOTS; j++) {
            ompi_osc_ucp_pool_give(lots[j], &left);
        }
    }
    ompi_osc_ucp_pools_fini();
}

/** What any lean window has of a lane fits into the smallest one, several times. */
static void test_room(void **state)
{
    (void) state;
    assert_true(ompi_osc_ucp_lane_bytes(1024) >= 4 * (OMPI_OSC_UCP_POOL_MOST + OMPI_OSC_UCP_HANDOFF_FAR));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_lots), cmocka_unit_test(test_room) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
