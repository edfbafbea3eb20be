#!/usr/bin/env python3
"""Decodes objects of chunks, written from lib/FORMAT.md alone.

A second reading of what lies in the bucket, in another language and without any of the project's code.

    decode_object.py FILE...     prints the messages of each as a line of JSON
    decode_object.py --self-test decodes the example of lib/FORMAT.md, and every broken form of it

Chunks that are compressed are refused: Python has zstd from 3.14 on only.
"""

import json
import re
import sys
import zlib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "wire"))
sys.dont_write_bytecode = True

from decode_batch import Malformed, Reader, Tally, decode_record  # noqa: E402

COMPRESSED, JSON_CHECKED = 1, 2


def decode_object(source: bytes) -> list[dict]:
    reader = Reader(source)
    if reader.take(3) != b"VO\x01":
        raise Malformed("no object of version 1")
    refs = decode_refs(reader.part())
    messages: list[dict] = []
    for count, chunk_bytes in refs:
        chunk = decode_chunk(Reader(reader.take(chunk_bytes)))
        if len(chunk) != count:
            raise Malformed(f"a chunk has {len(chunk)} messages, its ref {count}")
        messages += chunk
    if not reader.at_end():
        raise Malformed("an object holds more than its chunks")
    return messages


def decode_refs(source: bytes) -> list[tuple[int, int]]:
    """Messages and bytes of each chunk."""
    reader = Reader(source[:-4])
    if zlib.crc32(reader.source) != int.from_bytes(source[-4:], "little"):
        raise Malformed("the refs are damaged")
    reader.integer()  # the base, which is 0
    refs = []
    while not reader.at_end():
        number, chunk_bytes, _time = (reader.integer() for _ in range(3))
        refs.append((number >> 1, chunk_bytes))
    if not refs:
        raise Malformed("an object without a chunk")
    return refs


def decode_chunk(reader: Reader) -> list[dict]:
    if reader.take(3) != b"VC\x01":
        raise Malformed("no chunk of version 1")
    (flags,) = reader.take(1)
    if flags & ~(COMPRESSED | JSON_CHECKED):
        raise Malformed(f"unknown flags {flags}")
    count, _, record_bytes, payload_bytes = (reader.integer() for _ in range(4))
    header = reader.source[: reader.position]
    crc = int.from_bytes(reader.take(4), "little")
    payload = reader.take(payload_bytes)
    if zlib.crc32(payload, zlib.crc32(header)) != crc:
        raise Malformed("a chunk is damaged")
    if flags & COMPRESSED:
        raise Malformed("a chunk is compressed")
    if record_bytes != payload_bytes or not reader.at_end():
        raise Malformed("a chunk has other bytes than it says")
    records = Reader(payload)
    messages = [decode_record(records) for _ in range(count)]
    if not records.at_end():
        raise Malformed("a chunk holds more than its records")
    return messages


def example() -> bytes:
    document = (ROOT.parent / "lib" / "FORMAT.md").read_text("utf-8")
    (block,) = re.findall(r"```hex object\n(.*?)```", document, re.S)
    return bytes.fromhex(re.sub(r"#.*", "", block))


def self_test() -> int:
    tally, source = Tally(), example()
    bodies = [message["body"] for message in decode_object(source)]
    tally.check(bodies == ["[1]", "hi", "o"], f"the example holds {bodies}")
    for at in range(len(source)):
        tally.check(is_refused(source[:at]), f"the example, cut off at {at}")
    for at in range(len(source)):
        broken = source[:at] + bytes([source[at] ^ 0x20]) + source[at + 1 :]
        tally.check(is_refused(broken), f"the example, with byte {at} changed")
    tally.check(is_refused(source + b"\x00"), "the example and a byte more")
    print(f"{tally.passed} passed, {tally.failed} failed")
    return 1 if tally.failed else 0


def is_refused(source: bytes) -> bool:
    try:
        decode_object(source)
    except Malformed:
        return True
    return False


def main(arguments: list[str]) -> int:
    if arguments == ["--self-test"]:
        return self_test()
    if not arguments or arguments[0].startswith("-"):
        print(__doc__, file=sys.stderr)
        return 2
    for name in arguments:
        try:
            messages = decode_object(Path(name).read_bytes())
        except Malformed as error:
            print(f"{name} is malformed: {error}", file=sys.stderr)
            return 1
        print(json.dumps(messages, ensure_ascii=False))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
