/* The bytes of a buffer: a fingerprint, whether they are there, and whether two buffers share some.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "check/bytes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/** Samples of a large buffer, and bytes of each. */
#define SAMPLES 64
#define SAMPLE  4096

/** Whether memory is there takes a system call to find out, so it is not asked for short buffers, and not for more runs
 *  than these: what is in use is hardly ever given back. */
#define MAPPED_MIN  4096
#define MAPPED_RUNS 64

/** Buffers of more pieces are taken to share nothing. */
#define PIECES_MAX 1024

/** Odd numbers without a pattern. */
#define FACTOR  UINT64_C(0x9e3779b97f4a7c15)
#define FACTOR2 UINT64_C(0xc2b2ae3d27d4eb4f)

static inline uint64_t word_at(const char *at)
{
    uint64_t word;

    memcpy(&word, at, sizeof(word));
    return word;
}

static inline uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * FACTOR;
    return hash ^ hash >> 29;
}

/** Add bytes to a hash. Four words at a time do not wait for each other. */
static uint64_t hash_bytes(uint64_t hash, const char *at, uint64_t len)
{
    uint64_t lane[4] = { hash, hash + 1, hash + 2, hash + 3 }, rest = 0;
    int      i;

    for (; len >= sizeof(lane); at += sizeof(lane), len -= sizeof(lane)) {
        for (i = 0; i < 4; i++) {
            lane[i] = mix(lane[i], word_at(at + 8 * i));
        }
    }
    for (; len >= 8; at += 8, len -= 8) {
        lane[0] = mix(lane[0], word_at(at));
    }
    memcpy(&rest, at, len);
    lane[1] = mix(lane[1], rest);
    return mix(mix(lane[0], lane[1]), mix(lane[2], lane[3] * FACTOR2));
}

/** Add packed bytes [pos, pos + len). */
static uint64_t hash_packed(uint64_t hash, const ompi_osc_ucp_check_bytes_t *bytes, uint64_t pos, uint64_t len)
{
    ompi_osc_ucp_layout_iter_t iter;
    int64_t                    disp;
    uint64_t                   run;

    ompi_osc_ucp_layout_iter_init(&iter, &bytes->layout, pos);
    while (len > 0 && ompi_osc_ucp_layout_iter_next(&iter, len, &disp, &run)) {
        hash = hash_bytes(hash, (const char *) (bytes->base + (uintptr_t) disp), run);
        len -= run;
    }
    return hash;
}

uint64_t ompi_osc_ucp_bytes_fingerprint(const ompi_osc_ucp_check_bytes_t *bytes)
{
    uint64_t size = bytes->layout.size, hash = size;
    uint64_t i;

    if (size <= OMPI_OSC_UCP_FINGERPRINT_ALL && ompi_osc_ucp_layout_is_contiguous(&bytes->layout)) {
        return hash_bytes(hash, (const char *) ompi_osc_ucp_bytes_first(bytes), size);
    }
    if (size <= OMPI_OSC_UCP_FINGERPRINT_ALL) {
        return hash_packed(hash, bytes, 0, size);
    }
    for (i = 0; i < SAMPLES; i++) {
        hash = hash_packed(hash, bytes, (size - SAMPLE) / (SAMPLES - 1) * i, SAMPLE);
    }
    return hash_packed(hash, bytes, size - SAMPLE, SAMPLE);
}

/** Are all pages of [at, end) there? */
static bool range_mapped(uintptr_t at, uintptr_t end)
{
    unsigned char seen[4096];
    uintptr_t     page = (uintptr_t) sysconf(_SC_PAGESIZE), len;

    for (at -= at % page; at < end; at += len) {
        len = end - at < sizeof(seen) * page ? end - at : sizeof(seen) * page;
        if (0 != mincore((void *) at, len, seen) && ENOMEM == errno) {
            return false;
        }
    }
    return true;
}

bool ompi_osc_ucp_bytes_mapped(const ompi_osc_ucp_check_bytes_t *bytes)
{
    ompi_osc_ucp_layout_iter_t iter;
    int64_t                    disp;
    uint64_t                   len;
    bool                       mapped = true;
    int                        n      = 0;

    if (bytes->layout.size < MAPPED_MIN) {
        return true;
    }
    ompi_osc_ucp_layout_iter_init(&iter, &bytes->layout, 0);
    while (mapped && n++ < MAPPED_RUNS && ompi_osc_ucp_layout_iter_next(&iter, UINT64_MAX, &disp, &len)) {
        mapped = range_mapped(bytes->base + (uintptr_t) disp, bytes->base + (uintptr_t) disp + len);
    }
    return mapped;
}

/** A run of bytes. */
typedef struct piece_t {
    uintptr_t first, end;
} piece_t;

static int piece_compare(const void *a, const void *b)
{
    const piece_t *one = a, *other = b;

    return one->first < other->first ? -1 : one->first > other->first;
}

/** The runs of a buffer that reach into [first, end), by address. Negative: too many. */
static int pieces_find(const ompi_osc_ucp_check_bytes_t *bytes, uintptr_t first, uintptr_t end, piece_t *pieces)
{
    ompi_osc_ucp_layout_iter_t iter;
    int64_t                    disp;
    uint64_t                   len;
    uintptr_t                  at;
    int                        n = 0;

    if (ompi_osc_ucp_layout_runs(&bytes->layout) > 16 * PIECES_MAX) {
        return -1;
    }
    ompi_osc_ucp_layout_iter_init(&iter, &bytes->layout, 0);
    while (ompi_osc_ucp_layout_iter_next(&iter, UINT64_MAX, &disp, &len)) {
        at = bytes->base + (uintptr_t) disp;
        if (at < end && at + len > first) {
            if (PIECES_MAX == n) {
                return -1;
            }
            pieces[n++] = (piece_t) { at, at + len };
        }
    }
    qsort(pieces, (size_t) n, sizeof(*pieces), piece_compare);
    return n;
}

bool ompi_osc_ucp_bytes_meet(const ompi_osc_ucp_check_bytes_t *one, const ompi_osc_ucp_check_bytes_t *other,
                             uintptr_t *at_p)
{
    uintptr_t first  = ompi_osc_ucp_bytes_first(one), end = ompi_osc_ucp_bytes_end(one);
    uintptr_t first2 = ompi_osc_ucp_bytes_first(other), end2 = ompi_osc_ucp_bytes_end(other);
    piece_t   pieces[2][PIECES_MAX];
    int       n, n2, i = 0, j = 0;

    first = first > first2 ? first : first2;
    end   = end < end2 ? end : end2;
    *at_p = first;
    if (first >= end) {
        return false;
    }
    if (ompi_osc_ucp_layout_is_contiguous(&one->layout) && ompi_osc_ucp_layout_is_contiguous(&other->layout)) {
        return true;
    }
    n  = pieces_find(one, first, end, pieces[0]);
    n2 = pieces_find(other, first, end, pieces[1]);
    while (i < n && j < n2) {
        if (pieces[0][i].end <= pieces[1][j].first) {
            i++;
        } else if (pieces[1][j].end <= pieces[0][i].first) {
            j++;
        } else {
            *at_p = pieces[0][i].first > pieces[1][j].first ? pieces[0][i].first : pieces[1][j].first;
            return true;
        }
    }
    return false;
}
