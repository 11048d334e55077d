// Generated from the documents of the server. Do not edit it: `make client-types` makes it again.

import type {
  AddReactionErrorCode,
  AddReactionParams,
  AdvancedPayload,
  AppendMessageErrorCode,
  AppendMessageParams,
  AppendMessagesErrorCode,
  AppendMessagesParams,
  AppendOutcome,
  Appended,
  AppendedPayload,
  BlockPayload,
  Conversation,
  ConversationDeletedPayload,
  ConversationDeliveredPayload,
  ConversationMarkPayload,
  ConversationResetPayload,
  ConversationUpdatedPayload,
  ConversationsChangedPayload,
  DeleteMessageErrorCode,
  DeleteMessageParams,
  DeletedMessagePayload,
  Device,
  Done,
  DraftPayload,
  EditMessageErrorCode,
  EditMessageParams,
  EndTypingErrorCode,
  FinishMessageErrorCode,
  FinishMessageParams,
  GroupCreatedPayload,
  GroupOwnerPayload,
  GroupPayload,
  GrownPayload,
  HistoryMeta,
  InteractionPayload,
  ListConversationsErrorCode,
  ListConversationsParams,
  ListMessagesErrorCode,
  ListMessagesParams,
  ListedMessage,
  MarkDeliveredErrorCode,
  MarkDeliveredParams,
  MarkInteractedErrorCode,
  MarkInteractedParams,
  MarkReadErrorCode,
  MarkReadParams,
  Marked,
  MemberByPayload,
  MemberPayload,
  Message,
  MessagePayload,
  MessagesDeletedPayload,
  MessagesExpiredPayload,
  PageMeta,
  PinPayload,
  PollPayload,
  PresenceParams,
  PresencePayload,
  Problem,
  ReactionPayload,
  ReceiptPayload,
  ReminderPayload,
  RemoveReactionErrorCode,
  RemoveReactionParams,
  RenewTokenErrorCode,
  RescopedMemberPayload,
  ScheduledFailedPayload,
  SendMessageErrorCode,
  SendMessageParams,
  SendTransientErrorCode,
  SentMessage,
  SentReply,
  StartTypingErrorCode,
  StopMessageErrorCode,
  StopMessageParams,
  StopPayload,
  SubmissionPayload,
  SubscribePresenceErrorCode,
  SuccessMessage,
  TakeVotesBackErrorCode,
  TakeVotesBackParams,
  TokenParams,
  TransientParams,
  TransientPayload,
  TypingParams,
  TypingPayload,
  User,
  VoteErrorCode,
  VoteParams,
  VotePayload,
} from "./schemas.js";

