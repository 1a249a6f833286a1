/* The records of the trace as text, in the JSON trace event format.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Written by hand, not by printf: a program waits meanwhile.
 */

#include "base/trace.h"

#include <string.h>

/** What is before the time of a line, and what is between that and its phase. */
#define PREFIX strlen(OMPI_OSC_UCP_TRACE_TS)
#define PHASE  ",\"ph\":\""

/** Append a text. Inlined, as most texts are constant: then their lengths are, too. */
static inline __attribute__((always_inline)) char *put(char *to, const char *text)
{
    size_t n = __builtin_strlen(text);

    memcpy(to, text, n);
    return to + n;
}

/** Write digits, two at a time, so that they end before `end`. Returns where they begin. */
static char *put_before(char *end, uint64_t value)
{
    static const char pairs[] = "00010203040506070809101112131415161718192021222324252627282930313233343536373839"
                                "40414243444546474849505152535455565758596061626364656667686970717273747576777879"
                                "8081828384858687888990919293949596979899";

    while (value >= 100) {
        memcpy(end -= 2, pairs + 2 * (value % 100), 2);
        value /= 100;
    }
    if (value >= 10) {
        memcpy(end -= 2, pairs + 2 * value, 2);
    } else {
        *--end = (char) ('0' + value);
    }
    return end;
}

static char *put_number(char *to, uint64_t value)
{
    char digits[20], *begin;

    if (value < 10) {
        *to = (char) ('0' + value);
        return to + 1;
    }
    begin = put_before(digits + sizeof(digits), value);
    memcpy(to, begin, (size_t) (digits + sizeof(digits) - begin));
    return to + (digits + sizeof(digits) - begin);
}

static char *put_signed(char *to, int64_t value)
{
    if (value < 0) {
        *to++ = '-';
        return put_number(to, -(uint64_t) value);
    }
    return put_number(to, (uint64_t) value);
}

/** The three decimals of nanoseconds as microseconds. */
static char *put_decimals(char *to, uint64_t ns)
{
    *to++ = '.';
    *to++ = (char) ('0' + ns / 100 % 10);
    *to++ = (char) ('0' + ns / 10 % 10);
    *to++ = (char) ('0' + ns % 10);
    return to;
}

/** Nanoseconds as microseconds. */
static char *put_us(char *to, uint64_t ns)
{
    return put_decimals(put_number(to, ns / 1000), ns);
}

char *ompi_osc_ucp_trace_time(char *to, int64_t ns)
{
    uint64_t positive = ns < 0 ? 0 : (uint64_t) ns;
    char    *point    = to + OMPI_OSC_UCP_TRACE_COLUMNS - 4;

    memset(to, ' ', OMPI_OSC_UCP_TRACE_COLUMNS);
    (void) put_before(point, positive / 1000);
    return put_decimals(point, positive);
}

/** How many bytes the UTF-8 character at `text` has; 0: it is none. */
static size_t utf8_length(const unsigned char *text, size_t max)
{
    size_t n = *text < 0xc2 ? 0 : *text < 0xe0 ? 2 : *text < 0xf0 ? 3 : *text < 0xf5 ? 4 : 0, i;

    if (n > max || (0xe0 == *text && text[1] < 0xa0) || (0xed == *text && text[1] > 0x9f) ||
        (0xf0 == *text && text[1] < 0x90) || (0xf4 == *text && text[1] > 0x8f)) {
        return 0;
    }
    for (i = 1; i < n; i++) {
        if (0x80 != (text[i] & 0xc0)) {
            return 0;
        }
    }
    return n;
}

