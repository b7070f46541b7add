"""Cases: whose signature is on it, whether it counts today, and what it is over."""

import subprocess
import time
from collections.abc import Iterator

from cases import TAKEN, Outcome, fault, harmless, hostile, refused, waits
from repository import commit_bytes, header, sign, signed_commit, with_signature
from world import World, public

YEAR_2099 = 4070908800

PGP = b"-----BEGIN PGP SIGNATURE-----\n\niQEzBAABCAAdFiEE\n=abcd\n-----END PGP SIGNATURE-----\n"


def push_bytes(world: World, content: bytes) -> None:
    world.push(world.up.put("commit", content))


def unsigned(world: World) -> bytes:
    """A commit on top, to be signed in one way or another."""
    world.times += 1
    world.text = f"version: 1\n# {world.times}\n"
    tree = world.up.tree({"cluster.yaml": ("100644", world.up.blob(world.text))})
    return commit_bytes(tree, [world.head], message=f"change {world.times}")


@hostile(quick=True)
def unsigned_head(world: World) -> Iterator[Outcome]:
    world.commit()
    yield TAKEN
    world.commit(key=None)
    yield refused(24)
    world.commit()
    yield TAKEN


@hostile()
def unsigned_first(world: World) -> Iterator[Outcome]:
    world.commit(key=None)
    yield refused(24)
    world.commit()
    yield TAKEN


@hostile(quick=True)
def squashed_by_a_forge(world: World) -> Iterator[Outcome]:
    world.commit()
    yield TAKEN
    push_bytes(world, with_signature(unsigned(world), PGP))
    yield refused(28)


@hostile(quick=True)
def unknown_key(world: World) -> Iterator[Outcome]:
    world.commit()
    yield TAKEN
    world.commit(key="mallory")
    yield refused(25)
    world.trust(world.signers.read_text().strip(), 'mallory@lab ' + public(world.keys["mallory"]))
    yield TAKEN


@hostile()
def signature_for_files(world: World) -> Iterator[Outcome]:
    world.commit(namespace="git")
    yield TAKEN
    world.commit(namespace="file")
    yield refused(29)


def lines(world: World, alice: str) -> None:
    world.trust(f'alice@lab namespaces="git"{alice} ' + public(world.keys["alice"]),
                'bob@lab namespaces="git" ' + public(world.keys["bob"]))


def out_of_time(world: World, counts: str, does_not: str) -> Iterator[Outcome]:
    world.commit(key="bob")
    yield TAKEN
    lines(world, counts)
    world.commit()
    yield TAKEN
    world.commit(key="bob")
    yield TAKEN
    lines(world, does_not)
    world.commit()
    yield refused(26)
    world.commit(key="bob")
    yield TAKEN


@hostile(quick=True)
def expired_key(world: World) -> Iterator[Outcome]:
    yield from out_of_time(world, ',valid-before="20990101"', ',valid-before="20200101"')


@hostile()
def key_of_tomorrow(world: World) -> Iterator[Outcome]:
    yield from out_of_time(world, ',valid-after="20200101"', ',valid-after="20990101"')


@hostile(quick=True)
def key_that_counts_once_the_clock_is_right(world: World) -> Iterator[Outcome]:
    """A machine without a clock sees a commit dated ahead by a key that does not count yet: both wait for the clock."""
    world.commit(key="bob")
    yield TAKEN
    lines(world, ',valid-after="20980101"')
    world.commit(when=YEAR_2099)
    yield waits(31)
    lines(world, ',valid-after="20990601"')  # not on that day either
    yield refused(26)
    lines(world, ',valid-before="20200101"')
    yield refused(26)
    world.commit(key="bob")
    yield TAKEN


@hostile()
def key_for_files(world: World) -> Iterator[Outcome]:
    world.commit()
    yield TAKEN
    world.commit(key="bob")
    yield TAKEN
    world.trust('alice@lab namespaces="file" ' + public(world.keys["alice"]), 'bob@lab ' + public(world.keys["bob"]))
    world.commit()
    yield refused(26)


@hostile(quick=True)
def backdated_to_when_the_key_counted(world: World) -> Iterator[Outcome]:
    """git verify-commit takes this one: it judges at the date in the commit."""
    lines(world, ',valid-before="20990101"')
    world.commit(when=978307200)  # 2001
    yield TAKEN
    lines(world, ',valid-before="20200101"')
    world.commit(when=978307300)
    yield refused(26)


