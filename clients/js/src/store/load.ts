/** Reads rows from the server: lists at the start, pages on demand, and again what is dirty. */

import type { Client } from "../client.js";
import { ClientError, isPassing } from "../errors.js";
import type { RequestOptions } from "../rest.js";
import { pathOf } from "./names.js";
import { rangesOf, rangeWith, withRange } from "./ranges.js";
import {
  compareIds,
  forget,
  forgetList,
  holds,
  listOf,
  forgetMessage,
  threadOf,
  type ConversationRow,
  type ListRow,
  type MessageRow,
  type Rows,
} from "./rows.js";
import type { Gap } from "./types.js";

/** A list of messages: of a conversation, or the replies in a thread. */
export type Source =
  | { list: string; uid: string }
  | { list: string; guid: string }
  | { list: string; parentId: string };

const CONVERSATIONS_PER_PAGE = 100;
/** The store holds so many conversations, the newest ones. */
const MOST_CONVERSATIONS = 1000;
const MESSAGES_PER_PAGE = 50;
/** So many messages are read before and after one that is to be shown. */
const AROUND = 25;

type WireConversation = Omit<ConversationRow, "unreadMessageCount"> & { unreadMessageCount: string };

/** Reads from the server into the rows. */
export class Loader {
  private readonly readAt = new Map<string, number>();
  /** The lists of which pages are read now, and how many of each. */
  private readonly reading = new Map<string, number>();
  /** The receipts that came while pages of a list were read, each after a version of the rows. */
  private readonly stamps = new Map<string, { after: number; stamp: (message: MessageRow) => MessageRow }[]>();
  /** The last reading of older messages of each list: one follows the other. */
  private readonly turns = new Map<string, Promise<unknown>>();

  constructor(
    private readonly client: Client,
    private readonly rows: Rows,
    private readonly env: Pick<Client["env"], "now">,
    private readonly countsReplies: boolean,
  ) {}

  /** When a row was read last, by the clock of the environment; undefined if it came from elsewhere. */
  lastRead(key: string): number | undefined {
    return this.readAt.get(key);
  }

  /** Whether a page of a list, or of any, is read now: it may lack what happens meanwhile. */
  isReading(list?: string): boolean {
    return list === undefined ? this.reading.size > 0 : this.reading.has(list);
  }

  /** Keeps a receipt for the pages of a list that are read now. */
  stampRead(list: string, stamp: (message: MessageRow) => MessageRow): void {
    if (this.isReading(list)) this.stamps.get(list)?.push({ after: this.rows.version, stamp });
  }

  /**
   * Reads the conversations, and returns from where events continue. Those that are gone are removed; what was
   * held of messages is forgotten, but for the lists in `open`, whose newest page is read again.
   */
  async loadAll(open: readonly Source[]): Promise<string> {
    const { conversations, cursor } = await this.readConversations();
    const pages = await Promise.all(open.map((source) => this.readIfThere(source)));
    this.rows.transaction(() => {
      const there = new Set(conversations.map(({ conversationId }) => conversationId));
      for (const [id] of [...this.rows.all("conversations")]) if (!there.has(id)) forget(this.rows, id);
      for (const [list] of [...this.rows.all("lists")]) forgetList(this.rows, list);
      for (const [id] of [...this.rows.all("replies")]) this.rows.remove("replies", id);
      for (const [key] of [...this.rows.all("dirty")]) this.rows.remove("dirty", key);
      for (const each of conversations) this.putConversation(each, this.rows.version);
      for (const [index, { list }] of open.entries()) {
        const page = pages[index];
        if (!page) continue;
        this.putPage({ ...page, since: this.rows.version });
        this.putList(list, page);
      }
      this.rows.put("facts", "cursor", cursor);
    });
    return cursor;
  }

