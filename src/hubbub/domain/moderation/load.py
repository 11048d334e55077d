"""Load and compile the enabled rules of an app, once for each revision."""

import asyncio
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from hubbub.domain.moderation.built_in.lists import built_in_lists
from hubbub.domain.moderation.known import RULES
from hubbub.domain.moderation.matching.ruleset import CompiledRule, RuleSet
from hubbub.domain.moderation.rules.find import list_stored_and_built_in
from hubbub.records.moderation.keywords import store as lists_store
from hubbub.records.moderation.keywords.model import KeywordList
from hubbub.records.moderation.rules import store
from hubbub.records.moderation.rules.model import Rule, revision_id
from hubbub.runtime import Runtime
from hubbub.storage.interface import Snapshot

Mark = tuple[tuple[tuple[str, int], ...], tuple[tuple[str, int], ...]]
"""The enabled rules and the lists of an app, with the numbers of their revisions."""
NO_RULES = RuleSet((), {})


async def find_rules(runtime: Runtime, app_id: str) -> RuleSet:
    """Return the enabled rules of an app; they are looked up again after a few seconds."""
    key = RULES, app_id
    known: RuleSet | None = runtime.cache.get(key)
    if known is None:
        version = runtime.cache.version
        known = await _look_up(runtime, app_id)
        runtime.cache.put(key, known, app_id=app_id, version=version)
    return known


async def _look_up(runtime: Runtime, app_id: str) -> RuleSet:
    mark: Mark = await runtime.database.read(app_id, _read_mark, is_short=True)
    if not mark[0]:
        return NO_RULES
    compiled: RuleSet | None = runtime.compiled_rules.find(app_id, mark)
    return compiled or await _compile_once(runtime, app_id)


async def _read_mark(snapshot: Snapshot) -> Mark:
    enabled = await store.list_enabled(snapshot)
    if not enabled:
        return (), ()
    lists = await lists_store.list_summaries(snapshot)
    return enabled, tuple((each.id, each.number) for each in lists)


async def _compile_once(runtime: Runtime, app_id: str) -> RuleSet:
    """Compile the rules of an app; whoever asks meanwhile waits for the same."""
    compiling = runtime.compiled_rules.compiling
    under_way: asyncio.Future[RuleSet] | None = compiling.get(app_id)
    if under_way is None:
        under_way = asyncio.ensure_future(_compile(runtime, app_id))
        compiling[app_id] = under_way
        under_way.add_done_callback(lambda _: compiling.pop(app_id, None))
    return await asyncio.shield(under_way)


async def _compile(runtime: Runtime, app_id: str) -> RuleSet:
    async def within(snapshot: Snapshot) -> tuple[Mark, list[Rule], list[KeywordList]]:
        mark = await _read_mark(snapshot)
        rules = await list_stored_and_built_in(snapshot, app_created_at=0)
        return mark, rules, await lists_store.list_lists(snapshot)

    mark, rules, lists = await runtime.database.read(app_id, within)
    enabled = [each for each in rules if each.is_enabled]
    compiled = await runtime.threads.run(app_id, partial(compile_rules, app_id, enabled, lists))
    runtime.compiled_rules.put(app_id, mark, compiled)
    return compiled


def compile_rules(app_id: str, rules: Sequence[Rule], lists: Sequence[KeywordList]) -> RuleSet:
    """Return rules compiled, with the lists of their app."""
    known: Mapping[str, Any] = built_in_lists(0) | {each.id: each for each in lists}
    compiled = [
        CompiledRule(each.id, revision_id(app_id, each.id, each.revision), each.read())
        for each in rules
    ]
    wanted = {list_id for each in compiled for list_id in each.content.lists}
    terms = {list_id: known[list_id].read() for list_id in wanted if list_id in known}
    return RuleSet(compiled, terms)