export type {
  Action,
  AddReactionErrorCode,
  AddReactionParams,
  AdvancedPayload,
  Affix,
  ApiAction,
  AppendMessageErrorCode,
  AppendMessageParams,
  AppendMessagesErrorCode,
  AppendMessagesParams,
  AppendOutcome,
  AppendToOne,
  Appended,
  AppendedPayload,
  Attachment,
  Availability,
  BlockPayload,
  ButtonElement,
  Card,
  CardMessage,
  CardMessageData,
  ChatMessage,
  ChatMessageData,
  CheckboxElement,
  Conversation,
  ConversationDeletedPayload,
  ConversationDeliveredPayload,
  ConversationMarkPayload,
  ConversationResetPayload,
  ConversationUpdatedPayload,
  ConversationWith,
  ConversationsChangedPayload,
  Current,
  Cursor,
  CustomAction,
  CustomInteractiveMessage,
  CustomInteractiveMessageData,
  CustomMessage,
  CustomMessageData,
  DateTimeElement,
  DeepLinkAction,
  DeleteMessageErrorCode,
  DeleteMessageParams,
  DeletedMessagePayload,
  Device,
  Done,
  DraftContent,
  DraftPayload,
  DropdownElement,
  EditMessageErrorCode,
  EditMessageParams,
  Element,
  EndTypingErrorCode,
  ErrorBody,
  ErrorCode,
  FinishMessageErrorCode,
  FinishMessageParams,
  Form,
  FormMessage,
  FormMessageData,
  Group,
  GroupCreatedPayload,
  GroupEntity,
  GroupOwnerPayload,
  GroupPayload,
  GroupType,
  GrowingMessageData,
  GrownPayload,
  HistoryCursor,
  HistoryMeta,
  Interaction,
  InteractionGoal,
  InteractionPayload,
  LabelElement,
  ListConversationsErrorCode,
  ListConversationsParams,
  ListMessagesErrorCode,
  ListMessagesParams,
  ListedMessage,
  MarkDeliveredErrorCode,
  MarkDeliveredParams,
  MarkInteractedErrorCode,
  MarkInteractedParams,
  MarkReadErrorCode,
  MarkReadParams,
  Marked,
  MediaMessageData,
  MemberActionData,
  MemberActionEntities,
  MemberActionMessage,
  MemberByPayload,
  MemberEntity,
  MemberPayload,
  MemberScope,
  MentionEntity,
  MentionOfAll,
  Message,
  MessageActionData,
  MessageActionEntities,
  MessageActionMessage,
  MessageCategory,
  MessageCount,
  MessageData,
  MessageEntities,
  MessagePayload,
  MessagesDeletedPayload,
  MessagesExpiredPayload,
  MultipleReceivers,
  NamedUser,
  OpenHours,
  Option,
  PageMeta,
  Pagination,
  PayloadConversation,
  PayloadCreatedGroup,
  PayloadGroup,
  PayloadOnlineGroup,
  PayloadReaction,
  PayloadUser,
  PinPayload,
  Placeholder,
  Poll,
  PollMessage,
  PollMessageData,
  PollOption,
  PollPayload,
  PresenceParams,
  PresencePayload,
  PresentUser,
  Problem,
  RadioElement,
  Reaction,
  ReactionPayload,
  ReceiptBody,
  ReceiptPayload,
  ReceiptUser,
  Receiver,
  ReceiverType,
  ReminderPayload,
  RemoveReactionErrorCode,
  RemoveReactionParams,
  RenewTokenErrorCode,
  RescopedMember,
  RescopedMemberPayload,
  Scheduled,
  ScheduledContent,
  ScheduledFailedPayload,
  ScheduledFailure,
  Scheduler,
  SchedulerMessage,
  SchedulerMessageData,
  SendCardMessage,
  SendCustomInteractive,
  SendCustomMessage,
  SendFailure,
  SendFormMessage,
  SendGrowingMessage,
  SendGrowingReply,
  SendMediaMessage,
  SendMessageBody,
  SendMessageErrorCode,
  SendMessageParams,
  SendMessageToMany,
  SendPoll,
  SendReply,
  SendReplyBody,
  SendSchedulerMessage,
  SendTextMessage,
  SendTransientErrorCode,
  SentCategory,
  SentMessage,
  SentReply,
  SentTo,
  SentToMany,
  SingleSelectElement,
  StartTypingErrorCode,
  StopMessageErrorCode,
  StopMessageParams,
  StopPayload,
  StoppedMessage,
  StoredCardData,
  StoredCustomData,
  StoredCustomInteractiveData,
  StoredFormData,
  StoredPollData,
  StoredSchedulerData,
  Submission,
  SubmissionPayload,
  SubscribePresenceErrorCode,
  SuccessMessage,
  TakeVotesBackErrorCode,
  TakeVotesBackParams,
  TextInputElement,
  TextMessageData,
  Thumbnail,
  TokenParams,
  TombstoneEntity,
  TransientParams,
  TransientPayload,
  TypingParams,
  TypingPayload,
  UrlNavigation,
  UsedElement,
  User,
  UserEntity,
  UserStatus,
  VoteErrorCode,
  VoteParams,
  VotePayload,
  WrappedGroup,
  WrappedMember,
  WrappedMessage,
  WrappedUser,
} from "./schemas.js";

