dnl Open MPI's Fortran compiler, for test programs only: whatever is missing leaves those out.
dnl
dnl SPDX-License-Identifier: BSD-3-Clause

dnl OSC_UCP_FORTRAN: sets OMPI_MPIFORT, FCFLAGS, and for each of MPI's Fortran bindings why it cannot be used, if so:
dnl FORTRAN_LACKS_MPIFH, FORTRAN_LACKS_USEMPI, FORTRAN_LACKS_USEMPIF08. After OSC_UCP_OMPI.
AC_DEFUN([OSC_UCP_FORTRAN], [
    AC_ARG_VAR([FCFLAGS], [Fortran compiler flags, for test programs])
    : "${FCFLAGS=-g -O2}"
    AC_MSG_CHECKING([for Open MPI's mpifort])
    OMPI_MPIFORT=
    for osc_ucp_try in "$osc_ucp_bin/mpifort.openmpi" "$osc_ucp_bin/mpifort"; do
        if test -x "$osc_ucp_try" && "$osc_ucp_try" --showme:incdirs >/dev/null 2>&1; then
            OMPI_MPIFORT=$osc_ucp_try
            break
        fi
    done
    AC_MSG_RESULT([${OMPI_MPIFORT:-no}])
    osc_ucp_fortran_said=
    OSC_UCP_FORTRAN_BINDING([MPIFH], [mpif.h], [], [include 'mpif.h'])
    OSC_UCP_FORTRAN_BINDING([USEMPI], [use mpi], [use mpi], [])
    OSC_UCP_FORTRAN_BINDING([USEMPIF08], [use mpi_f08], [use mpi_f08], [])
    : "${osc_ucp_fortran_said:=no: $FORTRAN_LACKS_MPIFH}"
    AC_SUBST([OMPI_MPIFORT])
])

dnl OSC_UCP_FORTRAN_BINDING(NAME, CALLED, USE LINE, INCLUDE LINE)
AC_DEFUN([OSC_UCP_FORTRAN_BINDING], [
    AC_MSG_CHECKING([whether Fortran programs can be made with $2])
    FORTRAN_LACKS_$1=
    AS_ECHO(["program conftest
$3
implicit none
$4
integer :: ierr
call MPI_Init(ierr)
call MPI_Finalize(ierr)
end program conftest"]) >conftest.F90
    if test -z "$OMPI_MPIFORT"; then
        FORTRAN_LACKS_$1="this Open MPI has no mpifort"
    elif "$OMPI_MPIFORT" $FCFLAGS -o conftest.out conftest.F90 >&AS_MESSAGE_LOG_FD 2>&1; then
        osc_ucp_fortran_said="${osc_ucp_fortran_said:+$osc_ucp_fortran_said, }$2"
    elif "$OMPI_MPIFORT" --version >/dev/null 2>&1; then
        FORTRAN_LACKS_$1="no Fortran program can be made with $2 (details in config.log)"
    else
        FORTRAN_LACKS_$1="no Fortran compiler (on Debian, apt install gfortran)"
    fi
    rm -rf conftest*
    if test -z "$FORTRAN_LACKS_$1"; then AC_MSG_RESULT([yes]); else AC_MSG_RESULT([no]); fi
    AC_SUBST([FORTRAN_LACKS_$1])
])
