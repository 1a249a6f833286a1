/* The segment of a window whose members share a node: their control blocks, and memory that MPI allocates.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Rank 0 makes it, and offers it while the members agree on the window, or broadcasts where it is. A small window has a
 * lot in a pool (memory/pool.h). A larger one has a System V segment of its own. If the system gives none, or if this
 * process has made many, Open MPI's shmem framework serves: a file (memory/shared_file.h).
 */

#include "memory/segment.h"

#include "memory/arena.h"
#include "memory/pool.h"
#include "memory/shared_file.h"

#include <stdlib.h>
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
    uint64_t far;    /**< from a member's memory to what lies apart */
    uint32_t keep;   /**< it is not unmapped with the window */
    uint32_t packed; /**< the lot has one lane */
    uint64_t alignment;  /**< what rank 0 made it for (ompi_osc_ucp_share_t) */
    uint32_t counters;
    uint32_t contiguous;
} place_t;

_Static_assert(sizeof(place_t) == sizeof(ompi_osc_ucp_offer_t), "an offer is a place");

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
        size = NULL == all ? mine->memory + mine->far : all[i];
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

/** Make a file. */
static bool file_create(ompi_osc_ucp_segment_t *segment, bool must)
{
    segment->ds   = calloc(1, sizeof(*segment->ds));
    segment->head = NULL == segment->ds ? NULL : ompi_osc_ucp_file_create(segment->ds, segment->place.bytes, must);
    if (NULL == segment->head) {
        free(segment->ds);
        segment->ds = NULL;
        return false;
    }
    segment->place.holder = FILED;
    return true;
}

/** Take a lot in so many lanes, with so many bytes apart, or if that is 0 make a System V segment. */
static bool sysv_create(ompi_osc_ucp_segment_t *segment, int lanes, uint64_t bytes, uint64_t far)
{
    const ompi_osc_ucp_sysv_t *sysv;

    if (lanes > 0) {
        segment->lot = ompi_osc_ucp_pool_take(lanes, segment->members, bytes, far);
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
        segment->place.far    = segment->lot->far - segment->lot->offset - bytes + segment->place.far;
        if (lanes > 1) {
            segment->place.stride = ompi_osc_ucp_lane_bytes(lanes);
        }
    }
    return true;
}

/** Make a segment: a file or, if possible, not. False: there is none. */
static bool segment_create(ompi_osc_ucp_segment_t *segment, const ompi_osc_ucp_share_t *mine, const uint64_t *all,
                           bool file)
{
    place_t *place = &segment->place;
    uint64_t bytes;
    int      n = (int) segment->members, lanes = lot_lanes(mine, all, n, &bytes);

    place->bytes  = memory_at(mine, all, n, n);
    place->first  = sizeof(head_t) + ompi_osc_ucp_counters_bytes(mine->counters);
    place->stride = member_bytes(mine);
    place->far    = mine->memory;

    place->alignment  = mine->alignment;
    place->counters   = mine->counters;
    place->contiguous = mine->contiguous;
    if (0 == place->bytes) {
        return false;
    }
    if (file) {
        return file_create(segment, mine->must);
    }
    return (lanes > 0 && sysv_create(segment, lanes, bytes, mine->far)) || sysv_create(segment, 0, place->bytes, 0);
}

/* Mapping a segment that rank 0 has made. */

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
    if (ompi_osc_ucp_file_is_elsewhere(&ds)) {
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
    segment->head = ompi_osc_ucp_file_attach(segment->ds);
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
            if (!segment_create(segment, share, all, file) && !file) {
                (void) segment_create(segment, share, all, true);
            }
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

ompi_osc_ucp_offer_t ompi_osc_ucp_offer_none(void)
{
    ompi_osc_ucp_offer_t none;
    int                  i;

    for (i = 0; i < OMPI_OSC_UCP_OFFER_WORDS; i++) {
        none.words[i] = INT64_MIN;
    }
    return none;
}

ompi_osc_ucp_segment_t *ompi_osc_ucp_segment_offer(int members, const ompi_osc_ucp_share_t *share,
                                                   ompi_osc_ucp_offer_t *offer)
{
    ompi_osc_ucp_segment_t *segment = calloc(1, sizeof(*segment));

    *offer = ompi_osc_ucp_offer_none();
    if (NULL == segment) {
        return NULL;
    }
    segment->members = (uint32_t) members;
    if (!segment_create(segment, share, NULL, false)) {
        free(segment);
        return NULL;
    }
    memcpy(offer, &segment->place, sizeof(*offer));
    return segment;
}

bool ompi_osc_ucp_offer_suits(const ompi_osc_ucp_offer_t *offer, const ompi_osc_ucp_share_t *share)
{
    const ompi_osc_ucp_offer_t none = ompi_osc_ucp_offer_none();
    place_t                    place;

    memcpy(&place, offer, sizeof(place));
    return 0 != memcmp(offer, &none, sizeof(none)) && share->uniform && place.alignment == share->alignment &&
           place.counters == share->counters && place.contiguous == share->contiguous;
}

int ompi_osc_ucp_segment_accept(ompi_communicator_t *comm, const ompi_osc_ucp_offer_t *offer,
                                const ompi_osc_ucp_share_t *share, ompi_osc_ucp_segment_t **segment_p)
{
    ompi_osc_ucp_segment_t *segment = NULL != *segment_p ? *segment_p : calloc(1, sizeof(*segment));
    int                     rc;

    if (NULL == segment) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    segment->members = (uint32_t) ompi_comm_size(comm);
    memcpy(&segment->place, offer, sizeof(segment->place));
    rc = sysv_map(segment);
    if (OMPI_SUCCESS != rc) {
        free(segment);
        segment = NULL;
    } else {
        member_init(segment, share, NULL, ompi_comm_rank(comm));
    }
    *segment_p = segment;
    return rc;
}

void ompi_osc_ucp_segment_discard(ompi_osc_ucp_segment_t *segment)
{
    if (NULL != segment) {
        segment_unmap(segment, true);
    }
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
        .far       = (char *) segment->head + member->offset + segment->place.far,
        .stripes   = segment->head->stripes,
        .key_base  = base - (uintptr_t) rank * OMPI_OSC_UCP_STRIPE_GRANULE,
        .size      = member->size,
        .disp_unit = member->disp_unit,
        .base      = member->base,
        .base_key  = 0 - (uintptr_t) rank * OMPI_OSC_UCP_STRIPE_GRANULE,
        .self      = member->self
    };
}
