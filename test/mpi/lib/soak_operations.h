/* Random operations on a window of soak.h and on its model.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef SOAK_OPERATIONS_H
#define SOAK_OPERATIONS_H

#include "soak.h"

static inline struct soak_op *soak_op_new(struct soak_window *w, const char *name, int target, size_t origin,
                                          size_t result)
{
    struct soak_op *op = calloc(1, sizeof(*op));

    op->name = name;
    op->target = target;
    op->origin = malloc(origin);
    op->result = malloc(result);
    op->expected = malloc(result);
    op->floor = -1;
    op->request = MPI_REQUEST_NULL;
    op->next = w->under_way;
    w->under_way = op;
    return op;
}

/* `elements` of `base` somewhere in `room` bytes; displacements are multiples of `step`. A single one is basic. */
static inline void make_side(uint64_t *random, MPI_Datatype base, MPI_Aint step, int elements, MPI_Aint room,
                             struct soak_side *side)
{
    MPI_Aint first, length, lowest;

    for (int attempt = 0; attempt < 4; attempt++) {
        if (attempt < 3 && elements > 1 && elements <= 1000 && !chance(random, 3)) {
            side->count = random_divisor(random, elements);
            side->type = random_type(random, base, elements / side->count);
        } else {
            side->count = elements;
            MPI_Type_dup(base, &side->type);
        }
        length = type_span(side->type, side->count, &first);
        lowest = first < 0 ? (-first + step - 1) / step * step : 0;
        if (lowest + first + length <= room) {
            side->offset = lowest + step * (MPI_Aint) test_random(random, (room - lowest - first - length) / step + 1);
            return;
        }
        MPI_Type_free(&side->type);
    }
    abort(); /* a row of elements always fits */
}

static inline void pack_side(const unsigned char *range, const struct soak_side *side, char *packed, int bytes)
{
    int position = 0;

    MPI_Pack(range + side->offset, side->count, side->type, packed, bytes, &position, MPI_COMM_SELF);
}

static inline void unpack_side(const char *packed, int bytes, unsigned char *range, const struct soak_side *side)
{
    int position = 0;

    MPI_Unpack(packed, bytes, &position, range + side->offset, side->count, side->type, MPI_COMM_SELF);
}

/* One element at a time: some reductions of whole arrays do not wrap around. */
static inline void reduce(MPI_Op op, MPI_Datatype base, int unit, const char *data, char *at, int elements)
{
    if (MPI_REPLACE == op) {
        memcpy(at, data, (size_t) elements * unit);
    } else if (MPI_NO_OP != op) {
        for (int i = 0; i < elements; i++) {
            MPI_Reduce_local(data + i * unit, at + i * unit, 1, base, op);
        }
    }
}

/* The operation on a slice: none, if it must not meet what is under way there. */
static inline int choose_op(struct soak_window *w, uint64_t *random, int place, MPI_Datatype base, MPI_Op *op)
{
    const MPI_Op ops[] = {MPI_SUM, MPI_PROD, MPI_MAX, MPI_MIN, MPI_BAND, MPI_BOR, MPI_BXOR, MPI_REPLACE, MPI_NO_OP};

    *op = ops[test_random(random, 9)];
    if (MPI_OP_NULL == w->op[place]) {
        w->op[place] = *op;
        w->base_type[place] = base;
        return 1;
    }
    if (w->unordered || base != w->base_type[place]) {
        return 0;
    }
    *op = MPI_NO_OP != w->op[place] && chance(random, 4) ? MPI_NO_OP : w->op[place];
    return 1;
}

enum { PUT, GET, ACCUMULATE, GET_ACCUMULATE, FETCH_AND_OP, COMPARE_AND_SWAP, STORE, KINDS };

static const char *const kind_name[KINDS] = {"put",          "get",              "accumulate", "get_accumulate",
                                             "fetch_and_op", "compare_and_swap", "store"};

/* Everything that one call needs to know. */
struct soak_call {
    int kind, elements, unit, requests; /* `requests`: the R forms are allowed */
    MPI_Datatype base;
    MPI_Op op;
    MPI_Aint at; /* byte of the target's memory that the slice begins at */
    struct soak_side origin, result, there;
};

static inline void issue_put_get(struct soak_window *w, const struct soak_call *c, struct soak_op *op)
{
    MPI_Aint disp = soak_disp(w, op->target, c->at + c->there.offset);
    unsigned char *origin = op->origin + c->origin.offset, *result = op->result + c->result.offset;

    if (PUT == c->kind && c->requests) {
        MPI_OK(MPI_Rput(origin, c->origin.count, c->origin.type, op->target, disp, c->there.count, c->there.type,
                        w->win, &op->request));
    } else if (PUT == c->kind) {
        MPI_OK(MPI_Put(origin, c->origin.count, c->origin.type, op->target, disp, c->there.count, c->there.type,
                       w->win));
    } else if (c->requests) {
        MPI_OK(MPI_Rget(result, c->result.count, c->result.type, op->target, disp, c->there.count, c->there.type,
                        w->win, &op->request));
    } else {
        MPI_OK(MPI_Get(result, c->result.count, c->result.type, op->target, disp, c->there.count, c->there.type,
                       w->win));
    }
}

