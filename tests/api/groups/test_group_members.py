"""Members of groups: adding and banning several at once, joining, leaving."""

import asyncio

import pytest
from tests.api.groups.clubs import (
    ALREADY_JOINED,
    BAD,
    BANNED,
    HIKERS,
    MEMBERS,
    NO_ADMIN,
    NO_GROUP,
    NOBODY,
    NOT_JOINED,
    add_participants,
    banned,
    create_group,
    join_group,
    make_hikers,
    scopes,
)
from tests.api.messages.talk import say, texts, to_group
from tests.clock import ManualClock
from tests.world import Json, World

LISTS = ("admins", "moderators", "participants", "usersToBan")


@pytest.fixture
async def hikers(world: World) -> World:
    """Olga's hikers, with a member of each scope, a banned user and a stranger."""
    await make_hikers(world)
    return world


@pytest.fixture
async def empty(world: World) -> World:
    """The app's own hikers, without members, and some users."""
    await world.users("anna", "ben", "chiara", "dai")
    await create_group(world, by=None)
    return world


# Adding


async def test_members_are_added(empty: World) -> None:
    """Each list gives its scope; users in the ban list are banned; each has an outcome."""
    lists = {"admins": ["anna"], "moderators": ["ben"], "participants": ["chiara"]}
    outcomes = await empty.post(MEMBERS, {**lists, "usersToBan": ["dai"]})

    assert {name: list(some) for name, some in outcomes.items()} == {
        **lists,
        "usersToBan": ["dai"],
    }
    assert outcomes["usersToBan"] == {"dai": {"success": True}}
    assert await scopes(empty) == {"anna": "admin", "ben": "moderator", "chiara": "participant"}
    assert await banned(empty) == ["dai"]


async def test_each_added_member_has_an_action_message(empty: World, clock: ManualClock) -> None:
    """An outcome is the action message, with actor and target; ids follow, the group grows."""
    lists = {"admins": ["anna"], "moderators": ["ben"], "participants": ["chiara"]}
    outcomes = await empty.post(MEMBERS, lists)
    told = [outcomes[name][uid]["data"] for name, (uid,) in lists.items()]

    first = int(told[0]["id"])
    assert [message["id"] for message in told] == [str(first + place) for place in range(3)]
    for count, (uid, message) in enumerate(zip(("anna", "ben", "chiara"), told, strict=True), 1):
        entities = message["data"]["entities"]
        assert message == {
            "id": message["id"],
            "conversationId": "group_hikers",
            "sender": "app_system",
            "receiverType": "group",
            "receiver": "hikers",
            "category": "action",
            "type": "groupMember",
            "data": {"action": "added", "entities": entities},
            "sentAt": clock.now(),
            "updatedAt": clock.now(),
        }
        assert entities["by"]["entity"]["uid"] == "app_system"
        assert entities["on"]["entity"]["uid"] == uid
        assert entities["for"]["entity"]["membersCount"] == count


@pytest.mark.parametrize("place", range(4))
async def test_the_strongest_list_counts(empty: World, place: int) -> None:
    """For a user in several lists the strongest counts: admin, moderator, participant, ban."""
    outcomes = await empty.post(MEMBERS, {name: ["anna"] for name in LISTS[place:]})

    assert {name: list(some) for name, some in outcomes.items()} == {LISTS[place]: ["anna"]}
    scope = {"anna": LISTS[place].removesuffix("s")} if place < 3 else {}
    assert await scopes(empty) == scope
    assert await banned(empty) == (["anna"] if place == 3 else [])


async def test_the_strongest_list_counts_in_a_new_group(world: World) -> None:
    """In a new group, too, the strongest list counts for a user in several."""
    await world.users("olga", "anna", "ben")
    lists = {"participants": ["anna"], "admins": ["ANNA"], "usersToBan": ["ben", "anna"]}
    await create_group(world, members=lists)

    assert await scopes(world) == {"olga": "admin", "anna": "admin"}
    assert await banned(world) == ["ben"]


