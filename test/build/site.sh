#!/bin/bash
# contrib/docs makes the site of the documentation without a warning, and Chromium finds its way in it. A link to a page
# or place that is not there, a page that the navigation lacks, and what would be loaded from elsewhere are seen.
#
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck source=test/build/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# make_site [--look] of the copy. Sets status; what was said is in $scratch/out.
make_site()
{
    status=0
    "$scratch/tree/contrib/docs" "$@" "$scratch/site" >"$scratch/out" 2>&1 </dev/null || status=$?
}

# refused PATTERN...: it failed, and a line says each.
refused()
{
    local pattern

    [ "$status" -ne 0 ] || fail "nothing was seen, not even $1: $(cat "$scratch/out")"
    for pattern in "$@"; do
        grep -qE -- "$pattern" "$scratch/out" || fail "not seen: $pattern: $(cat "$scratch/out")"
    done
}

for package in sphinx myst_parser sphinx_rtd_theme; do
    [ -d "/usr/lib/python3/dist-packages/$package" ] || skip "there is no python3-${package//_/-}"
done
command -v chromium >/dev/null || skip "there is no chromium"

mkdir "$scratch/tree"
tar -C "$top" --exclude=./.git --exclude=./build --exclude=./test -cf - . | tar -C "$scratch/tree" -xf -
rm -f "$scratch/tree/config.status"
make_site --look
[ "$status" -eq 0 ] || fail "the site is not right: $(cat "$scratch/out")"
[ -s "$scratch/site/site.png" ] || fail "there is no picture of the site"
[ "$(sed -n 's/ searches$//p' "$scratch/out")" -ge 90 ] || fail "hardly a line was searched: $(cat "$scratch/out")"

# What the check of the finished site sees.
page=$scratch/site/html/docs/errors.html
sed -i 's,</body>,<a href="trace.html#lost">x</a><img src="https://example.org/x.png"/>&,' "$page"
rm "$scratch/site/html/docs/watchdog.html"
status=0
python3 -B "$top/contrib/lib/site_links.py" "$scratch/site/html" >"$scratch/out" || status=$?
refused "docs/errors.html: trace.html#lost: the page has no such place" \
    "docs/errors.html: loads https://example.org/x.png" "docs/report.html: watchdog.html: there is no such file"

# What Sphinx sees.
cat >>"$scratch/tree/docs/trace.md" <<'END'

A link to [a page](lost.md), to [a place](report.md#lost), to [a file](../test/lost.c), and ![a picture](lost.svg).
END
echo "# Nobody links here" >"$scratch/tree/docs/alone.md"
make_site
refused "trace.md.*lost.md" "trace.md.*report.md#lost" "trace.md.*lost.c" "trace.md.*lost.svg" \
    "alone.md: WARNING: document isn't included in any toctree"
