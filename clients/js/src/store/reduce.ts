/**
 * What an event changes in the rows.
 *
 * What an event does not say, such as how a message looks to this person after somebody else has edited it, is
 * marked as dirty: the row is read again soon (load.ts). What it adds to a number counts only if the row is
 * older than the event for certain; otherwise the row is dirty, too.
 */

import type { EventFrame, EventName, Events, Group } from "../generated/realtime.js";
import { takeDraft } from "./drafts.js";
import { applyAppended } from "./growing.js";
import { userConversation } from "./names.js";
import { withOwnVotes, withPoll, withVotesOf } from "./polls.js";
import { compareIds, forget, forgetMessage, holds, listOf, threadOf, type ConversationRow, type MessageRow, type Rows } from "./rows.js";

export interface Context {
  rows: Rows;
  /** The uid of this person. */
  me: string;
  /** Whether the row was read before this event for certain. */
  isCertain(key: string): boolean;
  /** Whether a page of a list, or of any, is read now. */
  isReading(list?: string): boolean;
  /** Has a receipt taken by the messages of pages that are read now, too: they may lack it. */
  stampRead(list: string, stamp: (message: MessageRow) => MessageRow): void;
  /** Whether somebody looks at the number of replies to a message. */
  isCounted(id: string): boolean;
  markDirty(key: string): void;
}

/** Applies an event; within a transaction. */
export function applyEvent(context: Context, frame: EventFrame<EventName>): void {
  const apply = REDUCERS[frame.event as EventName] as
    | ((context: Context, data: unknown, at: number) => void)
    | undefined;
  if (apply && frame.data) apply(context, frame.data, frame.at);
  dirtyUnknown(context);
}

/** Conversations that are just read for the first time may lack this event: they are read once more. */
function dirtyUnknown({ rows, markDirty }: Context): void {
  for (const [key] of [...rows.all("dirty")]) {
    const id = key.startsWith("conversation:") ? key.slice("conversation:".length) : undefined;
    if (id !== undefined && !rows.get("conversations", id)) markDirty(key);
  }
}

type Reducers = {
  [E in EventName]?: (context: Context, data: Events[E], at: number) => void;
} & Record<string, unknown>;

