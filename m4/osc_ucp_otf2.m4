dnl OTF2, with which the program osc_ucp_otf2 writes archives for Vampir and Scalasca. It may be missing.
dnl
dnl SPDX-License-Identifier: BSD-3-Clause

dnl OSC_UCP_OTF2: sets OTF2_PROGRAM, what is built with OTF2; empty: nothing, and OTF2_LACKS says why. Sets
dnl OTF2_CPPFLAGS and OTF2_LIBS.
AC_DEFUN([OSC_UCP_OTF2], [
    AC_ARG_WITH([otf2],
        [AS_HELP_STRING([--with-otf2=DIR], [OTF2's prefix, the folder that holds bin/otf2-config, or no: osc_ucp_otf2 is not built (default: what otf2-config in PATH says)])],
        [], [with_otf2=maybe])
    OTF2_PROGRAM=
    OTF2_CPPFLAGS=
    OTF2_LIBS=
    OTF2_LACKS=
    case $with_otf2 in
    no)        osc_ucp_otf2_config= ;;
    yes|maybe) AC_PATH_PROG([osc_ucp_otf2_config], [otf2-config]) ;;
    *)         osc_ucp_otf2_config=$with_otf2/bin/otf2-config ;;
    esac
    AC_MSG_CHECKING([for OTF2 3.0 or newer])
    if test "x$with_otf2" = xno; then
        OTF2_LACKS="--without-otf2 was given"
    elif test -x "$osc_ucp_otf2_config"; then
        OSC_UCP_OTF2_USABLE
    else
        OTF2_LACKS="there is no ${osc_ucp_otf2_config:-otf2-config} (on Debian, apt install libotf2-trace-dev)"
    fi
    if test -z "$OTF2_LACKS"; then
        OTF2_PROGRAM='osc_ucp_otf2$(EXEEXT)'
        osc_ucp_otf2_said=`"$osc_ucp_otf2_config" --version | sed 's/.*version //'`
        AC_MSG_RESULT([$osc_ucp_otf2_said])
    else
        osc_ucp_otf2_said="no: $OTF2_LACKS"
        AC_MSG_RESULT([no])
        case $with_otf2 in
        no|maybe) ;;
        *) AC_MSG_ERROR([--with-otf2: $OTF2_LACKS]) ;;
        esac
    fi
    AC_SUBST([OTF2_PROGRAM])
    AC_SUBST([OTF2_CPPFLAGS])
    AC_SUBST([OTF2_LIBS])
    AC_SUBST([OTF2_LACKS])
])

dnl The system's own include folder must not be named: GCC's headers would not find those behind it.
AC_DEFUN([OSC_UCP_OTF2_USABLE], [
    for osc_ucp_flag in `"$osc_ucp_otf2_config" --cppflags`; do
        case $osc_ucp_flag in
        -I/usr/include) ;;
        -I*) OTF2_CPPFLAGS="$OTF2_CPPFLAGS -isystem `echo "$osc_ucp_flag" | sed 's/^-I//'`" ;;
        esac
    done
    for osc_ucp_flag in `"$osc_ucp_otf2_config" --ldflags` `"$osc_ucp_otf2_config" --libs`; do
        case $osc_ucp_flag in
        -L/usr/lib|-L/usr/lib/*-linux-gnu|-L/usr/lib64) ;;
        -L*) OTF2_LIBS="$OTF2_LIBS $osc_ucp_flag -Wl,-rpath,`echo "$osc_ucp_flag" | sed 's/^-L//'`" ;;
        *) OTF2_LIBS="$OTF2_LIBS $osc_ucp_flag" ;;
        esac
    done
    osc_ucp_saved_cppflags=$CPPFLAGS
    osc_ucp_saved_libs=$LIBS
    CPPFLAGS="$CPPFLAGS $OTF2_CPPFLAGS"
    LIBS="$OTF2_LIBS $LIBS"
    AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <otf2/otf2.h>]],
        [[return OTF2_GlobalDefWriter_WriteRmaWin(0, 0, 0, 0, OTF2_RMA_WIN_FLAG_CREATE_DESTROY_EVENTS);]])],
        [], [OTF2_LACKS="no program can be made with OTF2 3.0 by $osc_ucp_otf2_config (details in config.log)"])
    CPPFLAGS=$osc_ucp_saved_cppflags
    LIBS=$osc_ucp_saved_libs
])
