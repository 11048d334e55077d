/** The chat of a person as it is shown: conversations, messages, what waits, who types. */

import type { Client, EventListeners, State } from "../client.js";
import { Emitter } from "../emitter.js";
import { ClientError } from "../errors.js";
import type { EventFrame, EventName, Events, MethodName, User } from "../generated/realtime.js";
import { Disk } from "./disk.js";
import { Engine } from "./engine.js";
import { openIndexedDb } from "./indexeddb.js";
import { threadSource, type Source } from "./load.js";
import { conversationOf, namesOf, partnerIn, pathOf, userConversation } from "./names.js";
import { List } from "./list.js";
import { Overlay, type Show } from "./overlay.js";
import { Computed, Topic } from "./queries.js";
import { showVotes } from "./polls.js";
import { withReaction } from "./reduce.js";
import {
  listOf,
  Rows,
  trim,
  type Change,
  type DraftRow,
  type MessageRow,
  type OutboxRow,
  type Storage,
} from "./rows.js";
import { listOfWaiting, Views } from "./views.js";
import { Tabs, type ActionName, type Perform, type Shared } from "./tabs.js";
import type {
  ConversationView,
  MessagesQuery,
  MessageView,
  Outgoing,
  Query,
  Receiver,
  Status,
} from "./types.js";

export interface ChatOptions {
  /** The person's uid: rows of different people are kept apart. */
  uid: string;
  /** Where rows are stored: IndexedDB where there is one, if not given. */
  storage?: "indexeddb" | "memory" | (() => Promise<Storage>);
  /** Whether tabs share one socket; they do where the browser can. */
  tabs?: boolean;
  /** Whether pages of messages are read with how many replies each has, so that nothing moves when that comes later. */
  countsReplies?: boolean;
}

const TYPING_MS = 10_000;
const NORMAL = 1000;
const MEDIA = /^(image|audio|video)\//;

/** Opens the chat, and connects. Resolves once what is stored can be shown; the server may be away. */
export async function openChat(client: Client, options: ChatOptions): Promise<Chat> {
  const chat = new Chat(client, options);
  await chat.ready();
  return chat;
}

/** A person's conversations and messages. Made by `openChat`. */
export class Chat {
  /** This person, once the client was connected. */
  readonly me: Query<User | undefined>;
  readonly status: Query<Status>;
  private readonly rows: Rows;
  private readonly overlay: Overlay;
  private readonly tabs: Tabs | undefined;
  private readonly opening: Promise<void>;
  private engine: Engine | undefined;
  private disk: Disk | undefined;
  private readonly ends: (() => void)[] = [];
  private readonly emitter = new Emitter<EventListeners & { event: [frame: EventFrame] }>();

  private connection: State = { name: "idle" };
  private stored: Pick<Status, "storage" | "storageError"> = { storage: "memory" };
  private readonly typists = new Map<string, Map<string, () => void>>();
  private readonly presences = new Map<string, string>();
  private readonly progress = new Map<string, number>();

  private readonly listed: Computed<readonly ConversationView[]>;
  private readonly single = new Map<string, Computed<ConversationView | undefined>>();
  private readonly lists = new Map<string, List>();
  private readonly counts = new Map<string, Computed<number | undefined>>();
  /** The messages whose replies somebody has counted. */
  private readonly counted = new Set<string>();
  private readonly drafts = new Map<string, Computed<DraftRow["data"]>>();
  private readonly people = new Map<string, Computed<string | undefined>>();
  private readonly views: Views;
  private place = 0;
  private isClosed = false;

