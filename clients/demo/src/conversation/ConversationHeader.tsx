/** Whom the conversation is with, and the buttons of its panels. */

import type { VNode } from "preact";

import { isGroup } from "../chat/data.js";
import type { Panel } from "../chat/place.js";
import { go } from "../chat/place.js";
import type { ConversationView, User } from "../chat/types.js";
import { useNow } from "../hooks/useNow.js";
import { IconButton } from "../parts/IconButton.js";
import { OtherAvatar } from "../parts/OtherAvatar.js";
import { useIsOnline } from "../parts/Presence.js";
import { agoText } from "../text/time.js";

function PersonState({ user }: { user: User }): VNode {
  const isOnline = useIsOnline(user);
  const now = useNow();
  const seen = user.lastActiveAt ? `Last seen ${agoText(user.lastActiveAt, now)}` : "Offline";
  return <small class="faint">{isOnline ? "Online" : user.isBot ? "Bot" : seen}</small>;
}

export function ConversationHeader({ conversation, panel }: { conversation: ConversationView; panel?: Panel | undefined }): VNode {
  const { conversationId: id, conversationWith: other } = conversation;
  const toggle = (wanted: Panel): void => go({ conversation: id, ...(panel === wanted ? {} : { panel: wanted }) });
  return (
    <header class="conversation-header">
      <IconButton icon="back" label="Back to the list" class="only-phone" onClick={() => go({})} />
      <OtherAvatar other={other} />
      <span class="lines">
        <h1 dir="auto">{other.name}</h1>
        {isGroup(other) ? (
          <small class="faint">{other.membersCount === 1 ? "1 member" : `${other.membersCount} members`}</small>
        ) : (
          <PersonState user={other} />
        )}
      </span>
      <IconButton
        icon="search"
        label="Search in messages"
        isPressed={panel === "search"}
        onClick={() => toggle("search")}
      />
      <IconButton
        icon={isGroup(other) ? "people" : "info"}
        label={isGroup(other) ? "Members" : "About this person"}
        isPressed={panel === "details"}
        onClick={() => toggle("details")}
      />
    </header>
  );
}
