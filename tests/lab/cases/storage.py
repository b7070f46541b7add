"""Volumes of another node over NVMe-TCP, on a rail of the pair."""

import time
from dataclasses import dataclass

import yaml
from cases.pair import PAIR, address, leave_rails_alone
from harness.lab import Lab
from harness.node import Node
from harness.runner import case
from harness.storage import Target, Volume

NQN = "nqn.2014-08.org.nvmexpress:raid5-data"
UUID = "6b8e4f86-1d0a-4c0e-9d55-0f3c5a7d2e11"
OTHER = "c1a4e6d2-77b3-4b0e-8a39-5f10d2c4b6a9"
PATH = "/mnt/volume"
WITHIN = 5.0  # seconds, in which a cause must be told
SLOW = 1.6  # an emulated machine beside a compiler; the program itself gives up after 4.5 s


@dataclass
class World:
    """Two nodes; what the first one mounts is a file of the second."""

    lab: Lab
    spark: Node
    spark2: Node
    target: Target

    def say(self, *targets: dict, **more) -> None:
        """Makes these the targets of the first node's file, which says `more` beside them."""
        text = yaml.safe_load(PAIR.read_text()) | {"storage": list(targets)} | more
        file = self.lab.folder / "storage.yaml"
        file.write_text(yaml.safe_dump(text))
        self.lab.install(self.spark, file)

    def on_target(self, volume: str, command: str) -> str:
        """What a command says in the file system of a volume, as the target's own disk has it."""
        image = f"/srv/target/{volume}"
        return self.spark2.run(f"mkdir -p /mnt/look && mount -o loop,ro,noload {image} /mnt/look && "
                               f"cd /mnt/look && {command}; cd / && umount /mnt/look")  # fmt: skip


def wanted(namespace: int | str = 1, to: int | str = 0, nqn: str = NQN, write: bool = True, **more) -> dict:
    """A target with one mount, as the file says it."""
    mount = {"namespace": namespace, "path": PATH, "type": "ext4", "options": ["noatime"]}
    mount |= {"read_write": "spark"} if write else {"read_only": ["spark"]}
    to = address(12, to) if isinstance(to, int) else to
    return {"nvme_tcp": {"nqn": nqn, "address": to} | more, "mounts": [mount]}


def build(lab: Lab, *volumes: Volume, anyone: bool = True) -> World:
    """The pair with its network, and a target with ext4 on each volume."""
    spark, spark2 = lab.cluster(PAIR)
    leave_rails_alone(spark, spark2)
    spark2.reconcile("apply")
    volumes = volumes or (Volume(1, UUID),)
    target = Target(spark2, NQN, address(12, 0), list(volumes))
    target.offer(allow_any_host=anyone)
    for volume in volumes:
        spark2.run(f"mkfs.ext4 -q -b 4096 /srv/target/{volume.uuid}")
    return World(lab, spark, spark2, target)


def source_of(node: Node) -> str:
    """UUID of the volume that is mounted."""
    return node.run(f"cat /sys/block/$(basename $(findmnt -no SOURCE {PATH}))/uuid").strip()


def timed(node: Node, arguments: str, code: int) -> tuple[str, float]:
    begin = time.monotonic()
    text = node.run(f"{{ time -p spark-reconcile {arguments}; }} 2>&1", code=code)
    took = [line.split()[1] for line in text.splitlines() if line.startswith("real ")]
    return text, float(took[-1]) if took else time.monotonic() - begin


@case(ci="arm64", deadline=400)
def a_volume_is_mounted_and_let_go(lab: Lab) -> None:
    """By NQN, after fsck; its mountpoint is closed; busy it stays, and without its line it goes."""
    world = build(lab)
    world.say(wanted())
    spark = world.spark
    spark.reconcile("apply")
    assert source_of(spark) == UUID
    options = spark.run(f"findmnt -no OPTIONS {PATH}")
    assert "rw" in options and "noatime" in options, options
    assert "clean" in spark.run("journalctl --boot --unit='systemd-fsck@*'")
    assert "off" in spark.run("cat /sys/class/nvme/nvme0/ctrl_loss_tmo"), "reconnects forever"
    spark.run(f"echo kept > {PATH}/file")
    spark.reconcile("plan --detailed-exitcode")
    offers = spark.reconcile("facts --discover")
    assert f'"nqn": "{NQN}"' in offers.split('"nvme_offers"')[1], offers
    gate = spark.ask("spark-reconcile gate").stdout
    assert "written and synced" in gate and "SR-GATE-010" not in gate, gate
    # The address that the volume is reached from cannot go under it.
    without = PAIR.read_text().replace("192.168.177.0", "192.168.187.0")
    (lab.folder / "other.yaml").write_text(without + yaml.safe_dump({"storage": [wanted()]}))
    spark.put(lab.folder / "other.yaml", "/root/other.yaml")
    assert "SR-GUARD-003" in spark.reconcile("apply -f /root/other.yaml", code=6)
    world.say()
    spark.start("reader", f"exec sleep 1000 < {PATH}/file")
    spark.wait_until(f"ls -l /proc/*/fd 2>/dev/null | grep -q {PATH}/file")
    said = spark.reconcile("apply", code=4)
    assert "(sleep): an open file" in said, said
    assert source_of(spark) == UUID, "who uses it goes on"
    spark.run("systemctl stop reader")
    spark.reconcile("apply")
    assert spark.ask(f"findmnt {PATH}").returncode == 1
    assert spark.run("ls /sys/class/nvme").strip() == "", "disconnected"
    assert spark.run("ls /run/systemd/system | grep -E 'nvme|mnt' || true").strip() == ""
    assert "i" not in spark.run(f"lsattr -d {PATH}").split()[0], "the directory is as any other"
    world.target.withdraw()
    assert world.on_target(UUID, "cat file") == "kept\n"


