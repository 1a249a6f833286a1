/* System V segments that processes of a node share: made, and attached once in each process.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "memory/sysv.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/ipc.h>
#include <sys/shm.h>

#include "memory/arena.h"
#include "memory/limits.h"

/** `lock` guards the list, and the users of all that are in it. */
static struct {
    pthread_mutex_t      lock;
    ompi_osc_ucp_sysv_t *first;
} attached = { .lock = PTHREAD_MUTEX_INITIALIZER };

/** Attach the segment; NULL: not possible. */
static void *map(int id)
{
    void *at = shmat(id, NULL, 0);

    return (void *) -1 == at ? NULL : at;
}

/** Note an attached segment with one user. If memory is short, it is detached, and this returns NULL. */
static ompi_osc_ucp_sysv_t *add(int id, uint64_t nonce, ompi_osc_ucp_sysv_head_t *head)
{
    ompi_osc_ucp_sysv_t *sysv = malloc(sizeof(*sysv));

    if (NULL == sysv) {
        (void) shmdt(head);
        return NULL;
    }
    *sysv = (ompi_osc_ucp_sysv_t) { .next = attached.first, .head = head, .nonce = nonce, .id = id, .users = 1 };
    attached.first = sysv;
    return sysv;
}

ompi_osc_ucp_sysv_t *ompi_osc_ucp_sysv_create(uint64_t bytes)
{
    ompi_osc_ucp_sysv_head_t *head;
    ompi_osc_ucp_sysv_t      *sysv;
    int                       id;

    if (!ompi_osc_ucp_memory_possible(bytes)) {
        return NULL;
    }
    id = shmget(IPC_PRIVATE, bytes, IPC_CREAT | SHM_NORESERVE | 0600);
    if (id < 0) {
        return NULL;
    }
    head = map(id);
    (void) shmctl(id, IPC_RMID, NULL);
    if (NULL == head) {
        return NULL;
    }
    head->nonce = ompi_osc_ucp_nonce();
    pthread_mutex_lock(&attached.lock);
    sysv = add(id, head->nonce, head);
    pthread_mutex_unlock(&attached.lock);
    return sysv;
}

/** Attach the segment that has this nonce. Another name space may have another one of that number. */
static ompi_osc_ucp_sysv_t *attach_first(int id, uint64_t nonce)
{
    struct shmid_ds           about;
    ompi_osc_ucp_sysv_head_t *head = NULL;

    if (0 == shmctl(id, IPC_STAT, &about) && about.shm_segsz >= sizeof(*head)) {
        head = map(id);
    }
    if (NULL != head && nonce != head->nonce) {
        (void) shmdt(head);
        head = NULL;
    }
    return NULL == head ? NULL : add(id, nonce, head);
}

ompi_osc_ucp_sysv_t *ompi_osc_ucp_sysv_attach(int id, uint64_t nonce, bool keep)
{
    ompi_osc_ucp_sysv_t *sysv;

    pthread_mutex_lock(&attached.lock);
    for (sysv = attached.first; NULL != sysv && (id != sysv->id || nonce != sysv->nonce); sysv = sysv->next) {
        continue;
    }
    if (NULL != sysv) {
        sysv->users++;
    } else if (NULL != (sysv = attach_first(id, nonce))) {
        sysv->users += keep;
    }
    pthread_mutex_unlock(&attached.lock);
    return sysv;
}

/** Detach and forget the segment at *at. */
static void detach(ompi_osc_ucp_sysv_t **at)
{
    ompi_osc_ucp_sysv_t *sysv = *at;

    *at = sysv->next;
    (void) shmdt(sysv->head);
    free(sysv);
}

void ompi_osc_ucp_sysv_release(ompi_osc_ucp_sysv_t *sysv)
{
    ompi_osc_ucp_sysv_t **at = &attached.first;

    pthread_mutex_lock(&attached.lock);
    if (0 == --sysv->users) {
        while (*at != sysv) {
            at = &(*at)->next;
        }
        detach(at);
    }
    pthread_mutex_unlock(&attached.lock);
}

void ompi_osc_ucp_sysv_fini(void)
{
    while (NULL != attached.first) {
        detach(&attached.first);
    }
}
