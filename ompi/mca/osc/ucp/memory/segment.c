/* The segment of a window whose members share a node: their control blocks, and memory that MPI allocates.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Rank 0 makes it, and broadcasts where it is. A small window has a lot in a pool (memory/pool.h). A larger one has a
 * System V segment of its own. If the system gives none, or if this process has made many, Open MPI's shmem framework
 * serves: a file.
 */

#include "memory/segment.h"

#include "memory/arena.h"
#include "memory/pool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "opal/mca/shmem/base/base.h"
#include "opal/util/proc.h"

/** A member of the window. */
typedef struct member_t {
    ompi_osc_ucp_control_t control;
    uint64_t               offset; /**< of its memory from the head */
    int64_t                size;
    int64_t                disp_unit;
    uint32_t               has_memory;
    uint32_t               left;   /**< rank 0's: members that no longer use the segment; atomic */
    uint64_t               base;   /**< the member's address of the program's memory */
    ompi_osc_ucp_cma_self_t self;
} member_t;

_Static_assert(0 == sizeof(member_t) % 64, "members must not share cache lines");

/** A file begins as a System V segment does. */
typedef ompi_osc_ucp_sysv_head_t head_t;

/** What holds a segment. */
typedef enum holder_t {
    NOTHING, /**< there is no segment */
    LOT,     /**< a System V segment that windows share */
    OWN,     /**< a System V segment */
    FILED    /**< a file */
} holder_t;

/** Where the segment is. Sent as it is. */
typedef struct place_t {
    uint32_t holder;
    int32_t  id;     /**< System V's */
    uint64_t nonce;
    uint64_t lot;    /**< where the lot begins, from the head */
    uint64_t first;  /**< of rank 0's member_t from the head */
    uint64_t stride; /**< from one member_t to the next */
    uint64_t bytes;  /**< of the segment; 0: too many */
    uint32_t keep;   /**< it is not unmapped with the window */
    uint32_t packed; /**< the lot has one lane */
} place_t;

/** A segment that this process has mapped. */
struct ompi_osc_ucp_segment_t {
    place_t              place;
    head_t              *head;
    uint32_t             members;
    bool                 own;  /**< this process has made it, and counts it */
    ompi_osc_ucp_lot_t  *lot;  /**< at rank 0, if it has one; else NULL */
    ompi_osc_ucp_sysv_t *sysv; /**< System V's; else NULL */
    opal_shmem_ds_t     *ds;   /**< of the file, malloc'd; else NULL */
};

/** Most System V segments of a process for one window each: a node has 4096. */
#define OWN_MAX 64

/** How many this process has; atomic. */
static int own_count;

/** Most bytes of a segment. Sums of smaller sizes do not overflow. */
#define SEGMENT_MAX (UINT64_C(1) << 62)

static uint64_t round_up(uint64_t value, uint64_t unit)
{
    return (value + unit - 1) & ~(unit - 1);
}

static uint64_t page(void)
{
    return (uint64_t) sysconf(_SC_PAGESIZE);
}

/** Bytes of a member_t, with the counters before it. */
static uint64_t member_bytes(const ompi_osc_ucp_share_t *mine)
{
    return ompi_osc_ucp_counters_bytes(mine->counters) + sizeof(member_t);
}

/* The plan. */

/** Where the memory of member `rank` lies, or ends if that is the number of members, if the first one's lies at `at`.
 *  @param all   how much memory each member has; NULL: as much as this one
 *  @param unit  of what lies apart
 *  @return 0: it is too large. */
static uint64_t memory_behind(const ompi_osc_ucp_share_t *mine, const uint64_t *all, int rank, uint64_t at,
                              uint64_t unit)
{
    uint64_t size;
    int      i;

    for (i = 0; i < rank; i++) {
        size = NULL == all ? mine->memory : all[i];
        if (size > SEGMENT_MAX - at) {
            return 0;
        }
        at += mine->contiguous ? size : round_up(size, unit);
    }
    return at;
}

/** The same as an offset from the head in a segment that is no lot: behind all member_t, from a page boundary on. For
 *  rank n it is the segment's size. */
static uint64_t memory_at(const ompi_osc_ucp_share_t *mine, const uint64_t *all, int n, int rank)
{
    uint64_t at = memory_behind(mine, all, rank, round_up(sizeof(head_t) + (uint64_t) n * member_bytes(mine), page()),
                                page());

    /* Files are mapped a few bytes behind a page boundary. */
    return rank < n || 0 == at ? at : round_up(at, page()) + page();
}

/** The same in a lot with a single lane: behind all member_t, which begin at `lot`. */
static uint64_t packed_at(const ompi_osc_ucp_share_t *mine, const uint64_t *all, int n, int rank, uint64_t lot)
{
    return memory_behind(mine, all, rank, lot + (uint64_t) n * member_bytes(mine), 64);
}

