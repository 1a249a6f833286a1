/* The graph of who waits for whom, in words.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "report/graph.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/** Most processes that are named. */
#define LINES_MAX 24

typedef ompi_osc_ucp_graph_t graph_t;
typedef ompi_osc_ucp_node_t  node_t;

static double seconds(uint64_t from, uint64_t to)
{
    return to > from ? (double) (to - from) / 1e9 : 0;
}

/** A process's rank in its MPI_COMM_WORLD. */
static void put_rank(FILE *out, uint64_t key)
{
    ompi_osc_ucp_process_print(out, key, ompi_osc_ucp_watched->key);
}

/** " for the lock of rank 5, held exclusively by rank 2 since 12.0 s" */
static void put_lock(FILE *out, const graph_t *graph, const node_t *node, uint64_t target)
{
    const ompi_osc_ucp_watched_answer_t *answer = &node->answer;
    uint32_t                             i;

    fputs(" for the lock of ", out);
    put_rank(out, target);
    for (i = 0; i < answer->holders; i++) {
        fprintf(out, "%s %s ", 0 == i ? "," : " and",
                ompi_osc_ucp_held_words(answer->holder[i].how));
        put_rank(out, answer->holder[i].key);
        fprintf(out, " since %.1f s", (double) answer->holder[i].age / 1e9);
    }
    if (0 == answer->holders) {
        fputs(node->lookup < 0 || OMPI_OSC_UCP_KNOWN == graph->node[node->lookup].known
                  ? ", which nobody is known to hold" : ", which does not say who holds it", out);
    }
}

/** The window's name; without one its number, which is the same at all members. */
static void put_window(FILE *out, const ompi_osc_ucp_watched_t *record)
{
    char name[sizeof(record->name)];

    if ('\0' != record->name[0]) {
        fprintf(out, " on window '%s'", ompi_osc_ucp_harmless(record->name, name, sizeof(name)));
    } else {
        fprintf(out, " on window %llu", (unsigned long long) record->window.id);
    }
}

static void put_waiting(FILE *out, const graph_t *graph, const node_t *node)
{
    const ompi_osc_ucp_watched_t *record = &node->answer.record;
    uint64_t                      lock   = ompi_osc_ucp_record_lock(record);

    fprintf(out, " waits in %s", ompi_osc_ucp_called_name(record->call));
    put_window(out, record);
    fprintf(out, " since %.1f s,", seconds(record->since, node->answer.now));
    if (0 != lock && (OMPI_OSC_UCP_AWAITS_LOCK == record->awaits || node->answer.holders > 0)) {
        put_lock(out, graph, node, lock);
        return;
    }
    if (OMPI_OSC_UCP_AWAITS_NOTIFIED == record->awaits) {
        fputs(" for notifications, of no certain process", out);
        return;
    }
    fprintf(out, " for %s", ompi_osc_ucp_awaits_words(record->awaits));
    if (OMPI_OSC_UCP_AWAITS_COMPLETE == record->awaits && record->missing != record->whoms) {
        fprintf(out, "%u process%s among ", (unsigned) record->missing, 1 == record->missing ? "" : "es");
    }
    ompi_osc_ucp_whom_print(out, record, OMPI_OSC_UCP_AWAITS_COMPLETE == record->awaits ? 0 : record->missing,
                            ompi_osc_ucp_watched->key);
    if (0 == record->whoms) {
        fputs("something that has no name", out);
    }
}

/** Has the process freed the window in whose collective call another one waits for it? Its MPI_Win_free has met another
 *  call of the others, whose name is returned. Or NULL. Of these MPIX_Win_set_num_notify alone meets all members twice:
 *  who has called it waits in it, and who has called MPI_Win_fence waits in its own MPI_Win_free. */
static const char *freed_instead_of(const graph_t *graph, const node_t *node)
{
    const ompi_osc_ucp_watched_t *record = &node->answer.record, *waiting;
    int                           i, j;

    for (i = 0; OMPI_OSC_UCP_CALLED_FREE == (record->state & 0xffff) && i < graph->nodes; i++) {
        waiting = &graph->node[i].answer.record;
        if (OMPI_OSC_UCP_AWAITS_ARRIVE != waiting->awaits ||
            !ompi_osc_ucp_watched_same(&waiting->window, &record->last)) {
            continue;
        }
        for (j = 0; j < graph->node[i].edges; j++) {
            if (node == &graph->node[graph->node[i].edge[j]]) {
                return ompi_osc_ucp_called_name(OMPI_OSC_UCP_CALLED_SET_NUM_NOTIFY == waiting->call
                                                    ? OMPI_OSC_UCP_CALLED_SET_NUM_NOTIFY : OMPI_OSC_UCP_CALLED_FENCE);
            }
        }
    }
    return NULL;
}

