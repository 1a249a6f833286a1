/* Instructions of the processor: a pause for spin loops, and a full memory fence.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OSC_UCP_CPU_H
#define OSC_UCP_CPU_H

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

#endif /* OSC_UCP_CPU_H */
