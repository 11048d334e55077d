/** Verifies the calls of webhooks, by the Standard Webhooks specification. */

import type { Webhooks } from "../generated/rest.js";
import type { Message } from "../generated/schemas.js";

const TOLERANCE_SECONDS = 300;
const SECRET_PREFIX = "whsec_";
type Bytes = Uint8Array<ArrayBuffer>;

const HMAC = { name: "HMAC", hash: "SHA-256" };

/** What a webhook with the trigger `before_message` is asked: may this message be sent, or be edited so? */
export interface BeforeMessage {
  trigger: "before_message";
  data: {
    action: "send" | "edit" | "transient";
    /** The message as it will be; of one that is to be sent, without `id` and times. */
    message: Draft<Message>;
  };
  appId: string;
  region: string;
  id: string;
  sentAt: number;
  webhook: string;
}

type Draft<M> = M extends { id: string } ? Omit<M, Later> & Partial<Pick<M, Later & keyof M>> : never;
type Later = "id" | "sentAt" | "updatedAt";

/** The body of a webhook's call, by its `trigger`. */
export type WebhookEvent = Webhooks[keyof Webhooks] | BeforeMessage;

/** A call that a server has received: a `Request`, or the body as it came, and the headers. */
export type ReceivedCall =
  | Request
  | {
      body: string | Uint8Array | ArrayBuffer;
      headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
    };

/** What a call is verified with. */
export interface WebhookOptions {
  /** The secret of the webhook, `whsec_…`. With several, one of them must have signed. */
  secret: string | readonly string[];
  /** The user name of a webhook with Basic auth. */
  username?: string;
  /** The password of a webhook with Basic auth. */
  password?: string;
  /** How old a call may be, or how far ahead its clock, in seconds. The default is 300. */
  tolerance?: number;
}

/** The part of a call that is missing or wrong. */
export type WebhookReason = "headers" | "timestamp" | "signature" | "authorization" | "body";

/** A call that was not made by Hubbub, or not lately. Answer it with the status 401. */
export class WebhookError extends Error {
  override readonly name = "WebhookError";
  readonly reason: WebhookReason;

  constructor(reason: WebhookReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

/**
 * Verifies a webhook's call, and returns its body.
 *
 * ```ts
 * const event = await verifyWebhook(request, {secret: process.env.WEBHOOK_SECRET!});
 * if (event.trigger === "message_sent") console.log(event.data.message.sender);
 * ```
 *
 * The same event may come more than once, with the same `id`: remember those that you have handled.
 *
 * @throws WebhookError if the call is not one of Hubbub, or too old.
 */
export async function verifyWebhook(call: ReceivedCall, options: WebhookOptions): Promise<WebhookEvent> {
  const body = await bodyOf(call);
  const header = (name: string) => headerOf(call.headers, name);
  const [id, timestamp, signature] = [
    header("webhook-id"),
    header("webhook-timestamp"),
    header("webhook-signature"),
  ];
  if (!id || !timestamp || !signature) {
    throw new WebhookError(
      "headers",
      "It has not all of webhook-id, webhook-timestamp and webhook-signature.",
    );
  }
  checkTime(timestamp, options.tolerance ?? TOLERANCE_SECONDS);
  const signed = join(encode(`${id}.${timestamp}.`), body);
  if (!(await isSigned(signed, signature, options.secret))) {
    throw new WebhookError("signature", "No signature fits the secret and the body.");
  }
  await checkAuthorization(header("authorization"), options);
  return parse(body);
}

async function bodyOf(call: ReceivedCall): Promise<Uint8Array> {
  // Frameworks have classes of their own for a request and its headers.
  if ("arrayBuffer" in call) return new Uint8Array(await call.arrayBuffer());
  const { body } = call;
  if (typeof body === "string") return encode(body);
  if (body instanceof Uint8Array) return body;
  if (body instanceof ArrayBuffer) return new Uint8Array(body);
  // Made again from an object the bytes would be others, and no signature would fit.
  throw new TypeError(
    "`body` must be the text or the bytes that were received, not what was parsed from them.",
  );
}

function headerOf(headers: ReceivedCall["headers"], name: string): string | undefined {
  if (isHeaders(headers)) return headers.get(name) ?? undefined;
  const [, value] = Object.entries(headers).find(([key]) => key.toLowerCase() === name) ?? [];
  return typeof value === "string" ? value : value?.join(" ");
}

function isHeaders(headers: ReceivedCall["headers"]): headers is Headers {
  return typeof headers.get === "function";
}

function checkTime(timestamp: string, tolerance: number): void {
  const distance = Math.abs(Date.now() / 1000 - Number(timestamp));
  if (!/^\d{1,12}$/.test(timestamp) || distance > tolerance) {
    throw new WebhookError("timestamp", "It is too old, or the clock of one of both is wrong.");
  }
}

const SIGNATURE_BYTES = 32;
const MOST_SIGNATURES = 10;

/** Returns whether one of the signatures is of one of the secrets. A secret that is replaced signs, too. */
async function isSigned(signed: Bytes, header: string, secrets: WebhookOptions["secret"]): Promise<boolean> {
  const signatures = header
    .split(" ")
    .flatMap((each) => (each.startsWith("v1,") ? [decode(each.slice(3))] : []))
    .filter(({ length }) => length === SIGNATURE_BYTES)
    .slice(0, MOST_SIGNATURES); // each costs a pass over the body, whoever has sent it
  for (const secret of [secrets].flat()) {
    if (typeof secret !== "string") throw new TypeError("`secret` must be the secret of a webhook, `whsec_…`.");
    const key = await importKey(decode(secret.replace(SECRET_PREFIX, "")));
    for (const signature of signatures) {
      // It compares in constant time.
      if (await crypto.subtle.verify("HMAC", key, signature, signed)) return true;
    }
  }
  return false;
}

async function checkAuthorization(
  given: string | undefined,
  { username, password }: WebhookOptions,
): Promise<void> {
  if (username === undefined && password === undefined) return;
  const pair = String.fromCharCode(...encode(`${username ?? ""}:${password ?? ""}`));
  if (!(await isSame(given ?? "", `Basic ${btoa(pair)}`))) {
    throw new WebhookError("authorization", "The user name or the password is not that of the webhook.");
  }
}

/** Compares texts in constant time, by their codes under a key that nobody knows. */
async function isSame(one: string, other: string): Promise<boolean> {
  const key = await importKey(crypto.getRandomValues(new Uint8Array(32)));
  return crypto.subtle.verify("HMAC", key, await crypto.subtle.sign("HMAC", key, encode(one)), encode(other));
}

function parse(body: Uint8Array): WebhookEvent {
  try {
    return JSON.parse(new TextDecoder().decode(body)) as WebhookEvent;
  } catch {
    throw new WebhookError("body", "The body is not JSON.");
  }
}

function importKey(bytes: Bytes): Promise<CryptoKey> {
  if (!bytes.length) throw new TypeError("`secret` must be the secret of a webhook, `whsec_…`.");
  return crypto.subtle.importKey("raw", bytes, HMAC, false, ["sign", "verify"]);
}

/** Decodes base64; what is not base64 becomes nothing, which fits no signature. */
function decode(text: string): Bytes {
  try {
    return Uint8Array.from(atob(text), (each) => each.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}

function encode(text: string): Bytes {
  return new TextEncoder().encode(text);
}

function join(head: Uint8Array, tail: Uint8Array): Bytes {
  const joined = new Uint8Array(head.length + tail.length);
  joined.set(head);
  joined.set(tail, head.length);
  return joined;
}
