/* The OTF2 archive of a trace: its files, and its definitions.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "archive.h"

#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** Sizes of the buffers that OTF2 writes. */
#define EVENT_CHUNK (1 << 20)
#define DEF_CHUNK   (4 << 20)

/** The group of all processes; that of window i follows as number i + 1. */
#define ALL_LOCATIONS 0

/** The archive while definitions are written. */
typedef struct defining_t {
    const trace_t        *trace;
    OTF2_GlobalDefWriter *to;
    uint32_t              strings; /**< that are written */
    uint32_t              nodes;
} defining_t;

void archive_must(OTF2_ErrorCode code, const char *what)
{
    if (OTF2_SUCCESS != code) {
        errx(1, "OTF2 cannot %s: %s", what, OTF2_Error_GetDescription(code));
    }
}

static void must(OTF2_ErrorCode code)
{
    archive_must(code, "write a definition");
}

static OTF2_FlushType flush_before(void *user, OTF2_FileType type, OTF2_LocationRef location, void *caller, bool final)
{
    (void) user;
    (void) type;
    (void) location;
    (void) caller;
    (void) final;
    return OTF2_FLUSH;
}

static OTF2_StringRef string(defining_t *defining, const char *text)
{
    must(OTF2_GlobalDefWriter_WriteString(defining->to, defining->strings, text));
    return defining->strings++;
}

/** The host in a process's name, as the trace has it: "rank 1 on HOST, ...". Empty: it has none. Valid until the next
 *  call. */
static const char *host_of(const rank_t *rank)
{
    static char host[512];
    const char *from = NULL == rank->name ? NULL : strstr(rank->name, " on ");

    snprintf(host, sizeof(host), "%.*s", NULL == from ? 0 : (int) strcspn(from + 4, ","), NULL == from ? "" : from + 4);
    return host;
}

/** The host of process i as a node of the tree, which the first process of a host defines. The job is node 0. */
static OTF2_SystemTreeNodeRef node_define(defining_t *defining, int i, OTF2_SystemTreeNodeRef *nodes)
{
    const rank_t *ranks = defining->trace->ranks;
    char         *host  = strdup(host_of(&ranks[i]));
    int           other;

    if (NULL == host) {
        err(1, "memory");
    }
    nodes[i] = 0;
    for (other = i - 1; other >= 0 && '\0' != host[0] && 0 == nodes[i]; other--) {
        nodes[i] = 0 == strcmp(host, host_of(&ranks[other])) ? nodes[other] : 0;
    }
    if (0 == nodes[i] && '\0' != host[0]) {
        nodes[i] = ++defining->nodes;
        must(OTF2_GlobalDefWriter_WriteSystemTreeNode(defining->to, nodes[i], string(defining, host),
                                                      string(defining, "node"), 0));
    }
    free(host);
    return nodes[i];
}

/** A process, and its threads. */
static void process_define(defining_t *defining, int i, OTF2_SystemTreeNodeRef node)
{
    const rank_t *rank = &defining->trace->ranks[i];
    char          name[64];
    int           t;

    snprintf(name, sizeof(name), "rank %d", i);
    must(OTF2_GlobalDefWriter_WriteLocationGroup(defining->to, (uint32_t) i,
                                                 string(defining, NULL == rank->name ? name : rank->name),
                                                 OTF2_LOCATION_GROUP_TYPE_PROCESS, node,
                                                 OTF2_UNDEFINED_LOCATION_GROUP));
    for (t = 0; t < rank->count; t++) {
        if (rank->threads[t].number > 0) {
            snprintf(name, sizeof(name), "rank %d thread %d", i, rank->threads[t].number);
        }
        must(OTF2_GlobalDefWriter_WriteLocation(defining->to, archive_location(i, rank->threads[t].number),
                                                string(defining, name), OTF2_LOCATION_TYPE_CPU_THREAD,
                                                rank->threads[t].records, (uint32_t) i));
    }
}

static void processes_define(defining_t *defining)
{
    OTF2_SystemTreeNodeRef *nodes = grow(NULL, (size_t) defining->trace->rank_count, sizeof(*nodes));
    int                     i;

    must(OTF2_GlobalDefWriter_WriteSystemTreeNode(defining->to, 0, string(defining, "job"),
                                                  string(defining, "machine"), OTF2_UNDEFINED_SYSTEM_TREE_NODE));
    for (i = 0; i < defining->trace->rank_count; i++) {
        nodes[i] = 0;
        if (defining->trace->ranks[i].there) {
            process_define(defining, i, node_define(defining, i, nodes));
        }
    }
    free(nodes);
}

static void calls_define(defining_t *defining)
{
    static const OTF2_RegionRole roles[] = {
        [MEANS_CREATE] = OTF2_REGION_ROLE_COLL_OTHER,
        [MEANS_FREE]   = OTF2_REGION_ROLE_COLL_OTHER,
        [MEANS_FENCE]  = OTF2_REGION_ROLE_COLL_OTHER
    };
    const call_t   *call;
    OTF2_StringRef  name;
    OTF2_RegionRole role;
    bool            mpi;
    int             i;

    for (i = 0; i < defining->trace->call_count; i++) {
        call = &defining->trace->calls[i];
        mpi  = 0 == strncmp(call->name, "MPI_", 4);
        role = call->means < sizeof(roles) / sizeof(roles[0]) ? roles[call->means] : 0;
        role = 0 != role ? role : mpi ? OTF2_REGION_ROLE_RMA : OTF2_REGION_ROLE_ARTIFICIAL;
        name = string(defining, call->name);
        must(OTF2_GlobalDefWriter_WriteRegion(defining->to, (uint32_t) i, name, name, 0, role,
                                              mpi ? OTF2_PARADIGM_MPI : OTF2_PARADIGM_MEASUREMENT_SYSTEM,
                                              OTF2_REGION_FLAG_NONE, 0, 0, 0));
    }
}

