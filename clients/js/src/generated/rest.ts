// Generated from the documents of the server. Do not edit it: `make client-types` makes it again.

import type {
  AddApnsProvider,
  AddFcmProvider,
  AddFriends,
  AddMembers,
  AddWebPushProvider,
  AddedMembersAnswer,
  Affix,
  AllowFeatures,
  ApiKeyAnswer,
  ApiKeyList,
  ApnsProvidersAnswer,
  AppealHeld,
  AppendBody,
  AppendOutcomes,
  AppendedAnswer,
  AppendsBody,
  ApprovedPayload,
  AskForExport,
  AskForImport,
  AskForImportForm,
  AttachedTriggerList,
  AuthTokenAnswer,
  AuthTokenList,
  BannedUserList,
  BlockPayload,
  BlockedModerationListing,
  BlockedUsers,
  ChangeCustom,
  ChangeCustomEmail,
  ChangeCustomSms,
  ChangeScheduled,
  ChangeScope,
  ChangeSendGrid,
  ChangeSmtp,
  ChangeTwilio,
  ChangedScopeAnswer,
  ContactDetailsAnswer,
  ConversationAnswer,
  ConversationDeletedPayload,
  ConversationDeliveredPayload,
  ConversationList,
  ConversationMarkPayload,
  ConversationResetPayload,
  ConversationUpdatedPayload,
  ConversationsChangedPayload,
  CreateBot,
  CreateGroup,
  CreateKey,
  CreateReason,
  CreateRole,
  CreateToken,
  CreateUser,
  CreateWebhook,
  CreatedGroupAnswer,
  CreatedWebhookAnswer,
  CustomEmailAnswer,
  CustomPushProvidersAnswer,
  CustomSmsAnswer,
  DeactivateUsers,
  DeactivatedUsersAnswer,
  DeleteMessage,
  DeleteUser,
  DeletedMessagePayload,
  DeliveryAnswer,
  DeliveryList,
  DeliveryState,
  DraftAnswer,
  DraftList,
  DraftPayload,
  EngineFailedPayload,
  EventList,
  ExportJobAnswer,
  ExportListing,
  FcmAddedAnswer,
  FcmProvidersAnswer,
  FinishBody,
  FlagMessage,
  FlagReasonAnswer,
  FlagReasonModerationListing,
  FlaggedModerationListing,
  FriendOutcomesAnswer,
  GivenList,
  GivenListForm,
  GivenReactionList,
  GivenRule,
  GivenVoteList,
  GroupAnswer,
  GroupCreatedPayload,
  GroupCreatedWebhook,
  GroupDeletedWebhook,
  GroupList,
  GroupMemberAddedWebhook,
  GroupMemberBannedWebhook,
  GroupMemberJoinedWebhook,
  GroupMemberKickedWebhook,
  GroupMemberLeftWebhook,
  GroupMemberScopeChangedWebhook,
  GroupMemberUnbannedWebhook,
  GroupOutcomesAnswer,
  GroupOwnerPayload,
  GroupOwnerTransferredWebhook,
  GroupPayload,
  GroupType,
  GroupUpdatedWebhook,
  GrownPayload,
  HeldPayload,
  HoldList,
  HoldStateAnswer,
  IdentityProviderAnswer,
  ImportGroups,
  ImportJobAnswer,
  ImportListing,
  ImportMembers,
  ImportMessages,
  ImportUsers,
  ImportedMemberOutcomesAnswer,
  InteractionPayload,
  ItemOutcomesAnswer,
  KeyScope,
  KeywordListAnswer,
  KeywordListModerationListing,
  LogList,
  MarkInteracted,
  MarkUpTo,
  MarkedAnswer,
  MemberByPayload,
  MemberList,
  MemberPayload,
  MemberScope,
  MessageAnswer,
  MessageCategory,
  MessageDeletedWebhook,
  MessageDeliveryReceiptWebhook,
  MessageEditedWebhook,
  MessageGrownWebhook,
  MessageList,
  MessageOutcomesAnswer,
  MessagePayload,
  MessageReactionAddedWebhook,
  MessageReactionRemovedWebhook,
  MessageReadReceiptWebhook,
  MessageSentWebhook,
  MessageStatsAnswer,
  MessageStopRequestedWebhook,
  MessagesDeletedPayload,
  MessagesExpiredPayload,
  ModerationEngineApprovedWebhook,
  ModerationEngineBlockedWebhook,
  ModerationEngineFailedWebhook,
  ModerationManualApprovedWebhook,
  MuteConversations,
  MuteListAnswer,
  NamedTriggers,
  NotificationChannel,
  NotificationPreviewList,
  NotificationProvider,
  NotificationReason,
  NotificationSettings,
  NotificationSettingsAnswer,
  NotificationTrigger,
  PermissionList,
  PermissionOutcomesAnswer,
  PermissionValuesAnswer,
  PinPayload,
  PollClosedWebhook,
  PollPayload,
  PollVotedWebhook,
  Preferences,
  PreferencesAnswer,
  PushTokenListAnswer,
  PutDraft,
  QueuedDeliveriesAnswer,
  QueuedSamplesAnswer,
  ReactionPayload,
  ReactivateUsers,
  ReactivatedUsersAnswer,
  ReasonDeleted,
  ReceiptList,
  ReceiptPayload,
  ReceiverType,
  RefusedListing,
  RegisterToken,
  ReminderAnswer,
  ReminderList,
  ReminderPayload,
  RemoveFriends,
  ReplayDeliveries,
  ReplyCounts,
  RescopedMemberPayload,
  ResetConversation,
  ResetSettings,
  RestrictFeatures,
  RestrictionList,
  RetentionAnswer,
  RetentionRunList,
  ReviewAnswer,
  ReviewBlocked,
  ReviewFlagged,
  RoleAnswer,
  RoleList,
  RotateSecret,
  RuleAnswer,
  RuleModerationListing,
  SaveCustom,
  SaveCustomEmail,
  SaveCustomSms,
  SaveSendGrid,
  SaveSmtp,
  SaveTwilio,
  ScheduledAnswer,
  ScheduledFailedPayload,
  ScheduledList,
  ScheduledMessageFailedWebhook,
  SecretAnswer,
  SendGridAnswer,
  SendMessageBody,
  SendMessageForm,
  SendReplyBody,
  SendReplyForm,
  SentMessageAnswer,
  SentReplyAnswer,
  SessionList,
  SetAsideList,
  SetHold,
  SetIdentityProvider,
  SetPermissions,
  SetReminder,
  SetRetention,
  SetSettings,
  SettingList,
  SmtpAnswer,
  StopPayload,
  SubmissionAnswer,
  SubmissionList,
  SubmissionPayload,
  SubmitForm,
  SuccessAnswer,
  SuccessMessageAnswer,
  TestNotification,
  TimeZone,
  TimeZoneAnswer,
  TrialAnswer,
  TriggerList,
  TryRule,
  TwilioAnswer,
  UnmuteConversations,
  UnregisterTokens,
  UpdateApnsProvider,
  UpdateBot,
  UpdateContactDetails,
  UpdateConversation,
  UpdateFcmProvider,
  UpdateGroup,
  UpdateKey,
  UpdateMessage,
  UpdateReason,
  UpdateRole,
  UpdateToken,
  UpdateUser,
  UpdateWebhook,
  UsageAnswer,
  UserAnswer,
  UserBlockedWebhook,
  UserConnectionStatusChangedWebhook,
  UserList,
  UserMentionedWebhook,
  UserOutcomesAnswer,
  UserStatus,
  UserUnblockedWebhook,
  VersionList,
  VoteInPoll,
  VotePayload,
  WebPushAddedAnswer,
  WebPushProvidersAnswer,
  WebhookAnswer,
  WebhookList,
  WebhookPausedPayload,
  WebhookPausedWebhook,
} from "./schemas.js";

