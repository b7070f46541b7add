"""What a virtual Spark is made of: an architecture, a suite of Debian and a kernel."""

from __future__ import annotations

from dataclasses import dataclass

MACHINES = ("amd64", "arm64")
SUITES = ("bookworm", "trixie")
GROUPS = ("containers", "https", "ucx")  # of packages that few cases need, as image/packages has them

# The newest kernel that DGX OS has, as Debian's backports for the suite have it, for as long as they do.
OWNERS_KERNEL = {"trixie": "6.17.13+deb13"}


@dataclass(frozen=True)
class Platform:
    machine: str = MACHINES[0]
    suite: str = SUITES[0]
    kernel: str = ""  # its exact release, without the architecture; else the owners', else the newest of the suite's
    groups: tuple[str, ...] = GROUPS

    def kernels(self) -> list[str]:
        """Packages; the first that there is becomes the kernel."""
        if self.kernel:
            return [f"linux-image-{self.kernel}-{self.machine}"]
        if self.suite in OWNERS_KERNEL:
            exact = f"linux-image-{OWNERS_KERNEL[self.suite]}-{self.machine}"
            return [exact, f"linux-image-{self.machine}/{self.suite}-backports"]
        return [f"linux-image-{self.machine}"]

    @property
    def root(self) -> str:
        """The suite, as tests/bare-root takes it."""
        return self.suite + ("+backports" if self.suite in OWNERS_KERNEL else "")

    @property
    def console(self) -> str:
        return {"amd64": "ttyS0", "arm64": "ttyAMA0"}[self.machine]

    @property
    def patience(self) -> float:
        """What each deadline is multiplied by: emulation is slower, and a boot takes twice as long."""
        return {"amd64": 1, "arm64": 2.5}[self.machine]