char *ompi_osc_ucp_trace_escape(char *to, const char *text, size_t max)
{
    static const char hex[] = "0123456789abcdef";
    unsigned char     c;
    size_t            i, n;

    for (i = 0; i < max && '\0' != text[i]; i += n) {
        c = (unsigned char) text[i];
        n = 1;
        if (c >= 0x20 && c < 0x7f && '"' != c && '\\' != c) {
            *to++ = (char) c;
        } else if ('"' == c || '\\' == c) {
            *to++ = '\\';
            *to++ = (char) c;
        } else if (c < 0x80) {
            to    = put(to, "\\u00");
            *to++ = hex[c >> 4];
            *to++ = hex[c & 15];
        } else if (0 == (n = utf8_length((const unsigned char *) text + i, max - i))) {
            to = put(to, "\\ufffd");
            n  = 1;
        } else {
            memcpy(to, text + i, n);
            to += n;
        }
    }
    return to;
}

static const char *const categories[] = {
    [OMPI_OSC_UCP_TRACE_WINDOW]    = "window",
    [OMPI_OSC_UCP_TRACE_SYNC]      = "synchronization",
    [OMPI_OSC_UCP_TRACE_FLUSH]     = "flush",
    [OMPI_OSC_UCP_TRACE_OPERATION] = "operation",
    [OMPI_OSC_UCP_TRACE_EPOCH]     = "epoch",
    [OMPI_OSC_UCP_TRACE_WRITE]     = "trace"
};

/* Most of a line is what other lines have, too: some such texts are kept. Inside the trace's lock. */

/** Texts of a kind that are kept. */
#define KEPT 16

/** What follows the time of a line: where, what. */
typedef struct head_t {
    const char *name; /* NULL: none is kept */
    int         rank, thread;
    uint8_t     kind;
    char        phase;
    size_t      n;
    char        text[160];
} head_t;

static head_t heads[KEPT];

static __attribute__((noinline)) void head_make(head_t *head, const ompi_osc_ucp_trace_record_t *record, char phase,
                                                int rank, int thread)
{
    char *to;

    *head = (head_t) { .name = record->name, .rank = rank, .thread = thread, .kind = record->kind, .phase = phase };
    to    = put(head->text, PHASE);
    *to++ = phase;
    to    = put_signed(put(to, "\",\"pid\":"), rank);
    to    = put_signed(put(to, ",\"tid\":"), thread);
    to    = put(put(to, ",\"cat\":\""), categories[record->kind]);
    to    = put(put(to, "\",\"name\":\""), record->name);

    head->n = (size_t) (to - head->text);
}

/** The beginning of a line: when, where, what. */
static char *put_head(char *to, const ompi_osc_ucp_trace_record_t *record, uint64_t when, char phase, int rank,
                      int thread)
{
    head_t *head = &heads[((uintptr_t) record->name >> 3 ^ (uintptr_t) phase) % KEPT];

    to = ompi_osc_ucp_trace_time(put(to, OMPI_OSC_UCP_TRACE_TS), (int64_t) when);
    if (OPAL_UNLIKELY(record->name != head->name || record->kind != head->kind || phase != head->phase ||
                      rank != head->rank || thread != head->thread)) {
        head_make(head, record, phase, rank, thread);
    }
    memcpy(to, head->text, head->n);
    return to + head->n;
}

/** The arguments of a window's records. */
typedef struct where_t {
    const ompi_osc_ucp_traced_t *window; /* NULL: none is kept */
    uint64_t                     id;
    int                          first, target;
    char                         name[MPI_MAX_OBJECT_NAME]; /* when the text was made */
    size_t                       n;
    char                         text[6 * MPI_MAX_OBJECT_NAME + 128];
} where_t;

static where_t wheres[KEPT];

/** The name that the program gave the window, or its number; and what no other window of the job has. */
static __attribute__((noinline)) void where_make(where_t *where, const ompi_osc_ucp_traced_t *window, const char *name,
                                                 int target)
{
    char *to = put(where->text, "\"window\":\"");

    where->window = window;
    where->id     = window->id;
    where->first  = window->first;
    where->target = target;
    (void) memccpy(where->name, name, 0, sizeof(where->name));
    to = '\0' == name[0] ? put_number(put(to, "window "), window->id)
                         : ompi_osc_ucp_trace_escape(to, name, MPI_MAX_OBJECT_NAME);
    to = put_signed(put(to, "\",\"id\":\""), window->first);
    to = put(put_number(put(to, "."), window->id), "\"");
    if (target >= 0) {
        to = put_signed(put(to, ",\"target\":"), target);
    } else if (OMPI_OSC_UCP_TRACE_NOBODY != target) {
        to = put_signed(put(to, ",\"member\":"), OMPI_OSC_UCP_TRACE_FOREIGN(target));
    }
    where->n = (size_t) (to - where->text);
}

