#!/usr/bin/env python3
"""Decodes objects of chunks and of segments, written from lib/FORMAT.md alone.

A second reading of what lies in the bucket, in another language and without any of the project's code.

    decode_object.py FILE...     prints the messages of each as a line of JSON
    decode_object.py --self-test decodes the examples of lib/FORMAT.md, golden bytes, and every broken form of them

Chunks and blocks that are compressed are refused: Python has zstd from 3.14 on only.
"""

import json
import re
import struct
import sys
import zlib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "wire"))
sys.dont_write_bytecode = True

from decode_batch import Malformed, Reader, Tally, decode_record  # noqa: E402

COMPRESSED, JSON_CHECKED = 1, 2
SEGMENT_MAGIC = b"VS\x01"
FOOTER = struct.Struct("<QQI3s")
UNFILTERED, BOUNDED, HEADED = 1, 2, 4


def decode_object(source: bytes) -> list[dict]:
    if source.startswith(SEGMENT_MAGIC):
        return decode_segment(source)
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


def decode_segment(source: bytes) -> list[dict]:
    """The messages, each with its offset and its timestamp."""
    index, entries_start = index_of(source)
    reader, offset, last_ms = Reader(index), Reader(index).integer(), 0
    reader.integer()
    blocks = Reader(source[len(SEGMENT_MAGIC) : entries_start])
    messages: list[dict] = []
    while not reader.at_end():
        count, logical, size, first_after, last_after = (reader.integer() for _ in range(5))
        first_ms = last_ms + first_after
        last_ms = first_ms + last_after
        block = decode_block(Reader(blocks.take(size)), offset)
        check_summary(reader, block)
        found = len(block), sum(map(logical_bytes, block)), times(block)
        if found != (count, logical, (first_ms, last_ms)):
            raise Malformed(f"the index speaks of another block at {offset}")
        messages += block
        offset += count
    if not messages or not blocks.at_end():
        raise Malformed("a segment holds other bytes than its blocks")
    return messages


def index_of(source: bytes) -> tuple[bytes, int]:
    """The index without its checksum, and where it begins."""
    footer_start = len(source) - FOOTER.size
    if footer_start < len(SEGMENT_MAGIC):
        raise Malformed("a segment without a footer")
    index_start, object_bytes, crc, magic = FOOTER.unpack(source[footer_start:])
    if magic != SEGMENT_MAGIC or crc != zlib.crc32(source[footer_start : footer_start + 16]):
        raise Malformed("the footer is damaged")
    if object_bytes != len(source) or not len(SEGMENT_MAGIC) < index_start < footer_start - 4:
        raise Malformed(f"{len(source)} bytes of an object of {object_bytes}")
    index, crc_bytes = source[index_start : footer_start - 4], source[footer_start - 4 : footer_start]
    if zlib.crc32(index) != int.from_bytes(crc_bytes, "little"):
        raise Malformed("the index is damaged")
    return index, index_start


def decode_block(reader: Reader, offset: int) -> list[dict]:
    (flags,) = reader.take(1)
    if flags & ~COMPRESSED:
        raise Malformed(f"unknown flags {flags}")
    base, chunks, record_bytes, table_bytes, payload_bytes = (reader.integer() for _ in range(5))
    header = reader.source[: reader.position]
    crc = int.from_bytes(reader.take(4), "little")
    payload = reader.take(payload_bytes)
    if zlib.crc32(payload, zlib.crc32(header)) != crc or not reader.at_end():
        raise Malformed("a block is damaged")
    if flags & COMPRESSED:
        raise Malformed("a block is compressed")
    if base != offset or record_bytes + table_bytes != payload_bytes:
        raise Malformed("a block is not the one of its place")
    return decode_chunks(Reader(payload[:record_bytes]), Reader(payload[record_bytes:]), base, chunks)


def decode_chunks(records: Reader, table: Reader, base: int, chunks: int) -> list[dict]:
    messages: list[dict] = []
    time_ms = 0
    for _ in range(chunks):
        number, after_ms, chunk_bytes, logical = (table.integer() for _ in range(4))
        time_ms += after_ms
        chunk = Reader(records.take(chunk_bytes))
        decoded = [decode_record(chunk) for _ in range(number >> 1)]
        if not chunk.at_end() or sum(map(logical_bytes, decoded)) != logical:
            raise Malformed("a chunk has other messages than its table says")
        for message in decoded:
            messages.append({"offset": base + len(messages), "timestamp": time_ms, **message})
    if not records.at_end() or not table.at_end():
        raise Malformed("a block holds more than its chunks")
    return messages


def times(messages: list[dict]) -> tuple[int, int] | None:
    return (messages[0]["timestamp"], messages[-1]["timestamp"]) if messages else None


