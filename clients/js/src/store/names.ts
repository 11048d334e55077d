/** Names of conversations, and the paths of what is in them. */

import type { Group, User } from "../generated/realtime.js";
import type { Rows } from "./rows.js";
import type { Receiver } from "./types.js";

/** The id of the conversation of two users: their uids in order. */
export function userConversation(one: string, other: string): string {
  return one < other ? `${one}_user_${other}` : `${other}_user_${one}`;
}

/** The id of the conversation with a user, or of a group. */
export function conversationOf(receiver: Receiver, me: string): string {
  return "uid" in receiver ? userConversation(me, receiver.uid) : `group_${receiver.guid}`;
}

/** The other user, or the group, of a conversation. */
export function partnerIn(rows: Rows, conversationId: string, me: string): Receiver {
  const other = rows.get("conversations", conversationId)?.conversationWith as Partial<User & Group> | undefined;
  if (other?.guid !== undefined) return { guid: other.guid };
  if (other?.uid !== undefined) return { uid: other.uid };
  return partnerOf(conversationId, me);
}

/** The same of a conversation of which only the id is known. */
function partnerOf(conversationId: string, me: string): Receiver {
  if (conversationId.startsWith("group_")) return { guid: conversationId.slice("group_".length) };
  const mine = `${me}_user_`;
  if (conversationId.startsWith(mine)) return { uid: conversationId.slice(mine.length) };
  return { uid: conversationId.slice(0, -`_user_${me}`.length) };
}

/** The `receiver` and the `receiverType` of calls. */
export function namesOf(receiver: Receiver): [name: string, receiverType: "user" | "group"] {
  if ("uid" in receiver) return [receiver.uid, "user"];
  if ("guid" in receiver) return [receiver.guid, "group"];
  throw new TypeError("A receiver is {uid} or {guid}.");
}

/** The path of what belongs to a user or a group. */
export function pathOf(receiver: Receiver, rest: "messages" | "conversation"): string {
  const [name, kind] = namesOf(receiver);
  return `/${kind}s/${encodeURIComponent(name)}/${rest}`;
}
