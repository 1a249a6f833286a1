/* Stands in for an Open MPI header that some distributions do not install.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * opal/mca/threads/mutex.h of Open MPI 5.0 and newer includes it for the mutexes and conditions of the pthreads
 * component. Their types are parts of Open MPI's structures, so they have to be pthread's own.
 */

#ifndef OMPI_OSC_UCP_COMPAT_THREADS_PTHREADS_MUTEX_H
#define OMPI_OSC_UCP_COMPAT_THREADS_PTHREADS_MUTEX_H

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>

#include "opal_config.h"
#include "opal/class/opal_object.h" /* threads/mutex.h expects it from here */
#include "opal/constants.h"

typedef pthread_mutex_t opal_thread_internal_mutex_t;
typedef pthread_cond_t  opal_thread_internal_cond_t;

#define OPAL_THREAD_INTERNAL_MUTEX_INITIALIZER PTHREAD_MUTEX_INITIALIZER
#define OPAL_THREAD_INTERNAL_COND_INITIALIZER  PTHREAD_COND_INITIALIZER
#ifdef PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP
#define OPAL_THREAD_INTERNAL_RECURSIVE_MUTEX_INITIALIZER PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP
#endif

static inline int opal_thread_internal_mutex_init(opal_thread_internal_mutex_t *mutex, bool recursive)
{
    pthread_mutexattr_t attributes;
    int                 failed = pthread_mutexattr_init(&attributes);

    if (0 == failed) {
        failed = pthread_mutexattr_settype(&attributes, recursive ? PTHREAD_MUTEX_RECURSIVE : PTHREAD_MUTEX_DEFAULT);
        if (0 == failed) {
            failed = pthread_mutex_init(mutex, &attributes);
        }
        (void) pthread_mutexattr_destroy(&attributes);
    }
    return 0 == failed ? OPAL_SUCCESS : OPAL_ERR_IN_ERRNO;
}

static inline void opal_thread_internal_mutex_lock(opal_thread_internal_mutex_t *mutex)
{
    (void) pthread_mutex_lock(mutex);
}

/** 0: it is locked now. */
static inline int opal_thread_internal_mutex_trylock(opal_thread_internal_mutex_t *mutex)
{
    return 0 == pthread_mutex_trylock(mutex) ? 0 : 1;
}

static inline void opal_thread_internal_mutex_unlock(opal_thread_internal_mutex_t *mutex)
{
    (void) pthread_mutex_unlock(mutex);
}

static inline void opal_thread_internal_mutex_destroy(opal_thread_internal_mutex_t *mutex)
{
    (void) pthread_mutex_destroy(mutex);
}

static inline int opal_thread_internal_cond_init(opal_thread_internal_cond_t *condition)
{
    return 0 == pthread_cond_init(condition, NULL) ? OPAL_SUCCESS : OPAL_ERR_IN_ERRNO;
}

static inline void opal_thread_internal_cond_wait(opal_thread_internal_cond_t  *condition,
                                                  opal_thread_internal_mutex_t *mutex)
{
    (void) pthread_cond_wait(condition, mutex);
}

static inline void opal_thread_internal_cond_signal(opal_thread_internal_cond_t *condition)
{
    (void) pthread_cond_signal(condition);
}

static inline void opal_thread_internal_cond_broadcast(opal_thread_internal_cond_t *condition)
{
    (void) pthread_cond_broadcast(condition);
}

static inline void opal_thread_internal_cond_destroy(opal_thread_internal_cond_t *condition)
{
    (void) pthread_cond_destroy(condition);
}

#endif /* OMPI_OSC_UCP_COMPAT_THREADS_PTHREADS_MUTEX_H */
