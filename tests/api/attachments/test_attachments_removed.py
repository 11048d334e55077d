"""Removal of files: with their message, or because no message ever had them."""

import pytest
from tests.clock import ManualClock
from tests.files.leftovers import count_leftovers
from tests.files.uploads import TO_BEN, TYPE, File, fetch, form, picture, send_files, stored_files
from tests.world import Node, World

from hubbub.domain.apps.manage import delete_app
from hubbub.domain.attachments.remove import remove_leftovers
from hubbub.domain.attachments.upload import Upload
from hubbub.domain.erasure.erase import erase_all
from hubbub.domain.erasure.erase_apps import erase_archived_apps
from hubbub.files.hold import keeping_files
from hubbub.records.apps.model import ARCHIVED_SECONDS
from hubbub.records.attachments import store
from hubbub.records.attachments.model import KEPT_SECONDS, path_of

FILE = "0123456789abcdef" * 2


@pytest.fixture
async def talk(world: World) -> World:
    """Anna, Ben and Carla."""
    await world.users("anna", "ben", "carla")
    return world


def of_app(node: Node, world: World) -> set[str]:
    """Return everything stored of an app's files."""
    return {path for path in stored_files(node) if path.startswith(f"{world.app_id}/")}


async def send_picture(world: World) -> tuple[str, list[str]]:
    """Send a picture as Anna to Ben; return the message's id and the links of its files."""
    sent = await send_files(world, File("a.png", picture(2, 2)), type="image")
    file = sent["data"]["attachments"][0]
    return sent["id"], [file["url"], file["thumbnail"]["url"]]


async def is_gone(node: Node, links: list[str]) -> bool:
    """Return whether none of the links works."""
    return all([(await fetch(node.sender, link)).status == 404 for link in links])


async def test_files_of_a_permanently_deleted_message_are_removed(node: Node, talk: World) -> None:
    """After the permanent deletion no link to the files works, and they are removed."""
    id_, links = await send_picture(talk)
    assert len(of_app(node, talk)) == 2
    await talk.delete(f"/messages/{id_}", {"permanent": True}, as_="anna")

    assert await is_gone(node, links)
    await remove_leftovers(node.runtime)
    assert of_app(node, talk) == set()
    assert await count_leftovers(node, talk.app_id) == 0


async def test_a_message_that_is_deleted_keeps_its_files(node: Node, talk: World) -> None:
    """Users no longer see the files of a deleted message, and their links end; the app does."""
    id_, links = await send_picture(talk)
    await talk.delete(f"/messages/{id_}", {"permanent": False}, as_="anna")
    await remove_leftovers(node.runtime)

    assert "attachments" not in (await talk.get(f"/messages/{id_}", as_="ben"))["data"]
    assert await is_gone(node, links)
    kept = (await talk.get(f"/messages/{id_}"))["data"]["attachments"][0]
    for link in (kept["url"], kept["thumbnail"]["url"]):
        assert (await fetch(node.sender, link)).status == 200


async def test_files_of_a_deleted_user_are_removed(node: Node, talk: World) -> None:
    """With the messages of a deleted user, the files sent and received are removed."""
    _, links = await send_picture(talk)
    await talk.delete("/users/anna", {"permanent": True})

    assert await is_gone(node, links)
    await erase_all(node.runtime)
    await remove_leftovers(node.runtime)
    assert of_app(node, talk) == set()


async def test_files_of_a_deleted_group_are_removed(node: Node, talk: World) -> None:
    """With a group, the files of its messages are removed."""
    await talk.post("/groups", {"guid": "choir", "name": "Choir", "type": "public"}, as_="anna")
    fields = {"receiver": "choir", "receiverType": "group"}
    sent = await send_files(talk, File("a.txt", b"x"), **fields)
    await talk.delete("/groups/choir")

    assert await is_gone(node, [sent["data"]["attachments"][0]["url"]])
    await erase_all(node.runtime)
    await remove_leftovers(node.runtime)
    assert of_app(node, talk) == set()


