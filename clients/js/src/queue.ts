/** Messages that wait to be sent: in their order within a conversation, each until it is settled. */

import type { Environment } from "./environment.js";
import { ClientError, isPassing } from "./errors.js";

/** A message that is sent. */
export interface Queued {
  muid: string;
  receiver: string;
  receiverType: "user" | "group";
  /** The fields of the send besides these. */
  fields: Record<string, unknown>;
  files?: readonly Blob[];
  /** Why it was refused. It stays until it is sent again or discarded. */
  error?: { code: string; message: string; details?: unknown };
}

/** Sends one message; rejects with what the server says. */
export type Deliver<M> = (message: Queued, signal: AbortSignal) => Promise<M>;

export interface QueueHandlers<M> {
  onSent(message: Queued, stored: M): void;
  onFailed(message: Queued, error: ClientError): void;
}

const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 20_000;

/** Sends what is added, for as long as it takes. */
export class SendQueue<M> {
  private readonly lines = new Map<string, Queued[]>();
  private readonly underway = new Map<string, AbortController>();

  constructor(
    private readonly env: Environment,
    private readonly deliver: Deliver<M>,
    private readonly handlers: QueueHandlers<M>,
  ) {}

  /** Puts a message at the end of its conversation's line. */
  add(message: Queued): void {
    const name = `${message.receiverType}:${message.receiver}`;
    const line = this.lines.get(name);
    if (line) line.push(message);
    else {
      this.lines.set(name, [message]);
      void this.run(name);
    }
  }

  /** Takes a message back, also while it is sent; then it may have been stored. */
  remove(muid: string): void {
    for (const line of this.lines.values()) {
      const at = line.findIndex((message) => message.muid === muid);
      if (at > 0) line.splice(at, 1); // the first one is taken by `run`
    }
    this.underway.get(muid)?.abort();
  }

  private async run(name: string): Promise<void> {
    const line = this.lines.get(name)!;
    let pause = FIRST_PAUSE_MS;
    for (let message = line[0]; message; message = line[0]) {
      const outcome = await this.try(message);
      if (outcome === "later") {
        await new Promise<void>((resume) => this.env.after(pause * (0.5 + this.env.random() / 2), resume));
        pause = Math.min(LONGEST_PAUSE_MS, 2 * pause);
        continue;
      }
      pause = FIRST_PAUSE_MS;
      line.shift();
    }
    this.lines.delete(name);
  }

  /** Sends a message once, and tells what has become of it. */
  private async try(message: Queued): Promise<"settled" | "later"> {
    const aborting = new AbortController();
    this.underway.set(message.muid, aborting);
    try {
      const stored = await this.deliver(message, aborting.signal);
      this.handlers.onSent(message, stored);
    } catch (error) {
      if (aborting.signal.aborted) return "settled";
      if (isPassing(error)) return "later";
      this.handlers.onFailed(message, asClientError(error));
    } finally {
      this.underway.delete(message.muid);
    }
    return "settled";
  }
}

function asClientError(error: unknown): ClientError {
  if (error instanceof ClientError) return error;
  return new ClientError("ERR_NETWORK", String(error), { cause: error });
}
