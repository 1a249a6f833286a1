/* notify.*: notified access (docs/notified.md), and what programs do without it. Rows for osc/ucp's windows only.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * notify.put, flag, message: until the consumer sees the data, half of there and back: by a put with notification, by
 * put, flush, and a flag by put and flush, and by send and receive. notify.rate, rate_plain: 8 bytes, as many as fit
 * between two flushes. notify.halo, halo_pscw: both neighbours' halos in a ring.
 */

#include "bench.h"

#ifdef BENCH_NOTIFY

#include <osc_ucp_ext.h>
#include <stdlib.h>
#include <string.h>

enum way { PUT, FLAG, MESSAGE, RATE, RATE_PLAIN, HALO, HALO_PSCW };
enum { LEFT, RIGHT, SIDES };
enum { MOST_BYTES = 65536, FLAG_AT = SIDES * 2 * MOST_BYTES, SLOTS = 10000 };

struct notify {
    struct bench_window window;
    enum way            way;
    size_t              bytes;
    int                 left, right;
    MPI_Group           neighbours;
    int64_t            *data;
    long                done;           /* steps, since the window was made */
    long                used;           /* places that puts of 8 bytes went to */
};

/* ---- there and back ---- */

static void mark(struct notify *notify)
{
    notify->data[0] = notify->done;
    notify->data[notify->bytes / 8 - 1] = notify->done;
}

static bool is_marked(const struct notify *notify, const char *place)
{
    const volatile int64_t *there = (const volatile int64_t *) place;

    return there[0] == notify->done && there[notify->bytes / 8 - 1] == notify->done;
}

static void put(const struct notify *notify, int target, size_t offset)
{
    MPI_Put(notify->data, (int) notify->bytes, MPI_BYTE, target, bench_disp(&notify->window, target, (MPI_Aint) offset),
            (int) notify->bytes, MPI_BYTE, notify->window.win);
}

static void put_notify(const struct notify *notify, int target, size_t offset, int counter)
{
    MPIX_Put_notify(notify->data, (int) notify->bytes, MPI_BYTE, target,
                    bench_disp(&notify->window, target, (MPI_Aint) offset), (int) notify->bytes, MPI_BYTE, counter,
                    notify->window.win);
}

static void send(struct notify *notify, int target)
{
    int64_t flag = notify->done;
    MPI_Win win = notify->window.win;

    mark(notify);
    switch (notify->way) {
    case PUT:
        put_notify(notify, target, 0, 0);
        break;
    case FLAG:
        put(notify, target, 0);
        MPI_Win_flush(target, win);
        MPI_Put(&flag, 1, MPI_INT64_T, target, bench_disp(&notify->window, target, FLAG_AT), 1, MPI_INT64_T, win);
        MPI_Win_flush(target, win);
        break;
    default:
        MPI_Send(notify->data, (int) notify->bytes, MPI_BYTE, target, 0, MPI_COMM_WORLD);
    }
}

