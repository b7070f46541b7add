"""Sparks on one switch, as tests/specs/switch8.yaml says, of which the lab boots the first three."""

import yaml

from harness.image import CHECKOUT
from harness.lab import Lab
from harness.names import netdev
from harness.runner import case

RACK = CHECKOUT / "tests" / "specs" / "switch8.yaml"
COUNT = 3
CAGE = 1


@case(deadline=600)
def every_gate_asks_all_peers_over_a_switch(lab: Lab) -> None:
    """`peers: require` on three nodes: all answer whole packets; one rail of one is down, then its power is cut."""
    wanted = yaml.safe_load(RACK.read_text())
    wanted["nodes"] = dict(list(wanted["nodes"].items())[:COUNT])
    (switch,) = wanted["fabric"]["switches"]
    switch["ports"] = switch["ports"][:COUNT]
    wanted["ready"] = {"peers": "require"}
    file = lab.folder / "rack.yaml"
    file.write_text(yaml.safe_dump(wanted, sort_keys=False))
    first, second, third = lab.cluster(file)
    for node in (first, second, third):
        node.reconcile("apply")
    for node in (first, second, third):
        assert "its peers answer over every rail" in node.reconcile("gate")
    third.run(f"ip link set {netdev(CAGE, 0)} down")
    said = first.reconcile("gate", code=3)
    assert "n3 (10.10.1.3) does not answer; 1 of 2 answer" in said, said
    assert "n3 (10.10.2.3) answers 9000 bytes" in said, said
    lab.power_cut(third)
    said = first.reconcile("gate", code=3)
    assert "n3 (10.10.2.3) does not answer; 1 of 2 answer" in said, said
