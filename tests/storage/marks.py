"""A user who leaves every kind of content, marked."""

from tests.api.interactions.forms import form, send, submit
from tests.api.presence.sessions import change
from tests.api.webhooks.deliveries.test_delivering import attach
from tests.files.uploads import File, send_files
from tests.storage.traces import TRIGRAM, WORD
from tests.world import Json, Node, World

from hubbub.domain.deliveries.occurrences import EVENTS
from hubbub.domain.presence.connect import NewSession
from hubbub.outbox.registry import NAMES
from hubbub.records.webhooks.triggers import USER_MENTIONED

CLOSED = "http://127.0.0.1:9/closed"
"""Nothing answers there."""
TO_BEN = {"receiver": "ben", "receiverType": "user"}
TO_HIKERS = {"receiver": "hikers", "receiverType": "group"}
PROFILE = {
    "name": f"{WORD} {TRIGRAM}",
    "metadata": {"note": WORD},
    "tags": [WORD],
    "statusMessage": WORD,
    "link": f"https://x.y/{WORD}",
    "avatar": f"https://x.y/{WORD}.png",
}
MARKED_GROUP = {
    "name": f"{WORD} {TRIGRAM}",
    "type": "public",
    "description": WORD,
    "icon": f"https://x.y/{WORD}.png",
    "metadata": {"note": WORD},
    "tags": [WORD],
}


async def open_town(node: Node) -> World:
    """Return an app with Ben and a group, whose providers and webhook don't answer."""
    world = await node.world()
    await world.users("ben", "cora")
    await world.post("/groups", {"guid": "hikers", "name": "Hikers", "type": "public"}, as_="ben")
    await world.patch("/notifications/v1/contact-details", {"email": "ben@x.y"}, as_="ben")
    channel = {"isEnabled": True, "webhookURL": CLOSED, "useBasicAuth": False}
    channel |= {"basicAuthUsername": "", "basicAuthPassword": ""}
    await world.post("/notifications/push/v1/providers/custom", channel)
    mail = {**channel, "useStoredEmailID": True}
    await world.post("/notifications/email/v1/providers/custom", mail)
    await world.post("/notifications/sms/v1/providers/custom", {**channel, "useStoredPhNo": True})
    triggers = [NAMES[kind] for kind in EVENTS if kind.__name__ != "WebhookTested"]
    await attach(world, CLOSED, USER_MENTIONED, *triggers, retryOnFailure=True)
    return world


async def leave_marks(node: Node, world: World) -> None:
    """Have Anna leave every kind of content, marked."""
    await world.user("anna", **PROFILE)
    await world.post("/groups/hikers/members", {"participants": ["anna"]})
    await leave_devices(node, world)
    await leave_messages(world, TO_BEN)
    await leave_messages(world, TO_HIKERS)
    await send_files(world, File(f"{WORD}.txt", WORD.encode()), caption=WORD)
    await leave_answers(world)
    await leave_name_with_others(world)
    await leave_reactions(world)
    await leave_group(world)
    for conversation in ("/users/ben", "/groups/hikers"):
        await world.put(f"{conversation}/conversation", {"tags": [WORD]}, as_="anna")
    await world.get(f"/messages?searchKey={WORD}", as_="ben")


async def leave_devices(node: Node, world: World) -> None:
    """Have Anna log in, register a device, connect with it, and store where she is reached."""
    token = await world.token("anna")
    device = {"platform": WORD, "userAgent": WORD, "appInfo": {"note": WORD}}
    await world.put(f"/users/anna/auth_tokens/{token}", device)
    push = {"platform": "fcm_android", "fcmToken": WORD, "authToken": token}
    await world.post("/notifications/push/v1/tokens", push)
    details = {"email": f"{WORD}@example.com", "phno": "+14155550123"}
    await world.patch("/notifications/v1/contact-details", details, as_="anna")
    await change(node.runtime, world.app_id, NewSession("1", "anna", WORD, WORD))


async def leave_messages(world: World, to: Json) -> None:
    """Have Anna write, edit, and repeat a send."""
    for number in range(20):
        text = f"{WORD} {number} {TRIGRAM} " + "and more of it " * 40
        data = {"text": text, "metadata": {"note": WORD}}
        key = {"Idempotency-Key": f"{to['receiver']} {WORD} {number}"}
        body = {**to, "tags": [WORD], "data": data}
        sent = await world.post("/messages", body, as_="anna", headers=key)
    await world.put(f"/messages/{sent['id']}", {"data": {"text": f"{WORD} new"}}, as_="anna")


async def leave_answers(world: World) -> None:
    """Have Anna fill in a form of Ben's."""
    answer = {"name": WORD, "color": "red", "colors": ["red"], "day": "31.01.2026", "note": WORD}
    path = await send(world, form(), sender="ben", to="hikers", kind="group")
    await submit(world, path, answer, uid="anna")


async def leave_name_with_others(world: World) -> None:
    """Have others mention Anna, quote and read her, write to her, and be moved by her."""
    text = {"data": {"text": "Hello <@uid:anna>"}}
    await world.post("/messages", {**TO_HIKERS, **text}, as_="ben")
    to_anna = {"receiver": "anna", "receiverType": "user", "data": {"text": "Hello"}}
    await world.post("/messages", to_anna, as_="ben")
    await world.post("/users/ben/conversation/read", as_="anna")
    own = await world.post("/messages", {**TO_HIKERS, "data": {"text": WORD}}, as_="anna")
    quote = {"data": {"text": "Indeed"}, "quotedMessageId": own["id"]}
    await world.post("/messages", {**TO_HIKERS, **quote}, as_="ben")
    await world.put("/groups/hikers/members/anna", {"scope": "admin"})
    await world.post("/groups/hikers/members", {"participants": ["cora"]}, as_="anna")
    await world.delete("/groups/hikers/members/cora", as_="anna")
    await world.post("/users/ben/blockedusers", {"blockedUids": ["anna"]})
    await world.delete("/users/ben/blockedusers", {"blockedUids": ["anna"]})


async def leave_reactions(world: World) -> None:
    """Have Anna react to what Ben says, and take a reaction back."""
    said = await world.post("/messages", {**TO_HIKERS, "data": {"text": "Well?"}}, as_="ben")
    path = f"/messages/{said['id']}/reactions"
    await world.post(f"{path}/{WORD}", as_="anna")
    await world.post(f"{path}/{WORD}2", as_="anna")
    await world.delete(f"{path}/{WORD}2", as_="anna")


async def leave_group(world: World) -> None:
    """Have Anna make a group, change it, and delete it."""
    await world.post("/groups", {"guid": "gone", **MARKED_GROUP}, as_="anna")
    await world.put("/groups/gone", {"description": f"{WORD} again"}, as_="anna")
    await leave_messages(world, {"receiver": "gone", "receiverType": "group"})
    await world.delete("/groups/gone", as_="anna")
