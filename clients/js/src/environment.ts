/** What a client takes from where it runs; tests put their own time and chance in its place. */

export interface Environment {
  /** Milliseconds of a clock that only goes forward. */
  now(): number;
  /** Calls `then` after so many milliseconds; returns what takes it back. */
  after(milliseconds: number, then: () => void): () => void;
  /** A number from 0 to 1. */
  random(): number;
  /** A random id that nobody else makes. */
  newId(): string;
  WebSocket: SocketConstructor;
  fetch: typeof fetch;
}

/** The part of the standard's WebSocket that is used. */
export interface Socket {
  readonly readyState: number;
  onopen: ((event: never) => void) | null;
  onmessage: ((event: { data: unknown }) => void) | null;
  onclose: ((event: { code: number; reason: string }) => void) | null;
  onerror: ((event: never) => void) | null;
  send(text: string): void;
  close(code?: number, reason?: string): void;
}

export type SocketConstructor = new (url: string) => Socket;

/** Returns the environment of a browser or of Node, with what is given in its place. */
export function environment(given: Partial<Environment>): Environment {
  const socket = given.WebSocket ?? (globalThis.WebSocket as unknown as SocketConstructor | undefined);
  if (!socket) {
    throw new TypeError('There is no WebSocket here: install "ws", and pass it as `WebSocket`.');
  }
  return {
    now: () => performance.now(),
    after: (milliseconds, then) => {
      const timer = setTimeout(then, milliseconds);
      return () => clearTimeout(timer);
    },
    random: Math.random,
    newId,
    fetch: (...args) => globalThis.fetch(...args),
    ...given,
    WebSocket: socket,
  };
}

/** `randomUUID` is there in secure contexts only, `getRandomValues` everywhere but in old React Natives. */
function newId(): string {
  const bytes = new Uint8Array(16);
  if (typeof globalThis.crypto === "object") crypto.getRandomValues(bytes);
  else bytes.forEach((_, index) => (bytes[index] = Math.random() * 256));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
