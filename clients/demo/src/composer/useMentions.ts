/** Who can be mentioned in a conversation: the other person, or the members of the group. */

import { useMemo } from "preact/hooks";

import { useSession } from "../chat/context.js";
import type { Member, Receiver, User } from "../chat/types.js";
import { useAsync } from "../hooks/useAsync.js";
import type { Mentionable } from "../text/mentions.js";

const MOST = 6;

export function useMentions(receiver: Receiver): (part: string) => Mentionable[] {
  const { rest, uid } = useSession();
  const id = "guid" in receiver ? receiver.guid : receiver.uid;
  const load = async (): Promise<Mentionable[]> => {
    if ("uid" in receiver) return [(await rest<User>("GET", `/users/${id}`)).data];
    const members = await rest<Member[]>("GET", `/groups/${id}/members`, { query: { perPage: 100 } });
    return [...members.data.filter((member) => member.uid !== uid), { uid: "all", name: "all" }];
  };
  const [people] = useAsync(load, [id]);
  return useMemo(() => {
    const known = people.value ?? [];
    return (part) => {
      const wanted = part.toLowerCase();
      const fits = ({ uid: id_, name }: Mentionable): boolean =>
        id_.startsWith(wanted) || name.toLowerCase().split(/\s+/).some((word) => word.startsWith(wanted));
      return known.filter(fits).slice(0, MOST);
    };
  }, [people.value]);
}
