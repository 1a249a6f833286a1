/* Datatypes and groups freed right after the call while the operation is pending; new types made meanwhile.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

enum { TYPES = 200, WORDS = 16 };

/* A vector of `WORDS` longs whose stride depends on the number, so that a stale type is noticed. */
static MPI_Datatype vector(int number)
{
    MPI_Datatype type;

    MPI_Type_vector(WORDS, 1, 1 + number % 3, MPI_LONG, &type);
    MPI_Type_commit(&type);
    return type;
}

static void issue(struct test_window *window, int number, long *values, long *got, int right)
{
    MPI_Datatype type = vector(number), other = vector(number + 1);
    MPI_Aint disp = test_at(window, right, number * WORDS * sizeof(long));

    if (0 == number % 2) {
        MPI_Put(values, 1, type, right, disp, WORDS, MPI_LONG, window->win);
    } else {
        MPI_Accumulate(values, 1, type, right, disp, WORDS, MPI_LONG, MPI_SUM, window->win);
    }
    MPI_Type_free(&type);
    MPI_Get(got, 1, other, right, test_at(window, right, TYPES * WORDS * sizeof(long)), WORDS, MPI_LONG, window->win);
    MPI_Type_free(&other);
}

static void check(struct test_window *window)
{
    long (*values)[3 * WORDS] = malloc(TYPES * sizeof(*values)), (*got)[3 * WORDS] = calloc(TYPES, sizeof(*got));
    const long *memory = (const long *) window->base;
    int right = test_neighbour(1), left = test_neighbour(-1);
    MPI_Group origins, targets, all;

    MPI_Win_get_group(window->win, &all);
    MPI_Group_incl(all, 1, &left, &origins);
    MPI_Group_incl(all, 1, &right, &targets);
    MPI_Group_free(&all);
    MPI_Win_post(origins, 0, window->win);
    MPI_Group_free(&origins);
    MPI_Win_start(targets, 0, window->win);
    MPI_Group_free(&targets);
    for (int number = 0; number < TYPES; number++) {
        for (int i = 0; i < 3 * WORDS; i++) {
            values[number][i] = 1000 * number + i;
        }
        issue(window, number, values[number], got[number], right);
    }
    MPI_Win_complete(window->win);
    MPI_Win_wait(window->win);
    for (int number = 0; number < TYPES; number++) {
        for (int i = 0; i < WORDS; i++) {
            long wanted = 1000 * number + i * (1 + number % 3);

            CHECK(wanted == memory[number * WORDS + i], "%s, type %d: word %d is %ld, not %ld",
                  test_flavor_name[window->flavor], number, i, memory[number * WORDS + i], wanted);
            CHECK(100 + i == got[number][i * (1 + (number + 1) % 3)], "%s, type %d: got %ld as word %d",
                  test_flavor_name[window->flavor], number, got[number][i * (1 + (number + 1) % 3)], i);
        }
    }
    free(values);
    free(got);
}

int main(int argc, char **argv)
{
    struct test_window window;

    test_init(&argc, &argv);
    for (enum test_flavor flavor = 0; flavor < TEST_FLAVORS; flavor++) {
        if (!test_has_flavor(MPI_COMM_WORLD, flavor)) {
            continue;
        }
        test_window_open(&window, flavor, (TYPES + 1) * WORDS * sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD);
        for (int i = 0; i < WORDS; i++) {
            ((long *) window.base)[TYPES * WORDS + i] = 100 + i;
        }
        MPI_Win_fence(MPI_MODE_NOSUCCEED, window.win);
        check(&window);
        MPI_Barrier(MPI_COMM_WORLD);
        test_window_close(&window);
    }
    return test_finish();
}
