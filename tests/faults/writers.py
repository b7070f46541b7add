"""Others at work meanwhile: too few descriptors, twenty applies at once, other writers, devices that go."""

import os
import subprocess
from collections import Counter

from errors import judged
from machine import DEADLINE_S, LOCK, Machine, differences
from scenarios import FIRST_APPLY, NEW_FILE, begin, reference, until_not_hit
from strace import Fault, inject
from table import Row
from ways import goes_on, left_behind

MOST_DESCRIPTORS = 40
AT_ONCE = 20
BUSY = 75


def starved(machine: Machine) -> list[Row]:
    """EMFILE at whatever is opened once so many descriptors are open."""
    row = Row("EMFILE: few descriptors", FIRST_APPLY.name)
    wanted = reference(machine, FIRST_APPLY)
    for limit in range(3, MOST_DESCRIPTORS):
        begin(machine, FIRST_APPLY)
        words = ["prlimit", f"--nofile={limit}:{limit}", *machine.words("apply")]
        done = subprocess.run(words, capture_output=True, text=True, timeout=DEADLINE_S, check=False)
        text = done.stdout + done.stderr
        if done.returncode == 127:  # the loader cannot open libc
            row.add(f"limit {limit}", "not started", differences(machine.state(), wanted.start))
            continue
        outcome, problems = judged(machine, FIRST_APPLY, done.returncode, text)
        row.add(f"limit {limit}", outcome,
                problems + left_behind(machine) + goes_on(machine))
        if outcome == "done all the same" and limit > 16:
            break
    return [row]


def at_once(machine: Machine) -> list[Row]:
    """Each is done or says that another is at work, and the file is in force."""
    row = Row(f"{AT_ONCE} applies at once", NEW_FILE.name)
    wanted = reference(machine, NEW_FILE)
    for turn in range(5):
        begin(machine, NEW_FILE)
        running = [subprocess.Popen(machine.words("apply"), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                   for _ in range(AT_ONCE)]
        codes = Counter(process.wait(DEADLINE_S) for process in running)
        problems = differences(machine.state(), wanted.end) + left_behind(machine)
        problems += [f"one ends {code}" for code in codes if code not in (wanted.code, BUSY)]
        if not codes[wanted.code]:
            problems.append(f"none is done: {codes}")
        row.add(f"turn {turn}", "done or 75", problems + goes_on(machine))
    return [row]


def stale_lock(machine: Machine) -> list[Row]:
    """The process that held a lock is dead, and another has its number by now."""
    row = Row("a dead process's lock, whose number lives again", FIRST_APPLY.name)
    reference(machine, FIRST_APPLY)
    begin(machine, FIRST_APPLY)
    machine.write(LOCK, f"{os.getpid()}\n")
    done = machine.spark("apply")
    outcome, problems = judged(machine, FIRST_APPLY, done.code, done.text)
    if outcome != "done all the same":
        problems.append(f"{outcome}: {done.text}")
    row.add(LOCK, outcome, problems + goes_on(machine))
    return [row]


# Each is done by another hand while the apply is held before its Nth netlink request.
MEANWHILE = {
    "another MTU": "link set lan0 mtu 1480",
    "an address is taken away": "address del 192.0.2.11/24 dev enp1s0f0np0",
    "a device vanishes": "link del enP2p1s0f0np0",
    "a device is renamed": "link set enP2p1s0f0np0 down\nlink set enP2p1s0f0np0 name other0",
    "a device goes to another namespace": "link set enP2p1s0f0np0 netns {elsewhere}",
    "a device is made again": "link del lan0\nlink add lan0 type veth peer name x-again\nlink set x-again up",
}
HELD_MS = 300


def meanwhile(machine: Machine, case: str) -> list[Row]:
    """No crash, no hang, an exit code that says what is so, and the next apply holds what can be held."""
    row = Row(f"meanwhile {case}", FIRST_APPLY.name)
    for nth in until_not_hit():
        begin(machine, FIRST_APPLY)
        elsewhere = subprocess.Popen(["unshare", "--net", "cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert elsewhere.stdin is not None and elsewhere.stdout is not None
        elsewhere.stdin.write(b"\n")
        elsewhere.stdin.flush()
        elsewhere.stdout.read(1)  # it is there
        hand = subprocess.Popen(["sh", "-c", "sleep 0.1; ip -batch -"], stdin=subprocess.PIPE, text=True)
        assert hand.stdin is not None
        hand.stdin.write(MEANWHILE[case].format(elsewhere=elsewhere.pid) + "\n")
        hand.stdin.close()
        done = inject(machine, Fault("sendto", f"delay_enter={HELD_MS}ms", nth), "apply")
        hand.wait(DEADLINE_S)
        elsewhere.communicate(timeout=DEADLINE_S)
        if not done.hit:
            break
        row.add(f"held before request {nth}", *after_meanwhile(machine, done.outcome.code, done.outcome.text))
    return [row]


def after_meanwhile(machine: Machine, code: int, text: str) -> tuple[str, list[str]]:
    problems = []
    if code not in (0, 3, 4, 7, 8):
        problems.append(f"ends {code}: {text}")
    if code == 8 and "differs" not in text:
        problems.append(f"8, and names nothing: {text}")
    again = machine.spark("apply")
    plan = machine.spark("plan", "--detailed-exitcode")
    if again.code not in (0, 3, 4) or plan.code != again.code:
        problems.append(f"the next apply ends {again.code}, plan {plan.code}: {again.text}")
    outcome = {7: "rolled back", 8: "said to be incomplete"}.get(code, "done")
    return outcome, problems + left_behind(machine)
