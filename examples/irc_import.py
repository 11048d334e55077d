"""Import real IRC logs through the REST interface, read everything back and compare.

The logs become users (one for each nickname), one public group, its members, and one message
for each line of a user. Afterwards all of it is read back through the lists, forwards and
backwards, and compared with what was sent: the run ends with `0 differences` and exit code 0,
or with the first differences and exit code 1. An interrupted run can simply be started again:
existing rows are skipped.

The data set this was written for: the raw logs distributed with J. Kummerfeld et al., "A
Large-Scale Corpus for Conversation Disentanglement" (ACL 2019), licence CC BY 4.0. One file a
day, named `YYYY-MM-DD.*.raw.txt`, in a folder or in a tar archive.

The logs are ambiguous in places; these are the rules:

- A clock that goes back has passed midnight, or noon: a file that never shows an hour above 12
  is taken for a twelve-hour clock that starts in the morning. A clock set back by up to an hour
  is not a new day; the time then stands still until the clock has caught up.
- Only `<nick> text` lines are imported. Actions, notices and system lines are counted.
- A line without text is imported as a custom message, since a text message must not be empty.
- A uid has the permitted characters of the nickname, in lower case; if two nicknames have the
  same, the later one gets a number. The user's name is the nickname as it was logged.
"""

import argparse
import re
import sys
import tarfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from functools import partial
from itertools import chain, count, islice, pairwise
from pathlib import Path
from typing import Annotated, Generic, Literal, TypeVar

import httpx2 as httpx
import msgspec
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

T = TypeVar("T")
Row = TypeVar("Row", bound=msgspec.Struct)

GUID = "ubuntu"
IMPORT_BATCH = 50
PAGE = 1000
PAGES_BACKWARDS = 10
DIFFERENCES_SHOWN = 20
TRIES = 10
LONGEST_WAIT_SECONDS = 30
ALREADY_THERE = {
    "ERR_UID_ALREADY_EXISTS",
    "ERR_GUID_ALREADY_EXISTS",
    "ERR_ALREADY_JOINED",
    "ERR_IMPORT_MUID_ALREADY_EXISTS",
}


class RunError(Exception):
    """The run cannot go on; the text says why."""


class AnswerError(RunError):
    """The server answered with an error."""

    def __init__(self, text: str, code: str) -> None:
        super().__init__(text)
        self.code = code


# --- The logs -----------------------------------------------------------------------------------


class Kind(StrEnum):
    """The kind of a line of a log."""

    MESSAGE = "message"
    ACTION = "action"
    NOTICE = "notice"
    SYSTEM = "system"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a log; `clock` is in minutes."""

    kind: Kind
    clock: int | None = None
    nickname: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class Said:
    """One message of the logs, with the time in seconds since 1970, UTC."""

    muid: str
    nickname: str
    text: str
    sent_at: int


@dataclass(frozen=True, slots=True)
class Logs:
    """The contents of the logs: messages in order of time, nicknames in order of appearance."""

    messages: list[Said]
    nicknames: list[str]
    kinds: Counter[Kind]
    files: int

    @property
    def blank(self) -> int:
        return sum(is_blank(said.text) for said in self.messages)

    def first_said(self) -> dict[str, int]:
        """Return when each nickname sent its first message."""
        return {said.nickname: said.sent_at for said in reversed(self.messages)}


FILE_NAME = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})\.(?:.*\.)?raw\.txt")
TIMED = re.compile(r"\[([01][0-9]|2[0-3]):([0-5][0-9])\] ?(.*)", re.DOTALL)
CONTENT = {
    Kind.MESSAGE: re.compile(r"<([^>]*)> ?(.*)", re.DOTALL),
    Kind.ACTION: re.compile(r" ?\* (\S+) ?(.*)", re.DOTALL),
    Kind.NOTICE: re.compile(r"-([^\s:]+):#\S+- ?(.*)", re.DOTALL),
}
NOON = 12 * 60
MIDNIGHT = 24 * 60
LARGEST_STEP_BACK = 60


def parse_line(line: str) -> Line:
    """Return the kind, time, nickname and text of a line."""
    timed = TIMED.fullmatch(line)
    if timed is None:
        return Line(Kind.SYSTEM if line.startswith("===") else Kind.OTHER)
    clock = int(timed[1]) * 60 + int(timed[2])
    for kind, pattern in CONTENT.items():
        if content := pattern.fullmatch(timed[3]):
            return Line(kind, clock, content[1], content[2])
    return Line(Kind.OTHER, clock)


def unroll_clocks(clocks: Sequence[int]) -> list[int]:
    """Turn the clock of a file into minutes since its first midnight, which never decrease."""
    turn = MIDNIGHT if max(clocks, default=0) >= NOON + 60 else NOON
    minutes: list[int] = []
    latest = clocks[0] % turn if clocks else 0
    for clock in clocks:
        hand = clock % turn
        turns = -((hand + LARGEST_STEP_BACK - latest) // turn)
        latest = max(latest, hand + turns * turn)
        minutes.append(latest)
    return minutes


def parse_log(name: str, raw: bytes) -> tuple[list[Said], Counter[Kind]]:
    """Read one day's file; bytes that are not UTF-8 become U+FFFD."""
    day, stem = split_name(name)
    midnight = int(datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp())
    numbered = raw.decode("utf-8", "replace").removesuffix("\n").split("\n") if raw else []
    lines = [parse_line(line) for line in numbered]
    minutes = iter(unroll_clocks([line.clock for line in lines if line.clock is not None]))
    messages = []
    for number, line in enumerate(lines, 1):
        sent_at = midnight if line.clock is None else midnight + next(minutes) * 60
        if line.kind is Kind.MESSAGE:
            messages.append(Said(f"irc-{stem}-{number}", line.nickname, line.text, sent_at))
    return messages, Counter(line.kind for line in lines)


