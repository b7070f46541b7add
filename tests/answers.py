"""What tests/problems and tests/facts share: lists of entries whose answers have to exist, and the page of each list.

An entry names pages with their heading, tests (of GoogleTest or CTest, cases of the lab, breakages of tests/doctor, files of
tests/golden that show one of the entry's ids), rows of `doctor` and ids of messages.
"""

import argparse
import importlib.machinery
import os
import pathlib
import re
import sys
import types
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import yaml

HERE = pathlib.Path(__file__).resolve().parent
GATE = "docs/explain/gate.md"
ID_PAGES = ("docs/reference/messages.md", "docs/reference/errors.md", "docs/reference/alerts.md", GATE)

sys.dont_write_bytecode = True  # no __pycache__ beside the scripts


class List(NamedTuple):
    """A list of entries that a script checks, and the page that it makes of it."""

    file: str
    page: str
    script: str
    noun: str
    texts: tuple[str, ...]  # keys that each entry has, with a text
    names: tuple[str, ...]  # keys with a list of names
    keys: tuple[str, ...]


def load(name: str) -> types.ModuleType:
    """A script of this folder as a module."""
    loader = importlib.machinery.SourceFileLoader(name, str(HERE / name))
    module = types.ModuleType(loader.name)
    module.__file__ = loader.path
    sys.modules[name] = module
    loader.exec_module(module)
    return module


# What may be named -----------------------------------------------------------------------------------

def known_rows(root: pathlib.Path) -> set[str]:
    """Names of the rows that doctor's sources make: of checks, of signs, and of findings."""
    text = "\n".join(path.read_text(encoding="utf-8") for path in sorted((root / "controller/cli/doctor").glob("*.cpp")))
    text = re.sub(r"//[^\n]*", "", text)
    rows = set(re.findall(r'(?:CheckRow|SignRow|ToldRow)\{"([^"]+)"', text))
    rows.update(re.findall(r'not_applicable\(\s*"([^"]+)"', text))
    rows.update(re.findall(r'\{\s*"([^"]+)",\s*(?:Severity::k\w+|[\w.]+ \? Severity::k\w+)', text))
    constants = dict(re.findall(r'constexpr const char\* (k\w+) = "([^"]+)";', text))
    rows.update(constants[name] for name in re.findall(r"\{\s*(k\w+),\s*Severity::", text) if name in constants)
    return rows


def breakages(root: pathlib.Path) -> set[str]:
    """What tests/doctor/run breaks for doctor to find."""
    path = root / "tests/doctor/breakages.py"
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    return set(re.findall(r"^@breaks\([^\n]*\)\ndef (\w+)\(", text, re.MULTILINE))


class Known:
    """What an entry may name."""

    def __init__(self, root: pathlib.Path, docs: types.ModuleType) -> None:
        self.root = root
        self.docs = docs
        self.rows = known_rows(root)
        texts = [(root / page).read_text(encoding="utf-8") for page in ID_PAGES]
        self.ids = {found for text in texts for found in re.findall(r"\bSR-[A-Z]+-\d{3}\b", text)}
        self.tests = docs.known_tests(root) | breakages(root)
        self.pages: dict[str, set[str]] = {}

    def fault_of(self, key: str, name: str, ids: list[str]) -> str:
        if key == "doctor":
            return "" if name in self.rows else f"doctor has no row '{name}'"
        if key == "id":
            return "" if name in self.ids else f"no page of ids has '{name}'"
        return self.fault_of_page(name) if key == "page" else self.fault_of_test(name, ids)

    def fault_of_page(self, name: str) -> str:
        page, _, anchor = name.partition("#")
        if not page.startswith("docs/") or not (self.root / page).is_file():
            return f"there is no page '{page}'"
        if page not in self.pages:
            self.pages[page] = self.docs.Page(self.root, page).anchors()
        if not anchor:
            return f"'{page}' without the heading to read"
        return "" if anchor in self.pages[page] else f"no heading of {page} makes '#{anchor}'"

    def fault_of_test(self, name: str, ids: list[str]) -> str:
        is_file = name.startswith("tests/golden/") and (self.root / name).is_file()
        if is_file:
            text = (self.root / name).read_text(encoding="utf-8")
            return "" if any(each in text for each in ids) else f"'{name}' shows no id of this entry"
        # A pattern names no test, and a file is none.
        if "*" in name or "/" in name or not self.docs.exists(name, self.tests):
            return f"there is no test '{name}'"
        return ""


