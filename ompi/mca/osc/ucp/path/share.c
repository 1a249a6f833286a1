/* Long copies on one node that an origin and its target share.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * An offer is one word that both change by compare-and-swap, its number and the units that are left, and fields that
 * tell what it is about. The origin writes the fields while nothing is left of the last offer; so who has read them,
 * and then changes a word that still has the same number, has read them right. The fields name the window, and the
 * origin by its rank: which memory and which process that is, the target knows itself.
 */

#include "path/share.h"

#include "base/wait.h"
#include "service/target.h"

/** What pieces are made of, bytes. */
#define UNIT (64u << 10)

/** The target's largest piece, in units: its program waits for as long as the copy of one takes, 20 us. */
#define PIECE_MAX 4

/** Shorter copies are not shared: it would take as long. */
#define SHARED_MIN (128u << 10)

/** An offer that nobody takes costs 1 to 2 us. A target that has not taken n in a row, n up to this, has the next
 *  2^n - 1 copies made without one. */
#define VAIN_MAX 4

static uint64_t pieces; /* that this process has taken */

static uint32_t units_left(uint64_t word)
{
    return (uint32_t) word;
}

/** Units of the next piece: half of what is left, so that both are done at about the same time. */
static uint32_t piece_units(uint64_t word, uint32_t max)
{
    uint32_t half = (units_left(word) + 1) / 2;

    return half < max ? half : max;
}

/** Take `units` of an offer that is as `*word_p` tells; if it is not any more, *word_p is what it is. */
static bool units_take(ompi_osc_ucp_offer_t *offer, uint64_t *word_p, uint32_t units)
{
    return __atomic_compare_exchange_n(&offer->left, word_p, *word_p - units, false, __ATOMIC_ACQ_REL,
                                       __ATOMIC_RELAXED);
}

static uint32_t units_all(uint64_t bytes)
{
    return (uint32_t) ((bytes + UNIT - 1) / UNIT);
}

/** The `units` that are next when so much of `bytes` is left, as bytes. */
static uint64_t piece_bytes(uint64_t word, uint32_t units, uint64_t bytes, uint64_t *at_p)
{
    uint64_t end;

    *at_p = (uint64_t) (units_all(bytes) - units_left(word)) * UNIT;
    end   = *at_p + (uint64_t) units * UNIT;
    return (end < bytes ? end : bytes) - *at_p;
}

/* The origin. */

