"""Every call of a user has a feature key; a restricted key denies exactly its calls to a role."""

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import pytest
from tests.api.access.crowd import CALLERS, OTHERS, Crowd, body_of, filled
from tests.api.messages.talk import import_past, past, to_user
from tests.clock import START
from tests.contract import load_contract
from tests.wire import Answer
from tests.world import CallOptions, World

from hubbub.http.operation import Acting
from hubbub.records.roles.features import FEATURES
from hubbub.rest.operations import OPERATIONS

DENIED = "ERR_PERMISSION_DENIED"
NUMBERS = itertools.count(1)
RESTRICTED = "/roles/guide/restrictedfeatures"

# The calls of each key, and their callers: `crowd.py` defines these. A call with several keys is
# denied if any one of them is restricted.
CALLS = """
listUsers                            owner          GET /users
getMyDetails                         owner          GET /users/owner
getUser                              owner          GET /users/admin
getUserMessages                      owner          GET /users/admin/messages
getBlockedUsers                      owner          GET /users/owner/blockedusers
blockUser                            owner          POST /users/owner/blockedusers
                                                    {"blockedUids": ["stranger"]}
unblockUser                          owner          DELETE /users/owner/blockedusers
                                                    {"blockedUids": ["stranger"]}
updateAuthToken                      admin          PUT /users/admin/auth_tokens/{authToken}
                                                    {"platform": "android"}
logout                               admin          DELETE /users/admin/auth_tokens/{authToken}
logout                               admin          DELETE /users/admin/auth_tokens
logout                               admin          DELETE /users/admin/sessions/{sessionId}
getMyDetails                         admin          GET /users/admin/sessions
listGroups                           owner          GET /groups
createGroup                          owner          POST /groups
                                        {"guid": "{new}", "name": "New", "type": "public"}
createGroup, addMember               owner          POST /groups
                                        {"guid": "{new}", "name": "New", "type": "public",
                                                     "members": {"participants": ["stranger"]}}
createGroup, ban                     owner          POST /groups
                                        {"guid": "{new}", "name": "New", "type": "public",
                                                     "members": {"usersToBan": ["stranger"]}}
createGroup, ban, massMemberOperate  owner          POST /groups
                                        {"guid": "{new}", "name": "New", "type": "public",
                                        "members": {"usersToBan": ["stranger", "admin"]}}
getGroup                             owner          GET /groups/{guid}
updateGroup                          owner          PUT /groups/{guid}
                                                    {"name": "Climbers"}
patchOwner                           owner's token  PUT /groups/{guid}
                                                    {"owner": "admin"}
updateGroup, patchOwner              owner's token  PUT /groups/{guid}
                                                    {"owner": "admin", "name": "Climbers"}
deleteGroup                          owner          DELETE /groups/{guid}
listGroupMembers                     owner          GET /groups/{guid}/members
joinGroup                            stranger       POST /groups/{guid}/members
                                                    {}
addMember                            owner          POST /groups/{guid}/members
                                                    {"participants": ["stranger"]}
addMember, massMemberOperate         owner          POST /groups/{guid}/members
                                                    {"moderators": ["stranger", "other-stranger"]}
ban                                  owner          POST /groups/{guid}/members
                                                    {"usersToBan": ["participant"]}
ban, massMemberOperate               owner          POST /groups/{guid}/members
                                                    {"usersToBan": ["participant", "stranger"]}
addMember, ban, massMemberOperate    owner          POST /groups/{guid}/members
                                        {"admins": ["stranger"], "usersToBan": ["admin"]}
changeScope                          owner          PUT /groups/{guid}/members/participant
                                                    {"scope": "moderator"}
kickMember                           owner          DELETE /groups/{guid}/members/participant
leaveGroup                           participant    DELETE /groups/{guid}/members/participant
listBannedUsers                      owner          GET /groups/{guid}/bannedusers
listBannedUsers                      owner          GET /groups/{guid}/banned_members
ban                                  owner          POST /groups/{guid}/bannedusers/stranger
ban                                  owner          POST /groups/{guid}/banned_members/stranger
unban                                owner          DELETE /groups/{guid}/bannedusers/banned
unban                                owner          DELETE /groups/{guid}/banned_members/banned
getGroupMessages                     owner          GET /groups/{guid}/messages
listMessages                         owner          GET /messages
createMessage                        owner          POST /messages
                                                    {"receiver": "admin", "receiverType": "user",
                                                     "data": {"text": "Hello"}}
createMessage                        owner          POST /messages
                                                    {"receiver": "{guid}", "receiverType": "group",
                                                     "data": {"text": "Hello"}}
getMessage                           owner          GET /messages/{id}
getMessage                           owner          GET /messages/{id}/history
"""

