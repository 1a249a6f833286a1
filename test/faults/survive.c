/* One process dies by SIGKILL while the others wait for it; with osc_ucp_survive they go on.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * usage: survive lock | epoch | contact | refused | free | fence | many | pscw | request | compute [threads]
 *
 * Rank 1 dies. The calls on a window that it is a member of return MPI_ERR_WIN; another window is used afterwards, and
 * one is made. Each of the others prints when it learned of that, in seconds since the case began: some cases wait
 * before the death (half a second) or before they ask (one second). At least three processes.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <mpi.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <unistd.h>

enum { VICTIM = 1, BYTES = 1 << 20, MANY = 20000 };

static char     memory[BYTES], buffer[BYTES];
static int      rank, size;
static MPI_Win  win, other; /* of all, and of all but the victim */
static MPI_Comm survivors;

static void fail(const char *format, ...)
{
    va_list args;

    printf("FAILED: rank %d: ", rank);
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    printf("\n");
    fflush(stdout);
    _exit(1);
}

static int class_of(int rc)
{
    int class;

    MPI_Error_class(rc, &class);
    return class;
}

static void expect(const char *call, int rc, int class)
{
    if (class != class_of(rc)) {
        fail("%s returns class %d, not %d", call, class_of(rc), class);
    }
}

static void die(void)
{
    raise(SIGKILL);
}

/* Everybody is here; the victim dies. */
static void meet(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    if (VICTIM == rank) {
        die();
    }
}

/* The cases: what the last call returned, for those who live. */

static int run_lock(void)
{
    int rc;

    if (VICTIM == rank) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
        MPI_Put(buffer, 8, MPI_BYTE, 0, 0, 8, MPI_BYTE, win);
        MPI_Win_flush(0, win);
    }
    meet();
    rc = MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    return MPI_SUCCESS == rc ? MPI_Win_unlock(0, win) : rc;
}

static int run_epoch(void)
{
    int target = VICTIM == rank ? 0 : VICTIM, rc = MPI_Win_lock_all(0, win), i;

    for (i = 0; MPI_SUCCESS == rc && i < 1000000; i++) {
        MPI_Put(buffer, BYTES, MPI_BYTE, target, 0, BYTES, MPI_BYTE, win);
        MPI_Accumulate(buffer, 1000, MPI_INT, target, 0, 1000, MPI_INT, MPI_SUM, win);
        if (VICTIM == rank && 20 == i) {
            die();
        }
        rc = MPI_Win_flush(target, win);
    }
    return rc;
}

/* The victim's service thread answers until it is dead, which its lock of a file tells: the kernel ends that. */
static int run_contact(void)
{
    int file = open("/proc/self/exe", O_RDONLY), rc;

    if (VICTIM == rank) {
        flock(file, LOCK_EX);
    }
    meet();
    flock(file, LOCK_SH);
    close(file);
    rc = MPI_Win_lock(MPI_LOCK_SHARED, VICTIM, 0, win);
    if (MPI_SUCCESS == rc) {
        MPI_Get(buffer, BYTES, MPI_BYTE, VICTIM, 0, BYTES, MPI_BYTE, win);
        rc = MPI_Win_unlock(VICTIM, win);
    }
    return rc;
}

enum { LISTENERS = 16 };

static int   listeners[LISTENERS]; /* ports where this process listens, then the victim's */
static pid_t to_kill;

/* UCX binds to the loopback address for each worker, Open MPI to all. */
int listen(int fd, int backlog)
{
    static int         n;
    struct sockaddr_in at;
    socklen_t          bytes = sizeof(at);
    int (*real)(int, int);

    if (n < LISTENERS && 0 == getsockname(fd, (struct sockaddr *) &at, &bytes) &&
        AF_INET == at.sin_family && htonl(INADDR_ANY) != at.sin_addr.s_addr) {
        listeners[n++] = ntohs(at.sin_port);
    }
    *(void **) &real = dlsym(RTLD_NEXT, "listen");
    return real(fd, backlog);
}

