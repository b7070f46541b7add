"""Machines that know one repository, and a release that tests change a copy of."""

import hashlib
import os
import pathlib
import shutil
from collections.abc import Iterator

from world import (ARCHITECTURES, ENDINGS, NOW, RELEASE, SUITES, Done, World, accepted, allow, expect, make_key,
                   make_packages, make_ssh_key)


class Machine:
    """An apt that knows one repository, one key and no package yet; nothing of this machine's own apt."""

    def __init__(self, world: World, repository: pathlib.Path, suite: str, architecture: str,
                 key: pathlib.Path | None = None) -> None:
        self.world = world
        self.root = world.fresh("machine")
        for folder in ("etc/apt.conf.d", "etc/preferences.d", "etc/trusted.gpg.d", "etc/sources.list.d",
                       "etc/auth.conf.d", "state/lists/partial", "cache/archives/partial", "log", "download"):
            (self.root / folder).mkdir(parents=True)
        (self.root / "status").touch()
        keyring = self.root / "etc/spark-reconcile.asc"
        shutil.copyfile(key or repository / "spark-reconcile.asc", keyring)
        sources = (repository / f"spark-reconcile-{suite}.sources").read_text()
        installed = "/etc/apt/keyrings/spark-reconcile.asc"
        expect(f"Signed-By: {installed}\n" in sources, f"no Signed-By:\n{sources}")
        (self.root / f"etc/sources.list.d/spark-reconcile-{suite}.sources").write_text(
            sources.replace(installed, str(keyring)))
        configuration = self.root / "apt.conf"
        configuration.write_text(
            f'Dir::Etc "{self.root}/etc";\nDir::Etc::Parts "apt.conf.d";\nDir::Etc::Main "none";\n'
            f'Dir::Etc::SourceList "none";\nDir::State "{self.root}/state";\nDir::State::Status "{self.root}/status";\n'
            f'Dir::Cache "{self.root}/cache";\nDir::Log "{self.root}/log";\nAPT::Sandbox::User "root";\n'
            f'APT::Architecture "{architecture}";\nAPT::Architectures {{ "{architecture}"; }};\n'
            'Acquire::Languages "none";\nAcquire::Retries "0";\nAcquire::http::Timeout "10";\n'
            'Acquire::http::Proxy "DIRECT";\n')
        self.environment = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "APT_CONFIG": str(configuration)}
        world.serve(repository)

    def apt(self, *command: str) -> Done:
        return self.world.run(*command, cwd=self.root / "download", environment=self.environment)

    def update(self) -> Done:
        return self.apt("apt-get", "update", "--error-on=any")

    def download(self) -> Done:
        return self.apt("apt-get", "download", "spark-reconcile")

    def versions(self) -> list[str]:
        listed = accepted(self.apt("apt-cache", "madison", "spark-reconcile"))
        return [line.split("|")[1].strip() for line in listed.splitlines()]

    def downloaded(self) -> set[str]:
        """The sums of what apt left; it renames what it refused."""
        found = (self.root / "download").glob("*.deb")
        return {hashlib.sha256(path.read_bytes()).hexdigest() for path in found}


def of_suite(name: str, suite: str) -> bool:
    """Whether a package whose file has this name is for that suite."""
    version = name.split("_")[1]
    return version.endswith(ENDINGS[suite]) if ENDINGS[suite] else "+" not in version


def each_machine(world: World, repository: pathlib.Path) -> Iterator[tuple[str, str, Machine]]:
    for suite in SUITES:
        for architecture in ARCHITECTURES:
            yield suite, architecture, Machine(world, repository, suite, architecture)


class Release:
    """A signed release, whole; a test works on a copy."""

    def __init__(self, world: World, packages: pathlib.Path | None) -> None:
        self.world = world
        self.made = packages is None
        self.packages = packages or make_packages(world, world.scratch / "packages", "0.2.0")
        self.key = "Ours"
        self.public = make_key(world, self.key)
        self.other_public = make_key(world, "Somebody else")
        self.ssh = make_ssh_key(world)
        self.other_ssh = make_ssh_key(world)
        self.allowed = allow(self.ssh, world.scratch / "allowed_signers")
        self.repository = world.scratch / "repository"
        accepted(self.sign(self.repository, self.packages))
        self.download = world.scratch / "download"
        accepted(self.sums(self.download, *self.files()))

    def files(self) -> list[pathlib.Path]:
        debs = sorted(self.packages.rglob("*.deb"))
        return [*debs, self.repository / "spark-reconcile.asc", *sorted(self.repository.glob("*.sources"))]

    def sign(self, repository: pathlib.Path, *folders: pathlib.Path, key: str = "", public: pathlib.Path | None = None,
             epoch: int = NOW, path: str = "") -> Done:
        return self.world.run(RELEASE / "repository", "--key", key or self.key, "--uri", self.world.uri, "--public",
                              public or self.public, repository, *folders, SOURCE_DATE_EPOCH=str(epoch),
                              PATH=path or os.environ["PATH"])

    def sums(self, download: pathlib.Path, *files: pathlib.Path, key: pathlib.Path | None = None,
             allowed: pathlib.Path | None = None, path: str = "") -> Done:
        return self.world.run(RELEASE / "sums", "--key", key or self.ssh, "--allowed", allowed or self.allowed,
                              download, *files, PATH=path or os.environ["PATH"])

    def repository_copy(self) -> pathlib.Path:
        target = self.world.fresh("repository")
        shutil.copytree(self.repository, target)
        return target

    def packages_for(self, suite: str, architecture: str) -> list[pathlib.Path]:
        found = sorted(self.packages.rglob(f"spark-reconcile_*_{architecture}.deb"))
        return [path for path in found if of_suite(path.name, suite)]

    def package_in(self, repository: pathlib.Path) -> pathlib.Path:
        """The package of bookworm for amd64."""
        (package,) = self.packages_for("bookworm", "amd64")
        (found,) = repository.rglob(package.name)
        return found
