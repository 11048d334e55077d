/** What goes wrong: refusals of the server, and what the client finds out itself. */

import type { ErrorCode } from "./generated/realtime.js";

/** The codes of errors that no server has sent. */
export type LocalErrorCode =
  /** The client is not connected and does not try to be. */
  | "ERR_NOT_CONNECTED"
  /** The connection was cut before the reply: the call may have been carried out. */
  | "ERR_OUTCOME_UNKNOWN"
  /** No answer came over the network. */
  | "ERR_NETWORK"
  /** The application has taken the call back. */
  | "ERR_ABORTED";

/** What the server says of an error. */
export interface Problem {
  code: string;
  message: string;
  details?: unknown;
}

/** An error of a call, with the code of the server or one of the client. */
export class ClientError extends Error {
  override readonly name = "ClientError";
  /** What was wrong, by the name of the field, if the server has said so. */
  readonly details: unknown;
  /** The HTTP status, if the answer came over REST. */
  readonly status: number | undefined;

  constructor(
    readonly code: ErrorCode | LocalErrorCode | (string & {}),
    message: string,
    options: { details?: unknown; cause?: unknown; status?: number } = {},
  ) {
    super(message, { cause: options.cause });
    this.details = options.details;
    this.status = options.status;
  }

  /** Makes an error of what the server has sent. */
  static of(problem: Problem, status?: number): ClientError {
    const { code, message, details } = problem;
    return new ClientError(code, message, { details, ...(status === undefined ? {} : { status }) });
  }
}

/** Whether it may go well later, unchanged: the server is busy, or there is no network. */
export function isPassing(error: unknown): boolean {
  return error instanceof ClientError && PASSING.has(error.code);
}

const PASSING = new Set([
  "ERR_TOO_MANY_REQUESTS",
  "ERR_OPERATION_FAILED",
  "ERR_NETWORK",
  "ERR_OUTCOME_UNKNOWN",
]);