/* Is the process in this state of /proc/PID/stat, or is there none? */
static bool is_in_state(pid_t pid, char state)
{
    char path[32], line[256] = "", *name_end;
    int  file;

    snprintf(path, sizeof(path), "/proc/%d/stat", (int) pid);
    file = open(path, O_RDONLY);
    if (0 > file) {
        return true;
    }
    (void) !read(file, line, sizeof(line) - 1);
    close(file);
    name_end = strrchr(line, ')');
    return NULL == name_end || state == name_end[2];
}

static void kill_until(pid_t pid, int signal, char state)
{
    kill(pid, signal);
    while (!is_in_state(pid, state)) {
        continue;
    }
}

/* Of UCX, for each connection. The kernel accepts it for the one to kill, which is dead before UCX sends. */
int connect(int fd, const struct sockaddr *address, socklen_t bytes)
{
    int   port  = AF_INET == address->sa_family ? ntohs(((const struct sockaddr_in *) address)->sin_port) : -1, rc, i;
    pid_t dying = 0;
    int (*real)(int, const struct sockaddr *, socklen_t);

    for (i = 0; 0 != to_kill && i < LISTENERS; i++) {
        if (port == listeners[i]) {
            dying   = to_kill;
            to_kill = 0;
            kill_until(dying, SIGSTOP, 'T');
        }
    }
    *(void **) &real = dlsym(RTLD_NEXT, "connect");
    rc               = real(fd, address, bytes);
    if (0 != dying) {
        kill_until(dying, SIGKILL, 'Z'); /* the kernel has closed what a zombie had open */
    }
    return rc;
}

/* Everybody is here. The victim dies half a second after it has stopped answering: then many messages are on their way
 * to it. The others wait until it has stopped, which its lock of a file tells. */
