"""The IRC import: parsing logs, assigning uids, requests, and finding differences.

The excerpts are made up in the form of the Ubuntu IRC logs.
"""

import importlib.util
import io
import itertools
import re
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx2 as httpx
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

if TYPE_CHECKING:
    from examples import irc_import
else:
    script = Path(__file__).parents[2] / "examples" / "irc_import.py"
    spec = importlib.util.spec_from_file_location("irc_import", script)
    irc_import = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = irc_import
    spec.loader.exec_module(irc_import)

CHRISTMAS = 1103932800
LOG = b"""=== Anna [~anna@example.org]  has joined #ubuntu
[09:14] <Anna> does anybody know [brackets] > and <angles>?
[09:14] <bob>  two spaces
[09:14]  * bob nods
[09:15] <BOB> caf\xe9
[09:15] <Anna>
[09:15] -spam:#ubuntu- buy this
[09:16] (odd) line
"""
NEXT_LOG = b"[23:59] <{{> late\n[00:01] <Anna> early\n"


def said_in(raw: bytes, name: str = "2004-12-25.a.raw.txt") -> list[irc_import.Said]:
    """Return the messages of one file."""
    return irc_import.parse_log(name, raw)[0]


# --- The logs


@pytest.mark.parametrize(
    ("line", "kind", "nickname", "text"),
    [
        ("[09:14] <Anna> hello", "message", "Anna", "hello"),
        ("[09:14] <[1] bill>  x ", "message", "[1] bill", " x "),
        ("[09:14] <Anna>", "message", "Anna", ""),
        ("[09:14] <Anna> a\x1cb", "message", "Anna", "a\x1cb"),
        ("[09:14] * Anna nods at <bob>", "action", "Anna", "nods at <bob>"),
        ("[09:14]  * Anna nods", "action", "Anna", "nods"),
        ("[09:14] -Anna:#ubuntu- read this", "notice", "Anna", "read this"),
        ("=== Anna has left #ubuntu", "system", "", ""),
        ("[24:14] <Anna> hello", "other", "", ""),
        ("[09:14] hello", "other", "", ""),
        ("", "other", "", ""),
    ],
)
def test_each_kind_of_line_is_recognized(line: str, kind: str, nickname: str, text: str) -> None:
    """A line is a message, an action, a notice, a system line or something else."""
    parsed = irc_import.parse_line(line)

    assert (kind, nickname, text) == (parsed.kind, parsed.nickname, parsed.text)


def test_every_line_is_counted() -> None:
    """Each line of a file is counted under its kind, so that none is lost silently."""
    _, kinds = irc_import.parse_log("2004-12-25.a.raw.txt", LOG)

    assert kinds == {"system": 1, "message": 4, "action": 1, "notice": 1, "other": 1}


def test_bad_utf8_becomes_the_replacement_character() -> None:
    """A byte that is not UTF-8 affects nothing but itself."""
    assert "caf\N{REPLACEMENT CHARACTER}" in [said.text for said in said_in(LOG)]


def test_only_a_line_feed_ends_a_line() -> None:
    """Control characters at which Python would split remain within their message."""
    assert [said.text for said in said_in("[09:14] <Anna> a\x1cb\x85c\n".encode())] == [
        "a\x1cb\x85c"
    ]


def test_a_message_is_named_by_its_file_and_line() -> None:
    """The muid has the file, also where two share a day, and the line, counted from one."""
    muids = [said.muid for said in said_in(LOG)]

    assert [f"irc-2004-12-25-a-{line}" for line in (2, 3, 5, 6)] == muids


def test_time_is_in_utc_seconds() -> None:
    """A message is sent at its minute of the file's day."""
    assert said_in(LOG)[0].sent_at == CHRISTMAS + (9 * 60 + 14) * 60


def test_a_day_clock_goes_over_midnight() -> None:
    """After 23:59 the clock begins the next day."""
    assert irc_import.unroll_clocks([1439, 0, 5]) == [1439, 1440, 1445]


def test_a_twelve_hour_clock_goes_over_noon() -> None:
    """If no hour is above 12, both 12:00 and 1:00 follow 11:59."""
    assert irc_import.unroll_clocks([715, 5, 65]) == [715, 725, 785]
    assert irc_import.unroll_clocks([715, 725, 65]) == [715, 725, 785]


