/* Over verbs, put + flush and get + flush cost as many packets as in a bare UCX program, none of them a send, while the
 * target calls no MPI and its service thread sleeps: the device's own counters tell.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Both processes are on the machine of contrib/softroce, where the device rxe0 counts what either of them sends.
 */
#include "bare_ucx.h"

#include <unistd.h>

#define COUNTERS "/sys/class/infiniband/rxe0/ports/1/hw_counters/"

enum { TIMES = 16, TRIES = 10, ROOM = 200000, FLAG = ROOM, WINDOW = ROOM + 64 };

enum what { PUT, GET };
static const char *const what_name[] = {"put", "get"};

static long counter(const char *name)
{
    char path[128];
    long value = -1;
    FILE *file;

    snprintf(path, sizeof(path), COUNTERS "%s", name);
    file = fopen(path, "r");
    if (NULL != file) {
        CHECK(1 == fscanf(file, "%ld", &value), "cannot read %s", path);
        fclose(file);
    }
    return value;
}

/** Counters are kept for ten milliseconds, unless one says otherwise. */
static void always_read(void)
{
    FILE *file = fopen(COUNTERS "lifespan", "w");

    if (NULL != file) {
        fputs("0", file);
        fclose(file);
    }
}

/** How often packets were sent again: the guest is slow, and nothing can be compared then. */
static long retries(void)
{
    return counter("completer_retry_err") + counter("duplicate_request") + counter("out_of_seq_request") +
           counter("rcvd_rnr_err");
}

static unsigned char buffer[ROOM];
static MPI_Win win;
static struct bare bare;

static void by_mpi(enum what what, int size)
{
    if (PUT == what) {
        MPI_OK(MPI_Put(buffer, size, MPI_BYTE, 1, 0, size, MPI_BYTE, win));
    } else {
        MPI_OK(MPI_Get(buffer, size, MPI_BYTE, 1, 0, size, MPI_BYTE, win));
    }
    MPI_OK(MPI_Win_flush(1, win));
}

static void by_ucx(enum what what, int size)
{
    if (PUT == what) {
        bare_put(&bare, buffer, (size_t) size);
    } else {
        bare_get(&bare, buffer, (size_t) size);
    }
    bare_flush(&bare);
}

/** Packets that TIMES operations take: what two tries agree on, since some are disturbed; -1 if none do. */
static long packets(void (*operation)(enum what what, int size), enum what what, int size, long *sends_p)
{
    long seen[TRIES], sent, sends, again;

    operation(what, size); /* whatever is done once */
    for (int try = 0; try < TRIES; try++) {
        usleep(20000);
        again = retries();
        sent = counter("sent_pkts");
        sends = counter("rdma_sends");
        for (int i = 0; i < TIMES; i++) {
            operation(what, size);
        }
        usleep(20000); /* the last acknowledgements, and the age of the counters */
        *sends_p = counter("rdma_sends") - sends;
        seen[try] = counter("sent_pkts") - sent;
        if (again != retries() || seen[try] < TIMES) {
            seen[try] = -1;
        }
        for (int i = 0; i < try && seen[try] > 0; i++) {
            if (seen[i] == seen[try]) {
                return seen[try];
            }
        }
    }
    return -1;
}

static void compare(const char *call)
{
    static const int sizes[] = {8, 100, 4096, 30000, 150000};

    for (enum what what = PUT; what <= GET; what++) {
        for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
            long sends, sends_of_bare, ours, theirs;

            ours = packets(by_mpi, what, sizes[i], &sends);
            theirs = packets(by_ucx, what, sizes[i], &sends_of_bare);
            printf("%s: %d times %s of %d bytes: %ld packets, bare UCX %ld; sends: %ld\n", call, TIMES,
                   what_name[what], sizes[i], ours, theirs, sends);
            CHECK(ours == theirs && ours > 0, "%s: %s of %d bytes: %ld packets, bare UCX %ld", call, what_name[what],
                  sizes[i], ours, theirs);
            CHECK(0 == sends, "%s: %s of %d bytes: %ld sends", call, what_name[what], sizes[i], sends);
        }
    }
}

/** How often this process's service thread woke up. */
static struct test_counter wakeups;

/** No MPI until the origin's last put has set the flag. */
static void be_passive(const char *call, volatile unsigned char *memory)
{
    unsigned long long before = test_counter_read(&wakeups);

    while (0 == memory[FLAG]) {
        usleep(1000);
    }
    CHECK(before == test_counter_read(&wakeups), "%s: the target's service thread woke up %llu times", call,
          test_counter_read(&wakeups) - before);
    for (int i = 0; i < 150000; i++) {
        if (test_byte(0, 7, (size_t) i) != memory[i]) {
            CHECK(0, "%s: byte %d is wrong", call, i);
            break;
        }
    }
}

static void run(const char *call, unsigned char *memory)
{
    memset(memory, 0, WINDOW);
    memset(bare.memory, 0, WINDOW);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
    MPI_Barrier(MPI_COMM_WORLD);
    if (0 == test_rank) {
        by_mpi(PUT, 8); /* first contact needs the target's service side: it is inside MPI, or has its thread */
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (0 == test_rank) {
        unsigned char one = 1;

        usleep(50000); /* the barrier is over there, too */
        compare(call);
        test_fill(buffer, 150000, 0, 7);
        by_mpi(PUT, 150000);
        MPI_OK(MPI_Put(&one, 1, MPI_BYTE, 1, FLAG, 1, MPI_BYTE, win));
        MPI_OK(MPI_Win_flush(1, win));
    } else {
        be_passive(call, memory);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
}

int main(int argc, char **argv)
{
    unsigned char *memory = malloc(WINDOW);

    test_init(&argc, &argv);
    if (2 != test_size || 0 != access(COUNTERS "sent_pkts", R_OK)) {
        test_skip("needs two processes and the device rxe0");
    }
    always_read();
    test_counter_open(&wakeups, "osc_ucp_service_wakeups");
    bare_open(&bare, WINDOW);
    MPI_OK(MPI_Win_create(memory, WINDOW, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    run("create", memory);
    free(memory);
    MPI_OK(MPI_Win_allocate(WINDOW, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win));
    run("allocate", memory);
    bare_close(&bare);
    test_counter_close(&wakeups);
    return test_finish();
}
