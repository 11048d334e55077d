"""Times that are given to commands."""

from datetime import UTC, datetime

import typer


def parse_time(text: str | None, option: str) -> datetime | None:
    """Return the time in an option; UTC if it has no offset.

    Raises:
        typer.BadParameter: it is none.
    """
    if text is None:
        return None
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise typer.BadParameter(
            f"it must be a time such as 2026-11-22T04:00 or 2026-11-22T04:00+01:00, not {text!r}",
            param_hint=option,
        ) from None
    return found if found.tzinfo else found.replace(tzinfo=UTC)
