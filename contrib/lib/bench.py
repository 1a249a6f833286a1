# What contrib/bench runs: the benchmark, with all components in turns, in each set-up. Results go to a CSV file.
#
# SPDX-License-Identifier: BSD-3-Clause
#
# All components' jobs of a place are there at once, on the same processors, and all but one stand still. Each runs one
# sample (some milliseconds) when it is its turn, and the same sample of all comes before the next sample of any.

import argparse
import collections
import csv
import os
import queue
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time

import bench_report
import jobs
from bench_results import Results

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CLEAR = "\r\033[K" if sys.stderr.isatty() else ""
FIELDS = ["round", "setup", "component", "flavour", "case", "bytes", "processes", "unit", "samples"]

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

# osc/ucp in another root folder, where contrib/matrix has put the tree, and contrib/bench has built it.
ENTER = ["setpriv", "--pdeathsig", "KILL", "unshare", "--mount", "--ipc", "--pid", "--uts", "--propagation", "private",
         "--fork", "--kill-child"]
ROOT_BUILD = "/osc-ucp/build"
ROOT_ENVIRONMENT = ["OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1",
                    f"OMPI_MCA_mca_base_component_path={ROOT_BUILD}/components:SYSTEM_DEFAULT:USER_DEFAULT"]

# What is run: set-up, flavours, processes, groups of cases; whether only if it is asked for; components, if few.
# More processes than four, and operations, run with --full only, and in the first rounds only: they take long.
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
    Part("one", "allocate create dynamic", 2, "first", True),
    Part("one", "allocate create", 2, "operations", True),
    Part("one", "allocate create", 2, "notify", True, ("ucp",)),
    Part("two", "allocate", 2, MOST + " unused"),
    Part("two", "allocate", 2, "notify", True, ("ucp",)),
    Part("two", "create dynamic", 2, "latency rate epochs busy", True),
    Part("mixed", "allocate", 4, "latency epochs contention applications", True),
]


# The guard's own run: what test/guard/bounds.table is about.
GUARD = ["--setup", "one", "--flavour", "allocate,create", "--component", "ucp,sm,limits", "--size", "8,1048576",
         "--rounds", "4", "--test", "latency.put,latency.accumulate,latency.fetch_and_op,rate.put,rate.accumulate,"
         "types.contiguous_put,types.indexed_put,epochs.lock,epochs.fence,contention.accumulate"]
GUARD_ATTEMPTS = 3
SECONDS = {"full": 2340, "quick": 170}  # no round begins that would not end by then


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
    parser.add_argument("--compare", nargs=2, metavar="FILE")
    parser.add_argument("--output")
    parser.add_argument("--write-docs", action="store_true")
    parser.add_argument("--bounds")
    parser.add_argument("--variant", action="append", default=[])
    parser.add_argument("--root", action="append", default=[])
    parser.add_argument("--guard", action="store_true")
    parser.add_argument("--programs", required=True)
    parser.add_argument("--mpirun", required=True)
    options = parser.parse_args()
    if options.guard:
        options = parser.parse_args([*GUARD, *sys.argv[1:]])
    options.size = options.size or (["8", "64", "512", "4096", "16384", "65536", "262144", "1048576", "4194304"]
                                    if options.full else ["8", "4096", "1048576"])
    options.budget = None if options.rounds else SECONDS["full" if options.full else "quick"]
    options.rounds = options.rounds or (6 if options.full else 3)
    options.samples = 5
    options.seconds = options.seconds or 0.01
    options.output = options.output or options.programs
    options.strict = options.bounds is not None
    options.bounds = options.bounds or (os.path.join(TOP, "test/bench/targets.table") if options.full else None)
    options.variant = dict(text.split("=", 1) for text in options.variant)
    options.root = {name: os.path.abspath(folder) for name, folder in (text.split("=", 1) for text in options.root)}
    options.component[:0] = [*options.variant, *options.root]
    options.variant.update((name, "") for name in options.root)
    for name, words in {**VARIANTS, **options.variant}.items():
        alone, across, flavours = COMPONENTS["ucp"]
        COMPONENTS[name] = ([*alone, *words.split()], [*across, *words.split()], flavours)
    for name in options.component:
        if name not in COMPONENTS:
            sys.exit(f"bench: no component {name}, there are: {' '.join(COMPONENTS)}")
    return options


