! Fortran coarrays, every kind of access: each image checks what it gets; image 1 says "all right" at the end.
!
! SPDX-License-Identifier: BSD-3-Clause
!
! No result depends on the number of images, which is 2 or more.

module functions
    implicit none
contains
    pure function product_of(a, b) result(c)
        integer, intent(in) :: a, b
        integer :: c

        c = a * b
    end function

end module

program coarrays
    use functions, only: product_of
    use, intrinsic :: iso_fortran_env, only: atomic_int_kind, event_type, lock_type
    implicit none

    integer, parameter :: rounds = 50
    integer, save :: shared_sum[*] = 0
    integer(atomic_int_kind), save :: counter[*] = 0, turn[*] = 0
    type(lock_type), save :: guard[*]
    type(event_type), save :: arrived[*], answered[*]
    integer :: me, images, next, previous

    me = this_image()
    images = num_images()
    next = merge(1, me + 1, me == images)
    previous = merge(images, me - 1, me == 1)

    call static_coarrays()
    call allocatable_coarrays()
    call sections()
    call components()
    call pairwise()
    call events()
    call locks()
    call atomics()
    call collectives()

    sync all
    if (me == 1) print '(a, i0, a)', 'all right with ', images, ' images'

contains

    subroutine check(ok, what)
        logical, intent(in) :: ok
        character(*), intent(in) :: what

        if (ok) return
        print '(a, i0, 2a)', 'image ', me, ': wrong: ', what
        error stop 1
    end subroutine

    ! A scalar that is put to one neighbour and got from the other.
    subroutine static_coarrays()
        integer, save :: box[*] = 0

        box[next] = 100 + me
        sync all
        call check(box == 100 + previous, 'a scalar put by the neighbour')
        call check(box[next] == 100 + me, 'a scalar got from the neighbour')
        sync all
    end subroutine

    ! Allocated and freed many times, in several kinds, more than one at a time.
    subroutine allocatable_coarrays()
        real(8), allocatable :: a(:)[:]
        complex, allocatable :: b(:, :)[:]
        integer(1), allocatable :: small(:)[:]
        integer :: round, n, i

        do round = 1, 10
            n = 1000 * round
            allocate (a(n)[*], b(round, 3)[*], small(7)[*])
            a = [(me + i / 8d0, i = 1, n)]
            b = cmplx(me, round)
            small = int(me, 1)
            sync all
            call check(all(a(:)[next] == [(next + i / 8d0, i = 1, n)]), 'an allocated array')
            call check(all(b(:, :)[previous] == cmplx(previous, round)), 'an allocated matrix')
            sync all
            a(n:n)[next] = [-1d0 * me]
            small(3)[previous] = int(-me, 1)
            sync all
            call check(a(n) == -previous .and. a(n - 1) == me + (n - 1) / 8d0, 'one element of an array')
            call check(all(small == merge(-next, me, [(i == 3, i = 1, 7)])), 'one byte of an array')
            deallocate (a, small)
            deallocate (b)
        end do
    end subroutine

    ! Strided sections, on either side, in two and three dimensions.
    subroutine sections()
        integer, allocatable :: grid(:, :)[:], block(:, :, :)[:]
        integer :: mine(5, 4), i, j, k

        allocate (grid(10, 12)[*], block(4, 6, 5)[*])
        grid = reshape([((1000 * me + 20 * i + j, i = 1, 10), j = 1, 12)], [10, 12])
        block = 0
        sync all
        mine = grid(1:10:2, 3:12:3)[next]
        call check(all(mine == reshape([((1000 * next + 20 * i + j, i = 1, 10, 2), j = 3, 12, 3)], [5, 4])), &
                   'a strided get')
        mine = grid(10:1:-2, 1:4)[previous]
        call check(all(mine == reshape([((1000 * previous + 20 * i + j, i = 10, 1, -2), j = 1, 4)], [5, 4])), &
                   'a get with a negative stride')
        block(2:4:2, :, 1:5:2)[next] = me
        sync all
        do k = 1, 5
            do j = 1, 6
                do i = 1, 4
                    call check(block(i, j, k) == merge(previous, 0, mod(i, 2) == 0 .and. mod(k, 2) == 1), &
                               'a strided put')
                end do
            end do
        end do
        sync all
        grid(4, :)[next] = grid(5, :)[previous]
        sync all
        k = merge(images, previous - 1, previous == 1)
        call check(all(grid(4, :) == [(1000 * k + 100 + j, j = 1, 12)]), 'a row from one image to another')
        sync all
        deallocate (grid, block)
    end subroutine

    ! A component that each image allocates for itself: the library attaches it to its dynamic window.
    subroutine components()
        type :: shelf_t
            integer, allocatable :: items(:)
        end type
        type(shelf_t), allocatable :: shelf[:]
        integer :: i

        allocate (shelf[*])
        allocate (shelf%items(10 + me))
        shelf%items = [(100 * me + i, i = 1, 10 + me)]
        sync all
        do i = 1, 10 + next
            call check(shelf[next]%items(i) == 100 * next + i, 'an allocated component')
        end do
        sync all
        shelf[previous]%items(2) = me
        sync all
        call check(shelf%items(2) == next .and. shelf%items(3) == 100 * me + 3, 'a put to an allocated component')
        sync all
        deallocate (shelf)
    end subroutine

    ! A token runs round the ring, by sync images alone.
    subroutine pairwise()
        integer, save :: token[*] = 0
        integer :: round

        do round = 1, rounds
            if (me /= 1) then
                sync images (previous)
                call check(token == (round - 1) * images + previous, 'the token')
            end if
            token[next] = (round - 1) * images + me
            sync images (next)
            if (me == 1) then
                sync images (previous)
                call check(token == round * images, 'the token at image 1')
            end if
        end do
        sync all
    end subroutine

    ! Everybody posts to image 1, which answers.
    subroutine events()
        integer :: round, count, from

        do round = 1, rounds
            if (me == 1) then
                event wait (arrived, until_count=images - 1)
                do from = 2, images
                    event post (answered[from])
                end do
            else
                shared_sum[me] = round
                event post (arrived[1])
                event wait (answered)
            end if
        end do
        call event_query(arrived, count)
        call check(count == 0, 'no event is left')
        sync all
        shared_sum = 0
        sync all
    end subroutine

    ! A sum that only the lock protects, and one that a critical section does.
    subroutine locks()
        integer, save :: second_sum[*] = 0
        integer :: round
        logical :: got

        do round = 1, rounds
            lock (guard[images])
            shared_sum[1] = shared_sum[1] + me
            unlock (guard[images])
            critical
                second_sum[images] = second_sum[images] + 1
            end critical
        end do
        got = .false.
        do while (.not. got)
            lock (guard[1], acquired_lock=got)
        end do
        unlock (guard[1])
        sync all
        if (me == 1) call check(shared_sum == rounds * images * (images + 1) / 2, 'the sum under a lock')
        if (me == images) call check(second_sum == rounds * images, 'the sum in critical sections')
        sync all
    end subroutine

    ! Counters, and a turn that goes round by compare and swap. Debian's library has no other atomic operations: its
    ! atomic_fetch_add returns nothing, and it says itself that the bit operations are missing.
    subroutine atomics()
        integer(atomic_int_kind) :: old, value
        integer :: round

        do round = 1, rounds
            call atomic_add(counter[1], 1)
            call atomic_add(counter[images], 1000)
            do
                call atomic_cas(turn[1], old, (round - 1) * images + me - 1, (round - 1) * images + me)
                if (old == (round - 1) * images + me - 1) exit
            end do
        end do
        sync all
        call atomic_ref(value, counter[1])
        call check(value == rounds * images, 'a counter of image 1')
        call atomic_ref(value, counter[images])
        call check(value == 1000 * rounds * images, 'a counter of the last image')
        call atomic_ref(value, turn[1])
        call check(value == rounds * images, 'a turn taken by compare and swap')
        sync all
        call atomic_define(turn[next], -me)
        sync all
        call atomic_ref(value, turn)
        call check(value == -previous, 'an atomic defined by the neighbour')
    end subroutine

    subroutine collectives()
        integer :: number
        real(8) :: vector(100)

        number = me
        call co_sum(number)
        call check(number == images * (images + 1) / 2, 'co_sum')
        vector = me
        call co_max(vector)
        call check(all(vector == images), 'co_max')
        vector = me
        call co_min(vector, result_image=1)
        if (me == 1) call check(all(vector == 1), 'co_min')
        number = 7 * me
        call co_broadcast(number, source_image=images)
        call check(number == 7 * images, 'co_broadcast')
        number = me
        call co_reduce(number, product_of)
        call check(number == product([2, 3, 4], mask=[2, 3, 4] <= images), 'co_reduce')
    end subroutine

end program
