# SPDX-License-Identifier: BSD-3-Clause
"""Spack recipe of osc/ucp, for a release tarball in the current folder:

spack repo create my-repo
mkdir -p my-repo/packages/osc-ucp && cp package.py my-repo/packages/osc-ucp/
spack repo add my-repo
spack install --no-checksum osc-ucp
spack load osc-ucp

Open MPI must have its development headers (configure --with-devel-headers). Where Spack's own has not, name one that
has as an external package; configure tells.
"""

import os

from spack.package import *


class OscUcp(AutotoolsPackage):
    """One-sided communication (MPI windows) over UCX, on any network: a component for Open MPI 4.1 to 6.0."""

    manual_download = True
    license("BSD-3-Clause")

    version("0.1.0")

    depends_on("pkgconfig", type="build")
    depends_on("c", type="build")
    depends_on("openmpi@4.1:6.0")  # "spack install --no-checksum osc-ucp ^openmpi@5.0" chooses one
    depends_on("ucx@1.13:")

    def url_for_version(self, version):
        return f"file://{os.getcwd()}/osc-ucp-{version}.tar.gz"

    def configure_args(self):
        return [
            f"--with-ompi={self.spec['openmpi'].prefix}",
            f"--with-ucx={self.spec['ucx'].prefix}",
            f"--with-component-dir={self.prefix.lib.openmpi}",
            "--without-otf2",
        ]

    # Open MPI is in another prefix and stays as it is, so it has to be told where to look.
    def setup_run_environment(self, env):
        env.set("OMPI_MCA_mca_base_component_path", f"{self.prefix.lib.openmpi}:SYSTEM_DEFAULT:USER_DEFAULT")