def split_name(name: str) -> tuple[str, str]:
    """Return the day of a file and its name in a muid, since two files may share a day."""
    matched = FILE_NAME.fullmatch(name)
    if matched is None:
        raise RunError(f"{name} is not named like a day's log, YYYY-MM-DD.*.raw.txt")
    return matched[1], name.removesuffix(".raw.txt").replace(".", "-")


def read_files(path: Path) -> dict[str, bytes]:
    """Read the days' files of a folder or a tar archive, in order of their names."""
    found = read_folder(path) if path.is_dir() else read_archive(path)
    files: dict[str, bytes] = {}
    for name, raw in sorted(found):
        if name in files:
            raise RunError(f"{path} holds {name} twice")
        files[name] = raw
    if not files:
        raise RunError(f"{path} holds no file named YYYY-MM-DD.*.raw.txt")
    return files


def read_folder(path: Path) -> list[tuple[str, bytes]]:
    """Read the days' files of a folder."""
    named = [entry for entry in path.iterdir() if FILE_NAME.fullmatch(entry.name)]
    return [(entry.name, entry.read_bytes()) for entry in named]


def read_archive(path: Path) -> list[tuple[str, bytes]]:
    """Read the days' files of a tar archive, compressed or not."""
    found = []
    try:
        with tarfile.open(path) as archive:
            for entry in archive:
                name = Path(entry.name).name
                if FILE_NAME.fullmatch(name) and (content := archive.extractfile(entry)):
                    found.append((name, content.read()))
    except (OSError, tarfile.TarError) as error:
        raise RunError(f"{path} cannot be read: {error}") from error
    return found


def read_logs(path: Path, limit_days: int | None = None) -> Logs:
    """Read the logs of all days, or of the first `limit_days`."""
    files = read_files(path)
    days = sorted({split_name(name)[0] for name in files})[:limit_days]
    return join_logs({name: raw for name, raw in files.items() if split_name(name)[0] in days})


def join_logs(files: Mapping[str, bytes]) -> Logs:
    """Sort the messages of several files by time.

    A file may go over midnight into the next one. Nicknames keep the order of the files, so that
    a later run with more days changes no uid.
    """
    messages: list[Said] = []
    kinds: Counter[Kind] = Counter()
    for name, raw in files.items():
        said, kinds_of_file = parse_log(name, raw)
        messages += said
        kinds += kinds_of_file
    nicknames = list(dict.fromkeys(said.nickname for said in messages))
    messages.sort(key=lambda said: said.sent_at)
    return Logs(messages, nicknames, kinds, len(files))


def is_blank(text: str) -> bool:
    """Return whether a text is empty, or only white space."""
    return not text.strip()


# --- Nicknames become uids ----------------------------------------------------------------------

