#!/bin/bash
# docs/parameters.md and the man page are what contrib/parameters makes of the table of parameters, and that is what
# ompi_info shows of the component; the man page has no errors. A parameter that is added without them is seen.
#
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck source=test/build/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

source=$top/$component/base/params.c

# Do the files in docs agree with this source?
agree()
{
    rm -rf "$scratch/docs"
    mkdir "$scratch/docs"
    quietly "$top/contrib/parameters" --source "$1" --output "$scratch/docs"
    [ "$(find "$scratch/docs" -type f | wc -l)" -eq 2 ] || fail "contrib/parameters should write two files"
    for file in "$scratch/docs"/*; do
        cmp -s "$file" "$top/docs/${file##*/}" || return 1
    done
}

# The same lines as of contrib/parameters --list, from the component that was built: name, level, default, help text.
shown()
{
    awk -F : '
        $4 == "param" && $5 ~ /^osc_ucp_/ {
            text = $0
            sub("^mca:osc:ucp:param:" $5 ":" $6 ":", "", text)
            sub(/^"/, "", text)
            sub(/"$/, "", text)
            row[$5, $6] = text
            names[$5]
        }
        END {
            for (name in names) {
                value = row[name, "value"]
                print name "\t" row[name, "level"] "\t" (value == "" ? "empty" : value) "\t" row[name, "help"]
            }
        }' "$scratch/log"
}

command -v python3 >/dev/null || skip "there is no python3"
agree "$source" || fail "docs/parameters.md or docs/osc_ucp.7 is not what params.c says: run contrib/parameters"

# One more parameter, and one that another text explains.
row='{ "added", \&ompi_osc_ucp_params.added, NULL, OPAL_INFO_LVL_3, "1: more (default: 0)" },'
sed "s/^    { \"report\",/    $row\n&/" "$source" >"$scratch/added.c"
sed 's/1: print a report/1: print the report/' "$source" >"$scratch/changed.c"
for other in added changed; do
    ! cmp -s "$source" "$scratch/$other.c" || fail "params.c has no place for a parameter that is $other: see this test"
    ! agree "$scratch/$other.c" || fail "a parameter that is $other is not seen"
done

quietly "$top/contrib/parameters" --list
sort "$scratch/log" >"$scratch/table"
quietly env OMPI_MCA_mca_base_component_path="$components:SYSTEM_DEFAULT:USER_DEFAULT" \
    "$(dirname "$mpicc")/ompi_info" --param osc ucp --level 9 --parsable
shown | sort >"$scratch/shown"
[ "$(grep -c '^osc_ucp_' "$scratch/shown")" -ge 10 ] || fail "ompi_info shows hardly a parameter: $(cat "$scratch/log")"
differ=$(diff "$scratch/table" "$scratch/shown") || fail "the table (<) and ompi_info (>): $differ"

command -v groff >/dev/null || skip "the man page was not rendered: there is no groff"
groff -man -Tutf8 -ww "$top/docs/osc_ucp.7" 2>"$scratch/log" | sed 's/.\x08//g; s/\x1b\[[0-9;]*m//g' >"$scratch/page"
[ ! -s "$scratch/log" ] || fail "the man page has errors: $(cat "$scratch/log")"
while IFS=$'\t' read -r name _; do
    grep -qE "^ +$name$" "$scratch/page" || fail "the man page has no entry $name"
done <"$scratch/table"
