/** One socket, from its opening to its close: frames, signs of life, the pace of sending. */

import type { Environment, Socket } from "./environment.js";

/** A frame of the server. Which fields it has follows from `op`. */
export interface Frame {
  op: string;
  ref?: string;
  id?: string;
  cursor?: string;
  event?: string;
  at?: number;
  data?: unknown;
  error?: { code: string; message: string; details?: unknown };
  [field: string]: unknown;
}

export interface LinkHandlers {
  onFrame(frame: Frame): void;
  /** It is closed; `code` is 1006 if no close frame came. Called once. */
  onClose(code: number, reason: string): void;
}

const CONNECT_MS = 10_000;
/** A server takes 50 frames a second, and 200 at once. */
const PER_SECOND = 45;
const AT_ONCE = 150;
const OPEN = 1;

/** A socket that shows signs of life, and notices when there are none. */
export class Link {
  private readonly socket: Socket;
  private readonly waiting: string[] = [];
  private allowance = AT_ONCE;
  private allowedAt: number;
  private heardAt: number;
  private sentAt: number;
  private isClosed = false;
  private cancelTimer: () => void;
  private cancelPace: (() => void) | undefined;

  constructor(
    private readonly env: Environment,
    url: string,
    first: object,
    private readonly handlers: LinkHandlers,
  ) {
    this.allowedAt = this.heardAt = this.sentAt = env.now();
    this.socket = new env.WebSocket(url);
    this.cancelTimer = env.after(CONNECT_MS, () => this.close(1006, "no answer in time"));
    this.socket.onopen = () => this.send(first);
    this.socket.onmessage = ({ data }) => this.take(data);
    this.socket.onclose = ({ code, reason }) => this.end(code, reason);
    this.socket.onerror = () => undefined; // a close follows
  }

  /** Sends a frame, at once or when the server takes it. */
  send(frame: object): void {
    this.waiting.push(JSON.stringify(frame));
    this.pace();
  }

  /** Begins to show signs of life each `seconds`, and to expect them. */
  beat(seconds: number): void {
    this.cancelTimer();
    const look = () => {
      const now = this.env.now();
      if (now - this.heardAt >= 2000 * seconds) return this.close(1006, "silence");
      if (now - this.sentAt >= 1000 * seconds) this.send({ op: "ping" });
      this.cancelTimer = this.env.after(500 * seconds, look);
    };
    this.cancelTimer = this.env.after(500 * seconds, look);
  }

  /**
   * Ends it at once. A network that is gone answers no close frame, so nothing is waited for.
   */
  close(code: number, reason: string): void {
    if (this.isClosed) return;
    this.socket.onmessage = this.socket.onclose = this.socket.onopen = null;
    this.socket.close(code === 1006 ? 4000 : code, reason);
    this.end(code, reason);
  }

  private end(code: number, reason: string): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.cancelTimer();
    this.cancelPace?.();
    this.handlers.onClose(code, reason);
  }

  private take(text: unknown): void {
    this.heardAt = this.env.now();
    let frame: Frame;
    try {
      frame = JSON.parse(String(text)) as Frame;
    } catch {
      return this.close(1006, "a frame that is no JSON");
    }
    if (frame.op === "ping") this.send({ op: "pong" });
    else this.handlers.onFrame(frame);
  }

  /** Sends what the server takes now, and the rest later. */
  private pace(): void {
    if (this.cancelPace || this.socket.readyState !== OPEN) return;
    const now = this.env.now();
    this.allowance = Math.min(AT_ONCE, this.allowance + ((now - this.allowedAt) * PER_SECOND) / 1000);
    this.allowedAt = now;
    while (this.waiting.length > 0 && this.allowance >= 1) {
      this.socket.send(this.waiting.shift()!);
      this.allowance -= 1;
      this.sentAt = now;
    }
    if (this.waiting.length === 0) return;
    this.cancelPace = this.env.after(1000 / PER_SECOND, () => {
      this.cancelPace = undefined;
      this.pace();
    });
  }
}
