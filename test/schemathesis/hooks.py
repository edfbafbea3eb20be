"""What the fuzzer cannot read from the description of the API.

Every function says why it is needed. None of them hides an answer: they choose which requests are
sent, so that most of them reach a stream that is there, and none goes on without end.
"""

import json
import os
import re
import zlib
from urllib.error import HTTPError
from urllib.parse import quote, unquote
from urllib.request import Request, urlopen

import schemathesis
from hypothesis import strategies as st
from schemathesis.core import NotSet
from schemathesis.core.parameters import ParameterLocation

ORIGIN = os.environ["VARVE_ORIGIN"]
STREAMS = ["orders", "press/1", "ä 🜁"]
PUBLISHER = "press-1"
CONSUMER = "audit"
CONSUMER_OPTIONS = ("commit", "track", "from_default")
DELAYS = {"delay_ms", "deliver_at"}
PUBLISHER_OPTIONS = {"publisher", "publishing_id", "epoch"}
NAME_BYTES_MAX = 255
MESSAGES = "application/vnd.varve.messages"
PUBLISH = "POST /v1/streams/{stream}/messages"
EXCHANGE = "quakes"
EXCHANGE_PATH = "/v1/exchanges/{exchange}"
ROUTE = f"POST {EXCHANGE_PATH}/messages"


# Bodies that a schema cannot describe: lines of JSON, and frames.

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=5,
)


def lines(values):
    encoded = values.map(json.dumps)
    return st.lists(encoded, min_size=1, max_size=5).map(lambda some: "\n".join(some).encode())


def message(kind, value):
    return st.fixed_dictionaries({kind: value}, optional={"key": texts, "routing_key": texts})


message_objects = (
    message("json", json_values) | message("text", texts) | message("base64", st.just("/+8="))
)
# One record: the JSON body [1] with the key "k" (lib/FORMAT.md).
frame = bytes.fromhex("56 01 00 01 07 06 04 01 6b 5b 31 5d")

BY_STRATEGY = {
    "application/x-ndjson": lines(json_values),
    f"{MESSAGES}+ndjson": lines(message_objects),
    MESSAGES: st.just(frame),
}
for media_type, strategy in BY_STRATEGY.items():
    schemathesis.openapi.media_type(media_type, strategy)


@schemathesis.serializer(*BY_STRATEGY)
def as_bytes(_context, value):
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "replace")


@schemathesis.hook
def before_load_schema(_context, raw_schema):
    """A body with a strategy of its own cannot be taken from an example in text."""
    for operation in (PUBLISH, ROUTE):
        path = operation.removeprefix("POST ")
        content = raw_schema["paths"][path]["post"]["requestBody"]["content"]
        for media_type in BY_STRATEGY:
            content.get(media_type, {}).pop("example", None)


@schemathesis.hook
def before_call(_context, case, _kwargs):
    use_known_names(case)
    end_what_follows(case)
    if case.operation.label in (PUBLISH, ROUTE):
        # With raw=true any body is right, so nothing that is described of one holds.
        case.query.pop("raw", None)
    if case.meta.generation.mode.is_positive:
        if isinstance(case.body, (dict, list)):
            case.body = with_written_integers(case.body)
        keep_together(case)
    else:
        make_wrong(case)


def use_known_names(case):
    """Three of four streams become one of a few that exist and have messages: with names drawn at
    random nearly every answer would be a 404. So does a name whose characters fit and whose bytes do
    not, since a schema cannot count bytes. Names arrive here percent-encoded."""
    names = case.path_parameters or {}
    use_known_exchange(names)
    stream = unquote(str(names.get("stream", "")))
    if not is_name(stream):
        return
    number = zlib.crc32(stream.encode())
    if number % 4 == 0 and len(stream.encode()) <= NAME_BYTES_MAX:
        return
    names["stream"] = quote(STREAMS[number % len(STREAMS)], safe="")
    if is_name(unquote(str(names.get("publisher", "")))):
        names["publisher"] = PUBLISHER
    if is_name(unquote(str(names.get("consumer", "")))):
        names["consumer"] = CONSUMER
    restore(names["stream"])


def use_known_exchange(names):
    """As of streams: it is there, with a stream bound to it."""
    exchange = unquote(str(names.get("exchange", "")))
    if is_name(exchange) and zlib.crc32(exchange.encode()) % 4 != 0:
        names["exchange"] = EXCHANGE
        restore_exchange()


