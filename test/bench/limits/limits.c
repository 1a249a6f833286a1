/* The limits: memcpy, and UCX without MPI, between the same two processes and over the same transports.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * usage: mpirun -np 2 limits [-s BYTES,...] [-m SECONDS] [-n SAMPLES] [-g PIPE]
 *
 * CSV as the benchmark's, with these in the place of the flavour:
 *   memcpy   memcpy and a loop of the like from one buffer of a process to another
 *   bare     ucp_put_nbx and ucp_get_nbx with a flush, on memory of ucp_mem_map
 *   message  an active message with so many bytes and an answer of 8 (latency.put), or the other way (latency.get);
 *            rate.put: one way, answered once in the end
 *
 * The processes use MPI only to meet. All but the first and the last wait.
 */

#include "../bench.h"
#include "ucx.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_SIZES = 32, STRIDED = 1000, STRIDE = 8 };

static size_t sizes[MAX_SIZES] = { 8, 64, 512, 4096, 16384, 65536, 262144, 1048576, 4194304 };

struct bench bench = { .flavour_name = "memcpy", .sizes = sizes, .num_sizes = 9, .seconds = 0.03, .samples = 9 };

struct limit {
    size_t  bytes;
    char   *from, *to;                  /* each BENCH_WINDOW_BYTES */
};

static long slots_of(size_t bytes)
{
    long slots = (long) (BENCH_WINDOW_BYTES / bytes) - 1;

    return slots < 1 ? 1 : slots < BENCH_MOST_SLOTS ? slots : BENCH_MOST_SLOTS;
}

/* ---- memcpy ---- */

static void copy(long n, void *context)
{
    struct limit *limit = context;

    for (long i = 0; 0 == bench.rank && i < n; i++) {
        memcpy(limit->to, limit->from, limit->bytes);
        __asm__ volatile("" ::: "memory");
    }
}

static void copy_many(long n, void *context)
{
    struct limit *limit = context;
    long          slots = slots_of(limit->bytes);

    for (long i = 0; 0 == bench.rank && i < n; i++) {
        size_t offset = (size_t) (i % slots) * limit->bytes;

        memcpy(limit->to + offset, limit->from + offset, limit->bytes);
        __asm__ volatile("" ::: "memory");
    }
}

static void copy_strided(long n, void *context)
{
    struct limit *limit = context;
    const double *from = (const double *) limit->from;
    double       *to = (double *) limit->to;

    for (long i = 0; 0 == bench.rank && i < n; i++) {
        for (int j = 0; j < STRIDED; j++) {
            to[j * STRIDE] = from[j * STRIDE];
        }
        __asm__ volatile("" ::: "memory");
    }
}

/* ---- UCX. If it emulates an operation by messages, the target must be inside UCX until the origin is done. ---- */

static void done(void)
{
    static const int64_t nothing;

    if (0 == bench.rank) {
        ucx_send(&nothing, sizeof(nothing));
    } else if (bench.target == bench.rank) {
        ucx_receive();
    }
}

static void put(long n, void *context)
{
    struct limit *limit = context;

    for (long i = 0; 0 == bench.rank && i < n; i++) {
        ucx_put(limit->from, limit->bytes, 0);
        ucx_flush();
    }
    done();
}

static void get(long n, void *context)
{
    struct limit *limit = context;

    for (long i = 0; 0 == bench.rank && i < n; i++) {
        ucx_get(limit->to, limit->bytes, 0);
        ucx_flush();
    }
    done();
}

static void put_many(long n, void *context)
{
    struct limit *limit = context;
    long          slots = slots_of(limit->bytes);

    for (long i = 0; 0 == bench.rank && i < n; i++) {
        size_t offset = (size_t) (i % slots) * limit->bytes;

        ucx_put(limit->from + offset, limit->bytes, offset);
        if (slots - 1 == i % slots) {
            ucx_flush();
        }
    }
    if (0 == bench.rank) {
        ucx_flush();
    }
    done();
}

static void fetch_add(long n, void *context)
{
    (void) context;
    for (long i = 0; 0 == bench.rank && i < n; i++) {
        ucx_fetch_add();
    }
    done();
}

/* The last process answers what the first one asks; both count, so that both are done at the same time. */
static void ask(long n, size_t bytes, size_t answer, const char *from)
{
    for (long i = 0; i < n; i++) {
        if (0 == bench.rank) {
            ucx_send(from, bytes);
            ucx_receive();
        } else if (bench.target == bench.rank) {
            ucx_receive();
            ucx_send(from, answer);
        }
    }
}

