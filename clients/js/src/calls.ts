/** Calls over the socket, matched with their replies by `ref`. */

import { ClientError } from "./errors.js";
import type { Frame, Link } from "./link.js";

interface Pending {
  frame: { op: "call"; ref: string; method: string; params: unknown };
  isSent: boolean;
  settle(data: unknown): void;
  refuse(error: ClientError): void;
}

/** Methods that change nothing the second time. */
const REPEATABLE = new Set([
  "list_messages",
  "list_conversations",
  "mark_read",
  "mark_delivered",
  "mark_interacted",
  "subscribe_presence",
  "send_message", // by its muid, which the client gives every message
  "append_message", // by its sequence
  "append_messages",
  "stop_message",
]);

/** What waits for a connection, or a reply. */
export class Calls {
  private readonly pending = new Map<string, Pending>();
  private link: Link | undefined;
  private next = 0;

  /** Sends a call, now or when there is a connection; resolves with the data of its reply. */
  call(method: string, params: unknown, signal?: AbortSignal): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(aborted());
      const ref = String(++this.next);
      const take = () => {
        this.pending.delete(ref);
        signal?.removeEventListener("abort", giveUp);
      };
      const giveUp = () => {
        take();
        reject(aborted());
      };
      signal?.addEventListener("abort", giveUp);
      const call: Pending = {
        frame: { op: "call", ref, method, params },
        isSent: false,
        settle: (data) => (take(), resolve(data)),
        refuse: (error) => (take(), reject(error)),
      };
      this.pending.set(ref, call);
      this.send(call);
    });
  }

  /** Sends what has waited: the calls go on over this connection. */
  begin(link: Link): void {
    this.link = link;
    for (const call of this.pending.values()) this.send(call);
  }

  /** Takes the reply to a call. */
  take(frame: Frame): void {
    const call = this.pending.get(frame.ref ?? "");
    if (!call) return;
    if (frame.error) call.refuse(ClientError.of(frame.error));
    else call.settle(frame.data);
  }

  /** Ends the connection: what may have been carried out, and must not be twice, is not known. */
  cut(): void {
    this.link = undefined;
    for (const call of [...this.pending.values()]) {
      if (call.isSent && !REPEATABLE.has(call.frame.method)) {
        call.refuse(new ClientError("ERR_OUTCOME_UNKNOWN", "The connection was cut before the reply."));
      }
      call.isSent = false;
    }
  }

  /** Refuses all: there will be no connection. */
  end(why: string): void {
    this.cut();
    for (const call of [...this.pending.values()]) {
      call.refuse(new ClientError("ERR_NOT_CONNECTED", why));
    }
  }

  private send(call: Pending): void {
    if (!this.link) return;
    call.isSent = true;
    this.link.send(call.frame);
  }
}

function aborted(): ClientError {
  return new ClientError("ERR_ABORTED", "The call was taken back.");
}
