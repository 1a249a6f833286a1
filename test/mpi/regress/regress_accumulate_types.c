/* Others' bugs: accumulate ignored true_lb and target_count > 1, and padded pair types overran their element.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

enum { WORDS = 64 };

struct pair {
    double value;
    int index;
};

/* Two doubles, the first one `lb` bytes above the start; extent 4 doubles. */
static MPI_Datatype gapped(MPI_Aint lb)
{
    int lengths[2] = {1, 1};
    MPI_Aint places[2] = {lb, lb + 16};
    MPI_Datatype inner, type;

    MPI_Type_create_hindexed(2, lengths, places, MPI_DOUBLE, &inner);
    MPI_Type_create_resized(inner, 0, 32, &type);
    MPI_Type_commit(&type);
    MPI_Type_free(&inner);
    return type;
}

/* Element i of the type is at words 4 i + lb / 8 and 2 further. */
static void check_counts(struct test_window *window, int fetching)
{
    MPI_Datatype from = gapped(8), to = gapped(0);
    double origin[WORDS], result[WORDS], *memory = (double *) window->base;
    int right = test_neighbour(1);

    for (int i = 0; i < WORDS; i++) {
        origin[i] = i + 0.5;
        memory[i] = 1000;
        result[i] = -1;
    }
    MPI_Win_fence(0, window->win);
    if (fetching) {
        MPI_Get_accumulate(origin, 5, from, result, 5, from, right, test_at(window, right, 8), 5, to, MPI_SUM,
                           window->win);
    } else {
        MPI_Accumulate(origin, 5, from, right, test_at(window, right, 8), 5, to, MPI_SUM, window->win);
    }
    MPI_Win_fence(0, window->win);
    for (int i = 0; i < WORDS; i++) {
        int touched = i < 20 && 1 == i % 2; /* words 1, 3, 5, ... 19 on both sides */

        CHECK((touched ? 1000 + i + 0.5 : 1000) == memory[i], "%s: word %d is %g", test_flavor_name[window->flavor], i,
              memory[i]);
        CHECK((touched && fetching ? 1000 : -1) == result[i], "%s: result word %d is %g",
              test_flavor_name[window->flavor], i, result[i]);
    }
    MPI_Win_fence(0, window->win);
    MPI_Type_free(&from);
    MPI_Type_free(&to);
}

/* One pair alone in an allocation of its exact size: whoever writes more, or reads more, is seen by malloc or here. */
static void check_pairs(struct test_window *window)
{
    struct pair *origin = malloc(sizeof(*origin)), *result = malloc(sizeof(*result) + 8);
    unsigned char *behind = (unsigned char *) result + sizeof(*result);
    struct pair *memory = (struct pair *) window->base;
    int right = test_neighbour(1);

    memset(behind, 0x5a, 8);
    memset(memory, 0x5a, 3 * sizeof(*memory));
    memory[1] = (struct pair) {.value = 10, .index = 3};
    memset(origin, 0, sizeof(*origin));
    *origin = (struct pair) {.value = 20, .index = test_rank};
    MPI_Win_fence(0, window->win);
    MPI_Fetch_and_op(origin, result, MPI_DOUBLE_INT, right, test_at(window, right, sizeof(*memory)), MPI_MAXLOC,
                     window->win);
    MPI_Win_fence(0, window->win);
    CHECK(10 == result->value && 3 == result->index, "%s: fetched %g, %d", test_flavor_name[window->flavor],
          result->value, result->index);
    CHECK(20 == memory[1].value && test_neighbour(-1) == memory[1].index, "%s: left %g, %d",
          test_flavor_name[window->flavor], memory[1].value, memory[1].index);
    for (int i = 0; i < 8; i++) {
        CHECK(0x5a == behind[i], "%s: written behind the result", test_flavor_name[window->flavor]);
    }
    for (size_t i = 0; i < sizeof(*memory); i++) {
        CHECK(0x5a == window->base[i] && 0x5a == window->base[2 * sizeof(*memory) + i], "%s: written beside the target",
              test_flavor_name[window->flavor]);
    }
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window->win);
    free(origin);
    free(result);
}

int main(int argc, char **argv)
{
    struct test_window window;

    test_init(&argc, &argv);
    for (enum test_flavor flavor = 0; flavor < TEST_FLAVORS; flavor++) {
        if (test_has_flavor(MPI_COMM_WORLD, flavor)) {
            test_window_open(&window, flavor, WORDS * sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD);
            check_counts(&window, 0);
            check_counts(&window, 1);
            check_pairs(&window);
            test_window_close(&window);
        }
    }
    return test_finish();
}
