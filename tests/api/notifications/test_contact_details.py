"""Contact details: addresses of users outside the chat."""

import asyncio
from typing import Any

import pytest
from tests.engines import one_engine
from tests.world import Node, World

PATH = "/notifications/v1/contact-details"
ANNAS = {"email": "anna.keller@example.com", "phno": "+14155552671"}


async def test_contact_details_are_stored_and_read(world: World) -> None:
    """Stored details are answered at once, and when they are read."""
    await world.user("anna")

    assert await world.patch(PATH, ANNAS, as_="anna") == ANNAS
    assert await world.get(PATH, as_="anna") == ANNAS


async def test_contact_details_are_empty_at_first(world: World) -> None:
    """A user without contact details has an empty answer, without nulls."""
    await world.user("anna")

    assert await world.get(PATH, as_="anna") == {}


async def test_what_is_not_given_stays(world: World) -> None:
    """A change of one address keeps the other; null and an empty body change nothing."""
    await world.user("anna")
    await world.patch(PATH, {"email": "anna@example.com"}, as_="anna")

    for body in ({"phno": "+14155552671", "email": None}, {}, None):
        changed = await world.patch(PATH, body, as_="anna")

        assert changed == {"email": "anna@example.com", "phno": "+14155552671"}


@pytest.mark.parametrize(
    ("given", "stored"),
    [
        ("+14155552671", "+14155552671"),
        ("+1 (415) 555-2671", "+14155552671"),
        ("+44 (0)20 7946 0958", "+442079460958"),
        ("+39 06 12345678", "+390612345678"),
        ("+15551234567", "+15551234567"),
    ],
)
async def test_a_phone_number_is_brought_into_its_one_form(
    world: World, given: str, stored: str
) -> None:
    """A phone number in any notation is stored and answered in the form E.164."""
    await world.user("anna")

    assert await world.patch(PATH, {"phno": given}, as_="anna") == {"phno": stored}
    assert await world.get(PATH, as_="anna") == {"phno": stored}


@pytest.mark.parametrize(
    ("given", "stored"),
    [
        ("Anna.Keller@Example.COM", "Anna.Keller@example.com"),
        ("anna+chat@example.com", "anna+chat@example.com"),
        ("anna@bücher.example", "anna@bücher.example"),
        ("anna@chat.test", "anna@chat.test"),
    ],
)
async def test_an_email_is_brought_into_its_one_form(world: World, given: str, stored: str) -> None:
    """Only the domain of an e-mail address is changed, to lower case."""
    await world.user("anna")

    assert await world.patch(PATH, {"email": given}, as_="anna") == {"email": stored}


@pytest.mark.parametrize(
    "email",
    [
        "",
        "anna",
        "anna@",
        "@example.com",
        "anna@localhost",
        "anna@@example.com",
        "anna keller@example.com",
        "Anna <anna@example.com>",
        "anna@example.com\n",
        "anna\u0000@example.com",
        "anna@" + "long." * 50 + "example.com",
        5,
        ["anna@example.com"],
    ],
)
@one_engine
async def test_a_malformed_email_is_refused(world: World, email: Any) -> None:
    """A malformed e-mail address is named, and nothing of the change is stored."""
    await world.user("anna")
    body = {"email": email, "phno": "+14155552671"}
    details = await world.refused(
        "PATCH", PATH, body, as_="anna", status=400, code="ERR_BAD_REQUEST"
    )

    assert list(details) == ["email"]
    assert await world.get(PATH, as_="anna") == {}


@pytest.mark.parametrize(
    "phno",
    [
        "",
        "+",
        "+1",
        "4155552671",
        "0014155552671",
        "+1415555",
        "+999123456789",
        "+1415555267112345",
        "+8168249447951370",
        "+43 00 914 12345",
        "+1 800 FLOWERS",
        "+14155552671 ext. 3",
        "tel:+14155552671",
        "+14155552671\n",
        "+1415555\u0000",
        "+١٤١٥٥٥٥٢٦٧١",
        "+1" + " " * 40 + "4155552671",
        14155552671,
    ],
)
@one_engine
async def test_an_impossible_phone_number_is_refused(world: World, phno: Any) -> None:
    """An impossible phone number is named, and nothing of the change is stored."""
    await world.user("anna")
    body = {"email": "anna@example.com", "phno": phno}
    details = await world.refused(
        "PATCH", PATH, body, as_="anna", status=400, code="ERR_BAD_REQUEST"
    )

    assert list(details) == ["phno"]
    assert await world.get(PATH, as_="anna") == {}


async def test_every_fault_is_named(world: World) -> None:
    """If both addresses are wrong, both are named."""
    await world.user("anna")
    body = {"email": "anna", "phno": "12"}
    details = await world.refused(
        "PATCH", PATH, body, as_="anna", status=400, code="ERR_BAD_REQUEST"
    )

    assert set(details) == {"email", "phno"}


async def test_contact_details_are_deleted(world: World) -> None:
    """After the deletion, which answers only success, there are none."""
    await world.users("anna", "ben")
    await world.patch(PATH, ANNAS, as_="anna")
    await world.patch(PATH, {"email": "ben@example.com"}, as_="ben")
    await world.delete(PATH, as_="anna")

    assert world.answer.json == {"data": {"success": True}}
    assert await world.get(PATH, as_="anna") == {}
    assert await world.get(PATH, as_="ben") == {"email": "ben@example.com"}


