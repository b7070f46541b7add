"""What workloads are told: /run/spark-reconcile/nccl.env, with the devices of the node."""

import json
import re
from collections.abc import Iterable

from cases.pair import CAGE, PAIR, RAILS, address, leave_rails_alone
from cases.pair import converge as converge_pair
from harness import ask
from harness.lab import Lab
from harness.names import netdev, rdma_device
from harness.node import Node
from harness.runner import case

FILE = "/run/spark-reconcile/nccl.env"
DEVICES = [rdma_device(CAGE, rail) for rail in RAILS]


def converge(lab: Lab, environment: str, code: int = 0) -> Node:
    """The first node of the pair, applied, with that section `environment`; apply ends with `code`."""
    spark, spark2 = lab.cluster(PAIR)
    leave_rails_alone(spark, spark2)
    file = lab.folder / "environment.yaml"
    file.write_text(f"{PAIR.read_text()}environment: {environment}\n")
    lab.install(spark, file)
    spark.reconcile("apply", code)
    return spark


def exported(node: Node) -> dict[str, str]:
    return {v["name"]: v["value"] for v in json.loads(node.run("spark-reconcile export --json"))["variables"]}


def environment_of(node: Node, command: str, names: dict[str, str]) -> dict[str, str]:
    """Those of the variables that `env` has when it is started by that command."""
    pairs = (line.split("=", 1) for line in node.lines(command) if "=" in line)
    return {name: value for name, value in pairs if name in names}


@case(ci="amd64")
def workloads_get_the_devices_of_the_node(lab: Lab) -> None:
    """Both rails by their real names, and the same values in a service, a script and a login."""
    spark = converge(lab, "{ profile: true, nccl: { mode: performance, variables: { NCCL_DEBUG: WARN } } }")
    wanted = exported(spark)
    assert wanted["NCCL_IB_HCA"] == "=" + ",".join(DEVICES), wanted
    assert wanted["UCX_NET_DEVICES"] == ",".join(f"{device}:1" for device in DEVICES), wanted
    assert wanted["NCCL_SOCKET_IFNAME"] == "=" + netdev(CAGE, 0), wanted
    assert set(DEVICES) <= set(spark.lines("ls /sys/class/infiniband"))
    # Who runs a job may read it.
    assert spark.run(f"stat --format=%a {FILE}").strip() == "644"

    service = f"systemd-run --quiet --wait --pipe --property=EnvironmentFile={FILE} env"
    assert environment_of(spark, service, wanted) == wanted
    assert environment_of(spark, "env -i /bin/bash --login -c env", wanted) == wanted
    script = 'eval "$(spark-reconcile export --format shell)"; env'
    assert environment_of(spark, f"env -i PATH=$PATH sh -c '{script}'", wanted) == wanted

    lab.install(spark, PAIR)
    spark.reconcile("apply")
    spark.run(f"test ! -e {FILE} && test ! -e /etc/profile.d/spark-reconcile-nccl.sh")


@case()
def a_moved_gid_changes_nothing(lab: Lab) -> None:
    """The GID of an address moves to another index: plan in sync, and the file is the same inode."""
    spark = converge(lab, "{}")
    link, device, ours = netdev(CAGE, 0), DEVICES[0], address(11, 0)
    inode = spark.run(f"stat --format='%i %y' {FILE}")
    before = ask.gid_index(spark, device, ours)

    spark.run(f"ip address add fe80::77/64 dev {link} nodad")
    spark.run(f"ip address del {ours}/24 dev {link}; ip address add 10.9.9.9/24 dev {link}")
    ask.wait_for_gid(spark, device, "10.9.9.9")
    spark.run(f"ip address add {ours}/24 dev {link}")
    ask.wait_for_gid(spark, device, ours)
    assert ask.gid_index(spark, device, ours) != before

    table = ask.gid_table(spark)
    spark.reconcile("plan --detailed-exitcode")
    with ask.kernel_events(spark) as events:
        spark.reconcile("apply")
    assert events.lines == [], events.lines
    assert ask.gid_table(spark) == table
    assert spark.run(f"stat --format='%i %y' {FILE}") == inode


@case()
def an_index_is_pinned_only_where_all_devices_have_it(lab: Lab) -> None:
    """`gid_index: pinned`: written, and taken back with the reason once the GID of one device moves."""
    spark = converge(lab, "{ nccl: { gid_index: pinned } }", code=3)  # planned before there were GIDs
    spark.reconcile("apply")
    index = ask.gid_index(spark, DEVICES[0], address(11, 0))
    assert index == ask.gid_index(spark, DEVICES[1], address(11, 1))
    assert exported(spark)["NCCL_IB_GID_INDEX"] == str(index)
    assert f"\nNCCL_IB_GID_INDEX={index}\n" in spark.run(f"cat {FILE}")

    link, ours = netdev(CAGE, 0), address(11, 0)
    spark.run(f"ip address del {ours}/24 dev {link}; ip address add 10.9.9.9/24 dev {link}")
    ask.wait_for_gid(spark, DEVICES[0], "10.9.9.9")
    spark.run(f"ip address add {ours}/24 dev {link}")
    ask.wait_for_gid(spark, DEVICES[0], ours)
    said = spark.reconcile("apply", code=4)
    assert "removed NCCL_IB_GID_INDEX" in said and "[SR-ENV-004]" in said, said
    assert "NCCL_IB_GID_INDEX" not in spark.run(f"cat {FILE}")


@case(deadline=400, needs=("ucx",))
def ucx_pairs_the_rails_by_their_subnets(lab: Lab) -> None:
    """UCX with what `export` prints, between two nodes: both rails have a lane, and rail 0 does not take rail 1 for its peer."""
    nodes = converge_pair(lab)
    both = lanes(nodes, 13400)
    assert all(f"rc_verbs/{device}:1" in both for device in DEVICES), both
    # One end with rail 0 alone, the other with rail 1 alone: nothing to pair, but for the one variable.
    alone = [f"UCX_NET_DEVICES={device}:1" for device in DEVICES]
    assert lanes(nodes, 13401, alone) == "", "rail 0 was paired with rail 1"
    across = lanes(nodes, 13402, [f"{one} UCX_IB_ROCE_LOCAL_SUBNET=n" for one in alone])
    assert f"rc_verbs/{DEVICES[0]}:1" in across, across


def lanes(nodes: list[Node], port: int, more: Iterable[str] = ("", "")) -> str:
    """What the first node's UCX chose to reach the second; empty: it found nothing that reaches it.

    No message is waited for: UCX 1.13 (Debian 12) makes its first contact by UD in a way that soft RoCE loses.
    """
    spark, spark2 = nodes
    commands = [
        f'eval "$(spark-reconcile export --format shell)"; {f"export {variables}; " if variables else ""}'
        f"UCX_LOG_LEVEL=info timeout 20 stdbuf -oL ucx_perftest -p {port}"
        for variables in more
    ]
    spark2.start(f"ucx-{port}", commands[1])
    spark2.wait_until(f"ss -Hltn sport = :{port} | grep -q .")
    said = spark.ask(f"{commands[0]} {address(12, 0)} -t tag_bw -s 1000 -n 1 2>&1", 60).stdout
    chosen = re.search(r"ep_cfg\[0\]: (.*)", said)
    assert chosen or "Destination is unreachable" in said, said
    return chosen[1] if chosen else ""
