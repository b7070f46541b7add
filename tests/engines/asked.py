"""Two nodes whose daemons ask a program of ask.d before a rail is disturbed, for the tests of fleetlock and of kubernetes.

The machines are those of machines.py, with the stand-in for a card. What a timer of systemd runs on a real node, the test runs
by `beat`.
"""

import contextlib
import hashlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
sys.dont_write_bytecode = True
from machines import CHECKOUT, CLUSTER_FILE, LIBEXEC, RAILS, RUN, Cluster, Machine, wait_for  # noqa: E402

LOCAL = "/usr/local/lib/spark-reconcile"
EXAMPLES = CHECKOUT / "examples"
READY_WITHIN = 60  # seconds
HEALED_WITHIN = 15  # seconds
ASKED_AGAIN = 40  # after a no the daemon asks again in 30
ADDRESS = "192.0.2.{}/24"  # of the first rail

failures: list[str] = []


def expect(what: str, holds: bool, seen: object = "") -> None:
    print(f"{'ok  ' if holds else 'FAIL'} {what}", flush=True)
    if not holds:
        failures.append(what)
        print("     " + str(seen).replace("\n", "\n     "), flush=True)


def within(what: str, holds, seconds: float = READY_WITHIN, seen=lambda: "") -> None:
    """That it comes to this; a test goes on from there, so the first that does not ends the run."""
    try:
        wait_for(holds, what, seconds)
    except TimeoutError:
        expect(what, False, seen())
        raise SystemExit(1) from None
    expect(what, True)


def healed_after(ip, words, link: str, address: str, drifts) -> float:
    """Takes the address away; how many seconds later it is back, and the daemon has counted a drift more. `ip` and `words` are
    those of the machine: it runs lines of ip, and makes a command line that runs there."""
    before, began = drifts(), time.monotonic()
    ip(f"address del {address} dev {link}")
    wait_for(lambda: drifts() > before and address in addresses(words, link), f"{address} is back on {link}", HEALED_WITHIN)
    return time.monotonic() - began


def addresses(words, link: str) -> str:
    return subprocess.run(words("ip", "-4", "address", "show", "dev", link), capture_output=True, text=True, timeout=20, check=True).stdout


def digest_of(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


class Pair(Cluster):
    """`program` is the folder and the name of one in examples/; its copy on the node is as its page has it installed."""

    def __init__(self, folder: pathlib.Path, stack: contextlib.ExitStack, example: str, program: str) -> None:
        super().__init__(2, folder, stack)
        self.program, self.made = program, 0
        text = self.file(9000, 1)
        for number, machine in enumerate(self.machines, 1):
            machine.install()
            machine.path(LOCAL).mkdir(parents=True)
            shutil.copy2(EXAMPLES / "shared" / "spark_node.py", machine.path(LOCAL))
            shutil.copy2(EXAMPLES / example / program, machine.path(LOCAL))
            machine.write(f"/etc/spark-reconcile/ask.d/50-{example}", (EXAMPLES / example / "ask").read_text("utf-8"), 0o755)
            for link in RAILS:
                machine.ip(f"link set {link} up")
            machine.give_card(number)
            machine.write(CLUSTER_FILE, text)
            done = machine.run("spark-reconcile", "apply", "--yes", check=False)
            if done.returncode not in (0, 3):
                raise RuntimeError(f"{machine.name}: apply ended with {done.returncode}: {done.stdout}{done.stderr}")
        for machine in self.machines:
            machine.start_services()

    def file(self, mtu: int, ecn: int) -> str:
        """Another MTU disturbs the rails; another sysctl disturbs nobody."""
        self.made += 1
        text = self.text(f"host:\n  sysctl: {{ net.ipv4.tcp_ecn: {ecn} }}\n# {self.made}\n")
        return text.replace("  mtu: 9000\n", f"  mtu: {mtu}\n")

    def put(self, text: str) -> None:
        for machine in self.machines:
            machine.write(f"{CLUSTER_FILE}.new", text)
            machine.path(f"{CLUSTER_FILE}.new").rename(machine.path(CLUSTER_FILE))

    # What a node says.

    def status(self, machine: Machine) -> dict:
        return json.loads(machine.read(f"{RUN}/status.json"))

    def are_ready(self, text: str) -> bool:
        return all((said["verdict"], said["digest"], said["disturb_waits"]) == ("ready", digest_of(text), [])
                   for said in map(self.status, self.machines))  # fmt: skip

    def whys(self) -> list[str]:
        """Why the change waits, on each node."""
        return [", ".join(str(wait.get("asked")) for wait in self.status(machine)["disturb_waits"]) for machine in self.machines]

    def mtus(self) -> list[int]:
        return [json.loads(machine.run("ip", "-json", "link", "show", RAILS[0]).stdout)[0]["mtu"] for machine in self.machines]

    def ecn(self) -> list[str]:
        return [machine.run("cat", "/proc/sys/net/ipv4/tcp_ecn").stdout.strip() for machine in self.machines]

    def asked(self, machine: Machine) -> bool:
        return machine.path(f"/var/lib/{self.program}/asked.json").exists()

    # What is done to it.

    def beat(self, verb: str = "done") -> list[int]:
        """What the timer runs."""
        return [machine.run(f"{LOCAL}/{self.program}", verb, check=False).returncode for machine in self.machines]

    def beats(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.beat()
            time.sleep(3)

    def drifts(self, machine: Machine) -> int:
        return self.status(machine)["counters"]["drifts"].get("address", 0)

    def heals(self, when: str) -> None:
        """An address that somebody takes away comes back, while the server is as it is."""
        machine = self.machines[0]
        what = f"{when}: an address that somebody took away is back"
        try:
            seconds = healed_after(machine.ip, machine.words, RAILS[0], ADDRESS.format(1), lambda: self.drifts(machine))
        except TimeoutError:
            expect(what, False)
            raise SystemExit(1) from None
        expect(what, True)
        print(f"     after {seconds:.1f} s", flush=True)

    def back_after(self, machine: Machine) -> float:
        """How many seconds after somebody took the address of the first node away it is there again."""
        began = time.monotonic()
        machine.ip(f"address del {ADDRESS.format(1)} dev {RAILS[0]}")
        while ADDRESS.format(1) not in addresses(machine.words, RAILS[0]) and time.monotonic() - began < HEALED_WITHIN:
            time.sleep(0.05)
        return time.monotonic() - began

    def hold(self, number: int, *, held: bool) -> None:
        """The other end of the first rail of a node."""
        self.control.ip(f"link set p{number}e1 {'down' if held else 'up'}")


def freeze(process, *, frozen: bool) -> None:
    os.kill(process, signal.SIGSTOP if frozen else signal.SIGCONT)


__all__ = ["ASKED_AGAIN", "EXAMPLES", "LIBEXEC", "LOCAL", "Pair", "digest_of", "expect", "failures", "freeze", "healed_after", "wait_for", "within"]
