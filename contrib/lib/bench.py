# What contrib/bench runs: the benchmark, with each component in turn, in each set-up. Results go to a CSV file.
#
# SPDX-License-Identifier: BSD-3-Clause

import argparse
import collections
import csv
import os
import signal
import subprocess
import sys
import threading
import time

import bench_report

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FIELDS = ["round", "setup", "component", "flavour", "case", "bytes", "processes", "median", "low", "high", "unit"]

# How each component is at its best on these machines: on one host, and across hosts.
OB1 = ["--mca", "pml", "ob1"]
ANY = ["--mca", "opal_common_ucx_tls", "any", "--mca", "opal_common_ucx_devices", "any"]
TCP = ["-x", "UCX_TLS=tcp,self"]
COMPONENTS = {  # name: (arguments on one host, arguments across hosts or None, flavours)
    "ucp": (["--mca", "osc", "ucp", *OB1], ["--mca", "osc", "ucp", *OB1], "allocate create dynamic shared"),
    "sm": (["--mca", "osc", "sm", *OB1], None, "allocate shared"),
    "rdma": (["--mca", "osc", "rdma", *OB1], None, "allocate create dynamic"),
    "ucx": (["--mca", "osc", "ucx", *OB1, *ANY], ["--mca", "osc", "ucx", *OB1, *ANY, *TCP], "allocate create dynamic"),
    "pt2pt": (["--mca", "osc", "pt2pt", *OB1], ["--mca", "osc", "pt2pt", *OB1], "allocate create dynamic"),
    "mpich": ([], [], "allocate create dynamic shared"),
    "limits": (OB1, [*OB1, *TCP], ""),
}
VARIANTS = {"no_thread": "--mca osc_ucp_async_progress never",  # of osc/ucp, for a part that names them
            "own_core": "--mca osc_ucp_service_cpus program"}

# What is run: set-up, flavours, processes, groups of cases; whether only if it is asked for; components, if few.
# More processes than four run with --full only, and in the first rounds only: they take long.
Part = collections.namedtuple("Part", "setup flavours processes groups full components", defaults=[False, None])
CROWD_ROUNDS = 2
MOST = "latency rate types epochs windows busy contention applications"
PARTS = [
    Part("one", "allocate", 2, MOST + " unused"),
    Part("one", "create", 2, MOST + " unused"),
    Part("one", "create", 2, "busy", True, ("no_thread", "own_core", "ucp")),
    Part("one", "dynamic", 2, "latency rate epochs windows busy", True),
    Part("one", "shared", 2, "latency types epochs windows", True),
    Part("unbound", "allocate create", 2, "threads", True),
    Part("unbound", "create", 2, "busy", True),
    Part("one", "allocate", 8, "windows contention", True),
    Part("one", "allocate", 32, "windows", True),
    Part("two", "allocate", 2, MOST + " unused"),
    Part("two", "create dynamic", 2, "latency rate epochs busy", True),
    Part("mixed", "allocate", 4, "latency epochs contention applications", True),
]


# The guard's own run: what test/guard/bounds.table is about.
GUARD = ["--setup", "one", "--flavour", "allocate,create", "--component", "ucp,sm,limits", "--size", "8,1048576",
         "--rounds", "4", "--test", "latency.put,latency.accumulate,latency.fetch_and_op,rate.put,rate.accumulate,"
         "epochs.lock,epochs.fence"]
GUARD_ATTEMPTS = 3
SECONDS = {"full": 1740, "quick": 170}  # no round begins that would not end by then


def arguments():
    words = lambda text: text.split(",")
    parser = argparse.ArgumentParser(prog="contrib/bench", usage="see the head of contrib/bench", add_help=False)
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--setup", type=words)
    parser.add_argument("--component", type=words, default=list(COMPONENTS))
    parser.add_argument("--flavour", type=words)
    parser.add_argument("--test", type=words)
    parser.add_argument("--size", type=words)
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--read", nargs="+", metavar="FILE")
    parser.add_argument("--output")
    parser.add_argument("--write-docs", action="store_true")
    parser.add_argument("--bounds")
    parser.add_argument("--variant", action="append", default=[])
    parser.add_argument("--guard", action="store_true")
    parser.add_argument("--programs", required=True)
    parser.add_argument("--mpirun", required=True)
    options = parser.parse_args()
    if options.guard:
        options = parser.parse_args([*GUARD, *sys.argv[1:]])
    options.size = options.size or (["8", "64", "512", "4096", "16384", "65536", "262144", "1048576", "4194304"]
                                    if options.full else ["8", "4096", "1048576"])
    options.budget = None if options.rounds else SECONDS["full" if options.full else "quick"]
    options.rounds = options.rounds or (5 if options.full else 3)
    options.seconds = options.seconds or (0.02 if options.full else 0.01)
    options.output = options.output or options.programs
    options.strict = options.bounds is not None
    options.bounds = options.bounds or (os.path.join(TOP, "test/bench/targets.table") if options.full else None)
    options.variant = dict(text.split("=", 1) for text in options.variant)
    options.component[:0] = options.variant
    for name, words in {**VARIANTS, **options.variant}.items():
        alone, across, flavours = COMPONENTS["ucp"]
        COMPONENTS[name] = ([*alone, *words.split()], [*across, *words.split()], flavours)
    for name in options.component:
        if name not in COMPONENTS:
            sys.exit(f"bench: no component {name}, there are: {' '.join(COMPONENTS)}")
    return options


