"""What is stored about a person, as a page that they read: one file, which loads nothing."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from html import escape
from importlib.resources import files
from typing import Any
from urllib.parse import quote

import msgspec

from hubbub.http.pages.markup import table
from hubbub.moving.export.sorting import Sorting
from hubbub.moving.lines import FILE

BY_CONVERSATION = "conversation"
"""Messages are sorted under this kind: by conversation, then by time."""
SENSIBLE_YEARS = 253_402_300_799
STYLE = """
body { margin: 0 auto; max-width: 60rem; padding: var(--gap-6) var(--gap-4);
  background: var(--page); color: var(--ink); font: var(--text)/1.5 var(--font); }
h1 { font-size: var(--text-title); margin: 0 0 var(--gap-1); }
h2 { font-size: var(--text-large); margin: var(--gap-6) 0 var(--gap-2); overflow-wrap: anywhere; }
.wide { overflow-x: auto; border: 1px solid var(--line); border-radius: var(--corner); }
table { border-collapse: collapse; width: 100%; }
th, td { padding: var(--gap-1) var(--gap-3); text-align: left; vertical-align: top;
  border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
th { background: var(--ground); font-size: var(--text-note); color: var(--faint); }
.message { margin: var(--gap-3) 0; overflow-wrap: anywhere; }
.message p { margin: 0; white-space: pre-wrap; }
.by { color: var(--faint); font-size: var(--text-note); }
"""
TITLES = {
    "role": "Role",
    "user": "Profile",
    "contact": "Where you are reached",
    "friend": "Friends",
    "block": "Whom you have blocked",
    "member": "Groups",
    "reaction": "Your reactions",
    "receipt": "How far you have read",
}
"""What stands before the messages, and what after them, with their headings."""
AFTER = {"reaction", "receipt"}
_decode = msgspec.json.Decoder(dict[str, Any]).decode


def render_person(
    app: str, uid: str, sorting: Sorting, further: Mapping[str, Sequence[Mapping[str, Any]]]
) -> Iterator[str]:
    """Yield the page of a person: their lines, and what lines do not carry."""
    tokens = files("hubbub.http.pages").joinpath("tokens.css").read_text(encoding="utf-8")
    yield '<!doctype html><html lang="en"><head><meta charset="utf-8">'
    yield '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
    yield "style-src 'unsafe-inline'\">"
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<title>What is stored about {escape(uid)}</title>"
    yield f"<style>{tokens}{STYLE}</style></head><body><main>"
    yield f"<h1>What is stored about {escape(uid)}</h1>"
    yield f"<p>In the app {escape(app)}. Times are in UTC. The same is in lines.jsonl and"
    yield " further.json, for programs.</p>"
    for kind, title in TITLES.items():
        if kind not in AFTER:
            yield from _section(title, (_decode(body) for _, body in sorting.read(kind)))
    yield from _messages(uid, sorting)
    for kind, title in TITLES.items():
        if kind in AFTER:
            yield from _section(title, (_decode(body) for _, body in sorting.read(kind)))
    for name, rows in further.items():
        yield from _section(_title(name), rows)
    yield "</main></body></html>\n"


def _title(name: str) -> str:
    """Return the name of a field as words."""
    words = "".join(f" {each.lower()}" if each.isupper() else each for each in name)
    return words[:1].upper() + words[1:]


def _section(title: str, rows: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    is_first = True
    for row in rows:
        if is_first:
            yield f"<h2>{escape(title)}</h2>"
            is_first = False
        shown = [
            (escape(_title(name)), _value(name, value))
            for name, value in row.items()
            if name != "type" or value not in TITLES
        ]
        yield table(("What", "Value"), shown)


def _value(name: str, value: Any) -> str:
    """Return a value as HTML; numbers that are times as times."""
    is_number = isinstance(value, int) and not isinstance(value, bool)
    if is_number and name.endswith("Ms"):
        return _time(value // 1000)
    if is_number and (name.endswith("At") or name == "at"):
        return _time(value)
    if isinstance(value, (dict, list)):
        return escape(msgspec.json.encode(value).decode())
    return escape(str(value))


def _time(at: int) -> str:
    if not 0 <= at <= SENSIBLE_YEARS:
        return str(at)
    return f"{datetime.fromtimestamp(at, UTC):%Y-%m-%d %H:%M:%S}"


def _messages(uid: str, sorting: Sorting) -> Iterator[str]:
    before = ""
    for _, body in sorting.read(BY_CONVERSATION):
        line = _decode(body)
        name = conversation_name(uid, line)
        if name != before:
            yield f"<h2>{escape(name)}</h2>"
            before = name
        yield from _message(line)


def conversation_name(uid: str, line: Mapping[str, Any]) -> str:
    """Return the heading of the conversation that a message belongs to."""
    if line["receiverType"] == "group":
        return f"Your messages to the group {line['receiver']}"
    other = line["receiver"] if line["sender"] == uid else line["sender"]
    return f"Messages with {other}"


def _message(line: Mapping[str, Any]) -> Iterator[str]:
    states = [
        f"{what} {_time(line[name])}"
        for name, what in (("editedAt", "edited"), ("deletedAt", "deleted"), ("pinnedAt", "pinned"))
        if name in line
    ]
    kind = f"{line.get('category', '')} {line.get('messageType', '')}".strip()
    by = ", ".join((str(line["sender"]), _time(line["sentAt"]), kind, *states))
    yield f'<div class="message"><div class="by">{escape(by)}</div>'
    data = dict(line.get("data") or {})
    text, attachments = data.pop("text", ""), data.pop("attachments", [])
    if text:
        yield f"<p>{escape(str(text))}</p>"
    for attachment in attachments if isinstance(attachments, list) else [attachments]:
        yield f"<p>{_attachment(attachment)}</p>"
    if data:
        yield f"<p>{_value('', data)}</p>"
    yield "</div>"


def _attachment(attachment: Any) -> str:
    """Return a link to a file beside the page; what lies elsewhere is only named."""
    if not isinstance(attachment, dict):
        return _value("", [attachment])
    url = str(attachment.get("url", ""))
    if not url.startswith(FILE):
        return _value("", attachment)
    path = url.removeprefix(FILE)
    name = str(attachment.get("name") or path.rpartition("/")[2])
    return f'<a href="{escape(quote(path))}">{escape(name)}</a>'
