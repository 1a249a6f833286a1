/* Stands in for an Open MPI header that some distributions do not install.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * opal/mca/threads/threads.h of Open MPI 5.0 and newer includes it for opal_thread_yield.
 */

#ifndef OMPI_OSC_UCP_COMPAT_THREADS_PTHREADS_THREADS_H
#define OMPI_OSC_UCP_COMPAT_THREADS_PTHREADS_THREADS_H

#include <pthread.h>
#include <sched.h>

static inline void opal_thread_yield(void)
{
    (void) sched_yield();
}

#endif /* OMPI_OSC_UCP_COMPAT_THREADS_PTHREADS_THREADS_H */
