/* The checker's collection: what orders two operations, and what only seems to: messages, collective calls, flags.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "cases.h"

/** A flush, and a message that says so. */
static void flush_send(void)
{
    lock_all();
    if (ONE == rank) {
        put(data, 1, 5);
        flush();
        tell(OTHER);
    } else if (OTHER == rank) {
        hear(ONE);
        put(data, 1, 5);
    }
    unlock_all();
}

/** The message overtakes the put. */
static void send_flush(void)
{
    lock_all();
    if (ONE == rank) {
        put(data, 1, 5);
        tell(OTHER);
        hear(OTHER);
        flush();
    } else if (OTHER == rank) {
        hear(ONE);
        put(data, 1, 5);
        flush();
        tell(ONE);
    }
    unlock_all();
}

/** The put may still be on its way: its origin knows only that the buffer is free. */
static void flush_local_send(void)
{
    lock_all();
    if (ONE == rank) {
        put(data, 1, 5);
        MPI_Win_flush_local(TARGET, win);
        tell(OTHER);
        hear(OTHER);
    } else if (OTHER == rank) {
        hear(ONE);
        put(data, 1, 5);
        flush();
        tell(ONE);
    }
    unlock_all();
}

static void rput_wait_send(void)
{
    MPI_Request request;

    lock_all();
    if (ONE == rank) {
        MPI_Rput(data, 1, MPI_INT, TARGET, at + 5, 1, MPI_INT, win, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        tell(OTHER);
        hear(OTHER);
    } else if (OTHER == rank) {
        hear(ONE);
        get(result, 1, 5);
        flush();
        tell(ONE);
    }
    unlock_all();
}

/** A get whose request is complete has read. */
static void rget_wait_send(void)
{
    MPI_Request request;

    lock_all();
    if (ONE == rank) {
        MPI_Rget(result, 1, MPI_INT, TARGET, at + 5, 1, MPI_INT, win, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        tell(OTHER);
    } else if (OTHER == rank) {
        hear(ONE);
        put(data, 1, 5);
    }
    unlock_all();
}

static void flush_barrier(void)
{
    lock_all();
    if (ONE == rank) {
        put(data, 1, 5);
        flush();
    }
    barrier();
    if (OTHER == rank) {
        put(data, 1, 5);
    }
    unlock_all();
}

static void barrier_flush(void)
{
    lock_all();
    if (ONE == rank) {
        put(data, 1, 5);
    }
    barrier();
    if (OTHER == rank) {
        get(result, 1, 5);
    }
    barrier();
    unlock_all();
}

/** A flush for another target completes nothing at this one. */
static void flush_other_target(void)
{
    lock_all();
    if (ONE == rank) {
        put(data, 1, 5);
        MPI_Win_flush(OTHER, win);
    }
    barrier();
    if (OTHER == rank) {
        put(data, 1, 5);
    }
    barrier();
    unlock_all();
}

static void flush_all_barrier(void)
{
    lock_all();
    if (ONE == rank) {
        put(data, 1, 5);
        MPI_Win_flush_all(win);
    }
    barrier();
    get(result, 1, 5);
    unlock_all();
}

/** Each of many rounds is ordered by a barrier behind a flush. */
static void rounds(void)
{
    lock_all();
    for (int i = 0; i < 12; i++) {
        if (i % PROCESSES == rank) {
            put(data, 4, 5);
            flush();
        }
        barrier();
    }
    unlock_all();
}

static void unlock_barrier_lock(void)
{
    if (ONE == rank) {
        lock_shared();
        put(data, 1, 5);
        unlock();
    }
    barrier();
    if (OTHER == rank) {
        lock_shared();
        put(data, 1, 5);
        unlock();
    }
}

/** Nothing but chance has the first put done before the second one: no message tells. */
static void chance(void)
{
    lock_all();
    if (ONE == rank) {
        put(data, 1, 5);
        flush();
    } else if (OTHER == rank) {
        usleep(20000);
        put(data, 1, 5);
        flush();
    }
    unlock_all();
}

static void flush_ibarrier(void)
{
    MPI_Request request;

    lock_all();
    if (ONE == rank) {
        put(data, 1, 5);
        flush();
    }
    MPI_Ibarrier(comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (OTHER == rank) {
        put(data, 1, 5);
    }
    unlock_all();
}

/** The operation stands behind the beginning of the barrier, but not behind its end. */
static void ibarrier_begun(void)
{
    MPI_Request request;

    lock_all();
    MPI_Ibarrier(comm, &request);
    if (TARGET != rank) {
        put(data, 1, 5);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    barrier();
    unlock_all();
}

static void flush_bcast(void)
{
    int word = 1;

    lock_all();
    if (ONE == rank) {
        put(data, 1, 5);
        flush();
    }
    MPI_Bcast(&word, 1, MPI_INT, ONE, comm);
    if (OTHER == rank) {
        put(data, 1, 5);
    }
    unlock_all();
}

static void flush_allreduce(void)
{
    int mine = 1, all;

    lock_all();
    if (ONE == rank) {
        put(data, 1, 5);
        flush();
    }
    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, comm);
    if (OTHER == rank) {
        put(data, 1, 5);
    }
    unlock_all();
}

static void flush_gather_scatter(void)
{
    int mine = 1, all[PROCESSES];

    lock_all();
    if (ONE == rank) {
        put(data, 1, 5);
        flush();
    }
    MPI_Gather(&mine, 1, MPI_INT, all, 1, MPI_INT, TARGET, comm);
    MPI_Scatter(all, 1, MPI_INT, &mine, 1, MPI_INT, TARGET, comm);
    if (OTHER == rank) {
        put(data, 1, 5);
    }
    unlock_all();
}

/** From the one to the other by way of a third process. */
static void flush_chain(void)
{
    lock_all();
    if (ONE == rank) {
        put(data, 1, 5);
        flush();
        tell(TARGET);
    } else if (TARGET == rank) {
        hear(ONE);
        tell(OTHER);
    } else {
        hear(TARGET);
        put(data, 1, 5);
    }
    unlock_all();
}

/** The message is received by any source and any tag, after a probe. */
static void flush_probe(void)
{
    lock_all();
    if (ONE == rank) {
        put(data, 1, 5);
        flush();
        tell(OTHER);
    } else if (OTHER == rank) {
        MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, MPI_STATUS_IGNORE);
        MPI_Recv(NULL, 0, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, MPI_STATUS_IGNORE);
        put(data, 1, 5);
    }
    unlock_all();
}

static void flush_irecv_test(void)
{
    MPI_Request request;
    int done = 0;

    lock_all();
    if (ONE == rank) {
        put(data, 1, 5);
        flush();
        MPI_Isend(NULL, 0, MPI_INT, OTHER, 1, comm, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else if (OTHER == rank) {
        MPI_Irecv(NULL, 0, MPI_INT, ONE, 1, comm, &request);
        while (!done) {
            MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        }
        put(data, 1, 5);
    }
    unlock_all();
}

static void flush_sendrecv(void)
{
    lock_all();
    if (ONE == rank) {
        put(data, 1, 5);
        flush();
    }
    if (TARGET != rank) {
        MPI_Sendrecv(NULL, 0, MPI_INT, 1 - rank, 0, NULL, 0, MPI_INT, 1 - rank, 0, comm, MPI_STATUS_IGNORE);
    }
    if (OTHER == rank) {
        put(data, 1, 5);
    }
    unlock_all();
}

static void flush_persistent(void)
{
    MPI_Request request;

    lock_all();
    if (ONE == rank) {
        put(data, 1, 5);
        flush();
        MPI_Send_init(NULL, 0, MPI_INT, OTHER, 2, comm, &request);
    } else if (OTHER == rank) {
        MPI_Recv_init(NULL, 0, MPI_INT, ONE, 2, comm, &request);
    }
    if (TARGET != rank) {
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Request_free(&request);
    }
    if (OTHER == rank) {
        put(data, 1, 5);
    }
    unlock_all();
}

/** A message that the target receives orders nothing at the other origin. */
static void send_elsewhere(void)
{
    lock_all();
    if (ONE == rank) {
        put(data, 1, 5);
        flush();
        tell(TARGET);
    } else if (TARGET == rank) {
        hear(ONE);
    } else {
        put(data, 1, 5);
        flush();
    }
    unlock_all();
}

/** The data, a flush, and a flag that is set and polled atomically. */
static void flag(void)
{
    const int set = 1;

    lock_all();
    if (ONE == rank) {
        put(data, 4, 5);
        flush();
        accumulate(&set, 1, 0, MPI_REPLACE);
        flush();
    } else if (OTHER == rank) {
        do {
            fetch(result, 0);
            flush();
        } while (0 == *result);
        get(more, 4, 5);
    }
    unlock_all();
}

/** No flush between the data and the flag. */
static void flag_too_early(void)
{
    const int set = 1;

    lock_all();
    if (ONE == rank) {
        put(data, 4, 5);
        accumulate(&set, 1, 0, MPI_REPLACE);
    }
    barrier();
    if (OTHER == rank) {
        get(more, 4, 5);
    }
    barrier();
    unlock_all();
}

/** The flag is set by a put and polled by gets: those are not atomic. */
static void flag_by_put(void)
{
    const int set = 1;

    lock_all();
    if (OTHER == rank) {
        get(result, 1, 0);
    }
    if (ONE == rank) {
        put(&set, 1, 0);
    }
    barrier();
    unlock_all();
}

/** A mutex: a word that is taken by compare-and-swap and given back by an accumulate. */
static void mutex(void)
{
    const int free_ = 0, taken = 1;

    lock_all();
    for (int i = 0; i < 3; i++) {
        do {
            MPI_Compare_and_swap(&taken, &free_, result, MPI_INT, TARGET, at, win);
            flush();
        } while (free_ != *result);
        get(more, 1, 5);
        flush();
        more[0]++;
        put(more, 1, 5);
        flush();
        MPI_Fetch_and_op(&free_, result, MPI_INT, TARGET, at, MPI_REPLACE, win);
        flush();
    }
    unlock_all();
}

/** The mutex is given back before the put is complete. */
static void mutex_too_early(void)
{
    const int free_ = 0, taken = 1;

    lock_all();
    if (TARGET != rank) {
        do {
            MPI_Compare_and_swap(&taken, &free_, result, MPI_INT, TARGET, at, win);
            flush();
        } while (free_ != *result);
        put(data, 1, 5);
        MPI_Fetch_and_op(&free_, result, MPI_INT, TARGET, at, MPI_REPLACE, win);
        MPI_Win_flush_local(TARGET, win);
    }
    barrier();
    unlock_all();
}

/** An exclusive lock of another target orders nothing here. */
static void lock_elsewhere(void)
{
    if (TARGET != rank) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win);
        lock_shared();
        put(data, 1, 5);
    }
    barrier();
    if (TARGET != rank) {
        unlock();
        MPI_Win_unlock(rank, win);
    }
}

/** Another window's fence orders as a barrier does. */
static void fence_of_another_window(void)
{
    MPI_Win other;
    int word;

    MPI_Win_create(&word, sizeof(word), 1, MPI_INFO_NULL, comm, &other);
    MPI_Win_fence(0, other);
    if (ONE == rank) {
        lock_shared();
        put(data, 1, 5);
        unlock();
    }
    MPI_Win_fence(0, other);
    if (OTHER == rank) {
        lock_shared();
        put(data, 1, 5);
        unlock();
    }
    MPI_Win_fence(MPI_MODE_NOSUCCEED, other);
    MPI_Win_free(&other);
}

/** A halo exchange, as programs do it: both neighbours put into cells of their own. */
static void halo(void)
{
    const int left = (rank + PROCESSES - 1) % PROCESSES, right = (rank + 1) % PROCESSES;

    fence();
    for (int i = 0; i < 4; i++) {
        data[0] = data[1] = i;
        MPI_Put(&data[0], 1, MPI_INT, left, 1, 1, MPI_INT, win);
        MPI_Put(&data[1], 1, MPI_INT, right, 0, 1, MPI_INT, win);
        fence();
        result[0] += cells[0] + cells[1];
        fence();
    }
}

/** A fence forgotten: the next step's puts meet this step's. */
static void halo_both_sides(void)
{
    const int left = (rank + PROCESSES - 1) % PROCESSES, right = (rank + 1) % PROCESSES;

    fence();
    MPI_Put(&data[0], 1, MPI_INT, left, 0, 1, MPI_INT, win);
    MPI_Put(&data[1], 1, MPI_INT, right, 0, 1, MPI_INT, win);
    fence();
}

/** Fence and lock epochs in turn. */
static void phases(void)
{
    fence();
    if (ONE == rank) {
        put(data, 1, 5);
    }
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    if (OTHER == rank) {
        lock_exclusive();
        put(data, 1, 5);
        unlock();
    }
    barrier();
    fence();
    get(result, 1, 5);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
}

/** The one puts and has the put complete; then `order` tells the other, which puts, too. */
INLINE void put_then(void (*order)(void))
{
    lock_all();
    if (ONE == rank) {
        put(data, 1, 5);
        flush();
    }
    order();
    if (OTHER == rank) {
        put(data, 1, 5);
        flush();
    }
    unlock_all();
}

static void by_split(void)
{
    MPI_Comm both;

    MPI_Comm_split(comm, TARGET == rank, rank, &both);
    MPI_Barrier(both);
    MPI_Comm_free(&both);
}

/** A communicator of the two alone. */
static void flush_split_barrier(void)
{
    put_then(by_split);
}

static void by_dup(void)
{
    MPI_Comm copy;

    MPI_Comm_dup(comm, &copy);
    if (ONE == rank) {
        MPI_Send(NULL, 0, MPI_INT, OTHER, 7, copy);
    } else if (OTHER == rank) {
        MPI_Recv(NULL, 0, MPI_INT, MPI_ANY_SOURCE, 7, copy, MPI_STATUS_IGNORE);
    }
    MPI_Comm_free(&copy);
}

static void flush_dup_send(void)
{
    put_then(by_dup);
}

static void by_mprobe(void)
{
    MPI_Message message;

    if (ONE == rank) {
        MPI_Ssend(NULL, 0, MPI_INT, OTHER, 1, comm);
    } else if (OTHER == rank) {
        MPI_Mprobe(MPI_ANY_SOURCE, 1, comm, &message, MPI_STATUS_IGNORE);
        MPI_Mrecv(NULL, 0, MPI_INT, &message, MPI_STATUS_IGNORE);
    }
}

static void flush_mprobe(void)
{
    put_then(by_mprobe);
}

/** Two messages, of which the second one, received first, was sent behind the flush. */
static void by_waitany(void)
{
    MPI_Request requests[2];
    int index;

    if (ONE == rank) {
        MPI_Isend(NULL, 0, MPI_INT, OTHER, 1, comm, &requests[0]);
        MPI_Isend(NULL, 0, MPI_INT, OTHER, 2, comm, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    } else if (OTHER == rank) {
        MPI_Irecv(NULL, 0, MPI_INT, ONE, 2, comm, &requests[0]);
        MPI_Irecv(NULL, 0, MPI_INT, ONE, 1, comm, &requests[1]);
        MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
        MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
    }
}

static void flush_waitany(void)
{
    put_then(by_waitany);
}

static void by_scan(void)
{
    int mine = 1, sum;

    MPI_Scan(&mine, &sum, 1, MPI_INT, MPI_SUM, comm);
}

/** A scan orders a lower rank before a higher one. */
static void flush_scan(void)
{
    put_then(by_scan);
}

static void by_alltoall(void)
{
    int mine[PROCESSES] = {0}, all[PROCESSES];

    MPI_Alltoall(mine, 1, MPI_INT, all, 1, MPI_INT, comm);
}

static void flush_alltoall(void)
{
    put_then(by_alltoall);
}

static void by_allgather(void)
{
    int all[PROCESSES];

    MPI_Allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, comm);
}

static void flush_allgather(void)
{
    put_then(by_allgather);
}

static void by_iallreduce(void)
{
    MPI_Request request;
    int mine = 1, all, done = 0;

    MPI_Iallreduce(&mine, &all, 1, MPI_INT, MPI_SUM, comm, &request);
    while (!done) {
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    }
}

static void flush_iallreduce(void)
{
    put_then(by_iallreduce);
}

static void by_reduce_bcast(void)
{
    int mine = 1, all = 0;

    MPI_Reduce(&mine, &all, 1, MPI_INT, MPI_SUM, TARGET, comm);
    MPI_Bcast(&all, 1, MPI_INT, TARGET, comm);
}

static void flush_reduce_bcast(void)
{
    put_then(by_reduce_bcast);
}

/** Making and freeing another window is collective. */
static void by_window(void)
{
    MPI_Win other;
    int word;

    MPI_Win_create(&word, sizeof(word), 1, MPI_INFO_NULL, comm, &other);
    MPI_Win_free(&other);
}

static void flush_another_window(void)
{
    put_then(by_window);
}

/** Post and start, complete and wait of another window order as messages do. */
static void by_pscw(void)
{
    MPI_Win other;
    int word;

    MPI_Win_create(&word, sizeof(word), 1, MPI_INFO_NULL, comm, &other);
    if (ONE == rank) {
        MPI_Win_start(group_of(1, OTHER, 0), 0, other);
        MPI_Win_complete(other);
    } else if (OTHER == rank) {
        MPI_Win_post(group_of(1, ONE, 0), 0, other);
        MPI_Win_wait(other);
    }
    MPI_Win_free(&other);
}

static void flush_pscw_of_another_window(void)
{
    put_then(by_pscw);
}

/** A flag in the memory of a third process, set and polled in a window of its own. */
static void by_flag(void)
{
    const int set = 1;
    int *word, seen = 0;
    MPI_Win other;

    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, comm, &word, &other);
    *word = 0;
    MPI_Barrier(comm);
    MPI_Win_lock_all(0, other);
    if (ONE == rank) {
        MPI_Accumulate(&set, 1, MPI_INT, TARGET, 0, 1, MPI_INT, MPI_REPLACE, other);
        MPI_Win_flush(TARGET, other);
    }
    while (OTHER == rank && 0 == seen) {
        MPI_Fetch_and_op(NULL, &seen, MPI_INT, TARGET, 0, MPI_NO_OP, other);
        MPI_Win_flush(TARGET, other);
    }
    MPI_Win_unlock_all(other);
    MPI_Win_free(&other);
}

static void flush_flag_of_another_window(void)
{
    put_then(by_flag);
}

int main(int argc, char **argv)
{
    static const struct test_case all[] = {
        CORRECT(flush_send), MISTAKE(send_flush, "put-put"), MISTAKE(flush_local_send, "put-put"),
        MISTAKE(rput_wait_send, "put-get"), CORRECT(rget_wait_send), CORRECT(flush_barrier),
        MISTAKE(barrier_flush, "put-get"), MISTAKE(flush_other_target, "put-put"), CORRECT(flush_all_barrier),
        CORRECT(rounds), CORRECT(unlock_barrier_lock), MISTAKE(chance, "put-put"), CORRECT(flush_ibarrier),
        MISTAKE(ibarrier_begun, "put-put"), CORRECT(flush_bcast), CORRECT(flush_allreduce),
        CORRECT(flush_gather_scatter), CORRECT(flush_chain), CORRECT(flush_probe), CORRECT(flush_irecv_test),
        CORRECT(flush_sendrecv), CORRECT(flush_persistent), MISTAKE(send_elsewhere, "put-put"), CORRECT(flag),
        MISTAKE(flag_too_early, "put-get"), MISTAKE(flag_by_put, "put-get"), CORRECT(mutex),
        MISTAKE(mutex_too_early, "put-put"), MISTAKE(lock_elsewhere, "put-put"), CORRECT(fence_of_another_window),
        CORRECT(halo), MISTAKE(halo_both_sides, "put-put"), CORRECT(phases), CORRECT(flush_split_barrier),
        CORRECT(flush_dup_send), CORRECT(flush_mprobe), CORRECT(flush_waitany), CORRECT(flush_scan),
        CORRECT(flush_alltoall), CORRECT(flush_allgather), CORRECT(flush_iallreduce), CORRECT(flush_reduce_bcast),
        CORRECT(flush_another_window), CORRECT(flush_pscw_of_another_window), CORRECT(flush_flag_of_another_window)
    };

    return cases_run(argc, argv, all, sizeof(all) / sizeof(all[0]));
}
