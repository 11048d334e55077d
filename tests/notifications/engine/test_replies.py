"""An answer to an e-mail becomes a message of that person in that conversation."""

import random
from collections.abc import Mapping
from typing import Any

import pytest
from tests.gateways.sendgrid import answer_mail, make_form
from tests.notifications.engine.office import SENDGRID, Office
from tests.wire import LOOPBACK, Asked

from hubbub.domain.notifications.replies.read import MOST_MEMBERS

INTERVAL = 7_200
ADDRESS = "https://chat.example.com"
PATH = "/v3/notifications/email/v1/sendgrid/replies"
REPLIES = {"allowEmailReplies": True, "senderEmailForReplies": "replies@reply.example.com"}
LARGEST_MAIL = 25 * 1024 * 1024
HOSTILE_FORMS = (
    ("multipart/form-data", b""),
    ("multipart/form-data; boundary=x", b""),
    ("multipart/form-data; boundary=x", b"--x\r\n\r\n\r\n--x--"),
    ("multipart/form-data; boundary=x", b"--x\r\nContent-Disposition: \xff; name=to\r\n\r\n1"),
    ("application/json", b"{}"),
    ("", b"to=ben"),
)


class Mailbox:
    """The mailbox of Ben, with a mail about a message of Anna's."""

    def __init__(self, office: Office, webhook: str, mail: dict[str, Any]) -> None:
        self.office = office
        self.target = webhook.removeprefix(ADDRESS)
        self.mail = mail

    async def post(
        self, body: bytes, kind: str, *, status: int = 200, target: str | None = None
    ) -> None:
        """Post a form to the webhook."""
        headers = {"Content-Type": kind} if kind else {}
        asked = Asked("POST", target or self.target, headers, body, LOOPBACK, "http")
        assert (await self.office.sender.send(asked)).status == status

    async def answer(
        self, text: str, changes: Mapping[str, str] | None = None, *, status: int = 200
    ) -> None:
        """Answer the mail; `changes` are further fields of Inbound Parse, or others."""
        kind, body = make_form(answer_mail(self.mail, text, **(changes or {})))
        await self.post(body, kind, status=status)

    async def texts(self, place: str = "users/anna") -> list[tuple[str, str]]:
        """Return the senders and texts of a conversation that Ben has."""
        found = await self.office.world.get(f"/{place}/messages", as_="ben")
        return [
            (each["sender"], each["data"]["text"])
            for each in found
            if each["category"] == "message"
        ]


async def write_to_ben(office: Office, to: str = "ben", **setup: Any) -> Mailbox:
    """Have Anna write to Ben, and Ben get a mail about it."""
    webhook = await office.add_sendgrid(**{**REPLIES, **setup})
    for uid in ("anna", "ben", "cora"):
        details = {"email": f"{uid}@example.com"}
        await office.world.patch("/notifications/v1/contact-details", details, as_=uid)
    await office.say("Hello", to)
    await office.work()
    await office.work(after=INTERVAL)
    mails = office.gateways.sendgrid.received
    [mail] = [each for each in mails if "ben@" in str(each["personalizations"][0]["to"])]
    return Mailbox(office, webhook, mail)


@pytest.fixture
async def mailbox(office: Office) -> Mailbox:
    """Ben has a mail about a message by Anna."""
    return await write_to_ben(office)


async def test_an_answer(mailbox: Mailbox) -> None:
    """An answer by Ben is a message to Anna, without the quoted mail."""
    await mailbox.answer("Grüße 👋\r\n\r\nOn Monday, Chat wrote:\r\n> Hello\r\n")

    assert await mailbox.texts() == [("anna", "Hello"), ("ben", "Grüße 👋")]


async def test_an_answer_to_a_group(office: Office) -> None:
    """An answer to a mail about a group goes to the group, by each for themselves."""
    await office.group("hikers", "anna", "ben", "cora")
    mailbox = await write_to_ben(office, "#hikers")
    await mailbox.answer("", {"html": "<p>Me too</p><blockquote>Hello</blockquote>"})
    [hers] = [each for each in office.gateways.sendgrid.received if each != mailbox.mail]
    kind, body = make_form(answer_mail(hers, "And me"))
    await mailbox.post(body, kind)

    said = [("anna", "Hello"), ("ben", "Me too"), ("cora", "And me")]
    assert await mailbox.texts("groups/hikers") == said


