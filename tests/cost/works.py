"""What is counted, each in a world that is the same every time.

    tests/cost/works.py NAME TOOL ROOT PROGRAM COUNTER      tests/cost/run starts it, in namespaces of its own

Prints what it cost as one JSON object. TOOL is `calls` (strace) or `instructions` (callgrind), both with the counter
preloaded. ROOT is the Debian whose libc and tools are used. No clock, process number or address in memory differs from
run to run: the counter stops the clocks, the namespaces are new, and memory is not randomized. All of it runs on one
processor, where the daemon, of the policy for batches, does not interrupt who changes something under it.
"""

import contextlib
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

sys.dont_write_bytecode = True
TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS), str(TESTS / "faults")]
from machine import DEADLINE_S, Machine, Outcome, must_run, run  # noqa: E402
from node_in_namespace import MTU, Space  # noqa: E402
from service import until_ready  # noqa: E402

# Below this directory lies all that the counted program reads and writes, inside ROOT as outside.
FOLDER = pathlib.Path("/mnt")
COUNTER, COUNTS, LOG = (FOLDER / name for name in ("counter.so", "counts", "log"))
NODE = "spark1"
RAILS = {"enp1s0f0np0": ("192.168.177.11/24", "192.168.177.12/24"),
         "enP2p1s0f0np0": ("192.168.178.11/24", "192.168.178.12/24"),
         "enp1s0f1np1": ("192.168.187.11/24", "192.168.187.13/24"),
         "enP2p1s0f1np1": ("192.168.188.11/24", "192.168.188.13/24")}  # fmt: skip
RING = """version: 1
cluster: ring
nodes:
  spark1: { number: 11, management: enP7s7 }
  spark2: { number: 12, management: enP7s7 }
  spark3: { number: 13, management: enP7s7 }
fabric:
  mtu: 9000
  cables:
    - { ends: [spark1:0, spark2:1], subnets: [192.168.177.0/24, 192.168.178.0/24] }
    - { ends: [spark3:0, spark1:1], subnets: [192.168.187.0/24, 192.168.188.0/24] }
    - { ends: [spark2:0, spark3:1], subnets: [192.168.197.0/24, 192.168.198.0/24] }
"""
ROUTED = RING.replace("enP7s7 }", "enP7s7, links: { enp1s0f0np0: { routes: [{ to: 10.77.0.0/16, via: 192.168.177.12 }] } } }", 1)
LOOKS = "looks at the routes"  # each dumps the main table of IPv4, and others
LOOK = re.compile(r"^sendto\(.*RTM_GETROUTE.*NLM_F_DUMP.*rtm_family=AF_INET,.*RT_TABLE_MAIN\]", re.MULTILINE)


def text_of_switch(nodes: int) -> str:
    names = "".join(f"  {NODE[:-1]}{i}: {{ number: {i}, management: enP7s7 }}\n" for i in range(1, nodes + 1))
    ports = ", ".join(f"{NODE[:-1]}{i}:0" for i in range(1, nodes + 1))
    return (f"version: 1\ncluster: large\nnodes:\n{names}fabric:\n  mtu: {MTU}\n  switches:\n"
            f"    - {{ name: spine, ports: [{ports}], subnets: [10.10.0.0/20, 10.10.16.0/20] }}\n")  # fmt: skip


def text_of_addresses(count: int) -> str:
    addresses = ", ".join(f"10.20.{i // 250}.{i % 250 + 1}/16" for i in range(count))
    return f"version: 1\ncluster: one\nnodes:\n  {NODE}: {{ links: {{ storage0: {{ addresses: [{addresses}] }} }} }}\n"