def revoked(world: World, write: object) -> Iterator[Outcome]:
    revoked_keys = world.root / "revoked"
    revoked_keys.write_text(public(world.keys["mallory"]) + "\n")
    world.set(revoked=str(revoked_keys))
    world.commit(key="bob")
    yield TAKEN
    world.commit()
    world.commit(key="bob")
    yield TAKEN
    assert callable(write)
    write(revoked_keys)
    world.commit()
    yield refused(27)
    world.commit(key="bob")
    yield TAKEN
    revoked_keys.unlink()
    yield refused(38)


@hostile(quick=True)
def revoked_in_a_list(world: World) -> Iterator[Outcome]:
    yield from revoked(world, lambda path: path.write_text(public(world.keys["alice"]) + "\n"))


@hostile()
def revoked_in_a_krl(world: World) -> Iterator[Outcome]:
    yield from revoked(world, lambda path: subprocess.run(
        ["ssh-keygen", "-q", "-k", "-f", str(path), f"{world.keys['alice']}.pub"], check=True, timeout=10))


@hostile(quick=True)
def signature_of_another_commit(world: World) -> Iterator[Outcome]:
    world.commit()
    yield TAKEN
    other = unsigned(world)
    push_bytes(world, signed_commit(other, world.keys["alice"]))
    yield TAKEN
    push_bytes(world, with_signature(unsigned(world), sign(world.keys["alice"], other)))
    yield refused(29)


@hostile()
def tree_changed_after_it_was_signed(world: World) -> Iterator[Outcome]:
    world.commit()
    yield TAKEN
    good = unsigned(world)
    push_bytes(world, with_signature(good, sign(world.keys["alice"], good)))
    yield TAKEN
    good = unsigned(world)
    other = world.up.tree({"cluster.yaml": ("100644", world.up.blob("version: 1\n# another\n"))})
    changed = b"tree " + other.encode() + good[45:]
    push_bytes(world, with_signature(changed, sign(world.keys["alice"], good)))
    yield refused(29)


@hostile()
def signature_cut_short(world: World) -> Iterator[Outcome]:
    world.commit()
    yield TAKEN
    content = unsigned(world)
    signature = sign(world.keys["alice"], content)
    push_bytes(world, with_signature(content, signature[:-60]))
    yield refused(29)


@hostile()
def two_signatures(world: World) -> Iterator[Outcome]:
    world.commit()
    yield TAKEN
    content = unsigned(world)
    good = sign(world.keys["alice"], content)
    push_bytes(world, with_signature(content, good))
    yield TAKEN
    content = unsigned(world)
    both = with_signature(content, sign(world.keys["mallory"], content))
    push_bytes(world, with_signature(both, sign(world.keys["alice"], content)))
    yield refused(21)


@hostile()
def signature_for_sha256(world: World) -> Iterator[Outcome]:
    world.commit()
    yield TAKEN
    push_bytes(world, signed_commit(unsigned(world), world.keys["alice"], name="gpgsig-sha256"))
    yield refused(21)


@hostile(quick=True)
def no_committer(world: World) -> Iterator[Outcome]:
    world.commit()
    yield TAKEN
    content = unsigned(world)
    without = b"\n".join(line for line in content.split(b"\n") if not line.startswith(b"committer"))
    push_bytes(world, signed_commit(without, world.keys["alice"]))
    yield fault(7)


@hostile()
def nul_in_a_header(world: World) -> Iterator[Outcome]:
    world.commit()
    yield TAKEN
    content = unsigned(world).replace(b"author Lab", b"author L\0b")
    push_bytes(world, signed_commit(content, world.keys["alice"]))
    yield fault(7)


@harmless()
def other_headers_and_odd_lines(world: World) -> Iterator[Outcome]:
    """Signed with them: an encoding, a merged tag, a message that looks like a signature."""
    world.commit()
    yield TAKEN
    head, message = unsigned(world).split(b"\n\n", 1)
    content = head + b"\nencoding ISO-8859-1\n" + header("mergetag", b"object 1\ntype commit\n\ngpgsig x\n") + b"\n"
    content += message + b"gpgsig -----BEGIN SSH SIGNATURE-----\n\n\xff\x1b[31m no line feed at the end"
    push_bytes(world, signed_commit(content, world.keys["alice"]))
    yield TAKEN
    assert int(time.time()) - world.record()["accepted"]["time"] < 60