async def test_a_mail_that_comes_twice(mailbox: Mailbox) -> None:
    """The same mail is one message however often it comes; another one with its text is not."""
    await mailbox.answer("Yes")
    await mailbox.answer("Yes")
    await mailbox.answer("Yes", {"headers": "Message-ID: <2@mail.example.com>\n"})

    assert await mailbox.texts() == [("anna", "Hello"), ("ben", "Yes"), ("ben", "Yes")]


async def test_the_log_has_no_tag(mailbox: Mailbox) -> None:
    """The log of notifications shows the address for replies without its tag."""
    tagged = mailbox.mail["reply_to"]["email"]
    [entry] = await mailbox.office.logs()

    tag = tagged.removeprefix("replies+").removesuffix("@reply.example.com")
    assert len(tag) > 20
    assert "replies@reply.example.com" in str(entry)
    assert tag not in str(entry)


@pytest.mark.parametrize(
    "sender",
    ["anna@example.com", "x@example.com", "", "ben@example.com, x@example.com", "(" * 5000],
)
async def test_mail_from_another_address(mailbox: Mailbox, sender: str) -> None:
    """The tag alone is not enough: the mail must be from the address that Ben has stored."""
    await mailbox.answer("Forged", {"from": sender})

    assert await mailbox.texts() == [("anna", "Hello")]
    await mailbox.answer("Mine", {"from": '"B." <Ben@Example.com>'})
    assert await mailbox.texts() == [("anna", "Hello"), ("ben", "Mine")]


async def test_a_wrong_tag(mailbox: Mailbox) -> None:
    """A tag that is changed, of another conversation or missing is none."""
    local, _, host = mailbox.mail["reply_to"]["email"].partition("@")
    prefix, _, tag = local.partition("+")
    last = "0" if tag[-1] != "0" else "1"
    for wrong in (tag[:-1] + last, f"{int(tag[:-20], 16) + 1:x}{tag[-20:]}", tag[1:], "f" * 34, ""):
        await mailbox.answer("Forged", {"envelope": f'{{"to":["{prefix}+{wrong}@{host}"]}}'})

    assert await mailbox.texts() == [("anna", "Hello")]
    upper = f'{{"to":["x@example.com", "{local.upper()}@{host}"]}}'
    await mailbox.answer("Mine", {"envelope": upper})
    assert await mailbox.texts() == [("anna", "Hello"), ("ben", "Mine")]


async def test_only_who_knows_the_token_calls(mailbox: Mailbox) -> None:
    """Without the token of the app nothing is read or sent."""
    kind, body = make_form(answer_mail(mailbox.mail, "Forged"))
    token = mailbox.target.partition("token=")[2]
    app_id, _, digits = token.partition(".")
    others = ("", token[:-1], f"{token}0", f"no-such-app.{digits}", f"{app_id}.", "%ff.%00", "é.1")
    for other in others:
        await mailbox.post(body, kind, status=404, target=f"{PATH}?token={other}")
    await mailbox.post(body, kind, status=404, target=PATH)
    await mailbox.post(b"", "", status=404, target=PATH)

    assert await mailbox.texts() == [("anna", "Hello")]


@pytest.mark.parametrize("change", [{"allowEmailReplies": False}, {"isEnabled": False}])
async def test_replies_that_are_not_allowed(mailbox: Mailbox, change: dict[str, bool]) -> None:
    """Once the app allows no replies any more, they are ignored."""
    await mailbox.office.world.put(SENDGRID, change)
    await mailbox.answer("Late")

    assert await mailbox.texts() == [("anna", "Hello")]


@pytest.mark.parametrize("header", ["Auto-Submitted: auto-replied", "Precedence: bulk"])
async def test_automatic_answers(mailbox: Mailbox, header: str) -> None:
    """An answer by a program while Ben is away is no message."""
    await mailbox.answer("I am away.", {"headers": f"Message-ID: <2@example.com>\n{header}\n"})
    await mailbox.answer("> Hello")

    assert await mailbox.texts() == [("anna", "Hello")]