/** What a process does that does not wait, or does not answer. */
static void put_other(FILE *out, const graph_t *graph, const node_t *node)
{
    const ompi_osc_ucp_watched_t *record = &node->answer.record;
    const char                   *other;

    switch (node->known) {
    case OMPI_OSC_UCP_KNOWN:
        break;
    case OMPI_OSC_UCP_KNOWN_STOPPED:
        fprintf(out, " is stopped, and SIGCONT continues it (process %d):", (int) record->pid);
        break;
    case OMPI_OSC_UCP_KNOWN_ENDED:
        fprintf(out, " has ended (process %d):", (int) record->pid);
        break;
    case OMPI_OSC_UCP_KNOWN_SILENT:
        fputs(" does not answer: it is stopped or gone, or no service thread serves its windows", out);
        return;
    default:
        fputs(" cannot be asked", out);
        return;
    }
    if (0 == record->key) {
        fputs(" has no record: it runs without osc_ucp_watchdog", out);
    } else if (0 == record->state) {
        fputs(" has made no call on a window yet", out);
    } else if (0 != (record->state >> 16) % 2) {
        fprintf(out, " is in %s", ompi_osc_ucp_called_name(record->state & 0xffff));
    } else {
        fputs(" computes, or is in other calls", out);
        if (0 != record->left) {
            fprintf(out, ", since %.1f s", seconds(record->left, node->answer.now));
        }
        fprintf(out, " (last MPI call on a window: %s)", ompi_osc_ucp_called_name(record->state & 0xffff));
        other = freed_instead_of(graph, node);
        if (NULL != other) {
            fprintf(out, "; it has freed that window, and has called %s less often", other);
        }
    }
}

static void put_node(FILE *out, const graph_t *graph, const node_t *node)
{
    fputs("osc/ucp:   ", out);
    put_rank(out, node->key);
    if (OMPI_OSC_UCP_KNOWN == node->known && OMPI_OSC_UCP_AWAITS_NOTHING != node->answer.record.awaits) {
        put_waiting(out, graph, node);
    } else {
        put_other(out, graph, node);
    }
    fputc('\n', out);
}

/** Mark what can be reached from a node. */
static void reach(graph_t *graph, int from)
{
    int i;

    if (!graph->node[from].reached) {
        graph->node[from].reached = true;
        for (i = 0; i < graph->node[from].edges; i++) {
            reach(graph, graph->node[from].edge[i]);
        }
    }
}

/** Mark all from which a marked one can be reached. */
static void reach_back(graph_t *graph)
{
    bool more = true;
    int  i, j;

    while (more) {
        more = false;
        for (i = 0; i < graph->nodes; i++) {
            for (j = 0; j < graph->node[i].edges && !graph->node[i].reached; j++) {
                graph->node[i].reached = graph->node[graph->node[i].edge[j]].reached;
                more                   = more || graph->node[i].reached;
            }
        }
    }
}

static void put_nodes(FILE *out, graph_t *graph)
{
    int i, lines, more = 0;

    reach(graph, 0);
    reach_back(graph);
    for (lines = 0; lines < graph->length && lines < LINES_MAX; lines++) { /* the path first: it says why */
        put_node(out, graph, &graph->node[graph->path[lines]]);
        graph->node[graph->path[lines]].reached = false;
    }
    for (i = 0; i < graph->nodes; i++) {
        if (graph->node[i].reached && lines < LINES_MAX) {
            put_node(out, graph, &graph->node[i]);
            lines++;
        } else {
            more += graph->node[i].reached;
        }
    }
    if (graph->full) {
        fputs("osc/ucp:   and more processes\n", out);
    } else if (more > 0) {
        fprintf(out, "osc/ucp:   and %d more\n", more);
    }
}

static void put_end(FILE *out, const graph_t *graph)
{
    int i;

    for (i = 0; i < graph->length; i++) {
        if (!ompi_osc_ucp_graph_sure(&graph->node[graph->path[i]])) {
            return; /* the path is one of several */
        }
    }
    if (graph->cycle < 0 && graph->length > 1) {
        fputs("osc/ucp:   all of them wait for ", out);
        put_rank(out, graph->node[graph->path[graph->length - 1]].key);
        fputc('\n', out);
    }
    if (graph->cycle < 0) {
        return;
    }
    fputs("osc/ucp:   a cycle, in which nobody can go on: ", out);
    for (i = graph->cycle; i < graph->length; i++) {
        put_rank(out, graph->node[graph->path[i]].key);
        fputs(" -> ", out);
    }
    put_rank(out, graph->node[graph->path[graph->cycle]].key);
    fputc('\n', out);
}

void ompi_osc_ucp_graph_print(graph_t *graph)
{
    char   *text = NULL;
    size_t  len = 0, done = 0;
    ssize_t n   = 1;
    FILE   *out = open_memstream(&text, &len);

    if (NULL == out) {
        return;
    }
    fputs("osc/ucp: who waits for whom:\n", out);
    put_nodes(out, graph);
    put_end(out, graph);
    if (0 == fclose(out)) {
        while (done < len && n > 0) { /* one piece: other processes may print at the same time */
            n     = write(STDERR_FILENO, text + done, len - done);
            done += n > 0 ? (size_t) n : 0;
        }
    }
    free(text);
}
