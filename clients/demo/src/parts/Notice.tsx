/** Says that the server is not reached, what waits for it, and that the browser keeps nothing. */

import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";

import { useSession } from "../chat/context.js";
import type { Status } from "../chat/types.js";
import { useQuery } from "../hooks/useQuery.js";
import { Icon } from "./Icon.js";

/** A connection that is made within this time is not worth a notice. */
const PATIENCE_MS = 700;

const TEXTS: Partial<Record<string, string>> = {
  connecting: "Connecting…",
  waiting: "The server is not reached. Trying again…",
  ended: "The connection has ended. Reload the page to sign in again.",
};

function textOf({ connection, queued, storageError }: Status): string {
  const text = TEXTS[connection.name];
  if (text === undefined) return storageError ? "This browser stores nothing: a reload loads everything again." : "";
  if (queued === 0) return text;
  return `${text} ${queued === 1 ? "A message waits" : `${queued} messages wait`} to be sent.`;
}

export function Notice(): VNode {
  const text = textOf(useQuery(useSession().chat.status));
  const [shown, setShown] = useState("");
  useEffect(() => {
    const timer = setTimeout(() => setShown(text), text && !shown ? PATIENCE_MS : 0);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <div class="notice" role="status" data-shown={shown !== ""}>
      {shown && (
        <>
          <Icon name="alert" />
          <span>{shown}</span>
        </>
      )}
    </div>
  );
}