  constructor(
    private readonly client: Client,
    private readonly options: ChatOptions,
  ) {
    if (!options.uid) throw new TypeError("`uid` must be that of the person whose tokens the client has.");
    client.expect(options.uid);
    this.rows = new Rows((changes, isLasting) => {
      if (isLasting) this.disk?.write(changes);
      this.tabs?.tellChanges(changes);
    });
    this.overlay = new Overlay(this.rows);
    this.views = new Views(this.rows, this.overlay, options.uid, {
      typistsIn: (conversationId) => this.typists.get(conversationId)?.keys() ?? [],
      progressOf: (muid) => this.progress.get(muid) ?? 0,
    });
    const me = new Computed(new Topic(), () => this.rows.get("facts", "user") as User | undefined);
    this.me = me;
    const status = new Computed<Status>(new Topic(), (before) => this.statusNow(before));
    this.status = status;
    this.listed = new Computed<readonly ConversationView[]>(new Topic(), (before) => this.views.allConversations(before));
    this.ends.push(
      this.rows.watch((changes) => this.changed(changes)),
      this.overlay.watch((id) => this.overlayChanged(id)),
    );
    if (options.tabs !== false && typeof BroadcastChannel === "function" && globalThis.navigator?.locks) {
      this.tabs = this.openTabs();
      this.opening = this.tabs.ready();
    } else {
      this.opening = this.lead();
    }
  }

  /** Resolves once what is stored can be shown. */
  ready(): Promise<void> {
    return this.opening;
  }

  /** Ends this chat. What waits to be sent stays where there is a storage, and is sent after the next start. */
  async close(): Promise<void> {
    this.isClosed = true;
    this.tabs?.close();
    if (this.engine) this.client.disconnect();
    this.engine?.close();
    this.ends.forEach((end) => end());
    await this.disk?.settled();
    this.disk?.close();
  }

  /**
   * Ends this chat in all tabs, as when the person signs out, and removes what is stored of them here, with what
   * waits to be sent. In each tab the connection is `ended`, and nothing is shown any more.
   *
   * Rejects if the storage can't be opened: then something may still be stored.
   */
  async erase(): Promise<void> {
    const eraseStored = async (): Promise<void> => {
      await this.disk?.settled();
      await Disk.erase(this.openStorage(), this.client.env);
    };
    const erased = this.tabs && !this.isClosed ? this.tabs.endAll(eraseStored) : undefined;
    this.endErased();
    await (erased ?? eraseStored());
  }

  /** Calls `listener` at each event of this name, or of all, in every tab; returns what ends this. */
  on<E extends EventName>(name: E, listener: (data: Events[E], frame: EventFrame<E>) => void): () => void;
  on(name: "event", listener: (frame: EventFrame) => void): () => void;
  on(name: EventName | "event", listener: (...args: never[]) => void): () => void {
    return this.emitter.on(name, listener as (...args: unknown[]) => void);
  }

  // What is shown.

  /** The conversations: pinned ones first, then by their last change. */
  conversations(): Query<readonly ConversationView[]> {
    return this.listed;
  }

  conversation(id: string): Query<ConversationView | undefined> {
    return entry(this.single, id, () => {
      return new Computed<ConversationView | undefined>(new Topic(), () => {
        const row = this.rows.get("conversations", id);
        return row && this.views.conversation(row);
      });
    });
  }

  /** The id of the conversation with a user, or of a group, also before its first message. */
  open(other: Receiver): string {
    return conversationOf(other, this.options.uid);
  }

  /** The messages of a conversation, without the replies in threads. */
  messages(conversationId: string): MessagesQuery {
    return this.list({ list: conversationId, ...partnerIn(this.rows, conversationId, this.options.uid) });
  }

  /** The replies to a message. */
  thread(parentId: string): MessagesQuery {
    return this.list(threadSource(parentId));
  }

  /** How many replies are in the thread of a message; undefined until it was asked for, while somebody subscribes. */
  replies(messageId: string): Query<number | undefined> {
    return entry(this.counts, messageId, () => {
      const topic = new Topic((isUsed) => {
        if (isUsed) this.counted.add(messageId);
        else this.counted.delete(messageId);
        this.do(isUsed ? "watchReplies" : "unwatchReplies", messageId);
      });
      return new Computed<number | undefined>(topic, () => this.rows.get("replies", messageId)?.count);
    });
  }

  /** What the person has begun to write in a conversation, on any of their devices. */
  draft(conversationId: string): Query<Record<string, unknown> | undefined> {
    if (this.drafts.size === 0) this.do("watchDrafts");
    return entry(this.drafts, conversationId, () => {
      return new Computed<DraftRow["data"]>(new Topic(), () => this.rows.get("drafts", conversationId)?.data);
    });
  }

