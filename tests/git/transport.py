"""Cases: what is between this machine and the repository."""

import json
import os
import pathlib
import socket
import time
from collections.abc import Iterator

import packs
import servers
from cases import TAKEN, Outcome, fault, hostile
from repository import MIB
from servers import http, misbehaving
from world import World, document_at, expect, make_key, public


def after_a_good_one(world: World, number: int, answer: servers.Answer, **how: object) -> Iterator[Outcome]:
    """By one URL a good server, then one that misbehaves, and the good one again."""
    servers.https(world)
    world.commit()
    yield TAKEN
    misbehaving(world, answer, **how)
    yield fault(number)
    servers.https(world)
    world.commit()
    yield TAKEN


@hostile(quick=True)
def certificate_of_another_authority(world: World) -> Iterator[Outcome]:
    servers.https(world)
    world.commit()
    yield TAKEN
    servers.https(world, "other")
    yield fault(4)


@hostile()
def certificate_expired(world: World) -> Iterator[Outcome]:
    servers.https(world)
    world.commit()
    yield TAKEN
    servers.https(world, "expired")
    yield fault(4)


@hostile()
def certificate_of_another_host(world: World) -> Iterator[Outcome]:
    servers.https(world)
    world.commit()
    yield TAKEN
    servers.https(world, "named")
    yield fault(4)


@hostile()
def authority_not_named(world: World) -> Iterator[Outcome]:
    servers.https(world)
    world.commit()
    yield TAKEN
    world.set(ca=None)
    yield fault(4)


@hostile(quick=True)
def redirect_to_another_repository(world: World) -> Iterator[Outcome]:
    servers.https(world)
    world.commit()
    yield TAKEN
    elsewhere = f"https://localhost:{world.servers[-1].port}/git/up.git"  # the good server, by its own port
    misbehaving(world, http("302 Found", b"", f"Location: {elsewhere}/info/refs?service=git-upload-pack"))
    world.commit()
    yield fault(5)


@hostile()
def redirect_to_plain_http(world: World) -> Iterator[Outcome]:
    yield from after_a_good_one(world, 5, http("301 Moved", b"", "Location: http://127.0.0.1:1/"))


@hostile()
def asks_for_a_password(world: World) -> Iterator[Outcome]:
    yield from after_a_good_one(world, 9, http("401 Unauthorized", b"", 'WWW-Authenticate: Basic realm="lab"'))


@hostile()
def forbidden(world: World) -> Iterator[Outcome]:
    yield from after_a_good_one(world, 9, http("403 Forbidden"))


@hostile()
def not_found(world: World) -> Iterator[Outcome]:
    yield from after_a_good_one(world, 1, http("404 Not Found"))


@hostile()
def error_of_the_server(world: World) -> Iterator[Outcome]:
    yield from after_a_good_one(world, 1, http("500 Internal Server Error"))


@hostile(quick=True)
def page_of_garbage(world: World) -> Iterator[Outcome]:
    yield from after_a_good_one(world, 1, http("200 OK", b"\x00\x1b[31mgarbage" * 1000, servers.ADVERTISEMENT))


@hostile()
def page_for_people(world: World) -> Iterator[Outcome]:
    yield from after_a_good_one(world, 8, http("200 OK", b"<html>Please log in</html>", "Content-Type: text/html"))


@hostile()
def plain_http_on_the_port(world: World) -> Iterator[Outcome]:
    yield from after_a_good_one(world, 1, lambda connection: connection.sendall(b"HTTP/1.1 400 Bad\r\n\r\n"), with_tls=False)


@hostile(quick=True)
def closes_at_once(world: World) -> Iterator[Outcome]:
    yield from after_a_good_one(world, 1, lambda connection: None, with_tls=False)


@hostile()
def nobody_listens(world: World) -> Iterator[Outcome]:
    servers.https(world)
    world.commit()
    yield TAKEN
    servers.door_of(world).close()
    yield fault(1)