async def test_a_user_named_twice(empty: World) -> None:
    """A user named twice in one list is added once, under their uid in lower case."""
    assert list(await add_participants(empty, "hikers", "anna", "Anna", "ANNA")) == ["anna"]
    assert await scopes(empty) == {"anna": "participant"}


async def test_each_user_has_an_outcome(hikers: World) -> None:
    """Users who cannot be added or banned have an error each, and the others are added."""
    await hikers.user("gone")
    await hikers.delete("/users", {"uidsToDeactivate": ["gone"]})
    lists = {
        "admins": ["paul", "nobody"],
        "participants": ["sara", "bob", "gone", "app_system"],
        "usersToBan": ["bob", "olga", "nobody", "adam"],
    }
    outcomes = await hikers.post(MEMBERS, lists, as_="adam")

    codes = {
        uid: some[uid].get("error", {}).get("code") for some in outcomes.values() for uid in some
    }
    assert codes == {
        "paul": ALREADY_JOINED,
        "nobody": NOBODY,
        "sara": None,
        "bob": BANNED,
        "gone": NOBODY,
        "app_system": NOBODY,
        "olga": "ERR_GROUP_NO_CLEARANCE",
        "adam": "ERR_GROUP_NO_SELF_ACTION",
    }
    for some in outcomes.values():
        for outcome in some.values():
            assert outcome["success"] is ("error" not in outcome)
            assert "error" not in outcome or outcome["error"]["message"]


async def test_a_member_who_is_added_again(hikers: World) -> None:
    """Adding a member again changes nothing: the scope is unchanged."""
    before = await hikers.get(MEMBERS)
    outcomes = await hikers.post(MEMBERS, {"admins": ["mona"], "participants": ["adam"]})

    assert outcomes["admins"]["mona"]["error"]["code"] == ALREADY_JOINED
    assert outcomes["participants"]["adam"]["error"]["code"] == ALREADY_JOINED
    assert await hikers.get(MEMBERS) == before


async def test_a_member_named_to_be_banned(hikers: World) -> None:
    """Banning a member removes the member; banning a banned user is an error."""
    outcomes = await hikers.post(MEMBERS, {"usersToBan": ["paul", "sara", "bob"]}, as_="olga")

    assert outcomes["usersToBan"]["paul"] == outcomes["usersToBan"]["sara"] == {"success": True}
    assert outcomes["usersToBan"]["bob"]["error"]["code"] == "ERR_ALREADY_BANNED"
    assert "paul" not in await scopes(hikers)
    assert sorted(await banned(hikers)) == ["bob", "paul", "sara"]


@pytest.mark.parametrize("uid", [None, "olga", "adam"])
async def test_rights_to_add_members(hikers: World, uid: str | None) -> None:
    """The app, the owner and other admins add members, who see the group from then on."""
    await add_participants(hikers, "hikers", "sara", as_=uid)

    assert (await hikers.get(HIKERS, as_="sara"))["scope"] == "participant"


@pytest.mark.parametrize(
    ("uid", "code"),
    [("mona", NO_ADMIN), ("paul", NO_ADMIN), ("sara", NOT_JOINED), ("bob", BANNED)],
)
async def test_additions_that_are_refused(hikers: World, uid: str, code: str) -> None:
    """Users who are not admins add and ban nobody with lists, not even themselves."""
    token = await hikers.token(uid)
    before = await scopes(hikers)
    for lists in ({"participants": [uid]}, {"admins": ["sara"]}, {"usersToBan": ["sara"]}):
        await hikers.refused("POST", MEMBERS, lists, token=token, status=403, code=code)

    assert (await scopes(hikers), await banned(hikers)) == (before, ["bob"])


async def test_25_are_added_at_once(empty: World) -> None:
    """One call accepts 25 users over all lists."""
    uids = [f"user-{number}" for number in range(25)]
    await empty.users(*uids)
    await empty.post(MEMBERS, {"admins": uids[:9], "participants": uids[9:]})

    assert set(await scopes(empty)) == set(uids)


