/* osc_ucp_trace: how a process begins its trace, and how it puts it together with those of the others at the end.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * When MPI ends, each process appends its part to FILE, which it locks meanwhile, and removes the part. Nobody has to
 * wait for anybody: FILE is whole after each of them. It ends with a *tail* of constant length, which the next process
 * replaces. No process gets there before all have begun MPI_Finalize; so at the first window each process can remove an
 * earlier job's FILE. Parts of processes that are killed stay.
 */

#include "report/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/params.h"
#include "base/threads.h"
#include "layer/trace.h"
#include "opal/util/proc.h"
#include "peer/explain.h"
#include "report/report.h"

/** What FILE ends with. Its numbers have as many columns whatever they are. */
typedef struct tail_t {
    uint64_t processes, events, dropped;
} tail_t;

#define TAIL      "],\"otherData\":{\"processes\":%10" PRIu64 ",\"events\":%20" PRIu64 ",\"dropped\":%20" PRIu64 "}}\n"
#define TAIL_READ "],\"otherData\":{\"processes\":%" SCNu64 ",\"events\":%" SCNu64 ",\"dropped\":%" SCNu64 "}}"
#define TAIL_SIZE 101

/** Without displayTimeUnit, which versions of Perfetto take for the unit of times. */
#define HEAD "{\"traceEvents\":[\n"

/** FILE, while this process appends to it. */
typedef struct joint_t {
    int    fd;
    FILE  *out;
    off_t  keep; /**< size without its tail; 0: it is new */
    tail_t tail;
} joint_t;

static bool tried; /* to begin the trace */

/** One process of each host says what is wrong with files. */
static void tell(const char *what, int why)
{
    if (opal_process_info.my_local_rank <= 0) {
        opal_output(0, "osc/ucp: the trace '%s' %s: %s; osc_ucp_trace must name a file in a folder where you may make "
                       "files", ompi_osc_ucp_params.trace, what, strerror(why));
    }
}

/** Processes that others have spawned have ranks of their own, which the trace cannot tell from the first ones. */
static bool spawned(void)
{
    return NULL != ompi_mpi_comm_parent && &ompi_mpi_comm_null.comm != ompi_mpi_comm_parent;
}

static void begin_once(ompi_communicator_t *comm)
{
    const ompi_group_t *world = ompi_mpi_comm_world.comm.c_local_group;
    int                 rank  = (int) (uint32_t) ompi_osc_ucp_proc_key(comm->c_local_group, ompi_comm_rank(comm));
    int                 ranks = NULL == world ? rank + 1 : ompi_group_size((ompi_group_t *) world);

    tried = true;
    if (spawned()) {
        return;
    }
    if (!ompi_osc_ucp_trace_open(ompi_osc_ucp_params.trace, rank, ranks,
                                 (uint64_t) ompi_osc_ucp_params.trace_records)) {
        tell("cannot be written", errno);
        return;
    }
    ompi_osc_ucp_trace.operations = 0 != ompi_osc_ucp_params.trace_operations;
    ompi_osc_ucp_trace_clock_begin();
}

uint64_t ompi_osc_ucp_trace_begin(ompi_communicator_t *comm)
{
    if (NULL == ompi_osc_ucp_params.trace || '\0' == ompi_osc_ucp_params.trace[0]) {
        return 0;
    }
    ompi_osc_ucp_enter();
    if (!tried) {
        begin_once(comm);
    }
    ompi_osc_ucp_leave();
    return ompi_osc_ucp_trace.on ? opal_common_ucp_now_ns() : 0;
}

void ompi_osc_ucp_trace_window(ompi_osc_ucp_window_t *window, uint64_t begin)
{
    if (0 != begin) {
        (void) ompi_osc_ucp_tracing_begin(window, ompi_osc_ucp_flavor_call(window->flavor), begin);
    }
}

/** Lock FILE, and find its tail. */
static bool joint_open(joint_t *joint)
{
    char        text[TAIL_SIZE + 1] = "";
    struct stat is;

    joint->fd = ompi_osc_ucp_trace_file(ompi_osc_ucp_trace.file, O_RDWR);
    if (joint->fd < 0) {
        return false;
    }
    while (0 != lockf(joint->fd, F_LOCK, 0)) {
        if (EINTR != errno) {
            return false;
        }
    }
    if (0 != fstat(joint->fd, &is) || 0 == is.st_size) {
        joint->keep = 0;
    } else if (is.st_size <= TAIL_SIZE ||
               TAIL_SIZE != pread(joint->fd, text, TAIL_SIZE, is.st_size - TAIL_SIZE) ||
               3 != sscanf(text, TAIL_READ, &joint->tail.processes, &joint->tail.events, &joint->tail.dropped)) {
        errno = EBADMSG;
        return false;
    } else {
        joint->keep = is.st_size - TAIL_SIZE;
    }
    joint->out = fdopen(dup(joint->fd), "w");
    return NULL != joint->out && 0 == fseeko(joint->out, joint->keep, SEEK_SET);
}

/** Append the part's first line, the process's name, with what is known only now. Perfetto shows no other label. */
static void name_join(joint_t *joint, const char *line)
{
    static const char end[] = "\"}}\n";
    int64_t           error = ompi_osc_ucp_trace_clock_error();

    fprintf(joint->out, "%s%.*s", 0 == joint->keep ? "" : ",", (int) (strlen(line) - strlen(end)), line);
    if (0 != error) {
        fprintf(joint->out, error < 0 ? ", clock not compared" : ", clock within %.1f us", (double) error / 1000);
    }
    if (ompi_osc_ucp_trace.dropped > 0) {
        fprintf(joint->out, ", %" PRIu64 " events dropped", ompi_osc_ucp_trace.dropped);
    }
    fputs(end, joint->out);
}

