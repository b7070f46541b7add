"""A machine with a systemd of its own: Debian 12 in a namespace, with sshd, a bus and the units that a package brings.

What it cannot do to this machine: set the clock, load modules, change a sysctl that is not of its own network. It has no udev,
and no cgroup controllers where this machine gives none, so no limit of memory holds there.
"""

import contextlib
import pathlib
import shutil
import subprocess

from machines import CHECKOUT, Machine, child_of, wait_for

PACKAGES = ("systemd,systemd-sysv,dbus,openssh-server,python3,python3-apt,iproute2,iputils-ping,git,procps,libibverbs1,libstdc++6,"
            "init-system-helpers,libsdbus-c++1,openssh-client,ca-certificates")  # fmt: skip
KEPT_FROM_IT = "-sys_time,-sys_module,-sys_rawio,-audit_control,-audit_read"
# Its units that have nothing to do there.
MASKED = ("systemd-sysctl.service", "systemd-modules-load.service", "console-getty.service", "getty.target", "apt-daily.timer",
          "apt-daily-upgrade.timer", "dpkg-db-backup.timer", "e2scrub_all.timer", "fstrim.timer", "motd-news.timer")  # fmt: skip

FIRST = """
exec 2>&1
set -e
hostname "$1"
mount -t tmpfs -o mode=755 layer "$2"
mkdir "$2/upper" "$2/work" "$2/root"
mount -t overlay -o "lowerdir=$3,upperdir=$2/upper,workdir=$2/work" overlay "$2/root"
cd "$2/root"
mount -t proc proc proc
mount --bind proc/sys proc/sys
mount -o remount,bind,ro proc/sys
mount --bind proc/sys/net proc/sys/net
mount -o remount,bind,rw proc/sys/net
mount -t sysfs -o ro sysfs sys
mount -t cgroup2 cgroup2 sys/fs/cgroup
for place in run tmp var/tmp; do mount -t tmpfs -o mode=1777 "$place" "$place"; done
chmod 755 run
mount -t tmpfs -o mode=755 dev dev
for name in null zero full random urandom tty; do
  touch "dev/$name"
  mount --bind "/dev/$name" "dev/$name"
done
mkdir dev/pts dev/shm
mount -t devpts -o newinstance,ptmxmode=0666,mode=620,gid=5 devpts dev/pts
ln -s pts/ptmx dev/ptmx
ln -s /proc/self/fd dev/fd
mkdir run/before
pivot_root . run/before
umount -l run/before
rmdir run/before
cd /
printf '%s\\n' "$1" >/etc/hostname
printf '127.0.0.1 localhost\\n127.0.1.1 %s\\n' "$1" >/etc/hosts
rm -f /etc/machine-id
touch /etc/machine-id
shift 3
for unit; do ln -sf /dev/null "/etc/systemd/system/$unit"; done
ip link set lo up
echo ready
exec env -i container=test /lib/systemd/systemd </dev/null >/dev/null 2>&1
"""


def root_of_debian() -> pathlib.Path:
    """What is below the layer of each; made by the first run."""
    root = CHECKOUT / "build" / "engines" / "systemd"
    if not root.exists():
        subprocess.run([CHECKOUT / "tests/deps", "fresh"], check=True, timeout=600)
        new = root.with_suffix(".new")
        shutil.rmtree(new, ignore_errors=True)
        root.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run([CHECKOUT / "tests/bare-root", "bookworm", new, "--variant=minbase", f"--include={PACKAGES}"], check=True, timeout=1200)
        new.rename(root)
    return root


def cgroups() -> pathlib.Path:
    """Where this machine has version 2 of them."""
    mounts = (line.split() for line in pathlib.Path("/proc/self/mounts").read_text("utf-8").splitlines())
    return pathlib.Path(next(place for _, place, kind, *_ in mounts if kind == "cgroup2"))


class Booted(Machine):
    """Its sshd is that of Debian, which its systemd starts."""

    def __init__(self, name: str, folder: pathlib.Path, stack: contextlib.ExitStack) -> None:
        self.name, self.stack, self.services = name, stack, {}
        place = folder / name
        place.mkdir(parents=True)
        self.cgroup = cgroups() / f"spark-{folder.parent.name}-{name}"
        self.cgroup.mkdir()
        enter = ["sh", "-c", 'echo $$ >"$1/cgroup.procs" && shift && exec "$@"', "sh", str(self.cgroup)]
        hold = [*enter, "unshare", "--net", "--uts", "--ipc", "--mount", "--pid", "--cgroup", "--fork", "--kill-child", "--propagation", "private",
                "setpriv", f"--bounding-set={KEPT_FROM_IT}", "bash", "-c", FIRST, "bash", name, str(place), str(root_of_debian()), *MASKED]  # fmt: skip
        self.process = subprocess.Popen(hold, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        stack.callback(self.remove_cgroup)
        said = self.process.stdout.readline()
        if said != "ready\n":
            self.process.kill()
            raise RuntimeError(f"{name}: it could not be made: {said}{self.process.stdout.read()}")
        self.pid = child_of(self.process)
        stack.callback(self.off)
        self.set("net/ipv6/conf/default/accept_dad", 0)

    def words(self, *words: object) -> list[str]:
        return [*super().words()[:1], "--cgroup", *super().words(*words)[1:]]

    def booted(self) -> str:
        """What systemd says of itself, once it has started all."""
        return self.run("systemctl", "is-system-running", "--wait", check=False, timeout=120).stdout.strip()

    def start_sshd(self, host_key: pathlib.Path, authorized: str) -> None:
        self.write("/etc/ssh/ssh_host_ed25519_key", host_key.read_text("utf-8"), 0o600)
        self.write("/root/.ssh/authorized_keys", authorized, 0o600)
        self.path("/root/.ssh").chmod(0o700)
        self.run("systemctl", "restart", "ssh.service")

    def state_of(self, unit: str) -> dict[str, str]:
        said = self.run("systemctl", "show", unit, "--property=ActiveState,UnitFileState,Result,NRestarts").stdout
        return dict(line.split("=", 1) for line in said.splitlines())

    def remove_cgroup(self) -> None:
        """Those of its units go before it."""
        def empty() -> bool:
            for folder in sorted(self.cgroup.rglob("*/"), reverse=True):
                folder.rmdir()
            self.cgroup.rmdir()
            return True
        wait_for(empty, f"{self.name}: its cgroups are empty", 20)
