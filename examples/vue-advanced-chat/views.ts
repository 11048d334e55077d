/** Rooms and messages of `vue-advanced-chat`, made of conversations and messages of the store. */

import type { ConversationView, MessageView } from "@hubbub/client/store";
import type { Message, MessageFile, Room, RoomUser } from "vue-advanced-chat";

/** The fields of a message's data that are shown here; which there are depends on its category and type. */
interface MessageData {
  text?: string;
  action?: string;
  attachments?: readonly { url: string; name?: string; mimeType?: string; extension?: string; size?: number }[];
  reactions?: readonly { reaction: string; count: number; reactedByMe?: boolean }[];
  entities?: Partial<Record<"sender" | "by" | "on", { entity: { uid: string; name: string; avatar?: string } }>>;
}

/** A message of the component, with the key by which the store knows one that waits. */
export type ShownMessage = Message & { indexId: string };

/** Who looks, and the interface of the server. */
export interface Reader {
  uid: string;
  url: string;
}

/** Edits and deletions are entries of the history, too; the message itself shows them. */
export function isShown({ category, type }: Pick<MessageView, "category" | "type">): boolean {
  return !(category === "action" && type === "message");
}

/** Returns the room of a conversation; `place` is its place from the end of the list. */
export function roomOf(
  conversation: ConversationView,
  reader: Reader,
  presence: string | undefined,
  place: number,
): Room {
  const { conversationId, conversationWith: other, lastMessage, typing, unreadMessageCount } = conversation;
  const users = [{ uid: reader.uid, name: "You" }, ...("uid" in other ? [other] : []), ...typing];
  const people = new Map(users.map((user) => [user.uid, userOf(user, presence, typing)]));
  return {
    roomId: conversationId,
    roomName: other.name,
    avatar: ("uid" in other ? other.avatar : other.icon) ?? "",
    users: [...people.values()],
    unreadCount: unreadMessageCount,
    index: place,
    typingUsers: typing.map((user) => user.uid),
    ...(lastMessage ? { lastMessage: { ...messageOf(lastMessage, reader), content: lastTextOf(lastMessage) } } : {}),
  };
}

/** The list shows no files. The name of one would be taken for the address of a picture. */
function lastTextOf(message: MessageView): string {
  return textOf(message) || (dataOf(message).attachments?.length ? "A file" : "");
}

function userOf(
  { uid, name, avatar }: { uid: string; name: string; avatar?: string },
  presence: string | undefined,
  typing: readonly { uid: string }[],
): RoomUser {
  // The component hides that somebody types who is offline.
  const isOnline = presence === "available" || typing.some((each) => each.uid === uid);
  return { _id: uid, username: name, avatar: avatar ?? "", status: { state: isOnline ? "online" : "offline", lastChanged: "" } };
}

/** Returns the message as the component shows it. */
export function messageOf(message: MessageView, reader: Reader, sentFiles?: MessageFile[]): ShownMessage {
  const { key, id, sender, sentAt, local } = message;
  const person = dataOf(message).entities?.sender?.entity;
  const time = new Date(sentAt * 1000);
  const isSystem = message.category === "action";
  return {
    _id: id ?? key,
    indexId: key, // the same before and after it is stored
    senderId: sender,
    content: textOf(message),
    username: person?.name ?? sender,
    avatar: person?.avatar ?? "",
    date: time.toLocaleDateString([], { day: "numeric", month: "long" }),
    timestamp: time.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" }),
    system: isSystem,
    saved: id !== undefined,
    distributed: message.deliveredAt !== undefined,
    seen: message.readAt !== undefined,
    deleted: message.deletedAt !== undefined,
    edited: message.editedAt !== undefined,
    failure: local?.state === "failed",
    disableActions: id === undefined || isSystem,
    disableReactions: id === undefined || isSystem,
    reactions: reactionsOf(message, reader.uid),
    ...filesOf(message, reader.url, sentFiles),
    ...(message.quotedMessage ? { replyMessage: messageOf(message.quotedMessage as MessageView, reader) } : {}),
  };
}

function dataOf({ data }: MessageView): MessageData {
  return (data ?? {}) as MessageData;
}

function textOf(message: MessageView): string {
  const { text, action, entities } = dataOf(message);
  if (action) return [entities?.by?.entity.name, action, entities?.on?.entity.name].filter(Boolean).join(" ");
  return text ?? "";
}

/** The component wants who has reacted. A message says how many have, and whether this person is among them. */
function reactionsOf(message: MessageView, uid: string): Record<string, string[]> {
  const known = dataOf(message).reactions ?? [];
  return Object.fromEntries(
    known.map(({ reaction, count, reactedByMe }) => {
      const others = Array.from({ length: count - (reactedByMe ? 1 : 0) }, (_, index) => `other ${index}`);
      return [reaction, reactedByMe ? [uid, ...others] : others];
    }),
  );
}

/** The files that were stored, or those that are uploaded. */
function filesOf(message: MessageView, serverUrl: string, sentFiles?: MessageFile[]): { files?: MessageFile[] } {
  const progress = message.local?.progress;
  if (progress !== undefined && sentFiles) {
    return { files: sentFiles.map((file) => ({ ...file, progress: Math.round(100 * progress) })) };
  }
  const attachments = dataOf(message).attachments;
  if (!attachments?.length || message.deletedAt !== undefined) return {};
  return {
    files: attachments.map(({ url, name = "file", mimeType, extension = "", size }) => ({
      name: name.replace(/\.[^.]*$/, ""), // the component adds the extension
      type: mimeType ?? "",
      extension,
      url: new URL(url, serverUrl).href, // without its own name unless the server knows that
      ...(size === undefined ? {} : { size }),
    })),
  };
}