const REDUCERS: Reducers = {
  message_sent: (context, { message }) => {
    countReply(context, row(message));
    addMessage(context, row(message));
  },
  message_edited: (context, { message }) => changeMessage(context, row(message)),
  message_deleted: (context, { message, permanent }) => {
    changeMessage(context, row(message));
    recount(context, row(message)); // it is in the thread of what was deleted
    if (permanent) removeMessage(context, aboutOf(row(message)).id);
  },
  messages_deleted: removeMessages,
  messages_expired: removeMessages,
  message_appended: applyAppended,
  message_grown: (context, data) => {
    const message = row(data.message);
    putMessage(context, message);
    showAsLast(context, message);
  },
  message_reaction_added: (context, { reaction }) => react(context, reaction, 1),
  message_reaction_removed: (context, { reaction }) => react(context, reaction, -1),
  poll_updated: (context, { messageId, poll }) => changeData(context, messageId, (data) => withPoll(data, poll)),
  poll_closed: (context, { messageId, poll }) => changeData(context, messageId, (data) => withPoll(data, poll)),
  draft_changed: ({ rows }, { conversation, draft }) => takeDraft(rows, conversation.conversationId, draft?.data),
  // Told to this person alone. The counts follow with poll_updated.
  poll_voted: (context, { messageId, options }) =>
    changeIfCertain(context, messageId, (data) => withOwnVotes(data, options)),
  message_pinned: (context, { messageId, pinnedAt }) => patchMessage(context, messageId, { pinnedAt }),
  message_unpinned: (context, { messageId }) => patchMessage(context, messageId, { pinnedAt: undefined }),
  message_interacted: (context, { messageId }) => context.markDirty(`message:${messageId}`),
  interaction_goal_completed: (context, { messageId }) => context.markDirty(`message:${messageId}`),
  interactive_form_submitted: (context, { submission }) =>
    context.markDirty(`message:${submission.messageId}`),
  message_delivery_receipt: (context, receipt) =>
    markUpTo(context, { uid: receipt.sender }, receipt.body, "deliveredAt"),
  message_read_receipt: (context, receipt) =>
    markUpTo(context, { uid: receipt.sender }, receipt.body, "readAt"),
  conversation_read: (context, { conversation, lastReadMessageId }, at) => {
    readUpTo(context, conversation.conversationId, lastReadMessageId);
    markReceived(context, conversation, lastReadMessageId, at, "readAt");
  },
  conversation_unread: (context, { conversation }) =>
    context.markDirty(`conversation:${conversation.conversationId}`),
  conversation_delivered: (context, { conversation, lastDeliveredMessageId }, at) =>
    markReceived(context, conversation, lastDeliveredMessageId, at, "deliveredAt"),
  receipts_advanced: (context, { receiver, deliveredToAllId, readByAllId }, at) => {
    const list = `group_${receiver}`;
    if (deliveredToAllId) stamp(context, list, deliveredToAllId, at, "deliveredAt");
    if (readByAllId) stamp(context, list, readByAllId, at, "readAt");
  },
  conversation_reset: (context, { conversation }) => forget(context.rows, conversation.conversationId),
  conversation_deleted: (context, { conversation }) => forget(context.rows, conversation.conversationId),
  conversation_updated: (context, { conversation }) =>
    context.markDirty(`conversation:${conversation.conversationId}`),
  user_blocked: (context, { users }) => dirtyUsers(context, users),
  user_unblocked: (context, { users }) => dirtyUsers(context, users),
  group_updated: (context, { group }) => changeGroup(context, group),
  group_owner_transferred: (context, { group }) => changeGroup(context, group),
  group_deleted: (context, { group }) => forget(context.rows, `group_${group.guid}`),
  group_member_added: changeMembers,
  group_member_joined: changeMembers,
  group_member_unbanned: changeMembers,
  group_member_scope_changed: changeMembers,
  group_member_left: leave,
  group_member_kicked: leave,
  group_member_banned: leave,
};

function removeMessages(context: Context, { messageIds, conversation }: Events["messages_deleted" | "messages_expired"]): void {
  for (const id of messageIds) removeMessage(context, id);
  for (const [id] of context.rows.all("replies")) context.markDirty(`replies:${id}`);
  context.markDirty(`conversation:${conversation.conversationId}`);
}

function row(message: unknown): MessageRow {
  return message as MessageRow;
}

/** Adds a message that was sent, or takes it as it is now. */
export function addMessage(context: Context, message: MessageRow): void {
  const { rows, me } = context;
  putMessage(context, message);
  // Whether this person may see what is quoted, as after a reset of the conversation, no event says.
  const { quotedMessage } = message;
  if (quotedMessage && !rows.get("messages", quotedMessage.id)) context.markDirty(`message:${message.id}`);
  if (message.muid !== undefined && message.sender === me) rows.remove("outbox", message.muid);
  const conversation = rows.get("conversations", message.conversationId);
  const last = conversation?.lastMessage;
  if (last && compareIds(message.id, last.id) <= 0) return; // the row was read after it
  if (!conversation || !last || !movesConversation(conversation, message)) {
    return context.markDirty(`conversation:${message.conversationId}`);
  }
  rows.put("conversations", message.conversationId, {
    ...conversation,
    lastMessage: message,
    updatedAt: message.sentAt,
    unreadMessageCount: conversation.unreadMessageCount + (message.sender === me ? 0 : 1),
  });
}

/** Counts a reply that was sent by somebody. One that is known may be in the number already. */
function countReply(context: Context, message: MessageRow): void {
  const { rows, isCertain } = context;
  const { id, parentId } = message;
  const known = parentId === undefined ? undefined : rows.get("replies", parentId);
  const isNew = known && !rows.get("messages", id) && isCertain(`replies:${parentId}`);
  if (isNew) rows.put("replies", parentId!, { count: known.count + 1 });
  else recount(context, message);
}

