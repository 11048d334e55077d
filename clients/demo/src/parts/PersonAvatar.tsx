/** The avatar of a person, with a dot while they are online. */

import type { VNode } from "preact";

import type { User } from "../chat/types.js";
import { Avatar } from "./Avatar.js";
import { useIsOnline } from "./Presence.js";

export function PersonAvatar({ user, size }: { user: User; size?: "small" | "large" | "huge" }): VNode {
  const isOnline = useIsOnline(user);
  return (
    <Avatar id={user.uid} name={user.name} picture={user.avatar} isOnline={isOnline} {...(size ? { size } : {})} />
  );
}
