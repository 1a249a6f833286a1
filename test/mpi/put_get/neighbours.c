/* Elements that are not an operation's keep what others store there meanwhile: those beside it and between its pieces,
 * and the gaps of pairs.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Each element belongs to one process, which alone updates it: rank 0, whose memory it is, by stores, the others by
 * operations of all kinds. All do so at the same time.
 */
#include "windows.h"

enum { ELEMENTS = 96, ROUNDS = 60, EXTENT_MAX = 16, RUN_MAX = 6 };

enum { PUT_SOME, REPLACE_SOME, FETCH_SOME, REPLACE_ONE_BY_ONE, PUT_RUN, REPLACE_RUN, KINDS };

/* An element type; the gap of a pair is the target's. */
struct element {
    MPI_Datatype type;
    int extent, gap, gap_bytes;
};

static unsigned char owner[ELEMENTS], gaps[ELEMENTS];
static char wanted[ELEMENTS * EXTENT_MAX];
static uint64_t mine, common; /* random numbers: this process's, and the same everywhere */

/* The elements' owners, in runs. */
static void share_out(void)
{
    for (int i = 0; i < ELEMENTS;) {
        int who = (int) test_random(&common, test_size), end = i + 1 + (int) test_random(&common, RUN_MAX);

        for (; i < end && i < ELEMENTS; i++) {
            owner[i] = (unsigned char) who;
        }
    }
}

static int is_same(const struct element *element, const char *a, const char *b)
{
    int behind = element->gap + element->gap_bytes;

    return 0 == memcmp(a, b, element->gap) && 0 == memcmp(a + behind, b + behind, element->extent - behind);
}

/* A new value. Its bytes are small: they are valid for all types. */
static void value_make(const struct element *element, char *value)
{
    for (int i = 0; i < element->extent; i++) {
        value[i] = (char) test_random(&mine, 60);
    }
}

static void value_store(const struct element *element, volatile char *to, const char *value)
{
    for (int i = 0; i < element->extent; i++) {
        if (i < element->gap || i >= element->gap + element->gap_bytes) {
            to[i] = value[i];
        }
    }
}

/* All bytes of an element's gap have the same number. */
static void gap_round(const struct element *element, volatile unsigned char *gap, int i)
{
    unsigned char was = gaps[i]++;

    for (int j = 0; j < element->gap_bytes; j++) {
        CHECK(was == gap[j], "extent %d: the gap of element %d has changed", element->extent, i);
        gap[j] = gaps[i];
    }
}

/* The target looks at its own elements and gaps, and changes them. */
static void target_round(const struct element *element, char *memory)
{
    for (int i = 0; i < ELEMENTS; i++) {
        char *at = memory + i * element->extent, *value = wanted + i * element->extent;

        if (0 == owner[i]) {
            CHECK(is_same(element, at, value), "extent %d: element %d of the target has changed", element->extent, i);
            value_make(element, value);
            value_store(element, at, value);
        } else {
            gap_round(element, (unsigned char *) at + element->gap, i);
        }
    }
}

/* Choose some of this process's elements: a run of neighbours, or any. Returns how many. */
static int choose(int run, int *list)
{
    int n = 0, i = (int) test_random(&mine, ELEMENTS);

    while (run && i < ELEMENTS && owner[i] != test_rank) {
        i++;
    }
    for (; i < ELEMENTS && (!run || owner[i] == test_rank); i++) {
        if (owner[i] == test_rank && (run || 0 != test_random(&mine, 4))) {
            list[n++] = i;
        }
    }
    return n;
}

