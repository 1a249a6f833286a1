/* The lock word (memory/lockword.h), with origins that have it mapped and one that waits at a service side. The service
 * side looks only when it gets a doorbell, or a reader's wait is over.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Scenes:
 *  - without a name: a writer that has the word mapped, an OTHER one (a writer, a reader, or a joiner, which is a
 *    reader that holds another lock), and one at the service side: EXCLUSIVE, JOINS, or a reader. The first two enter
 *    again, past the queue, if the lock is free.
 *  - CYCLE: two readers have a word each and join the other's one, while a writer waits for each word. FAR: the second
 *    one joins at the service side.
 *  - STREAM: two readers join again and again, while a writer waits.
 *
 * Checked: writers exclude everybody; nobody is left waiting (a deadlock of the model), the service side included; in
 * the stream, the writer gets in.
 *
 * The wait of a reader that joins may be over at any time: it is not timed. With PATIENT it never is, as while readers
 * leave sooner than their waits are over. Then a reader that goes past the queue without having waited would let the
 * writer of the stream starve; and the scene CYCLE, where somebody has to go past, ends in a deadlock. With HASTY each
 * wait is over at once: the writer starves.
 *
 * Each atomic step is one statement; Spin's memory is sequentially consistent, as the steps that meet `remote` are.
 */

#ifdef CYCLE
#define WORDS 2
#else
#define WORDS 1
#endif

#ifdef PATIENT
#define OVER false
#else
#define OVER true
#endif

#ifdef HASTY
#define REACHED(w) true
#else
#define REACHED(w) (turn[w] >= place)
#endif

byte next[WORDS], inside[WORDS], turn[WORDS], remote[WORDS]; /* inside: 2 for each reader, 1 for the writer */
byte readers[WORDS], writers[WORDS]; /* who has the lock, for the assertions */
bool written;                        /* a writer has had the lock */
chan doorbell = [4] of { bit };      /* messages to the service side, where one request waits at most */

inline ring(w)
{
    if
    :: remote[w] != 0 -> doorbell!1
    :: else
    fi
}

inline has_writer(w)
{
    writers[w]++;
    assert(writers[w] == 1 && readers[w] == 0);
    written = true;
    writers[w]--
}

inline has_reader(w)
{
    readers[w]++;
    assert(writers[w] == 0);
    readers[w]--
}

inline leave_writer(w)
{
    atomic { assert((inside[w] & 1) == 1); inside[w] = inside[w] - 1 };
    ring(w)
}

inline leave_reader(w)
{
    atomic { assert(inside[w] >= 2); inside[w] = inside[w] - 2 };
    ring(w)
}

inline queue_writer(w)
{
    atomic { ticket = next[w]; next[w] = next[w] + 1; seen = 0 };
    turn[w] == ticket;
    atomic { inside[w] == 0 -> inside[w] = 1 };
    turn[w] = ticket + 1
}

inline queue_reader(w)
{
    atomic { ticket = next[w]; next[w] = next[w] + 1; seen = 0 };
    turn[w] == ticket;
    atomic { (inside[w] & 1) == 0 -> inside[w] = inside[w] + 2 };
    turn[w] = ticket + 1;
    ring(w)
}

/* Past the queue, once, if the lock is free; else not at all. */
inline writer_again(w)
{
    atomic {
        if
        :: inside[w] == 0 -> inside[w] = 1; seen = 1
        :: else -> seen = 0
        fi
    };
    if
    :: seen == 1 -> has_writer(w); leave_writer(w)
    :: else
    fi
}

inline reader_again(w)
{
    atomic {
        if
        :: (inside[w] & 1) == 0 -> inside[w] = inside[w] + 2; seen = 1
        :: else -> seen = 0
        fi
    };
    if
    :: seen == 1 -> has_reader(w); leave_reader(w)
    :: else
    fi
}

inline join(w)
{
    place = next[w];
    if
    :: REACHED(w)
    :: OVER
    fi;
    inside[w] = inside[w] + 2;
    (inside[w] & 1) == 0
}

