! Halo exchange with post, start, complete and wait: heat spreads on a square, whose columns are divided.
!
! SPDX-License-Identifier: BSD-3-Clause
!
! Why this synchronization: each process knows its neighbours, and they are the same in each step. It posts its halo to
! them, and starts, puts and completes at theirs. Nobody waits for a process that is no neighbour, as in a fence.
! Between MPI_Win_wait and the next MPI_Win_post the window is plain memory, which its process reads and writes.
!
! Fortran: the window's memory is "asynchronous", and MPI_F_sync_reg keeps the compiler from moving accesses to it
! across the calls. "contiguous" keeps it from putting a copy of a column, which is gone before the put takes place.
!
! run:     mpifort halo_pscw.f90 -o halo_pscw && mpirun -np 4 ./halo_pscw
! output:  after 100 steps the middle has 0.023338 of the heat of the edge, as without MPI

program halo_pscw
    use, intrinsic :: iso_c_binding
    use mpi_f08
    implicit none
    integer, parameter :: n = 32, steps = 100, dp = kind(1d0)
    real(dp), pointer, contiguous, asynchronous :: u(:, :)
    real(dp), target :: all(n, 0:n + 1)
    type(MPI_Win) :: window
    type(MPI_Group) :: world, neighbours
    type(c_ptr) :: memory
    integer :: rank, size, first, columns, left, right, columns_left, s, wrong

    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, size)
    first = n * rank / size
    columns = n * (rank + 1) / size - first
    left = rank - 1
    right = merge(rank + 1, -1, rank < size - 1)
    columns_left = first - n * (rank - 1) / size

    call MPI_Win_allocate(int(n * (columns + 2) * 8, MPI_ADDRESS_KIND), 8, MPI_INFO_NULL, MPI_COMM_WORLD, memory, window)
    call c_f_pointer(memory, u, [n, columns + 2])
    u(1:, 0:) => u ! column 0 and column columns + 1 are the halo
    call MPI_Comm_group(MPI_COMM_WORLD, world)
    neighbours = group_of(pack([left, right], [left, right] >= 0))

    call begin(u, 0 == rank)
    do s = 1, steps
        call exchange()
        call step(u, columns)
    end do

    call begin(all, .true.)
    do s = 1, steps
        call step(all, n)
    end do
    wrong = count(.not. abs(u(:, 1:columns) - all(:, first + 1:first + columns)) < 1e-12_dp)
    call MPI_Allreduce(MPI_IN_PLACE, wrong, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    if (0 == rank .and. 0 == wrong) then
        print '(a, i0, a, f8.6, a)', 'after ', steps, ' steps the middle has ', all(n / 2 + 1, n / 2), &
            ' of the heat of the edge, as without MPI'
    else if (0 == rank) then
        print '(a, i0, a)', 'wrong: ', wrong, ' points differ from those without MPI'
    end if
    call MPI_Group_free(neighbours)
    call MPI_Group_free(world)
    call MPI_Win_free(window)
    call MPI_Finalize()
    if (0 /= wrong) error stop

contains

    type(MPI_Group) function group_of(ranks)
        integer, intent(in) :: ranks(:)

        call MPI_Group_incl(world, ubound(ranks, 1), ranks, group_of)
    end function group_of

    ! Put the first and the last column into the halos of the neighbours.
    subroutine exchange()
        call MPI_F_sync_reg(u)
        call MPI_Win_post(neighbours, 0, window)
        call MPI_Win_start(neighbours, 0, window)
        if (left >= 0) then
            call MPI_Put(u(:, 1), n, MPI_DOUBLE_PRECISION, left, int(n * (columns_left + 1), MPI_ADDRESS_KIND), n, &
                MPI_DOUBLE_PRECISION, window)
        end if
        if (right >= 0) then
            call MPI_Put(u(:, columns), n, MPI_DOUBLE_PRECISION, right, 0_MPI_ADDRESS_KIND, n, MPI_DOUBLE_PRECISION, window)
        end if
        call MPI_Win_complete(window)
        call MPI_Win_wait(window)
        call MPI_F_sync_reg(u)
    end subroutine exchange

    ! All is cold; "edge" says whether column 0 is the hot edge.
    subroutine begin(v, edge)
        real(dp), intent(out), asynchronous :: v(:, 0:)
        logical, intent(in) :: edge

        v = 0
        if (edge) v(:, 0) = 1
    end subroutine begin

    ! One step for columns 1 to "last". What is above and below the square is cold.
    subroutine step(v, last)
        real(dp), intent(inout), asynchronous :: v(:, 0:)
        integer, intent(in) :: last
        real(dp) :: cold(0:n + 1, 0:last + 1)

        cold = 0
        cold(1:n, :) = v(:, 0:last + 1)
        v(:, 1:last) = 0.25_dp * (cold(1:n, 0:last - 1) + cold(1:n, 2:last + 1) + cold(0:n - 1, 1:last) + &
            cold(2:n + 1, 1:last))
    end subroutine step
end program halo_pscw
