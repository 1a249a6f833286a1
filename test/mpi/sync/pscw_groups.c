/* Post and start with different groups: one to many, many to one, pairs, some processes with no part in it at all.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

/* The group of the processes for which `member` says so, in descending order of rank. */
static MPI_Group group_if(MPI_Win win, int (*member)(int, int, int), int round, int as_target)
{
    int ranks[test_size], count = 0;
    MPI_Group all, group;

    for (int rank = test_size - 1; rank >= 0; rank--) {
        if (as_target ? member(test_rank, rank, round) : member(rank, test_rank, round)) {
            ranks[count++] = rank;
        }
    }
    MPI_Win_get_group(win, &all);
    MPI_Group_incl(all, count, ranks, &group);
    MPI_Group_free(&all);
    return group;
}

/* Who writes to whom. */
static int one_to_all(int origin, int target, int round)
{
    (void) target;
    return origin == round % test_size;
}

static int all_to_one(int origin, int target, int round)
{
    (void) origin;
    return target == round % test_size;
}

static int some_to_some(int origin, int target, int round)
{
    return 0 == (origin * 7 + target * 5 + round) % 3;
}

static int nobody(int origin, int target, int round)
{
    return origin + target + round < 0;
}

static void epoch(struct test_window *window, int (*member)(int, int, int), int round)
{
    MPI_Group origins = group_if(window->win, member, round, 0), targets = group_if(window->win, member, round, 1);
    const long *memory = (const long *) window->base;
    long value = 100 * round + test_rank;

    MPI_Win_post(origins, round % 2 ? MPI_MODE_NOSTORE : 0, window->win);
    MPI_Group_free(&origins);
    MPI_Win_start(targets, 0, window->win);
    MPI_Group_free(&targets);
    for (int target = 0; target < test_size; target++) {
        if (member(test_rank, target, round)) {
            MPI_Put(&value, 1, MPI_LONG, target, test_at(window, target, test_rank * sizeof(long)), 1, MPI_LONG,
                    window->win);
        }
    }
    MPI_Win_complete(window->win);
    MPI_Win_wait(window->win);
    for (int origin = 0; origin < test_size; origin++) {
        CHECK(!member(origin, test_rank, round) || 100 * round + origin == memory[origin], "%s, round %d: %ld from %d",
              test_flavor_name[window->flavor], round, memory[origin], origin);
    }
}

/* Several access epochs of the origins against exposure epochs that begin late: nobody may pass the post. */
static void late_post(struct test_window *window, int round)
{
    long *memory = (long *) window->base, value = round;
    int zero = 0, others[test_size];
    MPI_Group all, group;

    for (int i = 1; i < test_size; i++) {
        others[i - 1] = i;
    }
    MPI_Win_get_group(window->win, &all);
    if (0 == test_rank) {
        MPI_Group_incl(all, test_size - 1, others, &group);
        memset(memory, 0, test_size * sizeof(long));
        test_compute(0.002);
        CHECK(0 == memory[test_size - 1], "%s: written before post", test_flavor_name[window->flavor]);
        MPI_Win_post(group, 0, window->win);
        MPI_Win_wait(window->win);
        for (int i = 1; i < test_size; i++) {
            CHECK(round == memory[i], "%s, round %d: %ld from %d", test_flavor_name[window->flavor], round, memory[i],
                  i);
        }
    } else {
        MPI_Group_incl(all, 1, &zero, &group);
        MPI_Win_start(group, 0, window->win);
        MPI_Put(&value, 1, MPI_LONG, 0, test_at(window, 0, test_rank * sizeof(long)), 1, MPI_LONG, window->win);
        MPI_Win_complete(window->win);
    }
    MPI_Group_free(&group);
    MPI_Group_free(&all);
}

int main(int argc, char **argv)
{
    static int (*const members[])(int, int, int) = {one_to_all, all_to_one, some_to_some, nobody};
    struct test_window window;

    test_init(&argc, &argv);
    for (enum test_flavor flavor = 0; flavor < TEST_FLAVORS; flavor++) {
        if (!test_has_flavor(MPI_COMM_WORLD, flavor)) {
            continue;
        }
        test_window_open(&window, flavor, test_size * sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD);
        for (int round = 0; round < 40; round++) {
            epoch(&window, members[round % 4], round);
        }
        for (int round = 1; test_size > 1 && round < 10; round++) {
            late_post(&window, round);
        }
        MPI_Barrier(MPI_COMM_WORLD);
        test_window_close(&window);
    }
    return test_finish();
}
