/** A conversation: its header, its history, and the line to write in. */

import type { VNode } from "preact";
import { useMemo, useState } from "preact/hooks";

import { useSession } from "../chat/context.js";
import type { Panel } from "../chat/place.js";
import type { MessageView } from "../chat/types.js";
import { receiverIn, useConversation } from "../chat/useConversation.js";
import { Composer } from "../composer/Composer.js";
import { ConversationHeader } from "./ConversationHeader.js";
import { History } from "./History.js";
import { TypingLine } from "./TypingLine.js";

interface Props {
  id: string;
  /** The message to show, such as a result of a search. */
  target: string | undefined;
  panel: Panel | undefined;
}

export function Conversation({ id, target, panel }: Props): VNode {
  const { chat, uid } = useSession();
  const conversation = useConversation(id);
  const query = useMemo(() => chat.messages(id), [chat, id]);
  const [unread] = useState(conversation?.unreadMessageCount ?? 0);
  const [editing, setEditing] = useState<MessageView>();
  const [quoting, setQuoting] = useState<MessageView>();

  const receiver = useMemo(() => receiverIn(id, uid), [id, uid]);
  return (
    <main class="conversation" aria-label={conversation?.conversationWith.name ?? "Conversation"}>
      {conversation && <ConversationHeader conversation={conversation} panel={panel} />}
      <History
        query={query}
        conversationId={id}
        isGroup={"guid" in receiver}
        unread={unread}
        target={target}
        onEdit={setEditing}
        onQuote={setQuoting}
      />
      <TypingLine typing={conversation?.typing ?? []} />
      <Composer
        receiver={receiver}
        conversationId={id}
        query={query}
        editing={editing}
        quoting={quoting}
        onEdit={setEditing}
        onQuote={setQuoting}
      />
    </main>
  );
}
