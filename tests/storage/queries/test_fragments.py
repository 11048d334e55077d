"""Named fragments of SQL: what queries and conditions become, and which are refused."""

import re
from dataclasses import dataclass
from pathlib import Path

import msgspec
import pytest
from tests.storage.queries.named_queries import ROOT, all_queries

from hubbub.storage.queries import UnknownFragment, Where, load_queries, parse_queries

FILE = """
-- fragment tables
users, erasures

-- fragment is_old(u)
-- Comments below the name are left out.
{u}.created_at < :before

-- fragment is_old_bot(u)
({is_old({u})} AND {u}.is_bot)

-- fragment among(column, values)
{column} IN {values};

-- find_old
-- reads: {tables}
SELECT u.uid FROM users u WHERE u.app_id = :app_id AND {is_old_bot(u)} {where};

-- find_some
SELECT uid FROM users WHERE app_id = :app_id AND {among(uid, :uids)};
"""


def normalised(text: str) -> str:
    """Return the SQL with single spaces."""
    return re.sub(r"\s+", " ", text)


def test_fragments_are_expanded() -> None:
    """A query has the SQL of its fragments, and of theirs, with its arguments."""
    queries = parse_queries(FILE)

    assert queries["find_old"].text == (
        "SELECT u.uid FROM users u WHERE u.app_id = :app_id"
        " AND (u.created_at < :before AND u.is_bot) {where}"
    )
    assert queries["find_old"].columns == ("before",)
    assert queries["find_old"].reads == ("users", "erasures")
    assert queries["find_some"].text.endswith("AND uid IN :uids")


def test_conditions_use_fragments() -> None:
    """A condition that is added at run time may use the fragments of its query."""
    where = Where()
    where.add("NOT {is_old(u)}", before=7)
    query = where.narrow(parse_queries(FILE)["find_old"])

    assert query.text.endswith("u.is_bot) \n  AND NOT u.created_at < :before")


@pytest.mark.parametrize("use", ["{is_odl(u)}", "{is_old_too}", "{is_bad(u)}"])
def test_unknown_fragment_is_refused(use: str) -> None:
    """A file that uses a fragment which is not declared can't be loaded."""
    file = f"{FILE}\n-- fragment is_bad(u)\n{{is_worse({{u}})}}\n-- bad\nSELECT {use};\n"

    with pytest.raises(UnknownFragment):
        parse_queries(file)


@pytest.mark.parametrize("use", ["{is_old}", "{is_old(u, v)}", "{among(uid)}", "{tables(u)}"])
def test_wrong_number_of_arguments_is_refused(use: str) -> None:
    """A fragment is used with as many arguments as it has parameters."""
    with pytest.raises(ValueError, match="argument"):
        parse_queries(f"{FILE}\n-- bad\nSELECT {use};\n")


def test_unknown_fragment_of_a_condition_is_refused() -> None:
    """A condition can't use a fragment that its query does not know."""
    where = Where()
    where.add("{is_odl(u)}")

    with pytest.raises(UnknownFragment):
        where.narrow(parse_queries(FILE)["find_old"])


@dataclass
class Note:
    """A record."""

    author: str
    text: str = ""


class NoteStruct(msgspec.Struct):
    """The same record as a struct."""

    author: str
    text: str = ""


@pytest.mark.parametrize("record", [Note, NoteStruct])
def test_columns_of_a_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, record: type) -> None:
    """The columns of a record are its fields in order; areas share fragments."""
    area = tmp_path / "rooms" / "notes"
    area.mkdir(parents=True)
    for folder in (area, area.parent):
        (folder / "__init__.py").touch()
    (area.parent / "fragments.sql").write_text("-- fragment is_app\napp_id = :app_id\n")
    (area / "queries.sql").write_text(
        "-- find_note\nSELECT {note_columns} FROM notes WHERE {is_app};\n"
        "-- list_notes\nSELECT {note_columns(n)} FROM notes n;\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    queries = load_queries("rooms.notes", note_columns=record)

    assert queries.find_note.text == "SELECT author, text FROM notes WHERE app_id = :app_id"
    assert queries.list_notes.text == "SELECT n.author, n.text FROM notes n"


def test_every_fragment_is_used() -> None:
    """No area declares a fragment that neither a query nor a condition of the package uses."""
    declared = {name for named in all_queries() for name in named.query.fragments}
    files = [path for kind in ("*.sql", "*.py") for path in ROOT.rglob(kind)]
    used = set(re.findall(r"\{(\w+)(?:\(|\})", "\n".join(path.read_text() for path in files)))

    assert declared
    assert set() == declared - used
