dnl The C compiler: found, able to link, and how strict it is.
dnl
dnl SPDX-License-Identifier: BSD-3-Clause

dnl OSC_UCP_PROG_CC: AC_PROG_CC, but a compiler that is missing or broken is reported in one line.
AC_DEFUN([OSC_UCP_PROG_CC], [
    osc_ucp_cc=$CC
    if test -z "$osc_ucp_cc"; then
        for osc_ucp_try in ${host_alias:+$host_alias-gcc} gcc cc clang; do
            if command -v $osc_ucp_try >/dev/null 2>&1; then
                osc_ucp_cc=$osc_ucp_try
                break
            fi
        done
    fi
    if test -z "$osc_ucp_cc"; then
        AC_MSG_ERROR([no C compiler found: on Debian, apt install build-essential; elsewhere, give CC=COMPILER])
    fi
    echo 'int main(void) { return 0; }' >conftest.c
    if $osc_ucp_cc $CFLAGS $CPPFLAGS $LDFLAGS -o conftest.out conftest.c $LIBS >&AS_MESSAGE_LOG_FD 2>&1; then
        rm -rf conftest*
    else
        rm -rf conftest*
        AC_MSG_ERROR([the C compiler '$osc_ucp_cc' cannot make a program (details in config.log): check CC, CFLAGS and LDFLAGS, or on Debian apt install build-essential])
    fi
    AC_PROG_CC
    AC_PROG_CPP
])

dnl OSC_UCP_AVX2: sets AVX2_CPPFLAGS, if functions can be made for processors with AVX2, and chosen at run time.
AC_DEFUN([OSC_UCP_AVX2], [
    AVX2_CPPFLAGS=
    AC_MSG_CHECKING([whether functions can be made for AVX2])
    AC_LINK_IFELSE([AC_LANG_SOURCE([[
            static __attribute__((target("avx2"))) int conftest(void)
            {
                return 0;
            }
            int main(void)
            {
                return __builtin_cpu_supports("avx2") ? conftest() : 0;
            }
        ]])], [
            AC_MSG_RESULT([yes])
            AVX2_CPPFLAGS=-DOMPI_OSC_UCP_AVX2
        ], [AC_MSG_RESULT([no])])
    AC_SUBST([AVX2_CPPFLAGS])
])

dnl OSC_UCP_WARNINGS: sets WARNING_CFLAGS; warnings are errors in a git checkout, not in a tarball.
AC_DEFUN([OSC_UCP_WARNINGS], [
    AC_ARG_ENABLE([werror],
        [AS_HELP_STRING([--enable-werror], [compiler warnings are errors (default: yes in a git checkout, no in a tarball)])],
        [], [if test -e "$srcdir/.git"; then enable_werror=yes; else enable_werror=no; fi])

    WARNING_CFLAGS=
    osc_ucp_saved_cflags=$CFLAGS
    for osc_ucp_flag in -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith; do
        CFLAGS="$osc_ucp_saved_cflags -Werror $osc_ucp_flag"
        AC_COMPILE_IFELSE([AC_LANG_PROGRAM([], [])], [WARNING_CFLAGS="$WARNING_CFLAGS $osc_ucp_flag"])
    done
    CFLAGS=$osc_ucp_saved_cflags

    osc_ucp_warnings_said="shown"
    if test "x$enable_werror" != xno; then
        WARNING_CFLAGS="$WARNING_CFLAGS -Werror"
        osc_ucp_warnings_said="shown, and errors (--disable-werror to only see them)"
    fi
    AC_SUBST([WARNING_CFLAGS])
])

dnl OSC_UCP_CMOCKA: the unit tests' library; without it they are skipped.
AC_DEFUN([OSC_UCP_CMOCKA], [
    AC_REQUIRE([OSC_UCP_PKG_CONFIG])
    CMOCKA_CFLAGS=
    CMOCKA_LIBS=
    if test -n "$PKG_CONFIG" && $PKG_CONFIG --exists cmocka 2>/dev/null; then
        CMOCKA_CFLAGS=`$PKG_CONFIG --cflags cmocka`
        CMOCKA_LIBS=`$PKG_CONFIG --libs cmocka`
    else
        CMOCKA_LIBS=-lcmocka
    fi

    AC_MSG_CHECKING([for cmocka])
    osc_ucp_saved_cflags=$CFLAGS
    osc_ucp_saved_libs=$LIBS
    CFLAGS="$CFLAGS $CMOCKA_CFLAGS"
    LIBS="$CMOCKA_LIBS $LIBS"
    AC_LINK_IFELSE([AC_LANG_PROGRAM([[
            #include <stdarg.h>
            #include <stddef.h>
            #include <stdint.h>
            #include <setjmp.h>
            #include <cmocka.h>
        ]], [[return cmocka_run_group_tests_name("none", (const struct CMUnitTest *) 0, 0, 0);]])],
        [osc_ucp_have_cmocka=yes], [osc_ucp_have_cmocka=no])
    CFLAGS=$osc_ucp_saved_cflags
    LIBS=$osc_ucp_saved_libs
    AC_MSG_RESULT([$osc_ucp_have_cmocka])

    if test $osc_ucp_have_cmocka = yes; then
        osc_ucp_cmocka_said="yes, in make check"
    else
        osc_ucp_cmocka_said="no: cmocka not found (on Debian, apt install libcmocka-dev)"
    fi
    AM_CONDITIONAL([HAVE_CMOCKA], [test $osc_ucp_have_cmocka = yes])
    AC_SUBST([CMOCKA_CFLAGS])
    AC_SUBST([CMOCKA_LIBS])
])

dnl OSC_UCP_PREPROCESSED(VARIABLE): the numbers that follow the word osc_ucp_version in the preprocessed conftest,
dnl joined by dots; empty if there are none.
AC_DEFUN([OSC_UCP_PREPROCESSED], [
    $1=`(eval "$ac_cpp conftest.$ac_ext") 2>&AS_MESSAGE_LOG_FD | grep -v '^#' | tr '\n' ' ' |
        sed -n 's/^.*osc_ucp_version@<:@ @:>@*\(@<:@0-9 @:>@*@<:@0-9@:>@\) *$/\1/p' | sed 's/  */./g'`
])
