"""Try a rule on the last messages: which of them it would have matched. Nothing is changed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from hubbub.domain.moderation.decide import condition_of
from hubbub.domain.moderation.filters import Parties, applies
from hubbub.domain.moderation.load import compile_rules
from hubbub.domain.moderation.matching.ruleset import RuleSet
from hubbub.domain.moderation.matching.texts import texts_of
from hubbub.domain.moderation.rules.find import get_rule
from hubbub.kernel.text import SYSTEM_UID
from hubbub.records.conversations.model import GROUP
from hubbub.records.groups.model import Group
from hubbub.records.groups.store import find_groups
from hubbub.records.mentions.model import find_mentions
from hubbub.records.messages.listing import MessageCursor, MessageFilter, list_messages
from hubbub.records.messages.model import CUSTOM, INTERACTIVE, MESSAGE, Message
from hubbub.records.moderation.keywords import store as lists_store
from hubbub.records.users.model import User
from hubbub.records.users.store import find_users
from hubbub.runtime import Runtime
from hubbub.storage.interface import Snapshot

MOST_TRIED = 5_000
AT_ONCE = 200
"""So many messages are read and looked at before others have a turn."""


@dataclass(frozen=True, slots=True)
class TrialMatch:
    """A message that a rule would have matched, with the first condition that does."""

    message_id: int
    condition: Mapping[str, object]
    term: str | None


@dataclass(frozen=True, slots=True)
class Trial:
    """What a rule would have matched, newest first, of so many messages that are moderated."""

    looked: int
    matched: Sequence[TrialMatch]


@dataclass(frozen=True, slots=True)
class _Page:
    """Messages, oldest first, with their senders and receivers."""

    messages: Sequence[Message]
    users: Mapping[str, User]
    groups: Mapping[str, Group]


async def try_rule(runtime: Runtime, app_id: str, rule_id: str, limit: int) -> Trial:
    """Return which of the last messages of the app a rule would have matched.

    Rates are left out, since they are about when messages were sent, and so is the custom engine.

    Raises:
        RuleNotFound: the app has none with that id.
    """
    rule = await get_rule(runtime, app_id, rule_id)
    lists = await runtime.database.read(app_id, lists_store.list_lists)
    rules = await runtime.threads.run(app_id, partial(compile_rules, app_id, [rule], lists))
    looked, matched = 0, list[TrialMatch]()
    cursor: MessageCursor | None = None
    while limit > 0:
        read = partial(_read_page, cursor=cursor, limit=min(limit, AT_ONCE))
        page = await runtime.database.read(app_id, read)
        if not page.messages:
            break
        cursor = MessageCursor(page.messages[0].sent_at, page.messages[0].id)
        limit -= len(page.messages)
        trial = await runtime.threads.run(app_id, partial(_look, rules, page))
        looked += trial.looked
        matched += trial.matched
    return Trial(looked, matched)


async def _read_page(snapshot: Snapshot, cursor: MessageCursor | None, limit: int) -> _Page:
    wanted = MessageFilter(categories=(MESSAGE, CUSTOM, INTERACTIVE), hide_deleted=True)
    messages = await list_messages(snapshot, wanted, cursor, is_before=True, limit=limit)
    users = {each.sender for each in messages}
    users |= {each.receiver for each in messages if each.receiver_type != GROUP}
    groups = {each.receiver for each in messages if each.receiver_type == GROUP}
    return _Page(messages, await find_users(snapshot, users), await find_groups(snapshot, groups))


def _look(rules: RuleSet, page: _Page) -> Trial:
    """Return what a rule matches on a page, newest first."""
    moderated = [each for each in reversed(page.messages) if each.sender != SYSTEM_UID]
    found = (_match(rules, page, each) for each in moderated)
    return Trial(len(moderated), [each for each in found if each is not None])


def _match(rules: RuleSet, page: _Page, message: Message) -> TrialMatch | None:
    parties = Parties(
        page.users.get(message.sender),
        page.users.get(message.receiver) if message.receiver_type != GROUP else None,
        page.groups.get(message.receiver) if message.receiver_type == GROUP else None,
        message.sent_at,
    )
    [rule] = rules.rules
    texts = texts_of(message.data)
    hits = rules.find(texts, is_on_loop=False)
    rules.find_mentions(len(find_mentions(texts[0])) if texts else 0, hits)
    if parties.sender is not None:
        rules.find_new_accounts(message.sent_at - parties.sender.created_at, hits)
    if not hits or not applies(rule.content.filters, parties):
        return None
    hit = hits[0]  # the only rule
    return TrialMatch(message.id, condition_of(rule.content.conditions[hit.condition]), hit.term)
