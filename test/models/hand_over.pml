/* The hand-over of the service worker between the program's polls and the service thread (common_ucp_service.c).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Checked: two are never at the worker at once, and every message is taken in the end, whatever the program's threads
 * (PROGRAMS) do: each computes for ever after up to POLLS polls and claims, or polls for ever (FOREVER). Where there is
 * only the service thread, nothing but its being woken can take a message: the second after which it would look by
 * itself is left out while it is needed. Windows come and go, and the thread with them; it can be stopped at the end.
 *
 * An alarm is left out: it wakes the thread, or a poller rings it, and whoever rings it holds the service lock. A thread
 * that is woken without a reason could only hide that it was not woken for a message.
 *
 * How long the thread stays away, and which number of polls it takes for standing still, is any here. The words that
 * guide it are loaded and stored in the program's order; they are hints, and the lock has what must be right.
 *
 * The worker is UCX's over shared memory: a sender takes a place, fills it, and signals if the receiver was armed when
 * it took the place. With LEVEL, as over tcp, the descriptor is readable for as long as a message is there.
 */

#define MESSAGES 2

byte places, filled, taken; /* messages: begun, there, taken */
bool armed, signalled;

bool service_lock, life_lock;
byte at_worker; /* how many are, for the assertion */

bool running, stop, stop_signal, busy, polled; /* polled: since the thread looked last */
bool created, ended;
byte needed;
bool finished, over;

#ifdef LEVEL
#define READABLE (taken < filled)
#else
#define READABLE signalled
#endif

inline lock(which) { atomic { !which -> which = true } }

inline trylock(which, got)
{
    atomic { got = !which; which = true }
}

/* One round of ucp_worker_progress; two at once would meet between its steps. */
inline progress(events)
{
    atomic { at_worker++; assert(at_worker == 1) };
    atomic { events = (taken < filled -> 1 : 0); taken = taken + events; at_worker-- }
}

/* ucp_worker_arm: refuses while something has not been read, a signal included. */
inline arm(done)
{
    atomic { at_worker++; assert(at_worker == 1) };
#ifdef LEVEL
    done = (taken == filled);
#else
    done = false;
    seen = places;
    if
    :: seen > taken -> skip
    :: else ->
        atomic {
            if
            :: places == seen -> armed = true; done = true
            :: else
            fi
        };
        if
        :: done && signalled -> signalled = false; done = false
        :: else
        fi
    fi;
#endif
    at_worker--
}

proctype sender()
{
    bool was_armed;

    atomic { places++; was_armed = armed; armed = false };
    filled++;
    if
    :: was_armed -> signalled = true
    :: else
    fi
}

/* opal_common_ucp_progress_service */
inline poll()
{
    polled = true;
    if
    :: running ->
        if
        :: busy -> trylock(service_lock, got)
        :: else -> got = false
        fi
    :: else -> trylock(service_lock, got)
    fi;
    if
    :: got -> progress(events); service_lock = false
    :: else
    fi
}

proctype program()
{
    bool got;
    byte events, polls;

#ifdef FOREVER
    do
    :: finished -> break
    :: else -> poll()
    od
#else
    do
    :: polls < POLLS -> polls++; poll()
    :: polls < POLLS -> polls++; polled = true; busy = true /* opal_common_ucp_service_claim */
    :: break
    od
#endif
}

/* Takes what is there; may stop before that is all. */
inline drain(drained)
{
    do
    :: progress(events);
        if
        :: events == 0 -> drained = true; break
        :: events == 1 -> skip
        :: events == 1 -> drained = false; break
        fi
    od
}

inline stand_aside()
{
    do
    :: stop_signal -> awake = false; break
    :: !stop_signal && polled -> polled = false
    :: break /* the polls stand still, or find nothing, for long */
    od
}

inline retire()
{
    lock(life_lock);
    if
    :: needed == 0 -> running = false; awake = false
    :: else
    fi;
    life_lock = false
}

proctype thread()
{
    bool awake = true, drained, got, is_armed;
    byte events, seen;

    do
    :: !awake || stop -> break
    :: else ->
        polled = false;
        is_armed = false;
        lock(service_lock);
        drain(drained);
        if
        :: drained -> arm(is_armed)
        :: else
        fi;
        if
        :: is_armed -> busy = false
        :: else
        fi;
        service_lock = false;
        if
        :: is_armed ->
            if
            :: stop_signal -> awake = false
            :: needed == 0 -> retire()
            :: !stop_signal && READABLE ->
                busy = true;
                trylock(service_lock, got);
                if
                :: got -> drain(drained); service_lock = false
                :: else
                fi;
                if
                :: polled -> stand_aside()
                :: true
                fi
            fi
        :: else
        fi
    od;
    ended = true
}

/* thread_join */
inline join()
{
    if
    :: created -> stop = true; stop_signal = true; ended; stop_signal = false; running = false; created = false
    :: else
    fi
}

inline need()
{
    lock(life_lock);
    if
    :: !running ->
        join();
        stop = false; busy = true; running = true; ended = false;
        run thread();
        created = true
    :: else
    fi;
    needed++;
    life_lock = false
}

inline release()
{
    lock(life_lock);
    needed--;
    life_lock = false
}

init {
    byte i;

    atomic {
        for (i : 1 .. MESSAGES) { run sender() }
        for (i : 1 .. PROGRAMS) { run program() }
    }
    need();
    if
    :: release(); need() /* a window is freed, and another made */
    :: skip
    fi;
    taken == MESSAGES;
    release();
    finished = true; /* nobody polls any more when the thread is stopped, in MPI_Finalize */
    join();
    over = true
}

ltl comes_to_its_end { <> over }
