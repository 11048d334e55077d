/** What is above the oldest message that is loaded. */

import type { VNode } from "preact";

import type { MessagesQuery } from "../chat/types.js";

export function HistoryTop({ query, isThread }: { query: MessagesQuery; isThread: boolean }): VNode | null {
  const { error, hasOlder, isLoading, messages } = query.get();
  if (error) {
    return (
      <button type="button" class="button" onClick={() => void query.loadOlder()}>
        {error.message} Try again
      </button>
    );
  }
  if (hasOlder || isLoading) return <span class="spinner" aria-hidden="true" />;
  return messages.length === 0 && !isThread ? <p class="faint">Nothing has been said here yet.</p> : null;
}