@hostile(slow=True)
def says_nothing(world: World) -> Iterator[Outcome]:
    world.patience = 130
    yield from after_a_good_one(world, 2, lambda connection: time.sleep(140), with_tls=False)


@hostile(slow=True)
def drips(world: World) -> Iterator[Outcome]:
    """A byte now and then, for ever."""
    def answer(connection: socket.socket) -> None:
        servers.read_request(connection)
        connection.sendall(f"HTTP/1.1 200 OK\r\n{servers.ADVERTISEMENT}\r\n\r\n".encode())
        while True:
            connection.sendall(b"0")
            time.sleep(0.5)
    world.patience = 130
    yield from after_a_good_one(world, 2, answer)


def endless(connection: socket.socket) -> None:
    servers.read_request(connection)
    connection.sendall(f"HTTP/1.1 200 OK\r\n{servers.ADVERTISEMENT}\r\n\r\n".encode())
    piece = servers.line(b"# service=git-upload-pack\n") + b"0000"
    while True:
        connection.sendall(piece)
        piece = servers.line(b"1" * 40 + b" refs/heads/" + b"x" * 900 + b"\n") * 1000


@hostile()
def refs_without_end(world: World) -> Iterator[Outcome]:
    world.patience = 130
    yield from after_a_good_one(world, 6, endless)


def sends(world: World, number: int, pack: object) -> Iterator[Outcome]:
    assert callable(pack)
    yield from after_a_good_one(world, number, servers.sending_pack("1" * 40, pack))


@hostile(quick=True)
def pack_of_garbage(world: World) -> Iterator[Outcome]:
    yield from sends(world, 7, lambda: os.urandom(100_000))


@hostile()
def pack_without_what_was_asked_for(world: World) -> Iterator[Outcome]:
    yield from sends(world, 7, lambda: packs.finished([packs.plain("blob", b"something else")]))


@hostile()
def pack_that_says_it_has_more(world: World) -> Iterator[Outcome]:
    yield from sends(world, 7, lambda: b"PACK" + bytes([0, 0, 0, 2, 255, 255, 255, 255]) + packs.plain("blob", b"one"))


@hostile()
def delta_that_grows_to_1_gib(world: World) -> Iterator[Outcome]:
    yield from sends(world, 6, lambda: packs.growing(8 * MIB, 128))


@hostile()
def pack_with_a_flipped_byte(world: World) -> Iterator[Outcome]:
    servers.https(world)
    world.commit()
    yield TAKEN
    for number in range(5):
        world.commit(text=f"version: 1\n# {number}\n" + "# more\n" * 100)
    world.up.git("repack", "-adq")
    (pack,) = (world.up.path / "objects/pack").glob("*.pack")
    blob = world.up.git("rev-parse", "main:cluster.yaml").strip()
    (found,) = (one for one in world.up.git("verify-pack", "-v", str(pack)).splitlines() if one.startswith(blob))
    data = bytearray(pack.read_bytes())
    data[int(found.split()[4]) + 9] ^= 0x20
    pack.chmod(0o644)
    pack.write_bytes(data)
    yield fault(7)


ASKED = pathlib.Path("/run/spark-reconcile/fetch-asked")


