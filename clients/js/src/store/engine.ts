/**
 * Keeps the rows right, and carries out what the person does. One tab has it: the one that holds the socket.
 *
 * Events change rows (reduce.ts); with them the position in the log is stored, in the same transaction of the disk.
 */

import type { Client, Stored } from "../client.js";
import { ClientError } from "../errors.js";
import type { EventFrame, EventName, MethodName, Methods } from "../generated/realtime.js";
import { SendQueue, type Queued } from "../queue.js";
import type { Answer, RequestOptions } from "../rest.js";
import { Drafts } from "./drafts.js";
import { Loader, type Source } from "./load.js";
import { partnerIn, pathOf, userConversation } from "./names.js";
import { addMessage, applyEvent, recount, type Context } from "./reduce.js";
import { compareIds, listOf, type Change, type DraftRow, type MessageRow, type OutboxRow, type Rows } from "./rows.js";
import type { Gap } from "./types.js";

/** What is not stored: who types, who is there, what is uploaded. */
export interface Ephemeral {
  typing(conversationId: string, uid: string, isTyping: boolean): void;
  presence(uid: string, status: string): void;
  progress(muid: string, part: number | undefined): void;
}

/** After so long events reach a client for certain that happened before a row was read. */
const CERTAIN_MS = 10_000;
const REFRESH_MS = 250;
const LONGEST_REFRESH_MS = 20_000;
const MOST_AT_ONCE = 40;
const REPLIES = "replies:";
const MARK_MS = 1000;
const MOST_MARKS_AT_START = 20;
const TYPING_MS = 4000;
const TYPING_ENDS_MS = 6000;

/** Acts for the person, and applies what happens. */
export class Engine {
  readonly loader: Loader;
  private readonly drafts: Drafts;
  private readonly queue: SendQueue<Stored>;
  private readonly open = new Map<string, { source: Source; count: number }>();
  /** The messages whose replies are counted, and how many look at each. */
  private readonly counted = new Map<string, number>();
  private readonly marks = new Map<string, { again: boolean }>();
  private readonly typing = new Map<string, { toldAt: number; cancel(): void }>();
  private readonly ends: (() => void)[] = [];
  private connectedAt: number | undefined;
  private refreshPause = REFRESH_MS;
  private isRefreshing = false;

  constructor(
    readonly client: Client,
    private readonly rows: Rows,
    private readonly me: string,
    countsReplies: boolean,
    private readonly ephemeral: Ephemeral,
  ) {
    this.loader = new Loader(client, rows, client.env, countsReplies);
    this.drafts = new Drafts(client, rows);
    this.queue = new SendQueue<Stored>(
      client.env,
      (message, signal) => client.deliver(message, { signal, onProgress: (part) => ephemeral.progress(message.muid, part) }),
      {
        onSent: (message, stored) => this.settle(message, stored as unknown as MessageRow),
        onFailed: (message, error) => this.refuse(message, error),
      },
    );
    client.loadWith(() => this.loader.loadAll([...this.open.values()].map((each) => each.source)), this.cursor);
    this.ends.push(
      client.on("event", (frame) => this.take(frame)),
      client.on("connected", (frame) => this.connected(frame.resumed === true)),
      rows.watch((changes) => this.notice(changes)),
    );
    for (const [, row] of [...rows.all("outbox")].sort(([, one], [, other]) => one.place - other.place)) {
      if (!row.error) this.queue.add(row);
    }
    this.refreshSoon();
  }

  close(): void {
    this.ends.forEach((end) => end());
    for (const { cancel } of this.typing.values()) cancel();
    this.drafts.close();
  }

  private get cursor(): string | undefined {
    return this.rows.get("facts", "cursor") as string | undefined;
  }

  // What happens.