def look_at_open_mpi(options):
    """Leave out what this Open MPI does not have: 5.0 has no osc/pt2pt, and before it osc/rdma refuses to go over tcp."""
    told = subprocess.run([os.path.join(os.path.dirname(options.mpirun), "ompi_info")], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, check=True).stdout
    there = re.findall(r"MCA osc: (\w+) ", told)
    options.component = [name for name in options.component
                         if name not in ("sm", "rdma", "ucx", "pt2pt") or name in there]
    if int(re.search(r"Open MPI: v?(\d+)", told)[1]) >= 5:
        alone, _, flavours = COMPONENTS["rdma"]
        COMPONENTS["rdma"] = (alone, alone, flavours)


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
        if not across: # 5.0 does not bind on its own where it may oversubscribe
            mpirun += ["--bind-to", "none" if crowded or "unbound" == part.setup else "core"]
        mpirun += ["--mca", "mpi_yield_when_idle", "1"] if crowded else []
    if component in options.root:
        mpirun[:1] = [*ENTER, os.path.join(TOP, "contrib/matrix"), "--enter", options.root[component],
                      "env", *ROOT_ENVIRONMENT, "mpirun"]
        return [*mpirun, *launch, os.path.join(ROOT_BUILD, "bench", program), *rest]
    return [*hosts, *mpirun, *launch, os.path.join(options.programs, program), *rest]


class Job:
    """One component's processes in one place. They stand still, each reading from our pipe, until it is their turn."""

    def __init__(self, component, root):
        self.component = component
        self.folder = tempfile.mkdtemp(prefix="bench.", dir=root and root + ROOT_BUILD)
        self.name = os.path.join(self.folder, "turns")
        os.mkfifo(self.name)
        self.pipe = os.open(self.name, os.O_RDWR)
        self.name = self.name.removeprefix(root or "")
        self.position = ()              # of what it waits for
        self.seen = []                  # cases that have begun
        self.spent = 0.0                # seconds, in its turns, by this case
        self.over = False
        self.process = None

    def start(self, words):
        self.drain()
        self.process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True, errors="replace", start_new_session=True)
        self.lines, self.errors, self.current, self.ended = queue.Queue(), [], None, False
        self.readers = [threading.Thread(target=self.read, args=(self.process.stdout, self.lines), daemon=True),
                        threading.Thread(target=lambda: self.errors.extend(self.process.stderr), daemon=True)]
        for reader in self.readers:
            reader.start()

    def read(self, stream, lines):
        for line in stream:
            lines.put(line.strip())
        lines.put(None)

    def turn(self, processes, seconds, on_line):
        """Go on until the job waits again (None), or has ended: its exit status, or "too slow"."""
        begin = time.time()
        os.write(self.pipe, processes * b"x")
        try:
            while True:
                line = self.lines.get(timeout=max(0.1, seconds - (time.time() - begin)))
                if line is None:
                    self.process.wait(5)
                    self.readers[1].join(5)
                    return self.process.returncode
                if line.startswith("# turn "):
                    case, *numbers = line[7:].split()
                    self.position = (case, *map(int, numbers))
                    return None
                on_line(line)
        except (queue.Empty, subprocess.TimeoutExpired):
            self.kill()
            return "too slow"
        finally:
            self.spent += time.time() - begin

    def kill(self):
        if self.process and self.process.returncode is None:
            jobs.end(self.process, 5)

    def drain(self):
        """What was written for processes that did not take it."""
        os.set_blocking(self.pipe, False)
        try:
            while os.read(self.pipe, 4096):
                pass
        except BlockingIOError:
            os.set_blocking(self.pipe, True)

    def close(self):
        self.kill()
        os.close(self.pipe)
        shutil.rmtree(self.folder)


