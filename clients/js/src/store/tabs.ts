/**
 * Several tabs of a browser share one socket.
 *
 * A Web Lock decides which tab holds it, the leader. The others have a copy of the rows: they ask for all of them once, and
 * then hear of each change. What the person does in them is carried out by the leader. When its tab is closed, the
 * lock goes to another, which goes on from its copy.
 */

import type { State } from "../client.js";
import { ClientError, type Problem } from "../errors.js";
import type { EventFrame } from "../generated/realtime.js";
import type { Engine } from "./engine.js";
import type { Change } from "./rows.js";

/** What a tab has the leader do. */
export type Actions = Pick<
  Engine,
  | "watch"
  | "unwatch"
  | "loadNewest"
  | "loadOlder"
  | "loadAround"
  | "loadGap"
  | "watchReplies"
  | "unwatchReplies"
  | "watchDrafts"
  | "setDraft"
  | "send"
  | "retry"
  | "discard"
  | "change"
  | "markRead"
  | "type"
  | "stopTyping"
  | "request"
>;
export type ActionName = keyof Actions;
export type Perform = <N extends ActionName>(
  name: N,
  ...args: Parameters<Actions[N]>
) => Promise<Awaited<ReturnType<Actions[N]>>>;

/** What the leader tells of what is in no row. */
export interface Shared {
  connection?: State;
  storage?: "indexeddb" | "memory";
  storageError?: Error | undefined;
  typing?: { conversationId: string; uid: string; isTyping: boolean };
  presence?: { uid: string; status: string };
  progress?: { muid: string; part: number | undefined };
  event?: EventFrame;
}

type Message =
  | { kind: "join"; from: string }
  | { kind: "rows"; to: string; changes: Change[]; shared: Shared[] }
  | { kind: "changes"; changes: readonly Change[] }
  | { kind: "shared"; shared: Shared }
  | { kind: "leader" }
  | { kind: "erase" }
  | { kind: "action"; from: string; call: number; name: ActionName; args: unknown[] }
  | { kind: "outcome"; to: string; call: number; result?: unknown; error?: Problem };

export interface TabHandlers {
  /** This tab holds the socket from now on. */
  lead(): Promise<void>;
  /** Takes rows; `isAll` if they are all that there are. */
  adopt(changes: readonly Change[], isAll: boolean): void;
  share(shared: Shared): void;
  /** All rows, and what is in none, for a tab that joins. */
  all(): { changes: Change[]; shared: Shared[] };
  perform: Perform;
  /** Another tab erases what is stored: this one ends. */
  erased(): void;
}

/** The part of the browser that is used. */
export interface TabEnvironment {
  newId(): string;
  channel(name: string): BroadcastChannel;
  locks: LockManager;
}

/** A tab among others. */
export class Tabs {
  private readonly id: string;
  private readonly channel: BroadcastChannel;
  private readonly calls = new Map<number, { resolve(result: unknown): void; reject(error: unknown): void }>();
  private readonly closing = new AbortController();
  private readonly joined: Promise<void>;
  private join: () => void = () => undefined;
  private release: () => void = () => undefined;
  private lastCall = 0;
  isLeader = false;

  constructor(
    private readonly env: TabEnvironment,
    private readonly name: string,
    private readonly handlers: TabHandlers,
  ) {
    this.id = env.newId();
    this.joined = new Promise((resolve) => (this.join = resolve));
    this.channel = env.channel(`hubbub:${name}`);
    this.channel.onmessage = ({ data }) => void this.take(data as Message);
    env.locks
      .request(`hubbub:${name}`, { signal: this.closing.signal }, () => this.lead())
      .catch(() => undefined); // it was closed before it had the lock
    this.post({ kind: "join", from: this.id });
  }

  /** Resolves once this tab has the rows: read from the disk, or had from the leader. */
  ready(): Promise<void> {
    return this.joined;
  }

  /** Has the leader do something. */
  perform: Perform = (name, ...args) => {
    if (this.isLeader) return this.handlers.perform(name, ...args);
    const call = ++this.lastCall;
    return new Promise((resolve, reject) => {
      this.calls.set(call, { resolve: resolve as (result: unknown) => void, reject });
      this.post({ kind: "action", from: this.id, call, name, args });
    });
  };

  /** Tells the other tabs of changes; only the leader makes some. */
  tellChanges(changes: readonly Change[]): void {
    if (this.isLeader) this.post({ kind: "changes", changes });
  }

  tellShared(shared: Shared): void {
    if (this.isLeader) this.post({ kind: "shared", shared });
  }

  /** Has all tabs end. Resolves after `erase`, before which none can hold the socket again. */
  async endAll(erase: () => Promise<void>): Promise<void> {
    this.post({ kind: "erase" });
    const erased = this.env.locks.request(`hubbub:${this.name}`, erase);
    this.close();
    await erased;
  }

  close(): void {
    this.closing.abort();
    this.release();
    this.channel.close();
    this.cutCalls();
  }

  private async lead(): Promise<void> {
    if (this.closing.signal.aborted) return;
    const released = new Promise<void>((resolve) => (this.release = resolve));
    await this.handlers.lead();
    this.isLeader = true;
    this.join();
    this.cutCalls();
    this.post({ kind: "leader" });
    await released;
  }

  private async take(message: Message): Promise<void> {
    if (message.kind === "erase") return this.handlers.erased();
    if (this.isLeader) return this.takeAsLeader(message);
    if (message.kind === "leader") {
      this.cutCalls();
      this.post({ kind: "join", from: this.id });
    } else if (message.kind === "rows" && message.to === this.id) {
      this.handlers.adopt(message.changes, true);
      message.shared.forEach((each) => this.handlers.share(each));
      this.join();
    } else if (message.kind === "changes") {
      this.handlers.adopt(message.changes, false);
    } else if (message.kind === "shared") {
      this.handlers.share(message.shared);
    } else if (message.kind === "outcome" && message.to === this.id) {
      const call = this.calls.get(message.call);
      this.calls.delete(message.call);
      if (message.error) call?.reject(ClientError.of(message.error));
      else call?.resolve(message.result);
    }
  }

  private async takeAsLeader(message: Message): Promise<void> {
    if (message.kind === "join") {
      this.post({ kind: "rows", to: message.from, ...this.handlers.all() });
    } else if (message.kind === "action") {
      const answer = { kind: "outcome", to: message.from, call: message.call } as const;
      try {
        const perform = this.handlers.perform as (name: ActionName, ...args: unknown[]) => Promise<unknown>;
        const result = await perform(message.name, ...message.args);
        this.post({ ...answer, result });
      } catch (error) {
        const { code, message: text, details } = error as ClientError;
        this.post({ ...answer, error: { code: code ?? "ERR_NETWORK", message: text, details } });
      }
    }
  }

  /** The leader that they were for is gone. */
  private cutCalls(): void {
    for (const { reject } of this.calls.values()) {
      reject(new ClientError("ERR_OUTCOME_UNKNOWN", "The tab that held the connection was closed."));
    }
    this.calls.clear();
  }

  private post(message: Message): void {
    if (!this.closing.signal.aborted) this.channel.postMessage(message);
  }
}
