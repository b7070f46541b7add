"""What jobs use, by real queue pairs. Software RDMA has no counters of its own: what its link carried stands for them."""

import json

from harness import ask
from harness.lab import Lab
from harness.names import netdev, rdma_device
from harness.runner import case

from .pair import CAGE, PAIR, address


@case(deadline=300)
def a_job_on_one_rail_of_two_is_seen(lab: Lab) -> None:
    """Its rail and what that carries, beside the idle one; once it has ended there is none."""
    spark, spark2 = lab.cluster(PAIR)
    for node in (spark, spark2):
        node.reconcile("apply")
    rail, twin = netdev(CAGE, 0), netdev(CAGE, 1)
    writes = ask.Writes(spark, spark2, rdma_device(CAGE, 0), address(11, 0), address(12, 0))
    writes.wait_for_more()
    said = json.loads(spark.reconcile("jobs --json"))
    (job,) = said["jobs"]
    assert job["name"] == "ib_write_bw" and job["user"] == "root", job
    assert [used["link"] for used in job["rails"]] == [rail], job
    sent = {each["link"]: each["carried"]["sent"] for each in said["rails"]}
    assert sent[rail] > 1_000_000 > sent[twin], sent
    assert [(found["id"], found["alert"], found["link"]) for found in said["job_findings"]] == [("SR-JOB-001", False, rail)], said
    writes.stop()
    spark.wait_until("! pgrep ib_write_bw")
    said = json.loads(spark.reconcile("jobs --json"))
    assert said["jobs"] == [] and said["job_findings"] == [], said
