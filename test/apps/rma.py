# Every one-sided call that mpi4py has, with the data checked; rank 0 prints "all right" at the end.
#
# SPDX-License-Identifier: BSD-3-Clause
#
# For 2 or more processes. At its end it compares what it has called with what mpi4py offers.

from array import array

from mpi4py import MPI

comm = MPI.COMM_WORLD
me = comm.rank
size = comm.size
succ = (me + 1) % size
pred = (me - 1) % size
INT = array("i").itemsize
called = set()


def check(got, want, what):
    if got != want:
        print(f"rank {me}: wrong: {what}: {got!r}, not {want!r}", flush=True)
        comm.Abort(1)


class Recorder:
    """A window that remembers which of its methods and properties were used."""

    def __init__(self, win):
        self.__dict__["win"] = win

    def __getattr__(self, name):
        called.add(name)
        return getattr(self.win, name)

    def __setattr__(self, name, value):
        called.add(name)
        setattr(self.win, name, value)


def window(name, *args, **kwargs):
    called.add(name)
    return Recorder(getattr(MPI.Win, name)(*args, **kwargs))


def ints(*values):
    return array("i", values)


def memory_of(win):
    return memoryview(win.tomemory()).cast("B").cast("i")


# ---- windows ----


def dynamic_address(memory):
    """Attach memory to a new dynamic window; returns the window and everybody's addresses."""
    win = window("Create_dynamic", MPI.INFO_NULL, comm)
    check(win.flavor, MPI.WIN_FLAVOR_DYNAMIC, "the flavor of a dynamic window")
    win.Attach(memory)
    return win, comm.allgather(MPI.Get_address(memory))


def windows():
    memory = ints(*range(10))
    created = window("Create", memory, INT, MPI.INFO_NULL, comm)
    check(created.flavor, MPI.WIN_FLAVOR_CREATE, "the flavor of a created window")
    check(created.model, MPI.WIN_UNIFIED, "the memory model")
    check(created.attrs[1:], (10 * INT, INT), "size and unit")
    created.Free()

    allocated = window("Allocate", 10 * INT, INT, MPI.INFO_NULL, comm)
    check(allocated.flavor, MPI.WIN_FLAVOR_ALLOCATE, "the flavor of an allocated window")
    check(len(memory_of(allocated)), 10, "the length of a window's memory")
    check(allocated.Get_attr(MPI.WIN_SIZE), 10 * INT, "the attribute WIN_SIZE")
    allocated.Free()

    dynamic, addresses = dynamic_address(memory)
    comm.Barrier()
    got = ints(0, 0)
    dynamic.Lock(succ)
    dynamic.Get(got, succ, (addresses[succ] + 4 * INT, 2, MPI.INT))
    dynamic.Unlock(succ)
    check(got.tolist(), [4, 5], "a get from a dynamic window")
    comm.Barrier()
    dynamic.Detach(memory)
    dynamic.Free()


def shared_memory():
    node = comm.Split_type(MPI.COMM_TYPE_SHARED)
    win = window("Allocate_shared", 4 * INT, INT, MPI.INFO_NULL, node)
    check(win.flavor, MPI.WIN_FLAVOR_SHARED, "the flavor of a shared window")
    win.Lock_all()
    memory_of(win)[0] = 70 + node.rank
    win.Sync()
    node.Barrier()
    win.Sync()
    other = (node.rank + 1) % node.size
    memory, unit = win.Shared_query(other)
    check(unit, INT, "the unit of Shared_query")
    check(memoryview(memory).cast("B").cast("i")[0], 70 + other, "a neighbour's memory")
    win.Unlock_all()
    win.Free()
    node.Free()


def properties(win):
    win.Set_name("a window")
    check(win.Get_name(), "a window", "the name")
    win.name = "another"
    check(win.name, "another", "the name as a property")
    group = win.Get_group()
    check(group.size, size, "the group's size")
    group.Free()
    win.group.Free()
    info = win.Get_info()
    win.Set_info(info)
    win.info = info
    win.info.Free()
    info.Free()
    called.update(("Create_keyval", "Free_keyval"))
    keyval = MPI.Win.Create_keyval()
    win.Set_attr(keyval, "mine")
    check(win.Get_attr(keyval), "mine", "an attribute")
    win.Delete_attr(keyval)
    check(win.Get_attr(keyval), None, "a deleted attribute")
    MPI.Win.Free_keyval(keyval)
    check(MPI.Win.f2py(win.py2f()).flavor, win.flavor, "a window from its Fortran handle")
    called.add("f2py")
    if hasattr(win, "handle"):
        properties_since_4(win)


def properties_since_4(win):
    """What mpi4py has from version 4 on."""
    check((win.group_rank, win.group_size), (me, size), "rank and size of the group")
    check(MPI.Win.fromhandle(win.handle).flavor, win.flavor, "a window from its handle")
    called.add("fromhandle")
    MPI.Win().free()
    called.add("free")


def errors(win):
    win.Set_errhandler(MPI.ERRORS_RETURN)
    check(win.Get_errhandler() == MPI.ERRORS_RETURN, True, "the error handler")
    put = ints(1)
    win.Lock(succ)
    try:
        win.Put(put, succ, 1 << 20)
        win.Flush(succ)
        error = MPI.SUCCESS
    except MPI.Exception as exception:
        error = exception.Get_error_class()
    check(error, MPI.ERR_RMA_RANGE, "the class of an error")
    win.Unlock(succ)
    win.Call_errhandler(MPI.ERR_OTHER)
    if hasattr(MPI.Win, "Create_errhandler"):
        errors_since_4(win)


