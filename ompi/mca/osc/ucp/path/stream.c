/* Long puts, gets and accumulates by both processes at once: see path/handoff.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * While the origin fills a chunk of the target's handoff, or empties one, the target works on another. So the data are
 * copied twice, but side by side, and not by the kernel, which first has to look up each page.
 */

#include "path/handing.h"
#include "path/handoff.h"

#include <string.h>

/** Less room in a chunk is left unused. */
#define ROOM_MIN 512

/** A piece of a put or get is cut at a multiple of so many bytes in the target's memory, so that no element is. */
#define ELEMENT 16

/** Steps of waiting for a target to take a chunk, and further ones for each KiB of all: the kernel takes as long. */
#define STEPS_MAX     96
#define STEPS_PER_KIB 2

/** How far a vector's data have come. */
typedef struct walk_t {
    const struct iovec *here, *there;
    uint64_t            here_at, there_at; /**< bytes of both that are behind it */
    uint64_t            left;              /**< bytes before it */
    uint64_t            cell;              /**< bytes of an accumulate's element; 0: no accumulate */
} walk_t;

/** How far the data of a put or get with layouts have come. */
typedef struct runs_t {
    ompi_osc_ucp_layout_iter_t here, behind; /**< what is to be packed next; of a get, to be unpacked next */
    ompi_osc_ucp_layout_iter_t there;
    char                      *base_here;
    uint64_t                   base_there, at, left; /**< the rest of a run of `there` */
} runs_t;

/** Puts, gets or accumulates of some chunks. */
typedef struct stream_t {
    ompi_osc_ucp_peer_t    *peer;
    ompi_osc_ucp_handoff_t *handoff;
    uint32_t                first;        /**< the chunk's number with which it begins */
    uint32_t                posted, done; /**< chunks */
    unsigned                patience;
    bool                    write;
    ompi_osc_ucp_handoff_record_t as;      /**< kind of all, operation and type of accumulates */
    walk_t                  ahead, behind; /**< what is to be posted next; what the target has not done, not of a put */
    runs_t                 *runs;          /**< in their place, if there are layouts; but ahead.left counts */
    const ompi_osc_ucp_handoff_raises_t *raises; /**< the target carries them out with the last chunk */
} stream_t;

static void walk_begin(walk_t *walk, const ompi_osc_ucp_cma_vector_t *vector, const ompi_osc_ucp_handoff_record_t *as)
{
    *walk = (walk_t) {
        .here = vector->here, .there = vector->there, .left = vector->bytes,
        .cell = OMPI_OSC_UCP_HANDOFF_ACCUMULATE == as->kind ? ompi_osc_ucp_prims[as->prim].size : 0
    };
}

/** Of a side of a vector leave what is not behind the walk. */
static void side_leave(struct iovec *side, unsigned *n, const struct iovec *next, uint64_t next_at)
{
    *n -= (unsigned) (next - side);
    memmove(side, next, *n * sizeof(*side));
    side->iov_base = (char *) side->iov_base + next_at;
    side->iov_len -= next_at;
}

