"""Whoever is on the wire while nodes pair: forges, replays and swaps what they say, as fast as it can.

    discover_forger.py LINK content|identity

`content` leaves alone who says a thing: it sends each frame again, and openings and consents with other keys,
nonces and signatures. `identity` says that a node is another one. It never ends by itself.
"""

import base64
import json
import os
import socket
import sys

ETHERTYPE = 0x88B5
MAGIC = b"SPARKDS2"


def forgeries(frame: dict) -> list[dict]:
    """Other frames in the name of the same node."""
    opening, consent, record = frame.get("opening"), frame.get("consent"), frame.get("record")
    random_key = base64.b64encode(os.urandom(32)).decode()
    if opening:
        return [
            frame | {"opening": opening | {"key": random_key}},
            frame | {"opening": opening | {"nonce": os.urandom(32).hex()}},
            frame | {"opening": {"run": opening["run"], "nonce": os.urandom(32).hex(), "key": random_key}},
        ]
    if consent:
        return [frame | {"consent": consent | {"run": seen}} for seen in runs]
    if record:
        # Before anybody has said yes, and with a sequence that does not shut the node itself out.
        signature = base64.b64encode(os.urandom(64)).decode()
        return [
            {"run": frame["run"], "cage": frame["cage"], "consent": {"run": record["run"], "signature": signature}},
            frame | {"record": record | {"refuses": True, "sequence": 0}},
        ]
    return []


def impostors(frame: dict) -> list[dict]:
    record = frame.get("record")
    return [frame | {"record": record | {"commitment": os.urandom(32).hex()}}] if record else []


link, mode = sys.argv[1:]
wire = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETHERTYPE))
wire.bind((link, ETHERTYPE))
runs: set[str] = set()
kept: list[bytes] = []
while True:
    data, (_, _, kind, _, _) = wire.recvfrom(2048)
    if kind == socket.PACKET_OUTGOING or not data[14:].startswith(MAGIC):
        continue
    frame = json.loads(data[14 + len(MAGIC) :].rstrip(b"\0"))
    runs.add((frame.get("record") or frame)["run"])
    kept = [*kept[-64:], data]
    made = forgeries(frame) if mode == "content" else impostors(frame)
    for text in made:
        wire.send(data[:14] + MAGIC + json.dumps(text).encode())
    if mode == "content":
        for old in kept:
            wire.send(old)
