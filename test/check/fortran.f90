! The checker's collection: cases in Fortran (mpi_f08), each a subroutine with a window of its own, named like it.
!
! SPDX-License-Identifier: BSD-3-Clause

module cases
    use mpi_f08
    use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
    implicit none

    integer, parameter :: one = 0, other = 1, target_rank = 2, ncells = 64
    integer :: rank
    integer, asynchronous :: values(ncells), results(ncells)
    integer, pointer :: cells(:)
    type(MPI_Win) :: win

contains

    subroutine put(value, cell)
        integer, intent(in), asynchronous :: value(:)
        integer, intent(in) :: cell
        integer(MPI_ADDRESS_KIND) :: disp

        disp = cell
        call MPI_Put(value, size(value), MPI_INTEGER, target_rank, disp, size(value), MPI_INTEGER, win)
    end subroutine

    ! Both put to the same cell between two fences.
    subroutine put_put_fence
        call MPI_Win_fence(0, win)
        if (rank /= target_rank) call put(values(1:1), 5)
        call MPI_Win_fence(0, win)
    end subroutine

    subroutine put_put_fence_apart
        call MPI_Win_fence(0, win)
        if (rank /= target_rank) call put(values(1:4), 4 * rank)
        call MPI_Win_fence(0, win)
    end subroutine

    subroutine acc_put_lock
        integer(MPI_ADDRESS_KIND) :: disp

        disp = 5
        if (rank /= target_rank) call MPI_Win_lock(MPI_LOCK_SHARED, target_rank, 0, win)
        if (rank == one) then
            call MPI_Accumulate(values, 1, MPI_INTEGER, target_rank, disp, 1, MPI_INTEGER, MPI_SUM, win)
        else if (rank == other) then
            call put(values(1:1), 5)
        end if
        call MPI_Barrier(MPI_COMM_WORLD)
        if (rank /= target_rank) call MPI_Win_unlock(target_rank, win)
    end subroutine

    subroutine acc_acc_lock
        integer(MPI_ADDRESS_KIND) :: disp

        disp = 5
        call MPI_Win_lock(MPI_LOCK_SHARED, target_rank, 0, win)
        call MPI_Accumulate(values, 4, MPI_INTEGER, target_rank, disp, 4, MPI_INTEGER, MPI_SUM, win)
        call MPI_Win_unlock(target_rank, win)
    end subroutine

    subroutine origin_changed
        if (rank == one) then
            call MPI_Win_lock(MPI_LOCK_SHARED, target_rank, 0, win)
            call put(values(1:1), 5)
            values(1) = 3
            call MPI_Win_unlock(target_rank, win)
        end if
    end subroutine

    subroutine origin_changed_after_flush
        if (rank == one) then
            call MPI_Win_lock(MPI_LOCK_SHARED, target_rank, 0, win)
            call put(values(1:1), 5)
            call MPI_Win_flush_local(target_rank, win)
            values(1) = 3
            call MPI_Win_unlock(target_rank, win)
        end if
    end subroutine

    subroutine store_put
        call MPI_Win_fence(0, win)
        if (rank == one) then
            values(1) = 1
            call put(values(1:1), 5)
        else if (rank == target_rank) then
            cells(6) = 2
        end if
        call MPI_Win_fence(0, win)
    end subroutine

    ! A flush and a message order the second put.
    subroutine flush_send_put
        call MPI_Win_lock_all(0, win)
        if (rank == one) then
            call put(values(1:1), 5)
            call MPI_Win_flush(target_rank, win)
            call MPI_Send(values, 0, MPI_INTEGER, other, 0, MPI_COMM_WORLD)
        else if (rank == other) then
            call MPI_Recv(results, 0, MPI_INTEGER, one, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
            call put(values(1:1), 5)
        end if
        call MPI_Win_unlock_all(win)
    end subroutine

    ! `kind` is that of the finding that tells of the mistake, or "correct".
    subroutine run(name, kind, body)
        character(*), intent(in) :: name, kind
        interface
            subroutine body
            end subroutine
        end interface
        type(c_ptr) :: base

        values = 0
        results = 0
        call MPI_Win_allocate(4_MPI_ADDRESS_KIND * ncells, 4, MPI_INFO_NULL, MPI_COMM_WORLD, base, win)
        call c_f_pointer(base, cells, [ncells])
        call MPI_Win_set_name(win, name)
        cells = 0
        call MPI_Barrier(MPI_COMM_WORLD)
        if (rank == one) print "(a)", "case " // name // " " // kind
        call body
        call MPI_Win_free(win)
    end subroutine
end module

program fortran
    use cases
    implicit none

    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call run("fortran_put_put_fence", "put-put", put_put_fence)
    call run("fortran_put_put_fence_apart", "correct", put_put_fence_apart)
    call run("fortran_acc_put_lock", "accumulate-put", acc_put_lock)
    call run("fortran_acc_acc_lock", "correct", acc_acc_lock)
    call run("fortran_origin_changed", "buffer-changed", origin_changed)
    call run("fortran_origin_changed_after_flush", "correct", origin_changed_after_flush)
    call run("fortran_store_put", "put-store", store_put)
    call run("fortran_flush_send_put", "correct", flush_send_put)
    call MPI_Finalize()
end program
