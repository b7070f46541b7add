#!/usr/bin/env python3
"""Proves that tests/docs_examples fails on each fault that it looks for, and only then."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

EXAMPLES = pathlib.Path(__file__).resolve().parent / "docs_examples"

PAGE = """# Adding a number

A list has a block of its own:

- the declaration:

  <!-- in controller/a/one.hpp, after: int one(); -->
  ```cpp
  int two();
  ```

- the definition

<!-- new: controller/a/two.cpp -->

```cpp
#include "a/one.hpp"

int a::two() { return 2; }
```

and the table, the schema and the script:

<!-- in controller/a/table.cpp, replaces: kNumbers[] … }; -->
```cpp
const int kNumbers[] = {a::one(),
                        a::two()};
```

<!-- in schema.json, before each: "one": -->
```json
"two": 2,
```

<!-- in look.py, replaces: return 1 -->
```python
return 2
```

<!-- run -->
```sh
grep -q a::two controller/a/table.cpp
sudo test -f controller/a/two.cpp
```

```sh
exit 1  # is not marked, and so it does not run
```
"""

FILES = {
    # sudo is left out by root, who may not have it.
    "docs/dev/adding.md": PAGE if os.geteuid() == 0 else PAGE.replace("sudo ", ""),
    "docs/dev/README.md": "No mark, no example: `<!-- run -->`.\n\n```cpp\nbroken\n```\n",
    "controller/a/one.hpp": "#pragma once\n\nnamespace a {\nint one();\n}  // namespace a\n",
    "controller/a/one.cpp": '#include "a/one.hpp"\n\nint a::one() { return 1; }\n',
    "controller/a/table.hpp": '#pragma once\n\n#include "a/one.hpp"\n',
    "controller/a/table.cpp": '#include "a/table.hpp"\n\nconst int kNumbers[] = {\n    a::one(),\n};\n',
    "schema.json": '{\n  "a": {\n    "one": 1\n  },\n  "b": {\n    "one": 1\n  }\n}\n',
    "look.py": "def look():\n    return 1\n",
    ".clang-format": "BasedOnStyle: Google\n",
    "tests/layering.cmake": 'if(EXISTS "${ROOT}/controller/b")\n  message(FATAL_ERROR "no such room")\nendif()\n',
    "tests/circles": 'import pathlib\nimport sys\n\nsys.exit(pathlib.Path("controller/a/circle.cpp").exists())\n',
}


class Examples(unittest.TestCase):
    def check(self, old: str = "", new: str = "", *options: str, file: str = "docs/dev/adding.md",
              at_a_time: bool = False) -> str:
        """What tests/docs_examples says about a project in which a file has one text for another."""
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder).resolve()
            for name, text in FILES.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                self.assertIn(old if name == file else "", text)
                (root / name).write_text(text.replace(old, new, 1) if name == file else text, encoding="utf-8")
            build = root / "build" / "dev"
            build.mkdir(parents=True)
            (build / "flags.h").write_text("#define IS_INCLUDED 1\n", encoding="utf-8")
            command = f"c++ -I{root}/controller -Werror -Wunused -include {build}/flags.h -o one.o -c "
            compiled = [str(root / name) for name in FILES if name.endswith(".cpp")]
            if at_a_time:
                unity = build / "Unity" / "unity_0.cxx"
                unity.parent.mkdir()
                unity.write_text("".join(f'#include "{name}"\n' for name in compiled), encoding="utf-8")
                compiled = [str(unity)]
            (build / "compile_commands.json").write_text(json.dumps([
                {"directory": str(build), "command": f"{command}{name}", "file": name} for name in compiled]), encoding="utf-8")
            before = sorted(root.rglob("*"))
            done = subprocess.run([sys.executable, EXAMPLES, "--root", root, *options],
                                  capture_output=True, text=True, check=False)
            self.assertEqual(sorted(root.rglob("*")), before, "the tree stays as it was")
            self.assertEqual((root / "look.py").read_text(encoding="utf-8"), FILES["look.py"])
        self.assertEqual(done.returncode, 1 if done.stderr else 0)
        return done.stderr

    def test_a_page_that_is_right_passes(self) -> None:
        self.assertEqual(self.check(), "")
        self.assertEqual(self.check("", "", "--whole"), "")

    def test_code_that_does_not_compile(self) -> None:
        for at_a_time in (False, True):
            said = self.check("return 2; }", "return three; }", at_a_time=at_a_time)
            self.assertIn("docs/dev/adding.md: controller/a/two.cpp does not compile", said)
        self.assertIn("controller/a/two.cpp:3:", said)

    def test_a_declaration_that_does_not_compile(self) -> None:
        self.assertIn("controller/a/one.cpp does not compile", self.check("int two();", "int two(;"))

    def test_a_warning(self) -> None:
        self.assertIn("unused variable", self.check("{ return 2; }", "{\n  int three = 3;\n  return 2;\n}"))

    def test_a_header_that_others_include(self) -> None:
        said = self.check("replaces: kNumbers[] … };", "replaces: kNumbers[]")
        self.assertIn("controller/a/table.cpp does not compile", said)
        header = '<!-- in controller/a/table.hpp, after: #pragma -->\n```cpp\nint table(;\n```\n'
        self.assertIn("controller/a/table.hpp:2", self.check("and the table", f"{header}\nand the table"))

    def test_a_header_that_nobody_includes(self) -> None:
        said = self.check("and the table", "<!-- new: controller/a/alone.hpp -->\n```cpp\n#pragma once\n```\n")
        self.assertEqual(said, "docs/dev/adding.md: no file includes controller/a/alone.hpp\n")

    def test_a_line_that_is_not_there(self) -> None:
        said = self.check("after: int one(); -->", "after: int won(); -->")
        self.assertEqual(said, "docs/dev/adding.md:8: no line of controller/a/one.hpp has 'int won();'\n")
        self.assertIn("has '}]'", self.check("… };", "… }]"))

    def test_a_line_that_is_there_twice(self) -> None:
        said = self.check("before each:", "before:")
        self.assertIn("2 lines of schema.json have '\"one\":'", said)

    def test_a_file_that_is_not_there_or_is_there_already(self) -> None:
        self.assertIn("there is no file controller/a/won.hpp", self.check("in controller/a/one.hpp", "in controller/a/won.hpp"))
        self.assertIn("controller/a/one.cpp exists already", self.check("new: controller/a/two", "new: controller/a/one"))

    def test_a_mark_without_a_block_and_a_block_without_a_mark(self) -> None:
        self.assertIn("adding.md:14: no block below '<!-- new:", self.check("two.cpp -->\n", "two.cpp -->\nSome text.\n"))
        self.assertIn("adding.md:16: a block without a mark", self.check("<!-- new: ", "<!-- nwe: "))
        self.assertIn("no block below '<!-- run -->'", self.check("```sh\nexit 1", "<!-- run -->\n"))

    def test_a_new_file_that_is_not_formatted(self) -> None:
        self.assertIn("clang-format-19 fails", self.check("{ return 2; }", "{return 2;}"))

    def test_what_no_compiler_reads(self) -> None:
        self.assertIn("schema.json: Expecting", self.check('"two": 2,', '"two": 2'))
        self.assertIn("look.py: invalid syntax", self.check("return 2\n", "return return\n"))

    def test_an_include_that_the_rooms_do_not_allow(self) -> None:
        self.assertIn("tests/layering.cmake fails", self.check("new: controller/a/two", "new: controller/b/two"))
        self.assertIn("tests/circles fails", self.check("new: controller/a/two", "new: controller/a/circle"))

    def test_a_command_that_fails(self) -> None:
        said = self.check("grep -q a::two", "grep -q a::three", "--whole")
        self.assertEqual(said, "docs/dev/adding.md:41: exits 1\n")

    def test_no_example_at_all(self) -> None:
        self.assertEqual(self.check("", "", "docs/dev/README.md"), "no page has an example\n")

    def test_a_build_folder_that_is_not_configured(self) -> None:
        self.assertIn("build/other is not configured", self.check("", "", "--build", "build/other"))


if __name__ == "__main__":
    unittest.main()
