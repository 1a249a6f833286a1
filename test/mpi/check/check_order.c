/* With the preloaded library the checker tells of operations on the same bytes that no call of MPI orders, even if they
 * never meet; and of nothing in programs that order them, in whatever way.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "findings.h"

#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <sys/mman.h>

enum { FLAG = 100, CELLS = 128 };

static MPI_Win win, other; /* all operations of `win` are on process 0, by processes 1 and 2 */
static MPI_Comm inter;     /* process 1 here, 0 and 2 there */
static int data[CELLS], result, one = 1, *base;

/** A count in a file, which the checker cannot see: so the operations of mistakes are kept apart in time. */
static volatile int *secret;
static int secrets; /* before this case */

static void secret_tell(void)
{
    __atomic_fetch_add(secret, 1, __ATOMIC_SEQ_CST);
}

static void secret_await(int n)
{
    while (__atomic_load_n(secret, __ATOMIC_SEQ_CST) < secrets + n) {
        usleep(100);
    }
}

static void put(void)
{
    MPI_Put(data, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
}

static void put_done(void)
{
    put();
    MPI_Win_flush(0, win);
}

static void get_done(void)
{
    MPI_Get(&result, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
    MPI_Win_flush(0, win);
}

/* Mistakes: process 2 comes behind process 1, but not by MPI. Process 1 begins when process 2 has come, and goes on
 * when it is done: who is late hears more than it must. */

static void first_begin(void)
{
    secret_await(1);
}

static void first_end(void)
{
    secret_tell();
    secret_await(3);
    secrets += 3;
}

static void second_come(void)
{
    secret_tell();
}

static void second_begin(void)
{
    secret_await(2);
}

static void second_end(void)
{
    secret_tell();
    secrets += 3;
}

static void nothing_between(void)
{
    if (1 == test_rank) {
        first_begin();
        put_done();
        first_end();
    } else if (2 == test_rank) {
        second_come();
        second_begin();
        put_done();
        second_end();
    }
}

static void get_behind(void)
{
    if (1 == test_rank) {
        first_begin();
        put_done();
        first_end();
    } else if (2 == test_rank) {
        second_come();
        second_begin();
        get_done();
        second_end();
    }
}

/** The barrier comes before the flush. */
static void flush_too_late(void)
{
    if (1 == test_rank) {
        first_begin();
        put();
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Win_flush(0, win);
        first_end();
    } else if (2 == test_rank) {
        second_come();
        MPI_Barrier(MPI_COMM_WORLD);
        second_begin();
        get_done();
        second_end();
    } else {
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

static void other_message(void)
{
    if (0 == test_rank) {
        MPI_Send(NULL, 0, MPI_INT, 2, 0, MPI_COMM_WORLD);
    } else if (1 == test_rank) {
        first_begin();
        put_done();
        first_end();
    } else if (2 == test_rank) {
        second_come();
        second_begin();
        MPI_Recv(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        put_done();
        second_end();
    }
}

/** Who sends learns nothing. */
static void wrong_way(void)
{
    MPI_Request request;

    if (1 == test_rank) {
        first_begin();
        put_done();
        MPI_Recv(NULL, 0, MPI_INT, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        first_end();
    } else if (2 == test_rank) {
        second_come();
        MPI_Isend(NULL, 0, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
        second_begin();
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        put_done();
        second_end();
    }
}

/** Those who give to a reduction learn nothing. */
static void reduction(void)
{
    if (1 == test_rank) {
        first_begin();
        put_done();
        MPI_Reduce(&one, NULL, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
        first_end();
    } else if (2 == test_rank) {
        second_come();
        MPI_Reduce(&one, NULL, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
        second_begin();
        put_done();
        second_end();
    } else {
        MPI_Reduce(&one, &result, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    }
}

static void shared_locks(void)
{
    if (1 == test_rank) {
        first_begin();
        put_done();
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, other);
        MPI_Win_unlock(0, other);
        first_end();
    } else if (2 == test_rank) {
        second_come();
        second_begin();
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, other);
        MPI_Win_unlock(0, other);
        put_done();
        second_end();
    }
}

/* Correct programs. */

static void barrier(void)
{
    if (1 == test_rank) {
        put_done();
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (2 == test_rank) {
        put_done();
    }
}

/** As Fortran's functions call it, or tools. */
static void barrier_inner(void)
{
    if (1 == test_rank) {
        put_done();
    }
    PMPI_Barrier(MPI_COMM_WORLD);
    if (2 == test_rank) {
        put_done();
    }
}

static void barrier_nonblocking(void)
{
    MPI_Request request;
    int done = 0;

    if (1 == test_rank) {
        put_done();
    }
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    while (!done) {
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    }
    if (2 == test_rank) {
        put_done();
    }
}

static void message(void)
{
    if (1 == test_rank) {
        put_done();
        MPI_Send(NULL, 0, MPI_INT, 2, 0, MPI_COMM_WORLD);
    } else if (2 == test_rank) {
        MPI_Recv(NULL, 0, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        put_done();
    }
}

/** Through process 0. */
static void message_relayed(void)
{
    MPI_Request requests[3] = { MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL };
    int count, indices[3];

    if (1 == test_rank) {
        put_done();
        MPI_Isend(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, &requests[0]);
        MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    } else if (0 == test_rank) {
        MPI_Irecv(NULL, 0, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(NULL, 0, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &requests[2]);
        MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
        MPI_Send(NULL, 0, MPI_INT, 2, 0, MPI_COMM_WORLD);
    } else if (2 == test_rank) {
        MPI_Irecv(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, &requests[1]);
        MPI_Waitsome(3, requests, &count, indices, MPI_STATUSES_IGNORE);
        put_done();
    }
}

static void message_persistent(void)
{
    MPI_Request request;

    if (1 == test_rank) {
        MPI_Send_init(NULL, 0, MPI_INT, 2, 0, MPI_COMM_WORLD, &request);
        put_done();
    } else if (2 == test_rank) {
        MPI_Recv_init(NULL, 0, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
    } else {
        return;
    }
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    if (2 == test_rank) {
        put_done();
    }
}

static void message_probed(void)
{
    int there = 0;

    if (1 == test_rank) {
        put_done();
        MPI_Send(NULL, 0, MPI_INT, 2, 0, MPI_COMM_WORLD);
    } else if (2 == test_rank) {
        while (!there) {
            MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
        }
        put_done();
        MPI_Recv(NULL, 0, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

static void message_matched(void)
{
    MPI_Message matched;

    if (1 == test_rank) {
        put_done();
        MPI_Send(NULL, 0, MPI_INT, 2, 0, MPI_COMM_WORLD);
    } else if (2 == test_rank) {
        MPI_Mprobe(1, 0, MPI_COMM_WORLD, &matched, MPI_STATUS_IGNORE);
        MPI_Mrecv(NULL, 0, MPI_INT, &matched, MPI_STATUS_IGNORE);
        put_done();
    }
}

/** Who sends learns that the other one receives. */
static void message_synchronous(void)
{
    if (1 == test_rank) {
        put_done();
        MPI_Recv(NULL, 0, MPI_INT, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (2 == test_rank) {
        MPI_Ssend(NULL, 0, MPI_INT, 1, 0, MPI_COMM_WORLD);
        put_done();
    }
}

static void message_between(void)
{
    if (1 == test_rank) {
        put_done();
        MPI_Send(NULL, 0, MPI_INT, 1, 0, inter);
    } else if (2 == test_rank) {
        MPI_Recv(NULL, 0, MPI_INT, 0, 0, inter, MPI_STATUS_IGNORE);
        put_done();
    }
}

static void broadcast(void)
{
    if (1 == test_rank) {
        put_done();
    }
    MPI_Bcast(&result, 1, MPI_INT, 1, MPI_COMM_WORLD);
    if (2 == test_rank) {
        put_done();
    }
}

static void reduction_root(void)
{
    if (1 == test_rank) {
        put_done();
    }
    MPI_Reduce(&one, &result, 1, MPI_INT, MPI_SUM, 2, MPI_COMM_WORLD);
    if (2 == test_rank) {
        put_done();
    }
}

static void new_communicator(void)
{
    MPI_Comm comm;

    if (1 == test_rank) {
        put_done();
    }
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    if (2 == test_rank) {
        put_done();
    }
    MPI_Comm_free(&comm);
}

/** Process 2 asks until the flag in the window is set. */
static void flag_asked(void)
{
    if (1 == test_rank) {
        put_done();
        MPI_Accumulate(&one, 1, MPI_INT, 0, FLAG, 1, MPI_INT, MPI_SUM, win);
        MPI_Win_flush(0, win);
    } else if (2 == test_rank) {
        do {
            MPI_Fetch_and_op(NULL, &result, MPI_INT, 0, FLAG, MPI_NO_OP, win);
            MPI_Win_flush(0, win);
        } while (0 == result);
        put_done();
    }
}

/** Process 0 looks until the flag is set, and sends a message. */
static void flag_loaded(void)
{
    if (1 == test_rank) {
        put_done();
        MPI_Accumulate(&one, 1, MPI_INT, 0, FLAG, 1, MPI_INT, MPI_SUM, win);
        MPI_Win_flush(0, win);
    } else if (0 == test_rank) {
        while (0 == *(volatile int *) &base[FLAG]) {
            MPI_Win_sync(win);
        }
        MPI_Send(NULL, 0, MPI_INT, 2, 0, MPI_COMM_WORLD);
    } else if (2 == test_rank) {
        MPI_Recv(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        put_done();
    }
}

/** A count that exclusive locks protect. */
static void lock_count(void)
{
    int count = 0;

    if (1 == test_rank) {
        put_done();
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, other);
        MPI_Put(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, other);
        MPI_Win_unlock(0, other);
    } else if (2 == test_rank) {
        while (0 == count) {
            MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, other);
            MPI_Get(&count, 1, MPI_INT, 0, 0, 1, MPI_INT, other);
            MPI_Win_unlock(0, other);
        }
        put_done();
    }
}

static void fence(void)
{
    if (1 == test_rank) {
        put_done();
    }
    MPI_Win_fence(0, other);
    if (2 == test_rank) {
        put_done();
    }
    MPI_Win_fence(MPI_MODE_NOSUCCEED, other);
}

/** Process 1 starts, process 2 posts. */
static void post_wait(void)
{
    MPI_Group all, peer;
    int rank = 1 == test_rank ? 2 : 1;

    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 1, &rank, &peer);
    if (1 == test_rank) {
        put_done();
        MPI_Win_start(peer, 0, other);
        MPI_Win_complete(other);
    } else if (2 == test_rank) {
        MPI_Win_post(peer, 0, other);
        MPI_Win_wait(other);
        put_done();
    }
    MPI_Group_free(&peer);
    MPI_Group_free(&all);
}

/** The last one: what processes store in memory that they share orders them, and nobody sees it. */
static void shared_memory(void)
{
    MPI_Win shared;
    int *at;

    MPI_Win_allocate_shared(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &at, &shared);
    nothing_between();
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_free(&shared);
}

static const struct {
    const char *name;
    void (*run)(void);
    const char *kind;
} cases[] = {
    { "nothing between", nothing_between, "put-put" },
    { "get behind", get_behind, "put-get" },
    { "flush too late", flush_too_late, "put-get" },
    { "other message", other_message, "put-put" },
    { "wrong way", wrong_way, "put-put" },
    { "reduction", reduction, "put-put" },
    { "shared locks", shared_locks, "put-put" },
    { "barrier", barrier, NULL },
    { "barrier, inner", barrier_inner, NULL },
    { "barrier, nonblocking", barrier_nonblocking, NULL },
    { "message", message, NULL },
    { "message, relayed", message_relayed, NULL },
    { "message, persistent", message_persistent, NULL },
    { "message, probed", message_probed, NULL },
    { "message, matched", message_matched, NULL },
    { "message, synchronous", message_synchronous, NULL },
    { "message, between", message_between, NULL },
    { "broadcast", broadcast, NULL },
    { "reduction, root", reduction_root, NULL },
    { "new communicator", new_communicator, NULL },
    { "flag, asked", flag_asked, NULL },
    { "flag, loaded", flag_loaded, NULL },
    { "lock, count", lock_count, NULL },
    { "fence", fence, NULL },
    { "post", post_wait, NULL },
    { "nothing between, again", nothing_between, "put-put" },
    { "shared memory", shared_memory, NULL }
};

/** Begin anew with the library of this build, unless there is none, or a sanitizer has to be loaded first. */
static void preload(char **argv)
{
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    char program[PATH_MAX] = "", file[PATH_MAX + 64], list[2 * PATH_MAX];
    const char *before = getenv("LD_PRELOAD");

    if (NULL != getenv("TEST_PRELOADED") || readlink("/proc/self/exe", program, sizeof(program) - 1) < 0) {
        return;
    }
    snprintf(file, sizeof(file), "%s/../../../preload/.libs/libosc_ucp_check.so", dirname(program));
    snprintf(list, sizeof(list), "%s%s%s", file, NULL == before ? "" : ":", NULL == before ? "" : before);
    if (0 == access(file, R_OK)) {
        setenv("LD_PRELOAD", list, 1);
        setenv("TEST_PRELOADED", "1", 1);
        execv("/proc/self/exe", argv);
    }
#else
    (void) argv;
#endif
}

static void secret_open(void)
{
    char file[128] = "/dev/shm/osc_ucp_order.XXXXXX";
    int fd = 0 == test_rank ? mkstemp(file) : -1;

    MPI_Bcast(file, sizeof(file), MPI_CHAR, 0, MPI_COMM_WORLD);
    fd = fd < 0 ? open(file, O_RDWR) : fd;
    CHECK(fd >= 0 && 0 == ftruncate(fd, sizeof(int)), "there is no file %s", file);
    secret = mmap(NULL, sizeof(int), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    MPI_Barrier(MPI_COMM_WORLD);
    if (0 == test_rank) {
        unlink(file);
    }
}

static void communicators_make(void)
{
    MPI_Comm mine;

    MPI_Comm_split(MPI_COMM_WORLD, 1 == test_rank, test_rank, &mine);
    MPI_Intercomm_create(mine, 0, MPI_COMM_WORLD, 1 == test_rank ? 0 : 1, 0, &inter);
    MPI_Comm_free(&mine);
}

int main(int argc, char **argv)
{
    int *counts;

    preload(argv);
    test_findings_init(&argc, &argv);
    test_needs(3);
    if (NULL == getenv("TEST_PRELOADED")) {
        test_skip("there is no library to preload");
    }
    secret_open();
    communicators_make();
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        MPI_Win_allocate(CELLS * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
        MPI_Win_set_name(win, cases[i].name);
        memset(base, 0, CELLS * sizeof(int));
        MPI_Win_allocate(CELLS * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &counts, &other);
        counts[0] = 0;
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Win_lock_all(0, win);
        cases[i].run();
        MPI_Win_unlock_all(win);
        MPI_Win_free(&other);
        MPI_Win_free(&win);
        test_findings_are(cases[i].name, 0 == test_rank ? cases[i].kind : NULL);
    }
    MPI_Comm_free(&inter);
    return test_findings_finish();
}