  private connected(isResumed: boolean): void {
    const wasConnected = this.connectedAt !== undefined;
    this.connectedAt = this.client.env.now();
    this.rows.transaction(() => {
      this.rows.put("facts", "user", this.client.user);
      if (this.client.cursor) this.rows.put("facts", "cursor", this.client.cursor);
    });
    this.markUndelivered();
    this.drafts.connected(isResumed);
    this.dirtyGrowing();
    this.countMissing(this.counted.keys());
    if (isResumed && (wasConnected || this.rows.get("facts", "cursor"))) this.catchUp();
    this.refreshSoon();
  }

  /** Tells the senders of what has come while this person was away. */
  private markUndelivered(): void {
    const senders = [...this.rows.all("conversations")].flatMap(([, row]) => {
      const { conversationType, lastMessage, unreadMessageCount } = row;
      const isNew = conversationType === "user" && unreadMessageCount > 0 && lastMessage?.deliveredAt === undefined;
      return isNew && lastMessage && lastMessage.sender !== this.me ? [lastMessage.sender] : [];
    });
    for (const sender of senders.slice(0, MOST_MARKS_AT_START)) this.mark("mark_delivered", sender, "user");
  }

  /** What was appended during a cut is not told again. */
  private dirtyGrowing(): void {
    this.rows.transaction(() => {
      for (const [id, { data }] of this.rows.all("messages")) {
        if (data.growing) this.loader.markDirty(`message:${id}`);
      }
    });
  }

  /** Reads what the log does not have: how far groups were read elsewhere meanwhile. */
  private catchUp(): void {
    const groups = [...this.open.values()].filter(({ source }) => "guid" in source);
    const reading = [this.loader.refreshGroups(), ...groups.map(({ source }) => this.loader.loadNewest(source))];
    Promise.all(reading).catch(() => undefined); // the next connection tries again
  }

  private take(frame: EventFrame<EventName>): void {
    if (this.isEphemeral(frame)) return;
    // What was appended to a message is in it when it is read; to store it each time would write its text many times.
    const isLasting = frame.cursor !== undefined;
    this.rows.transaction(() => {
      if (frame.event === "conversations_changed") return this.rows.remove("facts", "cursor"); // the lists are loaded anew
      applyEvent(this.context, frame);
      if (isLasting) this.rows.put("facts", "cursor", frame.cursor);
    }, isLasting);
  }

  /** Takes what is told and not stored. */
  private isEphemeral({ event, data }: EventFrame<EventName>): boolean {
    if (event === "typing_started" || event === "typing_ended") {
      const { sender, receiver, receiverType } = data as { sender: string; receiver: string; receiverType: string };
      const conversation = receiverType === "group" ? `group_${receiver}` : userConversation(this.me, sender);
      this.ephemeral.typing(conversation, sender, event === "typing_started");
      return true;
    }
    if (event === "user_presence_changed") {
      const { user } = data as { user: { uid: string; status: string } };
      this.ephemeral.presence(user.uid, user.status);
      return true;
    }
    if (event === "message_sent") {
      const { conversationId, sender, receiverType } = (data as { message: MessageRow }).message;
      this.ephemeral.typing(conversationId, sender, false);
      if (receiverType === "user" && sender !== this.me) this.mark("mark_delivered", sender, "user");
    }
    return false;
  }

  private get context(): Context {
    const env = this.client.env;
    const isOld = (at: number | undefined) => at === undefined || env.now() - at > CERTAIN_MS;
    return {
      rows: this.rows,
      me: this.me,
      isCertain: (key) => {
        // What the disk holds may have been read after events that are told again.
        return isOld(this.loader.lastRead(key)) && isOld(this.connectedAt);
      },
      isReading: (list) => this.loader.isReading(list),
      stampRead: (list, stamp) => this.loader.stampRead(list, stamp),
      isCounted: (id) => this.counted.has(id),
      markDirty: (key) => this.loader.markDirty(key),
    };
  }

  // What is out of date.

  private notice(changes: readonly Change[]): void {
    if (changes.some(({ table, row }) => table === "dirty" && row)) this.refreshSoon();
    const uncounted = changes.filter(({ table, key, row }) => table === "replies" && !row && this.counted.has(key));
    if (uncounted.length > 0) this.countMissing(uncounted.map(({ key }) => key));
    if (changes.some(({ table, row }) => (table === "lists" ? !row : table === "conversations"))) this.loadMissing();
  }

