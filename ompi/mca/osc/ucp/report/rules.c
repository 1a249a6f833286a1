/* Report 2: advice, from a table of rules.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A rule looks at what is known of a window, and returns the seconds that its advice could save, of all processes
 * together; 0: it does not apply. A new rule is a function, and a line in the table at the end.
 */

#include "report/causes.h"

#include "base/params.h"

/** Advice that saves a smaller part of the window's life is not given: 5 percent. Times when processes lacked a
 *  processor do not count, except for advice about that. */
#define LEAST_PART 0.05

/** Nor is advice that saves less than this. Seconds. */
#define LEAST_SECONDS 0.001

/** Calls of a kind that count as many. */
#define MANY 100

/** Nanoseconds: what a load or store takes, what copying a byte in caches takes, and what a call takes before it is
 *  timed. */
#define LOAD_NS 50
#define BYTE_NS 0.02
#define CALL_NS 30

/** One process is named if it is waited for so many times longer than each would be, if all were alike. */
#define SHARE 1.3

#define TEXT 400

typedef ompi_osc_ucp_told_t told_t;

/** The sentence goes to `text`. */
typedef double (*rule_t)(const told_t *told, char text[TEXT]);

static double seconds(double ns)
{
    return ns / 1e9;
}

/** Calls of MPI_Put and MPI_Rput, and the like. */
static const int by_kind[OMPI_OSC_UCP_SORTS][4] = {
    [OMPI_OSC_UCP_SORT_PUT]        = { OMPI_OSC_UCP_CALLED_PUT, OMPI_OSC_UCP_CALLED_RPUT },
    [OMPI_OSC_UCP_SORT_GET]        = { OMPI_OSC_UCP_CALLED_GET, OMPI_OSC_UCP_CALLED_RGET },
    [OMPI_OSC_UCP_SORT_ACCUMULATE] = { OMPI_OSC_UCP_CALLED_ACCUMULATE, OMPI_OSC_UCP_CALLED_RACCUMULATE },
    [OMPI_OSC_UCP_SORT_FETCH]      = { OMPI_OSC_UCP_CALLED_GET_ACCUMULATE, OMPI_OSC_UCP_CALLED_RGET_ACCUMULATE,
                                       OMPI_OSC_UCP_CALLED_FETCH_AND_OP, OMPI_OSC_UCP_CALLED_COMPARE_AND_SWAP }
};

/** Operations of a kind, and the time that they take. */
static int64_t kind_calls(const told_t *told, int kind, double *ns)
{
    int64_t calls = 0;
    int     i;

    *ns = 0;
    for (i = 0; i < 4 && OMPI_OSC_UCP_CALLED_NONE != by_kind[kind][i]; i++) {
        calls += told->sums.calls[by_kind[kind][i]];
        *ns   += (double) ompi_osc_ucp_told_operations(told, by_kind[kind][i]);
    }
    return calls;
}

static int64_t all_calls(const told_t *told, double *ns)
{
    int64_t calls = 0;
    double  more;
    int     kind;

    *ns = 0;
    for (kind = 0; kind < OMPI_OSC_UCP_SORTS; kind++) {
        calls += kind_calls(told, kind, &more);
        *ns   += more;
    }
    return calls;
}

/** The time that all calls took for a cause. */
static double cause_ns(const told_t *told, int cause)
{
    return (double) ompi_osc_ucp_told_cause(told, cause);
}

/* Processes that others wait for. */

/** The process that is waited for more than others, if there is one: its time; 0: there is none. `who` is in words whom
 *  most wait for; empty: nobody is known. */
static double culprit(const told_t *told, int cause, char who[OMPI_OSC_UCP_PROCESS_WORDS])
{
    const int64_t *whom = told->whom + cause * told->size;
    double         all  = 0, most;
    int            i, rank = ompi_osc_ucp_told_culprit(told, cause);

    who[0] = '\0';
    if (rank < 0) {
        return 0;
    }
    for (i = 0; i < told->size; i++) {
        all += (double) whom[i];
    }
    most = (double) whom[rank];
    (void) ompi_osc_ucp_process_words(told->keys[rank], told->keys[0], who);
    return most > SHARE * all / told->size ? seconds(most) : 0;
}