/** What each operation takes and answers. */
export interface operations {
  /** Set a legal hold on the whole app, or lift it. */
  "PUT /legal_hold": {
    body: SetHold;
    answer: HoldStateAnswer;
  };
  /** Set a legal hold on a user, or lift it. */
  "PUT /users/{uid}/legal_hold": {
    path: {
      uid: string;
    };
    body: SetHold;
    answer: HoldStateAnswer;
  };
  /** Set a legal hold on a group, or lift it. */
  "PUT /groups/{guid}/legal_hold": {
    path: {
      guid: string;
    };
    body: SetHold;
    answer: HoldStateAnswer;
  };
  /** List the legal holds of the app. */
  "GET /legal_holds": {
    answer: HoldList;
  };
  /** List the runs that have removed old messages, newest first. */
  "GET /retention_runs": {
    answer: RetentionRunList;
  };
  /** Get the identity provider of the app. */
  "GET /identity_provider": {
    answer: IdentityProviderAnswer;
  };
  /** Set up the identity provider of the app, in place of the one before. */
  "PUT /identity_provider": {
    body: SetIdentityProvider;
    answer: IdentityProviderAnswer;
  };
  /** Remove the identity provider of the app. */
  "DELETE /identity_provider": {
    answer: SuccessAnswer;
  };
  /** Revoke all JWTs that were issued up to now. */
  "POST /identity_provider/revoke": {
    answer: IdentityProviderAnswer;
  };
  /** Create an API key. */
  "POST /apikeys": {
    body: CreateKey;
    answer: ApiKeyAnswer;
  };
  /** List the API keys of the app, newest first; `searchKey` finds a part of the name. */
  "GET /apikeys": {
    query?: {
      /** Only keys of this scope. */
      scope?: KeyScope;
      /** Only rows in which this is found; case is ignored. */
      searchKey?: string;
    };
    answer: ApiKeyList;
  };
  /** Get an API key. */
  "GET /apikeys/{apiKey}": {
    path: {
      apiKey: string;
    };
    answer: ApiKeyAnswer;
  };
  /** Change the name or the scope of an API key; a key can't change itself. */
  "PUT /apikeys/{apiKey}": {
    path: {
      apiKey: string;
    };
    body: UpdateKey;
    answer: ApiKeyAnswer;
  };
  /** Delete an API key; a key can't delete itself. */
  "DELETE /apikeys/{apiKey}": {
    path: {
      apiKey: string;
    };
    answer: SuccessMessageAnswer;
  };
  /** List all settings of the app, each with its value and its default. */
  "GET /settings": {
    answer: SettingList;
  };
  /** Change settings of the app; settings that are not named keep their values. */
  "PUT /settings": {
    body: SetSettings;
    answer: SettingList;
  };
  /** Reset settings of the app to their defaults. */
  "DELETE /settings": {
    body: ResetSettings;
    answer: SettingList;
  };
  /** Count the users who were active in a range of days, and the peak of connections. */
  "GET /stats": {
    query: {
      /** Seconds since 1970; from 100,000,000,000 on milliseconds. */
      fromDate: number;
      /** Seconds since 1970; from 100,000,000,000 on milliseconds. */
      toDate: number;
    };
    answer: UsageAnswer;
  };
  /** Count the messages and receipts of the last hour, in spans of five minutes. */
  "GET /stats/messages": {
    answer: MessageStatsAnswer;
  };
  /** List the acting user's conversations: pinned ones first, then newest first. */
  "GET /conversations": {
    query?: {
      /** The number of the page, from 1. The default is `1`. */
      page?: number;
      /** The most rows of a page. The default is `100`. */
      perPage?: number;
      /** Only rows in which this is found; case is ignored. */
      searchKey?: string;
      /** Only conversations with users, or of groups. */
      conversationType?: ReceiverType;
      /** Conversations show the acting user's tags. */
      withTags?: boolean;
      /** Only conversations with one of these tags. */
      tags?: string[];
      /** Users and groups show their tags. */
      withUserAndGroupTags?: boolean;
      /** Only conversations with users with one of these tags. */
      userTags?: string[];
      /** Only conversations of groups with one of these tags. */
      groupTags?: string[];
      /** Only conversations with unread messages. */
      unread?: boolean;
      /** Only conversations that are pinned. */
      pinned?: boolean;
      /** Also conversations with users whom the acting user blocks. */
      includeBlockedUsers?: boolean;
    };
    answer: ConversationList;
  };
  /** Get the acting user's conversation with another user. */
  "GET /users/{uid}/conversation": {
    path: {
      uid: string;
    };
    answer: ConversationAnswer;
  };
  /** Replace the acting user's own tags of the conversation with another user. */
  "PUT /users/{uid}/conversation": {
    path: {
      uid: string;
    };
    body: UpdateConversation;
    answer: ConversationAnswer;
  };
  /** Remove the conversation with another user from the acting user's list; others keep it. */
  "DELETE /users/{uid}/conversation": {
    path: {
      uid: string;
    };
    body?: ResetConversation;
    answer: SuccessMessageAnswer;
  };
  /** Get the acting user's conversation in a group. */
  "GET /groups/{guid}/conversation": {
    path: {
      guid: string;
    };
    answer: ConversationAnswer;
  };
  /** Replace the acting user's own tags of the conversation in a group. */
  "PUT /groups/{guid}/conversation": {
    path: {
      guid: string;
    };
    body: UpdateConversation;
    answer: ConversationAnswer;
  };
  /** Remove the conversation in a group from the acting user's list; others keep it. */
  "DELETE /groups/{guid}/conversation": {
    path: {
      guid: string;
    };
    body?: ResetConversation;
    answer: SuccessMessageAnswer;
  };
  /**
   * @deprecated
   * Get a conversation of the acting user by its id; prefer the paths with a uid or a guid.
   */
  "GET /conversations/{conversationId}": {
    path: {
      conversationId: string;
    };
    answer: ConversationAnswer;
  };
  /**
   * @deprecated
   * Delete a conversation for all who take part: with an API key, or as an admin of the group.
   */
  "DELETE /conversations/{conversationId}": {
    path: {
      conversationId: string;
    };
    answer: SuccessMessageAnswer;
  };
  /** Pin the conversation with another user: it comes first in lists. */
  "POST /users/{uid}/conversation/pin": {
    path: {
      uid: string;
    };
    answer: ConversationAnswer;
  };
  /** Unpin the conversation with another user. */
  "DELETE /users/{uid}/conversation/pin": {
    path: {
      uid: string;
    };
    answer: ConversationAnswer;
  };
  /** Pin the conversation in a group: it comes first in lists. */
  "POST /groups/{guid}/conversation/pin": {
    path: {
      guid: string;
    };
    answer: ConversationAnswer;
  };
  /** Unpin the conversation in a group. */
  "DELETE /groups/{guid}/conversation/pin": {
    path: {
      guid: string;
    };
    answer: ConversationAnswer;
  };
  /** Mark the messages from another user as delivered: up to a message, or all of them. */
  "POST /users/{uid}/conversation/delivered": {
    path: {
      uid: string;
    };
    body?: MarkUpTo;
    answer: MarkedAnswer;
  };
  /** Mark the messages in a group as delivered: up to a message, or all of them. */
  "POST /groups/{guid}/conversation/delivered": {
    path: {
      guid: string;
    };
    body?: MarkUpTo;
    answer: MarkedAnswer;
  };
  /** Mark the messages from another user as read: up to a message, or all of them. */
  "POST /users/{uid}/conversation/read": {
    path: {
      uid: string;
    };
    body?: MarkUpTo;
    answer: MarkedAnswer;
  };
  /** Mark the messages from another user that follow a message as unread; without one, the newest. */
  "DELETE /users/{uid}/conversation/read": {
    path: {
      uid: string;
    };
    body?: MarkUpTo;
    answer: SuccessMessageAnswer;
  };
  /** Mark the messages in a group as read: up to a message, or all of them. */
  "POST /groups/{guid}/conversation/read": {
    path: {
      guid: string;
    };
    body?: MarkUpTo;
    answer: MarkedAnswer;
  };
  /** Mark the messages in a group that follow a message as unread; without one, the newest. */
  "DELETE /groups/{guid}/conversation/read": {
    path: {
      guid: string;
    };
    body?: MarkUpTo;
    answer: SuccessMessageAnswer;
  };
  /** List the acting user's drafts, the latest first. */
  "GET /drafts": {
    query?: {
      /** The number of the page, from 1. The default is `1`. */
      page?: number;
      /** The most rows of a page. The default is `100`. */
      perPage?: number;
    };
    answer: DraftList;
  };
  /** Get what the acting user has begun to write in a conversation. */
  "GET /conversations/{conversationId}/draft": {
    path: {
      conversationId: string;
    };
    answer: DraftAnswer;
  };
  /** Keep what the acting user has begun to write; other users can't see it. */
  "PUT /conversations/{conversationId}/draft": {
    path: {
      conversationId: string;
    };
    body: PutDraft;
    answer: DraftAnswer;
  };
  /** Remove the acting user's draft in a conversation, if there is one. */
  "DELETE /conversations/{conversationId}/draft": {
    path: {
      conversationId: string;
    };
    answer: SuccessMessageAnswer;
  };
  /** Get how long the conversation with another user keeps its messages. */
  "GET /users/{uid}/conversation/retention": {
    path: {
      uid: string;
    };
    answer: RetentionAnswer;
  };
  /** Set how long the conversation with another user keeps its messages. */
  "PUT /users/{uid}/conversation/retention": {
    path: {
      uid: string;
    };
    body: SetRetention;
    answer: RetentionAnswer;
  };
  /** Get how long the conversation of a group keeps its messages. */
  "GET /groups/{guid}/conversation/retention": {
    path: {
      guid: string;
    };
    answer: RetentionAnswer;
  };
  /** Set how long the conversation of a group keeps its messages. */
  "PUT /groups/{guid}/conversation/retention": {
    path: {
      guid: string;
    };
    body: SetRetention;
    answer: RetentionAnswer;
  };
  /** List what happened in the app after a cursor, in order, each event once. */
  "GET /events": {
    query?: {
      /** A cursor: only events after it. Without one, there are none: the answer has the cursor of now. */
      since?: string;
      /** The most rows of the answer. The default is `100`. */
      limit?: number;
      /** The seconds to wait for an event if there is none yet. */
      wait?: number;
    };
    answer: EventList;
  };
  /** List the events that the server failed to process for a defect, newest first. */
  "GET /events/set-aside": {
    query?: {
      /** The number of the page, from 1. The default is `1`. */
      page?: number;
      /** The most rows of a page. The default is `100`. */
      perPage?: number;
    };
    answer: SetAsideList;
  };
  /** Create a group. */
  "POST /groups": {
    body: CreateGroup;
    answer: CreatedGroupAnswer;
  };
  /** List groups, newest change first, or by `sortBy`. */
  "GET /groups": {
    query?: {
      /** The number of the page, from 1. The default is `1`. */
      page?: number;
      /** The most rows of a page. The default is `100`. */
      perPage?: number;
      /** The default is `prepend`. */
      affix?: Affix;
      /** The `updatedAt` of the cursor of an answer, to continue from there. */
      updatedAt?: number;
      /** The `id` of the cursor of an answer. */
      id?: string;
      /** Only rows in which this is found; case is ignored. */
      searchKey?: string;
      /** Where `searchKey` is searched; both if absent. */
      searchIn?: ("guid" | "name")[];
      /** The order of the list; without it, the latest change comes first. */
      sortBy?: "createdAt" | "guid" | "name";
      /** The direction of `sortBy`. The default is `asc`. */
      sortOrder?: "asc" | "desc";
      /** Groups show their tags. */
      withTags?: boolean;
      /** Only groups with one of these tags. */
      tags?: string[];
      /** Only groups of this type. */
      type?: GroupType;
      /** Only groups of these types. */
      types?: GroupType[];
      /** Only groups that the acting user has joined. */
      hasJoined?: boolean;
    };
    answer: GroupList;
  };
  /** Get a group; a private one is found only by its members and the app. */
  "GET /groups/{guid}": {
    path: {
      guid: string;
    };
    answer: GroupAnswer;
  };
  /** Change a group; fields that are absent keep their values. */
  "PUT /groups/{guid}": {
    path: {
      guid: string;
    };
    body: UpdateGroup;
    answer: GroupAnswer;
  };
  /** Delete a group permanently, with all its messages. */
  "DELETE /groups/{guid}": {
    path: {
      guid: string;
    };
    answer: SuccessMessageAnswer;
  };
  /** List the users who are banned from a group, newest first; for moderators and admins. */
  "GET /groups/{guid}/bannedusers": {
    path: {
      guid: string;
    };
    query?: {
      /** The number of the page, from 1. The default is `1`. */
      page?: number;
      /** The most rows of a page. The default is `100`. */
      perPage?: number;
      /** The default is `prepend`. */
      affix?: Affix;
      /** The `updatedAt` of the cursor of an answer, to continue from there. */
      updatedAt?: number;
      /** The `id` of the cursor of an answer. */
      id?: string;
    };
    answer: BannedUserList;
  };
  /**
   * @deprecated
   * List the users who are banned from a group, newest first; for moderators and admins.
   */
  "GET /groups/{guid}/banned_members": {
    path: {
      guid: string;
    };
    query?: {
      /** The number of the page, from 1. The default is `1`. */
      page?: number;
      /** The most rows of a page. The default is `100`. */
      perPage?: number;
      /** The default is `prepend`. */
      affix?: Affix;
      /** The `updatedAt` of the cursor of an answer, to continue from there. */
      updatedAt?: number;
      /** The `id` of the cursor of an answer. */
      id?: string;
    };
    answer: BannedUserList;
  };
  /** Ban a user from a group: they are removed if they are a member, and can't join. */
  "POST /groups/{guid}/bannedusers/{uid}": {
    path: {
      guid: string;
      uid: string;
    };
    answer: SuccessMessageAnswer;
  };
  /** Unban a user from a group: they may join again. */
  "DELETE /groups/{guid}/bannedusers/{uid}": {
    path: {
      guid: string;
      uid: string;
    };
    answer: SuccessMessageAnswer;
  };
  /**
   * @deprecated
   * Ban a user from a group: they are removed if they are a member, and can't join.
   */
  "POST /groups/{guid}/banned_members/{uid}": {
    path: {
      guid: string;
      uid: string;
    };
    answer: SuccessMessageAnswer;
  };
  /**
   * @deprecated
   * Unban a user from a group: they may join again.
   */
  "DELETE /groups/{guid}/banned_members/{uid}": {
    path: {
      guid: string;
      uid: string;
    };
    answer: SuccessMessageAnswer;
  };
  /** Add users to a group, or ban them from it: at most 25, each with an outcome. */
  "POST /groups/{guid}/members": {
    path: {
      guid: string;
    };
    body?: AddMembers;
    answer: AddedMembersAnswer;
  };
  /** List the members of a group, newest first; an acting user must be a member. */
  "GET /groups/{guid}/members": {
    path: {
      guid: string;
    };
    query?: {
      /** The number of the page, from 1. The default is `1`. */
      page?: number;
      /** The most rows of a page. The default is `100`. */
      perPage?: number;
      /** The default is `prepend`. */
      affix?: Affix;
      /** The `updatedAt` of the cursor of an answer, to continue from there. */
      updatedAt?: number;
      /** The `id` of the cursor of an answer. */
      id?: string;
      /** Only members of these scopes. */
      scopes?: MemberScope[];
      /** Only members with this status. */
      status?: UserStatus;
    };
    answer: MemberList;
  };
  /** Change the scope of a member. */
  "PUT /groups/{guid}/members/{uid}": {
    path: {
      guid: string;
      uid: string;
    };
    body: ChangeScope;
    answer: ChangedScopeAnswer;
  };
  /** Remove a member from a group; an acting user can name themself to leave it. */
  "DELETE /groups/{guid}/members/{uid}": {
    path: {
      guid: string;
      uid: string;
    };
    answer: SuccessMessageAnswer;
  };
  /** Export the chats of the app, of a group, or what is stored about a person. */
  "POST /exports": {
    body: AskForExport;
    answer: ExportJobAnswer;
  };
  /** List the exports of the app, newest first. */
  "GET /exports": {
    answer: ExportListing;
  };
  /** Get an export: how it stands, and at its end the file and the report. */
  "GET /exports/{exportId}": {
    path: {
      exportId: string;
    };
    answer: ExportJobAnswer;
  };
  /** Cancel an export that waits or runs, or delete one that has ended. */
  "DELETE /exports/{exportId}": {
    path: {
      exportId: string;
    };
    answer: ExportJobAnswer;
  };
  /** Import users with their past; one outcome for each row, and a bad one fails alone. */
  "POST /data_import/users": {
    query?: {
      /** What is done with rows that are stored already; without it they are refused. */
      onConflict?: "skip" | "update";
    };
    body: ImportUsers;
    answer: UserOutcomesAnswer;
  };
  /** Import groups with their past; an owner becomes a member of scope admin. */
  "POST /data_import/groups": {
    query?: {
      /** What is done with rows that are stored already; without it they are refused. */
      onConflict?: "skip" | "update";
    };
    body: ImportGroups;
    answer: GroupOutcomesAnswer;
  };
  /** Import members of groups with their past; with `isBanned` they are banned. */
  "POST /data_import/members": {
    query?: {
      /** What is done with rows that are stored already; without it they are refused. */
      onConflict?: "skip";
    };
    body: ImportMembers;
    answer: ImportedMemberOutcomesAnswer;
  };
  /** Import messages with their past: `sentAt` is kept, ids are assigned in order of arrival. */
  "POST /data_import/messages": {
    query?: {
      /** What is done with rows that are stored already; without it they are refused. */
      onConflict?: "skip";
      /** Whether the files of attachments are fetched and stored here. */
      fetchAttachments?: boolean;
    };
    body: ImportMessages;
    answer: MessageOutcomesAnswer;
  };
  /** Import a file: JSON Lines, or what another chat system exports. */
  "POST /imports": {
    body?: AskForImport;
    form?: AskForImportForm;
    answer: ImportJobAnswer;
  };
  /** List the latest 100 imports, newest first. */
  "GET /imports": {
    answer: ImportListing;
  };
  /** Get an import: how far it is, and at its end the report. */
  "GET /imports/{importId}": {
    path: {
      importId: string;
    };
    answer: ImportJobAnswer;
  };
  /** Cancel an import. */
  "DELETE /imports/{importId}": {
    path: {
      importId: string;
    };
    answer: ImportJobAnswer;
  };
  /** List the rows that an import refused, with the reasons. */
  "GET /imports/{importId}/refused": {
    path: {
      importId: string;
    };
    query?: {
      /** The place of the last row before the list. */
      after?: number;
      /** The most rows of a page. The default is `100`. */
      perPage?: number;
    };
    answer: RefusedListing;
  };
  /** Send a message to a user or a group. */
  "POST /messages": {
    body?: SendMessageBody;
    form?: SendMessageForm;
    answer: SentMessageAnswer;
  };
  /** List messages of the app; for an acting user, those of the user's conversations. */
  "GET /messages": {
    query?: {
      /** The most rows of the answer. The default is `100`. */
      limit?: number;
      /** The default is `append`. */
      affix?: Affix;
      /** Only messages whose text or file names contain this; case is ignored. An answer may hold fewer messages than `limit`, even none, while `meta` has a cursor to continue from. */
      searchKey?: string;
      /** The message from which the list continues. */
      id?: string;
      /** The time from which the list continues, in seconds. */
      sentAt?: number;
      /** Only messages that were sent since then. */
      fromTimestamp?: number;
      /** Only messages that were sent until then. */
      toTimestamp?: number;
      /** Only messages of this category. */
      category?: MessageCategory;
      /** Only messages of these categories. */
      categories?: MessageCategory[];
      /** Only messages of this type. */
      type?: string;
      /** Only messages of these types. */
      types?: string[];
      /** Only messages with one of these tags. */
      tags?: string[];
      /** Messages show their tags. */
      withTags?: boolean;
      /** Only messages of this user. */
      sender?: string;
      /** No replies in threads. */
      hideReplies?: boolean;
      /** No deleted messages. */
      hideDeleted?: boolean;
      /** Only deleted messages. */
      onlyDeleted?: boolean;
      /** Only messages that are pinned. */
      pinned?: boolean;
      /** Only messages with attachments. */
      hasAttachments?: boolean;
      /** Only messages with an attachment of one of these kinds. */
      attachmentTypes?: ("audio" | "file" | "image" | "video")[];
      /** Only messages whose text has a link. */
      hasLinks?: boolean;
      /** Only messages that mention someone. */
      hasMentions?: boolean;
      /** Only messages with reactions. */
      hasReactions?: boolean;
      /** Only messages that mention one of these users. */
      mentionedUids?: string[];
      /** Only messages that mention the acting user. */
      myMentionsOnly?: boolean;
      /** Only messages that the acting user has not read. */
      unread?: boolean;
      /** Only messages that were not delivered to the acting user. */
      undelivered?: boolean;
      /** No messages of users whom the acting user blocks. */
      hideMessagesFromBlockedUsers?: boolean;
      /** Replies show the message that they reply to, as `parentMessage`. */
      withParent?: boolean;
      /** Users in `data.mentions` show their tags. */
      mentionsWithTagInfo?: boolean;
      /** Users in `data.mentions` show whether they block the acting user, or are blocked by them. */
      mentionsWithBlockedInfo?: boolean;
      /** Instead of messages, their number by user and group: of all messages that match the filters, whatever the cursor. See the operation. */
      count?: boolean;
      /** Only messages to users, or to groups. */
      receiverType?: ReceiverType;
      /** Only messages of this conversation. */
      conversationId?: string;
      /** Only messages that the acting user has saved. */
      saved?: boolean;
    };
    answer: MessageList;
  };
  /** Get a message. */
  "GET /messages/{id}": {
    path: {
      id: string;
    };
    answer: MessageAnswer;
  };
  /** Edit a message. */
  "PUT /messages/{id}": {
    path: {
      id: string;
    };
    body: UpdateMessage;
    answer: MessageAnswer;
  };
  /** Delete a message. */
  "DELETE /messages/{id}": {
    path: {
      id: string;
    };
    body?: DeleteMessage;
    answer: MessageAnswer;
  };
  /** List the one-to-one messages between the acting user and another user. */
  "GET /users/{uid}/messages": {
    path: {
      uid: string;
    };
    query?: {
      /** The most rows of the answer. The default is `100`. */
      limit?: number;
      /** The default is `append`. */
      affix?: Affix;
      /** Only messages whose text or file names contain this; case is ignored. An answer may hold fewer messages than `limit`, even none, while `meta` has a cursor to continue from. */
      searchKey?: string;
      /** The message from which the list continues. */
      id?: string;
      /** The time from which the list continues, in seconds. */
      sentAt?: number;
      /** Only messages that were sent since then. */
      fromTimestamp?: number;
      /** Only messages that were sent until then. */
      toTimestamp?: number;
      /** Only messages of this category. */
      category?: MessageCategory;
      /** Only messages of these categories. */
      categories?: MessageCategory[];
      /** Only messages of this type. */
      type?: string;
      /** Only messages of these types. */
      types?: string[];
      /** Only messages with one of these tags. */
      tags?: string[];
      /** Messages show their tags. */
      withTags?: boolean;
      /** Only messages of this user. */
      sender?: string;
      /** No replies in threads. */
      hideReplies?: boolean;
      /** No deleted messages. */
      hideDeleted?: boolean;
      /** Only deleted messages. */
      onlyDeleted?: boolean;
      /** Only messages that are pinned. */
      pinned?: boolean;
      /** Only messages with attachments. */
      hasAttachments?: boolean;
      /** Only messages with an attachment of one of these kinds. */
      attachmentTypes?: ("audio" | "file" | "image" | "video")[];
      /** Only messages whose text has a link. */
      hasLinks?: boolean;
      /** Only messages that mention someone. */
      hasMentions?: boolean;
      /** Only messages with reactions. */
      hasReactions?: boolean;
      /** Only messages that mention one of these users. */
      mentionedUids?: string[];
      /** Only messages that mention the acting user. */
      myMentionsOnly?: boolean;
      /** Only messages that the acting user has not read. */
      unread?: boolean;
      /** Only messages that were not delivered to the acting user. */
      undelivered?: boolean;
      /** No messages of users whom the acting user blocks. */
      hideMessagesFromBlockedUsers?: boolean;
      /** Replies show the message that they reply to, as `parentMessage`. */
      withParent?: boolean;
      /** Users in `data.mentions` show their tags. */
      mentionsWithTagInfo?: boolean;
      /** Users in `data.mentions` show whether they block the acting user, or are blocked by them. */
      mentionsWithBlockedInfo?: boolean;
      /** Instead of messages, their number by user and group: of all messages that match the filters, whatever the cursor. See the operation. */
      count?: boolean;
    };
    answer: MessageList;
  };
  /** List the messages of a group; with `count`, their number. */
  "GET /groups/{guid}/messages": {
    path: {
      guid: string;
    };
    query?: {
      /** The most rows of the answer. The default is `100`. */
      limit?: number;
      /** The default is `append`. */
      affix?: Affix;
      /** Only messages whose text or file names contain this; case is ignored. An answer may hold fewer messages than `limit`, even none, while `meta` has a cursor to continue from. */
      searchKey?: string;
      /** The message from which the list continues. */
      id?: string;
      /** The time from which the list continues, in seconds. */
      sentAt?: number;
      /** Only messages that were sent since then. */
      fromTimestamp?: number;
      /** Only messages that were sent until then. */
      toTimestamp?: number;
      /** Only messages of this category. */
      category?: MessageCategory;
      /** Only messages of these categories. */
      categories?: MessageCategory[];
      /** Only messages of this type. */
      type?: string;
      /** Only messages of these types. */
      types?: string[];
      /** Only messages with one of these tags. */
      tags?: string[];
      /** Messages show their tags. */
      withTags?: boolean;
      /** Only messages of this user. */
      sender?: string;
      /** No replies in threads. */
      hideReplies?: boolean;
      /** No deleted messages. */
      hideDeleted?: boolean;
      /** Only deleted messages. */
      onlyDeleted?: boolean;
      /** Only messages that are pinned. */
      pinned?: boolean;
      /** Only messages with attachments. */
      hasAttachments?: boolean;
      /** Only messages with an attachment of one of these kinds. */
      attachmentTypes?: ("audio" | "file" | "image" | "video")[];
      /** Only messages whose text has a link. */
      hasLinks?: boolean;
      /** Only messages that mention someone. */
      hasMentions?: boolean;
      /** Only messages with reactions. */
      hasReactions?: boolean;
      /** Only messages that mention one of these users. */
      mentionedUids?: string[];
      /** Only messages that mention the acting user. */
      myMentionsOnly?: boolean;
      /** Only messages that the acting user has not read. */
      unread?: boolean;
      /** Only messages that were not delivered to the acting user. */
      undelivered?: boolean;
      /** No messages of users whom the acting user blocks. */
      hideMessagesFromBlockedUsers?: boolean;
      /** Replies show the message that they reply to, as `parentMessage`. */
      withParent?: boolean;
      /** Users in `data.mentions` show their tags. */
      mentionsWithTagInfo?: boolean;
      /** Users in `data.mentions` show whether they block the acting user, or are blocked by them. */
      mentionsWithBlockedInfo?: boolean;
      /** Instead of messages, their number by user and group: of all messages that match the filters, whatever the cursor. See the operation. */
      count?: boolean;
    };
    answer: MessageList;
  };
  /** Append a text to a message that grows. */
  "POST /messages/{id}/append": {
    path: {
      id: string;
    };
    body: AppendBody;
    answer: AppendedAnswer;
  };
  /** Append texts to several messages that grow. */
  "POST /messages/append": {
    body: AppendsBody;
    answer: AppendOutcomes;
  };
  /** End a message that grows. */
  "POST /messages/{id}/finish": {
    path: {
      id: string;
    };
    body?: FinishBody;
    answer: MessageAnswer;
  };
  /** Ask the sender of a message that grows to end it. */
  "POST /messages/{id}/stop": {
    path: {
      id: string;
    };
    answer: SuccessMessageAnswer;
  };
  /** List what a message was before each of its edits, newest first. */
  "GET /messages/{id}/history": {
    path: {
      id: string;
    };
    query?: {
      /** The number of the page, from 1. The default is `1`. */
      page?: number;
      /** The most rows of a page. The default is `100`. */
      perPage?: number;
    };
    answer: VersionList;
  };
  /** Mark elements of an interactive message as used by the acting user. */
  "PATCH /messages/{id}/interacted": {
    path: {
      id: string;
    };
    body: MarkInteracted;
    answer: MessageAnswer;
  };
  /** Submit a form for the acting user. */
  "POST /messages/{id}/submissions": {
    path: {
      id: string;
    };
    body: SubmitForm;
    answer: SubmissionAnswer;
  };
  /** List the submissions of a form, oldest first. */
  "GET /messages/{id}/submissions": {
    path: {
      id: string;
    };
    query?: {
      /** The most rows of the answer. The default is `100`. */
      limit?: number;
      /** The default is `append`. */
      affix?: Affix;
      /** The row from which the slice continues. */
      id?: string;
    };
    answer: SubmissionList;
  };
  /** Pin a message for all who take part in its conversation. */
  "POST /messages/{id}/pin": {
    path: {
      id: string;
    };
    answer: MessageAnswer;
  };
  /** Unpin a message, also if another user has pinned it. */
  "DELETE /messages/{id}/pin": {
    path: {
      id: string;
    };
    answer: MessageAnswer;
  };
  /** Save a message for the acting user; other users can't see this. */
  "POST /messages/{id}/save": {
    path: {
      id: string;
    };
    answer: MessageAnswer;
  };
  /** Remove a message from those that the acting user has saved. */
  "DELETE /messages/{id}/save": {
    path: {
      id: string;
    };
    answer: MessageAnswer;
  };
  /** List who has voted in a poll, in the order in which they did. */
  "GET /messages/{id}/votes": {
    path: {
      id: string;
    };
    query?: {
      /** The most rows of the answer. The default is `100`. */
      limit?: number;
      /** The default is `append`. */
      affix?: Affix;
      /** The row from which the slice continues. */
      id?: string;
      /** The number of an option of the poll, from 0. */
      option?: number;
    };
    answer: GivenVoteList;
  };
  /** Vote in a poll: for these options, and for no others. */
  "POST /messages/{id}/votes": {
    path: {
      id: string;
    };
    body: VoteInPoll;
    answer: MessageAnswer;
  };
  /** Take back all votes of the acting user in a poll, while it is open. */
  "DELETE /messages/{id}/votes": {
    path: {
      id: string;
    };
    answer: MessageAnswer;
  };
  /** Close a poll before its time: nobody may vote any more. */
  "POST /messages/{id}/votes/close": {
    path: {
      id: string;
    };
    answer: MessageAnswer;
  };
  /** List the reactions to a message, in the order in which they were given. */
  "GET /messages/{id}/reactions": {
    path: {
      id: string;
    };
    query?: {
      /** The most rows of the answer. The default is `100`. */
      limit?: number;
      /** The default is `append`. */
      affix?: Affix;
      /** The row from which the slice continues. */
      id?: string;
    };
    answer: GivenReactionList;
  };
  /** List the users who gave one reaction to a message. */
  "GET /messages/{id}/reactions/{reaction}": {
    path: {
      id: string;
      reaction: string;
    };
    query?: {
      /** The most rows of the answer. The default is `100`. */
      limit?: number;
      /** The default is `append`. */
      affix?: Affix;
      /** The row from which the slice continues. */
      id?: string;
    };
    answer: GivenReactionList;
  };
  /** Add a reaction to a message; one that the acting user has given already stays. */
  "POST /messages/{id}/reactions/{reaction}": {
    path: {
      id: string;
      reaction: string;
    };
    answer: MessageAnswer;
  };
  /** Remove a reaction from a message, if the acting user has given it. */
  "DELETE /messages/{id}/reactions/{reaction}": {
    path: {
      id: string;
      reaction: string;
    };
    answer: MessageAnswer;
  };
  /** List the receipts of a message by uid: when it was delivered to a user, and read. */
  "GET /messages/{id}/receipts": {
    path: {
      id: string;
    };
    query?: {
      /** The most rows of the answer. The default is `100`. */
      limit?: number;
      /** The uid after which the slice begins. */
      id?: string;
    };
    answer: ReceiptList;
  };
  /** List the acting user's reminders that are to come, by their times. */
  "GET /reminders": {
    query?: {
      /** The number of the page, from 1. The default is `1`. */
      page?: number;
      /** The most rows of a page. The default is `100`. */
      perPage?: number;
    };
    answer: ReminderList;
  };
  /** Remind the acting user of a message at a time; other users can't see this. */
  "POST /messages/{id}/reminders": {
    path: {
      id: string;
    };
    body: SetReminder;
    answer: ReminderAnswer;
  };
  /** Remove the acting user's reminder of a message, if there is one. */
  "DELETE /messages/{id}/reminders": {
    path: {
      id: string;
    };
    answer: SuccessMessageAnswer;
  };
  /** List the messages that wait for their time, and those that could not be sent, by their times. */
  "GET /scheduled-messages": {
    query?: {
      /** The number of the page, from 1. The default is `1`. */
      page?: number;
      /** The most rows of a page. The default is `100`. */
      perPage?: number;
      /** Only those that wait, or that have failed. */
      status?: "failed" | "pending";
    };
    answer: ScheduledList;
  };
  /** Get a message that is sent later. */
  "GET /scheduled-messages/{id}": {
    path: {
      id: string;
    };
    answer: ScheduledAnswer;
  };
  /** Change when a message is sent, or what it says. */
  "PATCH /scheduled-messages/{id}": {
    path: {
      id: string;
    };
    body: ChangeScheduled;
    answer: ScheduledAnswer;
  };
  /** Cancel a message that is sent later. */
  "DELETE /scheduled-messages/{id}": {
    path: {
      id: string;
    };
    answer: SuccessMessageAnswer;
  };
  /** Send a message before its time, as its sender. */
  "POST /scheduled-messages/{id}/send": {
    path: {
      id: string;
    };
    answer: SentReplyAnswer;
  };
  /** Reply in the thread of a message. */
  "POST /messages/{id}/thread": {
    path: {
      id: string;
    };
    body?: SendReplyBody;
    form?: SendReplyForm;
    answer: SentReplyAnswer;
  };
  /** List the replies in the thread of a message; with `count`, their number. */
  "GET /messages/{id}/thread": {
    path: {
      id: string;
    };
    query?: {
      /** The most rows of the answer. The default is `100`. */
      limit?: number;
      /** The default is `append`. */
      affix?: Affix;
      /** Only messages whose text or file names contain this; case is ignored. An answer may hold fewer messages than `limit`, even none, while `meta` has a cursor to continue from. */
      searchKey?: string;
      /** The message from which the list continues. */
      id?: string;
      /** The time from which the list continues, in seconds. */
      sentAt?: number;
      /** Only messages that were sent since then. */
      fromTimestamp?: number;
      /** Only messages that were sent until then. */
      toTimestamp?: number;
      /** Only messages of this category. */
      category?: MessageCategory;
      /** Only messages of these categories. */
      categories?: MessageCategory[];
      /** Only messages of this type. */
      type?: string;
      /** Only messages of these types. */
      types?: string[];
      /** Only messages with one of these tags. */
      tags?: string[];
      /** Messages show their tags. */
      withTags?: boolean;
      /** Only messages of this user. */
      sender?: string;
      /** No replies in threads. */
      hideReplies?: boolean;
      /** No deleted messages. */
      hideDeleted?: boolean;
      /** Only deleted messages. */
      onlyDeleted?: boolean;
      /** Only messages that are pinned. */
      pinned?: boolean;
      /** Only messages with attachments. */
      hasAttachments?: boolean;
      /** Only messages with an attachment of one of these kinds. */
      attachmentTypes?: ("audio" | "file" | "image" | "video")[];
      /** Only messages whose text has a link. */
      hasLinks?: boolean;
      /** Only messages that mention someone. */
      hasMentions?: boolean;
      /** Only messages with reactions. */
      hasReactions?: boolean;
      /** Only messages that mention one of these users. */
      mentionedUids?: string[];
      /** Only messages that mention the acting user. */
      myMentionsOnly?: boolean;
      /** Only messages that the acting user has not read. */
      unread?: boolean;
      /** Only messages that were not delivered to the acting user. */
      undelivered?: boolean;
      /** No messages of users whom the acting user blocks. */
      hideMessagesFromBlockedUsers?: boolean;
      /** Replies show the message that they reply to, as `parentMessage`. */
      withParent?: boolean;
      /** Users in `data.mentions` show their tags. */
      mentionsWithTagInfo?: boolean;
      /** Users in `data.mentions` show whether they block the acting user, or are blocked by them. */
      mentionsWithBlockedInfo?: boolean;
      /** Instead of messages, their number by user and group: of all messages that match the filters, whatever the cursor. See the operation. */
      count?: boolean;
      /** The same as `limit`. */
      perPage?: number;
      /** The number of the page, from 1. The default is `1`. */
      page?: number;
    };
    answer: MessageList;
  };
  /** Count the replies to several messages, such as those of a page. */
  "GET /messages/replies": {
    query?: {
      /** The ids of the messages, at most 100. */
      ids?: string[];
    };
    answer: ReplyCounts;
  };
  /** Flag a message for a review, as a user who may read it. */
  "POST /messages/{id}/flagged": {
    path: {
      id: string;
    };
    body: FlagMessage;
    answer: SuccessMessageAnswer;
  };
  /** List the flagged messages that are to be reviewed, latest flag first. */
  "GET /moderation/flagged-messages": {
    query?: {
      /** The number of the page, from 1. The default is `1`. */
      page?: number;
      /** The most rows of a page. */
      perPage?: number;
      /** The most rows of a page. */
      limit?: number;
    };
    answer: FlaggedModerationListing;
  };
  /** Approve a flagged message, or disapprove it. */
  "PATCH /moderation/flagged-messages/{id}": {
    path: {
      id: string;
    };
    body: ReviewFlagged;
    answer: ReviewAnswer;
  };
  /** List the messages that were reviewed, latest review first. */
  "GET /moderation/reviewed-messages": {
    query?: {
      /** The number of the page, from 1. The default is `1`. */
      page?: number;
      /** The most rows of a page. */
      perPage?: number;
      /** The most rows of a page. */
      limit?: number;
    };
    answer: FlaggedModerationListing;
  };
  /** List the messages that rules have blocked and that are to be reviewed, newest first. */
  "GET /moderation/blocked-messages": {
    query?: {
      /** The number of the page, from 1. The default is `1`. */
      page?: number;
      /** The most rows of a page. */
      perPage?: number;
      /** The most rows of a page. */
      limit?: number;
    };
    answer: BlockedModerationListing;
  };
  /** Deliver a blocked message, or reject it. */
  "PATCH /moderation/blocked-messages/{id}": {
    path: {
      id: string;
    };
    body: ReviewBlocked;
    answer: SuccessMessageAnswer;
  };
  /** Appeal against the blocking of one's own message. */
  "POST /messages/{id}/appeal": {
    path: {
      id: string;
    };
    body: AppealHeld;
    answer: SuccessMessageAnswer;
  };
  /** Create a rule, which holds at once unless `enabled` is false. */
  "POST /moderation/rules": {
    body: GivenRule;
    answer: RuleAnswer;
  };
  /** List the rules: the app's own, newest first, then the built-in ones. */
  "GET /moderation/rules": {
    query?: {
      /** The number of the page, from 1. The default is `1`. */
      page?: number;
      /** The most rows of a page. */
      perPage?: number;
      /** The most rows of a page. */
      limit?: number;
    };
    answer: RuleModerationListing;
  };
  /** Get a rule. */
  "GET /moderation/rules/{ruleId}": {
    path: {
      ruleId: string;
    };
    answer: RuleAnswer;
  };
  /** Change a rule, also a built-in one; fields that are absent keep their values. */
  "PUT /moderation/rules/{ruleId}": {
    path: {
      ruleId: string;
    };
    body: GivenRule;
    answer: RuleAnswer;
  };
  /** Delete a rule with its revisions; a built-in one can only be disabled. */
  "DELETE /moderation/rules/{ruleId}": {
    path: {
      ruleId: string;
    };
    answer: SuccessMessageAnswer;
  };
  /** List the revisions of a rule, newest first; the newest is `active`. */
  "GET /moderation/rules/{ruleId}/revisions": {
    path: {
      ruleId: string;
    };
    query?: {
      /** The number of the page, from 1. The default is `1`. */
      page?: number;
      /** The most rows of a page. */
      perPage?: number;
      /** The most rows of a page. */
      limit?: number;
    };
    answer: RuleModerationListing;
  };
  /** Find out which of the last messages a rule would have matched; nothing is changed. */
  "POST /moderation/rules/{ruleId}/try": {
    path: {
      ruleId: string;
    };
    body?: TryRule;
    answer: TrialAnswer;
  };
  /** Create a list of words, patterns or sentences, which conditions can refer to. */
  "POST /moderation/keywords": {
    body?: GivenList;
    form?: GivenListForm;
    answer: KeywordListAnswer;
  };
  /** List the lists with their terms: the app's own, newest first, then the built-in ones. */
  "GET /moderation/keywords": {
    query?: {
      /** The number of the page, from 1. The default is `1`. */
      page?: number;
      /** The most rows of a page. */
      perPage?: number;
      /** The most rows of a page. */
      limit?: number;
    };
    answer: KeywordListModerationListing;
  };
  /** Get a list with its terms. */
  "GET /moderation/keywords/{keywordId}": {
    path: {
      keywordId: string;
    };
    answer: KeywordListAnswer;
  };
  /** Change a list, also a built-in one; fields that are absent keep their values. */
  "PUT /moderation/keywords/{keywordId}": {
    path: {
      keywordId: string;
    };
    body?: GivenList;
    form?: GivenListForm;
    answer: KeywordListAnswer;
  };
  /** Delete a list that no rule refers to; a built-in one can't be deleted. */
  "DELETE /moderation/keywords/{keywordId}": {
    path: {
      keywordId: string;
    };
    answer: SuccessMessageAnswer;
  };
  /** Create a reason to flag messages. */
  "POST /moderation/reasons": {
    body: CreateReason;
    answer: FlagReasonAnswer;
  };
  /** List the reasons to flag messages, newest first. */
  "GET /moderation/reasons": {
    query?: {
      /** The number of the page, from 1. The default is `1`. */
      page?: number;
      /** The most rows of a page. */
      perPage?: number;
      /** The most rows of a page. */
      limit?: number;
    };
    answer: FlagReasonModerationListing;
  };
  /** Get a reason to flag messages. */
  "GET /moderation/reasons/{id}": {
    path: {
      id: string;
    };
    answer: FlagReasonAnswer;
  };
  /** Change the name or description of a reason. */
  "PUT /moderation/reasons/{id}": {
    path: {
      id: string;
    };
    body: UpdateReason;
    answer: FlagReasonAnswer;
  };
  /** Delete a reason. */
  "DELETE /moderation/reasons/{id}": {
    path: {
      id: string;
    };
    answer: ReasonDeleted;
  };
  /** Get the contact details of the acting user. */
  "GET /notifications/v1/contact-details": {
    answer: ContactDetailsAnswer;
  };
  /** Change the contact details of the acting user; fields that are absent keep their values. */
  "PATCH /notifications/v1/contact-details": {
    body: UpdateContactDetails;
    answer: ContactDetailsAnswer;
  };
  /** Delete the contact details of the acting user; this succeeds also if there are none. */
  "DELETE /notifications/v1/contact-details": {
    answer: SuccessAnswer;
  };
  /** Say what a person would be sent of a message now, and why not. Nothing is sent or logged. */
  "POST /notifications/v1/test": {
    body: TestNotification;
    answer: NotificationPreviewList;
  };
  /** Get the setup of the custom push provider; the list is empty if there is none. */
  "GET /notifications/push/v1/providers/custom": {
    query?: {
      /** Secrets are in the answer as they are, not as the mark `•••`. The server's log notes who asked. */
      withSecrets?: boolean;
    };
    answer: CustomPushProvidersAnswer;
  };
  /** Set the custom push provider up, in place of the previous setup. */
  "POST /notifications/push/v1/providers/custom": {
    query?: {
      /** Secrets are in the answer as they are, not as the mark `•••`. The server's log notes who asked. */
      withSecrets?: boolean;
    };
    body: SaveCustom;
    answer: CustomPushProvidersAnswer;
  };
  /** Change the setup of the custom push provider; fields that are absent keep their values. */
  "PUT /notifications/push/v1/providers/custom": {
    query?: {
      /** Secrets are in the answer as they are, not as the mark `•••`. The server's log notes who asked. */
      withSecrets?: boolean;
    };
    body: ChangeCustom;
    answer: CustomPushProvidersAnswer;
  };
  /** Delete the setup of the custom push provider; this succeeds also if there is none. */
  "DELETE /notifications/push/v1/providers/custom": {
    answer: SuccessAnswer;
  };
  /** Get the setup of the custom provider of e-mail; the answer is empty if there is none. */
  "GET /notifications/email/v1/providers/custom": {
    query?: {
      /** Secrets are in the answer as they are, not as the mark `•••`. The server's log notes who asked. */
      withSecrets?: boolean;
    };
    answer: CustomEmailAnswer;
  };
  /** Set the custom provider of e-mail up, in place of the previous setup. */
  "POST /notifications/email/v1/providers/custom": {
    query?: {
      /** Secrets are in the answer as they are, not as the mark `•••`. The server's log notes who asked. */
      withSecrets?: boolean;
    };
    body: SaveCustomEmail;
    answer: CustomEmailAnswer;
  };
  /** Change the setup of the custom provider of e-mail; fields that are absent keep their values. */
  "PUT /notifications/email/v1/providers/custom": {
    query?: {
      /** Secrets are in the answer as they are, not as the mark `•••`. The server's log notes who asked. */
      withSecrets?: boolean;
    };
    body: ChangeCustomEmail;
    answer: CustomEmailAnswer;
  };
  /** Delete the setup of the custom provider of e-mail; this succeeds also if there is none. */
  "DELETE /notifications/email/v1/providers/custom": {
    answer: SuccessAnswer;
  };
  /** Get the setup of the custom provider of SMS; the answer is empty if there is none. */
  "GET /notifications/sms/v1/providers/custom": {
    query?: {
      /** Secrets are in the answer as they are, not as the mark `•••`. The server's log notes who asked. */
      withSecrets?: boolean;
    };
    answer: CustomSmsAnswer;
  };
  /** Set the custom provider of SMS up, in place of the previous setup. */
  "POST /notifications/sms/v1/providers/custom": {
    query?: {
      /** Secrets are in the answer as they are, not as the mark `•••`. The server's log notes who asked. */
      withSecrets?: boolean;
    };
    body: SaveCustomSms;
    answer: CustomSmsAnswer;
  };
  /** Change the setup of the custom provider of SMS; fields that are absent keep their values. */
  "PUT /notifications/sms/v1/providers/custom": {
    query?: {
      /** Secrets are in the answer as they are, not as the mark `•••`. The server's log notes who asked. */
      withSecrets?: boolean;
    };
    body: ChangeCustomSms;
    answer: CustomSmsAnswer;
  };
  /** Delete the setup of the custom provider of SMS; this succeeds also if there is none. */
  "DELETE /notifications/sms/v1/providers/custom": {
    answer: SuccessAnswer;
  };
  /** List what was decided and sent, to whom, and why not; entries are kept for 14 days. */
  "GET /notifications/v1/logs": {
    query?: {
      /** Only what is about this message. */
      messageId?: number;
      /** Only what is about this reaction. */
      reactionId?: number;
      /** Only what is about messages sent since then. */
      from?: number;
      /** Only what is about messages sent until then. */
      to?: number;
      /** The category of the message. */
      messageCategory?: MessageCategory;
      /** The type of the message, such as `text`. */
      messageType?: string;
      /** What happened. */
      trigger?: NotificationTrigger;
      /** Who sent the message. */
      sender?: string;
      /** The user or the group of the message. */
      receiver?: string;
      /** Whether it was to a user or to a group. */
      receiverType?: ReceiverType;
      /** Who reacted. */
      reactionSender?: string;
      /** Who was reacted to. */
      reactionReceiver?: string;
      /** Who was to be notified, of what happened in a group. */
      member?: string;
      /** How they were to be notified. */
      channel?: NotificationChannel;
      /** What it was sent with. */
      provider?: NotificationProvider;
      /** Whether a provider was asked to send it. */
      notificationTriggered?: boolean;
      /** Why no provider was asked to send it. */
      reason?: NotificationReason;
      /** Whether the provider accepted it. */
      success?: boolean;
      /** The default is `prepend`. */
      affix?: Affix;
      /** The entry from which the slice continues. */
      logId?: string;
    };
    answer: LogList;
  };
  /** Get the notification preferences of a user: the app's defaults, and what the user chose. */
  "GET /notifications/v1/preferences": {
    query?: {
      /** The uid of the user. Without it, it is the acting user. */
      uid?: string;
    };
    answer: PreferencesAnswer;
  };
  /** Change the notification preferences of a user; fields that are absent keep their values. */
  "PATCH /notifications/v1/preferences": {
    query?: {
      /** The uid of the user. Without it, it is the acting user. */
      uid?: string;
    };
    body: Preferences;
    answer: PreferencesAnswer;
  };
  /** Reset the notification preferences of a user to the app's defaults. */
  "DELETE /notifications/v1/preferences": {
    query?: {
      /** The uid of the user. Without it, it is the acting user. */
      uid?: string;
    };
    answer: PreferencesAnswer;
  };
  /** List the muted conversations of a user, without those whose time is over. */
  "GET /notifications/v1/preferences/mute": {
    query?: {
      /** The uid of the user. Without it, it is the acting user. */
      uid?: string;
    };
    answer: MuteListAnswer;
  };
  /** Mute conversations of a user until a time: at most 100 at once, 5,000 in all. */
  "PUT /notifications/v1/preferences/mute": {
    query?: {
      /** The uid of the user. Without it, it is the acting user. */
      uid?: string;
    };
    body: MuteConversations;
    answer: SuccessAnswer;
  };
  /** Unmute conversations of a user; those that are not muted are ignored. */
  "DELETE /notifications/v1/preferences/mute": {
    query?: {
      /** The uid of the user. Without it, it is the acting user. */
      uid?: string;
    };
    body: UnmuteConversations;
    answer: SuccessAnswer;
  };
  /** Get the time zone of a user, UTC if none was set. */
  "GET /notifications/v1/preferences/timezone": {
    query?: {
      /** The uid of the user. Without it, it is the acting user. */
      uid?: string;
    };
    answer: TimeZoneAnswer;
  };
  /** Set the time zone of a user, in which schedules and daily limits are meant. */
  "PATCH /notifications/v1/preferences/timezone": {
    query?: {
      /** The uid of the user. Without it, it is the acting user. */
      uid?: string;
    };
    body: TimeZone;
    answer: TimeZoneAnswer;
  };
  /** Add an FCM provider to the app. */
  "POST /notifications/push/v1/providers/fcm": {
    body: AddFcmProvider;
    answer: FcmAddedAnswer;
  };
  /** List the FCM providers of the app, oldest first; secrets are redacted. */
  "GET /notifications/push/v1/providers/fcm": {
    answer: FcmProvidersAnswer;
  };
  /** Change an FCM provider; fields that are absent keep their values. */
  "PUT /notifications/push/v1/providers/fcm": {
    body: UpdateFcmProvider;
    answer: SuccessAnswer;
  };
  /** Delete an FCM provider; after the default, the oldest complete one becomes the default. */
  "DELETE /notifications/push/v1/providers/fcm/{providerId}": {
    path: {
      providerId: string;
    };
    answer: SuccessAnswer;
  };
  /** Make an FCM provider the default. */
  "PUT /notifications/push/v1/providers/fcm/default/{providerId}": {
    path: {
      providerId: string;
    };
    answer: SuccessAnswer;
  };
  /** Add an APNs provider to the app; the answer lists all of them. */
  "POST /notifications/push/v1/providers/apns": {
    body: AddApnsProvider;
    answer: ApnsProvidersAnswer;
  };
  /** List the APNs providers of the app, oldest first; secrets are redacted. */
  "GET /notifications/push/v1/providers/apns": {
    answer: ApnsProvidersAnswer;
  };
  /** Change an APNs provider; fields that are absent keep their values. */
  "PUT /notifications/push/v1/providers/apns": {
    body: UpdateApnsProvider;
    answer: SuccessAnswer;
  };
  /** Delete an APNs provider; after the default, the oldest complete one becomes the default. */
  "DELETE /notifications/push/v1/providers/apns/{providerId}": {
    path: {
      providerId: string;
    };
    answer: SuccessAnswer;
  };
  /** Make an APNs provider the default. */
  "PUT /notifications/push/v1/providers/apns/default/{providerId}": {
    path: {
      providerId: string;
    };
    answer: SuccessAnswer;
  };
  /** Register a push token for a device of a user, whom the `authToken` names. */
  "POST /notifications/push/v1/tokens": {
    body: RegisterToken;
    answer: SuccessAnswer;
  };
  /** List the push tokens of an auth token, or all of its user, the latest registration first. */
  "GET /notifications/push/v1/tokens": {
    query?: {
      /** All push tokens of the user; else only those of the auth token. */
      all?: boolean;
      /** An auth token of the user; by default that of the call. */
      authToken?: string;
    };
    answer: PushTokenListAnswer;
  };
  /** Remove the push tokens of an auth token, or all of its user, and return them. */
  "DELETE /notifications/push/v1/tokens": {
    query?: {
      /** All push tokens of the user; else only those of the auth token. */
      all?: boolean;
    };
    body?: UnregisterTokens;
    answer: PushTokenListAnswer;
  };
  /** Remove a push token of the auth token's user, and return it. */
  "DELETE /notifications/push/v1/tokens/{pushToken}": {
    path: {
      pushToken: string;
    };
    body?: UnregisterTokens;
    answer: PushTokenListAnswer;
  };
  /** Get the setup of SendGrid; the answer is empty if there is none. */
  "GET /notifications/email/v1/providers/sendgrid": {
    query?: {
      /** Secrets are in the answer as they are, not as the mark `•••`. The server's log notes who asked. */
      withSecrets?: boolean;
    };
    answer: SendGridAnswer;
  };
  /** Set SendGrid up, in place of the previous setup. */
  "POST /notifications/email/v1/providers/sendgrid": {
    query?: {
      /** Secrets are in the answer as they are, not as the mark `•••`. The server's log notes who asked. */
      withSecrets?: boolean;
    };
    body: SaveSendGrid;
    answer: SendGridAnswer;
  };
  /** Change the setup of SendGrid; fields that are absent keep their values. */
  "PUT /notifications/email/v1/providers/sendgrid": {
    query?: {
      /** Secrets are in the answer as they are, not as the mark `•••`. The server's log notes who asked. */
      withSecrets?: boolean;
    };
    body: ChangeSendGrid;
    answer: SendGridAnswer;
  };
  /** Delete the setup of SendGrid; this succeeds also if there is none. */
  "DELETE /notifications/email/v1/providers/sendgrid": {
    answer: SuccessAnswer;
  };
  /** Get the notification settings of the app. */
  "GET /notifications/v1/settings": {
    answer: NotificationSettingsAnswer;
  };
  /** Change notification settings of the app; fields that are absent keep their values. */
  "PATCH /notifications/v1/settings": {
    body: NotificationSettings;
    answer: SuccessAnswer;
  };
  /** Reset all notification settings of the app to their defaults. */
  "DELETE /notifications/v1/settings": {
    answer: SuccessAnswer;
  };
  /** Get the setup of the mail server; the answer is empty if there is none. */
  "GET /notifications/email/v1/providers/smtp": {
    query?: {
      /** Secrets are in the answer as they are, not as the mark `•••`. The server's log notes who asked. */
      withSecrets?: boolean;
    };
    answer: SmtpAnswer;
  };
  /** Set the mail server up, in place of the previous setup. */
  "POST /notifications/email/v1/providers/smtp": {
    query?: {
      /** Secrets are in the answer as they are, not as the mark `•••`. The server's log notes who asked. */
      withSecrets?: boolean;
    };
    body: SaveSmtp;
    answer: SmtpAnswer;
  };
  /** Change the setup of the mail server; fields that are absent keep their values. */
  "PUT /notifications/email/v1/providers/smtp": {
    query?: {
      /** Secrets are in the answer as they are, not as the mark `•••`. The server's log notes who asked. */
      withSecrets?: boolean;
    };
    body: ChangeSmtp;
    answer: SmtpAnswer;
  };
  /** Delete the setup of the mail server; this succeeds also if there is none. */
  "DELETE /notifications/email/v1/providers/smtp": {
    answer: SuccessAnswer;
  };
  /** Get the setup of Twilio; the answer is empty if there is none. */
  "GET /notifications/sms/v1/providers/twilio": {
    query?: {
      /** Secrets are in the answer as they are, not as the mark `•••`. The server's log notes who asked. */
      withSecrets?: boolean;
    };
    answer: TwilioAnswer;
  };
  /** Set Twilio up, in place of the previous setup. */
  "POST /notifications/sms/v1/providers/twilio": {
    query?: {
      /** Secrets are in the answer as they are, not as the mark `•••`. The server's log notes who asked. */
      withSecrets?: boolean;
    };
    body: SaveTwilio;
    answer: TwilioAnswer;
  };
  /** Change the setup of Twilio; fields that are absent keep their values. */
  "PUT /notifications/sms/v1/providers/twilio": {
    query?: {
      /** Secrets are in the answer as they are, not as the mark `•••`. The server's log notes who asked. */
      withSecrets?: boolean;
    };
    body: ChangeTwilio;
    answer: TwilioAnswer;
  };
  /** Delete the setup of Twilio; this succeeds also if there is none. */
  "DELETE /notifications/sms/v1/providers/twilio": {
    answer: SuccessAnswer;
  };
  /** Add a Web Push provider to the app, with a new pair of keys. */
  "POST /notifications/push/v1/providers/webpush": {
    body: AddWebPushProvider;
    answer: WebPushAddedAnswer;
  };
  /** List the Web Push providers of the app, oldest first, with their public keys. */
  "GET /notifications/push/v1/providers/webpush": {
    answer: WebPushProvidersAnswer;
  };
  /** Delete a Web Push provider; after the default, the oldest becomes the default. */
  "DELETE /notifications/push/v1/providers/webpush/{providerId}": {
    path: {
      providerId: string;
    };
    answer: SuccessAnswer;
  };
  /** Block users, for a user or as that user: neither can send messages to the other. */
  "POST /users/{uid}/blockedusers": {
    path: {
      uid: string;
    };
    body: BlockedUsers;
    answer: ItemOutcomesAnswer;
  };
  /** Unblock users, for a user or as that user. */
  "DELETE /users/{uid}/blockedusers": {
    path: {
      uid: string;
    };
    body: BlockedUsers;
    answer: ItemOutcomesAnswer;
  };
  /** List the users that a user has blocked, as that user sees them, newest block first. */
  "GET /users/{uid}/blockedusers": {
    path: {
      uid: string;
    };
    query?: {
      /** The number of the page, from 1. The default is `1`. */
      page?: number;
      /** The most rows of a page. The default is `100`. */
      perPage?: number;
      /** The default is `prepend`. */
      affix?: Affix;
      /** The `updatedAt` of the cursor of an answer, to continue from there. */
      updatedAt?: number;
      /** The `id` of the cursor of an answer. */
      id?: string;
    };
    answer: UserList;
  };
  /** Create a bot: a user whose messages the server of the app sends. */
  "POST /bots": {
    body: CreateBot;
    answer: UserAnswer;
  };
  /** List the app's bots, by uid. */
  "GET /bots": {
    query?: {
      /** The number of the page, from 1. The default is `1`. */
      page?: number;
      /** The most rows of a page. The default is `100`. */
      perPage?: number;
    };
    answer: UserList;
  };
  /** Get a bot. */
  "GET /bots/{uid}": {
    path: {
      uid: string;
    };
    answer: UserAnswer;
  };
  /** Change the profile of a bot; fields that are absent keep their values. */
  "PUT /bots/{uid}": {
    path: {
      uid: string;
    };
    body: UpdateBot;
    answer: UserAnswer;
  };
  /** Delete a bot; its messages stay, with its name. */
  "DELETE /bots/{uid}": {
    path: {
      uid: string;
    };
    answer: SuccessMessageAnswer;
  };
  /** Send a message as a bot. */
  "POST /bots/{uid}/messages": {
    path: {
      uid: string;
    };
    body?: SendMessageBody;
    form?: SendMessageForm;
    answer: SentMessageAnswer;
  };
  /** Make users friends, at once and in both directions: at most 25, each with an outcome. */
  "POST /users/{uid}/friends": {
    path: {
      uid: string;
    };
    body: AddFriends;
    answer: FriendOutcomesAnswer;
  };
  /** List the friends of a user, newest change first. */
  "GET /users/{uid}/friends": {
    path: {
      uid: string;
    };
    query?: {
      /** The number of the page, from 1. The default is `1`. */
      page?: number;
      /** The most rows of a page. The default is `100`. */
      perPage?: number;
      /** The default is `prepend`. */
      affix?: Affix;
      /** The `updatedAt` of the cursor of an answer, to continue from there. */
      updatedAt?: number;
      /** The `id` of the cursor of an answer. */
      id?: string;
      /** Only rows in which this is found; case is ignored. */
      searchKey?: string;
    };
    answer: UserList;
  };
  /** End friendships, in both directions; if one of the users is not a friend, nothing changes. */
  "DELETE /users/{uid}/friends": {
    path: {
      uid: string;
    };
    body: RemoveFriends;
    answer: SuccessMessageAnswer;
  };
  /** List the permissions that can be set for a role, not those that are set. */
  "GET /roles/{role}/permissions": {
    path: {
      role: string;
    };
    answer: PermissionList;
  };
  /** Set permissions of a role, each with an outcome. */
  "PUT /roles/{role}/permissions": {
    path: {
      role: string;
    };
    body: SetPermissions;
    answer: PermissionOutcomesAnswer;
  };
  /** Reset a permission of a role to its default; the answer has those that are still set. */
  "DELETE /roles/{role}/permissions/{permission}": {
    path: {
      role: string;
      permission: string;
    };
    answer: PermissionValuesAnswer;
  };
  /** List the permissions that can be set for a scope in a group, not those that are set. */
  "GET /groups/{guid}/scopes/{scope}/permissions": {
    path: {
      guid: string;
      scope: "admin" | "moderator" | "participant";
    };
    answer: PermissionList;
  };
  /** Set permissions of a scope in a group, each with an outcome. */
  "PUT /groups/{guid}/scopes/{scope}/permissions": {
    path: {
      guid: string;
      scope: "admin" | "moderator" | "participant";
    };
    body: SetPermissions;
    answer: PermissionOutcomesAnswer;
  };
  /** Reset a permission of a scope to its default; the answer has those that are still set. */
  "DELETE /groups/{guid}/scopes/{scope}/permissions/{permission}": {
    path: {
      guid: string;
      scope: "admin" | "moderator" | "participant";
      permission: string;
    };
    answer: PermissionValuesAnswer;
  };
  /** Restrict features for the users of a role, each with an outcome. */
  "POST /roles/{role}/restrictedfeatures": {
    path: {
      role: string;
    };
    body: RestrictFeatures;
    answer: ItemOutcomesAnswer;
  };
  /** List the features that are restricted for the users of a role, newest first. */
  "GET /roles/{role}/restrictedfeatures": {
    path: {
      role: string;
    };
    answer: RestrictionList;
  };
  /** Allow the users of a role to use features again: those named, or all with `allowAll`. */
  "DELETE /roles/{role}/restrictedfeatures": {
    path: {
      role: string;
    };
    body: AllowFeatures;
    answer: SuccessMessageAnswer;
  };
  /** Create a role. */
  "POST /roles": {
    body: CreateRole;
    answer: RoleAnswer;
  };
  /** List the app's roles, newest first. */
  "GET /roles": {
    query?: {
      /** The number of the page, from 1. The default is `1`. */
      page?: number;
      /** The most rows of a page. The default is `100`. */
      perPage?: number;
    };
    answer: RoleList;
  };
  /** Get a role. */
  "GET /roles/{role}": {
    path: {
      role: string;
    };
    answer: RoleAnswer;
  };
  /** Change a role, also the default one; fields that are absent keep their values. */
  "PUT /roles/{role}": {
    path: {
      role: string;
    };
    body: UpdateRole;
    answer: RoleAnswer;
  };
  /** Delete a role that no user has; the default role can't be deleted. */
  "DELETE /roles/{role}": {
    path: {
      role: string;
    };
    answer: SuccessMessageAnswer;
  };
  /** Create an auth token for the login of a user. */
  "POST /users/{uid}/auth_tokens": {
    path: {
      uid: string;
    };
    body?: CreateToken;
    answer: AuthTokenAnswer;
  };
  /** List the auth tokens of a user, newest first. */
  "GET /users/{uid}/auth_tokens": {
    path: {
      uid: string;
    };
    query?: {
      /** The number of the page, from 1. The default is `1`. */
      page?: number;
      /** The most rows of a page. The default is `100`. */
      perPage?: number;
    };
    answer: AuthTokenList;
  };
  /** Revoke all auth tokens of a user; a user can revoke their own. */
  "DELETE /users/{uid}/auth_tokens": {
    path: {
      uid: string;
    };
    answer: SuccessMessageAnswer;
  };
  /** Get an auth token of a user. */
  "GET /users/{uid}/auth_tokens/{authToken}": {
    path: {
      uid: string;
      authToken: string;
    };
    answer: AuthTokenAnswer;
  };
  /** Store the device on which an auth token is used. */
  "PUT /users/{uid}/auth_tokens/{authToken}": {
    path: {
      uid: string;
      authToken: string;
    };
    body: UpdateToken;
    answer: AuthTokenAnswer;
  };
  /** Revoke an auth token; a user can revoke their own to log out. */
  "DELETE /users/{uid}/auth_tokens/{authToken}": {
    path: {
      uid: string;
      authToken: string;
    };
    answer: SuccessMessageAnswer;
  };
  /** List the sessions of a user, newest first; a user can list their own. */
  "GET /users/{uid}/sessions": {
    path: {
      uid: string;
    };
    query?: {
      /** The number of the page, from 1. The default is `1`. */
      page?: number;
      /** The most rows of a page. The default is `100`. */
      perPage?: number;
    };
    answer: SessionList;
  };
  /** End a session of a user; a user can end their own, also on other devices. */
  "DELETE /users/{uid}/sessions/{sessionId}": {
    path: {
      uid: string;
      sessionId: string;
    };
    answer: SuccessMessageAnswer;
  };
  /** Create a user. */
  "POST /users": {
    body: CreateUser;
    answer: UserAnswer;
  };
  /** List users, newest change first. */
  "GET /users": {
    query?: {
      /** The number of the page, from 1. The default is `1`. */
      page?: number;
      /** The most rows of a page. The default is `100`. */
      perPage?: number;
      /** The default is `prepend`. */
      affix?: Affix;
      /** The `updatedAt` of the cursor of an answer, to continue from there. */
      updatedAt?: number;
      /** The `id` of the cursor of an answer. */
      id?: string;
      /** Only rows in which this is found; case is ignored. */
      searchKey?: string;
      /** Where `searchKey` is searched; both if absent. */
      searchIn?: ("name" | "uid")[];
      /** Only users with this status. */
      status?: UserStatus;
      /** Accepted and without effect: `meta` always has the total. */
      count?: boolean;
      /** Only users with this role. */
      role?: string;
      /** Only users with one of these roles. */
      roles?: string[];
      /** Users show their tags. */
      withTags?: boolean;
      /** Only users with one of these tags. */
      tags?: string[];
      /** Only deactivated users. */
      onlyDeactivated?: boolean;
      /** Also deactivated users. */
      withDeactivated?: boolean;
    };
    answer: UserList;
  };
  /** Reactivate users. */
  "PUT /users": {
    body: ReactivateUsers;
    answer: ReactivatedUsersAnswer;
  };
  /** Deactivate users: they are hidden and can't act until they are reactivated. */
  "DELETE /users": {
    body: DeactivateUsers;
    answer: DeactivatedUsersAnswer;
  };
  /** Get a user, with the relation to the acting user, who must be allowed to see them. */
  "GET /users/{uid}": {
    path: {
      uid: string;
    };
    answer: UserAnswer;
  };
  /** Change the profile of a user; fields that are absent keep their values. */
  "PUT /users/{uid}": {
    path: {
      uid: string;
    };
    body: UpdateUser;
    answer: UserAnswer;
  };
  /** Delete a user; with `permanent`, also their messages and all their other data. */
  "DELETE /users/{uid}": {
    path: {
      uid: string;
    };
    body?: DeleteUser;
    answer: SuccessMessageAnswer;
  };
  /** Create a webhook; it is sent nothing until it is attached to triggers. */
  "POST /webhooks": {
    body: CreateWebhook;
    answer: CreatedWebhookAnswer;
  };
  /** List the webhooks, oldest first; `searchKey` finds a part of the id or the name. */
  "GET /webhooks": {
    query?: {
      /** The number of the page, from 1. The default is `1`. */
      page?: number;
      /** The most rows of a page. The default is `100`. */
      perPage?: number;
      /** Only rows in which this is found; case is ignored. */
      searchKey?: string;
    };
    answer: WebhookList;
  };
  /** Get a webhook. */
  "GET /webhooks/{webhookId}": {
    path: {
      webhookId: string;
    };
    answer: WebhookAnswer;
  };
  /** Change a webhook; fields that are absent keep their values. */
  "PUT /webhooks/{webhookId}": {
    path: {
      webhookId: string;
    };
    body: UpdateWebhook;
    answer: WebhookAnswer;
  };
  /** Delete a webhook with its deliveries, also those that wait. */
  "DELETE /webhooks/{webhookId}": {
    path: {
      webhookId: string;
    };
    answer: SuccessMessageAnswer;
  };
  /** Get the secret that the deliveries of a webhook are signed with. */
  "GET /webhooks/{webhookId}/secret": {
    path: {
      webhookId: string;
    };
    answer: SecretAnswer;
  };
  /** Give a webhook a new secret, and get it. */
  "POST /webhooks/{webhookId}/secret/rotate": {
    path: {
      webhookId: string;
    };
    body?: RotateSecret;
    answer: SecretAnswer;
  };
  /** List the deliveries of a webhook, newest first, each with its attempts. */
  "GET /webhooks/{webhookId}/deliveries": {
    path: {
      webhookId: string;
    };
    query?: {
      /** The number of the page, from 1. The default is `1`. */
      page?: number;
      /** The most rows of a page. The default is `100`. */
      perPage?: number;
      /** Only those in this state. */
      state?: DeliveryState;
      /** Only those of this trigger. */
      trigger?: string;
      /** Deliveries of events from this time on, in seconds. */
      fromTimestamp?: number;
      /** Deliveries of events up to this time, in seconds. */
      toTimestamp?: number;
    };
    answer: DeliveryList;
  };
  /** Get a delivery. */
  "GET /webhooks/{webhookId}/deliveries/{deliveryId}": {
    path: {
      webhookId: string;
      deliveryId: string;
    };
    answer: DeliveryAnswer;
  };
  /** Make a delivery again, with the same id and body; one that waits is tried at once. */
  "POST /webhooks/{webhookId}/deliveries/{deliveryId}/replay": {
    path: {
      webhookId: string;
      deliveryId: string;
    };
    answer: QueuedDeliveriesAnswer;
  };
  /** Make the deliveries of a range of time again, those in a state or all of them. */
  "POST /webhooks/{webhookId}/replay": {
    path: {
      webhookId: string;
    };
    body: ReplayDeliveries;
    answer: QueuedDeliveriesAnswer;
  };
  /** Send a webhook a sample of each trigger that it is attached to. */
  "POST /webhooks/{webhookId}/test": {
    path: {
      webhookId: string;
    };
    answer: QueuedSamplesAnswer;
  };
  /** List all triggers that webhooks can be attached to. */
  "GET /triggers": {
    query?: {
      /** The number of the page, from 1. The default is `1`. */
      page?: number;
      /** The most rows of a page. The default is `100`. */
      perPage?: number;
    };
    answer: TriggerList;
  };
  /** Attach a webhook to triggers, each with an outcome. */
  "POST /webhooks/{webhookId}/triggers": {
    path: {
      webhookId: string;
    };
    body: NamedTriggers;
    answer: ItemOutcomesAnswer;
  };
  /** List the triggers that a webhook is attached to. */
  "GET /webhooks/{webhookId}/triggers": {
    path: {
      webhookId: string;
    };
    query?: {
      /** The number of the page, from 1. The default is `1`. */
      page?: number;
      /** The most rows of a page. The default is `100`. */
      perPage?: number;
    };
    answer: AttachedTriggerList;
  };
  /** Detach a webhook from triggers; those that it is not attached to are passed over. */
  "DELETE /webhooks/{webhookId}/triggers": {
    path: {
      webhookId: string;
    };
    body: NamedTriggers;
    answer: SuccessMessageAnswer;
  };
}

