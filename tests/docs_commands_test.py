#!/usr/bin/env python3
"""Proves that tests/docs_commands fails on each fault that it looks for, and only then."""

import importlib.machinery
import pathlib
import subprocess
import sys
import tempfile
import types
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parent / "docs_commands"

VERBS = """# The verbs

| verb | does |
|---|---|
| [plan](#plan) | shows |
| [events](#events) | shows |

## Options of every verb

- `-f`, `--file` `FILE`: The file, not `-x`.
- `-v`, `--verbose`: More.

## plan

`diff` is another name of this verb.

- `--out` `FILE`: Save it.

## events

- `-f`, `--follow`: Go on.
- `--engine` `ENGINE`: Another program.
"""

PAGE = """# A page

Prose about spark-reconcile keeps no rules. Type `sudo spark-reconcile plan --out
a.plan`, `journalctl -u spark-reconcile -p warning` or `spark-reconcile help plan`; see `docs/page.md`.

```console
# spark-reconcile diff -f cluster.yaml -vv   # with --comments
$ spark-reconcile events --follow | grep --color plan
sudo systemctl enable --now spark-reconcile spark-reconcile-rollback
eval "$(spark-reconcile plan --out=x)"
```
"""

FILES = {
    "docs/reference/verbs.md": VERBS,
    "docs/reference/messages.md": "| SR-LINK-001 | no device |\n",
    "docs/page.md": PAGE,
    "docs/decisions/0001-a.md": "`spark-reconcile ancient` and docs/gone.md\n",
    "controller/a.cpp": 'say("type `spark-reconcile plan --out FILE` [SR-LINK-001]", "docs/page.md");\n',
    "systemd/a.service": "# spark-reconcile is a word here\nExecStart=@BINDIR@/spark-reconcile events --follow\n",
}


class DocsCommands(unittest.TestCase):
    def check(self, file: str = "", old: str = "", new: str = "") -> str:
        """What the script says about a project in which that file has one text for another."""
        with tempfile.TemporaryDirectory() as folder:
            for name, text in FILES.items():
                path = pathlib.Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                self.assertTrue(name != file or old in text)
                path.write_text(text.replace(old, new, 1) if name == file else text, encoding="utf-8")
            done = subprocess.run([sys.executable, SCRIPT, "--root", folder], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1 if done.stderr else 0)
        return done.stderr

    def test_a_whole_project_passes(self) -> None:
        self.assertEqual(self.check(), "")

    def test_a_verb_that_is_not_there(self) -> None:
        self.assertEqual(self.check("docs/page.md", "diff -f", "differ -f"), "docs/page.md:7: there is no verb 'differ'\n")
        self.assertIn("docs/page.md:4: there is no verb", self.check("docs/page.md", "`spark-reconcile help", "`spark-reconcile hilfe"))
        self.assertEqual(self.check("controller/a.cpp", "plan --out", "plane --out"),
                         "controller/a.cpp:1: there is no verb 'plane'\n")

    def test_an_option_that_is_not_there(self) -> None:
        self.assertIn("docs/page.md:3: 'plan' has no option '--in'", self.check("docs/page.md", "plan --out\n", "plan --in\n"))
        self.assertIn("docs/page.md:10: 'plan' has no option '--put'", self.check("docs/page.md", "--out=x", "--put=x"))
        self.assertIn("'diff' has no option '-x'", self.check("docs/page.md", "-vv", "-x"))

    def test_the_words_of_an_adapter_are_its_own(self) -> None:
        self.assertEqual(self.check("docs/page.md", "events --follow", "events --engine slurm --dry-run"), "")
        self.assertIn("'events' has no option '--dry-run'", self.check("docs/page.md", "events --follow", "events --dry-run --engine slurm"))

    def test_a_command_of_a_unit(self) -> None:
        self.assertIn("systemd/a.service:2: 'events' has no option", self.check("systemd/a.service", "--follow", "--fellow"))

    def test_an_option_of_another_verb(self) -> None:
        self.assertIn("'plan' has no option '--follow'", self.check("docs/page.md", "plan --out\n", "plan --follow\n"))

    def test_an_awaited_option_that_has_come(self) -> None:
        script = types.ModuleType("docs_commands")
        importlib.machinery.SourceFileLoader("docs_commands", str(SCRIPT)).exec_module(script)
        pages = {"docs/reference/verbs.md": VERBS, "docs/page.md": "`spark-reconcile plan --later`\n"}
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            self.assertEqual(len([*script.check_commands(root, pages, {})]), 1)
            self.assertEqual([*script.check_commands(root, pages, {"plan": {"--later"}})], [])
            (said,) = script.check_commands(root, {"docs/reference/verbs.md": VERBS}, {"plan": {"--out"}})
        self.assertIn("take it out of AWAITED", said)

    def test_a_list_of_verbs_that_went_away(self) -> None:
        self.assertIn("has no table of verbs and options", self.check("docs/reference/verbs.md", "## Options of", "## Those of"))

    def test_a_page_that_is_not_there(self) -> None:
        self.assertEqual(self.check("controller/a.cpp", "docs/page.md", "docs/old.md"),
                         "controller/a.cpp:1: there is no page 'docs/old.md'\n")
        self.assertIn("docs/page.md:4: there is no page", self.check("docs/page.md", "docs/page.md", "docs/a/page.md"))

    def test_an_id_that_is_in_no_list(self) -> None:
        self.assertEqual(self.check("controller/a.cpp", "SR-LINK-001", "SR-LINK-002"),
                         "controller/a.cpp:1: no page of ids has SR-LINK-002\n")


if __name__ == "__main__":
    unittest.main()
