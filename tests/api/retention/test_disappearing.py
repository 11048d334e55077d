"""Messages disappear a while after they were sent, or after everybody read them."""

import pytest
from tests.api.messages.talk import group, import_past, past, say, texts, to_group, to_user
from tests.api.retention.removals import DAY, keep, left_in, remove_due, unread
from tests.clock import ManualClock
from tests.world import Node, World

BEN, CLUB = "/users/ben", "/groups/club"
TO_BEN, IN_CLUB = f"{BEN}/conversation/retention", f"{CLUB}/conversation/retention"
REFUSED = "ERR_RETENTION_NOT_ALLOWED"


@pytest.fixture(scope="module")
def node(lone_node: Node) -> Node:
    """Return a node whose clock may go on for years."""
    return lone_node


@pytest.fixture
async def talk(world: World) -> World:
    """Anna, Ben and Carla, who are in a group; all have said something."""
    await world.users("anna", "ben", "carla")
    await group(world, "club", "anna", "ben", "carla")
    await say(world, "anna", to_user("ben", "Before"))
    await say(world, "anna", to_group("club", "Before"))
    return world


async def pass_time(node: Node, seconds: float) -> None:
    """Advance the clock, and have removed what is due then."""
    node.clock.advance(seconds)
    await remove_due(node)


async def test_messages_disappear_after_they_were_sent(node: Node, talk: World) -> None:
    """Messages that are sent from now on go after their time, not before; earlier ones stay."""
    await talk.put(TO_BEN, {"disappearAfter": 60}, as_="anna")
    await remove_due(node)
    node.clock.advance(7)
    await say(talk, "anna", to_user("ben", "Brief"))
    await pass_time(node, 59)
    assert await texts(talk, f"{BEN}/messages", as_="anna") == ["Before", "Brief"]
    assert await unread(talk, "ben", "/users/anna") == 2

    await pass_time(node, 1)
    assert await texts(talk, f"{BEN}/messages", as_="anna") == ["Before"]
    assert await unread(talk, "ben", "/users/anna") == 1


async def test_messages_disappear_after_they_were_read(node: Node, talk: World) -> None:
    """Each of two users' messages go when the other has read them, after the time has passed."""
    await talk.put(TO_BEN, {"disappearAfter": 60, "disappearFrom": "read"}, as_="anna")
    await say(talk, "anna", to_user("ben", "From Anna"))
    await say(talk, "ben", to_user("anna", "From Ben"))
    await pass_time(node, DAY)
    assert await texts(talk, f"{BEN}/messages", as_="anna") == ["Before", "From Anna", "From Ben"]

    await talk.post("/users/anna/conversation/read", {}, as_="ben")
    await pass_time(node, 59)
    assert await texts(talk, f"{BEN}/messages", as_="anna") == ["Before", "From Anna", "From Ben"]

    await pass_time(node, 1)
    assert await texts(talk, f"{BEN}/messages", as_="anna") == ["Before", "From Ben"]
    assert await unread(talk, "anna", BEN) == 1


async def test_in_a_group_all_members_must_have_read(node: Node, talk: World) -> None:
    """A message to a group goes a while after the last member has read it."""
    await talk.put(IN_CLUB, {"disappearAfter": 10, "disappearFrom": "read"})
    await say(talk, "anna", to_group("club", "Brief"))
    await talk.post(f"{CLUB}/conversation/read", {}, as_="ben")
    await pass_time(node, 100)
    assert await texts(talk, f"{CLUB}/messages", as_="anna") == ["Before", "Brief"]

    await talk.post(f"{CLUB}/conversation/read", {}, as_="carla")
    await pass_time(node, 9)
    assert await texts(talk, f"{CLUB}/messages", as_="anna") == ["Before", "Brief"]
    await pass_time(node, 1)
    assert await texts(talk, f"{CLUB}/messages", as_="anna") == ["Before"]


async def test_an_app_lets_messages_of_all_conversations_disappear(node: Node, talk: World) -> None:
    """The setting of the app is true for all conversations, also new ones, that set nothing."""
    await talk.put(IN_CLUB, {"disappearAfter": 0})
    await keep(talk, disappearAfter=60)
    await remove_due(node)
    await say(talk, "anna", to_user("ben", "Brief"))
    await say(talk, "anna", to_user("carla", "The first one"))
    await say(talk, "anna", to_group("club", "Lasting"))
    await pass_time(node, 60)
    await pass_time(node, 1)

    assert await texts(talk, f"{BEN}/messages", as_="anna") == ["Before"]
    assert await texts(talk, "/users/carla/messages", as_="anna") == []
    assert await texts(talk, f"{CLUB}/messages", as_="anna") == ["Before", "Lasting"]

    await keep(talk, disappearAfter=0)
    await say(talk, "anna", to_user("ben", "Lasting"))
    await pass_time(node, DAY)
    assert await texts(talk, f"{BEN}/messages", as_="anna") == ["Before", "Lasting"]


async def test_what_is_set_later_decides(node: Node, talk: World) -> None:
    """A message goes by what is set when its time comes, not by what was set when it was sent."""
    await talk.put(TO_BEN, {"disappearAfter": 60}, as_="anna")
    await say(talk, "anna", to_user("ben", "Said"))
    await talk.put(TO_BEN, {"disappearAfter": 600}, as_="anna")
    await pass_time(node, 61)
    assert await texts(talk, f"{BEN}/messages", as_="anna") == ["Before", "Said"]

    await talk.put(TO_BEN, {"disappearAfter": None}, as_="anna")
    await pass_time(node, 601)
    assert await texts(talk, f"{BEN}/messages", as_="anna") == ["Before", "Said"]


