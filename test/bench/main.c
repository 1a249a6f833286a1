/* A benchmark of one-sided MPI: options, the header of the result, and the cases, each of which checks its data.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * usage: mpirun -np N rma [-w FLAVOUR] [-t CASE]... [-x CASE]... [-s BYTES,...] [-m SECONDS] [-n SAMPLES]
 *                          [-g PIPE] [-T] [-l]
 *   -w  windows of MPI_Win_...: allocate (default), create, dynamic (create_dynamic), shared (allocate_shared)
 *   -t  only this case, or all of this group: latency.put, latency (repeatable); -x without it
 *   -s  sizes in bytes, for the cases that go by size
 *   -m  seconds for one measurement (default 0.03), split into -n samples (default 9)
 *   -g  take turns with other jobs: before each sample print "# turn CASE PART SAMPLE", and all processes read a byte
 *   -T  begin with MPI_THREAD_MULTIPLE; only then the cases threads.* run
 *   -l  list the cases
 *
 * Prints CSV, a row for each result: flavour, case, bytes, processes, unit, samples. "# begin" lines tell what is
 * running, in case it never ends. Exit status 1: some data were wrong (a row of unit "wrong" says which).
 */

#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

enum { MAX_CHOSEN = 128, MAX_SIZES = 32 };

static size_t sizes[MAX_SIZES] = { 8, 64, 512, 4096, 16384, 65536, 262144, 1048576, 4194304 };

struct bench bench = { .flavour_name = "allocate", .sizes = sizes, .num_sizes = 9, .seconds = 0.03, .samples = 9 };

static const struct bench_case *const rooms[] = {
    bench_unused_cases, /* first: what it measures begins before there was any window */
    bench_latency_cases, bench_type_cases, bench_epoch_cases, bench_window_cases, bench_busy_cases, bench_many_cases,
    bench_application_cases, bench_operations_cases, bench_notify_cases,
};

static const char *chosen[MAX_CHOSEN], *left_out[MAX_CHOSEN];
static int         num_chosen, num_left_out;
static bool        threads, list;

static void usage(const char *what)
{
    fprintf(stderr, "rma: %s (see the head of test/bench/main.c for the options)\n", what);
    exit(2);
}

static void parse_flavour(const char *name)
{
    static const char *const names[] = { "allocate", "create", "dynamic", "shared" };

    for (int i = 0; i < 4; i++) {
        if (0 == strcmp(names[i], name)) {
            bench.flavour = (enum bench_flavour) i;
            bench.flavour_name = names[i];
            return;
        }
    }
    usage("unknown flavour of windows");
}

static void parse_sizes(char *text)
{
    bench.num_sizes = 0;
    for (char *word = strtok(text, ","); word; word = strtok(NULL, ",")) {
        size_t size = strtoul(word, NULL, 10);

        if (size < 8 || size % 8 || size > BENCH_WINDOW_BYTES / 2 || bench.num_sizes == MAX_SIZES) {
            usage("sizes are multiples of 8, up to 4 MiB");
        }
        sizes[bench.num_sizes++] = size;
    }
}

static void add(const char **names, int *count, const char *name)
{
    if (MAX_CHOSEN == *count) {
        usage("too many cases named");
    }
    names[(*count)++] = name;
}

static void parse(int argc, char **argv)
{
    int option;

    while (-1 != (option = getopt(argc, argv, "w:t:x:s:m:n:g:Tl"))) {
        switch (option) {
        case 'w': parse_flavour(optarg); break;
        case 't': add(chosen, &num_chosen, optarg); break;
        case 'x': add(left_out, &num_left_out, optarg); break;
        case 's': parse_sizes(optarg); break;
        case 'm': bench.seconds = atof(optarg); break;
        case 'n': bench.samples = atoi(optarg); break;
        case 'g': bench.turns = optarg; break;
        case 'T': threads = true; break;
        case 'l': list = true; break;
        default: usage("unknown option");
        }
    }
    if (bench.seconds <= 0 || bench.samples < 3 || bench.samples > BENCH_MOST_SAMPLES) {
        usage("-m takes a positive number of seconds, -n 3 to 31 samples");
    }
}

static bool is_one_of(const char *name, const char *const *words, int count)
{
    for (int i = 0; i < count; i++) {
        size_t length = strlen(words[i]);

        if (0 == strncmp(name, words[i], length) && ('\0' == name[length] || '.' == name[length])) {
            return true;
        }
    }
    return false;
}

static bool wanted(const char *name)
{
    return (0 == num_chosen || is_one_of(name, chosen, num_chosen)) &&
           !is_one_of(name, left_out, num_left_out) && (threads || 0 != strncmp(name, "threads.", 8));
}

/* The value of the first line of `file` that begins with `key`. */
static void print_from(const char *what, const char *file, const char *key)
{
    char  line[512];
    FILE *stream = fopen(file, "r");

    while (stream && fgets(line, sizeof(line), stream)) {
        if (0 == strncmp(line, key, strlen(key))) {
            printf("# %s: %s", what, strchr(line, ':') ? strchr(line, ':') + 2 : line);
            break;
        }
    }
    if (stream) {
        fclose(stream);
    }
}

static void print_header(void)
{
    char           version[MPI_MAX_LIBRARY_VERSION_STRING];
    int            length;
    struct utsname system;

    MPI_Get_library_version(version, &length);
    version[strcspn(version, "\n")] = '\0';
    for (char *tab = version; NULL != (tab = strchr(tab, '\t'));) {
        *tab = ' ';
    }
    uname(&system);
    printf("# machine: %s, %s %s, %ld cores\n", system.machine, system.sysname, system.release,
           sysconf(_SC_NPROCESSORS_ONLN));
    print_from("cpu", "/proc/cpuinfo", "model name");
    printf("# mpi: %s\n", version);
    printf("flavour,case,bytes,processes,unit,samples\n");
    fflush(stdout);
}

static void run_case(const struct bench_case *each)
{
    if (0 == bench.rank) {
        printf("# begin %s\n", each->name);
        fflush(stdout);
    }
    bench.case_name = each->name;
    bench.part = 0;
    for (int i = 0; i < (each->whole ? BENCH_RUNS : 1); i++) {
        bench_turn(i);
        each->run(each);
    }
}

static void run_all(void)
{
    for (size_t room = 0; room < sizeof(rooms) / sizeof(rooms[0]); room++) {
        for (const struct bench_case *each = rooms[room]; each->name; each++) {
            if (wanted(each->name) && list) {
                printf("%s\n", each->name);
            } else if (wanted(each->name)) {
                run_case(each);
            }
        }
    }
}

int main(int argc, char **argv)
{
    int provided;

    parse(argc, argv);
    if (list) {
        run_all();
        return 0;
    }
    MPI_Init_thread(&argc, &argv, threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &bench.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &bench.size);
    bench.target = bench.size - 1;
    if (threads && provided < MPI_THREAD_MULTIPLE) {
        usage("this MPI library has no MPI_THREAD_MULTIPLE");
    }
    if (0 == bench.rank) {
        print_header();
    }
    run_all();
    if (0 == bench.rank) {
        printf("# end\n");
        fflush(stdout);
    }
    MPI_Finalize();
    return bench.wrong ? 1 : 0;
}
