/** The rows of the store: in memory, with each change told to the disk and to other tabs. */

import type { Queued } from "../queue.js";
import type { ChatMessage, Conversation } from "../generated/realtime.js";
import { rangesOf, rangeWith, withoutOlder } from "./ranges.js";

/** A message as the server has sent it. The fields of all categories are these; `data` differs. */
export type MessageRow = Omit<ChatMessage, "category" | "type" | "data" | "quotedMessage" | "parentMessage"> & {
  category: string;
  type: string;
  data: Record<string, unknown>;
  quotedMessage?: MessageRow;
  parentMessage?: MessageRow;
};

/** A conversation, with the number of unread messages as a number. */
export type ConversationRow = Omit<Conversation, "unreadMessageCount" | "lastMessage"> & {
  unreadMessageCount: number;
  lastMessage?: MessageRow;
};

/** What is held of a list of messages: all from `oldest` on, and `islands`. Named by a conversation or a thread. */
export interface ListRow {
  /** The id of the oldest message that is held with all after it. */
  oldest?: string;
  /** Whether there is none before it. */
  isComplete: boolean;
  /** Ranges before it that do not meet, the oldest first. */
  islands?: readonly Range[];
}

/** Some messages of a list, with all between them. */
export interface Range {
  oldest: string;
  newest: string;
  /** Whether there is none before `oldest`. */
  isComplete: boolean;
}

/** How many replies the thread of a message has. */
export interface RepliesRow {
  count: number;
}

/** What was begun to be written in a conversation. */
export interface DraftRow {
  /** Absent if it was removed here, and the server does not know it yet. */
  data?: Record<string, unknown>;
  /** Whether the server may have one. */
  isStored: boolean;
  /** Whether the server does not know yet what it is here. */
  isWaiting?: boolean;
}

/** A message that waits, with what it is shown by. */
export interface OutboxRow extends Queued {
  conversationId: string;
  /** Its place among those that wait. */
  place: number;
  at: number;
}

export interface Tables {
  conversations: ConversationRow;
  messages: MessageRow;
  lists: ListRow;
  /** By the id of the message that is replied to. */
  replies: RepliesRow;
  outbox: OutboxRow;
  /** By the id of the conversation. */
  drafts: DraftRow;
  /** What is known to be out of date, by `conversation:<id>`, `message:<id>` or `replies:<id>`, since which version of the rows. */
  dirty: { since: number };
  /** `cursor`, `user`, `drafts`. */
  facts: unknown;
}

export type TableName = keyof Tables;
export const TABLES: readonly TableName[] = ["conversations", "messages", "lists", "replies", "outbox", "drafts", "dirty", "facts"];

/** A row that was put, or removed if there is none. */
export interface Change {
  table: TableName;
  key: string;
  row?: unknown;
}

/** Where rows are stored. All changes of one call are stored, or none. */
export interface Storage {
  readonly kind: "indexeddb" | "memory";
  load(): Promise<Change[]>;
  write(changes: readonly Change[]): Promise<void>;
  /** Removes all that is stored, also for tabs that have it open; nothing more is read or written. */
  erase(): Promise<void>;
  close(): void;
}

/** Hears of changes; those that are not lasting are read again after a start, and need not be stored. */
export type Commit = (changes: readonly Change[], isLasting: boolean) => void;

/** Tables in memory. `transaction` groups changes, which are then told together. */
export class Rows {
  private readonly tables = Object.fromEntries(TABLES.map((name) => [name, new Map()])) as {
    [T in TableName]: Map<string, Tables[T]>;
  };
  private batch: Map<string, Change> | undefined;
  /** The messages of each list, ascending by id. */
  private readonly members = new Map<string, string[]>();
  private readonly watchers = new Set<(changes: readonly Change[]) => void>();
  private readonly changedIn = new Map<string, number>();
  /** Grows with each change, so that what was read before a change is known. */
  version = 0;

  constructor(private readonly commit: Commit) {}

  get<T extends TableName>(table: T, key: string): Tables[T] | undefined {
    return this.tables[table].get(key);
  }

  all<T extends TableName>(table: T): IterableIterator<[string, Tables[T]]> {
    return this.tables[table].entries();
  }

  put<T extends TableName>(table: T, key: string, row: Tables[T]): void {
    if (this.tables[table].get(key) === row) return;
    this.set(table, key, row);
    this.note({ table, key, row });
  }

  remove(table: TableName, key: string): void {
    if (!this.tables[table].has(key)) return;
    this.set(table, key, undefined);
    this.note({ table, key });
  }

  /** Whether a row has changed after a version. */
  hasChanged(table: TableName, key: string, version: number): boolean {
    return (this.changedIn.get(`${table}:${key}`) ?? 0) > version;
  }

  /** The ids of the messages of a list, ascending. Do not change it. */
  idsOf(list: string): readonly string[] {
    return this.members.get(list) ?? [];
  }

