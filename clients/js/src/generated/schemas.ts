// Generated from the documents of the server. Do not edit it: `make client-types` makes it again.

/** What a button does. */
export type Action = ApiAction | UrlNavigation | DeepLinkAction | CustomAction;

/** The APNs provider to add; without an id, one is generated. */
export interface AddApnsProvider {
  /** No control characters and no /; neither . nor .. */
  providerId?: string;
  /** Ten of A-Z and 0-9. */
  keyId?: string;
  /** Ten of A-Z and 0-9. */
  teamId?: string;
  /** Such as com.example.chat. */
  bundleId?: string;
  /** The name of the file that the key came from, for people; up to 255 characters. */
  p8KeyFilename?: string;
  /** A private key as PEM. */
  p8Key?: string;
  /** Whether pushes set `content-available`, which wakes the app in the background. */
  includeContentAvailable?: boolean;
  /** Whether pushes set `mutable-content`, which lets the app change them before they are shown. */
  includeMutableContent?: boolean;
  /** Whether pushes go to Apple's production service; false for builds from Xcode. It is true if it is absent. */
  productionMode?: boolean;
}

/** The FCM provider to add; without an id, one is generated. */
export interface AddFcmProvider {
  /** No control characters and no /; neither . nor .. */
  providerId?: string;
  /** The name of the file that the credentials came from, for people; up to 255 characters. */
  serviceAccountFilename?: string;
  serviceAccountCreds?: ServiceAccount;
  notificationInPayload?: Platforms;
}

/** The users to make friends. */
export interface AddFriends {
  /** The uids of the users. */
  accepted?: string[];
}

/** The users to add; without any, the acting user joins, with the password of the group. */
export interface AddMembers {
  /** The uids of users to add as admins. */
  admins?: string[];
  /** The uids of users to add as moderators. */
  moderators?: string[];
  /** The uids of users to add as participants. */
  participants?: string[];
  /** The uids of users to ban from the group. */
  usersToBan?: string[];
  /** The password of the group, if the acting user joins one that has a password. */
  password?: string;
}

/** The code of the error, by which programs go. */
export type AddReactionErrorCode = "AUTH_ERR_APIKEY_NOT_FOUND" | "AUTH_ERR_AUTH_TOKEN_NOT_FOUND" | "AUTH_ERR_EMPTY_APIKEY" | "AUTH_ERR_EMPTY_APPID" | "AUTH_ERR_INVALID_APPID" | "AUTH_ERR_NO_ACCESS" | "ERR_BAD_REQUEST" | "ERR_BLOCKED_RECEIVER" | "ERR_BLOCKED_SENDER" | "ERR_LIMIT_EXCEEDED" | "ERR_MESSAGE_ACTION_NOT_ALLOWED" | "ERR_MESSAGE_ID_NOT_FOUND" | "ERR_OPERATION_FAILED" | "ERR_PERMISSION_DENIED" | "ERR_TOO_MANY_REQUESTS" | "ERR_UID_NOT_FOUND";

export interface AddReactionParams {
  /** The id of a message. */
  id: string;
  /** An emoji, or any text of 1 to 100 characters. */
  reaction: string;
}

/** The Web Push provider to add; without an id, one is generated. */
export interface AddWebPushProvider {
  /** No control characters and no /; neither . nor .. */
  providerId?: string;
  /** Who sends: `mailto:` with an e-mail address, or an https URL. */
  subject: string;
}

/** The outcomes by list, then by uid. */
export interface AddedMembers {
  /** The outcomes for those who were to be banned, by uid. */
  usersToBan?: {
    [key: string]: MemberOutcome;
  };
  /** The outcomes for those who were to be admins, by uid. */
  admins?: {
    [key: string]: MemberOutcome;
  };
  /** The outcomes for those who were to be moderators, by uid. */
  moderators?: {
    [key: string]: MemberOutcome;
  };
  /** The outcomes for those who were to be participants, by uid. */
  participants?: {
    [key: string]: MemberOutcome;
  };
}

export interface AddedMembersAnswer {
  data: AddedMembers;
}

/** The data of `receipts_advanced`: all members have one's messages up to these ids. */
export interface AdvancedPayload {
  /** The uid or the guid of who it is for, according to `receiverType`. */
  receiver: string;
  receiverType: ReceiverType;
  /** The id of the message up to which all members have the messages. */
  deliveredToAllId?: string;
  /** The id of the message up to which all members have read. */
  readByAllId?: string;
}

/** The side of the cursor: `append` for what follows it, `prepend` for what precedes it. */
export type Affix = "append" | "prepend";

/** The features to allow again: these, or all. */
export interface AllowFeatures {
  /** The keys of the features to allow. */
  featuresToAllow?: string[];
  /** Whether all features are allowed again, whatever `featuresToAllow` says. */
  allowAll?: boolean;
}

/** A button calls a URL with a payload. */
export type ApiAction = {
  /** The kind of the action. */
  actionType: "apiAction";
  /** An absolute http or https URL. */
  url?: string;
  /** An HTTP method, such as POST. */
  method?: string;
  /** The JSON object that is sent. */
  payload?: {
    [key: string]: unknown;
  };
  /** The headers of the call, by name. */
  headers?: {
    [key: string]: unknown;
  };
  /** The key of the payload that gets the submitted values. */
  dataKey?: string;
} & {
  [key: string]: unknown;
};

/** An API key. */
export interface ApiKey {
  /** The key itself: a secret. Who has it acts as the app. */
  apiKey: string;
  /** What the key is for, in the words of people. */
  name: string;
  scope: KeyScope;
  /** When it was created, in seconds since 1970. */
  createdAt: number;
  /** Who created the key, if that is known. */
  createdBy?: string;
}

export interface ApiKeyAnswer {
  data: ApiKey;
}

/** A page of a list. */
export interface ApiKeyList {
  /** The rows, in the order of the list. */
  data: ApiKey[];
  meta: PageMeta;
}

/** An APNs provider. */
export interface ApnsProvider {
  /** Ten of A-Z and 0-9. */
  keyId?: string;
  /** Ten of A-Z and 0-9. */
  teamId?: string;
  /** Such as com.example.chat. */
  bundleId?: string;
  /** The name of the file that the key came from, for people; up to 255 characters. */
  p8KeyFilename?: string;
  /** A private key as PEM. */
  p8Key?: string;
  /** Whether pushes set `content-available`, which wakes the app in the background. */
  includeContentAvailable?: boolean;
  /** Whether pushes set `mutable-content`, which lets the app change them before they are shown. */
  includeMutableContent?: boolean;
  /** Whether pushes go to Apple's production service; false for builds from Xcode. It is true if it is absent. */
  productionMode?: boolean;
  /** The id of the provider, unique among those of its kind in the app. */
  providerId: string;
  /** Whether it serves the devices that name no provider; one of them does. */
  isDefault: boolean;
  /** Whether it has all credentials that it needs to send. */
  isComplete: boolean;
  /** When it was created, in seconds since 1970. */
  createdAt: number;
  /** When it was last changed, in seconds since 1970; absent if it never was. */
  updatedAt?: number;
}

/** The APNs providers of the app. */
export interface ApnsProviders {
  /** The providers. */
  pushProviders: ApnsProvider[];
}

export interface ApnsProvidersAnswer {
  data: ApnsProviders;
}

/** The preferences of an app. */
export interface AppPreferences {
  push?: PushSettings;
  call?: CallSettings;
  /** Whether messages that mention a person are told to them in spite of mutes, do-not-disturb and schedules. */
  bypassPreferencesForMentions?: boolean;
  /** Whether messages that mention everybody in the group are told in spite of mutes, do-not-disturb and schedules. */
  bypassPreferencesForGroupMentions?: boolean;
  group?: GroupSettings;
  oneOnOne?: OneOnOneSettings;
  mute?: MuteSettings;
  email?: ChannelSettings;
  sms?: ChannelSettings;
}

/** The appeal of a message's sender. */
export interface Appeal {
  /** What the sender says about it. */
  remark?: string;
  /** When the sender appealed last, in seconds since 1970. */
  appealedAt: number;
}

/** Why a message should be delivered. */
export interface AppealHeld {
  /** What its sender says about it. */
  remark?: string;
}

/** A text to append to a message that grows. */
export interface AppendBody {
  /** It follows the text so far; an empty one only keeps it growing. */
  text: string;
  /** 1 for the first append of a message, and one more for each further one. */
  sequence: number;
  /** Whether to answer only when it is on disk. */
  durable?: boolean;
}

/** The code of the error, by which programs go. */
export type AppendMessageErrorCode = "AUTH_ERR_APIKEY_NOT_FOUND" | "AUTH_ERR_AUTH_TOKEN_NOT_FOUND" | "AUTH_ERR_EMPTY_APIKEY" | "AUTH_ERR_EMPTY_APPID" | "AUTH_ERR_INVALID_APPID" | "AUTH_ERR_NO_ACCESS" | "ERR_BAD_REQUEST" | "ERR_INVALID_MESSAGE_DATA" | "ERR_MESSAGE_ID_NOT_FOUND" | "ERR_MESSAGE_NOT_A_SENDER" | "ERR_MESSAGE_NOT_GROWING" | "ERR_OPERATION_FAILED" | "ERR_SEQUENCE_GAP" | "ERR_TOO_MANY_REQUESTS" | "ERR_UID_NOT_FOUND";

export interface AppendMessageParams {
  /** The id of a message. */
  id: string;
  /** It follows the text so far; an empty one only keeps it growing. */
  text: string;
  /** 1 for the first append of a message, and one more for each further one. */
  sequence: number;
  /** Whether to answer only when it is on disk. */
  durable?: boolean;
}

/** The code of the error, by which programs go. */
export type AppendMessagesErrorCode = "AUTH_ERR_APIKEY_NOT_FOUND" | "AUTH_ERR_AUTH_TOKEN_NOT_FOUND" | "AUTH_ERR_EMPTY_APIKEY" | "AUTH_ERR_EMPTY_APPID" | "AUTH_ERR_INVALID_APPID" | "AUTH_ERR_NO_ACCESS" | "ERR_BAD_REQUEST" | "ERR_OPERATION_FAILED" | "ERR_TOO_MANY_REQUESTS" | "ERR_UID_NOT_FOUND";

export interface AppendMessagesParams {
  /** Several to one message are appended in their order. */
  appends: AppendToOne[];
}

/** The outcome of one of several appends. */
export interface AppendOutcome {
  /** Whether it was done. */
  success: boolean;
  data?: Appended;
  error?: Problem;
}

/** The outcomes of appends, in their order. */
export interface AppendOutcomes {
  /** The rows, in the order of the list. */
  data: AppendOutcome[];
}

/** A text to append to one of several messages. */
export interface AppendToOne {
  /** The id of the message. */
  id: string;
  /** It follows the text so far; an empty one only keeps it growing. */
  text: string;
  /** 1 for the first append of a message, and one more for each further one. */
  sequence: number;
}

/** An append that was taken. */
export interface Appended {
  /** The id. */
  id: string;
  /** The number of the append. */
  sequence: number;
  /** The code points of the text after this append. */
  length: number;
}

export interface AppendedAnswer {
  data: Appended;
}

/** The data of `message_appended`: what follows in the text of a message that grows. */
export interface AppendedPayload {
  /** The id. */
  id: string;
  /** The id of the conversation: `group_<guid>`, or `<uid>_user_<uid>` of two users in their order. */
  conversationId: string;
  /** The last append that is in `text`. */
  sequence: number;
  /** The code points of the message before `text`. */
  offset: number;
  /** The text that people see. */
  text: string;
}

/** Texts to append to messages that grow. */
export interface AppendsBody {
  /** Several to one message are appended in their order. */
  appends: AppendToOne[];
}

/** The data of `moderation_manual_approved`: a message that was held, and is delivered. */
export interface ApprovedPayload {
  message: Message;
  /** The rules that had blocked it; the one that decided is first. */
  moderation: ModerationMatch[];
  /** Always true: somebody has reviewed it. */
  reviewed: boolean;
}

/** What to export; without a user or group all of the app. */
export interface AskForExport {
  /** Only what is stored about this person. */
  user?: string;
  /** Only this group, with the users whom it names. */
  group?: string;
  /** Only messages from this time on, in seconds. */
  since?: number;
  /** Only messages before this time, in seconds. */
  until?: number;
}

/** What to import: the part `file` of a form, or what a URL has. */
export interface AskForImport {
  /** An address from which the source is fetched. */
  url?: string;
  /** What the source is, such as `slack`; without it that is found out. */
  from?: string;
  /** What is done with rows that are stored already. Without it, equal ones are skipped and others are refused. */
  onConflict?: "error" | "skip" | "update";
  /** Whether nothing is stored, and only reported what would be. */
  dryRun?: boolean;
}

/** What to import: the part `file` of a form, or what a URL has. Each field is a part of its own, with its files. */
export interface AskForImportForm {
  /** An address from which the source is fetched. */
  url?: string;
  /** What the source is, such as `slack`; without it that is found out. */
  from?: string;
  /** What is done with rows that are stored already. Without it, equal ones are skipped and others are refused. */
  onConflict?: "error" | "skip" | "update";
  /** Whether nothing is stored, and only reported what would be. */
  dryRun?: boolean;
  /** The files, each in its own part, of at most 104,857,600 bytes together. */
  file?: Blob[];
}

/** A trigger that a webhook is attached to. */
export interface AttachedTrigger {
  /** The name of the trigger. */
  id: string;
  /** A text for people about it, up to 255 characters. */
  description: string;
}

/** A page of a list. */
export interface AttachedTriggerList {
  /** The rows, in the order of the list. */
  data: AttachedTrigger[];
  meta: PageMeta;
}

/** A file of a message. */
export type Attachment = {
  /** An http or https URL. */
  url: string;
  /** The name of the file as it was uploaded or given. */
  name?: string;
  /** Its type, such as image/png. */
  mimeType?: string;
  /** The extension of the file's name, without the dot. */
  extension?: string;
  /** In bytes; as a number if it was uploaded. */
  size?: number | string;
  /** The width in pixels. */
  width?: number;
  /** The height in pixels. */
  height?: number;
  thumbnail?: Thumbnail;
} & {
  [key: string]: unknown;
};

/** An attempt to make a delivery: what the receiver answered, or why it could not be called. */
export interface Attempt {
  /** When the attempt was made, in seconds since 1970. */
  at: number;
  /** In milliseconds. */
  duration: number;
  /** The HTTP status of the answer; absent if there was none. */
  status?: number;
  /** The beginning of the answer's body. */
  answer?: string;
  /** Why there was no answer; absent if there was one. */
  error?: string;
}

/** All users, or only friends. */
export type Audience = "all" | "friendsOnly";

/** An auth token. */
export interface AuthToken {
  /** The id of the user, unique in the app. */
  uid: string;
  /** The auth token: a secret with which a client acts as this user. */
  authToken: string;
  /** When it was created, in seconds since 1970. */
  createdAt: number;
  /** What the client runs on, such as `ios` or `web`; the client says it. */
  platform?: string;
  /** The program that uses the token, as the client says. */
  userAgent?: string;
  /** What the app wants to remember of the device, such as its version: a JSON object. */
  appInfo?: {
    [key: string]: unknown;
  };
  /** What the token was made for, as it was given; absent if it was not. */
  device?: string;
  /** When it ends by itself, in seconds since 1970; absent if it does not. */
  expiresAt?: number;
}

export interface AuthTokenAnswer {
  data: AuthToken;
}

/** A page of a list. */
export interface AuthTokenList {
  /** The rows, in the order of the list. */
  data: AuthToken[];
  meta: PageMeta;
}

/** The hours of each weekday in which appointments can be made. */
export interface Availability {
  /** The hours of Mondays; none if it is absent. */
  monday?: OpenHours[];
  /** The hours of Tuesdays; none if it is absent. */
  tuesday?: OpenHours[];
  /** The hours of Wednesdays; none if it is absent. */
  wednesday?: OpenHours[];
  /** The hours of Thursdays; none if it is absent. */
  thursday?: OpenHours[];
  /** The hours of Fridays; none if it is absent. */
  friday?: OpenHours[];
  /** The hours of Saturdays; none if it is absent. */
  saturday?: OpenHours[];
  /** The hours of Sundays; none if it is absent. */
  sunday?: OpenHours[];
}

/** A user who is banned from a group, with the scope that they had. */
export interface BannedUser {
  /** The id of the user, unique in the app. */
  uid: string;
  /** The name that people see, up to 100 characters. */
  name: string;
  /** The URL of the user's picture; absent if they have none. */
  avatar?: string;
  /** A URL of the user's own, such as that of their profile; absent if they have none. */
  link?: string;
  /** The app's own JSON object, kept as given: up to 5,120 bytes. `@private` in that of a user is shown to the app and to that user only. */
  metadata?: {
    [key: string]: unknown;
  };
  status: UserStatus;
  /** What the user says about themself, up to 255 characters. */
  statusMessage?: string;
  /** The role of the user, which limits what they may do; `default` unless another was given. */
  role: string;
  /** Words of the app, up to 25 of 100 characters each, by which lists can be filtered. */
  tags?: string[];
  /** Whether a program speaks for the user; absent if not. */
  isBot?: boolean;
  /** When it was created, in seconds since 1970. */
  createdAt: number;
  /** When it was last changed, in seconds since 1970; absent if it never was. */
  updatedAt?: number;
  /** When the user was last connected, in seconds since 1970; absent if they never were. */
  lastActiveAt?: number;
  /** When the user was deactivated, in seconds since 1970; absent while they are active. */
  deactivatedAt?: number;
  /** The id of the conversation: `group_<guid>`, or `<uid>_user_<uid>` of two users in their order. */
  conversationId?: string;
  /** Whether the acting user has blocked this user; absent if not. */
  blockedByMe?: boolean;
  /** When the acting user blocked this user, in seconds since 1970. */
  blockedByMeAt?: number;
  /** Whether this user has blocked the acting user; absent if not. */
  hasBlockedMe?: boolean;
  /** When this user blocked the acting user, in seconds since 1970. */
  blockedAt?: number;
  /** The auth token: a secret with which a client acts as this user. */
  authToken?: string;
  scope: MemberScope;
  /** Whether the user is banned from the group. */
  isBanned: boolean;
  /** When the user joined the group, in seconds since 1970. */
  joinedAt?: number;
  /** When the user was banned, in seconds since 1970. */
  bannedAt: number;
}

/** A page of a list. */
export interface BannedUserList {
  /** The rows, in the order of the list. */
  data: BannedUser[];
  meta: PageMeta;
}

/** The data of `user_blocked` and `user_unblocked`: `by` blocks `users`, or no longer does. */
export interface BlockPayload {
  /** The users whom it is about, by uid. */
  users: {
    [key: string]: NamedUser;
  };
  by: PayloadUser;
}

/** A message that rules have blocked, with the rule that decided, as it was then. */
export interface Blocked {
  /** The id of the rule that decided. */
  ruleId: string;
  /** The name of the rule. */
  ruleName: string;
  /** The revision of the rule. */
  revisionId: string;
  /** The condition that matched, as the rule had it then. */
  condition: {
    [key: string]: unknown;
  };
  /** The word or pattern that was found. */
  term?: string;
  /** The actions of the rule. */
  action: string[];
  message: Message;
  appeal?: Appeal;
  /** When it was sent, in seconds since 1970. */
  createdAt: number;
  /** When it was sent, or its sender appealed, in seconds since 1970. */
  updatedAt: number;
}

/** A page of a list of moderation. */
export interface BlockedModerationListing {
  /** The rows, in the order of the list. */
  data: Blocked[];
  meta: ModerationMeta;
}

/** The users to block or to unblock. */
export interface BlockedUsers {
  /** The uids of the users. */
  blockedUids: string[];
}

/** A button. */
export type ButtonElement = {
  /** The kind of the element. */
  elementType: "button";
  /** The id of the element, unique in the message. */
  elementId: string;
  /** The text on the button. */
  buttonText?: string;
  /** Whether each user can use it only once. */
  disableAfterInteracted?: boolean;
  action?: Action;
} & {
  [key: string]: unknown;
};

/** The states of calls of which people are notified; no user chooses: overrides are false. */
export interface CallSettings {
  /** 1: off; 2: on. */
  initiatedSetting?: number;
  /** Always false: nobody chooses about calls. */
  initiatedOverride?: boolean;
  /** 1: off; 2: on. */
  ongoingSetting?: number;
  /** Always false: nobody chooses about calls. */
  ongoingOverride?: boolean;
  /** 1: off; 2: on. */
  cancelledSetting?: number;
  /** Always false: nobody chooses about calls. */
  cancelledOverride?: boolean;
  /** 1: off; 2: on. */
  busySetting?: number;
  /** Always false: nobody chooses about calls. */
  busyOverride?: boolean;
  /** 1: off; 2: on. */
  rejectedSetting?: number;
  /** Always false: nobody chooses about calls. */
  rejectedOverride?: boolean;
  /** 1: off; 2: on. */
  unansweredSetting?: number;
  /** Always false: nobody chooses about calls. */
  unansweredOverride?: boolean;
  /** 1: off; 2: on. */
  endedSetting?: number;
  /** Always false: nobody chooses about calls. */
  endedOverride?: boolean;
}

/** An image with a text and buttons. */
export type Card = {
  /** The text that people see. */
  text?: string;
  /** The URL of the image. */
  imageUrl?: string;
  /** The buttons below the text. */
  cardActions?: ButtonElement[];
} & {
  [key: string]: unknown;
};

/** An image with a text and buttons. */
export interface CardMessage {
  /** The id. */
  id: string;
  /** The sender's own id of the message, up to 255 characters: a second send with it is answered with the first message. */
  muid?: string;
  /** The id of the conversation: `group_<guid>`, or `<uid>_user_<uid>` of two users in their order. */
  conversationId: string;
  /** The uid of who sent it; `app_system` if it was the app. */
  sender: string;
  receiverType: ReceiverType;
  /** The uid or the guid of who it is for, according to `receiverType`. */
  receiver: string;
  /** The category of the message. */
  category: "interactive";
  /** The type of the message within its category; of a custom message any word. */
  type: "card";
  data: StoredCardData;
  /** When it was sent, in seconds since 1970. */
  sentAt: number;
  /** When it was last changed, in seconds since 1970; absent if it never was. */
  updatedAt: number;
  /** The id of the message in whose thread it is; absent outside of threads. */
  parentId?: string;
  /** When the receiver got it, in seconds since 1970; absent before. */
  deliveredAt?: number;
  /** When the receiver read it, in seconds since 1970; absent before. */
  readAt?: number;
  /** When it was last edited, in seconds since 1970; absent unless it was. */
  editedAt?: number;
  /** The uid of who edited it last; `app_system` if the app did. */
  editedBy?: string;
  /** When it was deleted, in seconds since 1970; absent unless it was. */
  deletedAt?: number;
  /** The uid of who deleted it; `app_system` if the app did. */
  deletedBy?: string;
  /** Words of the app, up to 25 of 100 characters each, by which lists can be filtered. */
  tags?: string[];
  /** Whether the message moves its conversation up and is counted as unread there; it does if this is absent. */
  updateConversation?: boolean;
  /** Whether people are notified of it. Absent: of a text or media message yes, of a custom one no. */
  sendNotification?: boolean;
  /** The text by which lists of conversations show the message in place of its own, up to 255 characters. */
  conversationText?: string;
  /** When it was pinned, in seconds since 1970; absent unless it is. */
  pinnedAt?: number;
  /** When the acting user saved it, in seconds since 1970; absent unless they did. */
  savedAt?: number;
  quotedMessage?: Message;
  parentMessage?: Message;
}

/** The data of a message of the category `interactive` and the type `card`. */
export type CardMessageData = {
  interactionGoal?: InteractionGoal;
  /** Whether the sender may use it, too. */
  allowSenderInteraction?: boolean;
  /** An object of your own. */
  metadata?: {
    [key: string]: unknown;
  };
  interactiveData: Card;
} & {
  [key: string]: unknown;
};

/** The changes to a custom provider. */
export interface ChangeCustom {
  /** Whether anything is sent with it. */
  isEnabled?: boolean;
  /** An https URL. Private addresses, and http, only where the operator allows it. */
  webhookURL?: string;
  /** Whether calls authenticate themselves with the username and the password of Basic auth. */
  useBasicAuth?: boolean;
  /** For Basic auth; without colon and control characters. */
  basicAuthUsername?: string;
  /** For Basic auth; without control characters. */
  basicAuthPassword?: string;
}

/** The changes to the custom provider of e-mail. */
export interface ChangeCustomEmail {
  /** Whether anything is sent with it. */
  isEnabled?: boolean;
  /** An https URL. Private addresses, and http, only where the operator allows it. */
  webhookURL?: string;
  /** Whether calls authenticate themselves with the username and the password of Basic auth. */
  useBasicAuth?: boolean;
  /** For Basic auth; without colon and control characters. */
  basicAuthUsername?: string;
  /** For Basic auth; without control characters. */
  basicAuthPassword?: string;
  /** Whether it is called only for users whose e-mail address is stored. */
  useStoredEmailID?: boolean;
}

/** The changes to the custom provider of SMS. */
export interface ChangeCustomSms {
  /** Whether anything is sent with it. */
  isEnabled?: boolean;
  /** An https URL. Private addresses, and http, only where the operator allows it. */
  webhookURL?: string;
  /** Whether calls authenticate themselves with the username and the password of Basic auth. */
  useBasicAuth?: boolean;
  /** For Basic auth; without colon and control characters. */
  basicAuthUsername?: string;
  /** For Basic auth; without control characters. */
  basicAuthPassword?: string;
  /** Whether it is called only for users whose phone number is stored. */
  useStoredPhNo?: boolean;
}

/** The changes of a message that is sent later; what is absent stays as it is. */
export interface ChangeScheduled {
  /** Seconds since 1970. */
  sendAt?: number;
  data?: MessageData;
  /** Words of the app, up to 25 of 100 characters each, by which lists can be filtered. */
  tags?: string[];
}

/** The new scope of a member. */
export interface ChangeScope {
  /** The default is `participant`. */
  scope?: MemberScope;
}

/** The changes to the provider SendGrid; null removes `senderEmailForReplies`. */
export interface ChangeSendGrid {
  /** The key of SendGrid's interface; the mark `•••` unless secrets are asked for. */
  sendGridApiKey?: string;
  /** Of a dynamic template. */
  sendGridTemplateID?: string;
  /** The number of SendGrid's group of unsubscribed addresses, as text. */
  sendGridUnsubscribeGroupID?: string;
  /** The name of the sender; no control characters. */
  senderName?: string;
  /** An e-mail address. */
  senderEmail?: string;
  /** Whether a reply to an e-mail becomes a message. */
  allowEmailReplies?: boolean;
  /** An e-mail address. */
  senderEmailForReplies?: string;
  /** Whether anything is sent with it. */
  isEnabled?: boolean;
}

/** The changes to the mail server. */
export interface ChangeSmtp {
  /** A name or an address; private ones only where the operator allows it. */
  host?: string;
  /** The port of the mail server, usually 465 for `tls` and 587 for `starttls`. */
  port?: number;
  /** No control characters. */
  username?: string;
  /** No control characters. */
  password?: string;
  security?: SmtpSecurity;
  /** The name of the sender; no control characters. */
  senderName?: string;
  /** An e-mail address. */
  senderEmail?: string;
  /** Whether anything is sent with it. */
  isEnabled?: boolean;
}

/** The changes to the provider Twilio. */
export interface ChangeTwilio {
  /** The id of the account at Twilio. */
  twilioAccountSID?: string;
  /** The secret of the account at Twilio; the mark `•••` unless secrets are asked for. */
  twilioAuthToken?: string;
  /** A phone number with its country code, such as +14155552671. */
  twilioSenderPhoneNumber?: string;
  /** Whether anything is sent with it. */
  isEnabled?: boolean;
}

/** The scope that a member has now. */
export interface ChangedScope {
  /** The id of the group, unique in the app. */
  guid: string;
  /** The id of the user, unique in the app. */
  uid: string;
  scope: MemberScope;
  /** When the user joined the group, in seconds since 1970. */
  joinedAt: number;
}

export interface ChangedScopeAnswer {
  data: ChangedScope;
}

/** The limits of e-mail or SMS to a person. */
export interface ChannelSettings {
  /** Whether only messages that are still unread at the end of the interval are told. */
  notifyForUnreadOnly?: boolean;
  /** The wait for a conversation to be read, and between two notifications of it. The operator sets the least, usually 60. */
  intervalInSeconds?: number;
  /** The most that a person gets on this channel in a day of their time zone. */
  maxPerDay?: number;
  /** The most that a person gets of one conversation in a day of their time zone. */
  maxPerDayPerConversation?: number;
}

/** A text or media message. */
export interface ChatMessage {
  /** The id. */
  id: string;
  /** The sender's own id of the message, up to 255 characters: a second send with it is answered with the first message. */
  muid?: string;
  /** The id of the conversation: `group_<guid>`, or `<uid>_user_<uid>` of two users in their order. */
  conversationId: string;
  /** The uid of who sent it; `app_system` if it was the app. */
  sender: string;
  receiverType: ReceiverType;
  /** The uid or the guid of who it is for, according to `receiverType`. */
  receiver: string;
  /** The category of the message. */
  category: "message";
  /** The type of the message within its category; of a custom message any word. */
  type: "audio" | "file" | "image" | "text" | "video";
  data: ChatMessageData;
  /** When it was sent, in seconds since 1970. */
  sentAt: number;
  /** When it was last changed, in seconds since 1970; absent if it never was. */
  updatedAt: number;
  /** The id of the message in whose thread it is; absent outside of threads. */
  parentId?: string;
  /** When the receiver got it, in seconds since 1970; absent before. */
  deliveredAt?: number;
  /** When the receiver read it, in seconds since 1970; absent before. */
  readAt?: number;
  /** When it was last edited, in seconds since 1970; absent unless it was. */
  editedAt?: number;
  /** The uid of who edited it last; `app_system` if the app did. */
  editedBy?: string;
  /** When it was deleted, in seconds since 1970; absent unless it was. */
  deletedAt?: number;
  /** The uid of who deleted it; `app_system` if the app did. */
  deletedBy?: string;
  /** Words of the app, up to 25 of 100 characters each, by which lists can be filtered. */
  tags?: string[];
  /** Whether the message moves its conversation up and is counted as unread there; it does if this is absent. */
  updateConversation?: boolean;
  /** Whether people are notified of it. Absent: of a text or media message yes, of a custom one no. */
  sendNotification?: boolean;
  /** The text by which lists of conversations show the message in place of its own, up to 255 characters. */
  conversationText?: string;
  /** When it was pinned, in seconds since 1970; absent unless it is. */
  pinnedAt?: number;
  /** When the acting user saved it, in seconds since 1970; absent unless they did. */
  savedAt?: number;
  quotedMessage?: Message;
  parentMessage?: Message;
}

/** The data of a text or media message, with what the server adds. */
export type ChatMessageData = {
  entities: MessageEntities;
  /** The mentioned users by uid. */
  mentions?: {
    [key: string]: MentionEntity | MentionOfAll;
  };
  /** The reactions to the message, in the order in which they first came; absent if there are none. */
  reactions?: Reaction[];
  /** The text; of a media message, its caption. */
  text?: string;
  /** The files of the message, in their order. */
  attachments?: Attachment[];
  /** An object of your own. */
  metadata?: {
    [key: string]: unknown;
  };
} & {
  [key: string]: unknown;
};

/** A choice of any number of options. */
export type CheckboxElement = {
  /** The kind of the element. */
  elementType: "checkbox";
  /** The id of the element, unique in the message. */
  elementId: string;
  /** The text above the element. */
  label: string;
  /** Whether the element may be left empty. */
  optional?: boolean;
  /** The value that is chosen or entered at first. */
  defaultValue?: string[];
  /** The options to choose from, in their order. */
  options?: Option[];
} & {
  [key: string]: unknown;
};

/** What a rule looks for. */
export interface Condition {
  /** Its number within the rule. */
  id: number;
  /** Whether the values are ids of lists. */
  isKeywordsReferencePresent: boolean;
  /** Whether the values are labels of media. */
  isMediaPresent: boolean;
  /** What is judged. */
  entity: "message";
  /** What of a message is looked at, or what is counted. */
  operand: string;
  /** How it looks for the values; absent where the operand says that. */
  category?: string;
  /** Where a word must be; absent: between the borders of words. */
  operator?: string;
  /** What it looks for; any of these. */
  value: string[];
  /** What it says about itself to those who read it. */
  message?: string[];
}

/**
 * The data of `user_connection_status_changed`; the time is in milliseconds.
 *
 *     `userPresenceChanged` is false if the user has other connections.
 */
export interface ConnectionPayload {
  /** When it happened, in milliseconds since 1970. */
  timestamp: number;
  user: PayloadUser;
  status: UserStatus;
  currentConnection: CurrentConnection;
  /** Whether this changed the user's `status`: false if other connections of theirs are open. */
  userPresenceChanged: boolean;
}

