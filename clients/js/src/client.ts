/** A person's client: one socket, which goes on after every cut (docs/reference/client.md). */

import { Calls } from "./calls.js";
import { Emitter } from "./emitter.js";
import { environment, type Environment } from "./environment.js";
import { ClientError } from "./errors.js";
import type { EventFrame, EventName, Events, MethodName, Methods, Presence, User } from "./generated/realtime.js";
import { Link, type Frame } from "./link.js";
import { SendQueue, type Queued } from "./queue.js";
import { Rest, type Answer, type RequestOptions } from "./rest.js";
import { Tokens, type FetchToken } from "./tokens.js";

/** Where a client is on its way to a connection. */
export type State =
  | { readonly name: "idle" }
  | { readonly name: "connecting" }
  | { readonly name: "connected" }
  /** The next try is in so many milliseconds; the last one has failed for this reason. */
  | { readonly name: "waiting"; readonly milliseconds: number; readonly reason: string }
  /** The client does not try again by itself; the application is told why. */
  | { readonly name: "ended"; readonly code: number; readonly reason: string };

export interface ClientOptions {
  /** The interface of the server, such as `https://chat.example.com/v3`. */
  url: string;
  /** Returns an auth token of the person: the application asks its own server for it. */
  fetchToken: FetchToken;
  /** The app, if neither the token nor the host name says so. */
  appId?: string;
  /** Of whom the client hears whether they are available; of nobody if not given. */
  presence?: Presence;
  /** A socket for where there is none, such as that of the library `ws` in Node 20. */
  WebSocket?: unknown;
  /** Replaces clocks, chance and the network, for tests. */
  environment?: Partial<Environment>;
}

/** A message to send. */
export interface Send {
  receiver: string;
  receiverType: "user" | "group";
  data?: Record<string, unknown>;
  category?: string;
  type?: string;
  /** Files, sent with it as a form. */
  files?: readonly Blob[];
  /** The message in whose thread it is. */
  parentId?: string;
  muid?: string;
  [field: string]: unknown;
}

/** A message as the server has stored it. */
export type Stored = Extract<Methods["send_message"]["result"], { id: string }>;

export type EventListeners = { [E in EventName]: [data: Events[E], frame: EventFrame<E>] };
export type ClientEvents = EventListeners & {
  state: [state: State];
  /** Every event, in order. */
  event: [frame: EventFrame<EventName>];
  /** The server's `connected`, after what `load` has loaded. */
  connected: [frame: Frame];
};

/** Loads what is shown, and returns `meta.eventCursor` of the first list. */
export type Load = () => Promise<string>;

const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 20_000;
const TOKEN_REFUSED = 4401;
const UNAUTHORIZED = 401;
/** Close codes after which another try would end in the same way. */
const ENDS = new Set([1002, 1009, 4400, 4403]);
const REMEMBERED_EVENTS = 1000;

/** Holds a connection, makes calls, sends messages, and tells of events. */
export class Client {
  readonly env: Environment;
  /** The interface of the server, without a slash at the end. */
  readonly url: string;
  private readonly tokens: Tokens;
  private readonly calls = new Calls();
  private readonly rest: Rest;
  private readonly queue: SendQueue<Stored>;
  private readonly emitter = new Emitter<ClientEvents>();
  private readonly settled = new Map<string, { resolve(stored: Stored): void; reject(error: ClientError): void }>();
  private readonly seen = new Set<string>();
  readonly appId: string | undefined;
  private current: State = { name: "idle" };
  private link: Link | undefined;
  private cancelWait: (() => void) | undefined;
  private stopHearingOnline: (() => void) | undefined;
  /** Counts connections that were begun, so that what belongs to an older one is known. */
  private run = 0;
  private tries = 0;
  private load: Load | undefined;
  private expected: string | undefined;
  /** The user of the token, once the client was connected. */
  user: User | undefined;
  /** The position of the last event; opaque. */
  cursor: string | undefined;

  constructor(private readonly options: ClientOptions) {
    this.url = interfaceOf(options.url);
    if (typeof options.fetchToken !== "function") throw new TypeError("`fetchToken` must be a function that returns a token.");
    const socket = options.WebSocket ? { WebSocket: options.WebSocket as Environment["WebSocket"] } : {};
    this.env = environment({ ...socket, ...options.environment });
    this.tokens = new Tokens(options.fetchToken);
    this.appId = options.appId;
    this.rest = new Rest(this.env, this.url, this.tokens, options.appId);
    this.queue = new SendQueue(this.env, (message, signal) => this.deliver(message, { signal }), {
      onSent: ({ muid }, stored) => this.settled.get(muid)?.resolve(stored),
      onFailed: ({ muid }, error) => this.settled.get(muid)?.reject(error),
    });
  }

