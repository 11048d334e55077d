"""Exported chats of WhatsApp: who wrote what and when, with files, in several languages."""

from datetime import tzinfo
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from tests.moving.readings import FIXTURES, Found, at, read, write

from hubbub.moving.sources.interface import Reading, SourceUnreadable
from hubbub.moving.sources.whatsapp import WhatsApp
from hubbub.moving.tree import open_tree

CHATS = FIXTURES / "whatsapp"
BERLIN = ZoneInfo("Europe/Berlin")


def chat(folder: Path, text: str, name: str = "_chat.txt") -> Found:
    """Read a chat of this text."""
    return read("whatsapp", write(folder, {name: text}))


def test_ios() -> None:
    """A chat of a group on an iPhone: lines, mentions, files, edits and deletions."""
    found = read("whatsapp", CHATS / "ios-de", BERLIN)

    rosa, theo, number = found.of("user", "uid")
    assert found.of("user", "name") == ["Rosa Lind", "Theo", "+49 170 12345678"]
    assert [uid.rpartition("-")[0] for uid in (rosa, theo, number)] == [
        "rosa_lind", "theo", "49_170_12345678",
    ]  # fmt: skip
    said = found.of("message", "sender", "sentAt")
    start = at("2023-03-05T09:14+01:00")
    assert said[:3] == [(rosa, start + 30), (theo, start + 60), (number, start + 120)]
    assert found.texts() == [
        "Guten Morgen\n\n- Tee\n- [05.03.23] ist heute",
        f"Hallo <@uid:{rosa}> und <@uid:{number}>",
        "Der Plan",
        None,
        "Um acht",
        "Standort: https://maps.google.com/?q=52.5,13.4",
        "fehlt.pdf",
        "ok",
        "ok",
    ]


def test_what_happened_to_messages_is_kept() -> None:
    """Files lie beside the chat; WhatsApp does not tell when something was edited or deleted."""
    found = read("whatsapp", CHATS / "ios-de", BERLIN)
    picture = "00000007-PHOTO-2023-03-05-09-16-00.jpg"

    messages = found.of("message")
    assert found.of("file") == [{"path": picture}]
    assert messages[2]["messageType"] == "image"
    assert messages[2]["data"]["attachments"] == [
        {
            "url": f"file:{picture}", "name": picture, "extension": "jpg",
            "mimeType": "image/jpeg", "size": 11,
        }
    ]  # fmt: skip
    assert messages[3]["deletedAt"] == messages[3]["sentAt"]
    assert messages[4]["editedAt"] == messages[4]["sentAt"]
    assert len({message["muid"] for message in messages}) == len(messages)


def test_what_is_left_out_is_counted_and_what_is_impossible_refused() -> None:
    """System lines, missing files and files that were left out are counted."""
    found = read("whatsapp", CHATS / "ios-de", BERLIN)

    assert found.dropped == {
        "system lines": 3,
        "files that the export leaves out": 1,
        "files that are named and are not in the export": 1,
    }
    assert [(each.number, each.error) for each in found.broken] == [
        (16, "The date does not exist.")
    ]


def test_android_with_a_clock_of_twelve_hours() -> None:
    """A month comes first where a later number is over twelve; a name ends at the first colon."""
    found = read("whatsapp", CHATS / "android-us")

    assert found.of("group", "guid", "name", "groupType", "createdAt") == [
        (found.of("member", "guid")[0], "Road trip", "private", at("2023-01-05T23:59"))
    ]
    assert found.of("member", "uid") == found.of("user", "uid")
    assert found.texts() == ["Who drives?", "Me: always", "The car", None, "see notes (draft)"]
    assert found.of("message", "sentAt")[:3] == [
        at("2023-01-05T23:59"), at("2023-01-13T00:01"), at("2023-01-13T12:05"),
    ]  # fmt: skip
    assert found.dropped == {
        "system lines": 2, "files that the export leaves out": 1, "empty messages": 1,
    }  # fmt: skip


