/* Unit test of arenas: blocks do not overlap, are aligned, share chunks, and their memory is used again.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi_config.h"

#include "memory/arena.h"
#include "opal/mca/common/ucp/common_ucp_state.h"
#include "unit_random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

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

/* Large blocks that peers map. */

enum { MANY = 1000, LARGE_BYTES = 64 << 10 };

static void handler(const opal_common_ucp_message_t *message)
{
    (void) message;
}

static int open_transport(void **state)
{
    char *reason = NULL;

    (void) state;
    return opal_common_ucp_open(OPAL_COMMON_UCP_NATIVE_NEVER, handler, handler, &reason);
}

static int close_transport(void **state)
{
    (void) state;
    ompi_osc_ucp_arena_fini(); /* also after a failure: UCX aborts if it is closed before its memory is freed */
    opal_common_ucp_close();
    return 0;
}

/** Take a large block, and mark its memory. */
static void take_large(ompi_osc_ucp_block_t *block, size_t bytes, int mark)
{
    assert_int_equal(0, ompi_osc_ucp_arena_take(bytes, 64, 0, true, block));
    memset(ompi_osc_ucp_block_address(block), mark, bytes);
}

/** Chunks of `n` blocks that are together in the order of their making. */
static int chunks_count(const ompi_osc_ucp_block_t *blocks, int n)
{
    int count = 0;

    for (int i = 0; i < n; i++) {
        count += 0 == i || blocks[i].chunk != blocks[i - 1].chunk;
    }
    return count;
}

/** Pages of a range that take memory, of those that lie in it as a whole. */
static size_t pages_resident(const char *address, size_t bytes)
{
    uintptr_t     page = (uintptr_t) sysconf(_SC_PAGESIZE), from = ((uintptr_t) address + page - 1) & ~(page - 1);
    size_t        n = ((uintptr_t) address + bytes - from) / page, resident = 0;
    unsigned char vec[1024];

    assert_true(n <= sizeof(vec));
    assert_int_equal(0, mincore((void *) from, n * page, vec));
    for (size_t i = 0; i < n; i++) {
        resident += vec[i] & 1;
    }
    return resident;
}

/** Does the system take shared pages back? Under qemu-user MADV_REMOVE returns 0 and does nothing. */
static bool pages_can_go(void)
{
    size_t page   = (size_t) sysconf(_SC_PAGESIZE);
    char  *memory = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    bool   gone;

    assert_ptr_not_equal(MAP_FAILED, memory);
    memory[0] = 1;
    gone      = 0 == madvise(memory, page, MADV_REMOVE) && 0 == pages_resident(memory, page);
    munmap(memory, page);
    return gone;
}

/** 1000 large blocks share few chunks; what is freed loses its pages, and is used again. */
static void test_shared(void **state)
{
    static ompi_osc_ucp_block_t blocks[MANY];
    const char                 *memory;
    int                         i;

    (void) state;
    opal_common_ucp_transport.registers = false;
    for (i = 0; i < MANY; i++) {
        take_large(&blocks[i], LARGE_BYTES, i % 251);
    }
    assert_true(chunks_count(blocks, MANY) <= 40);
    for (i = 0; i < MANY; i += 2) {
        ompi_osc_ucp_arena_give(&blocks[i]);
    }
    for (i = 1; i < MANY; i += 2) {
        memory = ompi_osc_ucp_block_address(&blocks[i]);
        assert_true(i % 251 == (unsigned char) memory[0] && 0 == memcmp(memory, memory + 1, LARGE_BYTES - 1));
    }
    /* Behind the second block of the last chunk of some lies one that is free. */
    memory = (const char *) ompi_osc_ucp_block_address(&blocks[MANY - 3]) + LARGE_BYTES;
    assert_ptr_equal(memory + LARGE_BYTES, ompi_osc_ucp_block_address(&blocks[MANY - 1]));
    assert_true(0 == pages_resident(memory, LARGE_BYTES) || !pages_can_go());
    for (i = 0; i < MANY; i += 2) {
        take_large(&blocks[i], LARGE_BYTES, 1);
    }
    assert_true(pages_resident(memory, LARGE_BYTES) > 0);
    for (i = 0; i < MANY; i++) {
        ompi_osc_ucp_arena_give(&blocks[i]);
    }
}

