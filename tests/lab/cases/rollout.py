"""A change that goes through a cluster node by node, beside a job on a cable that it leaves alone."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager

from harness import ask, daemon
from harness.git import REPOSITORY, Repository
from harness.lab import FILE, Lab
from harness.names import netdev, rdma_device
from harness.node import Node
from harness.runner import case

from .pair import CAGE, PAIR, RAILS
from .ring import RING

# A fetch, a trial with its looks, and what three emulated nodes on two cores need besides: each time is printed.
WITHIN = 240
SETTLE = "15s"
# What the emulated port reaches, and what it does not.
LOW, HIGH = "minimum: 1M", "minimum: 64G"
DAY = 24 * 3600


def wait_for_file(node: Node, digest: str, within: float = WITHIN) -> None:
    """Until it is in force there, for good."""
    node.wait_until(f"grep -q '^  \"digest\": \"{digest}\"' {daemon.STATUS} &&"
                    f" grep -q '\"on_trial\": false' {daemon.STATUS}", within)  # fmt: skip


def wait_for_words(node: Node, words: str, within: float = WITHIN) -> None:
    """Until `status` says so."""
    node.wait_until(f"spark-reconcile status | tr -s ' \\n' ' ' | grep -q '{words}'", within)


def in_force(node: Node) -> str:
    return daemon.status(node)["digest"]


def applies(node: Node) -> list[str]:
    """The digests of the files that were applied there, in their order."""
    said = json.loads(node.run("spark-reconcile history --json"))["generations"]
    return [one["digest"] for one in sorted(said, key=lambda one: one["number"])]


class Merges:
    """One repository on the first node, and how its file reaches the others: each follows a copy that the test brings."""

    def __init__(self, nodes: list[Node], settle: str = SETTLE) -> None:
        self.nodes = nodes
        self.home = nodes[0]
        self.repository = Repository(self.home)
        for node in nodes:
            if node is not self.home:
                self.bring(node)
            self.repository.follow(node, "file", every="15s", settle=settle)

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
        """A signed commit that reaches these nodes, and the first one anyway; gives the digest of its file."""
        self.repository.merge(edit)
        for node in to if to is not None else self.nodes:
            if node is not self.home:
                self.bring(node)
        return self.home.run(f"sha256sum {REPOSITORY}/cluster.yaml").split()[0]


def followers(lab: Lab, settle: str = SETTLE, rollout: str = "canary: spark3"
              ) -> tuple[list[Node], Merges, ask.Writes]:  # fmt: skip
    """The ring, ready, each node follows; a job on the cable between spark1 and spark2."""
    nodes = lab.cluster(RING)
    daemon.enable(*nodes)
    for node in nodes:
        # The file's own floor is for a ConnectX.
        node.run(f"sed -i 's/minimum: 64Gb.s/{LOW}/' {FILE} && echo 'rollout: {{ {rollout} }}' >> {FILE}")
        node.run("systemctl --no-block start spark-reconcile.service")
    spark1, spark2, _ = nodes
    merges = Merges(nodes, settle)
    digest = merges.home.run(f"sha256sum {REPOSITORY}/cluster.yaml").split()[0]
    for node in nodes:
        wait_for_file(node, digest)
    for node in nodes:
        daemon.wait_for_verdict(node, "ready", WITHIN)
    job = ask.Writes(spark1, spark2, rdma_device(0, 0), "192.168.177.11", "192.168.177.12",
                     their_device=rdma_device(1, 0))  # fmt: skip
    job.wait_for_more()
    for node in (spark1, spark2):
        ask.wait_until_quiet(node)
    return nodes, merges, job


def of_cage(events: ask.Events, cage: int) -> list[str]:
    """Those of its two rails."""
    return [line for line in events.lines if any(netdev(cage, rail) in line for rail in RAILS)]


@contextmanager
def cable_of_the_job_untouched(spark1: Node, spark2: Node) -> Iterator[tuple[ask.Events, ask.Events]]:
    """No kernel event on the two ends of that cable, spark1:0 and spark2:1; gives all that there were on the two nodes."""
    with ask.kernel_events(spark1) as events, ask.kernel_events(spark2) as events2:
        yield events, events2
    assert of_cage(events, 0) == [] and of_cage(events2, 1) == [], (events.lines, events2.lines)


def wait_until_held(merges: Merges, digest: str) -> None:
    """The nodes behind spark3 have fetched it, which spark3 has not."""
    for node in merges.nodes[:2]:
        wait_for_words(node, f"roll-out of .*{digest[:7]}: .*waits for spark3, which still has")


def said_since(began: float, what: str) -> None:
    print(f"  {time.monotonic() - began:5.1f} s  {what}", flush=True)


@case(deadline=1800)
def a_change_rolls_through_a_ring(lab: Lab) -> None:
    """A good one, one that breaks the first node, one that waits for a silent node, one that goes on without it."""
    nodes, merges, job = followers(lab)
    spark1, spark2, spark3 = nodes
    print()
    with ask.kernel_events(spark1) as events, ask.kernel_events(spark2) as events2:
        began = time.monotonic()
        good = merges.merge("sed -i 's/rmem_max: 268435456/rmem_max: 12345678/' cluster.yaml", to=[spark2])
        wait_until_held(merges, good)
        said_since(began, "spark1 and spark2 wait for spark3")
        merges.bring(spark3)
        for node in (spark3, spark1, spark2):
            wait_for_file(node, good)
            said_since(began, f"{node.name} has the good change")

        # A floor that the port of the first node does not reach: it goes back, and nobody else tries.
        began = time.monotonic()
        bad = merges.merge(f"sed -i 's/{LOW}/{HIGH}/; s/12345678/12345677/' cluster.yaml", to=[spark2])
        wait_until_held(merges, bad)
        merges.bring(spark3)
        wait_for_words(spark1, "waits for spark3, which tries it")
        for node in (spark1, spark2):
            wait_for_words(node, "waits for spark3, which tried it, and went back to")
            said_since(began, f"{node.name} says that spark3 went back")
        wait_for_words(spark3, "spark3 tried it, and went back to ")
        for node in nodes:
            wait_for_file(node, good)
        assert bad in applies(spark3), applies(spark3)
        for node in (spark1, spark2):
            assert bad not in applies(node), applies(node)

        began = time.monotonic()
        spark3.run("systemctl stop spark-reconcile-peers spark-reconcile", 120)
        late = merges.merge(f"sed -i 's/{HIGH}/{LOW}/; s/12345677/12345679/' cluster.yaml", to=[spark1, spark2])
        for node in (spark1, spark2):
            wait_for_words(node, f"roll-out of .*{late[:7]}: .*waits for spark3, which is silent")
            said_since(began, f"{node.name} waits for the silent spark3")
            assert in_force(node) == good
        for node in (spark1, spark2):
            node.reconcile("sync --skip spark3 --why 'off for a day'")
        for node in (spark1, spark2):
            wait_for_file(node, late)
            said_since(began, f"{node.name} has gone on without spark3")
        job.wait_for_more()
    for seen in (events, events2):
        assert seen.lines == [], seen.lines

    # It catches up when it comes back.
    began = time.monotonic()
    merges.bring(spark3)
    spark3.run("systemctl --no-block start spark-reconcile.service")
    wait_for_file(spark3, late)
    said_since(began, "spark3 has caught up")
    for node in nodes:
        assert node.run("sysctl -n net.core.rmem_max").strip() == "12345679"
        daemon.wait_for_verdict(node, "ready", WITHIN)
    said_since(began, "all three are ready with one file")
    job.wait_for_more()
    job.stop()


@case(deadline=1800)
def a_partition_stops_a_roll_out_and_makes_it_wrong_nowhere(lab: Lab) -> None:
    """Both cables of the first node are pulled while it tries: it goes back to nothing, and the others wait until it is heard."""
    # The trial is to last until the cables are pulled, also where each question takes seconds.
    nodes, merges, job = followers(lab, settle="60s")
    spark1, spark2, spark3 = nodes
    before = in_force(spark1)
    print()
    apart = [cable for cable in lab.cables if spark3 in (end.node for end in cable.ends)]
    with cable_of_the_job_untouched(spark1, spark2) as (events, events2):
        began = time.monotonic()
        change = merges.merge("sed -i 's/rmem_max: 268435456/rmem_max: 12345678/' cluster.yaml", to=[spark2])
        wait_until_held(merges, change)
        merges.bring(spark3)
        wait_for_words(spark1, "waits for spark3, which tries it")
        for cable in apart:
            cable.pull()
        for node in (spark1, spark2):
            wait_for_words(node, f"roll-out of .*{change[:7]}: .*waits for spark3, which is silent")
            said_since(began, f"{node.name} waits for spark3, whose cables are pulled")
        # Longer than a trial lasts.
        time.sleep(75)
        assert in_force(spark3) == change
        assert spark3.run("sysctl -n net.core.rmem_max").strip() == "12345678", "it is not rolled back"
        for node in (spark1, spark2):
            assert in_force(node) == before, node.name
        for cable in apart:
            cable.plug()
        began = time.monotonic()
        for node in (spark3, spark1, spark2):
            wait_for_file(node, change)
            said_since(began, f"{node.name} has it, after the cables are back")
        for node in nodes:
            assert applies(node).count(change) == 1, applies(node)
            daemon.wait_for_verdict(node, "ready", WITHIN)
        job.wait_for_more()
    assert of_cage(events, 1) and of_cage(events2, 0), "nothing is said of the cables that were pulled"
    job.stop()


@case(deadline=1800)
def a_changed_cable_rolls_beside_a_job_on_another(lab: Lab) -> None:
    """The subnets of spark2 to spark3 change, one end after the other, while a job is on spark1 to spark2; then spark3 has
    no power, two changes are merged, and it boots with a clock a day ahead: it catches up with the newest."""
    nodes, merges, job = followers(lab, rollout="order: [[spark3], [spark1]]")
    spark1, spark2, spark3 = nodes
    print()
    with cable_of_the_job_untouched(spark1, spark2) as (events, events2):
        change = a_cable_changes(merges)
        for rail, network in enumerate((199, 200)):
            for node, cage, number in ((spark2, 0, 12), (spark3, 1, 13)):
                assert ask.addresses(node, netdev(cage, rail)) == [f"192.168.{network}.{number}/24"]
            assert ask.pings(spark2, f"192.168.{network}.13") and ask.pings(spark3, f"192.168.{network}.12")
        job.wait_for_more()
    assert of_cage(events2, 0), "nothing is said of the cable that changed"
    print("  no kernel event on the cable of the job", flush=True)
    newest = a_node_is_off_and_catches_up(lab, merges, change)
    job.wait_for_more()
    for node in nodes:
        assert applies(node)[-1] == newest, applies(node)
    job.stop()


def a_cable_changes(merges: Merges) -> str:
    """Its ends take the file together, before spark1; the end at spark2 gets it while the one at spark3 tries it."""
    spark1, spark2, spark3 = merges.nodes
    began = time.monotonic()
    change = merges.merge("sed -i 's/168.197.0/168.199.0/; s/168.198.0/168.200.0/' cluster.yaml", to=[])
    waits = f"roll-out of .*{change[:7]}: .*spark1 waits for spark2, which still has [0-9a-f]* and spark3, which"
    wait_for_words(spark1, f"{waits} still has ")
    said_since(began, "spark1 waits for both ends")
    spark3.put_text("/root/next.yaml", spark1.run(f"cat {REPOSITORY}/cluster.yaml"))
    plan = " ".join(spark3.ask("spark-reconcile plan -f /root/next.yaml").stdout.split())
    assert ("Roll-out: spark2 and spark3, then spark1. A cable changes between spark2 and spark3, which take the file"
            " together.") in plan, plan  # fmt: skip
    merges.bring(spark3)
    spark3.wait_until(f"grep -q '^  \"digest\": \"{change}\"' {daemon.STATUS}", WITHIN)
    said_since(began, "spark3 tries it, before the other end has it")
    wait_for_words(spark1, f"{waits} tries it")
    said_since(began, "spark1 says so")
    # Longer than the trial would last.
    for _ in range(8):
        time.sleep(2)
        assert in_force(spark3) == change, "it went back"
        for node in (spark2, spark1):
            assert in_force(node) != change, node.name
        for node in merges.nodes:
            assert daemon.status(node)["verdict"] == "ready", f"{node.name}: {daemon.status(node)['why']}"
    merges.bring(spark2)
    for node in (spark2, spark3, spark1):
        wait_for_file(node, change)
        said_since(began, f"{node.name} has it for good")
    for node in merges.nodes:
        daemon.wait_for_verdict(node, "ready", WITHIN)
    for node in (spark2, spark3):
        done = applies(node)
        assert done.count(change) == 1 and done[-1] == change, (node.name, done)
    assert change not in applies(spark1), "nothing of it is to be set up there"
    said_since(began, "all three are ready with it, nothing went back")
    return change


def a_node_is_off_and_catches_up(lab: Lab, merges: Merges, before: str) -> str:
    """spark3: one change goes on without it, the next one waits for it."""
    spark1, spark2, spark3 = merges.nodes
    spark3.run("sync")
    began = time.monotonic()
    lab.power_cut(spark3)
    missed = merges.merge("sed -i 's/rmem_max: 268435456/rmem_max: 12345678/' cluster.yaml", to=[spark1, spark2])
    for node in (spark1, spark2):
        wait_for_words(node, f"roll-out of .*{missed[:7]}: .*waits for .*spark3, which is silent")
        said_since(began, f"{node.name} waits for spark3, which has no power")
        assert in_force(node) == before, node.name
    for node in (spark1, spark2):
        node.reconcile("sync --skip spark3 --why 'off for a day'")
    for node in (spark1, spark2):
        wait_for_file(node, missed)
        said_since(began, f"{node.name} has gone on without spark3")

    newest = merges.merge("sed -i 's/rmem_max: 12345678/rmem_max: 12345679/' cluster.yaml", to=[spark1, spark2])
    for node in (spark1, spark2):
        wait_for_words(node, f"roll-out of .*{newest[:7]}: .*waits for .*spark3, which is silent")
        said_since(began, f"{node.name} waits for spark3 again")
        assert in_force(node) == missed, node.name

    began = time.monotonic()
    spark3.machine.clock = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(time.time() + DAY))
    lab.power_on(spark3)
    assert float(spark3.run("date +%s")) > time.time() + DAY - 600
    said_since(began, "spark3 has booted, a day ahead")
    merges.bring(spark3)
    for node in (spark3, spark1, spark2):
        wait_for_file(node, newest)
        said_since(began, f"{node.name} has the newest")
    for node in merges.nodes:
        assert node.run("sysctl -n net.core.rmem_max").strip() == "12345679"
        daemon.wait_for_verdict(node, "ready", WITHIN)
    assert missed not in applies(spark3), applies(spark3)
    said_since(began, "all three are ready with it")
    return newest


@case(deadline=1200)
def a_new_subnet_of_the_only_cable_comes_at_both_ends(lab: Lab) -> None:
    """It cannot be staged. One end has it minutes before the other, and a gate counts its peers: nothing goes back, no gate
    closes, and both end ready."""
    nodes = lab.cluster(PAIR)
    spark, spark2 = nodes
    daemon.enable(*nodes)
    for node in nodes:
        node.run(f"echo 'rollout: {{ canary: spark }}\nready: {{ peers: require }}' >> {FILE}")
        node.run("systemctl --no-block start spark-reconcile.service")
    merges = Merges(nodes)
    print()
    for node in nodes:
        daemon.wait_for_verdict(node, "ready", WITHIN)
    began = time.monotonic()
    change = merges.merge("sed -i 's/192.168.177.0/192.168.179.0/' cluster.yaml", to=[spark])
    spark.wait_until(f"grep -q '^  \"digest\": \"{change}\"' {daemon.STATUS}", WITHIN)
    said_since(began, "one end has the new subnet")
    for _ in range(30):
        time.sleep(2)
        assert in_force(spark) == change, "it went back"
        for node in nodes:
            assert daemon.status(node)["verdict"] == "ready", f"{node.name}: {daemon.status(node)['why']}"
    for node, other in ((spark, spark2), (spark2, spark)):
        assert f"{other.name} has another file than this node" in node.ask("spark-reconcile status --json").stdout
    merges.bring(spark2)
    began = time.monotonic()
    for node in (spark2, spark):
        wait_for_file(node, change)
        daemon.wait_for_verdict(node, "ready", WITHIN)
        said_since(began, f"{node.name} is ready with it, after the late end got it")
    for node, number in ((spark, 11), (spark2, 12)):
        assert ask.addresses(node, netdev(CAGE, 0)) == [f"192.168.179.{number}/24"]
        assert applies(node).count(change) == 1, applies(node)
    assert ask.pings(spark, "192.168.179.12") and ask.pings(spark2, "192.168.179.11")