/** Has the replies in the thread of a reply counted again, if somebody has asked for their number. */
export function recount({ rows, isCounted, markDirty }: Context, { parentId }: MessageRow): void {
  if (parentId !== undefined && (rows.get("replies", parentId) || isCounted(parentId))) markDirty(`replies:${parentId}`);
}

/** Beyond so many members messages may not move the conversation; how many is a setting of the app. */
const CERTAIN_MEMBERS = 100;

/** Whether a message becomes the last one and counts as unread, whatever the settings of the app. */
function movesConversation({ conversationWith }: ConversationRow, message: MessageRow): boolean {
  const members = (conversationWith as Partial<Group>).membersCount ?? 0;
  return (
    message.category !== "action" &&
    message.parentId === undefined &&
    message.updateConversation !== false &&
    members <= CERTAIN_MEMBERS
  );
}

/** The message that an action message is about. */
function aboutOf(action: MessageRow): MessageRow {
  const entities = action.data.entities as { on: { entity: MessageRow } };
  return entities.on.entity;
}

/** Takes an edit or a deletion, of which `action` is the entry in the conversation. */
function changeMessage(context: Context, action: MessageRow): void {
  const { rows } = context;
  const about = aboutOf(action);
  if (belongs(context, action)) rows.put("messages", action.id, action);
  const known = held(context, about.id);
  if (known) {
    putMessage(context, { ...known, ...about, data: about.data ?? {} });
    if (about.deletedAt !== undefined) context.markDirty(`message:${about.id}`);
  }
  dirtyQuotes(context, about.id);
  // Whether it becomes the last message is a setting of the app.
  context.markDirty(`conversation:${action.conversationId}`);
}

/** Has the messages read again that show this one within. */
function dirtyQuotes(context: Context, id: string): void {
  const { rows, markDirty } = context;
  const quotes = (message: MessageRow | undefined) =>
    message?.quotedMessage?.id === id || message?.parentMessage?.id === id;
  const known = rows.get("messages", id);
  for (const other of known ? rows.idsOf(listOf(known)) : []) {
    if (quotes(rows.get("messages", other))) markDirty(`message:${other}`);
  }
  for (const [conversationId, { lastMessage }] of rows.all("conversations")) {
    if (quotes(lastMessage)) markDirty(`conversation:${conversationId}`);
  }
}

/** The conversations of which a message is shown as the last one: one, if any. */
function shownAsLast({ rows }: Context, id: string): string[] {
  return [...rows.all("conversations")].filter(([, { lastMessage }]) => lastMessage?.id === id).map(([key]) => key);
}

/** Puts a message with what only this person's own view of it has. */
function putMessage(context: Context, message: MessageRow): void {
  const { rows } = context;
  const known = rows.get("messages", message.id);
  if (!known && !belongs(context, message)) return;
  rows.put("messages", message.id, {
    ...message,
    ...(known?.savedAt === undefined ? {} : { savedAt: known.savedAt }),
    data: withVotesOf(withOwnReactions(message.data, known?.data), known?.data),
  });
  // What an event shows is for no viewer: whether a reaction is this person's is not in it.
  const hasReactions = [message, message.quotedMessage].some((each) => reactionsOf(each?.data).length > 0);
  if (hasReactions) context.markDirty(`message:${message.id}`);
}

/** Returns a message that is held. One that is just being read may lack this event: it is read once more. */
function held(context: Context, id: string): MessageRow | undefined {
  const known = context.rows.get("messages", id);
  if (!known && context.isReading()) context.markDirty(`message:${id}`);
  return known;
}

/** Whether a message belongs to what is held of its list, or will be when the page is there that is read now. */
function belongs({ rows, isReading }: Context, message: MessageRow): boolean {
  return holds(rows, message) || isReading(listOf(message));
}

