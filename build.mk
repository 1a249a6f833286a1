# Flags that every folder's Makefile.am shares.
#
# SPDX-License-Identifier: BSD-3-Clause

# Nothing of autoconf's on the command line: PACKAGE_* and HAVE_* belong to Open MPI's own opal_config.h.
DEFS =

# compat/ comes after everything else: it stands in only for headers that the installed Open MPI lacks.
AM_CPPFLAGS = \
	-D_GNU_SOURCE \
	-I$(top_srcdir) \
	$(OMPI_CPPFLAGS) \
	$(AVX2_CPPFLAGS) \
	-idirafter $(top_srcdir)/compat

AM_CFLAGS = -std=gnu11 -fvisibility=hidden $(WARNING_CFLAGS)
