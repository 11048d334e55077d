"""The header `Idempotency-Key`: who repeats a write with it is answered as the first time.

What makes a request the same: caller, method and path with its ids, whichever way they are spelt;
and the decoded query and body, so that the order of a body's fields is free. A body that is no
JSON is told by its kind and length, for it is never held in memory.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import msgspec

from hubbub.domain.idempotency.carry_out import carry_out_once
from hubbub.domain.idempotency.subjects import find_life
from hubbub.http.call import Call
from hubbub.http.operation import Operation
from hubbub.http.raw_request import Header
from hubbub.records.idempotency.model import Answer, Claim, check_key
from hubbub.runtime import Runtime

HEADER = "Idempotency-Key"
REPLAYED = "Idempotent-Replayed"
_encode = msgspec.json.Encoder(order="sorted").encode


async def answer_once(
    call: Call,
    operation: Operation,
    header: Header,
    arguments: Mapping[str, Any],
    render: Callable[[Any], bytes],
) -> Answer:
    """The answer of an operation that is carried out unless its key has come before.

    Raises:
        BadIdempotencyKey: the key has no acceptable form.
        IdempotencyKeyReused: it came before, with another request.
        UidNotFound, GuidNotFound, MessageIdNotFound: it came before, and what it was answered is
            about somebody or something that was deleted for good since.
        Refusal: what the operation refuses.
    """
    key = header(HEADER.lower()) or ""
    check_key(key)

    async def work(runtime: Runtime) -> Answer:
        own = replace(call, runtime=runtime, answer_headers={})
        body = render(await operation.handler(own, **arguments))
        return Answer(own.answer_headers, msgspec.Raw(body))

    life = await find_life(call.runtime, call.app_id, call.actor)
    claim = _claim(call, operation, key, header, arguments, life)
    answer, is_repeated = await carry_out_once(call.runtime, claim, work)
    if is_repeated:
        answer.headers[REPLAYED] = "true"
    return answer


def _claim(
    call: Call,
    operation: Operation,
    key: str,
    header: Header,
    arguments: Mapping[str, Any],
    life: int | None,
) -> Claim:
    parameters = operation.path_parameters
    path = {parameter.name: arguments[name] for name, parameter in parameters.items()}
    what = [operation.method, operation.path, path]
    body = arguments.get("body")
    known = body if isinstance(body, msgspec.Struct) else None
    asked = [arguments.get("query"), known, _form(header)]
    return Claim(
        call.app_id,
        hash=_hash(call, [call.app_id, [*_caller(call), life], what, key]),
        request=_hash(call, asked),
        named=[(each.kind, f"{path[each.name]}") for each in parameters.values() if each.kind],
    )


def _caller(call: Call) -> list[str]:
    """Whoever calls: a user, by whichever token of his; or a key, and for whom.

    A uid may be another one's since: what tells the two apart is the life of the acting user.
    """
    uid = call.actor.uid or ""
    return [uid] if call.is_by_token and uid else [call.credential, uid]


def _form(header: Header) -> list[str | None]:
    """What tells a body that is no JSON from others."""
    kind = (header("content-type") or "").partition(";")[0].strip().lower()
    return [kind, header("content-length")] if kind.startswith("multipart/") else []


def _hash(call: Call, parts: list[Any]) -> str:
    return call.runtime.sealer.hash(_encode(parts).decode())
