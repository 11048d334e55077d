/** Leads to the thread of a message that has replies. */

import type { VNode } from "preact";
import { useMemo } from "preact/hooks";

import { useSession } from "../chat/context.js";
import { go } from "../chat/place.js";
import type { MessageView } from "../chat/types.js";
import { useQuery } from "../hooks/useQuery.js";
import { Icon } from "../parts/Icon.js";

interface Props {
  id: string;
  conversationId: MessageView["conversationId"];
}

export function ThreadLink({ id, conversationId }: Props): VNode | null {
  const { chat } = useSession();
  const count = useQuery(useMemo(() => chat.replies(id), [chat, id])) ?? 0;
  if (count === 0) return null;
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