static void meet_and_stop(void)
{
    int   file = open("/proc/self/exe", O_RDONLY);
    pid_t self = getpid();

    if (VICTIM == rank) {
        flock(file, LOCK_EX);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (VICTIM == rank && 0 == fork()) {
        kill_until(self, SIGSTOP, 'T');
        flock(file, LOCK_UN); /* its parent's, too */
        usleep(500000);
        kill(self, SIGKILL);
        _exit(0);
    }
    while (VICTIM == rank) {
        pause();
    }
    flock(file, LOCK_SH);
    close(file);
}

/* Rank 0 connects; the others wait for the death. For one host. */
static int run_refused(void)
{
    pid_t pid = getpid();

    MPI_Bcast(&pid, sizeof(pid), MPI_BYTE, VICTIM, MPI_COMM_WORLD);
    MPI_Bcast(listeners, LISTENERS, MPI_INT, VICTIM, MPI_COMM_WORLD);
    if (VICTIM == rank) {
        pause();
    }
    if (0 == rank) {
        to_kill = pid;
    }
    while (0 != rank && !is_in_state(pid, 'Z')) {
        usleep(1000);
    }
    return MPI_Win_lock(MPI_LOCK_SHARED, VICTIM, 0, win);
}

static int run_fence(void)
{
    MPI_Win_fence(0, win);
    MPI_Put(buffer, 8, MPI_BYTE, (rank + 1) % size, 0, 8, MPI_BYTE, win);
    meet();
    return MPI_Win_fence(0, win);
}

static int run_many(void)
{
    static char results[MANY];
    MPI_Request request;
    int         rc = MPI_Win_lock_all(0, win), i;

    MPI_Put(buffer, 8, MPI_BYTE, VICTIM, 0, 8, MPI_BYTE, win);
    MPI_Win_flush(VICTIM, win);
    meet_and_stop();
    for (i = 0; MPI_SUCCESS == rc && i < MANY; i++) {
        rc = MPI_Put(buffer, 100, MPI_BYTE, VICTIM, 0, 100, MPI_BYTE, win);
        if (MPI_SUCCESS == rc) {
            rc = MPI_Get(results + i, 1, MPI_BYTE, VICTIM, i, 1, MPI_BYTE, win);
        }
        if (MPI_SUCCESS == rc && 0 == i % 100) {
            rc = MPI_Put(buffer, BYTES, MPI_BYTE, VICTIM, 0, BYTES, MPI_BYTE, win);
        }
        if (MPI_SUCCESS == rc && 1 == i % 100) {
            rc = MPI_Rget(memory, BYTES, MPI_BYTE, VICTIM, 0, BYTES, MPI_BYTE, win, &request);
            if (MPI_SUCCESS == rc) {
                MPI_Request_free(&request);
            }
        }
    }
    return MPI_SUCCESS == rc ? MPI_Win_flush_all(win) : rc;
}

/* Rank 0 waits for the victim to complete, the others for its post. */
static int run_pscw(void)
{
    static const int first = 0, victim = VICTIM;
    MPI_Group        all, group;

    MPI_Win_get_group(win, &all);
    MPI_Group_incl(all, 1, VICTIM == rank ? &first : &victim, &group);
    if (VICTIM == rank) {
        MPI_Win_start(group, 0, win);
    } else if (0 == rank) {
        MPI_Win_post(group, 0, win);
    }
    meet();
    return 0 == rank ? MPI_Win_wait(win) : MPI_Win_start(group, 0, win);
}

static int run_request(void)
{
    MPI_Request request;
    MPI_Status  status;
    int         rc = MPI_Win_lock_all(0, win);

    meet_and_stop();
    rc = MPI_Rget(buffer, BYTES, MPI_BYTE, VICTIM, 0, BYTES, MPI_BYTE, win, &request);
    if (MPI_SUCCESS == rc) {
        rc = MPI_Wait(&request, &status);
    }
    return rc;
}

/* Nobody is inside MPI when it happens. */
static int run_compute(void)
{
    double begin;

    MPI_Win_lock_all(0, win);
    meet();
    begin = MPI_Wtime();
    while (MPI_Wtime() - begin < 1.0) {
        continue;
    }
    MPI_Put(buffer, 8, MPI_BYTE, VICTIM, 0, 8, MPI_BYTE, win);
    return MPI_Win_flush(VICTIM, win);
}

static int run_free(void)
{
    MPI_Win_fence(0, win);
    meet();
    expect("MPI_Win_free", MPI_Win_free(&win), MPI_SUCCESS);
    return MPI_ERR_WIN;
}

static const struct {
    const char *name;
    int (*run)(void);
} cases[] = {
    { "lock", run_lock },   { "epoch", run_epoch },     { "contact", run_contact }, { "refused", run_refused },
    { "free", run_free },
    { "fence", run_fence }, { "many", run_many },       { "pscw", run_pscw },       { "request", run_request },
    { "compute", run_compute }
};

/* Whatever synchronizes on the window fails, at once. */
static void try_lost(void)
{
    MPI_Group group;
    int       flag;

    MPI_Win_get_group(win, &group);
    expect("MPI_Win_fence", MPI_Win_fence(0, win), MPI_ERR_WIN);
    expect("MPI_Win_lock", MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win), MPI_ERR_WIN);
    expect("MPI_Win_unlock", MPI_Win_unlock(rank, win), MPI_ERR_WIN);
    expect("MPI_Win_lock_all", MPI_Win_lock_all(0, win), MPI_ERR_WIN);
    expect("MPI_Win_unlock_all", MPI_Win_unlock_all(win), MPI_ERR_WIN);
    expect("MPI_Win_flush", MPI_Win_flush(0, win), MPI_ERR_WIN);
    expect("MPI_Win_flush_all", MPI_Win_flush_all(win), MPI_ERR_WIN);
    expect("MPI_Win_flush_local", MPI_Win_flush_local(0, win), MPI_ERR_WIN);
    expect("MPI_Win_flush_local_all", MPI_Win_flush_local_all(win), MPI_ERR_WIN);
    expect("MPI_Win_start", MPI_Win_start(group, 0, win), MPI_ERR_WIN);
    expect("MPI_Win_complete", MPI_Win_complete(win), MPI_ERR_WIN);
    expect("MPI_Win_post", MPI_Win_post(group, 0, win), MPI_ERR_WIN);
    expect("MPI_Win_wait", MPI_Win_wait(win), MPI_ERR_WIN);
    expect("MPI_Win_test", MPI_Win_test(win, &flag), MPI_ERR_WIN);
    expect("MPI_Win_free", MPI_Win_free(&win), MPI_SUCCESS);
}

