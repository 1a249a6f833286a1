/* A lean window whose members find, after they have agreed on it, that one of them cannot attach its segment, or that
 * the kernel does not copy for one of them: they make it in another way, and it works. So do the windows after it.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "lean.h"
#include "windows.h"

#include <dlfcn.h>
#include <errno.h>
#include <sys/shm.h>

enum { BYTES = 4096, LARGE = 1 << 20, WINDOWS = 3 };

/** What fails at this process. These functions stand before those of libc. */
static int no_segments, refused;
static enum { COPIES, NOT_FROM_OTHERS, NO_COPIES } copies;

__attribute__((visibility("default")))
void *shmat(int id, const void *address, int flags)
{
    static void *(*next)(int, const void *, int);

    if (no_segments) {
        refused++;
        errno = EINVAL;
        return (void *) -1;
    }
    *(void **) &next = dlsym(RTLD_NEXT, "shmat");
    return next(id, address, flags);
}

__attribute__((visibility("default")))
ssize_t process_vm_readv(pid_t pid, const struct iovec *here, unsigned long nhere, const struct iovec *there,
                         unsigned long nthere, unsigned long flags)
{
    static ssize_t (*next)(pid_t, const struct iovec *, unsigned long, const struct iovec *, unsigned long,
                           unsigned long);

    if (NO_COPIES == copies || (NOT_FROM_OTHERS == copies && getpid() != pid)) {
        refused++;
        errno = EPERM;
        return -1;
    }
    *(void **) &next = dlsym(RTLD_NEXT, "process_vm_readv");
    return next(pid, here, nhere, there, nthere, flags);
}

static void use(struct test_window *window, const char *what)
{
    long value = 100 + test_rank, found = 0;
    int right = test_neighbour(1), left = test_neighbour(-1);

    MPI_OK(MPI_Win_fence(0, window->win));
    MPI_OK(MPI_Accumulate(&value, 1, MPI_LONG, right, test_at(window, right, 8), 1, MPI_LONG, MPI_SUM, window->win));
    MPI_OK(MPI_Win_fence(0, window->win));
    memcpy(&found, window->base + 8, sizeof(found));
    CHECK(100 + left == found, "%s, %s: %ld was added", what, test_flavor_name[window->flavor], found);
    MPI_OK(MPI_Win_lock(MPI_LOCK_SHARED, right, 0, window->win));
    MPI_OK(MPI_Get(&found, 1, MPI_LONG, right, test_at(window, right, 8), 1, MPI_LONG, window->win));
    MPI_OK(MPI_Win_unlock(right, window->win));
    CHECK(100 + test_rank == found, "%s, %s: %ld was got", what, test_flavor_name[window->flavor], found);
    MPI_Barrier(MPI_COMM_WORLD);
}

/** Windows of all kinds, several at a time, small and large. */
static void windows(const char *what)
{
    struct test_window window[WINDOWS];

    for (int flavor = 0; flavor < TEST_FLAVORS; flavor++) {
        if (!test_has_flavor(MPI_COMM_WORLD, flavor)) {
            continue;
        }
        for (int i = 0; i < WINDOWS; i++) {
            test_window_open(&window[i], flavor, 1 == i ? LARGE : BYTES, MPI_INFO_NULL, MPI_COMM_WORLD);
        }
        for (int i = 0; i < WINDOWS; i++) {
            use(&window[i], what);
        }
        for (int i = 0; i < WINDOWS; i++) {
            test_window_close(&window[i]);
        }
    }
}

int main(int argc, char **argv)
{
    int lean;

    test_init(&argc, &argv);
    lean = test_copies_whole() && test_copies();
    for (int last = NOT_FROM_OTHERS; last <= NO_COPIES; last++) {
        copies = test_size / 2 == test_rank ? last : COPIES;
        refused = 0;
        windows("no copies");
        CHECK(COPIES == copies || !lean || refused > 0, "copies were never refused");
        copies = COPIES;
        windows("copies again");
    }
    no_segments = test_size - 1 == test_rank;
    refused = 0;
    windows("no segments");
    CHECK(!no_segments || refused > 0, "segments were never refused");
    no_segments = 0;
    windows("segments again");
    return test_finish();
}
