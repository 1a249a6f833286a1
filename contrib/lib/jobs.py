# How the programs of contrib/lib that start mpirun end it: also if a signal ends them.
#
# SPDX-License-Identifier: BSD-3-Clause

import os
import signal
import subprocess
import sys


def end(job, patience=10):
    """End a job, the leader of its own session: mpirun ends its processes if it is asked to; nothing of it may stay."""
    for sign in signal.SIGTERM, signal.SIGKILL:
        try:
            os.killpg(job.pid, sign)
            job.wait(patience)
        except (ProcessLookupError, subprocess.TimeoutExpired):
            pass


def end_with_signals():
    """Leave by an exception when a signal asks for the end, so that jobs are ended. One under nohup goes on."""
    for sign in signal.SIGTERM, signal.SIGHUP:
        if signal.SIG_IGN is not signal.getsignal(sign):
            signal.signal(sign, lambda number, _: sys.exit(128 + number))
