/* osc_ucp_otf2: an OTF2 archive of a trace, for Vampir, Scalasca and others.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include <err.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "archive.h"

static const char help[] =
    "NAME\n"
    "    osc_ucp_otf2 - make an OTF2 archive of a trace of one-sided calls\n"
    "\n"
    "SYNOPSIS\n"
    "    osc_ucp_otf2 TRACE... FOLDER\n"
    "\n"
    "DESCRIPTION\n"
    "    TRACE is a file that a job has written that was started with\n"
    "        mpirun --mca osc_ucp_trace TRACE ...\n"
    "    or the file TRACE.RANK of a process of a killed job. Several files, of hosts or of ranks, make one archive.\n"
    "    FOLDER must not exist. It gets the archive traces.otf2, and the files that belong to it. otf2-print prints\n"
    "    it; Vampir and Scalasca open it.\n"
    "\n"
    "OPTIONS\n"
    "    --help           print this text\n"
    "    --version        print the version\n"
    "\n"
    "EXIT STATUS\n"
    "    0 if the archive is complete, 1 if not, 2 if an option is wrong.\n";

static void options_read(int argc, char **argv)
{
    static const struct option options[] = { { "help", no_argument, NULL, 'h' },
                                             { "version", no_argument, NULL, 'v' },
                                             { NULL, 0, NULL, 0 } };
    int option;

    while (-1 != (option = getopt_long(argc, argv, "", options, NULL))) {
        switch (option) {
        case 'h':
            fputs(help, stdout);
            exit(0);
        case 'v':
            puts("osc_ucp_otf2 " PACKAGE_VERSION);
            exit(0);
        default:
            errx(2, "osc_ucp_otf2 --help tells the options");
        }
    }
    if (argc - optind < 2) {
        errx(2, "a trace and a folder are needed: osc_ucp_otf2 --help tells more");
    }
}

int main(int argc, char **argv)
{
    trace_t     trace;
    struct stat found;
    int         i;

    options_read(argc, argv);
    if (0 == lstat(argv[argc - 1], &found)) {
        errx(1, "%s exists already", argv[argc - 1]);
    }
    trace_begin(&trace);
    for (i = optind; i < argc - 1; i++) {
        trace_read(&trace, argv[i]);
    }
    if (0 == trace.rank_count) {
        errx(1, "%s: there is no process in it", argv[optind]);
    }
    archive_write(&trace, argv[argc - 1]);
    printf("%s/traces.otf2: %" PRIu64 " calls", argv[argc - 1], trace.bars);
    if (trace.dropped > 0) {
        printf("; the trace lacks %" PRIu64 " events", trace.dropped);
    }
    if (trace.unknown) {
        printf("; how many events the trace lacks is not known");
    }
    puts("");
    return 0;
}