/** The e-mail address and the phone number of a user. */
export interface ContactDetails {
  /** The e-mail address to which mails about unread messages go. */
  email?: string;
  /** The phone number with its country code, to which SMS go. */
  phno?: string;
}

export interface ContactDetailsAnswer {
  data: ContactDetails;
}

/** A conversation as a participant sees it; `conversationWith` is a user or a group. */
export interface Conversation {
  /** The id of the conversation: `group_<guid>`, or `<uid>_user_<uid>` of two users in their order. */
  conversationId: string;
  conversationType: ReceiverType;
  /** The number of messages that the acting user has not read, as text. */
  unreadMessageCount: string;
  /** When it was created, in seconds since 1970. */
  createdAt: number;
  /** When the last message, or a change, moved the conversation, in seconds since 1970. */
  updatedAt: number;
  lastMessage?: Message;
  conversationWith: ConversationWith;
  /** The acting user's own tags of the conversation; others don't see them. */
  tags?: string[];
  /** When the acting user, or the app, pinned the conversation, in seconds since 1970; absent unless one did. */
  pinnedAt?: number;
}

export interface ConversationAnswer {
  data: Conversation;
}

/**
 * The data of `conversation_deleted`: `by` deleted it for all participants.
 *
 *     Its messages up to `lastMessageId` are gone; new ones may follow.
 */
export interface ConversationDeletedPayload {
  conversation: PayloadConversation;
  by: PayloadUser;
  /** The id of the last message that is gone; what has a greater id stays. */
  lastMessageId: string;
}

/** The data of `conversation_delivered`: `by` has all up to `lastDeliveredMessageId`. */
export interface ConversationDeliveredPayload {
  conversation: PayloadConversation;
  by: PayloadUser;
  /** The id of the message up to which `by` has all. */
  lastDeliveredMessageId: string;
}

/** A page of a list. */
export interface ConversationList {
  /** The rows, in the order of the list. */
  data: Conversation[];
  meta: PageMeta;
}

/**
 * The data of `conversation_read` and `conversation_unread`: how far `by` has read.
 *
 *     Both values are absolute, as of the event. `lastReadMessageId` is `0` if nothing is read.
 */
export interface ConversationMarkPayload {
  conversation: PayloadConversation;
  by: PayloadUser;
  /** The id of the message up to which `by` has read; `0` if nothing is read. */
  lastReadMessageId: string;
  /** The number of messages that `by` has not read, as text. */
  unreadMessageCount: string;
}

/**
 * The data of `conversation_reset`: `by` removed the conversation from their list.
 *
 *     They do not see its messages up to `lastMessageId` any more; other participants do.
 */
export interface ConversationResetPayload {
  conversation: PayloadConversation;
  by: PayloadUser;
  /** The id of the last message that is gone; what has a greater id stays. */
  lastMessageId: string;
}

/**
 * The data of `conversation_updated`: `by` changed their tags or their pin.
 *
 *     The tags, and the time of the pin, are those that `by` has now. If `by` is `app_system`, it is
 *     the pin of the app, which everybody sees.
 */
export interface ConversationUpdatedPayload {
  conversation: PayloadConversation;
  by: PayloadUser;
  /** Words of the app, up to 25 of 100 characters each, by which lists can be filtered. */
  tags?: string[];
  /** When it was pinned, in seconds since 1970; absent unless it is. */
  pinnedAt?: number;
}

/** The other user, or the group. */
export type ConversationWith = User | Group;

/**
 * The data of `conversations_changed`: earlier messages were imported into conversations.
 *
 *     `count` is how many conversations the event is about; not all need be those of the receiver.
 */
export interface ConversationsChangedPayload {
  /** The number of rows in this answer. */
  count: number;
}

/** The bot to create. */
export interface CreateBot {
  /** a-z, 0-9, _ and -; upper case is changed to lower case. */
  uid: string;
  /** The name that people see, up to 100 characters. */
  name: string;
  /** An absolute http or https URL. */
  avatar?: string;
  /** The app's own JSON object, kept as given: up to 5,120 bytes. `@private` in that of a user is shown to the app and to that user only. */
  metadata?: {
    [key: string]: unknown;
  };
}

/** The group to create; with the type `password` it needs a password. */
export interface CreateGroup {
  /** a-z, 0-9, _ and -; upper case is changed to lower case. */
  guid: string;
  /** The name that people see, up to 100 characters. */
  name: string;
  type: GroupType;
  /** The password of a group of the type `password`, up to 100 characters. It is never shown. */
  password?: string;
  /** An absolute http or https URL. */
  icon?: string;
  /** A text for people about it, up to 255 characters. */
  description?: string;
  /** The app's own JSON object, kept as given: up to 5,120 bytes. `@private` in that of a user is shown to the app and to that user only. */
  metadata?: {
    [key: string]: unknown;
  };
  /** a-z, 0-9, _ and -; upper case is changed to lower case. */
  owner?: string;
  /** Words of the app, up to 25 of 100 characters each, by which lists can be filtered. */
  tags?: string[];
  members?: MemberLists;
}

/** The API key to create. */
export interface CreateKey {
  /** What the key is for, in the words of people. */
  name: string;
  /** The default is `authOnly`. */
  scope?: KeyScope;
}

/** A new reason. */
export interface CreateReason {
  /** a-z, 0-9, _ and -; upper case is changed to lower case. */
  id: string;
  /** The name that people see, up to 100 characters. */
  name: string;
  /** A text for people about it, up to 255 characters. */
  description?: string;
}

/** The role to create. */
export interface CreateRole {
  /** a-z, 0-9, _ and -; upper case is changed to lower case. */
  role: string;
  /** The name that people see, up to 100 characters. */
  name: string;
  /** A text for people about it, up to 255 characters. */
  description?: string;
  /** The app's own JSON object, kept as given: up to 5,120 bytes. `@private` in that of a user is shown to the app and to that user only. */
  metadata?: {
    [key: string]: unknown;
  };
  settings?: RoleSettings;
}

/** The way in which a token is created; with any of the fields always a new one. */
export interface CreateToken {
  /** Whether a new token is always made; otherwise one that the user has already may be returned. */
  force?: boolean;
  /** After how many seconds the token ends, from 10 to ten years and no more than the app's setting `authTokens.longestSeconds`; absent: as `authTokens.defaultSeconds` says. A new token is made. */
  expiresIn?: number;
  /** What the token is for, in any words, such as the name of a phone: lists of sessions show it. A new token is made. */
  device?: string;
}

/** A user to create. */
export interface CreateUser {
  /** An absolute http or https URL. */
  avatar?: string;
  /** An absolute http or https URL. */
  link?: string;
  /** a-z, 0-9, _ and -; upper case is changed to lower case. */
  role?: string;
  /** What the user says about themself, up to 255 characters. */
  statusMessage?: string;
  /** The app's own JSON object, kept as given: up to 5,120 bytes. `@private` in that of a user is shown to the app and to that user only. */
  metadata?: {
    [key: string]: unknown;
  };
  /** Words of the app, up to 25 of 100 characters each, by which lists can be filtered. */
  tags?: string[];
  /** a-z, 0-9, _ and -; upper case is changed to lower case. */
  uid: string;
  /** The name that people see, up to 100 characters. */
  name: string;
  /** Whether an auth token is created for the user, too; the answer has it. */
  withAuthToken?: boolean;
}

/** The webhook to create. */
export interface CreateWebhook {
  /** A-Z, a-z, 0-9, `.`, `_` and `-`, but not `.` or `..` alone. */
  id: string;
  /** The name that people see, up to 100 characters. */
  name: string;
  /** An https URL. Private addresses, and http, only where the operator allows it. */
  webhookURL: string;
  /** Whether calls authenticate themselves with the username and the password of Basic auth. */
  useBasicAuth?: boolean;
  /** For Basic auth; without colon and control characters. */
  username?: string;
  /** For Basic auth; without control characters. */
  password?: string;
  /** Whether anything is sent to it. The default is `true`. */
  enabled?: boolean;
  /** Whether a delivery that failed is tried again, for some days. */
  retryOnFailure?: boolean;
}

/** A new group; `members` has the users who could not be added or banned, with the reason. */
export interface CreatedGroup {
  /** The id of the group, unique in the app. */
  guid: string;
  /** The name that people see, up to 100 characters. */
  name: string;
  /** A text for people about it, up to 255 characters. */
  description?: string;
  /** The URL of the group's picture; absent if it has none. */
  icon?: string;
  type: GroupType;
  scope?: MemberScope;
  /** The number of members. */
  membersCount: number;
  /** When the user joined the group, in seconds since 1970. */
  joinedAt?: number;
  /** The id of the conversation: `group_<guid>`, or `<uid>_user_<uid>` of two users in their order. */
  conversationId: string;
  /** Whether the acting user is a member. */
  hasJoined: boolean;
  /** When it was created, in seconds since 1970. */
  createdAt: number;
  /** The uid of the owner; `app_system` if it is the app. */
  owner: string;
  /** When it was last changed, in seconds since 1970; absent if it never was. */
  updatedAt?: number;
  /** The uid of who changed it last; `app_system` if the app did. */
  updatedBy?: string;
  /** Words of the app, up to 25 of 100 characters each, by which lists can be filtered. */
  tags?: string[];
  /** The app's own JSON object, kept as given: up to 5,120 bytes. `@private` in that of a user is shown to the app and to that user only. */
  metadata?: {
    [key: string]: unknown;
  };
  members?: AddedMembers;
}

export interface CreatedGroupAnswer {
  data: CreatedGroup;
}

/** A new webhook with its secret. */
export interface CreatedWebhook {
  /** The id of the webhook, unique in the app. */
  id: string;
  /** The name that people see, up to 100 characters. */
  name: string;
  /** The URL that is called. */
  webhookURL: string;
  /** Whether calls authenticate themselves with the username and the password of Basic auth. */
  useBasicAuth: boolean;
  /** The username; absent if there is none. */
  username?: string;
  /** Only the mark `•••`. */
  password?: string;
  /** Whether the webhook is called. */
  enabled: boolean;
  /** Whether a call that fails is repeated; without it there is one attempt. */
  retryOnFailure: boolean;
  /** Since when it is paused, in seconds since 1970: every attempt failed. */
  pausedAt?: number;
  /** When it was created, in seconds since 1970. */
  createdAt: number;
  /** When it was last changed, in seconds since 1970; absent if it never was. */
  updatedAt?: number;
  /** What deliveries are signed with. */
  secret: string;
}

export interface CreatedWebhookAnswer {
  data: CreatedWebhook;
}

/** The size of a slice: as requested, and as returned. */
export interface Current {
  /** The most rows that were asked for. */
  limit: number;
  /** The number of rows in this answer. */
  count: number;
}

/** A connection of a user, and what happened to it; the time is in milliseconds. */
export interface CurrentConnection {
  /** What happened: `connected` or `disconnected`. */
  action: string;
  /** What the client runs on, such as `ios` or `web`; the client says it. */
  platform?: string;
  /** When the connection began, in milliseconds since 1970. */
  connectedAt: number;
}

/** The query parameters that continue a list: `affix`, `updatedAt` and `id`. */
export interface Cursor {
  /** The time of the row at the end, in seconds since 1970: give it as the query parameter `updatedAt`. */
  updatedAt: number;
  affix: Affix;
  /** The id of the row at the end: give it as the query parameter `id`. */
  id: string;
}

/** A custom provider; empty if the app has none for the channel. */
export interface Custom {
  /** Whether it is used; if not, nothing is sent with it. */
  isEnabled?: boolean;
  /** The URL that is called. */
  webhookURL?: string;
  /** Whether calls authenticate themselves with the username and the password of Basic auth. */
  useBasicAuth?: boolean;
  /** The username of Basic auth. */
  basicAuthUsername?: string;
  /** The password of Basic auth; the mark `•••` unless secrets are asked for. */
  basicAuthPassword?: string;
}

/** A button does what the client defines. */
export type CustomAction = {
  /** The kind of the action. */
  actionType: "customAction";
} & {
  [key: string]: unknown;
};

/** The custom provider of e-mail; empty if the app has none. */
export interface CustomEmail {
  /** Whether it is used; if not, nothing is sent with it. */
  isEnabled?: boolean;
  /** The URL that is called. */
  webhookURL?: string;
  /** Whether calls authenticate themselves with the username and the password of Basic auth. */
  useBasicAuth?: boolean;
  /** The username of Basic auth. */
  basicAuthUsername?: string;
  /** The password of Basic auth; the mark `•••` unless secrets are asked for. */
  basicAuthPassword?: string;
  /** Whether it is called only for users whose e-mail address is stored. */
  useStoredEmailID?: boolean;
}

export interface CustomEmailAnswer {
  data: CustomEmail;
}

/** An interactive message that the client defines. */
export interface CustomInteractiveMessage {
  /** The id. */
  id: string;
  /** The sender's own id of the message, up to 255 characters: a second send with it is answered with the first message. */
  muid?: string;
  /** The id of the conversation: `group_<guid>`, or `<uid>_user_<uid>` of two users in their order. */
  conversationId: string;
  /** The uid of who sent it; `app_system` if it was the app. */
  sender: string;
  receiverType: ReceiverType;
  /** The uid or the guid of who it is for, according to `receiverType`. */
  receiver: string;
  /** The category of the message. */
  category: "interactive";
  /** The type of the message within its category; of a custom message any word. */
  type: "customInteractive";
  data: StoredCustomInteractiveData;
  /** When it was sent, in seconds since 1970. */
  sentAt: number;
  /** When it was last changed, in seconds since 1970; absent if it never was. */
  updatedAt: number;
  /** The id of the message in whose thread it is; absent outside of threads. */
  parentId?: string;
  /** When the receiver got it, in seconds since 1970; absent before. */
  deliveredAt?: number;
  /** When the receiver read it, in seconds since 1970; absent before. */
  readAt?: number;
  /** When it was last edited, in seconds since 1970; absent unless it was. */
  editedAt?: number;
  /** The uid of who edited it last; `app_system` if the app did. */
  editedBy?: string;
  /** When it was deleted, in seconds since 1970; absent unless it was. */
  deletedAt?: number;
  /** The uid of who deleted it; `app_system` if the app did. */
  deletedBy?: string;
  /** Words of the app, up to 25 of 100 characters each, by which lists can be filtered. */
  tags?: string[];
  /** Whether the message moves its conversation up and is counted as unread there; it does if this is absent. */
  updateConversation?: boolean;
  /** Whether people are notified of it. Absent: of a text or media message yes, of a custom one no. */
  sendNotification?: boolean;
  /** The text by which lists of conversations show the message in place of its own, up to 255 characters. */
  conversationText?: string;
  /** When it was pinned, in seconds since 1970; absent unless it is. */
  pinnedAt?: number;
  /** When the acting user saved it, in seconds since 1970; absent unless they did. */
  savedAt?: number;
  quotedMessage?: Message;
  parentMessage?: Message;
}

/** The data of a message of the category `interactive` and the type `customInteractive`. */
export type CustomInteractiveMessageData = {
  interactionGoal?: InteractionGoal;
  /** Whether the sender may use it, too. */
  allowSenderInteraction?: boolean;
  /** An object of your own. */
  metadata?: {
    [key: string]: unknown;
  };
  /** An object of your own. */
  interactiveData: {
    [key: string]: unknown;
  };
} & {
  [key: string]: unknown;
};

/** A message with an object of the app's own. */
export interface CustomMessage {
  /** The id. */
  id: string;
  /** The sender's own id of the message, up to 255 characters: a second send with it is answered with the first message. */
  muid?: string;
  /** The id of the conversation: `group_<guid>`, or `<uid>_user_<uid>` of two users in their order. */
  conversationId: string;
  /** The uid of who sent it; `app_system` if it was the app. */
  sender: string;
  receiverType: ReceiverType;
  /** The uid or the guid of who it is for, according to `receiverType`. */
  receiver: string;
  /** The category of the message. */
  category: "custom";
  /** A type of the app's own. */
  type: string;
  data: StoredCustomData;
  /** When it was sent, in seconds since 1970. */
  sentAt: number;
  /** When it was last changed, in seconds since 1970; absent if it never was. */
  updatedAt: number;
  /** The id of the message in whose thread it is; absent outside of threads. */
  parentId?: string;
  /** When the receiver got it, in seconds since 1970; absent before. */
  deliveredAt?: number;
  /** When the receiver read it, in seconds since 1970; absent before. */
  readAt?: number;
  /** When it was last edited, in seconds since 1970; absent unless it was. */
  editedAt?: number;
  /** The uid of who edited it last; `app_system` if the app did. */
  editedBy?: string;
  /** When it was deleted, in seconds since 1970; absent unless it was. */
  deletedAt?: number;
  /** The uid of who deleted it; `app_system` if the app did. */
  deletedBy?: string;
  /** Words of the app, up to 25 of 100 characters each, by which lists can be filtered. */
  tags?: string[];
  /** Whether the message moves its conversation up and is counted as unread there; it does if this is absent. */
  updateConversation?: boolean;
  /** Whether people are notified of it. Absent: of a text or media message yes, of a custom one no. */
  sendNotification?: boolean;
  /** The text by which lists of conversations show the message in place of its own, up to 255 characters. */
  conversationText?: string;
  /** When it was pinned, in seconds since 1970; absent unless it is. */
  pinnedAt?: number;
  /** When the acting user saved it, in seconds since 1970; absent unless they did. */
  savedAt?: number;
  quotedMessage?: Message;
  parentMessage?: Message;
}

/** The data of a message of the category `custom`. */
export type CustomMessageData = {
  /** An object of your own. */
  customData: {
    [key: string]: unknown;
  };
  /** A text that searches find. */
  text?: string;
  /** An object of your own. */
  metadata?: {
    [key: string]: unknown;
  };
} & {
  [key: string]: unknown;
};

/** The custom push provider, or none. */
export interface CustomPushProviders {
  /** The providers. */
  pushProviders: Custom[];
}

export interface CustomPushProvidersAnswer {
  data: CustomPushProviders;
}

/** The custom provider of SMS; empty if the app has none. */
export interface CustomSms {
  /** Whether it is used; if not, nothing is sent with it. */
  isEnabled?: boolean;
  /** The URL that is called. */
  webhookURL?: string;
  /** Whether calls authenticate themselves with the username and the password of Basic auth. */
  useBasicAuth?: boolean;
  /** The username of Basic auth. */
  basicAuthUsername?: string;
  /** The password of Basic auth; the mark `•••` unless secrets are asked for. */
  basicAuthPassword?: string;
  /** Whether it is called only for users whose phone number is stored. */
  useStoredPhNo?: boolean;
}

export interface CustomSmsAnswer {
  data: CustomSms;
}

/** What happened in five minutes, from `startTime` on and before `endTime`. */
export interface DataPoint {
  /** Milliseconds since 1970, as text. */
  startTime: string;
  /** Milliseconds since 1970, as text. */
  endTime: string;
  /** Without action messages, imports and repeated muids. */
  messagesSent: number;
  /** The number of times that a user marked messages as read. */
  readReceipts: number;
  /** The same for messages marked as delivered, not by reading them. */
  deliveryReceipts: number;
}

/** An input for a date, a time, or both. */
export type DateTimeElement = {
  /** The kind of the element. */
  elementType: "dateTime";
  /** The id of the element, unique in the message. */
  elementId: string;
  /** Whether the element may be left empty. */
  optional?: boolean;
  /** The text above the element. */
  label?: string;
  /** In ISO 8601, according to the mode. */
  defaultValue?: string;
  /** The pattern of submitted values, such as yyyy-MM-dd. */
  dateTimeFormat?: string;
  /** What is entered: a date, a time, or both; a date if it is absent. */
  mode?: "date" | "dateTime" | "time";
  /** An IANA time zone, such as Europe/Berlin. */
  timezoneCode?: string;
  /** The first day, in ISO 8601. */
  from?: string;
  /** The last day, in ISO 8601. */
  to?: string;
} & {
  [key: string]: unknown;
};

/**
 * The period of a weekday in which notifications are sent, in the user's time zone.
 *
 *     The minute `to` is in the period. If `to` is before `from`, the period goes over midnight: it is
 *     the beginning of that day, and its end. With `dnd`, nothing is sent on that day.
 */
export interface Day {
  /** Hours and minutes as a number, such as 1830. */
  from?: number;
  /** Hours and minutes as a number, such as 1830. */
  to?: number;
  /** Whether nothing at all is sent on this day. */
  dnd?: boolean;
}

/** The users to deactivate. */
export interface DeactivateUsers {
  /** The uids of the users. */
  uidsToDeactivate?: string[];
}

/** The users that are deactivated now. */
export interface DeactivatedUsers {
  /** The uids of those that are deactivated now; unknown ones are missing. */
  deactivatedUids: string[];
}

export interface DeactivatedUsersAnswer {
  data: DeactivatedUsers;
}

/** A button opens a link of any scheme, such as one into another app on the phone. */
export type DeepLinkAction = {
  /** The kind of the action. */
  actionType: "deepLinkAction";
  /** A URL of any scheme but those that run scripts. */
  url: string;
} & {
  [key: string]: unknown;
};

/** The way in which a message is deleted. */
export interface DeleteMessage {
  /** Whether the content is erased; otherwise the app still sees it. */
  permanent?: boolean;
}

/** The code of the error, by which programs go. */
export type DeleteMessageErrorCode = "AUTH_ERR_APIKEY_NOT_FOUND" | "AUTH_ERR_AUTH_TOKEN_NOT_FOUND" | "AUTH_ERR_EMPTY_APIKEY" | "AUTH_ERR_EMPTY_APPID" | "AUTH_ERR_INVALID_APPID" | "AUTH_ERR_NO_ACCESS" | "ERR_BAD_REQUEST" | "ERR_MESSAGE_ACTION_NOT_ALLOWED" | "ERR_MESSAGE_ID_NOT_FOUND" | "ERR_MESSAGE_NOT_A_SENDER" | "ERR_OPERATION_FAILED" | "ERR_PERMISSION_DENIED" | "ERR_TOO_MANY_REQUESTS" | "ERR_UID_NOT_FOUND";

export interface DeleteMessageParams {
  /** The id of a message. */
  id: string;
  /** Whether the content is erased; otherwise the app still sees it. */
  permanent?: boolean;
}

/** The options of a deletion. */
export interface DeleteUser {
  /** Whether the user is erased with their messages, files and all that names them; otherwise they are only deactivated. */
  permanent?: boolean;
}

/**
 * The data of `message_deleted`.
 *
 *     `message` is the action message. Its `on` has `id`, `conversationId`, `deletedAt` and
 *     `deletedBy`, and no content.
 */
export interface DeletedMessagePayload {
  message: Message;
  /** Whether the message was erased, so that nobody, the app included, can read it any more. */
  permanent: boolean;
}

/** A delivery: the call that tells a webhook of an event. */
export interface Delivery {
  /** The `id` of the body, and the header `webhook-id`. */
  id: string;
  /** The number of the event in the app's log. */
  eventId: string;
  /** What happened, by the name of the trigger. */
  trigger: string;
  state: DeliveryState;
  /** When it was created, in seconds since 1970. */
  createdAt: number;
  /** Why it waits or has failed: what came of the latest attempt; `erased` if its content was erased. */
  reason?: string;
  /** When it, or the one of its conversation that it waits for, is tried next, in seconds since 1970. Absent unless it is pending, and of a stopped webhook. */
  nextAttemptAt?: number;
  /** The attempts so far, the first one first; the latest 50 are kept. */
  attempts: Attempt[];
}

export interface DeliveryAnswer {
  data: Delivery;
}

/** A page of a list. */
export interface DeliveryList {
  /** The rows, in the order of the list. */
  data: Delivery[];
  meta: PageMeta;
}

/** Whether a delivery waits, was accepted, or was given up. */
export type DeliveryState = "delivered" | "failed" | "pending";

/** The device that a client runs on; webhooks about connections show it. */
export interface Device {
  /** Such as `web` or `android`. */
  platform?: string;
  /** The program, in any words. */
  resource?: string;
}

/** Whether the time of a message begins when it was sent, or when everybody read it whom it was sent to. */
export type DisappearFrom = "read" | "sent";

/** The answer: whether it was done. */
export interface Done {
  /** False of typing that nobody was told of, as too many are connected. */
  success: boolean;
}

/** What a user has begun to write in a conversation. */
export interface Draft {
  /** The id of the conversation: `group_<guid>`, or `<uid>_user_<uid>` of two users in their order. */
  conversationId: string;
  /** The data as it was sent, with `entities {sender, receiver}`. */
  data: {
    [key: string]: unknown;
  };
  /** When it was put, in seconds since 1970. */
  updatedAt: number;
}

export interface DraftAnswer {
  data: Draft;
}

/** What a user has begun to write. */
export interface DraftContent {
  /** The data as it was sent, with `entities {sender, receiver}`. */
  data: {
    [key: string]: unknown;
  };
  /** When it was put, in seconds since 1970. */
  updatedAt: number;
}

/** A page of a list. */
export interface DraftList {
  /** The rows, in the order of the list. */
  data: Draft[];
  meta: PageMeta;
}

/** The data of `draft_changed`: the draft as it is now; without one, it was removed. */
export interface DraftPayload {
  conversation: PayloadConversation;
  draft?: DraftContent;
}

/** A choice of one option from a list that opens. */
export type DropdownElement = {
  /** The id of the element, unique in the message. */
  elementId: string;
  /** Whether the element may be left empty. */
  optional?: boolean;
  /** The text above the element. */
  label?: string;
  /** The `value` of the option that is chosen at first. */
  defaultValue?: string;
  /** The options to choose from, in their order. */
  options?: Option[];
  /** The kind of the element. */
  elementType: "dropdown";
} & {
  [key: string]: unknown;
};

/** The code of the error, by which programs go. */
export type EditMessageErrorCode = "AUTH_ERR_APIKEY_NOT_FOUND" | "AUTH_ERR_AUTH_TOKEN_NOT_FOUND" | "AUTH_ERR_EMPTY_APIKEY" | "AUTH_ERR_EMPTY_APPID" | "AUTH_ERR_INVALID_APPID" | "AUTH_ERR_NO_ACCESS" | "ERR_BAD_REQUEST" | "ERR_BLOCKED_BY_EXTENSION" | "ERR_BLOCKED_BY_WEBHOOK" | "ERR_BLOCKED_RECEIVER" | "ERR_BLOCKED_SENDER" | "ERR_EMPTY_CUSTOM_DATA" | "ERR_EMPTY_MESSAGE_FILE" | "ERR_EMPTY_MESSAGE_TEXT" | "ERR_INVALID_CUSTOM_DATA" | "ERR_INVALID_MEDIA_MESSAGE" | "ERR_INVALID_MESSAGE_DATA" | "ERR_INVALID_MESSAGE_TEXT" | "ERR_INVALID_MESSAGE_TYPE" | "ERR_INVALID_METADATA" | "ERR_MESSAGE_ACTION_NOT_ALLOWED" | "ERR_MESSAGE_GROWING" | "ERR_MESSAGE_ID_NOT_FOUND" | "ERR_MESSAGE_NOT_A_SENDER" | "ERR_OPERATION_FAILED" | "ERR_PERMISSION_DENIED" | "ERR_POLL_CLOSED" | "ERR_POLL_HAS_VOTES" | "ERR_TOO_MANY_REQUESTS" | "ERR_UID_NOT_FOUND";

export interface EditMessageParams {
  /** The id of a message. */
  id: string;
  /** An object: each of its properties replaces the stored one. The result must satisfy the same rules as a message that is sent. */
  data?: unknown;
  /** Words of the app, up to 25 of 100 characters each, by which lists can be filtered. */
  tags?: string[];
}

/** An element of an interactive message. */
export type Element = LabelElement | TextInputElement | ButtonElement | CheckboxElement | DropdownElement | RadioElement | SingleSelectElement | DateTimeElement;

/** The template of the subjects of e-mails. */
export interface EmailSubject {
  /** Text with placeholders such as {{message.data.text}}. */
  subjectOneOnOne?: string;
  /** Text with placeholders such as {{message.data.text}}. */
  subjectGroup?: string;
}

/** The code of the error, by which programs go. */
export type EndTypingErrorCode = "AUTH_ERR_APIKEY_NOT_FOUND" | "AUTH_ERR_AUTH_TOKEN_NOT_FOUND" | "AUTH_ERR_EMPTY_APIKEY" | "AUTH_ERR_EMPTY_APPID" | "AUTH_ERR_INVALID_APPID" | "AUTH_ERR_NO_ACCESS" | "ERR_BAD_REQUEST" | "ERR_BANNED_GROUPMEMBER" | "ERR_BLOCKED_RECEIVER" | "ERR_BLOCKED_SENDER" | "ERR_GROUP_NOT_JOINED" | "ERR_GUID_NOT_FOUND" | "ERR_OPERATION_FAILED" | "ERR_PERMISSION_DENIED" | "ERR_TOO_MANY_REQUESTS" | "ERR_UID_NOT_FOUND";

/** The data of `moderation_engine_failed`. */
export interface EngineFailedPayload {
  resource: UndecidedMessage;
  /** The type of the message, or its category if that is not `message`. */
  contentType: string;
  /** What became of the message by the app's setting: `approved` as if nothing matched, `disapproved` as if the conditions did. */
  outcome: string;
  /** When the last answer came, or was waited for in vain, in seconds since 1970. */
  completedAt: number;
  /** Why the engine has not decided, for each condition that it was asked about. */
  failures: Failure[];
}

/** The body of every answer that is not 200. */
export interface ErrorBody {
  error: Problem;
}

/** The code of an error, by which programs go. */
export type ErrorCode = "AUTH_ERR_APIKEY_NOT_FOUND" | "AUTH_ERR_AUTH_TOKEN_NOT_FOUND" | "AUTH_ERR_EMPTY_APIKEY" | "AUTH_ERR_EMPTY_APPID" | "AUTH_ERR_EMPTY_AUTH_HEADER" | "AUTH_ERR_INVALID_APPID" | "AUTH_ERR_NO_ACCESS" | "ERR_ALREADY_BANNED" | "ERR_ALREADY_JOINED" | "ERR_ALREADY_REVIEWED" | "ERR_ALREADY_SUBMITTED" | "ERR_APIKEY_NOT_FOUND" | "ERR_APIKEY_NO_SELF_ACTION" | "ERR_APP_NOT_FOUND" | "ERR_AUTHTOKEN_NOT_ACCESSIBLE" | "ERR_AUTH_TOKEN_NOT_FOUND" | "ERR_BAD_REQUEST" | "ERR_BANNED_GROUPMEMBER" | "ERR_BLOCKED_BY_EXTENSION" | "ERR_BLOCKED_BY_WEBHOOK" | "ERR_BLOCKED_RECEIVER" | "ERR_BLOCKED_SENDER" | "ERR_BOT_ALREADY_EXISTS" | "ERR_BOT_NOT_FOUND" | "ERR_CONVERSATION_NOT_ACCESSIBLE" | "ERR_CURSOR_EXPIRED" | "ERR_DELIVERY_NOT_FOUND" | "ERR_DRAFT_NOT_FOUND" | "ERR_EMPTY_CUSTOM_DATA" | "ERR_EMPTY_GROUP_PASS" | "ERR_EMPTY_MESSAGE_CATEGORY" | "ERR_EMPTY_MESSAGE_FILE" | "ERR_EMPTY_MESSAGE_TEXT" | "ERR_EMPTY_MESSAGE_TYPE" | "ERR_EMPTY_RECEIVER" | "ERR_EXPORT_NOT_FOUND" | "ERR_FILE_NOT_FOUND" | "ERR_GROUP_NOT_JOINED" | "ERR_GROUP_NO_ADMIN_SCOPE" | "ERR_GROUP_NO_CLEARANCE" | "ERR_GROUP_NO_MODERATOR_SCOPE" | "ERR_GROUP_NO_SCOPE_CLEARANCE" | "ERR_GROUP_NO_SELF_ACTION" | "ERR_GUID_ALREADY_EXISTS" | "ERR_GUID_NOT_FOUND" | "ERR_HTTPS_REQUIRED" | "ERR_IDEMPOTENCY_KEY_REUSED" | "ERR_IDENTITY_PROVIDER_NOT_FOUND" | "ERR_IMPORT_INVALID_GROUP_FORMAT" | "ERR_IMPORT_INVALID_MEMBER_FORMAT" | "ERR_IMPORT_INVALID_MESSAGE_FORMAT" | "ERR_IMPORT_INVALID_USER_FORMAT" | "ERR_IMPORT_NOT_FOUND" | "ERR_INVALID_CUSTOM_DATA" | "ERR_INVALID_MEDIA_MESSAGE" | "ERR_INVALID_MESSAGE_CATEGORY" | "ERR_INVALID_MESSAGE_DATA" | "ERR_INVALID_MESSAGE_TEXT" | "ERR_INVALID_MESSAGE_TYPE" | "ERR_INVALID_METADATA" | "ERR_INVALID_RECEIVER_TYPE" | "ERR_KEYWORD_ALREADY_EXISTS" | "ERR_KEYWORD_DELETE_DENIED" | "ERR_KEYWORD_IN_USE" | "ERR_KEYWORD_NOT_FOUND" | "ERR_LIMIT_EXCEEDED" | "ERR_MESSAGE_ACTION_NOT_ALLOWED" | "ERR_MESSAGE_GROWING" | "ERR_MESSAGE_HISTORY_NOT_ACCESSIBLE" | "ERR_MESSAGE_ID_NOT_FOUND" | "ERR_MESSAGE_NOT_A_SENDER" | "ERR_MESSAGE_NOT_GROWING" | "ERR_MESSAGE_NO_ACCESS" | "ERR_MESSAGE_THREAD_NESTING" | "ERR_NOT_A_BANNED_USER" | "ERR_NOT_A_FRIEND" | "ERR_NOT_A_MEMBER" | "ERR_NO_VACANCY" | "ERR_OPERATION_FAILED" | "ERR_PAYLOAD_TOO_LARGE" | "ERR_PERMISSION_DENIED" | "ERR_PINNED_CONVERSATIONS_LIMIT_EXCEEDED" | "ERR_PINNED_MESSAGES_LIMIT_EXCEEDED" | "ERR_POLL_ANONYMOUS" | "ERR_POLL_CLOSED" | "ERR_POLL_HAS_VOTES" | "ERR_PROVIDER_ALREADY_EXISTS" | "ERR_PROVIDER_NOT_FOUND" | "ERR_REASON_ALREADY_EXISTS" | "ERR_REASON_NOT_FOUND" | "ERR_RETENTION_NOT_ALLOWED" | "ERR_ROLE_ALREADY_EXISTS" | "ERR_ROLE_DELETE_DENIED" | "ERR_ROLE_NOT_FOUND" | "ERR_RULE_ALREADY_EXISTS" | "ERR_RULE_DELETE_DENIED" | "ERR_RULE_NOT_FOUND" | "ERR_SAME_SCOPE" | "ERR_SAVED_MESSAGES_LIMIT_EXCEEDED" | "ERR_SCHEDULED_MESSAGE_NOT_FOUND" | "ERR_SEQUENCE_GAP" | "ERR_SESSION_NOT_FOUND" | "ERR_SYSTEM_PINNED_CONVERSATION" | "ERR_SYSTEM_PINNED_CONVERSATIONS_LIMIT_EXCEEDED" | "ERR_TOO_MANY_REQUESTS" | "ERR_TRIGGER_NOT_FOUND" | "ERR_UID_ALREADY_EXISTS" | "ERR_UID_NOT_FOUND" | "ERR_WEBHOOK_ALREADY_EXISTS" | "ERR_WEBHOOK_NOT_FOUND" | "ERR_WRONG_GROUP_PASS" | "ERR_WRONG_MESSAGE_THREAD";

