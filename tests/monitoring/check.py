#!/usr/bin/python3
"""What docs/monitoring/ asks of Prometheus is what the daemon tells it.

    check.py SHOW_STATE SOURCE_DIR SPARK_RECONCILE

promtool judges the metrics of every node that the daemon's tests know, and the rules, which must
each have a test that they pass, and a row in the manual. Each metric that a rule or a panel of a dashboard asks for
exists, with the labels and values that are asked for, and each that is recorded is asked for. Prometheus finds the
nodes that `export prometheus-sd` prints.
"""
import http.server
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import threading

import yaml

# Of Prometheus itself.
FOREIGN = {"up", "ALERTS"}
SAMPLE = re.compile(r"^(\w+)(?:\{(.*)\})? \S+$")
LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')
SELECTOR = re.compile(r"\b(spark_reconcile_\w+)(?:\{([^}]*)\})?")
RECORDED = re.compile(r"\bspark_reconcile:\w+:\w+")
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


def asked_wrongly(expression, metrics, recorded):
    for name in RECORDED.findall(expression):
        if name not in recorded:
            yield f"no rule records {name}"
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


def wrong_in_dashboard(file, metrics, recorded, asked):
    """Adds its expressions to `asked`."""
    dashboard = json.loads(file.read_text("utf-8"))
    targets = [(panel["title"], target["expr"]) for panel in dashboard["panels"]
               for target in panel.get("targets", [])]
    targets += [(variable["name"], variable["query"])
                for variable in dashboard["templating"]["list"] if variable["type"] == "query"]
    if not targets:
        yield f"{file.name} asks for nothing"
    for title, expression in targets:
        asked.append(expression)
        for what in asked_wrongly(expression, metrics, recorded):
            yield f"{title}: {what}"
        if expression.startswith("label_values("):
            continue
        plain = expression.replace("$__rate_interval", "5m").replace("$__range", "1h")
        scratch = {"groups": [{"name": "x", "rules": [{"record": "x", "expr": plain}]}]}
        complaint = run("promtool", "check", "rules", "/dev/stdin", text=json.dumps(scratch))[0]
        if complaint:
            yield f"{title}: {complaint}"


def discovered(folder, jobs):
    """By job, the targets and labels that Prometheus has after relabelling, as promtool says."""
    file = folder / "prometheus.yml"
    file.write_text(yaml.safe_dump({"scrape_configs": jobs}))
    complaint, _ = run("promtool", "check", "config", str(file))
    found = {}
    for job in jobs:
        said = run("promtool", "check", "service-discovery", "--timeout=5s", str(file), job["job_name"])
        complaint += said[0]
        found[job["job_name"]] = [one["labels"] for one in json.loads(said[1] or "[]")]
    return found, complaint


def wrong_in_discovery(program, source):
    """Prometheus takes what `export prometheus-sd` prints, from a file and over HTTP."""
    example = source / "tests/monitoring/nodes.yaml"
    complaint, nodes = run(program, "export", "prometheus-sd", "-f", str(example))
    if complaint:
        return [complaint]

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(nodes.encode())

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    cluster = {"source_labels": ["__meta_spark_reconcile_cluster"], "target_label": "site"}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "nodes.json").write_text(nodes)
        found, complaint = discovered(folder, [
            {"job_name": "file", "relabel_configs": [cluster],
             "file_sd_configs": [{"files": ["nodes.json"]}]},
            {"job_name": "http", "relabel_configs": [cluster],
             "http_sd_configs": [{"url": f"http://127.0.0.1:{server.server_port}/"}]}])
    server.shutdown()
    wrong = [complaint] if complaint else []
    for job, targets in found.items():
        seen = {(one.get("__address__"), one.get("instance"), one.get("site")) for one in targets}
        if seen != {("192.0.2.11:9842", "spark1", "lab"), ("spark2:9842", "spark2", "lab")}:
            wrong.append(f"{job}: Prometheus finds {seen} by\n{nodes}")
    return wrong


def main():
    show, source = sys.argv[1], pathlib.Path(sys.argv[2])
    rules_file = source / "docs/monitoring/spark-reconcile.rules.yaml"
    tests_file = source / "tests/monitoring/rules_test.yaml"
    metrics, wrong = told(show)
    for words in (("check", "rules", rules_file), ("test", "rules", tests_file)):
        wrong += filter(None, [run("promtool", *map(str, words))[0]])

    tested = tests_file.read_text("utf-8")
    pages = ("docs/reference/alerts.md", "docs/monitoring/README.md")
    manual = "".join((source / page).read_text("utf-8") for page in pages)
    rules = [rule for group in yaml.safe_load(rules_file.read_text("utf-8"))["groups"]
             for rule in group["rules"]]
    recorded = {rule["record"] for rule in rules if "record" in rule}
    asked = [rule["expr"] for rule in rules]
    for rule in rules:
        name = rule.get("alert") or rule["record"]
        wrong += [f"{name}: {what}" for what in asked_wrongly(rule["expr"], metrics, recorded)]
        if "record" in rule:
            continue
        if f"- name: {rule['alert']}\n" not in tested:
            wrong.append(f"{rule['alert']} has no test")
        if rule["alert"] not in manual:
            wrong.append(f"{rule['alert']} stands in none of {', '.join(pages)}")

    dashboards = sorted((source / "docs/monitoring").glob("*.dashboard.json"))
    for file in dashboards:
        wrong += wrong_in_dashboard(file, metrics, recorded, asked)
    wrong += [f"nobody asks for {name}" for name in sorted(recorded)
              if not any(name in expression for expression in asked)]
    wrong += wrong_in_discovery(sys.argv[3], source)

    for what in wrong:
        print(what)
    print(f"{len(metrics)} metrics, {len(rules)} rules, {len(asked) - len(rules)} expressions of "
          f"{len(dashboards)} dashboards")
    return 1 if wrong or len(dashboards) < 2 else 0


if __name__ == "__main__":
    sys.exit(main())
