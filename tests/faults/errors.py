"""Every call of an apply fails once: then all is as the file says, or all is as before, or it says not.

0, 3 and 4 mean done: the machine is as the file says. 1, 5, 6 and 75 mean that nothing was begun, 7 and
130 that it was rolled back: it reads as before. 8 alone may leave a mix, and names what differs. Whatever it
was, the next apply mends it.
"""

import re

from machine import Machine, differences
from scenarios import Scenario, begin, reference, until_not_hit
from strace import Fault, inject
from table import Row
from ways import goes_on

# What the kernel may answer, by call; calls that are not named get the last line.
FILE = ("EIO", "ENOSPC", "EDQUOT", "EROFS", "EINTR")
OPEN = ("EMFILE", "EIO")
NETLINK = ("ENOBUFS", "EPERM", "EBUSY", "ENODEV", "EINTR")
ERRORS = {
    "write": FILE, "fsync": ("EIO", "ENOSPC", "EDQUOT"), "renameat": FILE[:4], "renameat2": FILE[:4],
    "unlinkat": ("EIO", "EROFS", "EBUSY"), "mkdirat": FILE[:4], "ftruncate": FILE[:2], "fchmod": ("EPERM", "EIO"),
    "fchown": ("EPERM", "EIO"), "flock": ("EINTR", "ENOLCK"), "openat": OPEN, "openat2": OPEN,
    "socket": ("EMFILE", "EPERM"), "bind": ("EPERM",), "setsockopt": ("EPERM",),
    "sendto": NETLINK, "sendmsg": NETLINK, "recvfrom": ("ENOBUFS", "EINTR"), "recvmsg": ("ENOBUFS", "EINTR"),
    "poll": ("EINTR",), "read": ("EIO", "EINTR"), "newfstatat": ("EIO", "EACCES"), "getdents64": ("EIO",),
}
# Those that are also disturbed where there is something to take away.
CHANGING = ("fsync", "renameat", "sendto", "unlinkat", "write")
QUICK = {"fsync": ("EIO",), "renameat": ("ENOSPC",)}
# What could not be read is skipped; the rest is done, and the last line says what is left.
LEFT_TO_DO = re.compile(r"; now .* to (add|change|remove)")
DONE, NOTHING, ROLLED_BACK, INCOMPLETE = (0, 3, 4), (1, 5, 6, 75), (7, 130), 8


def judged(machine: Machine, scenario: Scenario, code: int, text: str) -> tuple[str, list[str]]:
    wanted = reference(machine, scenario)
    state = machine.state()
    if "write to stdout" in text and not differences(state, wanted.end):
        return "done; printing the result failed", []
    if "not recorded in the history" in text and not differences(state, wanted.end):
        return "done, and not recorded", [] if code == 1 else ["and that is no error"]
    if "The journal stays" in text and not differences(state, wanted.end):
        return "done, and its journal stays", [] if code == 1 else ["and that is no error"]
    if code in DONE:
        missing = differences(state, wanted.end)
        if code != 0 and LEFT_TO_DO.search(text):
            return "done in part, and says so", [] if missing else [f"all is done, yet it says: {text}"]
        return "done all the same", missing
    if code in NOTHING:
        return "refused, nothing changed", differences(state, wanted.start)
    if code in ROLLED_BACK:
        return "rolled back", differences(state, wanted.start)
    if code == INCOMPLETE:
        mixed = differences(state, wanted.start)
        return "said to be incomplete", [] if mixed else [f"nothing differs, and it says so: {text}"]
    return "", [f"ends {code}: {text}"]


def fail(machine: Machine, scenario: Scenario, fault: Fault, row: Row) -> bool:
    wanted = reference(machine, scenario)
    begin(machine, scenario)
    done = inject(machine, fault, *scenario.words)
    if not done.hit:
        return False
    if done.outcome.hung:
        row.add(str(fault), "", ["hangs"])
        return True
    # A program that cannot be started at all, by the loader's word.
    if done.outcome.code == 127 and "error while loading" in done.outcome.text:
        row.add(str(fault), "not started", differences(machine.state(), wanted.start))
        return True
    outcome, problems = judged(machine, scenario, done.outcome.code, done.outcome.text)
    problems = [f"{problem}; it ended {done.outcome.code}: {done.outcome.text[-300:]}" for problem in problems]
    problems += goes_on(machine)
    row.add(str(fault), outcome, problems)
    return True


def errors(machine: Machine, scenario: Scenario, call: str, error: str) -> list[Row]:
    row = Row(f"{call} gives {error}", scenario.name)
    for nth in until_not_hit():
        if not fail(machine, scenario, Fault(call, f"error={error}", nth), row):
            break
    return [row] if row.cases else []
