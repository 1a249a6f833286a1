/* The arena: allocates chunks, and blocks of them.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "memory/arena.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "memory/limits.h"
#include "opal/constants.h"
#include "opal/mca/common/ucp/common_ucp.h"

/** Bytes of a chunk for small blocks, without MORE_BYTES. Untouched pages take no memory. */
#define CHUNK_BYTES (256u << 10)

/** Most bytes of a small block, with its alignment. */
#define SMALL_MAX (32u << 10)

/** Most bytes of a large block, with its alignment, and about the most of a chunk for several. */
#define LARGE_MAX (UINT64_C(64) << 20)

/** Blocks begin at multiples of a cache line and have whole ones. Bytes. */
#define UNIT 64u

/** Overflow areas of the fastboxes, behind the head of the lasting chunk. Bytes. */
#define MORE_BYTES ((uint64_t) OMPI_OSC_UCP_FASTBOXES * OMPI_OSC_UCP_FASTBOX_MORE)

/** Which blocks share a chunk. A small block, which may stay for long, keeps no memory of large ones. */
typedef enum kind_t {
    SMALL,
    LARGE,
    ALONE /**< it has but one */
} kind_t;

/** Unused memory between blocks. */
typedef struct gap_t {
    struct gap_t *next; /**< in order of offset */
    uint64_t      offset, bytes;
} gap_t;

struct ompi_osc_ucp_chunk_t {
    ompi_osc_ucp_chunk_t      *next;
    uint64_t                   id;
    kind_t                     kind;
    bool                       peers;   /**< its blocks are for peers to map */
    bool                       lasting; /**< it is kept until the arena ends */
    uint64_t                   bytes;
    opal_common_ucp_memory_t  *memory; /**< NULL: from the C library */
    char                      *reason; /**< malloc'd reason why UCX's allocation failed; NULL if it did not */
    ompi_osc_ucp_chunk_head_t *head;
    void                      *key;    /**< UCX's, for peers to map the chunk, malloc'd; NULL: they cannot */
    size_t                     key_len;
    gap_t                     *gaps;
    uint64_t                   blocks; /**< in use */
};

_Static_assert(0 == sizeof(ompi_osc_ucp_chunk_head_t) % UNIT && 0 == OMPI_OSC_UCP_FASTBOX_MORE % UNIT, "blocks follow");

/** Several threads may make windows at once: `lock` guards the rest, and all chunks. */
static struct {
    pthread_mutex_t       lock;
    ompi_osc_ucp_chunk_t *chunks;
    uint64_t              made;   /**< chunks made so far: the last id */
    uint64_t              large;  /**< bytes in use of chunks for large blocks */
    bool                  has[2]; /**< whether there is a lasting chunk, by `peers` */
} arena = { .lock = PTHREAD_MUTEX_INITIALIZER };

ompi_osc_ucp_chunk_head_t *ompi_osc_ucp_lasting_head;

static uint64_t round_up(uint64_t value, uint64_t unit)
{
    return (value + unit - 1) & ~(unit - 1);
}

/* Chunks. */

bool ompi_osc_ucp_random(uint64_t *bits_p)
{
    /* Not by the C library: from 2.41 on glibc's first call maps a generator for many numbers, and this takes few. */
    ssize_t n = syscall(SYS_getrandom, bits_p, sizeof(*bits_p), 0);
    int     file;

    if (sizeof(*bits_p) != n && (file = open("/dev/urandom", O_RDONLY | O_CLOEXEC)) >= 0) {
        n = read(file, bits_p, sizeof(*bits_p));
        close(file);
    }
    return sizeof(*bits_p) == n;
}

uint64_t ompi_osc_ucp_nonce(void)
{
    uint64_t        nonce;
    struct timespec now;

    if (!ompi_osc_ucp_random(&nonce)) {
        clock_gettime(CLOCK_REALTIME, &now); /* good enough to tell memory apart */
        nonce = ((uint64_t) now.tv_sec << 30 ^ (uint64_t) now.tv_nsec ^ (uint64_t) getpid() << 44) * 2654435761u;
    }
    return nonce;
}

