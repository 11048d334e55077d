/** The first message that was unread when the history was opened. It stays until it is left. */

import { useEffect, useState } from "preact/hooks";

import { isAction } from "../chat/data.js";
import type { MessageView } from "../chat/types.js";

/** Returns the key of the first of `unread` messages of others at the end. */
function firstUnread(messages: readonly MessageView[], unread: number, uid: string): string {
  let left = unread;
  for (let at = messages.length - 1; at >= 0 && left > 0; at -= 1) {
    const message = messages[at]!;
    if (message.sender !== uid && !isAction(message)) left -= 1;
    if (left === 0) return message.key;
  }
  return "";
}

export function useDivider(messages: readonly MessageView[], unread: number, uid: string): string | undefined {
  const [divider, setDivider] = useState<string>();
  const isLoaded = messages.length > 0;
  useEffect(() => {
    if (divider === undefined && unread > 0 && isLoaded) setDivider(firstUnread(messages, unread, uid));
  }, [isLoaded]);
  return divider;
}
