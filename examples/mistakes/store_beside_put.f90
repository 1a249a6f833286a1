! Mistake: a process stores to its own memory where another one puts. The barrier between them does not complete the put.
! Cure: a fence in the place of the barrier.
!
! SPDX-License-Identifier: BSD-3-Clause
program store_beside_put
    use mpi_f08
    use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
    implicit none

    integer(MPI_ADDRESS_KIND), parameter :: bytes = 16, first = 0
    integer, asynchronous :: mine = 7
    integer, pointer :: memory(:)
    integer :: rank
    type(c_ptr) :: base
    type(MPI_Win) :: win

    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Win_allocate(bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, base, win)
    call c_f_pointer(base, memory, [4])
    call MPI_Win_set_name(win, "cells")
    memory = 0
    call MPI_Win_fence(0, win)
    if (rank == 0) call MPI_Put(mine, 1, MPI_INTEGER, 1, first, 1, MPI_INTEGER, win)
#ifdef CURED
    call MPI_Win_fence(0, win)
#else
    call MPI_Barrier(MPI_COMM_WORLD)
#endif
    if (rank == 1) memory(1) = 5
    call MPI_Win_fence(MPI_MODE_NOSUCCEED, win)
    call MPI_Win_free(win)
    call MPI_Finalize()
end program
