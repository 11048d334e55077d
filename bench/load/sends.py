"""Requests that send messages: prebuilt, the same each time."""

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from bench.load.phrases import text
from bench.load.requests import SERIAL_PLACE, TIME_PLACE, Load, encode_request
from bench.load.scene import SENT_AT, Scene

CONNECTIONS, IMPORT_CONNECTIONS = 64, 4
PREBUILT, PREBUILT_IMPORTS = 2_000, 20
ROWS = 50
SENT = b'"id":'

_encode = msgspec.json.Encoder().encode
Body = dict[str, Any]
Bodies = Iterable[tuple[str, Body]]
"""Bodies with the uids of their senders."""


def one_to_one(scene: Scene, *, connections: int = CONNECTIONS, rate: float | None = None) -> Load:
    """Return texts between random users."""
    requests = _on_behalf(scene, _texts(scene))
    return Load(requests, SENT, connections=connections, rate=rate)


def with_muid(scene: Scene) -> Load:
    """Return such texts with a unique muid each."""
    muid = {"muid": SERIAL_PLACE.decode()}
    bodies = [(uid, body | muid) for uid, body in _texts(scene)]
    return Load(_on_behalf(scene, bodies), SENT, connections=CONNECTIONS)


def with_mention(scene: Scene) -> Load:
    """Return such texts that mention their receivers."""
    bodies = [(uid, body | _mentioning(body)) for uid, body in _texts(scene)]
    return Load(_on_behalf(scene, bodies), b'"mentions":', connections=CONNECTIONS)


def by_token(scene: Scene) -> Load:
    """Return such texts, authenticated by the senders' own tokens."""
    tokens = scene.tokens
    bodies = _texts(scene, list(tokens))
    requests = [_send({"authToken": tokens[uid]}, body) for uid, body in bodies]
    return Load(requests, SENT, connections=CONNECTIONS)


def to_group(scene: Scene) -> Load:
    """Return texts to a group by its members."""
    chance, group = random.Random(1), scene.group
    senders = chance.choices(group.members, k=PREBUILT)
    bodies = [(uid, _body(chance, group.guid, "group")) for uid in senders]
    return Load(_on_behalf(scene, bodies), SENT, connections=CONNECTIONS)


def timed_texts(scene: Scene, senders: Sequence[str], receivers: Sequence[str], kind: str) -> Load:
    """Return texts with the time of sending, `at-` and microseconds."""
    chance = random.Random(1)
    bodies = []
    for _ in range(PREBUILT):
        body = _body(chance, chance.choice(receivers), kind)
        body["data"]["text"] = f"at-{TIME_PLACE.decode()} {body['data']['text']}"
        bodies.append((chance.choice(senders), body))
    return Load(_on_behalf(scene, bodies), SENT)


def in_thread(scene: Scene) -> Load:
    """Return replies in the threads of messages."""
    chance = random.Random(1)
    requests = [
        _send(_acting(scene, uid), {"data": {"text": text(chance)}}, f"/{id_}/thread")
        for uid, id_ in chance.choices(scene.parents, k=PREBUILT)
    ]
    return Load(requests, b'"parentId":', connections=CONNECTIONS)


def imports(scene: Scene) -> Load:
    """Return imports of texts between random users."""
    bodies = iter(list(_texts(scene)))
    requests = [_import(scene, bodies, batch) for batch in range(PREBUILT_IMPORTS)]
    return Load(requests, b'"success":true', times=ROWS, connections=IMPORT_CONNECTIONS)


def _texts(scene: Scene, senders: Sequence[str] = ()) -> Iterator[tuple[str, Body]]:
    """Yield texts between two of all senders, or of these."""
    chance = random.Random(1)
    for _ in range(PREBUILT):
        sender, receiver = chance.sample(senders or scene.senders, 2)
        yield sender, _body(chance, receiver, "user")


def _body(chance: random.Random, receiver: str, kind: str) -> Body:
    return {
        "receiver": receiver,
        "receiverType": kind,
        "category": "message",
        "type": "text",
        "data": {"text": text(chance)},
    }


def _mentioning(body: Body) -> Body:
    return {"data": {"text": f"<@uid:{body['receiver']}> {body['data']['text']}"}}


def _on_behalf(scene: Scene, bodies: Bodies) -> list[bytes]:
    return [_send(_acting(scene, uid), body) for uid, body in bodies]


def _acting(scene: Scene, uid: str) -> dict[str, str]:
    return {"apikey": scene.key, "onBehalfOf": uid}


def _send(headers: Mapping[str, str], body: Body, path: str = "") -> bytes:
    return encode_request(f"/v3/messages{path}", headers, _encode(body))


def _import(scene: Scene, bodies: Iterator[tuple[str, Body]], batch: int) -> bytes:
    rows = {}
    for number in range(ROWS):
        sender, body = next(bodies)
        muid = f"{SERIAL_PLACE.decode()}-{number}"
        sent_at = SENT_AT + batch * ROWS + number
        rows[muid] = {**body, "muid": muid, "sender": sender, "sentAt": sent_at}
    content = _encode({"messages": rows})
    return encode_request("/v3.0/data_import/messages", {"apikey": scene.key}, content)