static void walk_leave(const walk_t *walk, ompi_osc_ucp_cma_vector_t *vector)
{
    side_leave(vector->here, &vector->nhere, walk->here, walk->here_at);
    side_leave(vector->there, &vector->nthere, walk->there, walk->there_at);
    vector->bytes = walk->left;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/** The next piece of at most so many bytes that lies in one piece on both sides. Returns its bytes. */
static uint64_t walk_next(walk_t *walk, uint64_t most, char **here_p, uint64_t *there_p)
{
    const uint64_t here = walk->here->iov_len - walk->here_at, there = walk->there->iov_len - walk->there_at;
    uint64_t       bytes = least(here, there);

    *here_p  = (char *) walk->here->iov_base + walk->here_at;
    *there_p = (uintptr_t) walk->there->iov_base + walk->there_at;
    if (bytes > most) {
        bytes = most - (0 == walk->cell ? (*there_p + most) % ELEMENT : most % walk->cell);
    }
    walk->here_at  += bytes;
    walk->there_at += bytes;
    walk->left     -= bytes;
    if (here == bytes) {
        walk->here++;
        walk->here_at = 0;
    }
    if (there == bytes) {
        walk->there++;
        walk->there_at = 0;
    }
    return bytes;
}

static ompi_osc_ucp_handoff_chunk_t *chunk_of(const stream_t *stream, uint32_t number)
{
    return ompi_osc_ucp_handoff_chunk(stream->handoff, stream->first + number);
}

/** Append a piece to records with room for so many bytes, with its data if it is no get. Returns what the record
 *  takes. */
static uint32_t piece_append(stream_t *stream, char *at, uint64_t room)
{
    ompi_osc_ucp_handoff_record_t *record = (ompi_osc_ucp_handoff_record_t *) at;
    const uint64_t                 most   = least(room - sizeof(*record), OMPI_OSC_UCP_HANDOFF_CHUNK_BYTES);
    char                          *here;

    *record       = stream->as;
    record->bytes = (uint16_t) walk_next(&stream->ahead, most, &here, &record->address);
    if (stream->write) {
        memcpy(ompi_osc_ucp_handoff_data(record), here, record->bytes);
    }
    return ompi_osc_ucp_handoff_takes(record->bytes, false);
}

/** May a piece of a list lie so far from its address? */
static bool is_near(int64_t disp)
{
    return disp == (int32_t) disp;
}

/** List blocks of the target as a whole, while they fit so many bytes with their data. Returns the bytes of data. */
static uint64_t blocks_list(stream_t *stream, ompi_osc_ucp_handoff_record_t *record, uint64_t room)
{
    ompi_osc_ucp_handoff_list_t *list = (ompi_osc_ucp_handoff_list_t *) ompi_osc_ucp_handoff_data(record);
    runs_t                      *runs = stream->runs;
    uint64_t                     data = 0, i, n, from;
    int64_t                      base, disp;
    const ompi_osc_ucp_layout_node_t *block = ompi_osc_ucp_layout_iter_list(&runs->there, &n, &base);

    from = runs->base_there + (uint64_t) base;
    if (0 == list->n && n > 0) {
        record->address = from + (uint64_t) block->disp;
    }
    from -= record->address;
    for (i = 0; i < n && 0 == block[i].items; i++) {
        disp = (int64_t) (from + (uint64_t) block[i].disp);
        if (block[i].count > room || (i + 1) * sizeof(list->pieces[0]) + data + block[i].count > room ||
            !is_near(disp)) {
            break;
        }
        list->pieces[list->n + i].from  = (int32_t) disp;
        list->pieces[list->n + i].bytes = (uint32_t) block[i].count;
        data += block[i].count;
    }
    if (i > 0) {
        list->n += i;
        stream->ahead.left -= data;
        ompi_osc_ucp_layout_iter_pass(&runs->there, i, data);
    }
    return data;
}

/** List a part of a block, or the next block, if that fits so many bytes with its data. Returns the bytes of data. */
static uint64_t run_list(stream_t *stream, ompi_osc_ucp_handoff_record_t *record, uint64_t room)
{
    ompi_osc_ucp_handoff_list_t *list = (ompi_osc_ucp_handoff_list_t *) ompi_osc_ucp_handoff_data(record);
    runs_t                      *runs = stream->runs;
    const uint64_t               most = room - sizeof(list->pieces[0]);
    uint64_t                     bytes;
    int64_t                      disp;

    if (0 == runs->left) {
        (void) ompi_osc_ucp_layout_iter_next(&runs->there, UINT64_MAX, &disp, &runs->left);
        runs->at = runs->base_there + (uint64_t) disp;
    }
    if (0 == list->n) {
        record->address = runs->at;
    }
    disp = (int64_t) (runs->at - record->address);
    if (most < ELEMENT || most > room || !is_near(disp)) {
        return 0;
    }
    bytes                       = runs->left <= most ? runs->left : most - (runs->at + most) % ELEMENT;
    list->pieces[list->n].from  = (int32_t) disp;
    list->pieces[list->n].bytes = (uint32_t) bytes;
    list->n++;
    runs->at           += bytes;
    runs->left         -= bytes;
    stream->ahead.left -= bytes;
    return bytes;
}

/** List the next runs of the target that fit so many bytes with their data. Returns the bytes of data. */
static uint64_t runs_list(stream_t *stream, ompi_osc_ucp_handoff_record_t *record, uint64_t room)
{
    ompi_osc_ucp_handoff_list_t *list = (ompi_osc_ucp_handoff_list_t *) ompi_osc_ucp_handoff_data(record);
    uint64_t                     data = 0, left, more = 1;

    for (list->n = 0; more > 0 && stream->ahead.left > 0; data += more) {
        left = room - sizeof(*list) - list->n * sizeof(list->pieces[0]) - data;
        more = 0 == stream->runs->left ? blocks_list(stream, record, left) : 0;
        if (0 == more) {
            more = run_list(stream, record, left);
        }
    }
    return data;
}

/** Append as many runs as fit to records with room for so many bytes. Returns what their record takes. */
static uint32_t list_append(stream_t *stream, char *at, uint64_t room)
{
    ompi_osc_ucp_handoff_record_t *record = (ompi_osc_ucp_handoff_record_t *) at;
    ompi_osc_ucp_handoff_list_t   *list   = (ompi_osc_ucp_handoff_list_t *) ompi_osc_ucp_handoff_data(record);
    const uint64_t                 bytes  = runs_list(stream, record, room - sizeof(*record));
    char                          *packed = ompi_osc_ucp_handoff_listed(list);

    if (stream->write) {
        ompi_osc_ucp_layout_pack(&stream->runs->here, stream->runs->base_here, packed, bytes);
    }
    record->bytes   = (uint16_t) ((uint64_t) (packed - (char *) list) + bytes);
    record->kind    = stream->write ? OMPI_OSC_UCP_HANDOFF_LISTED_PUT : OMPI_OSC_UCP_HANDOFF_LISTED_GET;
    record->fetches = false;
    return ompi_osc_ucp_handoff_takes(record->bytes, false);
}

static void chunk_post(stream_t *stream)
{
    ompi_osc_ucp_handoff_chunk_t *chunk = chunk_of(stream, stream->posted);
    uint32_t                      used  = 0;

    while (stream->ahead.left > 0 && OMPI_OSC_UCP_HANDOFF_CHUNK_ROOM - used >= ROOM_MIN) {
        used += NULL == stream->runs
                    ? piece_append(stream, chunk->records + used, OMPI_OSC_UCP_HANDOFF_CHUNK_ROOM - used)
                    : list_append(stream, chunk->records + used, OMPI_OSC_UCP_HANDOFF_CHUNK_ROOM - used);
    }
    chunk->last = 0 == stream->ahead.left;
    chunk->used = used + (chunk->last ? ompi_osc_ucp_handing_append(chunk->records + used, stream->raises) : 0);
    __atomic_store_n(&chunk->state, OMPI_OSC_UCP_HANDOFF_POSTED, __ATOMIC_RELEASE);
    stream->posted++;
}

/** Store what the target has put into so many bytes of records, or only note that it has carried them out. */
static void pieces_pass(stream_t *stream, char *at, uint32_t used)
{
    char    *end = at + used, *here;
    uint64_t there;

    while (at < end && stream->behind.left > 0) { /* no notifications */
        ompi_osc_ucp_handoff_record_t *record = (ompi_osc_ucp_handoff_record_t *) at;

        (void) walk_next(&stream->behind, record->bytes, &here, &there);
        if (!stream->write) {
            memcpy(here, ompi_osc_ucp_handoff_data(record), record->bytes);
        }
        at += ompi_osc_ucp_handoff_takes(record->bytes, false);
    }
}

/** The same where there are layouts. */
static void lists_read(stream_t *stream, char *at, uint32_t used)
{
    char *end = at + used;

    while (at < end) {
        ompi_osc_ucp_handoff_record_t *record = (ompi_osc_ucp_handoff_record_t *) at;
        ompi_osc_ucp_handoff_list_t   *list   = (ompi_osc_ucp_handoff_list_t *) ompi_osc_ucp_handoff_data(record);
        char                          *packed = ompi_osc_ucp_handoff_listed(list);

        ompi_osc_ucp_layout_unpack(&stream->runs->behind, stream->runs->base_here, packed,
                                   record->bytes - (uint64_t) (packed - (char *) list));
        at += ompi_osc_ucp_handoff_takes(record->bytes, false);
    }
}

/** Wait until the oldest chunk that is posted is over. */
static ompi_osc_ucp_handed_t chunk_await(stream_t *stream, unsigned patience)
{
    ompi_osc_ucp_handoff_chunk_t *chunk  = chunk_of(stream, stream->done);
    const ompi_osc_ucp_handed_t   handed = ompi_osc_ucp_handing_await(stream->peer, &chunk->state, patience);

    if (OMPI_OSC_UCP_HANDED_DONE == handed) {
        if (NULL == stream->runs && OMPI_OSC_UCP_HANDOFF_PUT != stream->as.kind) {
            pieces_pass(stream, chunk->records, chunk->used);
        } else if (NULL != stream->runs && !stream->write) {
            lists_read(stream, chunk->records, chunk->used);
        }
        __atomic_store_n(&chunk->state, OMPI_OSC_UCP_HANDOFF_FREE, __ATOMIC_RELAXED);
    }
    stream->done++;
    return handed;
}

/** Post all chunks, and wait for each before its place is needed. */
static ompi_osc_ucp_handed_t chunks_hand_off(stream_t *stream)
{
    ompi_osc_ucp_handed_t handed = OMPI_OSC_UCP_HANDED_DONE;

    while (OMPI_OSC_UCP_HANDED_DONE == handed && (stream->ahead.left > 0 || stream->done < stream->posted)) {
        if (stream->ahead.left > 0 && stream->posted - stream->done < OMPI_OSC_UCP_HANDOFF_CHUNKS) {
            chunk_post(stream);
            if (1 == stream->posted) {
                __atomic_store_n(&stream->handoff->state, OMPI_OSC_UCP_HANDOFF_STREAMS, __ATOMIC_RELEASE);
            }
        } else {
            handed = chunk_await(stream, stream->patience);
        }
    }
    while (OMPI_OSC_UCP_HANDED_BACK == handed && stream->done < stream->posted) { /* take back the others, too */
        handed = OMPI_OSC_UCP_HANDED_DEAD == chunk_await(stream, 0) ? OMPI_OSC_UCP_HANDED_DEAD : handed;
    }
    return handed;
}

/** The chunks of a handoff that is claimed hold anything at first. */
static void chunks_init(ompi_osc_ucp_handoff_t *handoff)
{
    unsigned i;

    for (i = 0; 0 == handoff->streamed && i < OMPI_OSC_UCP_HANDOFF_CHUNKS; i++) {
        ompi_osc_ucp_handoff_chunk(handoff, i)->state = OMPI_OSC_UCP_HANDOFF_FREE;
    }
    handoff->streamed = 1;
}

/** Does it fit the handoff itself? The target finds it sooner there than in a chunk. */
static bool is_short(const ompi_osc_ucp_cma_vector_t *vector)
{
    const uint64_t pieces = vector->nhere + vector->nthere - 1;

    return vector->bytes > OMPI_OSC_UCP_HANDOFF_NEAR && vector->bytes <= OMPI_OSC_UCP_HANDOFF_MAX &&
           vector->bytes + pieces * (sizeof(ompi_osc_ucp_handoff_record_t) + 15) <= OMPI_OSC_UCP_HANDOFF_ROOM;
}

/** Hand off all at once: it is short, and the handoff is claimed. */
static bool short_hand_off(stream_t *stream, uint64_t pieces)
{
    ompi_osc_ucp_handoff_t *handoff = stream->handoff;
    char                   *records = ompi_osc_ucp_handoff_far(handoff)->records;
    uint32_t                used    = 0;

    while (stream->ahead.left > 0) {
        used += piece_append(stream, records + used, OMPI_OSC_UCP_HANDOFF_ROOM - used);
    }
    *ompi_osc_ucp_handoff_first(handoff) = *(ompi_osc_ucp_handoff_record_t *) records;
    handoff->used = used + ompi_osc_ucp_handing_append(records + used, stream->raises);
    if (!ompi_osc_ucp_handing_post(stream->peer, pieces)) {
        return false;
    }
    if (!stream->write) {
        pieces_pass(stream, records, used);
    }
    ompi_osc_ucp_handing_release(stream->peer);
    return true;
}

/** The same in chunks. */
static bool long_hand_off(stream_t *stream)
{
    ompi_osc_ucp_handed_t handed;

    chunks_init(stream->handoff);
    stream->first = __atomic_load_n(&stream->handoff->taken, __ATOMIC_RELAXED);
    handed = chunks_hand_off(stream);
    if (OMPI_OSC_UCP_HANDED_DEAD == handed) {
        return false;
    }
    __atomic_store_n(&stream->handoff->state, OMPI_OSC_UCP_HANDOFF_FREE, __ATOMIC_RELAXED);
    ompi_osc_ucp_handing_release(stream->peer);
    if (OMPI_OSC_UCP_HANDED_BACK == handed) {
        ompi_osc_ucp_handing_missed(&stream->peer->handing);
    }
    return OMPI_OSC_UCP_HANDED_DONE == handed;
}

bool ompi_osc_ucp_handoff_stream(ompi_osc_ucp_peer_t *peer, ompi_osc_ucp_cma_vector_t *vector,
                                 const ompi_osc_ucp_handoff_record_t *as,
                                 const ompi_osc_ucp_handoff_raises_t *raises)
{
    stream_t stream = {
        .peer = peer, .handoff = peer->handing.handoff, .write = OMPI_OSC_UCP_HANDOFF_GET != as->kind, .as = *as,
        .raises = raises, .patience = STEPS_MAX + STEPS_PER_KIB * (unsigned) (vector->bytes / 1024)
    };
    bool     done;

    if (!ompi_osc_ucp_handing_claim(peer)) {
        return false;
    }
    walk_begin(&stream.ahead, vector, as);
    walk_begin(&stream.behind, vector, as);
    done = is_short(vector) ? short_hand_off(&stream, vector->nthere) : long_hand_off(&stream);
    if (!done && OMPI_OSC_UCP_HANDOFF_ACCUMULATE == as->kind) {
        walk_leave(&stream.behind, vector);
    }
    return done;
}

bool ompi_osc_ucp_handoff_runs(const ompi_osc_ucp_transfer_t *transfer, bool write, uint64_t nruns)
{
    const ompi_osc_ucp_layout_t *here = write ? transfer->origin_layout : transfer->result_layout;
    const ompi_osc_ucp_layout_t *there = transfer->target_layout;
    runs_t   runs   = { .base_here  = write ? (char *) transfer->origin : transfer->result,
                        .base_there = transfer->peer->remote + (uint64_t) transfer->disp };
    stream_t stream = {
        .peer = transfer->peer, .handoff = transfer->peer->handing.handoff, .write = write, .runs = &runs,
        .ahead = { .left = there->size },
        .patience = ompi_osc_ucp_handing_patience(nruns)
    };

    if (!ompi_osc_ucp_handing_claim(transfer->peer)) {
        return false;
    }
    ompi_osc_ucp_layout_iter_init(&runs.here, here, 0);
    ompi_osc_ucp_layout_iter_init(&runs.behind, here, 0);
    ompi_osc_ucp_layout_iter_init(&runs.there, there, 0);
    return long_hand_off(&stream);
}