/** In how many lanes may the window have a lot? 0: in none. *bytes_p: of each lane. */
static int lot_lanes(const ompi_osc_ucp_share_t *mine, const uint64_t *all, int n, uint64_t *bytes_p)
{
    int lanes = NULL == all && !mine->contiguous ? n : 1;

    *bytes_p = 1 < lanes ? member_bytes(mine) + mine->memory : packed_at(mine, all, n, n, 0);
    return mine->alignment <= 64 && 0 != *bytes_p && *bytes_p <= OMPI_OSC_UCP_POOL_MOST ? lanes : 0;
}

/* Making a segment: rank 0. */

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
    reserved = ENOSPC != posix_fallocate(fd, 0, (off_t) size);
    close(fd);
    return reserved;
}

/** Map the file. Returns its head, which begins at a cache line; NULL if that fails. */
static head_t *file_attach(opal_shmem_ds_t *ds)
{
    return (head_t *) round_up((uintptr_t) opal_shmem_segment_attach(ds), 64);
}

/** Make a file in a folder, and map it. */
static bool file_create_in(ompi_osc_ucp_segment_t *segment, const char *folder, uint64_t size)
{
    opal_process_name_t name = OPAL_PROC_MY_NAME;
    bool                scarce = folder_left(folder) < SCARCE;
    char               *file;
    int                 rc;

    if (asprintf(&file, "%s/osc_ucp.%x.%x.%016llx", folder, name.jobid, name.vpid,
                 (unsigned long long) ompi_osc_ucp_nonce()) < 0) {
        return false;
    }
    rc = opal_shmem_segment_create(segment->ds, file, size);
    free(file);
    if (OPAL_SUCCESS != rc) {
        return false;
    }
    segment->head = file_attach(segment->ds);
    if (NULL != segment->head && (!scarce || file_reserve(segment->ds, size))) {
        return true;
    }
    opal_shmem_unlink(segment->ds);
    if (NULL != segment->head) {
        opal_shmem_segment_detach(segment->ds);
        segment->head = NULL;
    }
    return false;
}

/** Make a file: in memory, or on a disk if that is too small and the window must have one. */
static bool file_create(ompi_osc_ucp_segment_t *segment, bool must)
{
    uint64_t size = segment->place.bytes;

    segment->ds = calloc(1, sizeof(*segment->ds));
    if (NULL != segment->ds &&
        ((folder_fits("/dev/shm", size) && file_create_in(segment, "/dev/shm", size)) ||
         (must && file_create_in(segment, opal_process_info.proc_session_dir, size)))) {
        segment->place.holder = FILED;
        return true;
    }
    free(segment->ds);
    segment->ds = NULL;
    return false;
}

/** Take a lot in so many lanes, or if that is 0 make a System V segment. */
static bool sysv_create(ompi_osc_ucp_segment_t *segment, int lanes, uint64_t bytes)
{
    const ompi_osc_ucp_sysv_t *sysv;

    if (lanes > 0) {
        segment->lot = ompi_osc_ucp_pool_take(lanes, segment->members, bytes);
    } else if (__atomic_load_n(&own_count, __ATOMIC_RELAXED) < OWN_MAX) {
        segment->sysv = ompi_osc_ucp_sysv_create(bytes);
        segment->own  = NULL != segment->sysv;
        __atomic_fetch_add(&own_count, segment->own, __ATOMIC_RELAXED);
    }
    sysv = NULL == segment->lot ? segment->sysv : segment->lot->sysv;
    if (NULL == sysv) {
        return false;
    }
    segment->place.holder = lanes > 0 ? LOT : OWN;
    segment->place.id     = sysv->id;
    segment->place.nonce  = sysv->nonce;
    segment->head         = sysv->head;
    if (lanes > 0) {
        segment->place.lot    = segment->lot->offset;
        segment->place.first += segment->lot->offset - sizeof(head_t);
        segment->place.keep   = segment->lot->lasting;
        segment->place.packed = 1 == lanes;
        if (lanes > 1) {
            segment->place.stride = OMPI_OSC_UCP_LANE_BYTES;
        }
    }
    return true;
}

static void segment_create(ompi_osc_ucp_segment_t *segment, const ompi_osc_ucp_share_t *mine, const uint64_t *all,
                           bool file)
{
    place_t *place = &segment->place;
    uint64_t bytes;
    int      n = (int) segment->members, lanes = lot_lanes(mine, all, n, &bytes);

    place->bytes  = memory_at(mine, all, n, n);
    place->first  = sizeof(head_t) + ompi_osc_ucp_counters_bytes(mine->counters);
    place->stride = member_bytes(mine);
    if (0 == place->bytes || (!file && lanes > 0 && sysv_create(segment, lanes, bytes)) ||
        (!file && sysv_create(segment, 0, place->bytes))) {
        return;
    }
    (void) file_create(segment, mine->must);
}