  /** Finds groups with other unread numbers: that a group was read elsewhere is told to open sockets only. */
  async refreshGroups(): Promise<void> {
    const query = { conversationType: "group", unread: true, perPage: MOST_CONVERSATIONS };
    const { data } = await this.client.request<WireConversation[]>("GET", "/conversations", { query });
    const unread = new Map(data.map((each) => [each.conversationId, Number(each.unreadMessageCount)]));
    this.rows.transaction(() => {
      for (const [id, { conversationType, unreadMessageCount }] of [...this.rows.all("conversations")]) {
        const isRight = conversationType !== "group" || unreadMessageCount === (unread.get(id) ?? 0);
        if (!isRight) this.markDirty(`conversation:${id}`);
      }
    });
  }

  /** Reads the newest page of a list, of which nothing is held, or all from some message on. */
  async loadNewest(source: Source): Promise<void> {
    const page = await this.readPage(source);
    this.rows.transaction(() => {
      const known = this.rows.get("lists", source.list);
      this.putPage(page);
      if (!known) this.putList(source.list, page);
    });
  }

  /** Reads the newest page of a list; undefined if the server refuses it, as to somebody who has left. */
  private async readIfThere(source: Source): Promise<Page | undefined> {
    try {
      return await this.readPage(source);
    } catch (error) {
      if (isPassing(error)) throw error;
      return undefined;
    }
  }

  /** Reads the page before the oldest message that is held. */
  loadOlder(source: Source): Promise<void> {
    return this.inTurn(source, async (known) => {
      if (rangesOf(known)[0]!.isComplete) return;
      const [oldest] = this.rows.idsOf(source.list);
      if (oldest === undefined) return this.loadNewest(source);
      this.putRange(source, known, await this.readPage(source, { before: oldest }));
    });
  }

  /** Reads a message with those before and after it; false if there is no such message. */
  async loadAround(source: Source, id: string): Promise<boolean> {
    await this.inTurn(source, async (known) => {
      if (rangeWith(rangesOf(known), id) >= 0) return;
      const page = await this.readAround(source, id);
      if (page) this.putRange(source, known, page);
    });
    return this.rows.get("messages", id) !== undefined;
  }

  /** Reads a page of a gap: after the message above it, or before the one below it. */
  loadGap(source: Source, { after, before }: Gap, from: "after" | "before"): Promise<void> {
    return this.inTurn(source, async (known) => {
      this.putRange(source, known, await this.readPage(source, from === "after" ? { after } : { before }));
    });
  }

  /** Reads once the readings before have ended; of a list of which nothing is held the newest page. */
  private inTurn(source: Source, read: (known: ListRow) => Promise<void>): Promise<void> {
    const { list } = source;
    const before = this.turns.get(list) ?? Promise.resolve();
    const turn = before
      .catch(() => undefined) // it was told to whoever waits for it
      .then(() => {
        const known = this.rows.get("lists", list);
        return known ? read(known) : this.loadNewest(source);
      });
    this.turns.set(list, turn);
    return turn;
  }

  /** Reads a conversation again; one that is gone is removed. */
  async refreshConversation(id: string, path: string): Promise<void> {
    const since = this.rows.version;
    const read = await this.readOne<WireConversation>(path);
    this.rows.transaction(() => {
      if (read) return this.putConversation(read, since);
      forget(this.rows, id);
      this.clean(`conversation:${id}`, since);
    });
  }

  /** Reads a message again; one that is gone is removed. */
  async refreshMessage(id: string): Promise<void> {
    const since = this.rows.version;
    const read = await this.readOne<MessageRow>(`/messages/${id}`);
    this.rows.transaction(() => {
      if (!read) {
        forgetMessage(this.rows, id);
        return this.rows.remove("dirty", `message:${id}`);
      }
      this.putMessage(read, since, holds(this.rows, read));
      const conversation = this.rows.get("conversations", read.conversationId);
      if (conversation?.lastMessage?.id === id) {
        this.rows.put("conversations", read.conversationId, { ...conversation, lastMessage: read });
      }
    });
  }

  /** Reads how many replies messages have. */
  async refreshReplies(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    const since = this.rows.version;
    const counts = await this.readReplies(ids);
    this.rows.transaction(() => {
      for (const id of ids) this.putReplies(id, counts.get(id), since);
    });
  }

  private async readReplies(ids: readonly string[]): Promise<Map<string, number>> {
    const { data } = await this.client.request<{ id: string; count: number }[]>("GET", "/messages/replies", { query: { ids } });
    return new Map(data.map(({ id, count }) => [id, count]));
  }

