"""The daemon as systemd runs it: started, heard to be ready, and told to stop."""

import os
import pathlib
import select
import signal
import socket
import subprocess
import time
from collections.abc import Callable

from machine import DEADLINE_S, Machine, Outcome, run

DAEMON = "daemon"


def to_its_end(machine: Machine, words: list[str], verb: str) -> Outcome:
    """A command line that runs the verb, under strace for instance. The daemon ends once it is ready."""
    return until_ready(words, machine.root.parent) if verb == DAEMON else run(words)


def until_ready(words: list[str], folder: pathlib.Path, is_done: Callable[[], bool] = lambda: True,
                deadline: float = DEADLINE_S) -> Outcome:
    """Its first pass over the network is done when it says READY (sd_notify(3)); then it ends at its own pace.

    `is_done`: asked from then on, until it is so or the daemon has ended.
    """
    heard, told = folder / "notify", folder / "daemon.log"
    heard.unlink(missing_ok=True)
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notify, told.open("w") as log:
        notify.bind(str(heard))
        with subprocess.Popen(words, env=os.environ | {"NOTIFY_SOCKET": str(heard)}, stdin=subprocess.DEVNULL,
                              stdout=log, stderr=subprocess.STDOUT) as process:
            end = time.monotonic() + deadline
            if hears(notify, process.pid, end) and waits(process, is_done, end):
                os.kill(innermost(process.pid), signal.SIGTERM)
            try:
                code = process.wait(max(0.0, end - time.monotonic()))
            except subprocess.TimeoutExpired:
                os.kill(innermost(process.pid), signal.SIGKILL)
                process.kill()
                return Outcome(-9, told.read_text(errors="replace"), hung=True)
    return Outcome(code, told.read_text(errors="replace"))


def waits(process: subprocess.Popen[bytes], is_done: Callable[[], bool], end: float) -> bool:
    """Nobody tells of files that the daemon writes, so they are looked at. False: it has ended, or never comes to it."""
    while process.poll() is None and time.monotonic() < end:
        if is_done():
            return True
        time.sleep(0.02)
    return False


def hears(notify: socket.socket, pid: int, end: float) -> bool:
    """Whether it says that it is ready, before it ends and before that time."""
    ended = os.pidfd_open(pid)
    try:
        while (left := end - time.monotonic()) > 0:
            ready, _, _ = select.select([notify, ended], [], [], left)
            if notify in ready and b"READY=1" in notify.recv(4096):
                return True
            if ended in ready:
                return False
        return False
    finally:
        os.close(ended)


def innermost(pid: int) -> int:
    """The program itself, where another one runs it."""
    children = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    runs_another = pathlib.Path(f"/proc/{pid}/comm").read_text().strip() in ("strace", "kill_before")
    return int(children[0]) if runs_another and children else pid
