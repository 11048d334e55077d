/** The chat: the list, the conversation, and what is beside it; on a phone one of them at a time. */

import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";

import { go, usePlace } from "./chat/place.js";
import { Conversation } from "./conversation/Conversation.js";
import { NoConversation } from "./conversation/NoConversation.js";
import type { Look } from "./hooks/settings.js";
import { Sidebar } from "./list/Sidebar.js";
import { Switcher } from "./list/Switcher.js";
import { Panel } from "./panel/Panel.js";
import { Announcer } from "./parts/Announcer.js";
import { Notice } from "./parts/Notice.js";
import { Reminded } from "./parts/Reminded.js";

interface Props {
  look: Look;
  onLook: (change: Partial<Look>) => void;
  onLeave: () => void;
}

export function Shell({ look, onLook, onLeave }: Props): VNode {
  const place = usePlace();
  const [isSwitching, setSwitching] = useState(false);
  const { conversation, message } = place;
  const panel = place.panel === "message" ? undefined : place.panel;

  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
        event.preventDefault();
        setSwitching(true);
      } else if (event.key === "Escape" && !event.defaultPrevented && panel !== undefined && conversation) {
        go({ conversation });
      }
    };
    addEventListener("keydown", onKeyDown);
    return () => removeEventListener("keydown", onKeyDown);
  }, [conversation, panel]);

  const shows = panel !== undefined ? "panel" : conversation ? "conversation" : "list";
  return (
    <div class={`shell shows-${shows}`}>
      <Notice />
      <Sidebar
        selected={conversation}
        look={look}
        onLook={onLook}
        onLeave={onLeave}
        onSwitch={() => setSwitching(true)}
      />
      {conversation ? (
        <Conversation
          key={conversation}
          id={conversation}
          target={place.panel === "message" ? message : undefined}
          panel={panel}
        />
      ) : (
        <NoConversation onSwitch={() => setSwitching(true)} />
      )}
      {conversation && panel && (
        <Panel key={`${conversation}/${panel}/${message}`} conversationId={conversation} panel={panel} message={message} />
      )}
      {isSwitching && <Switcher onClose={() => setSwitching(false)} />}
      <Reminded />
      <Announcer />
    </div>
  );
}