/* Mapping a segment that rank 0 has made. */

/** Is it a file that this process does not see, in a container with the same host name? Open MPI would complain. */
static bool file_is_elsewhere(const opal_shmem_ds_t *ds)
{
    return NULL != strstr(ds->seg_name, "/osc_ucp.") && 0 != access(ds->seg_name, R_OK | W_OK);
}

/** Map the file. Collective: the others learn its name. `segment` is NULL if memory was short. */
static int file_map(ompi_osc_ucp_segment_t *segment, ompi_communicator_t *comm)
{
    opal_shmem_ds_t ds;
    int             rc;

    if (NULL != segment && NULL != segment->ds) {
        ds = *segment->ds;
    }
    rc = comm->c_coll->coll_bcast(&ds, sizeof(ds), MPI_BYTE, 0, comm, comm->c_coll->coll_bcast_module);
    if (OMPI_SUCCESS != rc || NULL == segment || NULL != segment->head) {
        return rc;
    }
    if (file_is_elsewhere(&ds)) {
        return OMPI_ERR_RMA_SHARED;
    }
    if (getpid() == ds.seg_cpid) {
        ds.seg_cpid = 0; /* same pid in another name space: Open MPI would take us for the creator */
    }
    segment->ds = malloc(sizeof(ds));
    if (NULL == segment->ds) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    *segment->ds  = ds;
    segment->head = file_attach(segment->ds);
    return NULL == segment->head ? OMPI_ERR_RMA_SHARED : OMPI_SUCCESS;
}

static int sysv_map(ompi_osc_ucp_segment_t *segment)
{
    if (NULL != segment && NULL == segment->head) {
        segment->sysv = ompi_osc_ucp_sysv_attach(segment->place.id, segment->place.nonce, 0 != segment->place.keep);
        if (NULL == segment->sysv) {
            return OMPI_ERR_RMA_SHARED;
        }
        segment->head = segment->sysv->head;
    }
    return OMPI_SUCCESS;
}

static member_t *member_of(const ompi_osc_ucp_segment_t *segment, int rank)
{
    return (member_t *) ((char *) segment->head + segment->place.first + (uint64_t) rank * segment->place.stride);
}

/** Where the memory of member `rank` lies, from the head. */
static uint64_t member_offset(const ompi_osc_ucp_segment_t *segment, const ompi_osc_ucp_share_t *mine,
                              const uint64_t *all, int rank)
{
    const place_t *place = &segment->place;
    uint64_t       skew  = round_up((uintptr_t) segment->head, page()) - (uintptr_t) segment->head;

    if (LOT != place->holder) {
        return skew + memory_at(mine, all, (int) segment->members, rank);
    }
    return 0 != place->packed ? packed_at(mine, all, (int) segment->members, rank, place->lot)
                              : (uint64_t) ((char *) (member_of(segment, rank) + 1) - (char *) segment->head);
}

/** Write what the others have to know of this member. A lot may hold what another window has left. */
static void member_init(ompi_osc_ucp_segment_t *segment, const ompi_osc_ucp_share_t *mine, const uint64_t *all,
                        int rank)
{
    member_t *member = member_of(segment, rank);

    memset(member, 0, sizeof(*member));
    member->offset     = member_offset(segment, mine, all, rank);
    member->has_memory = mine->memory > 0;
    member->size       = mine->size;
    member->disp_unit  = mine->disp_unit;
    member->base       = mine->base;
    member->self       = mine->self;
}

/** Have all processes map the segment. *place: where rank 0 has it, then the same everywhere. Collective. */
static int segment_map(ompi_osc_ucp_segment_t *segment, ompi_communicator_t *comm, const ompi_osc_ucp_share_t *mine,
                       const uint64_t *all, place_t *place)
{
    int rc = comm->c_coll->coll_bcast(place, sizeof(*place), MPI_BYTE, 0, comm, comm->c_coll->coll_bcast_module);

    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    if (NOTHING == place->holder) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    if (NULL != segment) {
        segment->place = *place;
    }
    rc = FILED == place->holder ? file_map(segment, comm) : sysv_map(segment);
    rc = NULL == segment ? OMPI_ERR_OUT_OF_RESOURCE : rc;
    if (OMPI_SUCCESS == rc) {
        member_init(segment, mine, all, ompi_comm_rank(comm));
    }
    return ompi_osc_ucp_agree(comm, rc);
}

