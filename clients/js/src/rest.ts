/** Calls over REST, by the person's token. */

import type { Environment } from "./environment.js";
import { ClientError } from "./errors.js";
import type { Tokens } from "./tokens.js";

export interface RequestOptions {
  query?: Record<string, string | number | boolean | readonly (string | number)[] | undefined>;
  body?: unknown;
  /** A form with files, in place of a body. */
  form?: FormData;
  signal?: AbortSignal;
  /** Called with the part of the form that was sent, 0 to 1, where the browser tells. */
  onProgress?(part: number): void;
}

/** An answer of the interface. */
export interface Answer<D = unknown> {
  data: D;
  meta: Record<string, unknown>;
}

interface Reply {
  status: number;
  retryAfter: string | null;
  text: string;
}

const UNAUTHORIZED = 401;
const BUSY = new Set([429, 503]);
const MOST_TRIES = 4;
const ANSWER_MS = 30_000;
const LONGEST_PAUSE_MS = 20_000;

/** The REST interface as the person may use it. */
export class Rest {
  constructor(
    private readonly env: Environment,
    private readonly base: string,
    private readonly tokens: Tokens,
    private readonly appId: string | undefined,
  ) {}

  /**
   * Makes a call. What only reads is tried again while the server is busy.
   *
   * Rejects with a `ClientError`.
   */
  async request<D>(method: string, path: string, options: RequestOptions = {}): Promise<Answer<D>> {
    for (let attempt = 1; ; attempt++) {
      const token = await this.tokens.get();
      const reply = await this.send(method, path, options, token);
      if (reply.status === UNAUTHORIZED && attempt === 1) {
        this.tokens.drop(token);
        continue;
      }
      if (BUSY.has(reply.status) && method === "GET" && attempt < MOST_TRIES) {
        await this.pause(pauseOf(reply, attempt), options.signal);
        continue;
      }
      return answerOf<D>(reply);
    }
  }

  private async send(method: string, path: string, options: RequestOptions, token: string): Promise<Reply> {
    const url = this.base + path + queryOf(options.query);
    const headers: Record<string, string> = { authToken: token };
    if (this.appId) headers.appId = this.appId;
    if (options.body !== undefined) headers["Content-Type"] = "application/json";
    const body = options.form ?? (options.body === undefined ? undefined : JSON.stringify(options.body));
    try {
      if (options.onProgress && options.form && typeof XMLHttpRequest === "function") {
        return await upload(method, url, headers, options.form, options);
      }
      return await this.fetch(url, { method, headers, body }, options);
    } catch (error) {
      if (options.signal?.aborted) throw new ClientError("ERR_ABORTED", "The call was taken back.");
      throw new ClientError("ERR_NETWORK", `${method} ${path}: no answer`, { cause: error });
    }
  }

  /** Fetches, for so long as an answer may take: one that never comes must not hold up what waits for it. */
  private async fetch(url: string, init: RequestInit, { form, signal }: RequestOptions): Promise<Reply> {
    const aborting = new AbortController();
    const abort = () => aborting.abort();
    if (signal?.aborted) abort();
    signal?.addEventListener("abort", abort);
    const stop = form ? () => undefined : this.env.after(ANSWER_MS, abort);
    try {
      const response = await this.env.fetch(url, { ...init, signal: aborting.signal });
      const text = await response.text();
      return { status: response.status, retryAfter: response.headers.get("Retry-After"), text };
    } finally {
      stop();
      signal?.removeEventListener("abort", abort);
    }
  }

  private pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const stop = this.env.after(milliseconds, resolve);
      signal?.addEventListener("abort", () => {
        stop();
        reject(new ClientError("ERR_ABORTED", "The call was taken back."));
      });
    });
  }
}

/** `fetch` tells nothing of the progress of what it sends. */
function upload(
  method: string,
  url: string,
  headers: Record<string, string>,
  form: FormData,
  { onProgress, signal }: RequestOptions,
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open(method, url);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded, total }) => onProgress?.(total ? loaded / total : 0);
    request.onload = () =>
      resolve({
        status: request.status,
        retryAfter: request.getResponseHeader("Retry-After"),
        text: request.responseText,
      });
    request.onerror = request.onabort = () => reject(new Error("no answer"));
    signal?.addEventListener("abort", () => request.abort());
    if (signal?.aborted) return reject(new Error("no answer"));
    request.send(form);
  });
}

function queryOf(query: RequestOptions["query"]): string {
  const given = Object.entries(query ?? {}).filter(([, value]) => value !== undefined);
  if (given.length === 0) return "";
  return "?" + new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
}

function pauseOf(reply: Reply, attempt: number): number {
  const seconds = Number(reply.retryAfter) || 2 ** (attempt - 1);
  return Math.min(LONGEST_PAUSE_MS, 1000 * seconds);
}

function answerOf<D>(reply: Reply): Answer<D> {
  let body: { data?: D; meta?: Record<string, unknown>; error?: { code: string; message: string } };
  try {
    body = JSON.parse(reply.text || "{}");
  } catch (error) {
    // A proxy's page, which says nothing of the call.
    throw new ClientError("ERR_NETWORK", `an answer ${reply.status} that is no JSON`, { cause: error });
  }
  if (body.error) throw ClientError.of(body.error, reply.status);
  if (reply.status >= 400) throw new ClientError("ERR_NETWORK", `an answer ${reply.status}`);
  return { data: body.data as D, meta: body.meta ?? {} };
}
