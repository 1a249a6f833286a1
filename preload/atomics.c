/* Atomic operations of a program that was compiled with -fsanitize=thread: the compiler calls functions in their place.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * All are sequentially consistent, which is never less than the program asks for. Those of 16 bytes are not here.
 */

#include "preload/loads.h"

#include <stdbool.h>

#pragma GCC diagnostic ignored "-Wmissing-prototypes"

#define PC __builtin_return_address(0)

#define LOADS  MCA_OSC_UCP_LOADS_MARKED
#define STORES (MCA_OSC_UCP_LOADS_MARKED | MCA_OSC_UCP_LOADS_STORE)

/** An operation that changes the value at `at` by another one and returns the old value. */
#define FETCH(bits, name)                                                                               \
    uint##bits##_t __tsan_atomic##bits##_fetch_##name(uint##bits##_t *at, uint##bits##_t by, int order) \
    {                                                                                                   \
        (void) order;                                                                                   \
        loads_seen(at, bits / 8, STORES, PC);                                                           \
        return __atomic_fetch_##name(at, by, __ATOMIC_SEQ_CST);                                         \
    }

/** A comparison that stores on success. */
#define EXCHANGE_IF(bits, name)                                                                                   \
    int __tsan_atomic##bits##_compare_exchange_##name(uint##bits##_t *at, uint##bits##_t *old, uint##bits##_t to, \
                                                      int order, int failed)                                      \
    {                                                                                                             \
        (void) order;                                                                                             \
        (void) failed;                                                                                            \
        loads_seen(at, bits / 8, STORES, PC);                                                                     \
        return __atomic_compare_exchange_n(at, old, to, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);               \
    }

/** All functions for integers of so many bits. */
#define ATOMICS(bits)                                                                                      \
    uint##bits##_t __tsan_atomic##bits##_load(const uint##bits##_t *at, int order)                         \
    {                                                                                                      \
        (void) order;                                                                                      \
        loads_seen(at, bits / 8, LOADS, PC);                                                               \
        return __atomic_load_n(at, __ATOMIC_SEQ_CST);                                                      \
    }                                                                                                      \
    void __tsan_atomic##bits##_store(uint##bits##_t *at, uint##bits##_t to, int order)                     \
    {                                                                                                      \
        (void) order;                                                                                      \
        loads_seen(at, bits / 8, STORES, PC);                                                              \
        __atomic_store_n(at, to, __ATOMIC_SEQ_CST);                                                        \
    }                                                                                                      \
    uint##bits##_t __tsan_atomic##bits##_exchange(uint##bits##_t *at, uint##bits##_t to, int order)        \
    {                                                                                                      \
        (void) order;                                                                                      \
        loads_seen(at, bits / 8, STORES, PC);                                                              \
        return __atomic_exchange_n(at, to, __ATOMIC_SEQ_CST);                                              \
    }                                                                                                      \
    uint##bits##_t __tsan_atomic##bits##_compare_exchange_val(uint##bits##_t *at, uint##bits##_t old,      \
                                                              uint##bits##_t to, int order, int failed)    \
    {                                                                                                      \
        (void) order;                                                                                      \
        (void) failed;                                                                                     \
        loads_seen(at, bits / 8, STORES, PC);                                                              \
        (void) __atomic_compare_exchange_n(at, &old, to, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);       \
        return old;                                                                                        \
    }                                                                                                      \
    EXCHANGE_IF(bits, strong)                                                                              \
    EXCHANGE_IF(bits, weak)                                                                                \
    FETCH(bits, add)                                                                                       \
    FETCH(bits, sub)                                                                                       \
    FETCH(bits, and)                                                                                       \
    FETCH(bits, or)                                                                                        \
    FETCH(bits, xor)                                                                                       \
    FETCH(bits, nand)

ATOMICS(8)
ATOMICS(16)
ATOMICS(32)
ATOMICS(64)

void __tsan_atomic_thread_fence(int order)
{
    (void) order;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

void __tsan_atomic_signal_fence(int order)
{
    (void) order;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}
