"""Judge a message by the rules of its app, before the transaction that stores it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar

from hubbub.domain.moderation.decide import decide
from hubbub.domain.moderation.decision import ALLOWED, Decision, Occasion, Ruling
from hubbub.domain.moderation.engine import EngineQuestions
from hubbub.domain.moderation.filters import Parties, applies
from hubbub.domain.moderation.load import find_rules
from hubbub.domain.moderation.matching.ruleset import MASK, Hit, Hits, RuleSet, TooLong
from hubbub.domain.moderation.matching.texts import decode_data, texts_of, with_changed_texts
from hubbub.kernel.text import SYSTEM_UID
from hubbub.records.conversations.model import GROUP
from hubbub.records.groups.store import find_groups
from hubbub.records.messages.model import Draft
from hubbub.records.moderation.events import ModerationEngineFailed
from hubbub.records.users.store import find_users
from hubbub.runtime import Runtime
from hubbub.storage.interface import Snapshot

Result = TypeVar("Result")


async def judge(
    runtime: Runtime, app_id: str, draft: Draft, occasion: Occasion = Occasion.SEND
) -> Decision | None:
    """Return what the rules of the app decide about a draft; None if it is not moderated.

    What the app itself sends, and what is imported, is not moderated, and nothing is in an app
    without enabled rules. Nothing is written: who asks announces that the engine has `failed`.

    Raises:
        QueueFull: a long text is to be looked at, and too much of the app waits.
    """
    if draft.sender == SYSTEM_UID or draft.imported is not None:
        return None
    rules = await find_rules(runtime, app_id)
    if not rules.rules:
        return None
    return await _Judging(runtime, app_id, rules, draft).judge(occasion)


@dataclass(slots=True)
class _Judging:
    """A draft, and the rules by which it is judged."""

    runtime: Runtime
    app_id: str
    rules: RuleSet
    draft: Draft
    failed: ModerationEngineFailed | None = None
    """What is to be announced of the engine."""

    async def judge(self, occasion: Occasion) -> Decision:
        """Return the decision; whoever sends and receives is looked up only if rules need that."""
        hits = await self._find()
        self.rules.find_mentions(len(self.draft.mentioned), hits)
        if self.rules.has_rates and occasion is Occasion.SEND:
            self._count(hits)
        if not hits and not self.rules.needs_age and not self.rules.asked:
            return ALLOWED
        hits = await self._for_parties(hits)
        decision = replace(decide(self.rules, list(hits.values())), failed=self.failed)
        if decision.outcome is Ruling.MASK:
            masked = await self._run(partial(self._mask, list(hits.values())))
            return replace(decision, data=masked)
        return decision

    async def _find(self) -> Hits:
        """Return what the texts match: on the event loop if that is quick, or else on a thread."""
        texts = texts_of(self.draft.data)
        try:
            return self.rules.find(texts, is_on_loop=True)
        except TooLong:
            return await self._run(partial(self.rules.find, texts, is_on_loop=False))

    async def _run(self, work: Callable[[], Result]) -> Result:
        user = self.draft.sender
        return await self.runtime.threads.run(self.app_id, work, user=user)

    def _count(self, hits: Hits) -> None:
        """Count the send, and note the rates that it exceeds."""
        now, sends = self.runtime.clock.monotonic(), self.runtime.recent_sends
        sends.add(self.app_id, self.draft.sender, now)
        self.rules.find_rates(
            lambda seconds: sends.count(self.app_id, self.draft.sender, now - seconds), hits
        )

    async def _for_parties(self, hits: Hits) -> Hits:
        """Return the hits of the rules that are about who sends and receives; ask the engine."""
        asked = [each for each in self.rules.asked if each.rule not in hits]
        if not asked and not self.rules.needs_parties(hits):
            return hits
        parties = await self.runtime.database.read(self.app_id, self._look_up, is_short=True)
        if parties.sender is not None:
            self.rules.find_new_accounts(parties.now - parties.sender.created_at, hits)
        rules = self.rules.rules
        concerned = {
            index for index, rule in enumerate(rules) if applies(rule.content.filters, parties)
        }
        hits = {index: hit for index, hit in hits.items() if index in concerned}
        asked = [each for each in asked if each.rule in concerned]
        if asked:
            asking = EngineQuestions(self.runtime, self.app_id, self.rules, self.draft)
            matched, self.failed = await asking.ask(asked)
            hits |= {hit.rule: hit for hit in reversed(matched)}
        return hits

    async def _look_up(self, snapshot: Snapshot) -> Parties:
        draft, now = self.draft, self.runtime.clock.now()
        users = await find_users(snapshot, {draft.sender, draft.receiver})
        if draft.receiver_type != GROUP:
            return Parties(users.get(draft.sender), users.get(draft.receiver), None, now)
        groups = await find_groups(snapshot, [draft.receiver])
        return Parties(users.get(draft.sender), None, groups.get(draft.receiver), now)

    def _mask(self, hits: Sequence[Hit]) -> dict[str, Any]:
        """Return the data with stars in place of what the masking rules look for.

        If they look for nothing in texts, such as a rate, whole texts are replaced.
        """
        data = decode_data(self.draft.data)
        masking = {
            hit.rule
            for hit in hits
            if Ruling.MASK.value in self.rules.rules[hit.rule].content.action
        }
        masked = with_changed_texts(data, lambda text: self.rules.mask(text, masking))
        return masked if masked != data else with_changed_texts(data, lambda text: MASK)
