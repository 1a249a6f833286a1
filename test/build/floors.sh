#!/bin/bash
# No file of the transport or of the component needs a higher floor than its own (ompi/mca/osc/ucp/floors.table), by its
# includes or by what its object links to; and what only one floor or file may know, only that one knows.
#
# SPDX-License-Identifier: BSD-3-Clause

# shellcheck source=test/build/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# For awk: the floor of a file, which is named from the top folder on.
# shellcheck disable=SC2016 # awk's own variables
floor_of='
function floor_of(file)
{
    if (index(file, transport "/") == 1) {
        return transport
    }
    sub("^" component "/", "", file)
    sub(/\/[^\/]*$/, "", file)
    return file
}'

# The table and the folders: each has the other, and Makefile.am lists the sources in the table's order.
check_table()
{
    local folders listed

    folders=$(cd "$top/$component" && find . -name '*.[ch]' -printf '%h\n' | sed 's,^\./,,' | sort -u)
    diff <(read_floors | sed 1d | sort) - <<<"$folders" ||
        fail "$component/floors.table (<) and the folders with sources in $component (>) differ"
    [ "$(read_floors | head -n 1)" = "$transport" ] || fail "$component/floors.table: the first floor is not $transport"
    listed=$(sed -nE 's,^\t([a-z]+)/[a-z_]+\.[ch]( .*)?$,\1,p' "$top/$component/Makefile.am" | uniq)
    diff <(read_floors | sed 1d) - <<<"$listed" ||
        fail "$component/floors.table (<) and $component/Makefile.am (>) have the floors in another order"
}

