"""docs/moving-lines.md says what lines are, and its examples can be imported."""

import re
from pathlib import Path

import msgspec
import pytest
from tests.conftest import NewSettings
from tests.documents.blocks import ROOT, take
from tests.moving.moves import import_, make_app

from hubbub.moving.lines import KINDS

PAGE = "docs/moving-lines.md"
EXAMPLES = {kind: take(PAGE, f"## {kind}", "json") for kind in KINDS}
_FIELD = re.compile(r"`(\w+)`")


@pytest.mark.parametrize("kind", KINDS)
def test_the_fields_of_a_kind_are_listed(kind: str) -> None:
    """The page lists the required and the optional fields of each kind, in their order."""
    section = (ROOT / PAGE).read_text().partition(f"\n## {kind}\n")[2].partition("\n## ")[0]
    listed = section[section.index("Required:") :]
    required, _, optional = listed.partition("Optional:")
    fields = msgspec.structs.fields(KINDS[kind])

    assert _FIELD.findall(required) == [each.encode_name for each in fields if each.required]
    assert _FIELD.findall(optional) == [each.encode_name for each in fields if not each.required]


def test_kinds_stand_in_their_order() -> None:
    """The sections have the order of an export."""
    headings = re.findall(r"^## (\w+)$", (ROOT / PAGE).read_text(), re.MULTILINE)

    assert headings == list(KINDS)


def test_the_examples_are_imported(new_settings: NewSettings, tmp_path: Path) -> None:
    """All examples together are a source of which nothing is refused, and all is stored."""
    settings = new_settings()
    app = make_app(settings, "examples")
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "plan.txt").write_text("The plan")
    (tmp_path / "lines.jsonl").write_text("".join(EXAMPLES.values()))
    done = import_(settings, app, tmp_path)

    assert done.code == 0, done
    assert set(done.json["kinds"]) == set(KINDS)
    assert done.json["comparison"]["differences"] == []