UID_ALPHABET = frozenset("abcdefghijklmnopqrstuvwxyz0123456789_-")
LONGEST_UID = 100
LONGEST_NAME = 100
RESERVED = {"app_system"}


def settle(nicknames: Iterable[str]) -> dict[str, str]:
    """Assign a unique uid to every nickname, first come first served."""
    uids: dict[str, str] = {}
    taken = set(RESERVED)
    for nickname in dict.fromkeys(nicknames):
        uid = find_free_uid(fit_uid(nickname), taken)
        uids[nickname] = uid
        taken.add(uid)
    return uids


def fit_uid(nickname: str) -> str:
    """Return the permitted characters of a nickname, as a uid."""
    kept = (letter for letter in nickname.lower() if letter in UID_ALPHABET)
    return "".join(kept)[:LONGEST_UID] or "nick"


def find_free_uid(wanted: str, taken: set[str]) -> str:
    """Return the first of `wanted`, `wanted-2`, `wanted-3` … that is free."""
    endings = chain([""], (f"-{number}" for number in count(2)))
    candidates = (wanted[: LONGEST_UID - len(ending)] + ending for ending in endings)
    return next(uid for uid in candidates if uid not in taken)


def display_name(nickname: str, uid: str) -> str:
    """Return the nickname as logged, within the limits of a name."""
    name = nickname.replace("\0", "\N{REPLACEMENT CHARACTER}")[:LONGEST_NAME]
    return uid if is_blank(name) else name


# --- Requests, and what is read back ------------------------------------------------------------


class Wire(msgspec.Struct, rename="camel", omit_defaults=True, kw_only=True):
    """An object of the interface; unused fields are left out."""


class User(Wire):
    """A user, as imported and as listed."""

    uid: str
    name: str
    created_at: int = 0


class Group(Wire):
    """A group, as imported and as read."""

    guid: str
    name: str
    type: str
    created_at: int
    members_count: int | None = None


class Member(Wire):
    """A member, as imported; lists leave out fields that are the same for all."""

    uid: str
    scope: str
    joined_at: int
    member_id: str = ""
    guid: str = ""


class Content(Wire):
    """The `data` of a message."""

    text: str | None = None
    custom_data: dict[str, object] | None = None


class Message(Wire):
    """A message, as imported and as listed; the server assigns the id."""

    sender: str
    receiver: str
    receiver_type: str
    category: str
    type: str
    sent_at: int
    data: Content
    muid: str = ""
    id: Annotated[str, msgspec.Meta(pattern="^[0-9]+$")] = ""


@dataclass(frozen=True, slots=True)
class Plan:
    """The rows to import, each kind by its key in a request."""

    users: dict[str, User]
    groups: dict[str, Group]
    members: dict[str, Member]
    messages: dict[str, Message]


def plan_import(logs: Logs) -> Plan:
    """Turn the logs into rows; users join with their first message."""
    if not logs.messages:
        raise RunError("the logs hold no message")
    uids = settle(logs.nicknames)
    joined = {uids[nickname]: said_at for nickname, said_at in logs.first_said().items()}
    users = [plan_user(nickname, uid, joined[uid]) for nickname, uid in uids.items()]
    members = [plan_member(uid, joined[uid]) for uid in uids.values()]
    messages = [plan_message(said, uids[said.nickname]) for said in logs.messages]
    return Plan(
        users={user.uid: user for user in users},
        groups={GUID: plan_group(logs.messages[0].sent_at)},
        members={member.member_id: member for member in members},
        messages={message.muid: message for message in messages},
    )


def plan_user(nickname: str, uid: str, first_said: int) -> User:
    """Plan the user of a nickname."""
    return User(uid=uid, name=display_name(nickname, uid), created_at=first_said)


def plan_group(first_said: int) -> Group:
    """Plan the group, which is created just before the first message."""
    return Group(guid=GUID, name="Ubuntu", type="public", created_at=first_said - 1)


def plan_member(uid: str, joined_at: int) -> Member:
    """Plan a user's membership."""
    return Member(
        member_id=f"{GUID}_member_{uid}",
        guid=GUID,
        uid=uid,
        scope="participant",
        joined_at=joined_at,
    )


