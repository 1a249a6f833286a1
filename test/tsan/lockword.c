/* Threads that lock and unlock by turns: ThreadSanitizer has to see that the lock orders them.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "memory/lockword.h"

#include <pthread.h>
#include <sched.h>

enum { THREADS = 3, TIMES = 1000 };

static ompi_osc_ucp_lockword_t word;
static unsigned                times;

static void *run(void *arg)
{
    unsigned i;

    for (i = 0; i < TIMES; i++) {
        while (!ompi_osc_ucp_lockword_try(&word, true)) {
            sched_yield();
        }
        times++;
        ompi_osc_ucp_lockword_leave(&word, true);
    }
    return arg;
}

int main(void)
{
    pthread_t threads[THREADS];
    unsigned  i;

    for (i = 0; i < THREADS; i++) {
        pthread_create(&threads[i], NULL, run, NULL);
    }
    for (i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    return THREADS * TIMES != times;
}