def is_name(text):
    return (
        isinstance(text, str)
        and 1 <= len(text) <= NAME_BYTES_MAX
        and not re.search(r"^\.{1,2}$|^amq\.|^varve\.|[\x00-\x1f\x7f-\x9f\ud800-\udfff]", text)
    )


def restore(stream):
    """Operations delete, purge and trim: the next one is to find a message and a publisher again."""
    number = restore.next_id = getattr(restore, "next_id", 0) + 1
    query = f"create=true&publisher={PUBLISHER}&publishing_id={number}"
    url = f"{ORIGIN}/v1/streams/{stream}/messages?{query}"
    try:
        urlopen(Request(url, method="POST", data=b"a message")).close()
    except HTTPError as refusal:
        # A generated publish has raised the publisher's epoch: then it is there, as is a message.
        if refusal.code != 409:
            raise
    stored = f"{ORIGIN}/v1/streams/{stream}/consumers/{CONSUMER}"
    body = json.dumps({"next": 0}).encode()
    urlopen(Request(stored, method="PUT", data=body)).close()


def restore_exchange():
    """Operations delete and unbind, and one that was deleted is declared otherwise."""
    exchange = f"{ORIGIN}/v1/exchanges/{EXCHANGE}"
    declaration = json.dumps({"type": "topic"}).encode()
    try:
        urlopen(Request(exchange, method="PUT", data=declaration)).close()
    except HTTPError as refusal:
        if refusal.code != 409:
            raise
        urlopen(Request(exchange, method="DELETE")).close()
        urlopen(Request(exchange, method="PUT", data=declaration)).close()
    restore(STREAMS[0])
    bound = {"destination_type": "stream", "destination": STREAMS[0], "routing_key": "#"}
    body = json.dumps(bound).encode()
    urlopen(Request(f"{exchange}/bindings", method="POST", data=body)).close()


def end_what_follows(case):
    """Event streams and lines that follow have no end of their own: a time that has passed is one."""
    for asked in (case.query, case.body):
        if not isinstance(asked, dict):
            continue
        if asked.get("as") == "sse" or asked.get("follow") in (True, "true"):
            asked["until"] = "2020-01-01T00:00:00Z"
        # Of a positive case 17.0 becomes 17 afterwards.
        if isinstance(asked.get("wait"), (int, float)):
            asked["wait"] = min(asked["wait"], 1)


def make_wrong(case):
    """A body of lines or frames has no wrong values of its own, and an optional one is right when it
    is missing."""
    body = case.meta.components.get(ParameterLocation.BODY)
    if body is None or body.mode.is_positive:
        return
    if case.media_type in BY_STRATEGY:
        case.body = b"\xff"
    elif isinstance(case.body, NotSet):
        case.body = []