def plan_message(said: Said, sender: str) -> Message:
    """Plan a message; one without text becomes a custom message."""
    blank = is_blank(said.text)
    return Message(
        muid=said.muid,
        sender=sender,
        receiver=GUID,
        receiver_type="group",
        category="custom" if blank else "message",
        type="irc_blank" if blank else "text",
        sent_at=said.sent_at,
        data=Content(custom_data={"text": said.text}) if blank else Content(text=said.text),
    )


# --- The server ---------------------------------------------------------------------------------


class ErrorBody(Wire):
    """The reason of a refusal."""

    code: str
    message: str = ""


class ErrorAnswer(Wire):
    """The answer to a refused request."""

    error: ErrorBody


class Server:
    """The REST interface of one app: calls with limited retries for a busy server."""

    def __init__(
        self,
        client: httpx.Client,
        sleep: Callable[[float], object] = time.sleep,
        *,
        page: int = PAGE,
    ) -> None:
        self.client = client
        self.sleep = sleep
        self.page = page

    def get(self, path: str, answer: type[T], params: Mapping[str, str | int] | None = None) -> T:
        """Make a GET, decoded as `answer`."""
        return decode(path, self.call("GET", path, params=params), answer)

    def post(self, path: str, body: object, answer: type[T]) -> T:
        """Make a POST, decoded as `answer`."""
        return decode(path, self.call("POST", path, content=msgspec.json.encode(body)), answer)

    def call(
        self,
        method: str,
        path: str,
        *,
        params: Mapping[str, str | int] | None = None,
        content: bytes | None = None,
    ) -> bytes:
        """Make a call, with retries when the server is busy or the connection broke.

        Every call of this script may be repeated: existing rows are skipped.
        """
        for _ in range(TRIES):
            try:
                response = self.client.request(method, path, params=params, content=content)
            except httpx.TransportError as error:
                trouble = f"{type(error).__name__}: {error}"
                self.wait(trouble, 1)
                continue
            if response.status_code not in {429, 503}:
                return content_of(response)
            trouble = str(error_of(response))
            self.wait(trouble, retry_after_seconds(response))
        raise RunError(f"given up after {TRIES} tries of {method} {path}: {trouble}")

    def wait(self, trouble: str, seconds: int) -> None:
        """Wait, and print so."""
        print(f"waiting {seconds} s: {trouble}", file=sys.stderr)
        self.sleep(seconds)


def connect(
    url: str, app: str, key: str, transport: httpx.BaseTransport | None = None
) -> httpx.Client:
    """Open a client with keep-alive connections that sends app and key in every call."""
    return httpx.Client(
        base_url=url,
        headers={"appId": app, "apiKey": key, "Content-Type": "application/json"},
        timeout=60,
        transport=transport,
    )


def retry_after_seconds(response: httpx.Response) -> int:
    """Return the number of seconds that the server asks to wait, within bounds."""
    asked = response.headers.get("Retry-After", "")
    return min(int(asked), LONGEST_WAIT_SECONDS) if asked.isdecimal() else 1


def content_of(response: httpx.Response) -> bytes:
    """Return the body of an answer that is not an error."""
    if response.status_code != httpx.codes.OK:
        raise error_of(response)
    return response.content


def error_of(response: httpx.Response) -> AnswerError:
    """Return the server's error, with the id under which its log has the request."""
    asked = f"{response.request.method} {response.request.url}: {response.status_code}"
    request_id = response.headers.get("X-Request-Id", "none")
    try:
        error = msgspec.json.decode(response.content, type=ErrorAnswer).error
    except msgspec.MsgspecError:
        error = ErrorBody(code="", message=response.text[:200])
    return AnswerError(f"{asked} {error.code} {error.message} (request {request_id})", error.code)


def decode(path: str, content: bytes, answer: type[T]) -> T:
    """Decode an answer, which must have the promised shape."""
    try:
        return msgspec.json.decode(content, type=answer)
    except msgspec.MsgspecError as error:
        raise RunError(f"{path}: an answer of another shape than promised: {error}") from error


# --- Rates and progress -------------------------------------------------------------------------

Advance = Callable[[int], None]


@dataclass(slots=True)
class Step:
    """One step of the run, for the table of rates."""

    name: str
    rows: int = 0
    seconds: float = 0.0