def test_a_clock_that_is_set_back_stands_still() -> None:
    """An hour back is not a new day, also not just after midnight."""
    assert irc_import.unroll_clocks([840, 780, 839, 841]) == [840, 840, 840, 841]
    assert irc_import.unroll_clocks([1439, 1, 1439, 2]) == [1439, 1441, 1441, 1442]


@given(st.lists(st.integers(0, 1439)))
def test_time_never_falls_within_a_file(clocks: list[int]) -> None:
    """With any clock, the order of lines is kept and each minute exists on a clock."""
    minutes = irc_import.unroll_clocks(clocks)

    assert sorted(minutes) == minutes
    assert len(clocks) == len(minutes)


def test_messages_of_several_files_are_in_order_of_time() -> None:
    """A file that goes over midnight is interleaved with the next; its lines come first."""
    logs = irc_import.join_logs(
        {
            "2004-12-25.a.raw.txt": b"[23:59] <Anna> one\n[00:05] <bob> three\n",
            "2004-12-26.a.raw.txt": b"[00:04] <cleo> two\n[00:05] <Anna> four\n",
        }
    )

    assert [said.text for said in logs.messages] == ["one", "two", "three", "four"]
    assert logs.nicknames == ["Anna", "bob", "cleo"]


def test_a_folder_and_an_archive_give_the_same(tmp_path: Path) -> None:
    """Logs are read from a folder or a tar archive; other files are ignored."""
    folder = tmp_path / "logs"
    folder.mkdir()
    for name, raw in {"2004-12-26.b.raw.txt": NEXT_LOG, "2004-12-25.a.raw.txt": LOG}.items():
        (folder / name).write_bytes(raw)
    (folder / "README.txt").write_text("nothing")
    archive = tmp_path / "logs.tar.xz"
    with tarfile.open(archive, "w:xz") as tar:
        tar.add(folder, "logs")

    assert irc_import.read_logs(folder) == irc_import.read_logs(archive)
    assert len(irc_import.read_logs(folder).messages) == 6
    assert len(irc_import.read_logs(folder, limit_days=1).messages) == 4


def test_a_path_without_logs_is_refused(tmp_path: Path) -> None:
    """A wrong path is reported at once."""
    with pytest.raises(irc_import.RunError, match="holds no file"):
        irc_import.read_logs(tmp_path)
    with pytest.raises(irc_import.RunError, match="cannot be read"):
        irc_import.read_logs(tmp_path / "absent.tar.xz")


# --- Nicknames

NICKNAMES = st.lists(
    st.one_of(
        st.text("abAB-_[]^|2", max_size=5),
        st.text(max_size=120),
        st.sampled_from(["app_system", "App_System", "bob", "Bob", "bob-2", "nick", "a" * 101]),
    )
)


def test_nicknames_that_collide_get_numbers() -> None:
    """The first keeps the plain uid; later ones are numbered, skipping existing uids."""
    uids = irc_import.settle(["bob", "bob-2", "Bob", "BOB", "{{", "[]", "app_system", "zAo^"])

    assert list(uids.values()) == [
        "bob",
        "bob-2",
        "bob-3",
        "bob-4",
        "nick",
        "nick-2",
        "app_system-2",
        "zao",
    ]


@given(NICKNAMES)
def test_every_nickname_gets_a_valid_uid_of_its_own(nicknames: list[str]) -> None:
    """No two nicknames share a uid, and the interface accepts each uid."""
    uids = irc_import.settle(nicknames)

    assert set(nicknames) == uids.keys()
    assert len(uids) == len(set(uids.values()))
    assert all(re.fullmatch("[a-z0-9_-]{1,100}", uid) for uid in uids.values())
    assert "app_system" not in uids.values()


@given(NICKNAMES, NICKNAMES)
def test_later_nicknames_change_no_uid(nicknames: list[str], more: list[str]) -> None:
    """The same nicknames have the same uids, also when others follow."""
    longer = irc_import.settle(nicknames + more)

    assert irc_import.settle(nicknames).items() <= longer.items()