@case(deadline=400)
def each_cause_has_its_message(lab: Lab) -> None:
    """Closed port, silent host, wrong NQN, refused host: distinct, within 5 s, and nothing rolled back."""
    world = build(lab, anyone=False)
    spark = world.spark
    world.say()
    spark.reconcile("apply")  # the network, so that what is timed is the target
    world.spark2.run("iptables --insert INPUT --protocol tcp --dport 4425 --jump DROP")
    for what, id_, target, word in (
        ("closed port", "SR-NVME-002", wanted(port=4421), "refuses connections"),
        ("silent host", "SR-NVME-003", wanted(port=4425), "did not answer"),
        ("absent host", "SR-NVME-001", wanted(to=address(77, 0)), "nobody on the network answers"),
        ("wrong NQN", "SR-NVME-004", wanted(nqn="nqn.2014-08.org.example:other"), "has no subsystem"),
        ("refused host", "SR-NVME-005", wanted(), "does not let this host in"),
    ):
        world.say(target)
        code = 3 if id_ < "SR-NVME-004" else 4
        said, took = timed(spark, "apply", code)
        assert id_ in said and word in said, f"{what}: {said}"
        assert took < WITHIN * SLOW, f"{what}: {took} s"
        said = spark.reconcile("status --here")
        assert id_ in said, f"{what}: {said}"
    assert f"{address(11, 0)}/24" in spark.run("ip -br address"), "a target never rolls back an address"
    host_nqn = spark.run("cat /etc/nvme/hostnqn").strip()
    assert host_nqn in said, "what to put on the target's list"
    world.target.allow(host_nqn)
    spark.wait_until("grep -q live /sys/class/nvme/nvme*/state", 30)  # systemd tries again by itself
    spark.reconcile("apply")
    assert source_of(spark) == UUID


@case(deadline=400)
def a_writer_waits_for_a_lost_target(lab: Lab) -> None:
    """The target of a mounted volume is lost for 60 s under a writer, and comes back: nothing is lost."""
    world = build(lab)
    world.say(wanted())
    spark = world.spark
    spark.reconcile("apply")
    spark.start("writer", f"dd if=/dev/urandom of={PATH}/data bs=256k count=48 oflag=direct && "
                          f"sync && sha256sum < {PATH}/data")  # fmt: skip
    spark.wait_until(f"test $(stat -c %s {PATH}/data) -gt 1000000")
    world.target.vanish()
    spark.wait_until("grep -q connecting /sys/class/nvme/nvme0/state")
    said = spark.reconcile("status --here --exit-code", code=3)
    assert "SR-NVME-011" in said, said
    time.sleep(60)  # what is shown is that nothing happens
    assert spark.running("writer")
    world.target.come_back()
    spark.wait_until("grep -q live /sys/class/nvme/nvme0/state")
    spark.wait_until("! systemctl is-active --quiet writer", 90)
    *_, digest = spark.output("writer").splitlines()
    world.say()
    spark.reconcile("apply")
    world.target.withdraw()
    assert world.on_target(UUID, "sha256sum < data").strip() == digest.strip()


@case(deadline=400)
def nothing_lands_on_the_root_disk(lab: Lab) -> None:
    """The target is lost for good and the unit is stopped: a write to the path fails."""
    world = build(lab)
    world.say(wanted())
    spark = world.spark
    spark.reconcile("apply")
    world.target.vanish()
    spark.wait_until("grep -q connecting /sys/class/nvme/nvme0/state")
    # Somebody gives the target up: its volume goes, and systemd stops the mount.
    spark.run("echo 1 > /sys/class/nvme/nvme0/delete_controller")
    spark.wait_until(f"! findmnt {PATH}")
    assert "Operation not permitted" in spark.run(f"touch {PATH}/file 2>&1", code=1)
    assert spark.run(f"ls -A {PATH}") == ""
    world.target.come_back()
    spark.reconcile("apply")
    assert source_of(spark) == UUID


