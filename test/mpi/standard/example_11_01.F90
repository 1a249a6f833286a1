! Example 11.1 in Fortran: A = B(map) with one get of a derived type from each process; see example_11_01.c.
!
! SPDX-License-Identifier: BSD-3-Clause
#include "fortran_binding.h"

program example_11_01
    TEST_MPI_MODULE
    implicit none
    TEST_MPI_INCLUDE

    integer, parameter :: sizes(3) = [1, 7, 1000]
    integer :: test_rank, test_size, test_failures, i, kind

    call test_init()
    do i = 1, size(sizes)
        do kind = 1, 4
            call one_map(kind, sizes(i))
        end do
    end do
    call test_finish()

contains

    ! For each process the entries of mine that are mapped into its block, and where they are there, from 0.
    subroutine make_types(map, m, here, there)
        integer, intent(in) :: m, map(m)
        TEST_HANDLE(MPI_Datatype), intent(out) :: here(test_size), there(test_size)
        integer :: from(m), to(m), process, entries, i, ierr

        do process = 1, test_size
            entries = 0
            do i = 1, m
                if (map(i) / m + 1 /= process) cycle
                entries = entries + 1
                from(entries) = i - 1
                to(entries) = mod(map(i), m)
            end do
            call MPI_Type_create_indexed_block(entries, 1, from, MPI_REAL, here(process), ierr)
            call MPI_Type_create_indexed_block(entries, 1, to, MPI_REAL, there(process), ierr)
            call MPI_Type_commit(here(process), ierr)
            call MPI_Type_commit(there(process), ierr)
        end do
    end subroutine make_types

    subroutine map_values(a, b, map, m)
        integer, intent(in) :: m, map(m)
        real, asynchronous, intent(inout) :: a(m), b(m)
        TEST_HANDLE(MPI_Datatype) :: here(test_size), there(test_size)
        TEST_HANDLE(MPI_Win) :: win
        integer(MPI_ADDRESS_KIND) :: lower, extent, disp
        integer :: process, ierr

        call MPI_Type_get_extent(MPI_REAL, lower, extent, ierr)
        call MPI_Win_create(b, m * extent, int(extent), MPI_INFO_NULL, MPI_COMM_WORLD, win, ierr)
        call make_types(map, m, here, there)
        call MPI_Win_fence(0, win, ierr)
        disp = 0
        do process = 1, test_size
            call MPI_Get(a, 1, here(process), process - 1, disp, 1, there(process), win, ierr)
            call test_check(ierr == MPI_SUCCESS, 'MPI_Get returned', ierr)
        end do
        call MPI_Win_fence(0, win, ierr)
        call MPI_F_sync_reg(a)
        call MPI_Win_free(win, ierr)
        do process = 1, test_size
            call MPI_Type_free(here(process), ierr)
            call MPI_Type_free(there(process), ierr)
        end do
    end subroutine map_values

    subroutine one_map(kind, m)
        integer, intent(in) :: kind, m
        real, asynchronous :: a(m), b(m)
        integer :: map(m), first, i

        first = test_rank * m
        do i = 1, m
            map(i) = mapped(first + i - 1, test_size * m, kind)
            a(i) = -1
            b(i) = value_of(first + i - 1)
        end do
        call map_values(a, b, map, m)
        do i = 1, m
            call test_check(a(i) == value_of(map(i)), 'a is wrong at', i)
            call test_check(b(i) == value_of(first + i - 1), 'b was changed at', i)
        end do
    end subroutine one_map

#include "example_map_fortran.h"
#include "fortran_test.h"
end program example_11_01