  /** Reads the lists that are shown and not held any more, as after this person has left and come back. */
  private loadMissing(): void {
    for (const [list, { source }] of this.open) {
      const isThere = "parentId" in source || this.rows.get("conversations", list) !== undefined;
      if (!isThere || this.rows.get("lists", list) || this.loader.isReading(list)) continue;
      this.loader.loadNewest(source).catch(() => undefined); // the next change of the conversation tries again
    }
  }

  private refreshSoon(): void {
    if (this.isRefreshing || this.connectedAt === undefined) return;
    this.isRefreshing = true;
    const wait = this.refreshPause * (0.5 + this.client.env.random());
    this.client.env.after(wait, () => void this.refresh());
  }

  private async refresh(): Promise<void> {
    const keys = [...this.rows.all("dirty")].map(([key]) => key).slice(0, MOST_AT_ONCE);
    const replies = keys.filter((key) => key.startsWith(REPLIES));
    const others = keys.filter((key) => !key.startsWith(REPLIES));
    const outcomes = await Promise.allSettled([
      this.loader.refreshReplies(replies.map((key) => key.slice(REPLIES.length))),
      ...others.map((key) => this.refreshOne(key)),
    ]);
    const failed = outcomes.some(({ status }) => status === "rejected");
    this.refreshPause = failed ? Math.min(LONGEST_REFRESH_MS, 2 * this.refreshPause) : REFRESH_MS;
    this.isRefreshing = false;
    if (!this.rows.all("dirty").next().done) this.refreshSoon();
  }

  private async refreshOne(key: string): Promise<void> {
    const [kind, id] = [key.slice(0, key.indexOf(":")), key.slice(key.indexOf(":") + 1)];
    if (kind === "message") return this.loader.refreshMessage(id);
    return this.loader.refreshConversation(id, pathOf(partnerIn(this.rows, id, this.me), "conversation"));
  }

  // What the person does.

  /** Keeps the newest page of a list up to date until `unwatch`. */
  watch(source: Source): void {
    const known = this.open.get(source.list) ?? { source, count: 0 };
    this.open.set(source.list, known);
    known.count += 1;
  }

  unwatch({ list }: Source): void {
    const known = this.open.get(list);
    if (known && --known.count === 0) this.open.delete(list);
  }

  loadNewest(source: Source): Promise<void> {
    return this.loader.loadNewest(source);
  }

  loadOlder(source: Source): Promise<void> {
    return this.loader.loadOlder(source);
  }

  loadAround(source: Source, id: string): Promise<boolean> {
    return this.loader.loadAround(source, id);
  }

  loadGap(source: Source, gap: Gap, from: "after" | "before"): Promise<void> {
    return this.loader.loadGap(source, gap, from);
  }

  /** Keeps the number of replies to a message right until `unwatchReplies`, and then while it is held. */
  watchReplies(id: string): void {
    this.counted.set(id, (this.counted.get(id) ?? 0) + 1);
    this.countMissing([id]);
  }

  unwatchReplies(id: string): void {
    const count = (this.counted.get(id) ?? 0) - 1;
    if (count > 0) this.counted.set(id, count);
    else this.counted.delete(id);
  }

  private countMissing(ids: Iterable<string>): void {
    this.rows.transaction(() => {
      for (const id of ids) {
        const key = `replies:${id}`;
        if (!this.rows.get("replies", id) && !this.rows.get("dirty", key)) this.loader.markDirty(key);
      }
    });
  }

  /** Keeps drafts right from now on. */
  watchDrafts(): void {
    this.drafts.watch();
  }

  setDraft(conversationId: string, data: DraftRow["data"]): void {
    this.drafts.set(conversationId, data);
  }

  /** Puts a message into the line; it is shown at once. */
  send(row: OutboxRow): void {
    this.rows.transaction(() => this.rows.put("outbox", row.muid, row));
    this.queue.add(row);
  }

