"""Push providers: the gateways for an app's notifications."""

import asyncio
from typing import Any

import pytest
from tests.api.notifications.push_samples import (
    APNS,
    EACH,
    FCM,
    account,
    apple,
    complete,
    default_of,
    listed,
)
from tests.engines import one_engine
from tests.world import CallOptions, Node, World


async def test_an_fcm_provider_is_added(world: World) -> None:
    """The answer is only success; the list has the given fields, without secrets."""
    platforms = {"ios": {"chat": True, "call": False}, "android": {}, "web": {"call": True}}
    given = {
        "providerId": "google",
        "serviceAccountFilename": "chat-1234.json",
        "notificationInPayload": platforms,
    }
    await world.post(FCM, {**given, "serviceAccountCreds": account()})

    assert world.answer.json == {"data": {"success": True}, "meta": {}}
    shown = account(private_key="•••", private_key_id="•••")
    told = {"isDefault": True, "isComplete": True}
    (found,) = (await world.get(FCM))["pushProviders"]
    assert found.pop("createdAt") >= 1_800_000_000
    assert found == {**given, "serviceAccountCreds": shown, **told}


async def test_an_apns_provider_is_added(world: World) -> None:
    """The answer is the list of the app's APNs providers, without secrets."""
    given = apple(
        providerId="apple",
        p8KeyFilename="AuthKey_ABC123DEFG.p8",
        includeContentAvailable=True,
        includeMutableContent=False,
        productionMode=True,
    )
    answered = await world.post(APNS, given)

    assert answered == await world.get(APNS)
    (found,) = answered["pushProviders"]
    assert found.pop("createdAt") >= 1_800_000_000
    assert found == {**given, "p8Key": "•••", "isDefault": True, "isComplete": True}


@EACH
async def test_there_is_none_at_first(world: World, path: str) -> None:
    """A new app has no push providers."""
    assert await world.get(path) == {"pushProviders": []}


@pytest.mark.parametrize("body", [None, {}, {"providerId": None, "serviceAccountCreds": None}])
async def test_an_id_is_made_for_fcm(world: World, body: Any) -> None:
    """A provider without an id gets a generated one, which is answered."""
    made = await world.post(FCM, body)

    assert made.pop("success")
    found = await listed(world, FCM)
    assert list(found) == [made["providerId"]]
    assert found[made["providerId"]]["isComplete"] is False


async def test_an_id_is_made_for_apns(world: World) -> None:
    """Generated ids differ, and are in the answer."""
    await world.post(APNS)
    both = (await world.post(APNS))["pushProviders"]

    assert len({provider["providerId"] for provider in both}) == 2


async def test_the_file_of_a_service_account_is_taken_as_it_is(world: World) -> None:
    """Google's file may be sent as a whole: unknown fields are ignored."""
    file = account(type="service_account", client_id="1", universe_domain="googleapis.com")
    await world.post(FCM, {"providerId": "google", "serviceAccountCreds": file})

    google = (await listed(world, FCM))["google"]
    assert google["isComplete"]
    assert set(google["serviceAccountCreds"]) == set(account())


@EACH
@pytest.mark.parametrize("id_", ["a", "x" * 100, "Push 1", "käse-🧀", "default", "a%2Fb", "a?b#c"])
async def test_a_valid_id(world: World, path: str, id_: str) -> None:
    """An id is any text that can be part of a path; the provider is found under it unchanged."""
    await world.post(path, {"providerId": id_})
    assert list(await listed(world, path)) == [id_]

    in_path = id_.replace("%", "%25").replace("?", "%3F").replace("#", "%23")
    await world.put(f"{path}/default/{in_path}")
    assert await default_of(world, path) == [id_]
    await world.delete(f"{path}/{in_path}")
    assert await listed(world, path) == {}


@EACH
@pytest.mark.parametrize("method", ["POST", "PUT"])
@pytest.mark.parametrize(
    "id_",
    ["", "x" * 101, "a/b", "/", "a\nb", "push\n", "a\u0000", "\u007f", "\ufffd", ".", "..", 5, []],
)
@one_engine
async def test_an_invalid_id(world: World, path: str, method: str, id_: Any) -> None:
    """An id that cannot be part of a path is refused, and nothing is stored."""
    body = {"providerId": id_}
    details = await world.refused(method, path, body, status=400, code="ERR_BAD_REQUEST")

    assert list(details) == ["providerId"]
    assert await listed(world, path) == {}


@EACH
async def test_an_id_is_taken_once(world: World, path: str) -> None:
    """A second provider with the same id is refused, and the first is unchanged."""
    body = {"providerId": "push", **complete(path)}
    await world.post(path, {"providerId": "push"})
    before = await listed(world, path)

    await world.refused("POST", path, body, status=409, code="ERR_PROVIDER_ALREADY_EXISTS")
    assert await listed(world, path) == before


