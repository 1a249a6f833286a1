# Notified access from Python: each function of the module osc_ucp_ext.
#
# SPDX-License-Identifier: BSD-3-Clause

import array
import ctypes
import sys

from mpi4py import MPI

import osc_ucp_ext as ext

comm = MPI.COMM_WORLD
N = 10
right, left = (comm.rank + 1) % comm.size, (comm.rank - 1) % comm.size
wrong = 0


def check(right_, what):
    global wrong
    if not right_:
        wrong += 1
        print(f"wrong on rank {comm.rank}: {what}", file=sys.stderr, flush=True)


def numbers(rank):
    return array.array("d", [100.0 * rank + i for i in range(N)])


win = MPI.Win.Allocate(8 * N, 8, comm=comm)
mine = memoryview(win.tomemory()).cast("B").cast("d")
check(ext.Win_notify_supported(win), "not supported")
most, bound, largest = ext.Win_notify_limits(win)
check(0 < most <= bound and largest > 0, "the limits")
ext.Win_set_num_notify(win, 2)
check(ext.Win_get_num_notify(win, right) == 2, "the number of counters")
win.Lock_all()

# a buffer, with a datatype and without; the lists of what is there are of all ways
for index, origin, result in ((0, numbers(comm.rank), numbers(0)),
                              (1, [numbers(comm.rank), MPI.DOUBLE], [numbers(0), MPI.DOUBLE])):
    comm.Barrier()
    ext.Put_notify(win, origin, right, 0, index)
    win.Flush(right)
    check(ext.Win_notify_wait(win, index, 1) == 1, "the count of a put")
    check(list(mine) == list(numbers(left)), "what was put")
    comm.Barrier()
    ext.Accumulate_notify(win, origin, right, 0, index, MPI.SUM)
    win.Flush(right)
    ext.Get_accumulate_notify(win, origin, result, right, 0, index, MPI.SUM)
    win.Flush(right)
    got = result[0] if index else result
    check(list(got) == [2 * x for x in numbers(comm.rank)], "what get_accumulate gave")
    ext.Get_notify(win, result, right, 0, index)
    win.Flush(right)
    check(list(got) == [3 * x for x in numbers(comm.rank)], "what was got")
    check(ext.Win_notify_wait(win, index, 4) == 4, "the count")
    check(ext.Win_reset_notify_value(win, index) == 4, "the value before the reset")
    check(ext.Win_get_notify_value(win, index) == 0, "the value after the reset")

# a datatype with a gap: elements count with their gaps, and none reaches out of the buffer
gap = MPI.DOUBLE.Create_vector(2, 1, 2).Commit()
column = gap.Create_resized(0, 8).Commit()
for spec, there in (([numbers(comm.rank)[:6], gap], (0, 2, 3, 5)), ((numbers(comm.rank), 1, column), (0, 2)),
                    ((ctypes.c_double * 2)(*numbers(comm.rank)[:2]), (0, 1))):
    mine[:] = array.array("d", N * [-1])
    comm.Barrier()
    ext.Put_notify(win, spec, right, 0, 1)
    win.Flush(right)
    ext.Win_notify_wait(win, 1, 1)
    ext.Win_reset_notify_value(win, 1)
    check(list(mine) == [numbers(left)[i] if i in there else -1 for i in range(N)], f"what {spec} put: {list(mine)}")
    comm.Barrier()

reached = ext.Win_notify_threshold(win, 1, 4)
check(not reached.Test(), "a request before there is a notification")
comm.Barrier()
fetched = numbers(0)
ext.Rput_notify(win, numbers(comm.rank), right, 0, 1).Wait()
win.Flush(right)
ext.Raccumulate_notify(win, numbers(comm.rank), right, 0, 1, MPI.SUM).Wait()
win.Flush(right)
ext.Rget_accumulate_notify(win, numbers(comm.rank), fetched, right, 0, 1, MPI.SUM).Wait()
check(list(fetched) == [2 * x for x in numbers(comm.rank)], "what rget_accumulate gave")
win.Flush(right)
ext.Rget_notify(win, fetched, right, 0, 1).Wait()
check(list(fetched) == [3 * x for x in numbers(comm.rank)], "what rget got")
win.Flush(right)
reached.Wait()
check(ext.Win_get_notify_value(win, 1) == 4, "the count of requests")

try:
    ext.Put_notify(win, numbers(0), right, 0, 2)
    check(False, "a wrong index is not refused")
except MPI.Exception as error:
    check(error.Get_error_class() == ext.err_rma_notification(), f"a wrong index gives: {error}")
for bad in ("text", [bytearray(7), MPI.DOUBLE], [bytearray(8), 3], None, [numbers(0), column],
            [bytearray(8), 2, MPI.DOUBLE], [bytearray(8), -1, MPI.DOUBLE], [bytearray(8), "1", MPI.DOUBLE]):
    try:
        ext.Put_notify(win, bad, right, 0, 1)
        check(False, f"{bad} is taken as a buffer")
    except (TypeError, ValueError):
        pass
try:
    ext.Get_notify(win, bytes(8), right, 0, 1)
    check(False, "constant memory is written")
except BufferError:
    pass
win.Unlock_all()
win.Free()
wrong = comm.allreduce(wrong)
if comm.rank == 0 and not wrong:
    print(f"all right with {comm.size} processes")
sys.exit(1 if wrong else 0)