static double late_fence(const told_t *told, char text[TEXT])
{
    char   who[OMPI_OSC_UCP_PROCESS_WORDS];
    double saved = culprit(told, OMPI_OSC_UCP_CAUSE_FENCE, who);

    snprintf(text, TEXT, "%s comes late to MPI_Win_fence, and the others wait for it there: give it less to do "
             "between fences", who);
    return saved;
}

static double late_post(const told_t *told, char text[TEXT])
{
    char   who[OMPI_OSC_UCP_PROCESS_WORDS];
    double saved = culprit(told, OMPI_OSC_UCP_CAUSE_POST, who);

    snprintf(text, TEXT, "%s calls MPI_Win_post late, and others wait for it in MPI_Win_start: call MPI_Win_post "
             "before other work", who);
    return saved;
}

static double late_complete(const told_t *told, char text[TEXT])
{
    char   who[OMPI_OSC_UCP_PROCESS_WORDS];
    double saved = culprit(told, OMPI_OSC_UCP_CAUSE_COMPLETE, who);

    snprintf(text, TEXT, "%s calls MPI_Win_complete late, and others wait for it in MPI_Win_wait: compute after "
             "MPI_Win_complete, not before", who);
    return saved;
}

/** The call in which most time went for a cause. */
static const char *worst_call(const told_t *told, int cause)
{
    int call, worst = OMPI_OSC_UCP_CALLED_LOCK;

    for (call = 0; call < OMPI_OSC_UCP_CALLED_COUNT; call++) {
        if (told->sums.times[call][cause] > told->sums.times[worst][cause]) {
            worst = call;
        }
    }
    return ompi_osc_ucp_called_name(worst);
}

static double lock_held(const told_t *told, char text[TEXT])
{
    char   who[OMPI_OSC_UCP_PROCESS_WORDS];
    double saved = culprit(told, OMPI_OSC_UCP_CAUSE_HOLDER, who);

    if (saved > 0) {
        snprintf(text, TEXT, "%s holds a lock for long, and others wait for it in %s: compute after "
                 "MPI_Win_unlock, not before; or use MPI_LOCK_SHARED, and accumulates", who,
                 worst_call(told, OMPI_OSC_UCP_CAUSE_HOLDER));
        return saved;
    }
    snprintf(text, TEXT, "processes wait for each other's locks in %s: MPI_LOCK_SHARED, and accumulates where several "
             "processes change the same", worst_call(told, OMPI_OSC_UCP_CAUSE_HOLDER));
    return seconds(cause_ns(told, OMPI_OSC_UCP_CAUSE_HOLDER));
}

static double target_outside(const told_t *told, char text[TEXT])
{
    char who[OMPI_OSC_UCP_PROCESS_WORDS];
    bool one = culprit(told, OMPI_OSC_UCP_CAUSE_TARGET, who) > 0;

    if ('\0' == who[0]) {
        return 0;
    }
    snprintf(text, TEXT, "others wait in %s until %s, which computes, answers: %s", worst_call(told,
             OMPI_OSC_UCP_CAUSE_TARGET), one ? who : "a target",
             OMPI_OSC_UCP_ASYNC_NEVER == ompi_osc_ucp_params.async_progress
                 ? "osc_ucp_async_progress is never, so that only calls of MPI answer"
             : told->sums.single_cpu > 0
                 ? "each process is bound to one processor, which its thread that answers has to share; bind to two "
                   "(mpirun --map-by slot:pe=2)"
                 : "make the window with MPI_Win_allocate, or call MPI more often there");
    return seconds(cause_ns(told, OMPI_OSC_UCP_CAUSE_TARGET));
}

static double no_processor(const told_t *told, char text[TEXT])
{
    snprintf(text, TEXT, "processes were ready, and had no processor, in MPI or while others waited for them: start "
             "fewer processes, end what else runs here, or bind them to processors of their own");
    return seconds(cause_ns(told, OMPI_OSC_UCP_CAUSE_CPU));
}

/* Synchronization that could be left out. */

static double lock_each(const told_t *told, char text[TEXT])
{
    const ompi_osc_ucp_causes_sums_t *sums  = &told->sums;
    int64_t                           locks = sums->calls[OMPI_OSC_UCP_CALLED_UNLOCK];

    if (MPI_WIN_FLAVOR_SHARED == told->flavor || locks < MANY || 2 * sums->locks_single < locks) {
        return 0; /* loads and stores may be between them, too */
    }
    snprintf(text, TEXT, "MPI_Win_lock and MPI_Win_unlock enclose a single operation, %lld times: one MPI_Win_lock_all "
             "at the beginning, and MPI_Win_flush where an operation must be complete", (long long) sums->locks_single);
    return seconds((double) (sums->times[OMPI_OSC_UCP_CALLED_LOCK][OMPI_OSC_UCP_CAUSE_ITSELF] +
                             sums->times[OMPI_OSC_UCP_CALLED_UNLOCK][OMPI_OSC_UCP_CAUSE_ITSELF]));
}

