/** What is read of a message's data, whose fields depend on its category and type. */

import type { ConversationView, Group, MessageView, User } from "./types.js";

export interface Attachment {
  url: string;
  name?: string;
  mimeType?: string;
  size?: number | string;
  width?: number;
  height?: number;
  thumbnail?: { url: string; width: number; height: number };
}

export interface Reaction {
  reaction: string;
  count: number;
  reactedByMe?: boolean;
}

export interface Option {
  value: string;
  label: string;
}

export interface Element {
  elementType: string;
  elementId: string;
  label?: string;
  text?: string;
  optional?: boolean;
  defaultValue?: string | string[];
  options?: Option[];
  maxLines?: number;
  placeholder?: { text?: string };
  buttonText?: string;
  disableAfterInteracted?: boolean;
  action?: { actionType: string; url?: string };
  mode?: "date" | "time" | "dateTime";
  dateTimeFormat?: string;
  from?: string;
  to?: string;
}

export interface Interactive {
  title?: string;
  text?: string;
  imageUrl?: string;
  formFields?: Element[];
  submitElement?: Element;
  cardActions?: Element[];
  goalCompletionText?: string;
}

export interface PollState {
  voters: number;
  options: { votes: number; votedByMe?: boolean }[];
  closesAt?: number;
  closedAt?: number;
}

export interface PollData {
  question: string;
  options: string[];
  votesPerUser?: number;
  anonymous?: boolean;
  /** Absent until the server has stored the message. */
  poll?: PollState;
}

interface Entity<T> {
  entity: T;
  entityType: string;
}

export interface MessageData {
  text?: string;
  attachments?: Attachment[];
  reactions?: Reaction[];
  mentions?: Record<string, { uid?: string; name?: string; type?: string }>;
  interactiveData?: Interactive;
  interactions?: { elementId: string; interactedAt: number }[];
  allowSenderInteraction?: boolean;
  question?: string;
  growing?: { sequence: number };
  grown?: { status: string };
  action?: string;
  entities?: {
    sender?: Entity<User>;
    by?: Entity<User>;
    on?: Entity<User & { scope?: string }>;
    for?: Entity<Group>;
  };
}

/** The data of a message, without fields that are of another form than they are drawn in: it may hold any JSON. */
export function dataOf(message: { data?: unknown }): MessageData {
  const { text, attachments, ...rest } = (message.data ?? {}) as Record<string, unknown>;
  const files = Array.isArray(attachments) ? attachments.filter((each) => typeof each?.url === "string") : undefined;
  return {
    ...rest,
    ...(typeof text === "string" ? { text } : {}),
    ...(files ? { attachments: files } : {}),
  } as MessageData;
}

export const textOf = (message: MessageView): string => dataOf(message).text ?? "";

export const isDeleted = (message: MessageView): boolean => Boolean(message.deletedAt);

export const isAction = (message: MessageView): boolean => message.category === "action";

/** The type of a message, which is any word in some categories. */
export const typeOf = (message: { type: string }): string => message.type;

/** Entries about edits and deletions say nothing that the message itself does not show. */
export const isShown = (message: MessageView): boolean => !(isAction(message) && typeOf(message) === "message");

export const senderName = (message: MessageView, uid: string): string => {
  const sender = dataOf(message).entities?.sender?.entity;
  return message.sender === uid ? "You" : (sender?.name ?? message.sender);
};

export const isGroup = (other: User | Group): other is Group => "guid" in other;

export const idOf = (other: User | Group): string => (isGroup(other) ? other.guid : other.uid);

export const receiverOf = (conversation: ConversationView): { uid: string } | { guid: string } => {
  const other = conversation.conversationWith;
  return isGroup(other) ? { guid: other.guid } : { uid: other.uid };
};

/** Files and pictures are shown if they come from this server; others are links, which no page has to load. */
export const isOwnUrl = (url: string): boolean => {
  try {
    const { origin, protocol } = new URL(url, location.href);
    return origin === location.origin || protocol === "blob:";
  } catch {
    return false;
  }
};

/** An address that a link may have: no scripts. */
export const safeUrl = (url: string | undefined): string | undefined => {
  try {
    const found = new URL(url ?? "", location.href);
    return /^(javascript|data|vbscript|blob):$/.test(found.protocol) ? undefined : found.href;
  } catch {
    return undefined;
  }
};
