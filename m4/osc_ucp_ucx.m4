dnl UCX, whose UCP layer moves the bytes.
dnl
dnl SPDX-License-Identifier: BSD-3-Clause

dnl OSC_UCP_PKG_CONFIG: PKG_CONFIG, without a need for pkg-config's own macros.
AC_DEFUN([OSC_UCP_PKG_CONFIG], [
    AC_ARG_VAR([PKG_CONFIG], [path to pkg-config])
    AC_PATH_TOOL([PKG_CONFIG], [pkg-config])
])

dnl OSC_UCP_UCX: sets UCX_CPPFLAGS, UCX_LIBS, UCX_RPATH (where the component finds UCX, if not where the
dnl system looks), UCX_VERSION.
AC_DEFUN([OSC_UCP_UCX], [
    AC_REQUIRE([OSC_UCP_PKG_CONFIG])
    AC_ARG_WITH([ucx],
        [AS_HELP_STRING([--with-ucx=DIR], [UCX's prefix, the folder that holds include/ucp (default: what pkg-config says)])],
        [], [with_ucx=yes])

    AC_MSG_CHECKING([for UCX 1.13 or newer])
    UCX_CPPFLAGS=
    UCX_LIBS="-lucp -lucs"
    UCX_RPATH=
    case $with_ucx in
    no)
        AC_MSG_ERROR([osc/ucp is made for UCX and cannot be built with --without-ucx]) ;;
    yes)
        OSC_UCP_UCX_BY_PKG_CONFIG ;;
    *)
        OSC_UCP_UCX_IN_DIR([$with_ucx]) ;;
    esac
    OSC_UCP_UCX_USABLE
    AC_MSG_RESULT([$UCX_VERSION])
    OSC_UCP_UCX_DIFFERENCES
    AC_SUBST([UCX_CPPFLAGS])
    AC_SUBST([UCX_LIBS])
    AC_SUBST([UCX_RPATH])
    AC_SUBST([UCX_VERSION])
])

AC_DEFUN([OSC_UCP_UCX_BY_PKG_CONFIG], [
    osc_ucp_ucx_from="found by pkg-config"
    if test -z "$PKG_CONFIG"; then
        AC_MSG_ERROR([pkg-config is missing, which finds UCX: on Debian, apt install pkg-config; elsewhere, give --with-ucx=DIR])
    fi
    if $PKG_CONFIG --exists ucx >/dev/null 2>&1; then :; else
        AC_MSG_ERROR([UCX not found by pkg-config: on Debian, apt install libucx-dev; elsewhere, give --with-ucx=DIR])
    fi
    for osc_ucp_flag in `$PKG_CONFIG --cflags-only-I ucx`; do
        UCX_CPPFLAGS="$UCX_CPPFLAGS -isystem `echo "$osc_ucp_flag" | sed 's/^-I//'`"
    done
    UCX_LIBS="`$PKG_CONFIG --libs-only-L ucx` $UCX_LIBS"
])

AC_DEFUN([OSC_UCP_UCX_IN_DIR], [
    osc_ucp_ucx_from="in $1"
    if test ! -f "$1/include/ucp/api/ucp.h"; then
        AC_MSG_ERROR([--with-ucx=$1: there is no $1/include/ucp/api/ucp.h; give the prefix of an installed UCX, for instance --with-ucx=/usr])
    fi
    if test "x$1" != x/usr; then
        osc_ucp_dir=
        for osc_ucp_try in "$1/lib" "$1/lib64" "$1"/lib/*-linux-gnu; do
            if test -f "$osc_ucp_try/libucp.so"; then
                osc_ucp_dir=$osc_ucp_try
                break
            fi
        done
        if test -z "$osc_ucp_dir"; then
            AC_MSG_ERROR([--with-ucx=$1: there is no libucp.so in $1/lib or $1/lib64; give the prefix of an installed UCX])
        fi
        UCX_CPPFLAGS="-isystem $1/include"
        UCX_RPATH="-R$osc_ucp_dir"
        UCX_LIBS="-L$osc_ucp_dir $UCX_RPATH $UCX_LIBS"
    fi
])

dnl OSC_UCP_UCX_USABLE: the headers' version, and whether a program links. -R is libtool's, not the compiler's.
AC_DEFUN([OSC_UCP_UCX_USABLE], [
    osc_ucp_saved_cppflags=$CPPFLAGS
    osc_ucp_saved_libs=$LIBS
    CPPFLAGS="$CPPFLAGS $UCX_CPPFLAGS"
    LIBS="`echo " $UCX_LIBS" | sed 's/ -R@<:@^ @:>@*//g'` $LIBS"
    AC_LANG_CONFTEST([AC_LANG_SOURCE([[
        #include <ucp/api/ucp_version.h>
        osc_ucp_version UCP_API_MAJOR UCP_API_MINOR
    ]])])
    OSC_UCP_PREPROCESSED([UCX_VERSION])
    rm -f conftest*
    if test -z "$UCX_VERSION"; then
        AC_MSG_ERROR([UCX $osc_ucp_ucx_from has no usable ucp/api/ucp_version.h: on Debian, apt install libucx-dev; elsewhere, give --with-ucx=DIR])
    fi
    case $UCX_VERSION in
    0.*|1.?|1.1@<:@0-2@:>@)
        AC_MSG_ERROR([UCX $UCX_VERSION ($osc_ucp_ucx_from) is too old: osc/ucp needs 1.13 or newer; give --with-ucx=DIR for another one]) ;;
    esac
    if test -n "$PKG_CONFIG" && test "x$with_ucx" = xyes; then
        UCX_VERSION=`$PKG_CONFIG --modversion ucx`
    fi
    AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <ucp/api/ucp.h>]], [[
            unsigned major, minor, release;
            ucp_get_version(&major, &minor, &release);
        ]])], [], [
            AC_MSG_ERROR([a program cannot be linked with UCX $UCX_VERSION, $osc_ucp_ucx_from (details in config.log): on Debian, apt install --reinstall libucx-dev; elsewhere, give --with-ucx=DIR])
        ])
    CPPFLAGS=$osc_ucp_saved_cppflags
    LIBS=$osc_ucp_saved_libs
])

dnl OSC_UCP_UCX_DIFFERENCES: what this UCX can do, as macros OPAL_COMMON_UCP_... in UCX_CPPFLAGS. Versions are not asked
dnl for, as with Open MPI's differences.
AC_DEFUN([OSC_UCP_UCX_DIFFERENCES], [
    osc_ucp_saved_cppflags=$CPPFLAGS
    CPPFLAGS="$CPPFLAGS $UCX_CPPFLAGS"
    AC_MSG_CHECKING([whether UCX tells the transports of an endpoint])
    AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[#include <ucp/api/ucp.h>]], [[
            ucp_transport_entry_t entry = { .transport_name = "", .device_name = "" };
            ucp_ep_attr_t attributes = {
                .field_mask = UCP_EP_ATTR_FIELD_TRANSPORTS,
                .transports = { .entries = &entry, .num_entries = 1, .entry_size = sizeof(entry) }
            };
            return (int) attributes.transports.num_entries;
        ]])], [
            AC_MSG_RESULT([yes])
            UCX_CPPFLAGS="$UCX_CPPFLAGS -DOPAL_COMMON_UCP_EP_TRANSPORTS"
        ], [AC_MSG_RESULT([no])])
    CPPFLAGS=$osc_ucp_saved_cppflags
])
