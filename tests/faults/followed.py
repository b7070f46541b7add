"""A machine that follows a repository: what spark-git-fetch and spark-git-judge leave lies where the daemon reads it.

The repository, its signatures and the two programs are those of tests/git/world.py.
"""

import hashlib
import pathlib
import shutil
import sys

from machine import OWN_FILES, Machine, State

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "git"))

from preparations import ONE, OTHER  # noqa: E402
from world import Places, Programs, World, make_key  # noqa: E402

FETCHED, JUDGED = "var/lib/spark-reconcile-fetch", "var/lib/spark-reconcile-judge"
SETTINGS = f"{OWN_FILES}/agent.yaml"
# The daemon sets the timer's interval there.
INTERVAL = "run/systemd/system/spark-reconcile-fetch.timer.d"


def digest_of(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


class Followed:
    """The branch has ONE in its first commit and OTHER in its second; a machine just made follows it at the first."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.above = machine.root.parent / "following"
        programs = pathlib.Path(machine.program).parent
        self.above.mkdir()
        keys = {name: make_key(self.above / name) for name in ("alice", "bob")}
        places = Places(machine.path(SETTINGS), machine.path(FETCHED), machine.path(JUDGED),
                        (self.above / "scratch-fetch", self.above / "scratch-judge"))
        self.world = World(Programs(programs / "spark-git-fetch", programs / "spark-git-judge", keys), self.above, places)
        self.world.set(settle="1ms")
        self.texts: dict[str, str] = {}  # by commit
        self.saved: dict[str, tuple[dict[str, object], str, tuple[str, ...]]] = {}
        self.shown: tuple[str, ...] = ()  # tags
        self.first = self.commit(ONE)
        self.second = self.commit(OTHER)
        self.unsigned = self.commit(OTHER, None, [self.first])
        self.broken = self.broken_commit()
        self.tags = {name: self.world.tag(name, commit=commit) for name, commit in (("v1", self.first), ("v2", self.second))}
        self.settings = dict(self.world.settings)
        self.signers = self.world.signers.read_text()
        self.reset()

    def commit(self, text: str, key: str | None = "alice", parents: list[str] | None = None) -> str:
        made = self.world.commit(key, text, parents)
        self.texts[made] = text
        return made

    def broken_commit(self) -> str:
        """The file in it is not what its name says."""
        up = self.world.up
        blob = up.put("blob", b"something else\n", "12" * 20)
        made = up.commit(up.tree({"cluster.yaml": ("100644", blob)}), [self.first], self.world.keys["alice"])
        self.texts[made] = ""
        return made

    def offers(self, commit: str) -> None:
        self.world.push(commit, self.texts[commit])

    def tagged(self, *names: str) -> None:
        """The repository has these tags."""
        self.shown = names
        up = self.world.up
        for name, made in self.tags.items():
            (up.path / "refs/tags" / name).unlink(missing_ok=True)
            if name in names:
                up.set_ref(f"refs/tags/{name}", made)

    def reset(self) -> None:
        """It follows, and nothing was ever fetched."""
        self.machine.reset()
        self.clear()

    def clear(self) -> None:
        """The same, but for the network."""
        world = self.world
        world.settings = dict(self.settings)
        world.under = ()
        world.trust(*self.signers.splitlines())
        for folder in (world.settings_file.parent, world.fetched, world.judged, *world.scratch):
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
        world.write_settings()
        self.offers(self.first)
        self.tagged()

    def poll(self) -> None:
        fetch, judge = self.world.poll()
        assert fetch.code == judge.code == 0, fetch.text + judge.text

    def accept(self, commit: str) -> None:
        self.offers(commit)
        self.poll()
        assert self.world.in_force() == commit, self.world.record()

    def wipe(self, folder: str) -> None:
        shutil.rmtree(self.machine.path(folder))
        self.machine.path(folder).mkdir()

    def empty_run(self) -> None:
        """As systemd does it when a unit ends, and each boot."""
        for folder in self.world.scratch:
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()

    def save(self, name: str, *folders: str) -> None:
        """What stands there, and what the repository has."""
        self.saved[name] = (dict(self.world.settings), self.world.head, self.shown)
        for folder in folders:
            shutil.copytree(self.machine.path(folder), self.above / "saved" / name / folder, symlinks=True)

    def restore(self, name: str) -> None:
        self.world.settings, head, shown = dict(self.saved[name][0]), *self.saved[name][1:]
        self.offers(head)
        self.tagged(*shown)
        shutil.copytree(self.above / "saved" / name, self.machine.root, symlinks=True, dirs_exist_ok=True)

    def state(self) -> State:
        return {key: text for key, text in self.machine.state().items() if not key.startswith(INTERVAL)}


_followed: list[Followed] = []


def of(machine: Machine) -> Followed:
    """One for each worker, which has one machine."""
    if not _followed:
        _followed.append(Followed(machine))
    return _followed[0]
