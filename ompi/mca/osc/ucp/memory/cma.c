/* cma: copies between processes of one node by the kernel.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "memory/cma.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__)
#include <sys/auxv.h>
#endif

#include "base/cpu.h"
#include "memory/arena.h"
#include "op/stripes.h"

/** Add a piece to one side. */
static void side_add(struct iovec *side, unsigned *n, uintptr_t at, uint64_t bytes)
{
    struct iovec *last = &side[*n - 1];

    if (*n > 0 && (uintptr_t) last->iov_base + last->iov_len == at) {
        last->iov_len += bytes;
    } else {
        side[(*n)++] = (struct iovec) { .iov_base = (void *) at, .iov_len = bytes };
    }
}

void ompi_osc_ucp_cma_add(ompi_osc_ucp_cma_vector_t *vector, void *here, uint64_t there, uint64_t bytes)
{
    side_add(vector->here, &vector->nhere, (uintptr_t) here, bytes);
    side_add(vector->there, &vector->nthere, (uintptr_t) there, bytes);
    vector->bytes += bytes;
}

void ompi_osc_ucp_cma_add_apart(ompi_osc_ucp_cma_vector_t *vector, void *here, uint64_t there, uint64_t bytes)
{
    vector->here[vector->nhere++] = (struct iovec) { .iov_base = here, .iov_len = bytes };
    side_add(vector->there, &vector->nthere, there, bytes);
    vector->bytes += bytes;
}

bool ompi_osc_ucp_cma_copy(int32_t pid, bool write, const ompi_osc_ucp_cma_vector_t *vector)
{
    ssize_t n = write ? process_vm_writev(pid, vector->here, vector->nhere, vector->there, vector->nthere, 0)
                      : process_vm_readv(pid, vector->here, vector->nhere, vector->there, vector->nthere, 0);

    ompi_osc_ucp_fence_memory();
    if (n >= 0 && (uint64_t) n != vector->bytes) {
        errno = EFAULT; /* a part of it */
    }
    return n >= 0 && (uint64_t) n == vector->bytes;
}

bool ompi_osc_ucp_cma_reaches(int32_t pid, uint64_t address, uint64_t number)
{
    ompi_osc_ucp_cma_vector_t vector;
    uint64_t                  found;

    ompi_osc_ucp_cma_begin(&vector);
    ompi_osc_ucp_cma_add(&vector, &found, address, sizeof(found));
    return 0 != address && ompi_osc_ucp_cma_copy(pid, false, &vector) && number == found;
}

/** Is it not there, or is it another program? By the number of a thread, or of a process, which is its first thread. */
static bool thread_is_gone(int32_t tid, uint64_t address, uint64_t number)
{
    errno = 0; /* it stays 0 if there is another number */
    return !ompi_osc_ucp_cma_reaches(tid, address, number) && (0 == errno || ESRCH == errno || EFAULT == errno);
}

/** Are all other threads of the process gone, too? If its first one has ended, the kernel finds its memory by these. */
static bool threads_are_gone(int32_t pid, uint64_t address, uint64_t number)
{
    char           path[32];
    DIR           *threads;
    struct dirent *entry;
    int32_t        tid;
    bool           gone = true;

    snprintf(path, sizeof(path), "/proc/%d/task", (int) pid);
    threads = opendir(path);
    if (NULL == threads) {
        return ENOENT == errno;
    }
    while (gone && NULL != (entry = readdir(threads))) {
        tid  = (int32_t) strtol(entry->d_name, NULL, 10); /* 0: . and .. */
        gone = 0 == tid || pid == tid || thread_is_gone(tid, address, number);
    }
    closedir(threads);
    return gone;
}

bool ompi_osc_ucp_cma_gone(int32_t pid, uint64_t address, uint64_t number)
{
    return thread_is_gone(pid, address, number) && (ESRCH != errno || threads_are_gone(pid, address, number));
}

/** Nobody has mapped it: another process has another one, or none, at this address. */
static uint64_t self_number;

static bool holder_is_gone(const ompi_osc_ucp_stripe_holder_t *holder)
{
    return ompi_osc_ucp_cma_gone(holder->pid, holder->address, holder->number);
}

static void self_make(void)
{
    static ompi_osc_ucp_stripe_holder_t holder;
    struct stat                         space;

    self_number = ompi_osc_ucp_nonce() | 1;
    if (0 == stat("/proc/self/ns/pid", &space)) {
        holder = (ompi_osc_ucp_stripe_holder_t) {
            .address = (uint64_t) (uintptr_t) &self_number, .number = self_number, .space = space.st_ino,
            .pid     = getpid()
        };
        ompi_osc_ucp_stripe_introduce(&holder, holder_is_gone);
    }
}

ompi_osc_ucp_cma_self_t ompi_osc_ucp_cma_self(void)
{
    static pthread_once_t made = PTHREAD_ONCE_INIT;

    (void) pthread_once(&made, self_make);
    return (ompi_osc_ucp_cma_self_t) {
        .address = (uint64_t) (uintptr_t) &self_number, .number = self_number, .pid = getpid()
    };
}

