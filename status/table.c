/* What osc_ucp_status prints of a job: a line for each of its processes on this node.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "table.h"

#include <string.h>
#include <unistd.h>

/** Characters of the column for windows. */
#define WINDOW 16

typedef ompi_osc_ucp_watched_t record_t;

static double seconds(uint64_t from, uint64_t to)
{
    return to > from ? (double) (to - from) / 1e9 : 0;
}

/** A number in three digits or more, and its unit. */
static const char *scaled(double value, char text[16])
{
    static const char units[] = " kMGTPE";
    int               unit    = 0;

    while (value >= 9999.5 && unit < 6) {
        value /= 1000;
        unit++;
    }
    snprintf(text, 16, "%.*f%.*s", unit > 0 && value < 100 ? 1 : 0, value, unit > 0, &units[unit]);
    return text;
}

/** The holders of the lock for which a process waits. False: it waits for its target, or for nobody that is known. */
static bool put_holders(FILE *out, const record_t *record, const ompi_osc_ucp_watched_answer_t *answer)
{
    uint32_t i;

    for (i = 0; i < answer->holders; i++) {
        if (record->key == answer->holder[i].key && OMPI_OSC_UCP_AWAITS_LOCK != record->awaits) {
            return false;
        }
    }
    if (0 == answer->holders && OMPI_OSC_UCP_AWAITS_LOCK != record->awaits) {
        return false;
    }
    fputs("the lock of ", out);
    ompi_osc_ucp_process_print(out, record->whom[0], record->key);
    for (i = 0; i < answer->holders; i++) {
        fprintf(out, "%s %s ", 0 == i ? "," : " and", ompi_osc_ucp_held_words(answer->holder[i].how));
        ompi_osc_ucp_process_print(out, answer->holder[i].key, record->key);
        fprintf(out, " for %.1f s", (double) answer->holder[i].age / 1e9);
    }
    return true;
}

/** Only some of the group may be missing in MPI_Win_wait: those who have started, if they are as many. */
static void completes_find(const job_t *job, record_t *record)
{
    uint32_t started = 0, i;
    uint64_t whom[OMPI_OSC_UCP_WATCHED_WHOM];
    int      at;

    for (i = 0; i < record->whoms; i++) {
        for (at = 0; at < job->n && started < OMPI_OSC_UCP_WATCHED_WHOM; at++) {
            if (record->whom[i] == job->record[at].key &&
                ompi_osc_ucp_watched_started(&job->record[at], &record->window)) {
                whom[started++] = record->whom[i];
            }
        }
    }
    if (started == record->missing) {
        memcpy(record->whom, whom, sizeof(whom));
        record->whoms = started;
    }
}

/** For whom a process waits. */
static void put_waiting(FILE *out, const job_t *job, record_t *record)
{
    ompi_osc_ucp_watched_answer_t answer = { .holders = 0 };
    uint64_t                      lock   = ompi_osc_ucp_record_lock(record);

    fprintf(out, "waits %.1f s for ", seconds(record->since, job->when));
    if (0 != lock) {
        ompi_osc_ucp_record_holders(job->record, job->n, &answer, lock, &record->window);
        if (put_holders(out, record, &answer)) {
            return;
        }
    }
    if (OMPI_OSC_UCP_AWAITS_NOTIFIED == record->awaits) {
        fputs("notifications, of no certain process", out);
        return;
    }
    fputs(ompi_osc_ucp_awaits_words(record->awaits), out);
    if (OMPI_OSC_UCP_AWAITS_COMPLETE == record->awaits) {
        completes_find(job, record);
        if (record->missing != record->whoms) {
            fprintf(out, "%u process%s among ", (unsigned) record->missing, 1 == record->missing ? "" : "es");
        }
        ompi_osc_ucp_whom_print(out, record, 0, record->key);
        return;
    }
    ompi_osc_ucp_whom_print(out, record, record->missing, record->key);
    fputs(0 == record->whoms ? "something that has no name" : "", out);
}

/** Which epochs of a process keep others waiting, or may. */
static void put_held(FILE *out, const job_t *job, const record_t *record)
{
    int i;

    for (i = 0; i < OMPI_OSC_UCP_WATCHED_HELD; i++) {
        switch (record->held[i].how) {
        case OMPI_OSC_UCP_HELD_SHARED:
        case OMPI_OSC_UCP_HELD_EXCLUSIVE:
            fprintf(out, "; has the %s lock of ",
                    OMPI_OSC_UCP_HELD_SHARED == record->held[i].how ? "shared" : "exclusive");
            ompi_osc_ucp_process_print(out, record->held[i].target, record->key);
            break;
        case OMPI_OSC_UCP_HELD_ALL:
            fputs("; has MPI_Win_lock_all", out);
            break;
        case OMPI_OSC_UCP_HELD_STARTED:
            fputs("; has MPI_Win_start", out);
            break;
        default:
            continue;
        }
        fprintf(out, " for %.1f s", seconds(record->held[i].since, job->when));
    }
}

