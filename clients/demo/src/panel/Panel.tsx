/** What is beside a conversation: a thread, a search, or the details of a person or group. */

import type { ComponentChildren, VNode } from "preact";

import { isGroup } from "../chat/data.js";
import type { Panel as Kind } from "../chat/place.js";
import { go } from "../chat/place.js";
import { useConversation } from "../chat/useConversation.js";
import { IconButton } from "../parts/IconButton.js";
import { GroupDetails } from "./GroupDetails.js";
import { PersonDetails } from "./PersonDetails.js";
import { SearchPanel } from "./SearchPanel.js";
import { ThreadPanel } from "./ThreadPanel.js";

interface Props {
  conversationId: string;
  panel: Kind;
  message: string | undefined;
}

export function Panel({ conversationId, panel, message }: Props): VNode {
  const conversation = useConversation(conversationId);
  const other = conversation?.conversationWith;
  const [title, content] = ((): [string, ComponentChildren] => {
    if (panel === "thread" && message) return ["Thread", <ThreadPanel conversationId={conversationId} parentId={message} />];
    if (panel === "search") return ["Search", <SearchPanel conversationId={conversationId} name={other?.name ?? ""} />];
    if (other === undefined) return ["", null];
    return isGroup(other)
      ? ["Members", <GroupDetails group={other} />]
      : ["About", <PersonDetails user={other} />];
  })();
  return (
    <aside class="panel" aria-label={title}>
      <header class="panel-header">
        <h2>{title}</h2>
        <IconButton icon="close" label="Close" onClick={() => go({ conversation: conversationId })} />
      </header>
      {content}
    </aside>
  );
}
