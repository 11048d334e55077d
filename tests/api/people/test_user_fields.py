"""Every field of a user's profile, on every way in: create, update, import, import again."""

from pathlib import Path

import pytest
from msgspec import Struct
from tests.api.messages.talk import import_rows
from tests.world import Json, World

from hubbub.records.users.model import PROFILE_FIELDS, User
from hubbub.records.users.store import SQL
from hubbub.rest.imports.wire.rows import UserFields
from hubbub.rest.people.wire.users import CreateUser, UpdateUser, UserShape

FIELDS = sorted({*UpdateUser.__struct_encode_fields__} - {"unset"})
DOCUMENT = Path(__file__).parents[3] / "docs/importing.md"
OLD: Json = {
    "name": "Anna Keller",
    "avatar": "https://example.com/anna.png",
    "link": "http://example.com/~anna",
    "role": "guide",
    "statusMessage": "On the mountain",
    "metadata": {"@private": {"email": "anna@example.com"}, "level": 1},
    "tags": ["hiker", "Zürich"],
}
NEW: Json = {
    "name": "Anna Berg",
    "avatar": "https://example.com/berg.png",
    "link": "http://example.com/~berg",
    "role": "cook",
    "statusMessage": "Back home",
    "metadata": {"@private": {"email": "berg@example.com"}, "level": 2},
    "tags": ["climber"],
}
UPDATES = ["update", "import"]


@pytest.fixture
async def ready(world: World) -> World:
    """A world with the roles that the profiles name."""
    for role in (OLD["role"], NEW["role"]):
        await world.post("/roles", {"role": role, "name": role})
    return world


async def update(world: World, way: str, fields: Json) -> Json:
    """The answer to a change of anna, by an update or by a further import."""
    if way == "update":
        updated: Json = await world.put("/users/anna", fields)
        return updated
    rows = {"anna": {"uid": "anna", "name": OLD["name"], **fields}}
    outcomes = await import_rows(world, "users", rows, "?onConflict=update")
    imported: Json = outcomes["anna"]["data"]
    return imported


def profile(user: Json) -> Json:
    """The profile of a user as answered."""
    return {name: user.get(name) for name in FIELDS}


@pytest.mark.parametrize("shape", [CreateUser, UpdateUser, UserFields, UserShape])
def test_every_shape_has_every_field(shape: type[Struct]) -> None:
    """A field that is declared in the record is in each body and in the answer."""
    assert {*PROFILE_FIELDS} <= {*shape.__struct_fields__}
    assert {*FIELDS} <= {*shape.__struct_encode_fields__}


def test_every_field_is_stored_and_documented() -> None:
    """A field of the wire is in the record, the statements and the document of imports."""
    assert len(PROFILE_FIELDS) == len(FIELDS)
    columns = {*User.__struct_fields__}
    assert {*PROFILE_FIELDS} <= columns
    assert columns - {"updated_at", "deleted_at"} <= {*SQL.insert_user.parameters}
    assert {*PROFILE_FIELDS} <= {*SQL.update_user.parameters}
    text = DOCUMENT.read_text("utf-8")
    assert not [name for name in FIELDS if f"`{name}`" not in text]


def test_the_samples_name_every_field() -> None:
    """A new field of the wire needs a value in both samples, or nothing below tests it."""
    assert sorted(OLD) == FIELDS
    assert sorted(NEW) == FIELDS
    assert not [name for name in FIELDS if OLD[name] == NEW[name]]


async def test_create_and_import_store_every_field(ready: World) -> None:
    """A created user and an imported one have all fields of the request."""
    created = await ready.user("anna", **OLD)
    imported = await import_rows(ready, "users", {"ben": {"uid": "ben", **OLD}})

    assert profile(created) == OLD
    assert profile(imported["ben"]["data"]) == OLD
    assert profile(await ready.get("/users/anna")) == OLD
    assert profile(await ready.get("/users/ben")) == OLD


@pytest.mark.parametrize("way", UPDATES)
async def test_an_update_replaces_every_field(ready: World, way: str) -> None:
    """An update, and an import with `onConflict=update`, replace all fields of the request."""
    await ready.user("anna", **OLD)

    assert profile(await update(ready, way, NEW)) == NEW
    assert profile(await ready.get("/users/anna")) == NEW


@pytest.mark.parametrize("way", UPDATES)
@pytest.mark.parametrize("name", FIELDS)
async def test_an_update_of_one_field_keeps_the_others(ready: World, way: str, name: str) -> None:
    """A field that is given alone changes; the others stay."""
    await ready.user("anna", **OLD)
    changed = {**OLD, name: NEW[name]}

    assert profile(await update(ready, way, {name: NEW[name]})) == changed
    assert profile(await ready.get("/users/anna")) == changed
