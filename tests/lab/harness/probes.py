"""Two spark-verbs-probe on two nodes, and who passes the lines of each to the other."""

from __future__ import annotations

import json
import subprocess
import threading
from contextlib import suppress
from dataclasses import dataclass

from .node import HELPERS, Node, Overdue

PROGRAM = f"{HELPERS}/spark-verbs-probe"
PROCESS = "spark-verbs-pro"  # the same, as the kernel has it: 15 characters


@dataclass(frozen=True)
class End:
    """One end of a rail."""

    node: Node
    link: str
    device: str
    address: str

    def command(self, task: str, seconds: int, more: str = "") -> str:
        return (f"exec {PROGRAM} {task} {self.device} 1 $(cat /sys/class/net/{self.link}/ifindex) {self.address} "
                f"{seconds * 1000} {more}")  # fmt: skip


class Probes:
    """Started at once; each line goes to the other probe as it came, and is kept."""

    def __init__(self, first: End, second: End, commands: tuple[str, str], deadline: float) -> None:
        self._deadline = deadline
        self._ends = (first, second)
        self.lines: tuple[list[dict], list[dict]] = ([], [])
        self._changed = threading.Condition()
        self._started = [end.node.pipe(command) for end, command in zip(self._ends, commands)]
        self._threads = [threading.Thread(target=self._pass, args=(own,), daemon=True) for own in (0, 1)]
        for thread in self._threads:
            thread.start()

    def wait_for(self, end: int, step: str) -> dict:
        """The first line of that step, of that end."""
        with self._changed:
            if not self._changed.wait_for(lambda: self._of(end, step), self._deadline):
                raise Overdue(f"{self._ends[end].node.name}: no '{step}' within {self._deadline:.0f} s: {self.lines}")
            return self._of(end, step)[0]

    def reports(self) -> list[dict | None]:
        """The last line of both, when both have ended; none of one that ended without."""
        for thread in self._threads:
            thread.join(self._deadline)
        for probe in self._started:
            try:
                probe.wait(0 if any(thread.is_alive() for thread in self._threads) else 10)
            except subprocess.TimeoutExpired as error:
                for other in self._started:
                    other.kill()
                raise Overdue(f"the probes did not end within {self._deadline:.0f} s: {self.lines}") from error
        return [(self._of(end, "report") or [None])[-1] for end in (0, 1)]

    def _of(self, end: int, step: str) -> list[dict]:
        return [line for line in self.lines[end] if line["step"] == step]

    def _pass(self, own: int) -> None:
        source, sink = self._started[own].stdout, self._started[1 - own].stdin
        for line in source:
            with self._changed:
                self.lines[own].append(json.loads(line))
                self._changed.notify_all()
            # A probe that has ended reads no more; the other says why.
            with suppress(BrokenPipeError, ValueError):
                sink.write(line)
                sink.flush()
        with suppress(BrokenPipeError, ValueError):
            sink.close()


def verify(first: End, second: End, seconds: int = 20) -> list[dict | None]:
    """What both ends report of `peer`."""
    commands = (first.command("peer", seconds), second.command("peer", seconds))
    return Probes(first, second, commands, seconds + 10).reports()


def bench(first: End, second: End, operation: str, seconds: int, queue_pairs: int = 1) -> Probes:
    """`first` moves bytes for some seconds, `second` lends its memory."""
    within = seconds + 20
    commands = tuple(
        end.command("bench", within, f"{does} {seconds} {queue_pairs}")
        for end, does in ((first, operation), (second, "none"))
    )
    return Probes(first, second, commands, within + 10)