def with_written_integers(value):
    """To JSON Schema 1.0 is an integer; the service takes only those that are written as one."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [with_written_integers(item) for item in value]
    if isinstance(value, dict):
        return {name: with_written_integers(item) for name, item in value.items()}
    return value


def keep_together(case):
    """What belongs together in a valid request beyond the reach of a schema."""
    match case.operation.label:
        case operation if operation in (PUBLISH, ROUTE):
            name_publishes_whole(case)
            if operation == ROUTE and isinstance(case.body, dict):
                # Of one stream: there may be many.
                for option in ("expected_offset", "fencing_token", "create"):
                    case.body.pop(option, None)
            if operation == ROUTE:
                drop_delays(case)
            type_data(case.body)
        case operation if operation == f"PUT {EXCHANGE_PATH}":
            give_arguments_of_type(case.body)
        case operation if operation == f"POST {EXCHANGE_PATH}/bindings":
            # One that is there, bound as a topic exchange takes it.
            case.body |= {"destination_type": "stream", "destination": STREAMS[0]}
        case "GET /v1/delayed":
            # Of a stream or of an exchange, behind an id.
            if "stream" in case.query:
                case.query.pop("exchange", None)
            if "start_after" in case.query:
                case.query["start_after"] = "00"
        case "POST /v1/streams/{stream}/trim":
            # At most the next offset of the stream, which a schema cannot know.
            case.body["before"] = 0
        case "PUT /v1/streams/{stream}/consumers/{consumer}":
            case.body = {"next": 0}
        case "POST /v1/streams/{stream}/consumers/{consumer}/ack":
            case.body["through"] = 0
        case "GET /v1/streams/{stream}/messages":
            name_consumer(case.query)
            follow_by_lines(case, case.query)
        case "GET /v1/streams/{stream}/offsets":
            name_consumer(case.query)
        case "POST /v1/streams/{stream}/read":
            asked = case.body if isinstance(case.body, dict) else {}
            name_consumer(asked)
            follow_by_lines(case, asked)
            order_bounds(asked.get("filter"))
        case "POST /v1/streams/{stream}/read-plan":
            name_consumer(case.body if isinstance(case.body, dict) else {})


def drop_delays(case):
    """The exchange that is there holds nothing, so it takes no delays."""
    asked = case.body.get("messages", []) if isinstance(case.body, dict) else []
    for place in (case.query, *asked):
        for option in DELAYS:
            place.pop(option, None)


def give_arguments_of_type(declaration):
    """Each argument is of one type, and values are looked at where anybody may publish."""
    arguments = declaration.get("arguments") or {}
    if declaration.get("type") != "headers":
        arguments.pop("x-match", None)
    if declaration.get("type") != "x-consistent-hash":
        arguments.pop("hash_on", None)
    if declaration.get("internal"):
        declaration.pop("deduplication", None)
    if declaration.get("type") == "x-delayed-message":
        declaration["delayed_type"] = "topic"
    else:
        declaration.pop("delayed_type", None)


def name_consumer(asked):
    """Options of a consumer need one, and none commits more than there is."""
    if "consumer" in asked:
        asked["consumer"] = CONSUMER
    elif asked.get("from") == "stored" or any(option in asked for option in CONSUMER_OPTIONS):
        asked["consumer"] = CONSUMER
    if "commit" in asked:
        asked["commit"] = 0


def follow_by_lines(case, asked):
    """Only lines can follow, and only an event stream resumes, at an id it has given."""
    if "Last-Event-ID" in (case.headers or {}):
        case.headers["Last-Event-ID"] = "0,1,9"
    if asked.get("follow") in (True, "true") and asked.get("as") not in ("sse", "ndjson", "text"):
        asked["as"] = "ndjson"


def order_bounds(asked):
    """No minimum of a box is above its maximum."""
    for part in asked if isinstance(asked, list) else [asked]:
        box = part.get("geo-bbox") if isinstance(part, dict) else None
        if box is None:
            continue
        for low, high in (("min_lat", "max_lat"), ("min_lon", "max_lon")):
            box[low], box[high] = sorted((box[low], box[high]))


def type_data(body):
    """An event's data is a string where its type is none of JSON."""
    for event in body if isinstance(body, list) else [body]:
        if isinstance(event, dict) and not isinstance(event.get("data"), str):
            event.pop("datacontenttype", None)


def name_publishes_whole(case):
    """The numbers of a publisher belong together across query, envelope and messages, an option is
    given once, and a key in the query belongs to a raw body."""
    query = case.query
    is_envelope = case.media_type == "application/json" and isinstance(case.body, dict)
    envelope = case.body if is_envelope else {}
    for member in set(query) & set(envelope):
        del envelope[member]
    for item in envelope.get("messages", []):
        item.pop("publishing_id", None)
        delay_once(item)
    if any(DELAYS & set(item) for item in envelope.get("messages", [])):
        # A delayed message has no offset that could be expected.
        query.pop("expected_offset", None)
        envelope.pop("expected_offset", None)
    given = [place for place in (query, envelope) if PUBLISHER_OPTIONS & set(place)]
    for place in given[1:]:
        for option in PUBLISHER_OPTIONS:
            place.pop(option, None)
    for place in given[:1]:
        place.setdefault("publisher", "fuzz")
        place["publishing_id"] = min(int(place.get("publishing_id", 1)), 2**53 - 10_001)
    if case.media_type not in ("text/plain", "application/octet-stream"):
        for option in ("key", "routing_key", *DELAYS):
            query.pop(option, None)
    delay_once(query)
    if DELAYS & set(query):
        query.pop("expected_offset", None)


def delay_once(asked):
    """A delay is given once, and a time is none further away than ten years."""
    if "delay_ms" in asked:
        asked.pop("deliver_at", None)
    elif "deliver_at" in asked:
        asked["deliver_at"] = "2033-01-01T00:00:00Z"