/** Give a segment back. `unused`: no member counts itself at `left`. */
static void segment_unmap(ompi_osc_ucp_segment_t *segment, bool unused)
{
    uint32_t *left;

    if (NULL != segment->lot) {
        left = &member_of(segment, 0)->left;
        if (unused) {
            __atomic_store_n(left, segment->members, __ATOMIC_RELAXED);
        }
        ompi_osc_ucp_pool_give(segment->lot, left);
    } else if (NULL != segment->sysv) {
        ompi_osc_ucp_sysv_release(segment->sysv);
        __atomic_fetch_sub(&own_count, segment->own, __ATOMIC_RELAXED);
    } else if (NULL != segment->head) {
        opal_shmem_segment_detach(segment->ds);
    }
    free(segment->ds);
    free(segment);
}

/** Learn how much memory the others want. Collective; all processes return the same code. */
static int shares_gather(ompi_communicator_t *comm, const ompi_osc_ucp_share_t *mine, uint64_t **all_p)
{
    int rc;

    *all_p = malloc((size_t) ompi_comm_size(comm) * sizeof(**all_p));
    rc     = ompi_osc_ucp_agree(comm, NULL == *all_p ? OMPI_ERR_OUT_OF_RESOURCE : OMPI_SUCCESS);
    if (OMPI_SUCCESS == rc) {
        rc = comm->c_coll->coll_allgather(&mine->memory, sizeof(**all_p), MPI_BYTE, *all_p, sizeof(**all_p), MPI_BYTE,
                                          comm, comm->c_coll->coll_allgather_module);
    }
    return rc;
}

/** Make the segment and map it: in a file, or if possible not. *holder_p is what holds it. Collective. */
static int segment_try(ompi_communicator_t *comm, const ompi_osc_ucp_share_t *share, const uint64_t *all, bool file,
                       ompi_osc_ucp_segment_t **segment_p, place_t *place)
{
    ompi_osc_ucp_segment_t *segment = calloc(1, sizeof(*segment));
    int                     rc;

    *place = (place_t) { .holder = NOTHING, .bytes = UINT64_MAX };
    if (NULL != segment) {
        segment->members = (uint32_t) ompi_comm_size(comm);
        if (0 == ompi_comm_rank(comm)) {
            segment_create(segment, share, all, file);
            *place = segment->place;
        }
    }
    rc = segment_map(segment, comm, share, all, place);
    if (NULL != segment && NULL != segment->ds && 0 == ompi_comm_rank(comm)) {
        opal_shmem_unlink(segment->ds);
    }
    if (OMPI_SUCCESS == rc) {
        *segment_p = segment;
    } else if (NULL != segment) {
        segment_unmap(segment, true);
    }
    return rc;
}

int ompi_osc_ucp_segment_share(ompi_communicator_t *comm, const ompi_osc_ucp_share_t *share,
                               ompi_osc_ucp_segment_t **segment_p, uint64_t *bytes_p)
{
    uint64_t *all = NULL;
    place_t   place;
    int       rc = share->uniform ? OMPI_SUCCESS : shares_gather(comm, share, &all);

    if (OMPI_SUCCESS == rc) {
        rc = segment_try(comm, share, all, false, segment_p, &place);
        if (OMPI_SUCCESS != rc && (LOT == place.holder || OWN == place.holder)) {
            /* The members may have IPC name spaces of their own, but the same files. */
            rc = segment_try(comm, share, all, true, segment_p, &place);
        }
        *bytes_p = place.bytes;
    }
    free(all);
    return rc;
}

void ompi_osc_ucp_segment_free(ompi_osc_ucp_segment_t *segment)
{
    if (NULL == segment) {
        return;
    }
    if (LOT == segment->place.holder) {
        __atomic_fetch_add(&member_of(segment, 0)->left, 1, __ATOMIC_RELEASE);
    }
    segment_unmap(segment, false);
}

ompi_osc_ucp_member_t ompi_osc_ucp_segment_member(const ompi_osc_ucp_segment_t *segment, int rank)
{
    member_t *member = member_of(segment, rank);
    uintptr_t base   = (uintptr_t) segment->head & ~(uintptr_t) (OMPI_OSC_UCP_STRIPE_GRANULE - 1);

    /* Members whose memory lies in one granule, or in like granules of their lanes, have different stripes. */
    return (ompi_osc_ucp_member_t) {
        .control   = &member->control,
        .memory    = 0 == member->has_memory ? NULL : (char *) segment->head + member->offset,
        .stripes   = segment->head->stripes,
        .key_base  = base - (uintptr_t) rank * OMPI_OSC_UCP_STRIPE_GRANULE,
        .size      = member->size,
        .disp_unit = member->disp_unit,
        .base      = member->base,
        .base_key  = 0 - (uintptr_t) rank * OMPI_OSC_UCP_STRIPE_GRANULE,
        .self      = member->self
    };
}
