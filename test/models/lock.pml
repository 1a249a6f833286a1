/* The lock word (memory/lockword.h) with three processes: a writer that has it mapped, an OTHER one (a writer, a reader,
 * or a reader that joins), and one that waits at a service side. The service side looks only when it gets a doorbell.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Checked: writers exclude everybody; nobody is left waiting (a deadlock of the model), the service side included.
 * Each atomic step is one statement; Spin's memory is sequentially consistent, as the steps that meet `remote` are.
 */

byte next, inside, turn, remote; /* inside: 2 for each reader, 1 for the writer */
byte readers, writers;           /* who has the lock, for the assertions */
chan doorbell = [4] of { bit };  /* messages to the service side */

inline ring()
{
    if
    :: remote != 0 -> doorbell!1
    :: else
    fi
}

inline has_writer()
{
    writers++;
    assert(writers == 1 && readers == 0);
    writers--
}

inline has_reader()
{
    readers++;
    assert(writers == 0);
    readers--
}

inline leave_writer()
{
    turn = turn + 1;
    atomic { assert((inside & 1) == 1); inside = inside - 1 };
    ring()
}

inline leave_reader()
{
    atomic { assert(inside >= 2); inside = inside - 2 };
    ring()
}

proctype writer()
{
    byte ticket, seen;

    /* At once, if nobody is there: `next` and `inside` together; else by the queue. */
    atomic { ticket = next; seen = inside };
    if
    :: turn == ticket && seen == 0 ->
        atomic {
            if
            :: next == ticket && inside == 0 -> next = next + 1; inside = 1; goto has
            :: else
            fi
        }
    :: else
    fi;
    atomic { ticket = next; next = next + 1; seen = 0 };
    turn == ticket;
    atomic { inside == 0 -> inside = 1 };
has:
    has_writer();
    leave_writer()
}

proctype reader()
{
    byte ticket, seen;

    atomic { ticket = next; seen = inside };
    if
    :: turn == ticket && (seen & 1) == 0 ->
        atomic {
            if
            :: next == ticket && inside == seen -> inside = inside + 2; goto has
            :: else
            fi
        }
    :: else
    fi;
    atomic { ticket = next; next = next + 1; seen = 0 };
    turn == ticket;
    (inside & 1) == 0;
    inside = inside + 2;
    turn = ticket + 1;
    ring();
has:
    has_reader();
    leave_reader()
}

proctype joiner()
{
    inside = inside + 2;
    (inside & 1) == 0;
    has_reader();
    leave_reader()
}

/* One request, queued (exclusive or shared) or joining; `inside` is loaded before `turn`. */
proctype service(bool exclusive, joins)
{
    byte ticket, seen;
    bool granted = false;

    remote = remote + 1;
    if
    :: joins -> inside = inside + 2
    :: else -> atomic { ticket = next; next = next + 1 }
    fi;
    do
    :: true ->
        seen = inside;
        if
        :: joins -> granted = ((seen & 1) == 0)
        :: !joins && turn != ticket -> skip
        :: !joins && turn == ticket && exclusive ->
            atomic {
                if
                :: seen == 0 && inside == 0 -> inside = 1; granted = true
                :: else
                fi
            }
        :: !joins && turn == ticket && !exclusive ->
            if
            :: (seen & 1) == 0 -> inside = inside + 2; turn = ticket + 1; granted = true
            :: else
            fi
        fi;
        if
        :: granted -> break
        :: else -> doorbell?_
        fi
    od;
    remote = remote - 1;
    if
    :: exclusive -> has_writer(); leave_writer()
    :: else -> has_reader(); leave_reader()
    fi;
    do
    :: doorbell?_
    :: timeout -> break
    od
}

init {
    atomic {
        run writer();
        run OTHER();
        run service(EXCLUSIVE, JOINS)
    }
}
