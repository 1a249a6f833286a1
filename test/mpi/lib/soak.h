/* A window of random shape, a serial model of its memory, and how both are compared. soak_operations.h changes both.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The memory of each process has an area for each origin, which knows exactly what must be in it; behind the areas
 * words that all origins add to at once, and a block that is read and written under exclusive locks only.
 *
 * Two random sequences: `all` is the same on all members and decides what they do together, `mine` is a process's own.
 */

#ifndef SOAK_H
#define SOAK_H

#include "random_types.h"
#include "windows.h"

enum { SLICES = 6, WORDS = 5, BLOCK = 40, SPACING = 24 /* of words: a multiple of all displacement units */ };

struct soak_random {
    uint64_t all, mine;
};

struct soak_window {
    MPI_Win win;
    MPI_Comm comm; /* its own */
    int rank, size;
    enum test_flavor flavor;
    MPI_Aint area, bytes; /* of one origin; of this process's window memory */
    unsigned char *base, *memory; /* own memory; what was allocated for it */
    MPI_Aint *origin;             /* per rank: what displacements count from */
    int *disp_unit;               /* per rank */
    unsigned char **mapped;       /* per rank, shared windows: its memory here */
    int no_locks, unordered;
    unsigned char *model;         /* of this origin's areas, rank by rank */
    int64_t *added, *seen;        /* per rank, WORDS each: by this origin; the largest value that it read */
    int64_t *written;             /* per rank: how often the block */
    MPI_Op *op;                   /* per rank, SLICES each: of the accumulates that are under way there */
    MPI_Datatype *base_type;      /* of these */
    char *used;                   /* per rank, SLICES each: something else is under way there */
    struct soak_op *under_way;
    int busy; /* in an epoch */
};

/* One operation from its call until its results are checked. */
struct soak_op {
    struct soak_op *next;
    const char *name;
    int target, slice;
    unsigned char *origin, *result, *expected; /* malloc'd, exactly as long as needed */
    size_t bytes;                              /* of result; 0: there is none to compare */
    int64_t floor;                             /* of what is read from a word, or -1 */
    int word;
    MPI_Request request;
};

/* `count` elements of a type somewhere in a range of bytes. */
struct soak_side {
    MPI_Datatype type;
    int count;
    MPI_Aint offset;
};

static int soak_verbose;
static char soak_round[80]; /* how to do it again */

static inline int chance(uint64_t *random, int one_in)
{
    return 0 == test_random(random, one_in);
}

static inline MPI_Aint soak_disp(const struct soak_window *w, int target, MPI_Aint byte)
{
    return (w->origin[target] + byte) / w->disp_unit[target];
}

static inline MPI_Aint soak_words(const struct soak_window *w)
{
    return w->area * w->size;
}

static inline MPI_Aint soak_block(const struct soak_window *w)
{
    return soak_words(w) + WORDS * SPACING;
}

/* ---- windows ---- */

static inline MPI_Info soak_info(struct soak_window *w, struct soak_random *random, int same)
{
    MPI_Info info = MPI_INFO_NULL;

    w->no_locks = w->unordered = 0;
    if (chance(&random->all, 2)) {
        return info;
    }
    MPI_Info_create(&info);
    if (same && TEST_DYNAMIC != w->flavor) {
        MPI_Info_set(info, "same_size", "true");
        MPI_Info_set(info, "same_disp_unit", "true");
    }
    if (chance(&random->all, 4)) {
        MPI_Info_set(info, "no_locks", "true");
        w->no_locks = 1;
    }
    if (chance(&random->all, 3)) {
        MPI_Info_set(info, "accumulate_ordering", "none");
        w->unordered = 1;
    }
    if (TEST_SHARED == w->flavor && chance(&random->all, 2)) {
        MPI_Info_set(info, "alloc_shared_noncontig", "true");
    }
    if (chance(&random->all, 3)) {
        MPI_Info_set(info, "mpi_accumulate_granularity", chance(&random->all, 2) ? "8" : "16");
    }
    return info;
}

/* Each area is attached by itself, the rest together. */
static inline void soak_attach(struct soak_window *w, MPI_Aint *mine)
{
    for (int i = 0; i < w->size; i++) {
        MPI_OK(MPI_Win_attach(w->win, w->base + i * w->area, w->area));
    }
    MPI_OK(MPI_Win_attach(w->win, w->base + soak_words(w), w->bytes - soak_words(w)));
    MPI_Get_address(w->base, mine);
}