async def test_a_muid_is_not_sent_again(node: Node, talk: World) -> None:
    """To repeat the send of a message that has disappeared sends nothing."""
    await talk.put(TO_BEN, {"disappearAfter": 5}, as_="anna")
    body = to_user("ben", "Once", muid="m1")
    await say(talk, "anna", body)
    await pass_time(node, 6)

    await talk.refused(
        "POST", "/messages", body, as_="anna", status=404, code="ERR_MESSAGE_ID_NOT_FOUND"
    )
    assert await left_in(node, talk, "messages") == 3


async def test_a_clock_that_is_set_lets_nothing_disappear_early(
    node: Node, talk: World, clock: ManualClock
) -> None:
    """A clock that jumps forward and back takes nothing early, and puts nothing off for long."""
    await talk.put(TO_BEN, {"disappearAfter": 60}, as_="anna")
    await say(talk, "anna", to_user("ben", "Brief"))
    await remove_due(node)
    clock.set_ahead(1000)
    for _ in range(3):
        await remove_due(node)
    clock.set_back(1000)
    await pass_time(node, 30)
    assert await texts(talk, f"{BEN}/messages", as_="anna") == ["Before", "Brief"]

    await pass_time(node, 31)
    assert await texts(talk, f"{BEN}/messages", as_="anna") == ["Before"]


async def test_imported_messages_do_not_disappear_before_the_time_that_was_set(
    node: Node, talk: World
) -> None:
    """An imported message is sent when its sender sent it: an old one goes at once."""
    await talk.put(TO_BEN, {"disappearAfter": 3600}, as_="anna")
    now = node.clock.now()
    await import_past(
        talk,
        a=past("anna", to_user("ben", "An hour old"), now - 3600),
        b=past("anna", to_user("ben", "Younger"), now - 60),
    )
    await remove_due(node)

    assert "An hour old" not in await texts(talk, f"{BEN}/messages", as_="anna")
    assert "Younger" in await texts(talk, f"{BEN}/messages", as_="anna")


async def test_participants_may_set_it_where_the_app_lets_them(node: Node, talk: World) -> None:
    """With the app's consent users set when messages disappear, in groups admins; never days."""
    token = await talk.token("anna")
    how = {"token": token, "status": 403, "code": REFUSED}
    await talk.refused("PUT", TO_BEN, {"disappearAfter": 60}, **how)  # type: ignore[arg-type]
    await keep(talk, participantsMaySet=True)
    await talk.refused("PUT", TO_BEN, {"days": 1}, **how)  # type: ignore[arg-type]
    await talk.put(TO_BEN, {"disappearAfter": 60}, token=token)
    ben = await talk.token("ben")
    await talk.put("/users/anna/conversation/retention", {"disappearFrom": "read"}, token=ben)

    assert await talk.get(TO_BEN, token=token) == {
        "days": 0,
        "disappearAfter": 60,
        "disappearFrom": "read",
        "own": {"disappearAfter": 60, "disappearFrom": "read"},
    }
    await talk.refused(
        "PUT",
        IN_CLUB,
        {"disappearAfter": 60},
        token=token,
        status=403,
        code="ERR_GROUP_NO_ADMIN_SCOPE",
    )


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "days"),
        ({"days": -1}, "days"),
        ({"days": 36_501}, "days"),
        ({"days": True}, "days"),
        ({"days": 1.5}, "days"),
        ({"days": "30"}, "days"),
        ({"disappearAfter": -1}, "disappearAfter"),
        ({"disappearAfter": 31_536_001}, "disappearAfter"),
        ({"disappearAfter": [60]}, "disappearAfter"),
        ({"disappearFrom": "later"}, "disappearFrom"),
        ({"disappearFrom": 1}, "disappearFrom"),
        ({"days": 1, "colour": "red"}, "colour"),
    ],
)
async def test_bad_values_change_nothing(talk: World, body: dict[str, object], field: str) -> None:
    """A value that is no time, or too long, is refused with the field named."""
    before = await talk.get(TO_BEN, as_="anna")
    details = await talk.refused(
        "PUT", TO_BEN, body, as_="anna", status=400, code="ERR_BAD_REQUEST"
    )

    assert list(details) == [field]
    assert await talk.get(TO_BEN, as_="anna") == before


@pytest.mark.parametrize(
    ("key", "value"),
    [("days", -1), ("days", 36_501), ("disappearAfter", True), ("disappearFrom", "later")],
)
async def test_bad_settings_change_nothing(talk: World, key: str, value: object) -> None:
    """A setting that is no time, or too long, is refused with its name."""
    body = {"settings": {f"retention.{key}": value}}
    details = await talk.refused("PUT", "/settings", body, status=400, code="ERR_BAD_REQUEST")

    assert list(details) == [f"settings.retention.{key}"]


async def test_a_conversation_that_does_not_exist_keeps_nothing(talk: World) -> None:
    """A conversation that was never begun, or is of others, has no times to be read or set."""
    code = "ERR_CONVERSATION_NOT_ACCESSIBLE"
    for method, body in (("GET", None), ("PUT", {"days": 1})):
        path = "/users/carla/conversation/retention"
        await talk.refused(method, path, body, as_="anna", status=404, code=code)
