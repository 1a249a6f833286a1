/* What the checker (osc_ucp_check) finds in a program, by window: each case has a window of its own, which is named.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef FINDINGS_H
#define FINDINGS_H

#include "mpitest.h"

#include <unistd.h>

static char test_findings_file[256];

/** Instead of test_init: with the checker, each process with a file of its own. */
static inline void test_findings_init(int *argc, char ***argv)
{
    const char *folder = getenv("TMPDIR");

    snprintf(test_findings_file, sizeof(test_findings_file), "%s/osc_ucp_findings.%ld",
             NULL == folder ? "/tmp" : folder, (long) getpid());
    unlink(test_findings_file);
    setenv("OMPI_MCA_osc_ucp_check", "1", 1);
    setenv("OMPI_MCA_osc_ucp_check_limit", "0", 1);
    setenv("OMPI_MCA_osc_ucp_check_file", test_findings_file, 1);
    test_init(argc, argv);
}

/** How many findings of a kind this process has told of the window, or of all kinds: NULL. */
static inline int test_findings(const char *window, const char *kind)
{
    char line[1024], name[256], begin[128];
    FILE *file = fopen(test_findings_file, "r");
    int count = 0;

    snprintf(name, sizeof(name), "window '%s'", window);
    snprintf(begin, sizeof(begin), "osc/ucp: check: %s", NULL == kind ? "" : kind);
    while (NULL != file && NULL != fgets(line, sizeof(line), file)) {
        count += 0 == strncmp(line, begin, strlen(begin)) && NULL != strstr(line, name);
    }
    if (NULL != file) {
        fclose(file);
    }
    return count;
}

/** This process must have told one finding of the window, of that kind; none: NULL. The window is freed. */
static inline void test_findings_are(const char *window, const char *kind)
{
    int all = test_findings(window, NULL), wanted = NULL == kind ? 0 : test_findings(window, kind);

    CHECK((NULL != kind) == all && (NULL != kind) == wanted, "%s: %d findings, %d of kind %s", window, all, wanted,
          NULL == kind ? "none" : kind);
}

/** Instead of test_finish. */
static inline int test_findings_finish(void)
{
    int status = test_finish();

    unlink(test_findings_file);
    return status;
}

#endif /* FINDINGS_H */
