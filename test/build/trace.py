"""Check a trace of test/build/trace.c: that it is one, and what must be in it. See trace.sh.

SPDX-License-Identifier: BSD-3-Clause

usage: trace.py FILE PROCESSES free|open|operations|dropped
"""

import collections
import csv
import json
import re
import sys
import xml.dom.minidom

ROUNDS = 20     # as in trace.c
NAME = 'halo "1"\\\n\ufffd'

file, processes, what = sys.argv[1], int(sys.argv[2]), sys.argv[3]
with open(file, encoding="utf-8") as source:
    trace = json.load(source)
events = trace["traceEvents"]
summary = trace["otherData"]


def must(condition, text):
    if not condition:
        sys.exit(f"{file}: {text}")


def check_summary():
    must(summary["processes"] == processes, f"{summary['processes']} processes")
    found = len([e for e in events if e["ph"] in "Xb"])
    must(found == summary["events"], f"{found} events, and {summary['events']} are said")
    names = [e for e in events if e["ph"] == "M" and e["name"] == "process_name"]
    must(sorted(e["pid"] for e in names) == list(range(processes)), f"processes {names}")
    for name in names:
        must(name["args"]["name"].startswith(f"rank {name['pid']} on "), f"process {name}")
        must((" events dropped" in name["args"]["name"]) == (what == "dropped"), f"process {name}")


def calls_of(rank, name):
    return sorted((e for e in events if e["pid"] == rank and e["ph"] == "X" and e["name"] == name),
                  key=lambda e: e["ts"])


def check_calls(rank):
    freed = "MPI_Finalize" if what == "open" else "MPI_Win_free"
    for name, count in {"MPI_Win_allocate": 1, "MPI_Win_fence": 2, "MPI_Win_post": ROUNDS, "MPI_Win_start": ROUNDS,
                        "MPI_Win_complete": ROUNDS, "MPI_Win_wait": ROUNDS, "MPI_Win_lock": processes + 1,
                        "MPI_Win_unlock": processes + 1, "MPI_Win_flush": 1, "MPI_Win_lock_all": 1,
                        "MPI_Win_flush_all": 1, "MPI_Win_unlock_all": 1, freed: 1}.items():
        calls = calls_of(rank, name)
        must(len(calls) == count, f"rank {rank} has {len(calls)} times {name}")
        for call in calls:
            must(call["args"]["window"] == NAME, f"window {call['args']}")
            must(call["dur"] >= 0, f"duration of {call}")
    must([e["args"]["target"] for e in calls_of(rank, "MPI_Win_lock")] == list(range(processes)) + [0], "locks")


def check_epochs(rank):
    """Begins and ends of each row are in turn, and each sort is there as often as the program has it."""
    rows = collections.defaultdict(list)
    counts = collections.Counter()
    for event in events:
        if event["pid"] == rank and event["ph"] in "be":
            rows[event["id2"]["local"]].append(event)
    for row in rows.values():
        row.sort(key=lambda e: e["ts"])
        must("".join(e["ph"] for e in row) == "be" * (len(row) // 2), f"rank {rank}: epochs {row}")
        counts[row[0]["name"]] += len(row) // 2
    expected = {"fence": 1, "access": ROUNDS, "exposure": ROUNDS, "lock_all": 1, "exclusive lock 0": 1}
    expected.update({f"shared lock {i}": 1 for i in range(processes)})
    must(counts == expected, f"rank {rank}: epochs {counts}")


def check_operations(rank):
    found = [(e["name"], e["args"]["target"], e["args"]["bytes"], e["args"]["displacement"], e["args"]["type"],
              e["args"].get("op"))
             for e in sorted(events, key=lambda e: e.get("ts", 0)) if e["pid"] == rank and e.get("cat") == "operation"]
    expected = [("MPI_Put", 0, 4, rank, "MPI_INT", None)]
    expected += [("MPI_Put", (rank + 1) % processes, 4, 1, "MPI_INT", None)] * ROUNDS
    expected += [("MPI_Accumulate", 0, 4, 0, "MPI_INT", "MPI_SUM"), ("MPI_Get", 0, 4, 0, "MPI_INT", None),
                 ("MPI_Put", 0, 8, 100, "derived", None)]
    must(found == (expected if what == "operations" else []), f"rank {rank}: operations {found}")


def clock_error(rank):
    """By how much a clock may be wrong, as the trace says, in microseconds. That is less than a second."""
    name = next(e["args"]["name"] for e in events if e["pid"] == rank and e["name"] == "process_name")
    found = re.search(r", clock within ([0-9.]+) us$", name)
    error = float(found[1]) if found else 0
    must(error < 1e6, name)
    return error


def check_clocks(rank):
    """What must happen at one process before something ends at another does, by their clocks: both ways round."""
    to = (rank + 1) % processes
    put = "MPI_Put" if what == "operations" else "MPI_Win_complete"
    puts = [e for e in calls_of(rank, put) if what != "operations" or e["args"]["displacement"] == 1][:ROUNDS]
    if what == "operations" and rank == 1:
        puts = calls_of(rank, put)[1:ROUNDS + 1]
    error = clock_error(rank) + clock_error(to)
    for before, after in [(puts, calls_of(to, "MPI_Win_wait")),
                          (calls_of(to, "MPI_Win_post"), calls_of(rank, "MPI_Win_start"))]:
        for first, second in zip(before, after):
            must(first["ts"] <= second["ts"] + second["dur"] + error, f"{first} is later than the end of {second}")


def check_matrix():
    expected = collections.Counter()
    for rank in range(processes):
        expected[rank, (rank + 1) % processes] += ROUNDS
        expected[rank, 0] += 4
    with open(file + ".csv", encoding="utf-8") as source:
        rows = list(csv.DictReader(source))
    found = {(int(r["origin"]), int(r["target"])): (int(r["operations"]), int(r["bytes"])) for r in rows}
    must(len(found) == len(rows), f"rows {rows}")
    must(found == {k: (n, 4 * n + (4 if k[1] == 0 else 0)) for k, n in expected.items()}, f"matrix {found}")
    picture = xml.dom.minidom.parse(file + ".svg")
    titles = [t.firstChild.data for t in picture.getElementsByTagName("title")]
    must(len(titles) == 2 * len(found), f"picture {titles}")
    for (origin, target), (operations, data) in found.items():
        for text in f"{operations} operations", f"{data} bytes":
            must(f"rank {origin} to rank {target}: {text}" in titles, f"picture {titles}")


check_summary()
if what == "dropped":
    must(summary["dropped"] > 0 and summary["events"] == 5 * processes, f"{summary}")
else:
    must(summary["dropped"] == 0, f"{summary}")
    for number in range(processes):
        check_calls(number)
        check_epochs(number)
        check_operations(number)
        check_clocks(number)
check_matrix()
