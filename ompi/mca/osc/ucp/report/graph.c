/* The graph of who waits for whom: how it is made.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "report/graph.h"

#include "layer/watch.h"
#include "reach/reach.h"
#include "service/asked.h"

#define NODES OMPI_OSC_UCP_GRAPH_NODES

/** A process that has not answered for so long is silent. Nanoseconds. */
#define ANSWER_NS 2000000000

typedef ompi_osc_ucp_graph_t graph_t;
typedef ompi_osc_ucp_node_t  node_t;

static const ompi_osc_ucp_watched_window_t no_window;

/** The index of the process, or of the question to it; added if need be. -1: there is no room. */
static int node_find(graph_t *graph, uint64_t key, const ompi_osc_ucp_watched_window_t *about)
{
    int i;

    for (i = 0; i < graph->nodes; i++) {
        if (key == graph->node[i].key && ompi_osc_ucp_watched_same(about, &graph->node[i].about)) {
            return i;
        }
    }
    if (NODES == graph->nodes) {
        graph->full = true;
        return -1;
    }
    graph->node[i] = (node_t) { .key = key, .about = *about, .lookup = -1 };
    graph->nodes++;
    return i;
}

void ompi_osc_ucp_graph_begin(graph_t *graph, unsigned demand, uint64_t least)
{
    uint64_t                now = ompi_osc_ucp_watched_now();
    ompi_osc_ucp_watched_t *record;
    int                     n = ompi_osc_ucp_watched_count(), i;

    graph->owner  = &ompi_osc_ucp_calling;
    graph->since  = ompi_osc_ucp_calling.since;
    graph->begun  = now;
    graph->demand = demand;
    graph->nodes  = 0;
    graph->full   = false;
    (void) node_find(graph, ompi_osc_ucp_watched->key, &no_window);
    for (i = 0; i < n && !graph->full; i++) {
        record = ompi_osc_ucp_watched_at(i);
        if (0 != record->key && OMPI_OSC_UCP_AWAITS_NOTHING != record->awaits && now - record->since >= least) {
            (void) node_find(graph, record->key, &no_window);
            graph->full = graph->nodes >= NODES / 2; /* the others are for what they wait for */
        }
    }
}

/* Learning about processes. */

/** Take what the process's record says. False: it has none here. */
static bool node_read(node_t *node)
{
    const ompi_osc_ucp_watched_t *record = ompi_osc_ucp_watched_find(node->key);
    char                          state;

    if (NULL == record) {
        return false;
    }
    ompi_osc_ucp_watched_copy(&node->answer.record, record);
    node->answer.now = ompi_osc_ucp_watched_now();
    state            = ompi_osc_ucp_process_state(record->pid, NULL);
    node->known      = 'T' == state || 't' == state ? OMPI_OSC_UCP_KNOWN_STOPPED
                       : 0 == state || 'Z' == state || 'X' == state ? OMPI_OSC_UCP_KNOWN_ENDED : OMPI_OSC_UCP_KNOWN;
    return true;
}

/** A process as a member of a window; NULL if it is in none of ours, or cannot be reached by message. */
static ompi_osc_ucp_peer_t *peer_of(uint64_t key)
{
    const struct ompi_osc_ucp_watch_t *watch;
    int                                rank;

    for (watch = ompi_osc_ucp_watches; NULL != watch && opal_common_ucp_is_open(); watch = watch->next) {
        for (rank = 0; !watch->window->lean && rank < watch->window->size; rank++) {
            if (key == ompi_osc_ucp_proc_key(watch->window->group, rank)) {
                return ompi_osc_ucp_peer(watch->window, rank);
            }
        }
    }
    return NULL;
}

/** A question was sent, or could not be. The answer may never come. */
static void node_asked(node_t *node, ompi_osc_ucp_question_t *question)
{
    node->question = question;
    node->asked    = ompi_osc_ucp_watched_now();
    node->known    = NULL == question ? OMPI_OSC_UCP_KNOWN_NEVER : OMPI_OSC_UCP_KNOWN_ASKED;
}

/** Ask the process. */
static void node_ask(node_t *node)
{
    ompi_osc_ucp_peer_t *peer = peer_of(node->key);

    if (ompi_osc_ucp_watched->key == node->key && NULL != peer) {
        ompi_osc_ucp_ask_self(node->about.id, &node->answer);
        node->known = OMPI_OSC_UCP_KNOWN;
    } else {
        node_asked(node, NULL == peer ? NULL : ompi_osc_ucp_ask(peer, node->about.id));
    }
}

/** Take the answer, if it is here; give it up after a while. */
static void node_hear(node_t *node)
{
    ompi_osc_ucp_question_t *question = node->question;

    if (question->done && OMPI_SUCCESS == question->status) {
        node->answer = question->answer;
        node->known  = OMPI_OSC_UCP_KNOWN;
        ompi_osc_ucp_watched_bound(&node->answer);
    } else if (question->done) {
        node->known = OMPI_OSC_UCP_KNOWN_NEVER;
    } else if (ompi_osc_ucp_watched_now() - node->asked > ANSWER_NS) {
        node->known = OMPI_OSC_UCP_KNOWN_SILENT;
    } else {
        return;
    }
    ompi_osc_ucp_question_drop(question);
    node->question = NULL;
}

