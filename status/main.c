/* osc_ucp_status: what the processes of a running job do in calls on windows.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include <err.h>
#include <errno.h>
#include <getopt.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "look.h"
#include "table.h"

/** Seconds between the two looks of which one table is made. */
#define ONCE 1.0

/** Bounds of --watch, seconds. */
#define WATCH_MIN 0.1
#define WATCH_MAX 86400

static const char help[] =
    "NAME\n"
    "    osc_ucp_status - show what the processes of a running MPI job do in one-sided calls\n"
    "\n"
    "SYNOPSIS\n"
    "    osc_ucp_status [--watch SECONDS] [--job NUMBER] [--pid PID]\n"
    "\n"
    "DESCRIPTION\n"
    "    Prints a line for each process on this node of each running job of yours that was started with\n"
    "        mpirun --mca osc_ucp_status 1 ...\n"
    "    The columns are its rank in MPI_COMM_WORLD, its process number, how many operations and bytes a second it\n"
    "    has moved by MPI_Put, MPI_Get, MPI_Accumulate and their kin between two looks, the window and the call in\n"
    "    which it is (in parentheses: in which it was last), and what it does: for whom it waits and since when,\n"
    "    who has the lock for which it waits, or which locks it has itself. A process shows that it waits after a\n"
    "    tenth of a second. Jobs with osc_ucp_watchdog are shown, too.\n"
    "\n"
    "    The job is only read, and does not notice. Nobody but its user can read it.\n"
    "\n"
    "OPTIONS\n"
    "    --watch SECONDS  print again and again, until the job ends or Ctrl-C; on a terminal in one place\n"
    "    --job NUMBER     only the job with this number, which the heading of its table shows\n"
    "    --pid PID        only the job with this process, or whose processes are below it: its mpirun\n"
    "    --help           print this text\n"
    "    --version        print the version\n"
    "\n"
    "EXIT STATUS\n"
    "    0 if a job was shown, 1 if there is none that can be, 2 if an option is wrong.\n";

/** What the user wants. */
typedef struct wish_t {
    double   seconds; /**< 0: once */
    uint32_t job;     /**< 0: any */
    pid_t    pid;     /**< 0: any */
} wish_t;

/** The value of an option, a number between two others. */
static double number_read(const char *option, const char *text, double least, double most)
{
    char  *end;
    double value = strtod(text, &end);

    if (end == text || '\0' != *end || !(value >= least && value <= most)) {
        errx(2, "%s needs a number from %g to %.0f, and not '%s'", option, least, most, text);
    }
    return value;
}

static void wish_read(wish_t *wish, int argc, char **argv)
{
    static const struct option options[] = { { "watch", required_argument, NULL, 'w' },
                                             { "job", required_argument, NULL, 'j' },
                                             { "pid", required_argument, NULL, 'p' },
                                             { "help", no_argument, NULL, 'h' },
                                             { "version", no_argument, NULL, 'v' },
                                             { NULL, 0, NULL, 0 } };
    int option;

    while (-1 != (option = getopt_long(argc, argv, "", options, NULL))) {
        switch (option) {
        case 'w':
            wish->seconds = number_read("--watch", optarg, WATCH_MIN, WATCH_MAX);
            break;
        case 'j':
            wish->job = (uint32_t) number_read("--job", optarg, 1, UINT32_MAX);
            break;
        case 'p':
            wish->pid = (pid_t) number_read("--pid", optarg, 1, INT32_MAX);
            break;
        case 'h':
            fputs(help, stdout);
            exit(0);
        case 'v':
            puts("osc_ucp_status " PACKAGE_VERSION);
            exit(0);
        default:
            errx(2, "osc_ucp_status --help tells the options");
        }
    }
    if (optind < argc) {
        errx(2, "there is no use for '%s': osc_ucp_status --help tells the options", argv[optind]);
    }
}