async def test_who_may_not_write(mailbox: Mailbox) -> None:
    """The rules are those of every message: who is blocked sends nothing."""
    world = mailbox.office.world
    await world.post("/users/anna/blockedusers", {"blockedUids": ["ben"]})
    await mailbox.answer("Blocked")
    await world.delete("/users/anna/blockedusers", {"blockedUids": ["ben"]})
    await mailbox.answer("Free again")

    assert await mailbox.texts() == [("anna", "Hello"), ("ben", "Free again")]


async def test_who_has_left(office: Office) -> None:
    """A member who was banned after the mail answers no more, and who comes back does."""
    await office.group("hikers", "anna", "ben")
    mailbox = await write_to_ben(office, "#hikers")
    await office.world.post("/groups/hikers/bannedusers/ben")
    await mailbox.answer("Banned")
    await office.world.delete("/groups/hikers/bannedusers/ben")
    await office.world.post("/groups/hikers/members", {"participants": ["ben"]})
    await mailbox.answer("Back", {"headers": "Message-ID: <2@example.com>\n"})

    assert await mailbox.texts("groups/hikers") == [("anna", "Hello"), ("ben", "Back")]


async def test_a_group_that_is_too_large(office: Office) -> None:
    """In a group of more than a thousand nobody answers by mail, so that a forged one is cheap."""
    await office.group("hikers", "anna", "ben")
    mailbox = await write_to_ben(office, "#hikers")
    await office.fill("hikers", *(f"hiker{number}" for number in range(MOST_MEMBERS - 1)))
    await mailbox.answer("One too many")
    await office.world.delete("/groups/hikers/members/hiker0")
    await mailbox.answer("A thousand")

    assert await mailbox.texts("groups/hikers") == [("anna", "Hello"), ("ben", "A thousand")]


async def test_the_rate_of_answers(mailbox: Mailbox) -> None:
    """Answers count towards a person's limit of messages; beyond it the mail is to come again."""
    limits = {"settings": {"limits.userSendsPerMinute": 1}}
    await mailbox.office.world.put("/settings", limits)
    await mailbox.answer("One")
    await mailbox.answer("Two", {"headers": "Message-ID: <2@example.com>\n"}, status=503)
    mailbox.office.clock.advance(60)
    await mailbox.answer("Two", {"headers": "Message-ID: <2@example.com>\n"})

    assert await mailbox.texts() == [("anna", "Hello"), ("ben", "One"), ("ben", "Two")]


async def test_a_mail_with_attachments(mailbox: Mailbox) -> None:
    """Attachments are left out, however many and large they are."""
    fields = answer_mail(mailbox.mail, "See the picture")
    kind, body = make_form(fields, [b"x" * LARGEST_MAIL, *[b""] * 200])
    await mailbox.post(body, kind)

    assert await mailbox.texts() == [("anna", "Hello"), ("ben", "See the picture")]


async def test_a_long_answer(mailbox: Mailbox) -> None:
    """A long answer is cut at the longest text of a message."""
    await mailbox.answer("Yes " * 1_000_000)

    [_, (_, text)] = await mailbox.texts()
    assert 10_000 < len(text) < 10_240


@pytest.mark.parametrize(("kind", "body"), HOSTILE_FORMS)
async def test_what_is_no_form(mailbox: Mailbox, kind: str, body: bytes) -> None:
    """A body that is not a form is refused, so that it does not come again."""
    await mailbox.post(body, kind, status=400)


async def test_hostile_mails(mailbox: Mailbox) -> None:
    """Mails of any bytes are accepted and ignored."""
    chance = random.Random(11)
    real = answer_mail(mailbox.mail, "Yes")
    names = [name for name in real if name not in ("from", "text")]
    pieces = ["\0", "(", '"', "{", "[", '{"to":[1]}', "@", "+", "é", "\n", "=?utf-8?b?/w==?=", "<"]
    for _ in range(50):
        broken = {each: "".join(chance.choices(pieces, k=9)) for each in chance.sample(names, 4)}
        await mailbox.answer("\0", broken)
        await mailbox.answer("Yes", {**broken, "from": "".join(chance.choices(pieces, k=9))})

    assert await mailbox.texts() == [("anna", "Hello")]
