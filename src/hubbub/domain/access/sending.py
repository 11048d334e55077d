"""The checks of a message to send, in their order, on records that were read for a batch."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

import msgspec

from hubbub.domain.access.actor import Actor
from hubbub.domain.access.conversations import is_shown
from hubbub.domain.access.people import UidPair, refuse_actor, refuse_blocked
from hubbub.domain.access.permissions import (
    RoleForbids,
    SettingForbids,
    refuse_kind,
    refuse_scope,
    refuse_verb,
)
from hubbub.kernel.errors import Refusal
from hubbub.kernel.text import SYSTEM_UID
from hubbub.records.conversations.model import GROUP, Conversation, ConversationKey
from hubbub.records.groups.model import PRIVATE, Group, GuidNotFound
from hubbub.records.members.model import BannedMember, GroupNotJoined, Member
from hubbub.records.messages.model import (
    ACTION,
    CUSTOM,
    MESSAGE,
    NO_MESSAGE,
    Draft,
    Message,
    MessageActionNotAllowed,
    MessageIdNotFound,
    ThreadNesting,
    WrongThread,
)
from hubbub.records.roles.model import FRIENDS, RoleRules
from hubbub.records.users.model import Person, UidNotFound

MemberPair = tuple[int, str]
_actor = lru_cache(maxsize=4096)(Actor)


@dataclass(slots=True)
class SendContext:
    """The stored records that the drafts of a batch refer to."""

    people: dict[str, Person]
    groups: dict[str, Group]
    members: dict[MemberPair, Member]
    bans: Collection[MemberPair]
    friends: Collection[UidPair]
    blocks: Collection[UidPair]
    conversations: Mapping[ConversationKey, Conversation]
    hidden: Mapping[MemberPair, int]
    """The last message that is hidden, by participants who reply or quote."""
    messages: dict[int, Message]
    """The messages that drafts reply to, or quote."""
    revoked: Collection[str]

    def refuse(self, draft: Draft) -> Refusal | None:
        """Return why a draft may not be sent, or None."""
        is_import = draft.imported is not None
        sender = self.people.get(draft.sender)
        if draft.is_of_user:
            actor = _actor(draft.sender, draft.features, draft.token)
            refusal = refuse_actor(sender, actor, self.revoked)
            if refusal is not None:
                return refusal
        if sender is None or not (sender.user.is_active or is_import):
            return UidNotFound(draft.sender)
        if draft.is_in_thread:
            refusal = self._refuse_thread(draft, sender)
            if refusal is not None:
                return refusal
        if draft.is_of_user:
            refusal = _refuse_by_role(sender.rules, draft)
            if refusal is not None:
                return refusal
        if draft.receiver_type == GROUP:
            return self._refuse_to_group(draft) or self.refuse_references(draft)
        receiver = self.people.get(draft.receiver) if draft.receiver != SYSTEM_UID else None
        if receiver is None or not (receiver.user.is_active or is_import):
            return UidNotFound(draft.receiver)
        refusal = self._refuse_to_user(draft, sender, receiver) if draft.is_of_user else None
        return refusal or self.refuse_references(draft)

    def _refuse_thread(self, draft: Draft, sender: Person) -> Refusal | None:
        """Return why a draft may not be sent to the conversation of its parent, or None."""
        refusal = refuse_verb(sender.rules, "sendMessage") if draft.is_of_user else None
        id_ = draft.parent_id or 0
        parent = self.messages.get(id_)
        if refusal is not None or parent is None or not self._may_see(draft, parent):
            return refusal or MessageIdNotFound(id_)
        if (draft.receiver_type, draft.receiver) != receiver_in_thread(parent, draft.sender):
            return WrongThread(id_)
        if parent.category == ACTION:
            return None  # refused with the other references
        conversation = self.conversations.get(draft.key)
        if conversation is None or conversation.number != parent.conversation:
            return MessageIdNotFound(id_)
        return MessageIdNotFound(id_) if parent.id <= conversation.erased_upto else None

    def refuse_references(self, draft: Draft) -> Refusal | None:
        """Return why a draft may not reply to, or quote, a message, or None."""
        for id_ in (draft.parent_id, draft.quoted_id):
            refusal = self._refuse_reference(draft, id_) if id_ is not None else None
            if refusal is not None:
                return refusal
        if draft.parent_id is not None and self.messages[draft.parent_id].parent_id is not None:
            return ThreadNesting(draft.parent_id)
        return None

    def _refuse_reference(self, draft: Draft, id_: int) -> Refusal | None:
        message = self.messages.get(id_)
        if message is None or not self._may_see(draft, message):
            return MessageIdNotFound(id_)
        conversation = self.conversations.get(draft.key)
        if conversation is None or conversation.number != message.conversation:
            return WrongThread(id_)
        if message.id <= conversation.erased_upto:
            return MessageIdNotFound(id_)
        was_deleted = message.deleted_at is not None and not _may_refer_to_deleted(draft)
        if message.category == ACTION or was_deleted:
            return MessageActionNotAllowed(id_)
        return None

    def _may_see(self, draft: Draft, message: Message) -> bool:
        if not draft.is_of_user:
            return True
        hidden = self.hidden.get((message.conversation, draft.sender))
        is_in_history = hidden is not None and message.id > hidden
        return is_in_history and is_shown(message, self.people[draft.sender])

    def _refuse_to_user(self, draft: Draft, sender: Person, receiver: Person) -> Refusal | None:
        rules, pair = sender.rules, (draft.sender, draft.receiver)
        if rules.permissions:
            refusal = refuse_kind(rules, "sendMessage.allowedReceiverRoles", receiver.user.role)
            if refusal is not None:
                return refusal
        if rules.writes_to_friends_only and pair not in self.friends:
            return refuse_stranger(rules)
        return refuse_blocked(pair, self.blocks)

    def _refuse_to_group(self, draft: Draft) -> Refusal | None:
        group = self.groups.get(draft.receiver)
        if group is None:
            return GuidNotFound(draft.receiver)
        if not draft.is_of_user:
            return None
        pair = (group.conversation, draft.sender)
        member = self.members.get(pair)
        if member is not None:
            permission = "sendMessage" if draft.parent_id is None else "sendThreadedMessage"
            return refuse_scope(group, member.scope, permission)
        if group.type == PRIVATE:
            return GuidNotFound(draft.receiver)
        if pair in self.bans:
            return BannedMember(draft.sender, draft.receiver)
        return GroupNotJoined(draft.sender, draft.receiver)


def _may_refer_to_deleted(draft: Draft) -> bool:
    brought = draft.imported.brought if draft.imported is not None else None
    return brought is not None and brought.refers_to_deleted


def receiver_in_thread(parent: Message, sender: str) -> tuple[str, str]:
    """Return the receiver of a reply in a message's thread: type and id."""
    if parent.receiver_type == GROUP:
        return GROUP, parent.receiver
    return parent.receiver_type, parent.other_than(sender)


