/* Unit test of arenas: blocks do not overlap, are aligned, and their memory is used again.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi_config.h"

#include "memory/arena.h"
#include "unit_random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { BLOCKS = 200, STEPS = 20000 };

typedef struct taken_t {
    ompi_osc_ucp_block_t block;
    size_t               bytes;
    unsigned char        mark; /**< what its bytes hold */
} taken_t;

static void take(taken_t *taken)
{
    size_t         alignment = (size_t) 64 << random_u64() % 7;
    size_t         skew      = 64 * (random_u64() % 6);
    unsigned char *memory;

    /* Now and then a large one. */
    taken->bytes = skew + random_u64() % (0 == random_u64() % 50 ? 200000 : 2000);
    taken->mark  = (unsigned char) random_u64();
    assert_int_equal(0, ompi_osc_ucp_arena_take(taken->bytes, alignment, skew, false, &taken->block));
    memory = ompi_osc_ucp_block_address(&taken->block);
    assert_int_equal(0, ((uintptr_t) memory + skew) % alignment);
    assert_int_equal(0, (uintptr_t) memory % 64);
    assert_true(memory >= (unsigned char *) (ompi_osc_ucp_block_head(&taken->block) + 1));
    memset(memory, taken->mark, taken->bytes);
}

static void give(taken_t *taken)
{
    const unsigned char *memory = ompi_osc_ucp_block_address(&taken->block);
    size_t               i;

    for (i = 0; i < taken->bytes; i++) {
        if (memory[i] != taken->mark) {
            fail_msg("byte %zu of a block of %zu is not its own", i, taken->bytes);
        }
    }
    ompi_osc_ucp_arena_give(&taken->block);
    assert_null(taken->block.chunk);
}

static void test_random(void **state)
{
    static taken_t taken[BLOCKS];
    int            step, i;

    (void) state;
    for (step = 0; step < STEPS; step++) {
        i = (int) (random_u64() % BLOCKS);
        if (NULL != taken[i].block.chunk) {
            give(&taken[i]);
        } else {
            take(&taken[i]);
        }
    }
    for (i = 0; i < BLOCKS; i++) {
        if (NULL != taken[i].block.chunk) {
            give(&taken[i]);
        }
    }
    ompi_osc_ucp_arena_fini();
}

/** What was given back is whole again, in whatever order. */
static void test_again(void **state)
{
    ompi_osc_ucp_block_t blocks[20], whole;
    void                *first;
    int                  i;

    (void) state;
    for (i = 0; i < 20; i++) {
        assert_int_equal(0, ompi_osc_ucp_arena_take(1024, 64, 0, false, &blocks[i]));
    }
    first = ompi_osc_ucp_block_address(&blocks[0]);
    for (i = 0; i < 20; i++) {
        ompi_osc_ucp_arena_give(&blocks[7 * i % 20]);
    }
    assert_int_equal(0, ompi_osc_ucp_arena_take(20 * 1024, 64, 0, false, &whole));
    assert_ptr_equal(first, ompi_osc_ucp_block_address(&whole));
    ompi_osc_ucp_arena_give(&whole);
    ompi_osc_ucp_arena_fini();
}

/** Too much is refused, and leaves things as they were. */
static void test_refused(void **state)
{
    ompi_osc_ucp_block_t block = { .chunk = NULL };

    (void) state;
    assert_int_not_equal(0, ompi_osc_ucp_arena_take(SIZE_MAX - 100, 64, 0, false, &block));
    assert_int_not_equal(0, ompi_osc_ucp_arena_take((size_t) 1 << 62, 64, 0, false, &block));
    assert_null(block.chunk);
    ompi_osc_ucp_arena_give(&block);
    ompi_osc_ucp_arena_fini();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random), cmocka_unit_test(test_again), cmocka_unit_test(test_refused)};

    random_init();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