/** What a webhook is sent for each trigger. */
export interface Webhooks {
  /** A message was sent. */
  message_sent: MessageSentWebhook;
  /** A message that was sent mentions users. */
  user_mentioned: UserMentionedWebhook;
  /** A message was edited. */
  message_edited: MessageEditedWebhook;
  /** A message was deleted. */
  message_deleted: MessageDeletedWebhook;
  /** Messages were delivered to a user, or to all of a group. */
  message_delivery_receipt: MessageDeliveryReceiptWebhook;
  /** Messages were read by a user, or by all of a group. */
  message_read_receipt: MessageReadReceiptWebhook;
  /** A user reacted to a message. */
  message_reaction_added: MessageReactionAddedWebhook;
  /** A user removed a reaction from a message. */
  message_reaction_removed: MessageReactionRemovedWebhook;
  /** A user blocked other users. */
  user_blocked: UserBlockedWebhook;
  /** A user no longer blocks other users. */
  user_unblocked: UserUnblockedWebhook;
  /** A group was created. */
  group_created: GroupCreatedWebhook;
  /** A group was changed. */
  group_updated: GroupUpdatedWebhook;
  /** A group was deleted. */
  group_deleted: GroupDeletedWebhook;
  /** A group has a new owner. */
  group_owner_transferred: GroupOwnerTransferredWebhook;
  /** Users were added to a group. */
  group_member_added: GroupMemberAddedWebhook;
  /** A user joined a group. */
  group_member_joined: GroupMemberJoinedWebhook;
  /** A user left a group. */
  group_member_left: GroupMemberLeftWebhook;
  /** A member was removed from a group. */
  group_member_kicked: GroupMemberKickedWebhook;
  /** A user was banned from a group. */
  group_member_banned: GroupMemberBannedWebhook;
  /** The ban of a user from a group was lifted. */
  group_member_unbanned: GroupMemberUnbannedWebhook;
  /** A member of a group has another scope. */
  group_member_scope_changed: GroupMemberScopeChangedWebhook;
  /** Deliveries to another webhook of the app are paused: all have failed. */
  webhook_paused: WebhookPausedWebhook;
  /** A user connected or disconnected. */
  user_connection_status_changed: UserConnectionStatusChangedWebhook;
  /** A message that grew has ended. */
  message_grown: MessageGrownWebhook;
  /** A participant asks that a message stops growing. */
  message_stop_requested: MessageStopRequestedWebhook;
  /** The rules of the app have let a message pass, which was sent. */
  moderation_engine_approved: ModerationEngineApprovedWebhook;
  /** Rules have blocked a message, which waits for a review. */
  moderation_engine_blocked: ModerationEngineBlockedWebhook;
  /** A message that rules had blocked was approved. */
  moderation_manual_approved: ModerationManualApprovedWebhook;
  /** The custom engine has not decided on a message. */
  moderation_engine_failed: ModerationEngineFailedWebhook;
  /** A user voted in a poll, or took their votes back. */
  poll_voted: PollVotedWebhook;
  /** A poll was closed, by somebody or by its time. */
  poll_closed: PollClosedWebhook;
  /** A message that was scheduled could not be sent at its time. */
  scheduled_message_failed: ScheduledMessageFailedWebhook;
}

