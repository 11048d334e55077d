/** What is known of a person. */

import type { VNode } from "preact";

import { safeUrl } from "../chat/data.js";
import type { User } from "../chat/types.js";
import { useNow } from "../hooks/useNow.js";
import { PersonAvatar } from "../parts/PersonAvatar.js";
import { useIsOnline } from "../parts/Presence.js";
import { agoText } from "../text/time.js";

export function PersonDetails({ user }: { user: User }): VNode {
  const isOnline = useIsOnline(user);
  const now = useNow();
  const link = safeUrl(user.link);
  return (
    <div class="details">
      <PersonAvatar user={user} size="huge" />
      <h3 dir="auto">{user.name}</h3>
      {user.statusMessage && <p dir="auto">{user.statusMessage}</p>}
      <p class="faint">
        {isOnline ? "Online" : user.lastActiveAt ? `Last seen ${agoText(user.lastActiveAt, now)}` : "Offline"}
      </p>
      <p class="faint">@{user.uid}</p>
      {user.link && link && (
        <a href={link} target="_blank" rel="noopener noreferrer">
          {user.link}
        </a>
      )}
    </div>
  );
}
