"""The descriptions of fields that their declarations leave open: `field_descriptions.toml`."""

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from hubbub.http.documented import DESCRIBED

FILE = Path(__file__).with_name("field_descriptions.toml")
ANY = "*"
"""The table of fields that mean the same in every shape."""


def description_of(shape: str, field: str) -> str | None:
    """Return what a field of a shape means, or None if there is no row for it."""
    rows = field_descriptions()
    declared = DESCRIBED.get(shape, {}).get(field)
    return declared or rows.get(shape, {}).get(field) or rows[ANY].get(field)


@cache
def field_descriptions() -> Mapping[str, Mapping[str, str]]:
    """Return the descriptions by the name of the shape, then by that of the field."""
    return tomllib.loads(FILE.read_text(encoding="utf-8"))