/** A group of processes. Those of MPI count the processes that are in the trace, not their ranks. */
static void window_define(defining_t *defining, int w, const uint64_t *places, uint64_t *members)
{
    const window_t *window = &defining->trace->windows[w];
    OTF2_StringRef  name   = string(defining, window->name);
    uint32_t        n = 0, group = (uint32_t) w + ALL_LOCATIONS + 1;
    int             rank;

    for (rank = 0; rank < 64 * window->words; rank++) {
        if (0 != (window->members[rank / 64] >> rank % 64 & 1)) {
            members[n++] = places[rank];
        }
    }
    must(OTF2_GlobalDefWriter_WriteGroup(defining->to, group, 0, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
                                         OTF2_GROUP_FLAG_NONE, n, members));
    must(OTF2_GlobalDefWriter_WriteComm(defining->to, (uint32_t) w, name, group, OTF2_UNDEFINED_COMM,
                                        OTF2_COMM_FLAG_NONE));
    must(OTF2_GlobalDefWriter_WriteRmaWin(defining->to, (uint32_t) w, name, (uint32_t) w,
                                          OTF2_RMA_WIN_FLAG_CREATE_DESTROY_EVENTS));
}

static void windows_define(defining_t *defining)
{
    size_t    ranks   = (size_t) defining->trace->rank_count;
    uint64_t *places  = grow(NULL, ranks, sizeof(*places)), *members = grow(NULL, ranks, sizeof(*members));
    uint32_t  n       = 0;
    int       i;

    for (i = 0; i < defining->trace->rank_count; i++) {
        places[i] = n;
        if (defining->trace->ranks[i].there) {
            members[n++] = archive_location(i, 0);
        }
    }
    must(OTF2_GlobalDefWriter_WriteGroup(defining->to, ALL_LOCATIONS, 0, OTF2_GROUP_TYPE_COMM_LOCATIONS,
                                         OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, n, members));
    for (i = 0; i < defining->trace->window_count; i++) {
        window_define(defining, i, places, members);
    }
    free(places);
    free(members);
}

static void definitions_write(const trace_t *trace, OTF2_Archive *archive)
{
    defining_t defining = { .trace = trace, .to = OTF2_Archive_GetGlobalDefWriter(archive) };
    bool       empty    = trace->end < trace->begin;

    if (NULL == defining.to) {
        errx(1, "OTF2 cannot begin the definitions");
    }
    must(OTF2_GlobalDefWriter_WriteClockProperties(defining.to, 1000000000, empty ? 0 : (uint64_t) trace->begin,
                                                   empty ? 0 : (uint64_t) (trace->end - trace->begin),
                                                   OTF2_UNDEFINED_TIMESTAMP));
    (void) string(&defining, "");
    must(OTF2_GlobalDefWriter_WriteParadigm(defining.to, OTF2_PARADIGM_MPI, string(&defining, "MPI"),
                                            OTF2_PARADIGM_CLASS_PROCESS));
    processes_define(&defining);
    calls_define(&defining);
    windows_define(&defining);
}

/** Call OTF2's functions that open and close the files of a thread, for all threads. */
static void threads_write(trace_t *trace, OTF2_Archive *archive, bool definitions)
{
    OTF2_EvtWriter  *events;
    OTF2_DefWriter  *local;
    OTF2_LocationRef at;
    int              i, t;

    for (i = 0; i < trace->rank_count; i++) {
        for (t = 0; t < trace->ranks[i].count; t++) {
            at = archive_location(i, trace->ranks[i].threads[t].number);
            if (definitions) {
                local = OTF2_Archive_GetDefWriter(archive, at);
                archive_must(OTF2_Archive_CloseDefWriter(archive, local), "close definitions");
                continue;
            }
            events = OTF2_Archive_GetEvtWriter(archive, at);
            if (NULL == events) {
                errx(1, "OTF2 cannot begin the events of rank %d", i);
            }
            events_write(trace, &trace->ranks[i].threads[t], events);
            archive_must(OTF2_Archive_CloseEvtWriter(archive, events), "close events");
        }
    }
}

void archive_write(trace_t *trace, const char *folder)
{
    static const OTF2_FlushCallbacks flush   = { .otf2_pre_flush = flush_before };
    OTF2_Archive                    *archive = OTF2_Archive_Open(folder, "traces", OTF2_FILEMODE_WRITE, EVENT_CHUNK,
                                                                 DEF_CHUNK, OTF2_SUBSTRATE_POSIX,
                                                                 OTF2_COMPRESSION_NONE);

    if (NULL == archive) {
        errx(1, "OTF2 cannot make the archive %s", folder);
    }
    archive_must(OTF2_Archive_SetFlushCallbacks(archive, &flush, NULL), "set its callbacks");
    archive_must(OTF2_Archive_SetSerialCollectiveCallbacks(archive), "work alone");
    archive_must(OTF2_Archive_SetCreator(archive, "osc_ucp_otf2 " PACKAGE_VERSION), "name its creator");
    archive_must(OTF2_Archive_OpenEvtFiles(archive), "open the events");
    threads_write(trace, archive, false);
    archive_must(OTF2_Archive_CloseEvtFiles(archive), "close the events");
    archive_must(OTF2_Archive_OpenDefFiles(archive), "open the definitions");
    threads_write(trace, archive, true);
    archive_must(OTF2_Archive_CloseDefFiles(archive), "close the definitions");
    definitions_write(trace, archive);
    archive_must(OTF2_Archive_Close(archive), "close the archive");
}
