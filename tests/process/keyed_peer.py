"""A peer with a key, written from docs/decisions/0070: what spark-peers says is compared with it.

hear LINK NODE                  prints the next hello of that node as hexadecimal digits
send LINK HEX                   sends those bytes
say LINK KEY HELLO              sends that hello with its MAC
ask KEY FROM TO NAME PEER LINE  asks, and prints the answer; exit 3: its MAC is wrong

KEY: hexadecimal digits.
"""

import base64
import hashlib
import hmac
import json
import os
import socket
import struct
import sys
import time

ETHER_TYPE = 0x88B5
PORT = 9843
WITHIN = 20


def hmac_of(key, *parts):
    data = b"".join(struct.pack("<Q", len(part)) + part for part in parts)
    return hmac.new(key, data, hashlib.sha256).digest()


def mac(key, *parts):
    return base64.b64encode(hmac_of(key, *parts)[:16]).rstrip(b"=")


def packet_socket(link):
    opened = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETHER_TYPE))
    opened.bind((link, ETHER_TYPE))
    opened.settimeout(WITHIN)
    return opened


def hear(link, node):
    opened = packet_socket(link)
    end = time.monotonic() + WITHIN
    while time.monotonic() < end:
        payload = opened.recv(2048)[14:]
        if f'"node":"{node}"'.encode() in payload:
            print(payload.hex())
            return
    sys.exit("no hello came")


def send(link, payload):
    opened = packet_socket(link)
    own = opened.getsockname()[4]
    opened.send(b"\xff" * 6 + own + struct.pack("!H", ETHER_TYPE) + payload)


def say(link, key, hello):
    before = b"SPARKHI1" + json.dumps(json.loads(hello), separators=(",", ":")).encode()[:-1]
    send(link, before + b',"mac":"' + mac(key, b"spark-peers hello 1", before) + b'"}')


def ask(key, own, to, name, peer, line):
    connection = socket.create_connection((to, PORT), WITHIN, (own, 0))
    lines = connection.makefile("rb")
    nonce = base64.b64encode(os.urandom(32)).decode().rstrip("=")
    first = {"ask": "key", "node": name, "version": 1, "nonce": nonce}
    connection.sendall(json.dumps(first).encode() + b"\n")
    answer = json.loads(lines.readline())
    theirs = answer["nonce"]
    session = hmac_of(key, b"spark-peers session 1", name.encode(), peer.encode(), nonce.encode(), theirs.encode())
    connection.sendall(mac(session, b"asks", b"0", line.encode()) + b" " + line.encode() + b"\n")
    said, _, text = lines.readline().rstrip(b"\n").partition(b" ")
    print(text.decode())
    if said != mac(session, b"answers", b"0", text):
        sys.exit(3)


command, *words = sys.argv[1:]
if command == "hear":
    hear(*words)
elif command == "send":
    send(words[0], bytes.fromhex(words[1]))
elif command == "say":
    say(words[0], bytes.fromhex(words[1]), words[2])
elif command == "ask":
    ask(bytes.fromhex(words[0]), *words[1:])
else:
    sys.exit(__doc__)
