/* MPI_THREAD_MULTIPLE: four threads per process, windows of all flavours, all modes of synchronization at once, random
 * calls; against a serial model.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * In each round each window has a random mode. Each thread has a region of its own in every process's memory of every
 * window; it alone knows what must be there. What all have in common is counted: a word by accumulates, and a pair of
 * words, read and written, by whoever has an exclusive lock.
 */
#include "windows.h"

#include <pthread.h>

enum { THREADS = 4, ROUNDS = 10, STEPS = 40, EPOCH_STEPS = 6, REGION = 4096, SHORT = 8, PENDING = 16 };
enum { SUM, PAIR, COMMON = PAIR + 2 };

enum mode { FENCE, PSCW, LOCK_ALL, LOCK, MODES };
static const char *const mode_name[MODES] = {"fence", "post/start", "lock_all", "lock"};

/** What the words of a region may take before the next flush. */
enum use { NOTHING_YET, ACCUMULATES, NOTHING_MORE };

enum kind { PUT, GET, ACCUMULATE, GET_ACCUMULATE, FETCH_AND_OP, COMPARE_AND_SWAP, KINDS };

/** A call whose buffers are not ours yet; `result` must become `expected`, if there is one. */
struct call {
    enum kind kind;
    int64_t *data, *result, *expected;
    int count;
};

/** A thread's region in the memory of one process, as it must be. */
struct region {
    int window, target;
    int64_t model[REGION];
    unsigned char use[REGION]; /**< enum use */
    struct call calls[PENDING];
    int pending;
};

struct thread {
    pthread_t thread;
    int number;
    uint64_t random;
    struct region *regions;    /**< of all windows and targets */
    int64_t sums, pairs[TEST_FLAVORS]; /**< how often it has counted */
};

static struct test_window windows[TEST_FLAVORS];
static enum mode modes[TEST_FLAVORS];
static struct thread threads[THREADS];
static int window_count;

/** A process may hold one lock at a time at each target of a window: that, the threads have to see to. */
static pthread_mutex_t *locking;

static struct region *region_of(struct thread *thread, int window, int target)
{
    return &thread->regions[window * test_size + target];
}

/** Where word `index` of a thread's region is; and word `index` of what is common. */
static MPI_Aint region_at(const struct thread *thread, const struct region *region, int index)
{
    MPI_Aint place = (MPI_Aint) test_rank * THREADS + thread->number;

    return test_at(&windows[region->window], region->target, (COMMON + place * REGION + index) * sizeof(int64_t));
}

static MPI_Aint common_at(const struct region *region, int index)
{
    return test_at(&windows[region->window], region->target, index * sizeof(int64_t));
}

/** All calls to the region have ended, here. */
static void verify(struct region *region)
{
    for (int i = 0; i < region->pending; i++) {
        struct call *call = &region->calls[i];

        CHECK(NULL == call->expected || 0 == memcmp(call->result, call->expected, call->count * sizeof(int64_t)),
              "%s, %s: kind %d with %d words at rank %d: a wrong result, %ld, not %ld",
              test_flavor_name[windows[region->window].flavor], mode_name[modes[region->window]], call->kind,
              call->count, region->target, (long) call->result[0], (long) call->expected[0]);
        free(call->data);
        free(call->result);
        free(call->expected);
    }
    region->pending = 0;
}

/** And at the target. */
static void settle(struct region *region)
{
    verify(region);
    memset(region->use, NOTHING_YET, sizeof(region->use));
}

static void settle_all(struct thread *thread, int window)
{
    for (int target = 0; target < test_size; target++) {
        settle(region_of(thread, window, target));
    }
}

static int is_passive(const struct region *region)
{
    return modes[region->window] >= LOCK_ALL;
}

/** One of the calls that end others, if the mode has them. */
static void flush(struct thread *thread, struct region *region)
{
    MPI_Win win = windows[region->window].win;

    if (!is_passive(region)) {
        return;
    }
    switch (test_random(&thread->random, 3)) {
    case 0:
        MPI_OK(MPI_Win_flush_local(region->target, win));
        verify(region);
        break;
    case 1:
        if (LOCK_ALL == modes[region->window]) {
            MPI_OK(MPI_Win_flush_all(win));
            settle_all(thread, region->window);
            break;
        }
        /* fall through */
    default:
        MPI_OK(MPI_Win_flush(region->target, win));
        settle(region);
    }
}

