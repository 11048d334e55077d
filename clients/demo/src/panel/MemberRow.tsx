/** A member of a group. */

import type { VNode } from "preact";

import type { Member } from "../chat/types.js";
import { IconButton } from "../parts/IconButton.js";
import { PersonAvatar } from "../parts/PersonAvatar.js";

interface Props {
  member: Member;
  isMe: boolean;
  isOwner: boolean;
  canChange: boolean;
  canKick: boolean;
  onScope: (scope: Member["scope"]) => void;
  onKick: () => void;
}

const SCOPES: Record<Member["scope"], string> = { admin: "Admin", moderator: "Moderator", participant: "Participant" };

export function MemberRow({ member, isMe, isOwner, canChange, canKick, onScope, onKick }: Props): VNode {
  return (
    <li class="member">
      <PersonAvatar user={member} size="small" />
      <span class="member-name" dir="auto">
        {member.name}
        {isMe && <span class="faint"> (you)</span>}
      </span>
      {canChange ? (
        <select
          aria-label={`Role of ${member.name}`}
          value={member.scope}
          onChange={(event) => onScope(event.currentTarget.value as Member["scope"])}
        >
          {Object.entries(SCOPES).map(([scope, text]) => (
            <option key={scope} value={scope} selected={scope === member.scope}>
              {text}
            </option>
          ))}
        </select>
      ) : (
        <small class="faint">{isOwner ? "Owner" : SCOPES[member.scope]}</small>
      )}
      {canKick && !isMe && <IconButton icon="close" label={`Remove ${member.name}`} onClick={onKick} />}
    </li>
  );
}
