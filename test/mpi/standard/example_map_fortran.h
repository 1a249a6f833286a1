    ! What Fortran examples of indirect assignment contain besides fortran_test.h: maps and values, see example_map.h.
    !
    ! SPDX-License-Identifier: BSD-3-Clause

    ! Where entry i of all `total` leads to; both count from 0. Kinds 1 to 3 are permutations.
    pure integer function mapped(i, total, kind)
        integer, intent(in) :: i, total, kind

        select case (kind)
        case (1)
            mapped = total - 1 - i
        case (2)
            mapped = mod(i + total / 2 + 1, total)
        case (3) ! the even ones first, then the odd ones
            mapped = i / 2
            if (mod(i, 2) == 1) mapped = (total + 1) / 2 + i / 2
        case default ! many to one
            mapped = mod(i * i + 3, total)
        end select
    end function mapped

    ! Entry i of the distributed array before anything happened.
    pure real function value_of(i)
        integer, intent(in) :: i

        value_of = real(mod(i, 1009) + 1)
    end function value_of
