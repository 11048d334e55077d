"""Traces: what a collector receives from a node, and that other nodes pay nothing for them."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from tests.conftest import NewSettings
from tests.documents.blocks import take
from tests.live import LiveNode
from tests.monitoring.collector import ERROR, SERVER, Collector, Span
from tests.monitoring.scrape import scrape
from tests.postgres import free_port
from tests.soon import SOON_SECONDS
from tests.world import World

from hubbub.bootstrap import open_runtime
from hubbub.config import Settings
from hubbub.http.app import make_app
from hubbub.kernel.errors import BadInput
from hubbub.rest.operations import OPERATIONS
from hubbub.storage.queries import Query
from hubbub.telemetry.start import is_wanted, tracing

SHOWN = take("docs/operating.md", "### Traces", "ini")
LIST = Query("list_apps", "SELECT id FROM apps")
ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT"
SEND = "POST /messages"
PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
UNSAMPLED = PARENT.removesuffix("01") + "00"
WITHOUT_EXTRA = (
    sys.executable,
    "-c",
    "import sys; sys.modules['opentelemetry'] = None; from hubbub.cli import main; main()",
)


@pytest.fixture(scope="module")
def collector(engine: str) -> Iterator[Collector]:
    """A collector for the node of each engine."""
    with Collector() as collector:
        yield collector


@pytest.fixture(scope="module")
def traced(new_settings: NewSettings, collector: Collector) -> Iterator[LiveNode]:
    """A node that sends its traces to the collector."""
    with LiveNode(new_settings(), **collector.environment, OTEL_SERVICE_NAME="chat") as node:
        yield node


@pytest.fixture
async def talk(traced: LiveNode) -> World:
    """An app of the traced node, with anna and ben."""
    world = await traced.world()
    await world.users("anna", "ben")
    return world


async def send(world: World, text: str, **headers: str) -> None:
    """Send a message from anna to ben."""
    body = {
        "receiver": "ben",
        "receiverType": "user",
        "category": "message",
        "type": "text",
        "data": {"text": text},
    }
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    await world.post("/messages", body, as_="anna", headers=names)


def of_request(collector: Collector, world: World) -> list[Span]:
    """Return the spans of the trace of the latest request, when all have arrived."""
    request_id = world.answer.headers["x-request-id"]

    def roots(spans: list[Span]) -> list[Span]:
        return [each for each in spans if each.attributes.get("hubbub.request_id") == request_id]

    spans = collector.wait_for(lambda spans: bool(roots(spans)))
    (root,) = roots(spans)
    return [each for each in spans if each.trace == root.trace]


def only(spans: list[Span], name: str) -> Span:
    """Return the one span of this name."""
    (found,) = [each for each in spans if each.name == name]
    return found


async def test_a_send_is_a_trace(collector: Collector, talk: World) -> None:
    """Its request, batch, transaction and statements are spans, each below the one before."""
    await send(talk, "hello")
    spans = of_request(collector, talk)
    request, batch = only(spans, SEND), only(spans, "batch")
    write = only(spans, "write")

    assert request.kind == SERVER
    assert request.parent == ""
    assert (batch.parent, write.parent) == (request.id, batch.id)
    assert [span.name for span in spans if span.parent == write.id].count("insert_message") == 1
    assert request.attributes["hubbub.operation"] == "send_message"
    assert request.attributes["http.request.method"] == "POST"
    assert request.attributes["http.route"] == "/messages"
    assert request.attributes["http.response.status_code"] == 200
    assert batch.attributes["hubbub.batch.drafts"] == 1
    assert request.resource["service.name"] == "chat"
    assert request.resource["service.version"] == "0.1.0"


async def test_a_read_is_a_trace(collector: Collector, talk: World) -> None:
    """A list has the span of its snapshot, with a span for each statement."""
    await talk.get("/users")
    spans = of_request(collector, talk)
    read = only(spans, "read")

    assert read.parent == only(spans, "GET /users").id
    assert any(span.parent == read.id for span in spans)


async def test_the_trace_of_the_caller_goes_on(collector: Collector, talk: World) -> None:
    """A request with the header `traceparent` belongs to that trace."""
    await talk.get("/users", headers={"traceparent": PARENT})
    _, trace, parent, _ = PARENT.split("-")
    request = only(of_request(collector, talk), "GET /users")

    assert (request.trace, request.parent) == (trace, parent)


@pytest.mark.parametrize("parent", ["", "nonsense", "00-0-0-01", "ff" * 4_000, "00-\t-\t-01"])
async def test_a_wrong_parent_is_passed_over(
    collector: Collector, talk: World, parent: str
) -> None:
    """A header `traceparent` that is none begins a trace of its own, and harms nothing."""
    await talk.get("/users", headers={"traceparent": parent})

    assert only(of_request(collector, talk), "GET /users").parent == ""


async def test_a_trace_that_is_not_sampled_has_no_spans(collector: Collector, talk: World) -> None:
    """The caller decides: what they do not sample is not recorded."""
    await talk.get("/users", headers={"traceparent": UNSAMPLED})
    left_out = talk.answer.headers["x-request-id"]
    await talk.get("/users")
    of_request(collector, talk)
    recorded = {span.attributes.get("hubbub.request_id") for span in collector.spans}

    assert left_out not in recorded


async def test_a_batch_is_linked_to_its_requests(collector: Collector, talk: World) -> None:
    """Each of many concurrent sends is the parent of its batch, or the batch is linked to it."""
    known = len(collector.spans)
    await asyncio.gather(*(send(talk, f"hello {number}") for number in range(40)))

    def sent(spans: list[Span]) -> list[Span]:
        return [span for span in spans[known:] if span.name == SEND]

    spans = collector.wait_for(lambda spans: len(sent(spans)) == 40)
    batches = [span for span in spans[known:] if span.name == "batch"]
    named = [each for batch in batches for each in (batch.parent, *batch.links)]

    assert sorted(named) == sorted(span.id for span in sent(spans))
    assert sum(batch.attributes["hubbub.batch.drafts"] for batch in batches) == 40


async def test_a_refusal_is_no_error(collector: Collector, talk: World) -> None:
    """A refused request has its status; its span is not marked as failed."""
    await talk.get("/users/carl", status=404)
    request = only(of_request(collector, talk), "GET /users/{uid}")

    assert request.attributes["http.response.status_code"] == 404
    assert request.status != ERROR


async def test_traces_have_no_contents(collector: Collector, talk: World) -> None:
    """No id of people or apps, no key, and no text is in a trace."""
    await talk.user("zoe-in-no-trace")
    await send(talk, "text-in-no-trace", idempotency_key="key-in-no-trace")
    token = await talk.token("zoe-in-no-trace")
    await talk.get("/users/zoe-in-no-trace", token=token)
    await talk.get("/nothing/at-this-path", status=404)
    of_request(collector, talk)

    for secret in ("in-no-trace", "at-this-path", token, talk.key, talk.app_id):
        assert secret.encode() not in collector.raw


async def test_only_requests_begin_traces(
    collector: Collector, talk: World, traced: LiveNode
) -> None:
    """Background work, health checks and scrapes make none."""
    await scrape(traced)
    await send(talk, "hello")
    async with asyncio.timeout(SOON_SECONDS):
        while not (await talk.get("/stats/messages"))["dataPoints"]:  # noqa: ASYNC110  # not told
            await asyncio.sleep(0.05)
    of_request(collector, talk)
    roots = [span for span in collector.spans if not span.parent]

    assert roots
    assert {span.kind for span in roots} == {SERVER}
    paths = {span.attributes.get("http.route") for span in roots}
    assert all(path is not None and path.startswith("/") for path in paths - {None})
    assert not any("health" in span.name or "metrics" in span.name for span in collector.spans)


async def test_a_traced_node_does_the_same(talk: World) -> None:
    """Repeats, groups, marks and lists work as on any node: all records come through the spans."""
    key = {"Idempotency-Key": "once"}
    first = await talk.post("/users", {"uid": "carl", "name": "Carl"}, headers=key)
    again = await talk.post("/users", {"uid": "carl", "name": "Carl"}, headers=key)
    await talk.post("/groups", {"guid": "club", "name": "Club", "type": "public"})
    await talk.post("/groups/club/members", {"participants": ["anna", "ben"]})
    await send(talk, "hello")
    unread = await talk.get("/conversations", as_="ben")

    assert first == again
    assert talk.answer.status == 200
    assert sum(int(each["unreadMessageCount"]) for each in unread) >= 1
    assert {"anna", "ben", "carl"} == set(await talk.uids("/users"))


async def test_other_work_begins_its_own_span(
    new_settings: NewSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Work in the background asks the runtime for a span; its errors are noted by their kind."""
    with Collector() as collector:
        for name, value in collector.environment.items():
            monkeypatch.setenv(name, value)
        async with (
            open_runtime(new_settings(log_requests=False)) as runtime,
            tracing(runtime, collector.environment),
        ):
            with runtime.begin_span("delivery", {"hubbub.attempt": 3}):
                await runtime.database.read("", lambda snapshot: snapshot.fetch(LIST))
            with pytest.raises(KeyError), runtime.begin_span("failing delivery"):
                raise KeyError("text-in-no-trace")
            with pytest.raises(BadInput), runtime.begin_span("refused delivery"):
                raise BadInput("text-in-no-trace")
        spans = collector.wait_for_names("delivery", "failing delivery", "refused delivery")
    delivery = only(spans, "delivery")
    failing, refused = only(spans, "failing delivery"), only(spans, "refused delivery")

    assert delivery.attributes["hubbub.attempt"] == 3
    assert delivery.resource["service.name"] == "hubbub"
    assert [span.name for span in spans if span.parent == delivery.id] == ["read"]
    assert (failing.status, failing.attributes["error.type"]) == (ERROR, "KeyError")
    assert refused.status != ERROR
    assert refused.attributes["hubbub.refusal"] == "ERR_BAD_REQUEST"
    assert b"text-in-no-trace" not in collector.raw


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({}, False),
        ({ENDPOINT: ""}, False),
        ({ENDPOINT: "http://127.0.0.1:4318"}, True),
        ({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://127.0.0.1:4318/v1/traces"}, True),
        ({ENDPOINT: "http://127.0.0.1:4318", "OTEL_SDK_DISABLED": "TRUE"}, False),
        ({ENDPOINT: "http://127.0.0.1:4318", "OTEL_TRACES_EXPORTER": "none"}, False),
        ({"OTEL_SERVICE_NAME": "chat"}, False),
    ],
    ids=str,
)
def test_the_standard_variables_decide(environment: dict[str, str], expected: bool) -> None:
    """Traces are on where the environment says where they go."""
    assert is_wanted(environment) == expected


