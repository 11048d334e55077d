"""Create, change and delete rules: each change is a revision."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import msgspec

from hubbub.domain.access.credentials import find_app
from hubbub.domain.moderation.built_in.rules import BUILT_IN_RULES
from hubbub.domain.moderation.keywords.find import list_categories
from hubbub.domain.moderation.known import forget_rules
from hubbub.domain.moderation.rules.check import check_content
from hubbub.domain.moderation.rules.find import access_rule
from hubbub.kernel.errors import BadInput
from hubbub.outbox import lock_counters, next_event_number
from hubbub.records.moderation.events import ModerationChanged
from hubbub.records.moderation.keywords.model import KeywordNotFound
from hubbub.records.moderation.rules import store
from hubbub.records.moderation.rules.model import (
    BLOCK_MESSAGE,
    MOST_RULES,
    Rule,
    RuleAlreadyExists,
    RuleChanged,
    RuleContent,
    RuleDeleteDenied,
    RuleNotFound,
    TooManyRules,
    encode_content,
)
from hubbub.runtime import Runtime
from hubbub.storage.interface import Transaction


@dataclass(frozen=True, slots=True)
class RuleChange:
    """The fields of a rule that are given."""

    is_enabled: bool | None
    fields: Mapping[str, Any]
    """Fields of `RuleContent`."""
    revision: int | None = None
    """The only revision that is changed, if one is given."""


async def create_rule(
    runtime: Runtime, app_id: str, rule_id: str | None, change: RuleChange
) -> Rule:
    """Create a rule, which holds at once unless it is not enabled.

    Raises:
        BadInput: filters or conditions are not valid.
        KeywordNotFound: a condition names a list that the app does not have.
        RuleAlreadyExists: the id is taken.
        TooManyRules: the app has 25 rules.
    """
    id_ = rule_id or runtime.ids.hexadecimal(16)
    defaults = {"name": id_, "action": (BLOCK_MESSAGE,)}
    content = RuleContent(**{**defaults, **change.fields})
    await _check(runtime, app_id, content)
    now = runtime.clock.now()

    async def within(tx: Transaction) -> Rule:
        await lock_counters(tx)  # one at a time: rules are counted, then added
        await _check_lists(tx, content)
        present = {each.id for each in await store.list_rules(tx)}
        if id_ in present | BUILT_IN_RULES:
            raise RuleAlreadyExists(id_)
        if len(present - BUILT_IN_RULES) >= MOST_RULES:
            raise TooManyRules
        rule = Rule(
            id=id_,
            revision=1,
            number=next_event_number(tx),
            is_enabled=change.is_enabled is not False,
            created_at=now,
            content=encode_content(content),
            made_at=now,
        )
        await _store(tx, rule, now)
        return rule

    created = await runtime.database.write(app_id, within)
    forget_rules(runtime, app_id)
    return created


async def update_rule(runtime: Runtime, app_id: str, rule_id: str, change: RuleChange) -> Rule:
    """Make a revision of a rule, also of a built-in one; fields that are not given stay.

    Raises:
        RuleNotFound: the app has none with that id.
        BadInput: filters or conditions are not valid.
        KeywordNotFound: a condition names a list that the app does not have.
        RuleChanged: it is not at the given revision any more.
    """
    now, created_at = runtime.clock.now(), (await find_app(runtime, app_id)).created_at
    await _check(runtime, app_id, RuleContent(**{"name": "", **change.fields}))

    async def within(tx: Transaction) -> Rule:
        await lock_counters(tx)
        before = await access_rule(tx, rule_id, created_at)
        if change.revision not in (None, before.revision):
            raise RuleChanged(rule_id)
        content = msgspec.structs.replace(before.read(), **change.fields)
        await _check_lists(tx, content)
        after = msgspec.structs.replace(
            before,
            revision=before.revision + 1,
            number=next_event_number(tx),
            is_enabled=before.is_enabled if change.is_enabled is None else change.is_enabled,
            content=encode_content(content),
            made_at=now,
        )
        if before.number == 0:  # a built-in one that the app changes for the first time
            await store.store_revision(tx, before)
        await _store(tx, after, now)
        return after

    updated = await runtime.database.write(app_id, within)
    forget_rules(runtime, app_id)
    return updated


async def delete_rule(runtime: Runtime, app_id: str, rule_id: str) -> None:
    """Delete a rule with its revisions.

    Raises:
        RuleNotFound: the app has none with that id.
        RuleDeleteDenied: it is a built-in one.
    """
    if rule_id in BUILT_IN_RULES:
        raise RuleDeleteDenied(rule_id)
    now = runtime.clock.now()

    async def within(tx: Transaction) -> None:
        await lock_counters(tx)
        if await store.find_rule(tx, rule_id) is None:
            raise RuleNotFound(rule_id)
        await store.delete_rule(tx, rule_id)
        tx.announce(ModerationChanged(now))

    await runtime.database.write(app_id, within)
    forget_rules(runtime, app_id)


async def _check(runtime: Runtime, app_id: str, content: RuleContent) -> None:
    """Check what a rule says on a thread: patterns are compiled for it."""
    await runtime.threads.run(app_id, partial(check_content, content))


async def _check_lists(tx: Transaction, content: RuleContent) -> None:
    wanted = content.lists
    if not wanted:
        return
    categories = await list_categories(tx)
    for list_id in sorted(wanted):
        if list_id not in categories:
            raise KeywordNotFound(list_id)
    for index, each in enumerate(content.conditions):
        if not each.is_keywords_reference_present:
            continue
        for list_id in each.value:
            if categories[list_id] != each.category:
                raise BadInput.field(
                    f"conditions.{index}.value",
                    f"The list {list_id} has the category {categories[list_id]},"
                    f" not {each.category}.",
                )


async def _store(tx: Transaction, rule: Rule, now: int) -> None:
    await store.store_rule(tx, rule)
    tx.announce(ModerationChanged(now))