static void message_put(long n, void *context)
{
    struct limit *limit = context;

    ask(n, limit->bytes, 8, limit->from);
}

static void message_get(long n, void *context)
{
    struct limit *limit = context;

    ask(n, 8, limit->bytes, limit->from);
}

static void message_many(long n, void *context)
{
    struct limit *limit = context;

    if (0 == bench.rank) {
        for (long i = 0; i < n; i++) {
            ucx_post(limit->from, limit->bytes);
        }
        ucx_receive();
    } else if (bench.target == bench.rank) {
        for (long i = 0; i < n; i++) {
            ucx_receive();
        }
        ucx_send(limit->from, 8);
    }
}

/* ---- all of it, in the order of the benchmark's cases ---- */

static const struct limit_case {
    const char *kind, *name;
    size_t      bytes;                  /* 0: all sizes */
    void      (*body)(long n, void *context);
} cases[] = {
    { "memcpy", "latency.put", 0, copy },
    { "bare", "latency.put", 0, put },
    { "message", "latency.put", 0, message_put },
    { "bare", "latency.get", 0, get },
    { "message", "latency.get", 0, message_get },
    { "bare", "latency.fetch_and_op", 8, fetch_add },
    { "memcpy", "rate.put", 0, copy_many },
    { "bare", "rate.put", 0, put_many },
    { "message", "rate.put", 0, message_many },
    { "memcpy", "types.contiguous_put", STRIDED * sizeof(double), copy },
    { "memcpy", "types.strided_put", STRIDED * sizeof(double), copy_strided },
    { "message", "types.contiguous_put", STRIDED * sizeof(double), message_put },
};

enum { CASES = sizeof(cases) / sizeof(cases[0]) };

static void row(const struct limit_case *each, struct limit *limit)
{
    bench.flavour_name = each->kind;
    bench_row_us(each->name, limit->bytes,
                 bench_measure(&(struct bench_measure) { .body = each->body, .context = limit, .max_n = 1 << 20 }));
}

/* The cases first to last - 1, which have one name. */
static void of_name(int first, int last, struct limit *limit)
{
    bench.case_name = cases[first].name;
    for (int i = 0; i < (cases[first].bytes > 0 ? 1 : bench.num_sizes); i++) {
        limit->bytes = cases[first].bytes > 0 ? cases[first].bytes : sizes[i];
        for (int j = first; j < last; j++) {
            bench.part = i;
            row(&cases[j], limit);
        }
    }
}

static void parse(int argc, char **argv)
{
    int option;

    while (-1 != (option = getopt(argc, argv, "s:m:n:g:"))) {
        switch (option) {
        case 's':
            bench.num_sizes = 0;
            for (char *word = strtok(optarg, ","); word && bench.num_sizes < MAX_SIZES; word = strtok(NULL, ",")) {
                sizes[bench.num_sizes++] = strtoul(word, NULL, 10);
            }
            break;
        case 'm': bench.seconds = atof(optarg); break;
        case 'n': bench.samples = atoi(optarg); break;
        case 'g': bench.turns = optarg; break;
        default: exit(2);
        }
    }
}

int main(int argc, char **argv)
{
    struct limit limit;
    size_t       most = 0;

    parse(argc, argv);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &bench.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &bench.size);
    bench.target = bench.size - 1;
    limit.from = malloc(BENCH_WINDOW_BYTES);
    limit.to = calloc(1, BENCH_WINDOW_BYTES);
    for (size_t i = 0; i < BENCH_WINDOW_BYTES; i++) {
        limit.from[i] = (char) (i * 7 + (i >> 8) + 1); /* the same on all processes */
    }
    ucx_begin(BENCH_WINDOW_BYTES, 0 == bench.rank ? bench.target : 0);
    if (0 == bench.rank) {
        printf("# ucx: %s\n", ucx_version());
        printf("flavour,case,bytes,processes,unit,samples\n# begin limits\n");
    }
    for (int i = 0, next; i < CASES; i = next) {
        for (next = i + 1; next < CASES && 0 == strcmp(cases[i].name, cases[next].name); next++) {
            continue;
        }
        of_name(i, next, &limit);
    }
    for (int i = 0; i < bench.num_sizes; i++) {
        most = sizes[i] > most ? sizes[i] : most;
    }
    if (!ucx_end(limit.from, most)) {
        bench.wrong = true;
        bench_row("bare", 0, (struct bench_result) { 0 }, 1, "wrong");
    }
    if (0 == bench.rank) {
        printf("# end\n");
    }
    MPI_Finalize();
    return bench.wrong;
}
