/** Calls of Hubbub by a server of the app, with an API key. */

import { errorOf, ServerError, unexpected } from "./errors.js";
import { ordered, placeAfter } from "./pages.js";
import { addressOf, requestOf } from "./request.js";
import { pause, waitBefore } from "./retries.js";
import type {
  Answer,
  AnyMeta,
  AnyOptions,
  Given,
  ListOptions,
  ListPath,
  Method,
  Options,
  PathOf,
  RowOf,
  ServerOptions,
} from "./types.js";

const TIMEOUT_MS = 10_000;
const RETRIES = 2;

/**
 * Hubbub, as a server of the app calls it.
 *
 * ```ts
 * const hubbub = new Server({url: "https://chat.example.com/v3", apiKey: process.env.CHAT_KEY!});
 * const {data: user} = await hubbub.get("/users/{uid}", {path: {uid: "anna"}});
 * ```
 *
 * A call that fails rejects with a `ServerError`. One over its limit (429) is made again after the time that
 * Hubbub names; one that was answered 503, or not at all, only if it reads or has an `idempotencyKey`.
 */
export class Server {
  readonly #options: ServerOptions;

  constructor(options: ServerOptions) {
    if (!options.url) throw new TypeError("`url` must be the interface of the server, such as https://chat.example.com/v3.");
    if (!options.apiKey) throw new TypeError("`apiKey` must be a key of the app.");
    this.#options = options;
  }

  /** Reads: `hubbub.get("/users/{uid}", {path: {uid}})`. */
  get<P extends PathOf<"GET">>(path: P, ...[options]: Given<Options<"GET", P>>): Promise<Answer<"GET", P>> {
    return this.#call("GET", path, options);
  }

  /** Creates, sends or does something. */
  post<P extends PathOf<"POST">>(
    path: P,
    ...[options]: Given<Options<"POST", P>>
  ): Promise<Answer<"POST", P>> {
    return this.#call("POST", path, options);
  }

  /** Changes something. */
  put<P extends PathOf<"PUT">>(path: P, ...[options]: Given<Options<"PUT", P>>): Promise<Answer<"PUT", P>> {
    return this.#call("PUT", path, options);
  }

  /** Changes parts of something. */
  patch<P extends PathOf<"PATCH">>(
    path: P,
    ...[options]: Given<Options<"PATCH", P>>
  ): Promise<Answer<"PATCH", P>> {
    return this.#call("PATCH", path, options);
  }

  /** Deletes or removes something. */
  delete<P extends PathOf<"DELETE">>(
    path: P,
    ...[options]: Given<Options<"DELETE", P>>
  ): Promise<Answer<"DELETE", P>> {
    return this.#call("DELETE", path, options);
  }

  /**
   * Reads all rows of a list, page after page: `for await (const user of hubbub.list("/users")) …`.
   *
   * `perPage` or `limit` in the query is the size of a page. A list by cursor is read forwards, or with
   * `affix: "prepend"` backwards, the last row first.
   */
  async *list<P extends ListPath>(
    path: P,
    ...[options]: Given<ListOptions<P>>
  ): AsyncGenerator<RowOf<P>, void, undefined> {
    const asked = { ...(options as AnyOptions | undefined) };
    for (let place: object | undefined = {}; place;) {
      const query = { ...asked.query, ...place };
      const page = await this.#call<{ data: RowOf<P>[]; meta: AnyMeta }>("GET", path, { ...asked, query });
      yield* ordered(page.data, page.meta, query);
      place = placeAfter(page.data, page.meta, query);
    }
  }

  async #call<T>(method: Method, path: string, options: AnyOptions = {}): Promise<T> {
    const address = addressOf(this.#options.url, path, options);
    const request = requestOf(method, this.#options, options);
    for (let attempt = 1; ; attempt++) {
      const outcome = await this.#attempt(address, request, options);
      if (outcome.ok) return outcome.answer as T;
      const { error, retryAfter } = outcome;
      const isRepeatable = method === "GET" || options.idempotencyKey !== undefined;
      const wait = waitBefore(attempt, error.status, retryAfter, isRepeatable);
      if (attempt > (this.#options.retries ?? RETRIES) || wait === undefined) throw error;
      await pause(wait, options.signal);
    }
  }

  /** Makes a call once. Rejects only if the caller has ended it. */
  async #attempt(address: string, request: RequestInit, { signal, timeout }: AnyOptions): Promise<Outcome> {
    const milliseconds = timeout ?? this.#options.timeout ?? TIMEOUT_MS;
    const late = AbortSignal.timeout(milliseconds);
    try {
      const response = await (this.#options.fetch ?? fetch)(address, {
        ...request,
        signal: signal ? AbortSignal.any([signal, late]) : late,
      });
      const retryAfter = response.headers.get("retry-after");
      return response.ok
        ? await answerOf(response)
        : { ok: false, error: await errorOf(response), retryAfter };
    } catch (cause) {
      signal?.throwIfAborted();
      const message = late.aborted ? `No answer in ${milliseconds} ms.` : "The server can't be reached.";
      return {
        ok: false,
        error: new ServerError({ code: "NO_ANSWER", message }, 0, undefined, cause),
        retryAfter: null,
      };
    }
  }
}

type Outcome = { ok: true; answer: unknown } | { ok: false; error: ServerError; retryAfter: string | null };

async function answerOf(response: Response): Promise<Outcome> {
  const text = await response.text();
  try {
    return { ok: true, answer: JSON.parse(text) };
  } catch (cause) {
    return {
      ok: false,
      error: new ServerError(unexpected(response.status), response.status, undefined, cause),
      retryAfter: null,
    };
  }
}