class Bench:
    """One run of all that is selected."""

    def __init__(self, options, name):
        self.options = options
        self.header = {}
        self.rows = []
        self.broken = {}                # (setup, component, flavour, processes, case or None): what happened
        self.begin = self.told = time.time()
        self.machine = processor_time()
        cases = subprocess.run([os.path.join(options.programs, "openmpi"), "-lT"], capture_output=True, text=True,
                               check=True).stdout.split()
        self.order = {name: number for number, name in enumerate(cases)}
        self.file = open(os.path.join(options.output, name), "w")
        self.table = csv.writer(self.file, lineterminator="\n")

    def progress(self, text):
        now = time.time()
        if sys.stderr.isatty():
            sys.stderr.write(f"\r\033[K{int(now - self.begin):4d} s  {text}")
            sys.stderr.flush()
        elif text and now - self.told > 15:
            self.told = now
            print(f"{int(now - self.begin):4d} s  {text}", file=sys.stderr, flush=True)

    def look_at_machine(self):
        """Nothing of ours runs now: who else does?"""
        before = processor_time()
        time.sleep(0.5)
        busy, _, whole = (after - first for after, first in zip(processor_time(), before))
        _, stolen, all_ = (after - first for after, first in zip(processor_time(), self.machine))
        if busy > 0.1 * whole:
            self.warn(f"others use {100 * busy / whole:.0f} % of the processors (load {os.getloadavg()[0]:.1f})")
        if stolen > 0.01 * all_:
            self.warn(f"{100 * stolen / all_:.0f} % of the processors' time was stolen by other virtual machines")

    def warn(self, text):
        print(f"{CLEAR}bench: warning: {text}", file=sys.stderr, flush=True)
        self.note(f"# warning: {time.strftime('%H:%M')} {text}")

    def note(self, line):
        """A line of the header that was not there before."""
        if line not in self.header:
            self.header[line] = True
            self.file.write(line + "\n")

    def row(self, key, number, line):
        setup, component, flavour, processes = key
        kind, case, size, _, unit, samples = line.split(",")
        if "limits" == component:
            component = kind
        if "wrong" == unit:
            self.fail(key, case, "wrong")
            return
        self.rows.append([number, setup, component, flavour, case, size, processes, unit, samples])
        self.table.writerow(self.rows[-1])

    def fail(self, key, case, what, errors=()):
        if key + (case,) in self.broken:
            return
        setup, component, flavour, processes = key
        self.broken[key + (case,)] = what
        self.table.writerow([0, setup, component, flavour, case or "start", 0, processes, what, ""])
        reason = next((line.strip() for line in errors if "rror" in line or "ignal" in line), "")
        print(f"{CLEAR}{setup} {flavour} {component} x{processes}: {case or 'start'}: {what}  {reason[:100]}",
              flush=True)

    def words(self, key, part, flavour, groups, job):
        """The command that starts `job`, or starts it again without the cases that were seen, or broke."""
        out = [case for *where, case in self.broken if tuple(where) == key] + job.seen
        words = ["-m", str(self.options.seconds), "-s", ",".join(self.options.size), "-n", str(self.options.samples),
                 "-g", job.name]
        if "limits" == job.component:
            return command(self.options, part, job.component, "limits", words)
        words += ["-w", flavour, *(["-T"] if groups[0].startswith("threads") else [])]
        words += [word for name in groups for word in ("-t", name)]
        words += [word for name in out for word in ("-x", name)]
        return command(self.options, part, job.component, "mpich" if "mpich" == job.component else "openmpi", words)

    def advance(self, number, part, flavour, groups, job):
        """Give `job` a turn. What breaks is left out, and the rest tried again."""
        key = (part.setup, job.component, flavour, part.processes)

        def on_line(line):
            if line.startswith("# begin "):
                job.current = line[8:]
                job.seen.append(job.current)
                job.spent = 0.0
                self.progress(f"round {number}/{self.options.rounds}: {' '.join(map(str, key))} {job.current}")
            elif "# end" == line:
                job.ended = True
            elif line.startswith("# "):
                self.note(line)
            elif line.count(",") == 5 and not line.startswith("flavour,"):
                self.row(key, number, line)

        while key + (None,) not in self.broken:
            begins = job.process is None
            if begins:
                job.start(self.words(key, part, flavour, groups, job))
            status = job.turn(0 if begins else part.processes, 40 + 40 * self.options.full - job.spent, on_line)
            if status is None:
                return
            job.process = None
            if job.ended and "too slow" != status:
                break
            crashed = any("ignal" in line for line in job.errors)
            self.fail(key, "finalize" if job.ended else job.current,
                      status if "too slow" == status else "crashes" if crashed else "fails", job.errors)
            job.spent = 0.0
            if job.ended or "limits" == job.component:
                break
        job.over = True

    def place(self, number, part, flavour, groups, components):
        """All components in one place: slice by slice in turns, so that all meet the same speed of the machine."""
        jobs = [Job(component, self.options.root.get(component)) for component in components]
        try:
            for job in jobs:
                self.advance(number, part, flavour, groups, job)
            while any(not job.over for job in jobs):
                # Whoever is the furthest behind, and of equals one after the other, to and fro.
                self.advance(number, part, flavour, groups, min(
                    (job for job in jobs if not job.over),
                    key=lambda job: (self.order.get(job.position[0], 0), *job.position[1:],
                                     jobs.index(job) * (-1) ** job.position[-1])))
        finally:
            for job in jobs:
                job.close()

    def can(self, part, flavour, component):
        if "limits" == component:
            return part.setup in ("one", "two") and "latency" in part.groups.split()
        if "mpich" == component and (part.processes > 4 or # its waiting never yields: minutes for a few windows
                                     not os.path.exists(os.path.join(self.options.programs, "mpich"))):
            return False
        if component in self.options.root and part.setup not in ("one", "unbound"):
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
        self.note(f"# system: {bench_report.system_name()}")
        self.note(f"# osc/ucp: {revision()}")
        self.table.writerow(FIELDS)
        last = 0.0
        for number in range(1, self.options.rounds + 1):
            begin = time.time()
            if self.options.budget and begin + last - self.begin > self.options.budget:
                print(f"{CLEAR}no more than {number - 1} rounds: the machine is slow, or busy")
                break
            self.look_at_machine()
            for part, flavour, groups in parts:
                if (part.processes > 4 or "operations" == part.groups) and number > CROWD_ROUNDS:
                    continue
                few = part.components and [*self.options.variant, *part.components]
                self.place(number, part, flavour, groups, [
                    component for component in few or self.options.component
                    if self.can(part, flavour, component)])
            self.file.flush()
            last = time.time() - begin
        self.progress("")
        self.look_at_machine()
        self.file.close()


