/** A group: its members with their roles, and what one's own role allows. */

import type { VNode } from "preact";

import { useSession } from "../chat/context.js";
import { go } from "../chat/place.js";
import type { Group, Member } from "../chat/types.js";
import { useAsync } from "../hooks/useAsync.js";
import { Avatar } from "../parts/Avatar.js";
import { tellProblem } from "../parts/Toast.js";
import { AddMember } from "./AddMember.js";
import { MemberRow } from "./MemberRow.js";

const RANKS = { participant: 0, moderator: 1, admin: 2 } as const;

export function GroupDetails({ group }: { group: Group }): VNode {
  const { rest, uid } = useSession();
  const path = `/groups/${group.guid}/members`;
  const list = (): Promise<{ data: Member[] }> => rest<Member[]>("GET", path, { query: { perPage: 100 } });
  const [members, load] = useAsync(list, [group.guid, group.membersCount]);
  const all = [...(members.value?.data ?? [])].sort(
    (one, other) => RANKS[other.scope] - RANKS[one.scope] || one.name.localeCompare(other.name),
  );
  const mine = all.find((member) => member.uid === uid)?.scope;
  const rank = mine === undefined ? -1 : RANKS[mine];
  const change = (method: string, to: string, body?: unknown): void =>
    void rest(method, to, body === undefined ? {} : { body }).then(load, tellProblem);
  const leave = (): void => void rest("DELETE", `${path}/${uid}`).then(() => go({}), tellProblem);
  return (
    <div class="details is-group">
      <Avatar id={group.guid} name={group.name} picture={group.icon} isGroup size="huge" />
      <h3 dir="auto">{group.name}</h3>
      {group.description && <p dir="auto">{group.description}</p>}
      {members.error && <p role="alert">{members.error.message}</p>}
      <ul class="members" aria-label="Members">
        {all.map((member) => (
          <MemberRow
            key={member.uid}
            member={member}
            isMe={member.uid === uid}
            isOwner={member.uid === group.owner}
            canChange={mine === "admin" && member.uid !== uid && member.uid !== group.owner}
            canKick={rank > RANKS[member.scope] && member.uid !== group.owner}
            onScope={(scope) => change("PUT", `${path}/${member.uid}`, { scope })}
            onKick={() => change("DELETE", `${path}/${member.uid}`)}
          />
        ))}
      </ul>
      {rank > 0 && (
        <AddMember known={all} onAdd={(added) => change("POST", path, { participants: [added] })} />
      )}
      {mine !== undefined && group.owner !== uid && (
        <button type="button" class="button is-danger" onClick={leave}>
          Leave the group
        </button>
      )}
    </div>
  );
}
