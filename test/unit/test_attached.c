/* Unit test of the table of attached regions: nobody waits for a process that has become another program, and a region
 * that was found in one table is not taken for one of another.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "memory/attached.h"

#include "another_program.h"

#include <string.h>
#include <sys/mman.h>

enum { REGION = 4096 };

/** What an owner and an origin share. */
typedef struct shared_t {
    ompi_osc_ucp_attached_t       attached;
    ompi_osc_ucp_attached_table_t table;
    ompi_osc_ucp_cma_self_t       owner, self; /**< the parent, and a child */
} shared_t;

static shared_t *shared;
static char      region[REGION];

static ompi_osc_ucp_looked_t looked_by(ompi_osc_ucp_insider_t *insider, ompi_osc_ucp_cma_self_t owner)
{
    return (ompi_osc_ucp_looked_t) {
        .attached = &shared->attached, .insider = insider, .owner = owner, .waits = true
    };
}

/** This process attaches the region. The table may hold anything before. */
static void attach(void)
{
    memset(&shared->table, 0xff, sizeof(shared->table));
    ompi_osc_ucp_attached_init(&shared->attached, &shared->table);
    ompi_osc_ucp_attached_change(&shared->attached);
    ompi_osc_ucp_shown_set(shared->table.shown, (uintptr_t) region, (uintptr_t) region + REGION - 1);
    ompi_osc_ucp_attached_changed(&shared->attached, 1, NULL);
}

static bool enter(const ompi_osc_ucp_looked_t *looked)
{
    ompi_osc_ucp_layout_t layout;

    ompi_osc_ucp_layout_contiguous(&layout, 0, REGION);
    return ompi_osc_ucp_attached_enter(looked, (uintptr_t) region, &layout, 0);
}

static void enter_and_stay(void)
{
    ompi_osc_ucp_looked_t looked = looked_by(ompi_osc_ucp_insider_take(&shared->attached), shared->owner);

    if (!enter(&looked)) {
        _exit(1);
    }
}

static void enter_and_stay_as_member(void)
{
    ompi_osc_ucp_looked_t looked = looked_by(ompi_osc_ucp_insider_of(&shared->attached, 1), shared->owner);

    if (!enter(&looked)) {
        _exit(1);
    }
}

/** A detach does not wait for a process that was inside. */
static void test_insider(void **state)
{
    void (*const acts[])(void) = { enter_and_stay, enter_and_stay_as_member };
    unsigned i;
    pid_t    pid;

    (void) state;
    for (i = 0; i < sizeof(acts) / sizeof(acts[0]); i++) {
        memset(shared, 0, sizeof(*shared));
        attach();
        shared->owner = ompi_osc_ucp_cma_self();
        pid           = another_program(acts[i]);
        assert_int_equal(1, shared->table.insiders[i].turns % 2);
        ompi_osc_ucp_attached_await(&shared->attached);
        another_program_end(pid);
    }
}

static void change_and_stay(void)
{
    shared->self = ompi_osc_ucp_cma_self();
    ompi_osc_ucp_attached_change(&shared->attached);
}

/** An origin does not wait for a process that was changing its table. */
static void test_owner(void **state)
{
    ompi_osc_ucp_looked_t looked;
    pid_t                 pid;

    (void) state;
    memset(shared, 0, sizeof(*shared));
    attach();
    pid    = another_program(change_and_stay);
    looked = looked_by(ompi_osc_ucp_insider_take(&shared->attached), shared->self);
    assert_false(enter(&looked));
    another_program_end(pid);
}

static bool still(const ompi_osc_ucp_found_t *found)
{
    return ompi_osc_ucp_attached_still(&shared->attached, (uintptr_t) region, REGION, found);
}

/** A region is remembered. Whoever remembers none has none in a new table either, at any step of its first change. */
static void test_found(void **state)
{
    ompi_osc_ucp_looked_t looked;
    ompi_osc_ucp_found_t  found;

    (void) state;
    memset(shared, 0, sizeof(*shared));
    attach();
    looked = looked_by(ompi_osc_ucp_insider_take(&shared->attached), ompi_osc_ucp_cma_self());
    assert_true(ompi_osc_ucp_attached_has(&looked, (uintptr_t) region, REGION, &found));
    assert_true(still(&found));
    ompi_osc_ucp_found_init(&found);
    assert_false(still(&found));
    ompi_osc_ucp_attached_init(&shared->attached, &shared->table);
    assert_false(still(&found));
    ompi_osc_ucp_attached_change(&shared->attached);
    assert_false(still(&found));
    ompi_osc_ucp_attached_changed(&shared->attached, 0, NULL);
    assert_false(still(&found));
}

/** Each insider has one process at a time. The next one goes on with the turns: a detach may still look at them. */
static void test_claims(void **state)
{
    static ompi_osc_ucp_insider_t *insiders[OMPI_OSC_UCP_INSIDERS];
    ompi_osc_ucp_looked_t          looked;

    (void) state;
    memset(shared, 0, sizeof(*shared));
    attach();
    for (int i = 0; i < OMPI_OSC_UCP_INSIDERS; i++) {
        insiders[i] = ompi_osc_ucp_insider_take(&shared->attached);
        assert_non_null(insiders[i]);
        assert_int_equal(0, insiders[i]->turns);
        for (int j = 0; j < i; j++) {
            assert_ptr_not_equal(insiders[j], insiders[i]);
        }
    }
    assert_null(ompi_osc_ucp_insider_take(&shared->attached));
    looked = looked_by(insiders[70], ompi_osc_ucp_cma_self());
    assert_true(enter(&looked));
    ompi_osc_ucp_attached_leave(insiders[70]);
    ompi_osc_ucp_insider_give(&shared->attached, insiders[70]);
    assert_int_equal(0, insiders[70]->pid);
    assert_ptr_equal(insiders[70], ompi_osc_ucp_insider_take(&shared->attached));
    assert_int_equal(2, insiders[70]->turns);
    assert_int_equal(getpid(), insiders[70]->pid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_insider),
        cmocka_unit_test(test_owner),
        cmocka_unit_test(test_found),
        cmocka_unit_test(test_claims)
    };

    shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return MAP_FAILED == shared ? 1 : cmocka_run_group_tests(tests, NULL, NULL);
}
