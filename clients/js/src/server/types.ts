/** The types of calls, derived from the operations of the OpenAPI document. */

import type { operations } from "../generated/rest.js";
import type { FeedMeta, MessageCount } from "../generated/schemas.js";

/** How a `Server` is reached. */
export interface ServerOptions {
  /** The address of the interface, such as `https://chat.example.com/v3`. */
  url: string;
  /** An API key of the app. It is for servers only: who has it may do everything. */
  apiKey: string;
  /** The app, where neither the key nor the host name is to name it alone. */
  appId?: string;
  /** A `fetch` of your own, such as one that goes through a proxy. */
  fetch?: typeof fetch;
  /** How long an attempt may take, in milliseconds. The default is 10,000. */
  timeout?: number;
  /** How often a call is tried again at most. The default is 2. */
  retries?: number;
}

/** What any call takes beside its parameters. */
export interface CallOptions {
  /** The uid of the user who acts. */
  onBehalfOf?: string;
  /**
   * A text of your choice, by which Hubbub carries out a write only once. With it, a write that was answered
   * 503, or not at all, is made again, too.
   */
  idempotencyKey?: string;
  /** Ends the call. */
  signal?: AbortSignal;
  /** How long an attempt may take, in milliseconds. */
  timeout?: number;
}

type Operations = operations;

/** An HTTP method. */
export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** The paths that have a method. */
export type PathOf<M extends Method> = {
  [Name in keyof Operations]: Name extends `${M} ${infer Path}` ? Path : never;
}[keyof Operations];

type Operation<M extends Method, P> = `${M} ${P & string}` extends infer Name extends keyof Operations
  ? Operations[Name]
  : never;

type Parameters<O> = Pick<O, Extract<keyof O, "path" | "query">>;

/** A body in JSON, or a form with files where the operation takes one. */
type Content<O> = O extends { body?: infer Body; form?: infer Form }
  ? unknown extends Form
    ? Pick<O, Extract<keyof O, "body">>
    : { body: NonNullable<Body>; form?: undefined } | { form: NonNullable<Form>; body?: undefined }
  : Pick<O, Extract<keyof O, "body" | "form">>;

/** What a call of an operation takes. */
export type Options<M extends Method, P extends PathOf<M>> = Parameters<Operation<M, P>> &
  Content<Operation<M, P>> &
  CallOptions;

/** The options as the rest of a function's parameters: optional where all of them are. */
export type Given<T> = {} extends T ? [options?: T] : [options: T];

/** The answer to a call: its `data`, and the `meta` of lists. */
export type Answer<M extends Method, P extends PathOf<M>> =
  Operation<M, P> extends { answer: infer A } ? A : never;

/** The paths of lists that come in pages. */
export type ListPath = {
  [P in PathOf<"GET">]: Answer<"GET", P> extends { data: unknown[]; meta: object } ? P : never;
}[PathOf<"GET">];

/** A row of a list. A list of messages has no counts, since `list` does not take the parameter `count`. */
export type RowOf<P extends ListPath> =
  Answer<"GET", P> extends { data: (infer Row)[] } ? Exclude<Row, MessageCount> : never;

/** What a list takes: the parameters of its operation. */
export type ListOptions<P extends ListPath> = Omit<Options<"GET", P>, "query"> &
  ListQuery<Operation<"GET", P>>;

type ListQuery<O> = O extends { query?: infer Query }
  ? {} extends Query
    ? { query?: Pages<Query> }
    : { query: Pages<Query> }
  : {};

type Pages<Query> = Omit<Query, "count">;

/** The fields by which a page of any list says where it goes on. */
export interface AnyMeta {
  pagination?: { current_page: number; total_pages: number };
  cursor?: object | FeedMeta["cursor"];
  previous?: object;
  next?: object;
}

/** The parts of a call, when its types are checked. */
export interface AnyOptions extends CallOptions {
  path?: object;
  query?: object;
  body?: unknown;
  form?: object;
}
