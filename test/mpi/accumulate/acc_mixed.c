/* Atomicity across calls: fetch_and_op against bulk accumulates on the same words; fetched values only grow. Then the
 * same while the target computes: what it adds itself, what a process of its node adds by the kernel's copies, and what
 * others add by message.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

#include <sys/uio.h>
#include <unistd.h>

enum { ROUNDS = 60, COUNT = 4096, SHORT = 256, ADDED_MIN = 10 };

/* Even ranks add in bulk, odd ones (or all, if alone) fetch and add to single words of the same range. What one
 * process fetches never goes down, and the end is the sum of all. */
#define TEST_MIX(ctype, mpitype)                                                                                  \
    static void mix_##ctype(struct test_window *window)                                                           \
    {                                                                                                             \
        const ctype *memory = (const ctype *) window->base;                                                       \
        ctype *ones = malloc(COUNT * sizeof(ctype)), was, last[16] = {0}, wanted, read;                           \
        int fetches = test_rank % 2 || 1 == test_size, bulks = 0 == test_rank % 2;                                \
        int fetchers = 1 == test_size ? 1 : test_size / 2, adders = (test_size + 1) / 2;                          \
                                                                                                                  \
        for (int i = 0; i < COUNT; i++) {                                                                         \
            ones[i] = 1;                                                                                          \
        }                                                                                                         \
        MPI_Win_lock_all(0, window->win);                                                                         \
        for (int round = 0; round < ROUNDS; round++) {                                                            \
            if (bulks) {                                                                                          \
                MPI_Accumulate(ones, COUNT, mpitype, 0, test_at(window, 0, 0), COUNT, mpitype, MPI_SUM,           \
                               window->win);                                                                      \
            }                                                                                                     \
            for (int i = 0; fetches && i < 16; i++) {                                                             \
                MPI_Aint disp = test_at(window, 0, i * 255 * sizeof(ctype));                                      \
                                                                                                                  \
                MPI_Fetch_and_op(ones, &was, mpitype, 0, disp, MPI_SUM, window->win);                             \
                MPI_Win_flush(0, window->win);                                                                    \
                MPI_Fetch_and_op(NULL, &read, mpitype, 0, disp, MPI_NO_OP, window->win);                          \
                MPI_Win_flush(0, window->win);                                                                    \
                CHECK(was >= last[i] && read > was, "%s: %g after %g, then %g", #ctype, (double) was,             \
                      (double) last[i], (double) read);                                                           \
                last[i] = was + 1;                                                                                \
            }                                                                                                     \
        }                                                                                                         \
        MPI_Win_unlock_all(window->win);                                                                          \
        MPI_Barrier(MPI_COMM_WORLD);                                                                              \
        MPI_Win_lock(MPI_LOCK_SHARED, test_rank, 0, window->win);                                                 \
        for (int i = 0; 0 == test_rank && i < COUNT; i++) {                                                       \
            wanted = ROUNDS * (adders + (0 == i % 255 && i / 255 < 16 ? fetchers : 0));                           \
            CHECK(wanted == memory[i], "%s: element %d is %g, not %g", #ctype, i, (double) memory[i],             \
                  (double) wanted);                                                                               \
        }                                                                                                         \
        MPI_Win_unlock(test_rank, window->win);                                                                   \
        free(ones);                                                                                               \
    }

TEST_MIX(double, MPI_DOUBLE)
TEST_MIX(float, MPI_FLOAT)
TEST_MIX(int64_t, MPI_INT64_T)
TEST_MIX(int32_t, MPI_INT32_T)
TEST_MIX(uint16_t, MPI_UINT16_T)

/* Does the kernel let rank 1 copy from rank 0? Where they share no memory, as by UCX_TLS, they do not ask. */
static int kernel_copies(void)
{
    struct { void *address; long pid; } target = {&target.pid, getpid()};
    struct iovec here, there;
    long found = 0;

    MPI_Bcast(&target, sizeof(target), MPI_BYTE, 0, MPI_COMM_WORLD);
    here = (struct iovec) {&found, sizeof(found)};
    there = (struct iovec) {target.address, sizeof(found)};
    return 1 == test_rank && NULL == getenv("UCX_TLS") &&
           sizeof(found) == process_vm_readv((pid_t) target.pid, &here, 1, &there, 1, 0) && found == target.pid;
}

/* For a while, but some times at least, all add to the first word of rank 0, and others to those behind it, too. Rank 0
 * computes in between. Returns how often this process has added. */
static long add_for_a_while(struct test_window *window)
{
    const double end = MPI_Wtime() + 0.3;
    long one[SHORT], was, last = -1, added = 0;

    for (int i = 0; i < SHORT; i++) {
        one[i] = 1;
    }
    for (; MPI_Wtime() < end || added < ADDED_MIN; added++) {
        if (0 == test_rank) {
            test_compute(20e-6);
        }
        if (0 == test_rank || added % 2) {
            MPI_Fetch_and_op(one, &was, MPI_LONG, 0, test_at(window, 0, 0), MPI_SUM, window->win);
            MPI_Win_flush(0, window->win);
            CHECK(was > last, "%ld after %ld", was, last);
            last = was;
        } else {
            MPI_Accumulate(one, SHORT, MPI_LONG, 0, test_at(window, 0, 0), SHORT, MPI_LONG, MPI_SUM, window->win);
            MPI_Win_flush(0, window->win);
        }
    }
    return added;
}

static void compute(enum test_flavor flavor)
{
    struct test_window window;
    MPI_T_pvar_session session;
    MPI_T_pvar_handle direct;
    unsigned long long copied = 0;
    long added, sum;
    int copies = kernel_copies();

    test_window_open(&window, flavor, SHORT * sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD);
    MPI_OK(MPI_T_pvar_session_create(&session));
    direct = test_window_counter(session, "osc_ucp_operations_direct", window.win);
    MPI_Win_lock_all(0, window.win);
    added = add_for_a_while(&window);
    MPI_Win_unlock_all(window.win);
    MPI_OK(MPI_T_pvar_read(session, direct, &copied));
    CHECK(!copies || 0 != copied, "%s: the kernel has copied for none of %ld", test_flavor_name[flavor], added);
    MPI_OK(MPI_T_pvar_session_free(&session));
    MPI_Allreduce(&added, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, test_rank, 0, window.win);
    CHECK(0 != test_rank || sum == *(long *) window.base, "%s: %ld added, not %ld", test_flavor_name[flavor],
          *(long *) window.base, sum);
    MPI_Win_unlock(test_rank, window.win);
    test_window_close(&window);
}

int main(int argc, char **argv)
{
    int provided;
    static void (*const mixes[])(struct test_window *) = {mix_double, mix_float, mix_int64_t, mix_int32_t,
                                                          mix_uint16_t};
    struct test_window window;

    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    test_init(&argc, &argv);
    for (enum test_flavor flavor = 0; flavor < TEST_FLAVORS; flavor++) {
        for (size_t i = 0; test_has_flavor(MPI_COMM_WORLD, flavor) && i < sizeof(mixes) / sizeof(mixes[0]); i++) {
            test_window_open(&window, flavor, COUNT * 8, MPI_INFO_NULL, MPI_COMM_WORLD);
            mixes[i](&window);
            test_window_close(&window);
        }
    }
    for (enum test_flavor flavor = 0; flavor < TEST_FLAVORS; flavor++) {
        if (test_has_flavor(MPI_COMM_WORLD, flavor) && (TEST_CREATE == flavor || TEST_DYNAMIC == flavor)) {
            compute(flavor);
        }
    }
    MPI_T_finalize();
    return test_finish();
}
