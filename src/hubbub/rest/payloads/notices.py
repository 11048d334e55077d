"""What notifications are about: the payloads of events, with the messages that they name."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from hubbub.domain.notices.occasions import (
    Json,
    Occasion,
    of_change,
    of_member,
    of_message,
    of_reaction,
)
from hubbub.domain.notices.planning.happening import Happening
from hubbub.files.links import Links, has_marks
from hubbub.outbox.log import LogEntry
from hubbub.records.members.events import MemberEvent
from hubbub.records.messages.events import MessageEvent, MessageSent
from hubbub.records.messages.model import MessageView
from hubbub.records.reactions.events import ReactionEvent
from hubbub.records.reactions.store import find_texts
from hubbub.rest.payloads.all import find_facts
from hubbub.rest.payloads.facts import Facts, action_json
from hubbub.rest.payloads.people import payload_user
from hubbub.rest.wire.shapes import Shape
from hubbub.runtime import Runtime
from hubbub.storage.interface import Event, Snapshot

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(dict[str, Any]).decode


async def describe_events(
    runtime: Runtime, app_id: str, entries: Sequence[LogEntry]
) -> list[Happening | None]:
    """Return what people may be told of each event, as things are now; None if it is gone."""

    async def within(snapshot: Snapshot) -> list[Happening | None]:
        events = [entry.event for entry in entries]
        reactions = [each for each in events if isinstance(each, ReactionEvent)]
        facts = await find_facts(snapshot, events, shown=[each.message for each in reactions])
        without = [(each.message, each.id) for each in reactions if not each.reaction]
        texts = await find_texts(snapshot, without)
        address = runtime.settings.public_url.rstrip("/")
        links = Links(runtime.sealer, app_id, address, runtime.clock.now())
        return [_describe(facts, links, _with_text(entry, texts)) for entry in entries]

    return await runtime.database.read(app_id, within)


def _with_text(entry: LogEntry, texts: Mapping[int, str]) -> LogEntry:
    """Return an entry with the text of its reaction, if that is still there."""
    event = entry.event
    if not isinstance(event, ReactionEvent) or event.reaction:
        return entry
    whole = msgspec.structs.replace(event, reaction=texts.get(event.id, ""))
    return msgspec.structs.replace(entry, event=whole)


def _describe(facts: Facts, links: Links, entry: LogEntry) -> Happening | None:
    occasion = _occasion_of(facts, links, entry.event)
    return Happening(entry, occasion) if occasion is not None else None


def _occasion_of(facts: Facts, links: Links, event: Event) -> Occasion | None:
    match event:
        case MessageSent():
            message = _message(facts, links, event.message)
            return of_message(message) if message else None
        case ReactionEvent():
            message = _message(facts, links, event.message)
            user = _plain(payload_user(facts.user(event.uid)))
            reaction = {
                "uid": event.uid,
                "reaction": event.reaction,
                "reactedAt": event.reacted_at,
                "reactedBy": user,
            }
            return of_reaction(reaction, message, user) if message and event.reaction else None
        case MessageEvent():
            action = facts.action(event.message)
            if action is None or action.about is None:
                return None
            return of_change(_action(links, action), _action(links, action.about))
        case MemberEvent():
            action = facts.action(event.message)
            return of_member(_action(links, action)) if action else None
    return None


def _message(facts: Facts, links: Links, message_id: int) -> Json | None:
    row = facts.message_row(message_id)
    return _read(links, row) if row is not None else None


def _action(links: Links, view: MessageView) -> Json:
    return _read(links, bytes(action_json(view)))


def _read(links: Links, message: bytes) -> Json:
    return _decode(links.link(message) if has_marks(message) else message)


def _plain(shape: Shape) -> Json:
    return _decode(_encode(shape))
