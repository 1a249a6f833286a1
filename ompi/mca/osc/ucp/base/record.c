/* How to read records of what processes do.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "base/record.h"

#include <stdio.h>
#include <string.h>

/** How often a record is copied again because it has changed meanwhile. */
#define COPIES_MAX 100

static void record_bound(ompi_osc_ucp_watched_t *record)
{
    record->name[sizeof(record->name) - 1]           = '\0';
    record->last_name[sizeof(record->last_name) - 1] = '\0';
    if (record->whoms > OMPI_OSC_UCP_WATCHED_WHOM) {
        record->whoms = OMPI_OSC_UCP_WATCHED_WHOM;
    }
}

void ompi_osc_ucp_watched_bound(ompi_osc_ucp_watched_answer_t *answer)
{
    record_bound(&answer->record);
    if (answer->holders > OMPI_OSC_UCP_WATCHED_WHOM) {
        answer->holders = OMPI_OSC_UCP_WATCHED_WHOM;
    }
}

void ompi_osc_ucp_watched_copy(ompi_osc_ucp_watched_t *to, const ompi_osc_ucp_watched_t *record)
{
    uint32_t version;
    int      copies = 0;

    do {
        version = __atomic_load_n(&record->version, __ATOMIC_SEQ_CST);
        memcpy(to, (const void *) record, sizeof(*to));
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
    } while ((0 != version % 2 || version != __atomic_load_n(&record->version, __ATOMIC_SEQ_CST)) &&
             ++copies < COPIES_MAX); /* its owner may have been stopped in the midst of a change */
    record_bound(to);
}

void ompi_osc_ucp_watched_holder_add(ompi_osc_ucp_watched_answer_t *answer, uint64_t key, ompi_osc_ucp_held_t how,
                                     uint64_t since)
{
    uint64_t now = ompi_osc_ucp_watched_now();
    uint32_t i   = 0;

    while (i < answer->holders && key != answer->holder[i].key) {
        i++;
    }
    if (i == answer->holders && i < OMPI_OSC_UCP_WATCHED_WHOM) {
        answer->holder[i].key = key;
        answer->holder[i].how = how;
        answer->holder[i].age = now > since ? now - since : 0;
        answer->holders++;
    }
}

/** Is this what keeps others from the target's lock? */
static bool keeps(const ompi_osc_ucp_watched_t *record, int i, uint64_t target,
                  const ompi_osc_ucp_watched_window_t *window)
{
    return OMPI_OSC_UCP_HELD_NOTHING != record->held[i].how && OMPI_OSC_UCP_HELD_STARTED != record->held[i].how &&
           ompi_osc_ucp_watched_same(window, &record->held[i].window) &&
           (0 == record->held[i].target || target == record->held[i].target);
}

/** May the process hold a lock? Most hold none, and a record is long to copy. */
static bool holds(const ompi_osc_ucp_watched_t *record)
{
    uint64_t how;
    int      i;

    for (i = 0; 0 != __atomic_load_n(&record->key, __ATOMIC_ACQUIRE) && i < OMPI_OSC_UCP_WATCHED_HELD; i++) {
        how = __atomic_load_n(&record->held[i].how, __ATOMIC_RELAXED);
        if (OMPI_OSC_UCP_HELD_NOTHING != how && OMPI_OSC_UCP_HELD_STARTED != how) {
            return true;
        }
    }
    return false;
}

void ompi_osc_ucp_record_holders(const ompi_osc_ucp_watched_t *records, int n, ompi_osc_ucp_watched_answer_t *answer,
                                 uint64_t target, const ompi_osc_ucp_watched_window_t *window)
{
    ompi_osc_ucp_watched_t record;
    int                    at, i;

    for (at = 0; at < n; at++) {
        if (!holds(&records[at])) {
            continue;
        }
        ompi_osc_ucp_watched_copy(&record, &records[at]);
        for (i = 0; 0 != record.key && i < OMPI_OSC_UCP_WATCHED_HELD; i++) {
            if (keeps(&record, i, target, window)) {
                ompi_osc_ucp_watched_holder_add(answer, record.key, (ompi_osc_ucp_held_t) record.held[i].how,
                                                record.held[i].since);
            }
        }
    }
}

