/** A thread: the message that began it, its replies, and a line to reply. */

import type { VNode } from "preact";
import { useMemo, useState } from "preact/hooks";

import { useSession } from "../chat/context.js";
import { receiverOf } from "../chat/data.js";
import type { MessageView } from "../chat/types.js";
import { useConversation } from "../chat/useConversation.js";
import { Composer } from "../composer/Composer.js";
import { History } from "../conversation/History.js";
import { useAsync } from "../hooks/useAsync.js";
import { useQuery } from "../hooks/useQuery.js";
import { MessageRow } from "../message/MessageRow.js";

export function ThreadPanel({ conversationId, parentId }: { conversationId: string; parentId: string }): VNode {
  const { chat, rest } = useSession();
  const conversation = useConversation(conversationId);
  const held = useQuery(useMemo(() => chat.messages(conversationId), [chat, conversationId])).messages;
  const query = useMemo(() => chat.thread(parentId), [chat, parentId]);
  const [editing, setEditing] = useState<MessageView>();
  const shown = held.find(({ id }) => id === parentId);
  const [fetched] = useAsync(
    async () => (shown ? undefined : (await rest<MessageView>("GET", `/messages/${parentId}`)).data),
    [parentId],
  );
  const parent = shown ?? (fetched.value ? { ...fetched.value, key: parentId } : undefined);
  const isGroup = conversation?.conversationType === "group";
  return (
    <>
      {parent && (
        <div class="thread-parent">
          <MessageRow
            message={parent}
            isFollowing={false}
            isGroup
            isThread
            isFlashed={false}
            onEdit={setEditing}
            onQuote={undefined}
          />
        </div>
      )}
      <History query={query} isGroup={isGroup} onEdit={setEditing} />
      {conversation && (
        <Composer
          receiver={receiverOf(conversation)}
          conversationId={conversationId}
          query={query}
          parentId={parentId}
          editing={editing}
          onEdit={setEditing}
        />
      )}
    </>
  );
}
