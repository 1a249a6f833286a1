/* Instructions of the processor: a pause for spin loops, a full memory fence, and a clock.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OSC_UCP_CPU_H
#define OSC_UCP_CPU_H

#include <stdint.h>
#include <time.h>

/** One step of a loop that waits for another CPU. */
static inline void ompi_osc_ucp_cpu_relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield" ::: "memory");
#else
    __asm__ volatile("" ::: "memory");
#endif
}

/** Full fence: all processes see earlier loads and stores before later ones. Open MPI's opal_atomic_mb is not enough:
 *  on x86-64 it orders only the compiler, so that a load may still pass an earlier store. */
static inline void ompi_osc_ucp_fence_memory(void)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

/** A clock that takes no longer than a few nanoseconds to read, where the processor has one. Its unit is its own, and a
 *  process that moves to another processor may see a jump: for averages only. */
static inline uint64_t ompi_osc_ucp_cpu_clock(void)
{
#if defined(__x86_64__) || defined(__i386__)
    return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    uint64_t now;

    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(now));
    return now;
#else
    struct timespec now;

    (void) clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t) now.tv_sec * UINT64_C(1000000000) + (uint64_t) now.tv_nsec;
#endif
}

#endif /* OSC_UCP_CPU_H */