@given(st.text(max_size=120))
def test_every_nickname_gets_a_valid_name(nickname: str) -> None:
    """A name has 1 to 100 characters, none of them NUL, and is the nickname if possible."""
    name = irc_import.display_name(nickname, "uid")

    assert 1 <= len(name) <= 100
    assert "\0" not in name
    assert name in (nickname, "uid") or "\0" in nickname or len(nickname) > 100


# --- Requests


def sent(value: object) -> Any:
    """Return a row in its wire form."""
    return msgspec.json.decode(msgspec.json.encode(value))


@pytest.fixture
def logs() -> irc_import.Logs:
    """Two days of logs."""
    return irc_import.join_logs({"2004-12-25.a.raw.txt": LOG, "2004-12-26.b.raw.txt": NEXT_LOG})


@pytest.fixture
def plan(logs: irc_import.Logs) -> irc_import.Plan:
    """Return the plan of two days."""
    return irc_import.plan_import(logs)


def test_rows_are_what_the_interface_asks_for(plan: irc_import.Plan) -> None:
    """Users, group and members have their keys, and nobody joins before the group exists."""
    first = CHRISTMAS + (9 * 60 + 14) * 60

    assert {
        "anna": {"uid": "anna", "name": "Anna", "createdAt": first},
        "bob": {"uid": "bob", "name": "bob", "createdAt": first},
        "bob-2": {"uid": "bob-2", "name": "BOB", "createdAt": first + 60},
        "nick": {"uid": "nick", "name": "{{", "createdAt": CHRISTMAS + 86400 + 1439 * 60},
    } == sent(plan.users)
    assert {
        "ubuntu": {"guid": "ubuntu", "name": "Ubuntu", "type": "public", "createdAt": first - 1}
    } == sent(plan.groups)
    assert {
        "memberId": "ubuntu_member_anna",
        "guid": "ubuntu",
        "uid": "anna",
        "scope": "participant",
        "joinedAt": first,
    } == sent(plan.members)["ubuntu_member_anna"]


def test_a_message_is_a_text_message(plan: irc_import.Plan) -> None:
    """A line with a text becomes a text message to the group."""
    assert sent(plan.messages)["irc-2004-12-25-a-3"] == {
        "muid": "irc-2004-12-25-a-3",
        "sender": "bob",
        "receiver": "ubuntu",
        "receiverType": "group",
        "category": "message",
        "type": "text",
        "sentAt": CHRISTMAS + (9 * 60 + 14) * 60,
        "data": {"text": " two spaces"},
    }


def test_a_line_without_text_is_a_custom_message(plan: irc_import.Plan) -> None:
    """A line that cannot be a text message is stored as custom data."""
    row = sent(plan.messages)["irc-2004-12-25-a-6"]

    assert (row["category"], row["type"]) == ("custom", "irc_blank")
    assert row["data"] == {"customData": {"text": ""}}


def test_logs_without_messages_are_refused() -> None:
    """Logs without messages are an error: there is nothing to import."""
    with pytest.raises(irc_import.RunError, match="no message"):
        irc_import.plan_import(irc_import.join_logs({"2004-12-25.a.raw.txt": b"=== hush\n"}))


# --- A server with the parts of the interface that the script uses

NO_API = {"error": {"code": "ERR_API_NOT_FOUND", "message": "There is no such path."}}