async def test_the_kinds_are_apart(world: World) -> None:
    """An FCM and an APNs provider may have the same id; each is the default of its kind."""
    await world.post(FCM, {"providerId": "push", **complete(FCM)})
    await world.post(APNS, {"providerId": "push", **complete(APNS)})

    assert await default_of(world, FCM) == await default_of(world, APNS) == ["push"]
    await world.delete(f"{FCM}/push")
    assert list(await listed(world, APNS)) == ["push"]


@EACH
@pytest.mark.parametrize("method", ["PUT", "DELETE", "DEFAULT"])
async def test_an_unknown_provider_is_not_found(world: World, path: str, method: str) -> None:
    """A missing provider cannot be changed, deleted or made the default."""
    await world.post(FCM if path == APNS else APNS, {"providerId": "push"})
    way, target, body = {
        "PUT": ("PUT", path, {"providerId": "push"}),
        "DELETE": ("DELETE", f"{path}/push", None),
        "DEFAULT": ("PUT", f"{path}/default/push", None),
    }[method]

    await world.refused(way, target, body, status=404, code="ERR_PROVIDER_NOT_FOUND")


@EACH
@pytest.mark.parametrize("body", [None, {}, {"providerId": None}])
async def test_a_change_names_its_provider(world: World, path: str, body: Any) -> None:
    """A change without the id of a provider is refused."""
    details = await world.refused("PUT", path, body, status=400, code="ERR_BAD_REQUEST")

    assert list(details) == ["providerId"]


async def test_what_is_not_given_stays_at_fcm(world: World, node: Node) -> None:
    """A change is merged field by field, in the credentials and the platforms, too."""
    given = {"ios": {"chat": True, "call": True}, "web": {"chat": False}}
    first = {"serviceAccountFilename": "a.json", "notificationInPayload": given}
    await world.post(FCM, {"providerId": "google", "serviceAccountCreds": account(), **first})
    node.clock.advance(60)
    change = {
        "serviceAccountCreds": {"project_id": "chat-5678", "private_key": None},
        "notificationInPayload": {"ios": {"call": False}, "android": {"chat": True}, "web": None},
    }
    assert await world.put(FCM, {"providerId": "google", **change}) == {"success": True}

    google = (await listed(world, FCM))["google"]
    ios = {"chat": True, "call": False}
    platforms = {"ios": ios, "android": {"chat": True}, "web": {"chat": False}}
    masked = {"private_key": "•••", "private_key_id": "•••"}
    assert google["serviceAccountFilename"] == "a.json"
    assert google["notificationInPayload"] == platforms
    assert google["serviceAccountCreds"] == account(project_id="chat-5678", **masked)
    assert google["updatedAt"] == google["createdAt"] + 60


async def test_what_is_not_given_stays_at_apns(world: World) -> None:
    """A change of one field keeps the others."""
    await world.post(APNS, apple(providerId="apple", productionMode=True))
    before = (await listed(world, APNS))["apple"]
    body = {"providerId": "apple", "bundleId": "com.example.other", "productionMode": False}
    assert await world.put(APNS, body) == {"success": True}

    after = (await listed(world, APNS))["apple"]
    assert after.pop("updatedAt") >= before["createdAt"]
    assert after == {**before, **body}


async def test_the_first_complete_provider_is_the_default(world: World) -> None:
    """The first complete provider becomes the default; incomplete or later ones do not."""
    await world.post(FCM, {"providerId": "nothing"})
    for field in account():
        lacking = {name: text for name, text in account().items() if name != field}
        await world.post(FCM, {"providerId": field, "serviceAccountCreds": lacking})
    assert await default_of(world, FCM) == []

    await world.post(FCM, {"providerId": "whole", **complete(FCM)})
    await world.post(FCM, {"providerId": "later", **complete(FCM)})
    found = await listed(world, FCM)
    assert list(found) == ["nothing", *account(), "whole", "later"]
    assert [id_ for id_ in found if found[id_]["isComplete"]] == ["whole", "later"]
    assert await default_of(world, FCM) == ["whole"]


@pytest.mark.parametrize("field", ["keyId", "teamId", "bundleId", "p8Key"])
async def test_required_fields_of_an_apns_provider(world: World, field: str) -> None:
    """Without any of these four fields it is incomplete; with all, it becomes the default."""
    lacking = {name: text for name, text in apple().items() if name != field}
    await world.post(APNS, {"providerId": "apple", **lacking})
    found = (await listed(world, APNS))["apple"]
    assert (found["isComplete"], found["isDefault"]) == (False, False)

    await world.put(APNS, {"providerId": "apple", field: apple()[field]})
    found = (await listed(world, APNS))["apple"]
    assert (found["isComplete"], found["isDefault"]) == (True, True)


async def test_credentials_may_come_one_by_one(world: World) -> None:
    """A provider whose credentials are completed by changes becomes the default."""
    await world.post(FCM, {"providerId": "google"})
    for field, text in account().items():
        assert await default_of(world, FCM) == []
        await world.put(FCM, {"providerId": "google", "serviceAccountCreds": {field: text}})

    assert await default_of(world, FCM) == ["google"]