class Node(Machine):
    """A node whose rails and management lead to another network namespace."""

    links = (*RAILS, "enP7s7", "storage0")

    def __init__(self, tool: str, root: str, stack: contextlib.ExitStack) -> None:
        self.before = {
            "calls": ["chroot", root, "/usr/bin/strace", "-ff", "-qq", "-s", "1", "-o", str(LOG), "-E", f"LD_PRELOAD={COUNTER}", "-E", f"SPARK_COUNTS={COUNTS}", "--"],
            "instructions": ["env", f"LD_PRELOAD={COUNTER}", f"SPARK_COUNTS={COUNTS}", "chroot", root,
                             "/usr/bin/valgrind.bin", "--tool=callgrind", "--fair-sched=yes", "--callgrind-out-file=/dev/null",
                             f"--log-file={LOG}", "--"]}[tool]  # fmt: skip
        self.far = Space("far", stack)
        # Who changes something beside the daemon is there as long as the daemon, which looks for its name.
        self.other = stack.enter_context(subprocess.Popen(["ip", "-batch", "-"], stdin=subprocess.PIPE, text=True, bufsize=1))
        super().__init__(str(FOLDER / "spark-reconcile"), FOLDER)

    def make_network(self) -> None:
        socket.sethostname(NODE)
        self.set_sysctl("net.ipv6.conf.default.addr_gen_mode", "1")  # no link-local addresses, which come later
        pairs = ((f"02:00:00:00:{end}:{i:02}" for end in ("01", "02")) for i in range(len(self.links)))
        self.ip("link set lo up\n" + "".join(
            f"link add {link} address {here} type veth peer name {link} address {there} netns {self.far.pid}\n"
            for link, (here, there) in zip(self.links, pairs, strict=True)))  # fmt: skip
        self.far.ip(*(f"link set {link} up" for link in self.links),
                    *(f"link set {rail} mtu {MTU}\naddress add {there} dev {rail}" for rail, (_, there) in RAILS.items()),
                    "address add 192.0.2.1/24 dev enP7s7")  # fmt: skip
        self.ip("link set enP7s7 up\nlink set storage0 up\naddress add 192.0.2.11/24 dev enP7s7\n"
                "route add default via 192.0.2.1\n")  # fmt: skip

    def words(self, *verb: str) -> list[str]:
        return [*self.before, *super().words(*verb)]

    def uncounted_words(self, *verb: str) -> list[str]:
        """To make the world, by the same program, at the same time."""
        return ["env", f"LD_PRELOAD={COUNTER}", *super().words(*verb)]

    def file(self, text: str) -> None:
        self.write("etc/spark-reconcile/cluster.yaml", text)

    def daemon(self, *acts: Callable[[], object]) -> Outcome:
        """The daemon, which has nothing to do before each of them, and at the end."""

        def done() -> bool:
            wait_until_idle()
            for act in acts:
                act()
                wait_until_idle()
            return True

        os.environ["SPARK_TIMERS"] = "main thread"
        return until_ready(["chrt", "--batch", "0", *self.words("daemon")], FOLDER, done, 120)


def sleeps_of_daemon() -> list[str]:
    """How often each of its threads has slept."""
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        if (process / "comm").read_text().startswith(("spark-reconcile", "callgrind-")):
            return [re.search(r"^voluntary.*", task.read_text(), re.MULTILINE)[0] for task in sorted(process.glob("task/*/status"))]
    return []


def wait_until_idle() -> None:
    """Longer than from a change to the last thing that the daemon does because of it: it looks at the gate two seconds later."""
    before, end = None, time.monotonic() + DEADLINE_S
    while before != (before := sleeps_of_daemon()):
        if time.monotonic() > end:
            raise TimeoutError("the daemon never rests")
        time.sleep(2.5)


def correct(node: Node, count: int) -> Outcome:
    lines = [f"address del {address} dev {rail}\n" for rail, (address, _) in RAILS.items()]
    return node.daemon(*(lambda line=line: node.other.stdin.write(line) for line in lines[:count]))


def look(node: Node, count: int) -> Outcome:
    """What wakes it and changes nothing: a mount that it does not see, since its root is another."""
    mounts = (("mount", "--bind", "/media", "/media"), ("umount", "/media"))
    return node.daemon(*(lambda words=mounts[i % 2]: must_run(*words) for i in range(count)))


def observe_rails(node: Node, count: int) -> Outcome:
    """As a job does that opens an RDMA device: the daemon looks a second later, and after five seconds at the soonest again."""
    device = node.path("dev/infiniband/uverbs0")
    return node.daemon(*[lambda: device.open().close()] * count)


def report_of(nodes: int) -> str:
    """What spark-peers would have heard of all others: each is what spark2 of a recorded report is."""
    report = json.loads((TESTS / "recorded/peers/0.2.0/report.json").read_text())
    (hello,), (told,) = report["heard"], report["told"]
    others = [f"{NODE[:-1]}{number}" for number in range(2, nodes + 1)]
    heard = [hello | {"link": link, "heard_boot_ms": 999000, "hello": hello["hello"] | {"cluster": "large", "node": name, "cage": 0, "rail": rail}}
             for name in others for rail, link in enumerate(list(RAILS)[:2])]  # fmt: skip
    details = [told | {"told_boot_ms": 999000, "details": told["details"] | {"cluster": "large", "node": name, "machine": f"{name:0>32}"}}
               for name in others]  # fmt: skip
    boot = pathlib.Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    return json.dumps(report | {"boot_id": boot, "heard": heard, "told": details, "rdma": []})


def ask_status(node: Node) -> Outcome:
    """Beside a daemon that has judged its gate, in which nobody answers, and waits for a while."""
    asked: list[Outcome] = []

    def ask() -> bool:
        wait_until_idle()
        asked.append(node.spark("status"))
        return True

    until_ready(["env", "SPARK_TIMERS=all threads", *node.uncounted_words("daemon")], FOLDER, ask)
    return asked[0]