function removeMessage(context: Context, id: string): void {
  const { rows, markDirty } = context;
  const known = held(context, id);
  if (!known) return;
  forgetMessage(rows, id);
  for (const reply of [...rows.idsOf(threadOf(id))]) rows.remove("messages", reply);
  rows.remove("lists", threadOf(id));
  markDirty(`conversation:${known.conversationId}`);
}

/** Changes the data of a message wherever it is shown. */
function changeData(context: Context, id: string, change: (data: MessageRow["data"]) => MessageRow["data"]): void {
  update(context, id, (message) => ({ ...message, data: change(message.data) }));
}

function patchMessage(context: Context, id: string, patch: Partial<MessageRow>): void {
  update(context, id, (message) => {
    const next = { ...message, ...patch };
    for (const name of Object.keys(patch) as (keyof MessageRow)[]) {
      if (next[name] === undefined) delete next[name];
    }
    return next;
  });
}

/** Changes a message wherever it is shown: in its list, as the last one, quoted by others. */
function update(context: Context, id: string, change: (message: MessageRow) => MessageRow): void {
  const { rows } = context;
  const known = held(context, id);
  if (known) rows.put("messages", id, change(known));
  for (const conversationId of shownAsLast(context, id)) {
    const conversation = rows.get("conversations", conversationId)!;
    rows.put("conversations", conversationId, { ...conversation, lastMessage: change(conversation.lastMessage!) });
  }
  dirtyQuotes(context, id);
}

/** Shows a message as it is now where it is the last one of its conversation. */
function showAsLast({ rows }: Context, message: MessageRow): void {
  const conversation = rows.get("conversations", message.conversationId);
  if (conversation?.lastMessage?.id !== message.id) return;
  rows.put("conversations", message.conversationId, { ...conversation, lastMessage: message });
}

export interface Reaction {
  reaction: string;
  count: number;
  reactedByMe?: boolean;
}

export function reactionsOf(data: MessageRow["data"] | undefined): readonly Reaction[] {
  return (data?.reactions as readonly Reaction[] | undefined) ?? [];
}

/** Returns data with the reactions as they are for this person, as far as they are known. */
function withOwnReactions(data: MessageRow["data"], known: MessageRow["data"] | undefined): MessageRow["data"] {
  const own = new Set(reactionsOf(known).filter((each) => each.reactedByMe).map((each) => each.reaction));
  if (own.size === 0) return data;
  const reactions = reactionsOf(data).map((each) =>
    own.has(each.reaction) && each.reactedByMe === undefined ? { ...each, reactedByMe: true } : each,
  );
  return { ...data, reactions };
}

/** Returns data with one reaction more or less. */
export function withReaction(
  data: MessageRow["data"],
  reaction: string,
  by: 1 | -1,
  isMine: boolean,
): MessageRow["data"] {
  const reactions = reactionsOf(data);
  const known = reactions.find((each) => each.reaction === reaction);
  if (isMine && (known?.reactedByMe ?? false) === (by === 1)) return data;
  const count = (known?.count ?? 0) + by;
  const changed: Reaction = { ...known, reaction, count, ...(isMine ? { reactedByMe: by === 1 } : {}) };
  const next = known
    ? reactions.map((each) => (each === known ? changed : each)).filter((each) => each.count > 0)
    : [...reactions, ...(by === 1 ? [changed] : [])];
  const { reactions: _, ...rest } = data;
  return next.length > 0 ? { ...rest, reactions: next } : rest;
}

function react(
  context: Context,
  { messageId, reaction, uid }: { messageId: string; reaction: string; uid: string },
  by: 1 | -1,
): void {
  changeIfCertain(context, messageId, (data) => withReaction(data, reaction, by, uid === context.me));
}

/** Changes the data of a message, or has it read again if what is held may be newer than the event. */
function changeIfCertain(
  context: Context,
  id: string,
  change: (data: MessageRow["data"]) => MessageRow["data"],
): void {
  const key = `message:${id}`;
  const isCertain = [key, ...shownAsLast(context, id).map((list) => `conversation:${list}`)].every(context.isCertain);
  if (isCertain) return changeData(context, id, change);
  context.markDirty(key);
  dirtyQuotes(context, id);
}

