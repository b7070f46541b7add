"""A bare repository, written object by object: git would not make most of what is tried here."""

import hashlib
import os
import pathlib
import subprocess
import time
import zlib
from collections.abc import Callable

NOBODY = "0" * 40
MIB = 1024 * 1024
Tree = dict[str, tuple[str, str]]  # name: mode, id


def object_bytes(kind: str, content: bytes) -> bytes:
    return f"{kind} {len(content)}".encode() + b"\0" + content


def object_id(kind: str, content: bytes) -> str:
    return hashlib.sha1(object_bytes(kind, content)).hexdigest()


def sign(key: pathlib.Path, payload: bytes, namespace: str = "git") -> bytes:
    """The armoured signature, as git has it in a commit."""
    words = ["ssh-keygen", "-q", "-Y", "sign", "-n", namespace, "-f", str(key)]
    return subprocess.run(words, input=payload, capture_output=True, check=True, timeout=10).stdout


def person(role: str, when: object) -> bytes:
    return f"{role} Lab <lab@example.org> {when} +0000\n".encode()


def header(name: str, text: bytes) -> bytes:
    """A header of several lines: those after the first begin with a blank."""
    return name.encode() + b" " + text.rstrip(b"\n").replace(b"\n", b"\n ") + b"\n"


class Repository:
    def __init__(self, path: pathlib.Path) -> None:
        self.path = path
        for folder in ("objects/pack", "objects/info", "refs/heads", "refs/tags"):
            (path / folder).mkdir(parents=True, exist_ok=True)
        (path / "HEAD").write_text("ref: refs/heads/main\n")
        self.configure("")

    def configure(self, text: str, allow_filter: bool = True) -> None:
        (self.path / "config").write_text(
            "[core]\n\trepositoryformatversion = 0\n\tbare = true\n"
            f"[uploadpack]\n\tallowFilter = {str(allow_filter).lower()}\n{text}")

    def loose(self, name: str) -> pathlib.Path:
        return self.path / "objects" / name[:2] / name[2:]

    def put(self, kind: str, content: bytes, name: str = "") -> str:
        """Writes an object; with a name, under that, whatever its hash."""
        name = name or object_id(kind, content)
        path = self.loose(name)
        path.parent.mkdir(exist_ok=True)
        path.unlink(missing_ok=True)
        path.write_bytes(zlib.compress(object_bytes(kind, content), 1))
        return name

    def large_blob(self, size: int, piece: Callable[[int], bytes], level: int) -> str:
        """A piece at a time: a worker's memory would be counted as that of the programs that it starts."""
        digest, packer = hashlib.sha1(), zlib.compressobj(level)
        temporary = self.path / "objects/large"
        with temporary.open("wb") as file:
            for part in (f"blob {size}".encode() + b"\0", *(None,) * (size // MIB)):
                part = part or piece(MIB)
                digest.update(part)
                file.write(packer.compress(part))
            file.write(packer.flush())
        name = digest.hexdigest()
        self.loose(name).parent.mkdir(exist_ok=True)
        temporary.rename(self.loose(name))
        return name

    def blob(self, text: str | bytes) -> str:
        return self.put("blob", text.encode() if isinstance(text, str) else text)

    def tree(self, entries: Tree) -> str:
        """Sorted as git sorts: a directory as if its name ended in '/'."""
        def place(name: str) -> str:
            return name + "/" if entries[name][0] == "40000" else name
        return self.put("tree", b"".join(
            f"{entries[name][0]} {name}".encode() + b"\0" + bytes.fromhex(entries[name][1])
            for name in sorted(entries, key=place)))

    def commit(self, tree: str, parents: list[str], key: pathlib.Path | None = None, when: object = None,
               message: str = "a change", **how: object) -> str:
        content = commit_bytes(tree, parents, when, message)
        return self.put("commit", signed_commit(content, key, **how) if key else content)

    def tag(self, commit: str, name: str, key: pathlib.Path | None, kind: str = "commit") -> str:
        content = f"object {commit}\ntype {kind}\ntag {name}\n".encode()
        content += person("tagger", int(time.time())) + b"\na release\n"
        return self.put("tag", content + (sign(key, content) if key else b""))

    def set_ref(self, name: str, value: str) -> None:
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(value + "\n")

    def delete_ref(self, name: str) -> None:
        (self.path / name).unlink()

    def git(self, *words: str) -> str:
        done = subprocess.run(["git", "-C", str(self.path), *words], capture_output=True, text=True, timeout=120,
                              check=False, env={"PATH": os.environ["PATH"], "HOME": "/nonexistent", "LC_ALL": "C"})
        assert done.returncode == 0, f"git {words}: {done.stderr}"
        return done.stdout


def commit_bytes(tree: str, parents: list[str], when: object = None, message: str = "a change") -> bytes:
    when = int(time.time()) if when is None else when
    lines = f"tree {tree}\n" + "".join(f"parent {parent}\n" for parent in parents)
    return lines.encode() + person("author", when) + person("committer", when) + f"\n{message}\n".encode()


def signed_commit(content: bytes, key: pathlib.Path, namespace: str = "git", name: str = "gpgsig") -> bytes:
    return with_signature(content, sign(key, content, namespace), name)


def with_signature(content: bytes, signature: bytes, name: str = "gpgsig") -> bytes:
    head, message = content.split(b"\n\n", 1)
    return head + b"\n" + header(name, signature) + b"\n" + message
