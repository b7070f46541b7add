#!/usr/bin/env python3
"""Proves that tests/docs fails on each fault that it looks for, and only then."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

DOCS = pathlib.Path(__file__).resolve().parent / "docs"

README = """# A project

1. [First](#first)
2. [Read on](#read-on)

## First

- It never fails. <!-- test: Suite.NeverFails -->
- It never
  ends. <!-- test: Suite.Never*, hardening.a.service, it_never_ends -->

## Read on

[security](docs/dev/promises.md#the-daemon), [the test](tests/suite_test.cpp), [above](#first),
[elsewhere](https://example.org/nothing#there), `[no](link)`.

```md
[no](link) and | no | table
```
"""

SECURITY = """# Security

## What it never does

- It never stops. <!-- test: Suite.NeverFails -->

## The daemon

- It listens. (test: `Suite.NeverFails`,
  `kills.kills`)

## Input is bounded

| input | bound | test |
|---|---|---|
| a \\| b | 1 | `Suite.NeverFails` |

## What it does not follow

- Links. (test: `tests/suite_test.cpp`)

## What it never executes

- Nothing. (test: `Suite.NeverFails`)

## Promises that tests check

| promise | test |
|---|---|
| whole | `Suite.*` |
"""

FILES = {
    "README.md": README,
    "docs/dev/promises.md": SECURITY,
    "docs/howto/fleet.md": "# Engines\n\n## Collectors\n\n| verb | says |\n|---|---|\n| `plan` | what |\n\n## Controllers\n\n"
    "| verb | does |\n|---|---|\n| `apply` | it |\n\n## Verbs without a document\n\n| verb | role |\n|---|---|\n| `daemon` | controller |\n",
    "controller/cli/verbs/show_plan.cpp": 'extern const VerbSpec kPlanVerb{.name = "plan",\n    .alias = "diff"};\n',
    "controller/cli/verbs/apply.cpp": 'extern const VerbSpec kApplyVerb{\n    .name = "apply"};\n',
    "controller/cli/verbs/daemon.cpp": 'extern const VerbSpec kDaemonVerb{.name = "daemon"};\n',
    "CMakeLists.txt": "project(spark-reconcile VERSION 1.2.3 LANGUAGES CXX\n",
    "debian/changelog": "spark-reconcile (1.2.3) unstable\n\nspark-reconcile (1.2.2) unstable\n",
    "tests/guides.yaml": "- guide: A guide\n  steps:\n    first: \"`a`, b\"\n    second: \"`a`, b\"\n    last: c\n",
    "docs/dev/guides.md": "# Guides\n\n## A guide\n\n| the guide | here |\n|---|---|\n| `a`, b | x |\n| c | left out |\n",
    "docs/decisions/README.md": "- [0001](0001-a.md): A, in force\n",
    "docs/decisions/0001-a.md": "# 1. A\n",
    "tests/suite_test.cpp": "TEST(Suite, NeverFails) {}\nTEST_F(Suite,\n       NeverEnds) {}\n"
    "TEST(Suite, DISABLED_Other) {}\n// TEST(Suite, IsACommentAlone) {}\n",
    "tests/CMakeLists.txt": "add_test(NAME hardening.${service}\n  COMMAND true)\nadd_test(NAME ${target}.${shard} COMMAND true)\n"
    '  set(most 35)\n  if(service STREQUAL "a.service")\n    set(most 37)\n  elseif(service MATCHES "web|peers")\n    set(most 15)\n',
    "tests/lab/cases/one.py": "@case(ci=True)\ndef it_never_ends(lab):\n    helper()\n\n\ndef helper():\n    pass\n",
    "tests/faults/run": "tasks = kills.kills\n",
    "tests/faults/kills.py": "def kills():\n    pass\n\n\ndef unused():\n    pass\n",
}


class Docs(unittest.TestCase):
    def check(self, **changed: tuple[str, str]) -> str:
        """What tests/docs says about a project in which these pages have one text for another."""
        pages = {"readme": "README.md", "security": "docs/dev/promises.md", "index": "docs/decisions/README.md",
                 "fleet": "docs/howto/fleet.md", "verbs": "controller/cli/verbs/daemon.cpp",
                 "changelog": "debian/changelog", "guides": "docs/dev/guides.md"}  # fmt: skip
        with tempfile.TemporaryDirectory() as folder:
            for name, text in FILES.items():
                path = pathlib.Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            for page, (old, new) in changed.items():
                path = pathlib.Path(folder, pages[page])
                text = path.read_text(encoding="utf-8")
                self.assertIn(old, text)
                path.write_text(text.replace(old, new, 1), encoding="utf-8")
            done = subprocess.run([sys.executable, DOCS, "--root", folder], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1 if done.stderr else 0)
        return done.stderr

    def test_a_whole_project_passes(self) -> None:
        self.assertEqual(self.check(), "")

    def test_a_link_to_nothing(self) -> None:
        said = self.check(readme=("suite_test.cpp)", "suit_test.cpp)"))
        self.assertEqual(said, "README.md:14: link 'tests/suit_test.cpp': there is no such file\n")

    def test_a_link_out_of_the_project(self) -> None:
        self.assertIn("leads out of the project", self.check(readme=("(tests/suite_test.cpp)", "(../..)")))

    def test_an_anchor_of_no_heading(self) -> None:
        self.assertIn("no heading of docs/dev/promises.md makes '#the-demon'", self.check(readme=("#the-daemon", "#the-demon")))
        self.assertIn("no heading of README.md makes '#above'", self.check(readme=("[above](#first)", "[above](#above)")))

    def test_the_second_heading_of_one_text_has_a_number(self) -> None:
        self.assertEqual(self.check(readme=("## Read on", "## Read on\n\n[next](#read-on-1)\n\n### Read on")), "")

    def test_a_line_without_a_test(self) -> None:
        said = self.check(security=(" <!-- test: Suite.NeverFails -->", ""))
        self.assertEqual(said, "docs/dev/promises.md:5: names no test\n")
        self.assertIn("names no test", self.check(security=("| a \\| b | 1 | `Suite.NeverFails` |", "| a | 1 | some |")))

    def test_contents_that_lack_a_heading(self) -> None:
        self.assertEqual(self.check(readme=("2. [Read on](#read-on)\n", "")), "README.md:3: the contents have 1 headings of 2\n")
        self.assertEqual(self.check(readme=("1. [First](#first)\n", "1. [Read](#read-on)\n")),
                         "README.md:3: the contents have '#read-on' where '#first' comes\n")
        self.assertIn("README.md:4: the contents have", self.check(readme=("## Read on", "## Between\n\n## Read on")))

    def test_a_test_that_is_not_there(self) -> None:
        said = self.check(readme=("Suite.NeverFails", "Suite.EverFails"))
        self.assertEqual(said, "README.md:8: there is no test 'Suite.EverFails'\n")
        for name in ("Suite.DISABLED_Other", "Suite.IsACommentAlone", "helper", "kills.unused", "tests/other.cpp", "Other.*"):
            self.assertIn(f"there is no test '{name}'", self.check(security=("`kills.kills`", f"`{name}`")))

    def test_a_test_that_is_not_there_in_a_table(self) -> None:
        said = self.check(security=("`Suite.*`", "`Suit.*`"))
        self.assertEqual(said, "docs/dev/promises.md:30: there is no test 'Suit.*'\n")

    def test_a_list_of_promises_that_went_away(self) -> None:
        self.assertIn("no promise below 'What it never does'", self.check(security=("## What it never does", "## Never")))
        self.assertIn("no promise below 'The daemon'", self.check(security=("- It listens.", "It listens.")))

    def test_a_decision_that_is_not_in_the_list(self) -> None:
        said = self.check(index=("[0001](0001-a.md)", "0001"))
        self.assertEqual(said, "docs/decisions/README.md:1: 'docs/decisions/0001-a.md' is not in the list\n")

    def test_a_version_that_was_left_behind(self) -> None:
        said = self.check(changelog=("1.2.3", "1.3.0"), readme=("[elsewhere]", "`spark-reconcile_1.2.2_arm64.deb`, [elsewhere]"))
        self.assertIn("debian/changelog:1: names version 1.3.0, and this is 1.2.3", said)
        self.assertIn("README.md:15: names version 1.2.2, and this is 1.2.3", said)

    def test_an_exposure_that_no_test_allows(self) -> None:
        def said(text: str) -> str:
            return self.check(readme=("It never fails.", f"It never fails. `systemd-analyze security {text}"))

        for right in ("a` gives 3.7.", "other` gives\n  3.5.", "x-web` gives 1.5 at most.", "a` gives more than 3.7."):
            self.assertEqual(said(right), "", right)
        self.assertEqual(said("a` gives 3.5."), "README.md:8: says 3.5 of a, and its test allows 3.7\n")
        self.assertIn("says 3.7 of other, and its test allows 3.5", said("other` gives 3.7."))
        self.assertIn("name the service", self.check(readme=("It never fails.", "It never fails. `systemd-analyze security` gives 3.7.")))

    def test_a_step_of_a_guide_without_a_row(self) -> None:
        said = self.check(guides=("| c | left out |\n", "| d | left out |\n"))
        self.assertIn("tests/guides.yaml:1: A guide: 'last' has no row 'c'\n", said)
        self.assertIn("docs/dev/guides.md:8: no step of tests/guides.yaml is answered by 'd'\n", said)
        self.assertIn("has no heading 'A guide'", self.check(guides=("## A guide", "## Another")))

    def test_a_verb_without_a_role(self) -> None:
        said = self.check(verbs=("extern", 'extern const VerbSpec kWaitVerb{.name = "wait"};\nextern'))
        self.assertEqual(said, "docs/howto/fleet.md:1: the verb 'wait' is named neither collector nor controller\n")
        self.assertIn("'plam' is no verb of", self.check(fleet=("`plan`", "`plam`")))
        self.assertIn("'plan' is in two tables", self.check(fleet=("`apply`", "`plan`")))
        self.assertIn("is a collector or a controller, not 'helper'", self.check(fleet=("controller |", "helper |")))

    def test_a_row_with_another_number_of_cells(self) -> None:
        said = self.check(security=("| whole | `Suite.*` |", "| whole | `Suite.*` | more |"))
        self.assertEqual(said, "docs/dev/promises.md:30: 3 cells below a header of 2\n")
        self.assertIn("1 cells below a header of 2", self.check(security=("|---|---|\n| whole", "|---|\n| whole")))

    def test_a_row_that_is_torn_off(self) -> None:
        said = self.check(security=("| test |\n|---|---|\n", "| test |\n|---|---|\n| first | `Suite.*` |\n\n"))
        self.assertEqual(said, "docs/dev/promises.md:32: a row of no table: its header is elsewhere\n")

    def test_text_that_sticks_to_a_table(self) -> None:
        said = self.check(security=("| whole | `Suite.*` |\n", "| whole | `Suite.*` |\nand more\n"))
        self.assertEqual(said, "docs/dev/promises.md:31: belongs to the table above: leave a line free\n")


if __name__ == "__main__":
    unittest.main()