/** Say why there is nothing to show, and end. */
static _Noreturn void nothing(const wish_t *wish, const look_t *look)
{
    char                 name[64];
    const struct passwd *user;
    struct stat          process;

    if (0 != wish->pid) {
        snprintf(name, sizeof(name), "/proc/%d", (int) wish->pid);
        if (0 != stat(name, &process)) {
            errx(1, "there is no process %d on this node", (int) wish->pid);
        }
        if (process.st_uid != geteuid()) {
            user = getpwuid(process.st_uid);
            errx(1, "process %d belongs to user %s: nobody else can look at its job", (int) wish->pid,
                 NULL == user ? "with another number" : user->pw_name);
        }
    }
    if (0 != look->without) {
        errx(1, "process %d uses osc/ucp, but without osc_ucp_status, or it has no window yet: "
             "mpirun --mca osc_ucp_status 1 ... shows a job", (int) look->without);
    }
    if (0 != wish->job) {
        errx(1, "you have no job %u on this node that uses osc/ucp with osc_ucp_status", (unsigned) wish->job);
    }
    errx(1, "you have no job on this node that uses osc/ucp%s", 0 == wish->pid ? "" : " with or below this process");
}

/** Print a text, on a terminal no more than there is room for. */
static void show(char *text, bool terminal)
{
    struct winsize size = { .ws_row = 0 };
    char          *line = text, *end;
    int            row  = 1;

    if (!terminal || 0 != ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || 0 == size.ws_row || 0 == size.ws_col) {
        fputs(text, stdout);
        return;
    }
    fputs("\033[H\033[J", stdout); /* from the top, with nothing below */
    for (; row < size.ws_row && NULL != (end = strchr(line, '\n')); row++, line = end + 1) {
        printf("%.*s\n", (int) (end - line < size.ws_col ? end - line : size.ws_col), line);
    }
}

/** Print the tables. False: there is no job. */
static bool tables_print(const wish_t *wish, const look_t *look, const look_t *before, bool terminal)
{
    char  *text = NULL;
    size_t len  = 0;
    FILE  *out  = open_memstream(&text, &len);
    int    shown = 0, i;

    for (i = 0; NULL != out && i < look->jobs; i++) {
        if (0 == wish->job || wish->job == look_number(&look->job[i])) {
            fputs(shown++ > 0 ? "\n" : "", out);
            table_print(out, &look->job[i], look_same(before, &look->job[i]));
        }
    }
    if (NULL == out || 0 != fclose(out)) {
        errx(1, "memory is short");
    }
    if (shown > 0) {
        show(text, terminal);
        if (0 != fflush(stdout)) {
            err(1, "the table cannot be written");
        }
    }
    free(text);
    return shown > 0;
}

static void pause_for(double seconds)
{
    struct timespec time = { .tv_sec = (time_t) seconds };

    time.tv_nsec = (long) ((seconds - (double) time.tv_sec) * 1e9);
    while (0 != nanosleep(&time, &time) && EINTR == errno) {
        continue;
    }
}

int main(int argc, char **argv)
{
    wish_t wish     = { .seconds = 0 };
    bool   terminal = isatty(STDOUT_FILENO), shown;
    look_t before, look;

    wish_read(&wish, argc, argv);
    look_at(&before, wish.pid);
    if (0 == before.jobs) {
        nothing(&wish, &before);
    }
    pause_for(wish.seconds > 0 && wish.seconds < ONCE ? wish.seconds : ONCE);
    look_at(&look, wish.pid);
    shown = tables_print(&wish, &look, &before, terminal && wish.seconds > 0);
    if (!shown) {
        nothing(&wish, &look);
    }
    while (shown && wish.seconds > 0) {
        look_free(&before);
        before = look;
        pause_for(wish.seconds);
        look_at(&look, wish.pid);
        if (!terminal && look.jobs > 0) {
            putchar('\n');
        }
        shown = tables_print(&wish, &look, &before, terminal);
        if (!shown) {
            puts("the job has ended");
        }
    }
    look_free(&before);
    look_free(&look);
    return 0;
}