@case(deadline=900)
def a_reboot_with_a_busy_mount(lab: Lab) -> None:
    """It ends within 90 s, what was written is there, and the right volume is mounted by another name."""
    world = build(lab, Volume(1, UUID), Volume(2, OTHER))
    world.say(wanted(UUID))
    spark = world.spark
    spark.reconcile("apply")
    before = spark.run(f"findmnt -no SOURCE {PATH}").strip()
    spark.run(f"echo kept > {PATH}/file")
    spark.start("busy", f"cd {PATH} && while :; do date >> log; sleep 0.1; done")
    spark.wait_until(f"test -s {PATH}/log")
    spark.reboot(down=90)
    leave_rails_alone(spark)
    assert spark.ask(f"findmnt {PATH}").returncode == 1, "nothing is mounted before our own pass"
    # The other volume is found first this time, and takes the name.
    world.target.enable(1, False)
    assert "SR-MOUNT-001" in spark.reconcile("apply", code=3)
    world.target.enable(1, True)
    spark.wait_until(f"test -e /dev/disk/by-id/nvme-uuid.{UUID}")
    spark.reconcile("apply")
    assert source_of(spark) == UUID
    after = spark.run(f"findmnt -no SOURCE {PATH}").strip()
    assert before != after, f"the two have not swapped their names: {before}"
    assert spark.run(f"cat {PATH}/file") == "kept\n"


@case(deadline=600)
def a_moved_writer_waits_for_the_old_one(lab: Lab) -> None:
    """Another node mounts read-write only what was unmounted cleanly; after a power cut only the last writer does."""
    world = build(lab)
    spark, spark2 = world.spark, world.spark2
    world.say(wanted())
    spark.reconcile("apply")
    # The second node, which is the target's own, stands in for the new writer.
    text = yaml.safe_load(PAIR.read_text())
    text["storage"] = [wanted()]
    text["storage"][0]["mounts"][0]["read_write"] = "spark2"
    file = lab.folder / "moved.yaml"
    file.write_text(yaml.safe_dump(text))
    lab.install(spark2, file)
    said = spark2.reconcile("apply", code=4)
    assert "SR-MOUNT-004" in said, said
    world.say()
    spark.reconcile("apply")
    spark2.reconcile("apply")
    assert source_of(spark2) == UUID


@case(deadline=600)
def a_power_cut_replays_its_own_journal(lab: Lab) -> None:
    """After a power cut the node that wrote last mounts again, since the journal is its own."""
    world = build(lab)
    world.say(wanted())
    spark = world.spark
    spark.reconcile("apply")
    spark.run(f"echo kept > {PATH}/file && sync && echo more > {PATH}/other && sync {PATH}/other")
    lab.power_cut(spark)
    lab.power_on(spark)
    leave_rails_alone(spark)
    spark.reconcile("apply")
    assert spark.run(f"cat {PATH}/file {PATH}/other") == "kept\nmore\n"


DROP_IN = "/etc/systemd/system/spark-nvme@.service.d"
NO_END = "[Service]\\nExecStartPre=sleep 1000\\nTimeoutStartSec=infinity\\n"
RACES = {
    "daemon-reload": "systemctl daemon-reload",
    "re-execution": "systemctl daemon-reexec; sleep 0.3",
    "a restarted bus": "systemctl restart dbus; sleep 2.5",
}


@case(deadline=900)
def systemd_is_in_the_way(lab: Lab) -> None:
    """A masked unit, a job without end; reloads, re-execution and a restarted bus in the middle: told, or survived."""
    world = build(lab)
    spark = world.spark
    world.say(wanted())
    for unit in ("mnt-volume.mount", "spark-nvme@.service"):
        spark.run(f"ln -s /dev/null /etc/systemd/system/{unit} && systemctl daemon-reload")
        said = spark.reconcile("apply", code=7)
        assert "is masked: `systemctl unmask" in said and "nothing is left changed" in said, said
        assert spark.ask(f"findmnt {PATH}").returncode == 1
        spark.run(f"rm /etc/systemd/system/{unit} && systemctl daemon-reload")
    spark.run(f"mkdir {DROP_IN} && printf '{NO_END}' > {DROP_IN}/slow.conf && systemctl daemon-reload")
    said = spark.reconcile("apply", code=3)
    assert "not done within" in said and "address" in said, said
    spark.run(f"rm -r {DROP_IN} && systemctl daemon-reload && systemctl stop 'spark-nvme@*'")
    spark.reconcile("apply")
    for what, command in RACES.items():
        spark.reconcile("release")
        assert spark.ask(f"findmnt {PATH}").returncode == 1
        spark.start("racer", f"for i in $(seq 12); do {command}; done; touch /run/raced")
        done = spark.ask("spark-reconcile apply 2>&1")
        # Done; done, and others change some of it back; continues by itself; rolled back.
        assert done.returncode in (0, 2, 3, 4, 7), f"{what}, {done.returncode}: {done.stdout}"
        spark.wait_until("rm /run/raced")  # systemd does not always answer meanwhile
        spark.wait_until("! systemctl is-active --quiet racer")
        spark.reconcile("apply")
        spark.reconcile("plan --detailed-exitcode")
        assert source_of(spark) == UUID, what
        spark.run("test -e /var/lib/spark-reconcile/spark/journal.json", code=1)