@dataclass(slots=True)
class Report:
    """The output of the run: a bar for each step on a terminal, lines elsewhere; then the rates."""

    console: Console
    steps: list[Step] = field(default_factory=list)

    @contextmanager
    def step(self, name: str, total: int) -> Iterator[Advance]:
        """Time a step; it yields a function to call with the number of further rows done."""
        step = Step(name)
        self.steps.append(step)
        started = time.perf_counter()
        with self.shown(name, total) as show:

            def advance(rows: int) -> None:
                step.rows += rows
                show(rows)

            yield advance
        step.seconds = time.perf_counter() - started

    @contextmanager
    def shown(self, name: str, total: int) -> Iterator[Advance]:
        """Show the progress of a step."""
        if not self.console.is_terminal:
            yield plain_progress(name, total)
            return
        columns = (TextColumn("{task.description:24}"), BarColumn(), MofNCompleteColumn())
        with Progress(*columns, TimeRemainingColumn(), console=self.console) as progress:
            task = progress.add_task(name, total=total)
            yield lambda rows: progress.advance(task, rows)

    def print_rates(self) -> None:
        """Print the rows per second of each step."""
        table = Table("step", title="rates", title_justify="left")
        for column in ("rows", "seconds", "rows/s"):
            table.add_column(column, justify="right")
        for step in filter(lambda step: step.rows, self.steps):
            rate = step.rows / step.seconds if step.seconds else 0
            table.add_row(step.name, f"{step.rows:,}", f"{step.seconds:.2f}", f"{rate:,.0f}")
        self.console.print(table)


def plain_progress(name: str, total: int) -> Advance:
    """Print a line for each tenth of the total, if that is known."""
    done = 0

    def advance(rows: int) -> None:
        nonlocal done
        before, done = done, done + rows
        if total and done * 10 // total > before * 10 // total:
            print(f"{name}: {done:,} of {total:,}", flush=True)

    return advance


# --- Importing ----------------------------------------------------------------------------------


class Entity(Wire):
    """The entity of an imported row; only messages have an id."""

    id: str = ""


class RowAnswer(Wire):
    """The outcome of one row."""

    success: bool
    skipped: bool = False
    data: Entity | None = None
    error: ErrorBody | None = None


class ImportAnswer(Wire):
    """The outcomes of the rows of one request."""

    data: dict[str, RowAnswer]


@dataclass(slots=True)
class Outcome:
    """The outcomes of all rows of a kind; `ids` are those in the answers."""

    done: int = 0
    skipped: int = 0
    ids: dict[str, str] = field(default_factory=dict)
    refused: list[str] = field(default_factory=list)

    def add(self, key: str, answer: RowAnswer) -> None:
        """Count the outcome of one row."""
        code = answer.error.code if answer.error else ""
        if not answer.success and code not in ALREADY_THERE:
            why = f"{code} {answer.error.message}" if answer.error else "no reason given"
            self.refused.append(f"{key}: refused: {why}")
            return
        self.done += 1
        self.skipped += answer.skipped or code in ALREADY_THERE
        if answer.success:
            self.ids[key] = answer.data.id if answer.data else ""


def import_all(server: Server, plan: Plan, report: Report, in_flight: int) -> dict[str, Outcome]:
    """Import every kind of row, each after the kind it refers to.

    Messages are sent one request after another, whatever `in_flight` says: ids are assigned in
    order of arrival, and history is ordered by (`sentAt`, `id`), so only this keeps the order of
    a minute.
    """
    return {
        "users": import_rows(server, report, "users", plan.users, in_flight),
        "groups": import_rows(server, report, "groups", plan.groups),
        "members": import_rows(server, report, "members", plan.members, in_flight),
        "messages": import_rows(server, report, "messages", plan.messages),
    }


def import_rows(
    server: Server, report: Report, kind: str, rows: Mapping[str, Row], in_flight: int = 1
) -> Outcome:
    """Import rows of one kind, with up to `in_flight` requests at a time."""
    outcome = Outcome()
    send = partial(send_batch, server, kind)
    with report.step(f"import {kind}", len(rows)) as advance:
        for answers in map_in_flight(send, batches(rows), in_flight):
            for key, answer in answers.items():
                outcome.add(key, answer)
            advance(len(answers))
    return outcome


