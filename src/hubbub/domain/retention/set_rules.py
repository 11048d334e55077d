"""Say how long the messages of a conversation, or of an app, are kept."""

from collections.abc import Mapping
from dataclasses import replace

import msgspec
from msgspec import UNSET, UnsetType

from hubbub.domain.access.actor import Actor
from hubbub.domain.access.conversations import access_conversation
from hubbub.domain.access.groups import access_group_to_administer
from hubbub.domain.access.people import access_actor
from hubbub.kernel.clock import NEVER
from hubbub.outbox import lock_counters
from hubbub.records.conversations.model import GROUP, Conversation, ConversationKey
from hubbub.records.retention import store
from hubbub.records.retention.model import (
    Kept,
    NothingToSet,
    RetentionNotAllowed,
    RetentionQueue,
    RetentionRule,
    kept_by,
)
from hubbub.records.settings.model import (
    DISAPPEAR_AFTER,
    DISAPPEAR_FROM,
    PARTICIPANTS_MAY_SET,
    RETENTION_DAYS,
    AppSettings,
    Value,
    settings_of,
)
from hubbub.records.settings.store import find_settings
from hubbub.records.users.model import Person
from hubbub.runtime import Runtime
from hubbub.storage.interface import Snapshot, Transaction


class GivenTimes(msgspec.Struct, frozen=True):
    """What is to be set of a conversation: unset stays as it is, None is as the app has it."""

    days: int | UnsetType | None = UNSET
    disappear_after: int | UnsetType | None = UNSET
    disappear_from: str | UnsetType | None = UNSET


class RuleInEffect(msgspec.Struct, frozen=True):
    """How long a conversation keeps its messages, and what of that is its own."""

    kept: Kept
    own: RetentionRule


async def find_retention(
    runtime: Runtime, app_id: str, actor: Actor, key: ConversationKey
) -> RuleInEffect:
    """Return how long a conversation keeps its messages.

    Raises:
        UidNotFound, GuidNotFound, BannedMember, GroupNotJoined, ConversationNotAccessible: the
            acting user takes part in no such conversation.
    """

    async def within(snapshot: Snapshot) -> RuleInEffect:
        person = await access_actor(snapshot, actor)
        conversation, _ = await access_conversation(snapshot, person, key)
        return await _in_effect(snapshot, await find_settings(snapshot), conversation)

    return await runtime.database.read(app_id, within, user=actor.uid)


async def set_retention(
    runtime: Runtime,
    app_id: str,
    actor: Actor,
    key: ConversationKey,
    given: GivenTimes,
    *,
    is_by_token: bool,
) -> RuleInEffect:
    """Say how long a conversation keeps its messages; participants, when its messages disappear.

    Raises:
        NothingToSet: nothing is given.
        UidNotFound, GuidNotFound, BannedMember, GroupNotJoined, ConversationNotAccessible: as
            `find_retention`.
        NoAdminScope: the user does not administer the group.
        RetentionNotAllowed: the app leaves this to no user.
    """
    if given == GivenTimes():
        raise NothingToSet

    async def within(tx: Transaction) -> RuleInEffect:
        counters = await lock_counters(tx)
        settings = settings_of(counters.settings)
        person = await access_actor(tx, actor)
        conversation, _ = await access_conversation(tx, person, key)
        if is_by_token:
            await _check_may_set(tx, person, conversation, given, settings)
        before = await store.find_rule(tx, conversation.number)
        rule = before or RetentionRule(conversation.number)
        rule = _changed(rule, given, newest=counters.message)
        now = runtime.clock.milliseconds()
        await store.store_rule(tx, replace(rule, due_at=now))
        queue = await store.open_queue(tx, now)
        if rule.days:
            queue = replace(queue, next_run_at=now)
        await store.store_queue(tx, queue)
        return await _in_effect(tx, settings, conversation)

    return await runtime.database.write(app_id, within)


async def _check_may_set(
    tx: Transaction,
    person: Person,
    conversation: Conversation,
    given: GivenTimes,
    settings: AppSettings,
) -> None:
    if given.days is not UNSET:
        raise RetentionNotAllowed("days")
    if not settings.is_on(PARTICIPANTS_MAY_SET):
        raise RetentionNotAllowed("when messages disappear")
    if conversation.kind == GROUP:
        await access_group_to_administer(tx, person, conversation.left_id)


def _changed(rule: RetentionRule, given: GivenTimes, *, newest: int) -> RetentionRule:
    """Return a rule with what is given; messages that are there when it is set do not disappear."""
    after = replace(
        rule,
        days=rule.days if given.days is UNSET else given.days,
        disappear_after=(
            rule.disappear_after if given.disappear_after is UNSET else given.disappear_after
        ),
        disappear_from=(
            rule.disappear_from if given.disappear_from is UNSET else given.disappear_from
        ),
    )
    if not rule.disappear_after and after.disappear_after != rule.disappear_after:
        return replace(after, since_id=newest)
    return after


async def _in_effect(
    snapshot: Snapshot, settings: AppSettings, conversation: Conversation
) -> RuleInEffect:
    rule = await store.find_rule(snapshot, conversation.number)
    return RuleInEffect(kept_by(settings, rule), rule or RetentionRule(conversation.number))


async def apply_settings(
    runtime: Runtime, tx: Transaction, before: AppSettings, after: AppSettings
) -> None:
    """Have the removals of the app follow its settings, which are stored; the counters are locked.

    What is there when messages begin to disappear in an app stays.
    """
    if _of(before) == _of(after):
        return
    now = runtime.clock.milliseconds()
    queue = await store.open_queue(tx, now)
    if after.limit(RETENTION_DAYS):
        queue = replace(queue, next_run_at=now)
    queue = _adopting(queue, before, after, newest=(await lock_counters(tx)).message, now=now)
    await store.store_queue(tx, queue)
    await store.wake_rules(tx, now)


def _adopting(
    queue: RetentionQueue, before: AppSettings, after: AppSettings, *, newest: int, now: int
) -> RetentionQueue:
    if not after.limit(DISAPPEAR_AFTER):
        return replace(queue, adopt_at=NEVER)
    if before.limit(DISAPPEAR_AFTER):
        return replace(queue, adopt_at=now)
    return replace(queue, adopt_at=now, adopted=0, since_id=newest)


def _of(settings: AppSettings) -> Mapping[str, Value]:
    return {
        RETENTION_DAYS: settings.limit(RETENTION_DAYS),
        DISAPPEAR_AFTER: settings.limit(DISAPPEAR_AFTER),
        DISAPPEAR_FROM: settings.text(DISAPPEAR_FROM),
    }
