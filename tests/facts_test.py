#!/usr/bin/env python3
"""Proves that tests/facts fails on each fault that it looks for, and only then."""

import json
import pathlib
import sys
import unittest

sys.dont_write_bytecode = True  # no __pycache__ beside the scripts

from answers_case import AnswersCase  # noqa: E402

SCRIPT = pathlib.Path(__file__).resolve().parent / "facts"
LAST = 185

FIRST = """- number: 1
  area: The card
  fact: Half of a cable is idle
  does: checked
  by: { key: [fabric.mtu, nodes.links.up], gate: [mtu], doctor: [subnet], id: [SR-SPEC-103], verb: [export docker-args, gate --checklist] }
  page: [docs/page.md#half-of-it]
  test: [Suite.FindsIt, a_case_of_the_lab, a_breakage, tests/golden/half.txt]

- number: 2
  area: The rest
  fact: It is slow
  does: not done
  reason: Nothing measures it
"""


def filler(number: int) -> str:
    return f"\n- number: {number}\n  area: The rest\n  fact: Fact {number}\n  does: told\n  page: [docs/page.md#half-of-it]\n  reason: Told only\n"


LIST = FIRST + "".join(filler(number) for number in range(3, LAST + 1))

MAP = {"type": "object"}
SCHEMA = {
    "properties": {
        "fabric": {"$ref": "#/definitions/fabric"},
        "nodes": MAP | {"additionalProperties": {"properties": {"links": {"patternProperties": {"^": {"properties": {"up": {}}}}}}}},
    },
    "definitions": {"fabric": {"oneOf": [{"properties": {"mtu": {}}}]}},
}

FILES = {
    "tests/facts.yaml": LIST,
    "tests/suite_test.cpp": "TEST(Suite, FindsIt) {}\n",
    "tests/golden/half.txt": "error [SR-SPEC-103]\n",
    "tests/golden/other.txt": "error [SR-SPEC-104]\n",
    "tests/lab/cases/one.py": "@case(ci=True)\ndef a_case_of_the_lab(lab):\n    pass\n",
    "tests/doctor/breakages.py": '@breaks(("subnet", "both"), text=A + B)\ndef a_breakage(machine):\n    pass\n',
    "docs/page.md": "# A page\n\n## Half of it\n",
    "docs/dev/README.md": "# For developers\n",
    "docs/reference/messages.md": "| SR-SPEC-103 | one subnet |\n",
    "docs/reference/errors.md": "## SR-LINK-001: no device\n",
    "docs/reference/alerts.md": "## SR-ALERT-001: SparkNodeNotReady\n",
    "docs/explain/gate.md": "| SR-GATE-002 | mtu |\n",
    "docs/reference/verbs.md": "## export\n\ndocker-args\n\n## gate\n\n`--checklist`\n",
    "schema/cluster.schema.json": json.dumps(SCHEMA),
    "controller/cli/doctor/doctor.cpp": 'CheckRow{"subnet", Section::kNetwork};\n',
}


