/** The entry `@hubbub/client/server`: calls with an API key, and webhooks that are verified. */

export { Server } from "./server.js";
export { ServerError } from "./errors.js";
export type { FailureCode } from "./errors.js";
export type {
  Answer,
  CallOptions,
  ListOptions,
  ListPath,
  Options,
  PathOf,
  RowOf,
  ServerOptions,
} from "./types.js";
export { verifyWebhook, WebhookError } from "./webhooks.js";
export type { BeforeMessage, ReceivedCall, WebhookEvent, WebhookOptions, WebhookReason } from "./webhooks.js";
export type { LoggedEvents, operations, TriggerName, Webhooks } from "../generated/rest.js";
export type * from "../generated/schemas.js";