static char *put_where(char *to, const ompi_osc_ucp_traced_t *window, int target)
{
    const char *name  = NULL == window->win ? window->name : window->win->w_name;
    where_t    *where = &wheres[((uintptr_t) window >> 5 ^ (unsigned) target) % KEPT];

    if (OPAL_UNLIKELY(window != where->window || window->id != where->id || window->first != where->first ||
                      target != where->target || 0 != strncmp(name, where->name, MPI_MAX_OBJECT_NAME))) {
        where_make(where, window, name, target);
    }
    memcpy(to, where->text, where->n);
    return to + where->n;
}

static char *put_data(char *to, const ompi_osc_ucp_trace_record_t *record)
{
    to = put(to, ",\"bytes\":");
    to = put_number(to, record->bytes);
    to = put(to, ",\"displacement\":");
    to = put_signed(to, record->disp);
    to = put(to, ",\"type\":\"");
    to = ompi_osc_ucp_trace_escape(to, NULL == record->type ? "derived" : record->type, MPI_MAX_OBJECT_NAME);
    if (NULL != record->op) {
        to = put(to, "\",\"op\":\"");
        to = put(to, record->op);
    }
    return put(to, "\"");
}

/** The end of a line: the arguments. */
static char *put_arguments(char *to, const ompi_osc_ucp_trace_record_t *record)
{
    to = put(to, ",\"args\":{");
    if (NULL != record->window) {
        to = put_where(to, record->window, record->target);
    }
    if (OMPI_OSC_UCP_TRACE_OPERATION == record->kind) {
        to = put_data(to, record);
    } else if (NULL != record->type) {
        to = put(to, ",\"lock\":\"");
        to = put(to, record->type);
        to = put(to, "\"");
    }
    return put(to, "}}\n");
}

/** Epochs overlap, so each sort, window and target is a row of its own, which has a name of its own. */
static char *put_row(char *to, const ompi_osc_ucp_trace_record_t *record)
{
    if (record->target >= 0) {
        to = put_signed(put(to, " "), record->target);
    } else if (OMPI_OSC_UCP_TRACE_NOBODY != record->target) {
        to = put_signed(put(to, " of member "), OMPI_OSC_UCP_TRACE_FOREIGN(record->target));
    }
    to = put(to, "\",\"id2\":{\"local\":\"");
    to = put(to, record->name);
    if (NULL != record->window) {
        to = put_number(put(to, " "), record->window->id);
    }
    to = put_signed(put(to, " "), record->target);
    return put(to, "\"}");
}

char *ompi_osc_ucp_trace_text(char *to, const ompi_osc_ucp_trace_record_t *record, int rank, int thread)
{
    uint64_t end = record->end < record->begin ? record->begin : record->end;
    char    *last;
    size_t   n;

    if (OMPI_OSC_UCP_TRACE_EPOCH == record->kind) {
        last = put_arguments(put_row(put_head(to, record, record->begin, 'b', rank, thread), record), record);
        n    = (size_t) (last - to);
        memcpy(last, to, n);
        (void) ompi_osc_ucp_trace_time(last + PREFIX, (int64_t) end);
        last[PREFIX + OMPI_OSC_UCP_TRACE_COLUMNS + strlen(PHASE)] = 'e';
        return last + n;
    }
    to = put_head(to, record, record->begin, 'X', rank, thread);
    to = put(to, "\",\"dur\":");
    to = put_us(to, end - record->begin);
    return put_arguments(to, record);
}
