"""The header `Idempotency-Key`: a write that is repeated with it gets the first answer again.

Two requests are the same if they agree in caller, method, path with its ids (in canonical form),
and decoded query and body, so the order of a body's fields does not matter. A form with files is
compared by its media type and length, since it is never held in memory.
"""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import msgspec

from hubbub.domain.idempotency.carry_out import carry_out_once
from hubbub.domain.idempotency.subjects import find_actor_number
from hubbub.http.call import Call
from hubbub.http.operation import Operation
from hubbub.http.request import Request
from hubbub.records.idempotency.model import Claim, StoredAnswer, check_key
from hubbub.runtime import Runtime

HEADER = b"idempotency-key"
REPLAYED = "Idempotent-Replayed"
PIECE_BYTES = 256 * 1024
_encode = msgspec.json.Encoder(order="sorted").encode


async def answer_once(
    call: Call,
    operation: Operation,
    request: Request,
    arguments: Mapping[str, Any],
    render: Callable[[Any], bytes],
) -> StoredAnswer:
    """Carry out an operation, unless its key was used before; return its first answer.

    Raises:
        BadIdempotencyKey: the key is empty, too long, or contains control characters.
        IdempotencyKeyReused: the key was used for another request.
        UidNotFound, GuidNotFound, MessageIdNotFound: the key was used, and a subject of the stored
            answer has been deleted permanently since.
        Refusal: the operation refused.
    """
    key = request.header(HEADER) or ""
    check_key(key)

    async def work(runtime: Runtime) -> StoredAnswer:
        own = replace(call, runtime=runtime, direct=call.runtime, answer_headers={})
        body = render(await operation.handler(own, **arguments))
        return StoredAnswer(own.answer_headers, msgspec.Raw(body))

    number = await find_actor_number(call.runtime, call.app_id, call.actor)
    claim = await _build_claim(call, operation, key, request, arguments, number)
    answer, is_repeated = await carry_out_once(call.runtime, claim, work)
    if is_repeated:
        answer.headers[REPLAYED] = "true"
    return answer


async def _build_claim(
    call: Call,
    operation: Operation,
    key: str,
    request: Request,
    arguments: Mapping[str, Any],
    actor_number: int | None,
) -> Claim:
    parameters = operation.path_parameters
    path = {parameter.name: arguments[name] for name, parameter in parameters.items()}
    target = [operation.method, operation.path, path]
    body = arguments.get("body")
    decoded = body if isinstance(body, msgspec.Struct) else None
    content = [arguments.get("query"), decoded, _form_traits(request)]
    return Claim(
        call.app_id,
        hash=await _hash(call, [call.app_id, [*_caller(call), actor_number], target, key]),
        request=await _hash(call, content),
        names=[(each.kind, f"{path[each.name]}") for each in parameters.values() if each.kind],
    )


def _caller(call: Call) -> list[str]:
    """Return what identifies the caller: a user, with any of their tokens, or a key and a uid."""
    uid = call.actor.uid or ""
    return [uid] if call.is_by_token and uid else [call.credential, uid]


def _form_traits(request: Request) -> list[str | None]:
    """Return the media type and the length of a form; empty for JSON."""
    kind = request.media_type.decode("latin-1")
    return [kind, request.header(b"content-length")] if kind.startswith("multipart/") else []


async def _hash(call: Call, parts: list[Any]) -> str:
    """Return the hash of what identifies a request; of a large one in pieces, with turns."""
    data, hashing = _encode(parts), call.runtime.sealer.begin_hash()
    for start in range(0, len(data), PIECE_BYTES):
        hashing.update(data[start : start + PIECE_BYTES])
        if len(data) > PIECE_BYTES:
            await asyncio.sleep(0)
    return hashing.hexdigest()
