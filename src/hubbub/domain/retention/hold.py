"""Put users, groups and the app on legal hold, and lift holds; each with its entry of the log."""

from hubbub.domain.audit.record import Deed, record
from hubbub.outbox import lock_counters
from hubbub.records.audit.model import Doer
from hubbub.records.groups.model import GuidNotFound
from hubbub.records.groups.store import find_groups
from hubbub.records.retention import store
from hubbub.records.retention.model import GROUP, USER, LegalHold
from hubbub.records.users.model import UidNotFound
from hubbub.records.users.store import find_user
from hubbub.runtime import Runtime
from hubbub.storage.interface import Snapshot, Transaction

MOST_HOLDS = 1000
"""The holds in one answer."""


async def set_hold(
    runtime: Runtime,
    app_id: str,
    kind: str,
    subject: str,
    *,
    is_on: bool,
    recorded: Doer | None,
) -> LegalHold | None:
    """Put something on hold, or lift its hold; return the hold, if there is one then.

    The audit log has it as a deed of `recorded`, unless the caller records it. When this returns,
    no removal is under way that did not know of it.

    Raises:
        UidNotFound, GuidNotFound: the app has no such user or group.
    """
    now = runtime.clock.now()

    async def within(tx: Transaction) -> LegalHold | None:
        await lock_counters(tx)  # removals hold them, too
        await _check_subject(tx, kind, subject)
        if is_on:
            has_changed = await store.insert_hold(tx, LegalHold(kind, subject, now))
        else:
            has_changed = await store.delete_hold(tx, kind, subject)
        if has_changed and not is_on:
            now_ms = runtime.clock.milliseconds()
            await store.open_queue(tx, now_ms)
            await store.wake_rules(tx, now_ms)
        if has_changed and recorded is not None:
            await record(tx, runtime, recorded, deed_of(app_id, kind, subject, is_on=is_on))
        found = await store.find_holds(tx, [kind], [subject])
        return found[0] if found else None

    return await runtime.database.write(app_id, within)


def deed_of(app_id: str, kind: str, subject: str, *, is_on: bool) -> Deed:
    """Return a change of a hold for the audit log."""
    action = "hold.set" if is_on else "hold.lift"
    return Deed(action=action, subject=f"{kind} {subject}".strip(), app=app_id)


async def _check_subject(tx: Transaction, kind: str, subject: str) -> None:
    if kind == USER and await find_user(tx, subject) is None:
        raise UidNotFound(subject)
    if kind == GROUP and not await find_groups(tx, [subject]):
        raise GuidNotFound(subject)


async def list_holds(runtime: Runtime, app_id: str) -> list[LegalHold]:
    """Return the holds of an app, by what they are on."""

    async def within(snapshot: Snapshot) -> list[LegalHold]:
        return await store.list_holds(snapshot, ("", ""), limit=MOST_HOLDS)

    return await runtime.database.read(app_id, within)
