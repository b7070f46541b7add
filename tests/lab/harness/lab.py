"""The world of a case: nodes and the cables between them, gone when it ends."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import yaml

from . import ask, fresh, image
from .machine import Machine, power_cut_all
from .names import netdev
from .node import HELPERS, PROGRAM, Node
from .platform import Platform
from .switch import Switch
from .wire import Cable, End

FILE = "/etc/spark-reconcile/cluster.yaml"


def programs(platform: Platform) -> dict[Path, str]:
    """Built programs, and where each stands in place of the package's: those of SPARK_RECONCILE, or of build/release.

    None where SPARK_PACKAGE names the package that is meant, or where a build of this machine would not run.
    """
    if "SPARK_RECONCILE" not in os.environ and ("SPARK_PACKAGE" in os.environ or platform != Platform()):
        return {}
    program = Path(os.environ.get("SPARK_RECONCILE", image.CHECKOUT / "build" / "release" / "spark-reconcile"))
    beside = sorted(program.parent.glob("spark-*"))
    helpers = [file for file in beside if file != program and file.is_file() and os.access(file, os.X_OK)]
    return {program: PROGRAM} | {file: f"{HELPERS}/{file.name}" for file in helpers}


class Lab:
    """Use as a context: on the way out every machine is off and every file of theirs is gone."""

    def __init__(self, say=print, platform: Platform = Platform()) -> None:
        self.platform = platform
        self._say = say
        self._temporary = tempfile.TemporaryDirectory(prefix="spark-lab.")
        self.folder = Path(self._temporary.name)
        self.nodes: dict[str, Node] = {}
        self.cables: list[Cable] = []
        self.switches: list[Switch] = []
        # Lives as long as the machines that are started from it (see machine.py).
        self._pool = ThreadPoolExecutor(8)

    def __enter__(self) -> Lab:
        return self

    def __exit__(self, *_) -> None:
        self.close()

    # --- building

    def prepare(self, count: int) -> None:
        """Builds the image and boots the first `count` Sparks, if that was never done."""
        root = image.get(self.platform, self._say)
        self._together(lambda number: fresh.get(number, root, self._say), range(1, count + 1))

    def sparks(self, *names: str) -> list[Node]:
        """That many freshly booted Sparks, none of them wired, with the package installed."""
        root = image.get(self.platform, self._say)
        self.prepare(len(self.nodes) + len(names))
        for name in names:
            number = len(self.nodes) + 1
            start = fresh.get(number, root, self._say)
            node = Node(name, Machine(number, root, self.folder / name, start.disk))
            self.nodes[name] = node
        self._together(self._start, names)
        return [self.nodes[name] for name in names]

    def cluster(self, file: Path) -> list[Node]:
        """The nodes of a cluster.yaml, wired by its cables and plugged; the file is on each."""
        wanted = yaml.safe_load(file.read_text())
        nodes = self.sparks(*wanted["nodes"])
        for node in nodes:
            self.install(node, file)
        for cable in wanted.get("fabric", {}).get("cables", []):
            self.cable(*cable["ends"])
        for switch in wanted.get("fabric", {}).get("switches", []):
            self.switch(switch["name"], switch["ports"])
        return nodes

    def install(self, node: Node, file: Path) -> None:
        """Makes `file` the cluster.yaml of the node."""
        node.run(f"mkdir -p {os.path.dirname(FILE)}")
        node.put(file, FILE)

    def cable(self, first: str, second: str) -> Cable:
        """A plugged cable between two cages: lab.cable("spark1:1", "spark2:1")."""
        cable = Cable(self._end(first), self._end(second), self.folder)
        self.cables.append(cable)
        cable.plug()
        return cable

    def rewire(self, *pairs: tuple[str, str]) -> None:
        """Takes all cables out, and plugs these in. In between each node has seen that its carrier went: a machine that is
        busy would miss it, and by hand nobody is that quick."""
        without: dict[Node, list[str]] = {}
        while self.cables:
            cable = self.cables.pop()
            cable.take_out()
            for end in cable.ends:
                if isinstance(end.node, Node) and end.node.machine.powered:
                    without.setdefault(end.node, []).extend(netdev(end.cage, rail) for rail in (0, 1))
        for node, rails in without.items():
            ask.wait_for_carrier(node, rails, up=False)
        for first, second in pairs:
            self.cable(first, second)

    def switch(self, name: str, ports: Iterable[str]) -> None:
        """A switch, and a plugged cable from each of those cages to it."""
        switch = Switch(name, self.folder / name)
        self.switches.append(switch)
        for number, port in enumerate(ports):
            cable = Cable(End(switch, number), self._end(port), self.folder)
            self.cables.append(cable)
            cable.plug()

    def _together(self, act: Callable, items: Iterable) -> None:
        try:
            list(self._pool.map(act, items))
        except KeyboardInterrupt:
            power_cut_all()  # else the others would be waited for
            raise

    def _end(self, text: str) -> End:
        name, cage = text.rsplit(":", 1)
        return End(self.nodes[name], int(cage))

    def _start(self, name: str) -> None:
        node = self.nodes[name]
        node.resume(fresh.get(node.machine.number, node.machine.image).state)
        for file, place in programs(self.platform).items():
            node.put(file, place, "755")

    # --- acting

    def power_cut(self, node: Node) -> None:
        node.power_cut()
        self._each_cable_of(node, lambda cable: cable.node_is_off(node))

    def power_on(self, node: Node) -> None:
        """Boots it from its disk, with the cables as they are."""
        node.boot(on_power=lambda: self._each_cable_of(node, Cable.update))

    def remove_card(self, node: Node) -> None:
        """The ConnectX-7 is gone from the PCI bus; the other ends lose their carrier."""
        node.machine.remove_card()
        self._each_cable_of(node, Cable.update)

    def insert_card(self, node: Node) -> None:
        node.machine.insert_card()
        self._each_cable_of(node, Cable.update)

    def _each_cable_of(self, node: Node, act) -> None:
        for cable in self.cables:
            if node in (end.node for end in cable.ends):
                act(cable)

    # --- for people

    def ssh_config(self) -> Path:
        """A file with which `ssh -F FILE NODE` is a shell on a node, from any terminal."""
        file = self.folder / "ssh"
        lines = []
        for name, node in self.nodes.items():
            lines += [f"Host {name}", "  HostName 127.0.0.1", "  User root"]
            lines += [f"  Port {node.machine.management_port()}", f"  IdentityFile {node.machine.image.key}"]
        lines += ["Host *", "  StrictHostKeyChecking no", "  UserKnownHostsFile /dev/null", "  LogLevel ERROR"]
        file.write_text("\n".join(lines) + "\n")
        return file

    # --- ending

    def keep_logs(self, folder: Path) -> None:
        for node in self.nodes.values():
            node.keep_logs(folder)

    def close(self) -> None:
        for node in self.nodes.values():
            node.power_cut()
        for switch in self.switches:
            switch.power_cut()
        self._pool.shutdown(cancel_futures=True)
        self._temporary.cleanup()