def logical_bytes(message: dict) -> int:
    body = len(bytes.fromhex(message["body_hex"])) if "body_hex" in message else 0
    parts = ("body", "key", "routing_key", "headers", "properties")
    return body + sum(len(message.get(part, "").encode("utf-8")) for part in parts)


def check_summary(reader: Reader, messages: list[dict]) -> None:
    """What it says must hold of the messages, or a filtered reader would miss some."""
    (flags,) = reader.take(1)
    if flags & ~(UNFILTERED | BOUNDED | HEADED):
        raise Malformed(f"unknown flags {flags} of a summary")
    values, keys = reader.part(), reader.part()
    named = reader.part() if flags & HEADED else None
    bounds = struct.unpack("<4d", reader.take(32)) if flags & BOUNDED else None
    headers = [json.loads(message.get("headers", "{}")) for message in messages]
    filters = [header.get("x-stream-filter-value") for header in headers]
    held = [value for filter_value in filters if filter_value is not None for value in filter_value.split(",")]
    places = [place for place in map(place_of, headers) if place]
    holds = (
        (None in filters) == bool(flags & UNFILTERED)
        and all(may_hold(values, value) for value in held)
        and all(may_hold(keys, message["key"]) for message in messages if "key" in message)
        and (named is None or all(may_equal(named, item) for header in headers for item in header.items()))
        and bounds == (bounds_of(places) if places else None)
    )
    if not holds:
        raise Malformed("a summary that does not fit its block")


def may_equal(named: bytes, item: tuple[str, object]) -> bool:
    """Objects and arrays equal no text; a number counts in its shortest form."""
    name, value = item
    if isinstance(value, (dict, list)) or may_hold(named, name):
        return True
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    text = value if isinstance(value, str) else json.dumps(value)
    return may_hold(named, f"{name}={text}")


def bounds_of(places: list[tuple[float, float]]) -> tuple[float, float, float, float]:
    lats, lons = zip(*places)
    return min(lats), max(lats), min(lons), max(lons)


def place_of(headers: dict) -> tuple[float, float] | None:
    lat, lon = (coordinate(headers.get(name)) for name in ("x-geo-lat", "x-geo-lon"))
    usable = lat is not None and lon is not None and abs(lat) <= 90 and abs(lon) <= 180
    return (lat, lon) if usable else None


def coordinate(value: object) -> float | None:
    if isinstance(value, str) and re.fullmatch(r"-?[0-9]+(\.[0-9]+)?", value):
        return float(value)
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def may_hold(bloom: bytes, entry: str) -> bool:
    if not bloom:
        return False
    hashed = zlib.crc32(entry.encode("utf-8"))
    product = hashed * 0x9E3779B1 % 2**32
    step = (product % 2**16 << 16 | product >> 16) | 1
    bits = [(hashed + probe * step) % 2**32 % (8 * len(bloom)) for probe in range(7)]
    return all(bloom[bit // 8] >> bit % 8 & 1 for bit in bits)


def example(name: str) -> bytes:
    document = (ROOT.parent / "lib" / "FORMAT.md").read_text("utf-8")
    (block,) = re.findall(rf"```hex {name}\n(.*?)```", document, re.S)
    return from_hex(block)


def golden(name: str) -> bytes:
    return from_hex((ROOT / "golden" / name).read_text("utf-8"))


def from_hex(text: str) -> bytes:
    return bytes.fromhex(re.sub(r"#.*", "", text))


def self_test() -> int:
    tally, base, time = Tally(), 300, 1_795_946_400_000
    check_object(tally, "the example", example("object"), [["[1]"], ["hi"], ["o"]])
    places = [["[1]", base, time], ["hi", base + 1, time], ["o", base + 2, time + 5]]
    check_object(tally, "the segment", example("segment"), places)
    places = [["[1]", base, time], ["x", base + 1, time], ["y", base + 2, time + 7]]
    check_object(tally, "the golden segment", golden("segment-v1-headers.hex"), places)
    check_object(tally, "the golden segment without headers", golden("segment-v1.hex"), places)
    tally.check(is_refused(golden("segment-v1-zstd.hex")), "a compressed segment is refused")
    print(f"{tally.passed} passed, {tally.failed} failed")
    return 1 if tally.failed else 0


def check_object(tally: Tally, name: str, source: bytes, expected: list[list]) -> None:
    """Each message's body and, in a segment, its offset and timestamp."""
    parts = ("body", "offset", "timestamp")
    found = [[message[part] for part in parts if part in message] for message in decode_object(source)]
    tally.check(found == expected, f"{name} holds {found}")
    for at in range(len(source)):
        tally.check(is_refused(source[:at]), f"{name}, cut off at {at}")
    for at in range(len(source)):
        broken = source[:at] + bytes([source[at] ^ 0x20]) + source[at + 1 :]
        tally.check(is_refused(broken), f"{name}, with byte {at} changed")
    tally.check(is_refused(source + b"\x00"), f"{name} and a byte more")


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
