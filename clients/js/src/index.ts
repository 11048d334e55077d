/** The client of Hubbub: a socket that goes on after every cut, calls, and messages that are sent once. */

export { Client } from "./client.js";
export type { ClientEvents, ClientOptions, Load, Send, State, Stored } from "./client.js";
export { ClientError } from "./errors.js";
export type { LocalErrorCode, Problem } from "./errors.js";
export type { Environment, Socket, SocketConstructor } from "./environment.js";
export type { Frame } from "./link.js";
export type { Answer, RequestOptions } from "./rest.js";
export type { FetchToken } from "./tokens.js";
export type * from "./generated/realtime.js";
