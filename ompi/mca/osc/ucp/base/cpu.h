/* What the processor offers to code that waits for another one, or orders its own loads and stores.
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

/** Loads and stores before it are over, for all processes, before those after it. (Open MPI's opal_atomic_mb holds back
 *  only the compiler on x86-64: a store may still pass a later load.) */
static inline void ompi_osc_ucp_fence_memory(void)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

#endif /* OSC_UCP_CPU_H */
