/** The store: what a person sees, kept right by events, stored where the browser can. */

export { Chat, openChat, type ChatOptions } from "./chat.js";
export type { Change, Storage, TableName } from "./rows.js";
export type * from "./types.js";
