"""A page of the documentation, whose commands and files a case types as they stand there."""

from __future__ import annotations

import re
from pathlib import Path

from .image import CHECKOUT
from .node import Node

_COMMAND = re.compile(r"(?:sudo|spark-reconcile|scp) ")


class Page:
    def __init__(self, path: str) -> None:
        self._path = path
        self._text = (CHECKOUT / path).read_text()

    def section(self, title: str) -> str:
        """What stands below that heading, up to the next."""
        found = re.search(rf"(?ms)^#+ {re.escape(title)}\n(.*?)(?=^#+ [A-Z]|\Z)", self._text)
        assert found, f"{self._path} has no section '{title}'"
        return found[1]

    def step(self, title: str, number: int) -> str:
        """That step of the section's numbered list."""
        found = re.search(rf"(?ms)^{number}\. (.*?)(?=^\d+\. |^\S|\Z)", self.section(title))
        assert found, f"{self._path}, '{title}', has no step {number}"
        return found[1]

    def file(self, title: str) -> str:
        """The first file of the section."""
        found = re.search(r"(?ms)^```yaml\n(.*?)^```", self.section(title))
        assert found, f"{self._path}, '{title}', has no file"
        return found[1]


def commands(text: str) -> list[str]:
    """Those of a section or a step, in their order: lines of blocks for a shell, and code within a text."""
    found: list[str] = []
    for block, code in re.findall(r"(?ms)^ *```sh\n(.*?)^ *```|`([^`\n]+)`", text):
        lines = [line.split("  #")[0].strip() for line in block.splitlines()] if block else [code]
        found += [line for line in lines if _COMMAND.match(line)]
    assert found, f"no command in: {text}"
    return found


def _shown(text: str) -> str:
    """What stays on the screen: without colours, and of a line that was written over, the last."""
    text = re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", text).replace("\r\n", "\n")
    return "\n".join(line.rstrip("\r").split("\r")[-1].rstrip() for line in text.split("\n"))


def prepare(*nodes: Node) -> None:
    """A node of the lab has no sudo, and root needs none."""
    for node in nodes:
        node.put_text("/usr/local/bin/sudo", '#!/bin/sh\nexec "$@"\n', "755")


def types(node: Node, command: str, deadline: float = 180, codes: tuple[int, ...] = (0,)) -> str:
    """A person types it at a terminal, in the home folder, and says yes where it asks."""
    session = node.session(f"cd /root && {command}")
    said, _ = session.communicate("y\n", timeout=node.patient(deadline))
    said = _shown(said)
    print(f"\n{node.name}# {command}\n{said}", flush=True)
    assert session.returncode in codes, f"{node.name}: `{command}` ended with {session.returncode}:\n{said}"
    return said