/** The time in a line of the part, of this process's clock. */
static uint64_t time_read(const char *columns)
{
    uint64_t ns = 0;
    int      i;

    for (i = 0; i < OMPI_OSC_UCP_TRACE_COLUMNS; i++) { /* spaces, and digits with a point among them */
        ns = '0' <= columns[i] && columns[i] <= '9' ? 10 * ns + (uint64_t) (columns[i] - '0') : ns;
    }
    return ns;
}

/** Append a line of the part, with its time on the trace's clock. */
static void line_join(joint_t *joint, char *line, size_t n)
{
    size_t   prefix = strlen(OMPI_OSC_UCP_TRACE_TS);
    uint64_t ns;

    if (n > prefix + OMPI_OSC_UCP_TRACE_COLUMNS && 0 == strncmp(line, OMPI_OSC_UCP_TRACE_TS, prefix)) {
        ns = time_read(line + prefix);
        (void) ompi_osc_ucp_trace_time(line + prefix, (int64_t) ns + ompi_osc_ucp_trace_clock_shift(ns));
    }
    (void) fwrite(line, 1, n, joint->out);
}

/** Append the rest of the part: as it is, if its times are the trace's. */
static void rest_join(joint_t *joint, FILE *in)
{
    char   *line = NULL, block[8192];
    size_t  room = 0;
    ssize_t n;

    if (!ompi_osc_ucp_trace_clock_shifts()) {
        while ((n = (ssize_t) fread(block, 1, sizeof(block), in)) > 0) {
            (void) fwrite(block, 1, (size_t) n, joint->out);
        }
        return;
    }
    while ((n = getline(&line, &room, in)) > 0) {
        line_join(joint, line, (size_t) n);
    }
    free(line);
}

/** Open the part to read it. Not by name: that may be the part of another job by now. */
static FILE *part_open(void)
{
    int fd = dup(ompi_osc_ucp_trace.fd);

    if (fd < 0 || 0 != lseek(fd, 0, SEEK_SET)) {
        return NULL;
    }
    return fdopen(fd, "r");
}

/** Remove the part, unless another file has its name by now. */
static void part_remove(void)
{
    struct stat mine, named;

    if (0 == fstat(ompi_osc_ucp_trace.fd, &mine) && 0 == lstat(ompi_osc_ucp_trace.part, &named) &&
        mine.st_dev == named.st_dev && mine.st_ino == named.st_ino) {
        (void) unlink(ompi_osc_ucp_trace.part);
    }
}

/** Append the whole part, and the tail. */
static bool part_join(joint_t *joint)
{
    FILE  *in   = part_open();
    char  *line = NULL;
    size_t room = 0;

    if (NULL == in) {
        return false;
    }
    if (0 == joint->keep) {
        fputs(HEAD, joint->out);
    }
    if (getline(&line, &room, in) > 0 && getline(&line, &room, in) > 0) { /* "[", and the process's name */
        name_join(joint, line);
        rest_join(joint, in);
    }
    free(line);
    (void) fclose(in);
    fprintf(joint->out, TAIL, joint->tail.processes + 1, joint->tail.events + ompi_osc_ucp_trace.events,
            joint->tail.dropped + ompi_osc_ucp_trace.dropped);
    return 0 == fflush(joint->out) && 0 == ferror(joint->out);
}

/** Appending has failed: FILE becomes what it was. */
static void joint_restore(joint_t *joint)
{
    char text[TAIL_SIZE + 1];

    if (0 != ftruncate(joint->fd, joint->keep) || 0 == joint->keep) {
        return;
    }
    snprintf(text, sizeof(text), TAIL, joint->tail.processes, joint->tail.events, joint->tail.dropped);
    (void) !pwrite(joint->fd, text, TAIL_SIZE, joint->keep);
}

static void join(void)
{
    joint_t joint = { .fd = -1 };
    int     why;

    if (!joint_open(&joint)) {
        tell("cannot be put together from its parts, the files with a rank behind that name", errno);
    } else if (!part_join(&joint)) {
        why = errno;
        joint_restore(&joint);
        tell("cannot take all its parts, which stay as files with a rank behind that name", why);
    } else {
        part_remove();
        if (!ompi_osc_ucp_trace_matrix((int) joint.tail.processes)) {
            tell("has no matrix beside it", errno);
        }
        if (ompi_osc_ucp_trace.dropped > 0 && 0 == joint.tail.dropped) {
            opal_output(0, "osc/ucp: the trace '%s' lacks events, %" PRIu64 " of rank %d, as its end says: with a "
                           "larger osc_ucp_trace_records, now %d, there is room, unless the disk is full",
                        ompi_osc_ucp_trace.file, ompi_osc_ucp_trace.dropped, ompi_osc_ucp_trace.rank,
                        ompi_osc_ucp_params.trace_records);
        }
    }
    if (NULL != joint.out) {
        (void) fclose(joint.out);
    }
    if (joint.fd >= 0) {
        (void) close(joint.fd);
    }
}

void ompi_osc_ucp_trace_end(void)
{
    if (ompi_osc_ucp_trace.on) {
        ompi_osc_ucp_trace_flush();
        join();
    }
    ompi_osc_ucp_trace_close();
    tried = false;
}