async def test_the_shown_variables(new_settings: NewSettings, collector: Collector) -> None:
    """A node starts with the variables that the documents show, at another address, and answers."""
    lines = [line.partition("=") for line in SHOWN.splitlines()]
    shown = {name: value for name, _, value in lines}
    assert is_wanted(shown)
    with LiveNode(new_settings(), **(shown | collector.environment)) as node:
        world = await node.world()
        assert await world.get("/users") == []


async def test_without_traces_nothing_is_in_the_way(new_settings: NewSettings) -> None:
    """A node that is not asked for traces has its own app and database, with nothing around."""
    async with open_runtime(new_settings(log_requests=False)) as runtime:
        database, batches, app = runtime.database, runtime.batches, make_app(runtime, OPERATIONS)
        async with tracing(runtime, {}) as traces:
            assert traces.trace_app(app) is app
            assert runtime.database is database
            assert runtime.batches is batches
            with runtime.begin_span("delivery") as span:
                assert span is None


def test_without_traces_nothing_is_loaded() -> None:
    """A node without traces loads no module of OpenTelemetry."""
    look = "import sys, hubbub.cli.node; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=True)

    assert "hubbub.telemetry.start" in done.stdout
    assert "opentelemetry" not in done.stdout


async def test_a_missing_extra_is_named(tmp_path: Any) -> None:
    """A node that is asked for traces without the extra runs without, and says what is missing."""
    node = LiveNode(Settings(data=tmp_path / "data"), **{ENDPOINT: "http://127.0.0.1:4318"})
    node.program = WITHOUT_EXTRA
    with node:
        await (await node.world()).user("anna")
    lines = [json.loads(line) for line in node.output.splitlines() if line.startswith("{")]
    (warning,) = [line["warning"] for line in lines if line["event"] == "doubtful_setting"]

    assert "hubbub-chat[telemetry]" in warning


async def test_a_collector_that_is_away_harms_nothing(tmp_path: Any) -> None:
    """Requests are answered, and the node stops."""
    endpoint = f"http://127.0.0.1:{free_port()}"
    with LiveNode(Settings(data=tmp_path / "data"), **{ENDPOINT: endpoint}) as node:
        await (await node.world()).user("anna")
        assert node.stop() == 0
