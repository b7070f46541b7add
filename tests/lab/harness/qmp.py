"""QEMU's machine protocol: one JSON object a line over a unix socket."""

from __future__ import annotations

import json
import socket
import time
from pathlib import Path


class QmpError(Exception):
    """QEMU refused a command, or is gone."""


class Qmp:
    """A connection to one QEMU. Commands are answered in order; events that come between are kept."""

    def __init__(self, path: Path, alive, deadline: float = 20) -> None:
        """Waits for the socket of a QEMU that is starting; `alive` says whether it still runs."""
        self._socket = socket.socket(socket.AF_UNIX)
        self._events: list[dict] = []
        self._unread = b""
        end = time.monotonic() + deadline
        while True:
            try:
                self._socket.connect(str(path))
                break
            except (FileNotFoundError, ConnectionRefusedError):
                # No event says that the socket is there: it is made by a process that just started.
                if not alive() or time.monotonic() > end:
                    raise QmpError("QEMU does not answer") from None
                time.sleep(0.02)
        self._read(deadline)  # its greeting
        self("qmp_capabilities")

    def __call__(self, command: str, arguments: dict | None = None, deadline: float = 20) -> object:
        message = {"execute": command, "arguments": arguments or {}}
        try:
            self._socket.sendall(json.dumps(message).encode() + b"\n")
            while True:
                answer = self._read(deadline)
                if "event" in answer:
                    self._events.append(answer)
                elif "error" in answer:
                    raise QmpError(f"{command}: {answer['error']['desc']}")
                else:
                    return answer["return"]
        except OSError as error:
            raise QmpError(f"{command}: {error}") from error

    def human(self, line: str) -> str:
        """A command of the human monitor, for what the machine protocol lacks."""
        return str(self("human-monitor-command", {"command-line": line}))

    def wait_event(self, name: str, deadline: float) -> dict:
        """The next event of that name, those that came before this call included."""
        end = time.monotonic() + deadline
        while True:
            for event in self._events:
                if event["event"] == name:
                    self._events.remove(event)
                    return event
            try:
                self._events.append(self._read(end - time.monotonic()))
            except OSError as error:
                raise QmpError(f"no {name} within {deadline:.0f} s") from error

    def forget_events(self) -> None:
        self._events.clear()

    def close(self) -> None:
        self._socket.close()

    def _read(self, deadline: float) -> dict:
        end = time.monotonic() + deadline
        while b"\n" not in self._unread:
            self._socket.settimeout(max(0.001, end - time.monotonic()))
            chunk = self._socket.recv(65536)
            if not chunk:
                raise ConnectionError("QEMU has ended")
            self._unread += chunk
        line, self._unread = self._unread.split(b"\n", 1)
        return json.loads(line)
