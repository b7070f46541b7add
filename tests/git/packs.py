"""Packs, written by hand: with any content under any name, and with deltas that grow."""

import hashlib
import pathlib
import struct
import zlib

KINDS = {"commit": 1, "tree": 2, "blob": 3, "tag": 4}
OFS_DELTA = 6
Entry = tuple[str, str, bytes]  # name, kind, content


def head_of(kind: int, size: int) -> bytes:
    byte, size = (kind << 4) | (size & 15), size >> 4
    found = bytearray()
    while size:
        found.append(byte | 0x80)
        byte, size = size & 0x7F, size >> 7
    return bytes([*found, byte])


def plain(kind: str, content: bytes) -> bytes:
    return head_of(KINDS[kind], len(content)) + zlib.compress(content)


def finished(entries: list[bytes]) -> bytes:
    pack = b"PACK" + struct.pack(">II", 2, len(entries)) + b"".join(entries)
    return pack + hashlib.sha1(pack).digest()


def write_raw(folder: pathlib.Path, entries: list[tuple[str, bytes]]) -> None:
    """A pack with its index, in which each entry has the name that is given: gitformat-pack(5)."""
    offsets, crcs, at = {}, {}, 12
    for name, entry in entries:
        offsets[name], crcs[name] = at, zlib.crc32(entry)
        at += len(entry)
    pack = finished([entry for _, entry in entries])
    names = sorted(offsets)
    counts = [sum(int(name[:2], 16) <= first for name in names) for first in range(256)]
    index = b"\377tOc" + struct.pack(">I256I", 2, *counts) + b"".join(bytes.fromhex(name) for name in names)
    index += b"".join(struct.pack(">I", crcs[name]) for name in names)
    index += b"".join(struct.pack(">I", offsets[name]) for name in names) + pack[-20:]
    stem = folder / f"pack-{pack[-20:].hex()}"
    stem.with_suffix(".pack").write_bytes(pack)
    stem.with_suffix(".idx").write_bytes(index + hashlib.sha1(index).digest())


def write(folder: pathlib.Path, objects: list[Entry]) -> None:
    write_raw(folder, [(name, plain(kind, content)) for name, kind, content in objects])


def zeros(size: int) -> bytes:
    """An object of that many zeros, which never lie in memory."""
    packer, found, some = zlib.compressobj(1), [], bytes(1 << 20)
    for at in range(0, size, len(some)):
        found.append(packer.compress(some[:size - at]))
    return head_of(KINDS["blob"], size) + b"".join(found) + packer.flush()


def varint(size: int) -> bytes:
    found = bytearray()
    while size > 0x7F:
        found.append(0x80 | size & 0x7F)
        size >>= 7
    return bytes([*found, size])


def delta_on(base: bytes, delta: bytes) -> bytes:
    """The entry behind its base."""
    offset, back = len(base), bytearray()
    back.append(offset & 0x7F)
    while offset := offset >> 7:
        offset -= 1
        back.insert(0, 0x80 | offset & 0x7F)
    return head_of(OFS_DELTA, len(delta)) + bytes(back) + zlib.compress(delta)


def growing(base_size: int, copies: int) -> bytes:
    """A pack of zeros and of a delta that repeats them: base_size * copies bytes, from a few."""
    base = plain("blob", bytes(base_size))
    copy = b"\xf0" + struct.pack("<I", base_size)[:3]
    return finished([base, delta_on(base, varint(base_size) + varint(base_size * copies) + copy * copies)])


def write_shrinking(folder: pathlib.Path, name: str, base_size: int) -> None:
    """Under that name ten bytes, which are a delta on a large object."""
    base = zeros(base_size)  # a worker's memory would be counted as that of what it starts
    write_raw(folder, [("f" * 40, base), (name, delta_on(base, varint(base_size) + varint(10) + b"\x90\x0a"))])