  /** Whether a user is there, as far as it was told: `available`, `offline`. */
  presence(uid: string): Query<string | undefined> {
    return entry(this.people, uid, () => {
      return new Computed<string | undefined>(new Topic(), () => {
        const told = this.presences.get(uid);
        if (told) return told;
        const row = this.rows.get("conversations", userConversation(this.options.uid, uid));
        return (row?.conversationWith as User | undefined)?.status;
      });
    });
  }

  // What the person does.

  /** Sends a message. It is returned, and shown, at once; see `local` for what becomes of it. */
  send(receiver: Receiver, outgoing: Outgoing): MessageView {
    if (this.isClosed) throw new ClientError("ERR_NOT_CONNECTED", "The chat was closed.");
    const row = this.outboxRow(receiver, outgoing);
    if (this.tabs && !this.tabs.isLeader) this.rows.adopt([{ table: "outbox", key: row.muid, row }]);
    this.do("send", row);
    const [name, receiverType] = namesOf(receiver);
    this.do("stopTyping", name, receiverType);
    const { conversationId } = row;
    const isDrafted = outgoing.text !== undefined && outgoing.parentId === undefined;
    if (isDrafted && this.rows.get("drafts", conversationId)) this.setDraft(conversationId, undefined);
    return this.views.waiting(row);
  }

  /** Sends a message again that was refused. */
  retry(key: string): void {
    this.do("retry", key);
  }

  /** Takes back a message that waits, is uploaded, or was refused. */
  discard(key: string): void {
    this.do("discard", key);
  }

  /** Edits a message. Shown at once; rejects, and is taken back, if the server refuses it. */
  edit(id: string, { text, data }: { text?: string; data?: Record<string, unknown> }): Promise<void> {
    const changed = { ...data, ...(text === undefined ? {} : { text }) };
    const show: Show = (message) => ({ ...message, data: { ...message.data, ...changed } });
    return this.change(id, show, "edit_message", { id, data: changed });
  }

  /** Deletes a message. */
  delete(id: string): Promise<void> {
    const show: Show = (message) => ({ ...message, deletedAt: seconds(), deletedBy: this.options.uid });
    return this.change(id, show, "delete_message", { id });
  }

  react(id: string, reaction: string): Promise<void> {
    const show: Show = (message) => ({ ...message, data: withReaction(message.data, reaction, 1, true) });
    return this.change(id, show, "add_reaction", { id, reaction });
  }

  unreact(id: string, reaction: string): Promise<void> {
    const show: Show = (message) => ({ ...message, data: withReaction(message.data, reaction, -1, true) });
    return this.change(id, show, "remove_reaction", { id, reaction });
  }

  /** Votes in a poll: for these options, numbered from 0, and for no others. */
  vote(id: string, options: readonly number[]): Promise<void> {
    return this.change(id, showVotes(options), "vote", { id, options });
  }

  /** Takes back all votes of this person in a poll. */
  unvote(id: string): Promise<void> {
    return this.change(id, showVotes([]), "take_votes_back", { id });
  }

  /** Marks elements of an interactive message as used. */
  interact(id: string, interactions: readonly string[]): Promise<void> {
    return this.change(id, (message) => message, "mark_interacted", { id, interactions });
  }

  /** Asks whoever writes a message that grows to stop. */
  async stop(id: string): Promise<void> {
    await this.perform("request", "POST", `/messages/${id}/stop`);
  }

  /** Marks a conversation as read, at most once a second. */
  markRead(conversationId: string): void {
    const row = this.rows.get("conversations", conversationId);
    if (row?.unreadMessageCount === 0) return;
    this.do("markRead", ...namesOf(partnerIn(this.rows, conversationId, this.options.uid)));
  }

  /** Tells the others that the person types; call it at each key. */
  type(conversationId: string): void {
    this.do("type", ...namesOf(partnerIn(this.rows, conversationId, this.options.uid)));
  }

  /**
   * Keeps what the person has begun to write, or nothing; call it at each key. The server is told when they pause. A text
   * that is sent removes it.
   */
  setDraft(conversationId: string, data: Record<string, unknown> | undefined): void {
    this.do("setDraft", conversationId, data);
  }

