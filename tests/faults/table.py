"""What a case came to, and the table of all."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

# Shorter than a screen, however much goes wrong.
MOST_PROBLEMS = 40


@dataclass
class Row:
    fault: str
    where: str
    outcomes: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)

    def add(self, case: str, outcome: str, problems: list[str]) -> None:
        self.outcomes["WRONG" if problems else outcome] += 1
        self.problems += [f"{self.fault}, {self.where}, {case}: {problem}" for problem in problems]

    @property
    def cases(self) -> int:
        return sum(self.outcomes.values())

    @property
    def outcome(self) -> str:
        return ", ".join(f"{name} {count}" for name, count in sorted(self.outcomes.items()))


def merged(rows: Iterable[Row]) -> list[Row]:
    """Rows of one fault at one place, in the order in which they first came."""
    found: dict[tuple[str, str], Row] = {}
    for row in rows:
        into = found.setdefault((row.fault, row.where), Row(row.fault, row.where))
        into.outcomes += row.outcomes
        into.problems += row.problems
    return list(found.values())


def text_of(rows: list[Row], markdown: bool) -> str:
    lines = [("fault", "injected where", "outcome", "cases")]
    lines += [(row.fault, row.where, row.outcome, str(row.cases)) for row in rows]
    if markdown:
        lines.insert(1, ("---", "---", "---", "---:"))
        return "\n".join(f"| {' | '.join(line)} |" for line in lines)
    widths = [max(map(len, column)) for column in zip(*lines)]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip()
                     for line in lines)


def complaints(rows: list[Row]) -> list[str]:
    problems = [problem for row in rows for problem in row.problems]
    problems += [f"{row.fault}, {row.where}: no case at all" for row in rows if row.cases == 0]
    more = len(problems) - MOST_PROBLEMS
    return problems[:MOST_PROBLEMS] + ([f"and {more} more"] if more > 0 else [])
