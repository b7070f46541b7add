#!/usr/bin/python3
"""What docs/monitoring/ asks of Prometheus is what the daemon tells it.

    check.py SHOW_STATE SOURCE_DIR

promtool judges the metrics of every node that the daemon's tests know, and the rules, which must
each have a test that they pass, and a row in the manual. Each metric that a rule or a panel of the dashboard asks for
exists, with the labels and values that are asked for.
"""
import json
import pathlib
import re
import subprocess
import sys

import yaml

# Of Prometheus itself.
FOREIGN = {"up", "ALERTS"}
SAMPLE = re.compile(r"^(\w+)(?:\{(.*)\})? \S+$")
LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')
SELECTOR = re.compile(r"\b(spark_reconcile_\w+)(?:\{([^}]*)\})?")
MATCHER = re.compile(r'(\w+)\s*(=~|=)\s*"([^"]*)"')


def run(*words, text=None):
    done = subprocess.run(words, input=text, capture_output=True, encoding="utf-8", check=False)
    return done.stdout + done.stderr if done.returncode else "", done.stdout


def told(show):
    """By metric, by label, all values that any node has; and what promtool says of each."""
    metrics = {}
    wrong = []
    for state in run(show, "names")[1].split():
        text = run(show, state, "/metrics")[1]
        complaint = run("promtool", "check", "metrics", text=text)[0]
        if complaint:
            wrong.append(f"{state}: {complaint}")
        for line in text.splitlines():
            if line.startswith("# HELP "):
                metrics.setdefault(line.split()[2], {})
            elif not line.startswith("#"):
                name, labels = SAMPLE.match(line).groups()
                for label, value in LABEL.findall(labels or ""):
                    metrics[name].setdefault(label, set()).add(value)
    return metrics, wrong


def asked_wrongly(expression, metrics):
    for name, matchers in SELECTOR.findall(expression):
        if name not in metrics:
            yield f"there is no {name}"
            continue
        for label, how, value in MATCHER.findall(matchers):
            if "$" in value or label in ("instance", "job"):
                continue
            values = metrics[name].get(label, set())
            for one in value.split("|") if how == "=~" else [value]:
                if one not in values:
                    yield f"{name} has no {label}={one!r}"


def main():
    show, source = sys.argv[1], pathlib.Path(sys.argv[2])
    rules_file = source / "docs/monitoring/spark-reconcile.rules.yaml"
    tests_file = source / "tests/monitoring/rules_test.yaml"
    metrics, wrong = told(show)
    for words in (("check", "rules", rules_file), ("test", "rules", tests_file)):
        wrong += filter(None, [run("promtool", *map(str, words))[0]])

    tested = tests_file.read_text("utf-8")
    manual = (source / "docs/monitoring/README.md").read_text("utf-8")
    rules = yaml.safe_load(rules_file.read_text("utf-8"))["groups"][0]["rules"]
    for rule in rules:
        wrong += [f"{rule['alert']}: {what}" for what in asked_wrongly(rule["expr"], metrics)]
        if f"- name: {rule['alert']}\n" not in tested:
            wrong.append(f"{rule['alert']} has no test")
        if f"\n| {rule['alert']} | " not in manual:
            wrong.append(f"{rule['alert']} has no row in docs/monitoring/README.md")

    dashboard = json.loads((source / "docs/monitoring/spark-reconcile.dashboard.json")
                           .read_text("utf-8"))
    targets = [(panel["title"], target["expr"]) for panel in dashboard["panels"]
               for target in panel.get("targets", [])]
    targets += [(variable["name"], variable["query"])
                for variable in dashboard["templating"]["list"] if variable["type"] == "query"]
    for title, expression in targets:
        wrong += [f"{title}: {what}" for what in asked_wrongly(expression, metrics)]
        if expression.startswith("label_values("):
            continue
        plain = expression.replace("$__rate_interval", "5m").replace("$__range", "1h")
        scratch = {"groups": [{"name": "x", "rules": [{"record": "x", "expr": plain}]}]}
        complaint = run("promtool", "check", "rules", "/dev/stdin", text=json.dumps(scratch))[0]
        if complaint:
            wrong.append(f"{title}: {complaint}")

    for what in wrong:
        print(what)
    print(f"{len(metrics)} metrics, {len(rules)} rules, {len(targets)} expressions of the dashboard")
    return 1 if wrong or not targets else 0


if __name__ == "__main__":
    sys.exit(main())
