"""A real API server of Kubernetes with its etcd on the management network of the nodes, and who stands in for three programs
of which only the documented interface is here: NVIDIA's Maintenance Operator, node-problem-detector, node-feature-discovery."""

import contextlib
import json
import pathlib
import subprocess
import sys
import threading

import yaml

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from asked import EXAMPLES, wait_for  # noqa: E402
from machines import lan_address  # noqa: E402

HERE = lan_address(254)
PORT = 6443
URL = f"https://{HERE}:{PORT}"
GROUP = "maintenance.nvidia.com"
FINALIZER = f"{GROUP}/finalizer"
ALL = f"/apis/{GROUP}/v1alpha1/nodemaintenances"
ADMIN = "admin-of-this-test"
TEXT, TRUTH = {"type": "string"}, {"type": "boolean"}

# NodeMaintenance by the documented API of the operator: what its users set and read.
DEFINITION = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": f"nodemaintenances.{GROUP}"},
    "spec": {
        "group": GROUP,
        "scope": "Namespaced",
        "names": {"plural": "nodemaintenances", "singular": "nodemaintenance", "kind": "NodeMaintenance",
                  "listKind": "NodeMaintenanceList"},
        "versions": [{
            "name": "v1alpha1", "served": True, "storage": True, "subresources": {"status": {}},
            "schema": {"openAPIV3Schema": {"type": "object", "properties": {
                "spec": {
                    "type": "object", "required": ["nodeName", "requestorID"],
                    "properties": {
                        "requestorID": TEXT | {
                            "minLength": 2, "maxLength": 63,
                            "pattern": r"^([a-z0-9A-Z]([-a-z0-9A-Z]*[a-z0-9A-Z])?(\.[a-z0-9A-Z]([-a-z0-9A-Z]*[a-z0-9A-Z])?)*)$"},
                        "additionalRequestors": {"type": "array", "items": TEXT},
                        "nodeName": TEXT,
                        "cordon": TRUTH | {"default": True},
                        "waitForPodCompletion": {"type": "object", "properties": {
                            "podSelector": TEXT, "timeoutSeconds": {"type": "integer", "minimum": 0, "default": 0}}},
                        "drainSpec": {"type": "object", "properties": {
                            "force": TRUTH | {"default": False}, "podSelector": TEXT, "deleteEmptyDir": TRUTH | {"default": False},
                            "timeoutSeconds": {"type": "integer", "minimum": 0, "default": 300}}}}},
                "status": {"type": "object", "properties": {
                    "conditions": {
                        "type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["type"],
                        "items": {
                            "type": "object", "required": ["type", "status", "reason", "message", "lastTransitionTime"],
                            "properties": {"type": TEXT, "status": TEXT, "reason": TEXT, "message": TEXT,
                                           "lastTransitionTime": TEXT | {"format": "date-time"}}}}}}}}}}],
    },
}  # fmt: skip
NOW = "2026-01-31T09:30:00Z"


def openssl(folder: pathlib.Path, *words: object, text: str | None = None) -> None:
    subprocess.run(["openssl", *map(str, words)], cwd=folder, input=text, text=True, check=True, capture_output=True)