class FakeServer:
    """Stores imports and lists them; `serve` is the transport's side."""

    def __init__(self) -> None:
        self.users: dict[str, Any] = {"sample": {"uid": "sample", "name": "Sample"}}
        self.groups: dict[str, Any] = {}
        self.members: dict[str, Any] = {}
        self.messages: dict[str, Any] = {}
        self.ids = itertools.count(1)
        self.requests: list[httpx.Request] = []
        self.busy: list[httpx.Response] = []
        self.lists_members = True

    def serve(self, request: httpx.Request) -> httpx.Response:
        """Answer a request."""
        self.requests.append(request)
        if self.busy:
            return self.busy.pop(0)
        if request.method == "POST":
            return self.imported(
                request.url.path.split("/")[-1], msgspec.json.decode(request.content)
            )
        params = request.url.params
        match request.url.path.split("/")[2:]:
            case ["users"]:
                return page(list(self.users.values()), params)
            case ["groups", "ubuntu"]:
                return ok({**self.groups["ubuntu"], "membersCount": len(self.members)})
            case ["groups", "ubuntu", "members"] if self.lists_members:
                return page(list(self.members.values()), params)
            case ["groups", "ubuntu", "messages"]:
                return self.history(params)
        return httpx.Response(404, json=NO_API)

    def imported(self, kind: str, body: dict[str, Any]) -> httpx.Response:
        """Store rows; existing ones are skipped."""
        assert len(body[kind]) <= 50
        return ok({key: self.store(kind, key, row) for key, row in body[kind].items()})

    def store(self, kind: str, key: str, row: Any) -> Any:
        """Store one row and return its outcome."""
        rows: dict[str, Any] = getattr(self, kind)
        if key in rows:
            return {"success": True, "skipped": True, "data": rows[key]}
        rows[key] = {**row, "id": str(next(self.ids))} if kind == "messages" else row
        return {"success": True, "data": rows[key]}

    def history(self, params: httpx.QueryParams) -> httpx.Response:
        """List messages by cursor."""
        rows = sorted(self.messages.values(), key=place)
        limit, forwards = int(params["limit"]), params["affix"] == "append"
        if "id" in params:
            at = (int(params["sentAt"]), int(params["id"]))
            rows = [row for row in rows if (place(row) > at if forwards else place(row) < at)]
        kept = rows[:limit] if forwards else rows[-limit:]
        meta: dict[str, Any] = {"current": {"limit": limit, "count": len(kept)}}
        if len(kept) < len(rows):
            end, key = (kept[-1], "next") if forwards else (kept[0], "previous")
            meta[key] = {"affix": params["affix"], "sentAt": end["sentAt"], "id": end["id"]}
        return httpx.Response(200, json={"data": kept, "meta": meta})


def place(row: Any) -> tuple[int, int]:
    """Return the position of a message in a list."""
    return row["sentAt"], int(row["id"])


def ok(data: Any) -> httpx.Response:
    """Return an answer with data."""
    return httpx.Response(200, json={"data": data})


