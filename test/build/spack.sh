#!/bin/bash
# The Spack recipe is valid Python, is for this version, and gives configure options that it has. Spack itself is not
# needed: a few lines stand in for it.
#
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck source=test/build/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

command -v python3 >/dev/null || skip "there is no python3"
mkdir -p "$scratch/spack"
touch "$scratch/spack/__init__.py"
cat >"$scratch/spack/package.py" <<'END'
class Prefix(str):
    def __getattr__(self, name):
        return Prefix(f"{self}/{name}")


class Spec:
    def __init__(self, name):
        self.prefix = Prefix("/opt/" + name)

    def __getitem__(self, name):
        return Spec(name)


class AutotoolsPackage:
    spec = Spec("all")
    prefix = Prefix("/opt/osc-ucp")


def version(number, **_):
    print("version", number)


def depends_on(*_, **__):
    pass


license = depends_on
END
cp "$top/contrib/spack/package.py" "$scratch/recipe.py"
quietly env PYTHONPATH="$scratch" PYTHONDONTWRITEBYTECODE=1 python3 -c '
import recipe
for argument in recipe.OscUcp().configure_args():
    print(argument)
print("url", recipe.OscUcp().url_for_version("7.8.9"))
'
grep -qx "version $(made_with VERSION)" "$scratch/log" ||
    fail "the recipe is for another version: $(cat "$scratch/log")"
grep -qE '^url file:///.*/osc-ucp-7\.8\.9\.tar\.gz$' "$scratch/log" || fail "the url: $(cat "$scratch/log")"
"$top/configure" --help >"$scratch/help"
# shellcheck disable=SC2013  # words without spaces
for option in $(grep -oE -- "^--[a-z0-9-]*" "$scratch/log"); do
    grep -qE -- "(^|\s)${option/--without-/--with-}(\[|=| |$)" "$scratch/help" || fail "configure has no option $option"
done
[ "$(grep -c '^--' "$scratch/log")" -eq 4 ] || fail "the recipe's options: $(cat "$scratch/log")"
