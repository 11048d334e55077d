/**
 * What the store shows: conversations and messages as the person sees them now, with what waits to be sent.
 * Snapshots are immutable: a changed one is a new object, an unchanged one is the same.
 */

import type { ClientError, Problem } from "../errors.js";
import type { ChatMessage, Conversation, Group, Message, PollMessage, User } from "../generated/realtime.js";
import type { State } from "../client.js";

/** A value that changes: read it with `get`, hear of changes with `subscribe`. */
export interface Query<T> {
  /** The value now. It is the same object until something in it changes. */
  get(): T;
  /** Calls `listener` after each change; returns what ends this. Several changes at once are told once. */
  subscribe(listener: () => void): () => void;
}

/** What waits to be sent, or was refused. */
export interface LocalState {
  state: "sending" | "failed";
  /** Why it was refused. */
  error?: Problem;
  /** The part of its files that was uploaded, 0 to 1; absent without files. */
  progress?: number;
}

/** The data of a message as it is shown: what the server adds, and what it was sent with. */
export interface MessageViewData {
  text?: string;
  attachments?: ChatMessage["data"]["attachments"];
  reactions?: ChatMessage["data"]["reactions"];
  mentions?: ChatMessage["data"]["mentions"];
  /** Of a poll: how many have voted, and for what. */
  poll?: PollMessage["data"]["poll"];
  entities?: ChatMessage["data"]["entities"];
  [field: string]: unknown;
}

/** A message as it is shown. */
export type MessageView = Omit<ChatMessage, "id" | "category" | "type" | "data" | "quotedMessage" | "parentMessage"> & {
  category: string;
  /** The type within the category: `text`, `image`, `form`, `groupMember`, or any word of a custom message. */
  type: string;
  data: MessageViewData;
  quotedMessage?: Message;
  parentMessage?: Message;
  /** Stays the same when a message that waits is stored: the `muid` if there is one, else the id. */
  key: string;
  /** Absent until the server has stored it. */
  id?: string;
  /** Present while it waits to be sent, or was refused. */
  local?: LocalState;
  /** True while an edit, a deletion or a reaction of this person is not confirmed. */
  isChanging?: boolean;
};

/** A conversation as it is shown. */
export type ConversationView = Omit<Conversation, "lastMessage" | "unreadMessageCount"> & {
  unreadMessageCount: number;
  lastMessage?: MessageView;
  /** Those who type now, without this person. */
  typing: readonly User[];
  /** What the person knows of the other user's or the group's state. */
  conversationWith: User | Group;
};

/** A place in a list where messages are missing that the server has: between those with these ids. */
export interface Gap {
  readonly after: string;
  readonly before: string;
}

/** The messages that are held of a conversation or a thread, ascending by id; what waits is last. */
export interface MessagesView {
  messages: readonly MessageView[];
  /** Whether there may be older messages than the first. */
  hasOlder: boolean;
  /** Where messages are missing between others, as after `loadAround`. */
  gaps: readonly Gap[];
  /** Whether a page is loaded now. */
  isLoading: boolean;
  /** Why the last page could not be loaded. */
  error?: ClientError;
}

/** The messages of a conversation or a thread. While somebody listens, the newest page is kept up to date. */
export interface MessagesQuery extends Query<MessagesView> {
  /** Loads the page before the first message; does nothing if there is none, or while one is loaded. */
  loadOlder(): Promise<void>;
  /**
   * Loads a message with those before and after it, such as a result of a search; between these and the others
   * there may be a gap then. Resolves with whether the list has the message.
   */
  loadAround(messageId: string): Promise<boolean>;
  /** Loads a page of a gap, at its end that is looked at: after the message above it, or before the one below it. */
  loadGap(gap: Gap, from: "after" | "before"): Promise<void>;
}

/** What the store does now. */
export interface Status {
  connection: State;
  /** How many messages wait to be sent. */
  queued: number;
  /** Where rows are stored; `memory` also after a failure, see `storageError`. */
  storage: "indexeddb" | "memory";
  storageError?: Error;
  /** Whether this tab holds the socket. */
  isLeader: boolean;
}

/** Whom a message is for: a user or a group. */
export type Receiver = { uid: string } | { guid: string };

/** What to send. */
export interface Outgoing {
  text?: string;
  /** The data, if it is more than a text. */
  data?: Record<string, unknown>;
  /** `message` if not given. */
  category?: "message" | "custom" | "interactive";
  /** `text` if not given, or the kind of the files. */
  type?: string;
  files?: readonly File[];
  tags?: readonly string[];
  /** The message that is replied to in its thread. */
  parentId?: string;
  quotedMessageId?: string;
  /** Further fields of the send. */
  more?: Record<string, unknown>;
}