def selected(options):
    """The parts to run, and of them the groups or cases that are wanted."""
    narrowed = options.setup or options.flavour or options.test
    for part in PARTS:
        if options.setup and part.setup not in options.setup or part.components and "ucp" not in options.component:
            continue
        if part.full and not options.full and (not narrowed or part.processes > 4):
            continue
        groups = [name for name in options.test or part.groups.split()
                  if name.split(".")[0] in part.groups.split()]
        flavours = [name for name in part.flavours.split() if not options.flavour or name in options.flavour]
        for flavour in flavours:
            if groups:
                yield part, flavour, groups


def command(options, part, component, program, rest):
    """The words that start `program`, or None where the component cannot."""
    across = part.setup in ("two", "mixed")
    launch = COMPONENTS[component][1 if across else 0]
    if launch is None:
        return None
    hosts = ["env", f"PER_HOST={part.processes // 2}", os.path.join(TOP, "contrib/two-hosts")] if across else []
    crowded = part.processes > (os.cpu_count() or 1)
    if "mpich" == component:
        mpirun = ["mpirun.mpich", "-np", str(part.processes)]
        if across:
            agent = os.path.join(TOP, "contrib/rsh-agent")
            launch = ["-launcher", "rsh", "-launcher-exec", agent, "-hosts", "h0,h1", "-ppn", "1",
                      "-genv", "UCX_TLS", "tcp,self", "-genv", "UCX_NET_DEVICES", "eth0"]
        elif "unbound" != part.setup and not crowded:
            launch = ["-bind-to", "core"]
    else:
        mpirun = [options.mpirun, "-np", str(part.processes), "--oversubscribe"]
        mpirun += ["--bind-to", "none"] if "unbound" == part.setup else []
        mpirun += ["--mca", "mpi_yield_when_idle", "1"] if crowded else []
    return [*hosts, *mpirun, *launch, os.path.join(options.programs, program), *rest]


def run(words, seconds, on_line):
    """Run a command in a session of its own, for so many seconds at most; its standard output goes to on_line."""
    process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               text=True, errors="replace", start_new_session=True)
    late = threading.Event()

    def end():
        late.set()
        for sign, patience in ((signal.SIGTERM, 5), (signal.SIGKILL, 0)):
            try:
                os.killpg(process.pid, sign)
            except ProcessLookupError:
                return
            time.sleep(patience)

    errors = []
    reader = threading.Thread(target=lambda: errors.extend(process.stderr), daemon=True)
    timer = threading.Timer(seconds, end)
    reader.start()
    timer.start()
    try:
        for line in process.stdout:
            on_line(line.strip())
        process.wait()
    except BaseException:
        end()
        raise
    finally:
        timer.cancel()
    reader.join(5)
    return "hangs" if late.is_set() else process.returncode, errors


