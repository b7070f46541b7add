"""What a program and all that it starts write, by strace."""

import pathlib
import re

TRACE = ("strace", "-f", "-qq", "-y", "-e", "signal=none", "-e", "trace=%file", "-o")
CHANGING = re.compile(r"^\d+ +(?:creat|mkdir|mknod|rename|unlink|rmdir|link|symlink|chmod|fchmod|chown|lchown|fchown|"
                      r"truncate|utime|setxattr|lsetxattr|mount)\w*\((.*)\) += 0")
OPENED = re.compile(r"^\d+ +open\w*\(.*(?:O_WRONLY|O_RDWR|O_CREAT|O_TRUNC).*= \d+<(.*)>$")
QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')
HARMLESS = ("/dev/null", "/dev/tty")


def outside(log: pathlib.Path, folders: tuple[pathlib.Path, ...]) -> list[str]:
    """The lines that write elsewhere. A relative path is one below the directory that git went to, its repository."""
    found = []
    for line in log.read_text(errors="replace").splitlines():
        opened, changing = OPENED.match(line), CHANGING.match(line)
        paths = [opened[1]] if opened else QUOTED.findall(changing[1])[-1:] if changing else []
        for path in paths:
            is_relative = not path.startswith("/") and ".." not in path
            if not (is_relative or path in HARMLESS or any(path.startswith(str(folder)) for folder in folders)):
                found.append(line)
    return found