def errors_since_4(win):
    """What mpi4py has from version 4 on: an error handler in Python."""
    seen = []
    handler = MPI.Win.Create_errhandler(lambda _, error: seen.append(error))
    called.add("Create_errhandler")
    win.Set_errhandler(handler)
    win.Call_errhandler(MPI.ERR_OTHER)
    check(seen, [MPI.ERR_OTHER], "errors that a handler got")
    win.Set_errhandler(MPI.ERRORS_RETURN)
    handler.Free()


# ---- communication; the window has 16 ints, all zero at the beginning of each. What is sent has a name, since it must
# ---- be there until the call is complete ----


def fence(win, mine):
    put, added, got = ints(me, 2 * me), ints(me + 1), ints(0, 0)
    win.Fence(MPI.MODE_NOPRECEDE)
    win.Put(put, succ, 3)
    win.Fence()
    check(mine[3:5].tolist(), [pred, 2 * pred], "a put")
    win.Get(got, succ, 3)
    win.Fence()
    check(got.tolist(), [me, 2 * me], "a get")
    for target in range(size):
        win.Accumulate(added, target, 7, MPI.SUM)
    win.Fence(MPI.MODE_NOSUCCEED)
    check(mine[7], size * (size + 1) // 2, "accumulated sums")


def derived_types(win, mine):
    column = MPI.INT.Create_vector(4, 1, 4).Commit()
    put, got = ints(*range(100, 104)), array("i", [0] * 16)
    win.Fence()
    win.Put((put, 4, MPI.INT), succ, (1, 1, column))
    win.Fence()
    check(mine.tolist(), [100 + i // 4 if i % 4 == 1 else 0 for i in range(16)], "a put into a column")
    win.Get((got, 1, column), succ, (1, 1, column))
    win.Fence()
    check(got.tolist(), [100 + i // 4 if i % 4 == 0 else 0 for i in range(16)], "a get of a column")
    column.Free()


def post_start(win, mine):
    origin = comm.group.Incl([pred])
    target = comm.group.Incl([succ])
    put = ints(me + 1)
    for last in (win.Wait, win.Test):
        win.Post(origin)
        win.Start(target)
        win.Put(put, succ, 9)
        win.Complete()
        while last() is False:
            pass
        check(mine[9], pred + 1, "a put between start and complete")
        mine[9] = 0
    comm.Barrier()
    origin.Free()
    target.Free()


def locks(win, mine):
    one, both, old, got = ints(1), ints(1, 10), ints(-1), ints(0, 0)
    win.Lock(0, MPI.LOCK_EXCLUSIVE)
    win.Fetch_and_op(one, old, 0, 0, MPI.SUM)
    win.Flush_local(0)
    check(0 <= old[0] < size, True, "a ticket")
    win.Unlock(0)
    win.Lock(0, MPI.LOCK_SHARED)
    win.Get_accumulate(both, got, 0, 1, MPI.SUM)
    win.Flush(0)
    check(got[1], 10 * got[0], "two sums fetched at once")
    win.Unlock(0)
    comm.Barrier()
    if me == 0:
        check(mine[:3].tolist(), [size, size, 10 * size], "sums under a lock")
    comm.Barrier()


def lock_all(win, mine):
    put, old = ints(me + 50), ints(-1)
    win.Lock_all()
    for turn in range(me, 3 * size, size):
        mine_now, next_now = ints(turn), ints(turn + 1)
        while old[0] != turn:
            win.Compare_and_swap(next_now, mine_now, old, 0, 0)
            win.Flush(0)
    for target in range(size):
        win.Put(put, target, 4 + me % 8)
        win.Flush_local_all()
    win.Flush_all()
    comm.Barrier()
    win.Sync()
    check(mine[4 + pred % 8], pred + 50, "a put after Flush_all")
    check(mine[0], 3 * size if me == 0 else 0, "turns taken by compare and swap")
    comm.Barrier()
    win.Unlock_all()


def requests(win, mine):
    put, factor, one, got, old = ints(me + 5), ints(3), ints(1), ints(0), ints(0)
    win.Lock_all()
    win.Rput(put, succ, 2).Wait()
    win.Flush(succ)
    win.Rget(got, succ, 2).Wait()
    check(got[0], me + 5, "Rput and Rget")
    win.Raccumulate(factor, succ, 2, MPI.PROD).Wait()
    win.Flush(succ)
    win.Rget_accumulate(one, old, succ, 2, MPI.REPLACE).Wait()
    check(old[0], 3 * (me + 5), "Raccumulate and Rget_accumulate")
    win.Unlock_all()
    comm.Barrier()
    check(mine[2], 1, "what Rget_accumulate left")


def kinds_of_windows():
    """The windows to communicate in, each with a function that frees it."""
    memory = array("i", [0] * 16)
    yield window("Create", memory, INT, MPI.INFO_NULL, comm), memory
    win = window("Allocate", 16 * INT, INT, MPI.INFO_NULL, comm)
    yield win, memory_of(win)


windows()
shared_memory()
for win, mine in kinds_of_windows():
    properties(win)
    errors(win)
    for test in fence, derived_types, post_start, locks, lock_all, requests:
        comm.Barrier()
        for i in range(16):
            mine[i] = 0
        comm.Barrier()
        test(win, memoryview(mine))
    comm.Barrier()
    mine = None
    win.Free()
missed = {name for name in dir(MPI.Win) if not name.startswith("_")} - called
check(sorted(missed), [], "calls of mpi4py that this does not make")
comm.Barrier()
if me == 0:
    print(f"all right with {size} processes", flush=True)
