"""Modules, and how much memory may be locked: what a new service, login or container really gets."""

import json
import subprocess

from cases.gate import failing
from cases.pair import PAIR, converge
from harness.lab import Lab
from harness.node import Node
from harness.runner import case

READ = "grep 'Max locked memory'"
UNLIMITED = ["unlimited", "unlimited"]
MIB8 = ["8388608", "8388608"]


def of(limits: str) -> list[str]:
    """Soft and hard limit of the line that `READ` finds."""
    return limits.split()[3:5]


def single(lab: Lab, host: str) -> Node:
    """One Spark, with a file that says no more than this under `host:`."""
    (spark,) = lab.sparks("spark")
    say(lab, spark, host)
    return spark


def say(lab: Lab, node: Node, host: str) -> None:
    file = lab.folder / f"{node.name}.yaml"
    file.write_text(f"version: 1\ncluster: one\nnodes: {{ spark: {{}} }}\nhost: {host}\n")
    lab.install(node, file)


def skipped(node: Node) -> dict[str, tuple[str, str]]:
    """Of `status --json`: why, and the reason, of what is skipped, by its key."""
    items = json.loads(node.reconcile("status --json"))["skipped"]
    return {item["key"]: (item["why"], item["reason"]) for item in items}


def new_service(node: Node) -> list[str]:
    return of(node.run(f"systemd-run --quiet --wait --pipe {READ} /proc/self/limits"))


def running_service(node: Node, unit: str) -> list[str]:
    return of(node.run(f"{READ} /proc/$(systemctl show --value --property MainPID {unit})/limits"))


def new_login(node: Node) -> list[str]:
    """Over a connection of its own: the one that the harness shares began earlier."""
    words = [*node.ssh_words(), "root@127.0.0.1", f"{READ} /proc/self/limits"]
    return of(subprocess.run(words, check=True, capture_output=True, text=True, timeout=60).stdout)


def new_su(node: Node, user: str) -> list[str]:
    return of(node.run(f"su - {user} -c \"{READ} /proc/self/limits\""))


def start_docker(node: Node) -> None:
    node.run("systemctl start docker", 120)
    node.run("mkdir -p /tmp/tiny/bin && cp /bin/busybox /tmp/tiny/bin/cat && "
             "tar -C /tmp/tiny -c . | docker import - tiny", 120)  # fmt: skip


def new_container(node: Node) -> list[str]:
    # AppArmor's tools, which docker would load its profile with, are not in the image.
    said = node.run("docker run --rm --network none --security-opt apparmor=unconfined tiny "
                    "/bin/cat /proc/self/limits", 120)  # fmt: skip
    return of(next(line for line in said.splitlines() if line.startswith("Max locked memory")))


@case(deadline=600, needs=("containers",))
def what_is_new_may_lock_what_the_file_says(lab: Lab) -> None:
    """A service, an ssh login, su and a container; what runs since before is pending, by its name."""
    spark = single(lab, "{ memlock: unlimited }")
    spark.run("useradd --create-home worker; systemd-run --quiet --unit=old sleep infinity")
    start_docker(spark)
    assert new_service(spark) == MIB8
    assert new_container(spark) == MIB8

    spark.reconcile("apply")

    assert new_service(spark) == UNLIMITED
    assert new_login(spark) == UNLIMITED
    assert new_su(spark, "worker") == UNLIMITED
    assert running_service(spark, "old") == MIB8, "nothing that runs is touched"
    assert running_service(spark, "containerd") == MIB8
    items = skipped(spark)
    assert {why for why, _ in items.values()} == {"pending"}, items
    assert "systemctl restart containerd docker" in items["containers"][1], items
    planned = spark.reconcile("plan --detailed-exitcode")  # pending is no difference
    assert "old.service" in planned and "of user 0" in planned, planned
    assert "old.service" not in str(items) and "of user 0" not in str(items), "this node's terminal alone names them"

    spark.run("systemctl restart containerd docker", 120)
    assert new_container(spark) == UNLIMITED
    assert "containers" not in skipped(spark)
    spark.run("systemctl stop old; systemd-run --quiet --unit=old sleep infinity")
    assert "old.service" not in spark.reconcile("plan")

    say(lab, spark, "{}")
    spark.reconcile("apply")
    assert new_service(spark) == MIB8
    # The package has one there.
    spark.run("! find /etc -name '*spark-reconcile.conf' -not -path '/etc/iproute2/*' | grep .")


