"""Each fixture of a source, imported to the end and read by REST."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
import pytest
from tests.moving.mover import Mover
from tests.moving.test_all_sources import FOUND
from tests.world import Json, World

NOT_AN_OBJECT = "It is no JSON object."
NOT_A_NUMBER = "The sentAt must be a whole number"
CUT = "parse error: premature EOF"
SLACK_GREETING = (
    "Hello <@uid:u02> and <@all>! **Bold**, _slanted_, ~~gone~~ <b> & 3*4*5 👋 :party_parrot:"
)
Said = tuple[str, str | None, str | None, list[str]]
"""Of a message: sender, text, the muid of its parent, and its reactions with their counts."""


@dataclass(frozen=True, slots=True)
class Expected:
    """What becomes of a fixture."""

    messages: int
    """Those that are imported."""
    conversation: str
    """The path by which a conversation is read."""
    said: Mapping[str, Said]
    """Messages of it, by their muids."""
    refused: Mapping[tuple[str, int], str] = field(default_factory=dict)
    """Why rows are refused, by file and number: all of them were made to be."""
    reader: str | None = None


EXPECTED = {
    "discord": Expected(
        messages=18,
        conversation="/groups/500",
        said={
            "1001": (
                "101",
                "Hello <@uid:102>, <@uid:102> and <@all>! **Bold** a@theo",
                None,
                ["party_parrot 1", "👋 2"],
            ),
            "1101": ("104", "Where to?", "1001", []),
        },
        refused={
            ("talk.json", 12): "The message has no id or no author.",
            ("talk.json", 13): "The message has no id or no author.",
            ("talk.json", 14): NOT_AN_OBJECT,
            ("talk.json", 15): NOT_A_NUMBER,
            ("cut [part 1].json", 2): CUT,
        },
    ),
    "irc": Expected(
        messages=16,
        conversation="/groups/garden",
        said={
            "irc-#garden-3": ("rosa-4", "Good evening", None, []),
            "irc-irc.libera.#garden-2": ("rosa-4", "Hello\twith a tab", None, []),
        },
        refused={("weechat/irc.libera.#garden.weechatlog", 6): "The day of the line is not known"},
    ),
    "matrix": Expected(
        messages=12,
        conversation="/groups/garden_example_org-eb0d4bc5",
        said={
            "$1": (
                "rosa_example_org-7cf209d6",
                "Hello <@uid:theo_example_org-c76c7377> and <@all>",
                None,
                ["👍 1"],
            ),
            "$5": ("rosa_example_org-7cf209d6", "Deeper", "$1", []),
        },
        refused={
            ("export.json", 30): "The message has no event_id or no sender.",
            ("export.json", 31): NOT_AN_OBJECT,
        },
    ),
    "mattermost": Expected(
        messages=12,
        conversation="/groups/alps_town-square",
        said={
            "1710000300000-8c9a1a601d03": (
                "theo",
                "I am here",
                "1710000200123-483f80e50330",
                ["👀 1"],
            ),
            "1710000301000-b3f50ccd8c3d": ("ines", "Me too", "1710000200123-483f80e50330", []),
        },
        refused={
            ("import.jsonl", 6): "The channel has no name.",
            ("import.jsonl", 11): "The user has no username.",
            ("import.jsonl", 18): "The post has no user.",
            ("import.jsonl", 19): NOT_A_NUMBER,
            ("import.jsonl", 20): "The post has no channel.",
            ("import.jsonl", 21): "The line is no JSON",
            ("import.jsonl", 24): "The direct channel has no members.",
            ("import.jsonl", 28): "playbook is no line of Mattermost.",
        },
    ),
    "rocketchat": Expected(
        messages=13,
        conversation="/groups/general",
        said={"2024-03-09T16:03:21.000Z-62542205dc44": ("ines", "Yes", None, [])},
        refused={
            ("general.json", 8): "The message has no username.",
            ("general.json", 10): NOT_A_NUMBER,
            ("general.json", 11): "The line is no JSON object.",
            ("general.json", 12): "The line is no JSON",
        },
    ),
    "rocketchat-html": Expected(
        messages=5,
        conversation="/groups/general-b15f5847",
        said={
            "2024-03-09T16:03:20+00:00-e0d65fc6b34a": ("theo", "Hello <all>\nsecond line", None, [])
        },
        refused={
            ("GENERAL.html", 4): NOT_A_NUMBER,
            ("GENERAL.html", 5): "The page ends within a message.",
        },
    ),
    "sendbird": Expected(
        messages=8,
        conversation="/groups/sendbird_group_channel_1",
        said={
            "11": (
                "rosa",
                "Hello <@uid:theo_b-742af146> and @{nobody}",
                None,
                ["love 1", "👍 2"],
            ),
            "13": ("ines", "Deeper", "11", []),
        },
        refused={
            ("messages-1.json", 9): "The message has no id, no channel, or no sender.",
            ("messages-1.json", 10): NOT_AN_OBJECT,
            ("messages-1.json", 12): CUT,
        },
    ),
    "slack": Expected(
        messages=20,
        conversation="/groups/c01",
        said={
            "C01-1710000200.000100": (
                "u01",
                SLACK_GREETING,
                None,
                ["party_parrot 1", "👋 2", "👍🏼 1"],
            ),
            "C01-1710000301.000100": (
                "u09",
                "`*code*` and ```\nif a < b: example.com\n```",
                "C01-1710000200.000100",
                [],
            ),
            "C01-1710000401.000100": ("u01", "Why was it deleted?", "C01-1710000400.000100", []),
        },
        refused={
            ("users.json", 4): "The user has no id.",
            ("users.json", 5): NOT_AN_OBJECT,
            ("dms.json", 3): "The direct messages need an id and two members.",
            ("general/2024-03-09.json", 9): "The message has no author.",
            ("general/2024-03-09.json", 10): "The message has no time (ts).",
            ("general/2024-03-09.json", 11): "The sentAt must be at most",
            ("general/2024-03-09.json", 12): NOT_AN_OBJECT,
            ("general/2024-03-11.json", 2): CUT,
        },
    ),
    "stream": Expected(
        messages=8,
        conversation="/groups/messaging-general",
        said={
            "m1": ("rosa", "Hello <@uid:theo_b-742af146>", None, ["love 1", "👍 1"]),
            "m3": ("rosa", "Deeper", "m1", []),
        },
        refused={
            ("channels.json", 12): "The message has no id, no user, or no channel.",
            ("channels.json", 13): NOT_AN_OBJECT,
            ("channels.json", 14): NOT_A_NUMBER,
            ("users.jsonl", 6): "The line is no JSON",
        },
    ),
    "telegram": Expected(
        messages=19,
        conversation="/groups/channel600",
        said={
            "supergroup-600-3": ("user103", "I have left", None, []),
            "supergroup-600-9": ("user102", "📊 When?\n- Sunday: 2\n- Monday: 0", None, []),
        },
        refused={
            ("result.json", 18): "The message has no id or no author (from_id).",
            ("result.json", 19): "The message has no id or no author (from_id).",
            ("result.json", 20): NOT_AN_OBJECT,
        },
    ),
    "telegram-one": Expected(
        messages=2,
        conversation="/users/user102",
        reader="user101",
        said={
            "chat-102-1": ("user102", "Lunch?", None, []),
            "chat-102-2": ("user101", "Yes", None, []),
        },
        refused={("result.json", 3): CUT},
    ),
    "v3": Expected(
        messages=6,
        conversation="/groups/hikers",
        said={
            "old-1": ("edda", "Who comes along?", None, []),
            "old-2": ("ben", "I do.", "old-1", []),
            "old-3": ("edda", None, None, ["❤️ 1", "👍 1"]),
        },
        refused={
            ("bodies/1-people.json", 3): "differs from the key 'fritz'",
            ("bodies/1-people.json", 4): "The row is no object.",
            ("bodies/1-people.json", 8): "differs from 'hikers_member_ben'",
            ("bodies/2-messages.json", 3): "The uid field is required.",
            ("bodies/2-messages.json", 6): "The message refers to the id of a stored message",
            ("bodies/2-messages.json", 7): NOT_A_NUMBER,
            ("bodies/3-broken.json", 2): CUT,
        },
    ),
    "whatsapp": Expected(
        messages=18,
        conversation="/groups/road_trip-fe5179f2",
        said={
            "whatsapp-684cf1082c09da49": ("anna-bf4fccd6", "Who drives?", None, []),
            "whatsapp-b70a226b9fe4b2c7": ("ben-030d7562", "Me: always", None, []),
        },
        refused={("ios-de/_chat.txt", 16): "The date does not exist."},
    ),
    "zulip": Expected(
        messages=7,
        conversation="/groups/zulip-5",
        said={
            "zulip-101": (
                "zulip-7",
                "Hello <@uid:zulip-8> and <@uid:zulip-9>, @Nobody <@all> 👋 see general > plans",
                None,
                ["party_parrot 1", "🇩🇪 1", "👍 1"],
            ),
            "zulip-201": ("zulip-3", "From the bot", None, []),
        },
        refused={
            ("export/realm.json", 3): "The channel has no id.",
            ("export/realm.json", 4): NOT_AN_OBJECT,
            ("export/messages-000001.json", 7): "The message has no id, no sender, or a recipient",
            ("export/messages-000001.json", 8): NOT_A_NUMBER,
            ("export/messages-000001.json", 9): NOT_AN_OBJECT,
            ("export/messages-000002.json", 2): CUT,
        },
    ),
}


def test_each_fixture_is_expected() -> None:
    """Each fixture has an expectation here."""
    assert EXPECTED.keys() == {path.name for _, path in FOUND}


@pytest.mark.parametrize(("name", "path"), FOUND, ids=[path.name for _, path in FOUND])
async def test_a_source_is_imported(mover: Mover, world: World, name: str, path: Path) -> None:
    """All rows but those with a fault are stored, equal to the source, and shown to readers."""
    expected = EXPECTED[path.name]

    report = await mover.move(path, name)

    refused = {(row.source, row.line): row.error for row in mover.refused}
    assert refused.keys() == expected.refused.keys()
    for place, reason in expected.refused.items():
        assert reason in refused[place]
    assert report.kinds["message"].imported == expected.messages
    for kind in report.kinds.values():
        assert kind.read == kind.imported + kind.skipped + kind.refused
    assert report.checksum.source == report.checksum.store
    assert report.comparison.different == len(refused)
    verified = await mover.verify(path)
    assert verified.checksum == report.checksum
    assert msgspec.to_builtins(verified.comparison.kinds) == msgspec.to_builtins(
        report.comparison.kinds
    )
    found = await read(world, expected)
    assert {muid: found[muid] for muid in expected.said} == expected.said


async def read(world: World, expected: Expected) -> dict[str, Said]:
    """Return the messages of a conversation by their muids."""
    path = f"{expected.conversation}/messages?hideReplies=0&limit=100"
    rows = await world.get(path, as_=expected.reader)
    muids = {row["id"]: row["muid"] for row in rows}
    return {row["muid"]: said_in(row, muids) for row in rows}


def said_in(row: Json, muids: Mapping[str, str]) -> Said:
    """Return what a message says."""
    reactions = [f"{each['reaction']} {each['count']}" for each in row["data"].get("reactions", ())]
    parent = muids[row["parentId"]] if "parentId" in row else None
    return row["sender"], row["data"].get("text"), parent, sorted(reactions)