async def test_deleting_nothing_succeeds(world: World) -> None:
    """The deletion succeeds also when there is nothing to delete."""
    await world.user("anna")

    for _ in range(2):
        await world.delete(PATH, as_="anna")
        assert world.answer.json == {"data": {"success": True}}


@pytest.mark.parametrize("method", ["GET", "PATCH", "DELETE"])
async def test_the_acting_user_is_required(world: World, method: str) -> None:
    """Without the header onBehalfOf the refusal names it."""
    body = ANNAS if method == "PATCH" else None
    details = await world.refused(method, PATH, body, status=400, code="ERR_BAD_REQUEST")

    assert list(details) == ["onBehalfOf"]


@pytest.mark.parametrize("method", ["GET", "PATCH", "DELETE"])
@pytest.mark.parametrize("uid", ["nobody", "app_system"])
async def test_an_unknown_user_has_none(world: World, method: str, uid: str) -> None:
    """A missing user is refused."""
    body = ANNAS if method == "PATCH" else None

    await world.refused(method, PATH, body, as_=uid, status=404, code="ERR_UID_NOT_FOUND")


@pytest.mark.parametrize("method", ["GET", "PATCH", "DELETE"])
async def test_a_malformed_uid_is_refused(world: World, method: str) -> None:
    """A malformed uid is refused without a look-up."""
    details = await world.refused(
        method, PATH, as_="anna keller", status=400, code="ERR_BAD_REQUEST"
    )

    assert list(details) == ["onBehalfOf"]


async def test_the_uid_may_be_written_in_upper_case(world: World) -> None:
    """The uid of the acting user may be in any case."""
    await world.user("anna")
    await world.patch(PATH, ANNAS, as_="ANNA")

    assert await world.get(PATH, as_="anna") == ANNAS


@pytest.mark.parametrize("method", ["GET", "PATCH", "DELETE"])
async def test_a_deactivated_users_stay_as_they_are(world: World, method: str) -> None:
    """A deactivated user does not exist; after reactivation, all details are unchanged."""
    await world.user("anna")
    await world.patch(PATH, ANNAS, as_="anna")
    await world.delete("/users", {"uidsToDeactivate": ["anna"]})
    body = {"email": "other@example.com"} if method == "PATCH" else None
    await world.refused(method, PATH, body, as_="anna", status=404, code="ERR_UID_NOT_FOUND")

    await world.put("/users", {"uidsToActivate": ["anna"]})
    assert await world.get(PATH, as_="anna") == ANNAS


async def test_a_deleted_users_are_not_reached(world: World) -> None:
    """A softly deleted user has no answer."""
    await world.user("anna")
    await world.patch(PATH, ANNAS, as_="anna")
    await world.delete("/users/anna")

    await world.refused("GET", PATH, as_="anna", status=404, code="ERR_UID_NOT_FOUND")


async def test_they_are_deleted_with_the_user(world: World) -> None:
    """A new user with the uid of a permanently deleted one does not have their contact details."""
    await world.user("anna")
    await world.patch(PATH, ANNAS, as_="anna")
    await world.delete("/users/anna", {"permanent": True})
    await world.user("anna")

    assert await world.get(PATH, as_="anna") == {}


async def test_a_user_manages_their_own(world: World) -> None:
    """With an auth token a user stores, reads and deletes their own details."""
    await world.user("anna")
    token = await world.token("anna")

    assert await world.patch(PATH, ANNAS, token=token) == ANNAS
    assert await world.get(PATH, token=token, as_="anna") == ANNAS
    await world.delete(PATH, token=token)
    assert await world.get(PATH, as_="anna") == {}


@pytest.mark.parametrize("method", ["GET", "PATCH", "DELETE"])
async def test_a_user_does_not_reach_anothers(world: World, method: str) -> None:
    """An auth token does not allow access to other users' contact details."""
    await world.users("anna", "ben")
    await world.patch(PATH, ANNAS, as_="anna")
    token, body = await world.token("ben"), {"email": "ben@example.com"}
    code = "AUTH_ERR_NO_ACCESS"
    await world.refused(method, PATH, body, token=token, as_="anna", status=403, code=code)

    assert await world.get(PATH, as_="anna") == ANNAS


async def test_contact_details_stay_in_their_app(world: World, node: Node) -> None:
    """A user with the same uid in another app has separate details."""
    other = await node.world()
    await world.user("anna")
    await other.user("anna")
    await world.patch(PATH, ANNAS, as_="anna")

    assert await other.get(PATH, as_="anna") == {}
    await other.delete(PATH, as_="anna")
    assert await world.get(PATH, as_="anna") == ANNAS


async def test_changes_at_the_same_time_are_all_kept(world: World) -> None:
    """Concurrent changes of different fields do not undo each other."""
    uids = ["anna", "ben", "carla", "david", "emma", "farid", "greta", "hugo"]
    await world.users(*uids)
    await asyncio.gather(
        *(
            world.patch(PATH, {field: text}, as_=uid)
            for uid in uids
            for field, text in ANNAS.items()
        )
    )

    assert all([await world.get(PATH, as_=uid) == ANNAS for uid in uids])