/** Something that happened in the app. */
export interface Event {
  /** The same for ever, and in each attempt to deliver it to a webhook. */
  id: string;
  /** A position in the log of events: give it as `since` to go on after it. */
  cursor: string;
  /** Its name, such as `message_sent`. */
  event: string;
  /** When it happened, in seconds since 1970. */
  at: number;
  /** What happened, as things are now: the same `data` that a webhook is sent for the trigger of this name. This document has its shape for each event under `x-events`. Further fields and events may come with later versions. */
  data: {
    [key: string]: unknown;
  };
}

/** Events in the order in which they happened. */
export interface EventList {
  /** The rows, in the order of the list. */
  data: Event[];
  meta: FeedMeta;
}

/** The file of an export. */
export interface ExportFile {
  /** A signed link to the file, a zip, that is valid for at least seven days. */
  url: string;
  /** The bytes of the file. */
  size: number;
}

/** An export. */
export interface ExportJob {
  /** The id of the export. */
  id: string;
  /** How it stands. */
  state: "cancelled" | "done" | "failed" | "running" | "waiting";
  /** The uid of the person, if it is about one. */
  user?: string;
  /** The guid of the group, if it is of one. */
  group?: string;
  /** The time from which on its messages are, in seconds since 1970. */
  since?: number;
  /** The time before which its messages are, in seconds since 1970. */
  until?: number;
  /** When it was asked for, in seconds since 1970. */
  startedAt: number;
  /** When it last advanced, in seconds since 1970. */
  updatedAt: number;
  /** Why it has failed; absent unless it has. */
  error?: string;
  file?: ExportFile;
  /** What is in it: lines by kind, and what was left out; absent in lists and before the end. */
  report?: {
    [key: string]: unknown;
  };
}

export interface ExportJobAnswer {
  data: ExportJob;
}

/** The exports of an app. */
export interface ExportListing {
  /** The rows, in the order of the list. */
  data: ExportJob[];
}

/** Why the engine has not decided on a condition. */
export interface Failure {
  /** What kind of failure it is: `http_4xx`, `http_5xx`, `timeout`, `connection_error`, `invalid_response` or `not_configured`. */
  category: string;
  /** What has failed. */
  errorMessage: string;
  /** When it failed, in seconds since 1970. */
  failedAt: number;
  /** The first 2,048 bytes of the answer, if there was one. */
  responseBody?: string;
  /** Whether the answer was longer. */
  responseBodyTruncated?: boolean;
  /** The status of the answer, if there was one. */
  httpStatus?: number;
  /** How many milliseconds were waited, if the answer did not come in time. */
  timeoutMs?: number;
  context: FailureContext;
}

/** What the engine was asked about. */
export interface FailureContext {
  /** Always `custom-api`. */
  engine: string;
  /** The app's setting for failures. */
  setting: string;
  rule: UndecidedRule;
  condition: UndecidedCondition;
}

/** A template with another body for messages without the values that the first one shows. */
export interface FallbackTemplate {
  /** Text with placeholders such as {{message.data.text}}. */
  titleOneOnOne?: string;
  /** Text with placeholders such as {{message.data.text}}. */
  titleGroup?: string;
  /** Text with placeholders such as {{message.data.text}}. */
  body?: string;
  /** Text with placeholders such as {{message.data.text}}. */
  body_fallback?: string;
}

/** The acknowledgement of a new FCM provider; with its id if it was generated. */
export interface FcmAdded {
  /** Whether it was done. */
  success: boolean;
  /** The id of the provider, unique among those of its kind in the app. */
  providerId?: string;
}

/** The answer to adding an FCM provider. */
export interface FcmAddedAnswer {
  data: FcmAdded;
  /** An empty object. */
  meta: {
    [key: string]: unknown;
  };
}

/** An FCM provider. */
export interface FcmProvider {
  /** The id of the provider, unique among those of its kind in the app. */
  providerId: string;
  /** The name of the file that the credentials came from, for people; up to 255 characters. */
  serviceAccountFilename?: string;
  serviceAccountCreds?: ServiceAccount;
  notificationInPayload?: Platforms;
  /** Whether it serves the devices that name no provider; one of them does. */
  isDefault: boolean;
  /** Whether it has all credentials that it needs to send. */
  isComplete: boolean;
  /** When it was created, in seconds since 1970. */
  createdAt: number;
  /** When it was last changed, in seconds since 1970; absent if it never was. */
  updatedAt?: number;
}

/** The FCM providers of the app. */
export interface FcmProviders {
  /** The providers. */
  pushProviders: FcmProvider[];
}

export interface FcmProvidersAnswer {
  data: FcmProviders;
}

/** The position up to which the answer goes. */
export interface FeedMeta {
  /** A position in the log of events: give it as `since` to go on after it. */
  cursor: string;
}

/** Whose messages a rule is about. */
export interface Filter {
  /** Whether it is about the sender or the receiver. */
  type: string;
  /** What it is about. */
  entity: string;
  /** The field of the user or group. */
  operand: string;
  /** How the field is compared. */
  operator: string;
  /** What it is compared with; several for `in` and `notIn`, with commas between. */
  value: string;
  /** Whether the rule does not apply where the filter matches. */
  exempt?: boolean;
}

/** The end of a message that grows. */
export interface FinishBody {
  /** An object: each of its properties replaces the stored one; `text` replaces what was appended. */
  data?: unknown;
  /** How it ended; readers are shown it. The default is `done`. */
  status?: "done" | "failed";
}

/** The code of the error, by which programs go. */
export type FinishMessageErrorCode = "AUTH_ERR_APIKEY_NOT_FOUND" | "AUTH_ERR_AUTH_TOKEN_NOT_FOUND" | "AUTH_ERR_EMPTY_APIKEY" | "AUTH_ERR_EMPTY_APPID" | "AUTH_ERR_INVALID_APPID" | "AUTH_ERR_NO_ACCESS" | "ERR_BAD_REQUEST" | "ERR_BANNED_GROUPMEMBER" | "ERR_BLOCKED_RECEIVER" | "ERR_BLOCKED_SENDER" | "ERR_GROUP_NOT_JOINED" | "ERR_GUID_NOT_FOUND" | "ERR_INVALID_MESSAGE_DATA" | "ERR_INVALID_MESSAGE_TEXT" | "ERR_INVALID_METADATA" | "ERR_MESSAGE_ID_NOT_FOUND" | "ERR_MESSAGE_NOT_A_SENDER" | "ERR_MESSAGE_NOT_GROWING" | "ERR_OPERATION_FAILED" | "ERR_TOO_MANY_REQUESTS" | "ERR_UID_NOT_FOUND";

export interface FinishMessageParams {
  /** The id of a message. */
  id: string;
  /** An object: each of its properties replaces the stored one; `text` replaces what was appended. */
  data?: unknown;
  /** How it ended; readers are shown it. The default is `done`. */
  status?: "done" | "failed";
}

/** A flag of a message, by a user or by a rule. */
export interface Flag {
  /** Who flagged it; `app_system` for rules. */
  uid: string;
  /** The id of the rule, if it is the flag of a rule. */
  ruleId?: string;
  /** The id of the reason. */
  reasonId?: string;
  /** What the user said about it. */
  remark?: string;
  /** When it was set last, in seconds since 1970. */
  flaggedAt: number;
}

/** Why a message is flagged. */
export interface FlagMessage {
  /** a-z, 0-9, _ and -; upper case is changed to lower case. */
  reasonId?: string;
  /** What the user says about it. */
  remark?: string;
}

/** A reason to flag a message. */
export interface FlagReason {
  /** The id of the reason, which flags name. */
  id: string;
  /** The name that users see. */
  name: string;
  /** What users are told of it. */
  description?: string;
  /** When it was created, in seconds since 1970. */
  createdAt: number;
  /** When it was changed last, in seconds since 1970. */
  updatedAt: number;
}

export interface FlagReasonAnswer {
  data: FlagReason;
}

/** A page of a list of moderation. */
export interface FlagReasonModerationListing {
  /** The rows, in the order of the list. */
  data: FlagReason[];
  meta: ModerationMeta;
}

/** A message with its flags and its review. */
export interface Flagged {
  /** `pending` until it is reviewed, then `approved` or `disapproved`. */
  status: string;
  /** When it was reviewed, in seconds since 1970. */
  reviewedAt?: number;
  /** Who reviewed it; `app_system` for the app itself, `operator:NAME` for an operator. */
  reviewedBy?: string;
  message: Message;
  /** Its flags, newest first. */
  flags: Flag[];
  /** The number of the flags. */
  flagsCount: number;
}

/** A page of a list of moderation. */
export interface FlaggedModerationListing {
  /** The rows, in the order of the list. */
  data: Flagged[];
  meta: ModerationMeta;
}

/** A form that users fill in and submit. */
export type Form = {
  /** The title that people see. */
  title?: string;
  /** The text that people see. */
  text?: string;
  /** The elements of the form, in their order: one at least. */
  formFields: Element[];
  submitElement?: ButtonElement;
  /** The text that replaces the form when it is done. */
  goalCompletionText?: string;
} & {
  [key: string]: unknown;
};

/** A form that users fill in and submit. */
export interface FormMessage {
  /** The id. */
  id: string;
  /** The sender's own id of the message, up to 255 characters: a second send with it is answered with the first message. */
  muid?: string;
  /** The id of the conversation: `group_<guid>`, or `<uid>_user_<uid>` of two users in their order. */
  conversationId: string;
  /** The uid of who sent it; `app_system` if it was the app. */
  sender: string;
  receiverType: ReceiverType;
  /** The uid or the guid of who it is for, according to `receiverType`. */
  receiver: string;
  /** The category of the message. */
  category: "interactive";
  /** The type of the message within its category; of a custom message any word. */
  type: "form";
  data: StoredFormData;
  /** When it was sent, in seconds since 1970. */
  sentAt: number;
  /** When it was last changed, in seconds since 1970; absent if it never was. */
  updatedAt: number;
  /** The id of the message in whose thread it is; absent outside of threads. */
  parentId?: string;
  /** When the receiver got it, in seconds since 1970; absent before. */
  deliveredAt?: number;
  /** When the receiver read it, in seconds since 1970; absent before. */
  readAt?: number;
  /** When it was last edited, in seconds since 1970; absent unless it was. */
  editedAt?: number;
  /** The uid of who edited it last; `app_system` if the app did. */
  editedBy?: string;
  /** When it was deleted, in seconds since 1970; absent unless it was. */
  deletedAt?: number;
  /** The uid of who deleted it; `app_system` if the app did. */
  deletedBy?: string;
  /** Words of the app, up to 25 of 100 characters each, by which lists can be filtered. */
  tags?: string[];
  /** Whether the message moves its conversation up and is counted as unread there; it does if this is absent. */
  updateConversation?: boolean;
  /** Whether people are notified of it. Absent: of a text or media message yes, of a custom one no. */
  sendNotification?: boolean;
  /** The text by which lists of conversations show the message in place of its own, up to 255 characters. */
  conversationText?: string;
  /** When it was pinned, in seconds since 1970; absent unless it is. */
  pinnedAt?: number;
  /** When the acting user saved it, in seconds since 1970; absent unless they did. */
  savedAt?: number;
  quotedMessage?: Message;
  parentMessage?: Message;
}

/** The data of a message of the category `interactive` and the type `form`. */
export type FormMessageData = {
  interactionGoal?: InteractionGoal;
  /** Whether the sender may use it, too. */
  allowSenderInteraction?: boolean;
  /** An object of your own. */
  metadata?: {
    [key: string]: unknown;
  };
  interactiveData: Form;
} & {
  [key: string]: unknown;
};

/** The outcomes by uid. */
export interface FriendOutcomes {
  /** The outcome for each user, by uid. */
  accepted: {
    [key: string]: ItemOutcome;
  };
}

export interface FriendOutcomesAnswer {
  data: FriendOutcomes;
}

/** What a rule is to look for. */
export interface GivenCondition {
  /** Its number within the rule; its place, if it is absent. */
  id?: number;
  /** Whether the values are ids of lists. */
  isKeywordsReferencePresent?: boolean;
  /** The same as `isKeywordsReferencePresent`. */
  isKeywordReferencePresent?: boolean;
  /** The same as `isKeywordsReferencePresent`. */
  isListReferencePresent?: boolean;
  /** Whether the values are labels of media, such as `violence_greaterThan_30`. */
  isMediaPresent?: boolean;
  /** What is judged. The default is `message`. */
  entity?: "message";
  /** What of a message is looked at; or `rate` (value `n/t`: more than n messages in t seconds), `mentions` (more than so many), `newAccount` (the sender's is younger than so many seconds). The default is `text`. */
  operand?: "custom" | "image" | "mentions" | "newAccount" | "rate" | "text" | "video";
  /** How it looks for the values: `word` by default; `contact` finds addresses, numbers and links. */
  category?: "contact" | "custom-api" | "pattern" | "sentence-similarity" | "word";
  /** Where a word must be: `contains` anywhere, `equals` all of the text; absent: between the borders of words. */
  operator?: "contains" | "equals";
  /** What it looks for; any of these. */
  value?: string | string[];
  /** What it says about itself to those who read it. */
  message?: string | string[];
}

/** Whose messages a rule is to be about. */
export interface GivenFilter {
  /** Whether it is about the sender or the receiver. */
  type: "receiver" | "sender";
  /** What it is about. */
  entity: "group" | "user";
  /** The field: `uid`, `name`, `role`, `tags` or `createdAt` of a user; `guid`, `name`, `type`, `tags` or `createdAt` of a group. */
  operand: "createdAt" | "guid" | "name" | "role" | "tags" | "type" | "uid";
  /** How the field is compared; `lessThan` and `greaterThan` are for `createdAt`. */
  operator: "endsWith" | "equals" | "greaterThan" | "in" | "lessThan" | "not equals" | "not in" | "notEquals" | "notIn" | "startsWith";
  /** What it is compared with; several for `in` and `notIn`, with commas between. Times are seconds since 1970, or `-n`: n seconds before the message. */
  value: string;
  /** Whether the rule does not apply where the filter matches. */
  exempt?: boolean;
}

/** The fields of a list; those that are absent keep their values. */
export interface GivenList {
  /** Letters, digits, _ and -; one is made if it is absent, and a change keeps it. */
  id?: string;
  /** The name; the id, if it is absent. */
  name?: string;
  /** What it is for. */
  description?: string;
  /** What the terms are. */
  category?: "pattern" | "sentence-similarity" | "word";
  /** The words or patterns; as one text, words with commas between, patterns each on a line. */
  searchTerms?: string | string[];
  /** The sentences; as one text, each on a line. */
  disallowedSentences?: string | string[];
}

/** The fields of a list; those that are absent keep their values. Each field is a part of its own, with its files. */
export interface GivenListForm {
  /** Letters, digits, _ and -; one is made if it is absent, and a change keeps it. */
  id?: string;
  /** The name; the id, if it is absent. */
  name?: string;
  /** What it is for. */
  description?: string;
  /** What the terms are. */
  category?: "pattern" | "sentence-similarity" | "word";
  /** The words or patterns; as one text, words with commas between, patterns each on a line. */
  searchTerms?: string | string[];
  /** The sentences; as one text, each on a line. */
  disallowedSentences?: string | string[];
  /** The files, each in its own part, of at most 104,857,600 bytes together. */
  file?: Blob[];
}

/** A user's reaction to a message. */
export interface GivenReaction {
  /** The id of this user's reaction. */
  id: string;
  /** The id of the message. */
  messageId: string;
  /** The reaction: an emoji, or another text of up to 100 characters. */
  reaction: string;
  /** The id of the user, unique in the app. */
  uid: string;
  /** When the user reacted, in seconds since 1970. */
  reactedAt: number;
  reactedBy: ReactedBy;
}

/** A slice of a list, in ascending order of ids. */
export interface GivenReactionList {
  /** The rows, in the order of the list. */
  data: GivenReaction[];
  meta: IdCursorSliceMeta;
}

/** The fields of a rule; none is required, and those that are absent keep their values. */
export interface GivenRule {
  /** Letters, digits, _ and -; one is made if it is absent, and a change keeps it. */
  id?: string;
  /** The name; the id, if it is absent. */
  name?: string;
  /** What it is for; the sender of a message that it refuses is told so. */
  description?: string;
  /** Whether messages are judged by it. */
  enabled?: boolean;
  /** To which messages it applies: to those that match all of them. */
  filters?: GivenFilter[];
  /** What it looks for; a message matches if any of them does. */
  conditions?: GivenCondition[];
  /** What is done with messages that match, and with their senders. */
  action?: ("ban" | "block" | "blockMessage" | "bounce" | "deactivate" | "dropMessage" | "flagMessage" | "kick" | "mask") | ("ban" | "block" | "blockMessage" | "bounce" | "deactivate" | "dropMessage" | "flagMessage" | "kick" | "mask")[];
}

/** The votes of a user in a poll. */
export interface GivenVote {
  /** The id of the vote: that of its event. */
  id: string;
  /** The id of the message. */
  messageId: string;
  /** The id of the user, unique in the app. */
  uid: string;
  /** What the user has voted for. */
  options: number[];
  /** When the user voted, in seconds since 1970. */
  votedAt: number;
  votedBy: UserEntity;
}

/** A slice of a list, in ascending order of ids. */
export interface GivenVoteList {
  /** The rows, in the order of the list. */
  data: GivenVote[];
  meta: IdCursorSliceMeta;
}

/** A group; `scope`, `joinedAt` and `hasJoined` are those of the acting user. */
export interface Group {
  /** The id of the group, unique in the app. */
  guid: string;
  /** The name that people see, up to 100 characters. */
  name: string;
  /** A text for people about it, up to 255 characters. */
  description?: string;
  /** The URL of the group's picture; absent if it has none. */
  icon?: string;
  type: GroupType;
  scope?: MemberScope;
  /** The number of members. */
  membersCount: number;
  /** When the user joined the group, in seconds since 1970. */
  joinedAt?: number;
  /** The id of the conversation: `group_<guid>`, or `<uid>_user_<uid>` of two users in their order. */
  conversationId: string;
  /** Whether the acting user is a member. */
  hasJoined: boolean;
  /** When it was created, in seconds since 1970. */
  createdAt: number;
  /** The uid of the owner; `app_system` if it is the app. */
  owner: string;
  /** When it was last changed, in seconds since 1970; absent if it never was. */
  updatedAt?: number;
  /** The uid of who changed it last; `app_system` if the app did. */
  updatedBy?: string;
  /** Words of the app, up to 25 of 100 characters each, by which lists can be filtered. */
  tags?: string[];
  /** The app's own JSON object, kept as given: up to 5,120 bytes. `@private` in that of a user is shown to the app and to that user only. */
  metadata?: {
    [key: string]: unknown;
  };
}

export interface GroupAnswer {
  data: Group;
}

/** The data of `group_created`; `members` has the owner, others are added by later events. */
export interface GroupCreatedPayload {
  group: PayloadCreatedGroup;
  /** The owner, by uid. */
  members: {
    [key: string]: PayloadUser;
  };
}

/** What a webhook is sent for the trigger `group_created`. */
export interface GroupCreatedWebhook {
  /** The trigger: what happened. */
  trigger: "group_created";
  data: GroupCreatedPayload;
  /** The id of the app. */
  appId: string;
  /** The region of the app. */
  region: string;
  /** The same in every attempt: a repeated call has a known id. */
  id: string;
  /** When it happened, in seconds since 1970. */
  sentAt: number;
  /** The id of the webhook. */
  webhook: string;
}

/** What a webhook is sent for the trigger `group_deleted`. */
export interface GroupDeletedWebhook {
  /** The trigger: what happened. */
  trigger: "group_deleted";
  data: GroupPayload;
  /** The id of the app. */
  appId: string;
  /** The region of the app. */
  region: string;
  /** The same in every attempt: a repeated call has a known id. */
  id: string;
  /** When it happened, in seconds since 1970. */
  sentAt: number;
  /** The id of the webhook. */
  webhook: string;
}

/** A group inside a message. */
export interface GroupEntity {
  /** The id of the group, unique in the app. */
  guid: string;
  /** The name that people see, up to 100 characters. */
  name: string;
  /** The URL of the group's picture; absent if it has none. */
  icon?: string;
  /** A text for people about it, up to 255 characters. */
  description?: string;
  /** The app's own JSON object, kept as given: up to 5,120 bytes. `@private` in that of a user is shown to the app and to that user only. */
  metadata?: {
    [key: string]: unknown;
  };
  type: GroupType;
  /** The uid of the owner; `app_system` if it is the app. */
  owner: string;
  /** When it was created, in seconds since 1970. */
  createdAt: number;
  /** When it was last changed, in seconds since 1970; absent if it never was. */
  updatedAt?: number;
  /** The uid of who changed it last; `app_system` if the app did. */
  updatedBy?: string;
  /** The number of members. */
  membersCount: number;
  /** The id of the conversation: `group_<guid>`, or `<uid>_user_<uid>` of two users in their order. */
  conversationId: string;
}

/** A group with its past. */
export interface GroupFields {
  /** a-z, 0-9, _ and -; upper case is changed to lower case. */
  guid: string;
  /** The name that people see, up to 100 characters. */
  name: string;
  type: GroupType;
  /** The password of a group of the type `password`, up to 100 characters. It is never shown. */
  password?: string;
  /** An absolute http or https URL. */
  icon?: string;
  /** A text for people about it, up to 255 characters. */
  description?: string;
  /** a-z, 0-9, _ and -; upper case is changed to lower case. */
  owner?: string;
  /** When the group was created, in seconds since 1970; now if it is absent. */
  createdAt?: number | string;
  /** The app's own JSON object, kept as given: up to 5,120 bytes. `@private` in that of a user is shown to the app and to that user only. */
  metadata?: {
    [key: string]: unknown;
  };
  /** Words of the app, up to 25 of 100 characters each, by which lists can be filtered. */
  tags?: string[];
  groupOwnerDetails?: UserFields;
}

/** A page of a list. */
export interface GroupList {
  /** The rows, in the order of the list. */
  data: Group[];
  meta: PageMeta;
}

/** What a webhook is sent for the trigger `group_member_added`. */
export interface GroupMemberAddedWebhook {
  /** The trigger: what happened. */
  trigger: "group_member_added";
  data: MemberByPayload;
  /** The id of the app. */
  appId: string;
  /** The region of the app. */
  region: string;
  /** The same in every attempt: a repeated call has a known id. */
  id: string;
  /** When it happened, in seconds since 1970. */
  sentAt: number;
  /** The id of the webhook. */
  webhook: string;
}

/** What a webhook is sent for the trigger `group_member_banned`. */
export interface GroupMemberBannedWebhook {
  /** The trigger: what happened. */
  trigger: "group_member_banned";
  data: MemberByPayload;
  /** The id of the app. */
  appId: string;
  /** The region of the app. */
  region: string;
  /** The same in every attempt: a repeated call has a known id. */
  id: string;
  /** When it happened, in seconds since 1970. */
  sentAt: number;
  /** The id of the webhook. */
  webhook: string;
}

/** What a webhook is sent for the trigger `group_member_joined`. */
export interface GroupMemberJoinedWebhook {
  /** The trigger: what happened. */
  trigger: "group_member_joined";
  data: MemberPayload;
  /** The id of the app. */
  appId: string;
  /** The region of the app. */
  region: string;
  /** The same in every attempt: a repeated call has a known id. */
  id: string;
  /** When it happened, in seconds since 1970. */
  sentAt: number;
  /** The id of the webhook. */
  webhook: string;
}

/** What a webhook is sent for the trigger `group_member_kicked`. */
export interface GroupMemberKickedWebhook {
  /** The trigger: what happened. */
  trigger: "group_member_kicked";
  data: MemberByPayload;
  /** The id of the app. */
  appId: string;
  /** The region of the app. */
  region: string;
  /** The same in every attempt: a repeated call has a known id. */
  id: string;
  /** When it happened, in seconds since 1970. */
  sentAt: number;
  /** The id of the webhook. */
  webhook: string;
}

/** What a webhook is sent for the trigger `group_member_left`. */
export interface GroupMemberLeftWebhook {
  /** The trigger: what happened. */
  trigger: "group_member_left";
  data: MemberPayload;
  /** The id of the app. */
  appId: string;
  /** The region of the app. */
  region: string;
  /** The same in every attempt: a repeated call has a known id. */
  id: string;
  /** When it happened, in seconds since 1970. */
  sentAt: number;
  /** The id of the webhook. */
  webhook: string;
}

/** What a webhook is sent for the trigger `group_member_scope_changed`. */
export interface GroupMemberScopeChangedWebhook {
  /** The trigger: what happened. */
  trigger: "group_member_scope_changed";
  data: RescopedMemberPayload;
  /** The id of the app. */
  appId: string;
  /** The region of the app. */
  region: string;
  /** The same in every attempt: a repeated call has a known id. */
  id: string;
  /** When it happened, in seconds since 1970. */
  sentAt: number;
  /** The id of the webhook. */
  webhook: string;
}

/** What a webhook is sent for the trigger `group_member_unbanned`. */
export interface GroupMemberUnbannedWebhook {
  /** The trigger: what happened. */
  trigger: "group_member_unbanned";
  data: MemberByPayload;
  /** The id of the app. */
  appId: string;
  /** The region of the app. */
  region: string;
  /** The same in every attempt: a repeated call has a known id. */
  id: string;
  /** When it happened, in seconds since 1970. */
  sentAt: number;
  /** The id of the webhook. */
  webhook: string;
}

/** The template of messages that mention all members of a group. */
export interface GroupMentionTemplate {
  /** Text with placeholders such as {{message.data.text}}. */
  titleGroup?: string;
  /** Text with placeholders such as {{message.data.text}}. */
  body?: string;
  /** Text with placeholders such as {{message.data.text}}. */
  body_fallback?: string;
}

/** The outcome of one row. */
export interface GroupOutcome {
  /** Whether it was done. */
  success: boolean;
  /** Whether the row was there already and stayed as it was. */
  skipped?: boolean;
  data?: Group;
  error?: Problem;
}

export interface GroupOutcomesAnswer {
  /** The outcomes, by id. */
  data: {
    [key: string]: GroupOutcome;
  };
}

/** The data of `group_owner_transferred`. */
export interface GroupOwnerPayload {
  group: PayloadGroup;
  oldOwner: PayloadUser;
}

/** What a webhook is sent for the trigger `group_owner_transferred`. */
export interface GroupOwnerTransferredWebhook {
  /** The trigger: what happened. */
  trigger: "group_owner_transferred";
  data: GroupOwnerPayload;
  /** The id of the app. */
  appId: string;
  /** The region of the app. */
  region: string;
  /** The same in every attempt: a repeated call has a known id. */
  id: string;
  /** When it happened, in seconds since 1970. */
  sentAt: number;
  /** The id of the webhook. */
  webhook: string;
}

/** The data of `group_updated` and `group_deleted`; `updatedBy` is who did it. */
export interface GroupPayload {
  group: PayloadOnlineGroup;
}

/** The preferences of a user for groups. */
export interface GroupPreferences {
  /** 1: none; 2: all; 3: those that mention the person. */
  groupMessages?: number;
  /** 1: none; 2: all; 3: those that mention the person. */
  groupReplies?: number;
  /** 1: none; 2: all; 3: those that mention the person. */
  groupQuotedReplies?: number;
  /** 1: none; 2: to the person's own messages; 3: all. */
  groupReactions?: number;
  /** 1: off; 2: on. */
  groupMemberLeft?: number;
  /** 1: off; 2: on. */
  groupMemberAdded?: number;
  /** 1: off; 2: on. */
  groupMemberJoined?: number;
  /** 1: off; 2: on. */
  groupMemberKicked?: number;
  /** 1: off; 2: on. */
  groupMemberBanned?: number;
  /** 1: off; 2: on. */
  groupMemberUnbanned?: number;
  /** 1: off; 2: on. */
  groupMemberScopeChanged?: number;
}

/** The defaults for groups, and whether users may override them. */
export interface GroupSettings {
  /** 1: none; 2: all; 3: those that mention the person. */
  messagesSetting?: number;
  /** Whether users may choose for themselves. */
  messagesOverride?: boolean;
  /** 1: none; 2: all; 3: those that mention the person. */
  repliesSetting?: number;
  /** Whether users may choose for themselves. */
  repliesOverride?: boolean;
  /** 1: none; 2: all; 3: those that mention the person. */
  quotedRepliesSetting?: number;
  /** Whether users may choose for themselves. */
  quotedRepliesOverride?: boolean;
  /** 1: none; 2: to the person's own messages; 3: all. */
  reactionsSetting?: number;
  /** Whether users may choose for themselves. */
  reactionsOverride?: boolean;
  /** 1: off; 2: on. */
  messageEditedSetting?: number;
  /** 1: off; 2: on. */
  messageDeletedSetting?: number;
  /** 1: off; 2: on. */
  memberLeftSetting?: number;
  /** Whether users may choose for themselves. */
  memberLeftOverride?: boolean;
  /** 1: off; 2: on. */
  memberAddedSetting?: number;
  /** Whether users may choose for themselves. */
  memberAddedOverride?: boolean;
  /** 1: off; 2: on. */
  memberJoinedSetting?: number;
  /** Whether users may choose for themselves. */
  memberJoinedOverride?: boolean;
  /** 1: off; 2: on. */
  memberKickedSetting?: number;
  /** Whether users may choose for themselves. */
  memberKickedOverride?: boolean;
  /** 1: off; 2: on. */
  memberBannedSetting?: number;
  /** Whether users may choose for themselves. */
  memberBannedOverride?: boolean;
  /** 1: off; 2: on. */
  memberUnbannedSetting?: number;
  /** Whether users may choose for themselves. */
  memberUnbannedOverride?: boolean;
  /** 1: off; 2: on. */
  memberScopeChangedSetting?: number;
  /** Whether users may choose for themselves. */
  memberScopeChangedOverride?: boolean;
}

/** Who can join: everybody, nobody without being added, or who has the password. */
export type GroupType = "password" | "private" | "public";

/** What a webhook is sent for the trigger `group_updated`. */
export interface GroupUpdatedWebhook {
  /** The trigger: what happened. */
  trigger: "group_updated";
  data: GroupPayload;
  /** The id of the app. */
  appId: string;
  /** The region of the app. */
  region: string;
  /** The same in every attempt: a repeated call has a known id. */
  id: string;
  /** When it happened, in seconds since 1970. */
  sentAt: number;
  /** The id of the webhook. */
  webhook: string;
}

/** The data of a message that grows; its text may begin empty. */
export type GrowingMessageData = {
  /** The text that it begins with. */
  text?: string;
  /** An object of your own. */
  metadata?: {
    [key: string]: unknown;
  };
} & {
  [key: string]: unknown;
};

