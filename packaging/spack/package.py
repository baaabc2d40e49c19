# Spack's recipe of vef (Spack 1.0 and later): docs/install.md shows its use.
import os

from spack_repo.builtin.build_systems.makefile import MakefilePackage

from spack.package import *


class Vef(MakefilePackage):
    """vef captures real MPI programs and replays them on simulated interconnection networks. It predicts how
    long a program runs on a given network, with a given routing and task mapping, and shows why."""

    # The sources have no public address yet: `make dist` writes the archive, and Spack takes it from the
    # current folder. An archive cannot hold its own checksum.
    homepage = "file://{0}".format(os.getcwd())
    url = "file://{0}/vef-0.9.0.tar.gz".format(os.getcwd())
    manual_download = True

    version("0.9.0")

    variant("scotch", default=True, description="Map tasks and partition networks with Scotch")
    variant("otf2", default=True, description="Write traces as OTF2 archives")
    variant("libdw", default=True, description="Resolve call sites to lines of the source")

    depends_on("c", type="build")
    depends_on("libyaml")
    depends_on("yajl@2:")
    depends_on("zlib-api")
    depends_on("mpi")
    depends_on("scotch@7: ~mpi ~metis", when="+scotch")
    depends_on("otf2", when="+otf2")
    depends_on("elfutils", when="+libdw")

    # The capture library is built for the MPI library of the spec.
    requires("^[virtuals=mpi] mpich@3.1:", "^[virtuals=mpi] openmpi@3:", policy="one_of")
    requires("target=x86_64:", "target=aarch64:", policy="one_of")
    conflicts("platform=darwin", msg="vef needs Linux")

    sanity_check_is_file = ["bin/vef", "lib/vef/libvefcapture.so", "include/vef.h"]

    # The suite needs more packages and takes minutes.
    build_time_test_callbacks = []

    @property
    def make_variables(self):
        mpi = "openmpi" if self.spec.satisfies("^[virtuals=mpi] openmpi") else "mpich"
        other = "mpich" if mpi == "openmpi" else "openmpi"
        variables = [
            f"PREFIX={self.prefix}",
            "WARN=",
            # Only this MPI library and these optional libraries, whatever the system has.
            f"MPICC_{mpi}={self.spec['mpi'].mpicc}",
            f"MPICC_{other}=",
            f"MPICC={self.spec['mpi'].mpicc}",
            "OPTIONAL=" + " ".join(name for name in ["scotch", "otf2", "libdw"] if f"+{name}" in self.spec),
        ]
        if self.spec.satisfies("+scotch"):
            variables.append(f"scotch_FLAGS=-DVEF_HAVE_SCOTCH {self.spec['scotch'].headers.include_flags}")
            variables.append(f"scotch_LIBS={self.spec['scotch'].libs.ld_flags}")
        if self.spec.satisfies("+otf2"):
            variables.append(f"otf2_FLAGS=-DVEF_HAVE_OTF2 {self.spec['otf2'].headers.include_flags}")
            variables.append(f"otf2_LIBS={self.spec['otf2'].libs.ld_flags}")
        if self.spec.satisfies("+libdw"):
            variables.append(f"libdw_FLAGS=-DVEF_HAVE_LIBDW -I{self.spec['elfutils'].prefix.include}")
            variables.append(f"libdw_LIBS=-L{self.spec['elfutils'].prefix.lib} -ldw")
        return variables

    @property
    def build_targets(self):
        return self.make_variables

    @property
    def install_targets(self):
        return ["install"] + self.make_variables

    def test_version(self):
        """Compare the version that vef prints."""
        vef = which(self.prefix.bin.vef)
        out = vef("--version", output=str.split, error=str.split)
        assert f"vef {self.spec.version}\n" in out

    def test_topology(self):
        """Compute the diameter of a torus of 8 x 8 routers, which is 8."""
        vef = which(self.prefix.bin.vef)
        out = vef("topology", "{family: torus, sizes: [8, 8]}", "--json", output=str.split, error=str.split)
        assert '"diameter": 8' in out
