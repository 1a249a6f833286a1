# The results of contrib/bench: samples of each component for each case, and their ratios.
#
# SPDX-License-Identifier: BSD-3-Clause
#
# A ratio is osc/ucp's time (or bytes) over the other's: below 1 is better. It is the median of the ratios of pairs,
# which were measured one right after the other, and has an interval.

import collections
import csv
import math
import statistics

LIMITS = ("memcpy", "bare", "message")
PEERS = ("sm", "rdma", "ucx", "pt2pt", "mpich")
NAMES = {"ucp": "osc/ucp", "sm": "osc/sm", "rdma": "osc/rdma", "ucx": "osc/ucx", "pt2pt": "osc/pt2pt",
         "mpich": "MPICH", "memcpy": "memcpy", "bare": "UCX put", "message": "UCX message"}
SETUPS = {"one": "One host", "unbound": "One host without binding", "two": "Two hosts, tcp",
          "mixed": "Two hosts with two processes each, tcp"}
UNITS = {"us": "", "ratio": " x", "B": " B"}

Ratio = collections.namedtuple("Ratio", "median low high")  # low and high: where its true median lies, at 95 percent


class Value:
    """What one component took for one case: all samples, by (round, number in it)."""

    def __init__(self, unit):
        self.unit = unit
        self.samples = {}
        self.median = 0.0

    def add(self, number, samples):
        first = sum(1 for round_, _ in self.samples if round_ == number)
        self.samples.update(((number, first + i), sample) for i, sample in enumerate(samples))


def interval(values):
    """The 95 percent interval of the median of the population, by ranks (the sign test): sorted values on both sides
    that it lies beyond with a probability of 0.025 at most. Fewer than six values have none."""
    values, count, outside, rank = sorted(values), len(values), 0.0, 0
    while outside + math.comb(count, rank) / 2 ** count <= 0.025:
        outside += math.comb(count, rank) / 2 ** count
        rank += 1
    return (values[rank - 1], values[-rank]) if rank else (0.0, math.inf)


def compare(ours, theirs):
    """The Ratio of what was measured in pairs: the same sample of the same round."""
    pairs = [sample / theirs.samples[key] for key, sample in ours.samples.items() if theirs.samples.get(key)]
    if not pairs:
        return Ratio(ours.median / theirs.median if theirs.median else math.inf, 0.0, math.inf)
    return Ratio(statistics.median(pairs), *interval(pairs))


class Results:
    """Values by (setup, processes, flavour, case, bytes) and component."""

    def __init__(self, files):
        self.header = []
        self.broken = {}
        self.components = {}
        self.values = collections.defaultdict(dict)
        for number, name in enumerate(files):
            with open(name) as stream:
                lines = stream.read().splitlines()
            self.header += [line[2:] for line in lines if line.startswith("# ") and line[2:] not in self.header]
            for row in csv.DictReader(line for line in lines if not line.startswith("# ")):
                self.read(row, number)
        for value in (value for found in self.values.values() for value in found.values()):
            value.median = statistics.median(value.samples.values())

    def read(self, row, number):
        """A row of file `number`."""
        where, component = (row["setup"], int(row["processes"]), row["flavour"]), row["component"]
        if row["unit"] not in UNITS:
            self.broken[(*where, component, row["case"])] = row["unit"]
            return
        found = self.values[(*where, row["case"], int(row["bytes"]))]
        found.setdefault(component, Value(row["unit"])).add((number, row["round"]), map(float, row["samples"].split()))
        self.components[component] = True

    def places(self):
        """(setup, processes, flavour) in the order of their names in SETUPS."""
        found = {key[:3] for key in self.values} | {key[:3] for key in self.broken}
        return sorted(found, key=lambda place: (list(SETUPS).index(place[0]), place[1], place[2]))

    def cases(self, place):
        """(case, bytes) in the order of the run."""
        return [key[3:] for key, found in self.values.items() if key[:3] == place and found.keys() - set(LIMITS)]

    def get(self, place, case, size, component):
        return self.values.get((*place, case, size), {}).get(component)

    def columns(self):
        """osc/ucp, its variants, the peers."""
        return ["ucp", *(name for name in self.components if name not in NAMES), *PEERS]

    def best(self, place, case, size, peers=PEERS):
        """The best peer's name, or None."""
        found = {name: self.get(place, case, size, name) for name in peers}
        found = {name: value for name, value in found.items() if value and value.median > 0}
        return min(found, key=lambda name: found[name].median) if found else None

    def limit(self, place, case, size):
        """What can be had at most for such a case: (name, value) or None."""
        group, _, operation = case.partition(".")
        mapped = "two" != place[0] and place[2] in ("allocate", "shared")
        get = "get" == operation
        kind = ("memcpy" if size >= 65536 or "types" == group else "bare") if mapped else "message"
        if "types" == group:
            like = case if "types.strided_put" == case and mapped else "types.contiguous_put"
        elif "latency" == group and "get_accumulate" != operation:
            like = "latency.get" if get and "memcpy" != kind else "latency.put"
            if "bare" == kind and operation in ("fetch_and_op", "compare_and_swap"):
                like = "latency.fetch_and_op"
        elif "rate" == group and "fetch_and_op" != operation:
            like = "rate.put"
        elif case.startswith("epochs.lock") and not mapped:
            like, size = "latency.put", 8
        else:
            return None
        value = self.get(place, like, size, kind)
        return (kind, value) if value else None


