/* Unit test of the barrier's rounds: who sends to whom, for windows on one node and on several.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "epoch/epoch.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { MEMBERS_MAX = 64 };

typedef struct layout_t {
    int  size, node_size;
    bool cyclic;
} layout_t;

static ompi_osc_ucp_barrier_step_t step_of(const layout_t *layout, int rank, int round, bool *more)
{
    ompi_osc_ucp_window_t       window = { .rank = rank, .size = layout->size, .node_size = layout->node_size,
                                           .node_cyclic = layout->cyclic };
    ompi_osc_ucp_barrier_step_t step;

    *more = ompi_osc_ucp_barrier_step(&window, round, &step);
    return step;
}

static int node_of(const layout_t *layout, int rank)
{
    return layout->cyclic ? rank % (layout->size / layout->node_size) : rank / layout->node_size;
}

/** Run one round: heard[i] has a bit for each member of which i has heard. Returns the notices between nodes; negative
 *  if there is no such round. */
static int round_run(const layout_t *layout, int round, uint64_t *heard)
{
    ompi_osc_ucp_barrier_step_t step[MEMBERS_MAX];
    uint64_t                    before[MEMBERS_MAX];
    int                         rank, between = 0, rounds = 0;
    bool                        more;

    for (rank = 0; rank < layout->size; rank++) {
        before[rank] = heard[rank];
        step[rank]   = step_of(layout, rank, round, &more);
        rounds      += more;
    }
    assert_true(0 == rounds || layout->size == rounds); /* all have as many rounds */
    for (rank = 0; rank < layout->size && rounds > 0; rank++) {
        if (step[rank].to >= 0) {
            assert_int_equal(rank, step[step[rank].to].from);
            heard[step[rank].to] |= before[rank];
            between += layout->node_size > 0 && node_of(layout, rank) != node_of(layout, step[rank].to);
        }
        if (step[rank].from >= 0) {
            assert_int_equal(rank, step[step[rank].from].to);
        }
    }
    return 0 == rounds ? -1 : between;
}

/** Run a barrier; returns the notices between nodes. */
static int barrier_run(const layout_t *layout)
{
    uint64_t heard[MEMBERS_MAX], all = UINT64_MAX >> (64 - layout->size);
    int      rank, round, between = 0, n;

    for (rank = 0; rank < layout->size; rank++) {
        heard[rank] = UINT64_C(1) << rank;
    }
    for (round = 0; (n = round_run(layout, round, heard)) >= 0; round++) {
        assert_true(round < OMPI_OSC_UCP_BARRIER_ROUNDS);
        between += n;
    }
    for (rank = 0; rank < layout->size; rank++) {
        assert_true(all == heard[rank]);
    }
    return between;
}

static int rounds_for(int n)
{
    int rounds = 0;

    while (1 << rounds < n) {
        rounds++;
    }
    return rounds;
}

static void test_all_hear_of_all(void **state)
{
    layout_t layout = { 0 };

    (void) state;
    for (layout.size = 1; layout.size <= MEMBERS_MAX; layout.size++) {
        layout.node_size = 0;
        barrier_run(&layout);
    }
}

/** Between nodes there is one notice for each node and round of theirs. */
static void test_few_between_nodes(void **state)
{
    layout_t layout = { 0 };
    int      nodes;

    (void) state;
    for (layout.size = 4; layout.size <= MEMBERS_MAX; layout.size++) {
        for (layout.node_size = 2; layout.node_size < layout.size; layout.node_size++) {
            nodes = layout.size / layout.node_size;
            if (0 == layout.size % layout.node_size) {
                layout.cyclic = false;
                assert_int_equal(nodes * rounds_for(nodes), barrier_run(&layout));
                layout.cyclic = true;
                assert_int_equal(nodes * rounds_for(nodes), barrier_run(&layout));
            }
        }
    }
}

/** The control block has words for 31 rounds: nodes are left out where they would need more. */
static void test_largest(void **state)
{
    layout_t layout = { .size = 1 << 30, .node_size = 1 << 10 };
    int      round  = 0;
    bool     more   = true;

    (void) state;
    while (more) {
        (void) step_of(&layout, 0, round, &more);
        round += more;
    }
    assert_int_equal(30, round);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_hear_of_all),
        cmocka_unit_test(test_few_between_nodes),
        cmocka_unit_test(test_largest)
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
