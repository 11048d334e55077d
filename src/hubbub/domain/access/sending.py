"""May this be sent? The checks of a message, in their order, on what was looked up for a batch."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

import msgspec

from hubbub.domain.access.actor import Actor
from hubbub.domain.access.conversations import is_shown
from hubbub.domain.access.people import refuse_actor
from hubbub.domain.access.permissions import (
    RoleForbids,
    SettingForbids,
    refuse_kind,
    refuse_scope,
    refuse_verb,
)
from hubbub.kernel.errors import Refusal
from hubbub.kernel.text import SYSTEM_UID
from hubbub.records.blocks.model import BlockedReceiver, BlockedSender
from hubbub.records.conversations.model import GROUP, Conversation, ConversationKey
from hubbub.records.groups.model import PRIVATE, Group, GuidNotFound
from hubbub.records.members.model import BannedMember, GroupNotJoined, Member
from hubbub.records.messages.model import (
    ACTION,
    CUSTOM,
    MESSAGE,
    Draft,
    Message,
    MessageActionNotAllowed,
    MessageIdNotFound,
    ThreadNesting,
    WrongThread,
)
from hubbub.records.roles.model import FRIENDS, RoleRules
from hubbub.records.users.model import Person, UidNotFound

UidPair = tuple[str, str]
MemberPair = tuple[int, str]


@dataclass(slots=True)
class SendContext:
    """What the drafts of a batch name, as it is in the store."""

    people: dict[str, Person]
    groups: dict[str, Group]
    members: dict[MemberPair, Member]
    bans: Collection[MemberPair]
    friends: Collection[UidPair]
    blocks: Collection[UidPair]
    conversations: Mapping[ConversationKey, Conversation]
    hidden: Mapping[MemberPair, int]
    """Up to which message the history of those who reply or quote is hidden from them."""
    messages: Mapping[int, Message]
    """The messages that are replied to, or quoted."""
    revoked: Collection[str]

    def refuse(self, draft: Draft) -> Refusal | None:
        """Why the draft may not be sent, if so."""
        is_import = draft.past is not None
        sender = self.people.get(draft.sender)
        if draft.is_of_user:
            actor = Actor(draft.sender, draft.features, draft.token)
            refusal = refuse_actor(sender, actor, self.revoked)
            if refusal is not None:
                return refusal
        if sender is None or not (sender.user.is_active or is_import):
            return UidNotFound(draft.sender)
        if draft.is_of_user:
            refusal = _refuse_kinds(sender.rules, draft)
            if refusal is not None:
                return refusal
        if draft.receiver_type == GROUP:
            return self._refuse_to_group(draft) or self._refuse_references(draft)
        receiver = self.people.get(draft.receiver) if draft.receiver != SYSTEM_UID else None
        if receiver is None or not (receiver.user.is_active or is_import):
            return UidNotFound(draft.receiver)
        refusal = self._refuse_to_user(draft, sender, receiver) if draft.is_of_user else None
        return refusal or self._refuse_references(draft)

    def _refuse_references(self, draft: Draft) -> Refusal | None:
        """Why the draft may not reply to, or quote, what it does, if so."""
        for id_ in (draft.parent_id, draft.quoted_id):
            refusal = self._refuse_reference(draft, id_) if id_ is not None else None
            if refusal is not None:
                return refusal
        if draft.parent_id is not None and self.messages[draft.parent_id].parent_id is not None:
            return ThreadNesting(draft.parent_id)
        return None

    def _refuse_reference(self, draft: Draft, id_: int) -> Refusal | None:
        message = self.messages.get(id_)
        if message is None or not self._sees(draft, message):
            return MessageIdNotFound(id_)
        conversation = self.conversations.get(draft.key)
        if conversation is None or conversation.number != message.conversation:
            return WrongThread(id_)
        if message.id <= conversation.erased_upto:
            return MessageIdNotFound(id_)
        if message.category == ACTION or message.deleted_at is not None:
            return MessageActionNotAllowed(id_)
        return None

    def _sees(self, draft: Draft, message: Message) -> bool:
        if not draft.is_of_user:
            return True
        hidden = self.hidden.get((message.conversation, draft.sender))
        is_within = hidden is not None and message.id > hidden
        return is_within and is_shown(message, self.people[draft.sender])

    def _refuse_to_user(self, draft: Draft, sender: Person, receiver: Person) -> Refusal | None:
        rules, pair = sender.rules, (draft.sender, draft.receiver)
        refusal = refuse_kind(rules, "sendMessage.allowedReceiverRoles", receiver.user.role)
        if refusal is not None:
            return refusal
        if rules.writes_to_friends_only and pair not in self.friends:
            return stranger_to(rules)
        if (draft.receiver, draft.sender) in self.blocks:
            return BlockedSender(*pair)
        return BlockedReceiver(*pair) if pair in self.blocks else None

    def _refuse_to_group(self, draft: Draft) -> Refusal | None:
        group = self.groups.get(draft.receiver)
        if group is None:
            return GuidNotFound(draft.receiver)
        if not draft.is_of_user:
            return None
        pair = (group.conversation, draft.sender)
        member = self.members.get(pair)
        if member is not None:
            verb = "sendMessage" if draft.parent_id is None else "sendThreadedMessage"
            return refuse_scope(group, member.scope, verb)
        if group.type == PRIVATE:
            return GuidNotFound(draft.receiver)
        if pair in self.bans:
            return BannedMember(draft.sender, draft.receiver)
        return GroupNotJoined(draft.sender, draft.receiver)


def stranger_to(rules: RoleRules) -> RoleForbids | SettingForbids:
    """Why somebody who may write to friends only may not write to another one."""
    if rules.permissions.get("sendMessage.mode") == FRIENDS:
        return RoleForbids(rules, "sendMessage.mode")
    return SettingForbids(rules, "sendMessagesTo")


def _refuse_kinds(rules: RoleRules, draft: Draft) -> Refusal | None:
    """Why the role may not send messages at all, or not of this kind, if so."""
    if not rules.permissions:
        return None
    found = (refuse_kind(rules, *each) for each in _kinds(draft))
    refusals = (refuse_verb(rules, "sendMessage"), *found, refuse_mime_types(rules, draft))
    return next((refusal for refusal in refusals if refusal is not None), None)


def _kinds(draft: Draft) -> Iterator[tuple[str, str]]:
    yield "sendMessage.allowedReceiverTypes", draft.receiver_type
    yield "sendMessage.allowedMessageCategories", draft.category
    if draft.category == MESSAGE:
        yield "sendMessage.allowedMessageTypes", draft.type
    if draft.category == CUSTOM:
        yield "sendMessage.allowedCustomTypes", draft.type


class _Attachment(msgspec.Struct, rename="camel"):
    mime_type: object = ""

    @property
    def kind(self) -> str:
        """Its MIME type without parameters; they are the same in any case."""
        return _kind(self.mime_type) if isinstance(self.mime_type, str) else ""


class _Attached(msgspec.Struct):
    attachments: list[_Attachment] = []


_decode_attached = msgspec.json.Decoder(_Attached).decode


def _kind(mime_type: str) -> str:
    return mime_type.partition(";")[0].strip().lower()


def refuse_mime_types(rules: RoleRules, draft: Draft) -> Refusal | None:
    """Why the role may not send attachments of these kinds, if so."""
    permission = "sendMessage.allowedMimeTypes"
    listed = {_kind(each) for each in rules.listed(permission)}
    if not listed or '"attachments"' not in draft.data:
        return None
    try:
        attached = _decode_attached(draft.data).attachments
    except msgspec.ValidationError:  # of a custom message, where it may be anything
        return RoleForbids(rules, permission)
    is_foreign = any(each.kind not in listed for each in attached)
    return RoleForbids(rules, permission) if is_foreign else None