def number(value):
    """Three digits, or more."""
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def with_unit(value):
    return number(value.median) + UNITS[value.unit]


def size_name(size):
    if size >= 1 << 20:
        return f"{size >> 20} MiB"
    return f"{size >> 10} KiB" if size >= 1024 and size % 1024 == 0 else f"{size} B"


def function(flavour):
    return {"dynamic": "create_dynamic", "shared": "allocate_shared"}.get(flavour, flavour)


def title(place):
    return f"{SETUPS[place[0]]}, {place[1]} processes, MPI_Win_{function(place[2])}"


def to_best(results, place, case, size):
    """osc/ucp's Ratio to the best of the others, or None."""
    ours, best = results.get(place, case, size, "ucp"), results.best(place, case, size)
    return compare(ours, results.get(place, case, size, best)) if ours and best else None


def with_interval(ratio):
    return f"{ratio.median:.2f}" + ("" if math.isinf(ratio.high) else f" [{ratio.low:.2f} {ratio.high:.2f}]")


# The lines that are remembered: what, and where it is measured.
HEADLINES = [
    ("Put and flush, 8 bytes, one host", "one allocate 2 latency.put 8"),
    ("The same on memory of the program's", "one create 2 latency.put 8"),
    ("Fetch and op, one host", "one allocate 2 latency.fetch_and_op 8"),
    ("Lock, put, unlock, program's memory", "one create 2 epochs.lock 8"),
    ("Lock, put, fetch, unlock: the target computes", "one create 2 busy.computing 8"),
    ("The same across hosts", "two allocate 2 busy.computing 8"),
    ("Put and flush, 8 bytes, across hosts", "two allocate 2 latency.put 8"),
    ("Put of 1 MiB across hosts", "two allocate 2 latency.put 1048576"),
    ("Accumulates in a row across hosts, each", "two allocate 2 rate.accumulate 8"),
    ("Hash table, two hosts with two processes", "mixed allocate 4 applications.hash_table 0"),
]


def headlines(results):
    """(words, osc/ucp's Value, the best peer's, its name, Ratio) of those HEADLINES that were measured."""
    for words, where in HEADLINES:
        setup, flavour, processes, case, size = where.split()
        place, size = (setup, int(processes), flavour), int(size)
        ours, best = results.get(place, case, size, "ucp"), results.best(place, case, size)
        if ours and best:
            yield words, ours, results.get(place, case, size, best), best, to_best(results, place, case, size)