def test_a_chat_of_two_is_one_to_one() -> None:
    """The file's name tells the other one; of two readings of the dates only one is in order."""
    found = read("whatsapp", CHATS / "android-direct")

    joao, maria = found.of("user", "uid")
    assert found.of("group") == []
    assert found.of("message", "sender", "receiverType", "receiver", "sentAt") == [
        (joao, "user", maria, at("2023-06-05T21:15")),
        (maria, "user", joao, at("2023-06-06T08:00")),
        (joao, "user", maria, at("2023-06-07T08:01")),
        (maria, "user", joao, at("2023-06-07T08:02")),
    ]
    assert found.texts()[2:] == ["doc.pdf", "caf\N{REPLACEMENT CHARACTER}"]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("[12/31/23, 11:59:05 PM] Anna: Hi", "2023-12-31T23:59:05"),
        ("12/31/23, 12:01 AM - Anna: Hi", "2023-12-31T00:01"),
        ("31/12/2023, 23:59 - Anna: Hi", "2023-12-31T23:59"),
        ("[31/12/2023, 23:59:05] Anna: Hi", "2023-12-31T23:59:05"),
        ("31.12.23, 23:59 - Anna: Hi", "2023-12-31T23:59"),
        ("[31.12.23, 23:59:05] Anna: Hi", "2023-12-31T23:59:05"),
        ("31/12/2023 à 23:59 - Anna: Hi", "2023-12-31T23:59"),
        ("[31/12/2023 23:59:05] Anna: Hi", "2023-12-31T23:59:05"),
        ("31/12/23, 11:59 p.\N{NO-BREAK SPACE}m. - Anna: Hi", "2023-12-31T23:59"),
        ("31/12/2023 23:59 - Anna: Hi", "2023-12-31T23:59"),
        ("31/12/23, 23:59 - Anna: Hi", "2023-12-31T23:59"),
        ("2023-12-31, 23:59 - Anna: Hi", "2023-12-31T23:59"),
        ("[2023/12/31, 23:59:05] Anna: Hi", "2023-12-31T23:59:05"),
    ],
)
def test_dates_of_many_languages(line: str, expected: str, tmp_path: Path) -> None:
    """The form of a date tells what it means."""
    found = chat(tmp_path, line)

    assert found.of("message", "sentAt") == [at(expected)]


@pytest.mark.parametrize(
    ("words", "kept"),
    [
        ("photo.jpg (file attached)", True),
        ("photo.jpg (Datei angehängt)", True),
        ("photo.jpg (fichier joint)", True),
        ("photo.jpg (archivo adjunto)", True),
        ("photo.jpg (arquivo anexado)", True),
        ("photo.jpg (file allegato)", True),
        ("photo.jpg (in another language)", True),
        ("\u200e<attached: photo.jpg>", True),
        ("\u200e<pièce jointe : photo.jpg>", True),
        ("\u200e<adjunto: photo.jpg>", True),
        ("\u200e<anexado: photo.jpg>", True),
        ("\u200e<allegato: photo.jpg>", True),
        ("<Médias omis>", False),
        ("<Multimedia omitido>", False),
        ("<Mídia oculta>", False),
        ("<Media omessi>", False),
        ("\u200eimage omitted", False),
        ("\u200eimagen omitida", False),
        ("\u200eimagem ocultada", False),
        ("\u200eimmagine omessa", False),
    ],
)
def test_files_in_many_languages(words: str, kept: bool, tmp_path: Path) -> None:
    """A file that lies there is attached, whatever the words; one that is left out is counted."""
    write(tmp_path, {"photo.jpg": b"\xff\xd8\xff"})
    found = chat(tmp_path, f"[31.12.23, 23:59:05] Anna: {words}")

    assert found.of("file", "path") == (["photo.jpg"] if kept else [])
    assert found.dropped["files that the export leaves out"] == (not kept)


def test_dates_that_can_mean_two_things_are_refused(tmp_path: Path) -> None:
    """Where nothing tells day and month apart the chat is refused, with what to do."""
    write(tmp_path, {"_chat.txt": "1/2/23, 10:00 - Anna: Hi\n1/3/23, 10:00 - Ben: Hi"})

    with pytest.raises(SourceUnreadable, match=r"day/month or month/day\. Rewrite its dates as"):
        list(WhatsApp().read(open_tree(tmp_path), Reading()))


