"""Compare an OTF2 archive, as otf2-print prints it, with the trace that it was made of. See otf2.sh.

SPDX-License-Identifier: BSD-3-Clause

usage: otf2.py TRACE PRINTED
It is of test/build/trace.c: one window of all ranks, so that a place in it is a rank, and all operations complete.
"""

import collections
import json
import re
import sys

CREATES = ("MPI_Win_allocate", "MPI_Win_create")
FREES = ("MPI_Win_free", "MPI_Finalize")
LOCKS = ("MPI_Win_lock", "MPI_Win_lock_all")
UNLOCKS = ("MPI_Win_unlock", "MPI_Win_unlock_all")
COMPLETES = ("MPI_Win_fence", "MPI_Win_complete", "MPI_Win_flush", "MPI_Win_flush_all") + UNLOCKS + FREES

Record = collections.namedtuple("Record", "kind rank time text")

with open(sys.argv[1], encoding="utf-8") as source:
    calls = [e for e in json.load(source)["traceEvents"] if e["ph"] == "X"]
with open(sys.argv[2], encoding="utf-8") as source:
    # A window's name may have a new line in it.
    found = re.findall(r"^([A-Z_]{3,}) +(\d+) +(\d+)  (.*(?:\n(?![A-Z_]{3,} +\d).*)*)", source.read(), re.MULTILINE)
records = [Record(kind, int(rank), int(time), text) for kind, rank, time, text in found]


def must(condition, text):
    if not condition:
        sys.exit(f"{sys.argv[2]}: {text}")


def check(kinds, key, expected):
    """These records are as many as expected, and are what is expected."""
    there = collections.Counter(key(r) for r in records if r.kind in kinds.split())
    expected = collections.Counter(expected)
    must(there and there == expected, f"{kinds}: too many {there - expected}, too few {expected - there}")


def rank_of(record):
    return record.rank


def ranks_that(*names):
    return [e["pid"] for e in calls if e["name"] in names]


def member(name):
    return lambda r: int(re.search(rf"\b{name}: (\d+)", r.text)[1])


def check_regions():
    for kind, late in ("ENTER", False), ("LEAVE", True):
        check(kind, lambda r: (r.rank, r.time, r.text.split('"')[1]),
              [(e["pid"], end_of(e) if late else round(e["ts"] * 1000), e["name"]) for e in calls])
    last = collections.Counter()
    for record in records:
        must(record.time >= last[record.rank], f"goes back in time: {record}")
        last[record.rank] = record.time


def end_of(call):
    return round((call["ts"] + call["dur"]) * 1000)


def completed_at(operation):
    """The end of the first call that completes it."""
    return min(end_of(e) for e in calls if e["pid"] == operation["pid"] and e["name"] in COMPLETES and
               e["ts"] >= operation["ts"] and e["args"].get("target") in (None, operation["args"]["target"]))


def check_operations():
    operations = sorted((e for e in calls if e["cat"] == "operation"), key=lambda e: (e["pid"], e["ts"]))
    for kind, name, size in (("RMA_PUT", "MPI_Put", "Bytes"), ("RMA_GET", "MPI_Get", "Bytes"),
                             ("RMA_ATOMIC", "MPI_Accumulate", "Sent")):
        check(kind, lambda r: (r.rank, member("Remote")(r), member(size)(r)),
              [(e["pid"], e["args"]["target"], e["args"]["bytes"]) for e in operations if e["name"] == name])
    issued = [(r.rank, member("Matching")(r)) for r in records if r.kind in ("RMA_PUT", "RMA_GET", "RMA_ATOMIC")]
    must(len(set(issued)) == len(operations), f"{issued} for {operations}")
    for kind in "RMA_OP_COMPLETE_NON_BLOCKING", "RMA_OP_COMPLETE_REMOTE":
        check(kind, lambda r: (r.rank, member("Matching")(r), r.time),
              [(*which, completed_at(e)) for which, e in zip(sorted(issued), operations)])


def check_synchronization():
    collective = ranks_that(*CREATES, *FREES, "MPI_Win_fence")
    check("RMA_WIN_CREATE", rank_of, ranks_that(*CREATES))
    check("RMA_WIN_DESTROY", rank_of, ranks_that(*FREES))
    check("RMA_COLLECTIVE_BEGIN", rank_of, collective)
    check("RMA_COLLECTIVE_END", rank_of, collective)
    check("RMA_RELEASE_LOCK", rank_of, ranks_that(*UNLOCKS))
    for kind in "RMA_REQUEST_LOCK", "RMA_ACQUIRE_LOCK":
        check(kind, lambda r: (r.rank, re.search("EXCLUSIVE|SHARED", r.text)[0]),
              [(e["pid"], e["args"].get("lock", "shared").upper()) for e in calls if e["name"] in LOCKS])


check_regions()
check_operations()
check_synchronization()
print(f"{len(calls)} calls, {len(records)} records")
