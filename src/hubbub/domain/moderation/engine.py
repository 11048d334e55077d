"""Ask the custom engine of an app: a server that decides on what no library can."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import msgspec
import structlog
from msgspec import Meta

from hubbub.domain.access.rates import find_settings
from hubbub.domain.moderation.decide import condition_of
from hubbub.domain.moderation.decision import Decision
from hubbub.domain.moderation.keywords.find import access_list
from hubbub.domain.moderation.matching.ruleset import Hit, RuleSet
from hubbub.domain.moderation.matching.texts import decode_data, texts_of
from hubbub.domain.webhooks.sign import CONTENT_TYPE, sign_headers
from hubbub.kernel.errors import BadInput
from hubbub.kernel.nesting import check_form
from hubbub.outbound.answer import Response
from hubbub.outbound.errors import NoAnswerInTime, NotReached
from hubbub.outbox import lock_counters
from hubbub.records.conversations.store import find_conversations
from hubbub.records.messages.listing import MessageFilter, list_messages
from hubbub.records.messages.model import MESSAGE, Draft
from hubbub.records.moderation.engine.model import EngineFailure, encode_failures
from hubbub.records.moderation.engine.store import find_secret
from hubbub.records.moderation.events import ModerationEngineFailed
from hubbub.records.moderation.keywords.model import KeywordNotFound
from hubbub.records.moderation.rules.model import SENTENCES, Condition
from hubbub.records.settings.model import (
    DROP_MESSAGE,
    ENGINE_CONFIDENCE,
    ENGINE_ON_FAILURE,
    ENGINE_URL,
    AppSettings,
)
from hubbub.runtime import Runtime
from hubbub.storage.interface import Snapshot, Transaction

ENGINE_SECONDS = 2.0
MOST_CONTEXT = 10
"""So many messages before the one that is judged are shown."""
LONGEST_RESPONSE = 2_048
"""The bytes of an answer that the webhook about a failure shows."""
OK, BAD_REQUEST, SERVER_ERROR = 200, 400, 500
log = structlog.get_logger()
_encode = msgspec.json.Encoder().encode


class EngineAnswer(msgspec.Struct, rename="camel"):
    """What the engine says of a message."""

    is_matching_condition: bool
    confidence: Annotated[float, Meta(ge=0, le=1)]
    reason: str | None = None


_decode = msgspec.json.Decoder(EngineAnswer).decode


class _Question(msgspec.Struct, rename="camel", omit_defaults=True):
    context_messages: Sequence[Mapping[str, Any]]
    rule: str
    condition: Mapping[str, object]
    disallowed_sentences: Sequence[str] | None = None


@dataclass(frozen=True, slots=True)
class _Shown:
    """What all questions about a message have in common."""

    context: Sequence[Mapping[str, Any]]
    secret: str | None
    sentences: Mapping[str, Sequence[str]]
    """By the id of the list."""


class _Failed(Exception):
    """The engine has not decided."""

    def __init__(self, category: str, reason: str, **details: Any) -> None:
        super().__init__(reason)
        self.category = category
        self.details = details


@dataclass(frozen=True, slots=True)
class EngineQuestions:
    """What the engine of an app is asked about a message."""

    runtime: Runtime
    app_id: str
    rules: RuleSet
    draft: Draft

    async def ask(
        self, conditions: Sequence[Hit]
    ) -> tuple[list[Hit], ModerationEngineFailed | None]:
        """Return those of the conditions that the message matches, as the engine decides.

        If it fails for one, the app's setting decides; the failures are returned, too.
        """
        fitting = [each for each in conditions if self._is_about(self._condition(each))]
        if not fitting:
            return [], None
        settings = await find_settings(self.runtime, self.app_id)
        shown = await self.runtime.database.read(self.app_id, self._read)
        decided = await asyncio.gather(*(self._decide(settings, shown, each) for each in fitting))
        failures = [each for each in decided if isinstance(each, EngineFailure)]
        action = settings.text(ENGINE_ON_FAILURE)
        hits = [
            hit
            for hit, outcome in zip(fitting, decided, strict=True)
            if outcome is True or (action == DROP_MESSAGE and isinstance(outcome, EngineFailure))
        ]
        return hits, self._failed(action, failures) if failures else None

    def _condition(self, hit: Hit) -> Condition:
        return self.rules.rules[hit.rule].content.conditions[hit.condition]

    def _is_about(self, condition: Condition) -> bool:
        """Return whether a condition is about messages of this kind."""
        if condition.is_media_present:
            return (self.draft.category, self.draft.type) == (MESSAGE, condition.operand)
        return condition.category != SENTENCES or bool(texts_of(self.draft.data))

    async def _read(self, snapshot: Snapshot) -> _Shown:
        key = self.draft.key
        conversation = (await find_conversations(snapshot, [key])).get(key)
        earlier = (
            await list_messages(
                snapshot,
                MessageFilter(conversation=conversation.number, hide_deleted=True),
                None,
                is_before=True,
                limit=MOST_CONTEXT,
            )
            if conversation is not None
            else []
        )
        context: list[Mapping[str, Any]] = [
            {each.sender: text} for each in earlier for text in texts_of(each.data)[:1]
        ]
        lists = {
            list_id
            for each in self.rules.asked
            if self._condition(each).is_keywords_reference_present
            for list_id in self._condition(each).value
        }
        return _Shown(
            [*context, {self.draft.sender: self._message()}],
            await find_secret(snapshot, self.runtime.sealer),
            {list_id: await _read_list(snapshot, list_id) for list_id in sorted(lists)},
        )

    def _message(self) -> dict[str, Any]:
        draft = self.draft
        return {
            "sender": draft.sender,
            "receiver": draft.receiver,
            "receiverType": draft.receiver_type,
            "category": draft.category,
            "type": draft.type,
            "data": decode_data(draft.data),
            **({"muid": draft.muid} if draft.muid is not None else {}),
        }

    async def _decide(self, settings: AppSettings, shown: _Shown, hit: Hit) -> bool | EngineFailure:
        """Return whether the message matches a condition, or why that is not known."""
        rule, condition = self.rules.rules[hit.rule], self._condition(hit)
        sentences = [each for name in condition.value for each in shown.sentences.get(name, ())]
        question = _Question(shown.context, rule.id, condition_of(condition), sentences or None)
        try:
            answer = await self._call(settings.text(ENGINE_URL), shown.secret, _encode(question))
        except _Failed as failure:
            log.warning(
                "moderation_engine_failed",
                app=self.app_id,
                category=failure.category,
                reason=str(failure),
            )
            return EngineFailure(
                category=failure.category,
                error_message=str(failure),
                failed_at=self.runtime.clock.now(),
                rule=rule.id,
                rule_name=rule.content.name,
                condition=condition.id,
                condition_category=condition.category or condition.operand,
                **failure.details,
            )
        return answer.is_matching_condition and answer.confidence >= settings.part(
            ENGINE_CONFIDENCE
        )

    async def _call(self, url: str, secret: str | None, body: bytes) -> EngineAnswer:
        if not url:
            raise _Failed("not_configured", "The app has no custom engine.")
        headers = {"Content-Type": CONTENT_TYPE}
        if secret is not None:
            call_id = self.runtime.ids.hexadecimal(32)
            headers |= sign_headers([secret], call_id, self.runtime.clock.now(), body)
        self.runtime.outbound.call_for(self.app_id)
        try:
            answer = await self.runtime.outbound.post(url, body, headers, seconds=ENGINE_SECONDS)
        except NoAnswerInTime as failure:
            timeout_ms = int(ENGINE_SECONDS * 1_000)
            raise _Failed("timeout", str(failure), timeout_ms=timeout_ms) from None
        except NotReached as failure:
            raise _Failed("connection_error", str(failure)) from None
        return read_answer(answer)

    def _failed(self, action: str, failures: Sequence[EngineFailure]) -> ModerationEngineFailed:
        draft = self.draft
        return ModerationEngineFailed(
            sender=draft.sender,
            receiver_type=draft.receiver_type,
            receiver=draft.receiver,
            type=draft.type if draft.category == MESSAGE else draft.category,
            action=action,
            failures=encode_failures(failures),
            at=self.runtime.clock.now(),
        )


async def announce_failed(runtime: Runtime, app_id: str, decision: Decision | None) -> None:
    """Announce that the engine has failed, if it has, when a decision was made."""
    failed = decision.failed if decision is not None else None
    if failed is None:
        return

    async def within(tx: Transaction) -> None:
        await lock_counters(tx)
        tx.announce(failed)

    await runtime.database.write(app_id, within)


def read_answer(answer: Response) -> EngineAnswer:
    """Return what the engine answered.

    Raises:
        _Failed: it is no answer.
    """
    if answer.status == OK:
        try:
            check_form(answer.body)
            return _decode(answer.body)
        except BadInput as fault:
            reason = fault.message
        except (msgspec.DecodeError, UnicodeDecodeError) as fault:
            reason = str(fault)
        raise _Failed(
            "invalid_response",
            f"The answer can't be read: {reason}",
            http_status=answer.status,
            **_shortened(answer.body),
        )
    category = "invalid_response"
    if answer.status >= BAD_REQUEST:
        category = "http_5xx" if answer.status >= SERVER_ERROR else "http_4xx"
    raise _Failed(
        category,
        f"The engine answered with the status {answer.status}.",
        http_status=answer.status,
        **_shortened(answer.body),
    )


def _shortened(body: bytes) -> dict[str, Any]:
    text = body[:LONGEST_RESPONSE].decode(errors="replace")
    return {"response_body": text, "response_body_truncated": len(body) > LONGEST_RESPONSE}


async def _read_list(snapshot: Snapshot, list_id: str) -> Sequence[str]:
    try:
        return (await access_list(snapshot, list_id, 0)).read()
    except KeywordNotFound:
        return ()
