#!/usr/bin/python3
"""Types what README.md says on two machines at terminals of 80 columns, and looks at the screens.

    owner.py ROOT      a bare root with the package: each machine gets a copy of its own
"""
import contextlib
import fcntl
import json
import os
import pathlib
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

COLUMNS = 80
README = pathlib.Path(__file__).parents[2] / "README.md"
PATH = "/usr/sbin:/usr/bin:/sbin:/bin"
RAILS = ("enp1s0f0np0", "enP2p1s0f0np0")
# Longer than any command of this hour takes on a loaded machine.
DEADLINE_SECONDS = 120

BOOT = r"""
set -e
mount --make-rprivate /
mount -t overlay overlay -o "lowerdir=$1,upperdir=$2/upper,workdir=$2/work" "$2/root"
mount -t proc proc "$2/root/proc"
mount -t sysfs sysfs "$2/root/sys"
mount --rbind /dev "$2/root/dev"
mount -t tmpfs tmpfs "$2/root/run"
hostname "$3"
echo "$3" >"$2/root/etc/hostname"
ip link set lo up
echo booted
exec sleep infinity
"""


class Failure(Exception):
    pass


def expect(holds, what, screen=""):
    if not holds:
        raise Failure(f"{what}\n{screen}")


class Machine:
    """A network, a host name, processes and files of its own."""

    def __init__(self, name, root, folder):
        self.name = name
        self.folder = folder
        for part in ("upper", "work", "root"):
            (folder / part).mkdir(parents=True)
        self.process = subprocess.Popen(
            ["unshare", "--mount", "--uts", "--net", "--pid", "--fork", "--kill-child",
             "sh", "-c", BOOT, "boot", root, str(folder), name],
            stdout=subprocess.PIPE, text=True)
        expect(self.process.stdout.readline() == "booted\n", f"{name} does not boot")
        children = f"/proc/{self.process.pid}/task/{self.process.pid}/children"
        self.pid = int(pathlib.Path(children).read_text().split()[0])

    def inside(self, command):
        return ["nsenter", f"--target={self.pid}", "--mount", "--uts", "--net", "--pid",
                "chroot", str(self.folder / "root"), "env", "-i", f"PATH={PATH}", "HOME=/root",
                "LANG=C.UTF-8", "TERM=linux", "bash", "-c", f"cd /root && {command}"]

    def read(self, command):
        return subprocess.run(self.inside(command), check=True, text=True, capture_output=True,
                              timeout=DEADLINE_SECONDS).stdout

    def types(self, command, answer=None, codes=(0,)):
        """The screen after `command`, typed at a terminal; `answer` is typed where it asks."""
        process, terminal = pty.fork()
        if process == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 40, COLUMNS, 0, 0))
            words = self.inside(command)
            os.execvp(words[0], words)
        screen = b""
        end = time.monotonic() + DEADLINE_SECONDS
        try:
            while True:
                ready, _, _ = select.select([terminal], [], [], max(0, end - time.monotonic()))
                if not ready:
                    raise Failure(f"{command}: no end\n{screen.decode()}")
                try:
                    chunk = os.read(terminal, 65536)
                except OSError:
                    break  # EIO: the other end is closed
                if not chunk:
                    break
                screen += chunk
                if answer is not None and screen.endswith(b"[y/N] "):
                    os.write(terminal, answer.encode() + b"\n")
                    answer = None
        finally:
            os.close(terminal)
            if select_child(process, end) is None:
                os.kill(process, signal.SIGKILL)
        text = screen.decode().replace("\r\n", "\n")
        print(f"{self.name}$ {command}\n{shown(text)}", flush=True)
        code = os.waitstatus_to_exitcode(self.status(process))
        expect(code in codes, f"{self.name}: {command}: exit code {code}", text)
        expect(answer is None, f"{self.name}: {command}: it did not ask", text)
        for line in shown(text).splitlines():
            expect(len(line) <= COLUMNS, f"{self.name}: {command}: wider than {COLUMNS}: {line}")
        return shown(text)

    @staticmethod
    def status(process):
        return STATUSES.pop(process)

    def events_during(self, act):
        """What the kernel announces of links, addresses and routes meanwhile."""
        monitor = subprocess.Popen(self.inside("exec ip monitor link address route neigh"),
                                   stdout=subprocess.PIPE)
        # It hears what comes after its sockets are open: an event of our own says that they are.
        heard = b""
        end = time.monotonic() + DEADLINE_SECONDS
        mark = "203.0.113.77"
        while mark.encode() not in heard:
            expect(time.monotonic() < end, "ip monitor hears nothing")
            self.read(f"ip address replace {mark}/32 dev lo; ip address delete {mark}/32 dev lo")
            heard += self.heard_within(0.2, monitor)
        while self.heard_within(0.5, monitor):
            pass
        act()
        # And again: what came before this mark was heard.
        self.read(f"ip address add {mark}/32 dev lo")
        heard = b""
        while mark.encode() not in heard:
            expect(time.monotonic() < end, "ip monitor hears nothing")
            heard += self.heard_within(0.2, monitor)
        monitor.kill()
        monitor.wait()
        self.read(f"ip address delete {mark}/32 dev lo")
        return [line for line in heard.decode().splitlines()
                if mark not in line and "valid_lft" not in line]

    @staticmethod
    def heard_within(seconds, monitor):
        """What it printed, as bytes: none where it printed nothing in that time, or has ended."""
        if not select.select([monitor.stdout], [], [], seconds)[0]:
            return b""
        return os.read(monitor.stdout.fileno(), 65536)

    def stop(self):
        self.process.kill()
        self.process.wait()


