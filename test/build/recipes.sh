#!/bin/bash
# The recipes in contrib that cannot be carried out here: each is parsed, and names options, files, packages and parts
# that there are. The environment module is loaded, used and unloaded.
#
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck source=test/build/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

python=/usr/bin/python3
left=

# options FILE: configure has each option that the file gives to it.
options()
{
    local option

    # shellcheck disable=SC2013  # words without spaces
    for option in $(grep -v '^#' "$1" | grep -oE -- '--(with|without|enable|disable)-[a-z0-9-]+' | sort -u); do
        option=${option/--without-/--with-}
        grep -qE -- "(^|\s)(${option/--disable-/--(disable|enable)-})(\[|=| |$)" "$scratch/help" ||
            fail "$1: configure has no $option"
    done
}

# The Containerfile: known instructions, shell commands without errors, files that are there, the packages of
# contrib/check.
check_container()
{
    local file=$top/contrib/container/Containerfile bad packages name

    sed -e '/^#/d' -e ':a' -e '/\\$/{N;s/\\\n/ /;ba' -e '}' "$file" | sed '/^$/d' >"$scratch/instructions"
    bad=$(grep -vE '^(ARG|FROM|RUN|COPY|ENV|USER|WORKDIR) ' "$scratch/instructions" || true)
    [ -z "$bad" ] || fail "not an instruction that Containerfiles have: $bad"
    [ "$(grep -c '^RUN ' "$scratch/instructions")" -ge 4 ] || fail "the Containerfile runs hardly a command"
    sed -n 's/^RUN //p' "$scratch/instructions" >"$scratch/commands"
    quietly sh -n "$scratch/commands"
    packages=$(sed -nE '1s/.*--no-install-recommends +//p' "$scratch/commands" | xargs -n 1 | sort)
    [ "$packages" = "$(sed -n 's/^build_packages=(\(.*\))$/\1/p' "$top/contrib/lib/setup.sh" | xargs -n 1 | sort)" ] ||
        fail "the packages in $file are not those of contrib/lib/setup.sh"
    # shellcheck disable=SC2013  # words without spaces
    for name in $(sed -nE 's/.*EXAMPLES="([^"]*)".*/\1/p' "$scratch/commands"); do
        [ -e "$top/examples/$name.c" ] || fail "there is no examples/$name.c"
    done
    options "$file"
}

# The recipes for EasyBuild and conda and the workflow: their own syntax, and what they name.
check_parsed()
{
    cat >"$scratch/recipe_check.py" <<'END'
import pathlib
import re
import sys

top, version = pathlib.Path(sys.argv[1]), sys.argv[2]
[recipe] = (top / "contrib/easybuild").glob("*.eb")
eb = {}
exec(compile(recipe.read_text(), str(recipe), "exec"), eb)
toolchain = eb["toolchain"]
assert recipe.name == f"{eb['name']}-{eb['version']}-{toolchain['name']}-{toolchain['version']}.eb", recipe.name
assert eb["version"] == version and eb["easyblock"] == "ConfigureMake" and eb["moduleclass"] == "mpi"
assert eb["sources"][0] % {"name": eb["name"], "version": version} == f"osc-ucp-{version}.tar.gz"
folder = re.search(r"--with-component-dir=(\S+)", eb["configopts"])[1]
assert eb["modextravars"]["OMPI_MCA_mca_base_component_path"].split(":")[0] == folder
assert f"%(installdir)s/{eb['sanity_check_paths']['files'][0]}" == f"{folder}/mca_osc_ucp.so"
END
    quietly $python -B "$scratch/recipe_check.py" "$top" "$(made_with VERSION)"
    if ! $python -c 'import yaml' 2>/dev/null; then
        left="conda's recipe and the workflow were not parsed: there is no python3-yaml"
        return
    fi
    cat >"$scratch/yaml_check.py" <<'END'
import pathlib
import re
import sys

import yaml

top, version = pathlib.Path(sys.argv[1]), sys.argv[2]
text = (top / "contrib/conda/meta.yaml").read_text()
variables = dict(re.findall(r'\{% set (\w+) = "([^"]+)" %\}', text))
text = re.sub(r"\{%.*?%\}", "", text)
text = re.sub(r"\{\{ (\w+) \}\}", lambda match: variables[match[1]], text)
text = re.sub(r"\{\{ (\w+)\(.*?\) \}\}", r"\1", text)
meta = yaml.safe_load(text)
assert meta["package"] == {"name": "osc-ucp", "version": version}, meta["package"]
assert (top / "contrib/conda" / meta["source"]["path"] / "configure.ac").exists()
assert "compiler" in meta["requirements"]["build"] and any(
    need.startswith("openmpi >=4.1") for need in meta["requirements"]["host"])
assert (top / meta["about"]["license_file"]).exists() and meta["test"]["commands"]

flow = top / ".github/workflows/check.yml"
if flow.exists():  # not in a tarball
    jobs = yaml.safe_load(flow.read_text())["jobs"]
    runs = [step["run"] for job in jobs.values() for step in job["steps"] if "run" in step]
    parts = re.search(r"^all_parts=\((.*)\)", (top / "contrib/check").read_text(), re.M)[1].split()
    named = [run for run in runs if "contrib/check" in run][0].split("--parts ")[1].split()[0].split(",")
    assert set(parts) - set(named) == {"matrix", "guard"} and set(named) <= set(parts), named
    assert any("contrib/matrix ${{ matrix.cell }}" in run for run in runs)
    cells, matrix = jobs["matrix"]["strategy"]["matrix"]["cell"], (top / "contrib/matrix").read_text()
    assert set(re.search(r"^ +echo (.+)\n +return$", matrix, re.M)[1].split()) <= set(cells), cells
    releases = re.search(r"^ +for release in (.+); do$", matrix, re.M)[1].split()
    assert {release for cell in cells for release in cell.split("/")} <= set(releases), cells
END
    quietly $python -B "$scratch/yaml_check.py" "$top" "$(made_with VERSION)"
}

