#!/usr/bin/env python3
"""Proves that tests/lab/ran fails on each fault that it looks for, and only then."""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

LAB = pathlib.Path(__file__).resolve().parent
sys.dont_write_bytecode = True  # no __pycache__ beside the scripts
sys.path.insert(0, str(LAB))
from harness import ran  # noqa: E402

CASES = """from harness.runner import case

LIMIT = 3
OTHER = 4


def helper() -> int:
    return LIMIT


@case(ci="amd64")
def it_holds(lab) -> None:
    assert helper() == 3


@case(deadline=900)
def it_is_new(lab) -> None:
    assert OTHER == 4
"""
AMD64 = {"machine": "amd64", "suite": "bookworm", "kernel": "6.1.0-1-amd64"}
ROW = {"case": "it_holds", **AMD64, "result": "passed", "minutes": 1.5}


class Ran(unittest.TestCase):
    def setUp(self) -> None:
        self.root = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.root)
        for name, text in (("tests/lab/cases/some.py", CASES), ("controller/a.cpp", "1"), (ran.TABLE, ""), (ran.PAGE, "")):
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / name).write_text(text)
        for name in ("it_holds", "it_is_new"):
            self.note(case=name)

    def note(self, **changed: object) -> None:
        row = ROW | {"controller": ran.controller(self.root)} | changed
        ran.note(self.root, row | {"source": ran.cases(self.root)[row["case"]]})

    def edit(self, name: str, old: str, new: str) -> None:
        file = self.root / name
        assert old in file.read_text(), old
        file.write_text(file.read_text().replace(old, new))

    def check(self) -> tuple[int, str]:
        words = [sys.executable, LAB / "ran", "--root", self.root]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        return done.returncode, done.stderr

    def refused(self, *texts: str) -> None:
        code, said = self.check()
        self.assertEqual(code, 1)
        for text in texts:
            self.assertIn(text, said)

    def git(self, *words: str) -> None:
        subprocess.run(["git", "-C", self.root, "-c", "user.name=a", "-c", "user.email=a@example.org", *words], check=True)

    def never(self, name: str) -> None:
        rows = [row for row in ran.read(self.root) if row["case"] != name]
        ran.write(self.root, [*rows, {"case": name, "result": ran.NEVER, "source": ran.cases(self.root)[name]}])

    def test_cases_that_ran_are_right(self) -> None:
        self.assertEqual(self.check(), (0, ""))

    def test_a_case_without_a_line_is_refused(self) -> None:
        self.edit("tests/lab/cases/some.py", "def it_is_new", "def it_is_newer")
        self.refused("it_is_newer: never ran", "it_is_new: there is no such case")

    def test_a_changed_source_is_refused_with_the_command(self) -> None:
        self.note(case="it_holds", machine="arm64", suite="trixie")
        self.edit("tests/lab/cases/some.py", "helper() == 3", "helper() < 4")
        self.refused("--machine amd64 --suite bookworm it_holds", "--machine arm64 --suite trixie it_holds")

    def test_what_a_case_uses_of_its_file_is_part_of_its_source(self) -> None:
        self.edit("tests/lab/cases/some.py", "LIMIT = 3", "LIMIT = 2 + 1")
        code, said = self.check()
        self.assertEqual((code, "it_holds" in said, "it_is_new" in said), (1, True, False))

    def test_a_deadline_is_not(self) -> None:
        self.edit("tests/lab/cases/some.py", "deadline=900", "deadline=90")
        self.assertEqual(self.check(), (0, ""))

    def test_a_run_after_the_change_is_right(self) -> None:
        self.edit("tests/lab/cases/some.py", "OTHER = 4", "OTHER = 2 + 2")
        self.note(case="it_is_new", result="failed")
        self.assertEqual(self.check(), (0, ""))

    def test_another_controller_is_marked_and_left_out_nowhere(self) -> None:
        self.edit("controller/a.cpp", "1", "2")
        self.refused(f"{ran.PAGE} is not what")
        ran.write(self.root, ran.read(self.root))
        self.assertEqual(self.check(), (0, ""))
        self.assertEqual((self.root / ran.PAGE).read_text().count("*not run on this tree*; passed"), 2)

    def test_two_lines_of_one_kind_are_refused(self) -> None:
        ran.write(self.root, [*ran.read(self.root), ran.read(self.root)[0]])
        self.refused("two lines")

    def test_a_case_older_than_the_table_may_say_never_and_a_newer_one_may_not(self) -> None:
        self.never("it_holds")
        self.git("init", "--quiet")
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message=table")
        self.assertEqual(self.check(), (0, ""))
        self.never("it_is_new")
        self.refused("it_is_new: is newer than the table")

    def test_a_run_takes_the_place_of_never(self) -> None:
        self.never("it_holds")
        self.note()
        self.assertEqual([row["result"] for row in ran.read(self.root)], ["passed", "passed"])

    def test_the_digest_of_controller_is_git_s(self) -> None:
        (self.root / "controller/a").mkdir()
        (self.root / "controller/a/b.cpp").write_text("b")
        (self.root / "controller/a/run").write_text("c")
        (self.root / "controller/a/run").chmod(0o755)
        self.git("init", "--quiet")
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message=tree")
        self.assertEqual(ran.controller(self.root), ran.controller_of(self.root, "HEAD"))
        self.assertEqual(ran.controller_of(self.root, "abcdef012345"), ran.UNKNOWN)

    def test_a_digest_that_looks_like_a_number_stays_a_text(self) -> None:
        self.note(controller="12e456789012")
        self.assertIn("12e456789012", [row["controller"] for row in ran.read(self.root)])


if __name__ == "__main__":
    unittest.main()