CALLS += """
updateMessage                        owner          PUT /messages/{id}
                                                    {"data": {"text": "Good-bye"}}
deleteMessage                        owner          DELETE /messages/{id}
                                                    {}
deleteMessage, deleteGroupMessages   owner          DELETE /messages/{own}
                                                    {}
createMessageThread                  owner          POST /messages/{id}/thread
                                                    {"data": {"text": "Hello, too"}}
listThreadedMessages                 owner          GET /messages/{id}/thread
listThreadedMessages                 owner          GET /messages/replies
listConversations                    owner          GET /conversations
getConversation                      owner          GET /users/admin/conversation
getConversation                      owner          GET /groups/{guid}/conversation
getConversation                      owner          GET /conversations/group_{guid}
deleteConversationForUser            owner          DELETE /users/admin/conversation
deleteConversationForUser            owner          DELETE /groups/{guid}/conversation
"""

WITHOUT_KEY = """
PUT     /users/{uid}
GET     /users/{uid}/friends
GET     /notifications/v1/contact-details
PATCH   /notifications/v1/contact-details
DELETE  /notifications/v1/contact-details
GET     /notifications/v1/preferences
PATCH   /notifications/v1/preferences
DELETE  /notifications/v1/preferences
GET     /notifications/v1/preferences/mute
PUT     /notifications/v1/preferences/mute
DELETE  /notifications/v1/preferences/mute
GET     /notifications/v1/preferences/timezone
PATCH   /notifications/v1/preferences/timezone
GET     /notifications/push/v1/tokens
POST    /notifications/push/v1/tokens
DELETE  /notifications/push/v1/tokens
DELETE  /notifications/push/v1/tokens/{pushToken}
"""
"""Calls about a user's own data, or reads, for which the interface has no key."""

WITHOUT_KEY += """
PUT     /users/{uid}/conversation
PUT     /groups/{guid}/conversation
GET     /users/{uid}/conversation/retention
PUT     /users/{uid}/conversation/retention
GET     /groups/{guid}/conversation/retention
PUT     /groups/{guid}/conversation/retention
POST    /users/{uid}/conversation/pin
DELETE  /users/{uid}/conversation/pin
POST    /groups/{guid}/conversation/pin
DELETE  /groups/{guid}/conversation/pin
POST    /users/{uid}/conversation/delivered
POST    /users/{uid}/conversation/read
DELETE  /users/{uid}/conversation/read
POST    /groups/{guid}/conversation/delivered
POST    /groups/{guid}/conversation/read
DELETE  /groups/{guid}/conversation/read
POST    /messages/{id}/pin
DELETE  /messages/{id}/pin
POST    /messages/{id}/flagged
POST    /messages/{id}/appeal
POST    /messages/{id}/save
DELETE  /messages/{id}/save
POST    /messages/append
POST    /messages/{id}/append
POST    /messages/{id}/finish
POST    /messages/{id}/stop
GET     /messages/{id}/reactions
GET     /messages/{id}/reactions/{reaction}
POST    /messages/{id}/reactions/{reaction}
DELETE  /messages/{id}/reactions/{reaction}
PATCH   /messages/{id}/interacted
GET     /reminders
POST    /messages/{id}/reminders
DELETE  /messages/{id}/reminders
GET     /drafts
GET     /conversations/{conversationId}/draft
PUT     /conversations/{conversationId}/draft
DELETE  /conversations/{conversationId}/draft
GET     /scheduled-messages
GET     /scheduled-messages/{id}
PATCH   /scheduled-messages/{id}
POST    /scheduled-messages/{id}/send
DELETE  /scheduled-messages/{id}
GET     /messages/{id}/submissions
POST    /messages/{id}/submissions
GET     /messages/{id}/votes
POST    /messages/{id}/votes
DELETE  /messages/{id}/votes
POST    /messages/{id}/votes/close
GET     /messages/{id}/receipts
"""

