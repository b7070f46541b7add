"""A node in this network namespace, and the programs that watch it."""
import json
import os
import pathlib
import signal
import subprocess
import urllib.request

import yaml

RAIL = "enp1s0f0np0"
MANAGEMENT = "enP7s7"
ADDRESS = "203.0.113.1/24"
MTU = 1400
GOOD_FILE = {
    "version": 1,
    "cluster": "lab",
    "nodes": {"spark1": {"number": 11, "links": {
        MANAGEMENT: {"addresses": [ADDRESS]},
        "quiet0": {"mtu": MTU},
        "spare0": {"up": False},
    }}, "spark2": {"number": 12}},
    "fabric": {"mtu": 9000, "cables": [
        {"ends": ["spark1:0", "spark2:0"], "subnets": ["192.0.2.0/24", "198.51.100.0/24"]}]},
    "host": {"hosts": {"suffix": "-fabric"}},
    "drift": {"kinds": {"mtu": "report"}},
}


class Program:
    """In the background; what it writes is appended to a file."""

    def __init__(self, log, *words, environment=None):
        with log.open("ab") as output:
            self._process = subprocess.Popen(
                [str(word) for word in words], stdin=subprocess.DEVNULL, stdout=output,
                stderr=subprocess.STDOUT, env=os.environ | (environment or {}))

    def end(self, number):
        self._process.send_signal(number)
        return self._process.wait(30)


class Node:
    """Links, a root directory, the daemon, and spark-web beside it."""

    def __init__(self, folder, program, heard, notified):
        self.root = folder / "node"
        self._log = folder / "daemon.log"
        self._program = program
        self._heard = heard
        self._notified = notified
        self._daemon = None
        self._web = None
        subprocess.run(["hostname", "spark1"], check=True)
        pathlib.Path("/proc/sys/net/ipv6/conf/default/accept_dad").write_text("0")
        self.ip("link set lo up")
        for name in (RAIL, "enP2p1s0f0np0", MANAGEMENT, "quiet0", "spare0"):
            self.ip(f"link add {name} type veth peer name x-{name}", f"link set x-{name} up",
                    f"link set {name} up")
        self.hosts = self.root / "etc/hosts"
        self.hosts.parent.mkdir(parents=True)
        self.hosts.write_text("127.0.0.1 localhost\n")
        self.be_machine("1" * 32)
        self.write_file(yaml.safe_dump(GOOD_FILE))

    def be_machine(self, machine_id):
        (self.root / "etc/machine-id").write_text(machine_id + "\n")

    def write_file(self, text):
        self._replace("cluster.yaml", text)

    def write_agent(self, sections):
        self._replace("agent.yaml", yaml.safe_dump(sections))

    def _replace(self, name, text):
        folder = self.root / "etc/spark-reconcile"
        folder.mkdir(exist_ok=True)
        (folder / (name + ".new")).write_text(text)
        (folder / (name + ".new")).rename(folder / name)

    def remove_last_good(self):
        (self.root / "var/lib/spark-reconcile/in_force.json").unlink()

    def ip(self, *lines):
        subprocess.run(["ip", "-batch", "-"], input="\n".join(lines), encoding="utf-8", check=True)

    def has_address(self):
        shown = subprocess.run(["ip", "-4", "address", "show", MANAGEMENT], check=True,
                               capture_output=True, encoding="utf-8").stdout
        return ADDRESS in shown

    def reconcile(self, *words):
        subprocess.run([self._program, *words, "--root", self.root], check=True,
                       capture_output=True)

    def start(self, hours_later=0):
        """`hours_later`: by the clock that alerts are timed with (CLOCK_BOOTTIME)."""
        clock = ["unshare", "--time", "--boottime", hours_later * 3600, "--fork", "--kill-child"]
        before = self._notified.starts
        self._daemon = Program(self._log, *(clock if hours_later else []), self._program, "daemon",
                               "--root", self.root,
                               environment={"NOTIFY_SOCKET": self._notified.path})
        self._heard.until(lambda: self._notified.starts > before, "READY=1 of the daemon")
        if self._web is None:  # it outlives the daemon, and shows nothing of one that is gone
            run = self.root / "run"
            (run / "spark-reconcile-web").mkdir()
            self._web = Program(self._log, pathlib.Path(self._program).with_name("spark-web"), "serve",
                                run / "spark-reconcile/node-state.json", run / "spark-reconcile/daemon.lock",
                                run / "spark-reconcile-web/web.json")

    def stop(self, number=signal.SIGTERM):
        return self._daemon.end(number)

    def status(self):
        """As the daemon published it; {} where there is none."""
        try:
            return json.loads((self.root / "run/spark-reconcile/status.json").read_text("utf-8"))
        except FileNotFoundError:
            return {}

    def metrics(self):
        """The text as node_exporter would find it."""
        path = self.root / "run/spark-reconcile/metrics.prom"
        return path.read_text("utf-8") if path.exists() else ""

    def noted_alerts(self):
        text = (self.root / "var/lib/spark-reconcile/alerts.json").read_text("utf-8")
        return json.loads(text)["entries"]


