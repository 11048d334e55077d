/** What the page uses of the client: the store's chat, and calls of the REST interface. */

import type { Client, Group, Scheduled, User } from "@hubbub/client";
import type {
  Chat,
  ConversationView,
  Gap,
  MessageView,
  MessagesQuery,
  MessagesView,
  Outgoing,
  Query,
  Receiver,
  Status,
} from "@hubbub/client/store";

export type { Chat, ConversationView, Gap, Group, MessageView, MessagesQuery, MessagesView, Outgoing, Query, Receiver, Scheduled, Status, User };

/** An answer of the REST interface. */
export interface RestAnswer<T> {
  data: T;
  meta?: Record<string, unknown>;
}

/** What a call is made with. */
export interface RestOptions {
  query?: Record<string, string | number | boolean>;
  body?: unknown;
}

/** Calls the REST interface with the person's token. */
export type Rest = <T>(method: string, path: string, options?: RestOptions) => Promise<RestAnswer<T>>;

/** The chat of one person, who is signed in. */
export interface Session {
  uid: string;
  client: Client;
  chat: Chat;
  rest: Rest;
}

/** A person of the demo, to be chosen at the start. */
export interface Person {
  uid: string;
  name: string;
  statusMessage?: string;
  isBot?: boolean;
}

/** A member of a group. */
export interface Member extends User {
  scope: "admin" | "moderator" | "participant";
}