/** The data of `message_grown`: the message with its whole text. */
export interface GrownPayload {
  message: Message;
}

/** The data of `moderation_engine_blocked`: a message that only its sender sees. */
export interface HeldPayload {
  message: Message;
}

/** The query parameters that continue a list of messages from a message. */
export interface HistoryCursor {
  affix: Affix;
  /** The time of the message at the end, in seconds since 1970: give it as the query parameter `sentAt`. */
  sentAt: number;
  /** The id of the message at the end: give it as the query parameter `id`. */
  id: string;
}

/** The size of a slice, its cursors, and whether it holds all that it could. */
export interface HistoryMeta {
  current: Current;
  previous?: HistoryCursor;
  next?: HistoryCursor;
  /** A cursor of events, on lists of messages, conversations, users, groups and members: the list has all that happened before it. Who follows the events after it misses nothing, and may be told something again that the list has. */
  eventCursor?: string;
  /** True if a search, or a count, took so long that it ended with what it had found so far. A search goes on from its cursor. */
  incomplete?: boolean;
}

/** A legal hold: no message that it is about is removed by its age. */
export interface Hold {
  /** What the hold is on. */
  kind: HoldKind;
  /** The id of the user, unique in the app. */
  uid?: string;
  /** The id of the group, unique in the app. */
  guid?: string;
  /** When it was set, in seconds since 1970. */
  since: number;
}

export type HoldKind = "app" | "group" | "user";

/** A page of a list. */
export interface HoldList {
  /** The rows, in the order of the list. */
  data: Hold[];
  meta: PageMeta;
}

/** Whether there is a legal hold, and since when. */
export interface HoldState {
  /** Whether there is a hold. */
  hold: boolean;
  /** When it was set, in seconds since 1970. */
  since?: number;
}

export interface HoldStateAnswer {
  data: HoldState;
}

/** The query parameters that continue a list from a row. */
export interface IdCursor {
  affix: Affix;
  /** The id of the row at the end: give it as the query parameter `id`. */
  id: string;
}

/** The size of a slice; `previous` leads to older rows and `next` to newer ones, if any. */
export interface IdCursorSliceMeta {
  current: Current;
  previous?: IdCursor;
  next?: IdCursor;
  /** A cursor of events, on lists of messages, conversations, users, groups and members: the list has all that happened before it. Who follows the events after it misses nothing, and may be told something again that the list has. */
  eventCursor?: string;
}

/** The identity provider of an app. */
export interface IdentityProvider {
  /** What the claim `iss` of a JWT must be. */
  issuer: string;
  /** What the claim `aud` of a JWT must be, or have in its list. */
  audience: string;
  /** Where the public keys of the provider are; absent if there is a secret. */
  jwksUrl?: string;
  /** The mark `•••` if there is a secret. */
  secret?: string;
  /** The claim that has the uid of the user. */
  uidClaim: string;
  /** Whether users are created when their first JWT is seen. */
  createUsers: boolean;
  /** JWTs that were issued up to then are refused, in seconds since 1970; 0: none. */
  validAfter: number;
  /** When it was last changed, in seconds since 1970; absent if it never was. */
  updatedAt: number;
  /** Why this node could not fetch the keys when it last tried; absent if it could. */
  keysFailure?: string;
}

export interface IdentityProviderAnswer {
  data: IdentityProvider;
}

/** Groups by guid, at most 50. */
export interface ImportGroups {
  /** The groups, by guid. */
  groups: {
    [key: string]: GroupFields;
  };
}

/** An import. */
export interface ImportJob {
  /** The id of the import. */
  id: string;
  /** How it stands. */
  state: "cancelled" | "done" | "failed" | "running" | "waiting";
  /** The name of the file, or the URL; of imports by the command line the path. */
  source: string;
  /** What the source is, such as `slack`; absent until that is found out. */
  from?: string;
  /** Whether nothing is stored, and only reported what would be. */
  dryRun?: boolean;
  /** When it was asked for, in seconds since 1970. */
  startedAt: number;
  /** When it last advanced, in seconds since 1970. */
  updatedAt: number;
  progress: ImportProgress;
  /** Why it has failed; absent unless it has. */
  error?: string;
  /** What it did, and whether the store has all that the source has; absent in lists and before the end. */
  report?: {
    [key: string]: unknown;
  };
}

export interface ImportJobAnswer {
  data: ImportJob;
}

/** The latest imports. */
export interface ImportListing {
  /** The rows, in the order of the list. */
  data: ImportJob[];
}

/** Members by `<guid>_member_<uid>`, at most 50. */
export interface ImportMembers {
  /** The memberships, by `<guid>_member_<uid>`. */
  members: {
    [key: string]: MemberFields;
  };
}

/** Messages by muid, at most 50. */
export interface ImportMessages {
  /** The messages, by muid. */
  messages: {
    [key: string]: MessageFields;
  };
}

/** How many rows have had their outcomes, of how many. */
export interface ImportProgress {
  /** The rows that have had their outcomes. */
  read: number;
  /** The rows of the source; absent until it was read. */
  total?: number;
}

/** Users by uid, at most 50. */
export interface ImportUsers {
  /** The users, by uid. */
  users: {
    [key: string]: UserFields;
  };
}

/** A membership. */
export interface ImportedMember {
  /** The id of the group, unique in the app. */
  guid: string;
  /** The id of the user, unique in the app. */
  uid: string;
  scope: MemberScope;
  /** When the user joined the group, in seconds since 1970. */
  joinedAt: number;
}

/** The outcome of one row. */
export interface ImportedMemberOutcome {
  /** Whether it was done. */
  success: boolean;
  /** Whether the row was there already and stayed as it was. */
  skipped?: boolean;
  data?: ImportedMember;
  error?: Problem;
}

export interface ImportedMemberOutcomesAnswer {
  /** The outcomes, by id. */
  data: {
    [key: string]: ImportedMemberOutcome;
  };
}

/** An element of an interactive message that the acting user has used. */
export interface Interaction {
  /** The id of the element. */
  elementId: string;
  /** When the user used it first, in seconds since 1970. */
  interactedAt: number;
}

/** When an interactive message counts as done for a user. */
export type InteractionGoal = {
  /** What completes it: the use of any element (`any` or `anyAction`), of one of `elementIds` (`anyOf` or `oneOf`), of all of them (`allOf`), or nothing (`none`). */
  type?: "allOf" | "any" | "anyAction" | "anyOf" | "none" | "oneOf";
  /** The ids of the elements that count for the goal. */
  elementIds?: string[];
} & {
  [key: string]: unknown;
};

/**
 * The data of `message_interacted` and `interaction_goal_completed`: `by` used the message.
 *
 *     `interactions` has all elements of the message that they have used so far.
 */
export interface InteractionPayload {
  /** The id of the message. */
  messageId: string;
  /** The id of the conversation: `group_<guid>`, or `<uid>_user_<uid>` of two users in their order. */
  conversationId: string;
  by: PayloadUser;
  /** All elements of the message that `by` has used so far. */
  interactions: Interaction[];
}

/** The outcome for one of several objects. */
export interface ItemOutcome {
  /** Whether it was done. */
  success: boolean;
  /** A text for people about the outcome; programs go by the other fields. */
  message?: string;
  error?: Problem;
}

export interface ItemOutcomesAnswer {
  /** The outcomes, by id. */
  data: {
    [key: string]: ItemOutcome;
  };
}

/** Whether a key only signs users in, or may do everything. */
export type KeyScope = "authOnly" | "fullAccess";

/** A list of words, patterns or sentences. */
export interface KeywordList {
  /** The id of the list. */
  id: string;
  /** The name of the list. */
  name: string;
  /** What it is for. */
  description?: string;
  /** What the terms are. */
  category: "pattern" | "sentence-similarity" | "word";
  /** Whether the terms came as a file. */
  isCSV: boolean;
  /** The words, patterns or sentences. */
  searchTerms: string[];
  /** When it was created, in seconds since 1970. */
  createdAt: number;
  /** When it was changed last, in seconds since 1970. */
  updatedAt: number;
  /** The id of the revision: those of the app and of the list, and a number that counts up. */
  revisionId: string;
  /** Whether it is the newest revision, which is the one that rules use. */
  active: boolean;
  /** Whether it is built in. */
  default?: boolean;
}

export interface KeywordListAnswer {
  data: KeywordList;
}

/** A page of a list of moderation. */
export interface KeywordListModerationListing {
  /** The rows, in the order of the list. */
  data: KeywordList[];
  meta: ModerationMeta;
}

/** A text to read. */
export type LabelElement = {
  /** The kind of the element. */
  elementType: "label";
  /** The id of the element, unique in the message. */
  elementId: string;
  /** The text that people see. */
  text: string;
} & {
  [key: string]: unknown;
};

/** The code of the error, by which programs go. */
export type ListConversationsErrorCode = "AUTH_ERR_APIKEY_NOT_FOUND" | "AUTH_ERR_AUTH_TOKEN_NOT_FOUND" | "AUTH_ERR_EMPTY_APIKEY" | "AUTH_ERR_EMPTY_APPID" | "AUTH_ERR_INVALID_APPID" | "AUTH_ERR_NO_ACCESS" | "ERR_BAD_REQUEST" | "ERR_OPERATION_FAILED" | "ERR_PERMISSION_DENIED" | "ERR_TOO_MANY_REQUESTS" | "ERR_UID_NOT_FOUND";

export interface ListConversationsParams {
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
}

/** The code of the error, by which programs go. */
export type ListMessagesErrorCode = "AUTH_ERR_APIKEY_NOT_FOUND" | "AUTH_ERR_AUTH_TOKEN_NOT_FOUND" | "AUTH_ERR_EMPTY_APIKEY" | "AUTH_ERR_EMPTY_APPID" | "AUTH_ERR_INVALID_APPID" | "AUTH_ERR_NO_ACCESS" | "ERR_BAD_REQUEST" | "ERR_BANNED_GROUPMEMBER" | "ERR_GROUP_NOT_JOINED" | "ERR_GUID_NOT_FOUND" | "ERR_OPERATION_FAILED" | "ERR_PERMISSION_DENIED" | "ERR_TOO_MANY_REQUESTS" | "ERR_UID_NOT_FOUND";