/** Learn about a process, or ask it about its lock. */
static void node_learn(node_t *node)
{
    if (NULL != node->question) {
        node_hear(node);
    } else if (0 != node->about.id || !node_read(node)) {
        node_ask(node);
    }
}

/** Is it still to be learned what the process does? */
static bool is_open(const node_t *node)
{
    return OMPI_OSC_UCP_KNOWN_NOT_YET == node->known || OMPI_OSC_UCP_KNOWN_ASKED == node->known;
}

/* Edges. */

/** Does it wait, as far as we know? */
static bool node_waits(const node_t *node)
{
    return 0 == node->about.id && OMPI_OSC_UCP_KNOWN == node->known &&
           OMPI_OSC_UCP_AWAITS_NOTHING != node->answer.record.awaits;
}

static void edge_add(graph_t *graph, node_t *node, uint64_t key)
{
    int to = node_find(graph, key, &no_window);

    if (to >= 0 && node->edges < OMPI_OSC_UCP_GRAPH_EDGES) {
        node->edge[node->edges++] = to;
    }
}

/** Find who holds the lock for which the process waits. False: not known yet. */
static bool holders_find(graph_t *graph, node_t *node, uint64_t target)
{
    const ompi_osc_ucp_watched_window_t *window = &node->answer.record.window;
    node_t                              *asked;

    ompi_osc_ucp_watched_holders(&node->answer, target, window);
    if (0 == node->answer.holders && node->lookup < 0) {
        node->lookup = node_find(graph, target, window); /* only its service side knows of locks by message */
    }
    if (0 == node->answer.holders && node->lookup >= 0) {
        asked = &graph->node[node->lookup];
        if (is_open(asked)) {
            return false;
        }
        node->answer.holders = asked->answer.holders;
        memcpy(node->answer.holder, asked->answer.holder, sizeof(node->answer.holder));
    }
    return true;
}

/** A process that waits in MPI_Win_unlock for a lock is not among its holders. */
static bool holds_itself(const node_t *node)
{
    uint32_t i;

    for (i = 0; i < node->answer.holders; i++) {
        if (node->key == node->answer.holder[i].key) {
            return true;
        }
    }
    return false;
}

/** MPI_Win_wait does not know whose MPI_Win_complete is missing: those who have started, if they are as many. False:
 *  not known yet. */
static bool completes_find(graph_t *graph, node_t *node)
{
    ompi_osc_ucp_watched_t *record = &node->answer.record;
    uint32_t                started = 0, i;
    bool                    has[OMPI_OSC_UCP_WATCHED_WHOM], open = false;
    int                     at;

    for (i = 0; i < record->whoms; i++) {
        at       = node_find(graph, record->whom[i], &no_window);
        open     = open || (at >= 0 && is_open(&graph->node[at]));
        has[i]   = at >= 0 && ompi_osc_ucp_watched_started(&graph->node[at].answer.record, &record->window);
        started += has[i];
    }
    if (!open && started == record->missing) {
        for (i = 0, started = 0; i < record->whoms; i++) {
            record->whom[started] = record->whom[i];
            started              += has[i];
        }
        record->whoms = started;
    }
    return !open;
}

/** Find those for whom the process waits. */
static void node_expand(graph_t *graph, node_t *node)
{
    const ompi_osc_ucp_watched_t *record = &node->answer.record;
    uint64_t                      target = ompi_osc_ucp_record_lock(record);
    uint32_t                      i;

    if ((0 != target && !holders_find(graph, node, target)) ||
        (OMPI_OSC_UCP_AWAITS_COMPLETE == record->awaits && !completes_find(graph, node))) {
        return;
    }
    node->expanded = true;
    if (OMPI_OSC_UCP_AWAITS_LOCK != record->awaits && holds_itself(node)) {
        node->answer.holders = 0; /* it has the lock, and waits for the target */
    }
    for (i = 0; i < node->answer.holders; i++) {
        if (node->key != node->answer.holder[i].key) {
            edge_add(graph, node, node->answer.holder[i].key);
        }
    }
    for (i = 0; OMPI_OSC_UCP_AWAITS_LOCK != record->awaits && 0 == node->edges && i < record->whoms; i++) {
        edge_add(graph, node, record->whom[i]);
    }
}

/* The end of the graph. */

bool ompi_osc_ucp_graph_sure(const node_t *node)
{
    return OMPI_OSC_UCP_AWAITS_COMPLETE != node->answer.record.awaits ||
           node->answer.record.missing == node->answer.record.whoms;
}