static inline void issue_accumulate(struct soak_window *w, const struct soak_call *c, struct soak_op *op)
{
    MPI_Aint disp = soak_disp(w, op->target, c->at + c->there.offset);
    unsigned char *origin = op->origin + c->origin.offset, *result = op->result + c->result.offset;

    if (ACCUMULATE == c->kind && c->requests) {
        MPI_OK(MPI_Raccumulate(origin, c->origin.count, c->origin.type, op->target, disp, c->there.count, c->there.type,
                               c->op, w->win, &op->request));
    } else if (ACCUMULATE == c->kind) {
        MPI_OK(MPI_Accumulate(origin, c->origin.count, c->origin.type, op->target, disp, c->there.count, c->there.type,
                              c->op, w->win));
    } else if (c->requests) {
        MPI_OK(MPI_Rget_accumulate(origin, c->origin.count, c->origin.type, result, c->result.count, c->result.type,
                                   op->target, disp, c->there.count, c->there.type, c->op, w->win, &op->request));
    } else {
        MPI_OK(MPI_Get_accumulate(origin, c->origin.count, c->origin.type, result, c->result.count, c->result.type,
                                  op->target, disp, c->there.count, c->there.type, c->op, w->win));
    }
}

/* Swap one element, if it is what the model says; or something else. */
static inline void issue_swap(struct soak_window *w, uint64_t *random, const struct soak_call *c, struct soak_op *op,
                              char *data, const char *old)
{
    unsigned char *compare = op->origin + c->unit;

    memcpy(compare, old, c->unit);
    if (chance(random, 3)) {
        compare[0]++;
        memcpy(data, old, c->unit);
    }
    MPI_OK(MPI_Compare_and_swap(op->origin, compare, op->result, c->base, op->target,
                                soak_disp(w, op->target, c->at + c->there.offset), w->win));
}

/* Call MPI. `data` is what the origin has; on return, what the model's elements become. `old` is what they were. */
static inline void issue(struct soak_window *w, uint64_t *random, const struct soak_call *c, struct soak_op *op,
                         char *data, const char *old)
{
    size_t bytes = (size_t) c->elements * c->unit;
    char *updated;

    switch (c->kind) {
    case PUT:
    case GET:
        issue_put_get(w, c, op);
        break;
    case COMPARE_AND_SWAP:
        issue_swap(w, random, c, op, data, old);
        break;
    case STORE:
        unpack_side(data, (int) bytes, w->mapped[op->target] + c->at, &c->there);
        break;
    default:
        updated = malloc(bytes);
        memcpy(updated, old, bytes);
        reduce(c->op, c->base, c->unit, data, updated, c->elements);
        memcpy(data, updated, bytes);
        free(updated);
        if (FETCH_AND_OP == c->kind) {
            MPI_OK(MPI_Fetch_and_op(op->origin, op->result, c->base, op->target,
                                    soak_disp(w, op->target, c->at + c->there.offset), c->op, w->win));
        } else {
            issue_accumulate(w, c, op);
        }
    }
}

/* Where all three sides of a call lie, and what is in the local ones; single elements begin their buffers. */
static inline void make_sides(struct soak_window *w, uint64_t *random, struct soak_call *c, struct soak_op *op)
{
    MPI_Aint room = w->area / SLICES, unit = w->disp_unit[op->target];
    MPI_Aint step = 0 == unit % c->unit ? unit : unit % 3 ? (unit > c->unit ? unit : c->unit) : SPACING;
    int single = FETCH_AND_OP == c->kind || COMPARE_AND_SWAP == c->kind;

    make_side(random, c->base, step, c->elements, room, &c->there);
    make_side(random, c->base, c->unit, c->elements, single ? c->unit : room, &c->origin);
    make_side(random, c->base, c->unit, c->elements, single ? c->unit : room, &c->result);
    for (MPI_Aint i = 0; i < room; i++) {
        op->origin[i] = (unsigned char) test_random(random, 256);
    }
    op->bytes = single ? (size_t) c->unit : (size_t) room;
    memset(op->result, 0x5a, op->bytes);
    memset(op->expected, 0x5a, op->bytes);
}

