"""Values of the providers that an app has at most one of: required, refused, normalised."""

from dataclasses import replace

import pytest
from tests.api.notifications.channel_samples import (
    CUSTOM_EMAIL,
    CUSTOM_PUSH,
    CUSTOM_SMS,
    EACH,
    SENDGRID,
    SMTP,
    TWILIO,
    Sample,
    one,
)
from tests.engines import one_engine
from tests.wire import InProcess
from tests.world import Node, World

from hubbub.http.app import make_app
from hubbub.outbound.addresses import parse_rule
from hubbub.outbound.client import OutboundClient
from hubbub.rest.operations import OPERATIONS

BAD = "ERR_BAD_REQUEST"


WRONG = [
    (TWILIO, "twilioAccountSID", ["", "AC/5", "AC 5", "x" * 65, "AC5\n"]),
    (TWILIO, "twilioAuthToken", ["", "two words", "x" * 256, "a\r\nb"]),
    (TWILIO, "twilioSenderPhoneNumber", ["", "4155552671", "+1", "Chat"]),
    (SENDGRID, "sendGridApiKey", ["", "two words", "größe", "a\nb"]),
    (SENDGRID, "sendGridTemplateID", ["", "d 1", "x" * 101]),
    (SENDGRID, "sendGridUnsubscribeGroupID", ["", "twelve", "-1", "1" * 19]),
    (SENDGRID, "senderName", ["", "Chat\r\nBcc: x@example.com", "x" * 101, "a\u2028b"]),
    (SENDGRID, "senderEmail", ["", "chat", "chat@localhost", "a@example.com\nb"]),
    (SENDGRID, "senderEmailForReplies", ["", "chat", "<chat@example.com>"]),
    (SMTP, "host", ["", "mail example.com", "127.0.0.1", "[::1]", "::1", "localhost", "a/b"]),
    (SMTP, "host", ["10.0.0.1", "0x7f.1", "2130706433", "mail.example.com:25", "a@b", "fe80::1"]),
    (SMTP, "host", ["..", "a..b", "\u2100.example", "é" * 100, "[", "-a.example", "fe80::1%lo"]),
    (SMTP, "port", [0, 65_536, -1, "25", 2.5]),
    (SMTP, "security", ["", "ssl", "STARTTLS", "none\n"]),
    (SMTP, "senderName", ["Chat\nTo: x@example.com"]),
    (SMTP, "senderEmail", ["chat@", "chat@example.com\r\nDATA"]),
    (SMTP, "username", ["a\r\nb", "x" * 256]),
    (SMTP, "password", ["a\nb", "x" * 256]),
    (CUSTOM_PUSH, "webhookURL", ["", "example.com", "http://example.com", "ftp://example.com"]),
    (CUSTOM_PUSH, "webhookURL", ["https://127.0.0.1", "https://[::1]/", "https://localhost/"]),
    (CUSTOM_EMAIL, "webhookURL", ["https://10.1.2.3/", "https://169.254.169.254/", "https://"]),
    (
        CUSTOM_SMS,
        "webhookURL",
        ["https://a:b@example.com", "https://example.com/\n", "https://a b"],
    ),
    (CUSTOM_PUSH, "webhookURL", ["https://a..b/", "https://\u2100/", "https://[x]/", "https://:1"]),
    (CUSTOM_SMS, "basicAuthUsername", ["a:b", "a\nb", "x" * 101]),
    (CUSTOM_SMS, "basicAuthPassword", ["a\nb", "x" * 256]),
]


@EACH
async def test_required_fields(world: World, sample: Sample) -> None:
    """Saving needs every field of the interface; an absent one is named, and nothing is stored."""
    for name in set(sample.body) - sample.optional:
        body = {each: value for each, value in sample.body.items() if each != name}
        details = await world.refused("POST", sample.path, body, status=400, code=BAD)
        assert list(details) == [name]
    assert one(await world.get(sample.path)) == {}
    for name in sample.optional:
        body = {each: value for each, value in sample.body.items() if each != name}
        await world.post(sample.path, body)
        assert one(await world.get(sample.path))["isEnabled"] is True


@EACH
async def test_fields_of_wrong_types(world: World, sample: Sample) -> None:
    """A field of another type, or a text with a control character, is refused by name."""
    for name, value in sample.body.items():
        wrongs: list[object] = [[], {"a": 1}, "a\u0000b" if isinstance(value, str) else "yes"]
        for wrong in wrongs:
            for method in ("POST", "PUT"):
                body = {**sample.body, name: wrong}
                details = await world.refused(method, sample.path, body, status=400, code=BAD)
                assert list(details) == [name]