static double fence_unneeded(const told_t *told, char text[TEXT])
{
    int64_t fences = told->sums.fences_empty / told->size;

    if (MPI_WIN_FLAVOR_SHARED == told->flavor || fences < MANY) {
        return 0; /* loads and stores may be between them, too */
    }
    snprintf(text, TEXT, "MPI_Win_fence has operations of no process before or after it, %lld times: leave it out",
             (long long) fences);
    return seconds((double) told->sums.fences_empty_ns);
}

static double flush_each(const told_t *told, char text[TEXT])
{
    if (0 == told->messages) {
        return 0;
    }
    snprintf(text, TEXT, "MPI_Win_flush completes a single operation, %lld times: issue several operations, and "
             "complete them together", (long long) told->sums.flushes_single);
    return told->sums.flushes_single < MANY ? 0 : seconds((double) told->sums.flushes_single_ns);
}

/* Operations. */

/** How many operations came beside the one before. That is sampled, and may be a little more than there were. */
static int64_t adjacent_of(const told_t *told, int kind)
{
    double        ns;
    const int64_t calls = kind_calls(told, kind, &ns), adjacent = told->sums.adjacent[kind];

    return adjacent < calls ? adjacent : calls;
}

/** Small operations on one target, each beside the one before. */
static double beside(const told_t *told, int kind)
{
    double  ns;
    int64_t calls = kind_calls(told, kind, &ns), adjacent = adjacent_of(told, kind);

    if (adjacent < MANY || 2 * adjacent < calls) {
        return 0;
    }
    ns += told->sums.flushes_single_ns > 0 && 2 * told->sums.flushes_single > calls
              ? (double) told->sums.flushes_single_ns : 0;
    return seconds(ns * (double) adjacent / (double) calls + CALL_NS * (double) adjacent);
}

static double small_gets(const told_t *told, char text[TEXT])
{
    snprintf(text, TEXT, "MPI_Get fetches from one target piece by piece, each beside the one before, %lld times: one "
             "MPI_Get of many elements", (long long) adjacent_of(told, OMPI_OSC_UCP_SORT_GET));
    return beside(told, OMPI_OSC_UCP_SORT_GET);
}

static double small_puts(const told_t *told, char text[TEXT])
{
    snprintf(text, TEXT, "MPI_Put stores to one target piece by piece, each beside the one before, %lld times: one "
             "MPI_Put of many elements", (long long) adjacent_of(told, OMPI_OSC_UCP_SORT_PUT));
    return beside(told, OMPI_OSC_UCP_SORT_PUT);
}

static double single_accumulates(const told_t *told, char text[TEXT])
{
    snprintf(text, TEXT, "MPI_Accumulate updates one target element by element, each beside the one before, %lld "
             "times: one MPI_Accumulate of many elements",
             (long long) adjacent_of(told, OMPI_OSC_UCP_SORT_ACCUMULATE));
    return beside(told, OMPI_OSC_UCP_SORT_ACCUMULATE);
}

static double single_fetches(const told_t *told, char text[TEXT])
{
    snprintf(text, TEXT, "MPI_Fetch_and_op and MPI_Get_accumulate update one target element by element, each beside "
             "the one before, %lld times: one MPI_Get_accumulate of many elements",
             (long long) adjacent_of(told, OMPI_OSC_UCP_SORT_FETCH));
    return beside(told, OMPI_OSC_UCP_SORT_FETCH);
}

/** Shorter pieces are small. Bytes. */
#define PIECE 64

