"""Create, find, list, change and delete bots."""

from hubbub.domain.access.actor import APP
from hubbub.domain.users.create import create_users
from hubbub.domain.users.delete import delete_user
from hubbub.domain.users.update import ProfileChange, update_user
from hubbub.kernel.errors import Refusal
from hubbub.kernel.pages import Page, PageRequest
from hubbub.outbox import lock_counters
from hubbub.records.bots.events import BotCreated
from hubbub.records.bots.model import BotAlreadyExists, BotNotFound, TooManyBots
from hubbub.records.settings.model import BOTS, settings_of
from hubbub.records.users.model import UidAlreadyExists, User, UserDraft
from hubbub.records.users.store import find_user, list_bots
from hubbub.runtime import Runtime
from hubbub.storage.interface import Snapshot, Transaction


async def create_bot(runtime: Runtime, app_id: str, draft: UserDraft) -> User:
    """Create a bot.

    Raises:
        BotAlreadyExists, UidAlreadyExists: another bot, or another user, has the uid.
        TooManyBots: the app has as many bots as its settings allow.
        BadInput: the uid is reserved, or the metadata too large.
    """

    async def within(tx: Transaction) -> User:
        numbers = await lock_counters(tx)
        most, now = settings_of(numbers.settings).limit(BOTS), runtime.clock.now()
        if len(await list_bots(tx)) >= most:
            raise TooManyBots(most)
        (outcome,) = await create_users(tx, [draft], now)
        if isinstance(outcome, UidAlreadyExists):
            present = await find_user(tx, draft.uid)
            raise BotAlreadyExists(draft.uid) if present and present.is_bot else outcome
        if isinstance(outcome, Refusal):
            raise outcome
        tx.announce(BotCreated(outcome.uid, now))
        return outcome

    return await runtime.database.write(app_id, within)


async def get_bot(runtime: Runtime, app_id: str, uid: str) -> User:
    """Return the bot with a uid.

    Raises:
        BotNotFound: the bot does not exist.
    """
    return await runtime.database.read(app_id, lambda snapshot: access_bot(snapshot, uid))


async def access_bot(snapshot: Snapshot, uid: str) -> User:
    """Return the active bot with a uid.

    Raises:
        BotNotFound: the bot does not exist.
    """
    user = await find_user(snapshot, uid)
    if user is None or not user.is_active or not user.is_bot:
        raise BotNotFound(uid)
    return user


async def list_all_bots(runtime: Runtime, app_id: str, request: PageRequest) -> Page[User]:
    """Return a page of the app's bots, ordered by uid."""
    bots = await runtime.database.read(app_id, list_bots)
    page = bots[request.offset : request.offset + request.per_page]
    return Page(page, len(bots), request)


async def update_bot(runtime: Runtime, app_id: str, uid: str, change: ProfileChange) -> User:
    """Change a bot's profile; keep the fields that are not given.

    Raises:
        BotNotFound: the bot does not exist.
        BadInput: the metadata is too large.
    """
    await get_bot(runtime, app_id, uid)
    return await update_user(runtime, app_id, APP, uid, change)


async def delete_bot(runtime: Runtime, app_id: str, uid: str) -> None:
    """Delete a bot; its messages stay under its name.

    Raises:
        BotNotFound: the bot does not exist.
    """
    await get_bot(runtime, app_id, uid)
    await delete_user(runtime, app_id, uid, is_permanent=False)