@pytest.mark.parametrize(("sample", "name", "texts"), WRONG, ids=str)
@one_engine
async def test_values_that_cannot_be_used(
    world: World, sample: Sample, name: str, texts: list[object]
) -> None:
    """A value that can't be used is refused by name, new or as a change, and nothing changes."""
    for text in texts:
        body = {**sample.body, name: text}
        details = await world.refused("POST", sample.path, body, status=400, code=BAD)
        assert list(details) == [name], text
    await world.post(sample.path, sample.body)
    for text in texts:
        details = await world.refused("PUT", sample.path, {name: text}, status=400, code=BAD)
        assert list(details) == [name], text
    assert one(await world.get(f"{sample.path}?withSecrets=true")) == sample.body


@pytest.mark.parametrize("sample", [CUSTOM_PUSH, CUSTOM_EMAIL, CUSTOM_SMS], ids=str)
async def test_basic_auth_requires_credentials(world: World, sample: Sample) -> None:
    """Empty credentials go without Basic auth only."""
    empty = {"basicAuthUsername": "", "basicAuthPassword": ""}
    details = await world.refused(
        "POST", sample.path, {**sample.body, **empty}, status=400, code=BAD
    )
    assert set(details) == set(empty)

    without = {**sample.body, **empty, "useBasicAuth": False}
    assert one(await world.post(sample.path, without)) == without
    details = await world.refused("PUT", sample.path, {"useBasicAuth": True}, status=400, code=BAD)
    assert set(details) == set(empty)


async def test_mail_without_a_login(world: World) -> None:
    """A mail server may need no login; with a username it needs a password."""
    body = {name: SMTP.body[name] for name in SMTP.body if name not in ("username", "password")}
    assert one(await world.post(SMTP.path, body)) == body

    details = await world.refused("PUT", SMTP.path, {"username": "a"}, status=400, code=BAD)
    assert list(details) == ["password"]


async def test_mail_without_tls(world: World) -> None:
    """Without TLS only networks are used that the operator allows: here there is none."""
    body = {**SMTP.body, "security": "none"}
    details = await world.refused("POST", SMTP.path, body, status=400, code=BAD)
    assert list(details) == ["security"]
    assert "HUBBUB_OUTBOUND_ALLOW" in details["security"][0]

    await world.post(SMTP.path, SMTP.body)
    details = await world.refused("PUT", SMTP.path, {"security": "none"}, status=400, code=BAD)
    assert list(details) == ["security"]


async def test_hosts_that_the_operator_allows(world: World, node: Node) -> None:
    """In a network that the operator allows, hosts may be private, and do without TLS."""
    outbound = OutboundClient(parse_rule("10.0.0.0/8"))
    inside = InProcess(make_app(replace(node.runtime, outbound=outbound), OPERATIONS))
    allowed = World(inside, world.app_id, world.key, world.auth_key)
    for host in ("10.1.2.3", "mail.internal"):
        body = {**SMTP.body, "host": host, "security": "none", "port": 25}
        assert one(await allowed.post(SMTP.path, body))["host"] == host
    for sample in (CUSTOM_PUSH, CUSTOM_EMAIL, CUSTOM_SMS):
        for url in ("http://10.1.2.3/notify", "http://notify.internal:8080/"):
            saved = await allowed.post(sample.path, {**sample.body, "webhookURL": url})
            assert one(saved)["webhookURL"] == url
        wrong = {"webhookURL": "http://11.1.2.3/"}
        await allowed.refused("PUT", sample.path, wrong, status=400, code=BAD)
    for wrong in ({"host": "127.0.0.1"}, {"host": "11.1.2.3"}):
        await allowed.refused("PUT", SMTP.path, wrong, status=400, code=BAD)


async def test_addresses_are_normal(world: World) -> None:
    """E-mail addresses and phone numbers are stored in their normal form."""
    await world.post(TWILIO.path, {**TWILIO.body, "twilioSenderPhoneNumber": "+1 (415) 555-2671"})
    await world.post(SENDGRID.path, {**SENDGRID.body, "senderEmail": "chat@EXAMPLE.com"})

    assert one(await world.get(TWILIO.path))["twilioSenderPhoneNumber"] == "+14155552671"
    assert one(await world.get(SENDGRID.path))["senderEmail"] == "chat@example.com"


async def test_the_address_for_replies_is_removed(world: World) -> None:
    """Null removes it; absent, it stays."""
    await world.post(SENDGRID.path, SENDGRID.body)
    await world.put(SENDGRID.path, {"senderName": "Other"})
    assert "senderEmailForReplies" in one(await world.get(SENDGRID.path))

    await world.put(SENDGRID.path, {"senderEmailForReplies": None})
    assert "senderEmailForReplies" not in one(await world.get(SENDGRID.path))
