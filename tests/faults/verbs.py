"""Which verbs there are, by the program itself, and which of them change something.

A verb that stands in neither list was forgotten: then the run fails, and names it.
"""

import pathlib
import re
import stat

from git_verbs import VERBS, Verb
from kills import mutating
from machine import LOCKS, Machine, State, differences
from preparations import interrupted, drifted
from scenarios import ALL, Preparation, Scenario
from strace import calls
from table import Row

CHANGING: dict[str, list[Scenario | Verb]] = {}
for _scenario in (*ALL, *VERBS):
    CHANGING.setdefault(_scenario.verb, []).append(_scenario)
# Those that look, with the words that they need. `plan --out`, which writes its file, is among the others, and so are
# `follow` and `sync` with words or where a repository is followed (git_verbs.py).
# `join` looks where nobody can be asked; with an answer it writes one new file (Discover.* of tests/process).
LOOKING: dict[str, tuple[str, ...]] = {
    "init": ("--from-host",), "join": (), "validate": (), "plan": (), "history": (), "bench": (), "doctor": (),
    "status": (), "gate": (), "export": (), "facts": (), "wait": ("--timeout", "10ms"), "events": (), "follow": (), "explain": ("mtu/enp1s0f0np0",), "topology": (), "sync": (), "rollout": (), "jobs": (), "version": (), "help": (),
}
VERB = re.compile(r"^  ([a-z][a-z-]*)(?:, [a-z-]+)*(?:  |$)")


def listed(help_text: str) -> list[str]:
    """The verbs have a line each; those of options begin with a dash."""
    return [found[1] for found in map(VERB.match, help_text.splitlines()) if found]


def forgotten(help_text: str) -> list[str]:
    verbs = set(listed(help_text))
    known = CHANGING.keys() | LOOKING.keys()
    problems = [f"'{verb}' is neither killed before each of its calls (scenarios.py), nor among the verbs that look "
                "(verbs.py)" for verb in sorted(verbs - known)]
    return problems + [f"'{verb}' is no verb any more" for verb in sorted(known - verbs)]


def every_verb(machine: Machine) -> list[Row]:
    row = Row("every verb is disturbed, or looks", "spark-reconcile help --all")
    text = machine.spark("help", "--all").text
    problems = forgotten(text)
    row.outcomes["known"] += len(listed(text)) - len(problems)
    if problems:
        row.add("", "", problems)
    return [row]


# What ends with the process: its threads and helpers, and what it tells them.
OWN = frozenset("clone close_range dup dup2 dup3 kill prctl restart_syscall setpgid sigaltstack socketpair vfork wait4 waitid".split())
# Of netlink a question changes nothing, of an ICMP echo nobody keeps anything, and ARP's question changes nothing here.
QUESTION = re.compile(r'nlmsg_type=(RTM_GET|NLMSG_DONE|TCPDIAG_GETSOCK|SOCK_DIAG_BY_FAMILY|NFNL_SUBSYS_NFTABLES<<8\|NFT_MSG_GET|RDMA_NL_|0x14|\w*CTRL|nlctrl|ethtool)|^\d+, "\\10\\0'
                      r'|^\d+, "(\\377){6}.*\\10\\6\\0\\1\\10\\0\\6\\4\\0\\1')
DESCRIPTOR = re.compile(r"(\d+)")
OPENED = re.compile(r"= (\d+)$")


class Watched:
    """The calls of a verb, in order. Its streams and locks are its own: a lock says who is at work, and to nobody else."""

    def __init__(self) -> None:
        self.own = {"1", "2"}

    def changes(self, name: str, text: str) -> bool:
        if name in ("open", "openat", "openat2"):
            return self.opens(text)
        if name in ("write", "ftruncate"):
            descriptor = DESCRIPTOR.match(text)
            return descriptor is None or descriptor[1] not in self.own
        if name in ("sendto", "sendmsg"):
            return not QUESTION.search(text)
        if name in ("adjtimex", "clock_adjtime"):  # without modes it only asks for the state of the clock
            return "{modes=0," not in text
        return bool(mutating({name} - OWN))

    def opens(self, text: str) -> bool:
        is_lock = any(f'"{pathlib.PurePath(lock).name}"' in text for lock in LOCKS)
        if (opened := OPENED.search(text)) is not None:
            (self.own.add if is_lock else self.own.discard)(opened[1])
        return not is_lock and ("O_CREAT" in text or "O_TRUNC" in text)


def tree(machine: Machine) -> State:
    """Names, modes, owners, times and texts, of our notes too, but not of the locks and what they stand in."""
    locks = {machine.path(lock) for lock in LOCKS}
    locks |= {lock.parent for lock in locks}
    found = {}
    for path in sorted(set(machine.root.rglob("*")) - locks):
        at = path.lstat()
        text = path.read_bytes() if stat.S_ISREG(at.st_mode) else b""
        found[str(path)] = f"{stat.filemode(at.st_mode)} {at.st_uid}:{at.st_gid} {at.st_mtime_ns} {text!r}"
    return found


def looks(machine: Machine, verb: str, prepare: Preparation, where: str) -> list[Row]:
    """It calls nothing that changes anything, so wherever it may be killed nothing is changed."""
    row = Row("kill -9 of a verb that looks", where)
    machine.reset()
    prepare(machine)
    network, files = machine.state(), tree(machine)
    done, made = calls(machine, verb, *LOOKING[verb])
    watched = Watched()
    problems = [f"calls {name}({text[:200]}" for name, text in made if watched.changes(name, text)]
    problems += differences(tree(machine), files) + differences(machine.state(), network)
    if done.hung or done.code < 0 or not made:
        problems.append(f"ends {done.code}: {done.text}")
    row.add(verb, "nothing to lose", problems)
    return [row]


MACHINES = {"after drift": drifted, "after an interrupted apply": interrupted}