static int may(const struct region *region, enum kind kind, int at, int count)
{
    enum use most = ACCUMULATE <= kind && kind <= FETCH_AND_OP ? ACCUMULATES : NOTHING_YET;

    for (int i = at; i < at + count; i++) {
        if (region->use[i] > most) {
            return 0;
        }
    }
    return region->pending < PENDING;
}

/** What the call does to the model, and what it fetches. */
static void model_apply(struct region *region, struct call *call, int at, int64_t compare)
{
    for (int i = 0; i < call->count; i++) {
        int64_t *word = &region->model[at + i];

        if (NULL != call->expected) {
            call->expected[i] = *word;
        }
        if (PUT == call->kind || (COMPARE_AND_SWAP == call->kind && compare == *word)) {
            *word = call->data[i];
        } else if (ACCUMULATE <= call->kind && call->kind <= FETCH_AND_OP) {
            *word += call->data[i];
        }
        region->use[at + i] = ACCUMULATE <= call->kind && call->kind <= FETCH_AND_OP ? ACCUMULATES : NOTHING_MORE;
    }
}

static void make_call(const struct call *call, const struct region *region, MPI_Aint disp, const int64_t *compare)
{
    MPI_Win win = windows[region->window].win;
    int n = call->count, target = region->target;

    switch (call->kind) {
    case PUT:
        MPI_OK(MPI_Put(call->data, n, MPI_INT64_T, target, disp, n, MPI_INT64_T, win));
        break;
    case GET:
        MPI_OK(MPI_Get(call->result, n, MPI_INT64_T, target, disp, n, MPI_INT64_T, win));
        break;
    case ACCUMULATE:
        MPI_OK(MPI_Accumulate(call->data, n, MPI_INT64_T, target, disp, n, MPI_INT64_T, MPI_SUM, win));
        break;
    case GET_ACCUMULATE:
        MPI_OK(MPI_Get_accumulate(call->data, n, MPI_INT64_T, call->result, n, MPI_INT64_T, target, disp, n,
                                  MPI_INT64_T, MPI_SUM, win));
        break;
    case FETCH_AND_OP:
        MPI_OK(MPI_Fetch_and_op(call->data, call->result, MPI_INT64_T, target, disp, MPI_SUM, win));
        break;
    default:
        MPI_OK(MPI_Compare_and_swap(call->data, compare, call->result, MPI_INT64_T, target, disp, win));
    }
}

/** A random call, unless the mode does not allow one more there; the common sum goes with it, now and then. */
static void random_call(struct thread *thread, struct region *region)
{
    enum kind kind = (enum kind) test_random(&thread->random, KINDS);
    int longest = 0 == test_random(&thread->random, SHORT) ? REGION : SHORT;
    int count = kind >= FETCH_AND_OP ? 1 : 1 + (int) test_random(&thread->random, longest);
    int at = (int) test_random(&thread->random, REGION - count + 1);
    struct call *call;
    int64_t *compare;

    if (!may(region, kind, at, count) && is_passive(region)) {
        MPI_OK(MPI_Win_flush(region->target, windows[region->window].win));
        settle(region);
    }
    if (!may(region, kind, at, count)) {
        return;
    }
    call = &region->calls[region->pending++];
    *call = (struct call) {kind, malloc((count + 2) * sizeof(int64_t)), malloc(count * sizeof(int64_t)), NULL, count};
    if (PUT != kind && ACCUMULATE != kind) {
        call->expected = malloc(count * sizeof(int64_t));
    }
    for (int i = 0; i < count; i++) {
        call->data[i] = (int64_t) test_random(&thread->random, 1000000);
        call->result[i] = -1;
    }
    compare = &call->data[count];
    *compare = region->model[at] + (int64_t) test_random(&thread->random, 2);
    model_apply(region, call, at, *compare);
    make_call(call, region, region_at(thread, region, at), compare);
    if (0 == test_random(&thread->random, 2)) {
        static const int64_t one = 1;

        MPI_OK(MPI_Accumulate(&one, 1, MPI_INT64_T, region->target, common_at(region, SUM), 1, MPI_INT64_T, MPI_SUM,
                              windows[region->window].win));
        thread->sums++;
    }
}