  /** Runs `change`, and tells of all that it changed at once; within another it is a part of that. */
  transaction<R>(change: () => R, isLasting = true): R {
    if (this.batch) return change();
    this.batch = new Map();
    try {
      return change();
    } finally {
      const changes = [...this.batch.values()];
      this.batch = undefined;
      if (changes.length > 0) {
        this.commit(changes, isLasting);
        this.tell(changes);
      }
    }
  }

  /** Takes changes that were made elsewhere: read from the disk, or made by the tab that holds the socket. */
  adopt(changes: readonly Change[]): void {
    for (const { table, key, row } of changes) this.set(table, key, row);
    this.tell(changes);
  }

  /** All rows, as changes that make them. */
  snapshot(): Change[] {
    return TABLES.flatMap((table) =>
      [...this.tables[table]].map(([key, row]): Change => ({ table, key, row })),
    );
  }

  /** Calls `listener` after changes, also those of other tabs. */
  watch(listener: (changes: readonly Change[]) => void): () => void {
    this.watchers.add(listener);
    return () => void this.watchers.delete(listener);
  }

  private tell(changes: readonly Change[]): void {
    for (const listener of [...this.watchers]) listener(changes);
  }

  private note(change: Change): void {
    if (!this.batch) throw new Error("a change outside of a transaction");
    this.batch.set(`${change.table}:${change.key}`, change);
  }

  private set(table: TableName, key: string, row: unknown): void {
    const rows = this.tables[table] as Map<string, unknown>;
    this.changedIn.set(`${table}:${key}`, ++this.version);
    if (table === "messages") {
      const before = rows.get(key) as MessageRow | undefined;
      if (!before && row) insert(this.membersOf(listOf(row as MessageRow)), key);
      if (before && !row) drop(this.membersOf(listOf(before)), key);
    }
    if (row === undefined) rows.delete(key);
    else rows.set(key, row);
  }

  private membersOf(list: string): string[] {
    const known = this.members.get(list) ?? [];
    this.members.set(list, known);
    return known;
  }
}

/** Whether a message is within what is held of its list. */
export function holds(rows: Rows, message: MessageRow): boolean {
  const list = rows.get("lists", listOf(message));
  return list !== undefined && rangeWith(rangesOf(list), message.id) >= 0;
}

/** Removes a conversation with all that is held of it. */
export function forget(rows: Rows, conversationId: string): void {
  forgetList(rows, conversationId);
  for (const [name] of [...rows.all("lists")]) {
    const parent = name.startsWith("thread:") ? rows.idsOf(name)[0] : undefined;
    if (parent && rows.get("messages", parent)?.conversationId === conversationId) forgetList(rows, name);
  }
  for (const [id] of [...rows.all("replies")]) if (!rows.get("messages", id)) rows.remove("replies", id);
  rows.remove("conversations", conversationId);
}

/** Removes the messages that are held of a list. */
export function forgetList(rows: Rows, list: string): void {
  for (const id of [...rows.idsOf(list)]) forgetMessage(rows, id);
  rows.remove("lists", list);
}

/** Removes a message, with what is known of its thread but for the replies that are held. */
export function forgetMessage(rows: Rows, id: string): void {
  rows.remove("messages", id);
  rows.remove("replies", id);
}

/** The list that has a message: its conversation, or the thread of its parent. */
export function listOf({ conversationId, parentId }: MessageRow): string {
  return parentId === undefined ? conversationId : threadOf(parentId);
}

export function threadOf(parentId: string): string {
  return `thread:${parentId}`;
}

/** Compares ids, which are whole numbers as text. */
export function compareIds(one: string, other: string): number {
  return one.length - other.length || (one < other ? -1 : one > other ? 1 : 0);
}

function insert(ids: string[], id: string): void {
  let [low, high] = [0, ids.length];
  if (high > 0 && compareIds(ids[high - 1]!, id) < 0) low = high; // most come at the end
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compareIds(ids[middle]!, id) < 0) low = middle + 1;
    else high = middle;
  }
  ids.splice(low, 0, id);
}

function drop(ids: string[], id: string): void {
  const at = ids.indexOf(id);
  if (at >= 0) ids.splice(at, 1);
}

/** The store begins with at most so many messages of a list; older ones are loaded on demand. */
const MOST_AT_START = 200;

/** Forgets the oldest messages of long lists. */
export function trim(rows: Rows): void {
  rows.transaction(() => {
    for (const [list, row] of [...rows.all("lists")]) {
      const ids = rows.idsOf(list);
      if (ids.length <= MOST_AT_START) continue;
      const oldest = ids[ids.length - MOST_AT_START]!;
      for (const id of ids.slice(0, ids.length - MOST_AT_START)) forgetMessage(rows, id);
      rows.put("lists", list, withoutOlder(row, oldest));
    }
  });
}