@pytest.mark.parametrize(
    "counts",
    [{"participants": 26}, {"admins": 7, "moderators": 7, "participants": 6, "usersToBan": 6}],
)
async def test_26_are_too_many(empty: World, counts: dict[str, int]) -> None:
    """More than 25 users over all lists are refused, the lists named, and nobody is added."""
    lists = {name: [f"{name}-{place}".lower() for place in range(n)] for name, n in counts.items()}
    lists["participants"][0] = "anna"
    details = await empty.refused("POST", MEMBERS, lists, status=400, code=BAD)
    body = {"guid": "divers", "name": "Divers", "type": "public", "members": lists}
    await empty.refused("POST", "/groups", body, status=400, code=BAD)

    assert details.keys() == lists.keys()
    assert await scopes(empty) == {}
    await empty.refused("GET", "/groups/divers", status=404, code=NO_GROUP)


async def test_the_app_adds_nobody(empty: World) -> None:
    """A call of the app without any uid does nothing."""
    bodies: tuple[Json | None, ...] = (None, {}, {"participants": []}, {"password": "x"})

    for body in bodies:
        assert await empty.post(MEMBERS, body) == {}
    assert await scopes(empty) == {}


async def test_members_are_added_once_by_concurrent_calls(empty: World) -> None:
    """Of several concurrent calls that add the same users, one adds each."""
    lists = {"participants": ["anna", "ben"], "admins": ["chiara"]}
    answers = await asyncio.gather(*(empty.ask("POST", MEMBERS, lists) for _ in range(5)))

    for name, uid in (("participants", "anna"), ("participants", "ben"), ("admins", "chiara")):
        added = [answer.data[name][uid]["success"] for answer in answers]
        assert sorted(added) == [False] * 4 + [True]
    assert await scopes(empty) == {"anna": "participant", "ben": "participant", "chiara": "admin"}


# Joining


@pytest.mark.parametrize("with_token", [False, True])
async def test_a_user_joins(hikers: World, clock: ManualClock, *, with_token: bool) -> None:
    """Joining a public group makes a participant; the answer is the action message."""
    token = await hikers.token("sara") if with_token else None
    clock.advance(5)
    how: Json = {"token": token} if token else {"as_": "sara"}
    outcomes = await hikers.post(MEMBERS, {}, **how)

    (outcome,) = outcomes["participants"].values()
    assert list(outcomes) == ["participants"]
    assert outcome["success"] is True
    assert (outcome["data"]["sender"], outcome["data"]["data"]["action"]) == ("sara", "joined")
    seen = await hikers.get(HIKERS, as_="sara")
    assert (seen["scope"], seen["joinedAt"], seen["membersCount"]) == (
        "participant",
        clock.now(),
        5,
    )


async def test_empty_lists_are_like_absent_ones(hikers: World) -> None:
    """A user who sends empty lists, or no body at all, joins."""
    await hikers.user("tim")
    await join_group(hikers, "sara", participants=[], admins=[])
    await hikers.post(MEMBERS, as_="tim")

    assert {"sara", "tim"} <= (await scopes(hikers)).keys()


async def test_a_member_does_not_join_again(hikers: World) -> None:
    """A member who joins again gets an error that says so, and keeps the scope."""
    for uid in ("olga", "mona", "paul"):
        await hikers.refused("POST", MEMBERS, {}, as_=uid, status=409, code=ALREADY_JOINED)

    assert (await scopes(hikers))["mona"] == "moderator"


async def test_a_banned_user_does_not_join(hikers: World) -> None:
    """A banned user gets an error that says so, whichever way they join."""
    token = await hikers.token("bob")
    await hikers.refused("POST", MEMBERS, {}, as_="bob", status=403, code=BANNED)
    await hikers.refused("POST", MEMBERS, {}, token=token, status=403, code=BANNED)

    assert "bob" not in await scopes(hikers)


