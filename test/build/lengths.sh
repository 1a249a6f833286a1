#!/bin/bash
# No function of the transport or of the component is longer than 45 lines; no line of a C source, a shell script or a
# Makefile.am is longer than 120 columns.
#
# SPDX-License-Identifier: BSD-3-Clause

# shellcheck source=test/build/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

max_lines=45
max_columns=120
failed=0
cd "$top"

# The files with limited lines. Scripts are known by their first line: others' begin with "#! /".
limited_files()
{
    local file first

    while IFS= read -r -d '' file; do
        case $file in
        *.c | *.h | *.sh | */Makefile.am) echo "${file#./}" ;;
        *.*) ;;
        *)
            first=
            IFS= read -r -d '' -n 11 first <"$file" 2>/dev/null || true
            [[ $first != '#!/bin/'@(bash|sh)* ]] || echo "${file#./}" ;;
        esac
    done < <(find ./Makefile.am ./autogen.sh compat contrib ompi opal test -type f -print0)
}

limited_files >"$scratch/files"
for pattern in '^opal/.*\.c$' '^ompi/.*\.h$' '^test/.*\.sh$' '^contrib/[a-z]*$' '/Makefile\.am$'; do
    grep -q "$pattern" "$scratch/files" || fail "there is no file like $pattern: it was not tested"
done
while read -r file; do
    expand "$file" | LC_ALL=C.UTF-8 grep -nE "^.{$((max_columns + 1)),}" >"$scratch/long" || continue
    while IFS=: read -r line text; do
        echo "$file:$line: longer than $max_columns columns: ${text::60}..."
    done <"$scratch/long"
    failed=1
done <"$scratch/files"

if ! command -v ctags >/dev/null || [[ $(ctags --version) != Universal* ]]; then
    [ $failed -eq 0 ] || fail "functions were not looked at: there is no ctags (on Debian, universal-ctags)"
    skip "functions were not looked at: there is no ctags (on Debian, apt install universal-ctags)"
fi
ctags -x --_xformat='%F %n %{end} %N' --languages=C --map-C=+.h --kinds-C=f -R "$transport" "$component" \
    >"$scratch/functions" || fail "ctags failed"
for folder in "$transport" "$component"; do
    [ "$(grep -c "^$folder/" "$scratch/functions")" -ge 50 ] || fail "ctags finds hardly a function in $folder"
done
awk -v most=$max_lines '
    NF != 4 || $3 < $2 {
        print $1 ":" $2 ": ctags does not see the end of this function"
        bad = 1
    }
    $3 - $2 + 1 > most {
        print $1 ":" $2 ": " $4 " has " $3 - $2 + 1 " lines, more than " most
        bad = 1
    }
    END {
        exit bad
    }' "$scratch/functions" || failed=1
exit $failed
