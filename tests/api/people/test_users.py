"""Users: create, find, list, change, deactivate, delete."""

import asyncio
import re
from typing import Any

import pytest
from tests.clock import ManualClock
from tests.world import Json, Node, World

from hubbub.kernel.errors import Unavailable
from hubbub.storage.interface import Transaction

NOT_FOUND = "ERR_UID_NOT_FOUND"
TAKEN = "ERR_UID_ALREADY_EXISTS"
BAD = "ERR_BAD_REQUEST"
PROFILE: Json = {
    "name": "Anna Keller",
    "avatar": "https://example.com/anna.png",
    "link": "http://example.com/~anna",
    "statusMessage": "On the mountain",
    "metadata": {"@private": {"email": "anna@example.com"}, "deep": [1, {"x": None}]},
    "tags": ["hiker", "Zürich"],
}


async def test_a_user_is_created(world: World, clock: ManualClock) -> None:
    """A new user is offline, has the default role, and only the fields that were given."""
    anna = await world.post("/users", {"uid": "anna", "name": "Anna Keller"})

    assert anna == {
        "uid": "anna",
        "name": "Anna Keller",
        "status": "offline",
        "role": "default",
        "createdAt": clock.now(),
    }
    assert await world.get("/users/anna") == anna


async def test_a_user_is_created_with_all_there_is(world: World) -> None:
    """All given fields are stored, and returned as they were given."""
    anna = await world.user("anna", **PROFILE, role="Default")

    assert {name: anna[name] for name in PROFILE} == PROFILE
    assert anna["role"] == "default"
    assert await world.get("/users/anna") == anna


async def test_a_uid_is_lowered(world: World) -> None:
    """Upper case in a uid is lowered wherever it is given."""
    assert (await world.user("Anna_K-1"))["uid"] == "anna_k-1"

    assert (await world.get("/users/ANNA_K-1"))["uid"] == "anna_k-1"
    await world.refused("POST", "/users", {"uid": "ANNA_K-1", "name": "A"}, status=409, code=TAKEN)


async def test_a_user_is_created_with_a_token(world: World, clock: ManualClock) -> None:
    """With `withAuthToken` the answer has a token that works, and later answers don't."""
    anna = await world.user("anna", withAuthToken=True)

    assert re.fullmatch(rf"anna_{clock.now()}[0-9a-f]{{30}}", anna["authToken"])
    assert await world.uids("/users", token=anna["authToken"]) == ["anna"]
    assert "authToken" not in await world.get("/users/anna")


async def test_no_token_without_asking(world: World) -> None:
    """Without `withAuthToken` a new user has no token."""
    await world.user("anna", withAuthToken=False)

    assert await world.get("/users/anna/auth_tokens") == []


@pytest.mark.parametrize("missing", ["uid", "name"])
async def test_required_fields(world: World, missing: str) -> None:
    """The uid and the name are required, and named if they are missing."""
    body = {"uid": "anna", "name": "Anna"}
    del body[missing]

    details = await world.refused("POST", "/users", body, status=400, code=BAD)
    assert details == {missing: [f"The {missing} field is required."]}


async def test_a_uid_is_given_once(world: World) -> None:
    """A uid that is in use is refused, and its user is unchanged."""
    await world.user("anna")
    await world.refused("POST", "/users", {"uid": "anna", "name": "X"}, status=409, code=TAKEN)

    assert (await world.get("/users/anna"))["name"] == "Anna"


async def test_a_uid_is_given_once_by_concurrent_calls(world: World) -> None:
    """Of many concurrent creations with a uid one succeeds."""
    body = {"uid": "anna", "name": "Anna"}
    answers = await asyncio.gather(*(world.ask("POST", "/users", body) for _ in range(10)))

    assert sorted(answer.status for answer in answers) == [200] + [409] * 9
    assert await world.uids("/users") == ["anna"]
    assert world.answer.meta["pagination"]["total"] == 1


async def test_concurrent_changes_are_all_kept(world: World) -> None:
    """Concurrent changes of different fields do not undo each other."""
    await world.user("anna")
    changes = [{name: value} for name, value in PROFILE.items()]
    await asyncio.gather(*(world.ask("PUT", "/users/anna", change) for change in changes))

    anna = await world.get("/users/anna")
    assert {name: anna[name] for name in PROFILE} == PROFILE


async def test_the_uid_of_the_app_is_reserved(world: World) -> None:
    """A user with the uid of the app itself cannot be created."""
    body = {"uid": "App_System", "name": "System"}

    assert "uid" in await world.refused("POST", "/users", body, status=400, code=BAD)


async def test_a_role_must_exist(world: World) -> None:
    """A missing role is refused."""
    await world.user("anna")
    body = {"uid": "ben", "name": "Ben", "role": "captain"}

    assert "role" in await world.refused("POST", "/users", body, status=400, code=BAD)
    assert "role" in await world.refused(
        "PUT", "/users/anna", {"role": "captain"}, status=400, code=BAD
    )
    assert await world.uids("/users") == ["anna"]