def map_in_flight(
    function: Callable[[Mapping[str, Row]], T], batches: Iterable[Mapping[str, Row]], in_flight: int
) -> Iterator[T]:
    """Apply a function to batches; with one at a time, an error stops the next."""
    if in_flight == 1:
        yield from map(function, batches)
        return
    with ThreadPoolExecutor(in_flight) as pool:
        yield from pool.map(function, batches)


def batches(rows: Mapping[str, Row]) -> Iterator[dict[str, Row]]:
    """Cut rows into batches for requests."""
    left = iter(rows.items())
    while batch := dict(islice(left, IMPORT_BATCH)):
        yield batch


def send_batch(server: Server, kind: str, batch: Mapping[str, Row]) -> dict[str, RowAnswer]:
    """Import one batch; a row that is missing in the answer counts as refused."""
    path = f"/v3.0/data_import/{kind}?onConflict=skip"
    answers = server.post(path, {kind: batch}, ImportAnswer).data
    if odd := answers.keys() - batch.keys():
        raise RunError(f"{path} answered for rows that were not sent: {sorted(odd)[:3]}")
    left_out = RowAnswer(success=False, error=ErrorBody(code="not answered"))
    return {key: answers.get(key, left_out) for key in batch}


# --- Reading back -------------------------------------------------------------------------------


class Pagination(msgspec.Struct):
    """The position of a page in a list; only these fields are in snake case on the wire."""

    total: int
    count: int
    current_page: int
    total_pages: int


class PageMeta(Wire):
    """The description of a page of a list."""

    pagination: Pagination


class Page(Wire, Generic[Row]):
    """A page of a list."""

    data: list[Row]
    meta: PageMeta


class Cursor(Wire):
    """The position at which a message list goes on."""

    affix: str
    id: str
    sent_at: int


class Current(Wire):
    """The size of a page of a message list."""

    limit: int
    count: int


class MessagesMeta(Wire):
    """The description of a page of a message list."""

    current: Current
    next: Cursor | None = None
    previous: Cursor | None = None


class MessagesPage(Wire):
    """A page of a message list."""

    data: list[Message]
    meta: MessagesMeta


class GroupAnswer(Wire):
    """One group."""

    data: Group


def walk_pages(server: Server, path: str, answer: type[Page[Row]]) -> Iterator[Page[Row]]:
    """Read a list page by page."""
    for number in count(1):
        page = server.get(path, answer, {"perPage": server.page, "page": number})
        yield page
        if not page.data or number >= page.meta.pagination.total_pages:
            return


def list_rows(
    server: Server, path: str, answer: type[Page[Row]], advance: Advance
) -> tuple[list[Row], int]:
    """Read a whole list: its rows, and its total."""
    rows: list[Row] = []
    total = 0
    for page in walk_pages(server, path, answer):
        rows += page.data
        total = page.meta.pagination.total
        advance(len(page.data))
    return rows, total


def walk_messages(server: Server, affix: Literal["append", "prepend"]) -> Iterator[list[Message]]:
    """Read the group's messages page by page: from the oldest on, or from the newest back."""
    path = f"/v3/groups/{GUID}/messages"
    params: dict[str, str | int] = {"limit": server.page, "affix": affix}
    while True:
        page = server.get(path, MessagesPage, params)
        if page.meta.current != Current(limit=server.page, count=len(page.data)):
            raise RunError(f"{path}: {len(page.data)} rows, but meta says {page.meta.current}")
        yield page.data
        cursor = page.meta.next if affix == "append" else page.meta.previous
        if cursor is None:
            return
        last = params
        params = {"limit": server.page, **msgspec.to_builtins(cursor)}
        if params == last:
            raise RunError(f"{path}: the cursor stands still at {cursor}")


def find_others(server: Server, plan: Plan, report: Report) -> set[str]:
    """Return the users of the app that this run does not import."""
    with report.step("list users before", 0) as advance:
        rows, _ = list_rows(server, "/v3/users", Page[User], advance)
    return {user.uid for user in rows} - plan.users.keys()


def check_users(server: Server, plan: Plan, report: Report, others: set[str]) -> list[str]:
    """Compare the listed users with the imported ones."""
    with report.step("read users", len(plan.users) + len(others)) as advance:
        rows, total = list_rows(server, "/v3/users", Page[User], advance)
    ours = [user for user in rows if user.uid not in others]
    wanted_total = len(plan.users) + len(others)
    return [
        *compare_number("users: total", wanted_total, total),
        *compare_number("users: rows", wanted_total, len(rows)),
        *compare_rows("user", plan.users, ours, "uid", ("name", "created_at")),
    ]


