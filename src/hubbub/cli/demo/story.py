"""The content of the demo app as rows to import, with times that end now."""

import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

Row = dict[str, Any]

FOLDER = files(__package__)
BOT = "sage"
GROUP = "launch"
"""The group with the long history."""
REPEATED = 4
"""How often the talks of the file are told, so that there is a history to page through."""
LINE_SECONDS, TALK_SECONDS = 95, 17_700
DAY_SECONDS = 86_400
FIRST_DAYS = 60
"""The groups and their members are so old."""


@dataclass(frozen=True, slots=True)
class Story:
    """What there is to import, in order."""

    people: Sequence[Row]
    statuses: dict[str, str]
    groups: Sequence[Row]
    members: Sequence[Row]
    read: Sequence[Row]
    """Messages that everybody has read."""
    new: Sequence[Row]
    """Messages that nobody has read; one with `file` is sent with that file."""


def read_story(now: int) -> Story:
    """Return the content, told as if it were now."""
    told = tomllib.loads((FOLDER / "story.toml").read_text(encoding="utf-8"))
    places: dict[str, Row] = {}
    messages = {
        name: [_message(each, places, now) for each in told[name]] for name in ("read", "new")
    }
    return Story(
        people=told["people"],
        statuses=told["status"],
        groups=[_group(each, now) for each in told["groups"]],
        members=[row for group in told["groups"] for row in _members(group, now)],
        read=sorted([*_history(now), *messages["read"]], key=lambda row: row["sentAt"]),
        new=messages["new"],
    )


def _group(told: Row, now: int) -> Row:
    fields = {name: told[name] for name in ("guid", "name", "description", "owner")}
    return {**fields, "type": "private", "createdAt": now - FIRST_DAYS * DAY_SECONDS}


def _members(group: Row, now: int) -> Iterator[Row]:
    for scope in ("moderator", "participant"):
        for uid in group.get(f"{scope}s", ()):
            yield {
                "memberId": f"{group['guid']}_member_{uid}",
                "guid": group["guid"],
                "uid": uid,
                "scope": scope,
                "joinedAt": now - (FIRST_DAYS - 1) * DAY_SECONDS,
            }


def _history(now: int) -> Iterator[Row]:
    """Yield the talks of the long history; they end half a day ago."""
    talks = (FOLDER / "history.txt").read_text(encoding="utf-8").strip().split("\n\n")
    begin = now - DAY_SECONDS // 2 - REPEATED * len(talks) * TALK_SECONDS
    for number, talk in enumerate(talks * REPEATED):
        for place, line in enumerate(talk.splitlines()):
            sender, _, text = line.partition(": ")
            yield {
                "muid": f"demo-{number}-{place}",
                "sender": sender,
                "receiverType": "group",
                "receiver": GROUP,
                "sentAt": begin + number * TALK_SECONDS + place * LINE_SECONDS,
                "data": {"text": text},
            }


def _message(told: Row, places: dict[str, Row], now: int) -> Row:
    """Return a row; `places` has the receivers of those before, in whose threads it may be."""
    sent_at = now - told["ago"] * 60
    place = _place(told, places)
    places[told["id"]] = {**place, "sender": told["from"]}
    row: Row = {
        "muid": f"demo-{told['id']}",
        "sender": told["from"],
        "receiverType": place["receiverType"],
        "receiver": place["receiver"],
        "sentAt": sent_at,
        **_content(told),
    }
    if "thread" in told:
        row |= {
            "parentId": f"demo-{told['thread']}",
            "parentSender": places[told["thread"]]["sender"],
        }
    if "quotes" in told:
        quoted = told["quotes"]
        row |= {
            "quotedMessageId": f"demo-{quoted}",
            "quotedMessageSender": places[quoted]["sender"],
        }
    if told.get("edited"):
        row["editedAt"] = sent_at + 60
    if "file" in told:
        row["file"] = told["file"]
    reactions = told.get("reactions", {})
    row["reactions"] = [
        {"reaction": reaction, "uid": uid} for reaction, uids in reactions.items() for uid in uids
    ]
    return row


def _place(told: Row, places: dict[str, Row]) -> Row:
    if "thread" in told:
        return places[told["thread"]]
    if "group" in told:
        return {"receiverType": "group", "receiver": told["group"]}
    return {"receiverType": "user", "receiver": told["to"]}


def _content(told: Row) -> Row:
    type_ = told.get("type", "text")
    text = {"text": told["text"].strip()} if "text" in told else {}
    if type_ in {"form", "card"}:
        data = {"interactiveData": told[type_], **text}
        return {"category": "interactive", "type": type_, "data": data}
    return {"category": "message", "type": type_, "data": text}
