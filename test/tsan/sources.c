/* A thread polls the sources of progress while another one, which holds the origin lock, adds the first source that is
 * polled without it: whoever finds the source must find what was there before it.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * It is linked with base/wait.c and base/threads.c alone. Of what they use of Open MPI and of the transport, nothing is
 * called here.
 */

#include "base/threads.h"

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

/* base/wait.h, which needs Open MPI's headers. */
enum { POLLED_OUTSIDE = 1 };
void ompi_osc_ucp_progress_add(int side, unsigned (*poll)(void));
void ompi_osc_ucp_progress_need(void);
int  ompi_osc_ucp_progress(void);

bool opal_progress_yield_when_idle;

void opal_progress(void)
{
}

int opal_progress_register(int (*poll)(void))
{
    (void) poll;
    return 0;
}

int opal_progress_unregister(int (*poll)(void))
{
    (void) poll;
    return 0;
}

void opal_common_ucp_service_claim(void)
{
}

static const unsigned *events; /* where the source finds its events: made before it is added */

static unsigned poll(void)
{
    return *events;
}

static void *progress(void *arg)
{
    while (0 == ompi_osc_ucp_progress()) {
        sched_yield();
    }
    return arg;
}

int main(void)
{
    static const unsigned one = 1;
    pthread_t             thread;

    ompi_osc_ucp_threads.multiple = true;
    ompi_osc_ucp_progress_need();
    pthread_create(&thread, NULL, progress, NULL);
    ompi_osc_ucp_enter();
    usleep(1000);
    events = &one;
    ompi_osc_ucp_progress_add(POLLED_OUTSIDE, poll);
    pthread_join(thread, NULL); /* while this thread is inside: nothing else orders the two */
    ompi_osc_ucp_leave();
    return 0;
}
