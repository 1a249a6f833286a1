# The public suites that contrib/yardsticks knows: how each is recognized, built, and what its programs say when they
# pass.
#
# SPDX-License-Identifier: BSD-3-Clause

import dataclasses
import os
import pathlib
import re
import shlex
import subprocess

SKIPPED = 77


@dataclasses.dataclass
class Program:
    """One run: what it is called, how it is started, and how one sees that it has passed."""
    name: str
    processes: int
    command: list
    environment: dict = dataclasses.field(default_factory=dict)
    seconds: int = 0
    says: str = ""  # a pattern that its output must have, besides exit status 0


class CannotBuild(Exception):
    pass


def run(folder, log, *command):
    """A step of a build."""
    environment = dict(os.environ, MPICC="mpicc", MPICXX="mpicxx")
    with log.open("a") as file:
        print("+", *command, file=file, flush=True)
        done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=file, stderr=file, env=environment,
                              check=False)
    if 0 != done.returncode:
        raise CannotBuild(f"'{' '.join(command)}' failed in {folder}: see {log}")


def configure(folder, log, *options):
    if not (folder / "configure").exists():
        run(folder, log, "./autogen.sh")
    run(folder, log, "./configure", "CC=mpicc", "CXX=mpicxx", *options)


def make(folder, log, *arguments):
    run(folder, log, "make", "-k", f"-j{os.cpu_count()}", *arguments)


def try_make(folder, log, *arguments):
    """Some of it may not build: what is missing is counted as not built."""
    try:
        make(folder, log, *arguments)
    except CannotBuild:
        pass


def is_program(path):
    return path.is_file() and os.access(path, os.X_OK) and not path.suffix


class Mpich:
    """Each line of testlist is a program, its number of processes, and words NAME=VALUE."""
    title = "MPICH's RMA programs"
    places = ["", "test/mpi"]
    removed = re.compile(r"\bMPI_Type_(hindexed|hvector|struct)(?= ?\()")

    @staticmethod
    def is_at(folder):
        return any((folder / "rma" / name).exists() for name in ("testlist.in", "testlist"))

    @classmethod
    def build(cls, folder, log):
        for source in (folder / "dtpools").rglob("*.c"):  # all programs are linked with it; MPI 3.0 removed these calls
            source.write_text(cls.removed.sub(r"MPI_Type_create_\1", source.read_text()))
        configure(folder, log, "--disable-fortran", "--disable-cxx")
        for part in ("dtpools", "util", "rma"):
            if (folder / part / "Makefile").exists():
                try_make(folder / part, log)

    @staticmethod
    def program(folder, words):
        values = [word.split("=", 1) for word in words[2:] if "=" in word]
        arguments = [value for key, value in values if "arg" == key]
        environment = dict(value.split("=", 1) for key, value in values if "env" == key)
        seconds = max([int(value) for key, value in values if "timeLimit" == key], default=0)
        return Program(" ".join([words[0], *arguments]), int(words[1]), [str(folder / words[0]), *arguments],
                       environment, seconds, r"(?m)^\s*No Errors\s*$")

    @classmethod
    def programs(cls, folder):
        lines = (folder / "rma/testlist").read_text().splitlines()
        lists = [shlex.split(line, comments=True) for line in lines if not line.startswith("@")]
        return [cls.program(folder / "rma", words) for words in lists
                if len(words) >= 2 and not any(word.startswith("xfail=") for word in words)]


class Armci:
    """Its tests, as make check has them, with each way of moving strided data."""
    title = "ARMCI-MPI's tests"
    places = [""]
    processes = 4
    methods = {"direct": {"ARMCI_STRIDED_METHOD": "DIRECT"},
               **{f"iov-{iov.lower()}": {"ARMCI_STRIDED_METHOD": "IOV", "ARMCI_IOV_METHOD": iov}
                  for iov in ("CONSRV", "BATCHED", "DIRECT")}}

    @staticmethod
    def is_at(folder):
        return (folder / "src/armci.h").exists() and (folder / "tests").is_dir()

    @staticmethod
    def build(folder, log):
        configure(folder, log)
        make(folder, log)
        try_make(folder, log, "check", "TESTS=")

    @staticmethod
    def variable(folder, name):
        command = ["make", "-s", "--no-print-directory", f"--eval=the-value: ; @echo $({name})", "the-value"]
        return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout.split()

    @classmethod
    def programs(cls, folder):
        expected = cls.variable(folder, "XFAIL_TESTS")
        return [Program(f"{test} {method}", cls.processes, [str(folder / test)], environment)
                for test in cls.variable(folder, "TESTS") if test not in expected
                for method, environment in cls.methods.items()]