# Entries -------------------------------------------------------------------------------------------

def faults_of_names(entry: dict, keys: Iterable[str]) -> Iterator[str]:
    for key in keys:
        names = entry.get(key, [])
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            yield f"'{key}' is no list of names"
        elif len(set(names)) != len(names):
            yield f"'{key}' has a name twice"


def faults_of_shape(entry: object, of: List) -> Iterator[str]:
    if not isinstance(entry, dict):
        yield "is no map"
        return
    yield from (f"has no use for '{key}'" for key in entry if key not in of.keys)
    if not isinstance(entry.get("number"), int):
        yield "has no number"
    for key in (*of.texts, "reason"):
        text = entry.get(key, "" if key == "reason" else None)
        if not isinstance(text, str) or "|" in text or "\n" in text.strip():
            yield f"'{key}' is no text of one paragraph without '|'"
    yield from faults_of_names(entry, of.names)


def check_entries(entries: object, of: List, shape_of: Callable[[object], Iterable[str]],
                  faults_of: Callable[[dict], Iterable[str]]) -> Iterator[str]:
    """Each fault with the entry that has it. The numbers count from 1."""
    if not isinstance(entries, list) or not entries:
        yield f"{of.file}: is no list of {of.noun}s"
        return
    for place, entry in enumerate(entries, 1):
        name = f"{of.file}: {of.noun} {entry.get('number', '?') if isinstance(entry, dict) else '?'}"
        shape = list(shape_of(entry))
        if not shape and entry["number"] != place:
            shape = [f"the numbers count from 1, and {place} comes here"]
        for wrong in shape or faults_of(entry):
            yield f"{name}: {wrong}"


# The page ------------------------------------------------------------------------------------------

def link_to(page: str, titles: dict[str, str], of: List) -> str:
    return f"[{titles[page]}]({os.path.relpath(page, pathlib.PurePath(of.page).parent)})"


def titles_of(entries: list[dict], root: pathlib.Path, docs: types.ModuleType) -> dict[str, str]:
    """The heading of each page that is named, without what a link may not hold."""
    titles = {}
    for name in {each for entry in entries for each in entry.get("page", [])}:
        page, _, anchor = name.partition("#")
        headings = [text for _, _, text in docs.Page(root, page).headings() if docs.slug(text) == anchor]
        text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", headings[0] if headings else anchor)
        titles[name] = f"{pathlib.PurePath(page).stem}: {text}"
    return titles


# The script ----------------------------------------------------------------------------------------

Check = Callable[[object, Known], Iterable[str]]
Page = Callable[[list[dict], pathlib.Path, types.ModuleType], str]


def run(of: List, known_of: type[Known], check: Check, page_of: Page) -> int:
    """What the script of a list does: it checks the list, and compares its page or writes it."""
    parser = argparse.ArgumentParser(description=f"Checks {of.file} and the page that it gives.")
    parser.add_argument("--root", type=pathlib.Path, default=HERE.parent)
    parser.add_argument("--write", action="store_true", help=f"write {of.page}")
    arguments = parser.parse_args()
    root = arguments.root.resolve()
    docs = load("docs")
    entries = yaml.safe_load((root / of.file).read_text(encoding="utf-8"))
    faults = list(check(entries, known_of(root, docs)))
    if not faults:
        page = page_of(entries, root, docs)
        if arguments.write:
            (root / of.page).write_text(page, encoding="utf-8")
        elif not (root / of.page).is_file() or (root / of.page).read_text(encoding="utf-8") != page:
            faults.append(f"{of.page}: is not what {of.file} gives: `{of.script} --write` writes it")
    for fault in faults:
        print(fault, file=sys.stderr)
    if faults:
        return 1
    print(f"{of.noun}s: {len(entries)}; the rows, ids, pages and tests that answer them are there")
    return 0
