/** What the components show of conversations and messages. */

import type { ConversationView, MessageView } from "@hubbub/client/store";

/** The fields of a message's data that are shown here; which there are depends on its category and type. */
interface MessageData {
  text?: string;
  action?: string;
  attachments?: readonly { url: string; name?: string; mimeType?: string; width?: number; height?: number }[];
  reactions?: readonly { reaction: string; count: number; reactedByMe?: boolean }[];
  entities?: Partial<Record<"sender" | "by" | "on", { entity: { uid: string; name: string } }>>;
}

export function dataOf({ data }: MessageView): MessageData {
  return (data ?? {}) as MessageData;
}

/** Edits and deletions are entries of the history, too; the message itself shows them. */
export function isShown({ category, type }: MessageView): boolean {
  return !(category === "action" && type === "message");
}

export function nameOf({ conversationWith }: ConversationView): string {
  return conversationWith.name;
}

export function textOf(message: MessageView): string {
  const { text, action, entities } = dataOf(message);
  if (message.deletedAt !== undefined) return "This message was deleted.";
  if (action) return [entities?.by?.entity.name, action, entities?.on?.entity.name].filter(Boolean).join(" ");
  return text ?? "";
}

/** What the list of conversations shows of the last message. */
export function lastTextOf(message: MessageView | undefined): string {
  if (!message) return "";
  return textOf(message) || (dataOf(message).attachments?.length ? "A file" : "");
}

export function senderOf(message: MessageView): string {
  return dataOf(message).entities?.sender?.entity.name ?? message.sender;
}

/** The address of a file; the server gives it without its own name unless it knows that. */
export function addressOf(file: { url: string }, serverUrl: string): string {
  return new URL(file.url, serverUrl).href;
}

/** The time of a message, and how far one's own has come. */
export function stateOf({ sender, sentAt, editedAt, readAt, deliveredAt, local }: MessageView, uid: string): string {
  const time = new Date(sentAt * 1000).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
  const parts = [time, ...(editedAt === undefined ? [] : ["edited"])];
  if (local?.state === "failed") parts.push(`not sent: ${local.error?.message ?? ""}`);
  else if (local?.progress !== undefined) parts.push(`uploading, ${Math.round(100 * local.progress)} %`);
  else if (local) parts.push("sending");
  else if (sender === uid) parts.push(readAt ? "read" : deliveredAt ? "delivered" : "sent");
  return parts.join(" · ");
}

/** The text as HTML: what the field for a new message takes. */
export function escapeHtml(text: string): string {
  const element = document.createElement("p");
  element.textContent = text;
  return element.innerHTML;
}
