! Rank 0 consumes what all others produce: a ring of slots in the consumer's window.
!
! SPDX-License-Identifier: BSD-3-Clause
!
! Why this synchronization: producers come when they have something, so they share one lock for the whole program. A
! producer draws a number by MPI_Fetch_and_op, which is its slot and its turn. It waits until the slot is free, puts the
! item, flushes (the item is there), and only then sets the slot's turn, which tells the consumer. The ring is bounded:
! producers that are too fast wait.
!
! A slot's turn is 2 * round while it is free for that round, and 2 * round + 1 while it is full. All read it by an
! atomic operation. The consumer gets items out of its own window by MPI_Get: it needs no load and no MPI_Win_sync.
!
! run:     mpifort producer_consumer.f90 -o producer_consumer && mpirun -np 4 ./producer_consumer
! output:  600 items consumed, each once, the sum of their squares is 72180100

program producer_consumer
    use, intrinsic :: iso_c_binding
    use mpi_f08
    implicit none
    integer, parameter :: items = 600, slots = 8, consumer = 0
    integer(MPI_ADDRESS_KIND), parameter :: ticket_at = 0 ! then the slots' turns, then two numbers for each slot
    integer, pointer, asynchronous :: memory(:)
    integer, asynchronous :: item(2)
    type(MPI_Win) :: window
    type(c_ptr) :: base
    integer :: rank, size, i, seen(items), wrong
    integer(c_int64_t) :: total

    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, size)
    if (size < 2) then
        print '(a)', 'this needs 2 or more processes'
        call MPI_Abort(MPI_COMM_WORLD, 2)
    end if
    call MPI_Win_allocate(int(merge(4 * (1 + 3 * slots), 0, rank == consumer), MPI_ADDRESS_KIND), 4, MPI_INFO_NULL, &
        MPI_COMM_WORLD, base, window)
    call MPI_Win_lock_all(0, window)
    if (rank == consumer) then
        call c_f_pointer(base, memory, [1 + 3 * slots])
        memory = 0
        call MPI_F_sync_reg(memory)
        call MPI_Win_sync(window)
    end if
    call MPI_Barrier(MPI_COMM_WORLD) ! nobody produces before the ring is empty

    seen = 0
    total = 0
    if (rank == consumer) then
        do i = 0, items - 1
            call consume(i)
            seen(item(1)) = seen(item(1)) + 1
            total = total + item(2)
        end do
    else
        do i = rank, items, size - 1
            call produce([i, i * i])
        end do
    end if
    call MPI_Win_unlock_all(window)

    wrong = 0
    if (rank == consumer) then
        wrong = count(seen /= 1) + merge(0, 1, total == sum([(int(i, c_int64_t)**2, i = 1, items)]))
        if (0 == wrong) then
            print '(i0, a, i0)', items, ' items consumed, each once, the sum of their squares is ', total
        else
            print '(a, i0, a, i0)', 'wrong: ', count(seen /= 1), ' items not consumed once, sum ', total
        end if
    end if
    call MPI_Bcast(wrong, 1, MPI_INTEGER, consumer, MPI_COMM_WORLD)
    call MPI_Win_free(window)
    call MPI_Finalize()
    if (0 /= wrong) error stop

contains

    ! The number at "where" of the consumer's memory, and then add "more" to it: one atomic operation.
    integer function fetch_and_add(more, where)
        integer, intent(in), asynchronous :: more
        integer(MPI_ADDRESS_KIND), intent(in) :: where
        integer, asynchronous :: old

        call MPI_Fetch_and_op(more, old, MPI_INTEGER, consumer, where, MPI_SUM, window)
        call MPI_Win_flush(consumer, window)
        call MPI_F_sync_reg(old)
        fetch_and_add = old
    end function fetch_and_add

    ! The slot whose turn is drawn: wait until its turn is "turn". Returns its number, from 0.
    integer function wait_for(ticket, full)
        integer, intent(in) :: ticket, full

        wait_for = mod(ticket, slots)
        do while (fetch_and_add(0, ticket_at + 1 + wait_for) /= 2 * (ticket / slots) + full)
        end do
    end function wait_for

    subroutine produce(new)
        integer, intent(in), asynchronous :: new(2)
        integer :: slot, old

        slot = wait_for(fetch_and_add(1, ticket_at), 0)
        call MPI_Put(new, 2, MPI_INTEGER, consumer, ticket_at + 1 + slots + 2 * slot, 2, MPI_INTEGER, window)
        call MPI_Win_flush(consumer, window)
        old = fetch_and_add(1, ticket_at + 1 + slot) ! full
    end subroutine produce

    ! Take the item of ticket number "ticket" into "item".
    subroutine consume(ticket)
        integer, intent(in) :: ticket
        integer :: slot, old

        slot = wait_for(ticket, 1)
        call MPI_Get(item, 2, MPI_INTEGER, consumer, ticket_at + 1 + slots + 2 * slot, 2, MPI_INTEGER, window)
        call MPI_Win_flush(consumer, window)
        call MPI_F_sync_reg(item)
        old = fetch_and_add(1, ticket_at + 1 + slot) ! free again, for the next round
    end subroutine consume
end program producer_consumer
