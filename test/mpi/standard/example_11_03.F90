! Example 11.3 in Fortran: B(j) = sum of A(i) with map(i) = j, an accumulate for each entry; see example_11_03.c.
!
! SPDX-License-Identifier: BSD-3-Clause
#include "fortran_binding.h"

program example_11_03
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

    subroutine sum_up(a, b, map, m)
        integer, intent(in) :: m, map(m)
        real, asynchronous, intent(inout) :: a(m), b(m)
        TEST_HANDLE(MPI_Win) :: win
        integer(MPI_ADDRESS_KIND) :: lower, extent, disp
        integer :: i, ierr

        call MPI_Type_get_extent(MPI_REAL, lower, extent, ierr)
        call MPI_Win_create(b, m * extent, int(extent), MPI_INFO_NULL, MPI_COMM_WORLD, win, ierr)
        call MPI_Win_fence(0, win, ierr)
        do i = 1, m
            disp = mod(map(i), m)
            call MPI_Accumulate(a(i), 1, MPI_REAL, map(i) / m, disp, 1, MPI_REAL, MPI_SUM, win, ierr)
            call test_check(ierr == MPI_SUCCESS, 'MPI_Accumulate returned', ierr)
        end do
        call MPI_Win_fence(0, win, ierr)
        call MPI_F_sync_reg(b)
        call MPI_Win_free(win, ierr)
    end subroutine sum_up

    subroutine one_map(kind, m)
        integer, intent(in) :: kind, m
        real, asynchronous :: a(m), b(m)
        real :: wanted(m)
        integer :: map(m), first, i, j

        first = test_rank * m
        do i = 1, m
            map(i) = mapped(first + i - 1, test_size * m, kind)
            a(i) = value_of(first + i - 1)
            b(i) = real(i)
            wanted(i) = real(i)
        end do
        do i = 0, test_size * m - 1
            j = mapped(i, test_size * m, kind) - first
            if (j >= 0 .and. j < m) wanted(j + 1) = wanted(j + 1) + value_of(i)
        end do
        call sum_up(a, b, map, m)
        do i = 1, m
            call test_check(b(i) == wanted(i), 'b is wrong at', i)
            call test_check(a(i) == value_of(first + i - 1), 'a was changed at', i)
        end do
    end subroutine one_map

#include "example_map_fortran.h"
#include "fortran_test.h"
end program example_11_03