def check_group(server: Server, plan: Plan) -> list[str]:
    """Compare the group, and its number of members."""
    group = server.get(f"/v3/groups/{GUID}", GroupAnswer).data
    wanted = msgspec.structs.replace(plan.groups[GUID], members_count=len(plan.members))
    return list(describe_unlike("group", GUID, wanted, group, wanted.__struct_fields__))


def check_members(server: Server, plan: Plan, report: Report) -> list[str]:
    """Compare the listed members with the imported ones."""
    wanted = {member.uid: member for member in plan.members.values()}
    with report.step("read members", len(wanted)) as advance:
        rows, total = list_rows(server, f"/v3/groups/{GUID}/members", Page[Member], advance)
    return [
        *compare_number("members: total", len(wanted), total),
        *compare_rows("member", wanted, rows, "uid", ("scope", "joined_at")),
    ]


def check_forwards(
    server: Server, wanted: Mapping[str, Message], ids: Mapping[str, str], report: Report
) -> list[str]:
    """Compare all messages, from the oldest to the newest."""
    rows: list[Message] = []
    with report.step("read messages", len(wanted)) as advance:
        for page in walk_messages(server, "append"):
            rows += page
            advance(len(page))
    return list(compare_messages(wanted, rows, ids))


def check_backwards(
    server: Server, wanted: Mapping[str, Message], ids: Mapping[str, str], report: Report
) -> list[str]:
    """Compare the newest pages, read from the newest back."""
    expected = min(len(wanted), PAGES_BACKWARDS * server.page)
    rows: list[Message] = []
    with report.step("read backwards", expected) as advance:
        for page in islice(walk_messages(server, "prepend"), PAGES_BACKWARDS):
            rows = page + rows
            advance(len(page))
    newest = dict(islice(wanted.items(), len(wanted) - expected, None))
    return [f"backwards: {difference}" for difference in compare_messages(newest, rows, ids)]


# --- Comparing ----------------------------------------------------------------------------------


def compare_number(what: str, wanted: int, found: int) -> Iterator[str]:
    """Describe a number that is not the expected one."""
    if wanted != found:
        yield f"{what}: {found}, not {wanted}"


def compare_rows(
    kind: str, wanted: Mapping[str, Row], found: Iterable[Row], key: str, fields: Sequence[str]
) -> Iterator[str]:
    """Describe every row that is missing, listed twice, never sent, or changed."""
    left = dict(wanted)
    for row in found:
        name = getattr(row, key)
        mine = left.pop(name, None)
        if mine is not None:
            yield from describe_unlike(kind, name, mine, row, fields)
        elif name in wanted:
            yield f"{kind} {name}: listed twice"
        else:
            yield f"{kind} {name}: listed, but never imported: {row!r:.200}"
    yield from (f"{kind} {name}: missing" for name in left)


def describe_unlike(
    kind: str, name: str, wanted: Row, found: Row, fields: Sequence[str]
) -> Iterator[str]:
    """Describe the fields in which two rows differ."""
    for each in fields:
        mine, theirs = getattr(wanted, each), getattr(found, each)
        if mine != theirs:
            yield f"{kind} {name}: {each} is {theirs!r:.200}, not {mine!r:.200}"


def compare_messages(
    planned: Mapping[str, Message], found: Sequence[Message], ids: Mapping[str, str]
) -> Iterator[str]:
    """Describe every message that is missing, unknown, changed or out of order.

    `ids` are those in the answers to the import; for a message without one, any id will do.
    """
    ids = {message.muid: message.id for message in found} | dict(ids)
    wanted = {
        muid: msgspec.structs.replace(message, id=ids.get(muid, ""))
        for muid, message in planned.items()
    }
    yield from compare_number("messages: rows", len(wanted), len(found))
    yield from compare_rows("message", wanted, found, "muid", Message.__struct_fields__)
    places = {muid: place for place, muid in enumerate(wanted)}
    for before, after in pairwise(found):
        if not is_in_order(before, after, places):
            yield f"message {after.muid}: listed after {before.muid}, which belongs behind it"


