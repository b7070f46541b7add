"""A virtual Spark as its owner sees it: a shell on it, its power, its files."""

from __future__ import annotations

import shlex
import subprocess
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from .machine import Machine, MachineError
from .platform import Platform

PROGRAM = "/usr/bin/spark-reconcile"
HELPERS = "/usr/libexec/spark-reconcile"

verbose = False  # set by `tests/lab/run --verbose`: every command is shown with its time and output


class CommandFailed(AssertionError):
    """A command on a node ended otherwise than it should have."""


class Overdue(AssertionError):
    """Something did not come about before its deadline."""


class Node:
    """Commands run as root over one ssh connection, which is made when first needed."""

    def __init__(self, name: str, machine: Machine) -> None:
        self.name = name
        self.machine = machine
        self._ssh: subprocess.Popen | None = None

    @property
    def platform(self) -> Platform:
        return self.machine.image.platform

    def patient(self, deadline: float) -> float:
        """A deadline in seconds, which is as much later as this machine is slower than the one that cases are written for."""
        return deadline * self.platform.patience

    # --- commands

    def ask(self, command: str, deadline: float = 60) -> subprocess.CompletedProcess[str]:
        """Runs a shell command, whatever its exit code."""
        self.connect()
        deadline = self.patient(deadline)
        begin = time.monotonic()
        try:
            done = subprocess.run(
                [*self._ssh_command(), "root@spark", command],
                stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=deadline,
            )  # fmt: skip
            if verbose:
                print(f"  {time.monotonic() - begin:6.2f} s  {self.name}# {command}\n{done.stdout}{done.stderr}",
                      end="", flush=True)  # fmt: skip
            return done
        except subprocess.TimeoutExpired as error:
            raise Overdue(f"{self.name}# {command}\nnot done after {deadline:.0f} s") from error

    def run(self, command: str, deadline: float = 60, code: int = 0) -> str:
        """What a shell command prints; it must end with `code`."""
        done = self.ask(command, deadline)
        if done.returncode != code:
            raise CommandFailed(
                f"{self.name}# {command}\n{done.stdout}{done.stderr}"
                f"ended with {done.returncode}, expected {code}"
            )
        return done.stdout

    def lines(self, command: str, deadline: float = 60) -> list[str]:
        return self.run(command, deadline).splitlines()

    def wait_until(self, condition: str, deadline: float = 60) -> None:
        """Until a shell command succeeds. It is polled on the node; for what no event tells."""
        loop = f"timeout {self.patient(deadline)} sh -c 'until sh -c \"$0\"; do sleep 0.2; done' {shlex.quote(condition)}"
        done = self.ask(f"{loop} 2>&1", deadline + 15)
        if done.returncode != 0:
            said = "\n".join(dict.fromkeys(done.stdout.splitlines()))  # each line once: it was asked often
            raise Overdue(f"{self.name}: not within {self.patient(deadline):.0f} s: {condition}\n{said}")

    def start(self, unit: str, command: str) -> None:
        """Runs a command in the background, as a service whose output is in the journal."""
        self.run(f"systemd-run --quiet --unit={unit} --property=LimitMEMLOCK=infinity "
                 f"sh -c {shlex.quote(command)}")  # fmt: skip

    def running(self, unit: str) -> bool:
        return self.ask(f"systemctl is-active --quiet {unit}").returncode == 0

    def output(self, unit: str) -> str:
        """What it printed so far, without what systemd says about it."""
        return self.run(f"journalctl --quiet --output=cat _SYSTEMD_UNIT={unit}.service")

    def session(self, command: str) -> subprocess.Popen[str]:
        """A person's terminal: a connection of its own, which ends with 255 when the node is silent for 6 s."""
        return subprocess.Popen(
            [*self.ssh_words(), "-tt", "-o", "ServerAliveInterval=2", "-o", "ServerAliveCountMax=3", "root@127.0.0.1",
             command],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True,
        )  # fmt: skip

    def pipe(self, command: str) -> subprocess.Popen[str]:
        """A command whose stdin and stdout are the caller's, line by line, over the shared connection."""
        self.connect()
        return subprocess.Popen(
            [*self._ssh_command(), "root@spark", command],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1, start_new_session=True,
        )  # fmt: skip

    def forward(self, port: int, other: Node, other_port: int) -> None:
        """A port of this node's loopback leads to one of another node's, as long as both are connected."""
        self.connect()
        other.connect()
        between = other.machine.folder / f"to-{other_port}"
        for node, way in ((other, f"-L{between}:127.0.0.1:{other_port}"), (self, f"-R127.0.0.1:{port}:{between}")):
            subprocess.run([*node._ssh_command(), "-O", "forward", way, "root@spark"], check=True, timeout=60,
                           stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)  # fmt: skip

    def put(self, source: Path, target: str, mode: str = "644") -> None:
        self.connect()
        quoted = shlex.quote(target)
        # On the disk, since a case may cut the power next.
        write = f"cat > {quoted}.part && chmod {mode} {quoted}.part && mv {quoted}.part {quoted} && sync -f {quoted}"
        with open(source, "rb") as data:
            subprocess.run([*self._ssh_command(), "root@spark", write], stdin=data, check=True,
                           timeout=self.patient(60))  # fmt: skip

    def put_text(self, target: str, text: str, mode: str = "644") -> None:
        with tempfile.NamedTemporaryFile("w") as file:
            file.write(text)
            file.flush()
            self.put(Path(file.name), target, mode)

    def reconcile(self, arguments: str, code: int = 0, deadline: float = 60) -> str:
        """Runs spark-reconcile; what it prints, errors included. It must end with `code`."""
        return self.run(f"{PROGRAM} {arguments} 2>&1", deadline, code)

    # --- power

    def boot(self, on_power=lambda: None, deadline: float = 240) -> None:
        """Switches the machine on and waits until it is up, from its disk.

        `on_power` is called as soon as it has power: there its cables get their carrier, so that it
        boots with them.
        """
        seen = self._console_size()
        self.machine.power_on()
        on_power()
        self._wait_for_boot(seen, deadline)

    def power_cut(self) -> None:
        self.disconnect()
        self.machine.power_cut()

    def reboot(self, deadline: float = 300, down: float = 300) -> float:
        """An orderly reboot, up to where boot has ended; within how many seconds it went down (at most `down`)."""
        seen = self._console_size()
        self.machine.qmp.forget_events()
        begin = time.monotonic()
        self.ask("systemctl --no-block reboot")
        self.machine.qmp.wait_event("RESET", self.patient(down))
        took = time.monotonic() - begin
        self.disconnect()
        self._wait_for_boot(seen, deadline)
        return took

    def resume(self, state: Path) -> None:
        """Goes on from a saved state, with the clock set right, under this node's name and identity to storage: all are
        made of one image, as no two Sparks are."""
        self.machine.power_on(state)
        self.connect()
        self.run(
            f"date --set=@{time.time():.3f} > /dev/null && hostname {self.name} && "
            f"echo {self.name} > /etc/hostname && echo 127.0.1.1 {self.name} >> /etc/hosts && "
            "echo nqn.2014-08.org.nvmexpress:uuid:$(cat /proc/sys/kernel/random/uuid) > /etc/nvme/hostnqn"
        )

    # --- the connection

    def ssh_words(self) -> list[str]:
        """For a person who wants a shell: needs nothing of this process."""
        return [
            "ssh", "-F", "none", "-i", str(self.machine.image.key), "-p", str(self.machine.management_port()),
            "-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null", "-o", "LogLevel=ERROR",
        ]  # fmt: skip

    def connect(self, deadline: float = 60) -> None:
        """Makes the connection that all commands share, unless it is there."""
        if self._ssh and self._ssh.poll() is None:
            return
        deadline = self.patient(deadline)
        end = time.monotonic() + deadline
        self._control.unlink(missing_ok=True)
        while True:
            self._ssh = subprocess.Popen(
                [*self.ssh_words(), "-M", "-N", "-S", self._control, "-o", f"ConnectTimeout={self.patient(10):.0f}",
                 "-o", "ServerAliveInterval=30", "root@127.0.0.1"],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                start_new_session=True,
            )  # fmt: skip
            # The socket is there once the guest has let us in; before, ssh ends or hangs.
            attempt = min(end, time.monotonic() + self.patient(15))
            while self._ssh.poll() is None and time.monotonic() < attempt:
                if self._control.exists():
                    return
                time.sleep(0.02)
            self.disconnect()
            if time.monotonic() > end or not self.machine.powered:
                raise Overdue(f"{self.name}: no ssh within {deadline:.0f} s\n{self._console_end()}")
            time.sleep(0.2)

    def disconnect(self) -> None:
        if self._ssh:
            self._ssh.kill()
            self._ssh.wait()
            self._ssh = None
        self._control.unlink(missing_ok=True)

    @property
    def _control(self) -> Path:
        return self.machine.folder / "ssh"

    def _ssh_command(self) -> list[str]:
        # Through that connection or not at all.
        options = ["-o", "ProxyCommand=false", "-o", "LogLevel=ERROR"]
        return ["ssh", "-F", "none", "-S", str(self._control), *options]

    # --- the console

    def _console_size(self) -> int:
        with suppress(FileNotFoundError):
            return self.machine.console.stat().st_size
        return 0

    def _console_end(self, count: int = 15) -> str:
        with suppress(FileNotFoundError):
            return "\n".join(self.machine.console.read_text(errors="replace").splitlines()[-count:])
        return ""

    def _wait_for_boot(self, seen: int, deadline: float) -> None:
        """A login prompt after `seen` bytes of console, then ssh, then systemd has nothing left to do."""
        begin = time.monotonic()

        def left() -> float:
            return deadline - (time.monotonic() - begin) / self.platform.patience

        while True:
            with suppress(FileNotFoundError), open(self.machine.console, "rb") as console:
                console.seek(seen)
                text = console.read()
                if b"login: " in text:
                    break
                if b"Kernel panic" in text:
                    raise MachineError(f"{self.name}: {self._console_end()}")
            if not self.machine.powered or left() < 0:
                raise Overdue(f"{self.name} did not boot within {self.patient(deadline):.0f} s\n{self._console_end()}")
            time.sleep(0.1)
        self.connect(max(30, left()))
        self.ask("systemctl is-system-running --wait", max(30, left()))

    # --- when a case has failed

    def keep_logs(self, folder: Path) -> None:
        """What the node said: its console always, its journal and network if it still answers."""
        folder.mkdir(parents=True, exist_ok=True)
        for name in ("console.log", "qemu.log"):
            with suppress(FileNotFoundError):
                text = (self.machine.folder / name).read_text(errors="replace")
                (folder / f"{self.name}.{name}").write_text(text)
        if not self.machine.powered:
            return
        questions = {
            "status.json": "cat /run/spark-reconcile/status.json",
            "record.json": "cat /run/spark-reconcile/record.json",
            "jobs.json": "cat /var/lib/spark-reconcile/jobs.json",
            "all-nodes.json": "cat /var/lib/spark-reconcile/all-nodes.json",
            "boards.json": "cat /run/spark-reconcile-peers/boards.json",
            "journal.log": "journalctl --boot --no-pager --output=short-monotonic",
            "network.log": "ip -d -s address; ip neighbour; ip route show table all; rdma link; nmcli device; "
                           "grep -H . /sys/class/infiniband/*/ports/1/gids/* 2>/dev/null | grep -v :0000$",
        }  # fmt: skip
        for name, command in questions.items():
            with suppress(Exception):  # it may be in any state: that is why we are here
                (folder / f"{self.name}.{name}").write_text(self.ask(command, 30).stdout)
