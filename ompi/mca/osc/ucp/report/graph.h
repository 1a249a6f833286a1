/* The graph of who waits for whom, which the watchdog prints.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A process that waits too long makes it: it begins with itself and goes on to those it waits for, by their records
 * (base/watched.h). It ends at processes that do not wait, or in a cycle. Origin side.
 */

#ifndef OSC_UCP_REPORT_GRAPH_H
#define OSC_UCP_REPORT_GRAPH_H

#include "message/ask.h"

#define OMPI_OSC_UCP_GRAPH_NODES 64
#define OMPI_OSC_UCP_GRAPH_EDGES OMPI_OSC_UCP_WATCHED_WHOM

/** What is known of a process. */
typedef enum ompi_osc_ucp_known_t {
    OMPI_OSC_UCP_KNOWN_NOT_YET,
    OMPI_OSC_UCP_KNOWN_ASKED,   /**< a question is under way */
    OMPI_OSC_UCP_KNOWN,
    OMPI_OSC_UCP_KNOWN_STOPPED, /**< by a signal; what it did before is known */
    OMPI_OSC_UCP_KNOWN_ENDED,
    OMPI_OSC_UCP_KNOWN_SILENT,  /**< it does not answer */
    OMPI_OSC_UCP_KNOWN_NEVER    /**< it cannot be asked */
} ompi_osc_ucp_known_t;

/** A process, or a question to it about its lock. */
typedef struct ompi_osc_ucp_node_t {
    uint64_t                       key;
    ompi_osc_ucp_watched_window_t  about;    /**< the window whose lock the question is about; id 0: none */
    ompi_osc_ucp_known_t           known;
    bool                           expanded; /**< its edges are known */
    bool                           reached;  /**< it is printed */
    int                            lookup;   /**< index of the question about the lock that it waits for; -1: none */
    int                            edges;
    int                            edge[OMPI_OSC_UCP_GRAPH_EDGES]; /**< indices of those it waits for */
    ompi_osc_ucp_question_t       *question; /**< under way, or NULL */
    uint64_t                       asked;    /**< when */
    ompi_osc_ucp_watched_answer_t  answer;   /**< its record; `holders` of the lock that it waits for, or is about */
} ompi_osc_ucp_node_t;

typedef struct ompi_osc_ucp_graph_t {
    const ompi_osc_ucp_calling_t *owner;  /**< the thread that makes it; NULL: there is no graph */
    uint64_t                      since;  /**< the owner's call: another one needs another graph */
    uint64_t                      begun;
    unsigned                      demand; /**< number of requests by the user */
    int                           nodes;  /**< the first one is this process */
    ompi_osc_ucp_node_t           node[OMPI_OSC_UCP_GRAPH_NODES];
    bool                          full;   /**< there was no room for some */
    int                           path[OMPI_OSC_UCP_GRAPH_NODES]; /**< from the first node to the end, or the cycle */
    int                           length; /**< of the path */
    int                           cycle;  /**< where in the path the cycle begins; -1: there is none */
    ompi_osc_ucp_node_t           claim;  /**< the question to the last process: may this one print? */
} ompi_osc_ucp_graph_t;

/** Begin the graph of the calling thread's call. Others of this node that have waited for `least` ns belong to it if
 *  they wait for the same. */
void ompi_osc_ucp_graph_begin(ompi_osc_ucp_graph_t *graph, unsigned demand, uint64_t least);

/** Go on with it, without waiting. True: everything that can be known is known, and the path is found. */
bool ompi_osc_ucp_graph_step(ompi_osc_ucp_graph_t *graph);

/** May the graph soon be another one: is the process at the end inside a call, in which it has not waited yet, or is
 *  one of several the end? */
bool ompi_osc_ucp_graph_moves(const ompi_osc_ucp_graph_t *graph);

/** Does the process wait for all to whom it has edges, and not only for some of them? */
bool ompi_osc_ucp_graph_sure(const ompi_osc_ucp_node_t *node);

/** May the caller print it? Others of the job may make the same one. False: not known yet; call it again. */
bool ompi_osc_ucp_graph_claim(ompi_osc_ucp_graph_t *graph, bool *granted_p);

/** Forget a graph, whether it is finished or not. */
void ompi_osc_ucp_graph_end(ompi_osc_ucp_graph_t *graph);

/* report/graph_text.c */

/** Print the graph. */
void ompi_osc_ucp_graph_print(ompi_osc_ucp_graph_t *graph);

#endif /* OSC_UCP_REPORT_GRAPH_H */