def refuse_stranger(rules: RoleRules) -> RoleForbids | SettingForbids:
    """Return the refusal for a message to a user who is no friend."""
    if rules.permissions.get("sendMessage.mode") == FRIENDS:
        return RoleForbids(rules, "sendMessage.mode")
    return SettingForbids(rules, "sendMessagesTo")


def _refuse_by_role(rules: RoleRules, draft: Draft) -> Refusal | None:
    """Return why a role may not send messages, or messages of this kind, or None."""
    if not rules.permissions:
        return None
    found = (refuse_kind(rules, *each) for each in _kinds_of(draft))
    refusals = (refuse_verb(rules, "sendMessage"), *found, refuse_mime_types(rules, draft))
    return next((refusal for refusal in refusals if refusal is not None), None)


def _kinds_of(draft: Draft) -> Iterator[tuple[str, str]]:
    """Yield the permissions that list kinds, each with the draft's kind."""
    yield "sendMessage.allowedReceiverTypes", draft.receiver_type
    if draft.category == NO_MESSAGE:
        return
    yield "sendMessage.allowedMessageCategories", draft.category
    if draft.category == MESSAGE:
        yield "sendMessage.allowedMessageTypes", draft.type
    if draft.category == CUSTOM:
        yield "sendMessage.allowedCustomTypes", draft.type


class _Attachment(msgspec.Struct, rename="camel"):
    mime_type: object = ""

    @property
    def kind(self) -> str:
        """Return the MIME type without parameters, in lower case."""
        return _base_type(self.mime_type) if isinstance(self.mime_type, str) else ""


class _Attached(msgspec.Struct):
    attachments: list[_Attachment] = []


_decode_attached = msgspec.json.Decoder(_Attached).decode


def _base_type(mime_type: str) -> str:
    return mime_type.partition(";")[0].strip().lower()


def refuse_mime_types(rules: RoleRules, draft: Draft) -> Refusal | None:
    """Return why a role may not send the draft's attachments, or None."""
    permission = "sendMessage.allowedMimeTypes"
    listed = {_base_type(each) for each in rules.listed(permission)}
    if not listed or '"attachments"' not in draft.data:
        return None
    try:
        attached = _decode_attached(draft.data).attachments
    except msgspec.ValidationError:  # in a custom message they may be anything
        return RoleForbids(rules, permission)
    is_forbidden = any(each.kind not in listed for each in attached)
    return RoleForbids(rules, permission) if is_forbidden else None
