"""What the run of each adapter begins with."""

import pathlib
import subprocess
import sys


def hold_it() -> None:
    """Each adapter stands on the interface of docs/howto/fleet.md. Where that does not hold, its own run says nothing."""
    sys.stdout.flush()
    done = subprocess.run([sys.executable, "-B", pathlib.Path(__file__).resolve().parent / "conformance"], check=False)
    if done.returncode != 0:
        sys.exit("tests/engines: the interface does not hold, so nothing is said of its adapters")