  /** Searches messages, newest first. */
  async search(text: string, { conversationId }: { conversationId?: string } = {}): Promise<readonly MessageView[]> {
    const path = conversationId ? pathOf(partnerIn(this.rows, conversationId, this.options.uid), "messages") : "/messages";
    const query = { searchKey: text, affix: "prepend", limit: 50 };
    const { data } = await this.perform("request", "GET", path, { query });
    return (data as MessageRow[]).map((row) => this.views.stored(row)).reverse();
  }

  /** Returns a link of a file that has not ended: those of a message end some days after it was read. */
  async link(messageId: string, index = 0): Promise<string | undefined> {
    const { data } = await this.perform("request", "GET", `/messages/${messageId}`);
    const attachments = (data as MessageRow).data.attachments as readonly { url: string }[] | undefined;
    return attachments?.[index]?.url;
  }

  /** Makes a call over REST, also from a tab without the socket. */
  request(method: string, path: string, options?: Parameters<Engine["request"]>[2]): ReturnType<Engine["request"]> {
    return this.perform("request", method, path, options);
  }

  private async change(id: string, show: Show, method: MethodName, params: unknown): Promise<void> {
    const end = this.overlay.add(id, show);
    try {
      await this.perform("change", id, method, params);
    } finally {
      end();
    }
  }

  private outboxRow(receiver: Receiver, { text, data, files, parentId, more, ...rest }: Outgoing): OutboxRow {
    const [name, receiverType] = namesOf(receiver);
    const kind = files?.every(({ type }) => MEDIA.exec(type)?.[1] === MEDIA.exec(files[0]!.type)?.[1]);
    const media = files?.length ? ((kind && MEDIA.exec(files[0]!.type)?.[1]) ?? "file") : undefined;
    return {
      muid: this.client.env.newId(),
      receiver: name,
      receiverType,
      conversationId: this.open(receiver),
      place: ++this.place,
      at: seconds(),
      fields: {
        category: "message",
        type: media ?? "text",
        ...rest,
        ...(parentId === undefined ? {} : { parentId }),
        data: { ...data, ...(text === undefined ? {} : { text }) },
        ...more,
      },
      ...(files?.length ? { files } : {}),
    };
  }

  // The tab that holds the socket.

  private perform: Perform = (name, ...args) => {
    if (this.isClosed) return Promise.reject(new ClientError("ERR_NOT_CONNECTED", "The chat was closed."));
    if (this.tabs && !this.tabs.isLeader) return this.tabs.perform(name, ...args);
    return this.carryOut(name, ...args);
  };

  private carryOut: Perform = async (name, ...args) => {
    const engine = this.engine!;
    const action = engine[name] as (...given: unknown[]) => unknown;
    return (await action.apply(engine, args)) as never;
  };

  /** Has something done of which nothing is awaited: it is shown by the rows. */
  private do<N extends ActionName>(name: N, ...args: Parameters<Engine[N]>): void {
    this.perform(name, ...args).catch(() => undefined);
  }

  private openTabs(): Tabs {
    const env = {
      newId: this.client.env.newId,
      channel: (name: string) => new BroadcastChannel(name),
      locks: navigator.locks,
    };
    return new Tabs(env, this.storageName, {
      lead: () => this.lead(),
      adopt: (changes, isAll) => this.adopt(changes, isAll),
      share: (shared) => this.share(shared),
      all: () => ({ changes: this.rows.snapshot(), shared: this.allShared() }),
      perform: this.carryOut,
      erased: () => this.endErased(),
    });
  }

  private endErased(): void {
    const waiting = [...this.rows.all("outbox")];
    for (const [muid] of waiting) this.engine?.discard(muid);
    void this.close();
    this.rows.adopt(this.rows.snapshot().map(({ table, key }): Change => ({ table, key })));
    this.connection = { name: "ended", code: NORMAL, reason: "The chat was erased." };
    for (const each of [this.listed, ...this.single.values(), ...this.lists.values(), ...this.counts.values(), ...this.drafts.values(), this.me, this.status]) {
      (each as Computed<unknown>).changed();
    }
  }

