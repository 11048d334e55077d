/** The request of a call: its address, its headers, its body. */

import type { AnyOptions, Method, ServerOptions } from "./types.js";

/** Makes the address of a call: fills the path in, and adds the query. */
export function addressOf(url: string, path: string, { path: values = {}, query = {} }: AnyOptions): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => segment(values, name));
  const search = new URLSearchParams(
    Object.entries(query)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, String(value)]), // a list becomes its elements with commas between
  ).toString();
  return url.replace(/\/+$/, "") + filled + (search && `?${search}`);
}

function segment(values: object, name: string): string {
  const value = String((values as Record<string, unknown>)[name] ?? "");
  // An empty segment, or one of dots, would call another operation.
  if (/^\.{0,2}$/.test(value)) throw new TypeError(`\`path.${name}\` must be an id, not "${value}".`);
  return encodeURIComponent(value);
}

/** Makes the request of a call. */
export function requestOf(method: Method, server: ServerOptions, options: AnyOptions): RequestInit {
  const { onBehalfOf, idempotencyKey, body, form } = options;
  const headers = {
    apikey: server.apiKey,
    appId: server.appId,
    onBehalfOf,
    "Idempotency-Key": idempotencyKey,
    "Content-Type": body === undefined ? undefined : "application/json",
  };
  return {
    method,
    headers: new Headers(Object.entries(headers).filter(isGiven)),
    redirect: "error", // the key is for this server alone
    ...(form ? { body: formOf(form) } : body !== undefined && { body: JSON.stringify(body) }),
  };
}

function isGiven(header: [string, string | undefined]): header is [string, string] {
  return header[1] !== undefined;
}

/** Makes a form of fields, each a part of its own, and of files. */
function formOf(fields: object): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields) as [string, unknown][]) {
    if (value === undefined) continue;
    if (isFiles(value)) value.forEach((file) => form.append(name, file));
    else form.append(name, typeof value === "string" ? value : JSON.stringify(value));
  }
  return form;
}

function isFiles(value: unknown): value is Blob[] {
  return Array.isArray(value) && value.length > 0 && value.every((each) => each instanceof Blob);
}
