/* The segment of MPI_Win_allocate_shared: memory that all members of the window have mapped.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Open MPI's shmem framework provides it, so that it does not depend on UCX's transports. Rank 0 creates it. Its head
 * describes all members.
 */

#include "memory/segment.h"

#include "memory/arena.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "opal/mca/shmem/base/base.h"
#include "opal/util/proc.h"

/** A member of a shared window. */
typedef struct member_t {
    ompi_osc_ucp_control_t control;
    uint64_t               offset; /**< of its memory from the head */
    int64_t                size;
    int64_t                disp_unit;
    char                   pad[40];
} member_t;

_Static_assert(0 == sizeof(member_t) % 64, "members must not share cache lines");

/** The head of a segment. The members' memory follows at a page boundary. */
typedef struct head_t {
    ompi_osc_ucp_stripe_t stripes[OMPI_OSC_UCP_STRIPES];
    member_t              members[];
} head_t;

/** A segment that this process has mapped. */
struct ompi_osc_ucp_segment_t {
    opal_shmem_ds_t ds;
    head_t         *head;
};

/** Round up to whole pages. */
static uint64_t pages(uint64_t bytes)
{
    uint64_t page = (uint64_t) sysconf(_SC_PAGESIZE);

    return (bytes + page - 1) / page * page;
}

/** Most bytes of a segment. Sums of smaller sizes do not overflow. */
#define SEGMENT_MAX (UINT64_C(1) << 62)

/** What members tell each other. Bytes. */
typedef struct share_t {
    int64_t size, disp_unit;
} share_t;

/**
 * Place the members' memory behind `head`, from a page boundary on, and return the segment's size; 0 if it is too
 * large. If `head` is NULL, only return the size. Open MPI maps segments a few bytes behind a page boundary, the same
 * number in all processes.
 */
static uint64_t segment_plan(const share_t *shares, int n, bool noncontig, head_t *head)
{
    uint64_t skew   = NULL == head ? 0 : pages((uintptr_t) head) - (uintptr_t) head;
    uint64_t offset = skew + pages(sizeof(*head) + (size_t) n * sizeof(member_t)), size;
    int      i;

    for (i = 0; i < n; i++) {
        size = (uint64_t) shares[i].size;
        if (NULL != head) {
            head->members[i].offset    = offset;
            head->members[i].size      = shares[i].size;
            head->members[i].disp_unit = shares[i].disp_unit;
        }
        if (size > SEGMENT_MAX - offset) {
            return 0;
        }
        offset += noncontig ? pages(size) : size;
    }
    return pages(offset) + pages(1); /* room for the skew */
}

/** Map the segment. Returns its head, which begins at a cache line; NULL if that fails. */
static head_t *segment_attach(ompi_osc_ucp_segment_t *segment)
{
    uintptr_t at = (uintptr_t) opal_shmem_segment_attach(&segment->ds);

    return (head_t *) ((at + 63) & ~(uintptr_t) 63);
}

/** See ompi_osc_ucp_member_t: granules begin at page boundaries. */
static uintptr_t segment_key_base(const head_t *head)
{
    return (uintptr_t) head & ~(uintptr_t) (OMPI_OSC_UCP_STRIPE_GRANULE - 1);
}

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

/** Reserve the memory of a new segment, if it is a file: touching a page for which there is none ends the process.
 *  Where there is plenty, this is not called: a page then comes from the node of the process that touches it first. */
static bool segment_reserve(const opal_shmem_ds_t *ds, uint64_t size)
{
    int  fd = open(ds->seg_name, O_RDWR | O_CLOEXEC);
    bool reserved;

    if (fd < 0) {
        return true;
    }
    reserved = ENOSPC != posix_fallocate(fd, 0, (off_t) size);
    close(fd);
    return reserved;
}

/** Create the segment's file in a folder, and map it. */
static int segment_create_in(ompi_osc_ucp_segment_t *segment, const char *folder, uint64_t size)
{
    opal_process_name_t name = OPAL_PROC_MY_NAME;
    bool                scarce = folder_left(folder) < SCARCE;
    char               *file;
    int                 rc;

    if (asprintf(&file, "%s/osc_ucp.%x.%x.%016llx", folder, name.jobid, name.vpid,
                 (unsigned long long) ompi_osc_ucp_nonce()) < 0) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    rc = opal_shmem_segment_create(&segment->ds, file, size);
    free(file);
    if (OPAL_SUCCESS != rc) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    segment->head = segment_attach(segment);
    if (NULL != segment->head && (!scarce || segment_reserve(&segment->ds, size))) {
        return OMPI_SUCCESS;
    }
    opal_shmem_unlink(&segment->ds);
    if (NULL != segment->head) {
        opal_shmem_segment_detach(&segment->ds);
        segment->head = NULL;
    }
    return OMPI_ERR_OUT_OF_RESOURCE;
}

