/** The list of conversations, with the person's own line and settings above it. */

import type { VNode } from "preact";
import { useMemo } from "preact/hooks";

import { useSession } from "../chat/context.js";
import { moveFocus } from "../hooks/useArrows.js";
import type { Look } from "../hooks/settings.js";
import { useNow } from "../hooks/useNow.js";
import { useQuery } from "../hooks/useQuery.js";
import { Icon } from "../parts/Icon.js";
import { ConversationRow } from "./ConversationRow.js";
import { OwnLine } from "./OwnLine.js";

interface Props {
  selected: string | undefined;
  look: Look;
  onLook: (change: Partial<Look>) => void;
  onLeave: () => void;
  onSwitch: () => void;
}

export function Sidebar({ selected, look, onLook, onLeave, onSwitch }: Props): VNode {
  const { chat, uid } = useSession();
  const conversations = useQuery(useMemo(() => chat.conversations(), [chat]));
  const now = useNow();
  return (
    <nav class="sidebar" aria-label="Conversations">
      <OwnLine look={look} onLook={onLook} onLeave={onLeave} />
      <button type="button" class="find" onClick={onSwitch}>
        <Icon name="search" />
        <span>Find a person or group</span>
        <kbd>Ctrl K</kbd>
      </button>
      <ul class="conversations" onKeyDown={(event) => moveFocus(event, "button")}>
        {conversations.map((each) => (
          <ConversationRow
            key={each.conversationId}
            conversation={each}
            isSelected={each.conversationId === selected}
            uid={uid}
            now={now}
          />
        ))}
      </ul>
      {conversations.length === 0 && <p class="faint empty">No conversations yet.</p>}
    </nav>
  );
}
