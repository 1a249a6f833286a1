# The product of two matrices that are too large for one process: each gets the tiles that it needs, when it needs them.
#
# SPDX-License-Identifier: BSD-3-Clause
#
# Why this synchronization: once the matrices are filled, they are only read. One shared lock on all processes is enough
# then, and MPI_MODE_NOCHECK says that nobody locks exclusively, so it costs nothing. Owners take no part: they compute.
# MPI_Rget has a request of its own, so that one tile can be waited for while the next one is on its way. A process
# holds four tiles of the matrices that are read (out of core), however large these are.
#
# run:     mpirun -np 4 python3 matrix_by_get.py
# output:  96 x 96 numbers of the product right, its trace is 55298

import sys

import numpy as np
from mpi4py import MPI

N, TILE = 96, 16  # the matrices have N x N numbers, in tiles of TILE x TILE
TILES = N // TILE

comm = MPI.COMM_WORLD


class TiledMatrix:
    """N x N numbers. Tile number i (row by row) lies at rank i % size, one after another."""

    def __init__(self, formula):
        mine = range(comm.rank, TILES * TILES, comm.size)
        self.win = MPI.Win.Allocate(len(mine) * TILE * TILE * 8, TILE * TILE * 8, comm=comm)
        self.win.Lock(comm.rank, MPI.LOCK_EXCLUSIVE)  # stores to a window need an epoch, too
        memory = np.frombuffer(self.win.tomemory(), dtype="d").reshape(len(mine), TILE, TILE)
        for place, number in enumerate(mine):
            row, column = divmod(number, TILES)
            memory[place] = np.fromfunction(lambda i, j: formula(row * TILE + i, column * TILE + j), (TILE, TILE))
        self.win.Unlock(comm.rank)
        comm.Barrier()  # nobody reads before all is filled
        self.win.Lock_all(MPI.MODE_NOCHECK)

    def begin_get(self, row, column):
        """Ask for a tile. Returns where it will be, and the request to wait for."""
        place, owner = divmod(row * TILES + column, comm.size)
        tile = np.empty((TILE, TILE))
        return tile, self.win.Rget(tile, owner, place)

    def free(self):
        self.win.Unlock_all()
        self.win.Free()


def product_tile(a, b, row, column):
    """A tile of the product. The tiles for the next step arrive while this step is computed."""
    result = np.zeros((TILE, TILE))
    coming = [a.begin_get(row, 0), b.begin_get(0, column)]
    for k in range(TILES):
        (left, left_request), (right, right_request) = coming
        MPI.Request.Waitall([left_request, right_request])
        if k + 1 < TILES:
            coming = [a.begin_get(row, k + 1), b.begin_get(k + 1, column)]
        result += left @ right
    return result


def formula_a(i, j):
    return (i + 2 * j) % 7


def formula_b(i, j):
    return (3 * i + j) % 5


a, b = TiledMatrix(formula_a), TiledMatrix(formula_b)
whole = np.fromfunction(formula_a, (N, N)) @ np.fromfunction(formula_b, (N, N))  # small integers: exact in any order
wrong, trace = 0, 0.0
for number in range(comm.rank, TILES * TILES, comm.size):
    row, column = divmod(number, TILES)
    tile = product_tile(a, b, row, column)
    wrong += np.count_nonzero(tile != whole[row * TILE:(row + 1) * TILE, column * TILE:(column + 1) * TILE])
    trace += np.trace(tile) if row == column else 0.0
a.free()
b.free()

wrong, trace = comm.allreduce(int(wrong)), comm.allreduce(trace)
if 0 == comm.rank:
    print(f"wrong: {wrong} numbers" if wrong else f"{N} x {N} numbers of the product right, its trace is {trace:.0f}")
sys.exit(1 if wrong else 0)