/** Create the segment: rank 0 only. In memory, or on a disk if it is too large for that. */
static int segment_create(ompi_osc_ucp_segment_t *segment, const share_t *shares, int n, bool noncontig)
{
    uint64_t size = segment_plan(shares, n, noncontig, NULL);
    int      rc   = OMPI_ERR_OUT_OF_RESOURCE;

    if (0 == size) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    if (folder_fits("/dev/shm", size)) {
        rc = segment_create_in(segment, "/dev/shm", size);
    }
    if (OMPI_SUCCESS != rc) {
        rc = segment_create_in(segment, opal_process_info.proc_session_dir, size);
    }
    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    memset(segment->head, 0, sizeof(head_t) + (size_t) n * sizeof(member_t));
    segment_plan(shares, n, noncontig, segment->head);
    return OMPI_SUCCESS;
}

/** Map the segment that rank 0 has created, and remove its name when all have mapped it. Collective. */
static int segment_map(ompi_osc_ucp_segment_t *segment, ompi_communicator_t *comm)
{
    int rc;

    rc = comm->c_coll->coll_bcast(&segment->ds, sizeof(segment->ds), MPI_BYTE, 0, comm,
                                  comm->c_coll->coll_bcast_module);
    if (OMPI_SUCCESS == rc && NULL == segment->head) {
        if (getpid() == segment->ds.seg_cpid) {
            segment->ds.seg_cpid = 0; /* same pid in another name space: Open MPI would take us for the creator */
        }
        segment->head = segment_attach(segment);
        rc = NULL == segment->head ? OMPI_ERR_RMA_SHARED : OMPI_SUCCESS;
    }
    rc = ompi_osc_ucp_agree(comm, rc);
    if (0 == ompi_comm_rank(comm)) {
        opal_shmem_unlink(&segment->ds);
    }
    return rc;
}

/** Exchange the sizes, create, map. All processes agree on the outcome of each step. Collective. */
static int segment_make(ompi_osc_ucp_segment_t *segment, ompi_communicator_t *comm, const share_t *mine,
                        bool noncontig, share_t *shares, uint64_t *bytes_p)
{
    int rc = ompi_osc_ucp_agree(comm, NULL != segment && NULL != shares ? OMPI_SUCCESS : OMPI_ERR_OUT_OF_RESOURCE);

    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    rc = comm->c_coll->coll_allgather(mine, sizeof(*mine), MPI_BYTE, shares, sizeof(*mine), MPI_BYTE, comm,
                                      comm->c_coll->coll_allgather_module);
    if (OMPI_SUCCESS == rc) {
        *bytes_p = segment_plan(shares, ompi_comm_size(comm), noncontig, NULL);
    }
    if (OMPI_SUCCESS == rc && 0 == ompi_comm_rank(comm)) {
        rc = segment_create(segment, shares, ompi_comm_size(comm), noncontig);
    }
    rc = ompi_osc_ucp_agree(comm, rc);
    return OMPI_SUCCESS == rc ? segment_map(segment, comm) : rc;
}

int ompi_osc_ucp_segment_share(ompi_communicator_t *comm, int64_t size, int64_t disp_unit, bool noncontig,
                               ompi_osc_ucp_segment_t **segment_p, uint64_t *bytes_p)
{
    const share_t           mine    = { .size = size, .disp_unit = disp_unit };
    share_t                *shares  = malloc((size_t) ompi_comm_size(comm) * sizeof(*shares));
    ompi_osc_ucp_segment_t *segment = calloc(1, sizeof(*segment));
    int                     rc      = segment_make(segment, comm, &mine, noncontig, shares, bytes_p);

    free(shares);
    if (OMPI_SUCCESS != rc) {
        ompi_osc_ucp_segment_free(segment);
        return rc;
    }
    *segment_p = segment;
    return OMPI_SUCCESS;
}

void ompi_osc_ucp_segment_free(ompi_osc_ucp_segment_t *segment)
{
    if (NULL != segment && NULL != segment->head) {
        opal_shmem_segment_detach(&segment->ds);
    }
    free(segment);
}

ompi_osc_ucp_member_t ompi_osc_ucp_segment_member(const ompi_osc_ucp_segment_t *segment, int rank)
{
    head_t         *head   = segment->head;
    const member_t *member = &head->members[rank];

    return (ompi_osc_ucp_member_t) {
        .control   = &head->members[rank].control,
        .memory    = 0 == member->size ? NULL : (char *) head + member->offset,
        .stripes   = head->stripes,
        .key_base  = segment_key_base(head),
        .size      = member->size,
        .disp_unit = member->disp_unit
    };
}
