/** The error of a call, whether Hubbub refused it or it got no answer. */

import type { ErrorCode, Problem } from "../generated/schemas.js";

/**
 * The codes that the client itself gives: `NO_ANSWER` if the call could not be made or took too long, and
 * `UNEXPECTED_ANSWER` if what answered is not Hubbub, such as a proxy in front of it.
 */
export type FailureCode = "NO_ANSWER" | "UNEXPECTED_ANSWER";

/** A call that has failed. Programs go by its `code`. */
export class ServerError extends Error {
  override readonly name = "ServerError";
  /** The code of the error. A newer server may have codes that this version does not know. */
  readonly code: ErrorCode | FailureCode | (string & {});
  /** What is wrong, by field. */
  readonly details: Readonly<Record<string, readonly string[]>>;
  /** What a developer can do about it, if Hubbub says so. */
  readonly devMessage: string | undefined;
  /** The status of the answer; 0 without one. */
  readonly status: number;
  /** The id of the request, which the log of the server has, too. */
  readonly requestId: string | undefined;

  constructor(problem: Problem, status: number, requestId?: string, cause?: unknown) {
    super(problem.message, cause === undefined ? undefined : { cause });
    this.code = problem.code;
    this.details = problem.details ?? {};
    this.devMessage = problem.devMessage;
    this.status = status;
    this.requestId = requestId;
  }
}

/** Makes an error of an answer that is not 200. */
export async function errorOf(response: Response): Promise<ServerError> {
  const problem = problemOf(await response.text());
  const requestId = response.headers.get("x-request-id") ?? undefined;
  return new ServerError(problem ?? unexpected(response.status), response.status, requestId);
}

function problemOf(text: string): Problem | undefined {
  try {
    const { error } = JSON.parse(text) as { error?: Problem };
    return typeof error?.code === "string" ? error : undefined;
  } catch {
    return undefined;
  }
}

/** Describes an answer that Hubbub does not give. */
export function unexpected(status: number): Problem {
  const code: FailureCode = "UNEXPECTED_ANSWER";
  return { code, message: `The answer with the status ${status} is not one of Hubbub.` };
}