  private putReplies(id: string, count: number | undefined, since: number): void {
    const key = `replies:${id}`;
    if (count === undefined) this.rows.remove("replies", id);
    else if (this.rows.hasChanged("replies", id, since)) return this.markDirty(key);
    else this.rows.put("replies", id, { count });
    this.clean(key, since);
  }

  /** Reads something by its path; undefined if it does not exist for this person. */
  private async readOne<D>(path: string, query?: RequestOptions["query"]): Promise<D | undefined> {
    try {
      return (await this.client.request<D>("GET", path, { query })).data;
    } catch (error) {
      if (isGone(error)) return undefined;
      throw error;
    }
  }

  private async readConversations(): Promise<{ conversations: WireConversation[]; cursor: string }> {
    const conversations = new Map<string, WireConversation>();
    let cursor: string | undefined;
    for (let page = 1; ; page++) {
      const query = { page, perPage: CONVERSATIONS_PER_PAGE, includeBlockedUsers: true, withTags: true };
      const answer = await this.client.request<WireConversation[]>("GET", "/conversations", { query });
      cursor ??= String(answer.meta.eventCursor); // what happens after it comes as an event
      for (const each of answer.data) conversations.set(each.conversationId, each);
      const isLast = answer.data.length < CONVERSATIONS_PER_PAGE || conversations.size >= MOST_CONVERSATIONS;
      if (isLast) return { conversations: [...conversations.values()], cursor };
    }
  }

  /** Reads a message with those around it; undefined if it is not in the list. */
  private async readAround(source: Source, id: string): Promise<Page | undefined> {
    const since = this.rows.version;
    this.count(source.list, 1);
    try {
      const message = await this.readOne<MessageRow>(`/messages/${id}`);
      if (!message || listOf(message) !== source.list) return undefined;
      const [older, newer] = await Promise.all([
        this.readPage(source, { before: id }, AROUND),
        this.readPage(source, { after: id }, AROUND),
      ]);
      const messages = [...older.messages, message, ...newer.messages];
      const replies = new Map([...(older.replies ?? []), ...(newer.replies ?? [])]);
      return { messages, hasOlder: older.hasOlder, hasNewer: newer.hasNewer, since, replies };
    } finally {
      this.count(source.list, -1);
    }
  }

  private async readPage(source: Source, from?: From, limit = MESSAGES_PER_PAGE): Promise<Page> {
    const isForward = from !== undefined && "after" in from;
    const id = from && ("after" in from ? from.after : from.before);
    const query = {
      affix: isForward ? "append" : "prepend",
      limit,
      ...(id === undefined ? {} : { id }),
      ...("parentId" in source ? {} : { hideReplies: true }),
    };
    const since = this.rows.version;
    this.count(source.list, 1);
    try {
      const { data } = await this.client.request<MessageRow[]>("GET", pathOfList(source), { query });
      const hasMore = data.length === limit;
      const hasNewer = isForward ? hasMore : id !== undefined;
      const counted = this.countsReplies && !("parentId" in source) && data.length > 0;
      const replies = counted ? await this.readReplies(data.map((each) => each.id)) : undefined;
      return { messages: data, hasOlder: isForward || hasMore, hasNewer, since, replies, ...(id === undefined ? {} : { from: id }) };
    } finally {
      this.count(source.list, -1);
    }
  }

  private count(list: string, by: 1 | -1): void {
    const count = (this.reading.get(list) ?? 0) + by;
    if (count === 1 && by === 1) this.stamps.set(list, []); // a page is put right after its reading has ended
    if (count > 0) this.reading.set(list, count);
    else this.reading.delete(list);
  }

  /** Puts a page of a list, of which some is held. */
  private putRange({ list }: Source, known: ListRow, page: Page): void {
    const { messages, from, hasOlder, hasNewer } = page;
    const ids = [...messages.map(({ id }) => id), ...(from === undefined ? [] : [from])].sort(compareIds);
    this.rows.transaction(() => {
      if (this.rows.get("lists", list) !== known) return; // forgotten meanwhile
      this.putPage(page);
      const newest = hasNewer ? ids.at(-1) : undefined;
      this.rows.put("lists", list, withRange(known, { oldest: ids[0]!, newest, isComplete: !hasOlder }));
    });
  }

