/* A look at all jobs of this user on this node: their processes, and what each does.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A job whose processes keep records (base/record.h of the component) has a file of them, which each process has open
 * and whose name may be gone. It is found in /proc, and only read.
 */

#ifndef OSC_UCP_STATUS_LOOK_H
#define OSC_UCP_STATUS_LOOK_H

#include <sys/types.h>

#include "base/record.h"

/** A process that has the file open. */
typedef struct process_t {
    pid_t   pid;   /**< as this program sees it */
    int32_t inner; /**< as it sees itself: in a container the number is another one */
    char    state; /**< as in /proc/PID/stat */
} process_t;

/** A job on this node. */
typedef struct job_t {
    dev_t                   dev; /**< the file */
    ino_t                   ino;
    uint64_t                when;      /**< of the look, nanoseconds */
    char                    program[32];
    bool                    foreign;   /**< it has another version of osc/ucp: there are no records */
    bool                    whole;     /**< the records tell of all calls */
    int                     processes;
    process_t              *process;   /**< malloc'd */
    int                     n;
    ompi_osc_ucp_watched_t *record;    /**< copies of those in use, by rank; malloc'd */
} job_t;

typedef struct look_t {
    int    jobs;
    job_t *job;     /**< malloc'd */
    pid_t  without; /**< a process that uses osc/ucp, but keeps no records; 0: none */
} look_t;

/** Look at the jobs, or only at those with a process that is `pid` or below it. `pid` 0: all. */
void look_at(look_t *look, pid_t pid);

void look_free(look_t *look);

/** The job's number, as Open MPI gives it. */
uint32_t look_number(const job_t *job);

/** The same job in another look; NULL if it is not there. */
const job_t *look_same(const look_t *look, const job_t *job);

/** The job's process with a record; NULL: it has ended. */
const process_t *look_process(const job_t *job, const ompi_osc_ucp_watched_t *record);

#endif /* OSC_UCP_STATUS_LOOK_H */
