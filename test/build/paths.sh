#!/bin/bash
# Nobody but path/ and the table of reach/paths.c knows a path by its name, calls one, or knows where a target's memory
# is. A new path is one file and one row: see further_path.sh.
#
# SPDX-License-Identifier: BSD-3-Clause

# shellcheck source=test/build/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# What is excepted, one a line: the file, the header or the field that it uses, and why. One that is not used fails.
exceptions='
call/query.c     peer->memory    MPI_Win_shared_query gives the program this pointer
'

failed=0
: >"$scratch/used"

# Something was found at $1:$2, a file of the component and a line: it uses $3, which $4. Excepted?
found()
{
    if awk -v file="$1" -v what="$3" '$1 == file && $2 == what { yes = 1 } END { exit !yes }' <<<"$exceptions"; then
        echo "$1 $3" >>"$scratch/used"
    else
        echo "$component/$1:$2: $3: $4"
        failed=1
    fi
}

# Grep for the pattern in the sources of the component outside path/, as lines FILE:LINE:MATCH.
grep_outside()
{
    grep -rnoP --include='*.[ch]' --exclude-dir=path -- "$1" . | sed 's,^\./,,'
}

cd "$top/$component"

# Names.
defined=$(sed -nE 's,^const ompi_osc_ucp_path_t ompi_osc_ucp_path_([a-z0-9_]+) = .*,\1,p' path/*.c | sort)
rows=$(sed -nE 's,^    ROW\(([a-z0-9_]+)\).*,\1,p' reach/paths.c | sort)
[ -n "$defined" ] || fail "no path is defined in $component/path: nothing was tested"
diff <(echo "$defined") <(echo "$rows") || fail "paths in $component/path (<) and rows of reach/paths.c (>) differ"
while IFS=: read -r file line name; do
    [ "$file" = reach/paths.c ] || found "$file" "$line" "$name" "names a path, which reach/paths.c does alone"
done < <(grep_outside "\\bompi_osc_ucp_path_(${defined//$'\n'/|})\\b")

# Headers: the interface, and the short way, are for all.
while IFS=: read -r file line header; do
    case $header in
    path/path.h | path/short.h) : >"$scratch/interface" ;;
    *) found "$file" "$line" "$header" "a header of one path, or of some" ;;
    esac
done < <(grep_outside '^\s*#\s*include\s*["<]\Kpath/[^">]+')
[ -e "$scratch/interface" ] || fail "nobody includes path/path.h or path/short.h: nothing was tested"

# Fields: pointers to peers go by the names that the file declares.
fields=0
while read -r file; do
    names=$(grep -ohP 'ompi_osc_ucp_peer_t(\s+|\s*\*|\s*const\b)+\K\w+' "$file" | sort -u | paste -sd '|')
    while IFS=: read -r line use; do
        fields=$((fields + 1))
        case $file:$use in
        path/*) ;;
        *memory)
            grep -qE '^#include "path/short.h"' "$file" ||
                found "$file" "$line" 'peer->memory' "only path/ and who includes path/short.h know where it is" ;;
        *) found "$file" "$line" 'peer->remote' "only path/ knows where it is" ;;
        esac
    done < <(grep -noP "\\b(peer|${names:-peer})(_p|\\[\\w+\\])?\\)?(->|\\.)(memory|remote)\\b" "$file")
done < <(find . -name '*.[ch]' | sed 's,^\./,,' | sort)
[ $fields -gt 0 ] || fail "nobody uses peer->memory or peer->remote: nothing was tested"

# Objects: those outside path/ link to the paths of the table, and to nothing else in path/.
read_symbols >"$scratch/symbols"
status=0
awk -v folder="$component/" '
    index($1, folder) != 1 {
        next
    }
    {
        sub(folder, "", $1)
    }
    $3 !~ /^[Uwv]$/ {
        owner[$2] = $1
    }
    $3 == "U" && $1 !~ /^path\// {
        user[++uses] = $1
        used[uses] = $2
    }
    END {
        for (i = 1; i <= uses; i++) {
            if (used[i] in owner && owner[used[i]] ~ /^path\//) {
                found++
                if (user[i] != "reach/paths.c" || used[i] !~ /^ompi_osc_ucp_path_/) {
                    sub(/c$/, "h", owner[used[i]])
                    print user[i], used[i], owner[used[i]]
                }
            }
        }
        exit found == 0
    }' "$scratch/symbols" >"$scratch/links" || status=$?
[ "$status" -eq 0 ] || fail "nobody links to anything in path/: nothing was tested"
while read -r file symbol header; do
    line=$(grep -nwm1 -- "$symbol" "$file" | cut -d: -f1)
    found "$file" "${line:-1}" "$header" "its function or variable $symbol is used"
done <"$scratch/links"

# Exceptions that nobody needs any more.
while read -r file what _; do
    [ -z "$file" ] || grep -qxF "$file $what" "$scratch/used" ||
        fail "test/build/paths.sh excepts $file from the rule about $what, which it keeps by now: remove that line"
done <<<"$exceptions"
exit $failed