async def test_tags_keep_their_order(world: World) -> None:
    """Tags are returned in their order, each once."""
    anna = await world.user("anna", tags=["b", "a", "b", "c", "a"])

    assert anna["tags"] == ["b", "a", "c"]


async def test_a_missing_user(world: World) -> None:
    """A missing user is not found, by any call."""
    for method, path, body in [
        ("GET", "/users/nobody", None),
        ("PUT", "/users/nobody", {"name": "Nobody"}),
        ("DELETE", "/users/nobody", None),
        ("DELETE", "/users/nobody", {"permanent": True}),
    ]:
        await world.refused(method, path, body, status=404, code=NOT_FOUND)


# Changing


async def test_a_profile_is_changed(world: World, clock: ManualClock) -> None:
    """Given fields are changed, others are not, and `updatedAt` is the time of the change."""
    before = await world.user("anna", **PROFILE)
    clock.advance(60)

    after = await world.put("/users/anna", {"name": "Anna Osei", "tags": ["diver"]})

    changed = {"name": "Anna Osei", "tags": ["diver"], "updatedAt": clock.now()}
    assert after == {**before, **changed}
    assert await world.get("/users/anna") == after


async def test_a_profile_is_changed_by_nothing(world: World, clock: ManualClock) -> None:
    """A change without fields changes only the time."""
    before = await world.user("anna", **PROFILE)

    assert await world.put("/users/anna", {}) == {**before, "updatedAt": clock.now()}
    assert await world.put("/users/anna") == {**before, "updatedAt": clock.now()}


async def test_every_field_can_be_changed(world: World) -> None:
    """Every field of a profile can be changed."""
    await world.user("anna")
    after = await world.put("/users/anna", {**PROFILE, "role": "default"})

    assert {name: after[name] for name in PROFILE} == PROFILE


async def test_metadata_is_replaced(world: World) -> None:
    """Given metadata replaces all of the old."""
    await world.user("anna", metadata={"club": "hikers", "@private": {"email": "a@example.com"}})

    after = await world.put("/users/anna", {"metadata": {"since": 2019}})
    assert after["metadata"] == {"since": 2019}


@pytest.mark.parametrize("name", ["avatar", "link", "metadata"])
async def test_a_field_is_emptied(world: World, name: str) -> None:
    """`unset` removes a field, also when there was nothing."""
    before = await world.user("anna", **PROFILE)

    for _ in range(2):
        after = await world.put("/users/anna", {"unset": [name]})
        assert after.keys() - {"updatedAt"} == before.keys() - {name}


async def test_only_some_fields_can_be_emptied(world: World) -> None:
    """Required fields cannot be unset."""
    await world.user("anna")
    details = await world.refused("PUT", "/users/anna", {"unset": ["name"]}, status=400, code=BAD)

    assert list(details) == ["unset.0"]


async def test_tags_are_removed(world: World) -> None:
    """An empty list of tags removes all, and the user is no longer found by them."""
    await world.user("anna", tags=["hiker"])

    assert "tags" not in await world.put("/users/anna", {"tags": []})
    assert await world.uids("/users?tags=hiker") == []


async def test_a_uid_cannot_be_changed(world: World) -> None:
    """A uid in the body of a change is ignored, like any unknown field."""
    await world.user("anna")

    assert (await world.put("/users/anna", {"uid": "ben", "zip": 8000}))["uid"] == "anna"


# Deactivating


async def test_a_user_is_deactivated(world: World, clock: ManualClock) -> None:
    """A deactivated user is not found, and listed only on request."""
    await world.users("anna", "ben")
    done = await world.delete("/users", {"uidsToDeactivate": ["Anna", "nobody", "anna"]})

    assert done == {"deactivatedUids": ["anna"]}
    await world.refused("GET", "/users/anna", status=404, code=NOT_FOUND)
    await world.refused("PUT", "/users/anna", {"name": "A"}, status=404, code=NOT_FOUND)
    await world.refused("POST", "/users/anna/auth_tokens", {}, status=404, code=NOT_FOUND)
    assert await world.uids("/users") == ["ben"]
    assert await world.uids("/users?withDeactivated=true") == ["ben", "anna"]
    assert await world.uids("/users?onlyDeactivated=true") == ["anna"]
    assert (await world.get("/users?onlyDeactivated=1"))[0]["deactivatedAt"] == clock.now()


async def test_a_deactivated_uid_is_taken(world: World) -> None:
    """The uid of a deactivated user is not free."""
    await world.user("anna")
    await world.delete("/users", {"uidsToDeactivate": ["anna"]})

    await world.refused("POST", "/users", {"uid": "anna", "name": "A"}, status=409, code=TAKEN)


async def test_a_user_is_brought_back(world: World) -> None:
    """A reactivated user is unchanged."""
    before = await world.user("anna", **PROFILE)
    await world.delete("/users", {"uidsToDeactivate": ["anna"]})

    done = await world.put("/users", {"uidsToActivate": ["ANNA", "nobody"]})

    assert done == {"nonDeactivatedUids": ["anna"]}
    assert await world.get("/users/anna") == before
    assert await world.uids("/users?searchKey=kel&tags=hiker") == ["anna"]
    assert await world.uids("/users?onlyDeactivated=true") == []