static void origin_round(struct test_window *window, const struct element *element, MPI_Aint at)
{
    char values[ELEMENTS * EXTENT_MAX], old[ELEMENTS * EXTENT_MAX];
    int kind = (int) test_random(&mine, KINDS), list[ELEMENTS], n = choose(kind >= PUT_RUN, list);
    int extent = element->extent;
    MPI_Aint disp = test_at(window, 0, at), first;
    MPI_Win win = window->win;
    MPI_Datatype some, type = element->type;

    if (0 == n) {
        return;
    }
    first = disp + list[0] * extent;
    MPI_Type_create_indexed_block(n, 1, list, type, &some);
    MPI_Type_commit(&some);
    for (int i = 0; i < n; i++) {
        value_make(element, values + i * extent);
        memcpy(wanted + list[i] * extent, values + i * extent, extent);
        if (REPLACE_ONE_BY_ONE == kind) {
            MPI_Accumulate(values + i * extent, 1, type, 0, disp + list[i] * extent, 1, type, MPI_REPLACE, win);
        }
    }
    if (PUT_SOME == kind) {
        MPI_Put(values, n, type, 0, disp, 1, some, win);
    } else if (REPLACE_SOME == kind) {
        MPI_Accumulate(values, n, type, 0, disp, 1, some, MPI_REPLACE, win);
    } else if (FETCH_SOME == kind) {
        MPI_Get_accumulate(values, n, type, old, n, type, 0, disp, 1, some, MPI_REPLACE, win);
    } else if (PUT_RUN == kind) {
        MPI_Put(values, n, type, 0, first, n, type, win);
    } else if (REPLACE_RUN == kind) {
        MPI_Accumulate(values, n, type, 0, first, n, type, MPI_REPLACE, win);
    }
    MPI_Win_flush(0, win);
    MPI_Type_free(&some);
}

/* All that belongs to this process is as it wants it. */
static void check_mine(struct test_window *window, const struct element *element, MPI_Aint at)
{
    char all[ELEMENTS * EXTENT_MAX];
    int extent = element->extent;

    MPI_Get(all, ELEMENTS, element->type, 0, test_at(window, 0, at), ELEMENTS, element->type, window->win);
    MPI_Win_flush(0, window->win);
    for (int i = 0; i < ELEMENTS; i++) {
        CHECK(owner[i] != test_rank || is_same(element, all + i * extent, wanted + i * extent),
              "%s, extent %d: element %d is not what was stored last", test_flavor_name[window->flavor], extent, i);
    }
}

static void check(enum test_flavor flavor, const struct element *element, MPI_Aint at)
{
    struct test_window window;

    test_window_open(&window, flavor, at + ELEMENTS * element->extent, MPI_INFO_NULL, MPI_COMM_WORLD);
    memset(wanted, 0, sizeof(wanted));
    memset(gaps, 0, sizeof(gaps));
    share_out();
    MPI_Win_lock_all(0, window.win);
    for (int round = 0; round < ROUNDS; round++) {
        if (test_rank > 0) {
            origin_round(&window, element, at);
        } else {
            target_round(element, (char *) window.base + at);
            MPI_Win_sync(window.win);
        }
        if (0 == round % 8) {
            check_mine(&window, element, at);
        }
    }
    check_mine(&window, element, at);
    MPI_Win_unlock_all(window.win);
    test_window_close(&window);
}

int main(int argc, char **argv)
{
    const struct element elements[] = {
        { MPI_CHAR, 1, 0, 0 }, { MPI_SHORT, 2, 0, 0 }, { MPI_INT, 4, 0, 0 }, { MPI_LONG, 8, 0, 0 },
        { MPI_C_DOUBLE_COMPLEX, 16, 0, 0 }, { MPI_SHORT_INT, 8, 2, 2 }, { MPI_DOUBLE_INT, 16, 12, 4 }
    };

    test_init(&argc, &argv);
    mine = 1 + (uint64_t) test_rank;
    common = 1;
    for (enum test_flavor flavor = 0; flavor < TEST_FLAVORS; flavor++) {
        for (size_t i = 0; test_has_flavor(MPI_COMM_WORLD, flavor) && i < sizeof(elements) / sizeof(elements[0]); i++) {
            check(flavor, &elements[i], 0);
            check(flavor, &elements[i], 4096 - 3 * elements[i].extent); /* across a page */
        }
    }
    return test_finish();
}
