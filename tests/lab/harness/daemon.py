"""The daemon on a node: its units where systemd looks for them, naming the program where the lab puts it."""

from __future__ import annotations

import json
from pathlib import Path

from .image import CHECKOUT
from .node import PROGRAM, Node

STATUS = "/run/spark-reconcile/status.json"
UNITS = ("spark-reconcile.service", "spark-ready.target", "spark-wait-ready.service")


def install(*nodes: Node, job: str | None = None) -> None:
    """Enabled, and not started. `job` is the command of a unit job.service that runs while the node is ready."""
    for node in nodes:
        for unit in UNITS:
            text = (CHECKOUT / "systemd" / unit).read_text()
            text = text.replace("@CMAKE_INSTALL_FULL_BINDIR@", str(Path(PROGRAM).parent))
            node.put_text(f"/etc/systemd/system/{unit}", text)
        if job:
            unit = "spark-ready.target"
            node.put_text(
                "/etc/systemd/system/job.service",
                f"[Unit]\nRequires={unit}\nAfter={unit}\nBindsTo={unit}\n[Service]\nExecStart={job}\n"
                f"[Install]\nWantedBy={unit}\n",
            )
        node.run("systemctl daemon-reload && systemctl enable spark-reconcile.service" + (" job.service" if job else ""))


def status(node: Node) -> dict:
    return json.loads(node.run(f"cat {STATUS}"))


def wait_for_verdict(node: Node, verdict: str, deadline: float = 120) -> None:
    node.wait_until(f"grep -q '\"verdict\": *\"{verdict}\"' {STATUS}", deadline)