@hostile()
def a_fault_that_stays_is_tried_later_and_later(world: World) -> Iterator[Outcome]:
    """What a server sends may be large. While it shows the same, it is asked what it has and sends nothing."""
    sent: list[int] = []

    def misbehaves(head: str) -> None:
        def pack() -> bytes:
            sent.append(1)
            return packs.finished([packs.plain("blob", b"something else")])
        misbehaving(world, servers.sending_pack(head, pack))

    def fetches(wait_s: int | None) -> Iterator[Outcome]:
        before = len(sent)
        yield fault(7)
        expect((len(sent) > before) == (wait_s is not None), "fetched, or put off, where the other belongs")
        if wait_s is not None:
            waits = world.offer().get("retry", {}).get("wait_ms", 0)
            expect(waits == wait_s * 1000, f"{waits} ms are waited")

    servers.https(world)
    world.set(every="1m")
    world.commit()
    yield TAKEN
    misbehaves("1" * 40)
    yield from fetches(0)  # nobody knows yet what it shows
    yield from fetches(60)
    yield from fetches(None)
    offer = world.offer()
    offer["retry"]["at_ms"] -= 60_000
    (world.fetched / "offer.json").write_text(json.dumps(offer))
    yield from fetches(120)
    yield from fetches(None)
    ASKED.parent.mkdir(exist_ok=True)
    ASKED.write_text("")  # as `sync` does
    yield from fetches(240)
    yield from fetches(None)
    misbehaves("2" * 40)
    yield from fetches(60)
    servers.https(world)
    yield TAKEN
    expect("retry" not in world.offer(), "a good fetch has nothing to wait for")


@hostile(quick=True)
def host_key_changed(world: World) -> Iterator[Outcome]:
    servers.ssh(world)
    world.commit()
    yield TAKEN
    world.set(host_keys=[public(make_key(world.root / "servers/another"))])
    yield fault(3)


@hostile(quick=True)
def host_key_not_pinned_yet(world: World) -> Iterator[Outcome]:
    """The fetch for `follow` shows the server's key, and fetches nothing; any other fetch wants it pinned."""
    host = servers.ssh(world)
    world.commit()
    yield TAKEN
    pinned = world.settings["host_keys"]
    world.set(host_keys=None)
    done = world.fetch()
    expect(done.code == 5, f"fetched from a server that nobody knows: {done.text}")
    looked = world.root / "servers/looked"
    looked.mkdir()
    words = (world.programs.fetch, "--or-host-keys", world.write_settings(), looked, world.scratch[0])
    world.run(*words)
    expect(document_at(looked / "offer.json").get("host_keys") == [public(host)], "not the server's key")
    expect(not (looked / "repository").exists(), "fetched from a server that nobody knows")
    servers.door_of(world).close()
    world.run(*words)
    offer = document_at(looked / "offer.json")
    expect(offer["fault"]["id"] == "SR-GIT-001" and "host_keys" not in offer, f"a server that is away: {offer}")
    world.set(host_keys=pinned)
    yield fault(1)


@hostile()
def key_refused(world: World) -> Iterator[Outcome]:
    servers.ssh(world)
    world.commit()
    yield TAKEN
    (world.root / "servers/authorized").write_text(public(world.keys["mallory"]) + "\n")
    yield fault(9)


@hostile()
def no_deploy_key(world: World) -> Iterator[Outcome]:
    servers.ssh(world)
    world.commit()
    yield TAKEN
    (world.credentials / "deploy-key").write_text("\n")
    yield fault(9)


@hostile()
def another_command_at_the_server(world: World) -> Iterator[Outcome]:
    servers.ssh(world)
    world.commit()
    yield TAKEN
    (world.root / "servers/authorized").write_text(
        f'command="echo hello; cat /etc/passwd",restrict {public(world.root / "servers/deploy")}\n')
    yield fault(1)


@hostile()
def banner_of_1_mib(world: World) -> Iterator[Outcome]:
    def answer(connection: socket.socket) -> None:
        connection.sendall(b"\x1b[2Jhello, and much more of that\r\n" * 32768 + b"SSH-2.0-lab\r\n")
        connection.recv(100_000)
    servers.ssh(world)
    world.commit()
    yield TAKEN
    misbehaving(world, answer, with_tls=False)
    yield fault(1)


@hostile()
def ssh_server_that_says_nothing(world: World) -> Iterator[Outcome]:
    servers.ssh(world)
    world.commit()
    yield TAKEN
    misbehaving(world, lambda connection: time.sleep(60), with_tls=False)
    yield fault(2)
