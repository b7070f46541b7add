"""The power goes while all nodes take a file: all have it or none has it."""

import time

from harness.lab import Lab
from harness.node import PROGRAM, Node
from harness.runner import case

from .all_nodes import (
    MTU,
    RECORD,
    SUBNETS,
    Apply,
    heard,
    rails_of,
    stages,
    text_of,
    together,
    until,
    wait_for_file,
    wait_for_stage,
    write_new,
)
from .peers import UNIT, wait_for_proofs
from .ring import RING

DAEMON = "spark-reconcile.service"
KEEP = f"grep -q '\"order\": *\"keep\"' {RECORD}"
OFF = 600  # seconds
ENDS = ("kept", "back")


def cut(lab: Lab, number: int, stage: str, within: str) -> tuple[list[Node], Node, Apply, str, str]:
    """A node loses its power at that stage: its daemon stops as soon as it has written it down, and nothing follows. The nodes,
    that one, the command on the first, and the two files."""
    nodes = together(lab)
    victim = nodes[number]
    old, new = text_of(nodes[0]), write_new(nodes[0], SUBNETS)
    victim.start("stopper", f"pid=$(systemctl show -P MainPID {DAEMON}); until grep -qs '\"stage\": *\"{stage}\"' {RECORD};"
                            " do sleep 0.05; done; kill -STOP $pid")  # fmt: skip
    applying = Apply(nodes[0], within)
    victim.wait_until("! systemctl is-active --quiet stopper")
    lab.power_cut(victim)
    return nodes, victim, applying, old, new


def all_go_back(lab: Lab, number: int, stage: str, is_late: bool = False) -> None:
    """It boots at once, or when the other one has gone back."""
    nodes, victim, applying, old, _ = cut(lab, number, stage, "20s")
    (other,) = [node for node in nodes if node is not victim]
    if is_late:
        wait_for_stage(other, other, "back", within=90)
    lab.power_on(victim)
    wait_for_file(nodes, old, within=120)
    if victim is not nodes[0]:
        applying.end(7, 8, within=200)  # 8: it was not heard in time
    for node in nodes:
        until(node, "both went back", lambda node=node: set(stages(node).values()) == {"back"})


@case(deadline=600, ci="amd64")
def a_power_cut_before_it_has_applied_rolls_all_back(lab: Lab) -> None:
    """The other node loses its power while it applies, before it says so: both go back."""
    all_go_back(lab, 1, "going")


@case(deadline=600)
def a_power_cut_after_it_has_applied_rolls_all_back(lab: Lab) -> None:
    """The other node loses its power once it has applied: it boots, asks, and both go back."""
    all_go_back(lab, 1, "applied")


@case(deadline=600)
def a_node_that_was_off_past_the_timer_goes_back(lab: Lab) -> None:
    """It has applied, loses its power, and boots when the first node has gone back: it does too."""
    all_go_back(lab, 1, "applied", is_late=True)


@case(deadline=600, ci="amd64")
def a_power_cut_of_the_origin_rolls_all_back(lab: Lab) -> None:
    """The node at which somebody asked loses its power once it has applied, before it decides: both go back."""
    all_go_back(lab, 0, "applied")


@case(deadline=900)
def a_node_that_boots_in_time_ends_as_the_other(lab: Lab) -> None:
    """It has applied, loses its power, and boots while the other one still waits: both have one file."""
    nodes, victim, applying, old, new = cut(lab, 1, "applied", "5m")
    lab.power_on(victim)
    applying.end(0, 7, within=450)
    for node in nodes:
        wait_for_stage(node, node, *ENDS, within=60)
    ends = {stages(node)[node.name] for node in nodes}
    print(f"  both {ends}")
    assert len(ends) == 1, ends
    wait_for_file(nodes, new if ends == {"kept"} else old)


def decide_unheard(nodes: list[Node], deaf: Node, within: int) -> Apply:
    """Until the first node has written down that it keeps the file, and nobody has heard it. Its daemon stands still while the
    others say that their gates are open; before it goes on, spark-peers of `deaf` stands still for good."""
    origin, *others = nodes
    origin.run("systemctl service-watchdogs no")
    applying = Apply(origin, f"{within}s")
    for other in others:
        wait_for_stage(other, origin, "applied", "open", within=90)
    origin.run(f"systemctl kill --kill-whom=main --signal=STOP {DAEMON} && ! {KEEP}")
    names = {other.name for other in others}
    until(origin, f"{names} are open", lambda: names <= heard(origin, "stage", "open"), within)
    rails = rails_of(text_of(origin))
    wait_for_proofs({origin: tuple(rails[origin.name])}, within=origin.patient(60))
    deaf.run(f"systemctl kill --signal=STOP {UNIT}")
    origin.run(f"systemctl kill --kill-whom=main --signal=CONT {DAEMON}")
    origin.wait_until(KEEP)
    return applying


@case(deadline=1800)
def a_decision_that_nobody_heard_is_forced_on_nobody(lab: Lab) -> None:
    """The first of three loses its power between its decision and its first word, for ten minutes: the others go back, then it."""
    nodes = together(lab, RING)
    origin, *others = nodes
    old = text_of(origin)
    write_new(origin, MTU)
    _applying = decide_unheard(nodes, deaf=origin, within=240)
    lab.power_cut(origin)
    for node in others:
        wait_for_stage(node, node, "back", within=300)
    time.sleep(OFF)  # it is off for so long
    lab.power_on(origin)
    wait_for_stage(origin, origin, "back", within=300)
    wait_for_file(nodes, old, within=120)
    for node in nodes:
        assert "kept" not in stages(node).values(), f"{node.name}: {stages(node)}"


@case(deadline=900)
def a_mix_is_named_on_both_nodes(lab: Lab) -> None:
    """One hears nobody from the decision to its timer, and goes back: once they meet both name it, and `apply --all` ends it."""
    spark, spark2 = nodes = together(lab)
    old, new = text_of(spark), write_new(spark, MTU)
    applying = decide_unheard(nodes, deaf=spark2, within=120)
    wait_for_stage(spark, spark, "kept", within=180)
    wait_for_stage(spark2, spark2, "back", within=180)
    assert (text_of(spark), text_of(spark2)) == (new, old)
    spark2.run(f"systemctl kill --signal=CONT {UNIT}")
    applying.end(8, within=150)
    for node in nodes:
        node.wait_until(f"{PROGRAM} status | grep -q SR-ALL-001")
        print(f"\n{node.name}:\n{node.reconcile('status')}", flush=True)
    Apply(spark, "90s").end(0, within=180)
    wait_for_file(nodes, new)
    for node in nodes:
        node.wait_until(f"! {PROGRAM} status | grep -q SR-ALL-001")