/** Allocate the chunk's memory where peers can map it. */
static bool chunk_allocate_shared(ompi_osc_ucp_chunk_t *chunk)
{
    void *memory;

    free(chunk->reason);
    chunk->reason = NULL;
    if (!ompi_osc_ucp_memory_possible(chunk->bytes) ||
        OPAL_SUCCESS != opal_common_ucp_memory_allocate(chunk->bytes, &chunk->memory, &memory, &chunk->reason)) {
        chunk->memory = NULL;
        return false;
    }
    chunk->head = memory;
    if (OPAL_SUCCESS != opal_common_ucp_memory_key(chunk->memory, &chunk->key, &chunk->key_len)) {
        chunk->key = NULL;
    }
    return true;
}

/** Allocate the chunk's memory: from UCX for peers to map, with `more` bytes if possible; else from the C library. */
static bool chunk_allocate(ompi_osc_ucp_chunk_t *chunk, uint64_t more)
{
    void *memory;

    chunk->bytes += more;
    if (chunk->peers && chunk_allocate_shared(chunk)) {
        return true;
    }
    chunk->bytes -= more;
    if (chunk->peers && more > 0 && chunk_allocate_shared(chunk)) {
        return true;
    }
    if (0 != posix_memalign(&memory, UNIT, chunk->bytes)) {
        return false;
    }
    chunk->head = memory;
    return true;
}

/**
 * Bytes that a chunk for a large block of `bytes` gets beyond them: room for more such blocks, in all a quarter of what
 * is in use. So the number of chunks, each of which takes one of the system's segments, grows with the logarithm of the
 * memory. A network may pin a chunk, with all that is unused of it.
 */
static uint64_t chunk_more(uint64_t bytes)
{
    uint64_t all = arena.large / 4 < LARGE_MAX ? arena.large / 4 : LARGE_MAX;

    return all < bytes ? 0 : all / bytes * bytes - bytes;
}

/** A new chunk with a gap of `bytes` or more. The first for small blocks is lasting: most programs need no other. */
static ompi_osc_ucp_chunk_t *chunk_new(uint64_t bytes, kind_t kind, bool peers)
{
    ompi_osc_ucp_chunk_t *chunk = calloc(1, sizeof(*chunk));
    gap_t                *gap   = malloc(sizeof(*gap));
    uint64_t              first;

    if (NULL == chunk || NULL == gap) {
        goto free_structs;
    }
    chunk->id      = arena.made + 1;
    chunk->peers   = peers;
    chunk->lasting = SMALL == kind && !arena.has[peers];
    first          = sizeof(ompi_osc_ucp_chunk_head_t) + (chunk->lasting && peers ? MORE_BYTES : 0);
    chunk->bytes   = first + bytes;
    if (!chunk_allocate(chunk, LARGE == kind && peers ? chunk_more(bytes) : 0)) {
        free(chunk->reason);
        goto free_structs;
    }
    chunk->kind = LARGE == kind && NULL == chunk->key ? ALONE : kind; /* the next may be one that peers can map */
    memset(chunk->head, 0, sizeof(*chunk->head));
    chunk->head->nonce = ompi_osc_ucp_nonce();
    *gap = (gap_t) { .offset = first, .bytes = chunk->bytes - first };
    chunk->gaps  = gap;
    chunk->next  = arena.chunks;
    arena.chunks = chunk;
    arena.has[peers] |= SMALL == kind;
    arena.made++;
    if (chunk->lasting && NULL != chunk->key) {
        __atomic_store_n(&ompi_osc_ucp_lasting_head, chunk->head, __ATOMIC_RELEASE);
    }
    return chunk;

free_structs:
    free(gap);
    free(chunk);
    return NULL;
}

static void chunk_delete(ompi_osc_ucp_chunk_t *chunk)
{
    ompi_osc_ucp_chunk_t **at = &arena.chunks;
    gap_t                 *gap;

    while (*at != chunk) {
        at = &(*at)->next;
    }
    *at = chunk->next;
    while (NULL != (gap = chunk->gaps)) {
        chunk->gaps = gap->next;
        free(gap);
    }
    if (NULL != chunk->memory) {
        opal_common_ucp_memory_free(chunk->memory);
    } else {
        free(chunk->head);
    }
    free(chunk->key);
    free(chunk->reason);
    free(chunk);
}

/* Blocks: first fit. */

