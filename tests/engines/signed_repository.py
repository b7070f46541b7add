"""A cluster file in git, for the tests of engines whose nodes follow it by `source`."""

import os
import shutil
import subprocess


class Repository:
    """A file in git, whose commits one key signs; each machine has a copy that it can read, as on a share."""

    def __init__(self, folder, machines):
        self.folder, self.machines = folder / "repository", machines
        self.key, self.signers = folder / "alice", folder / "signers"
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", self.key], check=True)
        self.signers.write_text("alice@lab " + self.key.with_suffix(".pub").read_text("utf-8"), "utf-8")
        self.git("init", "--quiet", "--initial-branch=main", self.folder, at=folder)

    def git(self, *words, at=None):
        identity = {f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER") for what, value in (("NAME", "Alice"), ("EMAIL", "alice@lab"))}
        subprocess.run(["git", *map(str, words)], cwd=at or self.folder, check=True, env=identity | {"PATH": os.environ["PATH"], "HOME": "/nowhere"})

    def merge(self, text, *, signed=True):
        (self.folder / "cluster.yaml").write_text(text, "utf-8")
        self.git("add", "cluster.yaml")
        sign = ["-c", "gpg.format=ssh", "-c", f"user.signingKey={self.key}"]
        self.git(*sign, "commit", "--quiet", "-m", "Another file", *(["-S"] if signed else []))
        bare = self.folder.with_suffix(".git")
        shutil.rmtree(bare, ignore_errors=True)
        self.git("clone", "--quiet", "--bare", "--no-local", self.folder, bare)
        for machine in self.machines:
            place = machine.path("/srv/lab.git")
            shutil.rmtree(place, ignore_errors=True)
            shutil.copytree(bare, place)
