#!/usr/bin/python3
"""Every rule of a cluster in docs/monitoring/ that namespaces can cause fires on its cause, and ends with it.

    test.py SOURCE_DIR [--long]     as root; SPARK_BUILD: the folder of the programs

Three nodes of one switch, each a network namespace with the daemon, spark-peers and spark-web. What /metrics of each
says before, during and after a cause is scraped, and promtool evaluates the shipped rules, unchanged, over these
scrapes: a phase lasts as many minutes there as the rule waits for. --long also waits, six minutes, for a node that was
heard and is heard no more.

A namespace has no RDMA device. So the matrix of all that is scraped is never complete, which is that rule's own cause;
a second evaluation leaves out `how="rdma"`, as `metric_relabel_configs` would, and there it goes by the echoes. That one
side alone proves RDMA, and what bench measures, have no cause here.
"""
from __future__ import annotations

import contextlib
import os
import pathlib
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

sys.dont_write_bytecode = True
sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[2])]
from node_in_namespace import MTU, RAILS, Node, Space  # noqa: E402
from series import Record, names_of_alerts, value_of  # noqa: E402

NAMES = ("spark1", "spark2", "spark3")
PAGE = 9842
LONGEST = 150  # seconds, until the metrics show a cause: a gate that looks once a minute, and its retries
BEFORE, AFTER = 9, 19  # minutes of a phase: those that wait for ten do not fire yet; all do that should
QUICK = {"SparkNodeSilent", "SparkOneSideProven"}  # they wait for less
# No namespace can cause it.
WITHOUT_CAUSE = {"SparkLinkSlower"}
OF_A_NODE = "SparkRolloutHeld"
INCOMPLETE = (("alertname", "SparkMatrixIncomplete"),)

SCRAPE = f"""
import sys, urllib.request
try:
    sys.stdout.write(urllib.request.urlopen("http://127.0.0.1:{PAGE}/metrics", timeout=5).read().decode())
except OSError:
    pass
"""


class Watched(Node):
    """A node with its page."""

    def __init__(self, name: str, folder: pathlib.Path, stack: contextlib.ExitStack) -> None:
        super().__init__(name, folder, stack)
        self._stack = contextlib.ExitStack()
        stack.callback(self.stop)

    def start(self) -> None:
        self.start_daemon(self._stack)
        self.start_peers(self._stack)
        self.start_web(self._stack)

    def stop(self) -> None:
        self._stack.close()

    def metrics(self) -> str:
        """As Prometheus gets them; empty: nobody answers."""
        return subprocess.run(self.space.words(sys.executable, "-c", SCRAPE), capture_output=True, text=True,
                              check=True).stdout  # fmt: skip

    def has_proven(self, peer: str, text: str) -> bool:
        """By an echo over each rail."""
        return value_of(text, "spark_reconcile_peer_rail_proven", peer=peer, how="echo") == [1.0] * len(RAILS)


def file_text(number: int, rollout: str = "") -> str:
    """Files of different numbers differ in a setting that disturbs nothing."""
    nodes = "".join(f"  {name}: {{ number: {1 + at} }}\n" for at, name in enumerate(NAMES))
    ports = ", ".join(f"{name}:1" for name in NAMES)
    return (f"version: 1\ncluster: lab\nnodes:\n{nodes}fabric:\n  mtu: {MTU}\n  switches:\n"
            f"    - {{ name: leaf, ports: [{ports}], subnets: [192.0.2.0/24, 198.51.100.0/24] }}\n"
            f"environment: {{ extra: {{ VLLM_EXAMPLE: '{number}' }} }}\n{rollout}")  # fmt: skip