/** Marks this person's messages as delivered to a user, or read by them. */
function markUpTo(
  context: Context,
  other: { uid: string },
  { messageId, timestamp }: { messageId: string; timestamp: number },
  field: "deliveredAt" | "readAt",
): void {
  const list = userConversation(context.me, other.uid);
  stamp(context, list, messageId, timestamp, field, ({ sender }) => sender === context.me);
}

/** Marks what this person has received as such, in a conversation with a user. */
function markReceived(
  context: Context,
  { conversationId, conversationType }: { conversationId: string; conversationType: string },
  upTo: string,
  at: number,
  field: "deliveredAt" | "readAt",
): void {
  if (conversationType !== "user") return; // in a group only what all have counts
  stamp(context, conversationId, upTo, at, field, ({ sender }) => sender !== context.me);
}

function stamp(
  { rows, stampRead }: Context,
  conversationId: string,
  upTo: string,
  at: number,
  field: "deliveredAt" | "readAt",
  concerns: (message: MessageRow) => boolean = () => true,
): void {
  const stamped = (message: MessageRow): MessageRow => {
    const { quotedMessage } = message;
    const quoted = quotedMessage && stamped(quotedMessage); // it is shown within
    const isNew = message[field] === undefined && compareIds(message.id, upTo) <= 0 && concerns(message);
    if (!isNew && quoted === quotedMessage) return message;
    return { ...message, ...(isNew ? { [field]: at } : {}), ...(quoted ? { quotedMessage: quoted } : {}) };
  };
  for (const id of rows.idsOf(conversationId)) rows.put("messages", id, stamped(rows.get("messages", id)!));
  stampRead(conversationId, stamped);
  const conversation = rows.get("conversations", conversationId);
  const last = conversation?.lastMessage;
  if (last && stamped(last) !== last) rows.put("conversations", conversationId, { ...conversation, lastMessage: stamped(last) });
}

/**
 * Marks a conversation as read up to a message. Only if that is the last one the number is known: an event has the
 * number of the time at which it is told, with messages of which this client hears after it.
 */
function readUpTo(context: Context, conversationId: string, upTo: string): void {
  const { rows } = context;
  const key = `conversation:${conversationId}`;
  const known = rows.get("conversations", conversationId);
  const isAll = known?.lastMessage !== undefined && compareIds(known.lastMessage.id, upTo) <= 0;
  if (known && isAll) rows.put("conversations", conversationId, { ...known, unreadMessageCount: 0 });
  if (!isAll || !context.isCertain(key)) context.markDirty(key);
}

function dirtyUsers(context: Context, users: Record<string, unknown>): void {
  for (const uid of Object.keys(users)) {
    context.markDirty(`conversation:${userConversation(context.me, uid)}`);
  }
}

/** Takes a group as it is now, with what only this person's own view of it has. */
function changeGroup(context: Context, group: object): void {
  const { guid } = group as Group;
  const known = context.rows.get("conversations", `group_${guid}`);
  if (!known) return;
  const conversationWith = { ...known.conversationWith, ...group } as Group;
  context.rows.put("conversations", known.conversationId, { ...known, conversationWith });
  context.markDirty(`conversation:${known.conversationId}`);
}

interface MemberEvent {
  group: object;
  members: Record<string, object>;
  message?: unknown;
}

function changeMembers(context: Context, { group, members, message }: MemberEvent): void {
  if (context.me in members) context.markDirty(`conversation:group_${(group as Group).guid}`);
  changeGroup(context, group);
  if (message) addMessage(context, row(message));
}

function leave(context: Context, event: MemberEvent): void {
  if (context.me in event.members) return forget(context.rows, `group_${(event.group as Group).guid}`);
  changeMembers(context, event);
}