/* One random call on this origin's area at `target`. */
static inline void soak_operate(struct soak_window *w, uint64_t *random, int target, int passive)
{
    const MPI_Datatype bases[] = {MPI_UINT8_T, MPI_SHORT, MPI_INT, MPI_INT64_T};
    int type = (int) test_random(random, 4), slice = (int) test_random(random, SLICES), most;
    int place = target * SLICES + slice;
    MPI_Aint room = w->area / SLICES;
    struct soak_call c = {.kind = (int) test_random(random, KINDS), .base = bases[type], .unit = 1 << type};
    unsigned char *model = w->model + target * w->area + slice * room;
    struct soak_op *op;
    char *data, *old;

    if (w->used[place] || (STORE == c.kind && NULL == w->mapped)) {
        return;
    }
    if (c.kind >= ACCUMULATE && c.kind <= FETCH_AND_OP) {
        if (!choose_op(w, random, place, c.base, &c.op)) {
            return;
        }
    } else if (MPI_OP_NULL != w->op[place]) {
        return;
    } else {
        w->used[place] = 1;
    }
    if (ACCUMULATE == c.kind && MPI_NO_OP == c.op) {
        c.kind = GET_ACCUMULATE;
    }
    c.requests = passive && chance(random, 3);
    c.at = w->area * w->rank + slice * room;
    most = (int) (room / c.unit);
    most = chance(random, 2) && most > 48 ? 48 : most;
    c.elements = FETCH_AND_OP == c.kind || COMPARE_AND_SWAP == c.kind ? 1 : 1 + (int) test_random(random, most);
    op = soak_op_new(w, kind_name[c.kind], target, room, room);
    op->slice = slice;
    make_sides(w, random, &c, op);
    data = malloc((size_t) c.elements * c.unit);
    old = malloc((size_t) c.elements * c.unit);
    pack_side(op->origin, &c.origin, data, c.elements * c.unit);
    pack_side(model, &c.there, old, c.elements * c.unit);
    if (soak_verbose) {
        fprintf(stderr, "%d: %s to %d, slice %d, byte %td, %d of %d bytes\n", w->rank, op->name, target, slice,
                c.at + c.there.offset, c.elements, c.unit);
    }
    issue(w, random, &c, op, data, old);
    if (GET != c.kind) {
        unpack_side(data, c.elements * c.unit, model, &c.there);
    }
    if (PUT != c.kind && ACCUMULATE != c.kind && STORE != c.kind) {
        unpack_side(old, c.elements * c.unit, op->expected, &c.result);
    }
    free(data);
    free(old);
    MPI_Type_free(&c.origin.type);
    MPI_Type_free(&c.result.type);
    MPI_Type_free(&c.there.type);
}

/* Add to one of the words, or to all, at the same time as others do. */
static inline void soak_add(struct soak_window *w, uint64_t *random, int target)
{
    int word = (int) test_random(random, WORDS);
    int64_t *values, amount = 1 + (int64_t) test_random(random, 3);
    MPI_Aint disp = soak_disp(w, target, soak_words(w) + (chance(random, 2) ? word * SPACING : 0));
    struct soak_op *op = soak_op_new(w, "add", target, WORDS * 8, WORDS * 8);
    MPI_Datatype spaced;

    values = (int64_t *) op->origin;
    for (int i = 0; i < WORDS; i++) {
        values[i] = amount;
    }
    if (chance(random, 2)) {
        disp = soak_disp(w, target, soak_words(w) + word * SPACING);
        MPI_OK(MPI_Fetch_and_op(values, op->result, MPI_INT64_T, target, disp, MPI_SUM, w->win));
        op->word = word;
        op->floor = w->seen[target * WORDS + word];
        w->added[target * WORDS + word] += amount;
        return;
    }
    MPI_Type_create_hvector(WORDS, 1, SPACING, MPI_INT64_T, &spaced);
    MPI_Type_commit(&spaced);
    disp = soak_disp(w, target, soak_words(w));
    MPI_OK(MPI_Accumulate(values, WORDS, MPI_INT64_T, target, disp, 1, spaced, MPI_SUM, w->win));
    MPI_Type_free(&spaced);
    for (int i = 0; i < WORDS; i++) {
        w->added[target * WORDS + i] += amount;
    }
}

/* The target is locked exclusively: read all of the block, and write it again with each word one larger. */
static inline void soak_rewrite(struct soak_window *w, int target)
{
    struct soak_op *op = soak_op_new(w, "rewrite", target, BLOCK * 8, BLOCK * 8);
    int64_t *block = (int64_t *) op->origin, first;
    MPI_Aint disp = soak_disp(w, target, soak_block(w));

    MPI_OK(MPI_Get(block, BLOCK, MPI_INT64_T, target, disp, BLOCK, MPI_INT64_T, w->win));
    MPI_OK(MPI_Win_flush(target, w->win));
    first = block[0];
    for (int i = 0; i < BLOCK; i++) {
        CHECK(first == block[i], "%s: word %d of %d's block is %lld, the first %lld", soak_round, i, target,
              (long long) block[i], (long long) first);
        block[i] = first + 1;
    }
    MPI_OK(MPI_Put(block, BLOCK, MPI_INT64_T, target, disp, BLOCK, MPI_INT64_T, w->win));
    w->written[target]++;
}

#endif /* SOAK_OPERATIONS_H */
