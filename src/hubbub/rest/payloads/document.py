"""What the document says of the payloads: the data of each event and trigger, with samples."""

from hubbub.domain.deliveries.occurrences import USER_MENTIONED
from hubbub.http.documented import EVENT_DATA, SENT_CALLS, SentCall
from hubbub.outbox.registry import NAMES
from hubbub.records.webhooks.triggers import TRIGGERS
from hubbub.rest.payloads.conversations import (
    ConversationDeletedPayload,
    ConversationDeliveredPayload,
    ConversationMarkPayload,
    ConversationResetPayload,
    ConversationUpdatedPayload,
)
from hubbub.rest.payloads.groups import (
    GroupCreatedPayload,
    GroupOwnerPayload,
    GroupPayload,
)
from hubbub.rest.payloads.members import (
    MemberByPayload,
    MemberPayload,
    RescopedMemberPayload,
)
from hubbub.rest.payloads.messages import (
    DeletedMessagePayload,
    MessagePayload,
    MessagesDeletedPayload,
)
from hubbub.rest.payloads.people import BlockPayload
from hubbub.rest.payloads.pins import PinPayload
from hubbub.rest.payloads.presence import ConnectionPayload
from hubbub.rest.payloads.reactions import ReactionPayload
from hubbub.rest.payloads.receipts import ReceiptPayload
from hubbub.rest.payloads.render import SHOWN
from hubbub.rest.payloads.samples.all import SAMPLES
from hubbub.rest.payloads.uses import InteractionPayload, SubmissionPayload
from hubbub.rest.payloads.webhooks import WebhookPausedPayload

DATA: dict[str, type] = {
    "message_sent": MessagePayload,
    USER_MENTIONED: MessagePayload,
    "message_edited": MessagePayload,
    "message_deleted": DeletedMessagePayload,
    "message_delivery_receipt": ReceiptPayload,
    "message_read_receipt": ReceiptPayload,
    "message_reaction_added": ReactionPayload,
    "message_reaction_removed": ReactionPayload,
    "user_blocked": BlockPayload,
    "user_unblocked": BlockPayload,
    "group_created": GroupCreatedPayload,
    "group_updated": GroupPayload,
    "group_deleted": GroupPayload,
    "group_owner_transferred": GroupOwnerPayload,
    "group_member_added": MemberByPayload,
    "group_member_joined": MemberPayload,
    "group_member_left": MemberPayload,
    "group_member_kicked": MemberByPayload,
    "group_member_banned": MemberByPayload,
    "group_member_unbanned": MemberByPayload,
    "group_member_scope_changed": RescopedMemberPayload,
    "webhook_paused": WebhookPausedPayload,
    "messages_deleted": MessagesDeletedPayload,
    "message_pinned": PinPayload,
    "message_unpinned": PinPayload,
    "message_interacted": InteractionPayload,
    "interaction_goal_completed": InteractionPayload,
    "interactive_form_submitted": SubmissionPayload,
    "user_connection_status_changed": ConnectionPayload,
    "conversation_read": ConversationMarkPayload,
    "conversation_unread": ConversationMarkPayload,
    "conversation_delivered": ConversationDeliveredPayload,
    "conversation_reset": ConversationResetPayload,
    "conversation_updated": ConversationUpdatedPayload,
    "conversation_deleted": ConversationDeletedPayload,
}
"""The shape of the data of each event that is not internal, and of each trigger of webhooks."""

EVENT_DATA.update({NAMES[event]: DATA[NAMES[event]] for event in SHOWN})
SENT_CALLS.update(
    {
        trigger_id: SentCall(TRIGGERS[trigger_id].description, data, SAMPLES[trigger_id])
        for trigger_id, data in DATA.items()
        if trigger_id in TRIGGERS
    }
)