/** Cut `bytes` at `offset` out of the gap *at. False if memory is short. */
static bool gap_cut(gap_t **at, uint64_t offset, uint64_t bytes)
{
    gap_t   *gap   = *at, *rest;
    uint64_t after = gap->offset + gap->bytes - (offset + bytes);

    if (offset > gap->offset && after > 0) {
        rest = malloc(sizeof(*rest));
        if (NULL == rest) {
            return false;
        }
        *rest = (gap_t) { .next = gap->next, .offset = offset + bytes, .bytes = after };
        gap->next  = rest;
        gap->bytes = offset - gap->offset;
    } else if (offset > gap->offset) {
        gap->bytes = offset - gap->offset;
    } else if (after > 0) {
        gap->offset += bytes;
        gap->bytes   = after;
    } else {
        *at = gap->next;
        free(gap);
    }
    return true;
}

/** See ompi_osc_ucp_arena_take. False: no gap is large enough. */
static bool chunk_take(ompi_osc_ucp_chunk_t *chunk, uint64_t bytes, size_t alignment, size_t skew,
                       ompi_osc_ucp_block_t *block)
{
    gap_t   **at;
    uintptr_t start;
    uint64_t  offset;

    for (at = &chunk->gaps; NULL != *at; at = &(*at)->next) {
        start  = (uintptr_t) chunk->head + (*at)->offset;
        offset = round_up(start + skew, alignment) - skew - (uintptr_t) chunk->head;
        if (offset + bytes <= (*at)->offset + (*at)->bytes && gap_cut(at, offset, bytes)) {
            *block = (ompi_osc_ucp_block_t) { .chunk = chunk, .offset = offset, .bytes = bytes };
            chunk->blocks++;
            arena.large += LARGE == chunk->kind ? bytes : 0;
            return true;
        }
    }
    return false;
}

static bool arena_take(uint64_t bytes, size_t alignment, size_t skew, bool peers, ompi_osc_ucp_block_t *block)
{
    ompi_osc_ucp_chunk_t *chunk;
    uint64_t              most = bytes + alignment;
    kind_t                kind = most <= SMALL_MAX ? SMALL : most <= LARGE_MAX ? LARGE : ALONE;

    for (chunk = arena.chunks; ALONE != kind && NULL != chunk; chunk = chunk->next) {
        if (chunk->kind == kind && chunk->peers == peers && chunk_take(chunk, bytes, alignment, skew, block)) {
            return true;
        }
    }
    chunk = chunk_new(SMALL == kind ? CHUNK_BYTES - sizeof(ompi_osc_ucp_chunk_head_t) : most, kind, peers);
    return NULL != chunk && chunk_take(chunk, bytes, alignment, skew, block);
}

int ompi_osc_ucp_arena_take(size_t bytes, size_t alignment, size_t skew, bool peers, ompi_osc_ucp_block_t *block_p)
{
    bool taken;

    alignment = alignment < UNIT ? UNIT : alignment;
    if (bytes > SIZE_MAX / 2 - alignment - CHUNK_BYTES) { /* what is added does not overflow */
        return OPAL_ERR_OUT_OF_RESOURCE;
    }
    pthread_mutex_lock(&arena.lock);
    taken = arena_take(round_up(bytes, UNIT), alignment, skew, peers, block_p);
    pthread_mutex_unlock(&arena.lock);
    return taken ? OPAL_SUCCESS : OPAL_ERR_OUT_OF_RESOURCE;
}

/** The same at the end of the last gap that is large enough. */
static bool chunk_take_last(ompi_osc_ucp_chunk_t *chunk, uint64_t bytes, ompi_osc_ucp_block_t *block)
{
    gap_t  **at, **last = NULL;
    uint64_t offset;

    for (at = &chunk->gaps; NULL != *at; at = &(*at)->next) {
        last = (*at)->bytes >= bytes ? at : last;
    }
    if (NULL == last) {
        return false;
    }
    offset = (*last)->offset + (*last)->bytes - bytes;
    if (!gap_cut(last, offset, bytes)) {
        return false;
    }
    *block = (ompi_osc_ucp_block_t) { .chunk = chunk, .offset = offset, .bytes = bytes };
    chunk->blocks++;
    return true;
}