class Facts(AnswersCase):
    SCRIPT = SCRIPT
    FILES = FILES
    LIST_FILE = "tests/facts.yaml"
    PAGE = "docs/dev/facts.md"

    def test_a_whole_list_passes_and_is_the_page(self) -> None:
        self.assertEqual(self.check(), "")
        text = self.page.read_text(encoding="utf-8")
        self.assertIn(
            "| 1 | Half of a cable is idle | checked | `fabric.mtu`, `nodes.links.up`, gate: mtu, doctor: subnet, SR-SPEC-103, "
            "`spark-reconcile export docker-args`, `spark-reconcile gate --checklist` | [page: Half of it](../page.md#half-of-it)"
            " | `Suite.FindsIt`, `a_case_of_the_lab`, `a_breakage`, `tests/golden/half.txt` |\n",
            text,
        )
        self.assertIn("| 2 | It is slow | not done | – | – | Nothing measures it |\n", text)
        self.assertIn("| checked | 1 |", text)
        self.assertIn(f"| told | {LAST - 2} |", text)
        self.assertIn("1. [The card](#the-card)\n2. [The rest](#the-rest)\n\n## The card\n", text)

    def test_who_is_not_there(self) -> None:
        for name, other, fault in (
            ("fabric.mtu", "fabric.mtus", "schema/cluster.schema.json has no key 'fabric.mtus'"),
            ("nodes.links.up", "links.up", "schema/cluster.schema.json has no key 'links.up'"),
            ("gate: [mtu]", "gate: [mtus]", "the gate has no fact 'mtus'"),
            ("doctor: [subnet]", "doctor: [subnets]", "doctor has no row 'subnets'"),
            ("SR-SPEC-103]", "SR-SPEC-103, SR-SPEC-104]", "no page of ids has 'SR-SPEC-104'"),
            ("export docker-args", "exports docker-args", "docs/reference/verbs.md has no 'exports docker-args'"),
            ("export docker-args", "export docker", "docs/reference/verbs.md has no 'export docker'"),
            ("gate --checklist", "gate --check", "docs/reference/verbs.md has no 'gate --check'"),
        ):
            self.assertEqual(self.check(name, other), f"tests/facts.yaml: fact 1: {fault}\n")

    def test_a_page_or_a_test_that_is_not_there(self) -> None:
        self.assertIn("fact 1: there is no page 'docs/pages.md'", self.check("docs/page.md#", "docs/pages.md#"))
        self.assertIn("fact 1: no heading of docs/page.md makes '#half'", self.check("#half-of-it", "#half"))
        for name in ("Suite.Other", "tests/suite_test.cpp", "another_breakage"):
            self.assertIn(f"fact 1: there is no test '{name}'", self.check("Suite.FindsIt", name))
        self.assertIn("'tests/golden/other.txt' shows no id of this entry", self.check("golden/half", "golden/other"))

    def test_a_fact_of_which_something_is_missing(self) -> None:
        self.assertIn("fact 2: is not done, and has no reason why", self.check("  reason: Nothing measures it\n", "  test: [a_breakage]\n"))
        self.assertIn("fact 2: has no test, and no reason why", self.check("  reason: Nothing measures it\n", ""))
        self.assertIn("fact 2: is held, and names nobody who does it", self.check("does: not done", "does: held"))
        self.assertIn("fact 2: is refused, and names neither who does it nor a page", self.check("does: not done", "does: refused"))
        self.assertIn("'does' is 'kept', and none of held", self.check("does: not done", "does: kept"))

    def test_a_list_that_is_not_whole(self) -> None:
        self.assertEqual(self.check(filler(LAST), ""), f"tests/facts.yaml: ends with fact {LAST - 1}, and {LAST} is the last\n")
        self.assertIn("the numbers count from 1, and 3 comes here", self.check("number: 3\n", "number: 4\n"))
        self.assertIn("the area 'The rest' stands in two places", self.check("number: 3\n  area: The rest", "number: 3\n  area: The card"))

    def test_an_entry_of_another_shape(self) -> None:
        self.assertIn("has no use for 'tests'", self.check("  reason:", "  tests: []\n  reason:"))
        self.assertIn("'by' has no use for 'row'", self.check("doctor: [subnet]", "row: [subnet]"))
        self.assertIn("'by' is no map", self.check("  reason:", "  by: [gate]\n  reason:"))
        self.assertIn("'gate' is no list of names", self.check("gate: [mtu]", "gate: mtu"))
        self.assertIn("'fact' is no text", self.check("  fact: It is slow\n", ""))
        self.assertIn("'reason' is no text", self.check("Nothing measures it", "one | two"))
        self.assertIn("is no list of facts", self.check(LIST, "a: b\n"))

    def test_a_page_that_was_not_written_again(self) -> None:
        self.finds_that_the_page_was_not_written_again()


if __name__ == "__main__":
    unittest.main()
