/* Long puts and gets on a target of the same node that polls inside MPI, comes and goes, computes, or is stopped: the
 * target may copy a part of them, and what arrives is right, also where the origin's buffer is used again at once, and
 * where the kernel refuses to copy for one of the two from some time on.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The program has a process_vm_readv and _writev of its own, which the component finds before the C library's.
 */
#include "polled.h"

#include <dlfcn.h>
#include <errno.h>
#include <sys/uio.h>

enum { LONGEST = 3 << 20, ROOM = LONGEST + 4096 };

static const int sizes[] = { 131071, 131072, 131073, 196608, 262145, 1 << 20, (1 << 20) + 4097, LONGEST };

static unsigned char *mine, *got;
static MPI_Win win;
static int refusing, refused;

typedef ssize_t copy_t(pid_t pid, const struct iovec *here, unsigned long heres, const struct iovec *there,
                       unsigned long theres, unsigned long flags);

static copy_t *copy_next(const char *name)
{
    copy_t *next;

    if (__atomic_load_n(&refusing, __ATOMIC_RELAXED)) {
        __atomic_add_fetch(&refused, 1, __ATOMIC_RELAXED);
        return NULL;
    }
    *(void **) &next = dlsym(RTLD_NEXT, name);
    return next;
}

static ssize_t copy(const char *name, pid_t pid, const struct iovec *here, unsigned long heres,
                    const struct iovec *there, unsigned long theres, unsigned long flags)
{
    copy_t *next = copy_next(name);

    errno = EPERM;
    return NULL == next ? -1 : next(pid, here, heres, there, theres, flags);
}

__attribute__((visibility("default")))
ssize_t process_vm_readv(pid_t pid, const struct iovec *here, unsigned long heres, const struct iovec *there,
                         unsigned long theres, unsigned long flags)
{
    return copy("process_vm_readv", pid, here, heres, there, theres, flags);
}

__attribute__((visibility("default")))
ssize_t process_vm_writev(pid_t pid, const struct iovec *here, unsigned long heres, const struct iovec *there,
                          unsigned long theres, unsigned long flags)
{
    return copy("process_vm_writev", pid, here, heres, there, theres, flags);
}

static unsigned char byte_of(int i, int seed)
{
    return (unsigned char) (i * 31 + (i >> 8) * 7 + seed);
}

/** Put, use the buffer again, get, and compare, with a byte on either side that must stay. */
static void transfer(int bytes, int seed)
{
    MPI_Aint disp = (MPI_Aint) test_rank * ROOM + 1 + seed % 64;
    int wrong = 0;

    for (int i = 0; i < bytes; i++) {
        mine[i] = byte_of(i, seed);
    }
    MPI_OK(MPI_Put(mine, bytes, MPI_BYTE, 0, disp, bytes, MPI_BYTE, win));
    MPI_OK(MPI_Win_flush_local(0, win));
    memset(mine, 0x55, (size_t) bytes);
    MPI_OK(MPI_Win_flush(0, win));
    memset(got, 0xaa, ROOM);
    MPI_OK(MPI_Get(got + 3, bytes, MPI_BYTE, 0, disp, bytes, MPI_BYTE, win));
    MPI_OK(MPI_Win_flush(0, win));
    for (int i = 0; i < bytes; i++) {
        wrong += got[3 + i] != byte_of(i, seed);
    }
    CHECK(0 == wrong, "%d of %d bytes are wrong, with seed %d", wrong, bytes, seed);
    CHECK(0xaa == got[2] && 0xaa == got[3 + bytes], "more than %d bytes were read", bytes);
}

static void work(int n)
{
    transfer(sizes[n % (int) (sizeof(sizes) / sizeof(sizes[0]))], n + test_rank);
}

/** Collective: may the kernel copy between all processes and rank 0, and has each a processor? */
static int can_share(void)
{
    long word = 7, seen = 0, there[2] = { getpid(), (long) (intptr_t) &word };
    int can = 1, all = 0;
    long *others = calloc(2 * (size_t) test_size, sizeof(long));
    struct iovec here = { &seen, sizeof(seen) };

    MPI_Allgather(there, 2, MPI_LONG, others, 2, MPI_LONG, MPI_COMM_WORLD);
    for (int i = 0; i < test_size; i++) {
        struct iovec other = { (void *) (intptr_t) others[2 * i + 1], sizeof(seen) };

        can = can && sizeof(seen) == process_vm_readv((pid_t) others[2 * i], &here, 1, &other, 1, 0) && 7 == seen;
    }
    can = can && polled_possible();
    MPI_Allreduce(&can, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    free(others);
    return all;
}

static void window_open(void)
{
    static unsigned char *memory;
    MPI_Aint bytes = 0 == test_rank ? (MPI_Aint) test_size * ROOM : 0;

    if (NULL == memory) {
        memory = calloc(1, ROOM * (size_t) test_size);
    }
    MPI_OK(MPI_Win_create(memory, bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    MPI_OK(MPI_Win_lock_all(0, win));
}

static void window_close(void)
{
    MPI_OK(MPI_Win_unlock_all(win));
    MPI_OK(MPI_Win_free(&win));
}

/** A window on which the kernel refuses to copy for this process, if it `refuses`, when copies have been made. */
static void refusals(int refuses)
{
    window_open();
    polled_phase(work, 0, 0, 0);
    __atomic_store_n(&refusing, refuses, __ATOMIC_RELAXED);
    polled_phase(work, 0, 0, 0.1);
    __atomic_store_n(&refusing, 0, __ATOMIC_RELAXED);
    window_close();
}

int main(int argc, char **argv)
{
    struct test_counter shared = { .open = 0 };
    int expected, tries;

    test_init(&argc, &argv);
    test_needs(2);
    mine = calloc(1, ROOM);
    got  = calloc(1, ROOM);
#ifndef __SANITIZE_ADDRESS__
    test_counter_open(&shared, "osc_ucp_copies_shared");
#endif
    expected = polled_so(shared.open) && can_share();
    window_open();
    if (expected) {
        polled_counts(work, 0.3, &shared);
    } else {
        polled_phase(work, 0, 0, 0.3);
    }
    polled_phase(work, 20e-6, 0, 0.3);
    polled_phase(work, 2e-3, 0, 0.3);
    polled_phase(work, 0, 1, 0.5);
    window_close();
    for (tries = 0; tries < 30 && polled_so(0 == tries || (expected && 0 == refused)); tries++) {
        refusals(0 == test_rank);
    }
    CHECK(tries < 30, "a target that polled was not refused a copy");
    refusals(0 != test_rank);
    if (shared.open) {
        test_counter_close(&shared);
    }
    free(mine);
    free(got);
    return test_finish();
}
