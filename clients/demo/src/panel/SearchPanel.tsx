/** Searches messages, in this conversation or in all. */

import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

import { useSession } from "../chat/context.js";
import { senderName } from "../chat/data.js";
import { go } from "../chat/place.js";
import type { MessageView } from "../chat/types.js";
import { moveFocus } from "../hooks/useArrows.js";
import { useAsync } from "../hooks/useAsync.js";
import { useNow } from "../hooks/useNow.js";
import { quoteText } from "../message/Quote.js";
import { shortText } from "../text/time.js";

const WAIT_MS = 250;

function useSlow(text: string): string {
  const [slow, setSlow] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSlow(text), WAIT_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return slow;
}

export function SearchPanel({ conversationId, name }: { conversationId: string; name: string }): VNode {
  const { chat, uid } = useSession();
  const [words, setWords] = useState("");
  const [isEverywhere, setEverywhere] = useState(false);
  const wanted = useSlow(words.trim());
  const input = useRef<HTMLInputElement>(null);
  const now = useNow();
  const [found] = useAsync(
    async () => (wanted ? chat.search(wanted, isEverywhere ? {} : { conversationId }) : []),
    [wanted, isEverywhere],
  );
  useEffect(() => input.current?.focus(), []);
  const show = ({ conversationId: conversation, id = "", parentId }: MessageView): void =>
    go(parentId ? { conversation, panel: "thread", message: parentId } : { conversation, panel: "message", message: id });
  const results = found.value ?? [];
  return (
    <div class="search-panel">
      <input
        ref={input}
        type="search"
        aria-label="Words to search"
        placeholder="Words to search"
        value={words}
        onInput={(event) => setWords(event.currentTarget.value)}
      />
      <label class="check">
        <input type="checkbox" checked={isEverywhere} onChange={(event) => setEverywhere(event.currentTarget.checked)} />
        <span>In all conversations, not only {name || "this one"}</span>
      </label>
      {found.error && <p role="alert">{found.error.message}</p>}
      <p class="faint" role="status">
        {wanted && !found.isLoading && !found.error && (results.length === 0 ? "Nothing found." : `${results.length} found`)}
      </p>
      <ul class="results" onKeyDown={(event) => moveFocus(event, "button")}>
        {results.map((message) => (
          <li key={message.key}>
            <button type="button" onClick={() => show(message)}>
              <span class="line">
                <strong dir="auto">{senderName(message, uid)}</strong>
                <time class="faint">{shortText(message.sentAt, now)}</time>
              </span>
              <span class="two-lines" dir="auto">
                {quoteText(message)}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