bool ompi_osc_ucp_arena_take_far(const ompi_osc_ucp_block_t *block, size_t bytes, ompi_osc_ucp_block_t *far_p)
{
    bool taken;

    pthread_mutex_lock(&arena.lock);
    taken = SMALL == block->chunk->kind && chunk_take_last(block->chunk, round_up(bytes, UNIT), far_p);
    pthread_mutex_unlock(&arena.lock);
    return taken;
}

/** Make freed bytes a gap, merged with its neighbours. If memory for a new gap is short, the bytes stay unused. */
static void chunk_give(ompi_osc_ucp_chunk_t *chunk, uint64_t offset, uint64_t bytes)
{
    gap_t **at = &chunk->gaps, *gap, *before = NULL;

    while (NULL != *at && (*at)->offset < offset) {
        before = *at;
        at     = &before->next;
    }
    if (NULL != before && before->offset + before->bytes == offset) {
        before->bytes += bytes;
        gap = before;
    } else {
        gap = malloc(sizeof(*gap));
        if (NULL == gap) {
            return;
        }
        *gap = (gap_t) { .next = *at, .offset = offset, .bytes = bytes };
        *at  = gap;
    }
    if (NULL != gap->next && gap->offset + gap->bytes == gap->next->offset) {
        gap_t *merged = gap->next;

        gap->bytes += merged->bytes;
        gap->next   = merged->next;
        free(merged);
    }
}

/**
 * Give whole pages of a freed block back to the system, where a chunk stays for others: those of a segment, else of
 * private memory. Not those that a network may have pinned. If the kernel cannot, they stay, too.
 */
static void pages_give(const ompi_osc_ucp_chunk_t *chunk, uint64_t offset, uint64_t bytes)
{
    uintptr_t page = (uintptr_t) sysconf(_SC_PAGESIZE), at = (uintptr_t) chunk->head + offset;
    uintptr_t from = round_up(at, page), to = (at + bytes) & ~(page - 1);

    if (LARGE == chunk->kind && from < to && !opal_common_ucp_pins() &&
        0 != madvise((void *) from, to - from, MADV_REMOVE)) {
        (void) madvise((void *) from, to - from, MADV_DONTNEED);
    }
}

void ompi_osc_ucp_arena_give(ompi_osc_ucp_block_t *block)
{
    ompi_osc_ucp_chunk_t *chunk = block->chunk;

    if (NULL == chunk) {
        return;
    }
    pthread_mutex_lock(&arena.lock);
    arena.large -= LARGE == chunk->kind ? block->bytes : 0;
    if (0 == --chunk->blocks && !chunk->lasting) {
        chunk_delete(chunk);
    } else {
        pages_give(chunk, block->offset, block->bytes);
        chunk_give(chunk, block->offset, block->bytes);
    }
    pthread_mutex_unlock(&arena.lock);
    block->chunk = NULL;
}

ompi_osc_ucp_chunk_head_t *ompi_osc_ucp_block_head(const ompi_osc_ucp_block_t *block)
{
    return block->chunk->head;
}

const char *ompi_osc_ucp_block_unreachable(const ompi_osc_ucp_block_t *block)
{
    return NULL == block->chunk ? NULL : block->chunk->reason;
}

void ompi_osc_ucp_block_describe(const ompi_osc_ucp_block_t *block, ompi_osc_ucp_description_t *description)
{
    const ompi_osc_ucp_chunk_t *chunk = block->chunk;

    if (NULL == chunk || NULL == chunk->key || chunk->key_len > sizeof(description->key)) {
        return;
    }
    description->chunk   = chunk->id;
    description->lasting = chunk->lasting;
    description->head    = (uint64_t) (uintptr_t) chunk->head;
    description->nonce   = chunk->head->nonce;
    description->offset  = block->offset;
    description->key_len = (uint32_t) chunk->key_len;
    memcpy(description->key, chunk->key, chunk->key_len);
}

void ompi_osc_ucp_arena_fini(void)
{
    ompi_osc_ucp_lasting_head = NULL;
    while (NULL != arena.chunks) {
        chunk_delete(arena.chunks);
    }
    memset(arena.has, 0, sizeof(arena.has));
    arena.large = 0;
}
