/** Adds somebody to a group. */

import type { VNode } from "preact";
import { useState } from "preact/hooks";

import { useSession } from "../chat/context.js";
import type { Member, User } from "../chat/types.js";
import { useAsync } from "../hooks/useAsync.js";

export function AddMember({ known, onAdd }: { known: readonly Member[]; onAdd: (uid: string) => void }): VNode {
  const { rest } = useSession();
  const [chosen, setChosen] = useState("");
  const [people] = useAsync(() => rest<User[]>("GET", "/users", { query: { perPage: 100 } }), []);
  const others = (people.value?.data ?? []).filter(({ uid }) => known.every((member) => member.uid !== uid));
  const add = (event: Event): void => {
    event.preventDefault();
    if (chosen) onAdd(chosen);
    setChosen("");
  };
  return (
    <form class="add-member" onSubmit={add}>
      <select aria-label="Person to add" value={chosen} onChange={(event) => setChosen(event.currentTarget.value)}>
        <option value="">Add somebody…</option>
        {others.map(({ uid, name }) => (
          <option key={uid} value={uid} selected={uid === chosen}>
            {name}
          </option>
        ))}
      </select>
      <button type="submit" class="button" disabled={!chosen}>
        Add
      </button>
    </form>
  );
}