/* Elsewhere than under ptrace_scope 1 it changes nothing, and the number may be changed later. Not all of a job are
 * children of one another, so only any process can be named. */
void ompi_osc_ucp_cma_admit(void)
{
    static bool admitted;

    if (!__atomic_load_n(&admitted, __ATOMIC_RELAXED)) {
        (void) ompi_osc_ucp_cma_self(); /* so that others do not wait for ever for stripes of this process's */
        (void) prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0); /* EINVAL: there is no Yama */
        __atomic_store_n(&admitted, true, __ATOMIC_RELAXED);       /* done, for a thread that sees it */
    }
}

bool ompi_osc_ucp_cma_permits(int32_t pid, uint64_t address, uint64_t number)
{
    static bool               writes; /* only a filter of this process makes a difference between reads and writes */
    ompi_osc_ucp_cma_vector_t vector;

    if (!ompi_osc_ucp_cma_reaches(pid, address, number)) {
        return false;
    }
    if (!__atomic_load_n(&writes, __ATOMIC_RELAXED)) {
        ompi_osc_ucp_cma_begin(&vector);
        ompi_osc_ucp_cma_add(&vector, &number, address, sizeof(number));
        __atomic_store_n(&writes, ompi_osc_ucp_cma_copy(pid, true, &vector), __ATOMIC_RELAXED);
    }
    return __atomic_load_n(&writes, __ATOMIC_RELAXED);
}

static bool refused;

void ompi_osc_ucp_cma_refuse(void)
{
    __atomic_store_n(&refused, true, __ATOMIC_RELAXED);
}

bool ompi_osc_ucp_cma_refused(void)
{
    return __atomic_load_n(&refused, __ATOMIC_RELAXED);
}

/** No page is smaller. Bytes. */
#define PAGE_MIN 4096

bool ompi_osc_ucp_cma_copies(const void *memory, uint64_t bytes)
{
    ompi_osc_ucp_cma_vector_t vector;
    const uint64_t            first = (uint64_t) (uintptr_t) memory, last = first + bytes - 1;
    char                      ends[3];

    if (0 == bytes) {
        return true;
    }
    ompi_osc_ucp_cma_begin(&vector);
    ompi_osc_ucp_cma_add(&vector, &ends[0], first, 1);
    if (first / PAGE_MIN != last / PAGE_MIN) {
        ompi_osc_ucp_cma_add(&vector, &ends[2], last, 1);
    }
    if (ompi_osc_ucp_cma_copy(getpid(), false, &vector)) {
        return true;
    }
    if (EFAULT != errno) {
        ompi_osc_ucp_cma_refuse();
    }
    return false;
}

#if defined(__x86_64__)

/** Does the processor move short strings fast? */
static bool moves_fast(void)
{
    enum { LEAF = 7, FAST_SHORT_MOVES = 1 << 4 };
    unsigned a, b, c, d;

    return __get_cpuid_count(LEAF, 0, &a, &b, &c, &d) && 0 != (d & FAST_SHORT_MOVES);
}

/* From 6.4 on the kernel copies by one string instruction where the processor has short ones that are fast; else, and
 * in older kernels, less than 8 bytes one by one. Such an instruction stores a short element at once. */
static unsigned whole_here(void)
{
    unsigned       major = 0, minor = 0;
    struct utsname kernel;

    return moves_fast() && 0 == uname(&kernel) && 2 == sscanf(kernel.release, "%u.%u", &major, &minor) &&
           (major > 6 || (6 == major && minor >= 4)) ? OMPI_OSC_UCP_CMA_WHOLE_ALL : 8;
}

const char *ompi_osc_ucp_cma_tears(void)
{
    return moves_fast() ? "the kernel is older than Linux 6.4" : "the processor has no fast short moves (fsrm)";
}

#elif defined(__aarch64__)

/* The kernel copies the last 8, 4, 2 and 1 bytes by one instruction each. But if the processor has instructions that
 * copy memory, a newer kernel may use these, and they promise nothing about elements. */
static unsigned whole_here(void)
{
    const unsigned long copies = 1ul << 43; /* HWCAP2_MOPS, which older headers lack */

    return 0 != (getauxval(AT_HWCAP2) & copies) ? 0 : OMPI_OSC_UCP_CMA_WHOLE_ALL;
}

const char *ompi_osc_ucp_cma_tears(void)
{
    return "the processor has instructions that copy memory (mops)";
}

#else

/* Not known. */
static unsigned whole_here(void)
{
    return 8;
}

const char *ompi_osc_ucp_cma_tears(void)
{
    return "this kind of processor was not tried";
}

#endif

unsigned ompi_osc_ucp_cma_whole(void)
{
    static int whole = -1; /* the same for all threads that find it out */
    int        known = __atomic_load_n(&whole, __ATOMIC_RELAXED);

    if (known < 0) {
        known = (int) whole_here();
        __atomic_store_n(&whole, known, __ATOMIC_RELAXED);
    }
    return (unsigned) known;
}
