"""A request that has reached an operation: authenticate, count, decode, carry out, answer."""

from collections.abc import Sequence
from typing import Any

import msgspec

from hubbub.domain.access.rates import take_call
from hubbub.files.links import Links, has_marks
from hubbub.http.answer import Answer, answer_in_parts
from hubbub.http.authenticate import Caller, Callers
from hubbub.http.call import Call, address_of
from hubbub.http.decoding.decode import (
    decode_body,
    decode_query,
    query_names,
)
from hubbub.http.decoding.faults import UnknownNames
from hubbub.http.decoding.forms import receive_form
from hubbub.http.decoding.large import decode_large, receive_body
from hubbub.http.lists import encode_rows, long_rows
from hubbub.http.operation import Operation
from hubbub.http.replay import HEADER, answer_once
from hubbub.http.request import Request
from hubbub.runtime import Runtime
from hubbub.storage.interface import INSTALLATION

_encode = msgspec.json.Encoder().encode


class OperationEndpoint:
    """Answers the requests of one operation."""

    def __init__(self, runtime: Runtime, operation: Operation, callers: Callers) -> None:
        self._runtime = runtime
        self._operation = operation
        self._callers = callers
        self._parsers = [
            (argument, parameter.name, parameter.parse)
            for argument, parameter in operation.path_parameters.items()
        ]

    async def __call__(self, request: Request, values: Sequence[str]) -> Answer:
        """Carry out the operation for a request, with the values of the parameters in its path.

        Raises:
            Refusal: the caller may not do this, the request is malformed, or the domain refused.
        """
        operation = request.operation = self._operation
        caller = self._callers.find(operation, request)
        if caller is None:
            caller = await self._callers.authenticate(operation, request)
        call = self._admit(request, caller)
        arguments: dict[str, Any] = {
            argument: parse(value, name)
            for (argument, name, parse), value in zip(self._parsers, values, strict=True)
        }
        if operation.query is not None:
            arguments["query"] = decode_query(
                request.query.decode(), operation.query, request.ignored
            )
        elif request.query:
            request.ignored += query_names(request.query.decode())
        if operation.body is None:
            return await self._carry_out(call, request, arguments)
        if operation.takes_files and request.is_form:
            async with receive_form(call, request, operation.body) as arguments["body"]:
                return await self._carry_out(call, request, arguments)
        raw = request.body
        if isinstance(raw, bytes):
            arguments["body"] = decode_body(
                raw, operation.body, request.ignored, most_values=operation.most_values
            )
        else:
            large = await receive_body(call, request, operation.largest_body, operation.most_values)
            arguments["body"] = await decode_large(call, large, operation.body, request.ignored)
        return await self._carry_out(call, request, arguments)

    def _admit(self, request: Request, caller: Caller) -> Call:
        """Count a request, where calls are limited, and return its call.

        Raises:
            TooManyCalls: a limit is reached.
        """
        request.app_id = caller.app_id
        if caller.app_id != INSTALLATION:
            self._runtime.rests.note_call(caller.app_id)
        if not request.is_counted:
            request.allowance = take_call(self._runtime.rates, caller.limits)
        return Call(
            self._runtime,
            caller.app_id,
            caller.actor,
            caller.scope,
            caller.credential,
            caller.is_on_behalf,
            ignored=request.ignored,
            request=request,
        )

    async def _carry_out(self, call: Call, request: Request, arguments: dict[str, Any]) -> Answer:
        """Carry the operation out; at the end, remove the fetched files that no message took."""
        try:
            return await self._answer(call, request, arguments)
        finally:
            for upload in call.fetched:
                await upload.discard()

    async def _answer(self, call: Call, request: Request, arguments: dict[str, Any]) -> Answer:
        """Carry the operation out, once for an idempotency key.

        Raises:
            UnknownNames: it is no operation of the v3 interface, and has not all of the names.
        """
        operation = self._operation
        if request.ignored and operation.is_own:
            raise UnknownNames(request.ignored, operation.names)
        if operation.is_write and HEADER in request.headers:
            kept = await answer_once(
                call, operation, request, arguments, lambda result: self._render(request, result)
            )
            headers, answer = kept.headers, Answer(bytes(kept.body))
        else:
            if operation.is_followed:
                result = await self._handle_followed(call, arguments)
            else:
                result = await operation.handler(call, **arguments)
            rows = long_rows(result) if operation.is_enveloped else None
            if rows is None:
                answer = Answer(self._render(request, result))
            else:
                parts = await encode_rows(call, result, rows, self._links(request))
                answer = answer_in_parts(parts)
            headers = call.answer_headers
        for name, text in headers.items():
            answer.set_header(name, text)
        return answer

    async def _handle_followed(self, call: Call, arguments: dict[str, Any]) -> Any:
        """Return the result of the handler, with a position up to which it surely has all."""
        newest = await self._runtime.newest.find(call.app_id)  # before the list is read
        result = await self._operation.handler(call, **arguments)
        result.meta.event_cursor = str(newest)
        return result

    def _render(self, request: Request, result: Any) -> bytes:
        data = _encode(result if self._operation.is_enveloped else {"data": result})
        return self._links(request).link(data) if has_marks(data) else data

    def _links(self, request: Request) -> Links:
        """Return the maker of the links to files in the answer to a request."""
        runtime, app_id = self._runtime, request.app_id or ""
        return Links(runtime.sealer, app_id, address_of(runtime, request), runtime.clock.now())
