"""Which case ran when, on what, and how it ended: the table of the tree, and the page that shows it."""

from __future__ import annotations

import argparse
import ast
import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import yaml

TABLE = "tests/lab/ran.yaml"
PAGE = "docs/dev/lab.md"
NEVER = "never"
UNKNOWN = "unknown"  # digest of a controller/ that no commit has

HEAD = """\
# The last run of each case on each kind of virtual Spark. tests/lab/run writes its lines, and tests/lab/ran checks them.
"""
BEGIN = f"""# Cases of the lab, and their last runs

<!-- Made from {TABLE}: `tests/lab/ran --write` writes it again. -->

[`tests/lab/run`](../../tests/lab/README.md) notes each case that it ran. *Not run on this tree*: `controller/` is another
than the one whose digest stands there.

| case | virtual Spark | result | minutes |
|---|---|---|---|
"""


# Digests -------------------------------------------------------------------------------------------

def cases(root: Path) -> dict[str, str]:
    """Each case with the digest of its source: of its function, and of what it uses of its own file."""
    found = {}
    for path in sorted((root / "tests/lab/cases").glob("*.py")):
        text = path.read_text(encoding="utf-8")
        top = [node for node in ast.parse(text).body if not isinstance(node, (ast.Import, ast.ImportFrom))]
        defined = {name: node for node in top for name in _defines(node)}
        for node in top:
            if isinstance(node, ast.FunctionDef) and any(_is_case(mark) for mark in node.decorator_list):
                used = sorted(_uses(node, defined), key=lambda each: each.lineno)
                source = "\n".join(ast.get_source_segment(text, each) for each in used)
                found[node.name] = hashlib.sha256(source.encode()).hexdigest()[:12]
    return found


def _is_case(mark: ast.expr) -> bool:
    return isinstance(mark, ast.Call) and isinstance(mark.func, ast.Name) and mark.func.id == "case"


def _defines(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        yield node.name
    elif isinstance(node, (ast.Assign, ast.AnnAssign)):
        yield from (each.id for each in ast.walk(node) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store))


def _uses(node: ast.stmt, defined: dict[str, ast.stmt]) -> set[ast.stmt]:
    """It, and all that it needs of what its file defines."""
    used, left = set(), [node]
    while left:
        one = left.pop()
        if one not in used:
            used.add(one)
            left += [defined[each.id] for each in ast.walk(one) if isinstance(each, ast.Name) and each.id in defined]
    return used


def tree(folder: Path) -> bytes:
    """What git calls the folder, also where there is no git or something is not committed."""
    listed = b""
    for path in sorted(folder.iterdir(), key=lambda path: path.name + "/" * path.is_dir()):
        if path.is_dir():
            mode, name = b"40000", tree(path)
        else:
            mode, name = b"100755" if os.access(path, os.X_OK) else b"100644", _object(b"blob", path.read_bytes())
        listed += mode + b" " + path.name.encode() + b"\0" + name
    return _object(b"tree", listed)


def _object(kind: bytes, data: bytes) -> bytes:
    return hashlib.sha1(b"%s %d\0%s" % (kind, len(data), data)).digest()


def controller(root: Path) -> str:
    """The digest of controller/ as it is now."""
    return tree(root / "controller").hex()[:12]


def controller_of(root: Path, commit: str) -> str:
    """The digest of controller/ as that commit has it."""
    named = _git(root, "rev-parse", f"{commit}:controller")
    return named[:12] if commit and named else UNKNOWN


