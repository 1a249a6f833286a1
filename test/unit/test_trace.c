/* Unit test of the trace: its lines are JSON, whatever names there are, and what does not fit is counted.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi_config.h"

#include "base/trace.h"
#include "report/report.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/osc_ucp_trace.XXXXXX";
static char file[64], part[64];
static char text[1 << 22];

/** Read the part. */
static size_t part_read(void)
{
    FILE  *in = fopen(part, "r");
    size_t n;

    assert_non_null(in);
    n = fread(text, 1, sizeof(text) - 1, in);
    assert_true(n < sizeof(text) - 1);
    text[n] = '\0';
    assert_int_equal(0, fclose(in));
    return n;
}

/** How often the part has this. */
static int part_has(const char *what)
{
    const char *at = text;
    int         n  = 0;

    while (NULL != (at = strstr(at, what))) {
        at++;
        n++;
    }
    return n;
}

static void must_escape(const char *expected, const char *name)
{
    char escaped[6 * MPI_MAX_OBJECT_NAME + 1];

    *ompi_osc_ucp_trace_escape(escaped, name, MPI_MAX_OBJECT_NAME) = '\0';
    assert_string_equal(expected, escaped);
}

static void test_escape(void **state)
{
    char name[MPI_MAX_OBJECT_NAME], escaped[6 * MPI_MAX_OBJECT_NAME];

    (void) state;
    must_escape("halo", "halo");
    must_escape("a\\\"b\\\\c", "a\"b\\c");
    must_escape("\\u000a\\u001f\\u007f", "\n\x1f\x7f");
    must_escape("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
    must_escape("\\ufffda\\ufffd\\ufffd", "\xc3" "a\x80\xff");
    must_escape("\\ufffd\\ufffd\\ufffd", "\xe2\x82\xc0");             /* cut off, and a byte that never occurs */
    must_escape("\\ufffd\\ufffd\\ufffd", "\xed\xa0\x80");             /* a surrogate */
    must_escape("\\ufffd\\ufffd\\ufffd\\ufffd", "\xf4\x90\x80\x80");  /* behind the last character */
    must_escape("\\ufffd\\ufffd", "\xc0\x80");                        /* a 0 in two bytes */

    /* A name without an end that fills all, and ends within a character. */
    memset(name, 1, sizeof(name));
    assert_ptr_equal(escaped + sizeof(escaped), ompi_osc_ucp_trace_escape(escaped, name, sizeof(name)));
    memset(name, 'x', sizeof(name));
    name[sizeof(name) - 1] = '\xc3';
    assert_ptr_equal(escaped + sizeof(name) + 5, ompi_osc_ucp_trace_escape(escaped, name, sizeof(name)));
}

static void must_time(const char *expected, int64_t ns)
{
    char time[64];

    *ompi_osc_ucp_trace_time(time, ns) = '\0';
    assert_string_equal(expected, time);
}

static void test_time(void **state)
{
    (void) state;
    must_time("               0.000", 0);
    must_time("               0.000", -5);
    must_time("               1.002", 1002);
    must_time("9223372036854775.807", INT64_MAX);
    must_time("      1234567890.120", 1234567890120);
}

/** The text of a record, as process 3. */
static void must_text(const char *expected, const ompi_osc_ucp_trace_record_t *record)
{
    char line[OMPI_OSC_UCP_TRACE_TEXT];

    *ompi_osc_ucp_trace_text(line, record, 3, 1) = '\0';
    assert_string_equal(expected, line);
}

static void test_text(void **state)
{
    ompi_osc_ucp_traced_t       window = { .id = 7, .first = 2 };
    ompi_osc_ucp_trace_record_t record = { .begin = 1500, .end = 4750, .window = &window, .name = "MPI_Put",
                                           .type = "MPI_INT", .disp = -2, .bytes = 16, .target = 5,
                                           .kind = OMPI_OSC_UCP_TRACE_OPERATION };

    (void) state;
    must_text(",{\"ts\":               1.500,\"ph\":\"X\",\"pid\":3,\"tid\":1,\"cat\":\"operation\",\"name\":\"MPI_Put"
              "\",\"dur\":3.250,\"args\":{\"window\":\"window 7\",\"id\":\"2.7\",\"target\":5,\"bytes\":16,"
              "\"displacement\":-2,\"type\":\"MPI_INT\"}}\n", &record);
    strcpy(window.name, "a\"b");
    record.op   = "MPI_SUM";
    record.type = NULL;
    record.end  = 0; /* a clock that goes back */
    must_text(",{\"ts\":               1.500,\"ph\":\"X\",\"pid\":3,\"tid\":1,\"cat\":\"operation\",\"name\":\"MPI_Put"
              "\",\"dur\":0.000,\"args\":{\"window\":\"a\\\"b\",\"id\":\"2.7\",\"target\":5,\"bytes\":16,"
              "\"displacement\":-2,\"type\":\"derived\",\"op\":\"MPI_SUM\"}}\n", &record);
    record = (ompi_osc_ucp_trace_record_t) { .begin = 1000, .end = 3000, .window = &window, .name = "shared lock",
                                             .target = 2, .kind = OMPI_OSC_UCP_TRACE_EPOCH };
    must_text(",{\"ts\":               1.000,\"ph\":\"b\",\"pid\":3,\"tid\":1,\"cat\":\"epoch\",\"name\":\"shared "
              "lock 2\",\"id2\":{\"local\":\"shared lock 7 2\"},\"args\":{\"window\":\"a\\\"b\","
              "\"id\":\"2.7\",\"target\":2}}\n"
              ",{\"ts\":               3.000,\"ph\":\"e\",\"pid\":3,\"tid\":1,\"cat\":\"epoch\",\"name\":\"shared "
              "lock 2\",\"id2\":{\"local\":\"shared lock 7 2\"},\"args\":{\"window\":\"a\\\"b\","
              "\"id\":\"2.7\",\"target\":2}}\n",
              &record);
    record.target = OMPI_OSC_UCP_TRACE_FOREIGN(4);
    must_text(",{\"ts\":               1.000,\"ph\":\"b\",\"pid\":3,\"tid\":1,\"cat\":\"epoch\",\"name\":\"shared "
              "lock of member 4\",\"id2\":{\"local\":\"shared lock 7 -6\"},\"args\":{\"window\":\"a\\\"b\","
              "\"id\":\"2.7\",\"member\":4}}\n"
              ",{\"ts\":               3.000,\"ph\":\"e\",\"pid\":3,\"tid\":1,\"cat\":\"epoch\",\"name\":\"shared "
              "lock of member 4\",\"id2\":{\"local\":\"shared lock 7 -6\"},\"args\":{\"window\":\"a\\\"b\","
              "\"id\":\"2.7\",\"member\":4}}\n",
              &record);
    record.target = 2;
    record.kind   = OMPI_OSC_UCP_TRACE_SYNC;
    record.name   = "MPI_Win_lock";
    record.type   = "shared";
    must_text(",{\"ts\":               1.000,\"ph\":\"X\",\"pid\":3,\"tid\":1,\"cat\":\"synchronization\",\"name\":"
              "\"MPI_Win_lock\",\"dur\":2.000,\"args\":{\"window\":\"a\\\"b\",\"id\":\"2.7\",\"target\":2,\"lock\":"
              "\"shared\"}}\n", &record);
}

/** The longest text that a record can have has room. */
static void test_room(void **state)
{
    ompi_osc_ucp_traced_t       window = { .id = UINT64_MAX, .first = INT32_MAX };
    ompi_osc_ucp_trace_record_t record = { .begin = UINT64_MAX, .end = UINT64_MAX, .window = &window,
                                           .name = "MPI_Win_allocate_shared", .target = INT32_MAX,
                                           .kind = OMPI_OSC_UCP_TRACE_EPOCH };
    char                        line[OMPI_OSC_UCP_TRACE_TEXT + 1024];

    (void) state;
    memset(window.name, 1, sizeof(window.name));
    assert_true(ompi_osc_ucp_trace_text(line, &record, INT32_MAX, INT32_MAX) < line + OMPI_OSC_UCP_TRACE_TEXT);
}

static void trace_open(uint64_t limit)
{
    assert_true(ompi_osc_ucp_trace_open(file, 3, 4, limit));
}

/** A record of a kind, which ended so many nanoseconds from now. */
static void add_kind(ompi_osc_ucp_trace_kind_t kind, const char *name, int64_t after)
{
    uint64_t now = opal_common_ucp_now_ns();

    ompi_osc_ucp_trace_add(&(ompi_osc_ucp_trace_record_t) { .begin = now, .end = now + (uint64_t) after, .name = name,
                                                            .target = -1, .kind = kind });
}

static void add(int64_t after)
{
    add_kind(OMPI_OSC_UCP_TRACE_SYNC, "MPI_Win_fence", after);
}

/** Records wait in memory until there is a reason to write them. */
static void test_buffer(void **state)
{
    struct stat is;
    int         i;

    (void) state;
    trace_open(100000);
    assert_int_equal(0, stat(part, &is));
    assert_int_equal(0600, is.st_mode & 07777);
    add(0);
    (void) part_read();
    assert_int_equal(0, part_has("MPI_Win_fence"));
    add_kind(OMPI_OSC_UCP_TRACE_WINDOW, "MPI_Win_allocate", 2000000000); /* has no name yet */
    (void) part_read();
    assert_int_equal(0, part_has("MPI_Win_fence"));
    add(2000000000); /* written once a second */
    (void) part_read();
    assert_int_equal(2, part_has("MPI_Win_fence"));
    assert_int_equal(0, part_has("trace written"));
    for (i = 0; i < 10000; i++) {
        add(0);
    }
    (void) part_read();
    assert_true(part_has("MPI_Win_fence") > 2 && part_has("MPI_Win_fence") < 10002);
    ompi_osc_ucp_trace_flush();
    (void) part_read();
    assert_int_equal(10002, part_has("MPI_Win_fence"));
    assert_true(part_has("trace written") >= 3);
    assert_int_equal(0, ompi_osc_ucp_trace.dropped);
    assert_int_equal(10003 + part_has("trace written"), ompi_osc_ucp_trace.events);
    assert_int_equal(1, part_has("process_name"));
    ompi_osc_ucp_trace_close();
    assert_int_equal(0, unlink(part));
}

static void test_dropped(void **state)
{
    (void) state;
    trace_open(5);
    for (int i = 0; i < 8; i++) {
        add(0);
    }
    ompi_osc_ucp_trace_flush();
    (void) part_read();
    assert_int_equal(5, part_has("MPI_Win_fence"));
    assert_int_equal(5, ompi_osc_ucp_trace.events);
    assert_int_equal(3, ompi_osc_ucp_trace.dropped);
    ompi_osc_ucp_trace_close();
    assert_int_equal(0, unlink(part));
}

/** A disk that is full drops records, and leaves no half line. */
static void test_full(void **state)
{
    int i;

    (void) state;
    trace_open(100000);
    add(0);
    ompi_osc_ucp_trace_flush();
    (void) close(ompi_osc_ucp_trace.fd);
    ompi_osc_ucp_trace.fd = open("/dev/full", O_WRONLY);
    for (i = 0; i < 10; i++) {
        add(0);
    }
    ompi_osc_ucp_trace_flush();
    assert_int_equal(10, ompi_osc_ucp_trace.dropped);
    assert_int_equal(1, ompi_osc_ucp_trace.events);
    assert_true(ompi_osc_ucp_trace.full);
    ompi_osc_ucp_trace_close();
    assert_int_equal(0, unlink(part));
}

/** Records of a window that is freed have the name that it had. */
static void test_freed(void **state)
{
    static char            name[MPI_MAX_OBJECT_NAME];
    static ompi_win_t      win;
    ompi_osc_ucp_traced_t *window = calloc(1, sizeof(*window));

    (void) state;
    trace_open(10);
    window->win = &win;
    if (sizeof(char *) == sizeof(win.w_name)) { /* from Open MPI 6.0 on it is no array */
        memcpy(&win.w_name, &(char *) { name }, sizeof(char *));
    }
    strcpy(win.w_name, "old");
    ompi_osc_ucp_trace_add(&(ompi_osc_ucp_trace_record_t) { .begin = 1, .end = 2, .window = window, .target = -1,
                                                            .name = "MPI_Win_free",
                                                            .kind = OMPI_OSC_UCP_TRACE_WINDOW });
    strcpy(win.w_name, "halo");
    ompi_osc_ucp_trace_forget(window);
    strcpy(win.w_name, "other");
    ompi_osc_ucp_trace_flush();
    (void) part_read();
    assert_int_equal(1, part_has("\"window\":\"halo\""));
    ompi_osc_ucp_trace_close();
    assert_int_equal(0, unlink(part));
}

/** Files of an earlier job vanish; what is no file stays, and a folder that is not there is told. */
static void test_files(void **state)
{
    struct stat is;
    FILE       *out = fopen(file, "w");

    (void) state;
    assert_non_null(out);
    assert_int_equal(0, fclose(out));
    assert_int_equal(0, symlink(file, part));
    trace_open(10);
    assert_int_equal(-1, lstat(file, &is));
    assert_int_equal(0, lstat(part, &is));
    assert_true(S_ISREG(is.st_mode));
    ompi_osc_ucp_trace_close();
    assert_int_equal(0, unlink(part));

    assert_int_equal(0, chdir(folder));
    assert_true(ompi_osc_ucp_trace_open("trace", 0, 1, 10));
    assert_int_equal(0, chdir("/")); /* the file is still the one in the folder */
    assert_int_equal(0, strncmp(folder, ompi_osc_ucp_trace.file, strlen(folder)));
    assert_int_equal(0, unlink(ompi_osc_ucp_trace.part));
    ompi_osc_ucp_trace_close();

    assert_false(ompi_osc_ucp_trace_open("/dev/null", 0, 1, 10));
    assert_int_equal(EEXIST, errno);
    assert_int_equal(0, stat("/dev/null", &is));
    assert_false(ompi_osc_ucp_trace_open("/nowhere/trace", 0, 1, 10));
    assert_int_equal(ENOENT, errno);
    assert_false(ompi_osc_ucp_trace.on);
}

/** A file of the user's own that others could read becomes private. Nothing waits at what is no file. */
static void test_private(void **state)
{
    struct stat is;
    int         fd = open(file, O_WRONLY | O_CREAT, 0600);

    (void) state;
    assert_true(fd >= 0);
    assert_int_equal(0, fchmod(fd, 0666));
    assert_int_equal(0, close(fd));
    fd = ompi_osc_ucp_trace_file(file, O_WRONLY);
    assert_true(fd >= 0);
    assert_int_equal(0, close(fd));
    assert_int_equal(0, stat(file, &is));
    assert_int_equal(0600, is.st_mode & 07777);
    assert_int_equal(0, unlink(file));

    assert_int_equal(0, mkfifo(file, 0600));
    assert_int_equal(-1, ompi_osc_ucp_trace_file(file, O_WRONLY));
    assert_int_equal(-1, ompi_osc_ucp_trace_file(file, O_RDONLY));
    assert_int_equal(-1, ompi_osc_ucp_trace_file(file, O_RDWR));
    assert_int_equal(0, unlink(file));
}

/** A later job with the same name has replaced the part: the trace has the own one, and the other one stays. */
static void test_replaced(void **state)
{
    char  beside[80];
    FILE *other;

    (void) state;
    trace_open(10);
    add(0);
    ompi_osc_ucp_trace_flush();
    assert_int_equal(0, unlink(part));
    other = fopen(part, "w");
    assert_non_null(other);
    assert_int_equal(0, fclose(other));
    ompi_osc_ucp_trace_end();
    assert_int_equal(0, part_read());
    assert_int_equal(0, unlink(part));
    assert_int_equal(0, rename(file, part));
    assert_true(part_read() > 0);
    assert_int_equal(1, part_has("MPI_Win_fence"));
    assert_int_equal(0, unlink(part));
    snprintf(beside, sizeof(beside), "%s.csv", file);
    assert_int_equal(0, unlink(beside));
    snprintf(beside, sizeof(beside), "%s.svg", file);
    (void) unlink(beside);
}

static void test_matrix(void **state)
{
    (void) state;
    trace_open(10);
    ompi_osc_ucp_trace_count(2, 100);
    ompi_osc_ucp_trace_count(2, 20);
    ompi_osc_ucp_trace_count(-1, 1); /* MPI_PROC_NULL, and a process of another job */
    ompi_osc_ucp_trace_count(4, 1);
    assert_int_equal(2, ompi_osc_ucp_trace.cells[2].operations);
    assert_int_equal(120, ompi_osc_ucp_trace.cells[2].bytes);
    assert_int_equal(0, ompi_osc_ucp_trace.cells[3].operations);
    ompi_osc_ucp_trace_close();
    assert_int_equal(0, unlink(part));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_escape), cmocka_unit_test(test_time), cmocka_unit_test(test_text),
        cmocka_unit_test(test_room), cmocka_unit_test(test_buffer), cmocka_unit_test(test_dropped),
        cmocka_unit_test(test_full), cmocka_unit_test(test_freed), cmocka_unit_test(test_files),
        cmocka_unit_test(test_private), cmocka_unit_test(test_replaced), cmocka_unit_test(test_matrix)
    };
    int failed;

    if (NULL == mkdtemp(folder)) {
        return 1;
    }
    snprintf(file, sizeof(file), "%s/trace.json", folder);
    snprintf(part, sizeof(part), "%s/trace.json.3", folder);
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    (void) unlink(part);
    (void) rmdir(folder);
    return failed;
}