/** Does an edge from the last node of the path to node `to` end a cycle? Then that is the graph's. */
static bool cycle_ends(graph_t *graph, int to)
{
    int at;

    for (at = graph->length - 1; at >= 0 && ompi_osc_ucp_graph_sure(&graph->node[graph->path[at]]); at--) {
        if (graph->path[at] == to) {
            graph->cycle = at;
            return true;
        }
    }
    return false;
}

/** Go on from the last node of the path, along edges to nodes that were not seen. True: a cycle is found, and the path
 *  leads into it; or the path leads to the first end. */
static bool path_walk(graph_t *graph, bool seen[NODES], bool cycles)
{
    const node_t *node = &graph->node[graph->path[graph->length - 1]];
    int           i;

    seen[graph->path[graph->length - 1]] = true;
    if (!cycles && (0 == node->edges || !node_waits(node))) {
        return true;
    }
    for (i = 0; i < node->edges; i++) {
        if (cycles && cycle_ends(graph, node->edge[i])) {
            return true;
        }
        if (!seen[node->edge[i]]) {
            graph->path[graph->length++] = node->edge[i];
            if (path_walk(graph, seen, cycles)) {
                return true;
            }
            graph->length--;
        }
    }
    return false;
}

static void path_find(graph_t *graph)
{
    bool cycles;

    for (cycles = true;; cycles = false) {
        bool seen[NODES] = { false };

        graph->cycle   = -1;
        graph->length  = 1;
        graph->path[0] = 0;
        if (path_walk(graph, seen, cycles) || !cycles) {
            return;
        }
    }
}

bool ompi_osc_ucp_graph_step(graph_t *graph)
{
    bool    whole = true;
    node_t *node;
    int     i;

    for (i = 0; i < graph->nodes; i++) { /* nodes may be added meanwhile */
        node = &graph->node[i];
        if (is_open(node)) {
            node_learn(node);
        }
    }
    for (i = 0; i < graph->nodes; i++) {
        node = &graph->node[i];
        if (node_waits(node) && !node->expanded) {
            node_expand(graph, node);
            whole = false;
        }
        whole = whole && !is_open(node);
    }
    if (whole) {
        path_find(graph);
    }
    return whole;
}

bool ompi_osc_ucp_graph_moves(const graph_t *graph)
{
    const node_t *last = &graph->node[graph->path[graph->length - 1]];
    int           i;

    for (i = 0; i < graph->length; i++) {
        if (!ompi_osc_ucp_graph_sure(&graph->node[graph->path[i]])) {
            return true;
        }
    }
    return graph->cycle < 0 && OMPI_OSC_UCP_KNOWN == last->known && !node_waits(last) &&
           0 != (last->answer.record.state >> 16) % 2;
}

/** The process at which the graph ends: all that make the same graph find the same one. */
static uint64_t end_find(const graph_t *graph)
{
    int      first = graph->cycle >= 0 ? graph->cycle : graph->length - 1, i;
    uint64_t key   = graph->node[graph->path[first]].key;

    for (i = first; i < graph->length; i++) {
        if (graph->node[graph->path[i]].key < key) {
            key = graph->node[graph->path[i]].key;
        }
    }
    return key;
}

/** Who gives leave to print: the process at the end. If it says nothing, rank 0 of the window, or else the one before
 *  the end. */
static uint64_t judge_find(const graph_t *graph, uint64_t end)
{
    const node_t *last   = &graph->node[graph->path[graph->length - 1]];
    const node_t *before = graph->length > 1 ? &graph->node[graph->path[graph->length - 2]] : last;

    if (graph->cycle >= 0 || last->known <= OMPI_OSC_UCP_KNOWN) {
        return end;
    }
    return last->key != before->answer.record.window.root ? before->answer.record.window.root : before->key;
}

bool ompi_osc_ucp_graph_claim(graph_t *graph, bool *granted_p)
{
    node_t                 *claim  = &graph->claim;
    uint64_t                end    = end_find(graph), judge = judge_find(graph, end);
    ompi_osc_ucp_watched_t *record = ompi_osc_ucp_watched_find(judge);
    ompi_osc_ucp_peer_t    *peer;

    if (NULL != record) {
        *granted_p = ompi_osc_ucp_watched_claim(record, end, graph->demand);
        return true;
    }
    if (NULL == claim->question) {
        *claim = (node_t) { .key = judge };
        peer   = peer_of(judge);
        node_asked(claim, NULL == peer ? NULL : ompi_osc_ucp_ask_claim(peer, end, graph->demand));
    } else {
        node_hear(claim);
    }
    *granted_p = 0 != claim->answer.granted || OMPI_OSC_UCP_KNOWN != claim->known;
    return OMPI_OSC_UCP_KNOWN_ASKED != claim->known;
}

void ompi_osc_ucp_graph_end(graph_t *graph)
{
    int i;

    for (i = 0; NULL != graph->owner && i < graph->nodes; i++) {
        ompi_osc_ucp_question_drop(graph->node[i].question);
    }
    ompi_osc_ucp_question_drop(graph->claim.question);
    graph->claim.question = NULL;
    graph->owner          = NULL;
}