/** Leave an offer; the word that tells it is *word_p. False: another origin has left one. */
static bool offer_open(const ompi_osc_ucp_peer_t *peer, bool put, const char *here, uint64_t disp, uint64_t bytes,
                       uint64_t *word_p)
{
    ompi_osc_ucp_offer_t *offer = peer->offer;
    uint16_t              free  = 0;

    if (!__atomic_compare_exchange_n(&offer->used, &free, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
        return false;
    }
    __atomic_store_n(&offer->window, peer->window->id, __ATOMIC_RELAXED);
    __atomic_store_n(&offer->disp, disp, __ATOMIC_RELAXED);
    __atomic_store_n(&offer->address, (uint64_t) (uintptr_t) here, __ATOMIC_RELAXED);
    __atomic_store_n(&offer->bytes, bytes, __ATOMIC_RELAXED);
    __atomic_store_n(&offer->origin, (uint32_t) peer->window->rank, __ATOMIC_RELAXED);
    __atomic_store_n(&offer->put, put, __ATOMIC_RELAXED);
    __atomic_store_n(&offer->done, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&offer->failed, 0, __ATOMIC_RELAXED);
    *word_p = ((__atomic_load_n(&offer->left, __ATOMIC_RELAXED) >> 32) + 1) << 32 | units_all(bytes);
    __atomic_store_n(&offer->left, *word_p, __ATOMIC_RELEASE);
    return true;
}

static bool copy(const ompi_osc_ucp_peer_t *peer, bool put, char *here, uint64_t disp, uint64_t bytes)
{
    return ompi_osc_ucp_cma_copy(peer->pid, put, here, peer->remote + disp, bytes);
}

/** Has the target come to the last offers, or is it time to see whether it does again? */
static bool target_may_come(ompi_osc_ucp_peer_t *peer)
{
    if (0 == peer->offers_apart) {
        return true;
    }
    peer->offers_apart--;
    return false;
}

static void target_came(ompi_osc_ucp_peer_t *peer, bool came)
{
    peer->offers_vain  = came ? 0 : peer->offers_vain + (peer->offers_vain < VAIN_MAX);
    peer->offers_apart = (uint8_t) ((1u << peer->offers_vain) - 1);
}

/** Take pieces and copy them until none is left; all at once if the target does not come any more, or the kernel
 *  refuses. Then wait for what the target has taken. False: not all were copied. */
static bool offer_share(ompi_osc_ucp_peer_t *peer, bool put, char *here, uint64_t disp, uint64_t bytes,
                        uint64_t word)
{
    ompi_osc_ucp_offer_t *offer = peer->offer;
    uint32_t              all   = units_all(bytes), units, mine = 0, theirs, before = 0;
    unsigned              steps = 0;
    uint64_t              at, n;
    bool                  alone = false, good = true;

    while (0 != units_left(word)) {
        units = alone ? units_left(word) : piece_units(word, UINT32_MAX);
        if (!units_take(offer, &word, units)) {
            continue;
        }
        n      = piece_bytes(word, units, bytes, &at);
        good   = good && copy(peer, put, here + at, disp + at, n);
        mine  += units;
        word   = __atomic_load_n(&offer->left, __ATOMIC_RELAXED);
        theirs = all - units_left(word) - mine;
        alone  = !good || (theirs == before && theirs == __atomic_load_n(&offer->done, __ATOMIC_RELAXED));
        before = theirs;
    }
    target_came(peer, mine != all);
    while (mine + __atomic_load_n(&offer->done, __ATOMIC_ACQUIRE) != all) {
        ompi_osc_ucp_spin(&steps);
    }
    return good && 0 == __atomic_load_n(&offer->failed, __ATOMIC_RELAXED);
}

bool ompi_osc_ucp_share_copy(ompi_osc_ucp_peer_t *peer, bool put, char *here, uint64_t disp, uint64_t bytes)
{
    uint64_t word;
    bool     good;

    if (NULL == peer->offer || bytes < SHARED_MIN || bytes > (uint64_t) UINT32_MAX * UNIT ||
        !target_may_come(peer) || !offer_open(peer, put, here, disp, bytes, &word)) {
        return copy(peer, put, here, disp, bytes);
    }
    good = offer_share(peer, put, here, disp, bytes, word);
    __atomic_store_n(&peer->offer->used, 0, __ATOMIC_RELEASE);
    if (!good) {
        peer->offer = NULL;
        good        = copy(peer, put, here, disp, bytes);
    }
    return good;
}

/* The target. */

/** Has an origin left an offer, of which something is left to take? */
static bool is_offered(void)
{
    const ompi_osc_ucp_chunk_head_t *head = __atomic_load_n(&ompi_osc_ucp_lasting_head, __ATOMIC_ACQUIRE);

    return NULL != head && 0 != (uint32_t) __atomic_load_n(&head->offer.left, __ATOMIC_RELAXED);
}

static unsigned piece_take(ompi_osc_ucp_offer_t *offer)
{
    uint64_t              word    = __atomic_load_n(&offer->left, __ATOMIC_ACQUIRE);
    uint64_t              address = __atomic_load_n(&offer->address, __ATOMIC_RELAXED);
    uint64_t              bytes   = __atomic_load_n(&offer->bytes, __ATOMIC_RELAXED);
    bool                  put     = 0 != __atomic_load_n(&offer->put, __ATOMIC_RELAXED);
    uint32_t              units   = piece_units(word, PIECE_MAX);
    uint64_t              at, n;
    char                 *place;
    int32_t               pid;

    if (!ompi_osc_ucp_target_place(__atomic_load_n(&offer->window, __ATOMIC_RELAXED),
                                   __atomic_load_n(&offer->origin, __ATOMIC_RELAXED),
                                   __atomic_load_n(&offer->disp, __ATOMIC_RELAXED), bytes, &place, &pid) ||
        units_left(word) > units_all(bytes) || 0 == units || !units_take(offer, &word, units)) {
        return 0;
    }
    n = piece_bytes(word, units, bytes, &at);
    if (!ompi_osc_ucp_cma_copy(pid, !put, place + at, address + at, n)) {
        __atomic_store_n(&offer->failed, 1, __ATOMIC_RELAXED);
    }
    __atomic_fetch_add(&offer->done, units, __ATOMIC_RELEASE);
    __atomic_fetch_add(&pieces, 1, __ATOMIC_RELAXED);
    return 1;
}

unsigned ompi_osc_ucp_share_help(void)
{
    return is_offered() ? piece_take(&__atomic_load_n(&ompi_osc_ucp_lasting_head, __ATOMIC_ACQUIRE)->offer) : 0;
}

uint64_t ompi_osc_ucp_share_pieces(void)
{
    return __atomic_load_n(&pieces, __ATOMIC_RELAXED);
}
