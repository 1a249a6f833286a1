dnl The Open MPI that the component is built for, and where the component goes.
dnl
dnl SPDX-License-Identifier: BSD-3-Clause

dnl OSC_UCP_OMPI: sets OMPI_MPICC, OMPI_INFO, OMPI_PREFIX, OMPI_VERSION, OMPI_CPPFLAGS, OMPI_LIBS.
AC_DEFUN([OSC_UCP_OMPI], [
    AC_ARG_WITH([ompi],
        [AS_HELP_STRING([--with-ompi=DIR], [Open MPI's prefix, the folder that holds bin/mpicc (default: the mpicc in PATH)])],
        [], [with_ompi=yes])

    AC_MSG_CHECKING([for Open MPI's mpicc])
    OMPI_MPICC=
    OSC_UCP_FIND_MPICC
    AC_MSG_RESULT([$OMPI_MPICC])

    OMPI_CPPFLAGS=
    osc_ucp_incdirs=`"$OMPI_MPICC" --showme:incdirs 2>/dev/null`
    for osc_ucp_dir in $osc_ucp_incdirs; do
        OMPI_CPPFLAGS="$OMPI_CPPFLAGS -isystem $osc_ucp_dir"
    done
    OMPI_LIBS="`"$OMPI_MPICC" --showme:link 2>/dev/null` -lopen-pal"
    # Without the links that Debian's alternatives put in between, so that ompi_info is the same Open MPI's.
    osc_ucp_bin=`dirname "$OMPI_MPICC"`
    OMPI_PREFIX=`cd "$osc_ucp_bin/.." && pwd`
    OMPI_INFO=
    if test -x "$osc_ucp_bin/ompi_info"; then
        OMPI_INFO=$osc_ucp_bin/ompi_info
    fi

    AC_MSG_CHECKING([Open MPI's version])
    OSC_UCP_OMPI_VERSION_OF_HEADERS
    AC_MSG_RESULT([$OMPI_VERSION])
    case $OMPI_VERSION in
    4.1.*|5.0.*|6.0.*) ;;
    *) AC_MSG_ERROR([Open MPI $OMPI_VERSION in $OMPI_PREFIX is not supported: osc/ucp $PACKAGE_VERSION needs 4.1.x, 5.0.x or 6.0.x; give --with-ompi=DIR for another one]) ;;
    esac

    OSC_UCP_OMPI_MIXED
    OSC_UCP_PMIX
    OSC_UCP_OMPI_DEVEL
    OSC_UCP_OMPI_DIFFERENCES
    AC_SUBST([OMPI_MPICC])
    AC_SUBST([OMPI_INFO])
    AC_SUBST([OMPI_PREFIX])
    AC_SUBST([OMPI_VERSION])
    AC_SUBST([OMPI_CPPFLAGS])
    AC_SUBST([OMPI_LIBS])
])

dnl OSC_UCP_FIND_MPICC: DIR/bin/mpicc or nothing; else the first in PATH that is Open MPI's.
AC_DEFUN([OSC_UCP_FIND_MPICC], [
    osc_ucp_other=
    case $with_ompi in
    no)
        AC_MSG_ERROR([osc/ucp is a part of Open MPI and cannot be built with --without-ompi]) ;;
    yes)
        for osc_ucp_name in mpicc mpicc.openmpi; do
            osc_ucp_try=`command -v $osc_ucp_name 2>/dev/null`
            if test -z "$osc_ucp_try"; then
                continue
            fi
            if "$osc_ucp_try" --showme:incdirs >/dev/null 2>&1; then
                OMPI_MPICC=$osc_ucp_try
                break
            fi
            osc_ucp_other=$osc_ucp_try
        done
        if test -z "$OMPI_MPICC" && test -n "$osc_ucp_other"; then
            AC_MSG_ERROR([$osc_ucp_other is not Open MPI's compiler wrapper: give --with-ompi=DIR with Open MPI's prefix, or on Debian apt install libopenmpi-dev])
        fi
        if test -z "$OMPI_MPICC"; then
            AC_MSG_ERROR([Open MPI not found, there is no mpicc in PATH: on Debian, apt install libopenmpi-dev openmpi-bin; elsewhere, give --with-ompi=DIR])
        fi ;;
    *)
        OMPI_MPICC=$with_ompi/bin/mpicc
        if test ! -x "$OMPI_MPICC"; then
            AC_MSG_ERROR([--with-ompi=$with_ompi: there is no $with_ompi/bin/mpicc; give the prefix of an installed Open MPI, for instance --with-ompi=/usr])
        fi
        if "$OMPI_MPICC" --showme:incdirs >/dev/null 2>&1; then :; else
            AC_MSG_ERROR([--with-ompi=$with_ompi: $with_ompi/bin/mpicc is not Open MPI's compiler wrapper; give the prefix of an installed Open MPI])
        fi ;;
    esac
])

dnl OSC_UCP_OMPI_VERSION_OF_HEADERS: OMPI_VERSION as mpi.h says it: the headers are the last word.
AC_DEFUN([OSC_UCP_OMPI_VERSION_OF_HEADERS], [
    osc_ucp_saved_cppflags=$CPPFLAGS
    CPPFLAGS="$CPPFLAGS $OMPI_CPPFLAGS"
    AC_LANG_CONFTEST([AC_LANG_SOURCE([[
        #include <mpi.h>
        osc_ucp_version OMPI_MAJOR_VERSION OMPI_MINOR_VERSION OMPI_RELEASE_VERSION
    ]])])
    OSC_UCP_PREPROCESSED([OMPI_VERSION])
    rm -f conftest*
    CPPFLAGS=$osc_ucp_saved_cppflags
    if test -z "$OMPI_VERSION"; then
        AC_MSG_RESULT([unknown])
        AC_MSG_ERROR([$OMPI_MPICC has no usable Open MPI mpi.h in '$osc_ucp_incdirs': on Debian, apt install libopenmpi-dev; elsewhere, give --with-ompi=DIR])
    fi
])

dnl OSC_UCP_OMPI_MIXED: headers of one Open MPI and programs of another, such as by a CPPFLAGS that was left over.
AC_DEFUN([OSC_UCP_OMPI_MIXED], [
    osc_ucp_said=
    if test -n "$OMPI_INFO"; then
        osc_ucp_said=`"$OMPI_INFO" --version 2>/dev/null | sed -n 's/^Open MPI v\(@<:@0-9@:>@*\.@<:@0-9@:>@*\.@<:@0-9@:>@@<:@0-9@:>@*\).*/\1/p'`
    fi
    if test -n "$osc_ucp_said" && test "$osc_ucp_said" != "$OMPI_VERSION"; then
        AC_MSG_ERROR([two Open MPIs are mixed: mpi.h is of $OMPI_VERSION, and $OMPI_INFO of $osc_ucp_said; give --with-ompi=DIR for one, and unset CPPFLAGS, CPATH and C_INCLUDE_PATH])
    fi
])

dnl OSC_UCP_PMIX: Open MPI 5.0 and newer include PMIx's headers in their own, and a component calls PMIx by itself. An
dnl Open MPI that was built with a PMIx of its own has that one's headers and library beside its own.
AC_DEFUN([OSC_UCP_PMIX], [
    AC_REQUIRE([OSC_UCP_PKG_CONFIG])
    case $OMPI_VERSION in
    4.*) ;;
    *)
        AC_MSG_CHECKING([for PMIx])
        osc_ucp_pmix=
        osc_ucp_own=
        for osc_ucp_dir in $osc_ucp_incdirs; do
            if test -f "$osc_ucp_dir/pmix.h"; then
                osc_ucp_own=$osc_ucp_dir
            fi
        done
        if test -n "$PKG_CONFIG"; then
            osc_ucp_pmix=`$PKG_CONFIG --modversion pmix 2>/dev/null`
        fi
        if test -n "$osc_ucp_own"; then
            # By the name that processes load: libpmix.so of Ubuntu 25.10 is a link to nowhere.
            OMPI_LIBS="$OMPI_LIBS -l:libpmix.so.2"
            AC_MSG_RESULT([Open MPI's own, in $osc_ucp_own])
        elif test -n "$osc_ucp_pmix"; then
            for osc_ucp_flag in `$PKG_CONFIG --cflags-only-I pmix`; do
                OMPI_CPPFLAGS="$OMPI_CPPFLAGS -isystem `echo "$osc_ucp_flag" | sed 's/^-I//'`"
            done
            OMPI_LIBS="$OMPI_LIBS `$PKG_CONFIG --libs-only-L pmix` -lpmix"
            AC_MSG_RESULT([$osc_ucp_pmix])
        else
            AC_MSG_RESULT([no])
            OSC_UCP_PMIX_MISSING
        fi ;;
    esac
])

AC_DEFUN([OSC_UCP_PMIX_MISSING], [
    AC_MSG_ERROR([Open MPI $OMPI_VERSION needs PMIx's headers, which are missing: on Debian, apt install libpmix-dev; elsewhere, set PKG_CONFIG_PATH to where pmix.pc is])
])

dnl OSC_UCP_OMPI_DEVEL: a component needs the internal headers, and libopen-pal to link with.
AC_DEFUN([OSC_UCP_OMPI_DEVEL], [
    osc_ucp_saved_cppflags=$CPPFLAGS
    osc_ucp_saved_cflags=$CFLAGS
    osc_ucp_saved_libs=$LIBS
    CPPFLAGS="$CPPFLAGS -D_GNU_SOURCE $OMPI_CPPFLAGS -idirafter $srcdir/compat"
    CFLAGS="$CFLAGS -std=gnu11"
    AC_MSG_CHECKING([for Open MPI's development headers])
    AC_PREPROC_IFELSE([AC_LANG_SOURCE([[
            #include "ompi_config.h"
            #include "ompi/mca/osc/osc.h"
        ]])], [], [
            AC_MSG_RESULT([no])
            AC_MSG_ERROR([Open MPI $OMPI_VERSION in $OMPI_PREFIX has no development headers (ompi/mca/osc/osc.h): on Debian, apt install libopenmpi-dev; elsewhere, build Open MPI with --with-devel-headers])
        ])
    OSC_UCP_OMPI_HOLES
    LIBS="$OMPI_LIBS $LIBS"
    AC_LINK_IFELSE([AC_LANG_PROGRAM([[
            #include "ompi_config.h"
            #include "ompi/mca/osc/osc.h"
            #include "opal/runtime/opal_progress.h"
            #include "mpi.h"
        ]], [[
            opal_progress();
            return MPI_Finalize();
        ]])], [], [
            AC_MSG_RESULT([no])
            AC_MSG_ERROR([a program with Open MPI $OMPI_VERSION's development headers cannot be built and linked with '$OMPI_LIBS' (details in config.log): on Debian, apt install --reinstall libopenmpi-dev; elsewhere, check that installation])
        ])
    CPPFLAGS=$osc_ucp_saved_cppflags
    CFLAGS=$osc_ucp_saved_cflags
    LIBS=$osc_ucp_saved_libs
    AC_MSG_RESULT([yes])
])

dnl OSC_UCP_OMPI_HOLES: all of Open MPI's headers that the sources include (test/build/lists.sh compares). Packages that
dnl leave out some of those which others include are not rare, and what the compiler says then helps nobody.
AC_DEFUN([OSC_UCP_OMPI_HOLES], [
    AC_PREPROC_IFELSE([AC_LANG_SOURCE([[
            #include "ompi_config.h"
            #include "ompi/attribute/attribute.h"
            #include "ompi/communicator/communicator.h"
            #include "ompi/constants.h"
            #include "ompi/datatype/ompi_datatype.h"
            #include "ompi/errhandler/errcode-internal.h"
            #include "ompi/errhandler/errcode.h"
            #include "ompi/group/group.h"
            #include "ompi/info/info.h"
            #include "ompi/mca/coll/coll.h"
            #include "ompi/mca/osc/base/base.h"
            #include "ompi/mca/osc/osc.h"
            #include "ompi/op/op.h"
            #include "ompi/proc/proc.h"
            #include "ompi/request/request.h"
            #include "ompi/runtime/mpiruntime.h"
            #include "ompi/version.h"
            #include "ompi/win/win.h"
            #include "opal/class/opal_hash_table.h"
            #include "opal/class/opal_object.h"
            #include "opal/constants.h"
            #include "opal/datatype/opal_datatype.h"
            #include "opal/datatype/opal_datatype_internal.h"
            #include "opal/mca/base/base.h"
            #include "opal/mca/base/mca_base_pvar.h"
            #include "opal/mca/shmem/base/base.h"
            #include "opal/runtime/opal_progress.h"
            #include "opal/util/info_subscriber.h"
            #include "opal/util/output.h"
            #include "opal/util/proc.h"
            #include "opal_config.h"
            #if __has_include("opal/mca/base/mca_base_event.h")
            #include "opal/mca/base/mca_base_event.h"
            #endif
            #if OMPI_MAJOR_VERSION >= 5
            #include "opal/mca/pmix/pmix-internal.h"
            #include "opal/mca/threads/mutex.h"
            #else
            #include "opal/mca/pmix/pmix.h"
            #include "opal/threads/mutex.h"
            #endif
        ]])], [], [
            AC_MSG_RESULT([no])
            osc_ucp_missing=`sed -n "s/.*fatal error: '\{0,1\}\(@<:@^ ':@:>@*\).*/\1/p" conftest.err | head -n 1`
            case $osc_ucp_missing in
            pmix*) OSC_UCP_PMIX_MISSING ;;
            esac
            AC_MSG_ERROR([Open MPI $OMPI_VERSION in $OMPI_PREFIX lacks the header $osc_ucp_missing, which a component needs: on Debian, apt install --reinstall libopenmpi-dev; elsewhere, build Open MPI with --with-devel-headers])
        ])
])

dnl OSC_UCP_OMPI_DIFFERENCES: what base/host.h has to know of this Open MPI, as macros OMPI_OSC_UCP_HOST_... in
dnl OMPI_CPPFLAGS. Versions are not asked for: between releases, and in packages, features come and go.
AC_DEFUN([OSC_UCP_OMPI_DIFFERENCES], [
    osc_ucp_saved_cppflags=$CPPFLAGS
    osc_ucp_saved_cflags=$CFLAGS
    CPPFLAGS="$CPPFLAGS -D_GNU_SOURCE $OMPI_CPPFLAGS -idirafter $srcdir/compat"
    CFLAGS="$CFLAGS -std=gnu11 -Werror=incompatible-pointer-types -Werror=implicit-function-declaration"
    OSC_UCP_OMPI_DIFFERENCE([PMIX], [calls PMIx directly], [
        #include "opal/mca/pmix/pmix-internal.h"
        int conftest = PMIX_SUCCESS;
    ])
    OSC_UCP_OMPI_DIFFERENCE([MCA_THREADS], [has its mutexes in a framework], [
        #include "opal/mca/threads/mutex.h"
    ])
    OSC_UCP_OMPI_DIFFERENCE([CSTRINGS], [returns info values as counted strings], [
        #include "opal/util/info.h"
        int conftest(opal_info_t *info, opal_cstring_t **value, int *found)
        {
            return opal_info_get(info, "", value, found);
        }
    ])
    OSC_UCP_OMPI_DIFFERENCE([INFO_PUBLIC], [duplicates info objects in two ways], [
        #include "opal/util/info.h"
        int conftest(opal_info_t *info, opal_info_t **copy)
        {
            return opal_info_dup_public(info, copy);
        }
    ])
    OSC_UCP_OMPI_DIFFERENCE([INFO_CONST], [calls back for info with constant strings], [
        #include "opal/util/info_subscriber.h"
        const char *conftest(opal_infosubscriber_t *object, const char *key, const char *value);
        opal_key_interest_callback_t *conftest_pointer = conftest;
    ])
    OSC_UCP_OMPI_DIFFERENCE([LARGE_COUNTS], [has large counts in one-sided calls], [
        #include "ompi/mca/osc/osc.h"
        int conftest(const void *origin, size_t origin_count, struct ompi_datatype_t *origin_type, int target,
                     ptrdiff_t disp, size_t target_count, struct ompi_datatype_t *target_type, struct ompi_win_t *win);
        ompi_osc_base_module_put_fn_t conftest_pointer = conftest;
    ])
    OSC_UCP_OMPI_DIFFERENCE([EVENTS], [lets components register events], [
        #include "opal/mca/base/mca_base_event.h"
        #include "opal/mca/base/mca_base_pvar.h"
        int conftest(const mca_base_component_t *component, const mca_base_var_type_t *types, const ptrdiff_t *offsets,
                     mca_base_event_source_t *source, mca_base_event_t *event)
        {
            mca_base_event_raise(event, source, types);
            return mca_base_component_event_register(component, "", "", OPAL_INFO_LVL_5, 1, types, offsets, NULL,
                                                     MCA_BASE_VAR_BIND_NO_OBJECT, 0, source, NULL);
        }
    ])
    CPPFLAGS=$osc_ucp_saved_cppflags
    CFLAGS=$osc_ucp_saved_cflags
])

dnl OSC_UCP_OMPI_DIFFERENCE(NAME, WHAT IT DOES THEN, SOURCE): OMPI_OSC_UCP_HOST_NAME is defined if the source compiles.
AC_DEFUN([OSC_UCP_OMPI_DIFFERENCE], [
    AC_MSG_CHECKING([whether Open MPI $2])
    AC_COMPILE_IFELSE([AC_LANG_SOURCE([
        #include "ompi_config.h"
        $3
    ])], [
        AC_MSG_RESULT([yes])
        OMPI_CPPFLAGS="$OMPI_CPPFLAGS -DOMPI_OSC_UCP_HOST_$1"
    ], [AC_MSG_RESULT([no])])
])

dnl OSC_UCP_COMPONENT_DIR: sets componentdir, where Open MPI looks for components unless told otherwise.
AC_DEFUN([OSC_UCP_COMPONENT_DIR], [
    AC_ARG_WITH([component-dir],
        [AS_HELP_STRING([--with-component-dir=DIR], [where make install puts mca_osc_ucp.so, for instance $HOME/.openmpi/components (default: Open MPI's own component folder)])],
        [], [with_component_dir=])
    AC_MSG_CHECKING([where the component goes])
    case $with_component_dir in
    yes|no)
        AC_MSG_ERROR([--with-component-dir needs a folder: give --with-component-dir=DIR]) ;;
    '')
        if test -z "$OMPI_INFO"; then
            AC_MSG_ERROR([there is no ompi_info beside $OMPI_MPICC to ask for the component folder: on Debian, apt install openmpi-bin; elsewhere, give --with-component-dir=DIR])
        fi
        componentdir=`"$OMPI_INFO" --path pkglibdir --parsable 2>/dev/null | sed -n 's/^path:pkglibdir://p'`
        if test ! -d "$componentdir"; then
            AC_MSG_ERROR([$OMPI_INFO names no existing component folder (it said '$componentdir'): give --with-component-dir=DIR])
        fi ;;
    '$HOME'/*)
        componentdir=$HOME/`echo "$with_component_dir" | sed 's,^@<:@^/@:>@*/*,,'` ;;
    '~'/*)
        componentdir=$HOME/`echo "$with_component_dir" | sed 's,^@<:@^/@:>@*/*,,'` ;;
    /*)
        componentdir=$with_component_dir ;;
    *)
        AC_MSG_ERROR([--with-component-dir=$with_component_dir is not an absolute path: give one that starts with /]) ;;
    esac
    case $componentdir in
    *@<:@\ \	\"\'\$\#\\:@:>@*)
        AC_MSG_ERROR([the component folder '$componentdir' has a space, quote, colon or other special character in its name, which Open MPI or make cannot take: choose another with --with-component-dir=DIR]) ;;
    esac
    AC_MSG_RESULT([$componentdir])
    AC_SUBST([componentdir])
    OSC_UCP_MAN_DIR
    OSC_UCP_EXT_DIRS
])

dnl OSC_UCP_EXT_DIRS: the library for programs, and the programs osc_ucp_status and osc_ucp_otf2, go with the component,
dnl unless --prefix says where: to where Open MPI's compiler wrappers look and are, or beside the folder that
dnl --with-component-dir names.
AC_DEFUN([OSC_UCP_EXT_DIRS], [
    if test "$prefix" != NONE; then
        ext_libdir=`exec_prefix=$prefix && eval echo "$libdir"`
        ext_includedir=`eval echo "$includedir"`
        status_bindir=`exec_prefix=$prefix && eval echo "$bindir"`
    elif test -n "$with_component_dir"; then
        ext_libdir=`dirname "$componentdir"`/lib
        ext_includedir=`dirname "$componentdir"`/include
        status_bindir=`dirname "$componentdir"`/bin
    else
        ext_libdir=`"$OMPI_INFO" --path libdir --parsable 2>/dev/null | sed -n 's/^path:libdir://p'`
        ext_includedir=`"$OMPI_INFO" --path incdir --parsable 2>/dev/null | sed -n 's/^path:incdir://p'`
        status_bindir=`"$OMPI_INFO" --path bindir --parsable 2>/dev/null | sed -n 's/^path:bindir://p'`
    fi
    AC_SUBST([ext_libdir])
    AC_SUBST([ext_includedir])
    AC_SUBST([status_bindir])
])

dnl OSC_UCP_MAN_DIR: the man page goes with the component, unless --prefix or --mandir says where: to Open MPI's pages, or
dnl beside the folder that --with-component-dir names.
AC_DEFUN([OSC_UCP_MAN_DIR], [
    if test "$prefix" = NONE && test "$mandir" = '${datarootdir}/man'; then
        if test -n "$with_component_dir"; then
            mandir=`dirname "$componentdir"`/share/man
        else
            osc_ucp_mandir=`"$OMPI_INFO" --path mandir --parsable 2>/dev/null | sed -n 's/^path:mandir://p'`
            test ! -d "$osc_ucp_mandir" || mandir=$osc_ucp_mandir
        fi
    fi
])
