"""A collector of traces: receives OTLP over HTTP, and keeps the spans that it decodes."""

import gzip
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)

WAIT_SECONDS = 60.0
SERVER, ERROR = 2, 2
"""The numbers of a kind and of a status in OTLP."""


@dataclass(frozen=True)
class Span:
    """A span as it was received; ids are hexadecimal."""

    name: str
    kind: int
    trace: str
    id: str
    parent: str
    links: frozenset[str]
    status: int
    attributes: Mapping[str, Any]
    resource: Mapping[str, Any]


class Collector:
    """A collector on a free port of loopback, for the time of a block."""

    def __init__(self) -> None:
        self.spans: list[Span] = []
        self.raw = b""
        """Everything that was received, for tests of what is not in it."""
        self._arrived = threading.Condition()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._make_handler())
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    @property
    def environment(self) -> dict[str, str]:
        """Return the variables that send traces here, soon after a span has ended."""
        address = f"http://127.0.0.1:{self._server.server_address[1]}"
        return {"OTEL_EXPORTER_OTLP_ENDPOINT": address, "OTEL_BSP_SCHEDULE_DELAY": "50"}

    def wait_for(self, is_there: Callable[[list[Span]], bool]) -> list[Span]:
        """Return all spans once `is_there` says that they are."""
        deadline = time.monotonic() + WAIT_SECONDS
        with self._arrived:
            while not is_there(self.spans):
                left = deadline - time.monotonic()
                assert left > 0, [span.name for span in self.spans]
                self._arrived.wait(left)
            return list(self.spans)

    def wait_for_names(self, *names: str) -> list[Span]:
        """Return all spans once there are some with these names."""
        return self.wait_for(lambda spans: set(names) <= {span.name for span in spans})

    def _receive(self, path: str, body: bytes) -> None:
        assert path == "/v1/traces", path
        with self._arrived:
            self.raw += body
            self.spans += _decode(body)
            self._arrived.notify_all()

    def _make_handler(self) -> type[BaseHTTPRequestHandler]:
        collector = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                if self.headers.get("content-encoding") == "gzip":
                    body = gzip.decompress(body)
                collector._receive(self.path, body)
                answer = ExportTraceServiceResponse().SerializeToString()
                self.send_response(200)
                self.send_header("content-type", "application/x-protobuf")
                self.send_header("content-length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
                pass

        return Handler

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        error_type: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def _decode(body: bytes) -> Iterator[Span]:
    for of_resource in ExportTraceServiceRequest.FromString(body).resource_spans:
        resource = _values(of_resource.resource.attributes)
        for scope in of_resource.scope_spans:
            for span in scope.spans:
                yield Span(
                    span.name,
                    span.kind,
                    span.trace_id.hex(),
                    span.span_id.hex(),
                    span.parent_span_id.hex(),
                    frozenset(link.span_id.hex() for link in span.links),
                    span.status.code,
                    _values(span.attributes),
                    resource,
                )


def _values(attributes: Any) -> dict[str, Any]:
    return {each.key: getattr(each.value, each.value.WhichOneof("value")) for each in attributes}
