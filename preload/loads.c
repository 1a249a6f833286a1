/* Loads and stores of a program that was compiled with -fsanitize=thread: this library defines what the compiler calls,
 * in place of ThreadSanitizer's own library.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Atomic operations are in preload/atomics.c. Calls of memcpy, memmove and memset are taken, too, if the code that
 * calls them was compiled so.
 */

#include "preload/loads.h"

#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <string.h>

mca_osc_ucp_loads_t osc_ucp_check_loads = { .version = MCA_OSC_UCP_LOADS_VERSION, .watched = loads_watched };

uint32_t loads_watched[MCA_OSC_UCP_LOADS_PAGES];

/** This thread tells already: the checker may be interrupted by a handler of a signal. */
static _Thread_local bool inside __attribute__((tls_model("initial-exec")));

void loads_tell(const void *at, size_t size, unsigned how, const void *pc)
{
    void (*seen)(uintptr_t, size_t, unsigned, const void *) = __atomic_load_n(&osc_ucp_check_loads.seen,
                                                                              __ATOMIC_ACQUIRE);

    if (NULL != seen && !inside) {
        inside = true;
        seen((uintptr_t) at, size, how, pc);
        inside = false;
    }
}

/** An access of any size. */
static void range_seen(const void *at, size_t size, unsigned how, const void *pc)
{
    uintptr_t page = (uintptr_t) at >> 12, last = ((uintptr_t) at + size - 1) >> 12;
    uint32_t  n    = last - page < MCA_OSC_UCP_LOADS_PAGES ? (uint32_t) (last - page) + 1 : MCA_OSC_UCP_LOADS_PAGES;

    for (; 0 != size && n > 0; page++, n--) {
        if (0 != __atomic_load_n(&loads_watched[page % MCA_OSC_UCP_LOADS_PAGES], __ATOMIC_RELAXED)) {
            loads_tell(at, size, how, pc);
            return;
        }
    }
}

/* Binaries that were compiled so. */

#define BINARIES 64

/** Where their code is; of more binaries, calls of memcpy and the like are not seen. */
static struct {
    uintptr_t first, end;
} binaries[BINARIES];
static uint32_t nbinaries;

/** Does it come from one? */
static bool is_compiled(const void *pc)
{
    uint32_t n = __atomic_load_n(&nbinaries, __ATOMIC_ACQUIRE), i;

    for (i = 0; i < n && i < BINARIES; i++) {
        if ((uintptr_t) pc - binaries[i].first < binaries[i].end - binaries[i].first) {
            return true;
        }
    }
    return false;
}

/** Note the binary that has the code at `arg`. The loader's lock is held: one thread at a time. */
static int binary_note(struct dl_phdr_info *info, size_t size, void *arg)
{
    uintptr_t pc = (uintptr_t) arg, first;
    uint32_t  n  = nbinaries;
    int       i;

    (void) size;
    for (i = 0; i < info->dlpi_phnum; i++) {
        first = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
        if (PT_LOAD == info->dlpi_phdr[i].p_type && pc - first < info->dlpi_phdr[i].p_memsz) {
            if (n < BINARIES && !is_compiled(arg)) {
                binaries[n].first = first;
                binaries[n].end   = first + info->dlpi_phdr[i].p_memsz;
                __atomic_store_n(&nbinaries, n + 1, __ATOMIC_RELEASE);
            }
            return 1;
        }
    }
    return 0;
}

/* What the compiler calls. Nobody else does, so nothing declares these. */

#pragma GCC diagnostic ignored "-Wmissing-prototypes"

#define PC __builtin_return_address(0)

/** Each file calls it when its binary is loaded. */
void __tsan_init(void)
{
    if (!is_compiled(PC)) {
        (void) dl_iterate_phdr(binary_note, PC);
    }
}

void __tsan_func_entry(const void *pc)
{
    (void) pc;
}

void __tsan_func_exit(void)
{
}

void __tsan_ignore_thread_begin(void)
{
}

void __tsan_ignore_thread_end(void)
{
}

void __tsan_vptr_update(const void *at, const void *value)
{
    (void) value;
    loads_seen(at, sizeof(void *), MCA_OSC_UCP_LOADS_STORE, PC);
}

void __tsan_vptr_read(const void *at)
{
    loads_seen(at, sizeof(void *), 0, PC);
}

void __tsan_read_range(const void *at, size_t size)
{
    range_seen(at, size, 0, PC);
}

void __tsan_write_range(const void *at, size_t size)
{
    range_seen(at, size, MCA_OSC_UCP_LOADS_STORE, PC);
}