def is_in_order(before: Message, after: Message, places: Mapping[str, int]) -> bool:
    """Return whether two neighbours are in the order of the logs and of (`sentAt`, `id`)."""
    rising = (before.sent_at, int(before.id or 0)) < (after.sent_at, int(after.id or 0))
    known = before.muid in places and after.muid in places
    return rising and (not known or places[before.muid] < places[after.muid])


# --- The run ------------------------------------------------------------------------------------


def run(server: Server, logs: Logs, report: Report, in_flight: int) -> list[str]:
    """Import the logs, read everything back, and return the differences."""
    plan = plan_import(logs)
    others = find_others(server, plan, report)
    outcomes = import_all(server, plan, report, in_flight)
    for kind, outcome in outcomes.items():
        print(
            f"{kind}: {outcome.done:,} imported, of which {outcome.skipped:,} were there already; "
            f"{len(outcome.refused):,} refused"
        )
    return [
        *(difference for outcome in outcomes.values() for difference in outcome.refused),
        *check_users(server, plan, report, others),
        *check_membership(server, plan, report, outcomes["members"]),
        *check_messages(server, plan, report, outcomes["messages"]),
    ]


def check_membership(server: Server, plan: Plan, report: Report, outcome: Outcome) -> list[str]:
    """Compare group and members as far as this version of the server can list them."""
    differences = list(compare_number("members: imported", len(plan.members), outcome.done))
    for check in (partial(check_group, server, plan), partial(check_members, server, plan, report)):
        try:
            differences += check()
        except AnswerError as error:
            if error.code != "ERR_API_NOT_FOUND":
                raise
            print(f"not compared, since this server does not have it: {error}")
    return differences


def check_messages(server: Server, plan: Plan, report: Report, outcome: Outcome) -> list[str]:
    """Compare the messages both ways."""
    return [
        *check_forwards(server, plan.messages, outcome.ids, report),
        *check_backwards(server, plan.messages, outcome.ids, report),
    ]


def print_contents(logs: Logs) -> None:
    """Print the contents of the logs, and how much of them is imported."""
    became = {
        Kind.MESSAGE: f"imported; {logs.blank:,} of them without text, as custom messages",
        Kind.ACTION: "counted only",
        Kind.NOTICE: "counted only",
        Kind.SYSTEM: "counted only",
        Kind.OTHER: "counted only",
    }
    print(f"{logs.files:,} files, {logs.kinds.total():,} lines, {len(logs.nicknames):,} nicknames")
    for kind, note in became.items():
        print(f"  {kind:8} {logs.kinds[kind]:>9,}  {note}")


def print_differences(differences: Sequence[str]) -> None:
    """Print the first differences and their number."""
    for difference in differences[:DIFFERENCES_SHOWN]:
        print(f"- {difference}")
    print(f"{len(differences):,} differences")


def positive(text: str) -> int:
    """Read a number of at least one."""
    number = int(text)
    if number < 1:
        raise ValueError(text)
    return number


def http_address(text: str) -> str:
    """Read an http or https address."""
    if not text.startswith(("http://", "https://")):
        raise ValueError(text)
    return text


def read_arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--url", type=http_address, default="http://127.0.0.1:8080", help="where the server is"
    )
    parser.add_argument("--app", required=True, help="the app to import into; best a new one")
    parser.add_argument("--key", required=True, help="an API key of that app, scope fullAccess")
    parser.add_argument(
        "--logs", required=True, type=Path, help="a folder with the logs, or a tar archive of them"
    )
    parser.add_argument(
        "--limit-days", type=positive, metavar="N", help="import only the first N days"
    )
    parser.add_argument(
        "--in-flight",
        type=positive,
        default=4,
        metavar="N",
        help="requests at a time for users and members (default 4); messages go one by one",
    )
    return parser.parse_args(arguments)


def main(
    arguments: Sequence[str] | None = None, transport: httpx.BaseTransport | None = None
) -> int:
    """Run the script; return its exit code."""
    options = read_arguments(arguments)
    report = Report(Console())
    try:
        logs = read_logs(options.logs, options.limit_days)
        print_contents(logs)
        with connect(options.url, options.app, options.key, transport) as client:
            differences = run(Server(client), logs, report, options.in_flight)
    except RunError as error:
        print(f"stopped: {error}", file=sys.stderr)
        return 1
    report.print_rates()
    print_differences(differences)
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
