"""An NVMe-TCP target on a node: files of that node, offered by the kernel's own nvmet."""

from __future__ import annotations

import shlex
from dataclasses import dataclass

from .node import Node

CONFIG = "/sys/kernel/config/nvmet"


@dataclass(frozen=True)
class Volume:
    """A namespace; its UUID is what it is found by, since device names change from boot to boot."""

    namespace: int
    uuid: str
    size_mib: int = 64


class Target:
    """One subsystem behind one address. Its files outlive a reboot of the node, its settings do not."""

    def __init__(self, node: Node, nqn: str, address: str, volumes: list[Volume], port: int = 4420) -> None:
        self.node, self.nqn, self.address, self.volumes, self.port = node, nqn, address, volumes, port
        self._subsystem = f"{CONFIG}/subsystems/{nqn}"
        self._port = f"{CONFIG}/ports/{port}"

    def offer(self, allow_any_host: bool = True) -> None:
        script = [
            "set -e", "modprobe -a nvmet nvmet-tcp", f"mkdir -p {self._subsystem} {self._port} /srv/target",
            f"echo {int(allow_any_host)} > {self._subsystem}/attr_allow_any_host",
        ]  # fmt: skip
        for volume in self.volumes:
            file = f"/srv/target/{volume.uuid}"
            namespace = f"{self._subsystem}/namespaces/{volume.namespace}"
            script += [
                f"test -e {file} || truncate --size {volume.size_mib}M {file}",
                f"mkdir {namespace}",
                f"echo {file} > {namespace}/device_path",
                f"echo 1 > {namespace}/buffered_io",
                f"echo {volume.uuid} > {namespace}/device_uuid",
                f"echo 1 > {namespace}/enable",
            ]
        for key, value in (("trtype", "tcp"), ("adrfam", "ipv4"), ("traddr", self.address), ("trsvcid", self.port)):
            script.append(f"echo {value} > {self._port}/addr_{key}")
        self._do(*script)
        self.come_back()

    def allow(self, host_nqn: str) -> None:
        """Only the hosts that were named, where `offer` did not allow all."""
        host = f"{CONFIG}/hosts/{host_nqn}"
        self._do(f"mkdir -p {host}", f"ln -s {host} {self._subsystem}/allowed_hosts/")

    def enable(self, namespace: int, on: bool) -> None:
        """A volume goes, or comes; hosts that are connected hear of it."""
        self._do(f"echo {int(on)} > {self._subsystem}/namespaces/{namespace}/enable")

    def vanish(self) -> None:
        """The target is lost: its connections break, and new ones are refused."""
        self._do(f"rm {self._port}/subsystems/{self.nqn}")

    def come_back(self) -> None:
        self._do(f"ln -s {self._subsystem} {self._port}/subsystems/")

    def withdraw(self) -> None:
        """Takes all settings back; the files stay."""
        self._do(
            f"rm -f {self._port}/subsystems/* {self._subsystem}/allowed_hosts/*",
            f"rmdir {self._port} {self._subsystem}/namespaces/* {self._subsystem}",
        )

    def _do(self, *lines: str) -> None:
        self.node.run("sh -c " + shlex.quote("\n".join(lines)))
