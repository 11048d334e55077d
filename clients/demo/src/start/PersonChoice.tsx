/** One of the people of the demo. */

import type { VNode } from "preact";

import type { Person } from "../chat/types.js";
import { Avatar } from "../parts/Avatar.js";

export function PersonChoice({ person, onChoose }: { person: Person; onChoose: (person: Person) => void }): VNode {
  return (
    <li>
      <button type="button" class="person-choice" onClick={() => onChoose(person)}>
        <Avatar id={person.uid} name={person.name} size="large" />
        <span class="lines">
          <strong dir="auto">{person.name}</strong>
          {person.statusMessage && <small dir="auto">{person.statusMessage}</small>}
        </span>
      </button>
    </li>
  );
}
