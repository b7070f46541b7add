"""What the tests of tests/problems and tests/facts share: a small project that the script is run on."""

import pathlib
import subprocess
import sys
import tempfile
import unittest


class AnswersCase(unittest.TestCase):
    """A project of FILES, with the page that the script has made of its list."""

    SCRIPT: pathlib.Path
    FILES: dict[str, str]
    LIST_FILE: str
    PAGE: str

    def setUp(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        for name, text in self.FILES.items():
            self.write(name, text)
        self.page = pathlib.Path(self.folder.name, self.PAGE)
        written = self.run_script("--write")
        self.assertEqual((written.returncode, written.stderr), (0, ""))

    def run_script(self, *options: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([sys.executable, self.SCRIPT, "--root", self.folder.name, *options], capture_output=True, text=True, check=False)

    def write(self, name: str, text: str) -> None:
        path = pathlib.Path(self.folder.name, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def check(self, old: str = "", new: str = "", file: str = "") -> str:
        """What the script says of a project in which that file, the list where none is named, has one text for another."""
        file = file or self.LIST_FILE
        self.assertIn(old, self.FILES[file])
        self.write(file, self.FILES[file].replace(old, new, 1))
        done = self.run_script()
        self.write(file, self.FILES[file])
        self.assertEqual(done.returncode, 1 if done.stderr else 0)
        return done.stderr

    def finds_that_the_page_was_not_written_again(self) -> None:
        fault = f"{self.PAGE}: is not what {self.LIST_FILE} gives: `tests/{self.SCRIPT.name} --write` writes it\n"
        self.assertEqual(self.check("It is slow", "It is slower"), fault)
        self.page.unlink()
        self.assertEqual(self.check(), fault)
