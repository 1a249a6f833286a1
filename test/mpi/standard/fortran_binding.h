! Fortran programs are made from one source with each of MPI's three Fortran bindings: what differs between them.
!
! SPDX-License-Identifier: BSD-3-Clause
!
! TEST_MPI_MODULE goes before implicit none, TEST_MPI_INCLUDE behind it; TEST_HANDLE(X) is the type of X's handles.

#if defined TEST_MPIFH
#define TEST_MPI_MODULE
#define TEST_MPI_INCLUDE include 'mpif.h'
#define TEST_HANDLE(X) integer
#elif defined TEST_USEMPI
#define TEST_MPI_MODULE use mpi
#define TEST_MPI_INCLUDE
#define TEST_HANDLE(X) integer
#else
#define TEST_MPI_MODULE use mpi_f08
#define TEST_MPI_INCLUDE
#define TEST_HANDLE(X) type(X)
#endif
