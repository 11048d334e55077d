/** Decides whether a call is tried again, and when. */

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 10_000;

/**
 * Returns the milliseconds to wait before the next attempt, or undefined if there shall be none.
 *
 * A call over its limit (429) was not carried out, whatever it is. Of one that was answered 503, or not at
 * all, some or all may have been: it is made again only if that changes nothing.
 */
export function waitBefore(
  attempt: number,
  status: number,
  retryAfter: string | null,
  isRepeatable: boolean,
): number | undefined {
  const isWorthIt = status === 429 || ((status === 503 || status === 0) && isRepeatable);
  if (!isWorthIt) return undefined;
  const wait = retryAfter === null ? backoff(attempt) : 1000 * Number(retryAfter);
  // Whoever is asked to wait for minutes has other things to do: the caller decides.
  return wait <= LONGEST_WAIT_MS ? wait : undefined;
}

/** Doubles with each attempt; a random half of it keeps callers that failed together apart. */
function backoff(attempt: number): number {
  const most = Math.min(FIRST_WAIT_MS * 2 ** (attempt - 1), LONGEST_WAIT_MS);
  return (most / 2) * (1 + Math.random());
}

/** Waits; rejects with the signal's reason when it is aborted. */
export function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const end = () => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", end);
      resolve();
    }, milliseconds);
    signal?.addEventListener("abort", end, { once: true });
  });
}
