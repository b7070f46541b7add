"""kill -9 of a program with all that it starts, as systemd kills a unit, before its Nth change (kill_before.cpp)."""

import os
import pathlib

KILLED = -9


def program() -> pathlib.Path:
    return pathlib.Path(os.environ["SPARK_ANSWERS_LIBRARY"]).parent / "kill_before"


def under(nth: int, folders: tuple[pathlib.Path, ...], log: pathlib.Path, alone: bool = False) -> tuple[str, ...]:
    """The words before the command. `folders`: what is changed there counts. `alone`: what the program starts lives on."""
    log.unlink(missing_ok=True)
    return (str(program()), *(("--alone",) if alone else ()), str(nth), ":".join(map(str, folders)), str(log), "--")


def last_call(log: pathlib.Path, root: pathlib.Path) -> str:
    """That was not made any more."""
    lines = log.read_text(errors="replace").splitlines() if log.is_file() else []
    return lines[-1].replace(str(root), "") if lines else ""
