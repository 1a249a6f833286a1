# A global array, whose rows are spread over all processes, and to which all add patches wherever these lie.
#
# SPDX-License-Identifier: BSD-3-Clause
#
# Why this synchronization: patches of several processes overlap, so they are added by accumulate, which is atomic for
# each number: no lock has to be exclusive, and all share one for the whole program. Who owns a row takes no part.
# Flush and barrier divide the program: before them all add, after them all read, and nobody does both at once.
#
# run:     mpirun -np 4 python3 global_array.py
# output:  200 patches added to 24 x 40 numbers, all of them right, their sum is 305440

import sys

import numpy as np
from mpi4py import MPI

ROWS, COLUMNS, PATCHES = 24, 40, 200
HEIGHT, WIDTH = 8, 8

comm = MPI.COMM_WORLD


class GlobalArray:
    """ROWS x COLUMNS numbers (float64), dealt to the processes in blocks of rows."""

    def __init__(self):
        self.block = -(-ROWS // comm.size)  # rows of a process; the last ones may have unused rows
        self.win = MPI.Win.Allocate(self.block * COLUMNS * 8, 8, comm=comm)
        self.win.Lock_all()
        np.frombuffer(self.win.tomemory(), dtype="d")[:] = 0
        self.win.Sync()
        comm.Barrier()  # nobody adds before all is zero

    def parts(self, top, left, height, width):
        """Each owner of a part of this patch: rank, rows of the patch, and the part's place and shape there."""
        row = top
        while row < top + height:
            owner = row // self.block
            end = min(top + height, (owner + 1) * self.block)
            kind = MPI.DOUBLE.Create_vector(end - row, width, COLUMNS).Commit()
            yield owner, slice(row - top, end - top), ((row - owner * self.block) * COLUMNS + left, 1, kind)
            kind.Free()
            row = end

    def add(self, top, left, patch):
        for owner, rows, where in self.parts(top, left, *patch.shape):
            self.win.Accumulate([patch[rows], MPI.DOUBLE], owner, where, MPI.SUM)
            self.win.Flush_local(owner)  # the patch may change again

    def read(self, top, left, height, width):
        patch = np.empty((height, width))
        for owner, rows, where in self.parts(top, left, height, width):
            self.win.Get([patch[rows], MPI.DOUBLE], owner, where)
            self.win.Flush(owner)
        return patch

    def synchronize(self):
        self.win.Flush_all()
        comm.Barrier()

    def free(self):
        self.win.Unlock_all()
        self.win.Free()


def patch_of(i):
    """Where patch i goes, and what it is."""
    numbers = np.arange(HEIGHT * WIDTH, dtype="d").reshape(HEIGHT, WIDTH)
    return i * 7 % (ROWS - HEIGHT + 1), i * 11 % (COLUMNS - WIDTH + 1), numbers % 10 + i % 41


array = GlobalArray()
for i in range(comm.rank, PATCHES, comm.size):
    array.add(*patch_of(i))
array.synchronize()
got = array.read(0, 0, ROWS, COLUMNS)
array.free()

expected = np.zeros((ROWS, COLUMNS))
for i in range(PATCHES):
    top, left, patch = patch_of(i)
    expected[top:top + HEIGHT, left:left + WIDTH] += patch
wrong = comm.allreduce(int(np.count_nonzero(got != expected)))
if 0 == comm.rank:
    if wrong:
        print(f"wrong: {wrong} numbers")
    else:
        print(f"{PATCHES} patches added to {ROWS} x {COLUMNS} numbers, all of them right, their sum is {got.sum():.0f}")
sys.exit(1 if wrong else 0)