class Test:
    def __init__(self, source: pathlib.Path, folder: pathlib.Path, stack: contextlib.ExitStack) -> None:
        self.rules = source / "docs/monitoring/spark-reconcile.rules.yaml"
        self.folder = folder
        self.record = Record()
        self.expected: dict[int, set[tuple]] = {}
        self.switch = Space("switch", stack)
        self.switch.ip("link add wire mtu 9000 type bridge mcast_snooping 0", "link set wire up")
        self.nodes = {name: self.make_node(name, stack) for name in NAMES}

    def make_node(self, name: str, stack: contextlib.ExitStack) -> Watched:
        node = Watched(name, self.folder, stack)
        node.put(file_text(1))
        for rail, link in enumerate(RAILS):
            self.switch.ip(f"link add {name}r{rail} mtu {MTU} type veth peer name {link} netns {node.space.pid}",
                           f"link set {name}r{rail} master wire up")  # fmt: skip
        return node

    def scrapes(self) -> dict[str, str]:
        return {name: node.metrics() for name, node in self.nodes.items()}

    def phase(self, what: str, holds: Callable[[dict[str, str]], bool], *firing: dict[str, str], longest: float = LONGEST) -> None:
        """Scrapes until that holds; from then on exactly these alerts have to fire, and none did before."""
        began = time.monotonic()
        while not holds(scrapes := self.scrapes()):
            if time.monotonic() - began > longest:
                shown = "\n".join(line for text in scrapes.values() for line in text.splitlines()
                                  if "peer_" in line or "config_info" in line or "rollout" in line)  # fmt: skip
                raise TimeoutError(f"{what}: not within {longest} s\n{shown}")
            time.sleep(0.5)
        begin = self.record.minutes
        self.record.add(scrapes, AFTER + 1)
        self.expected[begin + BEFORE] = {tuple(sorted(one.items())) for one in firing if one["alertname"] in QUICK}
        self.expected[begin + AFTER] = {tuple(sorted(one.items())) for one in firing}
        print(f"{what:45} {time.monotonic() - began:6.1f} s  {sorted({one['alertname'] for one in firing})}", flush=True)

    def all_is_well(self, scrapes: dict[str, str]) -> bool:
        digests = {line for text in scrapes.values() for line in text.splitlines() if line.startswith("spark_reconcile_config_info")}
        return len(digests) == 1 and all(
            node.has_proven(peer, scrapes[name]) and not any(value_of(scrapes[name], "spark_reconcile_rollout_held"))
            for name, node in self.nodes.items() for peer in NAMES if peer != name)  # fmt: skip

    def well(self, what: str) -> None:
        self.phase(what, self.all_is_well)

    def echoes_fail(self, scrapes: dict[str, str], peer: str, of: tuple[str, ...]) -> bool:
        return all(0.0 in value_of(scrapes[name], "spark_reconcile_peer_rail_proven", peer=peer, how="echo") for name in of)

    # --- the causes

    def never_started(self) -> None:
        """spark3 is off: no hello of it has come in this boot."""
        for name in ("spark1", "spark2"):
            self.nodes[name].start()
        self.phase("spark3 is not started", lambda said: self.echoes_fail(said, "spark3", ("spark1", "spark2"))
                   and self.nodes["spark1"].has_proven("spark2", said["spark1"]) and self.nodes["spark2"].has_proven("spark1", said["spark2"]),
                   {"alertname": "SparkNodeSilent", "peer": "spark3"}, {"alertname": "SparkMatrixIncomplete"})  # fmt: skip
        self.nodes["spark3"].start()
        self.well("spark3 is started")

    def cable(self) -> None:
        """A rail of spark3 has no carrier."""
        self.switch.ip("link set spark3r1 down")
        self.phase("a rail of spark3 has no carrier", lambda said: self.echoes_fail(said, "spark3", ("spark1", "spark2")),
                   {"alertname": "SparkMatrixIncomplete"})  # fmt: skip
        self.switch.ip("link set spark3r1 up")
        self.well("it has one again")

    def one_side(self) -> None:
        """spark2 answers no echo, as behind a firewall, and its own are answered."""
        space = self.nodes["spark2"].space
        setting = "net.ipv4.icmp_echo_ignore_all"
        subprocess.run(space.words("sysctl", "-qw", f"{setting}=1"), check=True)
        self.phase("spark2 answers no echo", lambda said: self.echoes_fail(said, "spark2", ("spark1", "spark3"))
                   and self.nodes["spark2"].has_proven("spark1", said["spark2"]) and self.nodes["spark2"].has_proven("spark3", said["spark2"]),
                   {"alertname": "SparkMatrixIncomplete"},
                   *({"alertname": "SparkOneSideProven", "node": "spark2", "peer": peer, "how": "echo"} for peer in ("spark1", "spark3")))  # fmt: skip
        subprocess.run(space.words("sysctl", "-qw", f"{setting}=0"), check=True)
        self.well("it does again")

    def files(self) -> None:
        """spark3 has another file in force."""
        def differ(said: dict[str, str]) -> bool:
            return len({line for text in said.values() for line in text.splitlines() if line.startswith("spark_reconcile_config_info")}) == 2

        self.nodes["spark3"].put(file_text(2))
        self.phase("spark3 has another file", differ, {"alertname": "SparkFilesDiffer"})
        for node in self.nodes.values():
            node.put(file_text(2))
        self.well("all have that file")

    def roll_out(self) -> None:
        """spark1, which takes a changed file first, is off."""
        order = "rollout: { order: [[spark1], [spark2, spark3]] }\n"
        for node in self.nodes.values():
            node.put(file_text(3, order))
        self.phase("the file asks for an order", lambda said: self.all_is_well(said) and all(
            node.root.joinpath("var/lib/spark-reconcile/last-good.yaml").read_text("utf-8") == file_text(3, order) for node in self.nodes.values()))  # fmt: skip
        self.nodes["spark1"].stop()
        for node in self.nodes.values():
            node.put(file_text(4, order))
        self.phase("spark1, which takes a file first, is off",
                   lambda said: all(value_of(said[name], "spark_reconcile_rollout_held") == [1.0] for name in ("spark2", "spark3")),
                   *({"alertname": OF_A_NODE, "instance": name} for name in ("spark2", "spark3")))  # fmt: skip
        self.nodes["spark1"].start()
        self.well("spark1 runs, takes it, and the others too")

    def falls_silent(self) -> None:
        """spark3 was heard, and is not."""
        self.nodes["spark3"].stop()

        def silent(said: dict[str, str]) -> bool:
            return all(min(value_of(said[name], "spark_reconcile_gate_timestamp_seconds")) - heard > 300
                       for name in ("spark1", "spark2") for heard in value_of(said[name], "spark_reconcile_peer_heard_timestamp_seconds", peer="spark3"))  # fmt: skip

        self.phase("spark3 is heard no more", silent, {"alertname": "SparkNodeSilent", "peer": "spark3"}, longest=500)
        self.nodes["spark3"].start()
        self.well("it is heard again")

    def run(self, is_long: bool) -> str:
        alerts = names_of_alerts(self.rules)
        self.never_started()
        self.cable()
        self.one_side()
        self.files()
        self.roll_out()
        if is_long:
            self.falls_silent()
        fired = {dict(one)["alertname"] for firing in self.expected.values() for one in firing}
        if wrong := fired ^ ({*alerts, OF_A_NODE} - WITHOUT_CAUSE):
            return f"no cause here, or no rule, of {wrong}"
        names = [*alerts, OF_A_NODE]
        without_rdma = {minute: firing | {INCOMPLETE} for minute, firing in self.expected.items() if minute > BEFORE}
        return (self.record.wrong(self.rules, names, self.expected, self.folder, left_out='how="rdma"')
                or self.record.wrong(self.rules, names, without_rdma, self.folder))


def main() -> int:
    source = pathlib.Path(sys.argv[1]).resolve()
    if os.geteuid() != 0:
        sys.exit("network namespaces need root")
    with contextlib.ExitStack() as stack:
        folder = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="spark-cluster-rules.")))
        folder.chmod(0o755)  # spark-web is nobody
        wrong = Test(source, folder, stack).run("--long" in sys.argv[2:])
        print(wrong or "all that was scraped raises what it should, and ends it", flush=True)
        return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