class Alertmanager:
    """Notifies at once, of each alert by itself, and never again of what it has told."""

    def __init__(self, folder, port, receiver):
        self._folder = folder
        self._port = port
        (folder / "alertmanager.yml").write_text(yaml.safe_dump({
            "route": {"receiver": "test", "group_by": ["..."], "group_wait": "100ms",
                      "group_interval": "200ms", "repeat_interval": "1h"},
            "receivers": [{"name": "test", "webhook_configs": [{"url": receiver}]}]}))
        self.start()

    def start(self):
        self._program = Program(
            self._folder / "alertmanager.log", "prometheus-alertmanager",
            f"--config.file={self._folder}/alertmanager.yml",
            f"--storage.path={self._folder}/alertmanager", "--data.maintenance-interval=500ms",
            "--cluster.listen-address=", f"--web.listen-address=127.0.0.1:{self._port}")

    def noted_at(self):
        """When it last wrote down whom it has notified, in seconds since 1970."""
        path = self._folder / "alertmanager/nflog"
        return path.stat().st_mtime if path.exists() else 0

    def kill(self):
        self._program.end(signal.SIGKILL)


class Prometheus:
    def __init__(self, folder, port, rules, alertmanager, scraped):
        """`scraped`: by instance, its port and path."""
        (folder / "rules.yaml").write_text(rules)
        (folder / "prometheus.yml").write_text(yaml.safe_dump({
            "global": {"scrape_interval": "200ms", "evaluation_interval": "200ms"},
            "rule_files": ["rules.yaml"],
            "alerting": {"alertmanagers": [
                {"static_configs": [{"targets": [f"127.0.0.1:{alertmanager}"]}]}]},
            "scrape_configs": [
                {"job_name": instance, "metrics_path": path, "static_configs": [
                    {"targets": [f"127.0.0.1:{at}"],
                     "labels": {"job": job, "instance": instance}}]}
                for job, instance, at, path in scraped]}))
        self._url = f"http://127.0.0.1:{port}/api/v1/alerts"
        Program(folder / "prometheus.log", "prometheus",
                f"--config.file={folder}/prometheus.yml", f"--storage.tsdb.path={folder}/tsdb",
                # An alert that is not sent again within four times that is taken for over.
                "--rules.alert.resend-delay=3s", f"--web.listen-address=127.0.0.1:{port}")

    def firing(self):
        """Names by instance; of a cluster, by its job."""
        with urllib.request.urlopen(self._url, timeout=10) as answer:
            alerts = json.load(answer)["data"]["alerts"]
        return {(alert["labels"].get("instance", alert["labels"].get("job")), alert["labels"]["alertname"]) for alert in alerts
                if alert["state"] == "firing"}