proctype writer(byte w)
{
    byte ticket, seen;

    /* At once, if nobody is there: `next` and `inside` together; else by the queue. */
    atomic { ticket = next[w]; seen = inside[w] };
    if
    :: turn[w] == ticket && seen == 0 ->
        atomic {
            if
            :: next[w] == ticket && inside[w] == 0 -> inside[w] = 1; goto has
            :: else
            fi
        }
    :: else
    fi;
    queue_writer(w);
has:
    has_writer(w);
    leave_writer(w);
    writer_again(w)
}

proctype reader(byte w)
{
    byte ticket, seen;

    atomic { ticket = next[w]; seen = inside[w] };
    if
    :: turn[w] == ticket && (seen & 1) == 0 ->
        atomic {
            if
            :: next[w] == ticket && inside[w] == seen -> inside[w] = inside[w] + 2; goto has
            :: else
            fi
        }
    :: else
    fi;
    queue_reader(w);
has:
    has_reader(w);
    leave_reader(w);
    reader_again(w)
}

proctype joiner(byte w)
{
    byte place;

    join(w);
    has_reader(w);
    leave_reader(w)
}

/* One request at the service side, queued (exclusive or shared) or joining. */
inline serve(w, exclusive, joins)
{
    remote[w] = remote[w] + 1;
    if
    :: joins -> place = next[w]
    :: else -> atomic { ticket = next[w]; next[w] = next[w] + 1 }
    fi;
    do
    :: true ->
        if
        :: joins ->
            if
            :: !joined && (over || REACHED(w)) -> inside[w] = inside[w] + 2; joined = true
            :: else
            fi;
            granted = joined && (inside[w] & 1) == 0
        :: !joins && turn[w] != ticket -> skip
        :: !joins && turn[w] == ticket && exclusive ->
            atomic {
                if
                :: inside[w] == 0 -> inside[w] = 1; granted = true
                :: else
                fi
            };
            if
            :: granted -> turn[w] = ticket + 1
            :: else
            fi
        :: !joins && turn[w] == ticket && !exclusive ->
            atomic {
                if
                :: (inside[w] & 1) == 0 -> inside[w] = inside[w] + 2; granted = true
                :: else
                fi
            };
            if
            :: granted -> turn[w] = ticket + 1
            :: else
            fi
        fi;
        if
        :: granted -> break
        :: !granted && joins && !joined && OVER -> over = true /* the alarm */
        :: !granted -> doorbell?_
        fi
    od;
    remote[w] = remote[w] - 1
}

inline drop_doorbells()
{
    do
    :: doorbell?_
    :: timeout -> break
    od
}

proctype service(byte w; bool exclusive, joins)
{
    byte ticket, seen, place;
    bool granted = false, joined = false, over = false;

    serve(w, exclusive, joins);
    if
    :: exclusive -> has_writer(w); leave_writer(w)
    :: else -> has_reader(w); leave_reader(w)
    fi;
    drop_doorbells()
}

#ifdef CYCLE
proctype both(byte w, other; bool far)
{
    byte ticket, seen, place;
    bool granted = false, joined = false, over = false;

    queue_reader(w);
    if
    :: far -> serve(other, false, true)
    :: else -> join(other)
    fi;
    has_reader(other);
    leave_reader(other);
    leave_reader(w);
    if
    :: far -> drop_doorbells()
    :: else
    fi
}
#endif

#ifdef STREAM
proctype streaming(byte w)
{
    byte place;

    do
    :: join(w); has_reader(w); leave_reader(w)
    od
}

ltl gets_in { <> written }
#endif

init {
    atomic {
#if defined(CYCLE)
        run both(0, 1, false);
        run both(1, 0, FAR);
        run writer(0);
        run writer(1)
#elif defined(STREAM)
        run streaming(0);
        run streaming(0);
        run writer(0)
#else
        run writer(0);
        run OTHER(0);
        run service(0, EXCLUSIVE, JOINS)
#endif
    }
}