class ControlPlane:
    def __init__(self, programs: pathlib.Path, folder: pathlib.Path, control, stack: contextlib.ExitStack) -> None:
        self.programs, self.folder, self.control, self.stack = programs, folder, control, stack
        folder.mkdir()
        openssl(folder, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=test", "-keyout", "ca.key", "-out", "ca.crt", "-days", 2)
        openssl(folder, "req", "-newkey", "rsa:2048", "-nodes", "-subj", f"/CN={HERE}", "-keyout", "server.key", "-out", "server.csr")
        (folder / "names").write_text(f"subjectAltName=IP:{HERE}\n", "utf-8")
        openssl(folder, "x509", "-req", "-in", "server.csr", "-CA", "ca.crt", "-CAkey", "ca.key", "-CAcreateserial", "-days", 2,
                "-extfile", "names", "-out", "server.crt")  # fmt: skip
        openssl(folder, "genrsa", "-out", "accounts.key", 2048)
        (folder / "tokens").write_text(f'{ADMIN},admin,1,"system:masters"\n', "utf-8")
        self.start("etcd", "--data-dir", folder / "etcd", "--listen-client-urls", "http://127.0.0.1:2379",
                   "--advertise-client-urls", "http://127.0.0.1:2379", "--listen-peer-urls", "http://127.0.0.1:2380")  # fmt: skip
        self.server = None
        self.start_server()

    def start(self, name: str, *words: object) -> subprocess.Popen:
        with open(self.folder / f"{name}.log", "a", encoding="utf-8") as log:
            process = subprocess.Popen(self.control.words(self.programs / name, *words), stdin=subprocess.DEVNULL, stdout=log,
                                       stderr=log)  # fmt: skip
        self.stack.callback(end, process)
        return process

    def start_server(self) -> None:
        at = self.folder
        self.server = self.start(
            "kube-apiserver", "--etcd-servers=http://127.0.0.1:2379", f"--bind-address={HERE}", f"--advertise-address={HERE}",
            f"--secure-port={PORT}", f"--tls-cert-file={at}/server.crt", f"--tls-private-key-file={at}/server.key", f"--cert-dir={at}",
            f"--token-auth-file={at}/tokens", "--authorization-mode=RBAC", "--service-account-issuer=https://kubernetes.default.svc",
            f"--service-account-key-file={at}/accounts.key", f"--service-account-signing-key-file={at}/accounts.key",
            "--service-cluster-ip-range=10.0.0.0/24", "--endpoint-reconciler-type=none")  # fmt: skip
        wait_for(lambda: self.ask("GET", "/readyz", text=True) == (200, "ok"), "the API server is ready", 90)

    def kill_server(self) -> None:
        end(self.server)

    def ask(self, method: str, path: str, body: object = None, *, token: str = ADMIN, kind: str = "application/json", text: bool = False):
        """Status and document, by curl: 0 where nobody answers."""
        words = ["curl", "-s", "--max-time", "5", "--cacert", self.folder / "ca.crt", "-X", method, "-w", "\n%{http_code}",
                 "-H", f"Authorization: Bearer {token}", "-H", f"Content-Type: {kind}", *([] if body is None else ["-d", "@-"])]  # fmt: skip
        done = subprocess.run(self.control.words(*words, URL + path), capture_output=True, text=True, check=False,
                              input=None if body is None else json.dumps(body))  # fmt: skip
        said, _, status = done.stdout.rpartition("\n")
        if text:
            return int(status or 0), said
        with contextlib.suppress(ValueError):
            return int(status or 0), json.loads(said)
        return int(status or 0), {}

    def make(self, path: str, body: dict) -> dict:
        status, said = self.ask("POST", path, body)
        if status != 201:
            raise RuntimeError(f"POST {path}: {status}: {said}")
        return said

    def prepare(self, nodes: list[str]) -> str:
        """Nodes, the kind of the operator, and the rights of the example; a token of its account."""
        for name in nodes:
            self.make("/api/v1/nodes", {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}})
        self.make("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", DEFINITION)
        wait_for(lambda: self.ask("GET", ALL)[0] == 200, "the API server knows NodeMaintenance", 30)
        for one in yaml.safe_load_all((EXAMPLES / "kubernetes" / "maintenance-rights.yaml").read_text("utf-8")):
            group = one["apiVersion"]
            root = "/api/v1" if group == "v1" else f"/apis/{group}"
            place = one["metadata"].get("namespace")
            self.make(f"{root}{f'/namespaces/{place}' if place else ''}/{one['kind'].lower()}s", one)
        # No controller manager is there to fill the Secret in: the account gets its token from the API itself.
        account = "/api/v1/namespaces/spark-reconcile/serviceaccounts/spark-reconcile/token"
        return self.make(account, {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest",
                                   "spec": {"expirationSeconds": 3600, "audiences": ["https://kubernetes.default.svc"]}})["status"]["token"]  # fmt: skip

    def maintenances(self) -> dict[str, dict]:
        """By the node that each is of."""
        _, said = self.ask("GET", ALL)
        return {one["spec"]["nodeName"]: one for one in said.get("items", [])}

    def node(self, name: str) -> dict:
        return self.ask("GET", f"/api/v1/nodes/{name}")[1]

    def is_cordoned(self, name: str) -> bool:
        return bool(self.node(name)["spec"].get("unschedulable"))


def end(process: subprocess.Popen) -> None:
    if process and process.poll() is None:
        process.kill()
        process.wait()


