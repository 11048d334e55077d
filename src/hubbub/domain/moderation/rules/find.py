"""Find the rules of an app: those that it has stored, and those that every app has."""

import msgspec

from hubbub.domain.access.credentials import find_app
from hubbub.domain.moderation.built_in.rules import BUILT_IN_RULES, built_in_rules
from hubbub.records.moderation.rules import store
from hubbub.records.moderation.rules.model import Rule, RuleNotFound
from hubbub.runtime import Runtime
from hubbub.storage.interface import Snapshot


async def access_rule(snapshot: Snapshot, rule_id: str, app_created_at: int) -> Rule:
    """Return a rule as it holds.

    Raises:
        RuleNotFound: the app has none with that id.
    """
    found = await store.find_rule(snapshot, rule_id)
    if found is not None:
        return _marked(found)
    built_in = built_in_rules(app_created_at).get(rule_id)
    if built_in is None:
        raise RuleNotFound(rule_id)
    return built_in


async def list_stored_and_built_in(snapshot: Snapshot, app_created_at: int) -> list[Rule]:
    """Return all rules of an app as they hold: its own, newest first, then the built-in ones."""
    stored = [_marked(each) for each in await store.list_rules(snapshot)]
    changed = {each.id: each for each in stored if each.is_default}
    built_in = built_in_rules(app_created_at)
    return [
        *(each for each in stored if not each.is_default),
        *(changed.get(rule_id, rule) for rule_id, rule in built_in.items()),
    ]


async def get_rule(runtime: Runtime, app_id: str, rule_id: str) -> Rule:
    """Return a rule as it holds.

    Raises:
        RuleNotFound: the app has none with that id.
    """
    created_at = (await find_app(runtime, app_id)).created_at
    return await runtime.database.read(
        app_id, lambda snapshot: access_rule(snapshot, rule_id, created_at)
    )


async def list_rules(runtime: Runtime, app_id: str) -> list[Rule]:
    """Return all rules of an app as they hold: its own, newest first, then the built-in ones."""
    created_at = (await find_app(runtime, app_id)).created_at
    return await runtime.database.read(
        app_id, lambda snapshot: list_stored_and_built_in(snapshot, created_at)
    )


async def list_revisions(runtime: Runtime, app_id: str, rule_id: str) -> list[Rule]:
    """Return the revisions of a rule, newest first.

    Raises:
        RuleNotFound: the app has no rule with that id.
    """
    created_at = (await find_app(runtime, app_id)).created_at

    async def within(snapshot: Snapshot) -> list[Rule]:
        found = await store.list_revisions(snapshot, rule_id)
        return found or [await access_rule(snapshot, rule_id, created_at)]

    return [_marked(each) for each in await runtime.database.read(app_id, within)]


def _marked(rule: Rule) -> Rule:
    if rule.id not in BUILT_IN_RULES:
        return rule
    return msgspec.structs.replace(rule, is_default=True)