/** A network goes on using the pages that it has pinned: they stay. */
static void test_pinned(void **state)
{
    ompi_osc_ucp_block_t blocks[20];
    const char          *memory;
    int                  last = 19;

    (void) state;
    opal_common_ucp_transport.registers = true;
    for (int i = 0; i <= last; i++) {
        take_large(&blocks[i], LARGE_BYTES, 1);
    }
    while (last > 0 && blocks[last].chunk != blocks[last - 1].chunk) {
        ompi_osc_ucp_arena_give(&blocks[last--]);
    }
    assert_true(last > 0);
    memory = ompi_osc_ucp_block_address(&blocks[last]);
    ompi_osc_ucp_arena_give(&blocks[last]);
    assert_true(pages_resident(memory, LARGE_BYTES) >= LARGE_BYTES / (size_t) sysconf(_SC_PAGESIZE) - 1);
    for (int i = 0; i < last; i++) {
        ompi_osc_ucp_arena_give(&blocks[i]);
    }
}

/** Neither small blocks nor very large ones keep the memory of large ones. */
static void test_apart(void **state)
{
    ompi_osc_ucp_block_t small, large[2], huge;

    (void) state;
    take_large(&large[0], LARGE_BYTES, 1);
    assert_int_equal(0, ompi_osc_ucp_arena_take((size_t) 1 << 30, 64, 0, true, &huge));
    take_large(&large[1], LARGE_BYTES, 1);
    take_large(&small, 64, 1);
    assert_ptr_not_equal(large[0].chunk, huge.chunk);
    assert_ptr_not_equal(large[1].chunk, huge.chunk);
    assert_ptr_not_equal(small.chunk, huge.chunk);
    assert_ptr_not_equal(small.chunk, large[0].chunk);
    assert_ptr_not_equal(small.chunk, large[1].chunk);
    ompi_osc_ucp_arena_give(&small);
    ompi_osc_ucp_arena_give(&huge);
    ompi_osc_ucp_arena_give(&large[0]);
    ompi_osc_ucp_arena_give(&large[1]);
}

/** What lies far is in the same chunk, behind all that is near, and is used again. */
static void test_far(void **state)
{
    enum { PAIRS = 20, NEAR = 448, FAR = 7168 };
    ompi_osc_ucp_block_t near[PAIRS], far[PAIRS], large, none = { .chunk = NULL };
    const char          *last;

    (void) state;
    for (int i = 0; i < PAIRS; i++) {
        assert_int_equal(0, ompi_osc_ucp_arena_take(NEAR, 64, 0, false, &near[i]));
        assert_true(ompi_osc_ucp_arena_take_far(&near[i], FAR, &far[i]));
        assert_ptr_equal(near[i].chunk, far[i].chunk);
        memset(ompi_osc_ucp_block_address(&near[i]), 1, NEAR);
        memset(ompi_osc_ucp_block_address(&far[i]), 2, FAR);
    }
    last = (const char *) ompi_osc_ucp_block_address(&near[PAIRS - 1]) + NEAR;
    for (int i = 0; i < PAIRS; i++) {
        const char *at = ompi_osc_ucp_block_address(&far[i]);

        assert_true(at >= last && 2 == at[0] && 0 == memcmp(at, at + 1, FAR - 1));
        assert_int_equal(1, *(char *) ompi_osc_ucp_block_address(&near[i]));
    }
    assert_false(ompi_osc_ucp_arena_take_far(&near[0], 1 << 20, &none));
    assert_null(none.chunk);
    assert_int_equal(0, ompi_osc_ucp_arena_take(LARGE_BYTES, 64, 0, false, &large));
    assert_false(ompi_osc_ucp_arena_take_far(&large, 64, &none)); /* a large block may be alone in its chunk */
    ompi_osc_ucp_arena_give(&large);
    last = ompi_osc_ucp_block_address(&far[3]);
    ompi_osc_ucp_arena_give(&far[3]);
    assert_true(ompi_osc_ucp_arena_take_far(&near[3], FAR, &far[3]));
    assert_ptr_equal(last, ompi_osc_ucp_block_address(&far[3]));
    for (int i = 0; i < PAIRS; i++) {
        ompi_osc_ucp_arena_give(&near[i]);
        ompi_osc_ucp_arena_give(&far[i]);
    }
    ompi_osc_ucp_arena_fini();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_again),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_far),
        cmocka_unit_test_setup_teardown(test_shared, open_transport, close_transport),
        cmocka_unit_test_setup_teardown(test_pinned, open_transport, close_transport),
        cmocka_unit_test_setup_teardown(test_apart, open_transport, close_transport)};

    random_init();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