def _git(root: Path, *command: str) -> str:
    if not (root / ".git").exists():
        return ""
    done = subprocess.run(["git", "-C", root, *command], capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else ""


# The table -----------------------------------------------------------------------------------------

def read(root: Path) -> list[dict]:
    return yaml.safe_load((root / TABLE).read_text(encoding="utf-8")) or []


def _place(row: dict) -> tuple[str, ...]:
    return tuple(row.get(key, "") for key in ("case", "machine", "suite"))


def _line(row: dict) -> str:
    # What is quoted would be a number to YAML, if it happens to have no letter but an e.
    quoted = ("kernel", "controller", "source")
    pairs = (f"{key}: {json.dumps(value) if key in quoted else value}" for key, value in row.items())
    return f"- {{{', '.join(pairs)}}}\n"


def write(root: Path, rows: list[dict]) -> None:
    """The table, and the page with it."""
    rows = sorted(rows, key=_place)
    (root / TABLE).write_text(HEAD + "".join(map(_line, rows)), encoding="utf-8")
    (root / PAGE).write_text(page_of(root, rows), encoding="utf-8")


def note(root: Path, row: dict) -> None:
    """A case ran: this is its line from now on."""
    def replaced(old: dict) -> bool:
        return _place(old) == _place(row) or (old["case"] == row["case"] and old["result"] == NEVER)

    others = [old for old in read(root) if not replaced(old)]
    write(root, [*others, row])


def page_of(root: Path, rows: list[dict]) -> str:
    now = controller(root)
    text = BEGIN
    for row in sorted(rows, key=_place):
        if row["result"] == NEVER:
            text += f"| `{row['case']}` | – | *never run since the table exists* | – |\n"
            continue
        here = row["controller"] == now
        result = row["result"] if here else f"*not run on this tree*; {row['result']} on `{row['controller']}`"
        text += f"| `{row['case']}` | {row['machine']}, {row['suite']}, {row['kernel']} | {result} | {row['minutes']} |\n"
    return text


# The check -----------------------------------------------------------------------------------------

def faults(root: Path) -> Iterator[str]:
    rows, sources = read(root), cases(root)
    allowed = _never_at_first(root)
    seen = set()
    for row in rows:
        name = row["case"]
        run = f"`tests/lab/run {name}` notes a run"
        if _place(row) in seen:
            yield f"{name}: has two lines for one kind of virtual Spark"
        elif name not in sources:
            yield f"{name}: there is no such case: remove its line"
        elif row["result"] == NEVER and allowed is not None and name not in allowed:
            yield f"{name}: is newer than the table, and never ran: {run}"
        elif row["source"] != sources[name]:
            on = f" --machine {row['machine']} --suite {row['suite']}" if "machine" in row else ""
            yield f"{name}: its source changed since it ran: `tests/lab/run{on} {name}` notes a run"
        seen.add(_place(row))
    named = {row["case"] for row in rows}
    yield from (f"{name}: never ran: `tests/lab/run {name}` notes a run" for name in sources if name not in named)
    if not (root / PAGE).is_file() or (root / PAGE).read_text(encoding="utf-8") != page_of(root, rows):
        yield f"{PAGE} is not what {TABLE} and controller/ give: `tests/lab/ran --write` writes it"


def _never_at_first(root: Path) -> set[str] | None:
    """Cases that are older than the table; None where no history says so."""
    added = _git(root, "log", "--diff-filter=A", "--format=%H", "--", TABLE).split()
    if not added:
        return None
    return {row["case"] for row in yaml.safe_load(_git(root, "show", f"{added[-1]}:{TABLE}")) if row["result"] == NEVER}


def main() -> int:
    parser = argparse.ArgumentParser(prog="tests/lab/ran", description=f"Checks {TABLE} and the page that it gives.")
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parents[3])
    parser.add_argument("--write", action="store_true", help=f"write {PAGE}")
    wanted = parser.parse_args()
    if wanted.write:
        write(wanted.root, read(wanted.root))
    wrong = list(faults(wanted.root))
    for fault in wrong:
        print(f"{TABLE}: {fault}", file=sys.stderr)
    if not wrong:
        print(f"lab: {len(cases(wanted.root))} cases; each has a run of its present source, or is older than the table")
    return 1 if wrong else 0