# Every include line of the sources, which are the arguments; read_floors is the first one. The status is 1 if there is
# an offender, and 2 if there was nothing to look at.
check_includes()
{
    awk -v component="$component" -v transport="$transport" "$floor_of"'
        function tell(what)
        {
            print FILENAME ":" FNR ": " what
            offenders++
        }

        # The file that the header stands for, from the top folder on; empty if it is not one of ours.
        function ours(header,  head)
        {
            head = header
            sub(/\/.*/, "", head)
            if (index(header, transport "/") == 1) {
                return header
            }
            if (floor == transport && header !~ /\/|^(ompi|opal)_config\.h$/ && quoted) {
                return transport "/" header
            }
            return header ~ /\// && head in height ? component "/" header : ""
        }

        function check_header(header,  file)
        {
            if (header in included) {
                tell("includes " header " again (line " included[header] ")")
            }
            included[header] = FNR
            file = ours(header)
            if (file != "" && !(file in exists)) {
                tell("includes " header ", which does not exist")
            } else if (file != "" && height[floor_of(file)] > height[floor]) {
                tell("includes " header " of a higher floor than " floor)
            } else if (file == "" && (header ~ /(^|\/)\.\.?\// || index(header, component "/") == 1 ||
                                      quoted && header !~ /^(ompi|opal)(\/|_config\.h$)/)) {
                tell("includes " header ": a header of the component is named as floor/file.h")
            } else if (header ~ /^uc[pstm]\// && floor != transport) {
                tell("includes " header ": only " transport " includes UCX")
            } else if (header ~ /^(ompi[\/_]|mpi\.h)/ && floor == transport) {
                tell("includes " header ": the transport knows no MPI")
            }
            of_ucx    += header ~ /^uc[pstm]\//
            of_floors += file != "" && floor_of(file) != floor
        }

        BEGIN {
            version_files = "/base/host\\.[ch]$"
            for (i = 2; i < ARGC; i++) {
                exists[ARGV[i]]
            }
        }
        NR == FNR {
            height[$1] = NR
            next
        }
        FNR == 1 {
            floor = floor_of(FILENAME)
            split("", included)
        }
        /^[ \t]*#[ \t]*include/ {
            if (match($0, /["<][^">]+[">]/)) {
                quoted = substr($0, RSTART, 1) == "\""
                check_header(substr($0, RSTART + 1, RLENGTH - 2))
            } else {
                tell("includes what a macro says")
            }
        }
        /(^|[^A-Z_])((OMPI|OPAL|OPEN_MPI)(_(MAJOR|MINOR|RELEASE))?_VERSION|OMPI_OSC_UCP_HOST_[A-Z_]*)([^A-Z_]|$)/ {
            of_versions += /^#if.*_MAJOR_VERSION/
            if (FILENAME !~ version_files) {
                tell("asks for the version of Open MPI, which is for base/host alone")
            }
        }
        END {
            exit offenders > 0 ? 1 : of_floors == 0 || of_ucx == 0 || of_versions == 0 ? 2 : 0
        }' "$@"
}

# Conditions for the preprocessor, in the files that are the arguments. What differs between versions of Open MPI is in
# base/host alone, what differs between those of UCX in one file of the transport. Elsewhere conditions are about the
# processor, the compiler, or the language, or keep a header from being read twice; and the header that programs include
# asks for the version of MPI. The status is as with check_includes.
check_conditions()
{
    awk '
        BEGIN {
            version_files = "(^|/)(base/host\\.[ch]|common_ucp_lanes\\.c)$"
            free = "^(defined|__(x86_64|i386|aarch64|GNUC|clang|cplusplus|SANITIZE_THREAD)(__)?" \
                "|OMPI_OSC_UCP_AVX2|[A-Z_]*_H)$"
            of_ext = "^(MPI_VERSION|OSC_UCP_EXT_LARGE_COUNTS)$"
        }
        /^[ \t]*#[ \t]*(el)?if/ {
            conditions++
            if (FILENAME ~ version_files) {
                next
            }
            line = $0
            sub(/^[ \t]*#[ \t]*[a-z]+/, "", line)
            while (match(line, /[A-Za-z_][A-Za-z_0-9]*/)) {
                word = substr(line, RSTART, RLENGTH)
                line = substr(line, RSTART + RLENGTH)
                if (word !~ free && !(FILENAME ~ /^ext\// && word ~ of_ext)) {
                    print FILENAME ":" FNR ": depends on " word ": differences between versions are for base/host alone"
                    offenders++
                }
            }
        }
        END {
            exit offenders > 0 ? 1 : conditions == 0 ? 2 : 0
        }' "$@"
}

# What the objects need of each other, and of UCX: declarations of one's own would get past the includes. Reads
# read_floors, then read_symbols. The status is 1 if there is an offender, and 2 if nothing needs anything.
check_symbols()
{
    awk -v component="$component" -v transport="$transport" "$floor_of"'
        NR == FNR {
            height[$1] = NR
            next
        }
        $3 ~ /^[Uwv]$/ {
            user[++uses] = $1
            used[uses] = $2
            next
        }
        {
            owner[$2] = $1
        }
        END {
            for (i = 1; i <= uses; i++) {
                floor = floor_of(user[i])
                if (used[i] ~ /^uc[pstm]_/) {
                    print user[i], used[i], "of UCX, whose functions " transport "/common_ucp_ucx.c finds at run time"
                    offenders++
                } else if (used[i] in owner && floor_of(owner[used[i]]) != floor) {
                    of_floors++
                    if (height[floor_of(owner[used[i]])] > height[floor]) {
                        print user[i], used[i], "of a higher floor (" owner[used[i]] ")"
                        offenders++
                    }
                }
            }
            exit offenders > 0 ? 1 : of_floors == 0 ? 2 : 0
        }' "$@"
}

# Each line "SOURCE symbol what is wrong", with the line of the source where the symbol is named first.
with_lines()
{
    local source symbol what line

    while read -r source symbol what; do
        line=$(grep -nwm1 -- "$symbol" "$top/$source" | cut -d: -f1)
        echo "$source:${line:-1}: needs $symbol $what"
    done
}

check_table
read_floors >"$scratch/floors"
read_sources >"$scratch/sources"
mapfile -t sources <"$scratch/sources"
failed=0
status=0
(cd "$top" && check_includes "$scratch/floors" "${sources[@]}") || status=$?
[ "$status" -le 1 ] || fail "no include of another floor, of UCX, or no check of Open MPI's version: nothing was tested"
[ "$status" -eq 0 ] || failed=1

mapfile -t others < <(cd "$top" && find ext preload status convert -name '*.[ch]' | sort)
status=0
(cd "$top" && check_conditions "${sources[@]}" "${others[@]}") || status=$?
[ "$status" -le 1 ] || fail "no condition for the preprocessor: nothing was tested"
[ "$status" -eq 0 ] || failed=1

read_symbols >"$scratch/symbols"
status=0
check_symbols "$scratch/floors" "$scratch/symbols" >"$scratch/offenders" || status=$?
[ "$status" -le 1 ] || fail "no object needs another floor's symbols: nothing was tested"
with_lines <"$scratch/offenders"
[ "$status" -eq 0 ] || failed=1

if command -v python3 >/dev/null; then
    quietly "$top/contrib/floors" "$scratch/floors.svg"
    cmp -s "$scratch/floors.svg" "$top/docs/floors.svg" ||
        fail "docs/floors.svg: shows other sources than these: run contrib/floors"
    exit $failed
fi
[ $failed -eq 0 ] && skip "docs/floors.svg was not looked at: python3 is not installed"
exit $failed