static inline void soak_make(struct soak_window *w, int disp_unit, MPI_Info info, MPI_Aint *mine)
{
    int unit;
    MPI_Aint size;

    switch (w->flavor) {
    case TEST_CREATE:
        MPI_OK(MPI_Win_create(w->base, w->bytes, disp_unit, info, w->comm, &w->win));
        break;
    case TEST_ALLOCATE:
        MPI_OK(MPI_Win_allocate(w->bytes, disp_unit, info, w->comm, &w->base, &w->win));
        break;
    case TEST_SHARED:
        MPI_OK(MPI_Win_allocate_shared(w->bytes, disp_unit, info, w->comm, &w->base, &w->win));
        w->mapped = malloc(w->size * sizeof(*w->mapped));
        for (int i = 0; i < w->size; i++) {
            MPI_OK(MPI_Win_shared_query(w->win, i, &size, &unit, &w->mapped[i]));
        }
        break;
    default:
        MPI_OK(MPI_Win_create_dynamic(info, w->comm, &w->win));
        soak_attach(w, mine);
    }
}

/* Collective over `comm`: a window of random shape; its members may be numbered otherwise. */
static inline void soak_open(struct soak_window *w, struct soak_random *random, MPI_Comm comm)
{
    static const MPI_Aint areas[] = {144, 1008, 4896, 24192, 120960, 1209600}; /* slices are multiples of SPACING */;
    static const int units[] = {1, 1, 2, 3, 4, 8, 12, 24};
    int rank, same = chance(&random->all, 2), unit = units[test_random(&random->all, 8)], places;
    MPI_Aint mine = 0;
    MPI_Info info;

    memset(w, 0, sizeof(*w));
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_split(comm, 0, chance(&random->all, 3) ? -rank : rank, &w->comm);
    MPI_Comm_rank(w->comm, &w->rank);
    MPI_Comm_size(w->comm, &w->size);
    w->flavor = test_random(&random->all, TEST_FLAVORS);
    if (!test_has_flavor(w->comm, w->flavor)) {
        w->flavor = TEST_CREATE;
    }
    w->area = areas[chance(&random->all, 12) ? 5 : test_random(&random->all, 5)];
    info = soak_info(w, random, same);
    w->bytes = soak_block(w) + BLOCK * 8 + (same ? 0 : test_random(&random->mine, 100));
    unit = TEST_DYNAMIC == w->flavor ? 1 : same ? unit : units[test_random(&random->mine, 8)];
    if (TEST_CREATE == w->flavor || TEST_DYNAMIC == w->flavor) {
        w->memory = malloc(w->bytes + 24);
        w->base = w->memory + (chance(&random->mine, 8) ? test_random(&random->mine, 24) : 0);
    }
    soak_make(w, unit, info, &mine);
    if (MPI_INFO_NULL != info) {
        MPI_Info_free(&info);
    }
    places = w->size * SLICES;
    w->origin = malloc(w->size * sizeof(*w->origin));
    w->disp_unit = malloc(w->size * sizeof(*w->disp_unit));
    w->model = calloc(w->size, w->area);
    w->added = calloc(w->size * WORDS, sizeof(*w->added));
    w->seen = calloc(w->size * WORDS, sizeof(*w->seen));
    w->written = calloc(w->size, sizeof(*w->written));
    w->op = malloc(places * sizeof(*w->op));
    w->base_type = malloc(places * sizeof(*w->base_type));
    w->used = calloc(places, 1);
    for (int i = 0; i < places; i++) {
        w->op[i] = MPI_OP_NULL;
    }
    memset(w->base, 0, w->bytes);
    MPI_Win_sync(w->win);
    MPI_Allgather(&mine, 1, MPI_AINT, w->origin, 1, MPI_AINT, w->comm);
    MPI_Allgather(&unit, 1, MPI_INT, w->disp_unit, 1, MPI_INT, w->comm);
    MPI_Barrier(w->comm);
}

static inline void soak_close(struct soak_window *w)
{
    if (TEST_DYNAMIC == w->flavor) {
        MPI_Barrier(w->comm);
        for (int i = 0; i < w->size; i++) {
            MPI_OK(MPI_Win_detach(w->win, w->base + i * w->area));
        }
        MPI_OK(MPI_Win_detach(w->win, w->base + soak_words(w)));
    }
    MPI_OK(MPI_Win_free(&w->win));
    MPI_Comm_free(&w->comm);
    free(w->memory);
    free(w->origin);
    free(w->disp_unit);
    free(w->mapped);
    free(w->model);
    free(w->added);
    free(w->seen);
    free(w->written);
    free(w->op);
    free(w->base_type);
    free(w->used);
}

/* ---- results ---- */

