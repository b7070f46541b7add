#!/usr/bin/env python3
"""Proves that tests/circles finds each sort of circle, and only those."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

CIRCLES = pathlib.Path(__file__).resolve().parent / "circles"


def run(files: dict[str, str]) -> tuple[int, str]:
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, text in files.items():
            path = root / "controller" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("".join(f'#include "{each}"\n' for each in text.split()))
        done = subprocess.run([sys.executable, CIRCLES, "--root", root], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout


class Circles(unittest.TestCase):
    def test_a_line_of_modules_is_none(self) -> None:
        code, _ = run({"a/one.hpp": "", "a/two.hpp": "a/one.hpp", "a/two.cpp": "a/two.hpp a/one.hpp"})
        self.assertEqual(code, 0)

    def test_a_file_that_nobody_can_include_closes_none(self) -> None:
        code, _ = run({"a/one.hpp": "", "a/two.hpp": "a/one.hpp", "a/one_part.cpp": "a/one.hpp a/two.hpp"})
        self.assertEqual(code, 0)

    def test_two_headers_that_include_each_other_are_one(self) -> None:
        code, text = run({"a/one.hpp": "b/two.hpp", "b/two.hpp": "a/one.hpp"})
        self.assertEqual(code, 1)
        self.assertIn("a/one → b/two → a/one", text)

    def test_one_through_a_source_file_is_one(self) -> None:
        code, text = run({"a/one.hpp": "", "a/one.cpp": "a/one.hpp a/two.hpp", "a/two.hpp": "a/one.hpp"})
        self.assertEqual(code, 1)
        self.assertIn("a/one → a/two → a/one", text)

    def test_three_that_need_each_other_are_told_by_the_shortest(self) -> None:
        code, text = run({"a/one.hpp": "a/two.hpp", "a/two.hpp": "a/three.hpp a/one.hpp", "a/three.hpp": "a/one.hpp"})
        self.assertEqual(code, 1)
        self.assertIn("a/one → a/two → a/one", text)
        self.assertIn("and in it: a/three", text)

    def test_a_tree_without_sources_fails(self) -> None:
        code, _ = run({})
        self.assertEqual(code, 1)


if __name__ == "__main__":
    unittest.main()
