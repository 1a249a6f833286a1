! Notified access from Fortran: each call of the module osc_ucp_ext_f08 once or more.
!
! SPDX-License-Identifier: BSD-3-Clause

program notify_fortran
    use, intrinsic :: iso_c_binding, only: c_f_pointer, c_ptr
    use mpi_f08
    use osc_ucp_ext_f08
    implicit none
    integer, parameter :: n = 100
    integer :: test_rank, test_size, test_failures
    integer :: right, left, number, num_sb, num_ub, code, class, i
    integer(MPI_COUNT_KIND) :: value, value_ub
    logical :: flag
    type(c_ptr) :: base
    type(MPI_Win) :: win
    type(MPI_Request) :: request
    integer, pointer, asynchronous :: mine(:)
    integer, asynchronous :: square(n, 2), fetched(n), one

    call test_init()
    right = mod(test_rank + 1, test_size)
    left = mod(test_rank + test_size - 1, test_size)
    call MPI_Win_allocate(int(4 * n, MPI_ADDRESS_KIND), 4, MPI_INFO_NULL, MPI_COMM_WORLD, base, win)
    call c_f_pointer(base, mine, [n])
    mine = -1
    call limits()
    call MPI_Barrier(MPI_COMM_WORLD)
    call MPI_Win_lock_all(0, win)
    call plain()
    call requests()
    call refused()
    call MPI_Win_unlock_all(win)
    call MPI_Win_free(win)
    call test_finish()

contains

    include 'fortran_test.h'

    subroutine limits()
        call MPIX_Win_notify_supported(win, flag)
        call test_check(flag, 'not supported', 0)
        call MPIX_Win_notify_limits(win, num_sb, num_ub, value_ub)
        call test_check(num_sb > 0 .and. num_sb <= num_ub .and. value_ub > 0, 'the limits', num_ub)
        call MPIX_Win_set_num_notify(win, MPI_INFO_NULL, 2)
        call MPIX_Win_get_num_notify(win, right, number)
        call test_check(2 == number, 'number of counters', number)
    end subroutine limits

    ! Arrays, a section, a scalar, and MPI_BOTTOM.
    subroutine plain()
        integer(MPI_ADDRESS_KIND) :: address
        type(MPI_Datatype) :: absolute

        square(:, 1) = 0
        square(:, 2) = [(1000 * test_rank + i, i = 1, n)]
        call MPIX_Put_notify(square(:, 2), n, MPI_INTEGER, right, 0_MPI_ADDRESS_KIND, n, MPI_INTEGER, 1, win)
        call MPI_Win_flush(right, win)
        call MPIX_Win_notify_wait(win, 1, 1_MPI_COUNT_KIND, value)
        call test_check(1 == value, 'notifications of a put', int(value))
        call test_check(all(mine == [(1000 * left + i, i = 1, n)]), 'what was put', mine(1))
        call MPI_Barrier(MPI_COMM_WORLD)
        one = 1
        call MPIX_Accumulate_notify(one, 1, MPI_INTEGER, right, 0_MPI_ADDRESS_KIND, 1, MPI_INTEGER, MPI_SUM, 1, win)
        call MPI_Win_flush(right, win)
        call MPIX_Get_accumulate_notify(one, 1, MPI_INTEGER, fetched, 1, MPI_INTEGER, right, 0_MPI_ADDRESS_KIND, 1, &
            MPI_INTEGER, MPI_SUM, 1, win)
        call MPI_Win_flush(right, win)
        call test_check(1000 * test_rank + 2 == fetched(1), 'what get_accumulate fetched', fetched(1))
        call MPI_Get_address(fetched, address)
        call MPI_Type_create_hindexed(1, [n], [address], MPI_INTEGER, absolute)
        call MPI_Type_commit(absolute)
        call MPIX_Get_notify(MPI_BOTTOM, 1, absolute, right, 0_MPI_ADDRESS_KIND, n, MPI_INTEGER, 1, win)
        call MPI_Win_flush(right, win)
        call MPI_F_sync_reg(fetched)
        call test_check(1000 * test_rank + 3 == fetched(1) .and. square(n, 2) == fetched(n), 'what was got', fetched(1))
        call MPI_Type_free(absolute)
        call MPIX_Win_notify_wait(win, 1, 4_MPI_COUNT_KIND, value)
        call MPIX_Win_reset_notify_value(win, 1, value)
        call test_check(4 == value, 'what reset gave', int(value))
    end subroutine plain

    subroutine requests()
        type(MPI_Request) :: reached

        call MPIX_Win_notify_threshold(win, 0, 4_MPI_COUNT_KIND, reached)
        call MPI_Barrier(MPI_COMM_WORLD)
        call MPIX_Rput_notify(square(:, 2), n, MPI_INTEGER, right, 0_MPI_ADDRESS_KIND, n, MPI_INTEGER, 0, win, request)
        call MPI_Wait(request, MPI_STATUS_IGNORE)
        call MPI_Win_flush(right, win)
        call MPIX_Raccumulate_notify(one, 1, MPI_INTEGER, right, 0_MPI_ADDRESS_KIND, 1, MPI_INTEGER, MPI_SUM, 0, win, &
            request)
        call MPI_Wait(request, MPI_STATUS_IGNORE)
        call MPI_Win_flush(right, win)
        call MPIX_Rget_accumulate_notify(one, 1, MPI_INTEGER, fetched, 1, MPI_INTEGER, right, 0_MPI_ADDRESS_KIND, 1, &
            MPI_INTEGER, MPI_SUM, 0, win, request)
        call MPI_Wait(request, MPI_STATUS_IGNORE)
        call test_check(1000 * test_rank + 2 == fetched(1), 'what rget_accumulate fetched', fetched(1))
        call MPIX_Rget_notify(fetched, n, MPI_INTEGER, right, 0_MPI_ADDRESS_KIND, n, MPI_INTEGER, 0, win, request)
        call MPI_Wait(request, MPI_STATUS_IGNORE)
        call test_check(1000 * test_rank + 3 == fetched(1), 'what rget got', fetched(1))
        call MPI_Win_flush_all(win)
        call MPI_Wait(reached, MPI_STATUS_IGNORE)
        call MPIX_Win_get_notify_value(win, 0, value)
        call test_check(4 == value, 'notifications of requests', int(value))
    end subroutine requests

    subroutine refused()
        call MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN)
        call MPIX_Put_notify(one, 1, MPI_INTEGER, right, 0_MPI_ADDRESS_KIND, 1, MPI_INTEGER, 2, win, code)
        call MPI_Error_class(code, class)
        call test_check(MPIX_ERR_RMA_NOTIFICATION() == class, 'the class of a wrong index', class)
        call MPIX_Rput_notify(one, 1, MPI_INTEGER, right, 0_MPI_ADDRESS_KIND, 1, MPI_INTEGER, 2, win, request, code)
        call test_check(MPI_SUCCESS /= code .and. MPI_REQUEST_NULL == request, 'a request that is refused', code)
    end subroutine refused
end program notify_fortran
