"""Messages of FCM for each platform and kind."""

from typing import Any

import pytest
from msgspec.structs import replace
from tests.clock import START
from tests.providers.push.accounts import push_to

from hubbub.providers.fcm.message import Target, build_message, is_shown, to_strings
from hubbub.providers.interface import CALL, CHAT
from hubbub.records.notifications.setups import Platforms, Visibility

SHOWN = Platforms(*[Visibility(chat=True, call=True)] * 3)
HIDDEN = Platforms(*[Visibility(chat=False, call=False)] * 3)
ANDROIDS = [
    "fcm_android", "fcm_flutter_android", "fcm_react_native_android", "fcm_ionic_cordova_android",
]  # fmt: skip
IPHONES = ["fcm_ios", "fcm_flutter_ios", "fcm_react_native_ios", "fcm_ionic_cordova_ios"]


def message_for(platform: str, platforms: Platforms | None, **fields: Any) -> dict[str, Any]:
    """Return the message for a device."""
    push = push_to("t", platform, **fields)
    target = Target.of(push, platforms, START)
    return build_message(to_strings(push.fields), push, target)


@pytest.mark.parametrize("platform", ["ios", "android", "web"])
@pytest.mark.parametrize("kind", [CHAT, CALL])
@pytest.mark.parametrize("chat", [True, False, None])
@pytest.mark.parametrize("call", [True, False, None])
def test_the_setup_says_what_is_shown(
    platform: str, kind: str, chat: bool | None, call: bool | None
) -> None:
    """The setup decides for each platform and kind; otherwise Android gets data only."""
    platforms = Platforms(**{platform: Visibility(chat, call)})
    chosen = call if kind == CALL else chat
    expected = platform != "android" if chosen is None else chosen

    assert is_shown(platform, kind, platforms) == expected
    assert is_shown(platform, kind, None) == (platform != "android")


@pytest.mark.parametrize("platform", ANDROIDS)
def test_android(platform: str) -> None:
    """Android gets data, collapsed and with its time; something to be seen if that is wanted."""
    block = {"collapse_key": "anna_user_ben.17", "ttl": "3600s", "priority": "high"}
    hidden, shown = message_for(platform, None), message_for(platform, SHOWN)

    assert "notification" not in hidden
    assert hidden["android"] == block
    assert shown["notification"] == {"title": "Anna", "body": "Grüße 👋"}
    notification = {"tag": "anna_user_ben.17", "sound": "default", "notification_count": 3}
    assert shown["android"] == {**block, "notification": notification}
    assert {"apns", "webpush"}.isdisjoint(shown)


@pytest.mark.parametrize("platform", IPHONES)
def test_ios(platform: str) -> None:
    """On iOS there is an alert with a badge, or a silent push, by the header fields of APNs."""
    headers = {"apns-expiration": str(START + 3600), "apns-collapse-id": "anna_user_ben.17"}
    shown, hidden = message_for(platform, None), message_for(platform, HIDDEN)

    assert shown["notification"] == {"title": "Anna", "body": "Grüße 👋"}
    assert shown["apns"] == {
        "headers": {"apns-push-type": "alert", "apns-priority": "10", **headers},
        "payload": {"aps": {"badge": 3, "sound": "default", "thread-id": "anna_user_ben"}},
    }
    assert "notification" not in hidden
    assert hidden["apns"] == {
        "headers": {"apns-push-type": "background", "apns-priority": "5", **headers},
        "payload": {"aps": {"badge": 3, "content-available": 1}},
    }


def test_browsers() -> None:
    """Browsers get the header fields of Web Push; the topic is short, and the same for a repeat."""
    shown, hidden = message_for("fcm_web", None), message_for("fcm_web", HIDDEN)
    headers = shown["webpush"]["headers"]

    assert shown["notification"] == {"title": "Anna", "body": "Grüße 👋"}
    assert shown["webpush"]["notification"] == {"tag": "anna_user_ben.17"}
    assert (headers["TTL"], headers["Urgency"], len(headers["Topic"])) == ("3600", "high", 32)
    assert "notification" not in hidden
    assert hidden["webpush"] == {"headers": headers}


def test_a_push_that_has_ended() -> None:
    """The time to live is never negative, and at most what FCM allows."""
    push = push_to("t")
    assert Target.of(push, None, START + 9999).ttl == 0
    assert Target.of(push, None, 0).ttl == 28 * 86_400


def test_fields_are_strings() -> None:
    """Numbers, objects and booleans become JSON text; what is None is left out."""
    fields = {"a": "x", "b": 1, "c": True, "d": {"ü": [1]}, "e": None, "f": ""}

    assert to_strings(fields) == {"a": "x", "b": "1", "c": "true", "d": '{"ü":[1]}', "f": ""}


def test_silence() -> None:
    """Without a sound, no sound is named."""
    silent = replace(push_to("t"), sound="")
    for platform in ("android", "ios"):
        target = Target(platform, is_shown=True, ttl=1)
        assert "sound" not in str(build_message({}, silent, target))
