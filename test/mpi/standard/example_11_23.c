/* Example 11.23: a linked list over all processes in a dynamic window, appended to by all at once.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mpitest.h"
#include <stddef.h>

enum { APPENDS = 50, NOBODY = -1, FACTOR = 1000 };

/* Where an element is: its address, and the process. */
struct place {
    MPI_Aint disp;
    int rank;
};

struct element {
    struct place next;
    int value;
};

static const struct place nowhere = {0, NOBODY};
static struct element *elements[APPENDS + 1];
static int count;

/* target_disp of a field of the element at a place. */
static MPI_Aint field(struct place place, size_t offset)
{
    return MPI_Aint_add(place.disp, (MPI_Aint) offset);
}

static struct place new_element(int value, MPI_Win win)
{
    struct place place = {0, test_rank};
    struct element *element;

    MPI_OK(MPI_Alloc_mem(sizeof(*element), MPI_INFO_NULL, &element));
    element->value = value;
    element->next = nowhere;
    MPI_OK(MPI_Win_attach(win, element, sizeof(*element)));
    elements[count++] = element;
    MPI_Get_address(element, &place.disp);
    return place;
}

/* The address that goes with a rank is written after it: until then it is 0. */
static MPI_Aint next_address(struct place at, MPI_Win win)
{
    MPI_Aint disp = 0;

    do {
        MPI_OK(MPI_Get_accumulate(NULL, 0, MPI_AINT, &disp, 1, MPI_AINT, at.rank,
                                  field(at, offsetof(struct element, next.disp)), 1, MPI_AINT, MPI_NO_OP, win));
        MPI_OK(MPI_Win_flush(at.rank, win));
    } while (nowhere.disp == disp);
    return disp;
}

/* Hang `place` behind the last element; `tail` is one that was the last once. */
static void append(struct place place, struct place *tail, MPI_Win win)
{
    for (;;) {
        struct place next = nowhere;

        MPI_OK(MPI_Compare_and_swap(&place.rank, &nowhere.rank, &next.rank, MPI_INT, tail->rank,
                                    field(*tail, offsetof(struct element, next.rank)), win));
        MPI_OK(MPI_Win_flush(tail->rank, win));
        if (NOBODY == next.rank) {
            MPI_OK(MPI_Accumulate(&place.disp, 1, MPI_AINT, tail->rank,
                                  field(*tail, offsetof(struct element, next.disp)), 1, MPI_AINT, MPI_REPLACE, win));
            MPI_OK(MPI_Win_flush(tail->rank, win));
            *tail = place;
            return;
        }
        next.disp = next_address(*tail, win);
        *tail = next;
    }
}

/* The list holds every process's elements, each one's in the order in which it appended them. */
static void check_list(struct place head, MPI_Win win)
{
    int *appended = calloc(test_size, sizeof(int)), length = 0;
    struct element element = {.next = head};

    MPI_OK(MPI_Win_lock_all(0, win));
    while (NOBODY != element.next.rank && length <= test_size * APPENDS) {
        struct place at = element.next;
        int process;

        MPI_OK(MPI_Get(&element, sizeof(element), MPI_BYTE, at.rank, at.disp, sizeof(element), MPI_BYTE, win));
        MPI_OK(MPI_Win_flush(at.rank, win));
        if (0 < length++) {
            process = element.value / FACTOR;
            CHECK(process == at.rank && element.value % FACTOR == appended[process], "element %d is %d, at process %d",
                  length, element.value, at.rank);
            appended[at.rank]++;
        } else {
            CHECK(-1 == element.value, "the head is %d", element.value);
        }
    }
    CHECK(test_size * APPENDS + 1 == length, "the list has %d elements", length);
    MPI_OK(MPI_Win_unlock_all(win));
    free(appended);
}

int main(int argc, char **argv)
{
    struct place head = {0, 0}, tail;
    MPI_Win win;

    test_init(&argc, &argv);
    MPI_OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    if (0 == test_rank) {
        head = new_element(-1, win);
    }
    MPI_Bcast(&head.disp, 1, MPI_AINT, 0, MPI_COMM_WORLD);
    tail = head;
    MPI_OK(MPI_Win_lock_all(0, win));
    for (int i = 0; i < APPENDS; i++) {
        append(new_element(FACTOR * test_rank + i, win), &tail, win);
    }
    MPI_OK(MPI_Win_unlock_all(win));
    MPI_Barrier(MPI_COMM_WORLD);
    check_list(head, win);
    MPI_Barrier(MPI_COMM_WORLD);
    while (count > 0) {
        MPI_OK(MPI_Win_detach(win, elements[--count]));
        MPI_OK(MPI_Free_mem(elements[count]));
    }
    MPI_OK(MPI_Win_free(&win));
    return test_finish();
}