@case(deadline=600, needs=("containers",))
def containerd_alone_decides_for_docker(lab: Lab) -> None:
    """A limit on docker.service changes no container; one on containerd.service does; daemon.json beats both."""
    spark = single(lab, "{ memlock: 1GiB }")
    drop_in = "mkdir -p /etc/systemd/system/{0}.service.d && printf '[Service]\\nLimitMEMLOCK=infinity\\n' > " \
              "/etc/systemd/system/{0}.service.d/10-test.conf && systemctl daemon-reload"  # fmt: skip
    spark.run(drop_in.format("docker"))
    start_docker(spark)
    assert running_service(spark, "docker") == UNLIMITED
    assert new_container(spark) == MIB8
    spark.reconcile("apply")
    spark.run("systemctl restart containerd docker", 120)
    assert new_container(spark) == ["1073741824", "1073741824"]
    spark.run("mkdir -p /etc/docker && echo '{ \"default-ulimits\": { \"memlock\": "
              "{ \"Name\": \"memlock\", \"Soft\": 65536, \"Hard\": 65536 } } }' > /etc/docker/daemon.json && "
              "systemctl restart docker", 120)  # fmt: skip
    assert new_container(spark) == ["65536", "65536"]
    why, reason = skipped(spark)["containers"]
    assert why == "not_enforced" and "/etc/docker/daemon.json gives each container 64 KiB" in reason, reason


@case()
def a_later_file_that_wins_is_named(lab: Lab) -> None:
    """limits.d and system.conf.d: what is read after ours decides, and is named with its line."""
    spark = single(lab, "{ memlock: unlimited }")
    spark.run("printf '# site\\nroot - memlock 4096\\n' > /etc/security/limits.d/99-site.conf; "
              "mkdir -p /etc/systemd/system.conf.d; "
              "printf '[Manager]\\nDefaultLimitMEMLOCK=1G\\n' > /etc/systemd/system.conf.d/99-site.conf")  # fmt: skip
    spark.reconcile("apply", code=4)
    items = skipped(spark)
    assert items["logins"][0] == items["services"][0] == "not_enforced", items
    assert "/etc/security/limits.d/99-site.conf:2 says 4 MiB" in items["logins"][1], items
    assert "/etc/systemd/system.conf.d/99-site.conf:2 says 1 GiB" in items["services"][1], items
    assert new_login(spark) == ["4194304", "4194304"], "so it is"


@case()
def modules_are_loaded_now_and_at_boot(lab: Lab) -> None:
    """Loaded through systemd, looked for afterwards, built in counts; a missing one names its package."""
    spark = single(lab, "{ modules: [nvme-tcp, rdma_ucm, unix, no-such-module] }")
    spark.run("! test -e /sys/module/nvme_tcp")
    spark.reconcile("apply", code=4)
    assert spark.run("cat /sys/module/nvme_tcp/initstate") == "live\n"
    assert "nvme_tcp\n" in spark.run("cat /etc/modules-load.d/spark-reconcile.conf")
    items = skipped(spark)
    assert list(items) == ["no_such_module"], items
    assert "linux-image-" in items["no_such_module"][1], items
    spark.run("modprobe -r nvme-tcp")
    spark.reconcile("apply", code=4)
    spark.run("test -e /sys/module/nvme_tcp")
    spark.run("modprobe -r nvme-tcp; systemctl restart systemd-modules-load; test -e /sys/module/nvme_tcp")

    say(lab, spark, "{ modules: [rdma_ucm] }")
    spark.reconcile("apply")
    spark.run("test -e /sys/module/nvme_tcp && ! grep -q nvme /etc/modules-load.d/spark-reconcile.conf")
    spark.run("modprobe -r nvme-tcp; echo 'blacklist nvme_tcp' > /etc/modprobe.d/site.conf")
    say(lab, spark, "{ modules: [rdma_ucm, nvme-tcp] }")
    spark.reconcile("apply", code=4)
    assert "/etc/modprobe.d/site.conf:1" in skipped(spark)["nvme_tcp"][1]
    spark.run("! test -e /sys/module/nvme_tcp")


@case()
def the_gate_feels_what_a_new_service_may_lock(lab: Lab) -> None:
    """The service check is a service of its own: root's shell may lock all it likes, and the gate is closed."""
    spark, _ = converge(lab)
    file = lab.folder / "memlock.yaml"
    file.write_text(f"{PAIR.read_text()}host: {{ memlock: unlimited }}\n")
    lab.install(spark, file)
    spark.reconcile("apply")

    def service_check() -> dict[str, str]:
        facts = json.loads(spark.ask("spark-reconcile gate --json").stdout)["facts"]
        return next(fact for fact in facts if fact["id"] == "SR-GATE-015")

    fact = service_check()
    assert fact["verdict"] == "ready", fact
    assert "64 MiB registered in a new service, which may lock without limit" in fact["measured"], fact
    spark.run("printf '[Manager]\\nDefaultLimitMEMLOCK=1M\\n' > /etc/systemd/system.conf.d/99-site.conf; "
              "systemctl daemon-reload")  # fmt: skip
    assert failing(spark, "(ulimit -l unlimited; spark-reconcile gate --json)") == {}, "every rail is ready"
    fact = service_check()
    assert fact["verdict"] == "not ready", fact
    assert "ibv_reg_mr of 64 MiB in a new service, which may lock 1 MiB: Cannot allocate memory" in fact["measured"]
    spark.run("rm /etc/systemd/system.conf.d/99-site.conf; systemctl daemon-reload")
    spark.reconcile("gate")
    spark.run("! systemctl list-units --all | grep spark-service-check")