WITHOUT_CALL = {
    "createCall",
    "deleteCall",
    "getCall",
    "getMember",
    "listCalls",
    "listSettings",
    "updateCall",
}
"""Keys of the interface without calls."""


@dataclass(frozen=True, slots=True)
class FeatureCall:
    """A call, its caller, and the keys that it needs."""

    keys: frozenset[str]
    caller: str
    method: str
    path: str
    body: str

    def __str__(self) -> str:
        return f"{self.method} {self.path} {self.body}".strip()

    @property
    def operation(self) -> str:
        """Return the declared operation of the call."""
        return f"{self.method} {load_contract().template_of('/v3' + self.path)}"

    @property
    def is_change_of_group(self) -> bool:
        """Return whether the call can be made only once, in a group or about a message there."""
        return self.method != "GET" and "{" in self.path and not self.is_about_tokens

    @property
    def is_about_tokens(self) -> bool:
        """Return whether the call may revoke the token that it is made with."""
        return "auth_tokens" in self.path or "sessions" in self.path


def read_calls(text: str) -> Iterator[FeatureCall]:
    """Yield the rows of the table; the line below a call is its body."""
    rows: list[list[str]] = []
    for line in filter(None, text.split("\n")):
        if line.startswith(" "):
            rows[-1][-1] += line.strip()
        else:
            keys, caller, call = (cell.strip() for cell in (line[:37], line[37:52], line[52:]))
            rows.append([keys, caller, *call.split(" "), ""])
    for keys, caller, method, path, body in rows:
        yield FeatureCall(frozenset(keys.split(", ")), caller, method, path, body)


MANY_MESSAGES = frozenset({"deleteConversationForUser", "deleteMessage"})
ANYBODY_S = MANY_MESSAGES | {"deleteGroupMessages"}
FOR_GOOD = '{"deleteMessagesPermanently": true}'
IN_GROUP = "/groups/{guid}/conversation"
OF_MANY_MESSAGES = [
    FeatureCall(MANY_MESSAGES, "owner", "DELETE", "/users/admin/conversation", FOR_GOOD),
    FeatureCall(MANY_MESSAGES, "owner's token", "DELETE", IN_GROUP, FOR_GOOD),
    FeatureCall(ANYBODY_S, "as owner", "DELETE", IN_GROUP, FOR_GOOD),
    FeatureCall(ANYBODY_S, "owner", "DELETE", "/conversations/group_{guid}", ""),
]
"""Calls that delete many messages: the caller's own, or also those of others."""

ALL = [*read_calls(CALLS), *OF_MANY_MESSAGES]
FOR_USERS_ONLY = {
    f"{entry.method} {entry.path}" for entry in OPERATIONS if entry.acting is Acting.REQUIRED
}
KEYS = sorted({key for call in ALL for key in call.keys})


def test_every_operation_of_users_has_a_key() -> None:
    """Every operation that is open to users has a feature key, except the few named here."""
    without = {
        f"{entry.method} {entry.path}"
        for entry in OPERATIONS
        if (entry.is_for_users or entry.acting is not Acting.IGNORED) and not entry.features
    }

    assert without == {" ".join(line.split()) for line in WITHOUT_KEY.split("\n") if line}


@pytest.mark.parametrize("key", FEATURES)
def test_a_key_stands_for_its_calls(key: str) -> None:
    """A key is bound to the operations that it is meant for, and to no others."""
    bound = {f"{entry.method} {entry.path}" for entry in OPERATIONS if key in entry.features}

    assert bound == {call.operation for call in ALL if key in call.keys}
    assert (not bound) == (key in WITHOUT_CALL)


def test_only_users_are_kept_from_features() -> None:
    """No operation that is closed to users has a key."""
    assert not [
        entry.name
        for entry in OPERATIONS
        if entry.features and not entry.is_for_users and entry.acting is Acting.IGNORED
    ]


@pytest.fixture
async def guides(world: World) -> Crowd:
    """A crowd of the role guide."""
    await world.post("/roles", {"role": "guide", "name": "Guide"})
    crowd = Crowd(world)
    await crowd.gather(*CALLERS, others=OTHERS, role="guide")
    return crowd


async def test_every_call_can_be_made(guides: Crowd) -> None:
    """Without restrictions each call of the table succeeds, in both ways, and by the app."""
    attempts = [*by_users(guides, ALL), *by_app(ALL)]

    check(
        [
            (attempt, answer.status == 200, answer)
            for attempt, answer in await made(guides, attempts)
        ]
    )


