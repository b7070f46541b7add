#!/usr/bin/env python3
"""Proves that tests/problems fails on each fault that it looks for, and only then."""

import pathlib
import sys
import unittest

sys.dont_write_bytecode = True  # no __pycache__ beside the scripts

from answers_case import AnswersCase  # noqa: E402

SCRIPT = pathlib.Path(__file__).resolve().parent / "problems"

LIST = """- number: 1
  problem: Half of a cable is idle
  doctor: [subnet, heat, rails, gate]
  id: [SR-SPEC-103]
  page: [docs/page.md#half-of-it]
  test: [Suite.FindsIt, a_case_of_the_lab, tests/golden/half.txt]

- number: 2
  problem: It is slow
  reason: Nothing measures it
"""

FILES = {
    "tests/problems.yaml": LIST,
    "tests/suite_test.cpp": "TEST(Suite, FindsIt) {}\nTEST(Suite, DISABLED_Other) {}\n",
    "tests/golden/half.txt": "error [SR-SPEC-103]\n",
    "tests/golden/other.txt": "error [SR-SPEC-104]\n",
    "tests/lab/cases/one.py": "@case(ci=True)\ndef a_case_of_the_lab(lab):\n    pass\n",
    "docs/page.md": "# A page\n\n## Half of [it](#there)\n\n<a id=\"there\"></a>\n",
    "docs/dev/README.md": "# For developers\n",
    "docs/reference/messages.md": "| SR-SPEC-103 | one subnet |\n",
    "docs/reference/errors.md": "## SR-LINK-001: no device\n",
    "docs/reference/alerts.md": "## SR-ALERT-001: SparkNodeNotReady\n",
    "docs/explain/gate.md": "| SR-GATE-002 | mtu |\n",
    "controller/cli/doctor/doctor.cpp": 'CheckRow{"network", Section::kNetwork}; SignRow{"heat", kModule};\n// {"comment", Severity::kLook}\n',
    "controller/cli/doctor/a_check.cpp": 'constexpr const char* kAbsent = "rails";\nreturn {\n    {"subnet", Severity::kLook, text("page", x)},\n'
    '    {"gate", node ? Severity::kGood : Severity::kLook}, Finding{kAbsent, Severity::kPrevents}};\n',
}


class Problems(AnswersCase):
    SCRIPT = SCRIPT
    FILES = FILES
    LIST_FILE = "tests/problems.yaml"
    PAGE = "docs/dev/problems.md"

    def test_a_whole_list_passes_and_is_the_page(self) -> None:
        self.assertEqual(self.check(), "")
        self.assertIn(
            "| 1 | Half of a cable is idle | `subnet`, `heat`, `rails`, `gate` | SR-SPEC-103 | [page: Half of it](../page.md#half-of-it)"
            " | `Suite.FindsIt`, `a_case_of_the_lab`, `tests/golden/half.txt` |\n",
            self.page.read_text(encoding="utf-8"),
        )
        self.assertIn("| 2 | It is slow | Nothing measures it | – | – | – |\n", self.page.read_text(encoding="utf-8"))

    def test_a_row_of_doctor_that_is_not_there(self) -> None:
        for name in ("other", "comment", "page"):
            self.assertEqual(self.check("[subnet,", f"[{name},"), f"tests/problems.yaml: problem 1: doctor has no row '{name}'\n")
        self.assertIn("no row 'subnet'", self.check('"subnet"', '"subnets"', "controller/cli/doctor/a_check.cpp"))

    def test_an_id_that_is_not_there(self) -> None:
        self.assertIn("problem 1: no page of ids has 'SR-SPEC-999'", self.check("[SR-SPEC-103]", "[SR-SPEC-103, SR-SPEC-999]"))

    def test_a_page_or_a_heading_that_is_not_there(self) -> None:
        self.assertIn("there is no page 'docs/pages.md'", self.check("docs/page.md#", "docs/pages.md#"))
        self.assertIn("there is no page 'tests/problems.yaml'", self.check("docs/page.md#half-of-it", "tests/problems.yaml#it"))
        self.assertIn("no heading of docs/page.md makes '#half'", self.check("#half-of-it", "#half"))
        self.assertIn("'docs/page.md' without the heading to read", self.check("#half-of-it", ""))

    def test_a_test_that_is_not_there(self) -> None:
        for name in ("Suite.Other", "Suite.DISABLED_Other", "tests/suite_test.cpp", "'Suite.*'", "tests/golden/gone.txt"):
            name_alone = name.strip("'")
            self.assertEqual(self.check("Suite.FindsIt", name), f"tests/problems.yaml: problem 1: there is no test '{name_alone}'\n")
        self.assertIn("'tests/golden/other.txt' shows no id of this entry", self.check("golden/half", "golden/other"))

    def test_a_problem_without_an_answer(self) -> None:
        self.assertIn("problem 2: has no row of doctor, and no reason why", self.check("  reason: Nothing measures it\n", ""))
        self.assertIn("problem 1: has no row of doctor, and no reason why", self.check("  doctor: [subnet, heat, rails, gate]\n", ""))
        self.assertIn("problem 1: has no page", self.check("  page: [docs/page.md#half-of-it]\n", ""))
        self.assertIn("problem 1: has no test", self.check("  test: [Suite.FindsIt, a_case_of_the_lab, tests/golden/half.txt]\n", ""))

    def test_an_entry_of_another_shape(self) -> None:
        self.assertIn("the numbers count from 1, and 2 comes here", self.check("number: 2", "number: 3"))
        self.assertIn("has no use for 'tests'", self.check("  reason:", "  tests: []\n  reason:"))
        self.assertIn("'doctor' is no list of names", self.check("  reason:", "  doctor: gate\n  reason:"))
        self.assertIn("'id' has a name twice", self.check("[SR-SPEC-103]", "[SR-SPEC-103, SR-SPEC-103]"))
        self.assertIn("'problem' is no text", self.check("  problem: It is slow\n", ""))
        self.assertIn("'reason' is no text", self.check("Nothing measures it", "one | two"))
        self.assertIn("is no list of problems", self.check(LIST, "a: b\n"))

    def test_a_page_that_was_not_written_again(self) -> None:
        self.finds_that_the_page_was_not_written_again()


if __name__ == "__main__":
    unittest.main()