/** The function of that name for accesses of `size` bytes. */
#define ACCESS(name, size, how)      \
    void __tsan_##name(const void *at) \
    {                                \
        loads_seen(at, size, how, PC); \
    }

/** All kinds of accesses of `size` bytes. */
#define ACCESSES(size)                                                       \
    ACCESS(read##size, size, 0)                                              \
    ACCESS(write##size, size, MCA_OSC_UCP_LOADS_STORE)                       \
    ACCESS(read_write##size, size, MCA_OSC_UCP_LOADS_STORE)                  \
    ACCESS(volatile_read##size, size, MCA_OSC_UCP_LOADS_MARKED)              \
    ACCESS(volatile_write##size, size, MCA_OSC_UCP_LOADS_STORE)              \
    ACCESS(unaligned_read##size, size, 0)                                    \
    ACCESS(unaligned_write##size, size, MCA_OSC_UCP_LOADS_STORE)             \
    ACCESS(unaligned_read_write##size, size, MCA_OSC_UCP_LOADS_STORE)        \
    ACCESS(unaligned_volatile_read##size, size, MCA_OSC_UCP_LOADS_MARKED)    \
    ACCESS(unaligned_volatile_write##size, size, MCA_OSC_UCP_LOADS_STORE)

ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)

/* The functions of the C library. */

/** Its own functions: found by the first call, which may come before this library is ready. */
static struct {
    void *(*copy)(void *, const void *, size_t);
    void *(*move)(void *, const void *, size_t);
    void *(*set)(void *, int, size_t);
    bool ready, finding;
} libc;

/** Find them. False while that is being done: finding them may need them. */
static bool libc_ready(void)
{
    if (!__atomic_load_n(&libc.ready, __ATOMIC_ACQUIRE)) {
        if (__atomic_exchange_n(&libc.finding, true, __ATOMIC_ACQUIRE)) {
            return false;
        }
        *(void **) &libc.copy = dlsym(RTLD_NEXT, "memcpy");
        *(void **) &libc.move = dlsym(RTLD_NEXT, "memmove");
        *(void **) &libc.set  = dlsym(RTLD_NEXT, "memset");
        __atomic_store_n(&libc.ready, NULL != libc.copy && NULL != libc.move && NULL != libc.set, __ATOMIC_RELEASE);
    }
    return __atomic_load_n(&libc.ready, __ATOMIC_ACQUIRE);
}

static void *move(void *to, const void *from, size_t size)
{
    volatile char *out = to; /* the compiler makes no call of memcpy of the loop */
    const char    *in  = from;
    size_t         i;

    if (libc_ready()) {
        return libc.move(to, from, size);
    }
    for (i = 0; i < size; i++) {
        if (out <= in) {
            out[i] = in[i];
        } else {
            out[size - 1 - i] = in[size - 1 - i];
        }
    }
    return to;
}

static void *set(void *to, int value, size_t size)
{
    volatile char *out = to;
    size_t         i;

    if (libc_ready()) {
        return libc.set(to, value, size);
    }
    for (i = 0; i < size; i++) {
        out[i] = (char) value;
    }
    return to;
}

static inline __attribute__((always_inline)) void copy_seen(const void *to, const void *from, size_t size,
                                                            const void *pc)
{
    range_seen(from, size, 0, pc);
    range_seen(to, size, MCA_OSC_UCP_LOADS_STORE, pc);
}

void *memcpy(void *restrict to, const void *restrict from, size_t size)
{
    if (is_compiled(PC)) {
        copy_seen(to, from, size, PC);
    }
    return libc_ready() ? libc.copy(to, from, size) : move(to, from, size);
}

void *memmove(void *to, const void *from, size_t size)
{
    if (is_compiled(PC)) {
        copy_seen(to, from, size, PC);
    }
    return move(to, from, size);
}

void *memset(void *to, int value, size_t size)
{
    if (is_compiled(PC)) {
        range_seen(to, size, MCA_OSC_UCP_LOADS_STORE, PC);
    }
    return set(to, value, size);
}

/* Newer compilers call these in place of the three. */

void *__tsan_memcpy(void *to, const void *from, size_t size)
{
    copy_seen(to, from, size, PC);
    return move(to, from, size);
}

void *__tsan_memmove(void *to, const void *from, size_t size)
{
    copy_seen(to, from, size, PC);
    return move(to, from, size);
}

void *__tsan_memset(void *to, int value, size_t size)
{
    range_seen(to, size, MCA_OSC_UCP_LOADS_STORE, PC);
    return set(to, value, size);
}
