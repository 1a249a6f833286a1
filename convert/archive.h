/* The OTF2 archive of a trace.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OSC_UCP_CONVERT_ARCHIVE_H
#define OSC_UCP_CONVERT_ARCHIVE_H

#include <otf2/otf2.h>

#include "trace.h"

/** The location of a thread: which is also the number of its files. */
static inline OTF2_LocationRef archive_location(int rank, int thread)
{
    return (uint64_t) thread << 32 | (uint64_t) rank;
}

/** End the program if OTF2 could not do `what`. */
void archive_must(OTF2_ErrorCode code, const char *what);

/** Make the archive FOLDER/traces.otf2. */
void archive_write(trace_t *trace, const char *folder);

/* events.c */

/** Write the events of a thread, whose calls it sorts by time. */
void events_write(const trace_t *trace, thread_t *thread, OTF2_EvtWriter *writer);

#endif /* OSC_UCP_CONVERT_ARCHIVE_H */
