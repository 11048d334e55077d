"""Fill templates: all that is put into them is escaped, and what is missing is an error."""

from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from typing import Any

import msgspec
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from hubbub.console.page import BASE, fill_path, quote_part
from hubbub.kernel.text import SYSTEM_UID

KILO = 1000


def render(template: str, facts: Mapping[str, Any]) -> bytes:
    """Return a filled template."""
    return _environment().get_template(template).render(facts).encode()


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("hubbub.console"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    environment.filters |= {
        "time": show_time,
        "milliseconds": lambda at: show_time(None if at is None else at / 1000),
        "day": lambda at: datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d"),
        "number": lambda number: f"{number:,}",
        "figure": lambda number: f"{number:,.3f}".rstrip("0").rstrip("."),
        "bytes": show_bytes,
        "marked": show_marked,
        "json": lambda value: msgspec.json.encode(value).decode(),
        "indented": lambda value: msgspec.json.format(msgspec.json.encode(value)).decode(),
        "part": quote_part,
    }
    environment.globals |= {
        "base": BASE,
        "link": lambda path, **values: fill_path(path, values),
        "system_uid": SYSTEM_UID,
    }
    return environment


def show_time(at: float | None) -> Markup:
    """Return a time, in seconds: in UTC, until the script shows it in the reader's zone."""
    if at is None:
        return Markup('<span class="none">never</span>')
    moment = datetime.fromtimestamp(at, UTC)
    return Markup('<time datetime="{}">{} UTC</time>').format(
        moment.isoformat(timespec="milliseconds"), moment.strftime("%Y-%m-%d %H:%M:%S")
    )


def show_bytes(size: float) -> str:
    """Return a size in the unit that fits."""
    for unit in ("B", "KB", "MB", "GB"):
        if size < KILO:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= KILO
    return f"{size:.1f} TB"


def show_marked(text: str) -> Markup:
    """Return a description of the reference, with what stands between backticks as code."""
    parts = text.split("`")
    shown = (Markup("<code>{}</code>") if n % 2 else Markup("{}") for n in range(len(parts)))
    return Markup().join(each.format(part) for each, part in zip(shown, parts, strict=True))