@pytest.mark.usefixtures("others_wait")
@pytest.mark.parametrize("method", ["DELETE", "PUT"])
async def test_many_users_are_changed_in_parts(
    node: Node, world: World, method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A call for hundreds of users lets another app's change be stored before it ends."""
    uids = [f"user-{number:03}" for number in range(300)]
    for at in range(0, len(uids), 50):
        rows = {uid: {"uid": uid, "name": uid} for uid in uids[at : at + 50]}
        await world.post("/data_import/users", {"users": rows})
    quiet = await node.world()
    field = "uidsToDeactivate" if method == "DELETE" else "uidsToActivate"
    database = node.runtime.database
    stored: list[str] = []
    others: list[asyncio.Task[None]] = []
    write = type(database).write

    async def note(*args: Any, **options: Any) -> Any:
        answer = await write(*args, **options)
        stored.append(args[1])
        if not others:
            others.append(asyncio.create_task(database.write(quiet.app_id, change_nothing)))
        return answer

    monkeypatch.setattr(type(database), "write", note)
    changed = await world.ask(method, "/users", {field: uids})

    assert next(iter(changed.data.values())) == uids
    assert quiet.app_id in stored[:-1]


async def change_nothing(_: Transaction) -> None:
    """Be a write of the other app."""


@pytest.mark.usefixtures("others_wait")
async def test_a_change_of_many_that_fails_in_the_middle(
    node: Node, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The answer says that not all were changed; the same call again changes the rest."""
    uids = [f"user-{number:02}" for number in range(40)]
    rows = {uid: {"uid": uid, "name": uid} for uid in uids}
    await world.post("/data_import/users", {"users": rows})
    engine, writes = type(node.runtime.database), 0
    write = engine.write

    async def fail_second(*args: Any, **options: Any) -> Any:
        nonlocal writes
        writes += 1
        if writes == 2:
            raise Unavailable("Nothing was changed.")
        return await write(*args, **options)

    monkeypatch.setattr(engine, "write", fail_second)
    answer = await world.ask("DELETE", "/users", {"uidsToDeactivate": uids})

    assert (answer.status, "Not all" in answer.error["message"]) == (503, True)
    assert 0 < len(await world.uids("/users?perPage=100")) < len(uids)
    done = await world.delete("/users", {"uidsToDeactivate": uids})
    assert done == {"deactivatedUids": uids}
    assert await world.uids("/users") == []


@pytest.mark.parametrize(
    ("method", "name", "answer"),
    [
        ("DELETE", "uidsToDeactivate", "deactivatedUids"),
        ("PUT", "uidsToActivate", "nonDeactivatedUids"),
    ],
)
async def test_nobody_is_deactivated_or_brought_back(
    world: World, method: str, name: str, answer: str
) -> None:
    """An empty list, or none, changes nobody."""
    await world.user("anna")

    bodies: tuple[Any, ...] = ({name: []}, {}, None)
    for body in bodies:
        assert await world.call(method, "/users", body) == {answer: []}
    assert await world.uids("/users") == ["anna"]


# Deleting


async def test_a_user_is_deleted(world: World) -> None:
    """A deleted user is not found or listed, and their uid is not free."""
    await world.user("anna", tags=["hiker"])
    done = await world.delete("/users/Anna")

    assert done == {"success": True, "message": "User with anna has been deleted successfully."}
    await world.refused("GET", "/users/anna", status=404, code=NOT_FOUND)
    await world.refused("DELETE", "/users/anna", status=404, code=NOT_FOUND)
    await world.refused("POST", "/users", {"uid": "anna", "name": "A"}, status=409, code=TAKEN)
    for query in ("", "withDeactivated=true", "onlyDeactivated=true", "searchKey=a", "tags=hiker"):
        assert await world.uids(f"/users?{query}") == []
    assert await world.put("/users", {"uidsToActivate": ["anna"]}) == {"nonDeactivatedUids": []}


@pytest.mark.parametrize("softly_before", [False, True])
@pytest.mark.parametrize("deactivated_before", [False, True])
async def test_a_user_is_deleted_permanently(
    world: World, softly_before: bool, deactivated_before: bool
) -> None:
    """After a permanent deletion the uid is free, and its next user starts anew."""
    await world.user("anna", **PROFILE)
    if deactivated_before:
        await world.delete("/users", {"uidsToDeactivate": ["anna"]})
    if softly_before:
        await world.delete("/users/anna")

    await world.delete("/users/anna", {"permanent": True})

    await world.refused("GET", "/users/anna", status=404, code=NOT_FOUND)
    anna = await world.user("anna", name="Anna the Second")
    assert anna.keys() == {"uid", "name", "status", "role", "createdAt"}
    assert await world.uids("/users?searchKey=keller") == []
    assert await world.uids("/users?tags=hiker") == []
    assert await world.uids("/users?searchKey=second") == ["anna"]
    assert world.answer.meta["pagination"]["total"] == 1