static double small_pieces(const told_t *told, char text[TEXT])
{
    const ompi_osc_ucp_causes_sums_t *sums = &told->sums;
    double                            ns;

    if (0 == sums->scattered.timed || sums->scattered.pieces < 8 * sums->scattered.calls ||
        sums->scattered.bytes > PIECE * sums->scattered.pieces) {
        return 0;
    }
    ns = (double) sums->scattered.timed_ns / (double) sums->scattered.timed * (double) sums->scattered.calls -
         BYTE_NS * (double) sums->scattered.bytes;
    snprintf(text, TEXT, "derived datatypes of %lld pieces of %lld bytes: lay out the data so that what is sent "
             "together lies together", (long long) (sums->scattered.pieces / sums->scattered.calls),
             (long long) (sums->scattered.bytes / sums->scattered.pieces));
    return ns > 0 ? seconds(ns) : 0;
}

/** Where the network does some of the accumulates. */
static double order_kept(const told_t *told, char text[TEXT])
{
    snprintf(text, TEXT, "accumulates wait for others on the same target, which go another way, to keep their order, "
             "%lld times: if the program needs no order among them, make the window with the info key "
             "accumulate_ordering, value none", (long long) told->sums.order_waits);
    return told->sums.order_waits < MANY ? 0 : seconds((double) told->sums.order_ns);
}

/* Windows. */

/** The time that operations and their completion take beyond load and store. */
static double not_mapped(const told_t *told)
{
    static const int completing[] = { OMPI_OSC_UCP_CALLED_FLUSH, OMPI_OSC_UCP_CALLED_FLUSH_ALL,
                                      OMPI_OSC_UCP_CALLED_UNLOCK, OMPI_OSC_UCP_CALLED_UNLOCK_ALL,
                                      OMPI_OSC_UCP_CALLED_COMPLETE };
    double           ns, bytes = 0, waited = 0;
    int64_t          calls = all_calls(told, &ns);
    size_t           i;

    for (i = 0; i < OMPI_OSC_UCP_SORTS; i++) {
        bytes += (double) told->sums.bytes[i];
    }
    for (i = 0; i < sizeof(completing) / sizeof(completing[0]); i++) {
        waited += (double) (told->sums.times[completing[i]][OMPI_OSC_UCP_CAUSE_ITSELF] +
                            told->sums.times[completing[i]][OMPI_OSC_UCP_CAUSE_TARGET]);
    }
    ns += waited - LOAD_NS * (double) calls - BYTE_NS * bytes;
    return ns < 0 ? 0 : seconds(ns);
}

static double allocate(const told_t *told, char text[TEXT])
{
    const int64_t *why = told->sums.why;

    if (0 == why[OMPI_OSC_UCP_WHY_OWN_MEMORY] + why[OMPI_OSC_UCP_WHY_COPY_OFF] + why[OMPI_OSC_UCP_WHY_COPY_REFUSED]) {
        return 0;
    }
    snprintf(text, TEXT, "%s gives memory that other processes of the node cannot map: make the window with "
             "MPI_Win_allocate, so that operations are loads and stores",
             MPI_WIN_FLAVOR_DYNAMIC == told->flavor ? "MPI_Win_create_dynamic" : "MPI_Win_create");
    return not_mapped(told);
}

static double kernel_copy(const told_t *told, char text[TEXT])
{
    const int64_t *why = told->sums.why;

    snprintf(text, TEXT, "the kernel copies nothing between processes of a node here, so that messages do: %s",
             0 != why[OMPI_OSC_UCP_WHY_COPY_OFF]
                 ? "set osc_ucp_kernel_copy to 1"
                 : "allow it (kernel.yama.ptrace_scope 0; in a container, the capability SYS_PTRACE)");
    return 0 == why[OMPI_OSC_UCP_WHY_COPY_OFF] + why[OMPI_OSC_UCP_WHY_COPY_REFUSED] ? 0 : not_mapped(told);
}

/** In the order in which advice is printed. */
static const rule_t rules[] = {
    late_fence,   late_post,      late_complete, lock_held, target_outside, no_processor,
    lock_each,    fence_unneeded, flush_each,
    small_gets,   small_puts,     single_accumulates, single_fetches, small_pieces,
    order_kept,
    allocate,     kernel_copy
};

void ompi_osc_ucp_advise(FILE *out, const ompi_osc_ucp_told_t *told)
{
    double least = LEAST_PART * seconds((double) (told->sums.life_ns - told->sums.delay_ns)), saved;
    char   text[TEXT];
    size_t i;

    least = least > LEAST_SECONDS ? least : LEAST_SECONDS;
    for (i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
        saved = rules[i](told, text);
        if (saved >= least) {
            fprintf(out, "osc/ucp:     advice: %s (up to %.3f s)\n", text, saved);
        }
    }
}