export type ListMessagesParams = {
  /** The id of a user. */
  uid: string;
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
} | {
  /** The id of a group. */
  guid: string;
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

export type ListedMessage = Message | MessageCount;

/** What was decided and sent for one person, on one channel and device. */
export interface Log {
  /** The id of the entry. */
  _id: string;
  /** When the decision began, in milliseconds since 1970. */
  processingStartedAtMS: number;
  /** When the decision was carried out, in milliseconds since 1970. */
  processingEndedAtMS: number;
  /** How long it took, in milliseconds. */
  totalProcessingTimeInMS: number;
  /** What wrote the entry: always `notifications-core`. */
  component: string;
  /** How the person was to be notified. */
  channel: NotificationChannel;
  /** What it was sent with; absent if no provider was asked. */
  provider?: NotificationProvider;
  /** The id of the message that it is about, as a number. */
  messageId?: number;
  /** The number of the reaction that it is about. */
  reactionId?: number;
  trigger: NotificationTrigger;
  /** When the message was sent, in milliseconds since 1970. */
  messageSentAtMS?: number;
  /** The uid of who sent the message. */
  sender?: string;
  /** The uid of who reacted. */
  reactionSender?: string;
  /** The uid of the user, or the guid of the group, that the message was for. */
  receiver?: string;
  /** The uid of who was reacted to. */
  reactionReceiver?: string;
  receiverType?: ReceiverType;
  /** Who was notified, of a group. */
  member?: string;
  /** The platform of the device. */
  tokenType?: string;
  /** The token; of Web Push the endpoint only. */
  pushToken?: string;
  /** The id of the push provider; absent on other channels. */
  providerId?: string;
  /** What was sent. */
  payload?: {
    [key: string]: unknown;
  };
  /** Whether a provider is asked to send it; if not, `reason` says why. */
  notificationTriggered: boolean;
  /** Why no provider was asked to send it; absent if one was. */
  reason?: NotificationReason;
  /** Whether the provider accepted it. */
  success?: boolean;
  /** What the provider said if it did not accept it. */
  error?: string;
  /** `waiting` while the provider fails: it is asked again. An entry with the outcome takes the place of this one. */
  state?: "waiting";
  /** When the provider is asked again, in milliseconds since 1970. */
  nextAttemptAtMS?: number;
}

/** The query parameters that continue the log: `affix` and `logId`. */
export interface LogCursor {
  affix: Affix;
  /** The id of the entry at the end: give it as the query parameter `logId`. */
  logId: string;
  /** The id of the message that the entry is about, if it is about one. */
  messageId?: number;
}

/** The size of a slice; `previous` leads to older rows and `next` to newer ones, if any. */
export interface LogCursorSliceMeta {
  current: Current;
  previous?: LogCursor;
  next?: LogCursor;
  /** A cursor of events, on lists of messages, conversations, users, groups and members: the list has all that happened before it. Who follows the events after it misses nothing, and may be told something again that the list has. */
  eventCursor?: string;
}

/** A slice of the log, in ascending order. */
export interface LogList {
  /** The rows, in the order of the list. */
  data: Log[];
  meta: LogCursorSliceMeta;
}

/** The code of the error, by which programs go. */
export type MarkDeliveredErrorCode = "AUTH_ERR_APIKEY_NOT_FOUND" | "AUTH_ERR_AUTH_TOKEN_NOT_FOUND" | "AUTH_ERR_EMPTY_APIKEY" | "AUTH_ERR_EMPTY_APPID" | "AUTH_ERR_INVALID_APPID" | "AUTH_ERR_NO_ACCESS" | "ERR_BAD_REQUEST" | "ERR_BANNED_GROUPMEMBER" | "ERR_CONVERSATION_NOT_ACCESSIBLE" | "ERR_GROUP_NOT_JOINED" | "ERR_GUID_NOT_FOUND" | "ERR_MESSAGE_ID_NOT_FOUND" | "ERR_OPERATION_FAILED" | "ERR_TOO_MANY_REQUESTS" | "ERR_UID_NOT_FOUND";

export interface MarkDeliveredParams {
  /** The uid of a user, or the guid of a group. */
  receiver: string;
  /** Whether `receiver` is a user or a group. */
  receiverType: "user" | "group";
  /** The id of the last message to mark; without it, all are marked. */
  messageId?: number | string;
}

/** The elements that the acting user has used. */
export interface MarkInteracted {
  /** Each `elementId`, as text or object. */
  interactions: (string | UsedElement)[];
}

/** The code of the error, by which programs go. */
export type MarkInteractedErrorCode = "AUTH_ERR_APIKEY_NOT_FOUND" | "AUTH_ERR_AUTH_TOKEN_NOT_FOUND" | "AUTH_ERR_EMPTY_APIKEY" | "AUTH_ERR_EMPTY_APPID" | "AUTH_ERR_INVALID_APPID" | "AUTH_ERR_NO_ACCESS" | "ERR_BAD_REQUEST" | "ERR_BLOCKED_RECEIVER" | "ERR_BLOCKED_SENDER" | "ERR_LIMIT_EXCEEDED" | "ERR_MESSAGE_ACTION_NOT_ALLOWED" | "ERR_MESSAGE_ID_NOT_FOUND" | "ERR_OPERATION_FAILED" | "ERR_TOO_MANY_REQUESTS" | "ERR_UID_NOT_FOUND";

export interface MarkInteractedParams {
  /** The id of a message. */
  id: string;
  /** Each `elementId`, as text or object. */
  interactions: (string | UsedElement)[];
}

/** The code of the error, by which programs go. */
export type MarkReadErrorCode = "AUTH_ERR_APIKEY_NOT_FOUND" | "AUTH_ERR_AUTH_TOKEN_NOT_FOUND" | "AUTH_ERR_EMPTY_APIKEY" | "AUTH_ERR_EMPTY_APPID" | "AUTH_ERR_INVALID_APPID" | "AUTH_ERR_NO_ACCESS" | "ERR_BAD_REQUEST" | "ERR_BANNED_GROUPMEMBER" | "ERR_CONVERSATION_NOT_ACCESSIBLE" | "ERR_GROUP_NOT_JOINED" | "ERR_GUID_NOT_FOUND" | "ERR_MESSAGE_ID_NOT_FOUND" | "ERR_OPERATION_FAILED" | "ERR_TOO_MANY_REQUESTS" | "ERR_UID_NOT_FOUND";

export interface MarkReadParams {
  /** The uid of a user, or the guid of a group. */
  receiver: string;
  /** Whether `receiver` is a user or a group. */
  receiverType: "user" | "group";
  /** The id of the last message to mark; without it, all are marked. */
  messageId?: number | string;
}

/** The message up to which to mark; without it, all messages are marked. */
export interface MarkUpTo {
  /** The id of the last message to mark; without it, all are marked. */
  messageId?: number | string;
}

/** An acknowledgement, with the text in both spellings of the interface. */
export interface Marked {
  /** Whether it was done. */
  success: boolean;
  /** A text for people about the outcome; programs go by the other fields. */
  message: string;
  /** The same as `message`, in the spelling of some clients. */
  Message: string;
}

export interface MarkedAnswer {
  data: Marked;
}

/** The data of a message of the type `image`, `file`, `audio` or `video`. */
export type MediaMessageData = {
  /** The files that the message shows, if none is uploaded with it: each with its URL, name, type and size. */
  attachments: Attachment[];
  /** A text beside the files. */
  text?: string;
  /** An object of your own. */
  metadata?: {
    [key: string]: unknown;
  };
} & {
  [key: string]: unknown;
};

/** The template of messages with files, with a body for each type. */
export interface MediaTemplate {
  /** Text with placeholders such as {{message.data.text}}. */
  titleOneOnOne?: string;
  /** Text with placeholders such as {{message.data.text}}. */
  titleGroup?: string;
  /** Text with placeholders such as {{message.data.text}}. */
  body_image?: string;
  /** Text with placeholders such as {{message.data.text}}. */
  body_audio?: string;
  /** Text with placeholders such as {{message.data.text}}. */
  body_video?: string;
  /** Text with placeholders such as {{message.data.text}}. */
  body_file?: string;
}

/** A member of a group. */
export interface Member {
  /** The id of the user, unique in the app. */
  uid: string;
  /** The name that people see, up to 100 characters. */
  name: string;
  /** The URL of the user's picture; absent if they have none. */
  avatar?: string;
  /** A URL of the user's own, such as that of their profile; absent if they have none. */
  link?: string;
  /** The app's own JSON object, kept as given: up to 5,120 bytes. `@private` in that of a user is shown to the app and to that user only. */
  metadata?: {
    [key: string]: unknown;
  };
  status: UserStatus;
  /** What the user says about themself, up to 255 characters. */
  statusMessage?: string;
  /** The role of the user, which limits what they may do; `default` unless another was given. */
  role: string;
  /** Words of the app, up to 25 of 100 characters each, by which lists can be filtered. */
  tags?: string[];
  /** Whether a program speaks for the user; absent if not. */
  isBot?: boolean;
  /** When it was created, in seconds since 1970. */
  createdAt: number;
  /** When it was last changed, in seconds since 1970; absent if it never was. */
  updatedAt?: number;
  /** When the user was last connected, in seconds since 1970; absent if they never were. */
  lastActiveAt?: number;
  /** When the user was deactivated, in seconds since 1970; absent while they are active. */
  deactivatedAt?: number;
  /** The id of the conversation: `group_<guid>`, or `<uid>_user_<uid>` of two users in their order. */
  conversationId?: string;
  /** Whether the acting user has blocked this user; absent if not. */
  blockedByMe?: boolean;
  /** When the acting user blocked this user, in seconds since 1970. */
  blockedByMeAt?: number;
  /** Whether this user has blocked the acting user; absent if not. */
  hasBlockedMe?: boolean;
  /** When this user blocked the acting user, in seconds since 1970. */
  blockedAt?: number;
  /** The auth token: a secret with which a client acts as this user. */
  authToken?: string;
  scope: MemberScope;
  /** When the user joined the group, in seconds since 1970. */
  joinedAt: number;
}

/** What was done to a member of a group. */
export interface MemberActionData {
  /** What was done to the member. */
  action: "added" | "banned" | "joined" | "kicked" | "left" | "scopeChanged" | "unbanned";
  entities: MemberActionEntities;
}

/** Who acted, on which member, and in which group. */
export interface MemberActionEntities {
  by: WrappedUser;
  on: WrappedMember;
  for: WrappedGroup;
}

/** The entry in a conversation that something was done to a member. */
export interface MemberActionMessage {
  /** The id. */
  id: string;
  /** The sender's own id of the message, up to 255 characters: a second send with it is answered with the first message. */
  muid?: string;
  /** The id of the conversation: `group_<guid>`, or `<uid>_user_<uid>` of two users in their order. */
  conversationId: string;
  /** The uid of who sent it; `app_system` if it was the app. */
  sender: string;
  receiverType: ReceiverType;
  /** The uid or the guid of who it is for, according to `receiverType`. */
  receiver: string;
  /** The category of the message. */
  category: "action";
  /** The type of the message within its category; of a custom message any word. */
  type: "groupMember";
  data: MemberActionData;
  /** When it was sent, in seconds since 1970. */
  sentAt: number;
  /** When it was last changed, in seconds since 1970; absent if it never was. */
  updatedAt: number;
  /** The id of the message in whose thread it is; absent outside of threads. */
  parentId?: string;
  /** When the receiver got it, in seconds since 1970; absent before. */
  deliveredAt?: number;
  /** When the receiver read it, in seconds since 1970; absent before. */
  readAt?: number;
  /** When it was last edited, in seconds since 1970; absent unless it was. */
  editedAt?: number;
  /** The uid of who edited it last; `app_system` if the app did. */
  editedBy?: string;
  /** When it was deleted, in seconds since 1970; absent unless it was. */
  deletedAt?: number;
  /** The uid of who deleted it; `app_system` if the app did. */
  deletedBy?: string;
  /** Words of the app, up to 25 of 100 characters each, by which lists can be filtered. */
  tags?: string[];
  /** Whether the message moves its conversation up and is counted as unread there; it does if this is absent. */
  updateConversation?: boolean;
  /** Whether people are notified of it. Absent: of a text or media message yes, of a custom one no. */
  sendNotification?: boolean;
  /** The text by which lists of conversations show the message in place of its own, up to 255 characters. */
  conversationText?: string;
  /** When it was pinned, in seconds since 1970; absent unless it is. */
  pinnedAt?: number;
  /** When the acting user saved it, in seconds since 1970; absent unless they did. */
  savedAt?: number;
  quotedMessage?: Message;
  parentMessage?: Message;
}

/** The data of `group_member_added`, `_kicked`, `_banned` and `_unbanned`; `by` did it. */
export interface MemberByPayload {
  group: PayloadGroup;
  /** The user to whom it was done, by uid. */
  members: {
    [key: string]: PayloadUser;
  };
  message?: Message;
  by: PayloadUser;
}

/** A member inside an action message. */
export interface MemberEntity {
  /** The id of the user, unique in the app. */
  uid: string;
  /** The name that people see, up to 100 characters. */
  name: string;
  /** The role of the user, which limits what they may do; `default` unless another was given. */
  role: string;
  /** The URL of the user's picture; absent if they have none. */
  avatar?: string;
  /** A URL of the user's own, such as that of their profile; absent if they have none. */
  link?: string;
  /** Without `@private`. */
  metadata?: {
    [key: string]: unknown;
  };
  status: UserStatus;
  /** When it was last changed, in seconds since 1970; absent if it never was. */
  updatedAt?: number;
  /** The id of the conversation: `group_<guid>`, or `<uid>_user_<uid>` of two users in their order. */
  conversationId?: string;
  scope?: MemberScope;
  oldScope?: MemberScope;
}

/** A membership with its past. */
export interface MemberFields {
  /** The key of the row: `<guid>_member_<uid>`. */
  memberId: string;
  /** a-z, 0-9, _ and -; upper case is changed to lower case. */
  guid: string;
  /** a-z, 0-9, _ and -; upper case is changed to lower case. */
  uid: string;
  /** When the user joined, in seconds since 1970. */
  joinedAt: number | string;
  /** The default is `participant`. */
  scope?: MemberScope;
  /** Whether the user is banned; then they are no member. */
  isBanned?: boolean;
  groupDetails?: GroupFields;
  userDetails?: UserFields;
}

/** A page of a list. */
export interface MemberList {
  /** The rows, in the order of the list. */
  data: Member[];
  meta: PageMeta;
}

/** Users by the scope that they get, and users to ban; at most 25 in all lists. */
export interface MemberLists {
  /** The uids of users to add as admins. */
  admins?: string[];
  /** The uids of users to add as moderators. */
  moderators?: string[];
  /** The uids of users to add as participants. */
  participants?: string[];
  /** The uids of users to ban from the group. */
  usersToBan?: string[];
}

/** The outcome for one user: the action message that announces it, or an error. */
export interface MemberOutcome {
  /** Whether it was done. */
  success: boolean;
  data?: Message;
  error?: Problem;
}

/**
 * The data of `group_member_joined` and `group_member_left`.
 *
 *     `message` is the entry in the group's conversation, if that has not been deleted.
 */
export interface MemberPayload {
  group: PayloadGroup;
  /** The user who joined or left, by uid. */
  members: {
    [key: string]: PayloadUser;
  };
  message?: Message;
}

/** The scope of a member of a group. */
export type MemberScope = "admin" | "moderator" | "participant";

/** A mentioned user; the last five fields are present if the query asks for them. */
export interface MentionEntity {
  /** The id of the user, unique in the app. */
  uid: string;
  /** The name that people see, up to 100 characters. */
  name: string;
  /** The role of the user, which limits what they may do; `default` unless another was given. */
  role: string;
  /** The URL of the user's picture; absent if they have none. */
  avatar?: string;
  /** A URL of the user's own, such as that of their profile; absent if they have none. */
  link?: string;
  /** Without `@private`. */
  metadata?: {
    [key: string]: unknown;
  };
  status: UserStatus;
  /** When it was last changed, in seconds since 1970; absent if it never was. */
  updatedAt?: number;
  /** The id of the conversation: `group_<guid>`, or `<uid>_user_<uid>` of two users in their order. */
  conversationId?: string;
  /** Words of the app, up to 25 of 100 characters each, by which lists can be filtered. */
  tags?: string[];
  /** Whether the acting user has blocked this user; absent if not. */
  blockedByMe?: boolean;
  /** When the acting user blocked this user, in seconds since 1970. */
  blockedByMeAt?: number;
  /** Whether this user has blocked the acting user; absent if not. */
  hasBlockedMe?: boolean;
  /** When this user blocked the acting user, in seconds since 1970. */
  blockedAt?: number;
}

/** The mention of everybody, under the key `all`. */
export interface MentionOfAll {
  /** Always `all`. */
  type: "all";
}

/** A message; replies have `parentMessage` if `withParent` asks for it. */
export type Message = ChatMessage | CustomMessage | FormMessage | CardMessage | SchedulerMessage | CustomInteractiveMessage | PollMessage | MemberActionMessage | MessageActionMessage;

/** What was done to a message. */
export interface MessageActionData {
  /** What was done to the message. */
  action: "deleted" | "edited";
  entities: MessageActionEntities;
}

/** Who acted, on which message, and in the conversation with whom. */
export interface MessageActionEntities {
  by: WrappedUser;
  on: WrappedMessage;
  for: Receiver;
}

/** The entry in a conversation that a message was edited or deleted. */
export interface MessageActionMessage {
  /** The id. */
  id: string;
  /** The sender's own id of the message, up to 255 characters: a second send with it is answered with the first message. */
  muid?: string;
  /** The id of the conversation: `group_<guid>`, or `<uid>_user_<uid>` of two users in their order. */
  conversationId: string;
  /** The uid of who sent it; `app_system` if it was the app. */
  sender: string;
  receiverType: ReceiverType;
  /** The uid or the guid of who it is for, according to `receiverType`. */
  receiver: string;
  /** The category of the message. */
  category: "action";
  /** The type of the message within its category; of a custom message any word. */
  type: "message";
  data: MessageActionData;
  /** When it was sent, in seconds since 1970. */
  sentAt: number;
  /** When it was last changed, in seconds since 1970; absent if it never was. */
  updatedAt: number;
  /** The id of the message in whose thread it is; absent outside of threads. */
  parentId?: string;
  /** When the receiver got it, in seconds since 1970; absent before. */
  deliveredAt?: number;
  /** When the receiver read it, in seconds since 1970; absent before. */
  readAt?: number;
  /** When it was last edited, in seconds since 1970; absent unless it was. */
  editedAt?: number;
  /** The uid of who edited it last; `app_system` if the app did. */
  editedBy?: string;
  /** When it was deleted, in seconds since 1970; absent unless it was. */
  deletedAt?: number;
  /** The uid of who deleted it; `app_system` if the app did. */
  deletedBy?: string;
  /** Words of the app, up to 25 of 100 characters each, by which lists can be filtered. */
  tags?: string[];
  /** Whether the message moves its conversation up and is counted as unread there; it does if this is absent. */
  updateConversation?: boolean;
  /** Whether people are notified of it. Absent: of a text or media message yes, of a custom one no. */
  sendNotification?: boolean;
  /** The text by which lists of conversations show the message in place of its own, up to 255 characters. */
  conversationText?: string;
  /** When it was pinned, in seconds since 1970; absent unless it is. */
  pinnedAt?: number;
  /** When the acting user saved it, in seconds since 1970; absent unless they did. */
  savedAt?: number;
  quotedMessage?: Message;
  parentMessage?: Message;
}

export interface MessageAnswer {
  data: Message;
}

/** The category of a message; `action` is an entry of the server. */
export type MessageCategory = "action" | "custom" | "interactive" | "message";

/** The number of messages with a user, or in a group. */
export interface MessageCount {
  entityType: ReceiverType;
  /** The uid of the other user, or the guid of the group. */
  entityId: string;
  /** The number of messages. */
  count: number;
}

/** According to the category and the type, at most 10,240 bytes of JSON without `attachments`; further properties are kept as sent. */
export type MessageData = TextMessageData | MediaMessageData | CustomMessageData | FormMessageData | CardMessageData | SchedulerMessageData | CustomInteractiveMessageData | PollMessageData;

/** What a webhook is sent for the trigger `message_deleted`. */
export interface MessageDeletedWebhook {
  /** The trigger: what happened. */
  trigger: "message_deleted";
  data: DeletedMessagePayload;
  /** The id of the app. */
  appId: string;
  /** The region of the app. */
  region: string;
  /** The same in every attempt: a repeated call has a known id. */
  id: string;
  /** When it happened, in seconds since 1970. */
  sentAt: number;
  /** The id of the webhook. */
  webhook: string;
}

/** What a webhook is sent for the trigger `message_delivery_receipt`. */
export interface MessageDeliveryReceiptWebhook {
  /** The trigger: what happened. */
  trigger: "message_delivery_receipt";
  data: ReceiptPayload;
  /** The id of the app. */
  appId: string;
  /** The region of the app. */
  region: string;
  /** The same in every attempt: a repeated call has a known id. */
  id: string;
  /** When it happened, in seconds since 1970. */
  sentAt: number;
  /** The id of the webhook. */
  webhook: string;
}

/** What a webhook is sent for the trigger `message_edited`. */
export interface MessageEditedWebhook {
  /** The trigger: what happened. */
  trigger: "message_edited";
  data: MessagePayload;
  /** The id of the app. */
  appId: string;
  /** The region of the app. */
  region: string;
  /** The same in every attempt: a repeated call has a known id. */
  id: string;
  /** When it happened, in seconds since 1970. */
  sentAt: number;
  /** The id of the webhook. */
  webhook: string;
}

/** The sender and the receiver of a message, as they are now. */
export interface MessageEntities {
  sender: WrappedUser;
  receiver: Receiver;
}

/** A message with its past. */
export interface MessageFields {
  /** The sender's own id of the message, up to 255 characters: a second send with it is answered with the first message. */
  muid: string;
  /** a-z, 0-9, _ and -; upper case is changed to lower case. */
  sender: string;
  receiverType: ReceiverType;
  /** A uid or guid. */
  receiver: string;
  /** When it was sent, in seconds since 1970; now if it is absent. */
  sentAt?: number | string;
  category?: SentCategory;
  /** The type of the message within its category; of a custom message any word. */
  type?: string;
  data?: MessageData;
  /** Words of the app, up to 25 of 100 characters each, by which lists can be filtered. */
  tags?: string[];
  /** When the receiver, of a one-to-one message, got it, in seconds since 1970. */
  deliveredAt?: number | string;
  /** When the receiver, of a one-to-one message, read it, in seconds since 1970. */
  readAt?: number | string;
  /** Whether the message moves its conversation up and is counted as unread there; it does if this is absent. */
  updateConversation?: boolean;
  /** Whether people are notified of it. Absent: of a text or media message yes, of a custom one no. */
  sendNotification?: boolean;
  /** The text by which lists of conversations show the message in place of its own, up to 255 characters. */
  conversationText?: string;
  senderUserDetails?: UserFields;
  receiverUserDetails?: UserFields;
  receiverGroupDetails?: GroupFields;
  receiverGroupOwnerDetails?: UserFields;
  /** When it was last edited, in seconds since 1970; absent unless it was. */
  editedAt?: number | string;
  /** The id of the message in whose thread it is; absent outside of threads. */
  parentId?: string | number;
  /** a-z, 0-9, _ and -; upper case is changed to lower case. */
  parentSender?: string;
  /** The id of the message that this one quotes; it must be in the same conversation. */
  quotedMessageId?: string | number;
  /** a-z, 0-9, _ and -; upper case is changed to lower case. */
  quotedMessageSender?: string;
  /** The reactions to the message, each by a user of the app. */
  reactions?: ReactionFields[];
}

/** What a webhook is sent for the trigger `message_grown`. */
export interface MessageGrownWebhook {
  /** The trigger: what happened. */
  trigger: "message_grown";
  data: GrownPayload;
  /** The id of the app. */
  appId: string;
  /** The region of the app. */
  region: string;
  /** The same in every attempt: a repeated call has a known id. */
  id: string;
  /** When it happened, in seconds since 1970. */
  sentAt: number;
  /** The id of the webhook. */
  webhook: string;
}

/** A slice of a list of messages, ascending; or, with `count`, numbers of messages. */
export interface MessageList {
  /** Messages; or, with `count`, numbers of messages. */
  data: ListedMessage[];
  meta: HistoryMeta;
}

/** The outcome of one row. */
export interface MessageOutcome {
  /** Whether it was done. */
  success: boolean;
  /** Whether the row was there already and stayed as it was. */
  skipped?: boolean;
  data?: Message;
  error?: Problem;
}

export interface MessageOutcomesAnswer {
  /** The outcomes, by id. */
  data: {
    [key: string]: MessageOutcome;
  };
}

/**
 * The data of `message_sent`, `user_mentioned` and `message_edited`.
 *
 *     Of an edit, `message` is its action message, which has the edited message as `on`.
 */
export interface MessagePayload {
  message: Message;
}

/** What a webhook is sent for the trigger `message_reaction_added`. */
export interface MessageReactionAddedWebhook {
  /** The trigger: what happened. */
  trigger: "message_reaction_added";
  data: ReactionPayload;
  /** The id of the app. */
  appId: string;
  /** The region of the app. */
  region: string;
  /** The same in every attempt: a repeated call has a known id. */
  id: string;
  /** When it happened, in seconds since 1970. */
  sentAt: number;
  /** The id of the webhook. */
  webhook: string;
}

/** What a webhook is sent for the trigger `message_reaction_removed`. */
export interface MessageReactionRemovedWebhook {
  /** The trigger: what happened. */
  trigger: "message_reaction_removed";
  data: ReactionPayload;
  /** The id of the app. */
  appId: string;
  /** The region of the app. */
  region: string;
  /** The same in every attempt: a repeated call has a known id. */
  id: string;
  /** When it happened, in seconds since 1970. */
  sentAt: number;
  /** The id of the webhook. */
  webhook: string;
}

/** What a webhook is sent for the trigger `message_read_receipt`. */
export interface MessageReadReceiptWebhook {
  /** The trigger: what happened. */
  trigger: "message_read_receipt";
  data: ReceiptPayload;
  /** The id of the app. */
  appId: string;
  /** The region of the app. */
  region: string;
  /** The same in every attempt: a repeated call has a known id. */
  id: string;
  /** When it happened, in seconds since 1970. */
  sentAt: number;
  /** The id of the webhook. */
  webhook: string;
}

/** What a webhook is sent for the trigger `message_sent`. */
export interface MessageSentWebhook {
  /** The trigger: what happened. */
  trigger: "message_sent";
  data: MessagePayload;
  /** The id of the app. */
  appId: string;
  /** The region of the app. */
  region: string;
  /** The same in every attempt: a repeated call has a known id. */
  id: string;
  /** When it happened, in seconds since 1970. */
  sentAt: number;
  /** The id of the webhook. */
  webhook: string;
}

/** The messages and receipts of the last hour. */
export interface MessageStats {
  /** The id of the app. */
  appId: string;
  /** Milliseconds since 1970, as text. */
  startTime: string;
  /** Milliseconds since 1970, as text. */
  endTime: string;
  /** 12, the oldest one first. */
  dataPoints: DataPoint[];
}

export interface MessageStatsAnswer {
  data: MessageStats;
}

/** What a webhook is sent for the trigger `message_stop_requested`. */
export interface MessageStopRequestedWebhook {
  /** The trigger: what happened. */
  trigger: "message_stop_requested";
  data: StopPayload;
  /** The id of the app. */
  appId: string;
  /** The region of the app. */
  region: string;
  /** The same in every attempt: a repeated call has a known id. */
  id: string;
  /** When it happened, in seconds since 1970. */
  sentAt: number;
  /** The id of the webhook. */
  webhook: string;
}

/**
 * The data of `messages_deleted`: `by` permanently deleted messages of their own.
 *
 *     There are no action messages.
 */
export interface MessagesDeletedPayload {
  conversation: PayloadConversation;
  by: PayloadUser;
  /** The ids of the messages. */
  messageIds: string[];
  /** When it was deleted, in seconds since 1970; absent unless it was. */
  deletedAt: number;
}

/**
 * The data of `messages_expired`: messages were removed, as their time was over.
 *
 *     There are no action messages, and no tombstones are left. Unread numbers and the last message
 *     of the conversation may have changed.
 */
export interface MessagesExpiredPayload {
  conversation: PayloadConversation;
  /** The ids of the messages that were removed. */
  messageIds: string[];
  /** When the messages were removed, in seconds since 1970. */
  expiredAt: number;
}

/** What a webhook is sent for the trigger `moderation_engine_approved`. */
export interface ModerationEngineApprovedWebhook {
  /** The trigger: what happened. */
  trigger: "moderation_engine_approved";
  data: MessagePayload;
  /** The id of the app. */
  appId: string;
  /** The region of the app. */
  region: string;
  /** The same in every attempt: a repeated call has a known id. */
  id: string;
  /** When it happened, in seconds since 1970. */
  sentAt: number;
  /** The id of the webhook. */
  webhook: string;
}

/** What a webhook is sent for the trigger `moderation_engine_blocked`. */
export interface ModerationEngineBlockedWebhook {
  /** The trigger: what happened. */
  trigger: "moderation_engine_blocked";
  data: HeldPayload;
  /** The id of the app. */
  appId: string;
  /** The region of the app. */
  region: string;
  /** The same in every attempt: a repeated call has a known id. */
  id: string;
  /** When it happened, in seconds since 1970. */
  sentAt: number;
  /** The id of the webhook. */
  webhook: string;
}

/** What a webhook is sent for the trigger `moderation_engine_failed`. */
export interface ModerationEngineFailedWebhook {
  /** The trigger: what happened. */
  trigger: "moderation_engine_failed";
  data: EngineFailedPayload;
  /** The id of the app. */
  appId: string;
  /** The region of the app. */
  region: string;
  /** The same in every attempt: a repeated call has a known id. */
  id: string;
  /** When it happened, in seconds since 1970. */
  sentAt: number;
  /** The id of the webhook. */
  webhook: string;
}

/** What a webhook is sent for the trigger `moderation_manual_approved`. */
export interface ModerationManualApprovedWebhook {
  /** The trigger: what happened. */
  trigger: "moderation_manual_approved";
  data: ApprovedPayload;
  /** The id of the app. */
  appId: string;
  /** The region of the app. */
  region: string;
  /** The same in every attempt: a repeated call has a known id. */
  id: string;
  /** When it happened, in seconds since 1970. */
  sentAt: number;
  /** The id of the webhook. */
  webhook: string;
}

/** Why a message was blocked. */
export interface ModerationMatch {
  /** The condition that matched, as the rule had it then. */
  condition: {
    [key: string]: unknown;
  };
  rule: ModerationRule;
}

/** The size of a page, and its position in the list. */
export interface ModerationMeta {
  current: Current;
  pagination: Pagination;
}

/** The rule that blocked a message, as it was then. */
export interface ModerationRule {
  /** The id of the rule. */
  id: string;
  /** The name of the rule. */
  name: string;
  /** The revision of the rule. */
  revisionId: string;
  /** The actions of the rule. */
  action: string[];
  /** When it blocked the message, in seconds since 1970. */
  blockedAt: number;
}

/** Several receivers of one message, at most 100 in all. */
export interface MultipleReceivers {
  /** The uids of users. */
  uids?: string[];
  /** The guids of groups. */
  guids?: string[];
}

/** The conversations to mute. */
export interface MuteConversations {
  /** The conversations. */
  conversations: MutedConversation[];
}

/** The muted conversations of a user. */
export interface MuteList {
  /** The conversations that are muted now. */
  mutedConversations: MutedConversation[];
}

export interface MuteListAnswer {
  data: MuteList;
}

/** The do-not-disturb and the weekly schedule of a user. */
export interface MutePreferences {
  /** 1: off; 2: on. */
  dnd?: number;
  schedule?: Schedule;
}

/** The defaults of do-not-disturb and the schedule, and what users may override and mute. */
export interface MuteSettings {
  /** 1: off; 2: on. */
  dndPreferenceSetting?: number;
  /** Whether users may switch do-not-disturb on and off. */
  dndPreferenceOverride?: boolean;
  schedulePreferenceSetting?: Schedule;
  /** Whether users may have a schedule of their own. */
  schedulePreferenceOverride?: boolean;
  /** Whether users may mute groups. */
  mutedGroupsOverride?: boolean;
  /** Whether users may mute one-to-one conversations. */
  mutedOneOnOnesOverride?: boolean;
}

/** A muted conversation: of a group, or with another user. */
export interface MutedConversation {
  /** The guid of the group, or the uid of the other user. */
  id: string;
  type: MutedType;
  /** A time in the future, in milliseconds. */
  until: number;
}

/** Whether the conversation is with a user or of a group. */
export type MutedType = "group" | "oneOnOne";

/** A conversation that is to be unmuted. */
export interface NamedConversation {
  /** The guid of the group, or the uid of the other user. */
  id: string;
  type: MutedType;
}

/** Triggers by their ids. */
export interface NamedTriggers {
  /** The names of the triggers. */
  triggerIds: string[];
}

/** The uid and the name of a user. */
export interface NamedUser {
  /** The id of the user, unique in the app. */
  uid: string;
  /** The name of the user. */
  name: string;
}

export type NotificationChannel = "email" | "push" | "sms";

/** What would be sent on one channel, or to one device; or why nothing. */
export interface NotificationPreview {
  /** `push`, `email` or `sms`. */
  channel: string;
  /** Whether a provider is asked to send it; if not, `reason` says why. */
  notificationTriggered: boolean;
  /** Why nothing would be sent. `NOT_FOUND`: the provider is switched off, or the person has registered no device. */
  reason?: Reason;
  /** `fcm`, `apns`, `webpush`, `sendgrid`, `smtp`, `twilio` or `custom`. */
  provider?: string;
  /** What the provider would be asked to send, without secrets. */
  payload?: unknown;
}

/** What would be sent on all channels, and to all devices. */
export interface NotificationPreviewList {
  /** The rows, in the order of the list. */
  data: NotificationPreview[];
}

export type NotificationProvider = "apns" | "custom" | "fcm" | "sendgrid" | "smtp" | "twilio" | "webpush";

export type NotificationReason = Reason;

/** The notification settings of an app. */
export interface NotificationSettings {
  preferences?: AppPreferences;
  sound?: Sound;
  templates?: Templates;
}

export interface NotificationSettingsAnswer {
  data: NotificationSettings;
}

/** What happened: `after_message` is a message or reply; `initiated` to `unanswered` are calls. */
export type NotificationTrigger = "after_group_joined" | "after_group_left" | "after_group_members_added" | "after_group_members_banned" | "after_group_members_kicked" | "after_group_members_unbanned" | "after_message" | "after_scope_changed" | "cancelled" | "initiated" | "message_deleted" | "message_edited" | "message_reaction_added" | "rejected" | "unanswered" | "user_reminded";

/** The preferences of a user for one-to-one conversations. */
export interface OneOnOnePreferences {
  /** 1: none; 2: all; 3: those that mention the person. */
  oneOnOneMessages?: number;
  /** 1: none; 2: all; 3: those that mention the person. */
  oneOnOneReplies?: number;
  /** 1: none; 2: all; 3: those that mention the person. */
  oneOnOneQuotedReplies?: number;
  /** 1: none; 2: to the person's own messages; 3: all. */
  oneOnOneReactions?: number;
}

/** The defaults for one-to-one conversations, and whether users may override them. */
export interface OneOnOneSettings {
  /** 1: none; 2: all; 3: those that mention the person. */
  messagesSetting?: number;
  /** Whether users may choose for themselves. */
  messagesOverride?: boolean;
  /** 1: none; 2: all; 3: those that mention the person. */
  repliesSetting?: number;
  /** Whether users may choose for themselves. */
  repliesOverride?: boolean;
  /** 1: none; 2: all; 3: those that mention the person. */
  quotedRepliesSetting?: number;
  /** Whether users may choose for themselves. */
  quotedRepliesOverride?: boolean;
  /** 1: none; 2: to the person's own messages; 3: all. */
  reactionsSetting?: number;
  /** Whether users may choose for themselves. */
  reactionsOverride?: boolean;
  /** 1: off; 2: on. */
  messageEditedSetting?: number;
  /** 1: off; 2: on. */
  messageDeletedSetting?: number;
}

/** A span of time in which appointments can be made. */
export type OpenHours = {
  /** A time of day as four digits, such as 0930. */
  from: string;
  /** A time of day as four digits, such as 0930. */
  to: string;
} & {
  [key: string]: unknown;
};

/** An option of a choice: the text that users see, and the value that is submitted. */
export type Option = {
  /** The value that is submitted. */
  value: string;
  /** The text that users see. */
  label: string;
} & {
  [key: string]: unknown;
};

/** What was set of the conversation; the rest is as the app's settings have it. */
export interface OwnRetention {
  /** After so many days messages are removed; 0: never. */
  days?: number;
  /** So many seconds after they were sent, or read, messages disappear; 0: never. */
  disappearAfter?: number;
  disappearFrom?: DisappearFrom;
}

/** The position of a page in a list. */
export interface PageMeta {
  pagination: Pagination;
  cursor?: Cursor;
  /** A cursor of events, on lists of messages, conversations, users, groups and members: the list has all that happened before it. Who follows the events after it misses nothing, and may be told something again that the list has. */
  eventCursor?: string;
}

/** The position of a page by number. */
export interface Pagination {
  /** The number of rows on all pages. */
  total: number;
  /** The number of rows in this answer. */
  count: number;
  /** The most rows of a page. */
  per_page: number;
  /** The number of this page, from 1. */
  current_page: number;
  /** The number of pages: one at least. */
  total_pages: number;
}

/** A webhook that is paused, since all attempts to deliver to it have failed. */
export interface PausedWebhook {
  /** The id of the webhook. */
  id: string;
  /** The name that people see, up to 100 characters. */
  name: string;
  /** When the webhook was paused, in seconds since 1970. */
  pausedAt: number;
}

/** A conversation: that of the group `guid`, or of the two users `uids`. */
export interface PayloadConversation {
  /** The id of the conversation: `group_<guid>`, or `<uid>_user_<uid>` of two users in their order. */
  conversationId: string;
  conversationType: ReceiverType;
  /** The guid of the group; absent in a conversation of two users. */
  guid?: string;
  /** The uids of the two users; absent in a group. */
  uids?: string[];
}

/** A new group; the last three fields are those of the user who created it, if not the app. */
export interface PayloadCreatedGroup {
  /** The id of the group, unique in the app. */
  guid: string;
  /** The name that people see, up to 100 characters. */
  name: string;
  /** A text for people about it, up to 255 characters. */
  description?: string;
  /** The URL of the group's picture; absent if it has none. */
  icon?: string;
  type: GroupType;
  /** The uid of the owner; `app_system` if it is the app. */
  owner: string;
  /** The number of members. */
  membersCount: number;
  /** The id of the conversation: `group_<guid>`, or `<uid>_user_<uid>` of two users in their order. */
  conversationId: string;
  /** When it was created, in seconds since 1970. */
  createdAt: number;
  /** When it was last changed, in seconds since 1970; absent if it never was. */
  updatedAt?: number;
  /** The uid of who changed it last; `app_system` if the app did. */
  updatedBy?: string;
  /** Words of the app, up to 25 of 100 characters each, by which lists can be filtered. */
  tags?: string[];
  /** The app's own JSON object, kept as given: up to 5,120 bytes. `@private` in that of a user is shown to the app and to that user only. */
  metadata?: {
    [key: string]: unknown;
  };
  scope?: MemberScope;
  /** When the user who created the group joined it, in seconds since 1970. */
  joinedAt?: number;
  /** True if a user created the group, who is a member then. */
  hasJoined?: boolean;
}

/** A group. */
export interface PayloadGroup {
  /** The id of the group, unique in the app. */
  guid: string;
  /** The name that people see, up to 100 characters. */
  name: string;
  /** A text for people about it, up to 255 characters. */
  description?: string;
  /** The URL of the group's picture; absent if it has none. */
  icon?: string;
  type: GroupType;
  /** The uid of the owner; `app_system` if it is the app. */
  owner: string;
  /** The number of members. */
  membersCount: number;
  /** The id of the conversation: `group_<guid>`, or `<uid>_user_<uid>` of two users in their order. */
  conversationId: string;
  /** When it was created, in seconds since 1970. */
  createdAt: number;
  /** When it was last changed, in seconds since 1970; absent if it never was. */
  updatedAt?: number;
  /** The uid of who changed it last; `app_system` if the app did. */
  updatedBy?: string;
  /** Words of the app, up to 25 of 100 characters each, by which lists can be filtered. */
  tags?: string[];
  /** The app's own JSON object, kept as given: up to 5,120 bytes. `@private` in that of a user is shown to the app and to that user only. */
  metadata?: {
    [key: string]: unknown;
  };
}

/** A group with the number of its members who are connected. */
export interface PayloadOnlineGroup {
  /** The id of the group, unique in the app. */
  guid: string;
  /** The name that people see, up to 100 characters. */
  name: string;
  /** A text for people about it, up to 255 characters. */
  description?: string;
  /** The URL of the group's picture; absent if it has none. */
  icon?: string;
  type: GroupType;
  /** The uid of the owner; `app_system` if it is the app. */
  owner: string;
  /** The number of members. */
  membersCount: number;
  /** The id of the conversation: `group_<guid>`, or `<uid>_user_<uid>` of two users in their order. */
  conversationId: string;
  /** When it was created, in seconds since 1970. */
  createdAt: number;
  /** When it was last changed, in seconds since 1970; absent if it never was. */
  updatedAt?: number;
  /** The uid of who changed it last; `app_system` if the app did. */
  updatedBy?: string;
  /** Words of the app, up to 25 of 100 characters each, by which lists can be filtered. */
  tags?: string[];
  /** The app's own JSON object, kept as given: up to 5,120 bytes. `@private` in that of a user is shown to the app and to that user only. */
  metadata?: {
    [key: string]: unknown;
  };
  /** The number of members who are connected. */
  onlineMembersCount: number;
}

/** A user's reaction to a message. */
export interface PayloadReaction {
  /** The id of this user's reaction. */
  id: string;
  /** The id of the message. */
  messageId: string;
  /** The reaction: an emoji, or another text of up to 100 characters. */
  reaction: string;
  /** The id of the user, unique in the app. */
  uid: string;
  /** When the user reacted, in seconds since 1970. */
  reactedAt: number;
  reactedBy: NamedUser;
}

/** A user. */
export interface PayloadUser {
  /** The id of the user, unique in the app. */
  uid: string;
  /** The name that people see, up to 100 characters. */
  name: string;
  /** The URL of the user's picture; absent if they have none. */
  avatar?: string;
  status: UserStatus;
  /** The role of the user, which limits what they may do; `default` unless another was given. */
  role: string;
  /** When the user was last connected, in seconds since 1970; absent if they never were. */
  lastActiveAt?: number;
}

/** A permission that can be set, with its possible values. */
export interface Permission {
  /** The id of the permission, such as `sendMessage.mode`. */
  id: string;
  /** Whether it is set for roles or for scopes in groups. */
  type: "role" | "scope";
  /** What the permission is about. */
  title: string;
  /** The same as `title`. */
  description: string;
  /** Whether the value is one word or a list of words. */
  dataType: "string" | "stringArray";
  /** The words that can be set. */
  availableValues: string[];
  /** The value while none is set. */
  defaultValue: string | string[];
  /** When it was created, in seconds since 1970. */
  createdAt: number;
  /** When it was last changed, in seconds since 1970; absent if it never was. */
  updatedAt: number;
}

/** A page of a list. */
export interface PermissionList {
  /** The rows, in the order of the list. */
  data: Permission[];
  meta: PageMeta;
}

/** The outcomes by permission, and all permissions that are set. */
export type PermissionOutcomes = {
  /** All permissions that are set now, by id. */
  permissions: {
    [key: string]: string | string[];
  };
} & {
  [key: string]: ItemOutcome;
};

export interface PermissionOutcomesAnswer {
  data: PermissionOutcomes;
}

/** The permissions that are set, by id. */
export interface PermissionValues {
  /** The permissions that are set now, by id; the others have their defaults. */
  permissions: {
    [key: string]: string | string[];
  };
}

export interface PermissionValuesAnswer {
  data: PermissionValues;
}

/** The data of `message_pinned` and, without `pinnedAt`, of `message_unpinned`; `by` did it. */
export interface PinPayload {
  /** The id of the message. */
  messageId: string;
  /** The id of the conversation: `group_<guid>`, or `<uid>_user_<uid>` of two users in their order. */
  conversationId: string;
  by: PayloadUser;
  /** When it was pinned, in seconds since 1970; absent unless it is. */
  pinnedAt?: number;
}

/** The text that an empty input shows. */
export type Placeholder = {
  /** The text that people see. */
  text?: string;
} & {
  [key: string]: unknown;
};

/** The visibility on each platform. */
export interface Platforms {
  ios?: Visibility;
  android?: Visibility;
  web?: Visibility;
}

/** The state of a poll: its options in the order of `options`. */
export interface Poll {
  /** How many users have voted. */
  voters: number;
  /** The options in the order of the question's. */
  options: PollOption[];
  /** When it closes by itself, in seconds since 1970; absent if it does not. */
  closesAt?: number;
  /** When it was closed, in seconds since 1970; absent while it is open. */
  closedAt?: number;
}

/** What a webhook is sent for the trigger `poll_closed`. */
export interface PollClosedWebhook {
  /** The trigger: what happened. */
  trigger: "poll_closed";
  data: PollPayload;
  /** The id of the app. */
  appId: string;
  /** The region of the app. */
  region: string;
  /** The same in every attempt: a repeated call has a known id. */
  id: string;
  /** When it happened, in seconds since 1970. */
  sentAt: number;
  /** The id of the webhook. */
  webhook: string;
}

/** A question with options for which users vote. */
export interface PollMessage {
  /** The id. */
  id: string;
  /** The sender's own id of the message, up to 255 characters: a second send with it is answered with the first message. */
  muid?: string;
  /** The id of the conversation: `group_<guid>`, or `<uid>_user_<uid>` of two users in their order. */
  conversationId: string;
  /** The uid of who sent it; `app_system` if it was the app. */
  sender: string;
  receiverType: ReceiverType;
  /** The uid or the guid of who it is for, according to `receiverType`. */
  receiver: string;
  /** The category of the message. */
  category: "interactive";
  /** The type of the message within its category; of a custom message any word. */
  type: "poll";
  data: StoredPollData;
  /** When it was sent, in seconds since 1970. */
  sentAt: number;
  /** When it was last changed, in seconds since 1970; absent if it never was. */
  updatedAt: number;
  /** The id of the message in whose thread it is; absent outside of threads. */
  parentId?: string;
  /** When the receiver got it, in seconds since 1970; absent before. */
  deliveredAt?: number;
  /** When the receiver read it, in seconds since 1970; absent before. */
  readAt?: number;
  /** When it was last edited, in seconds since 1970; absent unless it was. */
  editedAt?: number;
  /** The uid of who edited it last; `app_system` if the app did. */
  editedBy?: string;
  /** When it was deleted, in seconds since 1970; absent unless it was. */
  deletedAt?: number;
  /** The uid of who deleted it; `app_system` if the app did. */
  deletedBy?: string;
  /** Words of the app, up to 25 of 100 characters each, by which lists can be filtered. */
  tags?: string[];
  /** Whether the message moves its conversation up and is counted as unread there; it does if this is absent. */
  updateConversation?: boolean;
  /** Whether people are notified of it. Absent: of a text or media message yes, of a custom one no. */
  sendNotification?: boolean;
  /** The text by which lists of conversations show the message in place of its own, up to 255 characters. */
  conversationText?: string;
  /** When it was pinned, in seconds since 1970; absent unless it is. */
  pinnedAt?: number;
  /** When the acting user saved it, in seconds since 1970; absent unless they did. */
  savedAt?: number;
  quotedMessage?: Message;
  parentMessage?: Message;
}

/** The data of a message of the category `interactive` and the type `poll`. */
export type PollMessageData = {
  /** What is asked. */
  question: string;
  /** What can be voted for; an option is named by its place, from 0. */
  options: string[];
  /** For how many options a user may vote; 1 if absent. */
  votesPerUser?: number;
  /** Whether nobody is told who has voted. */
  anonymous?: boolean;
  /** When it closes by itself, in seconds since 1970. */
  closesAt?: number;
  /** An object of your own. */
  metadata?: {
    [key: string]: unknown;
  };
} & {
  [key: string]: unknown;
};

/** An option of a poll: how many have voted for it, and whether the acting user has. */
export interface PollOption {
  /** How many users have voted for it. */
  votes: number;
  /** Whether the acting user has voted for it; absent if not. */
  votedByMe?: boolean;
}

/** The data of `poll_updated` and `poll_closed`; `by` closed the poll, if not its time. */
export interface PollPayload {
  /** The id of the message. */
  messageId: string;
  /** The id of the conversation: `group_<guid>`, or `<uid>_user_<uid>` of two users in their order. */
  conversationId: string;
  poll: Poll;
  by?: PayloadUser;
}

/** What a webhook is sent for the trigger `poll_voted`. */
export interface PollVotedWebhook {
  /** The trigger: what happened. */
  trigger: "poll_voted";
  data: VotePayload;
  /** The id of the app. */
  appId: string;
  /** The region of the app. */
  region: string;
  /** The same in every attempt: a repeated call has a known id. */
  id: string;
  /** When it happened, in seconds since 1970. */
  sentAt: number;
  /** The id of the webhook. */
  webhook: string;
}

/** The notification preferences of a user. */
export interface Preferences {
  groupPreferences?: GroupPreferences;
  oneOnOnePreferences?: OneOnOnePreferences;
  mutePreferences?: MutePreferences;
  /** Whether the person's notifications show no content, where the app lets them choose. */
  usePrivacyTemplate?: boolean;
}

export interface PreferencesAnswer {
  data: Preferences;
}

/** Of whom the session wants to know whether they are available. */
export interface PresenceParams {
  /** Whose presence is told: of all, of friends, of no one, or of these roles. */
  presence: ("all" | "friends" | "none") | string[];
}

/** The data of `user_presence_changed`. */
export interface PresencePayload {
  user: PresentUser;
}

/** A user who is available now, or offline. */
export interface PresentUser {
  /** The id of the user, unique in the app. */
  uid: string;
  /** The name that people see, up to 100 characters. */
  name: string;
  status: UserStatus;
  /** When the user was last connected, in seconds since 1970; absent if they never were. */
  lastActiveAt?: number;
}

/** The reason of an error. */
export interface Problem {
  /** The code of the error, by which programs go. */
  code: string;
  /** What is wrong, in a sentence for people; it may change. */
  message: string;
  /** What a developer can do about it. */
  devMessage?: string;
  /** What is wrong, by field: one or more sentences for each. */
  details?: {
    [key: string]: string[];
  };
}

/** The push gateway, and what runs on the device. */
export type PushPlatform = "apns_flutter_device" | "apns_flutter_voip" | "apns_ionic_cordova_device" | "apns_ionic_cordova_voip" | "apns_ios_device" | "apns_ios_voip" | "apns_react_native_device" | "apns_react_native_voip" | "fcm_android" | "fcm_flutter_android" | "fcm_flutter_ios" | "fcm_ionic_cordova_android" | "fcm_ionic_cordova_ios" | "fcm_ios" | "fcm_react_native_android" | "fcm_react_native_ios" | "fcm_web" | "web_push";

/** The parts of a push payload. */
export interface PushSettings {
  /** Whether pushes have the message as a whole, as the key `message`. */
  includeMessageObjectSetting?: boolean;
  /** Whether pushes have the `metadata` of the message's data. */
  includeMessageMetadataSetting?: boolean;
  /** Whether pushes have the `metadata` of the sender. */
  includeSenderMetadataSetting?: boolean;
  /** Whether pushes have the `metadata` of the receiver. */
  includeReceiverMetadataSetting?: boolean;
  /** Whether the text of the message in a push is cut to 256 characters. */
  trimTextFieldSetting?: boolean;
  /** Added to every push payload, as `custom`. It is replaced as a whole; at most 1,024 bytes. */
  customJson?: {
    [key: string]: unknown;
  };
}

/** A registered push token. */
export interface PushToken {
  /** The id of the user, unique in the app. */
  uid: string;
  /** Only the mark `•••` if a user asks. */
  authToken: string;
  /** The token of the gateway; of Web Push the endpoint. */
  pushToken: string;
  /** `call` for VoIP tokens. */
  pushTokenType: "call" | "chat";
  platform: PushPlatform;
  /** The id of the provider, unique among those of its kind in the app. */
  providerId?: string;
  /** When the device was registered, in ISO 8601. */
  createdAt: string;
  /** When the registration was last renewed, in ISO 8601. */
  updatedAt: string;
}

/** Push tokens, the latest registration first. */
export interface PushTokenList {
  /** The registered push tokens. */
  pushTokens: PushToken[];
}

export interface PushTokenListAnswer {
  data: PushTokenList;
}

/** What the user has written so far. */
export interface PutDraft {
  /** The data of the message that it may become; any object. */
  data: {
    [key: string]: unknown;
  };
}

/** How many deliveries were queued. */
export interface QueuedDeliveries {
  /** Whether it was done. */
  success: boolean;
  /** The number of deliveries that were queued. */
  queued: number;
}

export interface QueuedDeliveriesAnswer {
  data: QueuedDeliveries;
}

/** The samples that were queued. */
export interface QueuedSamples {
  /** Whether it was done. */
  success: boolean;
  /** The number of deliveries that were queued. */
  queued: number;
  /** The deliveries that were queued. */
  deliveries: Sample[];
}

export interface QueuedSamplesAnswer {
  data: QueuedSamples;
}

/** A choice of one option by radio buttons. */
export type RadioElement = {
  /** The id of the element, unique in the message. */
  elementId: string;
  /** Whether the element may be left empty. */
  optional?: boolean;
  /** The text above the element. */
  label?: string;
  /** The `value` of the option that is chosen at first. */
  defaultValue?: string;
  /** The options to choose from, in their order. */
  options?: Option[];
  /** The kind of the element. */
  elementType: "radio";
} & {
  [key: string]: unknown;
};

/** The user who gave a reaction. */
export interface ReactedBy {
  /** The id of the user, unique in the app. */
  uid: string;
  /** The name that people see, up to 100 characters. */
  name: string;
  /** The URL of the user's picture; absent if they have none. */
  avatar?: string;
  /** A URL of the user's own, such as that of their profile; absent if they have none. */
  link?: string;
  status: UserStatus;
  /** The role of the user, which limits what they may do; `default` unless another was given. */
  role: string;
  /** When it was created, in seconds since 1970. */
  createdAt: number;
  /** When the user was last connected, in seconds since 1970; absent if they never were. */
  lastActiveAt?: number;
  /** The id of the conversation: `group_<guid>`, or `<uid>_user_<uid>` of two users in their order. */
  conversationId?: string;
}

/** A reaction to a message, and the number of users who gave it. */
export interface Reaction {
  /** The reaction: an emoji, or another text of up to 100 characters. */
  reaction: string;
  /** The number of users who gave this reaction. */
  count: number;
  /** Whether the acting user is among them; absent if not. */
  reactedByMe?: boolean;
}

/** A reaction to an imported message; without `reactedAt` it is as old as the message. */
export interface ReactionFields {
  /** The reaction: an emoji, or another text of up to 100 characters. */
  reaction: string;
  /** a-z, 0-9, _ and -; upper case is changed to lower case. */
  uid: string;
  /** When the user reacted, in seconds since 1970; with the message if it is absent. */
  reactedAt?: number | string;
}

/** The data of `message_reaction_added` and `message_reaction_removed`. */
export interface ReactionPayload {
  reaction: PayloadReaction;
}

/** The users to reactivate. */
export interface ReactivateUsers {
  /** The uids of the users. */
  uidsToActivate?: string[];
}

/** The users that are active now. */
export interface ReactivatedUsers {
  /** The uids of those that are active now; unknown ones are missing. */
  nonDeactivatedUids: string[];
}

export interface ReactivatedUsersAnswer {
  data: ReactivatedUsers;
}

/** Why nothing was sent to a person on a channel. */
export type Reason = "ALREADY_READ" | "BLOCKED" | "CALL_PREFERENCE" | "DEACTIVATED" | "DND_PREFERENCE" | "GROUP_ACTIONS_PREFERENCE" | "INVALID_PUSH_PROVIDER_ID" | "LOGGED_OUT" | "MESSAGES_PREFERENCE" | "MESSAGE_ACTIONS_PREFERENCE" | "MESSAGE_DELETED" | "MISSING_EMAIL" | "MISSING_PHNO" | "MUTE_PREFERENCE" | "NOT_A_MEMBER" | "NOT_FOUND" | "QUOTA_PREFERENCE" | "QUOTED_REPLIES_PREFERENCE" | "REACTIONS_PREFERENCE" | "REPLIES_PREFERENCE" | "SCHEDULE_PREFERENCE" | "TIMED_OUT" | "TWILIO_CREATE_ERROR" | "UNSUBSCRIBED";

/** The acknowledgement that a reason was deleted; it stands at the root of the answer. */
export interface ReasonDeleted {
  /** Always true. */
  success: boolean;
  /** A sentence that says so. */
  message: string;
}

/** When a message was delivered to a user, and when they read it. */
export interface Receipt {
  /** The id of the user, unique in the app. */
  uid: string;
  /** When the receiver got it, in seconds since 1970; absent before. */
  deliveredAt?: number;
  /** When the receiver read it, in seconds since 1970; absent before. */
  readAt?: number;
}

/** The user had all messages up to `messageId`, at the time `timestamp`. */
export interface ReceiptBody {
  /** What the user did up to the message: received it, or read it. */
  action: "delivered" | "read";
  /** The id of the last of these messages. */
  messageId: string;
  user: ReceiptUser;
  /** When it was done, in seconds since 1970. */
  timestamp: number;
}

/** A slice of the receipts of a message, in ascending order of uids. */
export interface ReceiptList {
  /** The rows, in the order of the list. */
  data: Receipt[];
  meta: ReceiptsMeta;
}

/** The data of `message_delivery_receipt` and `message_read_receipt`. */
export interface ReceiptPayload {
  /** In a group its guid; else the uid of who sent the messages. */
  receiver: string;
  receiverType: ReceiverType;
  /** Always `receipts`. */
  type: "receipts";
  /** The uid of `body.user`. */
  sender: string;
  /** The uid of who sent `messageId`. */
  messageSender: string;
  body: ReceiptBody;
}

/** The user who has the messages; `app_system` if all members of a group have them. */
export interface ReceiptUser {
  /** The uid of the user; `app_system` if all members of a group have the messages. */
  uid: string;
  /** The name of the user. */
  name: string;
  status: UserStatus;
}

/** The size of a slice of receipts; `next` leads to further ones, if any. */
export interface ReceiptsMeta {
  current: Current;
  next?: UidCursor;
}

/** The user or group that a message was sent to. */
export type Receiver = WrappedUser | WrappedGroup;

/** Whether it is a user or a group. */
export type ReceiverType = "group" | "user";

/** Refused rows. */
export interface RefusedListing {
  /** The rows, in the order of the list. */
  data: RefusedRow[];
}

/** A row that an import refused: its fields in `row`, or in `text` what stood there. */
export interface RefusedRow {
  /** Its place; `after` continues the list behind it. */
  place: number;
  /** The name of the file, within the source. */
  source: string;
  /** Its line in that file, or its place in it, from 1. */
  line: number;
  /** Why it was refused. */
  error: string;
  /** The row, as it was read. */
  row?: {
    [key: string]: unknown;
  };
  /** What stands there, if it is no row. */
  text?: string;
}

/** The push token to register: one of four fields, as the platform requires. */
export interface RegisterToken {
  platform: PushPlatform;
  /** An auth token of the user; by default that of the call. */
  authToken?: string;
  /** For `fcm_…`. */
  fcmToken?: string;
  /** For `apns_…_device`. */
  deviceToken?: string;
  /** For `apns_…_voip`. */
  voipToken?: string;
  subscription?: Subscription;
  /** No control characters and no /; neither . nor .. */
  providerId?: string;
  /** The name of a time zone in the IANA database. */
  timezone?: string;
}

/** A reminder that is to come. */
export interface Reminder {
  /** The id of the message. */
  messageId: string;
  /** When the user is reminded, in seconds since 1970. */
  at: number;
  /** When the reminder was set, in seconds since 1970. */
  createdAt: number;
}

export interface ReminderAnswer {
  data: Reminder;
}

/** A page of a list. */
export interface ReminderList {
  /** The rows, in the order of the list. */
  data: Reminder[];
  meta: PageMeta;
}

/** The data of `user_reminded`: the user wanted to be reminded of the message at `at`. */
export interface ReminderPayload {
  /** The time that was set, in seconds since 1970. */
  at: number;
  message: Message;
}

/** The friends to remove. */
export interface RemoveFriends {
  /** The uids of the friends. */
  friends?: string[];
}

/** The code of the error, by which programs go. */
export type RemoveReactionErrorCode = "AUTH_ERR_APIKEY_NOT_FOUND" | "AUTH_ERR_AUTH_TOKEN_NOT_FOUND" | "AUTH_ERR_EMPTY_APIKEY" | "AUTH_ERR_EMPTY_APPID" | "AUTH_ERR_INVALID_APPID" | "AUTH_ERR_NO_ACCESS" | "ERR_BAD_REQUEST" | "ERR_BLOCKED_RECEIVER" | "ERR_BLOCKED_SENDER" | "ERR_MESSAGE_ACTION_NOT_ALLOWED" | "ERR_MESSAGE_ID_NOT_FOUND" | "ERR_OPERATION_FAILED" | "ERR_PERMISSION_DENIED" | "ERR_TOO_MANY_REQUESTS" | "ERR_UID_NOT_FOUND";

export interface RemoveReactionParams {
  /** The id of a message. */
  id: string;
  /** An emoji, or any text of 1 to 100 characters. */
  reaction: string;
}

/** The code of the error, by which programs go. */
export type RenewTokenErrorCode = "AUTH_ERR_APIKEY_NOT_FOUND" | "AUTH_ERR_AUTH_TOKEN_NOT_FOUND" | "AUTH_ERR_EMPTY_APIKEY" | "AUTH_ERR_EMPTY_APPID" | "AUTH_ERR_INVALID_APPID" | "AUTH_ERR_NO_ACCESS" | "ERR_AUTHTOKEN_NOT_ACCESSIBLE" | "ERR_BAD_REQUEST" | "ERR_OPERATION_FAILED" | "ERR_TOO_MANY_REQUESTS" | "ERR_UID_NOT_FOUND";

/** The deliveries to make again: those created in a range of time, both ends included. */
export interface ReplayDeliveries {
  /** Deliveries of events from this time on, in seconds. */
  fromTimestamp: number;
  /** Deliveries of events up to this time, in seconds. */
  toTimestamp: number;
  /** Only those in this state. */
  state?: DeliveryState;
}

/** The number of replies to a message. */
export interface ReplyCount {
  /** The id of the message. */
  id: string;
  /** The number of replies to it. */
  count: number;
}

/** The numbers of replies, in the order of the given ids. */
export interface ReplyCounts {
  /** The rows, in the order of the list. */
  data: ReplyCount[];
}

/** A member with the scope that they have now, and the one that they had. */
export interface RescopedMember {
  /** The id of the user, unique in the app. */
  uid: string;
  /** The name that people see, up to 100 characters. */
  name: string;
  /** The URL of the user's picture; absent if they have none. */
  avatar?: string;
  status: UserStatus;
  /** The role of the user, which limits what they may do; `default` unless another was given. */
  role: string;
  /** When the user was last connected, in seconds since 1970; absent if they never were. */
  lastActiveAt?: number;
  scope: MemberScope;
  oldScope: MemberScope;
}

/** The data of `group_member_scope_changed`; `by` did it. */
export interface RescopedMemberPayload {
  group: PayloadGroup;
  /** The member whose scope changed, by uid. */
  members: {
    [key: string]: RescopedMember;
  };
  by: PayloadUser;
  message?: Message;
}

/** The way in which a conversation is reset. */
export interface ResetConversation {
  /** Accepted and ignored: the path names the conversation. */
  conversationWith?: string;
  /** Whether the acting user's own messages of the conversation are erased for all. */
  deleteMessagesPermanently?: boolean;
}

/** The settings to reset, by key. */
export interface ResetSettings {
  /** The keys of the settings. */
  keys: SettingKey[];
}

/** The features to restrict for a role. */
export interface RestrictFeatures {
  /** The keys of the features. */
  featuresToRestrict: string[];
}

/** A feature that is restricted for a role. */
export interface Restriction {
  /** What the feature is. */
  title: string;
  /** The same as `title`. */
  description: string;
  /** The key of the feature, with the prefix `u.`. */
  key: string;
  /** Where the feature is in the tree of features. */
  path: string;
  /** When it was created, in seconds since 1970. */
  createdAt: number;
}

/** A page of a list. */
export interface RestrictionList {
  /** The rows, in the order of the list. */
  data: Restriction[];
  meta: PageMeta;
}

/** How long a conversation keeps its messages, as it is in effect; 0 is for ever. */
export interface Retention {
  /** After so many days messages are removed; 0: never. */
  days: number;
  /** So many seconds after they were sent, or read, messages disappear; 0: never. */
  disappearAfter: number;
  disappearFrom: DisappearFrom;
  /** What of it was set of this conversation. */
  own: OwnRetention;
}

export interface RetentionAnswer {
  data: Retention;
}

/** A run through the conversations of an app, and what it has removed. */
export interface RetentionRun {
  /** When it began, in seconds since 1970. */
  beganAt: number;
  /** When it was done, in seconds since 1970. */
  endedAt: number;
  /** How long it took, with its rests. */
  seconds: number;
  /** How many messages it removed. */
  messages: number;
  /** How many files no message has since then. */
  files: number;
}

/** A page of a list. */
export interface RetentionRunList {
  /** The rows, in the order of the list. */
  data: RetentionRun[];
  meta: PageMeta;
}

/** How a review stands. */
export interface Review {
  /** `pending` until it is reviewed, then `approved` or `disapproved`. */
  status: string;
  /** When it was reviewed, in seconds since 1970. */
  reviewedAt?: number;
  /** Who reviewed it; `app_system` for the app itself, `operator:NAME` for an operator. */
  reviewedBy?: string;
}

export interface ReviewAnswer {
  data: Review;
}

/** The decision on a blocked message. */
export interface ReviewBlocked {
  /** Whether the message is delivered now, or stays hidden. */
  status?: "approved" | "disapproved" | "rejected";
  /** True, without a `status`, keeps the message hidden. */
  reviewed?: boolean;
}

/** The decision on a flagged message. */
export interface ReviewFlagged {
  /** Whether the message stays, or is hidden as deleted ones are. */
  status: "approved" | "disapproved";
}

/** A role. */
export interface Role {
  /** The id of the role. */
  role: string;
  /** The name that people see, up to 100 characters. */
  name: string;
  /** A text for people about it, up to 255 characters. */
  description?: string;
  /** The app's own JSON object, kept as given: up to 5,120 bytes. `@private` in that of a user is shown to the app and to that user only. */
  metadata?: {
    [key: string]: unknown;
  };
  settings?: RoleSettings;
  /** When it was created, in seconds since 1970. */
  createdAt: number;
  /** When it was last changed, in seconds since 1970; absent if it never was. */
  updatedAt?: number;
}

export interface RoleAnswer {
  data: Role;
}

/** A page of a list. */
export interface RoleList {
  /** The rows, in the order of the list. */
  data: Role[];
  meta: PageMeta;
}

/** The users that lists show, and the allowed receivers of messages: all, or friends only. */
export interface RoleSettings {
  listUsers?: Audience;
  sendMessagesTo?: Audience;
}

/** For how long the former secret signs, too. */
export interface RotateSecret {
  /** For how many seconds the former secret signs, too: 0 to 2,592,000, which is 30 days. The default is `86400`. */
  overlapSeconds?: number;
}

/** A rule. */
export interface Rule {
  /** The id of the rule. */
  id: string;
  /** The name of the rule. */
  name: string;
  /** What it is for; the sender of a message that it refuses is told so. */
  description?: string;
  /** Whether messages are judged by it. */
  enabled: boolean;
  /** To which messages it applies: to those that match all of them. */
  filters: Filter[];
  /** What it looks for; a message matches if any of them does. */
  conditions: Condition[];
  /** What is done with messages that match, and with their senders. */
  action: string[];
  /** Whether it is the newest revision, which is the one that holds. */
  active: boolean;
  /** When it was created, in seconds since 1970. */
  createdAt: number;
  /** When the revision was made, in seconds since 1970. */
  updatedAt: number;
  /** The id of the revision: those of the app and of the rule, and a number that counts up. */
  revisionId: string;
  /** Whether it is built in. */
  default?: boolean;
}

export interface RuleAnswer {
  data: Rule;
}

/** A page of a list of moderation. */
export interface RuleModerationListing {
  /** The rows, in the order of the list. */
  data: Rule[];
  meta: ModerationMeta;
}

/** A sample that will be delivered. */
export interface Sample {
  /** The id of the delivery. */
  id: string;
  /** What happened, by the name of the trigger. */
  trigger: string;
}

/** A custom provider; without Basic auth the credentials may be empty. */
export interface SaveCustom {
  /** Whether anything is sent with it. */
  isEnabled: boolean;
  /** An https URL. Private addresses, and http, only where the operator allows it. */
  webhookURL: string;
  /** Whether calls authenticate themselves with the username and the password of Basic auth. */
  useBasicAuth: boolean;
  /** For Basic auth; without colon and control characters. */
  basicAuthUsername: string;
  /** For Basic auth; without control characters. */
  basicAuthPassword: string;
}

/** The custom provider of e-mail; without Basic auth the credentials may be empty. */
export interface SaveCustomEmail {
  /** Whether anything is sent with it. */
  isEnabled: boolean;
  /** An https URL. Private addresses, and http, only where the operator allows it. */
  webhookURL: string;
  /** Whether calls authenticate themselves with the username and the password of Basic auth. */
  useBasicAuth: boolean;
  /** For Basic auth; without colon and control characters. */
  basicAuthUsername: string;
  /** For Basic auth; without control characters. */
  basicAuthPassword: string;
  /** Whether it is called only for users whose e-mail address is stored. */
  useStoredEmailID: boolean;
}

/** The custom provider of SMS; without Basic auth the credentials may be empty. */
export interface SaveCustomSms {
  /** Whether anything is sent with it. */
  isEnabled: boolean;
  /** An https URL. Private addresses, and http, only where the operator allows it. */
  webhookURL: string;
  /** Whether calls authenticate themselves with the username and the password of Basic auth. */
  useBasicAuth: boolean;
  /** For Basic auth; without colon and control characters. */
  basicAuthUsername: string;
  /** For Basic auth; without control characters. */
  basicAuthPassword: string;
  /** Whether it is called only for users whose phone number is stored. */
  useStoredPhNo: boolean;
}

/** The provider SendGrid. */
export interface SaveSendGrid {
  /** The key of SendGrid's interface; the mark `•••` unless secrets are asked for. */
  sendGridApiKey: string;
  /** Of a dynamic template. */
  sendGridTemplateID: string;
  /** The number of SendGrid's group of unsubscribed addresses, as text. */
  sendGridUnsubscribeGroupID: string;
  /** The name of the sender; no control characters. */
  senderName: string;
  /** An e-mail address. */
  senderEmail: string;
  /** Whether a reply to an e-mail becomes a message. */
  allowEmailReplies: boolean;
  /** An e-mail address. */
  senderEmailForReplies?: string;
  /** Whether anything is sent with it. The default is `true`. */
  isEnabled?: boolean;
}

/** The mail server; without a username it is used without a password. */
export interface SaveSmtp {
  /** A name or an address; private ones only where the operator allows it. */
  host: string;
  /** The port of the mail server, usually 465 for `tls` and 587 for `starttls`. */
  port: number;
  /** No control characters. */
  username?: string;
  /** No control characters. */
  password?: string;
  security: SmtpSecurity;
  /** The name of the sender; no control characters. */
  senderName: string;
  /** An e-mail address. */
  senderEmail: string;
  /** Whether anything is sent with it. The default is `true`. */
  isEnabled?: boolean;
}

/** The provider Twilio. */
export interface SaveTwilio {
  /** The id of the account at Twilio. */
  twilioAccountSID: string;
  /** The secret of the account at Twilio; the mark `•••` unless secrets are asked for. */
  twilioAuthToken: string;
  /** A phone number with its country code, such as +14155552671. */
  twilioSenderPhoneNumber: string;
  /** Whether anything is sent with it. The default is `true`. */
  isEnabled?: boolean;
}

/** The periods of the weekdays in which notifications are sent. */
export interface Schedule {
  monday?: Day;
  tuesday?: Day;
  wednesday?: Day;
  thursday?: Day;
  friday?: Day;
  saturday?: Day;
  sunday?: Day;
}

/** A message that is sent later. */
export interface Scheduled {
  /** The id by which it is shown, changed, sent and cancelled until it is sent. */
  scheduledId: string;
  /** When it is sent, in seconds since 1970; if it repeats, the next time. */
  sendAt: number;
  /** How it is repeated: an RRULE. */
  repeat?: string;
  /** The IANA name of the time zone in which it is repeated. */
  timeZone?: string;
  /** `failed` if it could not be sent, and is not tried again. */
  status: "failed" | "pending";
  message: ScheduledContent;
  failure?: ScheduledFailure;
  /** When it was created, in seconds since 1970. */
  createdAt: number;
  /** When it was last changed, in seconds since 1970; absent if it never was. */
  updatedAt: number;
}

export interface ScheduledAnswer {
  data: Scheduled;
}

/** A message as it will be sent. */
export interface ScheduledContent {
  /** The sender's own id of the message, up to 255 characters: a second send with it is answered with the first message. */
  muid?: string;
  /** The uid of who sent it; `app_system` if it was the app. */
  sender: string;
  receiverType: ReceiverType;
  /** The uid or the guid of who it is for, according to `receiverType`. */
  receiver: string;
  category: MessageCategory;
  /** The type of the message within its category; of a custom message any word. */
  type: string;
  /** The data as it was sent, with `entities {sender, receiver}`. */
  data: {
    [key: string]: unknown;
  };
  /** The id of the message in whose thread it is; absent outside of threads. */
  parentId?: string;
  /** The id of the message that this one quotes; it must be in the same conversation. */
  quotedMessageId?: string;
  /** Words of the app, up to 25 of 100 characters each, by which lists can be filtered. */
  tags?: string[];
}

/** The data of `scheduled_message_failed`. */
export interface ScheduledFailedPayload {
  /** The id of the scheduled message. */
  scheduledId: string;
  /** The uid of who sent it; `app_system` if it was the app. */
  sender: string;
  receiverType: ReceiverType;
  /** The uid or the guid of who it is for, according to `receiverType`. */
  receiver: string;
  /** When it should have been sent, in seconds since 1970. */
  sendAt: number;
  /** When it was tried, in seconds since 1970. */
  failedAt: number;
  error: SendFailure;
}

/** Why a message could not be sent at its time, the last time. */
export interface ScheduledFailure {
  /** The code of the error that a send would get. */
  code: string;
  /** A text for people about the outcome; programs go by the other fields. */
  message: string;
  /** When it was tried last, in seconds since 1970. */
  failedAt: number;
}

/** A page of a list. */
export interface ScheduledList {
  /** The rows, in the order of the list. */
  data: Scheduled[];
  meta: PageMeta;
}

/** What a webhook is sent for the trigger `scheduled_message_failed`. */
export interface ScheduledMessageFailedWebhook {
  /** The trigger: what happened. */
  trigger: "scheduled_message_failed";
  data: ScheduledFailedPayload;
  /** The id of the app. */
  appId: string;
  /** The region of the app. */
  region: string;
  /** The same in every attempt: a repeated call has a known id. */
  id: string;
  /** When it happened, in seconds since 1970. */
  sentAt: number;
  /** The id of the webhook. */
  webhook: string;
}

/** A calendar in which users choose an appointment. */
export type Scheduler = {
  /** The title that people see. */
  title?: string;
  /** The URL of the picture of who is visited. */
  avatarUrl?: string;
  /** A number of minutes, also as text. */
  bufferTime?: number | string;
  /** A number of minutes, also as text. */
  duration?: number | string;
  /** The URL of a calendar in the format iCalendar, whose times are not free. */
  icsFileUrl?: string;
  /** An IANA time zone, such as Europe/Berlin. */
  timezoneCode?: string;
  availability?: Availability;
  /** A date in ISO 8601, such as 2026-01-31. */
  dateRangeStart?: string;
  /** A date in ISO 8601, such as 2026-01-31. */
  dateRangeEnd?: string;
  /** The text that replaces the calendar when an appointment is made. */
  goalCompletionText?: string;
  scheduleElement?: ButtonElement;
} & {
  [key: string]: unknown;
};

/** A calendar in which users choose an appointment. */
export interface SchedulerMessage {
  /** The id. */
  id: string;
  /** The sender's own id of the message, up to 255 characters: a second send with it is answered with the first message. */
  muid?: string;
  /** The id of the conversation: `group_<guid>`, or `<uid>_user_<uid>` of two users in their order. */
  conversationId: string;
  /** The uid of who sent it; `app_system` if it was the app. */
  sender: string;
  receiverType: ReceiverType;
  /** The uid or the guid of who it is for, according to `receiverType`. */
  receiver: string;
  /** The category of the message. */
  category: "interactive";
  /** The type of the message within its category; of a custom message any word. */
  type: "scheduler";
  data: StoredSchedulerData;
  /** When it was sent, in seconds since 1970. */
  sentAt: number;
  /** When it was last changed, in seconds since 1970; absent if it never was. */
  updatedAt: number;
  /** The id of the message in whose thread it is; absent outside of threads. */
  parentId?: string;
  /** When the receiver got it, in seconds since 1970; absent before. */
  deliveredAt?: number;
  /** When the receiver read it, in seconds since 1970; absent before. */
  readAt?: number;
  /** When it was last edited, in seconds since 1970; absent unless it was. */
  editedAt?: number;
  /** The uid of who edited it last; `app_system` if the app did. */
  editedBy?: string;
  /** When it was deleted, in seconds since 1970; absent unless it was. */
  deletedAt?: number;
  /** The uid of who deleted it; `app_system` if the app did. */
  deletedBy?: string;
  /** Words of the app, up to 25 of 100 characters each, by which lists can be filtered. */
  tags?: string[];
  /** Whether the message moves its conversation up and is counted as unread there; it does if this is absent. */
  updateConversation?: boolean;
  /** Whether people are notified of it. Absent: of a text or media message yes, of a custom one no. */
  sendNotification?: boolean;
  /** The text by which lists of conversations show the message in place of its own, up to 255 characters. */
  conversationText?: string;
  /** When it was pinned, in seconds since 1970; absent unless it is. */
  pinnedAt?: number;
  /** When the acting user saved it, in seconds since 1970; absent unless they did. */
  savedAt?: number;
  quotedMessage?: Message;
  parentMessage?: Message;
}

/** The data of a message of the category `interactive` and the type `scheduler`. */
export type SchedulerMessageData = {
  interactionGoal?: InteractionGoal;
  /** Whether the sender may use it, too. */
  allowSenderInteraction?: boolean;
  /** An object of your own. */
  metadata?: {
    [key: string]: unknown;
  };
  interactiveData: Scheduler;
} & {
  [key: string]: unknown;
};

/** The secret of a webhook. */
export interface Secret {
  /** The secret, `whsec_` and base64, as the Standard Webhooks specification has it. */
  secret: string;
}

export interface SecretAnswer {
  data: Secret;
}

/** A card to a user or a group. */
export interface SendCardMessage {
  /** A uid or guid. */
  receiver: string;
  receiverType: ReceiverType;
  /** The category. */
  category: "interactive";
  /** The type. */
  type: "card";
  data: CardMessageData;
  /** Words of the app, up to 25 of 100 characters each, by which lists can be filtered. */
  tags?: string[];
  /** The sender's own id of the message, up to 255 characters: a second send with it is answered with the first message. */
  muid?: string;
  /** The id of the message that this one quotes; it must be in the same conversation. */
  quotedMessageId?: number | string;
  /** Whether the message moves its conversation up and is counted as unread there; it does if this is absent. */
  updateConversation?: boolean;
  /** Whether people are notified of it. Absent: of a text or media message yes, of a custom one no. */
  sendNotification?: boolean;
  /** The text by which lists of conversations show the message in place of its own, up to 255 characters. */
  conversationText?: string;
  /** When it is sent, in seconds since 1970; now if it is absent. */
  sendAt?: number;
  /** How a bot, or the app, repeats it from `sendAt` on: an RRULE with an end, such as `FREQ=WEEKLY;BYDAY=MO;COUNT=10`. */
  repeat?: string;
  /** The IANA name of the time zone in which it is repeated; UTC if it is absent. */
  timeZone?: string;
}

/** An interactive message that the client defines, to a user or a group. */
export interface SendCustomInteractive {
  /** A uid or guid. */
  receiver: string;
  receiverType: ReceiverType;
  /** The category. */
  category: "interactive";
  /** The type. */
  type: "customInteractive";
  data: CustomInteractiveMessageData;
  /** Words of the app, up to 25 of 100 characters each, by which lists can be filtered. */
  tags?: string[];
  /** The sender's own id of the message, up to 255 characters: a second send with it is answered with the first message. */
  muid?: string;
  /** The id of the message that this one quotes; it must be in the same conversation. */
  quotedMessageId?: number | string;
  /** Whether the message moves its conversation up and is counted as unread there; it does if this is absent. */
  updateConversation?: boolean;
  /** Whether people are notified of it. Absent: of a text or media message yes, of a custom one no. */
  sendNotification?: boolean;
  /** The text by which lists of conversations show the message in place of its own, up to 255 characters. */
  conversationText?: string;
  /** When it is sent, in seconds since 1970; now if it is absent. */
  sendAt?: number;
  /** How a bot, or the app, repeats it from `sendAt` on: an RRULE with an end, such as `FREQ=WEEKLY;BYDAY=MO;COUNT=10`. */
  repeat?: string;
  /** The IANA name of the time zone in which it is repeated; UTC if it is absent. */
  timeZone?: string;
}

/** An object of the app's own to a user or a group. */
export interface SendCustomMessage {
  /** A uid or guid. */
  receiver: string;
  receiverType: ReceiverType;
  /** The category. */
  category: "custom";
  /** Any word. */
  type: string;
  data: CustomMessageData;
  /** Words of the app, up to 25 of 100 characters each, by which lists can be filtered. */
  tags?: string[];
  /** The sender's own id of the message, up to 255 characters: a second send with it is answered with the first message. */
  muid?: string;
  /** The id of the message that this one quotes; it must be in the same conversation. */
  quotedMessageId?: number | string;
  /** Whether the message moves its conversation up and is counted as unread there; it does if this is absent. */
  updateConversation?: boolean;
  /** Whether people are notified of it. Absent: of a text or media message yes, of a custom one no. */
  sendNotification?: boolean;
  /** The text by which lists of conversations show the message in place of its own, up to 255 characters. */
  conversationText?: string;
  /** When it is sent, in seconds since 1970; now if it is absent. */
  sendAt?: number;
  /** How a bot, or the app, repeats it from `sendAt` on: an RRULE with an end, such as `FREQ=WEEKLY;BYDAY=MO;COUNT=10`. */
  repeat?: string;
  /** The IANA name of the time zone in which it is repeated; UTC if it is absent. */
  timeZone?: string;
}

/** Why a message was not sent: the code and the text of the error that a send would get. */
export interface SendFailure {
  /** The code of the error that a send would get. */
  code: string;
  /** A text for people about the outcome; programs go by the other fields. */
  message: string;
}

/** A form to a user or a group. */
export interface SendFormMessage {
  /** A uid or guid. */
  receiver: string;
  receiverType: ReceiverType;
  /** The category. */
  category: "interactive";
  /** The type. */
  type: "form";
  data: FormMessageData;
  /** Words of the app, up to 25 of 100 characters each, by which lists can be filtered. */
  tags?: string[];
  /** The sender's own id of the message, up to 255 characters: a second send with it is answered with the first message. */
  muid?: string;
  /** The id of the message that this one quotes; it must be in the same conversation. */
  quotedMessageId?: number | string;
  /** Whether the message moves its conversation up and is counted as unread there; it does if this is absent. */
  updateConversation?: boolean;
  /** Whether people are notified of it. Absent: of a text or media message yes, of a custom one no. */
  sendNotification?: boolean;
  /** The text by which lists of conversations show the message in place of its own, up to 255 characters. */
  conversationText?: string;
  /** When it is sent, in seconds since 1970; now if it is absent. */
  sendAt?: number;
  /** How a bot, or the app, repeats it from `sendAt` on: an RRULE with an end, such as `FREQ=WEEKLY;BYDAY=MO;COUNT=10`. */
  repeat?: string;
  /** The IANA name of the time zone in which it is repeated; UTC if it is absent. */
  timeZone?: string;
}

/** The provider SendGrid; empty if the app has none. */
export interface SendGrid {
  /** The key of SendGrid's interface; the mark `•••` unless secrets are asked for. */
  sendGridApiKey?: string;
  /** The id of a dynamic template of SendGrid. */
  sendGridTemplateID?: string;
  /** The number of SendGrid's group of unsubscribed addresses, as text. */
  sendGridUnsubscribeGroupID?: string;
  /** The name from which mails come. */
  senderName?: string;
  /** The address from which mails come. */
  senderEmail?: string;
  /** Whether a reply to a mail becomes a message. */
  allowEmailReplies?: boolean;
  /** The address to which replies go, with a part added for each mail. */
  senderEmailForReplies?: string;
  /** Whether it is used; if not, nothing is sent with it. */
  isEnabled?: boolean;
  /** The URL for SendGrid's Inbound Parse. Who knows it can send replies. */
  repliesWebhook?: string;
}

export interface SendGridAnswer {
  data: SendGrid;
}

/** The beginning of a text that grows, to a user or a group. */
export interface SendGrowingMessage {
  /** A uid or guid. */
  receiver: string;
  receiverType: ReceiverType;
  /** The category. */
  category?: "message";
  /** The type of the message within its category; of a custom message any word. */
  type?: "text";
  data?: GrowingMessageData;
  /** Words of the app, up to 25 of 100 characters each, by which lists can be filtered. */
  tags?: string[];
  /** The sender's own id of the message, up to 255 characters: a second send with it is answered with the first message. */
  muid?: string;
  /** The id of the message that this one quotes; it must be in the same conversation. */
  quotedMessageId?: number | string;
  /** Whether the message moves its conversation up and is counted as unread there; it does if this is absent. */
  updateConversation?: boolean;
  /** Whether people are notified of it. Absent: of a text or media message yes, of a custom one no. */
  sendNotification?: boolean;
  /** The text by which lists of conversations show the message in place of its own, up to 255 characters. */
  conversationText?: string;
  /**
   * It grows.
   * @constant
   */
  growing: true;
  /** Of a message that grows: webhooks are told only at its end. */
  notify?: "finished";
}

/** The beginning of a reply that grows; its receiver need not be named. */
export interface SendGrowingReply {
  /** A uid or guid. */
  receiver?: string;
  receiverType?: ReceiverType;
  /** The kind of message; `message` if it is absent. */
  category?: SentCategory;
  /** Of a message: `text` (the default), `image`, `file`, `audio`, `video`. Of a custom message: any. Of an interactive one: `form`, `card`, `scheduler`, `customInteractive`, `poll`. */
  type?: string;
  data?: MessageData;
  /** Words of the app, up to 25 of 100 characters each, by which lists can be filtered. */
  tags?: string[];
  /** The sender's own id of the message, up to 255 characters: a second send with it is answered with the first message. */
  muid?: string;
  /** The id of the message that this one quotes; it must be in the same conversation. */
  quotedMessageId?: number | string;
  /** Whether the message moves its conversation up and is counted as unread there; it does if this is absent. */
  updateConversation?: boolean;
  /** Whether people are notified of it. Absent: of a text or media message yes, of a custom one no. */
  sendNotification?: boolean;
  /** The text by which lists of conversations show the message in place of its own, up to 255 characters. */
  conversationText?: string;
  /**
   * It grows.
   * @constant
   */
  growing: true;
  /** Of a message that grows: webhooks are told only at its end. */
  notify?: "finished";
}

/** Files that have URLs to a user or a group; to upload files, send a form. */
export interface SendMediaMessage {
  /** A uid or guid. */
  receiver: string;
  receiverType: ReceiverType;
  /** The category. */
  category?: "message";
  /** What the files are. */
  type: "audio" | "file" | "image" | "video";
  data: MediaMessageData;
  /** Words of the app, up to 25 of 100 characters each, by which lists can be filtered. */
  tags?: string[];
  /** The sender's own id of the message, up to 255 characters: a second send with it is answered with the first message. */
  muid?: string;
  /** The id of the message that this one quotes; it must be in the same conversation. */
  quotedMessageId?: number | string;
  /** Whether the message moves its conversation up and is counted as unread there; it does if this is absent. */
  updateConversation?: boolean;
  /** Whether people are notified of it. Absent: of a text or media message yes, of a custom one no. */
  sendNotification?: boolean;
  /** The text by which lists of conversations show the message in place of its own, up to 255 characters. */
  conversationText?: string;
  /** When it is sent, in seconds since 1970; now if it is absent. */
  sendAt?: number;
  /** How a bot, or the app, repeats it from `sendAt` on: an RRULE with an end, such as `FREQ=WEEKLY;BYDAY=MO;COUNT=10`. */
  repeat?: string;
  /** The IANA name of the time zone in which it is repeated; UTC if it is absent. */
  timeZone?: string;
}

/** A message to one receiver, or to several. */
export type SendMessageBody = SendTextMessage | SendGrowingMessage | SendMediaMessage | SendCustomMessage | SendFormMessage | SendCardMessage | SendSchedulerMessage | SendCustomInteractive | SendPoll | SendMessageToMany;

/** The code of the error, by which programs go. */
export type SendMessageErrorCode = "AUTH_ERR_APIKEY_NOT_FOUND" | "AUTH_ERR_AUTH_TOKEN_NOT_FOUND" | "AUTH_ERR_EMPTY_APIKEY" | "AUTH_ERR_EMPTY_APPID" | "AUTH_ERR_INVALID_APPID" | "AUTH_ERR_NO_ACCESS" | "ERR_BAD_REQUEST" | "ERR_BANNED_GROUPMEMBER" | "ERR_BLOCKED_BY_EXTENSION" | "ERR_BLOCKED_BY_WEBHOOK" | "ERR_BLOCKED_RECEIVER" | "ERR_BLOCKED_SENDER" | "ERR_EMPTY_CUSTOM_DATA" | "ERR_EMPTY_MESSAGE_CATEGORY" | "ERR_EMPTY_MESSAGE_FILE" | "ERR_EMPTY_MESSAGE_TEXT" | "ERR_EMPTY_MESSAGE_TYPE" | "ERR_EMPTY_RECEIVER" | "ERR_FILE_NOT_FOUND" | "ERR_GROUP_NOT_JOINED" | "ERR_GUID_NOT_FOUND" | "ERR_INVALID_CUSTOM_DATA" | "ERR_INVALID_MEDIA_MESSAGE" | "ERR_INVALID_MESSAGE_CATEGORY" | "ERR_INVALID_MESSAGE_DATA" | "ERR_INVALID_MESSAGE_TEXT" | "ERR_INVALID_MESSAGE_TYPE" | "ERR_INVALID_METADATA" | "ERR_INVALID_RECEIVER_TYPE" | "ERR_LIMIT_EXCEEDED" | "ERR_MESSAGE_ACTION_NOT_ALLOWED" | "ERR_MESSAGE_ID_NOT_FOUND" | "ERR_MESSAGE_THREAD_NESTING" | "ERR_OPERATION_FAILED" | "ERR_PERMISSION_DENIED" | "ERR_TOO_MANY_REQUESTS" | "ERR_UID_NOT_FOUND" | "ERR_WRONG_MESSAGE_THREAD";

/** A message to a user or a group. Each field is a part of its own, with its files. */
export interface SendMessageForm {
  /** A uid or guid. */
  receiver: string;
  receiverType: ReceiverType;
  /** The kind of message; `message` if it is absent. */
  category?: SentCategory;
  /** Of a message: `text` (the default), `image`, `file`, `audio`, `video`. Of a custom message: any. Of an interactive one: `form`, `card`, `scheduler`, `customInteractive`, `poll`. */
  type?: string;
  data?: MessageData;
  /** Words of the app, up to 25 of 100 characters each, by which lists can be filtered. */
  tags?: string[];
  /** The sender's own id of the message, up to 255 characters: a second send with it is answered with the first message. */
  muid?: string;
  /** The id of the message that this one quotes; it must be in the same conversation. */
  quotedMessageId?: number | string;
  /** Whether the message moves its conversation up and is counted as unread there; it does if this is absent. */
  updateConversation?: boolean;
  /** Whether people are notified of it. Absent: of a text or media message yes, of a custom one no. */
  sendNotification?: boolean;
  /** The text by which lists of conversations show the message in place of its own, up to 255 characters. */
  conversationText?: string;
  /**
   * It does not grow.
   * @constant
   */
  growing?: false;
  /** When it is sent, in seconds since 1970; now if it is absent. */
  sendAt?: number;
  /** How a bot, or the app, repeats it from `sendAt` on: an RRULE with an end, such as `FREQ=WEEKLY;BYDAY=MO;COUNT=10`. */
  repeat?: string;
  /** The IANA name of the time zone in which it is repeated; UTC if it is absent. */
  timeZone?: string;
  /** The files, each in its own part, of at most 104,857,600 bytes together. */
  file?: Blob[];
}

export type SendMessageParams = SendMessageBody | ({
  /** The id of a message. */
  parentId: string;
} & SendReplyBody);

/** A message to several users and groups; each gets its own. */
export interface SendMessageToMany {
  /** The kind of message; `message` if it is absent. */
  category?: SentCategory;
  /** Of a message: `text` (the default), `image`, `file`, `audio`, `video`. Of a custom message: any. Of an interactive one: `form`, `card`, `scheduler`, `customInteractive`, `poll`. */
  type?: string;
  data: MessageData;
  /** Words of the app, up to 25 of 100 characters each, by which lists can be filtered. */
  tags?: string[];
  /** The sender's own id of the message, up to 255 characters; each receiver's message has one that is made of it. */
  muid?: string;
  /** The id of the message that this one quotes; it must be in the same conversation. */
  quotedMessageId?: number | string;
  multipleReceivers: MultipleReceivers;
  /** Whether the message moves its conversation up and is counted as unread there; it does if this is absent. */
  updateConversation?: boolean;
  /** Whether people are notified of it. Absent: of a text or media message yes, of a custom one no. */
  sendNotification?: boolean;
  /** The text by which lists of conversations show the message in place of its own, up to 255 characters. */
  conversationText?: string;
}

/** A poll to a user or a group. */
export interface SendPoll {
  /** A uid or guid. */
  receiver: string;
  receiverType: ReceiverType;
  /** The category. */
  category: "interactive";
  /** The type. */
  type: "poll";
  data: PollMessageData;
  /** Words of the app, up to 25 of 100 characters each, by which lists can be filtered. */
  tags?: string[];
  /** The sender's own id of the message, up to 255 characters: a second send with it is answered with the first message. */
  muid?: string;
  /** The id of the message that this one quotes; it must be in the same conversation. */
  quotedMessageId?: number | string;
  /** Whether the message moves its conversation up and is counted as unread there; it does if this is absent. */
  updateConversation?: boolean;
  /** Whether people are notified of it. Absent: of a text or media message yes, of a custom one no. */
  sendNotification?: boolean;
  /** The text by which lists of conversations show the message in place of its own, up to 255 characters. */
  conversationText?: string;
  /** When it is sent, in seconds since 1970; now if it is absent. */
  sendAt?: number;
  /** How a bot, or the app, repeats it from `sendAt` on: an RRULE with an end, such as `FREQ=WEEKLY;BYDAY=MO;COUNT=10`. */
  repeat?: string;
  /** The IANA name of the time zone in which it is repeated; UTC if it is absent. */
  timeZone?: string;
}

/** A reply in the thread of a message; its receiver need not be named. */
export interface SendReply {
  /** A uid or guid. */
  receiver?: string;
  receiverType?: ReceiverType;
  /** The kind of message; `message` if it is absent. */
  category?: SentCategory;
  /** Of a message: `text` (the default), `image`, `file`, `audio`, `video`. Of a custom message: any. Of an interactive one: `form`, `card`, `scheduler`, `customInteractive`, `poll`. */
  type?: string;
  data: MessageData;
  /** Words of the app, up to 25 of 100 characters each, by which lists can be filtered. */
  tags?: string[];
  /** The sender's own id of the message, up to 255 characters: a second send with it is answered with the first message. */
  muid?: string;
  /** The id of the message that this one quotes; it must be in the same conversation. */
  quotedMessageId?: number | string;
  /** Whether the message moves its conversation up and is counted as unread there; it does if this is absent. */
  updateConversation?: boolean;
  /** Whether people are notified of it. Absent: of a text or media message yes, of a custom one no. */
  sendNotification?: boolean;
  /** The text by which lists of conversations show the message in place of its own, up to 255 characters. */
  conversationText?: string;
  /**
   * It does not grow.
   * @constant
   */
  growing?: false;
  /** When it is sent, in seconds since 1970; now if it is absent. */
  sendAt?: number;
  /** How a bot, or the app, repeats it from `sendAt` on: an RRULE with an end, such as `FREQ=WEEKLY;BYDAY=MO;COUNT=10`. */
  repeat?: string;
  /** The IANA name of the time zone in which it is repeated; UTC if it is absent. */
  timeZone?: string;
}

/** A reply to send; its receiver is that of the message that it replies to. */
export type SendReplyBody = SendReply | SendGrowingReply;

/** A reply in the thread of a message; its receiver need not be named. Each field is a part of its own, with its files. */
export interface SendReplyForm {
  /** A uid or guid. */
  receiver?: string;
  receiverType?: ReceiverType;
  /** The kind of message; `message` if it is absent. */
  category?: SentCategory;
  /** Of a message: `text` (the default), `image`, `file`, `audio`, `video`. Of a custom message: any. Of an interactive one: `form`, `card`, `scheduler`, `customInteractive`, `poll`. */
  type?: string;
  data?: MessageData;
  /** Words of the app, up to 25 of 100 characters each, by which lists can be filtered. */
  tags?: string[];
  /** The sender's own id of the message, up to 255 characters: a second send with it is answered with the first message. */
  muid?: string;
  /** The id of the message that this one quotes; it must be in the same conversation. */
  quotedMessageId?: number | string;
  /** Whether the message moves its conversation up and is counted as unread there; it does if this is absent. */
  updateConversation?: boolean;
  /** Whether people are notified of it. Absent: of a text or media message yes, of a custom one no. */
  sendNotification?: boolean;
  /** The text by which lists of conversations show the message in place of its own, up to 255 characters. */
  conversationText?: string;
  /**
   * It does not grow.
   * @constant
   */
  growing?: false;
  /** When it is sent, in seconds since 1970; now if it is absent. */
  sendAt?: number;
  /** How a bot, or the app, repeats it from `sendAt` on: an RRULE with an end, such as `FREQ=WEEKLY;BYDAY=MO;COUNT=10`. */
  repeat?: string;
  /** The IANA name of the time zone in which it is repeated; UTC if it is absent. */
  timeZone?: string;
  /** The files, each in its own part, of at most 104,857,600 bytes together. */
  file?: Blob[];
}

/** A calendar to a user or a group. */
export interface SendSchedulerMessage {
  /** A uid or guid. */
  receiver: string;
  receiverType: ReceiverType;
  /** The category. */
  category: "interactive";
  /** The type. */
  type: "scheduler";
  data: SchedulerMessageData;
  /** Words of the app, up to 25 of 100 characters each, by which lists can be filtered. */
  tags?: string[];
  /** The sender's own id of the message, up to 255 characters: a second send with it is answered with the first message. */
  muid?: string;
  /** The id of the message that this one quotes; it must be in the same conversation. */
  quotedMessageId?: number | string;
  /** Whether the message moves its conversation up and is counted as unread there; it does if this is absent. */
  updateConversation?: boolean;
  /** Whether people are notified of it. Absent: of a text or media message yes, of a custom one no. */
  sendNotification?: boolean;
  /** The text by which lists of conversations show the message in place of its own, up to 255 characters. */
  conversationText?: string;
  /** When it is sent, in seconds since 1970; now if it is absent. */
  sendAt?: number;
  /** How a bot, or the app, repeats it from `sendAt` on: an RRULE with an end, such as `FREQ=WEEKLY;BYDAY=MO;COUNT=10`. */
  repeat?: string;
  /** The IANA name of the time zone in which it is repeated; UTC if it is absent. */
  timeZone?: string;
}

/** A text to a user or a group. */
export interface SendTextMessage {
  /** A uid or guid. */
  receiver: string;
  receiverType: ReceiverType;
  /** The category. */
  category?: "message";
  /** The type of the message within its category; of a custom message any word. */
  type?: "text";
  data: TextMessageData;
  /** Words of the app, up to 25 of 100 characters each, by which lists can be filtered. */
  tags?: string[];
  /** The sender's own id of the message, up to 255 characters: a second send with it is answered with the first message. */
  muid?: string;
  /** The id of the message that this one quotes; it must be in the same conversation. */
  quotedMessageId?: number | string;
  /** Whether the message moves its conversation up and is counted as unread there; it does if this is absent. */
  updateConversation?: boolean;
  /** Whether people are notified of it. Absent: of a text or media message yes, of a custom one no. */
  sendNotification?: boolean;
  /** The text by which lists of conversations show the message in place of its own, up to 255 characters. */
  conversationText?: string;
  /**
   * It does not grow.
   * @constant
   */
  growing?: false;
  /** When it is sent, in seconds since 1970; now if it is absent. */
  sendAt?: number;
  /** How a bot, or the app, repeats it from `sendAt` on: an RRULE with an end, such as `FREQ=WEEKLY;BYDAY=MO;COUNT=10`. */
  repeat?: string;
  /** The IANA name of the time zone in which it is repeated; UTC if it is absent. */
  timeZone?: string;
}

/** The code of the error, by which programs go. */
export type SendTransientErrorCode = "AUTH_ERR_APIKEY_NOT_FOUND" | "AUTH_ERR_AUTH_TOKEN_NOT_FOUND" | "AUTH_ERR_EMPTY_APIKEY" | "AUTH_ERR_EMPTY_APPID" | "AUTH_ERR_INVALID_APPID" | "AUTH_ERR_NO_ACCESS" | "ERR_BAD_REQUEST" | "ERR_BANNED_GROUPMEMBER" | "ERR_BLOCKED_BY_EXTENSION" | "ERR_BLOCKED_BY_WEBHOOK" | "ERR_BLOCKED_RECEIVER" | "ERR_BLOCKED_SENDER" | "ERR_GROUP_NOT_JOINED" | "ERR_GUID_NOT_FOUND" | "ERR_OPERATION_FAILED" | "ERR_PERMISSION_DENIED" | "ERR_TOO_MANY_REQUESTS" | "ERR_UID_NOT_FOUND";

/** The category of a message that clients send. */
export type SentCategory = "custom" | "interactive" | "message";

/** The message; or, if it was sent to several receivers, the outcome for each of them; or, with `sendAt`, what is kept until it is sent. */
export type SentMessage = Message | SentToMany | Scheduled;

export interface SentMessageAnswer {
  data: SentMessage;
}

/** The message; or, with `sendAt`, what is kept until it is sent. */
export type SentReply = Message | Scheduled;

export interface SentReplyAnswer {
  data: SentReply;
}

/** The outcome of a message to one of several receivers. */
export interface SentTo {
  /** Whether this receiver was sent the message. */
  success: boolean;
  data?: Message;
  error?: Problem;
}

/** The outcomes of a message to several receivers, by their ids; it has no `id`. */
export interface SentToMany {
  /** The outcomes, by uid. */
  users?: {
    [key: string]: SentTo;
  };
  /** The outcomes, by guid. */
  groups?: {
    [key: string]: SentTo;
  };
}

/** Fields of a Google service account, under Google's names; others are ignored. */
export interface ServiceAccount {
  /** The id of the project at Google. */
  project_id?: string;
  /** The address of the service account. */
  client_email?: string;
  /** A private key as PEM. */
  private_key?: string;
  /** The id of the private key. */
  private_key_id?: string;
}

/** A session: an auth token that has not ended, without its text. */
export interface Session {
  /** The id. */
  id: string;
  /** Whether the call is made with the token of this session. */
  isCurrent: boolean;
  /** When it was created, in seconds since 1970. */
  createdAt: number;
  /** What the session was made for, as `device` has it when its token is created; absent if none was given. */
  device?: string;
  /** What the client runs on, such as `ios` or `web`; the client says it. */
  platform?: string;
  /** The program that uses the token, as the client says. */
  userAgent?: string;
  /** When it ends by itself, in seconds since 1970; absent if it does not. */
  expiresAt?: number;
}

/** A page of a list. */
export interface SessionList {
  /** The rows, in the order of the list. */
  data: Session[];
  meta: PageMeta;
}

/** An event that a part of the server could not process. */
export interface SetAside {
  /** The event's id. */
  id: string;
  /** Its name, such as `message_sent`. */
  event: string;
  /** Which part failed: `webhooks`, `notifications`, `search`, `metrics`, `sockets` or `change_feed` (`GET /events`). */
  consumer: string;
  /** The kind of the defect, and its place in the server. */
  reason: string;
  /** When the server gave the event up, in seconds since 1970. */
  setAsideAt: number;
}

/** A page of a list. */
export interface SetAsideList {
  /** The rows, in the order of the list. */
  data: SetAside[];
  meta: PageMeta;
}

/** Whether a legal hold is set, or lifted. */
export interface SetHold {
  /** True sets the hold, false lifts it. */
  hold: boolean;
}

/** The identity provider to set up, with `jwksUrl` or with `secret`. */
export interface SetIdentityProvider {
  /** What the claim `iss` of a JWT must be, character by character. */
  issuer: string;
  /** What the claim `aud` of a JWT must be, or have in its list. */
  audience: string;
  /** An absolute http or https URL. */
  jwksUrl?: string;
  /** A secret of 32 bytes or more, instead of `jwksUrl`, with which the JWTs are signed (HS256, HS384, HS512); `•••` keeps the stored one. */
  secret?: string;
  /** The claim that has the uid of the user. The default is `sub`. */
  uidClaim?: string;
  /** Whether a user who does not exist is created when their first JWT is seen, with the claim `name` as name. */
  createUsers?: boolean;
}

/** The permissions to set: a word or a list of words, by the id of the permission. */
export interface SetPermissions {
  /** The values to set, by id of the permission. */
  permissions: {
    [key: string]: string | string[];
  };
}

/** When to remind the user, up to a year ahead. */
export interface SetReminder {
  /** Seconds since 1970. */
  at: number;
}

/** What is to be set; what is not given stays, and null is as the app's settings have it. */
export interface SetRetention {
  /** After so many days messages are removed; 0: never. */
  days?: number;
  /** So many seconds after they were sent, or read, messages disappear; 0: never. */
  disappearAfter?: number;
  disappearFrom?: DisappearFrom;
}

/** The settings to change: their values by key. */
export interface SetSettings {
  settings: Settings;
}

/** A setting with its value and its default. */
export interface Setting {
  /** The key of the setting. */
  key: SettingKey;
  /** The value in effect. */
  value: boolean | number | string;
  /** The value while none is set. */
  default: boolean | number | string;
}

export type SettingKey = "authTokens.defaultSeconds" | "authTokens.longestSeconds" | "core.conversations.updateOnCallActivity" | "core.conversations.updateOnGroupActions" | "core.conversations.updateOnMessageActions" | "core.conversations.updateOnReplies" | "core.notifications.push.enabled" | "core.threads.updateOnMessageActions" | "groups.historyForNewMembers" | "limits.apiKeys" | "limits.authTokensPerUser" | "limits.bots" | "limits.callsPerMinute" | "limits.coreCallsPerMinute" | "limits.drafts" | "limits.emailGroupMembers" | "limits.friendsPerUser" | "limits.groupMembers" | "limits.groupReceiptOnline" | "limits.groupUpdateMembers" | "limits.groupsPerUser" | "limits.growingPerUser" | "limits.growingSilence" | "limits.growingText" | "limits.importCallsPerMinute" | "limits.pinnedConversations" | "limits.pinnedMessages" | "limits.presenceOnline" | "limits.pushGroupMembers" | "limits.reminders" | "limits.roles" | "limits.savedMessages" | "limits.scheduledMessages" | "limits.smsGroupMembers" | "limits.typingOnline" | "limits.userAppendsPerMinute" | "limits.userCallsPerMinute" | "limits.userSendsPerMinute" | "messages.historyForParticipants" | "moderation.customEngine.confidence" | "moderation.customEngine.onFailure" | "moderation.customEngine.secret" | "moderation.customEngine.url" | "notifications.push.skipRead" | "retention.days" | "retention.disappearAfter" | "retention.disappearFrom" | "retention.participantsMaySet" | "webhooks.beforeMessage.refuseOnFailure" | "webhooks.beforeMessage.transient";

/** A page of a list. */
export interface SettingList {
  /** The rows, in the order of the list. */
  data: Setting[];
  meta: PageMeta;
}

/** Settings by key; those that are absent keep their values. */
export interface Settings {
  /** Whether joining, leaving and other member actions move a conversation up and become its last message. */
  "core.conversations.updateOnGroupActions"?: boolean;
  /** The same for replies in threads. */
  "core.conversations.updateOnReplies"?: boolean;
  /** The same for the action messages of edits and deletions. */
  "core.conversations.updateOnMessageActions"?: boolean;
  /** The same for calls, which do not exist yet. */
  "core.conversations.updateOnCallActivity"?: boolean;
  /** Whether edits and deletions in a thread move its conversation up. */
  "core.threads.updateOnMessageActions"?: boolean;
  /** Has no effect: what is sent depends on the providers. */
  "core.notifications.push.enabled"?: boolean;
  /** Whether new members of a group see earlier messages. */
  "groups.historyForNewMembers"?: boolean;
  /** Whether all participants see what an edited message was before; if not, the app and moderators of groups do. */
  "messages.historyForParticipants"?: boolean;
  /** Whether a message is refused when a webhook with the trigger `before_message` fails. */
  "webhooks.beforeMessage.refuseOnFailure"?: boolean;
  /** Whether webhooks with the trigger `before_message` decide on transient messages, too. */
  "webhooks.beforeMessage.transient"?: boolean;
  /** Where the custom engine of moderation is asked: see the guide about moderation. */
  "moderation.customEngine.url"?: string;
  /** The secret that signs these calls, as those of webhooks are signed: `whsec_` and Base64. Answers show `•••`. */
  "moderation.customEngine.secret"?: string;
  /** What is done when the engine fails: `approve-message` goes on as if nothing matched, `drop-message` does what the rule says. */
  "moderation.customEngine.onFailure"?: string;
  /** From which confidence of its answer on a condition matches. */
  "moderation.customEngine.confidence"?: number;
  /** Who is connected and reads a message within 3 seconds gets no push for it. */
  "notifications.push.skipRead"?: boolean;
  /** In larger groups, messages move no conversation up and are not counted as unread. */
  "limits.groupUpdateMembers"?: number;
  /** With more members online, a group has no receipts. */
  "limits.groupReceiptOnline"?: number;
  /** While more users of the app are connected, nobody is told who connects and disconnects. */
  "limits.presenceOnline"?: number;
  /** In a group with more members online, nobody is told who is typing. */
  "limits.typingOnline"?: number;
  /** In a group with more members, nobody gets a push. */
  "limits.pushGroupMembers"?: number;
  /** In a group with more members, nobody gets an e-mail about unread messages. */
  "limits.emailGroupMembers"?: number;
  /** The same for SMS. */
  "limits.smsGroupMembers"?: number;
  /** How many members a group may have. */
  "limits.groupMembers"?: number;
  /** How many groups a user may be in. */
  "limits.groupsPerUser"?: number;
  /** How many friends a user may have. */
  "limits.friendsPerUser"?: number;
  /** How many auth tokens a user may have, at least one; the next token revokes the oldest. */
  "limits.authTokensPerUser"?: number;
  /** After how many seconds auth tokens end that are made without `expiresIn`; 0: never. */
  "authTokens.defaultSeconds"?: number;
  /** How many seconds an auth token may live at most; 0: unlimited. Tokens that were made before keep their end. */
  "authTokens.longestSeconds"?: number;
  /** How many messages may be pinned in a conversation. */
  "limits.pinnedMessages"?: number;
  /** How many messages a user may save. */
  "limits.savedMessages"?: number;
  /** How many conversations a user may pin, and how many the app may pin. */
  "limits.pinnedConversations"?: number;
  /** How many bots the app may have. */
  "limits.bots"?: number;
  /** How many roles the app may have besides the default one. */
  "limits.roles"?: number;
  /** How many API keys the app may have besides the built-in ones. */
  "limits.apiKeys"?: number;
  /** How many calls a minute may create users or groups, delete users, or join groups; 0: unlimited. */
  "limits.coreCallsPerMinute"?: number;
  /** How many other calls the app accepts a minute; 0: unlimited. */
  "limits.callsPerMinute"?: number;
  /** How many imports the app accepts a minute; 0: unlimited. */
  "limits.importCallsPerMinute"?: number;
  /** How many calls a minute a user may make with an auth token; 0: unlimited. */
  "limits.userCallsPerMinute"?: number;
  /** How many of these calls may send a message; 0: unlimited. */
  "limits.userSendsPerMinute"?: number;
  /** How many appends a minute a user may make with an auth token, which count as no other calls; 0: unlimited. */
  "limits.userAppendsPerMinute"?: number;
  /** How many messages a user may have scheduled, those included that could not be sent; those of the app, and of bots by `/bots/{uid}/messages`, have no limit. */
  "limits.scheduledMessages"?: number;
  /** How many reminders a user may have that are to come. */
  "limits.reminders"?: number;
  /** How many drafts a user may have. */
  "limits.drafts"?: number;
  /** How many messages of a user may grow at the same time; those that are sent by the app, or for a bot by `/bots/{uid}/messages`, have no limit. */
  "limits.growingPerUser"?: number;
  /** How many bytes of UTF-8 the text of a message that grows may have; 1 to 1,000,000. */
  "limits.growingText"?: number;
  /** After so many seconds without an append the server ends a message that grows, as failed; at least 1. */
  "limits.growingSilence"?: number;
  /** After so many days messages [are removed](guides/retention.md), at most an hour later; 0 keeps them for ever. At most 36,500. */
  "retention.days"?: number;
  /** So many seconds after they were sent, or read, messages disappear that are sent from then on; 0 keeps them. At most 31,536,000. */
  "retention.disappearAfter"?: number;
  /** Whether messages disappear after they were `sent`, or after they were `read` by everybody whom they were sent to. */
  "retention.disappearFrom"?: string;
  /** Whether users may set when the messages of their conversations disappear; in groups admins may. */
  "retention.participantsMaySet"?: boolean;
}

/** A choice of one option by buttons. */
export type SingleSelectElement = {
  /** The id of the element, unique in the message. */
  elementId: string;
  /** Whether the element may be left empty. */
  optional?: boolean;
  /** The text above the element. */
  label?: string;
  /** The `value` of the option that is chosen at first. */
  defaultValue?: string;
  /** The options to choose from, in their order. */
  options?: Option[];
  /** The kind of the element. */
  elementType: "singleSelect";
} & {
  [key: string]: unknown;
};

/** The template of short messages. */
export interface SmsContent {
  /** Text with placeholders such as {{message.data.text}}. */
  bodyOneOnOne?: string;
  /** Text with placeholders such as {{message.data.text}}. */
  bodyGroup?: string;
}

/** The mail server; empty if the app has none. */
export interface Smtp {
  /** The name or the address of the mail server. */
  host?: string;
  /** The port of the mail server, usually 465 for `tls` and 587 for `starttls`. */
  port?: number;
  /** The username; absent if there is none. */
  username?: string;
  /** The password at the mail server; the mark `•••` unless secrets are asked for. */
  password?: string;
  security?: SmtpSecurity;
  /** The name from which mails come. */
  senderName?: string;
  /** The address from which mails come. */
  senderEmail?: string;
  /** Whether it is used; if not, nothing is sent with it. */
  isEnabled?: boolean;
}

export interface SmtpAnswer {
  data: Smtp;
}

/** When TLS begins: after `STARTTLS`, at once, or not at all, which only networks of `HUBBUB_OUTBOUND_ALLOW` may do. */
export type SmtpSecurity = "none" | "starttls" | "tls";

/** The names of the sounds. */
export interface Sound {
  /** The name of the sound of messages, up to 255 characters. */
  chat?: string;
  /** The name of the sound of calls, up to 255 characters. */
  call?: string;
}

/** The code of the error, by which programs go. */
export type StartTypingErrorCode = "AUTH_ERR_APIKEY_NOT_FOUND" | "AUTH_ERR_AUTH_TOKEN_NOT_FOUND" | "AUTH_ERR_EMPTY_APIKEY" | "AUTH_ERR_EMPTY_APPID" | "AUTH_ERR_INVALID_APPID" | "AUTH_ERR_NO_ACCESS" | "ERR_BAD_REQUEST" | "ERR_BANNED_GROUPMEMBER" | "ERR_BLOCKED_RECEIVER" | "ERR_BLOCKED_SENDER" | "ERR_GROUP_NOT_JOINED" | "ERR_GUID_NOT_FOUND" | "ERR_OPERATION_FAILED" | "ERR_PERMISSION_DENIED" | "ERR_TOO_MANY_REQUESTS" | "ERR_UID_NOT_FOUND";

/** The code of the error, by which programs go. */
export type StopMessageErrorCode = "AUTH_ERR_APIKEY_NOT_FOUND" | "AUTH_ERR_AUTH_TOKEN_NOT_FOUND" | "AUTH_ERR_EMPTY_APIKEY" | "AUTH_ERR_EMPTY_APPID" | "AUTH_ERR_INVALID_APPID" | "AUTH_ERR_NO_ACCESS" | "ERR_BAD_REQUEST" | "ERR_BANNED_GROUPMEMBER" | "ERR_GROUP_NOT_JOINED" | "ERR_GUID_NOT_FOUND" | "ERR_MESSAGE_ID_NOT_FOUND" | "ERR_MESSAGE_NOT_GROWING" | "ERR_OPERATION_FAILED" | "ERR_TOO_MANY_REQUESTS" | "ERR_UID_NOT_FOUND";

export interface StopMessageParams {
  /** The id of a message. */
  id: string;
}

/** The data of `message_stop_requested`. */
export interface StopPayload {
  /** The message that is to end. */
  message: StoppedMessage;
  by: PayloadUser;
}

/** A message that grows. */
export interface StoppedMessage {
  /** The id. */
  id: string;
  /** The id of the conversation: `group_<guid>`, or `<uid>_user_<uid>` of two users in their order. */
  conversationId: string;
}

/** The data of a card, with what the server adds. */
export type StoredCardData = {
  interactionGoal?: InteractionGoal;
  /** Whether the sender may use it, too. */
  allowSenderInteraction?: boolean;
  /** An object of your own. */
  metadata?: {
    [key: string]: unknown;
  };
  entities: MessageEntities;
  /** The mentioned users by uid. */
  mentions?: {
    [key: string]: MentionEntity | MentionOfAll;
  };
  /** The reactions to the message, in the order in which they first came; absent if there are none. */
  reactions?: Reaction[];
  /** The elements that the acting user has used. */
  interactions?: Interaction[];
  interactiveData?: Card;
} & {
  [key: string]: unknown;
};

/** The data of a custom message, with what the server adds. */
export type StoredCustomData = {
  entities: MessageEntities;
  /** The mentioned users by uid. */
  mentions?: {
    [key: string]: MentionEntity | MentionOfAll;
  };
  /** The reactions to the message, in the order in which they first came; absent if there are none. */
  reactions?: Reaction[];
  /** As it was sent. */
  customData?: {
    [key: string]: unknown;
  };
  /** An object of your own. */
  metadata?: {
    [key: string]: unknown;
  };
} & {
  [key: string]: unknown;
};

/** The data of a custom interactive message, with what the server adds. */
export type StoredCustomInteractiveData = {
  interactionGoal?: InteractionGoal;
  /** Whether the sender may use it, too. */
  allowSenderInteraction?: boolean;
  /** An object of your own. */
  metadata?: {
    [key: string]: unknown;
  };
  entities: MessageEntities;
  /** The mentioned users by uid. */
  mentions?: {
    [key: string]: MentionEntity | MentionOfAll;
  };
  /** The reactions to the message, in the order in which they first came; absent if there are none. */
  reactions?: Reaction[];
  /** The elements that the acting user has used. */
  interactions?: Interaction[];
  /** As it was sent. */
  interactiveData?: {
    [key: string]: unknown;
  };
} & {
  [key: string]: unknown;
};

/** The data of a form, with what the server adds. */
export type StoredFormData = {
  interactionGoal?: InteractionGoal;
  /** Whether the sender may use it, too. */
  allowSenderInteraction?: boolean;
  /** An object of your own. */
  metadata?: {
    [key: string]: unknown;
  };
  entities: MessageEntities;
  /** The mentioned users by uid. */
  mentions?: {
    [key: string]: MentionEntity | MentionOfAll;
  };
  /** The reactions to the message, in the order in which they first came; absent if there are none. */
  reactions?: Reaction[];
  /** The elements that the acting user has used. */
  interactions?: Interaction[];
  interactiveData?: Form;
} & {
  [key: string]: unknown;
};

/** The data of a poll, with what the server adds. */
export type StoredPollData = {
  entities: MessageEntities;
  /** The mentioned users by uid. */
  mentions?: {
    [key: string]: MentionEntity | MentionOfAll;
  };
  /** The reactions to the message, in the order in which they first came; absent if there are none. */
  reactions?: Reaction[];
  /** What is asked. */
  question?: string;
  /** What can be voted for; an option is named by its place, from 0. */
  options?: string[];
  /** For how many options a user may vote; 1 if absent. */
  votesPerUser?: number;
  /** Whether nobody is told who has voted. */
  anonymous?: boolean;
  /** When it closes by itself, in seconds since 1970. */
  closesAt?: number;
  /** An object of your own. */
  metadata?: {
    [key: string]: unknown;
  };
  poll?: Poll;
} & {
  [key: string]: unknown;
};

/** The data of a scheduler, with what the server adds. */
export type StoredSchedulerData = {
  interactionGoal?: InteractionGoal;
  /** Whether the sender may use it, too. */
  allowSenderInteraction?: boolean;
  /** An object of your own. */
  metadata?: {
    [key: string]: unknown;
  };
  entities: MessageEntities;
  /** The mentioned users by uid. */
  mentions?: {
    [key: string]: MentionEntity | MentionOfAll;
  };
  /** The reactions to the message, in the order in which they first came; absent if there are none. */
  reactions?: Reaction[];
  /** The elements that the acting user has used. */
  interactions?: Interaction[];
  interactiveData?: Scheduler;
} & {
  [key: string]: unknown;
};

/** A user's submission of a form. */
export interface Submission {
  /** The id. */
  id: string;
  /** The id of the message. */
  messageId: string;
  /** The id of the user, unique in the app. */
  uid: string;
  /** The values by `elementId`, as sent. */
  formData: {
    [key: string]: unknown;
  };
  /** When the form was submitted, in seconds since 1970. */
  submittedAt: number;
}

export interface SubmissionAnswer {
  data: Submission;
}

/** A slice of a list, in ascending order of ids. */
export interface SubmissionList {
  /** The rows, in the order of the list. */
  data: Submission[];
  meta: IdCursorSliceMeta;
}

/** The data of `interactive_form_submitted`: `by` submitted the form. */
export interface SubmissionPayload {
  /** The id of the conversation: `group_<guid>`, or `<uid>_user_<uid>` of two users in their order. */
  conversationId: string;
  by: PayloadUser;
  submission: Submission;
}

/** The values of a form. */
export interface SubmitForm {
  /** The values by `elementId`, at most 10,240 bytes of JSON. A value is text; the `value` of an option; for a checkbox a list of these; or a date or time in the element's `dateTimeFormat`, or in ISO 8601 without one. */
  formData: {
    [key: string]: unknown;
  };
}

/** The code of the error, by which programs go. */
export type SubscribePresenceErrorCode = "AUTH_ERR_APIKEY_NOT_FOUND" | "AUTH_ERR_AUTH_TOKEN_NOT_FOUND" | "AUTH_ERR_EMPTY_APIKEY" | "AUTH_ERR_EMPTY_APPID" | "AUTH_ERR_INVALID_APPID" | "AUTH_ERR_NO_ACCESS" | "ERR_BAD_REQUEST" | "ERR_OPERATION_FAILED" | "ERR_PERMISSION_DENIED" | "ERR_TOO_MANY_REQUESTS" | "ERR_UID_NOT_FOUND";

/** A subscription to Web Push: what `PushSubscription.toJSON()` returns in a browser. */
export interface Subscription {
  /** The URL of the browser's push service for this device. */
  endpoint: string;
  keys: SubscriptionKeys;
  /** When the subscription ends, in milliseconds since 1970; null if it does not. */
  expirationTime?: number;
}

/** The keys of a subscription, in base64url. */
export interface SubscriptionKeys {
  /** The public key to which pushes are encrypted. */
  p256dh: string;
  /** The secret that authenticates pushes to the browser. */
  auth: string;
}

/** An acknowledgement. */
export interface Success {
  /** Whether it was done. */
  success: boolean;
}

export interface SuccessAnswer {
  data: Success;
}

/** An acknowledgement with a text. */
export interface SuccessMessage {
  /** Whether it was done. */
  success: boolean;
  /** A text for people about the outcome; programs go by the other fields. */
  message: string;
}

export interface SuccessMessageAnswer {
  data: SuccessMessage;
}

/** The code of the error, by which programs go. */
export type TakeVotesBackErrorCode = "AUTH_ERR_APIKEY_NOT_FOUND" | "AUTH_ERR_AUTH_TOKEN_NOT_FOUND" | "AUTH_ERR_EMPTY_APIKEY" | "AUTH_ERR_EMPTY_APPID" | "AUTH_ERR_INVALID_APPID" | "AUTH_ERR_NO_ACCESS" | "ERR_BAD_REQUEST" | "ERR_BLOCKED_RECEIVER" | "ERR_BLOCKED_SENDER" | "ERR_MESSAGE_ACTION_NOT_ALLOWED" | "ERR_MESSAGE_ID_NOT_FOUND" | "ERR_OPERATION_FAILED" | "ERR_POLL_CLOSED" | "ERR_TOO_MANY_REQUESTS" | "ERR_UID_NOT_FOUND";

export interface TakeVotesBackParams {
  /** The id of a message. */
  id: string;
}

/** The templates of an app: of each kind the default one, and one that tells no content. */
export interface Templates {
  /** 1: the default templates; 2: the privacy templates; 3: each user chooses, without a choice the default ones. */
  usePrivacyTemplate?: number;
  textMessageTemplateDefault?: TextTemplate;
  textMessageTemplatePrivacy?: TextTemplate;
  mediaMessageTemplateDefault?: MediaTemplate;
  mediaMessageTemplatePrivacy?: MediaTemplate;
  pollMessageTemplateDefault?: FallbackTemplate;
  pollMessageTemplatePrivacy?: FallbackTemplate;
  reminderMessageTemplateDefault?: FallbackTemplate;
  reminderMessageTemplatePrivacy?: FallbackTemplate;
  customMessageTemplateDefault?: FallbackTemplate;
  customMessageTemplatePrivacy?: FallbackTemplate;
  interactiveFormTemplateDefault?: FallbackTemplate;
  interactiveFormTemplatePrivacy?: FallbackTemplate;
  interactiveCardTemplateDefault?: FallbackTemplate;
  interactiveCardTemplatePrivacy?: FallbackTemplate;
  interactiveSchedulerTemplateDefault?: FallbackTemplate;
  interactiveSchedulerTemplatePrivacy?: FallbackTemplate;
  interactiveCustomTemplateDefault?: FallbackTemplate;
  interactiveCustomTemplatePrivacy?: FallbackTemplate;
  userMentionTemplateDefault?: UserMentionTemplate;
  userMentionTemplatePrivacy?: UserMentionTemplate;
  groupMentionTemplateDefault?: GroupMentionTemplate;
  groupMentionTemplatePrivacy?: GroupMentionTemplate;
  emailSubjectTemplateDefault?: EmailSubject;
  emailSubjectTemplatePrivacy?: EmailSubject;
  smsContentTemplateDefault?: SmsContent;
  smsContentTemplatePrivacy?: SmsContent;
}

/** A person, and a message that they may be told of. */
export interface TestNotification {
  /** The uid of the person. */
  uid: string;
  /** The id of a message, as a number or a text of digits. */
  messageId: number | string;
}

/** An input for text. */
export type TextInputElement = {
  /** The kind of the element. */
  elementType: "textInput";
  /** The id of the element, unique in the message. */
  elementId: string;
  /** Whether the element may be left empty. */
  optional?: boolean;
  /** The text above the element. */
  label?: string;
  /** The value that is chosen or entered at first. */
  defaultValue?: string;
  /** The most lines of the text. */
  maxLines?: number;
  placeholder?: Placeholder;
} & {
  [key: string]: unknown;
};

/** The data of a message of the type `text`. */
export type TextMessageData = {
  /** The text. `<@uid:anna>` mentions a user, `<@all>` everybody. */
  text: string;
  /** An object of your own. */
  metadata?: {
    [key: string]: unknown;
  };
} & {
  [key: string]: unknown;
};

/** The template of text messages. */
export interface TextTemplate {
  /** Text with placeholders such as {{message.data.text}}. */
  titleOneOnOne?: string;
  /** Text with placeholders such as {{message.data.text}}. */
  titleGroup?: string;
  /** Text with placeholders such as {{message.data.text}}. */
  body?: string;
}

/** A small picture of an uploaded image. */
export type Thumbnail = {
  /** An http or https URL. */
  url: string;
  /** The width in pixels. */
  width: number;
  /** The height in pixels. */
  height: number;
} & {
  [key: string]: unknown;
};

/** The range of time of the request. */
export interface TimeRange {
  /** Milliseconds since 1970. */
  fromDate: number;
  /** Milliseconds since 1970. */
  toDate: number;
}

/** The time zone of a user. */
export interface TimeZone {
  /** The name of a time zone in the IANA database. */
  timezone: string;
}

export interface TimeZoneAnswer {
  data: TimeZone;
}

/** The auth token with which a session goes on. */
export interface TokenParams {
  /** Of the user of the session. */
  authToken: string;
}

/** A message that is erased, or hidden from the reader: its id, and who deleted it. */
export interface TombstoneEntity {
  /** The id. */
  id: string;
  /** The id of the conversation: `group_<guid>`, or `<uid>_user_<uid>` of two users in their order. */
  conversationId: string;
  /** When it was deleted, in seconds since 1970; absent unless it was. */
  deletedAt?: number;
  /** The uid of who deleted it; `app_system` if the app did. */
  deletedBy?: string;
}

/** A message that only those get who are connected now. */
export interface TransientParams {
  /** The uid of a user, or the guid of a group. */
  receiver: string;
  receiverType: ReceiverType;
  /** Any JSON. */
  data: unknown;
}

/** The data of `transient_message`. */
export interface TransientPayload {
  /** The uid of who sent it; `app_system` if it was the app. */
  sender: string;
  /** The uid or the guid of who it is for, according to `receiverType`. */
  receiver: string;
  receiverType: ReceiverType;
  /** The rows, in the order of the list. */
  data: unknown;
}

/** What a rule would have matched. */
export interface Trial {
  /** The messages among them that would have been judged: those of users. */
  looked: number;
  /** Those that would have matched, newest first. */
  matched: TrialMatch[];
}

export interface TrialAnswer {
  data: Trial;
}

/** A message that the rule would have matched. */
export interface TrialMatch {
  /** The id of the message. */
  messageId: string;
  condition: Condition;
  /** What was found, as the rule or its list writes it. */
  term?: string;
}

/** A trigger. */
export interface Trigger {
  /** The name of the trigger. */
  id: string;
  /** What the trigger is about, such as messages. */
  category: string;
  /** When the trigger is called. */
  description: string;
}

/** A page of a list. */
export interface TriggerList {
  /** The rows, in the order of the list. */
  data: Trigger[];
  meta: PageMeta;
}

/** How many messages to try a rule on. */
export interface TryRule {
  /** So many of the app's last messages are looked at. The default is `1000`. */
  limit?: number;
}

/** The provider Twilio; empty if the app has none. */
export interface Twilio {
  /** The id of the account at Twilio. */
  twilioAccountSID?: string;
  /** The secret of the account at Twilio; the mark `•••` unless secrets are asked for. */
  twilioAuthToken?: string;
  /** The phone number from which SMS come. */
  twilioSenderPhoneNumber?: string;
  /** Whether it is used; if not, nothing is sent with it. */
  isEnabled?: boolean;
}

export interface TwilioAnswer {
  data: Twilio;
}

/** To whom the user types. */
export interface TypingParams {
  /** The uid of a user, or the guid of a group. */
  receiver: string;
  receiverType: ReceiverType;
  /** The receivers are told it as it is. */
  metadata?: {
    [key: string]: unknown;
  };
}

/** The data of `typing_started` and `typing_ended`. */
export interface TypingPayload {
  /** The uid of who sent it; `app_system` if it was the app. */
  sender: string;
  /** The uid or the guid of who it is for, according to `receiverType`. */
  receiver: string;
  receiverType: ReceiverType;
  /** The app's own JSON object, kept as given: up to 5,120 bytes. `@private` in that of a user is shown to the app and to that user only. */
  metadata?: {
    [key: string]: unknown;
  };
}

/** The query parameters that continue a list of receipts after a uid. */
export interface UidCursor {
  /** The side on which the list goes on: always `append`. */
  affix: "append";
  /** The uid at the end: give it as the query parameter `id`. */
  id: string;
}

/** The condition that was asked about. */
export interface UndecidedCondition {
  /** Its number within the rule. */
  id: number;
  /** The category of the condition, or its operand if it has none. */
  category: string;
}

/** The message that the engine has not decided on, which is not stored yet. */
export interface UndecidedMessage {
  /** The uid of the sender. */
  sender: string;
  /** The uid or guid of the receiver. */
  receiver: string;
  /** Whether that is a user or a group. */
  receiverType: string;
}

/** The rule whose condition was asked about. */
export interface UndecidedRule {
  /** The id of the rule. */
  id: string;
  /** The name of the rule. */
  name: string;
}

/** The conversations to unmute. */
export interface UnmuteConversations {
  /** The conversations. */
  conversations: NamedConversation[];
}

/** The auth token that says whose push tokens to remove. */
export interface UnregisterTokens {
  /** An auth token of the user; by default that of the call. */
  authToken?: string;
}

/** The changes to an APNs provider; absent fields and redacted secrets keep their values. */
export interface UpdateApnsProvider {
  /** Ten of A-Z and 0-9. */
  keyId?: string;
  /** Ten of A-Z and 0-9. */
  teamId?: string;
  /** Such as com.example.chat. */
  bundleId?: string;
  /** The name of the file that the key came from, for people; up to 255 characters. */
  p8KeyFilename?: string;
  /** A private key as PEM. */
  p8Key?: string;
  /** Whether pushes set `content-available`, which wakes the app in the background. */
  includeContentAvailable?: boolean;
  /** Whether pushes set `mutable-content`, which lets the app change them before they are shown. */
  includeMutableContent?: boolean;
  /** Whether pushes go to Apple's production service; false for builds from Xcode. It is true if it is absent. */
  productionMode?: boolean;
  /** No control characters and no /; neither . nor .. */
  providerId: string;
}

/** The changes to a bot; fields that are absent keep their values. */
export interface UpdateBot {
  /** The name that people see, up to 100 characters. */
  name?: string;
  /** An absolute http or https URL. */
  avatar?: string;
  /** The app's own JSON object, kept as given: up to 5,120 bytes. `@private` in that of a user is shown to the app and to that user only. */
  metadata?: {
    [key: string]: unknown;
  };
}

/** The changes to contact details; fields that are absent keep their values. */
export interface UpdateContactDetails {
  /** An e-mail address. */
  email?: string;
  /** A phone number with its country code, such as +14155552671. */
  phno?: string;
}

/** The tags of the acting user's conversation. */
export interface UpdateConversation {
  /** The acting user's own tags of the conversation, up to 25 of 100 characters each; they replace the former ones. */
  tags?: string[];
}

/** The changes to an FCM provider; absent fields and redacted secrets keep their values. */
export interface UpdateFcmProvider {
  /** The name of the file that the credentials came from, for people; up to 255 characters. */
  serviceAccountFilename?: string;
  serviceAccountCreds?: ServiceAccount;
  notificationInPayload?: Platforms;
  /** No control characters and no /; neither . nor .. */
  providerId: string;
}

/** The changes to a group; fields that are absent keep their values. */
export interface UpdateGroup {
  /** The name that people see, up to 100 characters. */
  name?: string;
  type?: GroupType;
  /** The password of a group of the type `password`, up to 100 characters. It is never shown. */
  password?: string;
  /** An absolute http or https URL. */
  icon?: string;
  /** A text for people about it, up to 255 characters. */
  description?: string;
  /** The app's own JSON object, kept as given: up to 5,120 bytes. `@private` in that of a user is shown to the app and to that user only. */
  metadata?: {
    [key: string]: unknown;
  };
  /** a-z, 0-9, _ and -; upper case is changed to lower case. */
  owner?: string;
  /** Words of the app, up to 25 of 100 characters each, by which lists can be filtered. */
  tags?: string[];
  /** The fields to remove. */
  unset?: ("description" | "icon" | "metadata")[];
}

/** The changes to an API key; fields that are absent keep their values. */
export interface UpdateKey {
  /** The name that people see, up to 100 characters. */
  name?: string;
  scope?: KeyScope;
}

/** The changes of a message; properties that are absent stay. */
export interface UpdateMessage {
  /** An object: each of its properties replaces the stored one. The result must satisfy the same rules as a message that is sent. */
  data?: unknown;
  /** Words of the app, up to 25 of 100 characters each, by which lists can be filtered. */
  tags?: string[];
}

/** Changes of a reason; what is absent stays. */
export interface UpdateReason {
  /** The name that people see, up to 100 characters. */
  name?: string;
  /** An empty one removes the description. */
  description?: string;
}

/** The changes to a role; fields that are absent keep their values. */
export interface UpdateRole {
  /** The name that people see, up to 100 characters. */
  name?: string;
  /** A text for people about it, up to 255 characters. */
  description?: string;
  /** The app's own JSON object, kept as given: up to 5,120 bytes. `@private` in that of a user is shown to the app and to that user only. */
  metadata?: {
    [key: string]: unknown;
  };
  settings?: RoleSettings;
  /** The fields to remove. */
  unset?: ("description" | "metadata" | "settings")[];
}

/** The device on which a token is used. */
export interface UpdateToken {
  /** What the client runs on, such as `ios` or `web`; the client says it. */
  platform?: string;
  /** The program that uses the token, as the client says. */
  userAgent?: string;
  /** What the app wants to remember of the device, such as its version: a JSON object. */
  appInfo?: {
    [key: string]: unknown;
  };
}

/** A change of a user; fields that are not given stay. */
export interface UpdateUser {
  /** An absolute http or https URL. */
  avatar?: string;
  /** An absolute http or https URL. */
  link?: string;
  /** a-z, 0-9, _ and -; upper case is changed to lower case. */
  role?: string;
  /** What the user says about themself, up to 255 characters. */
  statusMessage?: string;
  /** The app's own JSON object, kept as given: up to 5,120 bytes. `@private` in that of a user is shown to the app and to that user only. */
  metadata?: {
    [key: string]: unknown;
  };
  /** Words of the app, up to 25 of 100 characters each, by which lists can be filtered. */
  tags?: string[];
  /** The name that people see, up to 100 characters. */
  name?: string;
  /** The fields to remove. */
  unset?: ("avatar" | "link" | "metadata")[];
}

/** The changes to a webhook; absent fields, and a redacted password, keep their values. */
export interface UpdateWebhook {
  /** The name that people see, up to 100 characters. */
  name?: string;
  /** An https URL. Private addresses, and http, only where the operator allows it. */
  webhookURL?: string;
  /** Whether calls authenticate themselves with the username and the password of Basic auth. */
  useBasicAuth?: boolean;
  /** For Basic auth; without colon and control characters. */
  username?: string;
  /** For Basic auth; without control characters. */
  password?: string;
  /** Whether anything is sent to it. */
  enabled?: boolean;
  /** Whether a delivery that failed is tried again, for some days. */
  retryOnFailure?: boolean;
}

/** A button opens a page. */
export type UrlNavigation = {
  /** The kind of the action. */
  actionType: "urlNavigation";
  /** An absolute http or https URL. */
  url: string;
} & {
  [key: string]: unknown;
};

/** The metrics of a range of time. */
export interface Usage {
  metrics: UsageMetrics;
  time_range: TimeRange;
}

export interface UsageAnswer {
  data: Usage;
}

/** The usage of an app in a range of days. */
export interface UsageMetrics {
  /** 0: Hubbub has no calls. */
  audio_minutes: number;
  /** 0: Hubbub has no calls. */
  video_minutes: number;
  /** 0: Hubbub has no calls. */
  recorded_minutes: number;
  /** The number of users who were active on at least one of the days. */
  active_users: number;
  /** The most connections that were open at the same time. */
  concurrent_users: number;
}

/** An element of the message, by its id. */
export interface UsedElement {
  /** The `elementId` of an element of the message. */
  elementId: string;
}

/** A user. */
export interface User {
  /** The id of the user, unique in the app. */
  uid: string;
  /** The name that people see, up to 100 characters. */
  name: string;
  /** The URL of the user's picture; absent if they have none. */
  avatar?: string;
  /** A URL of the user's own, such as that of their profile; absent if they have none. */
  link?: string;
  /** The app's own JSON object, kept as given: up to 5,120 bytes. `@private` in that of a user is shown to the app and to that user only. */
  metadata?: {
    [key: string]: unknown;
  };
  status: UserStatus;
  /** What the user says about themself, up to 255 characters. */
  statusMessage?: string;
  /** The role of the user, which limits what they may do; `default` unless another was given. */
  role: string;
  /** Words of the app, up to 25 of 100 characters each, by which lists can be filtered. */
  tags?: string[];
  /** Whether a program speaks for the user; absent if not. */
  isBot?: boolean;
  /** When it was created, in seconds since 1970. */
  createdAt: number;
  /** When it was last changed, in seconds since 1970; absent if it never was. */
  updatedAt?: number;
  /** When the user was last connected, in seconds since 1970; absent if they never were. */
  lastActiveAt?: number;
  /** When the user was deactivated, in seconds since 1970; absent while they are active. */
  deactivatedAt?: number;
  /** The id of the conversation: `group_<guid>`, or `<uid>_user_<uid>` of two users in their order. */
  conversationId?: string;
  /** Whether the acting user has blocked this user; absent if not. */
  blockedByMe?: boolean;
  /** When the acting user blocked this user, in seconds since 1970. */
  blockedByMeAt?: number;
  /** Whether this user has blocked the acting user; absent if not. */
  hasBlockedMe?: boolean;
  /** When this user blocked the acting user, in seconds since 1970. */
  blockedAt?: number;
  /** The auth token: a secret with which a client acts as this user. */
  authToken?: string;
}

export interface UserAnswer {
  data: User;
}

/** What a webhook is sent for the trigger `user_blocked`. */
export interface UserBlockedWebhook {
  /** The trigger: what happened. */
  trigger: "user_blocked";
  data: BlockPayload;
  /** The id of the app. */
  appId: string;
  /** The region of the app. */
  region: string;
  /** The same in every attempt: a repeated call has a known id. */
  id: string;
  /** When it happened, in seconds since 1970. */
  sentAt: number;
  /** The id of the webhook. */
  webhook: string;
}

/** What a webhook is sent for the trigger `user_connection_status_changed`. */
export interface UserConnectionStatusChangedWebhook {
  /** The trigger: what happened. */
  trigger: "user_connection_status_changed";
  data: ConnectionPayload;
  /** The id of the app. */
  appId: string;
  /** The region of the app. */
  region: string;
  /** The same in every attempt: a repeated call has a known id. */
  id: string;
  /** When it happened, in seconds since 1970. */
  sentAt: number;
  /** The id of the webhook. */
  webhook: string;
}

/** A user inside a message. */
export interface UserEntity {
  /** The id of the user, unique in the app. */
  uid: string;
  /** The name that people see, up to 100 characters. */
  name: string;
  /** The role of the user, which limits what they may do; `default` unless another was given. */
  role: string;
  /** The URL of the user's picture; absent if they have none. */
  avatar?: string;
  /** A URL of the user's own, such as that of their profile; absent if they have none. */
  link?: string;
  /** Without `@private`. */
  metadata?: {
    [key: string]: unknown;
  };
  status: UserStatus;
  /** When it was last changed, in seconds since 1970; absent if it never was. */
  updatedAt?: number;
  /** The id of the conversation: `group_<guid>`, or `<uid>_user_<uid>` of two users in their order. */
  conversationId?: string;
}

/** A user with the times of their past. */
export interface UserFields {
  /** An absolute http or https URL. */
  avatar?: string;
  /** An absolute http or https URL. */
  link?: string;
  /** a-z, 0-9, _ and -; upper case is changed to lower case. */
  role?: string;
  /** What the user says about themself, up to 255 characters. */
  statusMessage?: string;
  /** The app's own JSON object, kept as given: up to 5,120 bytes. `@private` in that of a user is shown to the app and to that user only. */
  metadata?: {
    [key: string]: unknown;
  };
  /** Words of the app, up to 25 of 100 characters each, by which lists can be filtered. */
  tags?: string[];
  /** a-z, 0-9, _ and -; upper case is changed to lower case. */
  uid: string;
  /** The name that people see, up to 100 characters. */
  name: string;
  /** When the user was created, in seconds since 1970; now if it is absent. */
  createdAt?: number | string;
  /** When the user was last active, in seconds since 1970. */
  lastActiveAt?: number | string;
  /** When the user was deactivated, in seconds since 1970; absent for active users. */
  deactivatedAt?: number | string;
}

/** A page of a list. */
export interface UserList {
  /** The rows, in the order of the list. */
  data: User[];
  meta: PageMeta;
}

/** The template of messages for users whom they mention. */
export interface UserMentionTemplate {
  /** Text with placeholders such as {{message.data.text}}. */
  titleOneOnOne?: string;
  /** Text with placeholders such as {{message.data.text}}. */
  titleGroup?: string;
  /** Text with placeholders such as {{message.data.text}}. */
  bodyOneOnOne?: string;
  /** Text with placeholders such as {{message.data.text}}. */
  bodyGroup?: string;
  /** Text with placeholders such as {{message.data.text}}. */
  body_fallback?: string;
}

/** What a webhook is sent for the trigger `user_mentioned`. */
export interface UserMentionedWebhook {
  /** The trigger: what happened. */
  trigger: "user_mentioned";
  data: MessagePayload;
  /** The id of the app. */
  appId: string;
  /** The region of the app. */
  region: string;
  /** The same in every attempt: a repeated call has a known id. */
  id: string;
  /** When it happened, in seconds since 1970. */
  sentAt: number;
  /** The id of the webhook. */
  webhook: string;
}

/** The outcome of one row. */
export interface UserOutcome {
  /** Whether it was done. */
  success: boolean;
  /** Whether the row was there already and stayed as it was. */
  skipped?: boolean;
  data?: User;
  error?: Problem;
}

export interface UserOutcomesAnswer {
  /** The outcomes, by id. */
  data: {
    [key: string]: UserOutcome;
  };
}

/** Whether a user is connected. */
export type UserStatus = "available" | "offline";

/** What a webhook is sent for the trigger `user_unblocked`. */
export interface UserUnblockedWebhook {
  /** The trigger: what happened. */
  trigger: "user_unblocked";
  data: BlockPayload;
  /** The id of the app. */
  appId: string;
  /** The region of the app. */
  region: string;
  /** The same in every attempt: a repeated call has a known id. */
  id: string;
  /** When it happened, in seconds since 1970. */
  sentAt: number;
  /** The id of the webhook. */
  webhook: string;
}

/** What a message was before an edit. */
export interface Version {
  /** The data as it was sent. */
  data: {
    [key: string]: unknown;
  };
  /** The tags of the message then; absent if it had none. */
  tags?: string[];
  /** The uid of who sent or edited it so; `app_system` if the app did. */
  writtenBy: string;
  /** When the message was sent or edited to be so, in seconds since 1970. */
  writtenAt: number;
}

/** A page of a list. */
export interface VersionList {
  /** The rows, in the order of the list. */
  data: Version[];
  meta: PageMeta;
}

/** The notifications that have a visible part, not only data. */
export interface Visibility {
  /** Whether the system shows notifications of messages; if not, the app gets the data and shows them. */
  chat?: boolean;
  /** Whether the system shows notifications of calls; if not, the app gets the data and shows them. */
  call?: boolean;
}

/** The code of the error, by which programs go. */
export type VoteErrorCode = "AUTH_ERR_APIKEY_NOT_FOUND" | "AUTH_ERR_AUTH_TOKEN_NOT_FOUND" | "AUTH_ERR_EMPTY_APIKEY" | "AUTH_ERR_EMPTY_APPID" | "AUTH_ERR_INVALID_APPID" | "AUTH_ERR_NO_ACCESS" | "ERR_BAD_REQUEST" | "ERR_BLOCKED_RECEIVER" | "ERR_BLOCKED_SENDER" | "ERR_MESSAGE_ACTION_NOT_ALLOWED" | "ERR_MESSAGE_ID_NOT_FOUND" | "ERR_OPERATION_FAILED" | "ERR_POLL_CLOSED" | "ERR_TOO_MANY_REQUESTS" | "ERR_UID_NOT_FOUND";

/** The options for which the acting user votes. */
export interface VoteInPoll {
  /** The numbers of options of the poll, from 0: all that the user votes for. */
  options: number[];
}

export interface VoteParams {
  /** The id of a message. */
  id: string;
  /** The numbers of options of the poll, from 0: all that the user votes for. */
  options: number[];
}

/**
 * The data of `poll_voted`: the user has voted for these options, and for no others.
 *
 *     In an anonymous poll it is not said who it was.
 */
export interface VotePayload {
  /** The id of the message. */
  messageId: string;
  /** The id of the conversation: `group_<guid>`, or `<uid>_user_<uid>` of two users in their order. */
  conversationId: string;
  by?: NamedUser;
  /** What the user has voted for, as numbers from 0: empty after the votes were taken back. */
  options: number[];
  /** When the user voted, in seconds since 1970. */
  votedAt: number;
}

/** The acknowledgement of a new Web Push provider, with its key. */
export interface WebPushAdded {
  /** Whether it was done. */
  success: boolean;
  /** The id of the provider, unique among those of its kind in the app. */
  providerId: string;
  /** The `applicationServerKey` for browsers: base64url, without padding. */
  publicKey: string;
}

export interface WebPushAddedAnswer {
  data: WebPushAdded;
}

/** A Web Push provider. */
export interface WebPushProvider {
  /** The id of the provider, unique among those of its kind in the app. */
  providerId: string;
  /** Who sends: `mailto:` with an e-mail address, or an https URL. */
  subject: string;
  /** The `applicationServerKey` for browsers: base64url, without padding. */
  publicKey: string;
  /** Whether it serves the devices that name no provider; one of them does. */
  isDefault: boolean;
  /** When it was created, in seconds since 1970. */
  createdAt: number;
}

/** The Web Push providers of the app. */
export interface WebPushProviders {
  /** The providers. */
  pushProviders: WebPushProvider[];
}

export interface WebPushProvidersAnswer {
  data: WebPushProviders;
}

/** A webhook. */
export interface Webhook {
  /** The id of the webhook, unique in the app. */
  id: string;
  /** The name that people see, up to 100 characters. */
  name: string;
  /** The URL that is called. */
  webhookURL: string;
  /** Whether calls authenticate themselves with the username and the password of Basic auth. */
  useBasicAuth: boolean;
  /** The username; absent if there is none. */
  username?: string;
  /** Only the mark `•••`. */
  password?: string;
  /** Whether the webhook is called. */
  enabled: boolean;
  /** Whether a call that fails is repeated; without it there is one attempt. */
  retryOnFailure: boolean;
  /** Since when it is paused, in seconds since 1970: every attempt failed. */
  pausedAt?: number;
  /** When it was created, in seconds since 1970. */
  createdAt: number;
  /** When it was last changed, in seconds since 1970; absent if it never was. */
  updatedAt?: number;
}

export interface WebhookAnswer {
  data: Webhook;
}

/** A page of a list. */
export interface WebhookList {
  /** The rows, in the order of the list. */
  data: Webhook[];
  meta: PageMeta;
}

/** The data of `webhook_paused`. */
export interface WebhookPausedPayload {
  webhook: PausedWebhook;
}

/** What a webhook is sent for the trigger `webhook_paused`. */
export interface WebhookPausedWebhook {
  /** The trigger: what happened. */
  trigger: "webhook_paused";
  data: WebhookPausedPayload;
  /** The id of the app. */
  appId: string;
  /** The region of the app. */
  region: string;
  /** The same in every attempt: a repeated call has a known id. */
  id: string;
  /** When it happened, in seconds since 1970. */
  sentAt: number;
  /** The id of the webhook. */
  webhook: string;
}

/** A group, and that it is one. */
export interface WrappedGroup {
  entity: GroupEntity;
  /** What `entity` is. */
  entityType: "group";
}

/** A member of a group, and that it is a user. */
export interface WrappedMember {
  entity: MemberEntity;
  /** What `entity` is. */
  entityType: "user";
}

/** A message in its present state, and that it is one. */
export interface WrappedMessage {
  /** The message in its present state, or what is left of one that is erased or hidden. */
  entity: Message | TombstoneEntity;
  /** What `entity` is. */
  entityType: "message";
}

/** A user, and that it is one. */
export interface WrappedUser {
  entity: UserEntity;
  /** What `entity` is. */
  entityType: "user";
}
