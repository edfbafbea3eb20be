#!/usr/bin/env python3
"""Decodes `application/vnd.varve.messages`, written from the layouts in lib/wire alone.

A second reading of the format, in another language and without any of the project's code: what it
finds in the golden bytes must be what the golden file says of them.

    decode_batch.py FILE         prints the frames as JSON
    decode_batch.py --self-test  decodes test/golden/wire-v1.json, and every broken form of it
"""

import json
import sys
from pathlib import Path

GOLDEN = Path(__file__).resolve().parent.parent / "golden" / "wire-v1.json"

POSITIONED, IDENTIFIED = 1, 2
NUMBERED_TYPES = ["application/json", "text/plain; charset=utf-8", "application/octet-stream"]
NAMED_TYPE = 3
OPTIONAL_PARTS = [(4, "key"), (8, "routing_key"), (16, "headers"), (32, "properties")]
INTEGER_MAX = 2**53 - 1


class Malformed(ValueError):
    """Bytes that are no batch."""


class Reader:
    """Reads forward through bytes, and never beyond their end."""

    def __init__(self, source: bytes):
        self.source = source
        self.position = 0

    def at_end(self) -> bool:
        return self.position == len(self.source)

    def take(self, count: int) -> bytes:
        if count > len(self.source) - self.position:
            raise Malformed(f"{count} bytes at {self.position} are cut off")
        taken = self.source[self.position : self.position + count]
        self.position += count
        return taken

    def integer(self) -> int:
        """Unsigned LEB128 of at most 53 bits."""
        value = 0
        for shift in range(0, 56, 7):
            (byte,) = self.take(1)
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                if value > INTEGER_MAX:
                    break
                return value
        raise Malformed(f"the integer before {self.position} is above 2^53 - 1")

    def part(self) -> bytes:
        return self.take(self.integer())

    def text(self) -> str:
        try:
            return self.part().decode("utf-8")
        except UnicodeDecodeError as error:
            raise Malformed(f"the text before {self.position} is no UTF-8") from error


def decode_batch(source: bytes) -> list[dict]:
    reader = Reader(source)
    frames = []
    while not reader.at_end():
        frames.append(decode_frame(reader))
    return frames


def decode_frame(reader: Reader) -> dict:
    if reader.take(2) != b"V\x01":
        raise Malformed(f"no frame of version 1 before {reader.position}")
    (flags,) = reader.take(1)
    if flags & ~(POSITIONED | IDENTIFIED):
        raise Malformed(f"unknown flags {flags}")

    count = reader.integer()
    frame: dict = {}
    if flags & POSITIONED:
        frame["base"] = reader.integer()
        frame["timestamp"] = reader.integer()
    if flags & IDENTIFIED:
        frame["publishing_ids"] = decode_ids(reader, count)
    records = Reader(reader.part())
    frame["messages"] = [decode_record(records) for _ in range(count)]
    if not records.at_end():
        raise Malformed("a frame holds more than its records")
    return frame


def decode_ids(reader: Reader, count: int) -> list[int]:
    ids: list[int] = []
    for index in range(count):
        step = reader.integer()
        if index > 0 and step < 1:
            raise Malformed("publishing ids that do not rise")
        ids.append(step if index == 0 else ids[-1] + step)
        if ids[-1] > INTEGER_MAX:
            raise Malformed("a publishing id above 2^53 - 1")
    return ids


def decode_record(records: Reader) -> dict:
    record = Reader(records.part())
    (form,) = record.take(1)
    if form & 0b1100_0000:
        raise Malformed(f"unknown form bits {form}")

    number = form & 0b11
    message = {"content_type": record.text() if number == NAMED_TYPE else NUMBERED_TYPES[number]}
    parts = {name: record.text() for bit, name in OPTIONAL_PARTS if form & bit}
    body = record.take(len(record.source) - record.position)
    try:
        message["body"] = body.decode("utf-8")
    except UnicodeDecodeError:
        message["body_hex"] = body.hex()
    return {**message, **parts}


class Tally:
    def __init__(self) -> None:
        self.passed = 0
        self.failed = 0

    def check(self, holds: bool, what: str) -> None:
        if holds:
            self.passed += 1
            return
        self.failed += 1
        print(f"failed: {what}")


def is_refused(source: bytes) -> bool:
    try:
        decode_batch(source)
    except Malformed:
        return True
    return False


def self_test() -> int:
    tally = Tally()
    batches = json.loads(GOLDEN.read_text("utf-8"))["batches"]
    tally.check(len(batches) > 0, "the golden file has batches")
    for batch in batches:
        check_golden(batch, tally)
    print(f"{tally.passed} passed, {tally.failed} failed")
    return 1 if tally.failed else 0


def check_golden(batch: dict, tally: Tally) -> None:
    name, source = batch["name"], bytes.fromhex(batch["hex"])
    try:
        decoded = decode_batch(source)
    except Malformed as error:
        decoded = [{"malformed": str(error)}]
    tally.check(decoded == batch["frames"], f"{name}: {decoded} is not {batch['frames']}")

    ends = frame_ends(source)
    for length in range(len(source)):
        if length not in ends:
            tally.check(is_refused(source[:length]), f"{name}: cut off at {length}")
    for where, byte, what in [(0, 0x57, "magic"), (1, 2, "version"), (2, source[2] | 4, "flag")]:
        broken = source[:where] + bytes([byte]) + source[where + 1 :]
        tally.check(is_refused(broken), f"{name}: another {what}")
    tally.check(is_refused(source + b"\x00"), f"{name}: a byte more")


def frame_ends(source: bytes) -> set[int]:
    """Where a batch may end: a shorter one that is whole too."""
    reader, ends = Reader(source), {0}
    while not reader.at_end():
        decode_frame(reader)
        ends.add(reader.position)
    return ends


def main(arguments: list[str]) -> int:
    if arguments == ["--self-test"]:
        return self_test()
    if len(arguments) != 1 or arguments[0].startswith("-"):
        print(__doc__, file=sys.stderr)
        return 2
    try:
        frames = decode_batch(Path(arguments[0]).read_bytes())
    except Malformed as error:
        print(f"malformed: {error}", file=sys.stderr)
        return 1
    print(json.dumps({"frames": frames}, ensure_ascii=False, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
