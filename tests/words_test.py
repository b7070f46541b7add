#!/usr/bin/env python3
"""Proves that tests/words finds an old word wherever people read, and nowhere else."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

WORDS = pathlib.Path(__file__).resolve().parent / "words"


def run(name: str, text: str) -> tuple[int, str]:
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        done = subprocess.run([sys.executable, WORDS, "--root", folder], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout


class Words(unittest.TestCase):
    def test_plain_pages_and_code_pass(self) -> None:
        for name, text in (("docs/page.md", "The apply is rolled back.\n"), ("controller/a.cpp", 'call("again");\n'),
                           ("docs/page.md", "Recommended: amend the commit.\n")):
            self.assertEqual(run(name, text), (0, ""))

    def test_an_old_word_in_a_page_is_found_with_its_place(self) -> None:
        code, text = run("docs/deep/page.md", "fine\nThe apply is taken back.\n")
        self.assertEqual(code, 1)
        self.assertIn("docs/deep/page.md:2: 'taken back': write roll back", text)

    def test_so_is_one_in_a_message_a_comment_a_unit_and_a_schema(self) -> None:
        for name, text in (("controller/a.cpp", 'say("it was undone");'), ("controller/a.hpp", "/// Mends it."),
                           ("systemd/a.service", "Description=Likewise"), ("schema/a.json", '"fenced"'),
                           ("README.md", "goes on from there"), ("examples/a.yaml", "# held anew"),
                           ("docs/page.md", "both hang on one wire")):
            self.assertEqual(run(name, text)[0], 1, name)

    def test_so_is_one_in_the_name_of_a_test(self) -> None:
        for name in ("TEST(Apply, UndoesAllOfIt)", "TEST_F(Apply, IsUndone)", "TYPED_TEST(Laws, MakesItAnew)"):
            self.assertEqual(run("tests/unit/a_test.cpp", f"{name} {{\n")[0], 1, name)
        self.assertEqual(run("tests/unit/a_test.cpp", "TEST(Apply, RollsBackAllOfIt) { undo(); }\n")[0], 0)

    def test_so_is_an_old_name_of_the_code(self) -> None:
        for line in ("struct CableLook {", "auto all = look_at_waits(plan);", "enum class Standing {"):
            self.assertEqual(run("controller/a.hpp", line)[0], 1, line)
        self.assertEqual(run("controller/a.hpp", "void check(RailObservation& look);  // a CableLook")[0], 0)

    def test_other_names_of_the_code_and_decisions_are_not_looked_at(self) -> None:
        self.assertEqual(run("controller/a.cpp", "undo(rivals);")[0], 0)
        self.assertEqual(run("docs/decisions/0001-a.md", "It was undone.")[0], 0)


if __name__ == "__main__":
    unittest.main()
