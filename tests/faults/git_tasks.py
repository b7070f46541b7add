"""What `tests/faults/run --git` does: every step of fetch, judgement, hand-over and trial."""

import followed  # noqa: F401: before what is of tests/git
import git_daemon
import git_programs
import git_verbs

# So many workers take turns at the changes of one daemon, which mostly waits.
SLICES = 12


def tasks(quick: bool) -> list:
    if quick:
        new = git_programs.NEW_COMMIT
        return [(git_programs.fetch_killed, (new, 3)), (git_programs.judge_killed, (new,)),
                *((git_programs.program_cut, (new, who)) for who in ("fetch", "judge")),
                *((what, (git_verbs.ACCEPT,)) for what in (git_verbs.verb_killed, git_verbs.verb_cut)),
                (git_daemon.daemon_killed, (git_daemon.HAND_OVER, 1, 30)),
                (git_daemon.daemon_cut, (git_daemon.SETTLE, 1, 25))]
    found: list = []
    for taking in (git_daemon.ROLL_BACK, git_daemon.SETTLE, git_daemon.FIRST, git_daemon.HAND_OVER):  # the slowest first
        for number in range(SLICES):
            found.append((git_daemon.daemon_killed, (taking, 1 + number, SLICES)))
            found.append((git_daemon.daemon_cut, (taking, number, SLICES)))
    for poll in git_programs.POLLS:
        found += [(git_programs.fetch_killed, (poll,)), (git_programs.judge_killed, (poll,))]
        found += [(git_programs.program_cut, (poll, who)) for who in ("fetch", "judge")]
    found += [(what, (verb,)) for verb in git_verbs.VERBS for what in (git_verbs.verb_killed, git_verbs.verb_cut)]
    return found