/** Under an exclusive lock: read and write what everybody reads and writes. */
static void count_pair(struct thread *thread, struct region *region)
{
    MPI_Win win = windows[region->window].win;
    int64_t pair[2] = {-1, -2};

    MPI_OK(MPI_Get(pair, 2, MPI_INT64_T, region->target, common_at(region, PAIR), 2, MPI_INT64_T, win));
    MPI_OK(MPI_Win_flush(region->target, win));
    settle(region);
    CHECK(pair[0] == pair[1], "%s: %ld and %ld under an exclusive lock",
          test_flavor_name[windows[region->window].flavor], (long) pair[0], (long) pair[1]);
    pair[0]++;
    pair[1]++;
    MPI_OK(MPI_Put(pair, 2, MPI_INT64_T, region->target, common_at(region, PAIR), 2, MPI_INT64_T, win));
    MPI_OK(MPI_Win_flush_local(region->target, win));
    thread->pairs[region->window]++;
}

/** A lock, and within it sometimes another one on a later window; the order of the windows prevents deadlocks. */
static void lock_epoch(struct thread *thread, struct region *region)
{
    pthread_mutex_t *mutex = &locking[region->window * test_size + region->target];
    int exclusive = (int) test_random(&thread->random, 2);
    MPI_Win win = windows[region->window].win;

    pthread_mutex_lock(mutex);
    MPI_OK(MPI_Win_lock(exclusive ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, region->target, 0, win));
    for (int i = 0; i < EPOCH_STEPS; i++) {
        random_call(thread, region);
        if (0 == test_random(&thread->random, 4)) {
            flush(thread, region);
        }
    }
    if (exclusive) {
        count_pair(thread, region);
    }
    for (int window = region->window + 1; window < window_count; window++) {
        if (LOCK == modes[window] && 0 == test_random(&thread->random, 3)) {
            lock_epoch(thread, region_of(thread, window, (int) test_random(&thread->random, test_size)));
            break;
        }
    }
    MPI_OK(MPI_Win_unlock(region->target, win));
    settle(region);
    pthread_mutex_unlock(mutex);
}

static void *run(void *argument)
{
    struct thread *thread = argument;

    for (int i = 0; i < STEPS; i++) {
        struct region *region = region_of(thread, (int) test_random(&thread->random, window_count),
                                          (int) test_random(&thread->random, test_size));

        if (LOCK == modes[region->window]) {
            lock_epoch(thread, region);
        } else {
            random_call(thread, region);
            if (0 == test_random(&thread->random, 4)) {
                flush(thread, region);
            }
        }
    }
    return NULL;
}

static void begin(int window, MPI_Group everybody)
{
    MPI_Win win = windows[window].win;

    if (FENCE == modes[window]) {
        MPI_OK(MPI_Win_fence(MPI_MODE_NOPRECEDE, win));
    } else if (PSCW == modes[window]) {
        MPI_OK(MPI_Win_post(everybody, 0, win));
        MPI_OK(MPI_Win_start(everybody, 0, win));
    } else if (LOCK_ALL == modes[window]) {
        MPI_OK(MPI_Win_lock_all(0, win));
    }
}

static void end(int window)
{
    MPI_Win win = windows[window].win;

    if (FENCE == modes[window]) {
        MPI_OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
    } else if (PSCW == modes[window]) {
        MPI_OK(MPI_Win_complete(win));
        MPI_OK(MPI_Win_wait(win));
    } else if (LOCK_ALL == modes[window]) {
        MPI_OK(MPI_Win_unlock_all(win));
    }
    for (int i = 0; i < THREADS; i++) {
        settle_all(&threads[i], window);
    }
}