static inline void check_op(struct soak_window *w, const struct soak_op *op)
{
    int64_t read;

    for (size_t i = 0; i < op->bytes; i++) {
        if (op->result[i] != op->expected[i]) {
            test_fail(__FILE__, __LINE__, "%s: %s window: %s to %d, slice %d: byte %zu of the result is %d, not %d",
                      soak_round, test_flavor_name[w->flavor], op->name, op->target, op->slice, i, op->result[i],
                      op->expected[i]);
            break;
        }
    }
    if (op->floor >= 0) {
        memcpy(&read, op->result, sizeof(read));
        CHECK(read >= op->floor, "%s: %s window: word %d of %d was %lld, and now %lld", soak_round,
              test_flavor_name[w->flavor], op->word, op->target, (long long) op->floor, (long long) read);
        if (read > w->seen[op->target * WORDS + op->word]) {
            w->seen[op->target * WORDS + op->word] = read;
        }
    }
}

/* All operations are complete here: are their results right? If they are complete at the target, too, what they used
 * there may be used again. */
static inline void soak_check(struct soak_window *w)
{
    for (struct soak_op *op = w->under_way; NULL != op; op = op->next) {
        MPI_OK(MPI_Wait(&op->request, MPI_STATUS_IGNORE));
        check_op(w, op);
    }
}

static inline void soak_done(struct soak_window *w)
{
    struct soak_op *op;

    soak_check(w);
    while (NULL != (op = w->under_way)) {
        w->under_way = op->next;
        free(op->origin);
        free(op->result);
        free(op->expected);
        free(op);
    }
    for (int i = 0; i < w->size * SLICES; i++) {
        w->op[i] = MPI_OP_NULL;
        w->used[i] = 0;
    }
}

static inline uint64_t hash_of(const unsigned char *bytes, MPI_Aint length)
{
    uint64_t hash = 1, word;

    for (MPI_Aint i = 0; i + 8 <= length; i += 8) {
        memcpy(&word, bytes + i, sizeof(word));
        hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
    }
    return hash;
}

/* Where does the memory differ from what its origins say? */
static inline void soak_explain(struct soak_window *w)
{
    unsigned char *wanted = malloc(w->area * w->size);

    MPI_Alltoall(w->model, (int) w->area, MPI_BYTE, wanted, (int) w->area, MPI_BYTE, w->comm);
    for (MPI_Aint i = 0; i < w->area * w->size; i++) {
        if (wanted[i] != w->base[i]) {
            test_fail(__FILE__, __LINE__, "%s: %s window: byte %td of the area of %td is %d, not %d", soak_round,
                      test_flavor_name[w->flavor], i % w->area, i / w->area, w->base[i], wanted[i]);
            break;
        }
    }
    free(wanted);
}

/* Collective, outside of epochs: is the memory what all origins say? The program loads it. */
static inline void soak_verify(struct soak_window *w)
{
    uint64_t mine[w->size], theirs[w->size];
    int64_t totals[WORDS], total, value;
    int wrong = 0, any;

    for (int i = 0; i < w->size; i++) {
        mine[i] = hash_of(w->model + i * w->area, w->area);
    }
    MPI_Alltoall(mine, 1, MPI_UINT64_T, theirs, 1, MPI_UINT64_T, w->comm);
    MPI_Win_sync(w->win);
    for (int i = 0; i < w->size; i++) {
        wrong |= theirs[i] != hash_of(w->base + i * w->area, w->area);
    }
    MPI_Allreduce(&wrong, &any, 1, MPI_INT, MPI_LOR, w->comm);
    if (any) {
        CHECK(!wrong, "%s: %s window: the memory is wrong", soak_round, test_flavor_name[w->flavor]);
        soak_explain(w);
    }
    MPI_Reduce_scatter_block(w->added, totals, WORDS, MPI_INT64_T, MPI_SUM, w->comm);
    MPI_Reduce_scatter_block(w->written, &total, 1, MPI_INT64_T, MPI_SUM, w->comm);
    for (int i = 0; i < WORDS; i++) {
        memcpy(&value, w->base + soak_words(w) + i * SPACING, sizeof(value));
        CHECK(value == totals[i], "%s: %s window: word %d is %lld, not %lld", soak_round,
              test_flavor_name[w->flavor], i, (long long) value, (long long) totals[i]);
    }
    for (int i = 0; i < BLOCK; i++) {
        memcpy(&value, w->base + soak_block(w) + i * 8, sizeof(value));
        CHECK(value == total, "%s: %s window: word %d of the block is %lld, not %lld", soak_round,
              test_flavor_name[w->flavor], i, (long long) value, (long long) total);
    }
    MPI_Barrier(w->comm);
}

#endif /* SOAK_H */