  /** Takes rows of the tab that holds the socket. What waits here goes to it, if it does not have it yet. */
  private adopt(changes: readonly Change[], isAll: boolean): void {
    if (!isAll) return this.rows.adopt(changes);
    const waiting = [...this.rows.all("outbox")].map(([, row]) => row);
    const there = new Set(changes.map(({ table, key }) => `${table}:${key}`));
    const gone = this.rows.snapshot().filter(({ table, key }) => !there.has(`${table}:${key}`));
    this.rows.adopt([...gone.map(({ table, key }): Change => ({ table, key })), ...changes]);
    for (const row of waiting.filter(({ muid, error }) => !error && !there.has(`outbox:${muid}`))) {
      this.rows.adopt([{ table: "outbox", key: row.muid, row }]);
      this.do("send", row);
    }
    for (const list of this.lists.values()) if (list.isUsed) this.do("watch", list.source);
    for (const id of this.counted) this.do("watchReplies", id);
    if (this.drafts.size > 0) this.do("watchDrafts");
  }

  private get storageName(): string {
    return `${this.client.url}:${this.client.appId ?? ""}:${this.options.uid}`;
  }

  private openStorage(): (() => Promise<Storage>) | undefined {
    const { storage } = this.options;
    if (typeof storage === "function") return storage;
    if (storage === "memory" || typeof indexedDB === "undefined") return undefined;
    return () => openIndexedDb(this.storageName);
  }

  /** Takes the socket, with what is stored. What is held already, of a tab that was closed, is newer. */
  private async lead(): Promise<void> {
    const isFirst = this.rows.get("facts", "cursor") === undefined;
    const [disk, changes] = await Disk.open(this.openStorage(), () => this.tellStorage(), this.client.env);
    if (this.isClosed) return disk.close();
    this.rows.adopt(isFirst ? changes : changes.filter(({ table, key }) => isUnknownWaiting(this.rows, table, key)));
    this.disk = disk;
    trim(this.rows);
    if (!isFirst) disk.write(this.rows.snapshot());
    this.place = Math.max(0, ...[...this.rows.all("outbox")].map(([, row]) => row.place));
    const { uid, countsReplies = false } = this.options;
    this.engine = new Engine(this.client, this.rows, uid, countsReplies, {
      typing: (conversationId, uid, isTyping) => this.tell({ typing: { conversationId, uid, isTyping } }),
      presence: (uid, status) => this.tell({ presence: { uid, status } }),
      progress: (muid, part) => this.tell({ progress: { muid, part } }),
    });
    for (const list of this.lists.values()) if (list.isUsed) this.engine.watch(list.source);
    for (const id of this.counted) this.engine.watchReplies(id);
    if (this.drafts.size > 0) this.engine.watchDrafts();
    this.ends.push(
      // After the engine: the rows are as the event has left them.
      this.client.on("event", (event) => this.tell({ event })),
      this.client.on("state", (connection) => {
        if (connection.name === "ended") this.dropOthers();
        this.tell({ connection });
      }),
    );
    this.tellStorage();
    this.client.connect();
  }

  /** Drops what was read with the token of somebody else. */
  private dropOthers(): void {
    const { user } = this.client;
    if (!user || user.uid === this.options.uid) return;
    this.rows.transaction(() => {
      for (const { table, key } of this.rows.snapshot()) if (table !== "outbox") this.rows.remove(table, key);
    });
  }

  private tellStorage(): void {
    this.tell({ storage: this.disk!.kind, storageError: this.disk!.error });
  }

  private allShared(): Shared[] {
    return [
      { connection: this.connection },
      this.stored,
      ...[...this.presences].map(([uid, status]) => ({ presence: { uid, status } })),
    ];
  }

  private tell(shared: Shared): void {
    this.tabs?.tellShared(shared);
    this.share(shared);
  }