  /** Puts a page; what is held between its first and last message and not in it is gone. */
  private putPage({ messages, hasOlder, since, replies = new Map<string, number>() }: Page): void {
    for (const [id, count] of replies) this.putReplies(id, count, since);
    const [first, last] = [messages[0], messages.at(-1)];
    const there = new Set(messages.map(({ id }) => id));
    if (first && last) {
      const held = this.rows.idsOf(listOf(first));
      const isCovered = (id: string) =>
        (!hasOlder || compareIds(id, first.id) >= 0) && compareIds(id, last.id) <= 0;
      for (const id of held.filter((each) => isCovered(each) && !there.has(each))) {
        if (!this.rows.hasChanged("messages", id, since)) forgetMessage(this.rows, id);
      }
    }
    const late = (first && this.stamps.get(listOf(first))?.filter(({ after }) => after >= since)) ?? [];
    for (const message of messages) this.putMessage(late.reduce((read, { stamp }) => stamp(read), message), since, true);
  }

  /** Puts a message as it was read; one that has changed since is read again. */
  private putMessage(message: MessageRow, since: number, isHeld: boolean): void {
    const key = `message:${message.id}`;
    if (isEqual(this.rows.get("messages", message.id), message)) return this.clean(key, since);
    if (this.rows.hasChanged("messages", message.id, since)) return this.markDirty(key);
    if (isHeld) this.rows.put("messages", message.id, message);
    this.clean(key, since);
  }

  private putConversation({ unreadMessageCount, ...rest }: WireConversation, since: number): void {
    const id = rest.conversationId;
    const key = `conversation:${id}`;
    const row = { ...rest, unreadMessageCount: Number(unreadMessageCount) };
    if (isEqual(this.rows.get("conversations", id), row)) return this.clean(key, since);
    if (this.rows.hasChanged("conversations", id, since)) return this.markDirty(key);
    this.rows.put("conversations", id, row);
    this.clean(key, since);
  }

  /** Takes away the mark of a row that was read, if it is not newer than the reading. */
  private clean(key: string, since: number): void {
    this.readAt.set(key, this.env.now());
    const dirty = this.rows.get("dirty", key);
    if (dirty && dirty.since <= since) this.rows.remove("dirty", key);
  }

  markDirty(key: string): void {
    // The version of this change itself: what was asked for before it may lack the reason.
    this.rows.put("dirty", key, { since: this.rows.version + 1 });
  }

  private putList(list: string, { messages, hasOlder }: Page): void {
    const oldest = messages[0]?.id ?? this.rows.get("lists", list)?.oldest;
    this.rows.put("lists", list, { isComplete: !hasOlder, ...(oldest === undefined ? {} : { oldest }) });
  }
}

/** Where a page begins or ends: at the newest message, if this is not given. */
type From = { before: string } | { after: string };

/** A page of a list, ascending, and the version of the rows when it was asked for. */
interface Page {
  messages: MessageRow[];
  hasOlder: boolean;
  hasNewer: boolean;
  since: number;
  /** How many replies its messages have, if that was read with it. */
  replies?: ReadonlyMap<string, number> | undefined;
  /** The message from which it was read, which is not in it. */
  from?: string;
}

function pathOfList(source: Source): string {
  return "parentId" in source ? `/messages/${source.parentId}/thread` : pathOf(source, "messages");
}

export function threadSource(parentId: string): Source {
  return { list: threadOf(parentId), parentId };
}

/** Whether a row is held as it was read; then it stays the same object. */
function isEqual(held: unknown, read: unknown): boolean {
  return held !== undefined && JSON.stringify(held) === JSON.stringify(read);
}

/** Whether something does not exist for this person any more. */
function isGone(error: unknown): boolean {
  return error instanceof ClientError && GONE.test(error.code);
}

const GONE = /NOT_FOUND|NOT_ACCESSIBLE|NOT_JOINED|NO_ACCESS|BANNED/;
