"""What an unchanged poll costs: CPU of spark-git-fetch with all that it starts, against `git ls-remote` to the same."""

import pathlib
import statistics

import servers
from world import Programs, World, run

PAIRS = 60
MOST = 1.5  # times; by a file git takes 3 ms, of which the start of our program alone is a fifth
LS_REMOTE = ("-c", "protocol.allow=always", "ls-remote")


def ratio(programs: Programs, root: pathlib.Path, by_https: bool) -> tuple[float, float, float]:
    """The median of the ratios, and of both in milliseconds; in pairs, since a machine is not always as fast."""
    root.mkdir()
    world = World(programs, root)
    try:
        if by_https:
            servers.https(world)
        world.commit()
        world.poll()
        settings = world.write_settings()
        fetch = [str(word) for word in (programs.fetch, settings, world.fetched, world.scratch[0])]
        look = ["git", *LS_REMOTE, str(world.settings["url"]), "refs/heads/main"]
        variables = {"GIT_SSL_CAINFO": str(world.settings.get("ca", "")), "HOME": "/nonexistent", "LC_ALL": "C",
                     "GIT_CONFIG_NOSYSTEM": "1", "GIT_TERMINAL_PROMPT": "0"}
        log = root / "marker/said"
        pairs = [(run(fetch, 30, log=log).cpu, run(look, 30, variables, log).cpu) for _ in range(PAIRS)]
    finally:
        world.close()
    return (statistics.median(ours / theirs for ours, theirs in pairs),
            1000 * statistics.median(ours for ours, _ in pairs), 1000 * statistics.median(theirs for _, theirs in pairs))


def measure(programs: Programs, above: pathlib.Path) -> bool:
    """Prints it. False: one costs too much."""
    good = True
    for name, by_https in (("file", False), ("https", True)):
        times, ours, theirs = ratio(programs, above / f"cost-{name}", by_https)
        print(f"an unchanged poll by {name}: {times:.2f} times git ls-remote ({ours:.1f} ms and {theirs:.1f} ms of CPU)")
        good = good and times <= MOST
    return good
