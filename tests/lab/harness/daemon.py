"""The daemon on a node."""

from __future__ import annotations

import html
import json

from .node import PROGRAM, Node

STATUS = "/run/spark-reconcile/status.json"
PAGE = "http://127.0.0.1:9842"
CONTESTED = "0d82a7b566c44b19b912536cedd6700d"  # MESSAGE_ID of SR-ALERT-005
ENABLED = ("spark-reconcile.service", "spark-reconcile-rollback.service")


def enable(*nodes: Node, job: str | None = None) -> None:
    """Enabled, and not started. `job` is the command of a unit job.service that runs while the node is ready."""
    for node in nodes:
        if job:
            unit = "spark-ready.target"
            node.put_text(
                "/etc/systemd/system/job.service",
                f"[Unit]\nRequires={unit}\nAfter={unit}\nBindsTo={unit}\n[Service]\nExecStart={job}\n"
                f"[Install]\nWantedBy={unit}\n",
            )
        node.run(f"systemctl enable {' '.join(ENABLED)}" + (" job.service" if job else ""))


def status(node: Node) -> dict:
    return json.loads(node.run(f"cat {STATUS}"))


def wait_for_verdict(node: Node, verdict: str, deadline: float = 120) -> None:
    node.wait_until(f"grep -q '\"verdict\": *\"{verdict}\"' {STATUS}", deadline)


def require_at_boot(node: Node, command: str, patience: int = 20) -> None:
    """A unit batch.service that is part of the boot and requires the fabric, with so many seconds for that."""
    node.put_text(
        "/etc/systemd/system/batch.service",
        "[Unit]\nRequires=spark-ready.target\nAfter=spark-ready.target\n"
        f"[Service]\nExecStart={command}\n[Install]\nWantedBy=multi-user.target\n",
    )
    folder = "/etc/systemd/system/spark-wait-ready.service.d"
    node.run(f"mkdir -p {folder}")
    wait = f"{PROGRAM} wait --ready --timeout {patience}s"
    node.put_text(f"{folder}/patience.conf", f"[Service]\nExecStart=\nExecStart={wait}\n")
    node.run("systemctl daemon-reload && systemctl enable batch.service")


def page(node: Node) -> str:
    """What a person reads there, commands between backticks as elsewhere."""
    text = node.run(f"busybox wget -q -O - {PAGE}/").replace("<code>", "`").replace("</code>", "`")
    return html.unescape(text)


def assert_all_say(node: Node, reason: str) -> None:
    """Why the node is not ready: `status`, the page, its JSON and the journal of this boot."""
    why = status(node)["why"]
    assert reason in why, why
    assert json.loads(node.run(f"busybox wget -q -O - {PAGE}/status.json"))["why"] == why
    assert reason.split(" [SR-")[0] in page(node), reason  # which has the id in a place of its own
    said = node.ask("spark-reconcile status --here 2>&1").stdout
    assert why in said, said
    journal = node.run("journalctl --boot --output=verbose --unit=spark-reconcile --unit=spark-wait-ready")
    assert reason in journal, f"not in the journal: {reason}"


def assert_none_started(node: Node, *units: str) -> None:
    """The boot is over, the target was not reached, and what requires it did not begin."""
    node.wait_until("systemctl is-system-running | grep -Eq 'running|degraded'", 240)
    node.run(f"systemctl is-active spark-ready.target {' '.join(units)}", code=3)
    for unit in units:
        assert node.run(f"systemctl show -P ExecMainStartTimestamp {unit}").strip() == "", f"{unit} was started"


def assert_contested(node: Node, kind: str, key: str, *named: str) -> str:
    """It is contested, and that is told once; `status`, the page and the journal say all that is named."""
    node.wait_until(f"spark-reconcile status --here | grep -q '^  {kind} {key}: contested'", 120)
    told = f"journalctl --boot --output=json MESSAGE_ID={CONTESTED} SPARK_STATE=firing SPARK_KIND={kind} 'SPARK_KEY={key}'"
    node.wait_until(f"{told} | grep -q .")
    said, shown = node.reconcile("status --here"), page(node)
    (entry,) = (json.loads(line) for line in node.lines(told))
    for name in named:
        for text in (said, shown, entry["SPARK_DESCRIPTION"] + entry["SPARK_REMEDY"]):
            assert name in text, f"not in it: {name}\n{text}"
    return said
