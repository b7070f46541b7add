"""Scrapes of nodes as series for promtool, which evaluates the shipped rules at any later time.

A phase lasts for minutes in promtool and only as long as it needs in the test: what was scraped last is scraped once a
minute until the next phase. What a scrape no longer has is stale, as in Prometheus.
"""
from __future__ import annotations

import pathlib
import re
import subprocess

import yaml

JOB = "spark-reconcile"
SAMPLE = re.compile(r"^(\w+)(?:\{(.*)\})? (\S+)$")


def series_in(text: str, instance: str) -> dict[str, str]:
    """By name and labels, the value; of a node that does not answer, that it is down."""
    place = f'job="{JOB}", instance="{instance}"'
    found = {f"up{{{place}}}": "1" if text else "0"}
    for line in text.splitlines():
        if sample := SAMPLE.match(line):
            name, labels, value = sample.groups()
            found[f"{name}{{{place}{', ' + labels if labels else ''}}}"] = value
    return found


class Record:
    """What was scraped, phase after phase."""

    def __init__(self) -> None:
        self.minutes = 0
        self._values: dict[str, list[str]] = {}

    def add(self, scrapes: dict[str, str], minutes: int) -> None:
        """`scrapes`: by instance, the text; empty: nobody answers."""
        now = {key: value for name, text in scrapes.items() for key, value in series_in(text, name).items()}
        for key in self._values.keys() | now.keys():
            values = self._values.setdefault(key, ["_"] * self.minutes)
            if key in now:
                values += [now[key]] * minutes
            else:
                values += ["_" if values[-1] in ("_", "stale") else "stale"] + ["_"] * (minutes - 1)
        self.minutes += minutes

    def wrong(self, rules: pathlib.Path, names: list[str], expected: dict[int, set[tuple]], folder: pathlib.Path,
              left_out: str = "") -> str:  # fmt: skip
        """What promtool says against it: at each minute, of these alerts exactly those fire. `left_out`: a label of series."""
        alerts = "|".join(names)
        asked = f'sum by (alertname, instance, node, peer, how) (ALERTS{{alertstate="firing", alertname=~"{alerts}"}})'
        tests = []
        for minute, firing in expected.items():
            labels = [", ".join(f'{key}="{value}"' for key, value in one) for one in sorted(firing)]
            tests.append({"expr": asked, "eval_time": f"{minute}m",
                          "exp_samples": [{"labels": f"{{{one}}}", "value": 1} for one in labels]})  # fmt: skip
        group = {"interval": "1m", "promql_expr_test": tests,
                 "input_series": [{"series": key, "values": " ".join(values)} for key, values in sorted(self._values.items())
                                  if not left_out or left_out not in key]}  # fmt: skip
        file = folder / "scraped.yaml"
        file.write_text(yaml.safe_dump({"rule_files": [str(rules)], "evaluation_interval": "1m", "tests": [group]},
                                       width=10**9), "utf-8")  # fmt: skip
        done = subprocess.run(["promtool", "test", "rules", file], capture_output=True, encoding="utf-8", check=False)
        return "" if done.returncode == 0 else done.stdout + done.stderr


def value_of(text: str, name: str, **labels: str) -> list[float]:
    """All values of that metric that have these labels."""
    found = []
    for line in text.splitlines():
        sample = SAMPLE.match(line)
        if sample and sample[1] == name and all(f'{key}="{value}"' in (sample[2] or "") for key, value in labels.items()):
            found.append(float(sample[3]))
    return found


def names_of_alerts(rules: pathlib.Path) -> list[str]:
    """Those of the group of the cluster."""
    groups = yaml.safe_load(rules.read_text("utf-8"))["groups"]
    (cluster,) = [group for group in groups if group["name"] == "spark-reconcile-cluster"]
    return [rule["alert"] for rule in cluster["rules"] if "alert" in rule]
