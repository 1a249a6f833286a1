/* Report 2: the text.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "report/causes.h"

/** Ranks that are listed for a cause. */
#define LISTED 3

/** Times below this are left out, nanoseconds. */
#define LEAST_NS 1000

static const char *const causes[OMPI_OSC_UCP_CAUSES] = {
    [OMPI_OSC_UCP_CAUSE_ITSELF]   = "the call itself",
    [OMPI_OSC_UCP_CAUSE_HOLDER]   = "the lock's holder",
    [OMPI_OSC_UCP_CAUSE_FENCE]    = "late fence",
    [OMPI_OSC_UCP_CAUSE_POST]     = "late post",
    [OMPI_OSC_UCP_CAUSE_COMPLETE] = "late complete",
    [OMPI_OSC_UCP_CAUSE_TARGET]   = "target outside MPI",
    [OMPI_OSC_UCP_CAUSE_FLOW]     = "flow control",
    [OMPI_OSC_UCP_CAUSE_CONTACT]  = "first contact",
    [OMPI_OSC_UCP_CAUSE_CPU]      = "no processor",
    [OMPI_OSC_UCP_CAUSE_REMOTE]   = "another host",
    [OMPI_OSC_UCP_CAUSE_UNKNOWN]  = "not known"
};

static double seconds(int64_t ns)
{
    return (double) ns / 1e9;
}

/** One line for a call: what its time went for. */
static void print_call(FILE *out, const ompi_osc_ucp_told_t *told, int call)
{
    const int64_t *times = told->sums.times[call];
    int64_t        operations = ompi_osc_ucp_told_operations(told, call), sum = operations;
    const char    *before = ": ";
    int            cause;

    for (cause = 0; cause < OMPI_OSC_UCP_CAUSES; cause++) {
        sum += times[cause];
    }
    fprintf(out, "osc/ucp:       %-24s %10lld calls %12.6f s", ompi_osc_ucp_called_name((uint64_t) call),
            (long long) told->sums.calls[call], seconds(sum));
    for (cause = 0; cause < OMPI_OSC_UCP_CAUSES; cause++) {
        if (times[cause] + (OMPI_OSC_UCP_CAUSE_ITSELF == cause ? operations : 0) >= LEAST_NS) {
            fprintf(out, "%s%s %.6f s", before, causes[cause],
                    seconds(times[cause] + (OMPI_OSC_UCP_CAUSE_ITSELF == cause ? operations : 0)));
            before = ", ";
        }
    }
    fputc('\n', out);
}

/** List the ranks with the longest times, behind `text`. */
static void print_ranks(FILE *out, const ompi_osc_ucp_told_t *told, const char *text, const int64_t *ns)
{
    char words[OMPI_OSC_UCP_PROCESS_WORDS];
    int  most[LISTED], n = 0, rank, i;

    for (rank = 0; rank < told->size; rank++) {
        for (i = n; i > 0 && ns[rank] > ns[most[i - 1]]; i--) {
            if (i < LISTED) {
                most[i] = most[i - 1];
            }
        }
        if (ns[rank] >= LEAST_NS && i < LISTED) {
            most[i] = rank;
            n += n < LISTED;
        }
    }
    for (i = 0; i < n; i++) {
        if (0 == i) {
            fprintf(out, "osc/ucp:     %s: ", text);
        }
        fprintf(out, "%s%s %.6f s", 0 == i ? "" : ", ",
                ompi_osc_ucp_process_words(told->keys[most[i]], told->keys[0], words), seconds(ns[most[i]]));
    }
    if (n > 0) {
        fputc('\n', out);
    }
}

/** Print a lower bound of a histogram: a power of 2. */
static void print_power(FILE *out, int power)
{
    static const char *const units[] = { "", "Ki", "Mi", "Gi" };

    fprintf(out, "%d%s", 1 << power % 10, units[power / 10]);
}

/** One line for a histogram, if it has something. */
static void print_histogram(FILE *out, const char *text, const char *unit, const int64_t *values, int n)
{
    const char *before = ": ";
    int         i;

    for (i = 0; i < n; i++) {
        if (0 != values[i]) {
            if (':' == before[0]) {
                fprintf(out, "osc/ucp:     %s", text);
            }
            fputs(before, out);
            fputs(0 == i ? "up to " : "from ", out);
            print_power(out, i);
            fprintf(out, "%s %lld", unit, (long long) values[i]);
            before = ", ";
        }
    }
    if (':' != before[0]) {
        fputc('\n', out);
    }
}

static void print_histograms(FILE *out, const ompi_osc_ucp_causes_sums_t *sums)
{
    static const struct {
        const char *sizes, *pieces;
    } texts[OMPI_OSC_UCP_SORTS] = {
        [OMPI_OSC_UCP_SORT_PUT]        = { "sizes of puts", "pieces of a put" },
        [OMPI_OSC_UCP_SORT_GET]        = { "sizes of gets", "pieces of a get" },
        [OMPI_OSC_UCP_SORT_ACCUMULATE] = { "sizes of accumulates", "pieces of an accumulate" },
        [OMPI_OSC_UCP_SORT_FETCH]      = { "sizes of fetching accumulates", "pieces of a fetching accumulate" }
    };
    int kind;

    for (kind = 0; kind < OMPI_OSC_UCP_SORTS; kind++) {
        print_histogram(out, texts[kind].sizes, " B", sums->sizes[kind], OMPI_OSC_UCP_SIZES);
        print_histogram(out, texts[kind].pieces, "", sums->pieces[kind], OMPI_OSC_UCP_PIECES);
    }
}

static void print_paths(FILE *out, const ompi_osc_ucp_causes_sums_t *sums)
{
    static const char *const whys[OMPI_OSC_UCP_WHYS] = {
        [OMPI_OSC_UCP_WHY_OWN_MEMORY]   = "the program's own memory cannot be mapped: the kernel copies",
        [OMPI_OSC_UCP_WHY_COPY_OFF]     = "the program's own memory cannot be mapped, and osc_ucp_kernel_copy is 0: "
                                          "messages",
        [OMPI_OSC_UCP_WHY_COPY_REFUSED] = "the program's own memory cannot be mapped, and the kernel does not let "
                                          "processes copy: messages",
        [OMPI_OSC_UCP_WHY_UNMAPPED]     = "the window's memory was not mapped",
        [OMPI_OSC_UCP_WHY_HOST]         = "other hosts, or processes that share no memory"
    };
    int why;

    for (why = 0; why < OMPI_OSC_UCP_WHYS; why++) {
        if (0 != sums->why[why]) {
            fprintf(out, "osc/ucp:     no load/store for %lld pairs: %s\n", (long long) sums->why[why], whys[why]);
        }
    }
}

void ompi_osc_ucp_told_print(FILE *out, const ompi_osc_ucp_told_t *told)
{
    char text[80];
    int  i;

    fprintf(out, "osc/ucp:     time by cause, of all processes together, which had the window for %.6f s:\n",
            seconds(told->sums.life_ns));
    for (i = 0; i < OMPI_OSC_UCP_CALLED_COUNT; i++) {
        if (0 != told->sums.calls[i]) {
            print_call(out, told, i);
        }
    }
    for (i = OMPI_OSC_UCP_CAUSE_ITSELF + 1; i < OMPI_OSC_UCP_CAUSES; i++) {
        snprintf(text, sizeof(text), "waited for, %s", causes[i]);
        print_ranks(out, told, text, told->whom + i * told->size);
    }
    print_ranks(out, told, "longest in synchronization calls", told->waiting);
    print_histograms(out, &told->sums);
    print_paths(out, &told->sums);
}