/** The `data` of each event. */
export interface Events {
  /** A message was sent. */
  message_sent: MessagePayload;
  /** A message was edited; `message` is the action message. */
  message_edited: MessagePayload;
  /** A message was deleted; `message` is the action message. */
  message_deleted: DeletedMessagePayload;
  /** Messages were deleted permanently, without action messages. */
  messages_deleted: MessagesDeletedPayload;
  /** All messages up to `body.messageId` were delivered. */
  message_delivery_receipt: ReceiptPayload;
  /** All messages up to `body.messageId` were read. */
  message_read_receipt: ReceiptPayload;
  /** A user reacted to a message. */
  message_reaction_added: ReactionPayload;
  /** A user removed a reaction. */
  message_reaction_removed: ReactionPayload;
  /** A message was pinned. */
  message_pinned: PinPayload;
  /** A message is no longer pinned. */
  message_unpinned: PinPayload;
  /** A user used elements of an interactive message. */
  message_interacted: InteractionPayload;
  /** A user completed the goal of an interactive message. */
  interaction_goal_completed: InteractionPayload;
  /** A user submitted a form. */
  interactive_form_submitted: SubmissionPayload;
  /** The user has read up to a message. */
  conversation_read: ConversationMarkPayload;
  /** The user has received up to a message. */
  conversation_delivered: ConversationDeliveredPayload;
  /** The user marked messages as unread. */
  conversation_unread: ConversationMarkPayload;
  /** The user removed the conversation from their list. */
  conversation_reset: ConversationResetPayload;
  /** The tags or the pin of the conversation changed. */
  conversation_updated: ConversationUpdatedPayload;
  /** The conversation was deleted for all participants. */
  conversation_deleted: ConversationDeletedPayload;
  /** Earlier messages of some conversations were imported: read conversations anew. */
  conversations_changed: ConversationsChangedPayload;
  /** The user blocked others. */
  user_blocked: BlockPayload;
  /** The user no longer blocks others. */
  user_unblocked: BlockPayload;
  /** A group was created. */
  group_created: GroupCreatedPayload;
  /** A group was changed. */
  group_updated: GroupPayload;
  /** A group was deleted. */
  group_deleted: GroupPayload;
  /** A group has a new owner. */
  group_owner_transferred: GroupOwnerPayload;
  /** A user was added to a group. */
  group_member_added: MemberByPayload;
  /** A user joined a group. */
  group_member_joined: MemberPayload;
  /** A user left a group. */
  group_member_left: MemberPayload;
  /** A member was removed from a group. */
  group_member_kicked: MemberByPayload;
  /** A user was banned from a group. */
  group_member_banned: MemberByPayload;
  /** The ban of a user from a group was lifted. */
  group_member_unbanned: MemberByPayload;
  /** A member of a group has another scope. */
  group_member_scope_changed: RescopedMemberPayload;
  /** The user has written to a draft, or removed it. */
  draft_changed: DraftPayload;
  /** A message that grew has ended. */
  message_grown: GrownPayload;
  /** A participant asks that a message stops growing. */
  message_stop_requested: StopPayload;
  /** A user voted in a poll, or took their votes back. */
  poll_voted: VotePayload;
  /** The counts of a poll have changed; at most once a second for each poll. */
  poll_updated: PollPayload;
  /** A poll was closed, by somebody or by its time. */
  poll_closed: PollPayload;
  /** It is time for a reminder of a message that the user has set. */
  user_reminded: ReminderPayload;
  /** Messages were removed as their time was over, by retention or because they disappear. */
  messages_expired: MessagesExpiredPayload;
  /** A message that was scheduled could not be sent at its time. */
  scheduled_message_failed: ScheduledFailedPayload;
  /** A user types. It ends with `typing_ended`, after 10 s at the latest. */
  typing_started: TypingPayload;
  /** A user types no more. */
  typing_ended: TypingPayload;
  /** A message that is stored nowhere. */
  transient_message: TransientPayload;
  /** Text was appended to a message that grows; it replaces all that follows `offset`. */
  message_appended: AppendedPayload;
  /** All members of a group have the messages up to these ids, or have read them. */
  receipts_advanced: AdvancedPayload;
  /** A user is connected now, or is not any more. */
  user_presence_changed: PresencePayload;
}

/** What each method takes and answers. */
export interface Methods {
  /** Send a message; with `parentId`, a reply in the thread of that message. */
  send_message: {
    params: SendMessageParams;
    result: SentMessage | SentReply;
    refusal: SendMessageErrorCode;
  };
  /** Edit a message. */
  edit_message: {
    params: EditMessageParams;
    result: Message;
    refusal: EditMessageErrorCode;
  };
  /** Delete a message. */
  delete_message: {
    params: DeleteMessageParams;
    result: Message;
    refusal: DeleteMessageErrorCode;
  };
  /** Append a text to a message that grows. */
  append_message: {
    params: AppendMessageParams;
    result: Appended;
    refusal: AppendMessageErrorCode;
  };
  /** Append texts to several messages that grow. */
  append_messages: {
    params: AppendMessagesParams;
    result: AppendOutcome[];
    refusal: AppendMessagesErrorCode;
  };
  /** End a message that grows. */
  finish_message: {
    params: FinishMessageParams;
    result: Message;
    refusal: FinishMessageErrorCode;
  };
  /** Ask the sender of a message that grows to end it. */
  stop_message: {
    params: StopMessageParams;
    result: SuccessMessage;
    refusal: StopMessageErrorCode;
  };
  /** Add a reaction to a message. */
  add_reaction: {
    params: AddReactionParams;
    result: Message;
    refusal: AddReactionErrorCode;
  };
  /** Remove a reaction from a message. */
  remove_reaction: {
    params: RemoveReactionParams;
    result: Message;
    refusal: RemoveReactionErrorCode;
  };
  /** Vote in a poll. */
  vote: {
    params: VoteParams;
    result: Message;
    refusal: VoteErrorCode;
  };
  /** Take back all votes in a poll. */
  take_votes_back: {
    params: TakeVotesBackParams;
    result: Message;
    refusal: TakeVotesBackErrorCode;
  };
  /** Mark the messages of a conversation as delivered: up to a message, or all. */
  mark_delivered: {
    params: MarkDeliveredParams;
    result: Marked;
    refusal: MarkDeliveredErrorCode;
  };
  /** Mark the messages of a conversation as read: up to a message, or all. */
  mark_read: {
    params: MarkReadParams;
    result: Marked;
    refusal: MarkReadErrorCode;
  };
  /** Mark elements of an interactive message as used. */
  mark_interacted: {
    params: MarkInteractedParams;
    result: Message;
    refusal: MarkInteractedErrorCode;
  };
  /** List the messages with a user (`uid`), or of a group (`guid`). */
  list_messages: {
    params: ListMessagesParams;
    result: ListedMessage[];
    meta: HistoryMeta;
    refusal: ListMessagesErrorCode;
  };
  /** List the user's conversations. */
  list_conversations: {
    params?: ListConversationsParams;
    result: Conversation[];
    meta: PageMeta;
    refusal: ListConversationsErrorCode;
  };
  /** Tell the receiver that the user types, for ten seconds or until `end_typing`. */
  start_typing: {
    params: TypingParams;
    result: Done;
    refusal: StartTypingErrorCode;
  };
  /** Tell the receiver that the user types no more. */
  end_typing: {
    params: TypingParams;
    result: Done;
    refusal: EndTypingErrorCode;
  };
  /** Send a message that is not stored to those who are connected. */
  send_transient: {
    params: TransientParams;
    result: Done;
    refusal: SendTransientErrorCode;
  };
  /** Have the session go on with another auth token of the same user. */
  renew_token: {
    params: TokenParams;
    result: Done;
    refusal: RenewTokenErrorCode;
  };
  /** Choose of whom the session is told when they come and go. */
  subscribe_presence: {
    params: PresenceParams;
    result: Done;
    refusal: SubscribePresenceErrorCode;
  };
}

