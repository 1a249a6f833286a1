/* Files in memory, or on a disk, that hold the segment of a window where System V's cannot.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "memory/shared_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "opal/util/proc.h"

#include "base/host.h"
#include "base/node_file.h"
#include "memory/arena.h"

/** Where less than this is left, as in a container, memory is scarce. Bytes. */
#define SCARCE (UINT64_C(1) << 30)

/** Bytes left for files in a folder that this process may write to. */
static uint64_t folder_left(const char *folder)
{
    struct statvfs fs;

    return 0 == access(folder, W_OK) && 0 == statvfs(folder, &fs) ? (uint64_t) fs.f_bavail * fs.f_frsize : 0;
}

/** Is there room for a segment? Open MPI itself needs 5 % more, and has files there whose pages it has not touched
 *  yet: where memory is scarce, half of it is left to them. */
static bool folder_fits(const char *folder, uint64_t size)
{
    uint64_t left = folder_left(folder);

    return size <= (left < SCARCE ? left / 2 : left / 16 * 15);
}

/** Reserve the memory of a new file: touching a page for which there is none ends the process. Where there is plenty,
 *  this is not called: a page then comes from the node of the process that touches it first. */
static bool file_reserve(const opal_shmem_ds_t *ds, uint64_t size)
{
    int  fd = open(ds->seg_name, O_RDWR | O_CLOEXEC);
    bool reserved;

    if (fd < 0) {
        return true;
    }
    reserved = ENOSPC != ompi_osc_ucp_file_reserve(fd, 0, size);
    close(fd);
    return reserved;
}

ompi_osc_ucp_sysv_head_t *ompi_osc_ucp_file_attach(opal_shmem_ds_t *ds)
{
    return (ompi_osc_ucp_sysv_head_t *) (((uintptr_t) opal_shmem_segment_attach(ds) + 63) & ~(uintptr_t) 63);
}

/** Make a file in a folder, and map it. NULL: that fails. */
static ompi_osc_ucp_sysv_head_t *file_create_in(opal_shmem_ds_t *ds, const char *folder, uint64_t size)
{
    opal_process_name_t       name   = OPAL_PROC_MY_NAME;
    bool                      scarce = folder_left(folder) < SCARCE;
    ompi_osc_ucp_sysv_head_t *head;
    char                     *file;
    int                       rc;

    if (asprintf(&file, "%s/osc_ucp.%x.%x.%016llx", folder, name.jobid, name.vpid,
                 (unsigned long long) ompi_osc_ucp_nonce()) < 0) {
        return NULL;
    }
    rc = opal_shmem_segment_create(ds, file, size);
    if (OPAL_SUCCESS != rc) {
        (void) unlink(file); /* Open MPI leaves it where it cannot map it */
    }
    free(file);
    if (OPAL_SUCCESS != rc) {
        return NULL;
    }
    head = ompi_osc_ucp_file_attach(ds);
    if (NULL != head && (!scarce || file_reserve(ds, size))) {
        return head;
    }
    opal_shmem_unlink(ds);
    if (NULL != head) {
        opal_shmem_segment_detach(ds);
    }
    return NULL;
}

ompi_osc_ucp_sysv_head_t *ompi_osc_ucp_file_create(opal_shmem_ds_t *ds, uint64_t size, bool must)
{
    ompi_osc_ucp_sysv_head_t *head = folder_fits("/dev/shm", size) ? file_create_in(ds, "/dev/shm", size) : NULL;

    return NULL == head && must ? file_create_in(ds, opal_process_info.proc_session_dir, size) : head;
}

bool ompi_osc_ucp_file_is_elsewhere(const opal_shmem_ds_t *ds)
{
    return NULL != strstr(ds->seg_name, "/osc_ucp.") && 0 != access(ds->seg_name, R_OK | W_OK);
}
