    ! What every Fortran test program contains: mpitest.h in short. Exit status: 0 passed, 1 failed, 77 skipped.
    !
    ! SPDX-License-Identifier: BSD-3-Clause
    !
    ! The program declares test_rank, test_size and test_failures.

    subroutine test_init()
        integer :: ierr

        test_failures = 0
        call MPI_Init(ierr)
        call MPI_Comm_rank(MPI_COMM_WORLD, test_rank, ierr)
        call MPI_Comm_size(MPI_COMM_WORLD, test_size, ierr)
    end subroutine test_init

    ! Report what is wrong, unless ok; a program that has gone wrong keeps quiet after ten lines.
    subroutine test_check(ok, what, number)
        logical, intent(in) :: ok
        character(len=*), intent(in) :: what
        integer, intent(in) :: number

        if (ok) return
        test_failures = test_failures + 1
        if (test_failures <= 10) print '(a, i0, 3a, i0)', 'rank ', test_rank, ': ', what, ' ', number
    end subroutine test_check

    subroutine test_exit(status)
        use, intrinsic :: iso_c_binding, only: c_int
        use, intrinsic :: iso_fortran_env, only: output_unit
        integer, intent(in) :: status
        integer :: ierr

        interface
            subroutine c_exit(status) bind(c, name='exit')
                import :: c_int
                integer(c_int), value :: status
            end subroutine c_exit
        end interface

        flush(output_unit)
        call MPI_Finalize(ierr)
        call c_exit(int(status, c_int))
    end subroutine test_exit

    ! Collective: end the program as skipped.
    subroutine test_skip(reason)
        character(len=*), intent(in) :: reason

        if (test_rank == 0) print '(2a)', 'SKIP: ', reason
        call test_exit(77)
    end subroutine test_skip

    ! Collective: end the program, with the same exit status on all ranks.
    subroutine test_finish()
        integer :: mine, total, ierr

        mine = min(test_failures, 1)
        call MPI_Allreduce(mine, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
        call test_exit(min(total, 1))
    end subroutine test_finish
