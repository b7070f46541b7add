"""A change that goes through a ring of three, node by node, beside a job on a cable that it leaves alone."""

import time

from harness import ask, daemon
from harness.git import REPOSITORY, Repository
from harness.lab import FILE, Lab
from harness.names import rdma_device
from harness.node import Node
from harness.runner import case

from .ring import RING

STATUS = daemon.STATUS
# The bench of a lab node: what a trial lasts, and the looks of the others in between.
WITHIN = 90


def wait_for_file(node: Node, digest: str, within: float = WITHIN) -> None:
    node.wait_until(f"grep -q '\"digest\": *\"{digest}' {STATUS}", within)


def wait_for_words(node: Node, words: str, within: float = WITHIN) -> None:
    node.wait_until(f"spark-reconcile status --here 2>/dev/null | grep -q '{words}' ||"
                    f" spark-reconcile status | grep -q '{words}'", within)  # fmt: skip


class Merges:
    """One repository on spark1, and how its file reaches the others: each follows a copy that the test brings."""

    def __init__(self, nodes: list[Node]) -> None:
        self.nodes = nodes
        self.home = nodes[0]
        self.repository = Repository(self.home)
        for node in nodes:
            if node is not self.home:
                self.bring(node)
            self.repository.follow(node, "file")

    def bring(self, node: Node) -> None:
        """As `git push` to a mirror beside the node."""
        self.home.run(f"cd {REPOSITORY} && git bundle create -q /root/lab.bundle --all")
        bundle = self.home.run("base64 -w0 /root/lab.bundle").strip()
        node.put_text("/root/lab.bundle.b64", bundle)
        node.run(
            "base64 -d /root/lab.bundle.b64 > /root/lab.bundle && git config --system --add safe.directory '*' &&"
            f" {{ test -d {REPOSITORY} || git clone -q --mirror /root/lab.bundle {REPOSITORY}; }} &&"
            f" git -C {REPOSITORY} fetch -q /root/lab.bundle '+refs/heads/*:refs/heads/*'"
        )

    def merge(self, edit: str, to: list[Node] | None = None) -> str:
        """A signed commit that reaches these nodes; gives the digest of its file."""
        self.repository.merge(edit)
        for node in to if to is not None else self.nodes:
            if node is not self.home:
                self.bring(node)
        return self.home.run(f"sha256sum {REPOSITORY}/cluster.yaml").split()[0]


@case(deadline=1500)
def a_change_rolls_through_a_ring(lab: Lab) -> None:
    """A good one, one that breaks the first node, one that waits for a silent node, one that goes on without it."""
    nodes = lab.cluster(RING)
    for node in nodes:
        node.run(f"printf 'rollout: {{ canary: spark3 }}\n' >> {FILE}")
    daemon.enable(*nodes)
    spark1, spark2, spark3 = nodes
    for node in nodes:
        node.ask("systemctl start spark-reconcile.service", 120)
    merges = Merges(nodes)
    for node in nodes:
        node.wait_until(merges.repository.in_force(), WITHIN)
    wait_for_words(spark1, "here and on spark[23]")

    job = ask.Writes(spark1, spark2, rdma_device(0, 0), "192.168.177.11", "192.168.177.12",
                     their_device=rdma_device(1, 0))  # fmt: skip
    job.wait_for_more()
    with ask.kernel_events(spark1) as events, ask.kernel_events(spark2) as events2:
        began = time.monotonic()
        good = merges.merge("sed -i 's/rmem_max: 268435456/rmem_max: 12345678/' cluster.yaml")
        wait_for_words(spark1, "waits for spark3, which")
        for node in (spark3, spark1, spark2):
            wait_for_file(node, good)
        print(f"  {time.monotonic() - began:.1f} s until all three have a good change")

        # So little memory may be locked that the canary's own gate closes: it goes back, and nobody else tries.
        merges.merge("sed -i 's/memlock: unlimited/memlock: 64KiB/' cluster.yaml")
        wait_for_words(spark1, "waits for spark3, which tries it")
        wait_for_words(spark1, "waits for spark3, which tried it, and went back to")
        wait_for_words(spark2, "waits for spark3, which tried it, and went back to")
        for node in (spark1, spark2, spark3):
            wait_for_file(node, good)

        merges.merge("sed -i 's/memlock: 64KiB/memlock: unlimited/; s/12345678/12345679/' cluster.yaml", to=[spark1, spark2])
        spark3.run("systemctl stop spark-reconcile-peers spark-reconcile")
        wait_for_words(spark1, "waits for spark3, which is silent")
        for node in (spark1, spark2):
            node.reconcile("sync --skip spark3 --why 'off for a day'")
            node.wait_until("test $(sysctl -n net.core.rmem_max) = 12345679", WITHIN)
        job.wait_for_more()
    for seen in (events, events2):
        assert seen.lines == [], seen.lines

    # It catches up when it comes back.
    merges.bring(spark3)
    spark3.ask("systemctl start spark-reconcile.service", 120)
    spark3.wait_until("test $(sysctl -n net.core.rmem_max) = 12345679", WITHIN)
    job.wait_for_more()
    job.stop()