STATUSES = {}


def select_child(process, end):
    """Its status is kept; None: it runs on."""
    while time.monotonic() < end:
        done, status = os.waitpid(process, os.WNOHANG)
        if done:
            STATUSES[process] = status
            return status
        time.sleep(0.01)
    return None


def shown(text):
    """What stays on the screen: without colours, and of a line that was written over, the last."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", text)
    return "\n".join(line.rstrip("\r").split("\r")[-1].rstrip() for line in text.split("\n"))


def readme(command):
    """The command, which README.md has."""
    expect(command in README.read_text("utf-8"), f"README.md does not have: {command}")
    return command.replace("sudo ", "")


def cable(one, other, link):
    """A veth link of that name at both ends."""
    subprocess.run(["ip", "link", "add", link, "netns", str(one.pid), "type", "veth",
                    "peer", "name", link, "netns", str(other.pid)], check=True)


def set_up(machines, lan):
    """As a Spark comes out of the box: the rails are up, and the RJ45 port has an address."""
    for link in RAILS:
        cable(*machines, link)
    for number, machine in enumerate(machines, 1):
        subprocess.run(["ip", "link", "add", "enP7s7", "netns", str(machine.pid), "type", "veth",
                        "peer", "name", f"port{number}", "netns", str(lan.pid)], check=True)
        lan.read(f"ip link set port{number} up")
        machine.read(f"ip address add 198.51.100.{number}/24 dev enP7s7; ip link set enP7s7 up; "
                     "ip route add default via 198.51.100.254")
        for link in RAILS:
            machine.read(f"ip link set {link} up")


def addresses(machine):
    return {address["local"] for link in json.loads(machine.read("ip -json address"))
            for address in link["addr_info"] if link["ifname"] in RAILS and
            address["family"] == "inet"}


def first_hour(machines, lan):
    one, other = machines
    set_up(machines, lan)
    one.types(readme("spark-reconcile init --pair --names spark1,spark2 -o cluster.yaml"))
    # What README.md says is left to write.
    one.read("sed -i 's/spark2: { number: 2 }/spark2: { number: 2, management: enP7s7 }/' "
             "cluster.yaml")
    file = one.read("cat cluster.yaml")
    expect(file.count("management: enP7s7") == 2, "cluster.yaml:", file)
    (other.folder / "upper/root").mkdir(parents=True, exist_ok=True)
    other.read(f"cat >cluster.yaml <<'END'\n{file}END")
    for machine in machines:
        machine.read(readme("sudo install -D -m 644 cluster.yaml "
                            "/etc/spark-reconcile/cluster.yaml"))
        plan = machine.types(readme("spark-reconcile plan"))
        expect("cage 0 ══ spark" in plan and "Apply it:  spark-reconcile apply" in plan, "plan", plan)
    # 4: virtual links have no RDMA device, so their GIDs are unknown; all else is in place.
    for machine in machines:
        machine.types(readme("sudo spark-reconcile apply"), answer="y", codes=(0, 4))
    expect(addresses(one) == {"192.168.177.1", "192.168.178.1"}, f"{addresses(one)}")
    expect(addresses(other) == {"192.168.177.2", "192.168.178.2"}, f"{addresses(other)}")

    events = one.events_during(lambda: expect(
        "othing to do" in (again := one.types("spark-reconcile apply", codes=(0, 4))),
        "the second apply", again))
    expect(not events, "the second apply made events", "\n".join(events))
    gate = one.types(readme("sudo spark-reconcile gate"), codes=(3, 4))
    expect(gate.count("answers 9000 bytes") >= 2, "no echo over each rail", gate)
    expect(gate.rstrip().splitlines()[-1].strip().startswith(("sudo ", "spark-", "What", "Fix")),
           "gate ends without the next command", gate)
    one.types("spark-reconcile status", codes=(0,))
    one.types("spark-reconcile doctor", codes=(0, 1))

    # No answer is no: what would be disturbed stays.
    plan = one.types(readme("sudo spark-reconcile release"), answer="", codes=(6,))
    expect("cage 0 ══ spark2" in plan, "the plan of a release has no cages", plan)
    expect(len(addresses(one)) == 2, "a no released the node")
    one.types("spark-reconcile release", answer="y")
    expect(not addresses(one), f"released, and still there: {addresses(one)}")


def main():
    with contextlib.ExitStack() as stack:
        folder = pathlib.Path(stack.enter_context(
            tempfile.TemporaryDirectory(prefix="spark-hour.", dir="/var/tmp")))
        def machine(name):
            made = Machine(name, sys.argv[1], folder / name)
            stack.callback(made.stop)
            return made
        try:
            first_hour((machine("spark1"), machine("spark2")), machine("lan"))
        except Failure as failure:
            print(f"first hour: {failure}", file=sys.stderr)
            return 1
    print("first hour: converged, converged again without an event, asked, released")
    return 0


if __name__ == "__main__":
    sys.exit(main())
