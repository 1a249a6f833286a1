/* Ordering with derived types: accumulates that meet in some elements only, contiguous and not, fetching and not.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * With accumulate_ordering none, results may differ, but each word is what some operation has left.
 */
#include "windows.h"

enum { WORDS = 6000, STEPS = 30, KINDS = 4 };

static long *values, *model, *got, *result;

static MPI_Datatype make(int kind)
{
    int lengths[3] = {WORDS / 6, 1, WORDS / 2}, places[3] = {WORDS - WORDS / 6, 17, 19};
    MPI_Datatype type;

    switch (kind) {
    case 0: MPI_Type_contiguous(WORDS, MPI_LONG, &type); break;
    case 1: MPI_Type_vector(WORDS / 3, 1, 3, MPI_LONG, &type); break;
    case 2: MPI_Type_indexed(3, lengths, places, MPI_LONG, &type); break;
    default: MPI_Type_contiguous(1, MPI_LONG, &type);
    }
    MPI_Type_commit(&type);
    return type;
}

/* Replaces what the type touches by numbers that tell the step, without waiting. */
static void run(struct test_window *window, int target, MPI_Aint disp, int ordered)
{
    const char *name = test_flavor_name[window->flavor];
    long seen[STEPS];

    memset(model, 0, WORDS * sizeof(long));
    for (int step = 0; step < STEPS; step++) {
        MPI_Datatype type = make((step * 7 + step / 3) % KINDS);
        long *from = values + step * WORDS;
        int bytes, position = 0;
        char *packed;

        for (int i = 0; i < WORDS; i++) {
            from[i] = step + 1;
        }
        seen[step] = model[0];
        MPI_Type_size(type, &bytes);
        if (0 == step % 4) {
            MPI_Get_accumulate(from, bytes / 8, MPI_LONG, result + step * WORDS, bytes / 8, MPI_LONG, target, disp, 1,
                               type, MPI_REPLACE, window->win);
        } else {
            MPI_Accumulate(from, bytes / 8, MPI_LONG, target, disp, 1, type, MPI_REPLACE, window->win);
        }
        packed = (char *) from;
        MPI_Unpack(packed, bytes, &position, model, 1, type, MPI_COMM_SELF);
        MPI_Type_free(&type);
    }
    MPI_Get_accumulate(NULL, 0, MPI_LONG, got, WORDS, MPI_LONG, target, disp, WORDS, MPI_LONG, MPI_NO_OP, window->win);
    MPI_Win_flush(target, window->win);
    for (int i = 0; ordered && i < WORDS; i++) {
        CHECK(model[i] == got[i], "%s: word %d is %ld, not %ld", name, i, got[i], model[i]);
    }
    for (int i = 0; i < WORDS; i++) {
        CHECK(got[i] >= 0 && got[i] <= STEPS, "%s: word %d is %ld", name, i, got[i]);
    }
    for (int step = 0; ordered && step < STEPS; step += 4) { /* the first word that is fetched is word 0, or not */
        int kind = (step * 7 + step / 3) % KINDS;

        CHECK(2 == kind || seen[step] == result[step * WORDS], "%s: step %d saw %ld, not %ld", name, step,
              result[step * WORDS], seen[step]);
    }
}

int main(int argc, char **argv)
{
    static const char *const orders[] = {NULL, "none", "rar,waw", "raw,war"};
    struct test_window window;
    MPI_Info info;

    test_init(&argc, &argv);
    values = malloc(STEPS * WORDS * sizeof(long));
    result = malloc(STEPS * WORDS * sizeof(long));
    model = malloc(WORDS * sizeof(long));
    got = malloc(WORDS * sizeof(long));
    for (int i = 0; i < TEST_FLAVORS * 4; i++) {
        if (!test_has_flavor(MPI_COMM_WORLD, i / 4)) {
            continue;
        }
        MPI_Info_create(&info);
        if (NULL != orders[i % 4]) {
            MPI_Info_set(info, "accumulate_ordering", orders[i % 4]);
        }
        test_window_open(&window, i / 4, test_size * WORDS * sizeof(long), info, MPI_COMM_WORLD);
        MPI_Info_free(&info);
        MPI_Win_lock_all(0, window.win);
        for (int distance = 0; distance < 2; distance++) {
            int target = test_neighbour(distance);
            long zero = 0;

            run(&window, target, test_at(&window, target, test_rank * WORDS * sizeof(long)), 0 == i % 4);
            for (int word = 0; word < WORDS; word++) { /* distance 1 may be the same target again */
                MPI_Put(&zero, 1, MPI_LONG, target,
                        test_at(&window, target, (test_rank * WORDS + word) * sizeof(long)), 1, MPI_LONG, window.win);
            }
            MPI_Win_flush(target, window.win);
        }
        MPI_Win_unlock_all(window.win);
        test_window_close(&window);
    }
    free(values);
    free(result);
    free(model);
    free(got);
    return test_finish();
}
