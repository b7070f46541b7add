"""Who is asked before a rail is disturbed: a person at a terminal, and nobody else."""

from harness import ask
from harness.lab import FILE, Lab
from harness.names import netdev
from harness.node import PROGRAM
from harness.runner import case

RAIL = netdev(1, 0)


def file_with(mtu: int) -> str:
    return f"version: 1\ncluster: solo\nnodes:\n  spark: {{ links: {{ {RAIL}: {{ mtu: {mtu} }} }} }}\n"


@case(deadline=300)
def over_ssh_a_terminal_alone_is_asked(lab: Lab) -> None:
    """ssh -t asks: no ends with 6 and changes nothing, yes applies; ssh without a terminal and a timer ask nobody."""
    (spark,) = lab.sparks("spark")
    spark.put_text(FILE, file_with(9000))
    for answer, code, mtu in (("n\n", 6, 1500), ("y\n", 0, 9000)):
        session = spark.session(f"{PROGRAM} apply")
        said, _ = session.communicate(answer, timeout=60)
        assert session.returncode == code and "Carry this out? [y/N]" in said, said
        assert ask.mtu(spark, RAIL) == mtu
    spark.put_text(FILE, file_with(4000))
    assert "Carry this out?" not in spark.reconcile("apply")
    assert ask.mtu(spark, RAIL) == 4000
    # As a timer or cron has it: no terminal, and no session.
    assert "Carry this out?" not in spark.run(f"systemd-run --quiet --wait --pipe {PROGRAM} release 2>&1")
    assert ask.mtu(spark, RAIL) == 1500