  get state(): State {
    return this.current;
  }

  /** Calls `listener` at each event of this name, at each event of all, or when the state changes; returns what ends this. */
  on<E extends EventName>(name: E, listener: (data: Events[E], frame: EventFrame<E>) => void): () => void;
  on(name: "event", listener: (frame: EventFrame) => void): () => void;
  on(name: "state", listener: (state: State) => void): () => void;
  on(name: "connected", listener: (frame: Frame) => void): () => void;
  on<K extends keyof ClientEvents>(name: K, listener: (...args: ClientEvents[K]) => void): () => void {
    return this.emitter.on(name, listener);
  }

  /**
   * Has `load` called whenever events may be missing: before the first connection without a cursor, and
   * when the server could not resume.
   */
  loadWith(load: Load, cursor?: string): void {
    this.load = load;
    this.cursor ??= cursor;
  }

  /** Ends, instead of connecting, if the tokens are those of somebody else. */
  expect(uid: string): void {
    this.expected = uid;
  }

  /** Connects, and stays connected until `disconnect`. */
  connect(): void {
    if (this.current.name !== "idle" && this.current.name !== "ended") return;
    this.tries = 0;
    this.hearOnline();
    void this.open();
  }

  /** Closes the socket. Messages that wait are sent after the next `connect`. */
  disconnect(): void {
    this.run += 1;
    this.cancelWait?.();
    this.stopHearingOnline?.();
    const link = this.link;
    this.link = undefined; // its close is no cut
    link?.close(1000, "");
    this.calls.cut();
    this.enter({ name: "idle" });
  }

  /**
   * Makes a call over the socket, now or once there is a connection.
   *
   * Rejects with a `ClientError`; `ERR_OUTCOME_UNKNOWN` if it may have been carried out before a cut.
   */
  call<M extends MethodName>(
    method: M,
    params: Methods[M]["params"],
    options: { signal?: AbortSignal } = {},
  ): Promise<Methods[M]["result"]> {
    if (this.current.name === "ended") {
      return Promise.reject(new ClientError("ERR_NOT_CONNECTED", this.current.reason));
    }
    return this.calls.call(method, params, options.signal) as Promise<Methods[M]["result"]>;
  }

  /** Makes a call over REST, with the person's token. Rejects with a `ClientError`. */
  request<D = unknown>(method: string, path: string, options?: RequestOptions): Promise<Answer<D>> {
    return this.rest.request<D>(method, path, options);
  }

  /**
   * Sends a message, now or once there is a connection; resolves with it as it was stored.
   *
   * The messages of a conversation are sent in order. Rejects with a `ClientError` if it is refused.
   */
  send({ receiver, receiverType, files, muid = this.env.newId(), ...fields }: Send): Promise<Stored> {
    return new Promise((resolve, reject) => {
      const done = () => this.settled.delete(muid);
      this.settled.set(muid, {
        resolve: (stored) => (done(), resolve(stored)),
        reject: (error) => (done(), reject(error)),
      });
      this.queue.add({ muid, receiver, receiverType, fields, ...(files ? { files } : {}) });
    });
  }

  /** Sends a message once: over the socket, or as a form if it has files. */
  async deliver(
    { muid, receiver, receiverType, fields, files }: Queued,
    options: { signal?: AbortSignal; onProgress?(part: number): void } = {},
  ): Promise<Stored> {
    const message = { receiver, receiverType, muid, ...fields };
    if (!files?.length) {
      return (await this.call("send_message", message as unknown as Methods["send_message"]["params"], options)) as Stored;
    }
    const { parentId, ...parts } = message as Record<string, unknown>;
    const path = parentId === undefined ? "/messages" : `/messages/${String(parentId)}/thread`;
    const answer = await this.request<Stored>("POST", path, { ...options, form: formOf(parts, files) });
    return answer.data;
  }

  private async open(): Promise<void> {
    const run = ++this.run;
    const isOver = () => run !== this.run;
    this.enter({ name: "connecting" });
    const isTokenNew = this.tokens.isNew;
    try {
      const token = await this.tokens.get();
      if (!isOver() && this.cursor === undefined && this.load) this.cursor = await this.load();
      if (isOver()) return;
      this.openSocket(token, isTokenNew);
    } catch (error) {
      if (isOver()) return;
      if (error instanceof ClientError && error.status === UNAUTHORIZED) this.end(TOKEN_REFUSED, error.message);
      else this.wait(error instanceof Error ? error.message : String(error));
    }
  }