/* All of a window of the survivors works: `mine` is its memory here. */
static void try_window(MPI_Win window, int *mine)
{
    int me, n, i, one = 1, sum;

    MPI_Comm_rank(survivors, &me);
    MPI_Comm_size(survivors, &n);
    expect("MPI_Win_fence", MPI_Win_fence(0, window), MPI_SUCCESS);
    mine[0] = mine[1] = 0;
    expect("MPI_Win_fence", MPI_Win_fence(0, window), MPI_SUCCESS);
    expect("MPI_Put", MPI_Put(&me, 1, MPI_INT, (me + 1) % n, 0, 1, MPI_INT, window), MPI_SUCCESS);
    expect("MPI_Win_fence", MPI_Win_fence(MPI_MODE_NOSUCCEED, window), MPI_SUCCESS);
    if (mine[0] != (me + n - 1) % n) {
        fail("%d in the window of the others", mine[0]);
    }
    for (i = 0; i < 100; i++) {
        expect("MPI_Win_lock", MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window), MPI_SUCCESS);
        expect("MPI_Accumulate", MPI_Accumulate(&one, 1, MPI_INT, 0, 1, 1, MPI_INT, MPI_SUM, window), MPI_SUCCESS);
        expect("MPI_Win_unlock", MPI_Win_unlock(0, window), MPI_SUCCESS);
    }
    MPI_Barrier(survivors);
    expect("MPI_Win_lock_all", MPI_Win_lock_all(0, window), MPI_SUCCESS);
    expect("MPI_Fetch_and_op", MPI_Fetch_and_op(NULL, &sum, MPI_INT, 0, 1, MPI_NO_OP, window), MPI_SUCCESS);
    expect("MPI_Win_unlock_all", MPI_Win_unlock_all(window), MPI_SUCCESS);
    if (100 * n != sum) {
        fail("%d additions, not %d", sum, 100 * n);
    }
    expect("MPI_Win_free", MPI_Win_free(&window), MPI_SUCCESS);
}

int main(int argc, char **argv)
{
    const char *name  = argc > 1 ? argv[1] : "";
    int         level = argc > 2 && 0 == strcmp(argv[2], "threads") ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE;
    int        *shares, *more, rc = MPI_SUCCESS;
    double      begin, told;
    size_t      i;
    MPI_Win     another;

    MPI_Init_thread(&argc, &argv, level, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_split(MPI_COMM_WORLD, VICTIM == rank ? MPI_UNDEFINED : 0, rank, &survivors);
    MPI_Win_create(memory, BYTES, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    if (VICTIM != rank) {
        MPI_Win_allocate(2 * sizeof(int), sizeof(int), MPI_INFO_NULL, survivors, &shares, &other);
        MPI_Win_set_errhandler(other, MPI_ERRORS_RETURN);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    begin = MPI_Wtime();
    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        if (0 == strcmp(name, cases[i].name)) {
            rc = cases[i].run();
        }
    }
    told = MPI_Wtime() - begin;
    expect(name, rc, MPI_ERR_WIN);
    if (MPI_WIN_NULL != win) {
        try_lost();
    }
    try_window(other, shares);
    rc = MPI_Win_allocate(2 * sizeof(int), sizeof(int), MPI_INFO_NULL, survivors, &more, &another);
    expect("MPI_Win_allocate", rc, MPI_SUCCESS);
    try_window(another, more);
    printf("survived: rank %d, told after %.2f s\n", rank, told);
    fflush(stdout);
    MPI_Barrier(survivors);
    _exit(0); /* MPI_Finalize of Open MPI 4.1 mostly waits for the dead */
}