/** The `data` of each event in the log of the app. */
export interface LoggedEvents {
  message_sent: MessagePayload;
  message_edited: MessagePayload;
  message_deleted: DeletedMessagePayload;
  message_delivery_receipt: ReceiptPayload;
  message_read_receipt: ReceiptPayload;
  message_reaction_added: ReactionPayload;
  message_reaction_removed: ReactionPayload;
  user_blocked: BlockPayload;
  user_unblocked: BlockPayload;
  group_created: GroupCreatedPayload;
  group_updated: GroupPayload;
  group_deleted: GroupPayload;
  group_owner_transferred: GroupOwnerPayload;
  group_member_added: MemberByPayload;
  group_member_joined: MemberPayload;
  group_member_left: MemberPayload;
  group_member_kicked: MemberByPayload;
  group_member_banned: MemberByPayload;
  group_member_unbanned: MemberByPayload;
  group_member_scope_changed: RescopedMemberPayload;
  webhook_paused: WebhookPausedPayload;
  message_grown: GrownPayload;
  message_stop_requested: StopPayload;
  moderation_engine_blocked: HeldPayload;
  moderation_manual_approved: ApprovedPayload;
  moderation_engine_failed: EngineFailedPayload;
  poll_voted: VotePayload;
  poll_closed: PollPayload;
  scheduled_message_failed: ScheduledFailedPayload;
  messages_deleted: MessagesDeletedPayload;
  message_pinned: PinPayload;
  message_unpinned: PinPayload;
  message_interacted: InteractionPayload;
  interaction_goal_completed: InteractionPayload;
  interactive_form_submitted: SubmissionPayload;
  conversation_read: ConversationMarkPayload;
  conversation_unread: ConversationMarkPayload;
  conversation_delivered: ConversationDeliveredPayload;
  conversation_reset: ConversationResetPayload;
  conversation_updated: ConversationUpdatedPayload;
  conversation_deleted: ConversationDeletedPayload;
  conversations_changed: ConversationsChangedPayload;
  draft_changed: DraftPayload;
  poll_updated: PollPayload;
  user_reminded: ReminderPayload;
  messages_expired: MessagesExpiredPayload;
}

/** An operation: its method and its path. */
export type OperationName = keyof operations;

/** The trigger of a webhook. */
export type TriggerName = keyof Webhooks;