uint64_t ompi_osc_ucp_record_lock(const ompi_osc_ucp_watched_t *record)
{
    bool unlock = OMPI_OSC_UCP_CALLED_UNLOCK == record->call || OMPI_OSC_UCP_CALLED_UNLOCK_ALL == record->call;

    /* An unlock may be in the same message as its lock, and waits for that too. */
    if (1 == record->whoms && (OMPI_OSC_UCP_AWAITS_LOCK == record->awaits ||
                               (OMPI_OSC_UCP_AWAITS_FLUSH == record->awaits && unlock))) {
        return record->whom[0];
    }
    return 0;
}

bool ompi_osc_ucp_watched_started(const ompi_osc_ucp_watched_t *record, const ompi_osc_ucp_watched_window_t *window)
{
    int i;

    for (i = 0; i < OMPI_OSC_UCP_WATCHED_HELD; i++) {
        if (OMPI_OSC_UCP_HELD_STARTED == record->held[i].how &&
            ompi_osc_ucp_watched_same(window, &record->held[i].window)) {
            return true;
        }
    }
    return false;
}

char ompi_osc_ucp_process_state(int32_t pid, int32_t *parent_p)
{
    char    path[40], text[512], state, *end;
    int32_t parent;
    FILE   *file;

    snprintf(path, sizeof(path), "/proc/%d/stat", (int) pid);
    file = fopen(path, "re");
    if (NULL == file) {
        return 0;
    }
    text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
    (void) fclose(file);
    end = strrchr(text, ')'); /* the program's name before it may have any characters */
    if (NULL == end || 2 != sscanf(end + 1, " %c %d", &state, &parent)) {
        return 0;
    }
    if (NULL != parent_p) {
        *parent_p = parent;
    }
    return state;
}

/* Words. */

const char *ompi_osc_ucp_harmless(const char *text, char *to, size_t room)
{
    size_t i;

    for (i = 0; i + 1 < room && '\0' != text[i]; i++) {
        to[i] = text[i] > 0x1f && text[i] < 0x7f ? text[i] : '?';
    }
    to[i] = '\0';
    return to;
}

static const char *const calls[OMPI_OSC_UCP_CALLED_COUNT] = {
    [OMPI_OSC_UCP_CALLED_NONE]             = "none",
    [OMPI_OSC_UCP_CALLED_PUT]              = "MPI_Put",
    [OMPI_OSC_UCP_CALLED_GET]              = "MPI_Get",
    [OMPI_OSC_UCP_CALLED_ACCUMULATE]       = "MPI_Accumulate",
    [OMPI_OSC_UCP_CALLED_GET_ACCUMULATE]   = "MPI_Get_accumulate",
    [OMPI_OSC_UCP_CALLED_FETCH_AND_OP]     = "MPI_Fetch_and_op",
    [OMPI_OSC_UCP_CALLED_COMPARE_AND_SWAP] = "MPI_Compare_and_swap",
    [OMPI_OSC_UCP_CALLED_RPUT]             = "MPI_Rput",
    [OMPI_OSC_UCP_CALLED_RGET]             = "MPI_Rget",
    [OMPI_OSC_UCP_CALLED_RACCUMULATE]      = "MPI_Raccumulate",
    [OMPI_OSC_UCP_CALLED_RGET_ACCUMULATE]  = "MPI_Rget_accumulate",
    [OMPI_OSC_UCP_CALLED_FENCE]            = "MPI_Win_fence",
    [OMPI_OSC_UCP_CALLED_POST]             = "MPI_Win_post",
    [OMPI_OSC_UCP_CALLED_START]            = "MPI_Win_start",
    [OMPI_OSC_UCP_CALLED_COMPLETE]         = "MPI_Win_complete",
    [OMPI_OSC_UCP_CALLED_WAIT]             = "MPI_Win_wait",
    [OMPI_OSC_UCP_CALLED_TEST]             = "MPI_Win_test",
    [OMPI_OSC_UCP_CALLED_LOCK]             = "MPI_Win_lock",
    [OMPI_OSC_UCP_CALLED_UNLOCK]           = "MPI_Win_unlock",
    [OMPI_OSC_UCP_CALLED_LOCK_ALL]         = "MPI_Win_lock_all",
    [OMPI_OSC_UCP_CALLED_UNLOCK_ALL]       = "MPI_Win_unlock_all",
    [OMPI_OSC_UCP_CALLED_FLUSH]            = "MPI_Win_flush",
    [OMPI_OSC_UCP_CALLED_FLUSH_ALL]        = "MPI_Win_flush_all",
    [OMPI_OSC_UCP_CALLED_FLUSH_LOCAL]      = "MPI_Win_flush_local",
    [OMPI_OSC_UCP_CALLED_FLUSH_LOCAL_ALL]  = "MPI_Win_flush_local_all",
    [OMPI_OSC_UCP_CALLED_SET_NUM_NOTIFY]   = "MPIX_Win_set_num_notify",
    [OMPI_OSC_UCP_CALLED_NOTIFY_WAIT]      = "MPIX_Win_notify_wait",
    [OMPI_OSC_UCP_CALLED_FREE]             = "MPI_Win_free",
    [OMPI_OSC_UCP_CALLED_FINALIZE]         = "MPI_Finalize"
};

