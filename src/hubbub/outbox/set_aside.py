"""The table `set_aside_events`: events that a consumer could not process, and why."""

import traceback
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import PurePath

import structlog

from hubbub.kernel.pages import PageRequest
from hubbub.outbox.log import SQL, find_first
from hubbub.storage.interface import Snapshot, Transaction

log = structlog.get_logger()

MOST_KEPT = 1_000
"""The events of an app that are kept, the newest ones."""
KEPT_SECONDS = 14 * 86_400


@dataclass(frozen=True, slots=True)
class LoggedEvent:
    """An event as the log names it; its body is not looked at."""

    number: int
    id: str
    name: str


@dataclass(frozen=True, slots=True)
class SetAside:
    """An event that a consumer has passed over."""

    at: int
    """When it was set aside."""
    number: int
    consumer: str
    id: str
    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class SetAsideCount:
    """The events of an app that a consumer has set aside."""

    app_id: str
    consumer: str
    events: int


def log_set_aside(app_id: str, event: SetAside) -> None:
    """Say in the log that an event was passed over, and why."""
    log.error(
        "event_set_aside",
        consumer=event.consumer,
        app=app_id,
        id=event.id,
        name=event.name,
        reason=event.reason,
    )


def reason_of(defect: BaseException) -> str:
    """Return the class of an exception and its place in Hubbub; its words may hold content."""
    frames = traceback.extract_tb(defect.__traceback__)
    ours = [frame for frame in frames if "hubbub" in PurePath(frame.filename).parts]
    if not ours:
        return type(defect).__name__
    parts = PurePath(ours[-1].filename).parts
    place = "/".join(parts[len(parts) - parts[::-1].index("hubbub") - 1 :])
    return f"{type(defect).__name__} in {place}, line {ours[-1].lineno}"


async def find_event_after(snapshot: Snapshot, after: int) -> LoggedEvent | None:
    """Return the next event of the log after a number, whether it can be decoded or not."""
    row = await snapshot.fetch_one(SQL.find_next_name, after=after)
    if row is None:
        return None
    number = max(find_first(row[0], row[4]) or 0, after + 1)
    epoch = row[1].partition("-")[0]
    return LoggedEvent(number, f"{epoch}-{number}", row[2])


async def insert_set_aside(tx: Transaction, event: SetAside, *, most: int = MOST_KEPT) -> None:
    """Insert an event that was set aside; the app's oldest ones make room."""
    await tx.run_many(SQL.insert_set_aside, [event])
    await tx.run(SQL.delete_excess_set_aside, kept=most)


async def insert_unless_there(tx: Transaction, events: Sequence[SetAside]) -> list[SetAside]:
    """Insert events that were set aside, and return those that the consumer had not set aside."""
    inserted = [
        event
        for event in events
        if await tx.fetch_one(SQL.insert_unless_set_aside, **asdict(event)) is not None
    ]
    if inserted:
        await tx.run(SQL.delete_excess_set_aside, kept=MOST_KEPT)
    return inserted


async def list_set_aside(snapshot: Snapshot, page: PageRequest) -> tuple[list[SetAside], int]:
    """Return a page of the app's events that were set aside, newest first, and their total."""
    rows = await snapshot.fetch(SQL.list_set_aside, limit=page.per_page, offset=page.offset)
    counted = await snapshot.fetch_one(SQL.count_set_aside)
    return [SetAside(*row) for row in rows], int(counted[0]) if counted else 0


async def count_all_set_aside(snapshot: Snapshot) -> list[SetAsideCount]:
    """Return how many events of each app and consumer were set aside, in all apps."""
    return [SetAsideCount(*row) for row in await snapshot.fetch(SQL.count_all_set_aside)]


async def list_apps_with_old(snapshot: Snapshot, before: int) -> list[str]:
    """Return the apps that have events which were set aside before a time."""
    return [row[0] for row in await snapshot.fetch(SQL.list_apps_with_old, before=before)]


async def delete_old_set_aside(tx: Transaction, before: int) -> None:
    """Delete the app's events that were set aside before a time."""
    await tx.run(SQL.delete_old_set_aside, before=before)
