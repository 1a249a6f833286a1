/* Stands in for an Open MPI header that some distributions do not install.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * ompi/op/op.h includes it for inline code that calls user-defined Fortran operations, which a
 * one-sided component never does. Put this directory behind Open MPI's own in the search path, so
 * that the real header wins where it exists.
 */

#ifndef OMPI_OSC_UCP_COMPAT_FINT_2_INT_H
#define OMPI_OSC_UCP_COMPAT_FINT_2_INT_H

#include "ompi_config.h"

#include "mpi.h"

_Static_assert(sizeof(MPI_Fint) == sizeof(int), "Fortran integers that are not C ints need Open MPI's own header");

#define OMPI_INT_2_FINT(a) (a)
#define OMPI_FINT_2_INT(a) (a)

#endif /* OMPI_OSC_UCP_COMPAT_FINT_2_INT_H */
