/* The library libosc_ucp_loads, if the program is linked with it: which memory it tells of.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OSC_UCP_CHECK_LIBRARY_H
#define OSC_UCP_CHECK_LIBRARY_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/loads.h"
#include "base/threads.h"

/** The library's variable; NULL: there is none. It does not change while there are checked windows. */
extern mca_osc_ucp_loads_t *ompi_osc_ucp_check_library;

/** With each window, before anything is watched: find the library, and have it call `seen` (base/loads.h). */
void ompi_osc_ucp_library_begin(void (*seen)(uintptr_t at, size_t size, unsigned how, const void *pc));

/** The component ends: the library must not call it any more. */
void ompi_osc_ucp_library_end(void);

/** Have the library tell of accesses to [first, end), or no longer. They nest. Any thread. */
void ompi_osc_ucp_library_watch(uintptr_t first, uintptr_t end);
void ompi_osc_ucp_library_unwatch(uintptr_t first, uintptr_t end);

/** Mutexes of the checker that this thread holds, or is about to take. While there are some, `seen` does nothing: it is
 *  called by a handler of a signal, which has interrupted their holder. */
extern _Thread_local __attribute__((tls_model("initial-exec"))) unsigned ompi_osc_ucp_library_held;

/** Take a mutex that `seen` takes, too. */
static inline void ompi_osc_ucp_library_take(pthread_mutex_t *mutex)
{
    ompi_osc_ucp_library_held++;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    pthread_mutex_lock(mutex);
}

static inline void ompi_osc_ucp_library_give(pthread_mutex_t *mutex)
{
    pthread_mutex_unlock(mutex);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    ompi_osc_ucp_library_held--;
}

/** The same for one that needs not be taken without the library, unless several threads are inside MPI. */
static inline void ompi_osc_ucp_library_lock(pthread_mutex_t *mutex)
{
    if (ompi_osc_ucp_threaded() || NULL != ompi_osc_ucp_check_library) {
        ompi_osc_ucp_library_take(mutex);
    }
}

static inline void ompi_osc_ucp_library_unlock(pthread_mutex_t *mutex)
{
    if (ompi_osc_ucp_threaded() || NULL != ompi_osc_ucp_check_library) {
        ompi_osc_ucp_library_give(mutex);
    }
}

#endif /* OSC_UCP_CHECK_LIBRARY_H */