def processor_time():
    """Ticks of all processors since the system began: busy, stolen, all."""
    with open("/proc/stat") as stream:
        user, nice, system, idle, wait, irq, softirq, stolen = map(int, stream.readline().split()[1:9])
    busy = user + nice + system + irq + softirq
    return busy, stolen, busy + idle + wait + stolen


def revision():
    try:
        return subprocess.run(["git", "-C", TOP, "describe", "--always", "--dirty"], capture_output=True, text=True,
                              check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        pass
    try:
        with open(os.path.join(TOP, ".revision")) as stream: # contrib/matrix writes it into its copies
            return stream.read().strip()
    except OSError:
        return "unknown"


def main():
    jobs.end_with_signals()
    options = arguments()
    if options.compare:
        print("\n".join(bench_report.agreement(*(Results([name]) for name in options.compare))))
        return 0
    os.makedirs(options.output, exist_ok=True)
    if not options.read:
        look_at_open_mpi(options)
    if options.guard:
        return guard(options)
    if not options.read:
        bench = Bench(options, "results.csv")
        bench.all()
        options.read = [bench.file.name]
        print(f"results: {bench.file.name} ({int(time.time() - bench.begin)} seconds)")
    return bench_report.report(options, TOP)


def guard(options):
    """Exit status 1 if a bound is exceeded in all attempts. The attempts count together, and only an interval that is
    beyond a bound exceeds it. So a busy machine makes this take longer, but not fail."""
    table = options.bounds or os.path.join(TOP, "test/guard/bounds.table")
    files = []
    for attempt in range(GUARD_ATTEMPTS):
        bench = Bench(options, f"guard{attempt}.csv")
        bench.all()
        files.append(bench.file.name)
        lines, exceeded = bench_report.check_bounds(Results(files), table)
        if not exceeded:
            break
    print("\n".join(lines))
    print(f"{exceeded} of {len(lines)} bounds exceeded, {attempt + 1} attempts")
    return 1 if exceeded else 0


if __name__ == "__main__":
    sys.exit(main())
