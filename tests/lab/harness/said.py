"""What the nodes of a cluster say of a fault, word for word: recorded in tests/lab/said, one file a fault.

A run compares. With SPARK_UPDATE_GOLDEN=1 it records what the nodes say; read the difference before you commit it.
"""

from __future__ import annotations

import difflib
import os
import re
import time
from collections.abc import Callable
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1] / "said"
UPDATES = os.environ.get("SPARK_UPDATE_GOLDEN") == "1"
# What three emulated nodes need at most until nothing changes any more.
WITHIN = 180
# So long a text that is recorded has stayed the same: the first of a fault, and the others.
SETTLED = (30, 4)

_VERSION = re.search(r"^project\(\S+ VERSION (\S+)", (FOLDER.parents[2] / "CMakeLists.txt").read_text("utf-8"), re.MULTILINE)[1]
# What differs from run to run: times, digests, the version of the program, and over which of the rails somebody was asked last.
_VARIES = (
    (re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"), "MOMENT"),
    (re.compile(r"(< )?\b\d+ (ms|s|min|h)\b"), "TIME"),
    (re.compile(r"connect to \S+, port (\d+), over \S+:"), r"connect to ADDRESS, port \1, over LINK:"),
    (re.compile(r"\(and \d+ that follows?\)"), "(and N that follow)"),
    (re.compile(r"spark-reconcile\[\d+\]"), "spark-reconcile[PID]"),
    (re.compile(rf"(?<![\d.]){re.escape(_VERSION)}(?![\d.])"), "VERSION"),
)
_DIGEST = re.compile(r"\b(?=[0-9a-f]*\d)[0-9a-f]{7,64}\b")


def comparable(text: str) -> str:
    """Without what differs from run to run. Digests are numbered as they come; columns are as wide as their times."""
    for pattern, name in _VARIES:
        text = pattern.sub(name, text)
    numbers: dict[str, int] = {}

    def numbered(match: re.Match) -> str:
        return f"DIGEST{numbers.setdefault(match[0][:7], len(numbers) + 1)}"

    text = _DIGEST.sub(numbered, text)
    return "\n".join(re.sub(r"(?<=\S) {2,}", "  ", line.rstrip()) for line in text.strip().splitlines()) + "\n"


def what_is_wrong(text: str) -> str:
    """Of `doctor`: all but the lines of what is well, and the sections that have no other."""
    lines = [line for line in text.splitlines() if not line.startswith("  ✓")]
    kept = [line for at, line in enumerate(lines) if line.startswith(" ") or not lines[at + 1 :] or
            lines[at + 1].startswith(" ")]  # fmt: skip
    return "\n".join(kept) + "\n"


class Said:
    """All that is said of one fault."""

    def __init__(self, fault: str) -> None:
        self._file = FOLDER / f"{fault.replace(' ', '_')}.txt"
        self._expected: dict[str, str] = {}
        self._within = WITHIN
        if self._file.exists() and not UPDATES:
            for section in re.split(r"(?m)^# ", self._file.read_text())[1:]:
                title, _, text = section.partition("\n")
                self._expected[title] = text.strip() + "\n"

    def differs(self, title: str, ask: Callable[[], str]) -> str:
        """Waits until what is asked is, and stays, what was recorded under this title; the difference if that never comes.
        After the first difference of a fault the others are not waited for."""
        if UPDATES:
            self._record(title, ask)
            return ""
        expected = self._expected.get(title)
        if expected is None:
            return f"{self._file.name} has nothing of '{title}'"
        began = time.monotonic()
        since = None
        while True:
            now = comparable(ask())
            at = time.monotonic()
            since = (since or at) if now == expected else None
            if since is not None and at - since >= SETTLED[1]:
                return ""
            if since is None and at - began > self._within:
                break
            time.sleep(1)
        self._within = 0
        lines = difflib.unified_diff(expected.splitlines(), now.splitlines(), self._file.name, title, lineterm="")
        return "\n".join(lines)

    def _record(self, title: str, ask: Callable[[], str]) -> None:
        began = since = time.monotonic()
        settled = SETTLED[len(self._expected) > 0]
        text = comparable(ask())
        while time.monotonic() - since < settled and time.monotonic() - began < WITHIN:
            time.sleep(1)
            now = comparable(ask())
            since = since if now == text else time.monotonic()
            text = now
        self._expected[title] = text
        FOLDER.mkdir(exist_ok=True)
        self._file.write_text("\n".join(f"# {each}\n{said}" for each, said in self._expected.items()))
