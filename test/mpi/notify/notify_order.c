/* Whoever sees the count sees the data: many operations of all lengths under way at once, with others in between, each
 * looked at as soon as it is counted.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

#include "osc_ucp_ext.h"

enum { SLOTS = 8, LONGS = 40000, ROUNDS = 60 };

/* Counter s: slot s is full. Counter SLOTS + s: the right neighbour has read what was put there. */
static const int lengths[] = {1, 3, 40, LONGS, 1, 600, 2};
static const int n_lengths = sizeof(lengths) / sizeof(lengths[0]);

static struct test_window window;
static long data[SLOTS][LONGS], noise[LONGS], result[SLOTS], got[SLOTS][LONGS];
static int left, right;

static long word(int rank, int round, int slot, int i)
{
    return 1 + rank + 10L * slot + 100L * round + 100000L * i;
}

static int length_of(int round, int slot)
{
    return lengths[(round + slot) % n_lengths];
}

static MPI_Aint place(int rank, int slot)
{
    return test_at(&window, rank, (MPI_Aint) slot * LONGS * (MPI_Aint) sizeof(long));
}

/* Every fourth round some slots are read, not filled. */
static int is_read(int round, int slot)
{
    return 3 == round % 4 && slot % 2;
}

/* Fill slot `slot` of the right neighbour: by put, or by accumulate on what is a zero there. */
static void produce(int round, int slot)
{
    int n = length_of(round, slot), i;
    MPI_Count read = 0;

    MPI_OK(MPIX_Win_notify_wait(window.win, SLOTS + slot, round, &read));
    if (is_read(round, slot)) {
        got[slot][0] = -2;
        MPI_OK(MPIX_Get_notify(got[slot], LONGS, MPI_LONG, right, place(right, slot), LONGS, MPI_LONG, slot,
                               window.win));
        return;
    }
    for (i = 0; i < n; i++) {
        data[slot][i] = word(test_rank, round, slot, i);
    }
    if (0 == (round + slot) % 3) { /* on its way at the same time, and in nobody's count */
        MPI_OK(MPI_Put(noise, LONGS, MPI_LONG, right, place(right, SLOTS), LONGS, MPI_LONG, window.win));
    }
    switch ((round + 3 * slot) % 5) {
    case 0:
        MPI_OK(MPIX_Accumulate_notify(data[slot], n, MPI_LONG, right, place(right, slot), n, MPI_LONG, MPI_SUM, slot,
                                      window.win));
        break;
    case 1:
        if (1 == n) {
            MPI_OK(MPIX_Get_accumulate_notify(data[slot], 1, MPI_LONG, &result[slot], 1, MPI_LONG, right,
                                              place(right, slot), 1, MPI_LONG, MPI_REPLACE, slot, window.win));
            break;
        } /* falls through */
    default:
        MPI_OK(MPIX_Put_notify(data[slot], n, MPI_LONG, right, place(right, slot), n, MPI_LONG, slot, window.win));
    }
}

static volatile long *slot_of(int slot)
{
    return (volatile long *) window.base + (size_t) slot * LONGS;
}

static void give_back(int slot)
{
    MPI_OK(MPI_Win_sync(window.win));
    MPI_OK(MPIX_Put_notify(NULL, 0, MPI_BYTE, left, place(left, 0), 0, MPI_BYTE, SLOTS + slot, window.win));
}

/* Slot `slot` has been filled: it is all there. Give it back, with zeros. */
static void consume(int round, int slot)
{
    volatile long *mine = slot_of(slot);
    int n = length_of(round, slot), i, wrong = 0;

    for (i = n; i-- > 0;) { /* what came last first */
        wrong += mine[i] != word(left, round, slot, i);
        mine[i] = 0;
    }
    CHECK(0 == wrong, "%s, round %d, slot %d: %d of %d longs are not there when they are counted",
          test_flavor_name[window.flavor], round, slot, wrong, n);
    give_back(slot);
}

static void fill(int slot, long value)
{
    int i;

    for (i = LONGS; i-- > 0;) {
        slot_of(slot)[i] = value;
    }
}

/* The slots that were read have been something else meanwhile. */
static void reads_end(int round)
{
    int slot, i, wrong = 0;

    if (!is_read(round, 1)) {
        return;
    }
    MPI_OK(MPI_Win_flush(right, window.win));
    for (slot = 1; slot < SLOTS; slot += 2) {
        for (i = 0; i < LONGS; i++) {
            wrong += 0 != got[slot][i];
        }
        fill(slot, 0);
        give_back(slot);
    }
    CHECK(0 == wrong, "%s, round %d: %d longs were read after it had been counted", test_flavor_name[window.flavor],
          round, wrong);
}

/* In the order of arrival. */
static void consume_all(int round)
{
    int waiting = SLOTS, done[SLOTS] = {0}, slot;
    MPI_Count count = 0;

    for (slot = 0; waiting > 0; slot = (slot + 1) % SLOTS) {
        if (done[slot]) {
            continue;
        }
        MPI_OK(MPIX_Win_get_notify_value(window.win, slot, &count));
        if (count > round) {
            if (is_read(round, slot)) {
                fill(slot, -1); /* it has been read: it may change */
            } else {
                consume(round, slot);
            }
            done[slot] = 1;
            waiting--;
        }
    }
}

static void flavor_run(enum test_flavor flavor)
{
    int round, slot;

    test_window_open(&window, flavor, (SLOTS + 1) * LONGS * (MPI_Aint) sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD);
    MPI_OK(MPIX_Win_set_num_notify(window.win, MPI_INFO_NULL, 2 * SLOTS));
    MPI_OK(MPI_Win_lock_all(0, window.win));
    for (round = 0; round < ROUNDS; round++) {
        for (slot = 0; slot < SLOTS; slot++) {
            produce(round, slot);
        }
        MPI_OK(MPI_Win_flush_local_all(window.win)); /* they leave, and the data may change */
        consume_all(round);
        reads_end(round);
        MPI_OK(MPI_Win_flush_local_all(window.win));
    }
    MPI_OK(MPI_Win_unlock_all(window.win));
    test_window_close(&window);
}

int main(int argc, char **argv)
{
    enum test_flavor flavor;

    test_init(&argc, &argv);
    right = (test_rank + 1) % test_size;
    left = (test_rank + test_size - 1) % test_size;
    for (flavor = 0; flavor < TEST_FLAVORS; flavor++) {
        if (test_has_flavor(MPI_COMM_WORLD, flavor)) {
            flavor_run(flavor);
        }
    }
    return test_finish();
}
