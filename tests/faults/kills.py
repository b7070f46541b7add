"""kill -9 before every call that may change something, and both ways on from there.

Whoever goes on applies, and all is as the file says; or rolls back, and all is as it was. Either
way no journal and no temporary file is left, and a release gives back what was there before us.
"""

from machine import CLUSTER_FILE, Machine, State, differences
from scenarios import ALL, LAST_GOOD, ONE, Reference, Scenario, begin, named, reference, until_not_hit
from strace import Fault, Injected, inject
from table import Row

# Calls without effect on what outlives the process: to be killed before one of them is to be killed
# before the next of the others.
HARMLESS = frozenset("""
access arch_prctl bind brk clock_nanosleep close connect execve exit_group fcntl flock fstatfs futex getdents64 geteuid
getpid getrandom getsockname getuid ioctl lseek madvise mmap mprotect munmap newfstatat poll pread64
prlimit64 read readlink readlinkat recvfrom recvmsg rseq rt_sigaction rt_sigpending rt_sigprocmask
rt_sigtimedwait set_robust_list set_tid_address setsockopt socket statfs statx uname openat2
pidfd_open sched_yield
""".split())
QUICK = ("renameat", "sendto")
KILL = "signal=KILL"


def mutating(names: set[str]) -> list[str]:
    """A call that nobody has thought of counts as one that changes something."""
    return sorted(names - HARMLESS)


def left_behind(machine: Machine) -> list[str]:
    return [f"left: {name}" for name in machine.journals() + machine.leftovers()]


def ended(machine: Machine, scenario: Scenario, fault: Fault) -> Injected:
    begin(machine, scenario)
    return inject(machine, fault, *scenario.words)


def goes_on(machine: Machine, scenario: Scenario, wanted: Reference, other: Reference) -> list[str]:
    """The next apply makes it as the file says, and loses no original."""
    done = machine.spark(scenario.go_on)
    if done.code != wanted.held_code:
        return [f"the next {scenario.go_on} ends {done.code}: {done.text}"]
    state = machine.state()
    problems = left_behind(machine)
    if differences(state, other.held):
        problems += differences(state, wanted.held)
    if scenario.go_on == "apply":
        plan = machine.spark("plan", "--detailed-exitcode")
        if plan.code != wanted.held_code:
            problems.append(f"plan after the next apply ends {plan.code}: {plan.text}")
    given = machine.spark("release")
    if given.code != 0:
        problems.append(f"release ends {given.code}: {given.text}")
    return problems + [f"released: {what}" for what in differences(machine.state(), wanted.released)]


def comes_back(machine: Machine, start: State) -> list[str]:
    done = machine.spark("rollback")
    if done.code != 0:
        return [f"rollback ends {done.code}: {done.text}"]
    return [f"rolled back: {what}" for what in differences(machine.state(), start)] + left_behind(machine)


def returns(machine: Machine, wanted: Reference) -> list[str]:
    """By hand, as often as it takes: what was cut off is taken back first, and then returned to the file before."""
    for _ in range(2):
        if not machine.journals() and not differences(machine.state(), wanted.end) and has_good_file(machine):
            break
        done = machine.spark("rollback")
        if done.code not in (0, wanted.code):
            return [f"rollback ends {done.code}: {done.text}"]
    problems = differences(machine.state(), wanted.end) + left_behind(machine)
    return problems if has_good_file(machine) else [*problems, "the rejected file is still there"]


def has_good_file(machine: Machine) -> bool:
    return machine.path(CLUSTER_FILE).read_text() == ONE


def kill(machine: Machine, scenario: Scenario, fault: Fault, rows: dict[str, Row]) -> bool:
    wanted = reference(machine, scenario)
    other = reference(machine, named(scenario.or_as or scenario.name))
    start = reference(machine, named(scenario.back_to or scenario.name)).start
    if not ended(machine, scenario, fault).hit:
        return False
    open_journal = bool(machine.journals())
    if scenario.verb == "apply" and not open_journal:
        found = machine.state()
        if (old := differences(found, start)) and differences(found, wanted.end):
            rows["on"].add(str(fault), "", [f"neither old nor new, without a journal: {old}"])
            return True
    rows["on"].add(str(fault), "finished", goes_on(machine, scenario, wanted, other))
    if scenario == LAST_GOOD:
        ended(machine, scenario, fault)
        rows["back"].add(str(fault), "at the last good file", returns(machine, wanted))
    if scenario.verb == "apply" and open_journal:
        ended(machine, scenario, fault)
        # How often it looks depends on when the kernel tells: this one may have come further.
        if not machine.journals():
            return True
        rows["back"].add(str(fault), "as before", comes_back(machine, start))
    return True


def kills(machine: Machine, scenario: Scenario, call: str) -> list[Row]:
    rows = {"on": Row("kill -9, then apply", scenario.name), "back": Row("kill -9, then rollback", scenario.name)}
    for nth in until_not_hit():
        if not kill(machine, scenario, Fault(call, KILL, nth), rows):
            break
    return [row for row in rows.values() if row.cases]