/** What a process does. */
static void put_doing(FILE *out, const job_t *job, record_t *record)
{
    const process_t *process = look_process(job, record);
    bool             inside  = 0 != (record->state >> 16) % 2;

    if (NULL == process) {
        fputs("has ended", out);
    } else if ('T' == process->state || 't' == process->state) {
        fputs("is stopped, and SIGCONT continues it", out);
    } else if (OMPI_OSC_UCP_AWAITS_NOTHING != record->awaits) {
        put_waiting(out, job, record);
    } else if (inside) {
        fputs("is inside", out);
    } else {
        fputs("computes, or is in other calls", out);
        if (0 != record->left) {
            fprintf(out, ", for %.1f s", seconds(record->left, job->when));
        }
    }
    put_held(out, job, record);
}

/** The window of the call, or of the last one: its name, else its number. */
static void put_window(FILE *out, const record_t *record)
{
    bool        waits = OMPI_OSC_UCP_AWAITS_NOTHING != record->awaits;
    const char *name  = waits ? record->name : record->last_name;
    uint64_t    id    = waits ? record->window.id : record->last.id;
    char        text[32];

    if ('\0' != name[0]) {
        (void) ompi_osc_ucp_harmless(name, text, WINDOW + 1);
    } else if (0 != id) {
        snprintf(text, sizeof(text), "#%llu", (unsigned long long) id);
    } else {
        snprintf(text, sizeof(text), "-");
    }
    fprintf(out, "  %-*s", WINDOW, text);
}

/** The call; in parentheses, if it is over. */
static void put_call(FILE *out, const record_t *record)
{
    bool        inside = 0 != (record->state >> 16) % 2;
    const char *name   = ompi_osc_ucp_called_name(record->state & 0xffff);
    char        text[40];

    snprintf(text, sizeof(text), inside ? "%s" : "(%s)", name);
    fprintf(out, "  %-25s  ", 0 == record->state ? "-" : text);
}

/** Operations and bytes per second since the earlier look. */
static void put_rates(FILE *out, const job_t *job, const job_t *before, const record_t *record)
{
    char   operations[16] = "-", bytes[16] = "-";
    double time;
    int    i;

    for (i = 0; NULL != before && i < before->n; i++) {
        time = seconds(before->when, job->when);
        if (record->key == before->record[i].key && time > 0) {
            (void) scaled((double) (record->operations - before->record[i].operations) / time, operations);
            (void) scaled((double) (record->bytes - before->record[i].bytes) / time, bytes);
        }
    }
    fprintf(out, " %8s %8s", operations, bytes);
}

void table_print(FILE *out, const job_t *job, const job_t *before)
{
    char            host[65] = "", program[sizeof(job->program)];
    const process_t *process;
    int             i, n = job->foreign ? job->processes : job->n;

    (void) gethostname(host, sizeof(host) - 1);
    if (job->foreign) {
        fputs("job", out);
    } else {
        fprintf(out, "job %u (%u)", (unsigned) look_number(job), (unsigned) look_number(job) & 0xffff);
    }
    fprintf(out, ": %s, %d process%s on %s\n", ompi_osc_ucp_harmless(job->program, program, sizeof(program)), n,
            1 == n ? "" : "es", host);
    if (job->foreign) {
        fprintf(out, "  its osc/ucp is not of the version of this program, " PACKAGE_VERSION "\n");
        return;
    }
    if (!job->whole) {
        fputs("  it runs with osc_ucp_report alone: --mca osc_ucp_status 1 also shows operations, and waiting\n", out);
    }
    fprintf(out, " %5s %8s %8s %8s  %-*s  %-25s  %s\n", "rank", "pid", "ops/s", "bytes/s", WINDOW, "window",
            "call (the last one)", "what it does");
    for (i = 0; i < job->n; i++) {
        process = look_process(job, &job->record[i]);
        fprintf(out, " %5u %8d", (unsigned) job->record[i].key,
                NULL == process ? (int) job->record[i].pid : (int) process->pid);
        put_rates(out, job, before, &job->record[i]);
        put_window(out, &job->record[i]);
        put_call(out, &job->record[i]);
        put_doing(out, job, &job->record[i]);
        fputc('\n', out);
    }
}