# What a user does with the module's file, in a home folder of its own. The component is the one that was built.
check_module()
{
    local home=$scratch/home module=/usr/share/modules/init/bash line
    local folder=$home/opt/osc-ucp/7.8

    if [ ! -e "$module" ]; then
        left="$left${left:+; }the module was not loaded: there is no environment-modules"
        return
    fi
    mkdir -p "$folder/components" "$home/modulefiles/osc-ucp"
    cp "$components/mca_osc_ucp.so" "$folder/components"
    cp "$top/contrib/modules/osc-ucp" "$home/modulefiles/osc-ucp/7.8"
    cp "$top/contrib/modules/osc-ucp" "$home/modulefiles/osc-ucp/9.9"
    quietly "$mpicc" -O -o "$scratch/window" "$top/test/build/window.c"
    cat >"$scratch/use" <<'END'
set -e
. "$1"
module use "$HOME/modulefiles"
module load osc-ucp/7.8
echo "loaded: $OMPI_MCA_mca_base_component_path $MANPATH"
"$2" -np 2 --oversubscribe --mca osc ucp --mca osc_base_verbose 10 "$3" 2>&1
module unload osc-ucp
echo "unloaded: ${OMPI_MCA_mca_base_component_path-}${MANPATH-}"
! module load osc-ucp/9.9
echo "not loaded: ${OMPI_MCA_mca_base_component_path-}"
END
    run_ranks "$scratch/out" 60 env -u MODULEPATH -u LOADEDMODULES -u MANPATH \
        -u OMPI_MCA_mca_base_component_path HOME="$home" bash "$scratch/use" "$module" "$mpirun" "$scratch/window"
    [ "$status" -eq 0 ] || fail "the module: $(cat "$scratch/out")"
    for line in "loaded: $folder/components:SYSTEM_DEFAULT:USER_DEFAULT $folder/share/man" "unloaded: " \
        "not loaded: "; do
        grep -qxE "$line:?" "$scratch/out" || fail "the module should print '$line': $(cat "$scratch/out")"
    done
    [ "$(lines 'osc/ucp: window')" -eq 1 ] || fail "the module's component served no window: $(cat "$scratch/out")"
    [ "$(lines 'there is no .*9.9/components/mca_osc_ucp.so')" -eq 1 ] || fail "a version that is not there was loaded"
}

command -v $python >/dev/null || skip "there is no python3"
"$top/configure" --help >"$scratch/help"
check_container
quietly bash -n "$top/contrib/conda/build.sh"
options "$top/contrib/conda/build.sh"
options "$(echo "$top"/contrib/easybuild/*.eb)"
check_parsed
check_module
[ -z "$left" ] || skip "the rest passed, but $left"
