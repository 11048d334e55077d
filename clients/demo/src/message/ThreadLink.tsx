/** Leads to the thread of a message that has replies. */

import type { VNode } from "preact";
import { useContext } from "preact/hooks";

import { go } from "../chat/place.js";
import { RepliesContext } from "../chat/replies.js";
import type { MessageView } from "../chat/types.js";
import { Icon } from "../parts/Icon.js";

export function ThreadLink({ message }: { message: MessageView }): VNode | null {
  const { id, conversationId } = message;
  const count = useContext(RepliesContext).get(id ?? "") ?? 0;
  if (id === undefined || count === 0) return null;
  return (
    <button
      type="button"
      class="thread-link link"
      onClick={() => go({ conversation: conversationId, panel: "thread", message: id })}
    >
      <Icon name="thread" />
      {count === 1 ? "1 reply" : `${count} replies`}
    </button>
  );
}