@EACH
async def test_another_default_is_chosen(world: World, path: str) -> None:
    """There is one default; another one can be chosen, even an incomplete one."""
    for id_ in ("first", "second"):
        await world.post(path, {"providerId": id_, **complete(path)})
    await world.post(path, {"providerId": "bare"})

    for id_ in ("second", "bare", "bare", "first"):
        assert await world.put(f"{path}/default/{id_}") == {"success": True}
        assert await default_of(world, path) == [id_]


@EACH
async def test_a_chosen_default_stays(world: World, path: str) -> None:
    """Adding a complete provider does not replace a chosen default."""
    await world.post(path, {"providerId": "bare"})
    await world.put(f"{path}/default/bare")
    await world.post(path, {"providerId": "whole", **complete(path)})

    assert await default_of(world, path) == ["bare"]


@EACH
async def test_the_default_after_a_deletion(world: World, path: str) -> None:
    """After the default is deleted the oldest complete one follows; others change nothing."""
    await world.post(path, {"providerId": "bare"})
    for id_ in ("zoe", "yan", "xavier", "anna"):
        await world.post(path, {"providerId": id_, **complete(path)})

    for leaving, heir in [("yan", "zoe"), ("zoe", "xavier"), ("xavier", "anna"), ("anna", None)]:
        assert await world.delete(f"{path}/{leaving}") == {"success": True}
        assert await default_of(world, path) == ([heir] if heir else [])
    assert list(await listed(world, path)) == ["bare"]


@EACH
async def test_a_deleted_providers_id_is_free(world: World, path: str) -> None:
    """A provider with the id of a deleted one inherits nothing from it."""
    await world.post(path, {"providerId": "push", **complete(path)})
    await world.delete(f"{path}/push")
    await world.post(path, {"providerId": "push"})

    push = (await listed(world, path))["push"]
    assert set(push) == {"providerId", "isDefault", "isComplete", "createdAt"}


async def test_an_app_has_so_many_providers(world: World) -> None:
    """An app has at most 100 providers of both kinds together; a deleted one makes room."""
    for number in range(50):
        await world.post(FCM, {"providerId": f"fcm-{number}"})
        await world.post(APNS, {"providerId": f"apns-{number}"})
    for path in (FCM, APNS):
        details = await world.refused("POST", path, status=400, code="ERR_LIMIT_EXCEEDED")
        assert details == {"pushProviders": ["The limit is 100."]}

    await world.delete(f"{FCM}/fcm-7")
    await world.post(APNS, {"providerId": "one-more"})


@EACH
async def test_one_of_many_at_once_is_the_default(world: World, path: str) -> None:
    """Of several complete providers added at the same time exactly one is the default."""
    bodies = [{"providerId": f"push-{number}", **complete(path)} for number in range(8)]
    await asyncio.gather(*(world.post(path, body) for body in bodies))

    assert len(await listed(world, path)) == 8
    assert len(await default_of(world, path)) == 1


@EACH
async def test_an_id_is_taken_once_by_many_at_once(world: World, path: str) -> None:
    """Of several providers with the same id added at the same time one is added."""
    answers = await asyncio.gather(
        *(world.ask("POST", path, {"providerId": "push"}) for _ in range(8))
    )

    assert sorted(answer.status for answer in answers) == [200] + [409] * 7
    assert list(await listed(world, path)) == ["push"]


async def test_changes_at_the_same_time_are_all_kept(world: World) -> None:
    """Concurrent changes of different fields do not undo each other."""
    await world.post(APNS, {"providerId": "apple"})
    await asyncio.gather(
        *(world.put(APNS, {"providerId": "apple", field: text}) for field, text in apple().items())
    )

    assert await default_of(world, APNS) == ["apple"]


@EACH
async def test_providers_stay_in_their_app(world: World, node: Node, path: str) -> None:
    """Another app neither sees nor changes them, and may use the same id."""
    other = await node.world()
    await world.post(path, {"providerId": "push", **complete(path)})
    before = await listed(world, path)
    code = "ERR_PROVIDER_NOT_FOUND"
    await other.refused("DELETE", f"{path}/push", status=404, code=code)
    await other.post(path, {"providerId": "push"})
    await other.delete(f"{path}/push")

    assert await other.get(path) == {"pushProviders": []}
    assert await listed(world, path) == before


@EACH
@pytest.mark.parametrize("how", ["authOnly", "token"])
async def test_only_the_app_itself_has_to_do_with_them(world: World, path: str, how: str) -> None:
    """Providers are refused to keys that may only sign users in, and to users' tokens."""
    await world.user("anna")
    shown: CallOptions = {"key": world.auth_key}
    if how == "token":
        shown = {"token": await world.token("anna")}
    for method, target in [
        ("GET", path),
        ("POST", path),
        ("PUT", path),
        ("DELETE", f"{path}/push"),
        ("PUT", f"{path}/default/push"),
    ]:
        await world.refused(method, target, status=403, code="AUTH_ERR_NO_ACCESS", **shown)
