/* Handoffs (memory/handoff.h, path/handing.c, service/handoff.c): origins hand operations to a target that polls, or
 * carry them out themselves.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Claims: each operation is carried out once, an origin's operations in its order; only one process at a time uses the
 * records; an origin finds the result of its own operation; all origins end, though the target may cease to poll at any
 * time. The model has no weak memory: docs/memory-model.md has the order of each change.
 *
 * STORE: an origin takes an operation back without looking whether the target has it. EARLY: it does not wait for an
 * operation that the target has taken. Both are errors, and the model shows them.
 */

#define ORIGINS 2
#define OPS     2

mtype = { FREE, POSTED, TAKEN, DONE };

mtype state = FREE;
bool  claimed;
byte  record, result, inside, finished;
byte  done[ORIGINS * OPS];

inline carry_out(op)
{
    done[op]++;
    assert(done[op] == 1);
}

/* What is in the handoff's memory is used in several steps. */
inline use_begin() { inside++; assert(inside == 1) }
inline use_end()   { inside-- }

proctype origin(byte me)
{
    byte i, op;
    bool taken;

    do
    :: i == OPS -> break
    :: else ->
        op = me * OPS + i;
        assert(i == 0 || done[op - 1] == 1);
        if
        :: atomic { !claimed -> claimed = true };
            use_begin();
            record = op;
            use_end();
            state = POSTED;
            if
            :: state != POSTED
            :: true /* it has waited long enough */
            fi;
#ifdef STORE
            taken = (state != POSTED);
            if
            :: !taken -> state = FREE
            :: else
            fi;
#else
            atomic {
                taken = (state != POSTED);
                if
                :: !taken -> state = FREE
                :: else
                fi
            };
#endif
            if
            :: taken ->
#ifndef EARLY
                state == DONE;
#endif
                use_begin();
                assert(result == op);
                use_end();
                claimed = false
            :: else ->
                claimed = false;
                carry_out(op)
            fi
        :: carry_out(op) /* it is another's, or the target is thought not to poll */
        fi;
        i++
    od;
    finished++
}

active proctype target()
{
    do
    :: atomic { state == POSTED -> state = TAKEN };
        use_begin();
        carry_out(record);
        result = record;
        use_end();
        state = DONE
    :: break /* from now on it computes */
    od
}

init
{
    atomic { run origin(0); run origin(1) }
}

ltl all_end { <> (finished == ORIGINS) }
