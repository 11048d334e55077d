/** Rows as they are shown: each view is the same object until something in it changes. */

import type { Group, User } from "../generated/realtime.js";
import type { ListState } from "./list.js";
import type { Overlay } from "./overlay.js";
import { rangesOf, rangeWith, type ReadRange } from "./ranges.js";
import { compareIds, threadOf, type ConversationRow, type MessageRow, type OutboxRow, type Rows } from "./rows.js";
import type { ConversationView, Gap, MessagesView, MessageView } from "./types.js";

/** What is shown and stored nowhere. */
export interface Unstored {
  /** Who types in a conversation. */
  typistsIn(conversationId: string): Iterable<string>;
  /** The part of a message's files that was uploaded. */
  progressOf(muid: string): number;
}

/** Makes views of rows, and remembers them. */
export class Views {
  private readonly messages = new WeakMap<MessageRow, MessageView>();
  private readonly conversations = new WeakMap<ConversationRow, ConversationView>();

  constructor(
    private readonly rows: Rows,
    private readonly overlay: Overlay,
    private readonly uid: string,
    private readonly unstored: Unstored,
  ) {}

  /** Forgets the view of a message, which is shown in another way now. */
  forgetMessage(row: MessageRow): void {
    this.messages.delete(row);
  }

  forgetConversation(row: ConversationRow): void {
    this.conversations.delete(row);
  }

  /** Pinned ones first, then by their last change. */
  allConversations(before: readonly ConversationView[] = []): readonly ConversationView[] {
    const views = [...this.rows.all("conversations")].map(([, row]) => this.conversation(row));
    views.sort((one, other) => (other.pinnedAt ?? 0) - (one.pinnedAt ?? 0) || other.updatedAt! - one.updatedAt! ||
      compareIds(other.lastMessage?.id ?? "", one.lastMessage?.id ?? ""));
    return isSame(before, views) ? before : views;
  }

  conversation(row: ConversationRow): ConversationView {
    const known = this.conversations.get(row);
    if (known) return known;
    const { lastMessage, ...rest } = row;
    const typing = [...this.unstored.typistsIn(row.conversationId)].map((uid) => this.person(row, uid));
    const view: ConversationView = {
      ...rest,
      typing,
      conversationWith: rest.conversationWith as User | Group,
      ...(lastMessage ? { lastMessage: this.stored(lastMessage) } : {}),
    };
    this.conversations.set(row, view);
    return view;
  }

  stored(row: MessageRow): MessageView {
    const known = this.messages.get(row);
    if (known) return known;
    const shown = this.overlay.shown(row.id);
    const view = { ...(shown ?? row), key: row.muid ?? row.id, ...(shown ? { isChanging: true } : {}) } as MessageView;
    this.messages.set(row, view);
    return view;
  }

  waiting(row: OutboxRow): MessageView {
    const { fields, muid, receiver, receiverType, conversationId, at, error, files } = row;
    const progress = files ? this.unstored.progressOf(muid) : undefined;
    return {
      ...fields,
      key: muid,
      muid,
      conversationId,
      sender: this.uid,
      receiver,
      receiverType,
      sentAt: at,
      updatedAt: at,
      local: error
        ? { state: "failed", error }
        : { state: "sending", ...(progress === undefined ? {} : { progress }) },
    } as unknown as MessageView;
  }

  /** The messages of a list, and those that wait behind them. */
  list(list: string, state: ListState, before: MessagesView | undefined): MessagesView {
    const stored = this.rows.idsOf(list).map((id) => this.stored(this.rows.get("messages", id)!));
    const keys = new Set(stored.map(({ key }) => key));
    const waiting = [...this.rows.all("outbox")]
      .map(([, row]) => row)
      .filter((row) => listOfWaiting(row) === list && !keys.has(row.muid))
      .sort((one, other) => one.place - other.place)
      .map((row) => this.waiting(row));
    const all = [...stored, ...waiting];
    const messages = before && isSame(before.messages, all) ? before.messages : all;
    const ranges = rangesOf(this.rows.get("lists", list) ?? { isComplete: false });
    const hasOlder = !ranges[0]!.isComplete;
    const found = gapsOf(ranges, stored);
    const gaps = before && JSON.stringify(before.gaps) === JSON.stringify(found) ? before.gaps : found;
    const isUnchanged = before?.messages === messages && before.hasOlder === hasOlder && before.gaps === gaps;
    if (isUnchanged && before.isLoading === state.isLoading && before.error === state.error) return before;
    return { messages, hasOlder, gaps, ...state };
  }

  /** What is known of somebody who types. */
  private person(row: ConversationRow, uid: string): User {
    const other = row.conversationWith as Partial<User>;
    if (other.uid === uid) return other as User;
    const ids = this.rows.idsOf(row.conversationId);
    for (let at = ids.length - 1; at >= 0; at--) {
      const message = this.rows.get("messages", ids[at]!)!;
      if (message.sender === uid) return senderOf(message) ?? ({ uid, name: uid } as User);
    }
    return { uid, name: uid } as User;
  }
}

/** The places between messages that are held in different ranges. */
function gapsOf(ranges: readonly ReadRange[], stored: readonly MessageView[]): readonly Gap[] {
  if (ranges.length === 1) return [];
  return stored.flatMap(({ id }, index) => {
    const next = stored[index + 1]?.id;
    const isGap = next !== undefined && rangeWith(ranges, id!) !== rangeWith(ranges, next);
    return isGap ? [{ after: id!, before: next }] : [];
  });
}

function isSame<T>(one: readonly T[], other: readonly T[]): boolean {
  return one.length === other.length && one.every((each, index) => each === other[index]);
}

/** The list in which a message that waits is shown. */
export function listOfWaiting({ conversationId, fields }: OutboxRow): string {
  return fields.parentId === undefined ? conversationId : threadOf(String(fields.parentId));
}

function senderOf({ data }: MessageRow): User | undefined {
  const entities = data.entities as { sender?: { entity?: User } } | undefined;
  return entities?.sender?.entity;
}