class Ompi:
    """Programs of one source each; 77 is their word for skipped."""
    title = "Open MPI's public tests"
    places = ["one-sided", "onesided", ""]
    processes = 2

    @staticmethod
    def is_at(folder):
        return folder.name in ("one-sided", "onesided") and any(folder.glob("*.c"))

    @staticmethod
    def build(folder, log):
        if (folder / "Makefile").exists():
            try_make(folder, log, "CC=mpicc")
            return
        for source in folder.glob("*.c"):
            try:
                run(folder, log, "mpicc", "-o", source.stem, source.name)
            except CannotBuild:
                pass

    @classmethod
    def programs(cls, folder):
        return [Program(source.stem, cls.processes, [str(folder / source.stem)])
                for source in sorted(folder.glob("*.c")) if "int main" in source.read_text(errors="replace")]


class Imb:
    """One run for each benchmark; sizes and repetitions are few."""
    title = "Intel MPI Benchmarks, IMB-RMA"
    places = [""]
    two = ["Unidir_put", "Unidir_get", "Bidir_put", "Bidir_get", "Put_local", "Get_local", "Accumulate",
           "Get_accumulate", "Fetch_and_op", "Compare_and_swap", "Truly_passive_put"]
    four = ["One_put_all", "One_get_all", "All_put_all", "All_get_all", "Put_all_local", "Get_all_local",
            "Exchange_put", "Exchange_get"]

    @staticmethod
    def is_at(folder):
        return (folder / "src_cpp").is_dir() or (folder / "src_c").is_dir()

    @staticmethod
    def build(folder, log):
        run(folder, log, "make", "IMB-RMA", "CC=mpicc", "CXX=mpicxx")

    @classmethod
    def programs(cls, folder):
        return [Program(name, processes, [str(folder / "IMB-RMA"), "-iter", "200", "-msglog", "3:16", "-npmin",
                                          str(processes), name], says=rf"(?i)# Benchmarking:? {name}")
                for names, processes in ((cls.two, 2), (cls.four, 4)) for name in names]


class Osu:
    """One run for each program and kind of window; repetitions are few."""
    title = "OSU micro-benchmarks, one-sided"
    places = [""]
    processes = 2
    windows = ["allocate", "create", "dynamic"]

    @staticmethod
    def folder_of(folder):
        return next((path for path in (folder / "c/mpi/one-sided", folder / "mpi/one-sided") if path.is_dir()), None)

    @classmethod
    def is_at(cls, folder):
        return cls.folder_of(folder) is not None

    @staticmethod
    def build(folder, log):
        configure(folder, log)
        try_make(folder, log)

    @classmethod
    def programs(cls, folder):
        found = sorted(path for path in cls.folder_of(folder).glob("osu_*") if is_program(path))
        return [Program(f"{path.name} {window}", cls.processes, [str(path), "-i", "100", "-x", "10", "-w", window],
                        says=r"(?m)^\s*(\d+\s+)?\d+\.\d+") for path in found for window in cls.windows]


SUITES = {"mpich": Mpich, "armci": Armci, "ompi": Ompi, "imb": Imb, "osu": Osu}


def find_suites(folder):
    """The suites in a folder, and where each begins."""
    folder, found = pathlib.Path(folder).resolve(), {}
    for place in [folder, *sorted(path for path in folder.iterdir() if path.is_dir())]:
        for name, suite in SUITES.items():
            for inner in suite.places:
                if name not in found and suite.is_at(place / inner if inner else place):
                    found[name] = place / inner if inner else place
    return found


def says_passed(program, output):
    return not program.says or re.search(program.says, output) is not None
