"""A request that has reached an operation: authenticate, count, decode, carry out, answer."""

from collections.abc import Awaitable, Callable
from typing import Any

import falcon.asgi
import msgspec

from hubbub.domain.access.rates import take_call
from hubbub.files.links import has_marks
from hubbub.http.authenticate import authenticate
from hubbub.http.call import Call
from hubbub.http.decode import decode_body, decode_query
from hubbub.http.downloads import links_of
from hubbub.http.forms import is_form, receive_form
from hubbub.http.operation import Operation, RequiredKey
from hubbub.http.raw_request import SLASH, read_body
from hubbub.http.replay import answer_once
from hubbub.runtime import Runtime

Request = falcon.asgi.Request
Response = falcon.asgi.Response
Responder = Callable[..., Awaitable[None]]
_encode = msgspec.json.Encoder().encode


def make_responder(runtime: Runtime, operation: Operation) -> Responder:
    """Return what falcon calls for each request of an operation."""
    body, query = operation.body, operation.query
    parsers = [
        (argument, parameter.name, parameter.parse)
        for argument, parameter in operation.path_parameters.items()
    ]

    async def respond(req: Request, resp: Response, **path: str) -> None:
        req.context.operation = operation
        call = await authenticate(runtime, operation, req.context.header)
        req.context.app_id = call.app_id
        if operation.key is not RequiredKey.MANAGEMENT:
            await _count(call, operation, resp)
        arguments: dict[str, Any] = {
            argument: parse(path[name].replace(SLASH, "/"), name)
            for argument, name, parse in parsers
        }
        if query is not None:
            arguments["query"] = decode_query(req.query_string, query)
        if body is None:
            await _answer(call, operation, req, resp, arguments)
        elif operation.takes_files and is_form(req.context.header):
            async with receive_form(call, req, body) as arguments["body"]:
                await _answer(call, operation, req, resp, arguments)
        else:
            arguments["body"] = decode_body(await read_body(req, operation.largest_body), body)
            await _answer(call, operation, req, resp, arguments)

    return respond


async def _count(call: Call, operation: Operation, resp: Response) -> None:
    """Count the call where calls are limited, and add the headers that show what is left.

    Raises:
        TooManyCalls: the limit is reached.
    """
    uid = call.actor.uid if call.is_by_token else None
    allowance = await take_call(call.runtime, call.app_id, uid, operation.rate)
    if allowance is not None:
        resp.set_header("X-Rate-Limit", str(allowance.limit))
        resp.set_header("X-Rate-Limit-Remaining", str(allowance.left))


async def _answer(
    call: Call, operation: Operation, req: Request, resp: Response, arguments: dict[str, Any]
) -> None:
    """Carry the operation out, once for an idempotency key, and write the answer."""
    header = req.context.header

    def render(result: Any) -> bytes:
        data = _encode(result if operation.is_enveloped else {"data": result})
        return links_of(call.runtime, req, call.app_id).link(data) if has_marks(data) else data

    if operation.is_write and header("idempotency-key") is not None:
        kept = await answer_once(call, operation, header, arguments, render)
        headers, resp.data = kept.headers, bytes(kept.body)
    else:
        resp.data = render(await operation.handler(call, **arguments))
        headers = call.answer_headers
    for name, value in headers.items():
        resp.set_header(name, value)
    resp.content_type = "application/json"