static void await(const struct notify *notify, int origin)
{
    const volatile int64_t *flag = (const volatile int64_t *) (notify->window.base + FLAG_AT);
    MPI_Count               count;

    switch (notify->way) {
    case PUT:
        MPIX_Win_notify_wait(notify->window.win, 0, notify->done, &count);
        MPI_Win_flush_local(origin, notify->window.win); /* what was sent before: it has been answered, or is next */
        break;
    case FLAG:
        while (*flag != notify->done) {
            MPI_Win_sync(notify->window.win);
        }
        break;
    default:
        MPI_Recv(notify->window.base, (int) notify->bytes, MPI_BYTE, origin, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    if (!is_marked(notify, notify->window.base)) {
        bench.wrong = true;
    }
}

static void there_and_back(long n, void *context)
{
    struct notify *notify = context;

    if (0 != bench.rank && bench.target != bench.rank) {
        return;
    }
    for (long i = 0; i < n; i++) {
        notify->done++;
        if (0 == bench.rank) {
            send(notify, bench.target);
            await(notify, bench.target);
        } else {
            await(notify, 0);
            send(notify, 0);
        }
    }
}

/* ---- rate ---- */

static void many_at_once(long n, void *context)
{
    struct notify *notify = context;
    MPI_Aint       disp = bench_disp(&notify->window, bench.target, 0);
    MPI_Win        win = notify->window.win;

    if (0 != bench.rank) {
        return;
    }
    for (long i = 0; i < n; i++) {
        long slot = i % SLOTS;

        if (RATE == notify->way) {
            MPIX_Put_notify(&notify->data[slot], 8, MPI_BYTE, bench.target, disp + 8 * slot, 8, MPI_BYTE, 0, win);
        } else {
            MPI_Put(&notify->data[slot], 8, MPI_BYTE, bench.target, disp + 8 * slot, 8, MPI_BYTE, win);
        }
        if (SLOTS - 1 == slot) {
            MPI_Win_flush(bench.target, win);
        }
    }
    MPI_Win_flush(bench.target, win);
    notify->done += n;
    notify->used = n < SLOTS ? n > notify->used ? n : notify->used : SLOTS;
}

static bool rate_right(const struct notify *notify)
{
    long      done[] = { notify->done, notify->used };
    MPI_Count count = 0;

    MPI_Bcast(done, 2, MPI_LONG, 0, MPI_COMM_WORLD);
    if (bench.rank != bench.target) {
        return true;
    }
    MPI_Win_sync(notify->window.win);
    MPIX_Win_get_notify_value(notify->window.win, 0, &count);
    for (long slot = 0; slot < done[1]; slot++) {
        if (((const int64_t *) notify->window.base)[slot] != slot + 1) {
            return false;
        }
    }
    return count == (RATE == notify->way ? done[0] : 0);
}

/* ---- halos ---- */

/* A place for even and one for odd steps, of each side. */
static size_t halo_at(const struct notify *notify, int side)
{
    return (size_t) (SIDES * (notify->done % 2) + side) * MOST_BYTES;
}

static void halo_step(struct notify *notify)
{
    MPI_Win   win = notify->window.win;
    MPI_Count count;

    if (HALO == notify->way) {
        put_notify(notify, notify->left, halo_at(notify, RIGHT), RIGHT);
        put_notify(notify, notify->right, halo_at(notify, LEFT), LEFT);
        MPIX_Win_notify_wait(win, LEFT, notify->done, &count);
        MPIX_Win_notify_wait(win, RIGHT, notify->done, &count);
        MPI_Win_flush_local_all(win);
    } else {
        MPI_Win_post(notify->neighbours, 0, win);
        MPI_Win_start(notify->neighbours, 0, win);
        put(notify, notify->left, halo_at(notify, RIGHT));
        put(notify, notify->right, halo_at(notify, LEFT));
        MPI_Win_complete(win);
        MPI_Win_wait(win);
    }
}

static void halos(long n, void *context)
{
    struct notify *notify = context;

    for (long i = 0; i < n; i++) {
        notify->done++;
        mark(notify);
        halo_step(notify);
        if (!is_marked(notify, notify->window.base + halo_at(notify, LEFT)) ||
            !is_marked(notify, notify->window.base + halo_at(notify, RIGHT))) {
            bench.wrong = true;
        }
    }
}

/* ---- cases ---- */

static void neighbours_find(struct notify *notify)
{
    int       ranks[SIDES];
    MPI_Group world;

    notify->left = (bench.rank + bench.size - 1) % bench.size;
    notify->right = (bench.rank + 1) % bench.size;
    ranks[LEFT] = notify->left;
    ranks[RIGHT] = notify->right;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, notify->left == notify->right ? 1 : SIDES, ranks, &notify->neighbours);
    MPI_Group_free(&world);
}

static void measure(const struct bench_case *self, struct notify *notify)
{
    struct bench_measure how = { .body = halos, .context = notify };
    struct bench_result  result;

    if (notify->way < HALO) {
        how.body = notify->way < RATE ? there_and_back : many_at_once;
    }
    result = bench_measure(&how);
    if (bench_right(self->name, notify->bytes,
                    !bench.wrong && (notify->way < RATE || notify->way > RATE_PLAIN || rate_right(notify)))) {
        bench_row(self->name, notify->bytes, result, notify->way < RATE ? 0.5e6 : 1e6, "us");
    }
}

static void run(const struct bench_case *self)
{
    struct notify notify = { .way = (enum way) self->argument, .data = (int64_t *) bench_buffer() };
    int           supported;

    for (long slot = 0; slot < SLOTS; slot++) {
        notify.data[slot] = slot + 1;
    }
    neighbours_find(&notify);
    bench_window_make(&notify.window, FLAG_AT + 4096);
    MPIX_Win_notify_supported(notify.window.win, &supported);
    if (supported) {
        MPIX_Win_set_num_notify(notify.window.win, MPI_INFO_NULL, SIDES);
        if (HALO_PSCW != notify.way) {
            MPI_Win_lock_all(0, notify.window.win);
        }
        for (int i = 0; i < bench.num_sizes && bench.sizes[i] <= MOST_BYTES; i++) {
            notify.bytes = bench.sizes[i];
            if (8 == notify.bytes || (RATE != notify.way && RATE_PLAIN != notify.way)) {
                measure(self, &notify);
            }
        }
        if (HALO_PSCW != notify.way) {
            MPI_Win_unlock_all(notify.window.win);
        }
    }
    bench_window_free(&notify.window);
    MPI_Group_free(&notify.neighbours);
    free(notify.data);
}

const struct bench_case bench_notify_cases[] = {
    { "notify.put", run, PUT, false },
    { "notify.flag", run, FLAG, false },
    { "notify.message", run, MESSAGE, false },
    { "notify.rate", run, RATE, false },
    { "notify.rate_plain", run, RATE_PLAIN, false },
    { "notify.halo", run, HALO, false },
    { "notify.halo_pscw", run, HALO_PSCW, false },
    { NULL, NULL, 0, false },
};

#else

const struct bench_case bench_notify_cases[] = {
    { NULL, NULL, 0, false },
};

#endif
