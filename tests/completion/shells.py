#!/usr/bin/env python3
"""Real shells, each on a terminal of its own, complete command lines of spark-reconcile.

    shells.py SPARK_RECONCILE

Types a line and TAB to bash (with bash-completion) and zsh, then has the shell print what stands on the line. Needs no
root; every wait ends.
"""

import fcntl
import os
import pathlib
import pty
import re
import select
import shutil
import signal
import struct
import sys
import tempfile
import termios
import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

SCRIPTS = pathlib.Path(__file__).resolve().parent.parent.parent / "controller/cli/completion"
SECONDS = 20.0  # for one answer of a shell, on a machine that is busy
ESCAPE = re.compile(r"\x1b(?:\[[0-9;?]*[a-zA-Z]|[=>]|\][^\x07]*\x07)")
SHOW = "\x18p"  # Ctrl-X p

CLUSTER = """\
version: 1
cluster: lab
nodes:
  spark1: { number: 11 }
  spark2: { number: 12 }
  other: { links: { eth7: { mtu: 9000 } } }
"""

BASH = """
PS1='ready> '
source /usr/share/bash-completion/bash_completion
source SCRIPTS/spark-reconcile.bash
bind 'set show-all-if-ambiguous on'
bind 'set bell-style none'
bind 'set completion-query-items 0'
bind 'set page-completions off'
bind 'set enable-bracketed-paste off'
show_line() {
  printf '\\nline<%s>\\n' "$READLINE_LINE"
  READLINE_LINE= READLINE_POINT=0
}
bind -x '"\\C-xp": show_line'
"""

ZSH = """
PS1='ready> '
unsetopt beep prompt_sp prompt_cr list_ambiguous
setopt auto_list
LISTMAX=0
fpath=(SCRIPTS $fpath)
autoload -Uz compinit
compinit -u -D
show_line() {
  local line=$BUFFER
  BUFFER=
  zle -I
  print -r -- "line<$line>"
}
zle -N show_line
bindkey '^Xp' show_line
"""


class Answer(NamedTuple):
    shown: str  # what the shell wrote meanwhile
    line: str  # what stands on the line then


class Shell:
    """An interactive shell in a folder, on a terminal."""

    def __init__(self, name: str, command: list[str], setup: str, folder: pathlib.Path, program: pathlib.Path) -> None:
        self.name = name
        script = folder / f"setup.{name}"
        script.write_text(setup.replace("SCRIPTS", str(SCRIPTS)), encoding="utf-8")
        environment = {"PATH": f"{program.parent}:/usr/bin:/bin", "HOME": str(folder), "TERM": "xterm",
                       "LC_ALL": "C.UTF-8"}
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            os.chdir(folder)
            os.execve(shutil.which(command[0]) or command[0], command, environment)
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 60, 200, 0, 0))
        self.type(f"source ./setup.{name}\r")
        # The command itself is echoed too, and has no prompt of that text before it.
        self.read_until(r"ready> $", "to start")

    def type(self, text: str) -> None:
        os.write(self.terminal, text.encode())

    def read_until(self, pattern: str, what: str) -> str:
        text = ""
        deadline = time.monotonic() + SECONDS
        while not re.search(pattern, plain := ESCAPE.sub("", text).replace("\r", "")):
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.terminal], [], [], left)[0]:
                raise TimeoutError(f"{self.name}: waited {SECONDS:.0f} s {what}: {plain!r}")
            text += os.read(self.terminal, 65536).decode("utf-8", "replace")
        return plain

    def complete(self, typed: str) -> Answer:
        """Types a line and TAB; the line is gone afterwards."""
        self.type(f"{typed}\t{SHOW}")
        # Only at its next prompt does the shell take single keys from the terminal again.
        shown = self.read_until(r"line<[^\n]*>\s*ready> ", f"for '{typed}'")
        return Answer(shown, re.findall(r"line<([^\n]*)>", shown)[-1])

    def close(self) -> None:
        os.kill(self.process, signal.SIGKILL)
        os.waitpid(self.process, 0)
        os.close(self.terminal)


class Case(NamedTuple):
    typed: str
    line: str | None = None  # what has to stand there; None: whatever
    shows: tuple[str, ...] = ()
    hides: tuple[str, ...] = ()