  /** Sends a message again that was refused. */
  retry(muid: string): void {
    const row = this.rows.get("outbox", muid);
    if (!row?.error) return;
    const { error: _, ...again } = row;
    this.send(again);
  }

  /** Takes back a message that waits or was refused. */
  discard(muid: string): void {
    this.queue.remove(muid);
    this.rows.transaction(() => this.rows.remove("outbox", muid));
    this.ephemeral.progress(muid, undefined);
  }

  private settle(queued: Queued, stored: MessageRow): void {
    this.ephemeral.progress(queued.muid, undefined);
    const newest = this.rows.idsOf(listOf(stored)).at(-1);
    // A message that was stored long ago and is not held was removed since, as by a reset of the conversation.
    const isGone = newest !== undefined && compareIds(stored.id, newest) < 0 && !this.rows.get("messages", stored.id);
    this.rows.transaction(() => {
      if (!isGone) addMessage(this.context, stored);
      recount(this.context, stored);
      this.rows.remove("outbox", queued.muid);
    });
  }

  private refuse(queued: Queued, { code, message, details }: ClientError): void {
    const row = this.rows.get("outbox", queued.muid);
    this.ephemeral.progress(queued.muid, undefined);
    if (!row) return;
    this.rows.transaction(() => this.rows.put("outbox", row.muid, { ...row, error: { code, message, details } }));
  }

  /** Makes a call that changes a message, and reads the message as it is then. */
  async change(id: string, method: MethodName, params: unknown): Promise<void> {
    await this.client.call(method, params as Methods[MethodName]["params"]);
    try {
      await this.loader.refreshMessage(id);
    } catch {
      this.rows.transaction(() => this.loader.markDirty(`message:${id}`));
    }
  }

  /** Marks a conversation as read. */
  markRead(receiver: string, receiverType: "user" | "group"): void {
    this.mark("mark_read", receiver, receiverType);
  }

  /** Makes a mark; of several within a second the first and the last are sent. */
  private mark(method: "mark_read" | "mark_delivered", receiver: string, receiverType: "user" | "group"): void {
    const key = `${method}:${receiverType}:${receiver}`;
    const known = this.marks.get(key);
    if (known) {
      known.again = true;
      return;
    }
    const mark = { again: false };
    this.marks.set(key, mark);
    this.client.call(method, { receiver, receiverType }).catch(() => undefined); // the next mark covers it
    this.client.env.after(MARK_MS, () => {
      this.marks.delete(key);
      if (mark.again) this.mark(method, receiver, receiverType);
    });
  }

  /** Tells the others that the person types; ends by itself. */
  type(receiver: string, receiverType: "user" | "group"): void {
    const key = `${receiverType}:${receiver}`;
    const now = this.client.env.now();
    const known = this.typing.get(key);
    known?.cancel();
    const isFresh = known !== undefined && now - known.toldAt < TYPING_MS;
    if (!isFresh && this.client.state.name === "connected") this.tellTyping("start_typing", receiver, receiverType);
    const cancel = this.client.env.after(TYPING_ENDS_MS, () => this.stopTyping(receiver, receiverType));
    this.typing.set(key, { toldAt: isFresh ? known.toldAt : now, cancel });
  }

  stopTyping(receiver: string, receiverType: "user" | "group"): void {
    const key = `${receiverType}:${receiver}`;
    const known = this.typing.get(key);
    if (!known) return;
    known.cancel();
    this.typing.delete(key);
    if (this.client.state.name === "connected") this.tellTyping("end_typing", receiver, receiverType);
  }

  private tellTyping(method: "start_typing" | "end_typing", receiver: string, receiverType: "user" | "group"): void {
    this.client.call(method, { receiver, receiverType }).catch(() => undefined); // nobody misses it
  }

  request(method: string, path: string, options?: Pick<RequestOptions, "query" | "body">): Promise<Answer> {
    return this.client.request(method, path, options);
  }
}
