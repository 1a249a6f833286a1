/* MPI_THREAD_MULTIPLE: requests that are waited for by another thread than the one that has made them, in all ways,
 * while that one goes on.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

#include <pthread.h>
#include <sched.h>

enum { ISSUERS = 2, WAITERS = 2, JOBS = 60, SLOTS = 4, LONGEST = 20000, AT_ONCE = 3 };
enum { SHORT = 5 }; /* one job in so many is long */

enum kind { RPUT, RGET, RACCUMULATE, RGET_ACCUMULATE, KINDS };
enum way { WAIT, TEST, WAITALL, WAITANY, WAITSOME, WAYS };

/** A place in the target's memory, which has one request at a time; whose thread has it, uses it. */
struct slot {
    enum kind kind;
    int target, count;
    MPI_Aint disp;
    long *data, *result, *model; /**< of LONGEST words; what the target holds, before a request that is under way */
    MPI_Request request;
    struct slot *next;
};

/** Slots in a row, for whoever takes the first. */
struct queue {
    struct slot *first, **last;
    int closed;
};

static struct test_window window;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct queue unused[ISSUERS], pending;
static struct slot slots[ISSUERS * SLOTS]; /**< each issuer has some in a row */
static uint64_t seed;

static void queue_init(struct queue *queue)
{
    queue->first = NULL;
    queue->last = &queue->first;
    queue->closed = 0;
}

static void append(struct queue *queue, struct slot *slot)
{
    pthread_mutex_lock(&mutex);
    slot->next = NULL;
    *queue->last = slot;
    queue->last = &slot->next;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
}

/** Take one to `most` slots; 0: there is none, and none will come. */
static int take(struct queue *queue, struct slot **taken, int most)
{
    int count = 0;

    pthread_mutex_lock(&mutex);
    while (NULL == queue->first && !queue->closed) {
        pthread_cond_wait(&changed, &mutex);
    }
    while (count < most && NULL != queue->first) {
        taken[count] = queue->first;
        queue->first = taken[count++]->next;
    }
    if (NULL == queue->first) {
        queue->last = &queue->first;
    }
    pthread_mutex_unlock(&mutex);
    return count;
}

static void issue(struct slot *slot, uint64_t *random)
{
    long base = (long) test_random(random, 1000000);

    slot->kind = (enum kind) test_random(random, KINDS);
    slot->count = 1 + (int) test_random(random, 0 == test_random(random, SHORT) ? LONGEST : 20);
    for (int i = 0; i < slot->count; i++) {
        slot->data[i] = base + i;
        slot->result[i] = -1;
    }
    switch (slot->kind) {
    case RPUT:
        MPI_OK(MPI_Rput(slot->data, slot->count, MPI_LONG, slot->target, slot->disp, slot->count, MPI_LONG, window.win,
                        &slot->request));
        break;
    case RGET:
        MPI_OK(MPI_Rget(slot->result, slot->count, MPI_LONG, slot->target, slot->disp, slot->count, MPI_LONG,
                        window.win, &slot->request));
        break;
    case RACCUMULATE:
        MPI_OK(MPI_Raccumulate(slot->data, slot->count, MPI_LONG, slot->target, slot->disp, slot->count, MPI_LONG,
                               MPI_SUM, window.win, &slot->request));
        break;
    default:
        MPI_OK(MPI_Rget_accumulate(slot->data, slot->count, MPI_LONG, slot->result, slot->count, MPI_LONG,
                                   slot->target, slot->disp, slot->count, MPI_LONG, MPI_SUM, window.win,
                                   &slot->request));
    }
}

/** The request has ended: the result is there, and the data may be overwritten. */
static void verify(struct slot *slot)
{
    int fetches = RGET == slot->kind || RGET_ACCUMULATE == slot->kind, wrong = -1;

    for (int i = 0; fetches && wrong < 0 && i < slot->count; i++) {
        wrong = slot->model[i] != slot->result[i] ? i : -1;
    }
    CHECK(wrong < 0, "%s, kind %d, %d words: word %d is %ld, not %ld", test_flavor_name[window.flavor], slot->kind,
          slot->count, wrong, wrong < 0 ? 0 : slot->result[wrong], wrong < 0 ? 0 : slot->model[wrong]);
    for (int i = 0; i < slot->count; i++) {
        if (RPUT == slot->kind) {
            slot->model[i] = slot->data[i];
        } else if (RGET != slot->kind) {
            slot->model[i] += slot->data[i];
        }
        slot->data[i] = -7;
    }
    MPI_OK(MPI_Win_flush(slot->target, window.win)); /* it is done at the target, too: others may follow */
}

