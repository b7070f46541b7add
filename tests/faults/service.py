"""The daemon as systemd runs it: started, heard to be ready, and told to stop."""

import os
import pathlib
import select
import signal
import socket
import subprocess
import time

from machine import DEADLINE_S, Machine, Outcome, run

DAEMON = "daemon"


def to_its_end(machine: Machine, words: list[str], verb: str) -> Outcome:
    """A command line that runs the verb, under strace for instance. The daemon ends once it is ready."""
    return until_ready(words, machine.root.parent) if verb == DAEMON else run(words)


def until_ready(words: list[str], folder: pathlib.Path) -> Outcome:
    """Its first pass over the network is done when it says READY (sd_notify(3)); then it ends at its own pace."""
    heard, told = folder / "notify", folder / "daemon.log"
    heard.unlink(missing_ok=True)
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notify, told.open("w") as log:
        notify.bind(str(heard))
        with subprocess.Popen(words, env=os.environ | {"NOTIFY_SOCKET": str(heard)}, stdin=subprocess.DEVNULL,
                              stdout=log, stderr=subprocess.STDOUT) as process:
            end = time.monotonic() + DEADLINE_S
            if hears(notify, process.pid, end):
                os.kill(innermost(process.pid), signal.SIGTERM)
            try:
                code = process.wait(max(0.0, end - time.monotonic()))
            except subprocess.TimeoutExpired:
                os.kill(innermost(process.pid), signal.SIGKILL)
                process.kill()
                return Outcome(-9, told.read_text(errors="replace"), hung=True)
    return Outcome(code, told.read_text(errors="replace"))


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
    is_strace = pathlib.Path(f"/proc/{pid}/comm").read_text().strip() == "strace"
    return int(children[0]) if is_strace and children else pid