class Bench:
    """One run of all that is selected."""

    def __init__(self, options, name):
        self.options = options
        self.header = {}
        self.rows = []
        self.broken = {}                # (setup, component, flavour, processes, case or None): what happened
        self.begin = time.time()
        self.file = open(os.path.join(options.output, name), "w")
        self.table = csv.writer(self.file, lineterminator="\n")

    def progress(self, text):
        if sys.stderr.isatty():
            sys.stderr.write(f"\r\033[K{int(time.time() - self.begin):4d} s  {text}")
            sys.stderr.flush()

    def note(self, line):
        """A line of the header that was not there before."""
        if line not in self.header:
            self.header[line] = True
            self.file.write(line + "\n")

    def row(self, key, number, line):
        setup, component, flavour, processes = key
        kind, case, size, _, *values, unit = line.split(",")
        if "limits" == component:
            component = kind
        if "wrong" == unit:
            self.fail(key, case, "wrong")
            return
        self.rows.append([number, setup, component, flavour, case, size, processes, *values, unit])
        self.table.writerow(self.rows[-1])

    def fail(self, key, case, what, errors=()):
        if key + (case,) in self.broken:
            return
        setup, component, flavour, processes = key
        self.broken[key + (case,)] = what
        self.table.writerow([0, setup, component, flavour, case or "start", 0, processes, 0, 0, 0, what])
        reason = next((line.strip() for line in errors if "rror" in line or "ignal" in line), "")
        print(f"\r{setup} {flavour} {component} x{processes}: {case or 'start'}: {what}  {reason[:100]}", flush=True)

    def turn(self, number, part, flavour, groups, component):
        """One component's turn. What breaks is left out, and the rest tried again."""
        key = (part.setup, component, flavour, part.processes)
        seen = []
        while key + (None,) not in self.broken:
            out = [case for name, case in [(k[:4], k[4]) for k in self.broken] if name == key] + seen
            words = ["-m", str(self.options.seconds), "-s", ",".join(self.options.size), "-n", "7"]
            if "limits" == component:
                program = "limits"
            else:
                program = "mpich" if "mpich" == component else "openmpi"
                words += ["-w", flavour, *(["-T"] if groups[0].startswith("threads") else [])]
                words += [word for name in groups for word in ("-t", name)]
                words += [word for name in out for word in ("-x", name)]
            current, ended = [None], [False]

            def on_line(line):
                if line.startswith("# begin "):
                    current[0] = line[8:]
                    seen.append(current[0])
                    self.progress(f"round {number}/{self.options.rounds}: {' '.join(map(str, key))} {current[0]}")
                elif "# end" == line:
                    ended[0] = True
                elif line.startswith("# "):
                    self.note(line)
                elif line.count(",") == 7 and not line.startswith("flavour,"):
                    self.row(key, number, line)

            status, errors = run(command(self.options, part, component, program, words), 40 + 40 * self.options.full,
                                 on_line)
            if ended[0] and "hangs" != status:
                return
            if current[0] and ended[0]:
                current[0] = "finalize"
            crashed = any("ignal" in line for line in errors)
            self.fail(key, current[0], "hangs" if "hangs" == status else "crashes" if crashed else "fails", errors)
            if ended[0] or "limits" == component:
                return

    def can(self, part, flavour, component):
        if "limits" == component:
            return part.setup in ("one", "two")
        if "mpich" == component and (part.processes > 4 or # its waiting never yields: minutes for a few windows
                                     not os.path.exists(os.path.join(self.options.programs, "mpich"))):
            return False
        return flavour in COMPONENTS[component][2].split() and command(self.options, part, component, "", [])

    def all(self):
        parts = list(selected(self.options))
        if not parts:
            sys.exit("bench: nothing to run: see the head of contrib/bench for the names")
        if any(part.setup in ("two", "mixed") for part, _, _ in parts):
            refused = subprocess.run([os.path.join(TOP, "contrib/two-hosts"), "true"], stdin=subprocess.DEVNULL,
                                     stderr=subprocess.PIPE, text=True)
            if refused.returncode:
                print(f"bench: not on two hosts: {refused.stderr.strip()}")
                parts = [each for each in parts if each[0].setup not in ("two", "mixed")]
        self.note(f"# date: {time.strftime('%Y-%m-%d')}")
        self.note(f"# command: contrib/bench {' '.join(bench_report.shown_arguments(sys.argv[1:]))}")
        self.note(f"# osc/ucp: {revision()}")
        self.table.writerow(FIELDS)
        for number in range(1, self.options.rounds + 1):
            spent = time.time() - self.begin
            if self.options.budget and number > 1 and spent * number / (number - 1) > self.options.budget:
                print(f"\rno more than {number - 1} rounds: the machine is slow, or busy")
                break
            limits = set()
            for part, flavour, groups in parts:
                if part.processes > 4 and number > CROWD_ROUNDS:
                    continue
                for component in part.components or self.options.component:
                    if self.can(part, flavour, component) and ("limits" != component or part.setup not in limits):
                        self.turn(number, part, flavour, groups, component)
                limits.add(part.setup)
            self.file.flush()
        self.progress("")
        self.file.close()


def revision():
    try:
        return subprocess.run(["git", "-C", TOP, "describe", "--always", "--dirty"], capture_output=True, text=True,
                              check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    options = arguments()
    os.makedirs(options.output, exist_ok=True)
    if options.guard:
        return guard(options)
    if not options.read:
        bench = Bench(options, "results.csv")
        bench.all()
        options.read = [bench.file.name]
        print(f"results: {bench.file.name} ({int(time.time() - bench.begin)} seconds)")
    return bench_report.report(options, TOP)


def guard(options):
    """Exit status 1 if a bound is exceeded in all attempts. What counts is the best of all rounds, so that a busy
    machine makes it take longer, but not fail."""
    table = options.bounds or os.path.join(TOP, "test/guard/bounds.table")
    files = []
    for attempt in range(GUARD_ATTEMPTS):
        bench = Bench(options, f"guard{attempt}.csv")
        bench.all()
        files.append(bench.file.name)
        lines, exceeded = bench_report.check_bounds(bench_report.Results(files, best=True), table)
        if not exceeded:
            break
    print("\n".join(lines))
    print(f"{exceeded} of {len(lines)} bounds exceeded, {attempt + 1} attempts")
    return 1 if exceeded else 0


if __name__ == "__main__":
    sys.exit(main())
