/** The avatar of whom a conversation is with: a person or a group. */

import type { VNode } from "preact";

import { isGroup } from "../chat/data.js";
import type { Group, User } from "../chat/types.js";
import { Avatar } from "./Avatar.js";
import { PersonAvatar } from "./PersonAvatar.js";

export function OtherAvatar({ other }: { other: User | Group }): VNode {
  if (!isGroup(other)) return <PersonAvatar user={other} />;
  return <Avatar id={other.guid} name={other.name} picture={other.icon} isGroup />;
}