def test_dates_that_contradict_each_other_are_refused(tmp_path: Path) -> None:
    """A chat with both orders is refused."""
    write(tmp_path, {"_chat.txt": "13/2/23, 10:00 - Anna: Hi\n2/13/23, 10:00 - Ben: Hi"})

    with pytest.raises(SourceUnreadable, match="tells whether"):
        list(WhatsApp().read(open_tree(tmp_path), Reading()))


def test_a_later_day_decides(tmp_path: Path) -> None:
    """The order is that of the whole file, also for dates before the one that tells it."""
    text = "1/2/23, 10:00 - Anna: Hi\n1/3/23, 10:00 - Ben: Hi\n14/3/23, 10:00 - Ben: Hi"

    assert chat(tmp_path, text).of("message", "sentAt")[:2] == [
        at("2023-02-01T10:00"), at("2023-03-01T10:00"),
    ]  # fmt: skip


def test_words_of_a_language_decide(tmp_path: Path) -> None:
    """Words of German, French, Spanish, Portuguese or Italian mean that days come first."""
    text = "1/2/23, 10:00 - Anna: <Médias omis>\n1/3/23, 10:00 - Ben: Oui"

    assert chat(tmp_path, text).of("message", "sentAt") == [at("2023-03-01T10:00")]


def test_a_longer_export_has_the_same_muids(tmp_path: Path) -> None:
    """Messages keep their muids when the chat is exported again later."""
    text = "[31.12.23, 23:59:05] Anna: Hi\n[31.12.23, 23:59:05] Anna: Hi\n"
    before = chat(tmp_path, text).of("message", "muid")
    after = chat(tmp_path, f"{text}[01.01.24, 00:00:05] Anna: New\n").of("message", "muid")

    assert after[:2] == before
    assert len(set(after)) == 3


def test_several_chats_share_their_people(tmp_path: Path) -> None:
    """Somebody in two chats is one user; each chat has its own files."""
    files: dict[str, str | bytes] = {
        "WhatsApp Chat - Ben/_chat.txt": "[31.12.23, 23:59:05] Anna: Hi Ben",
        "WhatsApp Chat - Carla/_chat.txt": "[31.12.23, 23:59:06] Anna: \u200e<attached: a.pdf>",
        "WhatsApp Chat - Carla/a.pdf": b"%PDF-",
    }
    found = read("whatsapp", write(tmp_path, files))

    assert found.of("user", "uid") == sorted(found.of("user", "uid"))
    assert found.of("user", "name") == ["Anna", "Ben", "Carla"]
    anna, ben, carla = found.of("user", "uid")
    assert found.of("message", "sender", "receiver") == [(anna, ben), (anna, carla)]
    assert found.of("file", "path") == ["WhatsApp Chat - Carla/a.pdf"]


def test_a_text_of_something_else_is_refused(tmp_path: Path) -> None:
    """Notes are no chat."""
    write(tmp_path, {"_chat.txt": "Dear diary"})

    with pytest.raises(SourceUnreadable, match="no chat of WhatsApp"):
        list(WhatsApp().read(open_tree(tmp_path), Reading()))


def test_local_times_are_of_the_zone_that_is_given(tmp_path: Path) -> None:
    """Without a zone the times are in UTC."""
    zone: tzinfo = ZoneInfo("America/New_York")
    write(tmp_path, {"_chat.txt": "[12/31/23, 11:59:05 PM] Anna: Hi"})

    sent = at("2023-12-31T23:59:05")
    assert read("whatsapp", tmp_path).of("message", "sentAt") == [sent]
    assert read("whatsapp", tmp_path, zone).of("message", "sentAt") == [sent + 5 * 3600]


@pytest.mark.parametrize(
    ("dates", "first"),
    [
        (("1/5/23", "2/5/23", "1/6/23"), "2023-05-01T10:00"),
        (("5/1/23", "5/2/23", "6/1/23"), "2023-05-01T10:00"),
    ],
)
def test_the_order_in_which_time_goes_forward_decides(
    dates: tuple[str, ...], first: str, tmp_path: Path
) -> None:
    """Chats are in order of time: of two readings the one that never goes back is right."""
    text = "\n".join(f"{day}, 10:00 - Anna: Hi {day}" for day in dates)

    assert chat(tmp_path, text).of("message", "sentAt")[0] == at(first)