@pytest.mark.parametrize("key", KEYS)
async def test_a_role_is_kept_from_a_feature(guides: Crowd, key: str) -> None:
    """A restricted key denies exactly its calls to the users of a role, until it is lifted."""
    bound = [call for call in ALL if key in call.keys]
    others = [call for call in ALL if key not in call.keys]

    await guides.world.post(RESTRICTED, {"featuresToRestrict": [key]})
    denied = await made(guides, by_users(guides, bound))
    open_ = await made(guides, [*by_users(guides, others), *by_app(bound)])
    await guides.world.delete(RESTRICTED, {"featuresToAllow": [key]})
    open_ += await made(guides, by_users(guides, bound))

    verdicts = [(attempt, is_denied(answer, key), answer) for attempt, answer in denied]
    verdicts += [(attempt, answer.status == 200, answer) for attempt, answer in open_]
    check(verdicts)


async def test_a_feature_is_refused_before_anything_else(guides: Crowd) -> None:
    """A feature restriction is reported first, whether the requested object exists or not."""
    await guides.world.post(RESTRICTED, {"featuresToRestrict": KEYS})
    names = {"guid": "nothing", "id": "999999", "own": "999999", "new": "new"}
    for attempt in by_users(guides, [call for call in ALL if not call.is_about_tokens]):
        answer = await ask(guides, attempt, names)
        assert any(is_denied(answer, key) for key in attempt.call.keys), f"{attempt}: {answer}"


@dataclass(frozen=True, slots=True)
class Attempt:
    """A call of a caller."""

    call: FeatureCall
    who: str
    how: CallOptions

    def __str__(self) -> str:
        return f"{self.who}: {self.call}"


def by_users(crowd: Crowd, calls: Iterable[FeatureCall]) -> list[Attempt]:
    """Return each call by its user, in both ways if there are two."""
    return [Attempt(call, *way) for call in calls for way in crowd.ways(call.caller)]


def by_app(calls: Iterable[FeatureCall]) -> list[Attempt]:
    """Return each call that can be made without an acting user, by the app itself."""
    return [Attempt(call, "app", {}) for call in calls if call.operation not in FOR_USERS_ONLY]


async def made(crowd: Crowd, attempts: Sequence[Attempt]) -> list[tuple[Attempt, Answer]]:
    """Return the answers to calls that succeed; a call that changes a group gets a new group."""
    changes = [attempt.call.is_change_of_group for attempt in attempts]
    shared, *guids = await crowd.found(["public"] * (1 + sum(changes)))
    fresh = iter(guids)
    return [
        (attempt, await ask(crowd, attempt, _names(crowd, next(fresh) if is_change else shared)))
        for attempt, is_change in zip(attempts, changes, strict=True)
    ]


def _names(crowd: Crowd, guid: str) -> dict[str, str]:
    ids = {"id": crowd.messages[guid], "own": crowd.own_messages[guid]}
    return {"guid": guid, **ids, "new": f"new-{next(NUMBERS)}"}


async def ask(crowd: Crowd, attempt: Attempt, names: dict[str, str]) -> Answer:
    """Make a call and return its answer."""
    call, how = attempt.call, attempt.how
    if call.is_about_tokens:
        token = await crowd.world.token("admin")
        newest = (await crowd.world.get("/users/admin/sessions"))[0]["id"]
        names = {**names, "authToken": token, "sessionId": newest}
        how = {"token": token} if "token" in how else how
    if call.path.endswith("/users/admin/conversation"):  # which may have been removed
        greeting = past("admin", to_user("owner"), START)
        await import_past(crowd.world, **{f"hello-{next(NUMBERS)}": greeting})
    path, body = filled(call.path, **names), body_of(call.body, **names)
    return await crowd.world.ask(call.method, path, body, **how)


def is_denied(answer: Answer, key: str) -> bool:
    """Return whether a call was refused because of a key, and names it."""
    if answer.status != 403 or answer.error["code"] != DENIED:
        return False
    return list(answer.error["details"]) == [f"u.{key}"]


def check(verdicts: Iterable[tuple[Attempt, bool, Answer]]) -> None:
    """Check that each answer is right."""
    wrong = [f"{attempt}: {answer}" for attempt, is_right, answer in verdicts if not is_right]
    assert not wrong, "\n".join(wrong)