const char *ompi_osc_ucp_called_name(uint64_t call)
{
    return calls[call < OMPI_OSC_UCP_CALLED_COUNT ? call : 0];
}

const char *ompi_osc_ucp_process_words(uint64_t key, uint64_t self, char to[OMPI_OSC_UCP_PROCESS_WORDS])
{
    int n = snprintf(to, OMPI_OSC_UCP_PROCESS_WORDS, "rank %u", (unsigned) key);

    if (key >> 32 != self >> 32) {
        snprintf(to + n, (size_t) (OMPI_OSC_UCP_PROCESS_WORDS - n), " of another job (%u)",
                 (unsigned) (key >> 32 & 0xffff));
    }
    return to;
}

void ompi_osc_ucp_process_print(FILE *out, uint64_t key, uint64_t self)
{
    char words[OMPI_OSC_UCP_PROCESS_WORDS];

    fputs(ompi_osc_ucp_process_words(key, self, words), out);
}

void ompi_osc_ucp_whom_print(FILE *out, const ompi_osc_ucp_watched_t *record, uint32_t all, uint64_t self)
{
    uint32_t i;

    for (i = 0; i < record->whoms; i++) {
        fputs(0 == i ? "" : ", ", out);
        ompi_osc_ucp_process_print(out, record->whom[i], self);
    }
    if (all > record->whoms) {
        fprintf(out, " and %u more", (unsigned) (all - record->whoms));
    }
}

const char *ompi_osc_ucp_held_words(uint64_t how)
{
    static const char *const words[] = {
        [OMPI_OSC_UCP_HELD_NOTHING]   = "held by",
        [OMPI_OSC_UCP_HELD_SHARED]    = "held as a shared one by",
        [OMPI_OSC_UCP_HELD_EXCLUSIVE] = "held exclusively by",
        [OMPI_OSC_UCP_HELD_ALL]       = "held by MPI_Win_lock_all of"
    };

    return words[how <= OMPI_OSC_UCP_HELD_ALL ? how : OMPI_OSC_UCP_HELD_NOTHING];
}

const char *ompi_osc_ucp_awaits_words(uint64_t awaits)
{
    static const char *const words[OMPI_OSC_UCP_AWAITS_OTHER + 1] = {
        [OMPI_OSC_UCP_AWAITS_ANSWER]   = "the first answer of ",
        [OMPI_OSC_UCP_AWAITS_FLUSH]    = "operations to be carried out by ",
        [OMPI_OSC_UCP_AWAITS_POST]     = "MPI_Win_post of ",
        [OMPI_OSC_UCP_AWAITS_COMPLETE] = "MPI_Win_complete of "
    };

    return awaits <= OMPI_OSC_UCP_AWAITS_OTHER && NULL != words[awaits] ? words[awaits] : "";
}