async def test_a_private_group_is_not_joined(world: World) -> None:
    """A private group does not exist for users who join it; members are refused as such."""
    await make_hikers(world, type="private", password="open")
    for uid in ("sara", "bob"):
        body = {"password": "open"}
        await world.refused("POST", MEMBERS, body, as_=uid, status=404, code=NO_GROUP)

    await world.refused("POST", MEMBERS, {}, as_="paul", status=409, code=ALREADY_JOINED)
    await add_participants(world, "hikers", "sara", as_="adam")
    assert "sara" in await scopes(world)


async def test_many_join_at_once(hikers: World) -> None:
    """Users who join at the same time are all added, once, and counted."""
    uids = [f"hiker-{number}" for number in range(10)]
    await hikers.users(*uids)
    answers = await asyncio.gather(
        *(hikers.ask("POST", MEMBERS, {}, as_=uid) for uid in uids for _ in range(2))
    )

    assert sorted(answer.status for answer in answers) == [200] * 10 + [409] * 10
    assert len(await scopes(hikers)) == 14


async def test_nobody_joins_on_behalf_of_another(hikers: World) -> None:
    """With their own token, users cannot join, leave or act on behalf of others."""
    token = await hikers.token("sara")
    for method, path in (("POST", MEMBERS), ("DELETE", f"{MEMBERS}/paul")):
        no = "AUTH_ERR_NO_ACCESS"
        await hikers.refused(method, path, token=token, as_="paul", status=403, code=no)

    assert "paul" in await scopes(hikers)


async def test_missing_users_do_not_join(hikers: World) -> None:
    """An acting user who does not exist, or is deactivated, cannot join."""
    await hikers.delete("/users", {"uidsToDeactivate": ["sara"]})
    for uid in ("nobody", "sara", "app_system"):
        await hikers.refused("POST", MEMBERS, {}, as_=uid, status=404, code=NOBODY)


# Leaving


@pytest.mark.parametrize("uid", ["adam", "mona", "paul"])
@pytest.mark.parametrize("with_token", [False, True])
async def test_a_member_leaves(hikers: World, uid: str, *, with_token: bool) -> None:
    """A user who leaves is no longer a member, and may come back as a participant."""
    how: Json = {"token": await hikers.token(uid)} if with_token else {"as_": uid}
    done = await hikers.delete(f"{MEMBERS}/{uid.upper()}", **how)

    assert done == {
        "success": True,
        "message": f"The member with {uid} has left the Group with hikers.",
    }
    assert uid not in await scopes(hikers)
    assert (await hikers.get(HIKERS, as_=uid))["hasJoined"] is False
    await join_group(hikers, uid)
    assert (await scopes(hikers))[uid] == "participant"


async def test_leaving_without_a_membership(hikers: World) -> None:
    """A user who is not a member, or no longer, or is banned, gets an error that says so."""
    await hikers.delete(f"{MEMBERS}/paul", as_="paul")

    for uid, code in (("sara", NOT_JOINED), ("paul", NOT_JOINED), ("bob", BANNED)):
        await hikers.refused("DELETE", f"{MEMBERS}/{uid}", as_=uid, status=403, code=code)
    assert len(await scopes(hikers)) == 3


async def test_former_members_neither_read_nor_write(hikers: World) -> None:
    """A former member neither writes nor reads, not even their own messages, until they return."""
    said = await say(hikers, "paul", to_group("hikers", "Hello"))
    await hikers.delete(f"{MEMBERS}/paul", as_="paul")
    path = f"{HIKERS}/messages?category=message"

    await hikers.refused("GET", path, as_="paul", status=403, code=NOT_JOINED)
    body = to_group("hikers")
    await hikers.refused("POST", "/messages", body, as_="paul", status=403, code=NOT_JOINED)
    assert await hikers.get("/messages", as_="paul") == []
    await hikers.get(f"/messages/{said['id']}", as_="paul", status=404)
    assert await texts(hikers, path, as_="mona") == ["Hello"]
    await join_group(hikers, "paul")
    assert await texts(hikers, path, as_="paul") == ["Hello"]