class Operator(threading.Thread):
    """Plays the Maintenance Operator as its documentation has it: a finalizer, cordon, the condition Ready with the reasons on
    its way, uncordon on deletion. At most `most` nodes at a time."""

    def __init__(self, plane: ControlPlane) -> None:
        super().__init__(daemon=True)
        self.plane, self.most, self.ended = plane, 0, threading.Event()
        self.errors: list[object] = []

    def run(self) -> None:
        while not self.ended.wait(0.5):
            found = self.plane.maintenances()
            at_work = sum(bool(one["metadata"].get("finalizers")) for one in found.values())
            for one in found.values():
                if one["metadata"].get("deletionTimestamp"):
                    self.cordon(one, cordoned=False)
                    self.patch(one, {"metadata": {"finalizers": []}})
                elif not one.get("status"):
                    self.say(one, "Pending")
                elif reason_of(one) == "Pending" and at_work < self.most:
                    at_work += 1
                    self.patch(one, {"metadata": {"finalizers": [FINALIZER]}})
                    self.say(one, "Cordon")
                elif reason_of(one) == "Cordon":
                    self.cordon(one, cordoned=True)
                    self.say(one, "Draining")
                elif reason_of(one) == "Draining":
                    self.say(one, "Ready")

    def say(self, one: dict, reason: str) -> None:
        condition = {"type": "Ready", "status": "True" if reason == "Ready" else "False", "reason": reason, "message": f"the node is in phase {reason}",
                     "lastTransitionTime": NOW}  # fmt: skip
        self.patch(one, {"status": {"conditions": [condition]}}, "/status")

    def cordon(self, one: dict, *, cordoned: bool) -> None:
        if one["spec"].get("cordon", True):
            self.send(f"/api/v1/nodes/{one['spec']['nodeName']}", {"spec": {"unschedulable": cordoned or None}})

    def patch(self, one: dict, body: dict, what: str = "") -> None:
        about = one["metadata"]
        self.send(f"/apis/{GROUP}/v1alpha1/namespaces/{about['namespace']}/nodemaintenances/{about['name']}{what}", body)

    def send(self, path: str, body: dict) -> None:
        status, said = self.plane.ask("PATCH", path, body, kind="application/merge-patch+json")
        if status not in (200, 0, 404):
            self.errors.append((path, body, status, said))

    def stop(self) -> None:
        self.ended.set()
        self.join(30)


def reason_of(one: dict) -> str:
    return one["status"]["conditions"][0]["reason"]


def detect_problems(plane: ControlPlane, machine, plugin: str) -> dict[str, dict]:
    """As node-problem-detector: the plugin of the configuration, its exit status and first bytes to conditions of the node. As in
    its source, an exit status above 1 makes Unknown of a condition that was True, and leaves one that was False as it is."""
    config = json.loads((EXAMPLES / "kubernetes" / "fabric-problem.json").read_text("utf-8"))
    healthy = {one["type"]: one for one in config["conditions"]}
    now = {one["type"]: one for one in plane.node(machine.name)["status"].get("conditions", [])}
    for rule in config["rules"]:
        kind = rule["condition"]
        done = machine.run(plugin, *rule.get("args", []), check=False, timeout=float(rule["timeout"].rstrip("s")))
        said = done.stdout.strip()[: config["pluginConfig"]["max_output_length"]]
        before = now.get(kind, {"status": "False"} | healthy[kind])
        if done.returncode == 1:
            changed = {"status": "True", "reason": rule["reason"], "message": said}
        elif before["reason"] != rule["reason"]:
            changed = {key: before[key] for key in ("status", "reason", "message")}
        else:
            is_known = done.returncode == 0
            changed = {"status": "False" if is_known else "Unknown", "reason": healthy[kind]["reason"],
                       "message": healthy[kind]["message"] if is_known else said}  # fmt: skip
        now[kind] = changed | {"type": kind, "lastHeartbeatTime": NOW, "lastTransitionTime": NOW}
    own = [now[kind] for kind in healthy]
    plane.ask("PATCH", f"/api/v1/nodes/{machine.name}/status", {"status": {"conditions": own}},
              kind="application/strategic-merge-patch+json")  # fmt: skip
    return {one["type"]: one for one in plane.node(machine.name)["status"].get("conditions", [])}


def discover_features(plane: ControlPlane, machine, folder: str) -> dict[str, str]:
    """As nfd-worker and nfd-master: labels from the feature files, in place of those of before."""
    labels: dict[str, str] = {}
    for file in machine.path(folder).iterdir():
        if file.name.startswith("."):
            continue
        for line in file.read_text("utf-8").splitlines():
            if line and not line.startswith("#"):
                name, _, value = line.partition("=")
                labels[name] = value or "true"
    own = {name: None for name in plane.node(machine.name)["metadata"].get("labels", {}) if name.startswith("feature.node.kubernetes.io/")}
    status, said = plane.ask("PATCH", f"/api/v1/nodes/{machine.name}", {"metadata": {"labels": own | labels}},
                             kind="application/merge-patch+json")  # fmt: skip
    if status != 200:
        raise RuntimeError(f"labels {labels}: {said}")
    return plane.node(machine.name)["metadata"].get("labels", {})


__all__ = ["ALL", "URL", "ControlPlane", "Operator", "detect_problems", "discover_features"]
