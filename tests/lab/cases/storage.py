"""A volume of another node over NVMe-TCP, on a rail of the pair."""

from cases.pair import address, converge
from harness.lab import Lab
from harness.node import Node
from harness.runner import case
from harness.storage import Target, Volume

NQN = "nqn.2014-08.org.nvmexpress:raid5-data"
UUID = "6b8e4f86-1d0a-4c0e-9d55-0f3c5a7d2e11"
PATH = "/mnt/volume"


def mount_by_hand(node: Node) -> None:
    """With nvme-cli, until the program does it itself (its `nvme` and `mount` kinds)."""
    node.run(f"modprobe nvme-tcp; nvme connect -t tcp -a {address(12, 0)} -s 4420 -n {NQN} "
             "--ctrl-loss-tmo=-1 --reconnect-delay=2 --keep-alive-tmo=5")  # fmt: skip
    node.run(f"udevadm wait --timeout=30 /dev/disk/by-id/nvme-uuid.{UUID}")
    node.run(f"mkfs.ext4 -q /dev/disk/by-id/nvme-uuid.{UUID} && mkdir -p {PATH} && "
             f"mount /dev/disk/by-id/nvme-uuid.{UUID} {PATH}")  # fmt: skip


@case()
def a_writer_waits_for_a_lost_target(lab: Lab) -> None:
    """The target of a mounted volume is lost under a writer, and comes back: nothing is lost."""
    spark, spark2 = converge(lab)
    target = Target(spark2, NQN, address(12, 0), [Volume(1, UUID)])
    target.offer()
    mount_by_hand(spark)
    spark.start("writer", f"dd if=/dev/urandom of={PATH}/data bs=256k count=48 oflag=direct && "
                          f"sync && sha256sum < {PATH}/data")  # fmt: skip
    spark.wait_until(f"test $(stat -c %s {PATH}/data) -gt 1000000")
    target.vanish()
    spark.wait_until("grep -q connecting /sys/class/nvme/nvme0/state")
    assert spark.running("writer")
    target.come_back()
    spark.wait_until("grep -q live /sys/class/nvme/nvme0/state")
    spark.wait_until("! systemctl is-active --quiet writer", 90)
    *_, digest = spark.output("writer").splitlines()
    spark.run(f"umount {PATH} && nvme disconnect -n {NQN}")
    # The file as the target's own disk has it.
    target.withdraw()
    spark2.run(f"mkdir -p {PATH} && mount -o loop,ro,noload /srv/target/{UUID} {PATH}")
    assert spark2.run(f"sha256sum < {PATH}/data").strip() == digest.strip()