def hear_switch(node: Node) -> None:
    node.file(text_of_switch(32))
    run(node.uncounted_words("apply"))
    node.write("run/spark-reconcile-peers/peers.json", report_of(32))


@dataclass(frozen=True)
class Work:
    prepare: Callable[[Node], object]
    act: Callable[[Node], Outcome]
    code: int
    said: str  # a pattern
    of_workers: bool = False


def converge(node: Node, text: str = RING) -> None:
    node.file(text)
    applied = run(node.uncounted_words("apply"))
    assert applied.code == 4, applied


def converge_with_routes(node: Node) -> None:
    converge(node, ROUTED)


def converge_with_device(node: Node) -> None:
    converge(node)
    node.write("dev/infiniband/uverbs0", "")


WORKS = {
    "apply, converged": Work(converge, lambda node: node.spark("apply"), 4, "28 in sync"),
    "apply, with routes": Work(converge_with_routes, lambda node: node.spark("apply"), 4, "29 in sync"),
    "apply, first": Work(lambda node: node.file(RING), lambda node: node.spark("apply"), 4, "28 in sync"),
    "validate, 1000 nodes": Work(lambda node: node.file(text_of_switch(1000)), lambda node: node.spark("validate"), 0, "valid: cluster 'large', 1000 nodes"),
    "plan, 10000 addresses": Work(lambda node: node.file(text_of_addresses(10000)), lambda node: node.spark("plan"), 0, "10000 to add"),
    "gate": Work(converge, lambda node: node.spark("gate"), 4, "SR-GATE-004"),
    "status, 32 nodes": Work(hear_switch, ask_status, 0, "31 of 32 ready"),
    "daemon": Work(converge, lambda node: node.daemon(), 0, "ended", of_workers=True),
    "daemon, 2 corrections": Work(converge, lambda node: correct(node, 2), 0, "ended", of_workers=True),
    "daemon, 2 passes": Work(converge, lambda node: look(node, 2), 0, "ended", of_workers=True),
    "daemon, 2 looks at the rails": Work(converge_with_device, lambda node: observe_rails(node, 2), 0, "ended", of_workers=True),
    "daemon, with routes": Work(converge_with_routes, lambda node: node.daemon(), 0, "ended", of_workers=True),
    "daemon, with routes, 2 passes": Work(converge_with_routes, lambda node: look(node, 2), 0, "ended", of_workers=True),
}  # fmt: skip


def cost(tool: str, of_workers: bool) -> dict[str, int]:
    """`of_workers`: all threads but the main one."""
    if tool == "instructions":
        return {tool: int(re.search(r"Collected : (\d+)", LOG.read_text())[1])}
    calls: Counter[str] = Counter()
    logs = sorted(FOLDER.glob(f"{LOG.name}.*"), key=lambda path: int(path.suffix[1:]))
    looks = 0
    for log in logs[of_workers:]:
        text = log.read_text(errors="replace")
        calls.update(re.findall(r"^(\w+)\(", text, re.MULTILINE))
        looks += len(LOOK.findall(text))
    if of_workers:
        for name in ("futex", "epoll_ctl", "getrandom", "mprotect"):  # which thread waits for which, and gets memory first
            del calls[name]
    (line,) = COUNTS.read_text().splitlines()
    *main, allocations, asked, faults = map(int, line.split())
    if not of_workers:
        allocations, asked = allocations + main[0], asked + main[1]
    return {"calls": calls.total(), "allocations": allocations, "bytes": asked, "page faults": faults, LOOKS: looks} | calls


def enter(root: str) -> None:
    """The directory, and the file systems of ROOT."""
    must_run("mount", "-t", "tmpfs", "-o", "mode=0755", "tmpfs", str(FOLDER))
    must_run("mount", "--bind", str(FOLDER), f"{root}{FOLDER}")
    must_run("mount", "-t", "proc", "proc", f"{root}/proc")
    must_run("mount", "-t", "sysfs", "sysfs", f"{root}/sys")
    must_run("mount", "--rbind", "/dev", f"{root}/dev")
    os.chdir(FOLDER)


def main(name: str, tool: str, root: str, program: str, counter: str) -> None:
    enter(root)
    for what, place in ((program, FOLDER / "spark-reconcile"), (counter, COUNTER)):
        shutil.copy(what, place)
    work = WORKS[name]
    with contextlib.ExitStack() as stack:
        node = Node(tool, root, stack)
        work.prepare(node)
        # Its number is in texts, and how many processes made the world is not always the same.
        pathlib.Path("/proc/sys/kernel/ns_last_pid").write_text("1000")
        done = work.act(node)
    assert done.code == work.code and re.search(work.said, done.text), f"{name} ended with {done.code}:\n{done.text}"
    print(json.dumps(cost(tool, work.of_workers)))


if __name__ == "__main__":
    main(*sys.argv[1:])
