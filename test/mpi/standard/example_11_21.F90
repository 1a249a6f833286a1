! Example 11.21 in Fortran: memory shared by two processes, ordered by sync and MPI_F_sync_reg; see example_11_21.c.
!
! SPDX-License-Identifier: BSD-3-Clause
#include "fortran_binding.h"

program example_11_21
    use, intrinsic :: iso_c_binding, only: c_ptr, c_null_ptr, c_f_pointer
    TEST_MPI_MODULE
    implicit none
    TEST_MPI_INCLUDE

    integer, parameter :: rounds = 500
    integer :: test_rank, test_size, test_failures, ierr
    integer, pointer, asynchronous :: x => null()
    TEST_HANDLE(MPI_Win) :: win

    call test_init()
    if (test_size /= 2) call test_skip('this is for two processes')
    if (.not. one_node()) call test_skip('no shared memory between all processes')
    call make_x()
    call MPI_Win_lock_all(MPI_MODE_NOCHECK, win, ierr)
    if (test_rank == 0) call process_a()
    if (test_rank == 1) call process_b()
    call MPI_Win_unlock_all(win, ierr)
    call MPI_Win_free(win, ierr)
    call test_finish()

contains

    logical function one_node()
        TEST_HANDLE(MPI_Comm) :: node
        integer :: node_size, ierr

        call MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, node, ierr)
        call MPI_Comm_size(node, node_size, ierr)
        call MPI_Comm_free(node, ierr)
        one_node = node_size == test_size
    end function one_node

    ! x is the same integer for both processes, in the memory of process 0.
    subroutine make_x()
        integer(MPI_ADDRESS_KIND) :: bytes, there
        integer :: unit, ierr
#if defined TEST_MPIFH || defined TEST_USEMPI
        integer(MPI_ADDRESS_KIND) :: base
#else
        type(c_ptr) :: base
#endif

        bytes = 0
        if (test_rank == 0) bytes = storage_size(x) / 8
        call MPI_Win_allocate_shared(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, base, win, ierr)
        call MPI_Win_shared_query(win, 0, there, unit, base, ierr)
        call test_check(there == storage_size(x) / 8 .and. unit == 1, 'MPI_Win_shared_query gave the size', int(there))
        call c_f_pointer(transfer(base, c_null_ptr), x)
    end subroutine make_x

    subroutine process_a()
        integer :: i, token, ierr

        token = 0
        do i = 1, rounds
            x = i
            call MPI_F_sync_reg(x)
            call MPI_Win_sync(win, ierr)
            call MPI_Send(token, 0, MPI_INTEGER, 1, i, MPI_COMM_WORLD, ierr)
            call MPI_Recv(token, 0, MPI_INTEGER, 1, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
            call MPI_F_sync_reg(x)
        end do
    end subroutine process_a

    subroutine process_b()
        integer :: i, token, ierr

        do i = 1, rounds
            call MPI_Recv(token, 0, MPI_INTEGER, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
            call MPI_Win_sync(win, ierr)
            call MPI_F_sync_reg(x)
            call test_check(x == i, 'the wrong x in round', i)
            call MPI_F_sync_reg(x)
            call MPI_Send(token, 0, MPI_INTEGER, 0, i, MPI_COMM_WORLD, ierr)
        end do
    end subroutine process_b

#include "fortran_test.h"
end program example_11_21
