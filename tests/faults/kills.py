"""kill -9 before every call of every verb that changes something, and every way on from there.

A command has some dozens of such calls, and there are five ways (ways.py). --all goes them all from each of the calls.
Else each call goes WAYS_FROM_A_CALL of them, in turn, and each kind of call goes every way in each scenario.
"""

from collections.abc import Iterator

from machine import Machine
from scenarios import Scenario, begin, reference, until_not_hit
from strace import KILL, Fault, Injected, inject
from table import Row
from ways import WAYS, old_or_new

# Calls without effect on what outlives the process: to be killed before one of them is to be killed
# before the next of the others.
HARMLESS = frozenset("""
access arch_prctl bind brk clock_nanosleep clone3 close connect epoll_create1 epoll_ctl epoll_wait eventfd2 execve exit
exit_group faccessat2 fcntl flock fstat fstatfs futex getdents64 geteuid getpid getrandom getsockname getuid inotify_add_watch
inotify_init1 inotify_rm_watch ioctl listen lseek madvise mmap mprotect munmap newfstatat openat2 pidfd_open pipe2
poll pread64 prlimit64 read readlink readlinkat recvfrom recvmsg rseq rt_sigaction rt_sigpending rt_sigprocmask
rt_sigreturn rt_sigtimedwait sched_yield set_robust_list set_tid_address setsockopt socket statfs statx
timerfd_create timerfd_settime uname
""".split())
QUICK = ("renameat", "sendto")
WAYS_FROM_A_CALL = 1


def mutating(names: set[str]) -> list[str]:
    """A call that nobody has thought of counts as one that changes something."""
    return sorted(names - HARMLESS)


def row_of(way: str, scenario: Scenario) -> Row:
    return Row(f"kill -9, then {way}", scenario.name)


def only_reads(made: Injected) -> bool:
    """An open that makes nothing: to be killed before it is to be killed before the next of the others, too."""
    return made.line.find("openat(") >= 0 and "O_CREAT" not in made.line and "O_TRUNC" not in made.line


def kill(machine: Machine, scenario: Scenario, fault: Fault, way: str, row: Row) -> Injected:
    wanted = reference(machine, scenario)
    begin(machine, scenario)
    made = inject(machine, fault, *scenario.words)
    if made.hit and not only_reads(made):
        function, outcome = WAYS[way]
        row.add(str(fault), outcome, old_or_new(machine, wanted) + function(machine, scenario, wanted))
    return made


def turns(first: int, every: bool) -> Iterator[tuple[int, list[str]]]:
    """The Nth call, and the ways on from there. Ends never: its reader does, where the calls do."""
    ways = list(WAYS)
    for nth in until_not_hit():
        at = first + (nth - 1) * WAYS_FROM_A_CALL
        yield nth, ways if every else [ways[(at + i) % len(ways)] for i in range(WAYS_FROM_A_CALL)]


def kills(machine: Machine, scenario: Scenario, call: str, first: int, every: bool) -> list[Row]:
    """`first`: the way with which the calls of this kind begin."""
    rows = {way: row_of(way, scenario) for way in WAYS}
    places = []
    for nth, ways in turns(first, every):
        made = [kill(machine, scenario, Fault(call, KILL, nth), way, rows[way]) for way in ways]
        if not all(one.hit for one in made):
            break
        places += [] if only_reads(made[0]) else [nth]
    # Of few calls all ways are gone as well.
    missing = [way for way in WAYS if rows[way].cases == 0] if places else []
    for turn, way in enumerate(missing):
        kill(machine, scenario, Fault(call, KILL, places[turn % len(places)]), way, rows[way])
    return [row for row in rows.values() if row.cases]