def page(rows: list[Any], params: httpx.QueryParams) -> httpx.Response:
    """Return an answer with a page of a list."""
    size, number = int(params["perPage"]), int(params["page"])
    kept = rows[(number - 1) * size : number * size]
    pagination = {
        "total": len(rows),
        "count": len(kept),
        "per_page": size,
        "current_page": number,
        "total_pages": -(-len(rows) // size),
    }
    return httpx.Response(200, json={"data": kept, "meta": {"pagination": pagination}})


@pytest.fixture
def fake() -> FakeServer:
    """Return a server with one existing user."""
    return FakeServer()


@pytest.fixture
def server(fake: FakeServer) -> Iterator[irc_import.Server]:
    """Return the client of the fake server, which never waits."""
    transport = httpx.MockTransport(fake.serve)
    with irc_import.connect("http://chat.test", "acme", "k" * 40, transport) as client:
        yield irc_import.Server(client, sleep=lambda _: None)


def run(server: irc_import.Server, logs: irc_import.Logs, in_flight: int = 2) -> list[str]:
    """Import, read back and compare, without showing progress."""
    report = irc_import.Report(Console(file=io.StringIO()))
    return irc_import.run(server, logs, report, in_flight)


def many_messages(number: int) -> irc_import.Logs:
    """Return logs with a number of messages, several a minute, by several people."""
    lines = [f"[00:{i // 100:02}] <n{i % 120}> {i}" for i in range(number)]
    return irc_import.join_logs({"2004-12-25.a.raw.txt": "\n".join(lines).encode()})


# --- The run


def test_an_import_that_works_has_no_differences(
    fake: FakeServer, server: irc_import.Server, logs: irc_import.Logs
) -> None:
    """The lists show what was imported, beside a user that the app had before."""
    assert run(server, logs) == []
    assert len(fake.users) == 5
    assert len(fake.messages) == 6


def test_calls_name_app_and_key(
    fake: FakeServer, server: irc_import.Server, logs: irc_import.Logs
) -> None:
    """Every call has both headers, and imports skip existing rows."""
    run(server, logs)

    imports = [request for request in fake.requests if request.method == "POST"]
    assert {("acme", "k" * 40)} == {
        (request.headers["appid"], request.headers["apikey"]) for request in fake.requests
    }
    assert [f"/v3.0/data_import/{kind}" for kind in ("users", "groups", "members", "messages")] == [
        request.url.path for request in imports
    ]
    assert {"onConflict=skip"} == {request.url.query.decode() for request in imports}


def test_long_lists_are_walked_page_by_page(
    fake: FakeServer,
    server: irc_import.Server,
) -> None:
    """Batches, pages and cursors cover all rows forwards, and a number of pages backwards."""
    small = irc_import.Server(server.client, page=30)

    assert run(small, many_messages(450)) == []
    walks = [
        request.url.params["affix"] for request in fake.requests if "affix" in request.url.params
    ]
    assert (walks.count("append"), walks.count("prepend")) == (15, 10)


def test_a_run_cut_short_is_started_again(fake: FakeServer, server: irc_import.Server) -> None:
    """A second run with more days adds what is missing and finds the rest."""
    logs = many_messages(200)
    first = irc_import.Logs(logs.messages[:130], logs.nicknames, logs.kinds, 1)

    assert run(server, first) == []
    assert run(server, logs) == []
    assert len(fake.messages) == 200


def test_rows_that_are_answered_as_there_already_are_done() -> None:
    """A server that refuses existing rows has the same result as one that skips them."""
    outcome = irc_import.Outcome()
    taken = irc_import.ErrorBody(code="ERR_UID_ALREADY_EXISTS")
    outcome.add("anna", irc_import.RowAnswer(success=False, error=taken))

    assert (outcome.done, outcome.skipped, outcome.refused) == (1, 1, [])


def test_a_refused_row_is_a_difference(server: irc_import.Server, fake: FakeServer) -> None:
    """A row that the server refuses is reported with the reason."""
    error = {"code": "ERR_BAD_REQUEST", "message": "The name is odd."}
    fake.busy = [ok({"anna": {"success": False, "error": error}, "bob": {"success": True}})]

    assert import_users(server) == ["anna: refused: ERR_BAD_REQUEST The name is odd."]


def test_a_row_without_an_answer_is_a_difference(
    server: irc_import.Server, fake: FakeServer
) -> None:
    """A row that is missing in the answer is reported."""
    fake.busy = [ok({"bob": {"success": True}})]

    assert [each for each in import_users(server) if "anna: refused: not answered" in each]


def import_users(server: irc_import.Server) -> list[str]:
    """Import two users and return the refusals."""
    rows = {uid: irc_import.User(uid=uid, name=uid) for uid in ("anna", "bob")}
    report = irc_import.Report(Console(file=io.StringIO()))
    return irc_import.import_rows(server, report, "users", rows).refused


# --- Finding differences


@pytest.fixture
def imported(fake: FakeServer, server: irc_import.Server, logs: irc_import.Logs) -> FakeServer:
    """Return the server with everything imported; a second run only skips and compares."""
    assert run(server, logs) == []
    return fake


MUID = "irc-2004-12-25-a-3"


@pytest.mark.parametrize(
    ("member", "value"),
    [("sender", "anna"), ("sentAt", CHRISTMAS), ("data", {"text": "two spaces"}), ("type", "x")],
)
def test_a_changed_message_is_found(
    imported: FakeServer,
    server: irc_import.Server,
    logs: irc_import.Logs,
    member: str,
    value: object,
) -> None:
    """One changed field of one message is reported, forwards and backwards."""
    imported.messages[MUID][member] = value
    differences = [each for each in run(server, logs) if MUID in each]

    assert any(each.startswith("message") for each in differences)
    assert any(each.startswith("backwards") for each in differences)


def test_messages_out_of_order_are_found(
    imported: FakeServer, server: irc_import.Server, logs: irc_import.Logs
) -> None:
    """Two messages of a minute with exchanged ids are in the wrong order."""
    one, other = imported.messages[MUID], imported.messages["irc-2004-12-25-a-2"]
    one["id"], other["id"] = other["id"], one["id"]

    assert any("belongs behind" in each for each in run(server, logs))


def test_a_message_too_many_is_found(
    imported: FakeServer, server: irc_import.Server, logs: irc_import.Logs
) -> None:
    """A message that was not imported is reported."""
    imported.messages["x"] = {**imported.messages[MUID], "muid": "x", "id": "99"}

    assert any("never imported" in each for each in run(server, logs))


@pytest.mark.parametrize("affix", ["append", "prepend"])
def test_a_list_that_leaves_one_out_is_found(
    imported: FakeServer,
    server: irc_import.Server,
    logs: irc_import.Logs,
    monkeypatch: pytest.MonkeyPatch,
    affix: str,
) -> None:
    """A message missing in a page is reported, in both directions."""
    whole = imported.history

    def shortened(params: httpx.QueryParams) -> httpx.Response:
        answer = whole(params).json()
        if params["affix"] == affix:
            answer["data"].pop(1)
            answer["meta"]["current"]["count"] -= 1
        return httpx.Response(200, json=answer)

    monkeypatch.setattr(imported, "history", shortened)
    differences = run(server, logs)

    assert any(f"{MUID}: missing" in each for each in differences)


def test_changed_users_are_found(
    imported: FakeServer, server: irc_import.Server, logs: irc_import.Logs
) -> None:
    """A name that is not the nickname, and a wrong total, are reported."""
    imported.users["anna"]["name"] = "anna"

    assert run(server, logs) == ["user anna: name is 'anna', not 'Anna'"]


def test_users_that_appear_during_the_import_are_found(
    fake: FakeServer, server: irc_import.Server, logs: irc_import.Logs
) -> None:
    """A user who appears during the import is reported, and so is the total."""
    fake.users = Growing(fake.users)
    differences = run(server, logs)

    assert "users: total: 6, not 5" in differences
    assert any("user ghost: listed, but never imported" in each for each in differences)


class Growing(dict[str, Any]):
    """Users of which one more appears with the first that is stored."""

    def __setitem__(self, key: str, value: Any) -> None:
        super().__setitem__("ghost", {"uid": "ghost", "name": "Ghost"})
        super().__setitem__(key, value)


def test_changed_members_are_found(
    imported: FakeServer, server: irc_import.Server, logs: irc_import.Logs
) -> None:
    """A member with another time, and a group with another count, are reported."""
    imported.members["ubuntu_member_bob"]["joinedAt"] += 1
    imported.members["x"] = {"uid": "x", "scope": "admin", "joinedAt": 1}
    differences = run(server, logs)

    assert "group ubuntu: members_count is 5, not 4" in differences
    assert "members: total: 5, not 4" in differences
    assert any("member bob: joined_at" in each for each in differences)


def test_a_server_without_a_list_of_members_is_compared_without(
    fake: FakeServer, server: irc_import.Server, logs: irc_import.Logs
) -> None:
    """A path that this version lacks is not a difference."""
    fake.lists_members = False

    assert run(server, logs) == []


# --- Errors


def test_a_busy_server_is_asked_again(
    fake: FakeServer, server: irc_import.Server, logs: irc_import.Logs
) -> None:
    """503 and 429 are retried after the time that the server requests, within bounds."""
    waits: list[float] = []
    server.sleep = waits.append
    fake.busy = [
        httpx.Response(503, headers={"Retry-After": "2"}),
        httpx.Response(429, headers={"Retry-After": "3600"}),
        httpx.Response(503),
    ]

    assert run(server, logs) == []
    assert waits == [2, 30, 1]


def test_patience_ends(fake: FakeServer, server: irc_import.Server) -> None:
    """After too many retries of a busy server the run ends with its answer."""
    fake.busy = [httpx.Response(503, json={"error": {"code": "ERR_OPERATION_FAILED"}})] * 20

    with pytest.raises(irc_import.RunError, match=r"10 tries.*ERR_OPERATION_FAILED"):
        server.call("GET", "/v3/users")


def test_a_refusal_is_reported_with_its_code(fake: FakeServer, server: irc_import.Server) -> None:
    """An error is not retried; the text has code, message and request id."""
    error = {"error": {"code": "AUTH_ERR_APIKEY_NOT_FOUND", "message": "No such key."}}
    fake.busy = [httpx.Response(401, json=error, headers={"X-Request-Id": "r1"})]

    with pytest.raises(irc_import.AnswerError, match=r"401 AUTH_ERR.* No such key.*r1"):
        server.call("GET", "/v3/users")
    assert len(fake.requests) == 1


def test_a_failed_batch_of_messages_stops_the_next(
    fake: FakeServer, server: irc_import.Server
) -> None:
    """Messages are sent one request after another, so none overtakes one that failed."""
    plan = irc_import.plan_import(many_messages(200))
    fake.busy = [httpx.Response(500)]

    with pytest.raises(irc_import.AnswerError):
        irc_import.import_all(
            server,
            irc_import.Plan({}, {}, {}, plan.messages),
            irc_import.Report(Console(file=io.StringIO())),
            in_flight=8,
        )
    assert len(fake.requests) == 1


def test_an_answer_of_another_shape_is_reported(
    fake: FakeServer, server: irc_import.Server
) -> None:
    """An id that is a number does not conform to the interface."""
    row = {"sender": "anna", "receiver": "ubuntu", "receiverType": "group", "category": "message",
           "type": "text", "sentAt": 1, "data": {}, "id": 7}  # fmt: skip
    meta = {"current": {"limit": 1000, "count": 1}}
    fake.busy = [httpx.Response(200, json={"data": [row], "meta": meta})]

    with pytest.raises(irc_import.RunError, match="another shape than promised"):
        next(irc_import.walk_messages(server, "append"))


def test_a_cursor_that_stands_still_ends_the_walk(
    fake: FakeServer, server: irc_import.Server
) -> None:
    """A list that returns the same cursor again would never end, and is an error."""
    cursor = {"affix": "append", "sentAt": 1, "id": "1"}
    meta = {"current": {"limit": 1000, "count": 0}, "next": cursor}
    fake.busy = [httpx.Response(200, json={"data": [], "meta": meta}) for _ in range(3)]

    with pytest.raises(irc_import.RunError, match="stands still"):
        list(irc_import.walk_messages(server, "append"))


# --- The command


def test_the_command_ends_with_the_number_of_differences(
    fake: FakeServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A good run prints counts and rates and ends with `0 differences`."""
    (tmp_path / "2004-12-25.a.raw.txt").write_bytes(LOG)
    arguments = ["--app", "acme", "--key", "k", "--logs", str(tmp_path)]

    assert irc_import.main(arguments, httpx.MockTransport(fake.serve)) == 0
    printed = capsys.readouterr().out
    assert re.search(r"message +4  imported; 1 of them without text", printed)
    assert "rows/s" in printed
    assert printed.endswith("\n0 differences\n")


def test_the_command_shows_the_first_differences(
    fake: FakeServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A run with differences prints some of them, counts all, and fails."""
    (tmp_path / "2004-12-25.a.raw.txt").write_bytes(LOG)
    fake.messages = {f"x{n}": {**stray_message(), "id": str(n)} for n in range(900, 930)}
    arguments = ["--app", "acme", "--key", "k", "--logs", str(tmp_path)]

    assert irc_import.main(arguments, httpx.MockTransport(fake.serve)) == 1
    printed = capsys.readouterr().out.splitlines()
    assert sum(line.startswith("- ") for line in printed) == 20
    assert re.fullmatch(r"[0-9]{2,} differences", printed[-1])


def stray_message() -> dict[str, Any]:
    """Return a message that is in no log."""
    return {
        "sender": "sample",
        "receiver": "ubuntu",
        "receiverType": "group",
        "category": "message",
        "type": "text",
        "sentAt": 1,
        "data": {"text": "stray"},
    }


def test_the_command_says_why_it_stopped(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An error that ends the run is reported without a traceback."""
    assert irc_import.main(["--app", "acme", "--key", "k", "--logs", str(tmp_path)]) == 1
    assert "stopped: " in capsys.readouterr().err
