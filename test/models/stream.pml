/* Streams (memory/handoff.h, path/stream.c, service/handoff.c): origins post the parts of long operations in the chunks
 * of a handoff, in turn. Two threads of the target take them in turn, or the origin takes them back.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Claims: each part is carried out once at most, in order, all of them if the origin takes nothing back, and none after
 * the stream is over; the last part, which has the notifications, is not carried out if the origin takes anything back,
 * as it then notifies itself; what is taken back is not carried out, and nothing behind it; only one process at a time
 * uses a chunk; all origins end, though the target may cease to poll at any time. The model has no weak memory:
 * docs/memory-model.md has the order of each change.
 *
 * LEAVE: an origin that takes one chunk back leaves the others. STORE: it does not look whether the target has it. BOTH:
 * two threads of the target take chunks at a time. All are errors, and the model shows them.
 */

#define ORIGINS 2
#define CHUNKS  2
#define PARTS   3

mtype = { FREE, POSTED, TAKEN, DONE };

mtype state[CHUNKS] = FREE;
bool  claimed, streams, held;
byte  turn, finished;
byte  data[CHUNKS], inside[CHUNKS];
byte  carried[ORIGINS * PARTS];
bool  over[ORIGINS];
bool  returned[ORIGINS * PARTS];

inline use_begin(chunk) { inside[chunk]++; assert(inside[chunk] == 1) }
inline use_end(chunk)   { inside[chunk]-- }

proctype origin(byte me)
{
    byte first, posted, ended, c;
    bool taken, back;

    if
    :: atomic { !claimed -> claimed = true };
        first = turn;
        do
        :: !back && posted < PARTS && posted - ended < CHUNKS ->
            c = (first + posted) % CHUNKS;
            assert(state[c] == FREE);
            use_begin(c);
            data[c] = me * PARTS + posted;
            use_end(c);
            state[c] = POSTED;
            posted++;
            streams = true
        :: ended < posted ->
            c = (first + ended) % CHUNKS;
            if
            :: state[c] != POSTED
            :: true /* it has waited long enough */
            fi;
#ifdef STORE
            taken = (state[c] != POSTED);
            if
            :: !taken -> state[c] = FREE
            :: else
            fi;
#else
            atomic {
                taken = (state[c] != POSTED);
                if
                :: !taken -> state[c] = FREE
                :: else
                fi
            };
#endif
            if
            :: taken ->
                assert(!back);
                state[c] == DONE;
                use_begin(c);
                assert(data[c] == me * PARTS + ended && carried[data[c]] == 1);
                use_end(c);
                state[c] = FREE
            :: else -> back = true; assert(carried[me * PARTS + ended] == 0); returned[me * PARTS + ended] = true
            fi;
            ended++;
#ifdef LEAVE
            if
            :: back -> break
            :: else
            fi
#endif
        :: ended == posted && (back || posted == PARTS) -> break
        od;
        assert(!back || carried[me * PARTS + PARTS - 1] == 0);
        over[me] = true;
        streams = false;
        claimed = false
    :: true /* it is another's, or the target is thought not to poll */
    fi;
    finished++
}

active [2] proctype target()
{
    byte number, c;

    do
#ifdef BOTH
    :: streams ->
#else
    :: atomic { streams && !held -> held = true };
#endif
        number = turn;
        c = number % CHUNKS;
        if
        :: atomic { state[c] == POSTED -> state[c] = TAKEN };
            use_begin(c);
            carried[data[c]]++;
            assert(!returned[data[c]]);
            assert(carried[data[c]] == 1 && !over[data[c] / PARTS]);
            assert(data[c] % PARTS == 0 || carried[data[c] - 1] == 1);
            use_end(c);
            turn = (number + 1) % CHUNKS;
            state[c] = DONE
        :: state[c] != POSTED
        fi;
        held = false
    :: break /* from now on it computes */
    od
}

init
{
    atomic { run origin(0); run origin(1) }
}

ltl all_end { <> (finished == ORIGINS) }
