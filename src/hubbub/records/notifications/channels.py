"""The table `channel_providers`, and all providers of an app at once."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar, cast

from hubbub.kernel.sealing import Sealer
from hubbub.records.notifications.setups import (
    CHANNEL_KINDS,
    EMAIL_KINDS,
    SMS_KINDS,
    ChannelSetup,
    CustomPushSetup,
    EmailSetup,
    SendGridSetup,
    SmsSetup,
    open_setup,
    seal_setup,
)
from hubbub.records.notifications.store import SQL, PushProvider, list_all_providers
from hubbub.storage.interface import Row, Snapshot, Transaction

Setup = TypeVar("Setup", bound=ChannelSetup)


@dataclass(frozen=True, slots=True)
class Providers:
    """What an app sends its notifications with."""

    push: Sequence[PushProvider] = ()
    """The push gateways, incomplete ones too; one of each kind is the default."""
    custom_push: CustomPushSetup | None = None
    """None if it is not enabled, as with the others."""
    email: EmailSetup | None = None
    sms: SmsSetup | None = None


async def find_providers(snapshot: Snapshot, sealer: Sealer) -> Providers:
    """Return all providers of the app, with their secrets, by two statements."""
    push = await list_all_providers(snapshot, sealer)
    enabled = [each for each in await list_channels(snapshot, sealer) if each.is_enabled]
    return Providers(
        push,
        custom_push=_first(enabled, (CustomPushSetup,)),
        email=_first(enabled, EMAIL_KINDS),
        sms=_first(enabled, SMS_KINDS),
    )


def _first(setups: Iterable[ChannelSetup], kinds: tuple[type[Setup], ...]) -> Setup | None:
    return next((each for each in setups if isinstance(each, kinds)), None)


async def list_channels(snapshot: Snapshot, sealer: Sealer) -> list[ChannelSetup]:
    """Return the stored setups of all kinds, also of those that are not enabled."""
    rows = await snapshot.fetch(SQL.list_channels)
    return [_open_row(snapshot, sealer, row) for row in rows]


async def find_channel(snapshot: Snapshot, sealer: Sealer, kind: type[Setup]) -> Setup | None:
    """Return the setup of a kind, enabled or not."""
    row = await snapshot.fetch_one(SQL.find_channel, kind=kind.kind)
    return None if row is None else cast("Setup", _open_row(snapshot, sealer, row))


async def find_by_replies_token(
    snapshot: Snapshot, sealer: Sealer, token: str
) -> SendGridSetup | None:
    """Return the setup of SendGrid if it has this token; the token begins with the app's id."""
    row = await snapshot.fetch_one(
        SQL.find_channel_by_token, kind=SendGridSetup.kind, token_hash=sealer.hash(token)
    )
    return None if row is None else cast("SendGridSetup", _open_row(snapshot, sealer, row))


async def put_channel(tx: Transaction, sealer: Sealer, setup: ChannelSetup, now: int) -> None:
    """Insert or replace the setup of a kind."""
    await tx.run(
        SQL.put_channel,
        kind=setup.kind,
        **seal_setup(sealer, setup, *_sealed_place(tx.app_id, setup.kind)),
        token_hash=_token_hash(sealer, setup),
        now=now,
    )


async def delete_channel(tx: Transaction, kind: type[ChannelSetup]) -> None:
    """Delete the setup of a kind, if there is one."""
    await tx.run(SQL.delete_channel, kind=kind.kind)


def _token_hash(sealer: Sealer, setup: ChannelSetup) -> str | None:
    token = setup.replies_token if isinstance(setup, SendGridSetup) else None
    return None if token is None else sealer.hash(token)


def _open_row(snapshot: Snapshot, sealer: Sealer, row: Row) -> ChannelSetup:
    kind, config, sealed = row
    place = _sealed_place(snapshot.app_id, kind)
    return open_setup(sealer, CHANNEL_KINDS[kind], config, sealed, *place)


def _sealed_place(app_id: str, kind: str) -> tuple[str, ...]:
    """Return the place of a sealed value: it opens nowhere else."""
    return app_id, "channel_providers", "sealed", kind
