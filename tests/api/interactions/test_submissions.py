"""Submitting forms: by whom, how often, and what follows."""

import asyncio
import json

import pytest
from tests.api.interactions.forms import (
    FIELDS,
    FILLED,
    card,
    custom,
    form,
    goal,
    logged_events,
    send,
    submit,
    use,
    used,
)
from tests.api.interactions.submitting import (
    ANSWERED,
    COMPLETED,
    MARKED,
    NO_MESSAGE,
    NOT_ALLOWED,
    SUBMITTED,
    count,
    refuse,
)
from tests.api.messages.talk import events
from tests.clock import ManualClock
from tests.contract import load_contract
from tests.world import Json, Node, World


async def test_a_form_is_submitted(node: Node, two: World, clock: ManualClock) -> None:
    """A submission is stored as sent, under its event number; filled-in elements are used."""
    path = await send(two, form())

    submission = await submit(two, path, FILLED)
    id_ = path.rpartition("/")[2]
    assert submission == {
        "id": submission["id"],
        "messageId": id_,
        "uid": "ben",
        "formData": FILLED,
        "submittedAt": clock.now(),
    }
    assert list(submission["formData"]) == list(FILLED)
    assert await two.get(f"{path}/submissions", as_="anna") == [submission]
    assert sorted(used(await two.get(path, as_="ben"))) == [
        *("color", "colors", "day", "name", "send"),
    ]
    number, _, name, _, body = (await events(node, two))[-2]
    assert (str(number), name) == (submission["id"], "interactive_form_submitted")
    assert json.loads(body)["id"] == number
    assert "Ben" not in body
    assert await logged_events(node, two) == [SUBMITTED, MARKED]


async def test_a_form_is_submitted_by_token(two: World) -> None:
    """With a token, a user may submit, and see submissions to them."""
    path = await send(two, form())
    body = {"formData": ANSWERED}

    submission = await two.post(f"{path}/submissions", body, token=await two.token("ben"))
    assert submission["uid"] == "ben"
    listed = await two.get(f"{path}/submissions", token=await two.token("anna"))
    assert listed == [submission]


async def test_a_form_that_asks_for_nothing(node: Node, two: World) -> None:
    """A form with optional fields may be submitted empty, which uses its button."""
    path = await send(two, form(fields=FIELDS[2:]))
    submission = await submit(two, path, {})
    assert submission["formData"] == {}
    assert used(await two.get(path, as_="ben")) == ["send"]

    bare = {"category": "interactive", "type": "form", "data": {"formFields": FIELDS[2:]}}
    path = await send(two, bare)
    await submit(two, path, {})
    assert used(await two.get(path, as_="ben")) == []
    assert (await logged_events(node, two))[-1] == SUBMITTED


TAKING_VALUES = [each for each in FIELDS if each["elementType"] != "label"]


@pytest.mark.parametrize("element", TAKING_VALUES, ids=lambda each: str(each["elementId"]))
async def test_elements_are_optional_unless_they_say_no(two: World, element: Json) -> None:
    """`optional` is true unless it is set to false, as the reference says."""
    bare = {name: value for name, value in element.items() if name != "optional"}
    for unrequired in (bare, {**bare, "optional": True}):
        await submit(two, await send(two, form(fields=[unrequired])), {})
    path = await send(two, form(fields=[{**bare, "optional": False}]))

    assert await refuse(two, path, {}) == [f"formData.{element['elementId']}"]
    described = load_contract().document["paths"]["/messages/{id}/submissions"]["post"]
    assert "required if its element has `optional` false" in " ".join(
        described["description"].split()
    )


async def test_several_submissions_are_kept(node: Node, two: World) -> None:
    """A user may submit again; the first use of each element is kept."""
    path = await send(two, form(**goal("anyOf", "send")))

    submissions = [await submit(two, path, {"name": f"Ben {number}"}) for number in range(3)]
    assert await two.get(f"{path}/submissions") == submissions
    assert await logged_events(node, two) == [SUBMITTED, MARKED, COMPLETED, SUBMITTED, SUBMITTED]