  private openSocket(token: string, isTokenNew: boolean): void {
    let opened = false;
    let held: Frame[] | undefined; // what arrives while lists are loaded
    const connected = async (frame: Frame) => {
      opened = true;
      this.tries = 0;
      link.beat(frame.heartbeat as number);
      this.user = frame.user as User;
      if (this.expected !== undefined && this.user.uid !== this.expected) {
        this.link = undefined;
        link.close(1000, "");
        return this.end(TOKEN_REFUSED, `The token is that of ${this.user.uid}, not of ${this.expected}.`);
      }
      if (!frame.resumed && this.load) {
        held = [];
        try {
          await this.load();
        } catch {
          return link.close(1006, "the lists could not be loaded");
        }
        if (this.link !== link) return;
      }
      this.cursor = frame.cursor;
      this.enter({ name: "connected" });
      this.calls.begin(link);
      this.emitter.emit("connected", frame);
      const waiting = held ?? [];
      held = undefined;
      waiting.forEach((each) => this.take(each));
    };
    const first = {
      op: "connect",
      authToken: token,
      appId: this.options.appId,
      since: this.cursor,
      presence: this.options.presence,
    };
    const link = new Link(this.env, this.url.replace(/^http/, "ws") + "/realtime", first, {
      onFrame: (frame) => {
        if (frame.op === "connected") void connected(frame);
        else if (held) held.push(frame);
        else this.take(frame);
      },
      onClose: (code, reason) => {
        if (this.link !== link) return;
        this.link = undefined;
        this.calls.cut();
        if (code === TOKEN_REFUSED) this.tokens.drop(token);
        if (ENDS.has(code) || (code === TOKEN_REFUSED && isTokenNew && !opened)) this.end(code, reason);
        else this.wait(reason);
      },
    });
    this.link = link;
  }

  private take(frame: Frame): void {
    if (frame.op === "reply") return this.calls.take(frame);
    if (frame.op === "token_expiring") return void this.renewToken();
    if (frame.op === "event" && this.isNew(frame)) {
      const event = frame as unknown as EventFrame<EventName>;
      this.emitter.emit("event", event);
      this.emitter.emit(event.event, ...([event.data, event] as never));
      if (event.event === "conversations_changed" && this.load) return this.loadAnew();
    }
    // Frames of other kinds are ignored: a server may be newer.
    if ((frame.op === "event" || frame.op === "pong") && frame.cursor !== undefined) this.cursor = frame.cursor;
  }

  /** Goes on with another token over the same socket. */
  private async renewToken(): Promise<void> {
    try {
      await this.calls.call("renew_token", { authToken: await this.tokens.renew() });
    } catch {
      // The server closes the socket when the token ends, and another one is fetched then.
    }
  }

  /** Connects anew, and loads the lists first: an import tells of no message by itself. */
  private loadAnew(): void {
    this.cursor = undefined;
    this.link?.close(1006, "an import has changed conversations");
  }

  /** Whether an event comes for the first time. Those without an id are not sent again. */
  private isNew({ id }: Frame): boolean {
    if (id === undefined) return true;
    if (this.seen.has(id)) return false;
    this.seen.add(id);
    if (this.seen.size > REMEMBERED_EVENTS) this.seen.delete(this.seen.values().next().value!);
    return true;
  }

  private wait(reason: string): void {
    const longest = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(this.tries++, 10));
    const milliseconds = Math.round((longest / 2) * (1 + this.env.random()));
    this.cancelWait = this.env.after(milliseconds, () => void this.open());
    this.enter({ name: "waiting", milliseconds, reason });
  }

  private end(code: number, reason: string): void {
    this.run += 1;
    this.stopHearingOnline?.();
    this.calls.end(reason);
    this.enter({ name: "ended", code, reason });
  }

  private enter(state: State): void {
    this.current = state;
    this.emitter.emit("state", state);
  }

  private hearOnline(): void {
    const target = globalThis as Partial<EventTarget>;
    if (!target.addEventListener) return; // React Native has none
    const online = () => {
      if (this.current.name !== "waiting") return;
      this.cancelWait?.();
      void this.open();
    };
    target.addEventListener("online", online);
    this.stopHearingOnline = () => target.removeEventListener?.("online", online);
  }
}

/** Returns the address of the interface without a slash at its end; in a page it may be relative. */
function interfaceOf(url: string): string {
  const base = typeof location === "object" ? location.href : undefined;
  let parsed: URL | undefined;
  try {
    parsed = new URL(url, base);
  } catch {
    // it is refused below
  }
  if (!parsed || !/^https?:$/.test(parsed.protocol)) {
    throw new TypeError(`\`url\` must be the interface of the server, such as https://chat.example.com/v3, not "${url}".`);
  }
  return parsed.href.replace(/\/+$/, "");
}

function formOf(parts: Record<string, unknown>, files: readonly Blob[]): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(parts)) {
    if (value !== undefined) form.append(name, typeof value === "object" ? JSON.stringify(value) : String(value));
  }
  for (const file of files) form.append("file", file);
  return form;
}