CASES = [
    Case("spark-reconcile pl", line="spark-reconcile plan "),
    Case("spark-reconcile re", shows=("release", "resume"), hides=("plan",)),
    Case("spark-reconcile help va", line="spark-reconcile help validate "),
    Case("spark-reconcile plan --det", line="spark-reconcile plan --detailed-exitcode "),
    Case("spark-reconcile apply --co", line="spark-reconcile apply --co", shows=("--confirm", "--color")),
    Case("spark-reconcile plan -f cluster.yaml -n sp", line="spark-reconcile plan -f cluster.yaml -n spark",
         shows=("spark1", "spark2"), hides=("other",)),
    Case("spark-reconcile plan -f cluster.yaml -n o", line="spark-reconcile plan -f cluster.yaml -n other "),
    Case("spark-reconcile plan -f ~/cluster.yaml -n o", line="spark-reconcile plan -f ~/cluster.yaml -n other "),
    Case("spark-reconcile plan -f 'my file.yaml' --node=o", line="spark-reconcile plan -f 'my file.yaml' --node=other "),
    Case("spark-reconcile plan --color=al", line="spark-reconcile plan --color=always "),
    Case("spark-reconcile export --format s", line="spark-reconcile export --format shell "),
    Case("spark-reconcile plan --format g", line="spark-reconcile plan --format github "),
    Case("spark-reconcile validate --against clus", line="spark-reconcile validate --against cluster.yaml "),
    Case("spark-reconcile validate -f clus", line="spark-reconcile validate -f cluster.yaml "),
    Case("spark-reconcile validate --file=clus", line="spark-reconcile validate --file=cluster.yaml "),
    Case("spark-reconcile apply sav", line="spark-reconcile apply saved.plan "),
    Case("spark-reconcile plan --root etc", line="spark-reconcile plan --root etcetera/"),
    Case("spark-reconcile explain SR-GATE-01", shows=("SR-GATE-015", "SR-GATE-016"), hides=("SR-GATE-007",)),
    Case("spark-reconcile mute SparkContest", line="spark-reconcile mute SparkContested "),
    Case("spark-reconcile explain SparkContest", line="spark-reconcile explain SparkContested "),
    Case("spark-reconcile explain nodes.man", line="spark-reconcile explain nodes.management "),
    Case("spark-reconcile explain spark_reconcile_gid", line="spark-reconcile explain spark_reconcile_gid_move_timestamp_seconds "),
    Case("spark-reconcile explain -f cluster.yaml -n other mt",
         line="spark-reconcile explain -f cluster.yaml -n other mtu/eth7 "),
    Case("spark-reconcile plan -f nowhere.yaml -n s", line="spark-reconcile plan -f nowhere.yaml -n s"),
    Case("spark-reconcile frobnicate --x", line="spark-reconcile frobnicate --x"),
]
# zsh has what a candidate means beside it.
ZSH_CASES = [
    Case("spark-reconcile re", shows=("ends a pause",)),
    Case("spark-reconcile plan -f cluster.yaml -n sp", shows=("number 11", "number 12")),
]


def faults(shell: Shell, cases: list[Case]) -> Iterator[str]:
    for case in cases:
        answer = shell.complete(case.typed)
        where = f"{shell.name}: {case.typed!r}"
        if case.line is not None and answer.line.rstrip() != case.line.rstrip():
            yield f"{where}: became {answer.line!r}, not {case.line!r}"
        # What was typed is echoed before.
        shown = answer.shown.split(case.typed, 1)[-1]
        yield from (f"{where}: does not show {text!r}: {shown!r}" for text in case.shows if text not in shown)
        yield from (f"{where}: shows {text!r}: {shown!r}" for text in case.hides if text in shown)
        if "error" in shown or "unknown" in shown:
            yield f"{where}: prints an error: {shown!r}"


def run(make: Callable[[], Shell], cases: list[Case]) -> list[str]:
    shell = make()
    try:
        return list(faults(shell, cases))
    finally:
        shell.close()


def main() -> int:
    program = pathlib.Path(sys.argv[1]).resolve()
    found: list[str] = []
    with tempfile.TemporaryDirectory(prefix="completion-") as name:
        folder = pathlib.Path(name)
        for file in ("cluster.yaml", "my file.yaml"):
            (folder / file).write_text(CLUSTER, encoding="utf-8")
        (folder / "saved.plan").write_text("", encoding="utf-8")
        (folder / "etcetera").mkdir()
        bash = ["bash", "--noprofile", "--norc", "-i"]
        found += run(lambda: Shell("bash", bash, BASH, folder, program), CASES)
        found += run(lambda: Shell("zsh", ["zsh", "-f", "-i"], ZSH, folder, program), CASES + ZSH_CASES)
    for fault in found:
        print(fault, file=sys.stderr)
    if not found:
        print(f"completion: {len(CASES)} lines in bash, {len(CASES) + len(ZSH_CASES)} in zsh")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