async def test_a_goal_is_completed_by_submitting(node: Node, two: World) -> None:
    """Elements used before and elements filled in now complete a goal together."""
    path = await send(two, form(**goal("allOf", "hello", "name", "send")))

    await use(two, path, "hello")
    await submit(two, path, ANSWERED)
    assert await logged_events(node, two) == [MARKED, SUBMITTED, MARKED, COMPLETED]


async def test_some_forms_are_submitted_once(two: World) -> None:
    """With `disableAfterInteracted` on its button a form takes one submission from each user."""
    path = await send(two, form(once=True, allowSenderInteraction=True))
    await use(two, path, "send")

    await submit(two, path, ANSWERED)
    for form_data in (ANSWERED, {"name": "Another"}, {}):
        fields = await refuse(two, path, form_data, status=409, code="ERR_ALREADY_SUBMITTED")
        assert fields == []
    await submit(two, path, ANSWERED, uid="anna")
    assert [row["uid"] for row in await two.get(f"{path}/submissions")] == ["ben", "anna"]


async def test_a_refused_submission_does_not_count(two: World) -> None:
    """After a submission with wrong values was refused, the user may submit right ones."""
    path = await send(two, form(once=True))

    assert await refuse(two, path, {}) == ["formData.name"]
    await submit(two, path, ANSWERED)


async def test_exactly_one_of_many_at_once(node: Node, two: World) -> None:
    """Of concurrent submissions of a user one is accepted; if several are allowed, all are."""
    once, often = await send(two, form(once=True)), await send(two, form())
    body = {"formData": ANSWERED}

    for path, taken in ((once, 1), (often, 12)):
        answers = await asyncio.gather(
            *(two.ask("POST", f"{path}/submissions", body, as_="ben") for _ in range(12))
        )
        statuses = sorted(answer.status for answer in answers)
        assert statuses == [200] * taken + [409] * (12 - taken)
        ids = [row["id"] for row in await two.get(f"{path}/submissions")]
        assert len(set(ids)) == taken
    assert await count(node, two) == 13
    assert (await logged_events(node, two)).count(MARKED) == 2


@pytest.mark.parametrize("message", [card("yes"), custom(), {"data": {"text": "Hello"}}])
async def test_only_forms_are_submitted(two: World, message: Json) -> None:
    """A card, a custom message and a text cannot be submitted."""
    path = await send(two, message)

    assert await refuse(two, path, {}, status=403, code=NOT_ALLOWED) == []
    assert await two.get(f"{path}/submissions", as_="anna") == []


async def test_rights_to_submit(club: World) -> None:
    """Members may submit; the sender only if the form allows it; for others it does not exist."""
    path = await send(club, form(), to="club", kind="group")
    open_ = await send(club, form(allowSenderInteraction=True), to="club", kind="group")
    await club.delete("/groups/club/members/clara", as_="clara")

    await submit(club, path, ANSWERED, uid="ben")
    await submit(club, open_, ANSWERED, uid="anna")
    await refuse(club, path, ANSWERED, as_="anna", status=403, code=NOT_ALLOWED)
    for uid in ("clara", "dora"):
        await refuse(club, path, ANSWERED, as_=uid, status=404, code=NO_MESSAGE)
    await refuse(club, path, ANSWERED, as_="emil", status=404, code="ERR_UID_NOT_FOUND")
    assert await refuse(club, path, ANSWERED, as_=None) == ["onBehalfOf"]


async def test_a_deleted_form_is_not_submitted(two: World) -> None:
    """A deleted form cannot be submitted, and only the app still sees its submissions."""
    path = await send(two, form())
    submission = await submit(two, path, ANSWERED)
    await two.delete(path, as_="anna")

    await refuse(two, path, ANSWERED, status=403, code=NOT_ALLOWED)
    assert await two.get(f"{path}/submissions", as_="anna") == []
    assert await two.get(f"{path}/submissions") == [submission]
