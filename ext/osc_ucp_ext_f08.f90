! Notified access for Fortran, with the handles and the style of mpi_f08. See docs/notified.md.
!
! SPDX-License-Identifier: BSD-3-Clause
!
! A module file is of one compiler, in one version: so programs compile this file themselves, and link with osc_ucp_ext.
! Arguments are as in osc_ucp_ext.h, and ierror is optional. Sections of arrays must be contiguous.

module osc_ucp_ext_f08
    use, intrinsic :: iso_c_binding, only: c_associated, c_int, c_intptr_t, c_loc, c_long_long, c_null_ptr, c_ptr
    use mpi_f08
    implicit none
    private
    public :: MPIX_Put_notify, MPIX_Get_notify, MPIX_Accumulate_notify, MPIX_Get_accumulate_notify, &
        MPIX_Rput_notify, MPIX_Rget_notify, MPIX_Raccumulate_notify, MPIX_Rget_accumulate_notify, &
        MPIX_Win_set_num_notify, MPIX_Win_get_num_notify, MPIX_Win_get_notify_value, MPIX_Win_reset_notify_value, &
        MPIX_Win_notify_threshold, MPIX_Win_notify_wait, MPIX_Win_notify_supported, MPIX_Win_notify_limits, &
        MPIX_ERR_RMA_NOTIFICATION

    ! Open MPI's conversions of handles are functions, and its handles in C are pointers.
    interface
        type(c_ptr) function MPI_Type_f2c(datatype) bind(C, name='MPI_Type_f2c')
            import :: c_int, c_ptr
            integer(c_int), value :: datatype
        end function MPI_Type_f2c

        type(c_ptr) function MPI_Op_f2c(op) bind(C, name='MPI_Op_f2c')
            import :: c_int, c_ptr
            integer(c_int), value :: op
        end function MPI_Op_f2c

        type(c_ptr) function MPI_Info_f2c(info) bind(C, name='MPI_Info_f2c')
            import :: c_int, c_ptr
            integer(c_int), value :: info
        end function MPI_Info_f2c

        type(c_ptr) function MPI_Win_f2c(win) bind(C, name='MPI_Win_f2c')
            import :: c_int, c_ptr
            integer(c_int), value :: win
        end function MPI_Win_f2c

        type(c_ptr) function MPI_Request_f2c(request) bind(C, name='MPI_Request_f2c')
            import :: c_int, c_ptr
            integer(c_int), value :: request
        end function MPI_Request_f2c

        integer(c_int) function MPI_Request_c2f(request) bind(C, name='MPI_Request_c2f')
            import :: c_int, c_ptr
            type(c_ptr), value :: request
        end function MPI_Request_c2f
    end interface

    interface
        integer(c_int) function c_put(origin_addr, origin_count, origin_datatype, target_rank, target_disp, &
                target_count, target_datatype, notification_idx, win) &
                bind(C, name='osc_ucp_ext_put_notify')
            import :: c_int, c_intptr_t, c_ptr
            type(c_ptr), value :: origin_addr, origin_datatype, target_datatype, win
            integer(c_int), value :: origin_count, target_rank, target_count, notification_idx
            integer(c_intptr_t), value :: target_disp
        end function c_put

        integer(c_int) function c_get(origin_addr, origin_count, origin_datatype, target_rank, target_disp, &
                target_count, target_datatype, notification_idx, win) &
                bind(C, name='osc_ucp_ext_get_notify')
            import :: c_int, c_intptr_t, c_ptr
            type(c_ptr), value :: origin_addr, origin_datatype, target_datatype, win
            integer(c_int), value :: origin_count, target_rank, target_count, notification_idx
            integer(c_intptr_t), value :: target_disp
        end function c_get

        integer(c_int) function c_accumulate(origin_addr, origin_count, origin_datatype, target_rank, target_disp, &
                target_count, target_datatype, op, notification_idx, win) &
                bind(C, name='osc_ucp_ext_accumulate_notify')
            import :: c_int, c_intptr_t, c_ptr
            type(c_ptr), value :: origin_addr, origin_datatype, target_datatype, op, win
            integer(c_int), value :: origin_count, target_rank, target_count, notification_idx
            integer(c_intptr_t), value :: target_disp
        end function c_accumulate

        integer(c_int) function c_get_accumulate(origin_addr, origin_count, origin_datatype, result_addr, &
                result_count, result_datatype, target_rank, target_disp, target_count, target_datatype, op, &
                notification_idx, win) &
                bind(C, name='osc_ucp_ext_get_accumulate_notify')
            import :: c_int, c_intptr_t, c_ptr
            type(c_ptr), value :: origin_addr, origin_datatype, result_addr, result_datatype, target_datatype, op, &
                win
            integer(c_int), value :: origin_count, result_count, target_rank, target_count, notification_idx
            integer(c_intptr_t), value :: target_disp
        end function c_get_accumulate

        integer(c_int) function c_rput(origin_addr, origin_count, origin_datatype, target_rank, target_disp, &
                target_count, target_datatype, notification_idx, win, request) &
                bind(C, name='osc_ucp_ext_rput_notify')
            import :: c_int, c_intptr_t, c_ptr
            type(c_ptr), value :: origin_addr, origin_datatype, target_datatype, win
            integer(c_int), value :: origin_count, target_rank, target_count, notification_idx
            integer(c_intptr_t), value :: target_disp
            type(c_ptr), intent(inout) :: request
        end function c_rput

        integer(c_int) function c_rget(origin_addr, origin_count, origin_datatype, target_rank, target_disp, &
                target_count, target_datatype, notification_idx, win, request) &
                bind(C, name='osc_ucp_ext_rget_notify')
            import :: c_int, c_intptr_t, c_ptr
            type(c_ptr), value :: origin_addr, origin_datatype, target_datatype, win
            integer(c_int), value :: origin_count, target_rank, target_count, notification_idx
            integer(c_intptr_t), value :: target_disp
            type(c_ptr), intent(inout) :: request
        end function c_rget

        integer(c_int) function c_raccumulate(origin_addr, origin_count, origin_datatype, target_rank, &
                target_disp, target_count, target_datatype, op, notification_idx, win, request) &
                bind(C, name='osc_ucp_ext_raccumulate_notify')
            import :: c_int, c_intptr_t, c_ptr
            type(c_ptr), value :: origin_addr, origin_datatype, target_datatype, op, win
            integer(c_int), value :: origin_count, target_rank, target_count, notification_idx
            integer(c_intptr_t), value :: target_disp
            type(c_ptr), intent(inout) :: request
        end function c_raccumulate

        integer(c_int) function c_rget_accumulate(origin_addr, origin_count, origin_datatype, result_addr, &
                result_count, result_datatype, target_rank, target_disp, target_count, target_datatype, op, &
                notification_idx, win, request) &
                bind(C, name='osc_ucp_ext_rget_accumulate_notify')
            import :: c_int, c_intptr_t, c_ptr
            type(c_ptr), value :: origin_addr, origin_datatype, result_addr, result_datatype, target_datatype, op, &
                win
            integer(c_int), value :: origin_count, result_count, target_rank, target_count, notification_idx
            integer(c_intptr_t), value :: target_disp
            type(c_ptr), intent(inout) :: request
        end function c_rget_accumulate

        integer(c_int) function c_win_set_num_notify(win, info, num_notifications) &
                bind(C, name='osc_ucp_ext_win_set_num_notify')
            import :: c_int, c_ptr
            type(c_ptr), value :: win
            type(c_ptr), value :: info
            integer(c_int), value :: num_notifications
        end function c_win_set_num_notify

        integer(c_int) function c_win_get_num_notify(win, target_rank, num_notifications) &
                bind(C, name='osc_ucp_ext_win_get_num_notify')
            import :: c_int, c_ptr
            type(c_ptr), value :: win
            integer(c_int), value :: target_rank
            integer(c_int), intent(out) :: num_notifications
        end function c_win_get_num_notify

        integer(c_int) function c_win_get_notify_value(win, notification_idx, value) &
                bind(C, name='osc_ucp_ext_win_get_notify_value')
            import :: c_int, c_long_long, c_ptr
            type(c_ptr), value :: win
            integer(c_int), value :: notification_idx
            integer(c_long_long), intent(out) :: value
        end function c_win_get_notify_value

        integer(c_int) function c_win_reset_notify_value(win, notification_idx, value) &
                bind(C, name='osc_ucp_ext_win_reset_notify_value')
            import :: c_int, c_long_long, c_ptr
            type(c_ptr), value :: win
            integer(c_int), value :: notification_idx
            integer(c_long_long), intent(out) :: value
        end function c_win_reset_notify_value

        integer(c_int) function c_win_notify_threshold(win, notification_idx, threshold, request) &
                bind(C, name='osc_ucp_ext_win_notify_threshold')
            import :: c_int, c_long_long, c_ptr
            type(c_ptr), value :: win
            integer(c_int), value :: notification_idx
            integer(c_long_long), value :: threshold
            type(c_ptr), intent(inout) :: request
        end function c_win_notify_threshold

        integer(c_int) function c_win_notify_wait(win, notification_idx, threshold, value) &
                bind(C, name='osc_ucp_ext_win_notify_wait')
            import :: c_int, c_long_long, c_ptr
            type(c_ptr), value :: win
            integer(c_int), value :: notification_idx
            integer(c_long_long), value :: threshold
            integer(c_long_long), intent(out) :: value
        end function c_win_notify_wait

        integer(c_int) function c_win_notify_supported(win, flag) &
                bind(C, name='osc_ucp_ext_win_notify_supported')
            import :: c_int, c_ptr
            type(c_ptr), value :: win
            integer(c_int), intent(out) :: flag
        end function c_win_notify_supported

        integer(c_int) function c_win_notify_limits(win, num_sb, num_ub, value_ub) &
                bind(C, name='osc_ucp_ext_win_notify_limits')
            import :: c_int, c_long_long, c_ptr
            type(c_ptr), value :: win
            integer(c_int), intent(out) :: num_sb, num_ub
            integer(c_long_long), intent(out) :: value_ub
        end function c_win_notify_limits

        integer(c_int) function c_class() bind(C, name='osc_ucp_ext_err_rma_notification')
            import :: c_int
        end function c_class
    end interface