  private share({ connection, storage, storageError, typing, presence, progress, event }: Shared): void {
    if (event) {
      this.emitter.emit("event", event);
      return this.emitter.emit(event.event, ...([event.data, event] as never));
    }
    if (connection) this.enter(connection);
    if (storage) this.stored = { storage, ...(storageError ? { storageError } : {}) };
    if (typing) this.setTyping(typing.conversationId, typing.uid, typing.isTyping);
    if (presence) {
      this.presences.set(presence.uid, presence.status);
      this.people.get(presence.uid)?.changed();
    }
    if (progress) {
      if (progress.part === undefined) this.progress.delete(progress.muid);
      else this.progress.set(progress.muid, progress.part);
      const row = this.rows.get("outbox", progress.muid);
      if (row) this.lists.get(listOfWaiting(row))?.changed();
    }
    (this.status as Computed<Status>).changed();
  }

  private enter(connection: State): void {
    this.connection = connection;
    if (connection.name === "connected") return;
    for (const [conversationId, typists] of this.typists) {
      for (const uid of [...typists.keys()]) this.setTyping(conversationId, uid, false);
    }
  }

  private setTyping(conversationId: string, uid: string, isTyping: boolean): void {
    const typists = entry(this.typists, conversationId, () => new Map<string, () => void>());
    if (!isTyping && !typists.has(uid)) return;
    typists.get(uid)?.();
    typists.delete(uid);
    if (isTyping) {
      typists.set(uid, this.client.env.after(TYPING_MS, () => this.setTyping(conversationId, uid, false)));
    }
    this.conversationChanged(conversationId);
  }

  // What has changed.

  private changed(changes: readonly Change[]): void {
    for (const { table, key, row } of changes) {
      if (table === "conversations") this.conversationChanged(key);
      else if (table === "messages") this.messageChanged((row as MessageRow | undefined) ?? undefined, key);
      else if (table === "lists") this.lists.get(key)?.changed();
      else if (table === "drafts") this.drafts.get(key)?.changed();
      else if (table === "replies") this.counts.get(key)?.changed();
      else if (table === "facts" && key === "user") (this.me as Computed<unknown>).changed();
      else if (table === "outbox") this.waitingChanged(row as OutboxRow | undefined);
    }
  }

  private waitingChanged(row: OutboxRow | undefined): void {
    (this.status as Computed<Status>).changed();
    if (row) this.lists.get(listOfWaiting(row))?.changed();
    else for (const list of this.lists.values()) list.changed();
  }

  private conversationChanged(id: string): void {
    const row = this.rows.get("conversations", id);
    if (row) this.views.forgetConversation(row);
    this.listed.changed();
    this.single.get(id)?.changed();
    const other = row?.conversationWith as { uid?: string } | undefined;
    if (other?.uid !== undefined) this.people.get(other.uid)?.changed();
  }

  /** A change that is not confirmed begins or ends: it is shown in lists, and where the message is the last one. */
  private overlayChanged(id: string): void {
    this.messageChanged(this.rows.get("messages", id));
    for (const [conversationId, { lastMessage }] of this.rows.all("conversations")) {
      if (lastMessage?.id !== id) continue;
      this.views.forgetMessage(lastMessage);
      this.conversationChanged(conversationId);
    }
  }

  private messageChanged(row: MessageRow | undefined, id?: string): void {
    if (row) {
      this.views.forgetMessage(row);
      this.lists.get(listOf(row))?.changed();
    } else if (id !== undefined) for (const list of this.lists.values()) list.changed(); // it is gone
  }

  private statusNow(before: Status | undefined): Status {
    const queued = [...this.rows.all("outbox")].filter(([, row]) => !row.error).length;
    const isLeader = this.tabs ? this.tabs.isLeader : true;
    const now: Status = { connection: this.connection, queued, ...this.stored, isLeader };
    const names = Object.keys(now) as (keyof Status)[];
    return before && names.every((name) => before[name] === now[name]) ? before : now;
  }

  private list(source: Source): List {
    return entry(this.lists, source.list, () => {
      return new List(source, this.perform, (state, before) => this.views.list(source.list, state, before));
    });
  }
}

function entry<V>(map: Map<string, V>, key: string, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}

function isUnknownWaiting(rows: Rows, table: string, key: string): boolean {
  return table === "outbox" && rows.get("outbox", key) === undefined;
}

/** Now, in seconds since 1970, until the server has said when. */
function seconds(): number {
  return Math.floor(Date.now() / 1000);
}