static void complete(struct slot **taken, int count, enum way way)
{
    MPI_Request requests[AT_ONCE];
    int indices[AT_ONCE], done = 0, ended, flag = 0;

    for (int i = 0; i < count; i++) {
        requests[i] = taken[i]->request;
    }
    switch (way) {
    case TEST:
        while (!flag) {
            MPI_OK(MPI_Testall(count, requests, &flag, MPI_STATUSES_IGNORE));
            sched_yield();
        }
        break;
    case WAITALL:
        MPI_OK(MPI_Waitall(count, requests, MPI_STATUSES_IGNORE));
        break;
    case WAITANY:
        for (int i = 0; i < count; i++) {
            MPI_OK(MPI_Waitany(count, requests, &ended, MPI_STATUS_IGNORE));
        }
        break;
    case WAITSOME:
        for (; done < count; done += ended) {
            MPI_OK(MPI_Waitsome(count, requests, &ended, indices, MPI_STATUSES_IGNORE));
        }
        break;
    default:
        for (int i = count - 1; i >= 0; i--) {
            MPI_OK(MPI_Wait(&requests[i], MPI_STATUS_IGNORE));
        }
    }
    for (int i = 0; i < count; i++) {
        CHECK(MPI_REQUEST_NULL == requests[i], "a request has not ended in way %d", way);
    }
}

static void *issuer(void *argument)
{
    int number = (int) (intptr_t) argument;
    uint64_t random = seed + 1000 * test_rank + number;
    struct slot *slot;

    for (int i = 0; i < JOBS && 1 == take(&unused[number], &slot, 1); i++) {
        issue(slot, &random);
        append(&pending, slot);
    }
    return NULL;
}

static void *waiter(void *argument)
{
    int number = (int) (intptr_t) argument, count;
    uint64_t random = seed + 1000 * test_rank + ISSUERS + number;
    struct slot *taken[AT_ONCE];

    while ((count = take(&pending, taken, 1 + (int) test_random(&random, AT_ONCE))) > 0) {
        complete(taken, count, (enum way) test_random(&random, WAYS));
        for (int i = 0; i < count; i++) {
            verify(taken[i]);
            append(&unused[(taken[i] - slots) / SLOTS], taken[i]);
        }
    }
    return NULL;
}

/** All slots lie one after the other in each process's memory, by the rank of who uses them; each has its target. */
static void prepare(void)
{
    queue_init(&pending);
    for (int i = 0; i < ISSUERS * SLOTS; i++) {
        struct slot *slot = &slots[i];

        if (0 == i % SLOTS) {
            queue_init(&unused[i / SLOTS]);
        }
        slot->target = test_neighbour(1 + i);
        slot->disp = test_at(&window, slot->target, (test_rank * ISSUERS * SLOTS + i) * LONGEST * sizeof(long));
        memset(slot->model, 0, LONGEST * sizeof(long));
        append(&unused[i / SLOTS], slot);
    }
}

static void run(void)
{
    pthread_t threads[ISSUERS + WAITERS];

    for (int i = 0; i < ISSUERS + WAITERS; i++) {
        pthread_create(&threads[i], NULL, i < ISSUERS ? issuer : waiter,
                       (void *) (intptr_t) (i < ISSUERS ? i : i - ISSUERS));
    }
    for (int i = 0; i < ISSUERS + WAITERS; i++) {
        pthread_join(threads[i], NULL);
        if (ISSUERS - 1 == i) {
            pthread_mutex_lock(&mutex);
            pending.closed = 1;
            pthread_cond_broadcast(&changed);
            pthread_mutex_unlock(&mutex);
        }
    }
}

int main(int argc, char **argv)
{
    test_init_threads(&argc, &argv);
    seed = test_seed();
    for (int i = 0; i < ISSUERS * SLOTS; i++) {
        slots[i].data = malloc(LONGEST * sizeof(long));
        slots[i].result = malloc(LONGEST * sizeof(long));
        slots[i].model = malloc(LONGEST * sizeof(long));
    }
    for (enum test_flavor flavor = 0; flavor < TEST_FLAVORS; flavor++) {
        if (!test_has_flavor(MPI_COMM_WORLD, flavor)) {
            continue;
        }
        test_window_open(&window, flavor, (MPI_Aint) test_size * ISSUERS * SLOTS * LONGEST * sizeof(long),
                         MPI_INFO_NULL, MPI_COMM_WORLD);
        prepare();
        MPI_OK(MPI_Win_lock_all(0, window.win));
        run();
        MPI_OK(MPI_Win_unlock_all(window.win));
        MPI_Barrier(MPI_COMM_WORLD);
        test_window_close(&window);
    }
    for (int i = 0; i < ISSUERS * SLOTS; i++) {
        free(slots[i].data);
        free(slots[i].result);
        free(slots[i].model);
    }
    return test_finish();
}