/** The first frame: who connects, and from where on events are wanted. */
export interface Connect {
  /** What the frame is. */
  op: "connect";
  /** A user's auth token, unless the handshake's header has it. */
  authToken?: string;
  /** The app, if neither the host name nor a header names it. */
  appId?: string;
  /** The last `cursor` that was received: resumes there. */
  since?: string;
  /** Whose presence is told: of all, of friends, of no one, or of these roles. The default is `none`. */
  presence?: ("all" | "friends" | "none") | string[];
  device?: Device;
}

/** The answer to `connect`; when `resumed`, all missed events follow, before any new one. */
export interface Connected {
  /** What the frame is. */
  op: "connected";
  /** The id of the session, for the log of the server. */
  sessionId: string;
  user: User;
  /** `since` if resumed, else the newest position. */
  cursor: string;
  /** If false, events may be missing: load lists anew over REST. */
  resumed: boolean;
  /** Seconds; a client that is silent for two heartbeats is closed. */
  heartbeat: number;
}

/** A sign of life that asks for one. */
export interface Ping {
  /** What the frame is. */
  op: "ping";
}

/** The answer to a ping of the client. */
export interface Pong {
  /** What the frame is. */
  op: "pong";
  /** The position up to which events were sent. */
  cursor?: string;
}

/** A sign of life that asks for one. */
export interface ServerPing {
  /** What the frame is. */
  op: "ping";
}

/** The answer to a ping of the server. */
export interface ClientPong {
  /** What the frame is. */
  op: "pong";
}

/** The token of the session ends soon; `renew_token` keeps the session open. */
export interface TokenExpiring {
  /** What the frame is. */
  op: "token_expiring";
  /** When it ends, in seconds since 1970. */
  expiresAt: number;
}

/** The reply to a frame whose `op` or `method` does not exist; the session goes on. */
export interface Refused {
  /** What the frame is. */
  op: "reply";
  /** That of the call; null if it had none. */
  ref: string | null;
  error: Problem;
}

/** The name of an event. */
export type EventName = keyof Events;

/** The frame of an event. Those of the log have an `id` and a `cursor`; the others are not sent again. */
export type EventFrame<E extends EventName = EventName> = {
  [Name in E]: {
    op: "event";
    event: Name;
    /** The event's id, the same as in webhooks. */
    id?: string;
    /** The position after this event, to resume from. */
    cursor?: string;
    /** When it happened, in seconds since 1970. */
    at: number;
    data: Events[Name];
  };
}[E];

/** The name of a method. */
export type MethodName = keyof Methods;

/** The call of a method. */
export type CallFrame<M extends MethodName = MethodName> = {
  [Name in M]: { op: "call"; ref: string; method: Name } & Pick<Methods[Name], "params">;
}[M];

/** The answer to the call of a method. */
export type ReplyFrame<M extends MethodName = MethodName> = {
  [Name in M]: { op: "reply"; ref: string; data: Methods[Name]["result"] } & MetaOf<Methods[Name]>;
}[M];

type MetaOf<M> = M extends { meta: infer Meta } ? { meta: Meta } : { meta?: undefined };

/** Whose presence is told: of all, of friends, of no one, or of these roles. */
export type Presence = PresenceParams["presence"];