/** Collective; `random` is the same everywhere. */
static void one_round(uint64_t *random, MPI_Group everybody)
{
    for (int i = 0; i < window_count; i++) {
        modes[i] = (enum mode) test_random(random, MODES);
        begin(i, everybody);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_create(&threads[i].thread, NULL, run, &threads[i]);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i].thread, NULL);
    }
    for (int i = 0; i < window_count; i++) {
        end(i);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/** All regions are as the threads say. */
static void check_regions(struct thread *thread)
{
    int64_t *got = malloc(sizeof(int64_t) * REGION);

    for (int i = 0; i < window_count * test_size; i++) {
        struct region *region = &thread->regions[i];
        const struct test_window *window = &windows[region->window];
        int wrong = -1;

        MPI_OK(MPI_Win_lock(MPI_LOCK_SHARED, region->target, 0, window->win));
        MPI_OK(MPI_Get(got, REGION, MPI_INT64_T, region->target, region_at(thread, region, 0), REGION, MPI_INT64_T,
                       window->win));
        MPI_OK(MPI_Win_unlock(region->target, window->win));
        for (int at = 0; wrong < 0 && at < REGION; at++) {
            wrong = region->model[at] != got[at] ? at : -1;
        }
        CHECK(wrong < 0, "%s: word %d of thread %d's region at rank %d is %ld, not %ld",
              test_flavor_name[window->flavor], wrong, thread->number, region->target,
              wrong < 0 ? 0 : (long) got[wrong], wrong < 0 ? 0 : (long) region->model[wrong]);
    }
    free(got);
}

/** All that was counted is there. */
static void check_common(void)
{
    int64_t mine[1 + TEST_FLAVORS] = {0}, total[1 + TEST_FLAVORS];

    for (int i = 0; i < window_count; i++) {
        const int64_t *common = (const int64_t *) windows[i].base;

        MPI_OK(MPI_Win_lock(MPI_LOCK_SHARED, test_rank, 0, windows[i].win));
        mine[0] += common[SUM];
        mine[1 + i] += common[PAIR];
        CHECK(common[PAIR] == common[PAIR + 1], "%s: %ld and %ld at the end", test_flavor_name[windows[i].flavor],
              (long) common[PAIR], (long) common[PAIR + 1]);
        MPI_OK(MPI_Win_unlock(test_rank, windows[i].win));
        for (int t = 0; t < THREADS; t++) {
            mine[1 + i] -= threads[t].pairs[i];
        }
    }
    for (int t = 0; t < THREADS; t++) {
        mine[0] -= threads[t].sums;
    }
    MPI_Allreduce(mine, total, 1 + window_count, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i <= window_count; i++) {
        CHECK(0 == total[i], "%s: %ld too many are counted", 0 == i ? "sums" : test_flavor_name[windows[i - 1].flavor],
              (long) total[i]);
    }
}

static void prepare(uint64_t seed)
{
    MPI_Aint size = (COMMON + (MPI_Aint) test_size * THREADS * REGION) * sizeof(int64_t);

    for (enum test_flavor flavor = 0; flavor < TEST_FLAVORS; flavor++) {
        if (test_has_flavor(MPI_COMM_WORLD, flavor)) {
            test_window_open(&windows[window_count++], flavor, size, MPI_INFO_NULL, MPI_COMM_WORLD);
        }
    }
    locking = malloc(window_count * test_size * sizeof(*locking));
    for (int i = 0; i < window_count * test_size; i++) {
        pthread_mutex_init(&locking[i], NULL);
    }
    for (int t = 0; t < THREADS; t++) {
        threads[t].number = t;
        threads[t].random = seed + 1 + test_rank * THREADS + t;
        threads[t].regions = calloc(window_count * test_size, sizeof(struct region));
        for (int i = 0; i < window_count * test_size; i++) {
            threads[t].regions[i].window = i / test_size;
            threads[t].regions[i].target = i % test_size;
        }
    }
}

int main(int argc, char **argv)
{
    MPI_Group everybody;
    uint64_t random;

    test_init_threads(&argc, &argv);
    random = test_seed();
    prepare(random);
    MPI_Comm_group(MPI_COMM_WORLD, &everybody);
    for (int i = 0; i < ROUNDS; i++) {
        one_round(&random, everybody);
    }
    for (int t = 0; t < THREADS; t++) {
        check_regions(&threads[t]);
        free(threads[t].regions);
    }
    check_common();
    MPI_Group_free(&everybody);
    for (int i = 0; i < window_count; i++) {
        test_window_close(&windows[i]);
    }
    free(locking);
    return test_finish();
}
