"""Get, save, change and delete the providers that an app has at most one of.

Of those of e-mail, and of those of SMS, at most one is enabled: enabling one disables the others.
"""

from collections.abc import Callable, Sequence
from typing import TypeVar

from msgspec.structs import replace

from hubbub.domain.notifications.providers.check_setups import check_whole, normalise
from hubbub.kernel.fields import keep, merge
from hubbub.kernel.ids import Ids
from hubbub.outbox import lock_counters
from hubbub.outbox.consumer import start_position
from hubbub.records.notifications import channels as store
from hubbub.records.notifications.model import ProviderNotFound
from hubbub.records.notifications.sending.model import PLANNING
from hubbub.records.notifications.setups import (
    EMAIL_KINDS,
    SMS_KINDS,
    ChannelSetup,
    SendGridSetup,
)
from hubbub.runtime import Runtime
from hubbub.storage.interface import Transaction

Setup = TypeVar("Setup", bound=ChannelSetup)
Change = Callable[[Setup | None], Setup]
"""Returns what is stored of what was stored before."""

TOKEN_DIGITS = 40


async def get_channel(runtime: Runtime, app_id: str, kind: type[Setup]) -> Setup | None:
    """Return the provider of a kind; None if the app has none."""
    return await runtime.database.read(
        app_id, lambda snapshot: store.find_channel(snapshot, runtime.sealer, kind)
    )


async def save_channel(runtime: Runtime, app_id: str, given: Setup) -> Setup:
    """Store a provider in place of the one of its kind; a masked secret keeps its value.

    Raises:
        BadInput: it can't be used.
    """
    normal = normalise(given, runtime.outbound)
    return await _store(runtime, app_id, type(given), lambda before: keep(before, normal))


async def change_channel(runtime: Runtime, app_id: str, given: Setup) -> Setup:
    """Change the given fields of a provider; absent fields and masked secrets keep their values.

    Raises:
        ProviderNotFound: the app has no provider of that kind.
        BadInput: it can't be used.
    """
    normal = normalise(given, runtime.outbound)

    def change(before: Setup | None) -> Setup:
        if before is None:
            raise ProviderNotFound(given.kind)
        return merge(before, keep(before, normal))

    return await _store(runtime, app_id, type(given), change)


async def delete_channel(runtime: Runtime, app_id: str, kind: type[ChannelSetup]) -> None:
    """Delete the provider of a kind, if there is one."""

    async def within(tx: Transaction) -> None:
        await lock_counters(tx)
        await store.delete_channel(tx, kind)

    await runtime.database.write(app_id, within)


async def _store(runtime: Runtime, app_id: str, kind: type[Setup], change: Change[Setup]) -> Setup:
    now, new_token = runtime.clock.now(), _make_token(runtime.ids, app_id)

    async def within(tx: Transaction) -> Setup:
        counters = await lock_counters(tx)  # one at a time: two can't both be the enabled one
        await start_position(tx, PLANNING, counters.event)
        present = await store.list_channels(tx, runtime.sealer)
        before = next((each for each in present if isinstance(each, kind)), None)
        after = _settle(change(before), new_token)
        check_whole(after, runtime.outbound)
        await store.put_channel(tx, runtime.sealer, after, now)
        if after.is_enabled:
            for rival in _rivals(after, present):
                disabled = replace(rival, is_enabled=False)
                await store.put_channel(tx, runtime.sealer, disabled, now)
        return after

    return await runtime.database.write(app_id, within)


def _rivals(setup: ChannelSetup, present: Sequence[ChannelSetup]) -> list[ChannelSetup]:
    """Return the other enabled providers of the channel, if it has one at a time."""
    kinds = next((kinds for kinds in (EMAIL_KINDS, SMS_KINDS) if isinstance(setup, kinds)), ())
    return [
        each
        for each in present
        if isinstance(each, kinds) and type(each) is not type(setup) and each.is_enabled
    ]


def _settle(setup: Setup, new_token: str) -> Setup:
    """Return a setup of SendGrid with a token for replies, and without empty fields."""
    if not isinstance(setup, SendGridSetup):
        return setup
    replies = setup.sender_email_for_replies or None
    token = setup.replies_token or new_token
    return replace(setup, sender_email_for_replies=replies, replies_token=token)


def _make_token(ids: Ids, app_id: str) -> str:
    """Return a new token for replies; it begins with the app's id, by which it is looked up."""
    return f"{app_id}.{ids.hexadecimal(TOKEN_DIGITS)}"
