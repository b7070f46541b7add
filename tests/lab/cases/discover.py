"""Two nodes without a file: `init --discover` on one, `join` on the other, and what is typed until `bench`."""

import os
import re
import select
import subprocess
import time

from cases.pair import CAGE
from harness import daemon
from harness.lab import FILE, Lab
from harness.node import PROGRAM
from harness.runner import case

WORDS = re.compile(r"^ {4}((?:[a-z]{5} ){3}[a-z]{5})\r?$", re.MULTILINE)
FRAMES = "88b5"  # the EtherType, as the fourth column of /proc/net/packet has it


class Screen:
    """A person's terminal, and what stands on it."""

    def __init__(self, session: subprocess.Popen[str]) -> None:
        self.session = session
        self.text = ""

    def wait_for(self, text: str, within: float = 60) -> None:
        end = time.monotonic() + within
        while text not in self.text:
            left = end - time.monotonic()
            assert left > 0, f"'{text}' is not in\n{self.text}"
            if select.select([self.session.stdout], [], [], left)[0]:
                read = os.read(self.session.stdout.fileno(), 65536)
                assert read, f"ended without '{text}':\n{self.text}"
                self.text += read.decode(errors="replace")

    def type(self, text: str) -> None:
        self.session.stdin.write(text)
        self.session.stdin.flush()

    def end(self) -> int:
        said, _ = self.session.communicate(timeout=60)
        self.text += said
        return self.session.returncode

    @property
    def words(self) -> str:
        return WORDS.search(self.text)[1]


@case(deadline=400)
def two_boxes_and_one_cable_without_ssh(lab: Lab) -> None:
    """Six commands from the package to `bench`: the file comes over the cable, after two people compared four words."""
    began = time.monotonic()
    spark, spark2 = lab.sparks("spark", "spark2")
    lab.cable(f"spark:{CAGE}", f"spark2:{CAGE}")
    for node in (spark, spark2):
        node.run(f"test ! -e {FILE}")
    booted = time.monotonic()

    joiner = Screen(spark2.session(f"{PROGRAM} join"))
    founder = Screen(spark.session(f"{PROGRAM} init --discover"))
    founder.wait_for("Write this file")
    assert f"spark cage {CAGE} ══ spark2 cage {CAGE}" in founder.text, founder.text
    founder.type("y\n")
    joiner.wait_for("show the same words?")
    founder.wait_for(joiner.words)
    founder.wait_for("Are they the same?")
    joiner.type("y\n")
    joiner.wait_for("waiting until all nodes have said yes")
    for node in (spark, spark2):
        assert node.ask(f"test -e {FILE}").returncode == 1, "nothing is there before the yes of all"
    founder.type("y\n")
    assert joiner.end() == 0, joiner.text
    assert founder.end() == 0, founder.text
    assert spark.run(f"cat {FILE}") == spark2.run(f"cat {FILE}")
    for node in (spark, spark2):
        assert FRAMES not in node.run("awk '{ print $4 }' /proc/net/packet").split(), "nothing listens afterwards"
        assert node.ask("pgrep -x spark-peers").returncode == 1, "no process is left"
    shared = time.monotonic()

    for node in (spark, spark2):
        node.reconcile("apply", code=0)
    spark2.run("systemctl start spark-reconcile", 120)
    spark2.wait_until("ss -Hltn sport = :9843 | grep -q .")
    # Its daemon has looked at its own devices: beside that, a slow machine loses more packets than a queue pair forgives.
    spark2.wait_until(f"grep -Eq '\"verdict\": *\"(not )?ready\"' {daemon.STATUS}", 120)
    said = spark.reconcile("bench --seconds 1", deadline=180)
    assert "spark2" in said, said
    print(f"  6 commands; the file on both {shared - booted:.0f} s after the boot, the first number "
          f"{time.monotonic() - booted:.0f} s after it, {time.monotonic() - began:.0f} s in all")