contains

    type(c_ptr) function address(buffer)
        type(*), dimension(..), intent(in), target, asynchronous :: buffer

        address = c_loc(buffer)
    end function address

    ! The address for C, where MPI_BOTTOM is NULL.
    type(c_ptr) function place(buffer)
        type(*), dimension(..), intent(in), target, asynchronous :: buffer

        place = address(buffer)
        if (c_associated(place, address(MPI_BOTTOM))) place = c_null_ptr
    end function place

    ! The class of errors for an index that is no counter of the target's. After MPI_Init.
    integer function MPIX_ERR_RMA_NOTIFICATION()
        MPIX_ERR_RMA_NOTIFICATION = c_class()
    end function MPIX_ERR_RMA_NOTIFICATION

    subroutine MPIX_Put_notify(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, &
            target_datatype, notification_idx, win, ierror)
        type(*), dimension(..), intent(in), target, asynchronous :: origin_addr
        integer, intent(in) :: origin_count, target_rank, target_count, notification_idx
        type(MPI_Datatype), intent(in) :: origin_datatype, target_datatype
        integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
        type(MPI_Win), intent(in) :: win
        integer, optional, intent(out) :: ierror
        integer(c_int) :: rc

        rc = c_put(place(origin_addr), origin_count, MPI_Type_f2c(origin_datatype%MPI_VAL), target_rank, &
            target_disp, target_count, MPI_Type_f2c(target_datatype%MPI_VAL), notification_idx, &
            MPI_Win_f2c(win%MPI_VAL))
        if (present(ierror)) ierror = rc
    end subroutine MPIX_Put_notify

    subroutine MPIX_Get_notify(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, &
            target_datatype, notification_idx, win, ierror)
        type(*), dimension(..), target, asynchronous :: origin_addr
        integer, intent(in) :: origin_count, target_rank, target_count, notification_idx
        type(MPI_Datatype), intent(in) :: origin_datatype, target_datatype
        integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
        type(MPI_Win), intent(in) :: win
        integer, optional, intent(out) :: ierror
        integer(c_int) :: rc

        rc = c_get(place(origin_addr), origin_count, MPI_Type_f2c(origin_datatype%MPI_VAL), target_rank, &
            target_disp, target_count, MPI_Type_f2c(target_datatype%MPI_VAL), notification_idx, &
            MPI_Win_f2c(win%MPI_VAL))
        if (present(ierror)) ierror = rc
    end subroutine MPIX_Get_notify

    subroutine MPIX_Accumulate_notify(origin_addr, origin_count, origin_datatype, target_rank, target_disp, &
            target_count, target_datatype, op, notification_idx, win, ierror)
        type(*), dimension(..), intent(in), target, asynchronous :: origin_addr
        integer, intent(in) :: origin_count, target_rank, target_count, notification_idx
        type(MPI_Datatype), intent(in) :: origin_datatype, target_datatype
        integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
        type(MPI_Op), intent(in) :: op
        type(MPI_Win), intent(in) :: win
        integer, optional, intent(out) :: ierror
        integer(c_int) :: rc

        rc = c_accumulate(place(origin_addr), origin_count, MPI_Type_f2c(origin_datatype%MPI_VAL), target_rank, &
            target_disp, target_count, MPI_Type_f2c(target_datatype%MPI_VAL), MPI_Op_f2c(op%MPI_VAL), &
            notification_idx, MPI_Win_f2c(win%MPI_VAL))
        if (present(ierror)) ierror = rc
    end subroutine MPIX_Accumulate_notify

    subroutine MPIX_Get_accumulate_notify(origin_addr, origin_count, origin_datatype, result_addr, result_count, &
            result_datatype, target_rank, target_disp, target_count, target_datatype, op, notification_idx, win, &
            ierror)
        type(*), dimension(..), intent(in), target, asynchronous :: origin_addr
        type(*), dimension(..), target, asynchronous :: result_addr
        integer, intent(in) :: origin_count, result_count, target_rank, target_count, notification_idx
        type(MPI_Datatype), intent(in) :: origin_datatype, result_datatype, target_datatype
        integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
        type(MPI_Op), intent(in) :: op
        type(MPI_Win), intent(in) :: win
        integer, optional, intent(out) :: ierror
        integer(c_int) :: rc

        rc = c_get_accumulate(place(origin_addr), origin_count, MPI_Type_f2c(origin_datatype%MPI_VAL), &
            place(result_addr), result_count, MPI_Type_f2c(result_datatype%MPI_VAL), target_rank, target_disp, &
            target_count, MPI_Type_f2c(target_datatype%MPI_VAL), MPI_Op_f2c(op%MPI_VAL), notification_idx, &
            MPI_Win_f2c(win%MPI_VAL))
        if (present(ierror)) ierror = rc
    end subroutine MPIX_Get_accumulate_notify

    subroutine MPIX_Rput_notify(origin_addr, origin_count, origin_datatype, target_rank, target_disp, &
            target_count, target_datatype, notification_idx, win, request, ierror)
        type(*), dimension(..), intent(in), target, asynchronous :: origin_addr
        integer, intent(in) :: origin_count, target_rank, target_count, notification_idx
        type(MPI_Datatype), intent(in) :: origin_datatype, target_datatype
        integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
        type(MPI_Win), intent(in) :: win
        type(MPI_Request), intent(out) :: request
        integer, optional, intent(out) :: ierror
        type(c_ptr) :: c_request
        integer(c_int) :: rc

        c_request = MPI_Request_f2c(MPI_REQUEST_NULL%MPI_VAL)
        rc = c_rput(place(origin_addr), origin_count, MPI_Type_f2c(origin_datatype%MPI_VAL), target_rank, &
            target_disp, target_count, MPI_Type_f2c(target_datatype%MPI_VAL), notification_idx, &
            MPI_Win_f2c(win%MPI_VAL), c_request)
        request%MPI_VAL = MPI_Request_c2f(c_request)
        if (present(ierror)) ierror = rc
    end subroutine MPIX_Rput_notify

    subroutine MPIX_Rget_notify(origin_addr, origin_count, origin_datatype, target_rank, target_disp, &
            target_count, target_datatype, notification_idx, win, request, ierror)
        type(*), dimension(..), target, asynchronous :: origin_addr
        integer, intent(in) :: origin_count, target_rank, target_count, notification_idx
        type(MPI_Datatype), intent(in) :: origin_datatype, target_datatype
        integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
        type(MPI_Win), intent(in) :: win
        type(MPI_Request), intent(out) :: request
        integer, optional, intent(out) :: ierror
        type(c_ptr) :: c_request
        integer(c_int) :: rc

        c_request = MPI_Request_f2c(MPI_REQUEST_NULL%MPI_VAL)
        rc = c_rget(place(origin_addr), origin_count, MPI_Type_f2c(origin_datatype%MPI_VAL), target_rank, &
            target_disp, target_count, MPI_Type_f2c(target_datatype%MPI_VAL), notification_idx, &
            MPI_Win_f2c(win%MPI_VAL), c_request)
        request%MPI_VAL = MPI_Request_c2f(c_request)
        if (present(ierror)) ierror = rc
    end subroutine MPIX_Rget_notify

    subroutine MPIX_Raccumulate_notify(origin_addr, origin_count, origin_datatype, target_rank, target_disp, &
            target_count, target_datatype, op, notification_idx, win, request, ierror)
        type(*), dimension(..), intent(in), target, asynchronous :: origin_addr
        integer, intent(in) :: origin_count, target_rank, target_count, notification_idx
        type(MPI_Datatype), intent(in) :: origin_datatype, target_datatype
        integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
        type(MPI_Op), intent(in) :: op
        type(MPI_Win), intent(in) :: win
        type(MPI_Request), intent(out) :: request
        integer, optional, intent(out) :: ierror
        type(c_ptr) :: c_request
        integer(c_int) :: rc

        c_request = MPI_Request_f2c(MPI_REQUEST_NULL%MPI_VAL)
        rc = c_raccumulate(place(origin_addr), origin_count, MPI_Type_f2c(origin_datatype%MPI_VAL), target_rank, &
            target_disp, target_count, MPI_Type_f2c(target_datatype%MPI_VAL), MPI_Op_f2c(op%MPI_VAL), &
            notification_idx, MPI_Win_f2c(win%MPI_VAL), c_request)
        request%MPI_VAL = MPI_Request_c2f(c_request)
        if (present(ierror)) ierror = rc
    end subroutine MPIX_Raccumulate_notify

    subroutine MPIX_Rget_accumulate_notify(origin_addr, origin_count, origin_datatype, result_addr, result_count, &
            result_datatype, target_rank, target_disp, target_count, target_datatype, op, notification_idx, win, &
            request, ierror)
        type(*), dimension(..), intent(in), target, asynchronous :: origin_addr
        type(*), dimension(..), target, asynchronous :: result_addr
        integer, intent(in) :: origin_count, result_count, target_rank, target_count, notification_idx
        type(MPI_Datatype), intent(in) :: origin_datatype, result_datatype, target_datatype
        integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
        type(MPI_Op), intent(in) :: op
        type(MPI_Win), intent(in) :: win
        type(MPI_Request), intent(out) :: request
        integer, optional, intent(out) :: ierror
        type(c_ptr) :: c_request
        integer(c_int) :: rc

        c_request = MPI_Request_f2c(MPI_REQUEST_NULL%MPI_VAL)
        rc = c_rget_accumulate(place(origin_addr), origin_count, MPI_Type_f2c(origin_datatype%MPI_VAL), &
            place(result_addr), result_count, MPI_Type_f2c(result_datatype%MPI_VAL), target_rank, target_disp, &
            target_count, MPI_Type_f2c(target_datatype%MPI_VAL), MPI_Op_f2c(op%MPI_VAL), notification_idx, &
            MPI_Win_f2c(win%MPI_VAL), c_request)
        request%MPI_VAL = MPI_Request_c2f(c_request)
        if (present(ierror)) ierror = rc
    end subroutine MPIX_Rget_accumulate_notify

    subroutine MPIX_Win_set_num_notify(win, info, num_notifications, ierror)
        type(MPI_Win), intent(in) :: win
        type(MPI_Info), intent(in) :: info
        integer, intent(in) :: num_notifications
        integer, optional, intent(out) :: ierror
        integer(c_int) :: rc

        rc = c_win_set_num_notify(MPI_Win_f2c(win%MPI_VAL), MPI_Info_f2c(info%MPI_VAL), num_notifications)
        if (present(ierror)) ierror = rc
    end subroutine MPIX_Win_set_num_notify

    subroutine MPIX_Win_get_num_notify(win, target_rank, num_notifications, ierror)
        type(MPI_Win), intent(in) :: win
        integer, intent(in) :: target_rank
        integer, intent(out) :: num_notifications
        integer, optional, intent(out) :: ierror
        integer(c_int) :: rc

        rc = c_win_get_num_notify(MPI_Win_f2c(win%MPI_VAL), target_rank, num_notifications)
        if (present(ierror)) ierror = rc
    end subroutine MPIX_Win_get_num_notify

    subroutine MPIX_Win_get_notify_value(win, notification_idx, value, ierror)
        type(MPI_Win), intent(in) :: win
        integer, intent(in) :: notification_idx
        integer(MPI_COUNT_KIND), intent(out) :: value
        integer, optional, intent(out) :: ierror
        integer(c_int) :: rc

        rc = c_win_get_notify_value(MPI_Win_f2c(win%MPI_VAL), notification_idx, value)
        if (present(ierror)) ierror = rc
    end subroutine MPIX_Win_get_notify_value

    subroutine MPIX_Win_reset_notify_value(win, notification_idx, value, ierror)
        type(MPI_Win), intent(in) :: win
        integer, intent(in) :: notification_idx
        integer(MPI_COUNT_KIND), intent(out) :: value
        integer, optional, intent(out) :: ierror
        integer(c_int) :: rc

        rc = c_win_reset_notify_value(MPI_Win_f2c(win%MPI_VAL), notification_idx, value)
        if (present(ierror)) ierror = rc
    end subroutine MPIX_Win_reset_notify_value

    subroutine MPIX_Win_notify_threshold(win, notification_idx, threshold, request, ierror)
        type(MPI_Win), intent(in) :: win
        integer, intent(in) :: notification_idx
        integer(MPI_COUNT_KIND), intent(in) :: threshold
        type(MPI_Request), intent(out) :: request
        integer, optional, intent(out) :: ierror
        type(c_ptr) :: c_request
        integer(c_int) :: rc

        c_request = MPI_Request_f2c(MPI_REQUEST_NULL%MPI_VAL)
        rc = c_win_notify_threshold(MPI_Win_f2c(win%MPI_VAL), notification_idx, threshold, c_request)
        request%MPI_VAL = MPI_Request_c2f(c_request)
        if (present(ierror)) ierror = rc
    end subroutine MPIX_Win_notify_threshold

    subroutine MPIX_Win_notify_wait(win, notification_idx, threshold, value, ierror)
        type(MPI_Win), intent(in) :: win
        integer, intent(in) :: notification_idx
        integer(MPI_COUNT_KIND), intent(in) :: threshold
        integer(MPI_COUNT_KIND), intent(out) :: value
        integer, optional, intent(out) :: ierror
        integer(c_int) :: rc

        rc = c_win_notify_wait(MPI_Win_f2c(win%MPI_VAL), notification_idx, threshold, value)
        if (present(ierror)) ierror = rc
    end subroutine MPIX_Win_notify_wait

    subroutine MPIX_Win_notify_supported(win, flag, ierror)
        type(MPI_Win), intent(in) :: win
        logical, intent(out) :: flag
        integer, optional, intent(out) :: ierror
        integer(c_int) :: c_flag
        integer(c_int) :: rc

        rc = c_win_notify_supported(MPI_Win_f2c(win%MPI_VAL), c_flag)
        flag = 0 /= c_flag
        if (present(ierror)) ierror = rc
    end subroutine MPIX_Win_notify_supported

    subroutine MPIX_Win_notify_limits(win, num_sb, num_ub, value_ub, ierror)
        type(MPI_Win), intent(in) :: win
        integer, intent(out) :: num_sb, num_ub
        integer(MPI_COUNT_KIND), intent(out) :: value_ub
        integer, optional, intent(out) :: ierror
        integer(c_int) :: rc

        rc = c_win_notify_limits(MPI_Win_f2c(win%MPI_VAL), num_sb, num_ub, value_ub)
        if (present(ierror)) ierror = rc
    end subroutine MPIX_Win_notify_limits

end module osc_ucp_ext_f08