async def test_a_file_of_two_messages_goes_with_the_last(node: Node, talk: World) -> None:
    """A file of several messages exists until the last of them is deleted."""
    fields = {"type": "file", "multipleReceivers": {"uids": ["ben", "carla"]}}
    body = form(fields, File("a.txt", b"Hello"))
    sent = await talk.post("/messages", body, as_="anna", headers=TYPE)
    to_ben, to_carla = (sent["users"][uid]["data"] for uid in ("ben", "carla"))

    await talk.delete(f"/messages/{to_ben['id']}", {"permanent": True}, as_="anna")
    await remove_leftovers(node.runtime)
    assert await is_gone(node, [to_ben["data"]["attachments"][0]["url"]])
    left = to_carla["data"]["attachments"][0]["url"]
    assert (await fetch(node.sender, left)).body == b"Hello"

    await talk.delete(f"/messages/{to_carla['id']}", {"permanent": True}, as_="anna")
    await remove_leftovers(node.runtime)
    assert of_app(node, talk) == set()


async def test_files_of_a_deleted_app_are_removed(node: Node, talk: World) -> None:
    """No link into a deleted app works, and after thirty days its files are erased with it."""
    gone = await node.world()
    await gone.users("anna", "ben")
    _, links = await send_picture(gone)
    _, kept = await send_picture(talk)
    await delete_app(node.runtime, gone.app_id)
    assert await is_gone(node, links)
    assert len(of_app(node, gone)) == 2

    node.clock.advance(ARCHIVED_SECONDS + 1)
    await erase_archived_apps(node.runtime)

    assert of_app(node, gone) == set()
    assert len(of_app(node, talk)) == len(kept)


# Files without a message


async def break_off(node: Node, world: World) -> None:
    """Leave what a crash leaves of an upload: a partial file, and its record."""
    path = node.runtime.settings.data / "files" / path_of(world.app_id, FILE)
    path.parent.mkdir(parents=True)
    path.write_bytes(b"half")
    due_at = node.clock.now() + KEPT_SECONDS
    await node.runtime.database.write(
        world.app_id, lambda tx: store.insert_leftover(tx, FILE, due_at=due_at)
    )


async def test_leftovers_of_a_crash_are_removed_after_an_hour(
    node: Node, clock: ManualClock, talk: World
) -> None:
    """A file without a message is removed an hour after its upload began, and not before."""
    await break_off(node, talk)
    clock.advance(KEPT_SECONDS - 1)
    await remove_leftovers(node.runtime)
    assert len(of_app(node, talk)) == 1

    clock.advance(1)
    await remove_leftovers(node.runtime)
    assert of_app(node, talk) == set()
    assert await count_leftovers(node, talk.app_id) == 0


async def test_a_file_that_was_removed_is_sent_with_no_message(
    node: Node, clock: ManualClock, talk: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If an upload's files were removed before its message was sent, it is not sent."""
    look_at = Upload._look_at

    async def look_slowly(self: Upload, *args: object) -> object:
        clock.advance(KEPT_SECONDS)
        await remove_leftovers(node.runtime)
        return await look_at(self, *args)  # type: ignore[arg-type]  # as they came

    monkeypatch.setattr(Upload, "_look_at", look_slowly)
    body = form({**TO_BEN, "type": "image"}, File("a.png", picture(2, 2)))
    answer = await talk.ask("POST", "/messages", body, as_="anna", headers=TYPE)

    assert answer.status in {400, 404}
    assert await talk.get("/messages") == []
    assert of_app(node, talk) == set()


async def test_a_backup_keeps_files_in_place(node: Node, talk: World, clock: ManualClock) -> None:
    """While a backup copies files none is removed, and afterwards all that are due are."""
    id_, _ = await send_picture(talk)
    other = await node.world()
    await other.users("anna", "ben")
    await send_picture(other)
    with keeping_files(node.runtime.settings.data):
        await talk.delete(f"/messages/{id_}", {"permanent": True}, as_="anna")
        await delete_app(node.runtime, other.app_id)
        clock.advance(ARCHIVED_SECONDS)
        await remove_leftovers(node.runtime)
        await erase_archived_apps(node.runtime)
        assert len(of_app(node, talk) | of_app(node, other)) == 4

    await remove_leftovers(node.runtime)
    await erase_archived_apps(node.runtime)
    assert of_app(node, talk) | of_app(node, other) == set()
